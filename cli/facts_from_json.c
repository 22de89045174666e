#include "command.h"
#include "facts_from.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name and the number the tools print behind it. */
struct numbered {
  const char *name;
  int number;
};

static const struct numbered orderings[] = {{"per_mkey", 0}, {"force_relax", 1}, {NULL, 0}};
static const struct numbered capabilities[] = {
    {"ATOMIC_NONE", 0}, {"ATOMIC_HCA", 1}, {"ATOMIC_GLOB", 2}, {"ATOMIC_HCA_REPLY_BE", 64}, {NULL, 0}};

static json_t *text_value(char *text) {
  json_t *value = json_string(text);
  free(text);
  return value ? value : json_null();
}

static json_t *unknown_value(const struct fact *fact) {
  return text_value(text_format("unknown: %s", fact->reason ? fact->reason : "not in the file"));
}

static json_t *mode_value(const struct fact *fact) {
  if (!fact->value) {
    return unknown_value(fact);
  }
  bool number = fact->value[0] >= '0' && fact->value[0] <= '9' && fact->value[1] == '\0';
  return number ? json_integer(fact->value[0] - '0') : text_value(text_copy(fact->value));
}

static json_t *numbered_value(const struct fact *fact, const struct numbered *names, const char *format) {
  for (; fact->value && names->name; names++) {
    if (strcmp(fact->value, names->name) == 0) {
      return json_sprintf(format, names->name, names->number);
    }
  }
  return unknown_value(fact);
}

static json_t *ordering_value(const struct fact *fact) { return numbered_value(fact, orderings, "%s(%d)"); }

static json_t *columns(const struct fact *facts, json_t *(*value)(const struct fact *fact)) {
  static const char *const names[] = {"default", "current", "next"};
  json_t *object = json_object();
  for (size_t i = 0; i < 3; i++) {
    json_object_set_new(object, names[i], value(&facts[i]));
  }
  return object;
}

static json_t *switch_value(const struct fact *fact) {
  return fact->value ? json_string(strcmp(fact->value, "on") == 0 ? "+" : "-") : unknown_value(fact);
}

static json_t *lspci_object(const struct fact *facts) {
  const struct fact *completer = &facts[NIC_COMPLETER];
  json_t *object = json_object();
  json_object_set_new(object, "RlxdOrd", switch_value(&facts[NIC_RELAXED]));
  json_object_set_new(object, "AtomicOpsCap",
                      completer->value ? text_value(text_copy(completer->value)) : unknown_value(completer));
  json_object_set_new(object, "ReqEn", switch_value(&facts[NIC_REQUESTER]));
  return object;
}

static bool was_asked(const struct fact *fact) { return fact->value || fact->reason; }

/* The alarm is in the columns already, but for rows without columns. */
static bool alarm_is_hidden(const struct nic_facts *nic) {
  bool shown = false;
  for (size_t i = NIC_WR_CURRENT; i <= NIC_WR_NEXT; i++) {
    shown = shown || (nic->facts[i].value && strcmp(nic->facts[i].value, "force_relax") == 0);
  }
  return nic->alarm && !shown;
}

static json_t *nic_object(const struct nic_facts *nic) {
  const struct fact *facts = nic->facts;
  json_t *object = json_object();
  json_object_set_new(object, "device", json_string(nic->address));
  json_object_set_new(object, "pci_atomic_mode", columns(&facts[NIC_MODE_DEFAULT], mode_value));
  json_object_set_new(object, "pci_wr_ordering", columns(&facts[NIC_WR_DEFAULT], ordering_value));
  if (facts[NIC_VIA].value) {
    json_object_set_new(object, "via", json_string(facts[NIC_VIA].value));
  }
  if (was_asked(&facts[NIC_COMPLETER])) {
    json_object_set_new(object, "lspci", lspci_object(facts));
  }
  if (was_asked(&facts[NIC_ATOMIC_CAP])) {
    json_object_set_new(object, "atomic_cap", numbered_value(&facts[NIC_ATOMIC_CAP], capabilities, "%s (%d)"));
  }
  if (alarm_is_hidden(nic)) {
    json_object_set_new(object, "warn", json_string("force_relax seen"));
  }
  return object;
}

