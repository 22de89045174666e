#include "read.h"

#include <stdlib.h>
#include <string.h>

static bool add_name(char ***list, size_t *count, struct word name) {
  char **longer = realloc(*list, (*count + 1) * sizeof *longer);
  if (!longer) {
    return false;
  }
  *list = longer;
  longer[*count] = strndup(name.text, name.size);
  return longer[(*count)++] != NULL;
}

static void free_names(char ***list, size_t *count) {
  while (*count > 0) {
    free((*list)[--*count]);
  }
  free(*list);
  *list = NULL;
}

/* "[0]", and "[0]={[0]", which begins a device of several (NCCL 2.19 to 2.22). */
static bool is_index(struct word word) { return strspn(word.text, "[]={0123456789") >= word.size; }

/* "[0]mlx5_0:1/IB/SHARP", or without the number where that was a word of its own: the name; size 0: not so. */
static struct word device_name(struct word word, bool numbered) {
  const char *end = word.text + word.size;
  const char *close = word.text[0] == '[' ? memchr(word.text, ']', word.size) : NULL;
  const char *name = close ? close + 1 : numbered ? word.text : end;
  const char *colon = memchr(name, ':', (size_t)(end - name));
  bool port = colon && memchr(colon, '/', (size_t)(end - colon));
  return (struct word){name, port ? (size_t)(colon - name) : 0};
}

/*
 * The list behind "NET/IB : Using": devices, then [RO] or not, then `;`. It may go on behind a line end. Kept only
 * when it is whole; *whole says so.
 */
static bool read_devices(const struct capture *capture, size_t line, const char *rest, struct nccl_log *nccl,
                         bool *whole) {
  struct word word;
  bool numbered = false;
  *whole = false;
  nccl->relaxed = false;
  while (line < capture->count && nccl->device_count < MOST_NICS) {
    while (next_word(&rest, &word)) {
      struct word name = device_name(word, numbered);
      numbered = is_index(word);
      *whole = word.text[0] == ';' || word_begins(word, "[RO]");
      nccl->relaxed = nccl->relaxed || word_begins(word, "[RO]");
      if (*whole || (name.size == 0 && !numbered)) {
        return true;
      }
      if (name.size > 0 && !add_name(&nccl->devices, &nccl->device_count, name)) {
        return false;
      }
    }
    line++;
    rest = line < capture->count ? capture->lines[line] : "";
  }
  return true;
}

/* Every rank says it again. */
static bool add_address(struct nccl_log *nccl, struct word device, struct word address) {
  for (size_t i = 0; i < nccl->address_count; i++) {
    if (word_is(device, nccl->addresses[i].device) && word_is(address, nccl->addresses[i].address)) {
      return true;
    }
  }
  if (nccl->address_count >= MOST_NICS) {
    return true;
  }
  struct nccl_address *list = realloc(nccl->addresses, (nccl->address_count + 1) * sizeof *list);
  if (!list) {
    return false;
  }
  nccl->addresses = list;
  struct nccl_address *added = &list[nccl->address_count++];
  *added = (struct nccl_address){strndup(device.text, device.size), strndup(address.text, address.size)};
  return added->device && added->address;
}

/* The last part of a path. */
static struct word last_part(struct word path) {
  size_t tail = path.size;
  while (tail > 0 && path.text[tail - 1] != '/') {
    tail--;
  }
  return (struct word){path.text + tail, path.size - tail};
}

/* "NET/IB: [2] mlx5_2:uverbs2:1/RoCE ... pciPath=/sys/devices/.../0000:3b:00.0 ar=0": whole if more follows. */
static bool read_address(const char *rest, struct nccl_log *nccl) {
  struct word index, name, word;
  if (!next_word(&rest, &index) || index.text[0] != '[' || !next_word(&rest, &name)) {
    return true;
  }
  const char *colon = memchr(name.text, ':', name.size);
  struct word device = {name.text, colon ? (size_t)(colon - name.text) : 0};
  while (next_word(&rest, &word)) {
    struct word address = last_part(word);
    bool whole = word_begins(word, "pciPath=") && *rest != '\0';
    if (whole && device.size > 0 && is_pci_address(address)) {
      return add_address(nccl, device, address);
    }
  }
  return true;
}

static bool read_hca(const char *list, struct nccl_log *nccl) {
  while (nccl->hca_count < MOST_NICS) {
    size_t size = strcspn(list, ", ");
    if (size > 0 && !add_name(&nccl->hca, &nccl->hca_count, (struct word){list, size})) {
      return false;
    }
    if (list[size] != ',') {
      return true;
    }
    list += size + 1;
  }
  return true;
}

/* What stands at text up to two blanks or the line's end, if that is not where the capture was cut. */
static bool keep_phrase(char **kept, const char *text, bool cut) {
  const char *blanks = strstr(text, "  ");
  size_t size = blanks ? (size_t)(blanks - text) : strlen(text);
  if (*kept || size == 0 || (cut && text[size] == '\0')) {
    return true;
  }
  *kept = strndup(text, size);
  return *kept != NULL;
}

/* "2.21.5+cuda12.4", which the next process's line may follow at once; 0: no version. */
static size_t version_size(const char *text) {
  static const char digits[] = "0123456789.", letters[] = "abcdefghijklmnopqrstuvwxyz";
  size_t size = strspn(text, digits);
  if (size < 3 || text[0] == '.' || !memchr(text, '.', size)) {
    return 0;
  }
  size_t pre = strspn(text + size, "abcdefghijklmnopqrstuvwxyz0123456789");
  size += text[size + pre] == '+' ? pre : 0;
  if (text[size] == '+') {
    size += 1 + strspn(text + size + 1, letters);
    size += strspn(text + size, digits);
  }
  while (text[size - 1] == '.') {
    size--;
  }
  return size;
}

static bool keep_version(char **kept, const char *text, bool cut) {
  size_t size = version_size(text);
  if (*kept || size == 0 || (cut && text[size] == '\0')) {
    return true;
  }
  *kept = strndup(text, size);
  return *kept != NULL;
}

static const char *behind(const char *line, const char *mark) {
  const char *found = strstr(line, mark);
  return found ? found + strlen(mark) : NULL;
}

static bool read_line(const struct capture *capture, size_t i, struct nccl_log *nccl, bool *listed) {
  const char *line = capture->lines[i];
  bool cut = capture->cut && i + 1 == capture->count;
  const char *network = behind(line, "Using network ");
  const char *version = behind(line, "NCCL version ");
  const char *address = behind(line, "NET/IB: ");
  const char *hca = behind(line, "NCCL_IB_HCA set to ");
  hca = hca ? hca : behind(line, "NCCL_IB_HCA set by environment to ");
  bool ok = true;
  for (const char *list = line; !*listed && ok && (list = behind(list, "NET/IB : Using "));) {
    ok = read_devices(capture, i, list, nccl, listed);
    if (!*listed) {
      free_names(&nccl->devices, &nccl->device_count);
    }
  }
  network = network && text_begins(network, "interface") ? NULL : network;
  ok = ok && (!network || keep_phrase(&nccl->network, network, cut));
  ok = ok && (!version || keep_version(&nccl->version, version, cut));
  ok = ok && (!address || read_address(address, nccl));
  return ok && (!hca || cut || nccl->hca_count > 0 || read_hca(hca, nccl));
}

bool read_nccl(const struct capture *capture, struct from_notes *notes) {
  bool listed = false;
  for (size_t i = 0; i < capture->count; i++) {
    if (!read_line(capture, i, &notes->nccl, &listed)) {
      return false;
    }
  }
  return true;
}
