#define _GNU_SOURCE
#include "report/read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct format {
  const char *magic;
  size_t size;
  const char *program, *damaged, *missing;
} formats[] = {
    {"\x1f\x8b", 2, "gzip", "gzip cannot decompress all of it", "it is compressed, and gzip cannot be run"},
    {"\x28\xb5\x2f\xfd", 4, "zstd", "zstd cannot decompress all of it", "it is compressed, and zstd cannot be run"},
};

enum { NOT_RUN = 127 };

static const struct format *format_of(const char *start, size_t size) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (size >= formats[i].size && memcmp(start, formats[i].magic, formats[i].size) == 0) {
      return &formats[i];
    }
  }
  return NULL;
}

static bool write_all(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(descriptor, bytes, size);
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes += written > 0 ? written : 0;
    size -= written > 0 ? (size_t)written : 0;
  }
  return true;
}

/* Hands on what was read already, and the rest. Runs in a child. */
static _Noreturn void feed(int from, int to, const char *start, size_t size) {
  static char bytes[1 << 16];
  bool good = write_all(to, start, size);
  ssize_t count = 1;
  while (good && count != 0) {
    count = read(from, bytes, sizeof bytes);
    good = count < 0 ? errno == EINTR : write_all(to, bytes, (size_t)count);
  }
  _exit(good ? 0 : 1);
}

static _Noreturn void decompress(const char *program, int from, int to) {
  char *const arguments[] = {(char *)program, "-dcq", NULL};
  int nowhere = open("/dev/null", O_WRONLY);
  signal(SIGPIPE, SIG_DFL);
  if (dup2(from, STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0) {
    execvp(program, arguments);
  }
  _exit(NOT_RUN);
}

static void start_program(struct stream *stream, const char *start, size_t size) {
  int packed[2], plain[2];
  if (pipe2(packed, O_CLOEXEC) != 0) {
    return;
  }
  if (pipe2(plain, O_CLOEXEC) != 0) {
    close(packed[0]);
    close(packed[1]);
    return;
  }
  signal(SIGCHLD, SIG_DFL); /* inherited as ignored, it would hide how they end */
  stream->pids[0] = fork();
  if (stream->pids[0] == 0) {
    decompress(stream->program, packed[0], plain[1]);
  }
  close(packed[0]);
  close(plain[1]);
  stream->pids[1] = fork();
  if (stream->pids[1] == 0) {
    close(plain[0]);
    feed(stream->descriptor, packed[1], start, size);
  }
  close(packed[1]);
  close(stream->descriptor);
  stream->descriptor = plain[0];
}

struct stream stream_open(int descriptor, const char *start, size_t *size) {
  struct stream stream = {.descriptor = descriptor, .pids = {-1, -1}};
  const struct format *format = format_of(start, *size);
  if (format != NULL) {
    stream.program = format->program;
    start_program(&stream, start, *size);
    *size = 0;
  }
  return stream;
}

/* The exit status; NOT_RUN where there was no process. */
static int wait_for(int pid) {
  int status = 0;
  if (pid < 0) {
    return NOT_RUN;
  }
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
      return 1;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

const char *stream_close(struct stream *stream, bool ended) {
  close(stream->descriptor);
  if (stream->program == NULL) {
    return NULL;
  }
  const int status = wait_for(stream->pids[0]);
  const int fed = wait_for(stream->pids[1]);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && ended && (status || fed); i++) {
    if (strcmp(formats[i].program, stream->program) == 0) {
      return status == NOT_RUN ? formats[i].missing : formats[i].damaged;
    }
  }
  return NULL;
}
