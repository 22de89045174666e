/*
 * What verbs tells of PCIe atomics and of data-direct. libibverbs and libmlx5 are loaded in a child, which may take its
 * time or die: providers are plugins. A zero is no proof of mode 0: without DEVX the field is just not filled.
 */
#define _GNU_SOURCE
#include "collect/collect.h"

#include "facts/from.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the child tells of one device. */
struct answer {
  char device[64];
  bool opened, extended; /* the extended query answered */
  int atomic_cap; /* enum ibv_atomic_cap */
  uint16_t fetch_add, swap, compare_swap; /* sizes: bit 0 4 bytes, bit 1 8, bit 2 16 */
  enum { DEVX_NOT_ASKED, DEVX_REFUSED, DEVX_SILENT, DEVX_ANSWERED } devx;
  enum { DIRECT_NOT_ASKED, DIRECT_NO_FUNCTION, DIRECT_NO, DIRECT_YES } direct;
};

static const char verbs[] = "verbs";
static const enum nic_fact asked[] = {NIC_ATOMIC_CAP, NIC_PCI_ATOMICS, NIC_DEVX, NIC_DATA_DIRECT};

static void doubt_all(struct collection *all, struct nic_facts *nic, const char *reason) {
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    doubt(all, &nic->facts[asked[i]], reason, verbs);
}

#if __has_include(<infiniband/mlx5dv.h>)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

/* ibv_* of libibverbs, mlx5dv_* of libmlx5, which may be missing. */
struct library {
  struct ibv_device **(*list)(int *count);
  const char *(*name)(struct ibv_device *device);
  struct ibv_context *(*open)(struct ibv_device *device);
  int (*close)(struct ibv_context *context);
  int (*query)(struct ibv_context *context, struct ibv_device_attr *attributes);
  bool (*is_mlx5)(struct ibv_device *device);
  struct ibv_context *(*open_devx)(struct ibv_device *device, struct mlx5dv_context_attr *attributes);
  int (*command)(struct ibv_context *context, const void *in, size_t in_size, void *out, size_t out_size);
  int (*direct_path)(struct ibv_context *context, char *path, size_t size);
};

static const struct {
  const char *name;
  size_t offset;
  bool of_mlx5;
} functions[] = {
    {"ibv_get_device_list", offsetof(struct library, list), false},
    {"ibv_get_device_name", offsetof(struct library, name), false},
    {"ibv_open_device", offsetof(struct library, open), false},
    {"ibv_close_device", offsetof(struct library, close), false},
    {"ibv_query_device", offsetof(struct library, query), false},
    {"mlx5dv_is_supported", offsetof(struct library, is_mlx5), true},
    {"mlx5dv_open_device", offsetof(struct library, open_devx), true},
    {"mlx5dv_devx_general_cmd", offsetof(struct library, command), true},
    {"mlx5dv_get_data_direct_sysfs_path", offsetof(struct library, direct_path), true},
};

static bool open_library(struct library *library) {
  void *base = dlopen("libibverbs.so.1", RTLD_NOW), *mlx5 = dlopen("libmlx5.so.1", RTLD_NOW);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *handle = functions[i].of_mlx5 ? mlx5 : base;
    void *function = handle ? dlsym(handle, functions[i].name) : NULL;
    if (!function && !functions[i].of_mlx5)
      return false;
    memcpy((char *)library + functions[i].offset, &function, sizeof function);
  }
  return true;
}

/* The extended query through the context's own table: the header's function would link libibverbs. */
static void query_device(const struct library *library, struct ibv_context *context, struct answer *answer) {
  struct ibv_device_attr plain = {0};
  struct ibv_device_attr_ex extended = {0};
  struct verbs_context *table = verbs_get_ctx_op(context, query_device_ex);
  answer->extended = table && !table->query_device_ex(context, NULL, &extended, sizeof extended);
  if (!answer->extended && library->query(context, &plain))
    plain.atomic_cap = (enum ibv_atomic_cap) - 1;
  answer->atomic_cap = (int)(answer->extended ? extended.orig_attr.atomic_cap : plain.atomic_cap);
  answer->fetch_add = extended.pci_atomic_caps.fetch_add;
  answer->swap = extended.pci_atomic_caps.swap;
  answer->compare_swap = extended.pci_atomic_caps.compare_swap;
}

