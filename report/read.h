/*
 * Journals from where the user says: files, folders, patterns, standard input; as they are, or compressed.
 */
#ifndef WINORD_REPORT_READ_H
#define WINORD_REPORT_READ_H

#include "report/sums.h"

/*
 * Reads them all into sums.
 *   names   paths; folders, with all files below them; glob(3) patterns, where there is no file of that name; "-":
 *           standard input. A regular file is read once, by whatever names it is found.
 * What cannot be read is said on stderr, each by a line. Returns whether all of it could be read.
 * gzip and zstd are known by their first bytes, and decompressed by the programs of these names.
 */
bool read_journals(struct sums *sums, char *const *names, int count);

/* Internal: one open descriptor, which it closes. name as messages have it; found as in sums_begin_file. */
bool read_descriptor(struct sums *sums, int descriptor, const char *name, bool found);

/* Internal: says why a file cannot be read, and counts it. */
void read_failed(struct sums *sums, const char *name, const char *why);

/* A stream that is being read. */
struct stream {
  int descriptor;
  const char *program; /* that decompresses; NULL: none */
  int pids[2]; /* of it, and of who feeds it */
};

/*
 * Internal: looks at the first bytes, and starts the program that they ask for. `start` holds what was read of them,
 * *size many, and is what the stream begins with where there is no program. Takes the descriptor over.
 */
struct stream stream_open(int descriptor, const char *start, size_t *size);

/* Internal: closes it; ended: it was read to its end. Returns NULL, or why what was read is not all there is. */
const char *stream_close(struct stream *stream, bool ended);

#endif
