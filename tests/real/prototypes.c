/*
 * Holds what we say of NCCL against the nccl.h and nccl_device of the version it is compiled with. Compiling is the test of
 * everything that is constant; running it, of the names that policy files use for flags.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <nccl.h>
#if __has_include(<nccl_device/host.h>)
#include <nccl_device/host.h>
#else
#include <nccl_device/core.h>
#endif

/* Our declarations under other names: the types of their arguments differ on purpose, void * for handles. */
#define ncclCommWindowRegister our_ncclCommWindowRegister
#define ncclCommWindowDeregister our_ncclCommWindowDeregister
#define ncclDevCommCreate our_ncclDevCommCreate
#define ncclCommDestroy our_ncclCommDestroy
#define ncclCommAbort our_ncclCommAbort
#include "shim/nccl.h"
#undef ncclCommWindowRegister
#undef ncclCommWindowDeregister
#undef ncclDevCommCreate
#undef ncclCommDestroy
#undef ncclCommAbort

#include "policy/policy.h"

/* The functions: NCCL's declaration is exactly this, and so is ours once handles are void * and the result is int. */
#define SAME(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define FUNCTION(name, theirs, ours)                                                                                   \
  _Static_assert(SAME(&(name), theirs), "NCCL's " #name);                                                              \
  _Static_assert(SAME(&our_##name, ours *), "our " #name)

typedef ncclResult_t (*their_register)(ncclComm_t, void *, size_t, ncclWindow_t *, int);
typedef ncclResult_t (*their_deregister)(ncclComm_t, ncclWindow_t);
typedef ncclResult_t (*their_devcomm)(ncclComm_t, const ncclDevCommRequirements_t *, ncclDevComm_t *);
typedef ncclResult_t (*their_comm)(ncclComm_t);
typedef ncclResult_t (*their_version)(int *);
typedef ncclResult_t (*their_number)(const ncclComm_t, int *);

FUNCTION(ncclCommWindowRegister, their_register, register_function);
FUNCTION(ncclCommWindowDeregister, their_deregister, deregister_function);
FUNCTION(ncclDevCommCreate, their_devcomm, devcomm_function);
FUNCTION(ncclCommDestroy, their_comm, comm_function);
FUNCTION(ncclCommAbort, their_comm, comm_function);
_Static_assert(SAME(&ncclGetVersion, their_version) && SAME((version_function *)0, int (*)(int *)), "ncclGetVersion");
_Static_assert(SAME(&ncclCommUserRank, their_number), "ncclCommUserRank");
_Static_assert(SAME(&ncclCommCount, their_number), "ncclCommCount");
_Static_assert(SAME(&ncclCommCuDevice, their_number), "ncclCommCuDevice");
_Static_assert(SAME((comm_number_function *)0, int (*)(void *, int *)), "our comm_number_function");

/* A handle goes where a void * goes, an enumeration where an int goes. */
enum { POINTER = 5 }; /* of __builtin_classify_type */
_Static_assert(sizeof(ncclComm_t) == sizeof(void *) && __builtin_classify_type((ncclComm_t)0) == POINTER, "ncclComm_t");
_Static_assert(sizeof(ncclWindow_t) == sizeof(void *) && __builtin_classify_type((ncclWindow_t)0) == POINTER,
               "ncclWindow_t");
_Static_assert(sizeof(ncclResult_t) == sizeof(int), "ncclResult_t");

/* Constants. */
_Static_assert(NCCL_SUCCESS == (int)ncclSuccess, "ncclSuccess");
_Static_assert(NCCL_SYSTEM_ERROR == (int)ncclSystemError, "ncclSystemError");
_Static_assert(NCCL_IN_PROGRESS == (int)ncclInProgress, "ncclInProgress");
_Static_assert(NCCL_VERSION_CODE == WANTED_VERSION, "the header is of the version that was asked for");
#if NCCL_VERSION_CODE >= 22907
_Static_assert(WIN_STRICT_ORDERING == NCCL_WIN_STRICT_ORDERING, "NCCL_WIN_STRICT_ORDERING");
#elif defined NCCL_WIN_STRICT_ORDERING
#error "NCCL_WIN_STRICT_ORDERING is older than we say"
#endif

/* Requirements of a device communicator. */
#define FIELD(ours, theirs)                                                                                            \
  _Static_assert(offsetof(struct devcomm_requirements, ours) == offsetof(ncclDevCommRequirements_t, theirs), #theirs); \
  _Static_assert(sizeof(((struct devcomm_requirements *)0)->ours) == sizeof(((ncclDevCommRequirements_t *)0)->theirs), \
                 #theirs)

#if NCCL_VERSION_CODE >= 22907
FIELD(size, size);
FIELD(magic, magic);
FIELD(version, version);
FIELD(resources, resourceRequirementsList);
FIELD(teams, teamRequirementsList);
FIELD(lsa_multimem, lsaMultimem);
FIELD(barriers, barrierCount);
FIELD(lsa_barriers, lsaBarrierCount);
FIELD(rail_gin_barriers, railGinBarrierCount);
FIELD(lsa_ll_a2a_blocks, lsaLLA2ABlockCount);
FIELD(lsa_ll_a2a_slots, lsaLLA2ASlotCount);
FIELD(gin_force_enable, ginForceEnable);
FIELD(gin_contexts, ginContextCount);
FIELD(gin_signals, ginSignalCount);
FIELD(gin_counters, ginCounterCount);
FIELD(gin_connection_type, ginConnectionType);
_Static_assert(sizeof(struct devcomm_requirements) <= sizeof(ncclDevCommRequirements_t), "we read within it");
_Static_assert(DEVCOMM_MAGIC == (int)NCCL_API_MAGIC, "NCCL_API_MAGIC");
_Static_assert(GIN_NONE == (int)NCCL_GIN_CONNECTION_NONE, "NCCL_GIN_CONNECTION_NONE");
_Static_assert(GIN_FULL == (int)NCCL_GIN_CONNECTION_FULL, "NCCL_GIN_CONNECTION_FULL");
_Static_assert(GIN_RAIL == (int)NCCL_GIN_CONNECTION_RAIL, "NCCL_GIN_CONNECTION_RAIL");
#else
/* Where the magic is now, the older layout has a pointer's low half: of an aligned pointer, and so never the magic. */
_Static_assert(offsetof(struct devcomm_requirements, magic) ==
                   offsetof(ncclDevCommRequirements_t, teamRequirementsList),
               "a pointer to a list");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && DEVCOMM_MAGIC % _Alignof(ncclTeamRequirements_t) != 0,
               "no pointer looks like the magic");
#endif
#if NCCL_VERSION_CODE >= 23203
_Static_assert(GIN_CUSTOM == (int)NCCL_GIN_CONNECTION_CUSTOM_STRIDE, "NCCL_GIN_CONNECTION_CUSTOM_STRIDE");
#endif

/* Names in policy files: a flag that this version has, under NCCL's name. */
static const struct {
  const char *name;
  unsigned flag;
} flags[] = {
#ifdef NCCL_WIN_COLL_SYMMETRIC
    {"NCCL_WIN_COLL_SYMMETRIC", NCCL_WIN_COLL_SYMMETRIC},
#endif
#ifdef NCCL_WIN_GIN_ONLY
    {"NCCL_WIN_GIN_ONLY", NCCL_WIN_GIN_ONLY},
#endif
#ifdef NCCL_WIN_CFT_COUNTED
    {"NCCL_WIN_CFT_COUNTED", NCCL_WIN_CFT_COUNTED},
#endif
};

int main(void) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    printf("%s 0x%x\n", flags[i].name, win_flag_parse(flags[i].name));
    wrong += win_flag_parse(flags[i].name) != flags[i].flag;
  }
  return wrong != 0;
}
