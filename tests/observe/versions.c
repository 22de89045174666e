/* versions LIBRARY: opens it as NCCL does, and prints for each function that NCCL asks for where it was found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Source: NCCL 2.30.7, src/misc/ibvsymbols.cc; ibv_query_pkey: the names in the file of 2.32.3. The last may be missing: it is younger than many a libibverbs. */
static const struct {
  const char *name, *version;
} asked[] = {{"ibv_get_device_list", "IBVERBS_1.1"}, {"ibv_free_device_list", "IBVERBS_1.1"},
             {"ibv_get_device_name", "IBVERBS_1.1"}, {"ibv_open_device", "IBVERBS_1.1"},
             {"ibv_close_device", "IBVERBS_1.1"},    {"ibv_get_async_event", "IBVERBS_1.1"},
             {"ibv_ack_async_event", "IBVERBS_1.1"}, {"ibv_query_device", "IBVERBS_1.1"},
             {"ibv_query_port", "IBVERBS_1.1"},      {"ibv_query_gid", "IBVERBS_1.1"},
             {"ibv_query_qp", "IBVERBS_1.1"},        {"ibv_alloc_pd", "IBVERBS_1.1"},
             {"ibv_dealloc_pd", "IBVERBS_1.1"},      {"ibv_reg_mr", "IBVERBS_1.1"},
             {"ibv_reg_mr_iova2", "IBVERBS_1.8"},    {"ibv_reg_dmabuf_mr", "IBVERBS_1.12"},
             {"ibv_dereg_mr", "IBVERBS_1.1"},        {"ibv_create_cq", "IBVERBS_1.1"},
             {"ibv_destroy_cq", "IBVERBS_1.1"},      {"ibv_create_qp", "IBVERBS_1.1"},
             {"ibv_modify_qp", "IBVERBS_1.1"},       {"ibv_destroy_qp", "IBVERBS_1.1"},
             {"ibv_fork_init", "IBVERBS_1.1"},       {"ibv_event_type_str", "IBVERBS_1.1"},
             {"ibv_query_ece", "IBVERBS_1.10"},      {"ibv_set_ece", "IBVERBS_1.10"},
             {"ibv_query_pkey", "IBVERBS_1.1"},      {"ibv_query_port_speed", "IBVERBS_1.16"}};

static const char *owner(void *function) {
  Dl_info info;
  if (function == NULL || dladdr(function, &info) == 0)
    return "missing";
  const char *slash = strrchr(info.dli_fname, '/');
  return slash == NULL ? info.dli_fname : slash + 1;
}

int main(int argc, char **argv) {
  void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (handle == NULL) {
    printf("versions: %s\n", argc == 2 ? dlerror() : "which library?");
    return 1;
  }
  for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
    printf("%s %s\n", asked[i].name, owner(dlvsym(handle, asked[i].name, asked[i].version)));
  printf("unversioned ibv_reg_mr %s\n", owner(dlsym(handle, "ibv_reg_mr")));
  struct ibv_device **(*list)(int *) = (struct ibv_device * *(*)(int *)) dlsym(handle, "ibv_get_device_list");
  int count = -1;
  printf("devices %s\n", list != NULL && list(&count) != NULL && count == 0 ? "none" : "not listed");
  return 0;
}
