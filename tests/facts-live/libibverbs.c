/* A stand-in for libibverbs with one device, mlx5_0; FAKE_VERBS says what becomes of its query. */
#include <infiniband/verbs.h>

#include <stdlib.h>
#include <string.h>

static struct ibv_device device = {.name = "mlx5_0", .dev_name = "uverbs0"};
static struct verbs_context table;

static int is(const char *word) {
  const char *fake = getenv("FAKE_VERBS");
  return fake && strcmp(fake, word) == 0;
}

static int query_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                    struct ibv_device_attr_ex *attributes, size_t size) {
  (void)context, (void)input, (void)size;
  if (is("crash"))
    abort();
  attributes->orig_attr.atomic_cap = is("atomics") ? IBV_ATOMIC_GLOB : IBV_ATOMIC_HCA;
  if (is("atomics"))
    attributes->pci_atomic_caps.fetch_add = attributes->pci_atomic_caps.compare_swap = 2;
  return is("refuse");
}

__attribute__((visibility("default"))) struct ibv_device **ibv_get_device_list(int *count) {
  static struct ibv_device *devices[] = {&device, NULL};
  *count = !is("none");
  return devices;
}

__attribute__((visibility("default"))) const char *ibv_get_device_name(struct ibv_device *of) { return of->name; }

__attribute__((visibility("default"))) struct ibv_context *ibv_open_device(struct ibv_device *of) {
  table.context.device = of;
  table.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  table.sz = sizeof table;
  table.query_device_ex = query_ex;
  return is("closed") ? NULL : &table.context;
}

__attribute__((visibility("default"))) int ibv_close_device(struct ibv_context *context) {
  (void)context;
  return 0;
}

#undef ibv_query_device
__attribute__((visibility("default"))) int ibv_query_device(struct ibv_context *context,
                                                            struct ibv_device_attr *attributes) {
  (void)context;
  attributes->atomic_cap = IBV_ATOMIC_NONE;
  return 0;
}
