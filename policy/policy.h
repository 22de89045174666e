/*
 * The policy file: what an operator wants done with each window registration.
 *
 * Grammar and meaning: winord.conf(5). Nothing here knows NCCL, reads the environment or decides; decide.h does.
 * Everything in this folder is linked into the preloaded library, so it calls nothing that glibc 2.17's libc.so.6
 * lacks (no stat, glob, strtol, sscanf, getline: their symbols have moved since) and depends on no locale.
 */
#ifndef WINORD_POLICY_H
#define WINORD_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NCCL_WIN_STRICT_ORDERING (nccl.h, NCCL >= 2.29.7): bit 0x02 of winFlags. The only bit winord ever changes. */
#define WIN_STRICT_ORDERING 0x02

/* What a rule says; what a request may be. KEEP leaves the program's own choice. */
enum ordering { ORDERING_KEEP, ORDERING_STRICT, ORDERING_RELAXED };

/* What the program asked for, and the rule key `asked`. */
enum asked { ASKED_ANY, ASKED_STRICT, ASKED_DEFAULT };

/* PCI_ATOMIC_MODE of a NIC or host: 0..4 (mlxconfig), or unknown. */
enum { MODE_UNKNOWN = -1, MODE_MAX = 4 };

/* ncclDevCommRequirements.ginConnectionType as seen on a communicator. Same numbers as nccl_device's enum, plus unknown. */
enum gin_connection { GIN_NONE, GIN_FULL, GIN_RAIL, GIN_CUSTOM, GIN_UNKNOWN };

/* A list of glob patterns (`*`, `?`, `[a-z]`, `[!x]`); count 0 means the key is absent and anything matches. */
struct globs {
  char **items;
  size_t count;
};

/* One comparison of the key `nccl`: the version code (2.29.7 is 22907) lies in [low, high], both inclusive. */
struct version_range {
  int low, high;
};

struct pool {
  char *name;
  const char *file; /* where its header stands */
  int line;
  struct globs hosts;
  int attested_mode; /* 0..4, MODE_UNKNOWN: the pool attests nothing */
  char *attested_by;
  int attested_until; /* last day it holds, UTC, as yyyymmdd; 0: none given */
};

/* What is compared first stands first: the rules of a long policy are walked for every window. */
struct rule {
  unsigned modes; /* bit m for mode m, bit 5 for unknown; 0: any */
  enum asked asked;
  struct version_range nccl; /* all comparisons of the key, intersected; {0, INT_MAX}: any */
  uint64_t min_size, max_size; /* bytes, inclusive; 0 and UINT64_MAX: any */
  unsigned flags_set, flags_clear; /* other bits that must be set, must be clear */
  unsigned gin_connections; /* bit per enum gin_connection; 0: any */
  enum ordering ordering;
  struct globs pool, host, exe, caller;
  struct globs hypervisor, gpu, nic_type, path; /* of the host, by its facts */
  bool va_signals_none; /* va-signals = none */
  bool accept_hazard; /* accept-hazard = yes */
  int line; /* where its header stands */
  const char *file;
  char *name;
};

/* One thing wrong (or doubtful) in a policy file. line is 0 where it concerns the file as a whole. */
struct problem {
  const char *file;
  int line;
  bool warning;
  char *text;
};

/* A policy as read. Owned by the caller of policy_read, freed whole by policy_free; immutable, so any thread may read it. */
struct policy {
  char *path; /* as given to policy_read */
  char **files; /* path, then every included file, in order of reading */
  size_t file_count;
  uint64_t digest; /* FNV-1a, 64 bits, over the bytes of all files in order */
  enum ordering fallback; /* `default =`, ORDERING_KEEP when absent */
  const char *fallback_file; /* where `default =` stands; NULL when absent */
  int fallback_line;
  struct pool *pools;
  size_t pool_count;
  struct rule *rules;
  size_t rule_count;
  struct problem *problems; /* in order of file and line */
  size_t problem_count;
  size_t error_count; /* problems that are not warnings: with one or more, the policy decides nothing */
};

/*
 * Reads a policy file and the files it includes. Always looks for all problems, not just the first.
 *   path   any path; a directory, FIFO, device or unreadable file is a problem, not a hang
 * Returns the policy, problems included; NULL only when memory ran out. errno is clobbered.
 */
struct policy *policy_read(const char *path);

/* Frees all of it. NULL is allowed. */
void policy_free(struct policy *policy);

/*
 * Adds a warning or (error true) an error for each rule that no request can reach, because an earlier rule is as wide in
 * every key. Costs rule_count squared: `winord check` always asks, the shim only for up to 1,000 rules.
 */
void policy_find_unreachable(struct policy *policy, bool error);

/*
 * Adds the warnings of `winord check`: a pool that rules name and no section describes, pools whose hosts overlap, rules that
 * accept the hazard, attestations that lapsed or lapse within 30 days.
 *   today   yyyymmdd, UTC
 */
void policy_find_doubts(struct policy *policy, int today);

/* The section of that name, or NULL. */
const struct pool *policy_pool(const struct policy *policy, const char *name);

/* The first pool whose `hosts` hold this host (node name or its first label), or NULL. A pool without `hosts` holds none. */
const struct pool *policy_pool_of_host(const struct policy *policy, const char *host);

/*
 * Whether pattern matches text, whole. `*` any run, `?` one byte, `[...]` a set with ranges, `[!...]` its complement; no
 * escapes; bytes are compared as bytes whatever the locale. Linear in practice, no allocation, no recursion.
 */
bool glob_match(const char *pattern, const char *text);

/* Whether one of the patterns matches; true for an empty list. */
bool globs_match(const struct globs *globs, const char *text);

/* globs_match on the node name, or on its first label. */
bool globs_match_host(const struct globs *globs, const char *host);

/* globs_match on each entry of a comma list: all must match; an entry that is empty matches nothing. */
bool globs_match_list(const struct globs *globs, const char *list);

/* "2.29.7" -> 22907, "2.30" -> 23000. Returns -1 for anything else. Rule: nccl.h, NCCL_VERSION. */
int version_parse(const char *text);

/* "64MiB", "8192", "1TiB" -> bytes. Units KiB, MiB, GiB, TiB, exact case, no sign, no fraction. False: not a size. */
bool size_parse(const char *text, uint64_t *bytes);

/* "2027-03-31" -> 20270331. Returns 0 for anything that is no calendar day. */
int day_parse(const char *text);

/* Names as users write them: "keep" "strict" "relaxed"; "none" "full" "rail" "custom" "unknown". Static strings. */
const char *ordering_name(enum ordering ordering);
const char *gin_connection_name(enum gin_connection connection);

/*
 * The named flag bits: "COLL_SYMMETRIC" 0x01, "GIN_ONLY" 0x04, "CFT_COUNTED" 0x08 (nccl.h of 2.32.3), with or without the
 * prefix NCCL_WIN_. Returns 0 for an unknown name.
 */
unsigned win_flag_parse(const char *name);

#endif