/* QUERY_HCA_CAP, the atomic capabilities as they are now: whether the firmware answers through DEVX at all. */
static void ask_devx(const struct library *library, struct ibv_device *device, struct answer *answer) {
  static const unsigned char command[16] = {[0] = 0x01, [1] = 0x00, [7] = 3 << 1 | 1};
  static unsigned char reply[16 + 4096];
  struct mlx5dv_context_attr attributes = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
  if (!library->open_devx || !library->command)
    return;
  struct ibv_context *context = library->open_devx(device, &attributes);
  answer->devx = context ? DEVX_SILENT : DEVX_REFUSED;
  if (!context)
    return;
  if (!library->command(context, command, sizeof command, reply, sizeof reply) && reply[0] == 0)
    answer->devx = DEVX_ANSWERED;
  library->close(context);
}

static void ask_direct(const struct library *library, struct ibv_context *context, struct answer *answer) {
  char path[4096];
  answer->direct = !library->direct_path                                   ? DIRECT_NO_FUNCTION
                   : library->direct_path(context, path, sizeof path) == 0 ? DIRECT_YES
                                                                           : DIRECT_NO;
}

static void ask_device(const struct library *library, struct ibv_device *device, struct answer *answer) {
  snprintf(answer->device, sizeof answer->device, "%s", library->name(device));
  struct ibv_context *context = library->open(device);
  answer->opened = context;
  if (!context)
    return;
  query_device(library, context, answer);
  if (library->is_mlx5 && library->is_mlx5(device)) {
    ask_direct(library, context, answer);
    ask_devx(library, device, answer);
  }
  library->close(context);
}

/* Writes one answer for each device; the exit status says whether there is a libibverbs. */
static _Noreturn void child_main(int output) {
  struct library library = {0};
  int count = 0, nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  setpgid(0, 0);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  if (!open_library(&library))
    _exit(1);
  struct ibv_device **devices = library.list(&count);
  for (int i = 0; devices && i < count; i++) {
    struct answer answer = {0};
    ask_device(&library, devices[i], &answer);
    if (write(output, &answer, sizeof answer) != (ssize_t)sizeof answer)
      _exit(1);
  }
  _exit(0);
}

static const char *const atomic_words[] = {"ATOMIC_NONE", "ATOMIC_HCA", "ATOMIC_GLOB"};

static void take_caps(struct collection *all, struct nic_facts *nic, const struct answer *answer) {
  char text[40];
  bool known = answer->atomic_cap >= 0 && answer->atomic_cap < (int)(sizeof atomic_words / sizeof *atomic_words);
  if (known)
    know(all, &nic->facts[NIC_ATOMIC_CAP], atomic_words[answer->atomic_cap], verbs);
  else
    doubt(all, &nic->facts[NIC_ATOMIC_CAP], "the query failed", verbs);
  snprintf(text, sizeof text, "0x%x/0x%x/0x%x", answer->fetch_add, answer->swap, answer->compare_swap);
  if (answer->extended)
    know(all, &nic->facts[NIC_PCI_ATOMICS], text, verbs);
  else
    doubt(all, &nic->facts[NIC_PCI_ATOMICS], "the extended query failed", verbs);
}

static void take_answer(struct collection *all, struct nic_facts *nic, const struct answer *answer) {
  static const char *const silent[] = {"libmlx5 is not there, or it is no mlx5 device", "DEVX is refused"};
  static const char *const not_direct[] = {"libmlx5 is not there, or it is no mlx5 device",
                                           "libmlx5 is older than data-direct"};
  if (!answer->opened) {
    doubt_all(all, nic, "the device cannot be opened");
    return;
  }
  take_caps(all, nic, answer);
  if (answer->devx >= DEVX_SILENT)
    know(all, &nic->facts[NIC_DEVX], answer->devx == DEVX_ANSWERED ? "answered" : "not", verbs);
  else
    doubt(all, &nic->facts[NIC_DEVX], silent[answer->devx], verbs);
  if (answer->direct >= DIRECT_NO)
    know(all, &nic->facts[NIC_DATA_DIRECT], answer->direct == DIRECT_YES ? "yes" : "no", "libmlx5");
  else
    doubt(all, &nic->facts[NIC_DATA_DIRECT], not_direct[answer->direct], "libmlx5");
}

