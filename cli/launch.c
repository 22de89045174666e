#include "launch.h"
#include "command.h"
#include "policy/policy.h"
#include "program.h"
#include "shim.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

void launch_warn_of_policy(const char *path) {
  struct policy *policy = policy_read(path);
  const struct problem *problem = policy ? policy->problems : NULL;
  for (size_t i = 0; policy != NULL && policy->error_count > 0 && i < policy->problem_count; i++, problem++) {
    if (!problem->warning) {
      say("the policy has errors and will not be used: %s:%d: %s; see 'winord check'", problem->file, problem->line,
          problem->text);
      break;
    }
  }
  policy_free(policy);
}

void launch_warn_of_program(const char *path, const char *shim) {
  char *program = program_behind(path);
  const char *obstacle = program_obstacle(program, shim);
  if (obstacle != NULL) {
    say("warning: %s %s: nothing can be preloaded, and no call will be seen", program, obstacle);
  } else if (program_wants_asan_first(program)) {
    const char *preload = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");
    if ((preload == NULL || strstr(preload, "libasan.so") == NULL) &&
        (asan == NULL || strstr(asan, "verify_asan_link_order=0") == NULL)) {
      say("warning: %s is built with gcc's AddressSanitizer and will refuse to start: set"
          " ASAN_OPTIONS=verify_asan_link_order=0, or preload libasan.so first",
          program);
    }
  }
  free(program);
}

char *launch_run_id(void) {
  uint32_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    random = (uint32_t)clock();
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return text_format("%08llx%05lx%08x", (unsigned long long)now.tv_sec, (unsigned long)getpid() & 0xfffff,
                     random ^ (uint32_t)now.tv_nsec);
}

bool launch_set(const char *name, const char *value) {
  if (value == NULL || setenv(name, value, 1) != 0) {
    say("cannot set %s: %s", name, strerror(errno));
    return false;
  }
  return true;
}

bool launch_preload(const char *shim) {
  char *link = shim_preloadable(shim);
  char *preload = link ? preload_with(getenv("LD_PRELOAD"), link) : NULL;
  bool done = preload != NULL && launch_set("LD_PRELOAD", preload);
  free(preload);
  free(link);
  return done;
}

char *launch_log_literal(const char *path) {
  char *literal = text_copy("");
  for (const char *c = path; *c != '\0'; c++) {
    char *longer = text_format("%s%s%c", literal, *c == '%' ? "%" : "", *c);
    free(literal);
    literal = longer;
  }
  return literal;
}

char *launch_private_folder(const char *name) {
  const char *base = getenv("TMPDIR");
  bool usable = base && base[0] == '/' && !strchr(base, '%');
  char *folder = text_format("%s/winord-%s-XXXXXX", usable ? base : "/tmp", name);
  if (mkdtemp(folder) == NULL) {
    say("cannot make the folder %s for the journal: %s", folder, strerror(errno));
    free(folder);
    return NULL;
  }
  return folder;
}
