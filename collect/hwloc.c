/*
 * The paths from GPUs to NICs, in nvidia-smi's words, from hwloc's tree of PCI bridges. hwloc is loaded when it is
 * needed.
 */
#include "collect/collect.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "hwloc";

/* Classes, the nearest first. */
static const char classes[][5] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
enum { CLASSES = sizeof classes / sizeof *classes };

#if __has_include(<hwloc.h>)
#include <hwloc.h>

struct library {
  void *handle;
  int (*init)(hwloc_topology_t *topology);
  int (*filter)(hwloc_topology_t topology, enum hwloc_type_filter_e filter);
  int (*load)(hwloc_topology_t topology);
  void (*destroy)(hwloc_topology_t topology);
  hwloc_obj_t (*object)(hwloc_topology_t topology, int depth, unsigned index);
  int (*equal)(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
  int (*weight)(hwloc_const_bitmap_t bitmap);
  unsigned (*version)(void);
};

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
    {"hwloc_topology_init", offsetof(struct library, init)},
    {"hwloc_topology_set_io_types_filter", offsetof(struct library, filter)},
    {"hwloc_topology_load", offsetof(struct library, load)},
    {"hwloc_topology_destroy", offsetof(struct library, destroy)},
    {"hwloc_get_obj_by_depth", offsetof(struct library, object)},
    {"hwloc_bitmap_isequal", offsetof(struct library, equal)},
    {"hwloc_bitmap_weight", offsetof(struct library, weight)},
    {"hwloc_get_api_version", offsetof(struct library, version)},
};

/* NULL: the library is there, of the version that was built with. */
static const char *open_library(struct library *library) {
  library->handle = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  if (!library->handle)
    return "libhwloc is not installed";
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library->handle, functions[i].name);
    if (!function)
      return "libhwloc lacks a function";
    memcpy((char *)library + functions[i].offset, &function, sizeof function);
  }
  return library->version() >> 16 == HWLOC_API_VERSION >> 16 ? NULL : "libhwloc is of another version";
}

/* hwloc reads its sources from the environment. Only what reads sysfs: other components start GPU drivers. */
static void direct(const struct collection *all) {
  static const char *const others[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
  char file[4096];
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    unsetenv(others[i]);
  setenv("HWLOC_COMPONENTS", "-cuda,-nvml,-opencl,-gl,-levelzero,-rsmi,-pci,-x86", 1);
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  if (!*all->root)
    return;
  setenv("HWLOC_FSROOT", all->root, 1);
  char *record = root_text(all, "outputs/hwloc.xml");
  snprintf(file, sizeof file, "%s/outputs/hwloc.xml", all->root);
  if (record)
    setenv("HWLOC_XMLFILE", file, 1);
  free(record);
}

static hwloc_obj_t find(const struct library *library, hwloc_topology_t topology, const char *address) {
  char name[32];
  hwloc_obj_t object;
  for (unsigned i = 0; (object = library->object(topology, HWLOC_TYPE_DEPTH_PCI_DEVICE, i)); i++) {
    const struct hwloc_pcidev_attr_s *pci = &object->attr->pcidev;
    snprintf(name, sizeof name, "%04x:%02x:%02x.%01x", (unsigned)pci->domain, pci->bus, pci->dev, pci->func);
    if (same_address(name, address))
      return object;
  }
  return NULL;
}

static bool is_pci_bridge(hwloc_obj_t object) {
  return object->type == HWLOC_OBJ_BRIDGE && object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

/* Steps up to an ancestor; -1: it is none. */
static int steps_to(hwloc_obj_t object, hwloc_obj_t ancestor) {
  int steps = 0;
  while (object && object != ancestor)
    object = object->parent, steps++;
  return object ? steps : -1;
}

/* The first ancestor that is no I/O object: it has processors. */
static hwloc_obj_t place(hwloc_obj_t object) {
  while (object && !object->cpuset)
    object = object->parent;
  return object;
}

/*
 * Below one bridge PIX, or PXB where there are switches between; below one host bridge PHB; then by the memory that is
 * near. Source: nvidia-smi topo -m, legend.
 */
static const char *class_of(const struct library *library, hwloc_obj_t gpu, hwloc_obj_t nic) {
  hwloc_obj_t meeting = gpu->parent;
  while (meeting && steps_to(nic, meeting) < 0)
    meeting = meeting->parent;
  if (meeting && is_pci_bridge(meeting))
    return steps_to(gpu, meeting) <= 2 && steps_to(nic, meeting) <= 2 ? "PIX" : "PXB";
  if (meeting && meeting->type == HWLOC_OBJ_BRIDGE)
    return "PHB";
  hwloc_obj_t a = place(gpu), b = place(nic);
  bool near =
      a && b && a->nodeset && b->nodeset && library->equal(a->nodeset, b->nodeset) && library->weight(a->nodeset) == 1;
  return near ? "NODE" : "SYS";
}

static void take_path(struct collection *all, const char *gpu, const char *nic, const char *class) {
  all->failed |= !host_path(all->host, gpu, nic, class, source);
}

static void take_paths(struct collection *all, const struct library *library, hwloc_topology_t topology) {
  for (size_t i = 0; i < all->gpu_count; i++)
    for (size_t j = 0; j < all->host->nic_count; j++) {
      const char *address = all->host->nics[j].address;
      hwloc_obj_t gpu = find(library, topology, all->gpus[i].address);
      hwloc_obj_t nic = is_full_address(address) ? find(library, topology, address) : NULL;
      if (gpu && nic)
        take_path(all, all->gpus[i].address, address, class_of(library, gpu, nic));
    }
}

static const char *ask_hwloc(struct collection *all) {
  struct library library = {0};
  hwloc_topology_t topology;
  const char *why = open_library(&library);
  direct(all);
  if (!why && library.init(&topology))
    why = "hwloc failed";
  if (!why) {
    library.filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (library.load(topology))
      why = "hwloc failed";
    else
      take_paths(all, &library, topology);
    library.destroy(topology);
  }
  if (library.handle)
    dlclose(library.handle);
  return why;
}
#else
static const char *ask_hwloc(struct collection *all) {
  (void)all;
  return "built without hwloc's header";
}
#endif

static int rank(const char *class) {
  int i = 0;
  while (i < CLASSES && strcmp(classes[i], class) != 0)
    i++;
  return i;
}

/* The nearest NIC's class; CLASSES: none is known. */
static int nearest(const struct collection *all, const char *gpu) {
  int best = CLASSES;
  for (size_t i = 0; i < all->host->path_count; i++) {
    const struct gpu_path *path = &all->host->paths[i];
    if (strcmp(path->gpu, gpu) == 0 && rank(path->path) < best)
      best = rank(path->path);
  }
  return best;
}

/* Known only when every GPU's is. */
static void sum_up(struct collection *all) {
  char *list = NULL;
  for (size_t i = 0; i < all->gpu_count; i++) {
    int class = nearest(all, all->gpus[i].address);
    if (class == CLASSES) {
      free(list);
      doubt(all, &all->path, "hwloc does not show every GPU and a NIC", source);
      return;
    }
    list = list_add(list, classes[class]);
  }
  if (list)
    know(all, &all->path, list, source);
  free(list);
}

void collect_paths(struct collection *all) {
  if (!all->gpu_count || !all->host->nic_count) {
    doubt(all, &all->path, all->gpu_count ? "no NIC" : "no GPU", "sysfs");
    return;
  }
  const char *why = ask_hwloc(all);
  if (why)
    doubt(all, &all->path, why, source);
  else
    sum_up(all);
}
