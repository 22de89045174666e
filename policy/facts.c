/* The facts file: reading it, and telling whether it speaks of this boot. What it amounts to: modes.c. */
#include "policy/facts.h"

#include "policy/arena.h"
#include "policy/file.h"
#include "policy/lines.h"
#include "policy/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, PATH_TEXT_MAX = 4096, BOOT_ID_MAX = 128 };

struct owned_facts {
  struct facts facts;
  struct arena arena;
};

enum section { SECTION_NONE, SECTION_FACTS, SECTION_NIC, SECTION_OTHER };

struct facts_reader {
  struct facts *facts;
  struct arena *arena;
  enum section section;
  char *version;
};

/* trouble = "path:line: text", of the first problem only. */
static void damage(struct facts_reader *reader, int line, const char *text) {
  struct facts *facts = reader->facts;
  char trouble[PATH_TEXT_MAX + 512];
  if (facts->status == FACTS_DAMAGED)
    return;
  facts->status = FACTS_DAMAGED;
  if (line)
    snprintf(trouble, sizeof trouble, "%s:%d: %s", facts->path, line, text);
  else
    snprintf(trouble, sizeof trouble, "%s: %s", facts->path, text);
  facts->trouble = arena_string(reader->arena, trouble);
}

static void begin_nic(struct facts_reader *reader, int line, const char *address) {
  struct facts *facts = reader->facts;
  for (size_t i = 0; i < facts->nic_count; i++)
    if (strcmp(facts->nics[i].address, address) == 0)
      damage(reader, line, "this NIC has a section already");
  struct nic *room = array_room(reader->arena, facts->nics, facts->nic_count, sizeof *room);
  char *copy = arena_string(reader->arena, address);
  if (!room)
    return;
  facts->nics = room;
  room[facts->nic_count] = (struct nic){
      .address = copy, .mode_default = MODE_UNKNOWN, .mode_current = MODE_UNKNOWN, .mode_next = MODE_UNKNOWN};
  facts->nic_count += copy != NULL;
}

static void on_section(void *user, int line, const char *section) {
  struct facts_reader *reader = user;
  reader->section = SECTION_OTHER;
  if (reader->arena->failed)
    return;
  if (strcmp(section, "facts") == 0) {
    if (reader->version)
      damage(reader, line, "a second [facts] section");
    reader->section = SECTION_FACTS;
  }
  if (strncmp(section, "nic ", 4) == 0) {
    begin_nic(reader, line, section + 4);
    reader->section = SECTION_NIC;
  }
}

/* Takes a value into its field; false: not of the right form. */
typedef bool value_parser(struct arena *arena, void *field, const char *value);

static bool take_text(struct arena *arena, void *field, const char *value) {
  char **text = field;
  if (*text)
    return strcmp(*text, value) == 0;
  *text = arena_string(arena, value);
  return true;
}

/* A second, different value is caught where the first was a number; unknown and then a number counts as the number. */
static bool take_mode(struct arena *arena, void *field, const char *value) {
  int *mode = field;
  (void)arena;
  if (strcmp(value, "unknown") == 0)
    return *mode == MODE_UNKNOWN;
  if (value[0] < '0' || value[0] > '0' + MODE_MAX || value[1])
    return false;
  bool fits = *mode == MODE_UNKNOWN || *mode == value[0] - '0';
  *mode = value[0] - '0';
  return fits;
}

/* A word that a newer winord may write is unknown, not damage. */
static bool take_wr_ordering(struct arena *arena, void *field, const char *value) {
  enum wr_ordering *ordering = field, was = *ordering;
  (void)arena;
  if (strcmp(value, "per_mkey") == 0)
    *ordering = WR_ORDERING_PER_MKEY;
  else if (strcmp(value, "force_relax") == 0)
    *ordering = WR_ORDERING_FORCE_RELAX;
  return was == WR_ORDERING_UNKNOWN || was == *ordering;
}

/* Only "yes" says anything: that verbs shows no PCIe atomics proves nothing. */
static bool take_yes(struct arena *arena, void *field, const char *value) {
  bool *yes = field;
  (void)arena;
  *yes |= strcmp(value, "yes") == 0;
  return true;
}

struct fact_key {
  enum section section;
  char name[24];
  value_parser *take;
  size_t offset;
};

static const struct fact_key fact_keys[] = {
    {SECTION_FACTS, "hostname", take_text, offsetof(struct facts, hostname)},
    {SECTION_FACTS, "boot-id", take_text, offsetof(struct facts, boot_id)},
    {SECTION_FACTS, "hypervisor", take_text, offsetof(struct facts, hypervisor)},
    {SECTION_FACTS, "kernel", take_text, offsetof(struct facts, kernel)},
    {SECTION_FACTS, "gpu", take_text, offsetof(struct facts, gpu)},
    {SECTION_FACTS, "path", take_text, offsetof(struct facts, path_class)},
    {SECTION_NIC, "nic-type", take_text, offsetof(struct nic, type)},
    {SECTION_NIC, "pci-atomics", take_yes, offsetof(struct nic, pci_atomics)},
    {SECTION_NIC, "device", take_text, offsetof(struct nic, device)},
    {SECTION_NIC, "driver", take_text, offsetof(struct nic, driver)},
    {SECTION_NIC, "node-guid", take_text, offsetof(struct nic, node_guid)},
    {SECTION_NIC, "firmware", take_text, offsetof(struct nic, firmware)},
    {SECTION_NIC, "pci-atomic-mode-default", take_mode, offsetof(struct nic, mode_default)},
    {SECTION_NIC, "pci-atomic-mode-current", take_mode, offsetof(struct nic, mode_current)},
    {SECTION_NIC, "pci-atomic-mode-next", take_mode, offsetof(struct nic, mode_next)},
    {SECTION_NIC, "pci-atomic-source", take_text, offsetof(struct nic, source)},
    {SECTION_NIC, "pci-wr-ordering", take_wr_ordering, offsetof(struct nic, wr_ordering)},
};

