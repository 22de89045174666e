#include "policy/facts.h"
#include "policy/text.h"

#include <string.h>

/* NCCL's own limits: MAX_IB_DEVS entries, struct netIf.prefix. */
enum { ENTRIES_MAX = 32, PREFIX_MAX = 63 };

struct entry {
  char name[PREFIX_MAX + 1];
  bool any_port;
};

/* NCCL reads a port that is there with atoi; -1 is any port. */
static bool is_any_port(const char *text, size_t length) {
  const char *end = text + length;
  while (text < end && is_blank(*text))
    text++;
  if (text == end || *text++ != '-')
    return false;
  while (text < end && *text == '0')
    text++;
  return text < end && *text == '1' && (text + 1 == end || !is_digit(text[1]));
}

/* One entry, "name:port:rail:plane". False: it has no name, and NCCL skips it. */
static bool entry_parse(const char *text, size_t length, struct entry *entry) {
  const char *colon = memchr(text, ':', length);
  size_t name = colon ? (size_t)(colon - text) : length;
  if (!name)
    return false;
  const char *port = colon ? colon + 1 : text + length;
  const char *next = memchr(port, ':', (size_t)(text + length - port));
  entry->any_port =
      port == text + length || next == port || is_any_port(port, (size_t)((next ? next : text + length) - port));
  if (name > PREFIX_MAX)
    name = PREFIX_MAX;
  memcpy(entry->name, text, name);
  entry->name[name] = '\0';
  return true;
}

static bool names_device(const struct entry *entry, const char *device, bool exact) {
  return exact ? strcmp(entry->name, device) == 0 : strncmp(entry->name, device, strlen(entry->name)) == 0;
}

/*
 * Ports are not known here, so a device counts as used when one of its ports may be: an entry with a port allows the device,
 * and excludes nothing of it.
 */
bool ib_hca_allows(const char *ib_hca, const char *device) {
  if (!ib_hca)
    return true;
  bool excludes = *ib_hca == '^';
  ib_hca += excludes;
  bool exact = *ib_hca == '=';
  ib_hca += exact;
  int entries = 0;
  while (*ib_hca && entries < ENTRIES_MAX) {
    size_t length = strcspn(ib_hca, ",");
    struct entry entry;
    if (entry_parse(ib_hca, length, &entry)) {
      entries++;
      if (names_device(&entry, device, exact) && (!excludes || entry.any_port))
        return !excludes;
    }
    ib_hca += length + (ib_hca[length] == ',');
  }
  /* An empty list matches every device: so "" allows all, and "^" none. */
  return entries ? excludes : !excludes;
}
