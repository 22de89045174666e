/* NVIDIA's GPUs: PCI display and 3D controllers. */
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

static bool is_gpu(const struct collection *all, const char *address) {
  char *vendor = root_text(all, "sys/bus/pci/devices/%s/vendor", address);
  char *class = root_text(all, "sys/bus/pci/devices/%s/class", address);
  bool gpu = vendor && class && strcmp(vendor, "0x10de") == 0 &&
             (strncmp(class, "0x0300", 6) == 0 || strncmp(class, "0x0302", 6) == 0);
  free(vendor);
  free(class);
  return gpu;
}

/* "Model: NVIDIA H200" of the driver's file, fresh memory; NULL: no driver. */
static char *driver_model(const struct collection *all, const char *address) {
  static const char key[] = "Model:";
  char *text = root_text(all, "proc/driver/nvidia/gpus/%s/information", address);
  const char *line = text ? strstr(text, key) : NULL;
  char *model = NULL;
  if (line) {
    line += sizeof key - 1;
    line += strspn(line, " \t");
    model = strndup(line, strcspn(line, "\n"));
  }
  free(text);
  return model;
}

static void take_model(struct collection *all, struct gpu_facts *gpu) {
  char *model = driver_model(all, gpu->address), *id = root_text(all, "sys/bus/pci/devices/%s/device", gpu->address);
  char ids[32];
  snprintf(ids, sizeof ids, "10de:%s", id && strlen(id) > 2 ? id + 2 : "unknown");
  if (model && *model)
    know(all, &gpu->model, model, "/proc/driver/nvidia");
  else
    know(all, &gpu->model, ids, "PCI device id");
  free(model);
  free(id);
}

static void add_gpu(struct collection *all, const char *address) {
  struct gpu_facts *room = realloc(all->gpus, (all->gpu_count + 1) * sizeof *room);
  char *copy = strdup(address);
  all->gpus = room ? room : all->gpus;
  all->failed |= !room || !copy;
  if (!room || !copy) {
    free(copy);
    return;
  }
  struct gpu_facts *gpu = &room[all->gpu_count++];
  *gpu = (struct gpu_facts){.address = copy};
  take_model(all, gpu);
}

void collect_gpus(struct collection *all) {
  char **devices = root_entries(all, "sys/bus/pci/devices"), *models = NULL;
  for (size_t i = 0; devices && devices[i]; i++)
    if (is_gpu(all, devices[i]))
      add_gpu(all, devices[i]);
  entries_free(devices);
  for (size_t i = 0; i < all->gpu_count && all->gpus[i].model.value; i++)
    models = list_add(models, all->gpus[i].model.value);
  if (models)
    know(all, &all->models, models, all->gpus[0].model.source);
  else
    doubt(all, &all->models, "no NVIDIA GPU in sysfs", "sysfs");
  free(models);
}
