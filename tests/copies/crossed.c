/*
 * crossed PATH PATH main|other: loads two libraries of thin.c, and uses the functions of the first from the program, or from
 * the other library. Prints the sum of the results, and what each one's copy of NCCL got: 100 * registrations + deregistrations.
 */
#include "thin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static char buffer[65536];

static int use(const struct thin *functions) {
  ncclComm_t comm = NULL;
  ncclWindow_t window = NULL;
  int results = (int)functions->init(&comm);
  results += (int)functions->reg(comm, buffer, sizeof(buffer), &window, 2);
  results += (int)functions->dereg(comm, window);
  results += (int)functions->destroy(comm);
  return results;
}

int main(int argc, char **argv) {
  void *libraries[2] = {NULL, NULL};
  const struct thin *functions[2] = {NULL, NULL};
  int (*user)(const struct thin *) = use;
  for (int i = 0; i < 2 && argc > 3; i++) {
    libraries[i] = dlopen(argv[i + 1], RTLD_NOW | RTLD_LOCAL);
    if (libraries[i] == NULL) {
      printf("crossed: %s\n", dlerror());
      return 1;
    }
    functions[i] = dlsym(libraries[i], "thin");
  }
  if (argc <= 3)
    return 2;
  if (strcmp(argv[3], "other") == 0)
    *(void **)&user = dlsym(libraries[1], "thin_use");
  int results = user(functions[0]);
  printf("results=%d counts=%d,%d\n", results, functions[0]->count(), functions[1]->count());
  return 0;
}
