/*
 * lookup STEP...: looks names up and prints what was found, as the object it lies in, or NULL with whether dlerror has a word.
 *   default=NAME next=NAME    dlsym of RTLD_DEFAULT, RTLD_NEXT
 *   handle=NAME               of the library opened last
 *   version=NAME              dlvsym of that library with the version "NCCL_2"
 *   self=NAME                 of dlopen(NULL)
 *   local=PATH global=PATH    dlopen; local is RTLD_LOCAL
 *   close                     dlclose of the library opened last
 *   error                     what dlerror says now
 *   errno=N                   sets errno; shown as long as it is not 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void show(const char *step, void *found) {
  Dl_info info = {0};
  int error = errno;
  if (found == NULL)
    printf("%s NULL error=%s", step, dlerror() == NULL ? "no" : "yes");
  else if (dladdr(found, &info) == 0 || info.dli_fname == NULL)
    printf("%s unknown object", step);
  else {
    const char *name = strrchr(info.dli_fname, '/');
    printf("%s %s error=%s", step, name == NULL ? info.dli_fname : name + 1, dlerror() == NULL ? "no" : "yes");
  }
  printf(error == 0 ? "\n" : " errno=%d\n", error);
}

static int is(const char *step, const char *key) { return strncmp(step, key, strlen(key)) == 0; }

static void take(const char *step) {
  const char *value = strchr(step, '=');
  value = value == NULL ? "" : value + 1;
  if (is(step, "default="))
    show(step, dlsym(RTLD_DEFAULT, value));
  else if (is(step, "next="))
    show(step, dlsym(RTLD_NEXT, value));
  else if (is(step, "handle="))
    show(step, dlsym(library, value));
  else if (is(step, "version="))
    show(step, dlvsym(library, value, "NCCL_2"));
  else if (is(step, "self="))
    show(step, dlsym(dlopen(NULL, RTLD_NOW), value));
  else if (is(step, "local="))
    library = dlopen(value, RTLD_NOW | RTLD_LOCAL);
  else if (is(step, "global="))
    library = dlopen(value, RTLD_NOW | RTLD_GLOBAL);
  else if (is(step, "close"))
    dlclose(library);
  else if (is(step, "error"))
    printf("error=%s\n", dlerror() == NULL ? "no" : "yes");
  else if (is(step, "errno="))
    errno = atoi(value);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    take(argv[i]);
  return 0;
}
