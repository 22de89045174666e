#include "values.h"
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const flag_names[] = {"COLL_SYMMETRIC", "STRICT_ORDERING", "GIN_ONLY", "CFT_COUNTED"};
enum { FLAG_NAMES = sizeof flag_names / sizeof flag_names[0] };

static int flag_bit(const char *name) {
  if (strcmp(name, "STRICT_ORDERING") == 0 || strcmp(name, "NCCL_WIN_STRICT_ORDERING") == 0) {
    return WIN_STRICT_ORDERING;
  }
  return (int)win_flag_parse(name);
}

/* list += separator + word; word is freed. */
static void append(char **list, const char *separator, char *word) {
  char *longer = **list ? text_format("%s%s%s", *list, separator, word) : text_copy(word);
  free(*list);
  free(word);
  *list = longer;
}

static const char *name_of_bit(int bit) {
  for (size_t i = 0; i < FLAG_NAMES; i++) {
    if (flag_bit(flag_names[i]) == bit) {
      return flag_names[i];
    }
  }
  return NULL;
}

char *flag_name(int flags, int nth) {
  for (unsigned bit = 1; bit != 0; bit <<= 1) {
    if (((unsigned)flags & bit) && nth-- == 0) {
      const char *name = name_of_bit((int)bit);
      return name ? text_copy(name) : text_format("0x%x", bit);
    }
  }
  return NULL;
}

char *flags_text(int flags) {
  char *text = text_format("0x%02x", (unsigned)flags), *name;
  for (int i = 0; (name = flag_name(flags, i)) != NULL; i++) {
    append(&text, " ", name);
  }
  return text;
}

static bool flag_word(const char *word, int *flags) {
  char *end;
  if (strncasecmp(word, "0x", 2) != 0) {
    *flags |= flag_bit(word);
    return flag_bit(word) != 0;
  }
  unsigned long value = strtoul(word, &end, 16);
  *flags |= (int)value;
  return word[2] != '\0' && *end == '\0' && value <= UINT_MAX;
}

bool flags_parse(const char *list, int *flags, char **bad) {
  char *words = text_copy(list), *rest = NULL;
  bool good = true;
  for (char *word = strtok_r(words, ", ", &rest); good && word != NULL; word = strtok_r(NULL, ", ", &rest)) {
    good = flag_word(word, flags);
    if (!good) {
      *bad = text_copy(word);
    }
  }
  free(words);
  return good;
}

char *version_text(int version) {
  if (version <= 0) {
    return text_copy("unknown");
  }
  if (version < 10000) { /* before 2.9: one digit for the minor version */
    return text_format("%d.%d.%d", version / 1000, version / 100 % 10, version % 100);
  }
  return text_format("%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

char *size_text(uint64_t bytes) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit < 4) {
    bytes /= 1024;
    unit++;
  }
  return text_format("%llu%s", (unsigned long long)bytes, units[unit]);
}

const char *mode_text(int mode) {
  static const char *const names[] = {"0", "1", "2", "3", "4"};
  return mode >= 0 && mode <= MODE_MAX ? names[mode] : "unknown";
}

char *words_text(const struct host_words *words) {
  const char *const facts[][2] = {{"hypervisor", words->hypervisor},
                                  {"gpu", words->gpu},
                                  {"nic-type", words->nic_types[0] ? words->nic_types : NULL},
                                  {"path", words->path}};
  char *text = text_copy("");
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    if (facts[i][1] != NULL) {
      append(&text, ", ", text_format("%s %s", facts[i][0], facts[i][1]));
    }
  }
  return text;
}

static char *globs_text(const struct globs *globs) {
  char *text = text_copy("");
  for (size_t i = 0; i < globs->count; i++) {
    append(&text, ", ", text_copy(globs->items[i]));
  }
  return text;
}

static char *pool_value(const struct rule *rule) { return globs_text(&rule->pool); }
static char *host_value(const struct rule *rule) { return globs_text(&rule->host); }
static char *caller_value(const struct rule *rule) { return globs_text(&rule->caller); }
static char *exe_value(const struct rule *rule) { return globs_text(&rule->exe); }

static char *hypervisor_value(const struct rule *rule) { return globs_text(&rule->hypervisor); }
static char *gpu_value(const struct rule *rule) { return globs_text(&rule->gpu); }
static char *nic_type_value(const struct rule *rule) { return globs_text(&rule->nic_type); }
static char *path_value(const struct rule *rule) { return globs_text(&rule->path); }

static char *modes_value(const struct rule *rule) {
  char *text = text_copy("");
  for (int mode = 0; mode <= MODE_MAX + 1; mode++) {
    if (rule->modes & (1U << mode)) {
      append(&text, ",", text_copy(mode_text(mode)));
    }
  }
  return text;
}

