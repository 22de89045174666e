/* What the facts amount to for one process, held against sysfs. */
#include "policy/facts.h"

#include "policy/lines.h"
#include "policy/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_TEXT_MAX = 4096, VALUE_MAX = 256, BOND_FUNCTIONS = 2 };

struct view {
  const struct facts *facts;
  const char *ib_hca, *root;
  bool external_plugin;
  int worst; /* mode of the NICs this process may use */
};

/* Non-zero beats unknown beats zero; of two non-zero ones the larger. */
static int worse(int a, int b) {
  if (a > 0 || b > 0)
    return a > b ? a : b;
  return a == MODE_UNKNOWN || b == MODE_UNKNOWN ? MODE_UNKNOWN : 0;
}

/* A zero that verbs contradicts is unknown. */
static int nic_mode(const struct nic *nic) {
  int mode = worse(nic->mode_current, nic->mode_next);
  return mode == 0 && nic->pci_atomics ? MODE_UNKNOWN : mode;
}

/* A NIC that has no device name cannot be left out by name. */
static bool usable(const struct view *view, const struct nic *nic) {
  return !nic->device || ib_hca_allows(view->ib_hca, nic->device);
}

typedef bool nic_test(const struct view *view, const struct nic *nic);

/* Whether some NIC this process may use fails the test. */
static bool any(const struct view *view, nic_test *test) {
  for (size_t i = 0; i < view->facts->nic_count; i++)
    if (usable(view, &view->facts->nics[i]) && test(view, &view->facts->nics[i]))
      return true;
  return false;
}

/* A value of the device in sysfs; false: there is none. */
static bool sysfs_value(const struct view *view, const char *device, const char *name, char value[VALUE_MAX]) {
  char path[PATH_TEXT_MAX], *text;
  size_t size;
  if ((size_t)snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/%s", view->root, device, name) >= sizeof path ||
      file_slurp(path, 4096, &text, &size))
    return false;
  text[strcspn(text, "\r\n")] = '\0';
  snprintf(value, VALUE_MAX, "%s", text);
  free(text);
  return *value;
}

/* What sysfs says and the facts do not, or say otherwise. What sysfs does not say is no disagreement. */
static bool disagrees(const struct view *view, const struct nic *nic, const char *name, const char *fact) {
  char value[VALUE_MAX];
  return sysfs_value(view, nic->device, name, value) && !(fact && equal_ignoring_case(fact, value));
}

static bool nic_changed(const struct view *view, const struct nic *nic) {
  return nic->device &&
         (disagrees(view, nic, "node_guid", nic->node_guid) || disagrees(view, nic, "fw_ver", nic->firmware));
}

static bool in_facts(const struct facts *facts, const char *device) {
  for (size_t i = 0; i < facts->nic_count; i++)
    if (facts->nics[i].device && strcmp(facts->nics[i].device, device) == 0)
      return true;
  return false;
}

static bool nic_unlisted(const struct view *view) {
  char path[PATH_TEXT_MAX];
  snprintf(path, sizeof path, "%s/sys/class/infiniband", view->root);
  DIR *directory = opendir(path);
  bool unlisted = false;
  if (!directory)
    return errno != ENOENT && errno != ENOTDIR; /* there may be some */
  errno = 0;
  for (const struct dirent *entry; !unlisted && (entry = readdir(directory));)
    unlisted = entry->d_name[0] != '.' && !in_facts(view->facts, entry->d_name);
  unlisted |= errno != 0;
  closedir(directory);
  return unlisted;
}

