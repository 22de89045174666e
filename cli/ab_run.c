#define _GNU_SOURCE
#include "ab_run.h"
#include "child.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof caught[0] };

enum { LOOK_MS = 100, SILENCE_MS = 500, GRACE_MS = 5000 };

static struct sigaction before[CAUGHT], pipe_before;
static volatile sig_atomic_t interruption;
static volatile pid_t child;

static void remember(int signal, siginfo_t *info, void *context) {
  (void)context;
  interruption = signal;
  if (info->si_code <= 0 && child > 0) {
    kill(child, signal);
  }
}

void run_catch_signals(void) {
  struct sigaction action = {.sa_sigaction = remember, .sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  for (size_t i = 0; i < CAUGHT; i++) {
    sigaction(caught[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) {
      sigaction(caught[i], &action, NULL);
    }
  }
  sigaction(SIGPIPE, &ignore, &pipe_before);
}

int run_interrupted(void) { return interruption; }

/* One stream of the command, read here and passed on. */
struct stream {
  int from, to; /* from -1: at its end; to -1: nobody reads any more */
  struct line line;
};

static void pass_on(struct stream *stream, const char *data, size_t size) {
  while (stream->to >= 0 && size > 0) {
    ssize_t written = write(stream->to, data, size);
    if (written >= 0) {
      data += written;
      size -= (size_t)written;
    } else if (errno == EAGAIN) {
      poll(&(struct pollfd){.fd = stream->to, .events = POLLOUT}, 1, LOOK_MS);
    } else if (errno != EINTR) {
      stream->to = -1;
    }
  }
}

static void read_some(struct stream *stream, struct metric *metric) {
  char data[1 << 14];
  ssize_t got = read(stream->from, data, sizeof data);
  if (got > 0) {
    pass_on(stream, data, (size_t)got);
    metric_take(metric, &stream->line, data, (size_t)got);
  } else if (got == 0 || errno != EINTR) {
    close(stream->from);
    stream->from = -1;
  }
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads what there is within the time; false: nothing came. */
static bool read_within(struct stream streams[2], struct metric *metric, int time_ms) {
  struct pollfd ready[2] = {{.fd = streams[0].from, .events = POLLIN}, {.fd = streams[1].from, .events = POLLIN}};
  int count = poll(ready, 2, time_ms);
  for (int i = 0; count > 0 && i < 2; i++) {
    if (ready[i].revents != 0) {
      read_some(&streams[i], metric);
    }
  }
  return count != 0;
}

/* Reads both streams while the command runs, and a little longer where something else holds them. Returns waitpid's status. */
static int read_to_end(struct stream streams[2], struct metric *metric) {
  int status = 0;
  long ended = 0;
  while (streams[0].from >= 0 || streams[1].from >= 0) {
    bool came = read_within(streams, metric, ended ? SILENCE_MS : LOOK_MS);
    if (ended && (!came || milliseconds() - ended > GRACE_MS)) {
      break;
    }
    if (!ended && waitpid(child, &status, WNOHANG) == child) {
      ended = milliseconds();
    }
  }
  while (!ended && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  child = 0;
  return status;
}

static _Noreturn void become(char **argv, const int out[2], const int errors[2], const sigset_t *mask) {
  int nothing = open("/dev/null", O_RDONLY);
  for (size_t i = 0; i < CAUGHT; i++) {
    sigaction(caught[i], &before[i], NULL);
  }
  sigaction(SIGPIPE, &pipe_before, NULL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  dup2(nothing, STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  dup2(errors[1], STDERR_FILENO);
  _exit(command_exec(argv));
}

/* Starts the command unless a signal has come; signals are held back until the child is known. False: not started. */
static bool start(char **argv, const int out[2], const int errors[2]) {
  sigset_t held, mask;
  sigemptyset(&held);
  for (size_t i = 0; i < CAUGHT; i++) {
    sigaddset(&held, caught[i]);
  }
  sigprocmask(SIG_BLOCK, &held, &mask);
  pid_t process = interruption ? -1 : fork();
  if (process == 0) {
    become(argv, out, errors, &mask);
  }
  if (process < 0 && !interruption) {
    say("cannot fork: %s", strerror(errno));
  }
  child = process > 0 ? process : 0;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return process > 0;
}

static void close_rest(struct stream streams[2]) {
  for (int i = 0; i < 2; i++) {
    if (streams[i].from >= 0) {
      close(streams[i].from);
    }
  }
}

int run_measured(char **argv, int out, struct metric *metric) {
  int ends[2], error_ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(error_ends, O_CLOEXEC) != 0) {
    say("cannot make a pipe: %s", strerror(errno));
    return -1;
  }
  static struct stream streams[2];
  streams[0].from = ends[0], streams[0].to = out;
  streams[1].from = error_ends[0], streams[1].to = STDERR_FILENO;
  bool started = start(argv, ends, error_ends);
  close(ends[1]);
  close(error_ends[1]);
  int status = started ? read_to_end(streams, metric) : 0;
  close_rest(streams);
  for (int i = 0; i < 2; i++) {
    metric_end(metric, &streams[i].line);
  }
  if (!started) {
    return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
