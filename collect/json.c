#include "collect/collect.h"
#include "collect/json_word.h"

#include <jansson.h>

static json_t *fact_object(const struct fact *fact) {
  json_t *object = json_object();
  json_object_set_new(object, "value", json_word(fact->value));
  if (!fact->value)
    json_object_set_new(object, "reason", json_word(fact->reason ? fact->reason : "not looked for"));
  json_object_set_new(object, "source", json_word(fact->source));
  return object;
}

static json_t *host_object(const struct collection *all) {
  json_t *object = json_object();
  for (int i = 0; i < HOST_FACTS; i++)
    json_object_set_new(object, host_fact_name((enum host_fact)i), fact_object(&all->host->facts[i]));
  json_object_set_new(object, "gpu", fact_object(&all->models));
  json_object_set_new(object, "path", fact_object(&all->path));
  return object;
}

static json_t *nic_list(const struct host_facts *host) {
  json_t *list = json_array();
  for (size_t i = 0; i < host->nic_count; i++) {
    const struct nic_facts *nic = &host->nics[i];
    json_t *object = json_object();
    json_object_set_new(object, "address", json_word(nic->address));
    for (int j = 0; j < NIC_FACTS; j++)
      json_object_set_new(object, nic_fact_name((enum nic_fact)j), fact_object(&nic->facts[j]));
    json_object_set_new(object, "pci-wr-ordering", json_word(wr_ordering(nic)));
    json_object_set_new(object, "alarm", json_word(nic->alarm));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *gpu_list(const struct collection *all) {
  json_t *list = json_array();
  for (size_t i = 0; i < all->gpu_count; i++) {
    json_t *object = json_object();
    json_object_set_new(object, "address", json_word(all->gpus[i].address));
    json_object_set_new(object, "model", fact_object(&all->gpus[i].model));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *path_list(const struct host_facts *host) {
  json_t *list = json_array();
  for (size_t i = 0; i < host->path_count; i++) {
    const struct gpu_path *path = &host->paths[i];
    json_t *object = json_object();
    json_object_set_new(object, "gpu", json_word(path->gpu));
    json_object_set_new(object, "nic", json_word(path->nic));
    json_object_set_new(object, "path", json_word(path->path));
    json_object_set_new(object, "source", json_word(path->source));
    json_array_append_new(list, object);
  }
  return list;
}

bool facts_json(const struct collection *all, FILE *file) {
  json_t *object = json_object();
  json_object_set_new(object, "v", json_integer(1));
  json_object_set_new(object, "host", host_object(all));
  json_object_set_new(object, "nics", nic_list(all->host));
  json_object_set_new(object, "gpus", gpu_list(all));
  json_object_set_new(object, "paths", path_list(all->host));
  bool good = json_dumpf(object, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
  json_decref(object);
  return good;
}