static const char *asked_name(bool strict) { return strict ? "strict" : "default"; }
static char *asked_value(const struct rule *rule) { return text_copy(asked_name(rule->asked == ASKED_STRICT)); }

static char *nccl_value(const struct rule *rule) {
  char *low = version_text(rule->nccl.low), *high = version_text(rule->nccl.high), *text;
  if (rule->nccl.low <= 0) {
    text = text_format("<=%s", high);
  } else if (rule->nccl.high == INT_MAX) {
    text = text_format(">=%s", low);
  } else {
    text = text_format(">=%s,<=%s", low, high);
  }
  free(high);
  free(low);
  return text;
}

static char *min_size_value(const struct rule *rule) { return size_text(rule->min_size); }
static char *max_size_value(const struct rule *rule) { return size_text(rule->max_size); }

static char *flags_value(const struct rule *rule) {
  char *text = text_copy(""), *name;
  for (int i = 0; (name = flag_name((int)rule->flags_set, i)) != NULL; i++) {
    append(&text, ",", name);
  }
  for (int i = 0; (name = flag_name((int)rule->flags_clear, i)) != NULL; i++) {
    append(&text, ",", text_format("!%s", name));
    free(name);
  }
  return text;
}

static char *gin_value(const struct rule *rule) {
  char *text = text_copy("");
  for (int i = GIN_NONE; i <= GIN_UNKNOWN; i++) {
    if (rule->gin_connections & (1U << i)) {
      append(&text, ",", text_copy(gin_connection_name((enum gin_connection)i)));
    }
  }
  return text;
}

typedef const struct request *request_pointer;
typedef const struct host *host_pointer;

static char *or_unknown(const char *text) { return text_copy(text ? text : "unknown"); }

static char *pool_here(request_pointer request, host_pointer host) {
  (void)request;
  return text_copy(host->pool ? host->pool : "none");
}

static char *host_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->name);
}

static char *mode_here(request_pointer request, host_pointer host) {
  (void)request;
  const char *source;
  return text_copy(mode_text(host_mode(host, &source)));
}

static char *asked_here(request_pointer request, host_pointer host) {
  (void)host;
  return text_copy(asked_name(request->flags & WIN_STRICT_ORDERING));
}

static char *nccl_here(request_pointer request, host_pointer host) {
  (void)host;
  return version_text(request->nccl);
}

static char *caller_here(request_pointer request, host_pointer host) {
  (void)host;
  return or_unknown(request->caller);
}

static char *exe_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->exe);
}

static char *size_here(request_pointer request, host_pointer host) {
  (void)host;
  return size_text(request->size);
}

static char *flags_here(request_pointer request, host_pointer host) {
  (void)host;
  return flags_text(request->flags);
}

static char *gin_here(request_pointer request, host_pointer host) {
  (void)host;
  return text_copy(gin_connection_name(request->gin_connection));
}

static char *hypervisor_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->modes.words.hypervisor);
}

static char *gpu_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->modes.words.gpu);
}

static char *nic_type_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->modes.words.nic_types[0] ? host->modes.words.nic_types : NULL);
}

static char *path_here(request_pointer request, host_pointer host) {
  (void)request;
  return or_unknown(host->modes.words.path);
}

static const struct key {
  const char *name;
  char *(*of_rule)(const struct rule *rule);
  char *(*of_request)(request_pointer request, host_pointer host);
} keys[] = {
    {"pool", pool_value, pool_here},
    {"host", host_value, host_here},
    {"pci-atomic-mode", modes_value, mode_here},
    {"hypervisor", hypervisor_value, hypervisor_here},
    {"gpu", gpu_value, gpu_here},
    {"nic-type", nic_type_value, nic_type_here},
    {"path", path_value, path_here},
    {"asked", asked_value, asked_here},
    {"nccl", nccl_value, nccl_here},
    {"caller", caller_value, caller_here},
    {"exe", exe_value, exe_here},
    {"min-size", min_size_value, size_here},
    {"max-size", max_size_value, size_here},
    {"flags", flags_value, flags_here},
    {"gin-connection", gin_value, gin_here},
};

static const struct key *find_key(const char *name) {
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strcmp(keys[i].name, name) == 0) {
      return &keys[i];
    }
  }
  return NULL;
}

char *rule_value(const char *name, const struct rule *rule) {
  const struct key *key = find_key(name);
  return key ? key->of_rule(rule) : text_copy("");
}

char *request_value(const char *name, const struct request *request, const struct host *host) {
  const struct key *key = find_key(name);
  return key ? key->of_request(request, host) : text_copy("");
}
