/* Linked before the readers by --wrap: keeps each input that a unit test gives them, in the folder WINORD_FUZZ_KEEP. */
#include "policy/facts.h"
#include "policy/lines.h"
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct policy *__real_policy_read(const char *path);
struct policy *__wrap_policy_read(const char *path);
struct facts *__real_facts_read(const char *path, const char *root);
struct facts *__wrap_facts_read(const char *path, const char *root);
bool __real_ib_hca_allows(const char *ib_hca, const char *device);
bool __wrap_ib_hca_allows(const char *ib_hca, const char *device);
bool __real_glob_match(const char *pattern, const char *text);
bool __wrap_glob_match(const char *pattern, const char *text);

enum { KEPT_MAX = 1 << 16 };

/* The parts, one behind the other, as one input of the target; named by their digest, so that each stands there once. */
static void keep(const char *target, const char *first, const char *second, size_t size) {
  char path[4096];
  const char *folder = getenv("WINORD_FUZZ_KEEP");
  uint64_t digest = fnv1a(fnv1a(FNV_START, first, strlen(first)), second, size);
  if (!folder || size > KEPT_MAX)
    return;
  snprintf(path, sizeof path, "%s/%s/%016llx", folder, target, (unsigned long long)digest);
  FILE *file = fopen(path, "w");
  if (!file)
    return;
  fwrite(first, 1, strlen(first), file);
  fwrite(second, 1, size, file);
  fclose(file);
}

static void keep_file(const char *target, const char *first, const char *path) {
  char *text;
  size_t size;
  if (file_slurp(path, KEPT_MAX, &text, &size))
    return;
  keep(target, first, text, size);
  free(text);
}

static void keep_pair(const char *target, const char *first, const char *second) {
  char line[512];
  snprintf(line, sizeof line, "%s\n", first);
  keep(target, line, second, strlen(second));
}

struct policy *__wrap_policy_read(const char *path) {
  keep_file("policy", "", path);
  return __real_policy_read(path);
}

struct facts *__wrap_facts_read(const char *path, const char *root) {
  char usual[4096];
  snprintf(usual, sizeof usual, "%s/run/winord/facts.ini", root);
  keep_file("facts", "mlx5\n", path ? path : usual);
  return __real_facts_read(path, root);
}

bool __wrap_ib_hca_allows(const char *ib_hca, const char *device) {
  if (ib_hca)
    keep_pair("hca", device, ib_hca);
  return __real_ib_hca_allows(ib_hca, device);
}

bool __wrap_glob_match(const char *pattern, const char *text) {
  char both[512];
  snprintf(both, sizeof both, "%s\n%s", pattern, text);
  keep_pair("glob", pattern, both);
  return __real_glob_match(pattern, text);
}