/* Last part of the device's driver link: "mlx5_core"; "" when there is none. */
static const char *sysfs_driver(const struct view *view, const char *device, char link[PATH_TEXT_MAX]) {
  char path[PATH_TEXT_MAX];
  snprintf(path, sizeof path, "%s/sys/class/infiniband/%s/device/driver", view->root, device);
  ssize_t length = readlink(path, link, PATH_TEXT_MAX - 1);
  link[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(link, '/');
  return slash ? slash + 1 : link;
}

/* The driver where it is known, else the kernel's own naming of devices (which udev may have changed). */
static bool not_mlx5(const struct view *view, const struct nic *nic) {
  char link[PATH_TEXT_MAX];
  const char *driver = nic->device ? sysfs_driver(view, nic->device, link) : "";
  if (!*driver && nic->driver)
    driver = nic->driver;
  if (*driver)
    return strcmp(driver, "mlx5_core") != 0;
  return !nic->device || strncmp(nic->device, "mlx5_", 5) != 0;
}

static bool bond_incomplete(const struct view *view, const struct nic *nic) {
  if (!nic->device || !strstr(nic->device, "bond"))
    return false;
  int functions = 0;
  for (size_t i = 0; i < view->facts->nic_count; i++)
    functions += view->facts->nics[i].device && strcmp(view->facts->nics[i].device, nic->device) == 0;
  return functions < BOND_FUNCTIONS;
}

static bool is_any(const struct view *view, const struct nic *nic) {
  (void)view, (void)nic;
  return true;
}

static bool facts_missing(const struct view *view) {
  return view->facts->status == FACTS_NONE || view->facts->status == FACTS_MISSING;
}

static bool facts_damaged(const struct view *view) { return view->facts->status == FACTS_DAMAGED; }

static bool facts_stale(const struct view *view) { return view->facts->status == FACTS_STALE; }

static bool facts_untrusted(const struct view *view) { return !view->facts->trusted; }

static bool external_plugin(const struct view *view) { return view->external_plugin; }

static bool no_nic(const struct view *view) { return !any(view, is_any); }

static bool mode_not_zero(const struct view *view) { return view->worst > 0; }

static bool mode_unknown(const struct view *view) { return view->worst == MODE_UNKNOWN; }

/* What keeps the modes from being proof, in the order in which it is told. */
static const struct {
  char why[16];
  bool (*fails)(const struct view *view);
  nic_test *nic_fails; /* where fails is NULL */
} proof_checks[] = {
    {"facts_missing", facts_missing, NULL},     {"facts_damaged", facts_damaged, NULL},
    {"facts_stale", facts_stale, NULL},         {"facts_untrusted", facts_untrusted, NULL},
    {"external_plugin", external_plugin, NULL}, {"no_nic", no_nic, NULL},
    {"nic_unlisted", nic_unlisted, NULL},       {"nic_changed", NULL, nic_changed},
    {"mode_not_zero", mode_not_zero, NULL},     {"mode_unknown", mode_unknown, NULL},
    {"nic_not_mlx5", NULL, not_mlx5},           {"bond_incomplete", NULL, bond_incomplete},
};

static const char *unproved(const struct view *view) {
  for (size_t i = 0; i < sizeof proof_checks / sizeof *proof_checks; i++) {
    bool fails = proof_checks[i].fails ? proof_checks[i].fails(view) : any(view, proof_checks[i].nic_fails);
    if (fails)
      return proof_checks[i].why;
  }
  return NULL;
}

/* The worst NIC that this process may use, or NULL. */
static const struct nic *worst_nic(const struct view *view) {
  const struct nic *worst = NULL;
  for (size_t i = 0; i < view->facts->nic_count; i++) {
    const struct nic *nic = &view->facts->nics[i];
    if (usable(view, nic) && (!worst || worse(nic_mode(worst), nic_mode(nic)) != nic_mode(worst)))
      worst = nic;
  }
  return worst;
}

static bool known_word(const char *word) { return word && strcmp(word, "unknown") != 0; }

static bool in_list(const char *list, const char *word) {
  char item[NIC_TYPES_MAX];
  while (next_item(&list, item, sizeof item))
    if (strcmp(item, word) == 0)
      return true;
  return false;
}

/* Empty as soon as one of the NICs has no type, or the list no room. */
static void list_types(const struct view *view, char *list, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < view->facts->nic_count; i++) {
    const struct nic *nic = &view->facts->nics[i];
    if (!usable(view, nic) || (known_word(nic->type) && in_list(list, nic->type)))
      continue;
    if (known_word(nic->type))
      used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", nic->type);
    if (!known_word(nic->type) || used >= size) {
      *list = '\0';
      return;
    }
  }
}

static void find_words(const struct view *view, struct host_words *words) {
  const struct facts *facts = view->facts;
  words->hypervisor = known_word(facts->hypervisor) ? facts->hypervisor : NULL;
  words->gpu = known_word(facts->gpu) ? facts->gpu : NULL;
  words->path = known_word(facts->path_class) ? facts->path_class : NULL;
  list_types(view, words->nic_types, sizeof words->nic_types);
}

struct host_modes facts_modes(const struct facts *facts, const char *ib_hca, bool external_plugin_set,
                              const char *root) {
  struct view view = {facts, ib_hca, root, external_plugin_set, MODE_UNKNOWN};
  struct host_modes modes = {.mode = MODE_UNKNOWN};
  if (facts->status == FACTS_CURRENT) {
    const struct nic *worst = worst_nic(&view);
    if (worst) {
      view.worst = modes.mode = nic_mode(worst);
      modes.source = worst->source;
    }
    find_words(&view, &modes.words);
    for (size_t i = 0; i < facts->nic_count; i++) {
      modes.contradicts |= nic_mode(&facts->nics[i]) > 0 || facts->nics[i].pci_atomics;
      modes.force_relax |= usable(&view, &facts->nics[i]) && facts->nics[i].wr_ordering == WR_ORDERING_FORCE_RELAX;
    }
  }
  modes.unproved = unproved(&view);
  return modes;
}
