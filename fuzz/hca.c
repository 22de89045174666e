/* NCCL_IB_HCA: device on the first line, the list after it; against NCCL's rule written out for each port. */
#include "fuzz/fuzz.h"
#include "policy/facts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 32, NAME = 64, ANY_PORT = -1, OTHER_PORT = INT_MAX };

struct entry {
  char name[NAME];
  long port;
};

/* atoi, where that is defined: a number that is no int is some port, and nothing but -1 is any. */
static long port_of(const char *text) {
  char *end;
  errno = 0;
  long port = strtol(text, &end, 10);
  return errno != 0 || port < INT_MIN || port >= INT_MAX ? 0 : port;
}

/* Takes the list apart at its commas and colons. */
static size_t split(char *list, struct entry entries[ENTRIES]) {
  size_t count = 0;
  for (char *item; count < ENTRIES && (item = strsep(&list, ",")) != NULL;) {
    const char *name = strsep(&item, ":");
    const char *port = strsep(&item, ":");
    if (*name != '\0') {
      strncpy(entries[count].name, name, NAME - 1);
      entries[count].name[NAME - 1] = '\0';
      entries[count++].port = port != NULL && *port != '\0' ? port_of(port) : ANY_PORT;
    }
  }
  return count;
}

static bool listed(const struct entry *entries, size_t count, bool exact, const char *device, long port) {
  for (size_t i = 0; i < count; i++) {
    size_t length = exact ? NAME : strlen(entries[i].name);
    if (strncmp(entries[i].name, device, length) == 0 && (entries[i].port == ANY_PORT || entries[i].port == port)) {
      return true;
    }
  }
  return count == 0;
}

/* Some port of the device may be used: one that an entry names, or another. */
static bool allowed(const struct entry *entries, size_t count, bool exclude, bool exact, const char *device) {
  bool found = listed(entries, count, exact, device, OTHER_PORT) != exclude;
  for (size_t i = 0; i < count; i++) {
    found |= listed(entries, count, exact, device, entries[i].port) != exclude;
  }
  return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *device = text_of(data, size), *list = cut_line(device);
  char *exact_copy = text_of(list, strlen(list));
  device[strnlen(device, NAME - 1)] = '\0'; /* the kernel's names are shorter */
  if (*device != '\0') {
    bool answer = ib_hca_allows(exact_copy, device);
    struct entry entries[ENTRIES];
    bool exclude = *list == '^';
    list += exclude;
    bool exact = *list == '=';
    list += exact;
    size_t count = split(list, entries);
    check(answer == allowed(entries, count, exclude, exact, device), "NCCL_IB_HCA as NCCL reads it");
  }
  free(exact_copy);
  free(device);
  return 0;
}