static void take_fact(struct facts_reader *reader, int line, const struct fact_key *key, const char *value) {
  struct facts *facts = reader->facts;
  char *base = key->section == SECTION_FACTS ? (char *)facts : (char *)&facts->nics[facts->nic_count - 1];
  char text[512];
  if (key->take(reader->arena, base + key->offset, value))
    return;
  snprintf(text, sizeof text, "%s = %s: not a value for it, or a second one", key->name, value);
  damage(reader, line, text);
}

static void on_pair(void *user, int line, const char *section, const char *name, const char *value) {
  struct facts_reader *reader = user;
  (void)section;
  if (reader->arena->failed)
    return;
  if (reader->section == SECTION_NONE)
    damage(reader, line, "a value before any section");
  if (reader->section == SECTION_FACTS && strcmp(name, "version") == 0) {
    if (strcmp(value, "1") != 0)
      damage(reader, line, "not version 1");
    take_text(reader->arena, &reader->version, value);
  }
  for (size_t i = 0; i < sizeof fact_keys / sizeof *fact_keys; i++)
    if (fact_keys[i].section == reader->section && strcmp(fact_keys[i].name, name) == 0)
      take_fact(reader, line, &fact_keys[i], value);
}

static void on_problem(void *user, int line, const char *text) { damage(user, line, text); }

static void parse(struct facts_reader *reader, const char *text, size_t size) {
  const struct line_handler handler = {on_section, on_pair, on_problem, reader};
  lines_parse(text, size, &handler);
  if (!size || text[size - 1] != '\n')
    damage(reader, 0, "ends in the middle of a line");
  if (!reader->version)
    damage(reader, 0, "no version = 1 in [facts]");
}

/* This boot's id, or "". */
static const char *boot_id(const char *root, char id[BOOT_ID_MAX]) {
  char path[PATH_TEXT_MAX], *text;
  size_t size;
  id[0] = '\0';
  snprintf(path, sizeof path, "%s/proc/sys/kernel/random/boot_id", root);
  if (file_slurp(path, BOOT_ID_MAX - 1, &text, &size))
    return id;
  text[strcspn(text, " \t\r\n")] = '\0';
  snprintf(id, BOOT_ID_MAX, "%s", text);
  free(text);
  return id;
}

static void check_boot(struct facts *facts, struct arena *arena, const char *root) {
  char now[BOOT_ID_MAX], trouble[PATH_TEXT_MAX + 64];
  const char *text = NULL;
  if (!facts->boot_id)
    text = "no boot-id";
  else if (!*boot_id(root, now))
    text = "this system's boot id cannot be read";
  else if (!equal_ignoring_case(facts->boot_id, now))
    text = "of another boot";
  facts->status = text ? FACTS_STALE : FACTS_CURRENT;
  if (!text)
    return;
  snprintf(trouble, sizeof trouble, "%s: %s", facts->path, text);
  facts->trouble = arena_string(arena, trouble);
}

static void read_file(struct facts *facts, struct arena *arena, bool named, const char *root) {
  char *text, trouble[PATH_TEXT_MAX + 64];
  size_t size;
  enum writers writers;
  const char *why = file_read(facts->path, FILE_LIMIT, &text, &size, &writers);
  facts->trusted = writers == WRITERS_ROOT;
  if (why && !named && strcmp(why, "no such file") == 0) {
    facts->status = FACTS_NONE;
    facts->path = NULL;
    return;
  }
  if (why) {
    facts->status = FACTS_MISSING;
    snprintf(trouble, sizeof trouble, "%s: %s", facts->path, why);
    facts->trouble = arena_string(arena, trouble);
    return;
  }
  struct facts_reader reader = {.facts = facts, .arena = arena};
  facts->status = FACTS_CURRENT;
  parse(&reader, text, size);
  free(text);
  if (facts->status == FACTS_CURRENT)
    check_boot(facts, arena, root);
}

struct facts *facts_read(const char *path, const char *root) {
  struct owned_facts *owned = calloc(1, sizeof *owned);
  if (!owned)
    return NULL;
  char usual[PATH_TEXT_MAX];
  snprintf(usual, sizeof usual, "%s/run/winord/facts.ini", root);
  owned->facts.path = arena_string(&owned->arena, path ? path : usual);
  if (owned->facts.path)
    read_file(&owned->facts, &owned->arena, path, root);
  if (!owned->arena.failed)
    return &owned->facts;
  facts_free(&owned->facts);
  return NULL;
}

void facts_free(struct facts *facts) {
  if (!facts)
    return;
  struct arena arena = ((struct owned_facts *)facts)->arena;
  free(facts->nics);
  free(facts);
  arena_free(&arena);
}
