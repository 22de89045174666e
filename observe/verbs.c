/*
 * libwinord-verbs.so: a libibverbs.so.1 that keeps account of memory registrations. It defines the calls that make and undo
 * them and needs the real library, so that dlsym and dlvsym on its handle find everything else there. NCCL opens it by
 * NCCL_IBVERBS_LIB. Nothing is changed: each call goes on with the caller's arguments. Source: rdma-core,
 * libibverbs/verbs.c and libibverbs.map.in; NCCL, src/misc/ibvsymbols.cc.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/registrations.h"
#include "shim/elf.h"

#define PUBLIC __attribute__((visibility("default")))

struct ibv_pd;
struct ibv_mr;

typedef struct ibv_mr *reg_function(struct ibv_pd *pd, void *address, size_t length, int access);
typedef struct ibv_mr *reg_iova_function(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access);
typedef struct ibv_mr *reg_iova2_function(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                          unsigned access);
typedef struct ibv_mr *reg_dmabuf_function(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
                                           int access);
typedef int dereg_function(struct ibv_mr *mr);

PUBLIC reg_function ibv_reg_mr;
PUBLIC reg_iova_function ibv_reg_mr_iova;
PUBLIC reg_iova2_function ibv_reg_mr_iova2;
PUBLIC reg_dmabuf_function ibv_reg_dmabuf_mr;
PUBLIC dereg_function ibv_dereg_mr;

enum function { REG, REG_IOVA, REG_IOVA2, REG_DMABUF, DEREG, FUNCTIONS };

static const char names[FUNCTIONS][20] = {[REG] = "ibv_reg_mr",
                                          [REG_IOVA] = "ibv_reg_mr_iova",
                                          [REG_IOVA2] = "ibv_reg_mr_iova2",
                                          [REG_DMABUF] = "ibv_reg_dmabuf_mr",
                                          [DEREG] = "ibv_dereg_mr"};

struct search {
  enum function function;
  void *found;
};

/* The first object of this name is the one that our own dependency was resolved to. */
static bool look_in(const struct object *object, void *user) {
  struct search *search = user;
  const char *soname = object_soname(object);
  if (!soname || !same_text(soname, "libibverbs.so.1"))
    return false;
  search->found = object_symbol(object, names[search->function]);
  return true;
}

/* The real library's function; NULL: it is too old to have it. */
static void *real(enum function function) {
  static _Atomic(void *) found[FUNCTIONS];
  void *known = atomic_load(&found[function]);
  if (known)
    return known;
  const int saved = errno;
  struct search search = {.function = function};
  objects_any(look_in, &search);
  errno = saved;
  atomic_store(&found[function], search.found);
  return search.found;
}

static struct ibv_mr *unsupported(void) {
  errno = EOPNOTSUPP;
  return NULL;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
  reg_function *next = (reg_function *)real(REG);
  struct ibv_mr *mr = next ? next(pd, address, length, access) : unsupported();
  registration_add(mr, (uintptr_t)address, length, (unsigned)access);
  return mr;
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  reg_iova_function *next = (reg_iova_function *)real(REG_IOVA);
  struct ibv_mr *mr = next ? next(pd, address, length, iova, access) : unsupported();
  registration_add(mr, (uintptr_t)address, length, (unsigned)access);
  return mr;
}

/* Without it (before rdma-core 28) NCCL would use ibv_reg_mr, and no relaxed ordering; so does this. */
static struct ibv_mr *reg_without_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                        unsigned access) {
  const int required = (int)(access & ~(unsigned)ACCESS_OPTIONAL);
  return iova == (uintptr_t)address ? ibv_reg_mr(pd, address, length, required)
                                    : ibv_reg_mr_iova(pd, address, length, iova, required);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
  reg_iova2_function *next = (reg_iova2_function *)real(REG_IOVA2);
  if (!next)
    return reg_without_iova2(pd, address, length, iova, access);
  struct ibv_mr *mr = next(pd, address, length, iova, access);
  registration_add(mr, (uintptr_t)address, length, access);
  return mr;
}

/* The memory's address is the iova, by NCCL's use; its GDAKI backend gives 0, which tells nothing. */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  reg_dmabuf_function *next = (reg_dmabuf_function *)real(REG_DMABUF);
  struct ibv_mr *mr = next ? next(pd, offset, length, iova, fd, access) : unsupported();
  registration_add(mr, (uintptr_t)iova, length, (unsigned)access);
  return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr) {
  dereg_function *next = (dereg_function *)real(DEREG);
  if (!next)
    return EOPNOTSUPP;
  struct entry *entry = registration_take(mr);
  const int error = next(mr);
  if (error)
    registration_keep(entry);
  else
    registration_drop(entry);
  return error;
}
