#include "read.h"

#include <stdlib.h>
#include <string.h>

/* An entry of a path; one path with two addresses, or two names, belongs to two hosts, and then to neither. */
static bool add_entry(struct from_notes *notes, struct word path, struct word address, struct word rdma) {
  for (size_t i = 0; i < notes->mst_count; i++) {
    struct mst_entry *entry = &notes->mst[i];
    if (word_is(path, entry->path)) {
      if (entry->address && !word_is(address, entry->address)) {
        free(entry->address);
        entry->address = NULL;
      }
      if (entry->rdma && !word_is(rdma, entry->rdma)) {
        free(entry->rdma);
        entry->rdma = NULL;
      }
      return true;
    }
  }
  if (notes->mst_count >= MOST_NICS) {
    return true;
  }
  struct mst_entry *list = realloc(notes->mst, (notes->mst_count + 1) * sizeof *list);
  if (!list) {
    return false;
  }
  notes->mst = list;
  struct mst_entry *entry = &list[notes->mst_count++];
  *entry = (struct mst_entry){.path = strndup(path.text, path.size), .address = strndup(address.text, address.size)};
  entry->rdma = rdma.size ? strndup(rdma.text, rdma.size) : NULL;
  return entry->path && entry->address && (entry->rdma || !rdma.size);
}

/* mst status -v: DEVICE_TYPE MST PCI RDMA NET NUMA; RDMA may be missing. A last word that was cut is none. */
static bool read_wide(const char *line, bool cut, struct from_notes *notes) {
  struct word words[7];
  size_t count = split_line(line, words, 7);
  count -= cut && count > 0;
  if (count < 3 || !word_begins(words[1], "/dev/mst/") || !is_pci_address(words[2])) {
    return true;
  }
  bool rdma = count > 3 && !word_begins(words[3], "net-") && !word_is(words[3], "-") && words[3].size > 1;
  return add_entry(notes, words[1], words[2], rdma ? words[3] : (struct word){words[2].text, 0});
}

/* The address behind a path: "domain:bus:dev.fn=ADDRESS" begins the next line. */
static bool read_narrow(const struct capture *capture, size_t line, struct from_notes *notes) {
  const char *text = capture->lines[line];
  size_t next = line + 1;
  const char *address = next < capture->count ? after_label(capture->lines[next], "domain:bus:dev.fn=") : NULL;
  struct word path = {text, strcspn(text, " ")}, word = {address, address ? strcspn(address, " ") : 0};
  return !address || !is_pci_address(word) || add_entry(notes, path, word, (struct word){address, 0});
}

bool read_mst(const struct capture *capture, struct from_notes *notes) {
  bool ok = true;
  for (size_t i = 0; ok && i < capture->count; i++) {
    bool narrow = text_begins(capture->lines[i], "/dev/mst/");
    ok = narrow ? read_narrow(capture, i, notes)
                : read_wide(capture->lines[i], capture->cut && i + 1 == capture->count, notes);
  }
  return ok;
}
