/*
 * What one run registered, by its journals.
 */
#ifndef WINORD_AB_JOURNAL_H
#define WINORD_AB_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registrations that a policy sees as one: of one host and size, asked for alike. */
struct shape {
  char *host;
  int64_t size; /* bytes */
  bool asked_strict;
  size_t total, relaxed; /* relaxed: those of which NCCL was asked without NCCL_WIN_STRICT_ORDERING */
};

/* Windows that were to be relaxed and stayed strict. */
struct refusal {
  char *rule, *where, *why; /* rule "": the default */
  size_t count;
};

struct registrations {
  size_t strict, relaxed; /* windows as NCCL was asked for them */
  size_t rewritten, refused; /* of these */
  size_t failed; /* registrations that NCCL did not make: counted nowhere else */
  struct shape *shapes;
  size_t shape_count;
  struct refusal *refusals;
  size_t refusal_count;
  size_t files, damaged; /* journals; lines that are no record */
  size_t uncovered, policy_errors, no_nccl;
  int64_t lost;
  char *trouble; /* the first of these, in words; NULL: none */
  char nccl[32]; /* version of the first registration; "": none */
  size_t nranks, ranks_seen; /* of the largest communicator; 0: not known */
  unsigned char *seen; /* one byte for each of its ranks */
};

/*
 * Reads every journal FOLDER/NAME.*.jsonl. Links, what is no regular file, and lines that are no records are passed over
 * and counted as damaged. At most 4,096 shapes are kept apart; registrations beyond are in the sums only.
 */
struct registrations registrations_read(const char *folder, const char *name);

void registrations_free(struct registrations *registrations);

/*
 * Whether some shape that both runs have became relaxed in another share of its registrations. *common: there is such a shape
 * at all.
 */
bool registrations_differ(const struct registrations *a, const struct registrations *b, bool *common);

#endif