static json_t *mst_object(const struct from_notes *notes) {
  json_t *object = json_object();
  for (size_t i = 0; i < notes->mst_count; i++) {
    const struct mst_entry *entry = &notes->mst[i];
    const char *address = entry->address ? entry->address : "unknown: two addresses";
    const char *rdma = entry->rdma ? entry->rdma : "";
    json_object_set_new(object, entry->path, json_sprintf("%s%s%s", address, rdma[0] ? " " : "", rdma));
  }
  json_object_set_new(object, "count", json_integer((json_int_t)notes->mst_count));
  return object;
}

static json_t *paths_object(const struct host_facts *host) {
  json_t *object = json_object();
  for (size_t i = 0; i < host->path_count; i++) {
    char *pair = text_format("%s-%s", host->paths[i].gpu, host->paths[i].nic);
    json_object_set_new(object, pair, json_string(host->paths[i].path));
    free(pair);
  }
  return object;
}

static json_t *names_array(char **names, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(array, json_string(names[i]));
  }
  return array;
}

static json_t *nccl_object(const struct nccl_log *nccl) {
  json_t *object = json_object();
  if (nccl->version) {
    json_object_set_new(object, "version", json_string(nccl->version));
  }
  if (nccl->device_count > 0) {
    json_object_set_new(object, "devices", names_array(nccl->devices, nccl->device_count));
    json_object_set_new(object, "ro", json_boolean(nccl->relaxed));
  }
  if (nccl->network) {
    json_object_set_new(object, "network", json_string(nccl->network));
  }
  json_t *addresses = json_object();
  for (size_t i = 0; i < nccl->address_count; i++) {
    bool again = json_object_get(addresses, nccl->addresses[i].device) != NULL;
    json_object_set_new(addresses, nccl->addresses[i].device,
                        json_string(again ? "unknown: two addresses" : nccl->addresses[i].address));
  }
  if (nccl->address_count > 0) {
    json_object_set(object, "bdf", addresses);
  }
  json_decref(addresses);
  if (nccl->hca_count > 0) {
    json_object_set_new(object, "hca", names_array(nccl->hca, nccl->hca_count));
  }
  return object;
}

/* Sets a member that says something. */
static void set_told(json_t *object, const char *key, json_t *value, size_t told) {
  if (told > 0) {
    json_object_set(object, key, value);
  }
  json_decref(value);
}

static json_t *host_object(const struct host_facts *host, const struct from_notes *notes) {
  const char *worst = worst_mode(host, notes);
  json_t *object = json_object();
  json_t *nccl = nccl_object(&notes->nccl);
  set_told(object, "mst_status", mst_object(notes), notes->mst_count);
  set_told(object, "gpu_nic", paths_object(host), host->path_count);
  set_told(object, "nccl", nccl, json_object_size(nccl));
  if (notes->virt) {
    json_object_set_new(object, "virt", json_string(notes->virt));
  }
  if (notes->note) {
    json_object_set_new(object, "note", json_string(notes->note));
  }
  if (worst) {
    json_object_set_new(object, "worst", json_string(worst));
  }
  return object;
}

/* A name that is no UTF-8 is null. */
void facts_from_json(const char *file, const struct host_facts *host, const struct from_notes *notes) {
  json_t *name = json_string(strcmp(file, "-") == 0 ? "-" : base_name(file));
  json_t *object = json_object();
  json_t *devices = json_array();
  for (size_t i = 0; i < host->nic_count; i++) {
    json_array_append_new(devices, nic_object(&host->nics[i]));
  }
  json_object_set_new(object, "file", name ? name : json_null());
  json_object_set_new(object, "devices", devices);
  json_object_set_new(object, "host", host_object(host, notes));
  json_dumpf(object, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(object);
}
