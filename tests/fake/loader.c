/*
 * loader MODE:PATH...: loads plugins (plugin.h) and has each register a window, print what NCCL got and how often its own
 * copy was asked, and let NCCL deregister one of itself. Modes: local, global, deepbind, newlm; default is local, and the
 * plugin looks NCCL up by RTLD_DEFAULT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *load(const char *argument, const char *path) {
  if (strncmp(argument, "local:", 6) == 0 || strncmp(argument, "default:", 8) == 0)
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (strncmp(argument, "global:", 7) == 0)
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (strncmp(argument, "deepbind:", 9) == 0)
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
}

static int run(const char *argument) {
  const char *path = strchr(argument, ':') + 1;
  void *handle = load(argument, path);
  int (*plugin_register)(int) = NULL;
  int (*plugin_registrations)(void) = NULL;
  int (*plugin_dev_comm)(void) = NULL;
  if (handle == NULL) {
    printf("loader: %s\n", dlerror());
    return 1;
  }
  const char *function = strncmp(argument, "default:", 8) == 0 ? "plugin_register_default" : "plugin_register";
  *(void **)&plugin_register = dlsym(handle, function);
  *(void **)&plugin_registrations = dlsym(handle, "plugin_registrations");
  *(void **)&plugin_dev_comm = dlsym(handle, "plugin_dev_comm");
  printf("%s flags=%d", strrchr(path, '/') + 1, plugin_register(2));
  printf(" registrations=%d", plugin_registrations());
  printf(" deregistrations=%d\n", plugin_dev_comm());
  return 0;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++)
    failed |= run(argv[i]);
  return failed;
}
