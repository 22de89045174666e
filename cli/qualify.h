/*
 * `winord qualify`: whether a pool should be relaxed, with the evidence.
 */
#ifndef WINORD_QUALIFY_H
#define WINORD_QUALIFY_H

#include <jansson.h>
#include <stdbool.h>

/* What was found, by what it does to the verdict. */
enum finding_kind {
  FOUND_REFUTES, /* relaxed is wrong here: the verdict is strict */
  FOUND_LACKS, /* relaxed is not shown to be right: the verdict is unknown */
  FOUND_UNSEEN, /* what nobody looked at: for the reader */
  FINDING_KINDS
};

struct qualification {
  /* what was asked */
  double minutes;
  const char *out, *launcher, *stress, *pool; /* pool NULL: as the hosts find it */
  const char *measure; /* policy of the relaxed side; NULL: the proposal itself */
  char **command; /* NULL: nothing is measured */
  /* what it came to */
  char *folder; /* absolute */
  char *self; /* this program */
  char started[32]; /* UTC */
  json_t *findings[FINDING_KINDS]; /* texts */
  json_t *hosts; /* what qualify_look left, one object for each process */
  json_t *bandwidth; /* as ab's JSON, or NULL */
  json_t *hunt; /* as winord-stress's JSON, or NULL */
  char nccl[32]; /* that the hunter registered with; "": not known */
  bool rehearsal; /* on the simulated fabric */
  char *bandwidth_text, *hunt_text; /* a line each; NULL: not done */
  bool looked, hunted; /* done, and nothing lacking */
};

/* Remembers one finding, and says it. */
void qualify_found(struct qualification *it, enum finding_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "strict" where anything refutes, "relaxed" where all was looked at and nothing lacks, else "unknown". */
const char *qualify_outcome(const struct qualification *it);

/* The same, but that a rehearsal never says "relaxed" of a host. */
const char *qualify_verdict(const struct qualification *it);

/* A text of a JSON object, borrowed; NULL: it has none of that name. */
static inline const char *qualify_text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

/* A folder or file of the evidence. Fresh memory. */
char *qualify_path(const struct qualification *it, const char *name);

/* A regular file of at most 64 MiB that holds a JSON object, by a new reference; NULL: it is none. Never waits. */
json_t *qualify_load(const char *path);

/*
 * Runs `LAUNCHER argv TAIL`, the first and the last as words of a shell; its output goes to standard error. Returns as
 * run_measured.
 */
int qualify_launch(const struct qualification *it, const char *tail, char *const *argv);

/*
 * What a process does on its host: leaves FOLDER/hosts/RANK-HOST-PID.json (facts as the shim would find them, the guard's grounds,
 * the pool, all that `winord facts` finds now) and the latter as .ini. Observed facts can refute, never grant.
 *   pool   NULL: by the environment and the policy
 *   root   "", or a recorded host that stands for this one in what `winord facts` finds
 * Returns the exit status.
 */
int qualify_look(const char *folder, const char *pool, const char *root);

/* Takes what they left: fills hosts, looked and findings. */
void qualify_take_hosts(struct qualification *it);

/* Hunts in default ordering: fills hunt, hunt_text, hunted and findings. */
void qualify_hunt(struct qualification *it);

/* Writes evidence.json, whole or not at all. Called after each step. False: said. */
bool qualify_write_evidence(const struct qualification *it, bool finished);

/* Writes a policy whose rule has this ordering for what was looked at. False: said, or there is nothing to write a rule for. */
bool qualify_write_rule(const struct qualification *it, const char *name, const char *ordering);

/* The summary on standard output. */
void qualify_print(const struct qualification *it);

#endif
