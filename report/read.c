#include "report/read.h"

#include "cli/command.h"
#include "report/memory.h"
#include "report/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library's lines have at most 16 KiB. */
enum { LINE = 1 << 17, ROOM = 1 << 20, MAGIC = 4 };

struct lines {
  struct sums *sums;
  char *bytes; /* ROOM of them */
  size_t size;
  bool too_long; /* the rest of such a line is still to come */
  bool wanted;
};

static void whole_line(struct lines *lines, const char *line, size_t size, bool cut) {
  if (lines->too_long || size > LINE) {
    sums_line(lines->sums, "", 0, false); /* counts it */
    sums_damaged(lines->sums, "longer than 128 KiB", line, size);
    lines->too_long = false;
  } else {
    lines->wanted = sums_line(lines->sums, line, size, cut);
  }
}

/* Takes the whole lines out of the buffer, and all but the beginning of one that is too long. */
static void take_lines(struct lines *lines) {
  const char *at = lines->bytes, *end = at + lines->size, *newline;
  while (lines->wanted && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
    whole_line(lines, at, (size_t)(newline - at), false);
    at = newline + 1;
  }
  lines->size = (size_t)(end - at);
  if (lines->size > LINE) {
    lines->too_long = true;
    lines->size = EXCERPT;
  }
  memmove(lines->bytes, at, lines->size);
}

/* At least `least` more bytes, unless the stream ends. false: it cannot be read. *end: that was all. */
static bool fill(struct lines *lines, int descriptor, size_t least, bool *end) {
  const size_t wanted = lines->size + least;
  while (lines->size < wanted && !*end) {
    ssize_t count = read(descriptor, lines->bytes + lines->size, ROOM - lines->size);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    *end = count == 0;
    lines->size += count > 0 ? (size_t)count : 0;
  }
  return true;
}

static const char *read_stream(struct lines *lines, int descriptor) {
  bool end = false, good = fill(lines, descriptor, MAGIC, &end);
  const char *error = good ? NULL : strerror(errno);
  struct stream stream = stream_open(descriptor, lines->bytes, &lines->size);
  end = end && stream.program == NULL;
  take_lines(lines);
  while (good && !end && lines->wanted) {
    good = fill(lines, stream.descriptor, 1, &end);
    error = good ? NULL : strerror(errno);
    take_lines(lines);
  }
  if (lines->size > 0 && lines->wanted) {
    whole_line(lines, lines->bytes, lines->size, true);
  }
  const char *fault = stream_close(&stream, end);
  return error ? error : fault;
}

bool read_descriptor(struct sums *sums, int descriptor, const char *name, bool found) {
  struct lines lines = {.sums = sums, .bytes = memory_sized(NULL, ROOM, 1), .wanted = true};
  sums_begin_file(sums, name, found);
  const char *fault = read_stream(&lines, descriptor);
  sums_end_file(sums);
  free(lines.bytes);
  if (fault != NULL) {
    read_failed(sums, name, fault);
  }
  return fault == NULL;
}

void read_failed(struct sums *sums, const char *name, const char *why) {
  char *shown = printable(name);
  say("%s: %s", shown, why);
  free(shown);
  sums->unreadable++;
}
