/*
 * churn RUNS PATH...: RUNS times, in a child: other threads load and unload these copies of NCCL while the first window is
 * registered, and the child ends in the middle of it. Prints how many children did not end well.
 */
#include "fakenccl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOADERS = 3 };

static char buffer[65536];
static char **paths;
static int path_count;
static ncclComm_t comm;

static void *load(void *user) {
  for (size_t i = (size_t)user;; i++) {
    void *library = dlopen(paths[i % (size_t)path_count], RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
      (void)dlsym(library, "ncclCommWindowRegister");
      dlclose(library);
    }
  }
  return NULL;
}

static void child(void) {
  ncclWindow_t window = NULL;
  pthread_t thread;
  for (size_t i = 0; i < LOADERS; i++)
    pthread_create(&thread, NULL, load, (void *)i); /* NOLINT(performance-no-int-to-ptr) */
  usleep(200);
  exit(ncclCommWindowRegister(comm, buffer, sizeof(buffer), &window, 2) != ncclSuccess);
}

int main(int argc, char **argv) {
  ncclUniqueId id = {{0}};
  int failed = 0;
  int status = 0;
  if (argc < 3)
    return 2;
  paths = argv + 2;
  path_count = argc - 2;
  ncclCommInitRank(&comm, 2, id, 1);
  for (int i = 0; i < atoi(argv[1]); i++) {
    pid_t pid = fork();
    if (pid == 0)
      child();
    waitpid(pid, &status, 0);
    failed += status != 0;
  }
  printf("churn failed=%d\n", failed);
  return 0;
}
