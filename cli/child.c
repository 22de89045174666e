#define _GNU_SOURCE
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

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

static volatile pid_t child;

static void hand_on(int signal, siginfo_t *info, void *context) {
  const int saved = errno;
  (void)context;
  if (info->si_code <= 0) { /* from a process; a terminal's (SI_KERNEL) reaches the whole foreground group by itself */
    kill(child, signal);
  }
  errno = saved;
}

int command_exec(char **argv) {
  execvp(argv[0], argv);
  say("%s: cannot be executed: %s", argv[0], strerror(errno));
  return STATUS_NOT_EXECUTABLE;
}

/* Handlers for the signals that are not ignored (nohup), all of them held back until the child is known. */
static void catch_signals(sigset_t *before, struct sigaction old[HANDED_ON]) {
  struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigset_t held;
  sigemptyset(&held);
  for (size_t i = 0; i < HANDED_ON; i++) {
    sigaddset(&held, handed_on[i]);
  }
  sigprocmask(SIG_BLOCK, &held, before);
  for (size_t i = 0; i < HANDED_ON; i++) {
    sigaction(handed_on[i], NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN) {
      sigaction(handed_on[i], &action, NULL);
    }
  }
}

static void release_signals(const sigset_t *before, struct sigaction old[HANDED_ON]) {
  for (size_t i = 0; i < HANDED_ON; i++) {
    sigaction(handed_on[i], &old[i], NULL);
  }
  sigprocmask(SIG_SETMASK, before, NULL);
}

static int wait_status(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      say("cannot wait for the command: %s", strerror(errno));
      return STATUS_FAILED;
    }
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int command_wait(char **argv) {
  sigset_t before;
  struct sigaction old[HANDED_ON];
  catch_signals(&before, old);
  child = fork();
  if (child == 0) {
    release_signals(&before, old);
    _exit(command_exec(argv));
  }
  if (child < 0) {
    say("cannot fork: %s", strerror(errno));
    return STATUS_FAILED;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  int status = wait_status(child);
  release_signals(&before, old);
  return status;
}

static _Noreturn void become(char *const *argv, int output) {
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  unsetenv("LD_PRELOAD");
  execv(argv[0], argv);
  _exit(STATUS_NOT_FOUND);
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the end or the deadline; false: the deadline. text holds size bytes and a NUL. */
static bool read_until(int input, long deadline, char *text, size_t size) {
  size_t used = 0;
  for (;;) {
    long left = deadline - milliseconds();
    struct pollfd ready = {.fd = input, .events = POLLIN};
    if (left <= 0 || poll(&ready, 1, (int)left) <= 0) {
      return false;
    }
    ssize_t got = used < size ? read(input, text + used, size - used) : 0;
    if (got <= 0) {
      text[used] = '\0';
      return true;
    }
    used += (size_t)got;
    text[used] = '\0';
  }
}

int command_output(char *const *argv, int seconds, char **output) {
  enum { LIMIT = 1 << 20 };
  int ends[2], status;
  *output = calloc(1, LIMIT + 1);
  if (*output == NULL || pipe2(ends, O_CLOEXEC) != 0) {
    return -1;
  }
  pid_t process = fork();
  if (process == 0) {
    become(argv, ends[1]);
  }
  close(ends[1]);
  bool ended = process > 0 && read_until(ends[0], milliseconds() + seconds * 1000L, *output, LIMIT);
  close(ends[0]);
  if (process > 0 && !ended) {
    kill(process, SIGKILL);
  }
  if (process < 0 || waitpid(process, &status, 0) < 0) {
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