static void take_device(struct collection *all, const struct answer *answer) {
  for (size_t i = 0; i < all->host->nic_count; i++) {
    struct nic_facts *nic = &all->host->nics[i];
    const char *device = nic->facts[NIC_DEVICE].value;
    if (device && strcmp(device, answer->device) == 0)
      take_answer(all, nic, answer);
  }
}

/* Takes whole answers until the child ends or its time is over: the reason for devices without one. */
static const char *take_answers(struct collection *all, int input) {
  struct answer answer;
  size_t used = 0;
  for (int left = SECONDS * 1000; left > 0; left -= 50) {
    struct pollfd ready = {.fd = input, .events = POLLIN};
    if (poll(&ready, 1, 50) <= 0)
      continue;
    ssize_t got = read(input, (char *)&answer + used, sizeof answer - used);
    if (got <= 0)
      return "verbs does not list the device";
    used = (used + (size_t)got) % sizeof answer;
    answer.device[sizeof answer.device - 1] = '\0';
    if (!used)
      take_device(all, &answer);
  }
  return "no answer in time";
}

static const char *ask_verbs(struct collection *all) {
  int ends[2], status = 0;
  if (pipe2(ends, O_CLOEXEC))
    return "no pipe";
  pid_t child = fork();
  if (child == 0)
    child_main(ends[1]);
  close(ends[1]);
  const char *why = child > 0 ? take_answers(all, ends[0]) : "cannot fork";
  close(ends[0]);
  if (child <= 0)
    return why;
  bool late = strcmp(why, "no answer in time") == 0;
  if (late)
    kill(child, SIGKILL);
  if (waitpid(child, &status, late ? WNOHANG : 0) == child && WIFSIGNALED(status) && !late)
    return "verbs crashed";
  return WIFEXITED(status) && WEXITSTATUS(status) ? "libibverbs is not installed" : why;
}
#else
static const char *ask_verbs(struct collection *all) {
  (void)all;
  return "built without the headers of verbs";
}
#endif

/* A recorded host's `ibv_devinfo -v -d DEVICE`. */
static void replay(struct collection *all, struct nic_facts *nic) {
  struct host_facts *host = host_facts_new();
  struct from_notes notes = {0};
  const char *device = nic->facts[NIC_DEVICE].value;
  char *text = root_text(all, "outputs/ibv_devinfo-%s.txt", device ? device : "");
  if (!host || (text && !facts_from(text, strlen(text), host, &notes)))
    all->failed = true;
  else if (host->nic_count == 1 && host->nics[0].facts[NIC_ATOMIC_CAP].value)
    know(all, &nic->facts[NIC_ATOMIC_CAP], host->nics[0].facts[NIC_ATOMIC_CAP].value, "ibv_devinfo");
  doubt_all(all, nic, "not recorded");
  free(text);
  from_notes_free(&notes);
  host_facts_free(host);
}

/*
 * mlx5 reports ATOMIC_GLOB when 8-byte PCIe atomics are on (rdma-core, providers/mlx5/verbs.c); others mean other
 * things by it.
 */
bool shows_pci_atomics(const struct nic_facts *nic) {
  const char *cap = nic->facts[NIC_ATOMIC_CAP].value, *sizes = nic->facts[NIC_PCI_ATOMICS].value;
  return is_mlx5(nic) &&
         ((cap && strncmp(cap, "ATOMIC_GLOB", 11) == 0) || (sizes && strpbrk(sizes, "123456789abcdef")));
}

/* Positive evidence refutes a zero; where the mode has another number already, they agree. */
static void refute(struct collection *all, struct nic_facts *nic) {
  struct fact *current = &nic->facts[NIC_MODE_CURRENT];
  if (shows_pci_atomics(nic) && (!current->value || strcmp(current->value, "0") == 0))
    know(all, current, MODE_NOT_ZERO, verbs);
}

void collect_verbs(struct collection *all) {
  const char *why = *all->root || !all->host->nic_count ? NULL : ask_verbs(all);
  for (size_t i = 0; i < all->host->nic_count; i++) {
    if (*all->root)
      replay(all, &all->host->nics[i]);
    else
      doubt_all(all, &all->host->nics[i], why);
    refute(all, &all->host->nics[i]);
  }
}
