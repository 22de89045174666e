/* One host: what the shim would find there, and what can be seen now. */
#define _GNU_SOURCE
#include "bench/stress/launch.h"
#include "collect/collect.h"
#include "collect/json_word.h"
#include "command.h"
#include "local.h"
#include "qualify.h"
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a printer of the collection prints, fresh memory. Without memory the program ends. */
static char *printed(const struct collection *all, bool json) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file != NULL && json) {
    facts_json(all, file);
  } else if (file != NULL) {
    facts_write(all, file);
  }
  if (file == NULL || fclose(file) != 0 || all->failed) {
    say("out of memory");
    exit(STATUS_UNKNOWN);
  }
  return text;
}

static bool replace(const char *path, const char *text) {
  bool done = facts_replace(path, text, strlen(text)) == 0;
  if (!done) {
    say("%s: cannot be written: %s", path, strerror(errno));
  }
  return done;
}

/* The rows of the guard that rest on the host, not on a rule: "proved", "attested", or NULL. */
static const char *grounds(const struct host *host) {
  static const enum guard rows[] = {GUARD_PROVED, GUARD_ATTESTED};
  const struct request request = {.flags = WIN_STRICT_ORDERING};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (guard_fails(rows[i], NULL, &request, host) == NULL) {
      return guard_name(rows[i]);
    }
  }
  return NULL;
}

/*
 * What speaks against mode 0, in words, fresh memory; NULL: nothing. A NIC outside NCCL_IB_HCA counts where nothing is proved, as
 * for the guard's attestation.
 */
static char *refuted(const struct host_modes *modes, const char *from, bool proved) {
  if (modes->mode > 0) {
    return text_format("%s: PCI_ATOMIC_MODE %d (%s)", from, modes->mode, modes->source ? modes->source : "no source");
  }
  return modes->contradicts && !proved ? text_format("%s: a NIC is not in mode 0", from) : NULL;
}

/* The pool's attestation, for a policy that holds it. */
static json_t *section_object(const struct pool *section) {
  json_t *object, *hosts = json_array();
  if (section == NULL || section->attested_mode != 0) {
    json_decref(hosts);
    return json_null();
  }
  for (size_t i = 0; i < section->hosts.count; i++) {
    json_array_append_new(hosts, json_word(section->hosts.items[i]));
  }
  object = json_pack("{s:o, s:i}", "hosts", hosts, "until", section->attested_until);
  json_object_set_new(object, "by", json_word(section->attested_by));
  return object;
}

static void add_judgement(json_t *record, const struct local *local, const struct host_modes *live) {
  const struct host *host = &local->host;
  const char *row = grounds(host);
  bool proved = row != NULL && strcmp(row, "proved") == 0;
  char *against = refuted(&host->modes, "the facts file", proved);
  against = against ? against : refuted(live, "seen now", proved);
  json_object_set_new(record, "host", json_word(local->name));
  json_object_set_new(record, "pool", json_word(host->pool));
  json_object_set_new(record, "pool_source", json_word(host->pool_source));
  json_object_set_new(record, "pool_mismatch", json_boolean(host->pool_mismatch));
  json_object_set_new(record, "facts", json_word(facts_status_name(local->facts->status)));
  json_object_set_new(record, "facts_file", json_word(local->facts->path));
  json_object_set_new(record, "facts_trouble", json_word(local->facts->trouble));
  json_object_set_new(record, "pci_atomic_mode", json_word(mode_text(host->modes.mode)));
  json_object_set_new(record, "pci_atomic_source", json_word(host->modes.source));
  json_object_set_new(record, "seen_now", json_word(mode_text(live->mode)));
  json_object_set_new(record, "force_relax", json_boolean(host->modes.force_relax || live->force_relax));
  json_object_set_new(record, "grounds", json_word(row));
  json_object_set_new(record, "unproved", json_word(host->modes.unproved));
  json_object_set_new(record, "attestation", section_object(host->section));
  json_object_set_new(record, "refuted", json_word(against));
  free(against);
}

/* Where this process leaves its record, without the ending. Fresh memory. */
static char *record_path(const char *folder, unsigned rank, const char *host) {
  char *path = text_format("%s/hosts/%04u-%s-%ld", folder, rank, host, (long)getpid());
  for (char *c = path + strlen(folder) + strlen("/hosts/"); *c != '\0'; c++) {
    *c = isalnum((unsigned char)*c) || strchr("-._", *c) ? *c : '_';
  }
  return path;
}

/* Writes what `winord facts` finds now, and reads it back as the policy would. */
static struct facts *live_facts(const struct collection *all, const char *path, const char *root) {
  char *ini = text_format("%s.ini", path), *text = printed(all, false);
  struct facts *facts = replace(ini, text) ? facts_read(ini, root) : NULL;
  free(text);
  free(ini);
  return facts;
}

static bool write_record(json_t *record, const char *path) {
  char *file = text_format("%s.json", path), *text = json_dumps(record, JSON_INDENT(2));
  bool done = text != NULL && replace(file, text);
  free(text);
  free(file);
  return done;
}

/* The record of this host; false: not written, said. */
static bool leave_record(const struct local *local, const struct launch *launch, const char *folder, const char *root) {
  struct collection *all = collect(root);
  char *path = record_path(folder, launch->rank, local->name);
  struct facts *facts = all ? live_facts(all, path, root) : NULL;
  bool done = facts != NULL;
  if (done) {
    struct host_modes live = facts_modes(facts, getenv("NCCL_IB_HCA"), false, root);
    char *seen = printed(all, true);
    json_t *record = json_pack("{s:i, s:s, s:i, s:i}", "v", 1, "winord", WINORD_VERSION, "rank", (int)launch->rank,
                               "ranks", (int)launch->ranks);
    add_judgement(record, local, &live);
    json_t *everything = json_loads(seen, 0, NULL);
    json_object_set_new(record, "all", everything ? everything : json_null());
    done = write_record(record, path);
    json_decref(record);
    free(seen);
  }
  facts_free(facts);
  free(path);
  collection_free(all);
  return done;
}

int qualify_look(const char *folder, const char *pool, const char *root) {
  struct local local;
  struct launch launch;
  char error[512] = "";
  const char *conf = local_policy_path();
  if (!launch_find(&launch, error)) {
    say("%s", error);
    return STATUS_UNKNOWN;
  }
  struct policy *policy = conf ? policy_read(conf) : NULL;
  local_find(&local);
  host_find_pool(&local.host, policy, pool ? pool : getenv("WINORD_POOL"), getenv("SLURM_JOB_PARTITION"));
  bool done = leave_record(&local, &launch, folder, root);
  local_free(&local);
  policy_free(policy);
  return done ? STATUS_OK : STATUS_UNKNOWN;
}
