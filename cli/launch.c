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
  } else if (!is_audit(shim) && program_wants_asan_first(program)) {
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

/* The list that this variable holds, without any shim of ours, and with this one. */
static bool set_list(const char *variable, const char *shim) {
  char *list = preload_with(getenv(variable), shim);
  bool done = launch_set(variable, list);
  free(list);
  return done;
}

bool launch_preload(const char *shim) {
  char *link = shim_preloadable(shim);
  bool done = link != NULL && set_list("LD_PRELOAD", link);
  free(link);
  return done;
}

/*
 * With an audit library glibc lays out the static TLS block before it knows the program's libraries, and leaves them less than
 * 2 KiB; jemalloc alone takes more.
 */
static bool set_static_tls(void) {
  const char *before = getenv("GLIBC_TUNABLES"), *name = "glibc.rtld.optional_static_tls";
  if (before != NULL && strstr(before, name) != NULL) {
    return true;
  }
  char *tunables = text_format("%s%s%s=4096", before ? before : "", before && *before ? ":" : "", name);
  bool done = launch_set("GLIBC_TUNABLES", tunables);
  free(tunables);
  return done;
}

bool launch_audit(const char *audit) {
  char *link = shim_preloadable(audit);
  bool done = link != NULL && set_list("LD_AUDIT", link) && set_static_tls() &&
              (getenv("LD_PRELOAD") == NULL || set_list("LD_PRELOAD", NULL));
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
