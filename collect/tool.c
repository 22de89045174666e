/* The outputs of tools, run here or recorded. */
#define _GNU_SOURCE
#include "collect/collect.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 1 << 20 };

/* Root runs nobody else's program: PATH may have come along from a user (su, sudo -E). */
static bool may_run(const char *path) {
  struct stat status;
  if (access(path, X_OK) || stat(path, &status) || !S_ISREG(status.st_mode))
    return false;
  return geteuid() || (status.st_uid == 0 && !(status.st_mode & (S_IWGRP | S_IWOTH)));
}

/* The program's path, fresh memory; NULL: there is none. Folders relative to the working directory do not count. */
static char *find_tool(const char *name) {
  const char *path = getenv("PATH");
  char *folders = NULL, *rest = NULL, *found = NULL;
  if (asprintf(&folders, "%s:/usr/sbin:/usr/bin:/sbin:/bin", path ? path : "") < 0)
    return NULL;
  for (char *folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest)) {
    if (*folder != '/' || asprintf(&found, "%s/%s", folder, name) < 0)
      continue;
    if (may_run(found))
      break;
    free(found);
    found = NULL;
  }
  free(folders);
  return found;
}

static _Noreturn void become(const char *path, char *const *argv, int output) {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  setpgid(0, 0);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  unsetenv("LD_PRELOAD");
  unsetenv("LD_AUDIT");
  setenv("LC_ALL", "C", 1);
  execv(path, argv);
  _exit(127);
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads to the end; false: the time is over, or there is more than fits. */
static bool read_all(int input, long deadline, char *text) {
  size_t used = 0;
  for (;;) {
    long left = deadline - milliseconds();
    struct pollfd ready = {.fd = input, .events = POLLIN};
    if (left <= 0 || used == OUTPUT_LIMIT || poll(&ready, 1, (int)left) <= 0)
      return false;
    ssize_t got = read(input, text + used, OUTPUT_LIMIT - used);
    if (got <= 0)
      return got == 0;
    used += (size_t)got;
    text[used] = '\0';
  }
}

/* A child that sleeps in the kernel cannot be killed: it is not waited for. */
static void end_child(pid_t child, bool ended) {
  if (ended) {
    waitpid(child, NULL, 0);
    return;
  }
  kill(-child, SIGKILL);
  waitpid(child, NULL, WNOHANG);
}

static const char *run(const char *path, char *const *argv, int seconds, char *text) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return "no pipe";
  pid_t child = fork();
  if (child == 0)
    become(path, argv, ends[1]);
  if (child > 0)
    setpgid(child, child);
  close(ends[1]);
  bool ended = child > 0 && read_all(ends[0], milliseconds() + seconds * 1000L, text);
  close(ends[0]);
  if (child > 0)
    end_child(child, ended);
  return child < 0 ? "cannot fork" : ended ? NULL : "no answer in time";
}

const char *tool_output(const struct collection *all, char *const *argv, const char *record, int seconds,
                        char **output) {
  *output = NULL;
  if (*all->root) {
    *output = root_text(all, "outputs/%s.txt", record);
    return *output ? NULL : "not recorded";
  }
  char *path = find_tool(argv[0]);
  if (!path)
    return "not installed";
  char *text = calloc(1, OUTPUT_LIMIT + 1);
  const char *why = text ? run(path, argv, seconds, text) : "no memory";
  free(path);
  if (why) {
    free(text);
    return why;
  }
  *output = text;
  return NULL;
}
