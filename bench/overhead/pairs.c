/*
 * pairs MEASURE COUNT A.so B.so PROGRAM [ARGUMENT...]
 *
 * Runs PROGRAM with A preloaded and with B preloaded, COUNT times each, in turns (A B, B A, A B, ...), all on one processor.
 * Prints the median for A, for B, the median of the ratios A/B of a turn, and how it was measured. MEASURE is
 *   wall     nanoseconds from posix_spawn until the process is waited for
 *   steps    user instructions from the first one of the dynamic linker on: counted by perf_event_open, else by ptrace, step
 *            by step (where a repeated string instruction counts once a repetition)
 *   says     the number the program prints
 *   ending   nanoseconds from the CLOCK_MONOTONIC time that the program prints last thing until it is waited for
 */
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *method = "clock_gettime";

static double waited_for(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) != pid)
    if (errno != EINTR)
      fail("waitpid: %s", strerror(errno));
  const double end = now_ns();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("the program ended with status 0x%x", (unsigned)status);
  return end;
}

static pid_t spawned(char **argv, const posix_spawn_file_actions_t *actions) {
  pid_t pid;
  const int error = posix_spawn(&pid, argv[0], actions, NULL, argv, environ);
  if (error)
    fail("%s: %s", argv[0], strerror(error));
  return pid;
}

static double wall(char **argv) {
  const double start = now_ns();
  return waited_for(spawned(argv, NULL)) - start;
}

/* The number on the program's stdout; *end is when it was waited for. */
static double printed(char **argv, double *end) {
  int ends[2];
  char text[64];
  posix_spawn_file_actions_t actions;
  if (pipe(ends) != 0 || posix_spawn_file_actions_init(&actions) != 0)
    fail("pipe: %s", strerror(errno));
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  const pid_t pid = spawned(argv, &actions);
  *end = waited_for(pid);
  close(ends[1]);
  const ssize_t size = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  text[size > 0 ? size : 0] = '\0';
  return strtod(text, NULL);
}

static double says(char **argv) {
  double end;
  return printed(argv, &end);
}

static double ending(char **argv) {
  double end;
  const double said = printed(argv, &end);
  return end - said;
}

/* Starts the program and stops it before its first instruction. */
static pid_t stopped(char **argv) {
  int status;
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
      execve(argv[0], argv, environ);
    _exit(127);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
    fail("ptrace: cannot trace %s", argv[0]);
  return pid;
}

static int instruction_counter(pid_t pid) {
  struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                 .size = sizeof attr,
                                 .config = PERF_COUNT_HW_INSTRUCTIONS,
                                 .inherit = 1,
                                 .exclude_kernel = 1,
                                 .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static double count_by_perf(pid_t pid, int counter) {
  unsigned long long count = 0;
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  (void)waited_for(pid);
  if (read(counter, &count, sizeof count) != sizeof count)
    fail("perf_event_open: cannot read the counter");
  close(counter);
  method = "perf_event_open, instructions:u";
  return (double)count;
}

static double count_by_ptrace(pid_t pid) {
  double count = 0;
  int status = 0;
  long sent = 0;
  for (;;) {
    if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)sent) != 0 || waitpid(pid, &status, 0) != pid)
      fail("ptrace: %s", strerror(errno));
    if (!WIFSTOPPED(status))
      break;
    count++;
    sent = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("the program ended with status 0x%x", (unsigned)status);
  method = "ptrace, single steps";
  return count;
}

static double steps(char **argv) {
  const pid_t pid = stopped(argv);
  const int counter = instruction_counter(pid);
  return counter >= 0 ? count_by_perf(pid, counter) : count_by_ptrace(pid);
}

static const struct measure {
  const char *name;
  double (*take)(char **argv);
} measures[] = {{"wall", wall}, {"steps", steps}, {"says", says}, {"ending", ending}, {0}};

static double with_preload(const struct measure *measure, const char *preload, char **argv) {
  if (setenv("LD_PRELOAD", preload, 1) != 0)
    fail("no memory");
  return measure->take(argv);
}

int main(int argc, char **argv) {
  const struct measure *measure = measures;
  const long count = argc > 5 ? strtol(argv[2], NULL, 10) : 0;
  while (count > 0 && measure->name && strcmp(measure->name, argv[1]) != 0)
    measure++;
  if (count <= 0 || !measure->name)
    fail("usage: pairs wall|steps|says|ending COUNT A.so B.so PROGRAM [ARGUMENT...]");
  double *values[2] = {room((size_t)count * sizeof(double)), room((size_t)count * sizeof(double))};
  double *ratios = room((size_t)count * sizeof(double));
  pin();
  for (int side = 0; side < 2; side++)
    (void)with_preload(measure, argv[3 + side], argv + 5);
  for (long i = 0; i < count; i++) {
    for (int turn = 0; turn < 2; turn++) {
      const int side = (turn + (int)(i & 1)) & 1;
      values[side][i] = with_preload(measure, argv[3 + side], argv + 5);
    }
    ratios[i] = values[0][i] / values[1][i];
  }
  const double a = median(values[0], (size_t)count), b = median(values[1], (size_t)count);
  printf("%.4f\t%.4f\t%.5f\t%s\n", a, b, median(ratios, (size_t)count), method);
  return 0;
}
