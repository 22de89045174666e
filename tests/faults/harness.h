/* Runs tests/faults/worker with and without the shim, in a folder of its own, and looks at all it leaves behind. */
#ifndef FAULTS_HARNESS_H
#define FAULTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

enum { ARGUMENTS = 16, TEXT = 65536 };

/* What the worker is told, and what surrounds it. NULL and false: the usual. */
struct scenario {
  const char *name;
  const char *operations[ARGUMENTS]; /* the worker's, NULL at the end */
  const char *policy, *facts; /* texts of the files; NULL: there is none, and no variable names one */
  const char *included; /* text of the policy's conf.d/a.conf */
  const char *log; /* WINORD_LOG; NULL: "journal" in the folder, by its absolute path */
  const char *on_error; /* WINORD_ON_ERROR */
  const char *run; /* WINORD_RUN */
  bool mute; /* nothing can be said on stderr: what is lost may be lost silently */
};

struct outcome {
  int status; /* as of waitpid */
  char out[TEXT], err[TEXT];
};

/* What the journal amounts to. */
struct journal {
  size_t records, torn, processes; /* whole lines; others; different pids */
  size_t exits, starts, registers;
  bool adds_up; /* in each process: the last record's seq = records + lost, and no seq is there twice */
  bool same_flags; /* no register record differs from `flags` in flags_out, where that was given */
};

/* The folder, made at the first call and removed at the end of the program. */
const char *folder(void);

/* A path in it; valid until the fourth call from now. */
const char *in_folder(const char *name);

void write_file(const char *name, const char *text);

/* The scenario's files are written, any earlier journal goes, the worker runs for at most ten seconds. */
void run_worker(const struct scenario *scenario, bool shim, const char *fault, struct outcome *outcome);

/* Reads the journal of the latest run: the file, or what stands on stderr where that is the journal. */
void read_journal(const struct scenario *scenario, const struct outcome *outcome, struct journal *journal);

/* Lines on stderr that are no records; each must be winord's and there once. False: they are not so. */
bool notices_once(const char *err, size_t *count);

/*
 * Fails the cmocka test, with all that was seen, unless the program ran as one of the wanted outcomes (their output and status),
 * the journal adds up, and stderr is as it should be: nothing, or one line that says that records are lost.
 */
void judge(const struct scenario *scenario, const char *fault, const struct outcome *got,
           const struct outcome *const *wanted);

/* A facts file's text of this boot, with one NIC. */
const char *facts_of_this_boot(void);

#endif
