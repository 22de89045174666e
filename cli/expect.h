/*
 * `winord run --expect`: whether the journal of a run shows what was expected.
 */
#ifndef WINORD_EXPECT_H
#define WINORD_EXPECT_H

#include <stdbool.h>

enum expect {
  EXPECT_NOTHING, /* not asked */
  EXPECT_ANY, /* some registration */
  EXPECT_RELAXED, /* some registration that was passed or rewritten without NCCL_WIN_STRICT_ORDERING */
  EXPECT_STRICT /* some registration with it */
};

bool expect_parse(const char *word, enum expect *expect);

/*
 * Reads the journals and says each reason against.
 *   log   WINORD_LOG as the run had it: an absolute path, with its % patterns
 *   run   the run id: records with another, or none, do not count
 * Returns STATUS_OK or STATUS_UNEXPECTED.
 */
int expect_check(enum expect expect, const char *log, const char *run);

#endif
