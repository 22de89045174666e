#include "ab.h"
#include "command.h"
#include "launch.h"
#include "policy/policy.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The words that stand for policies, with what the policy says by default. */
static const struct {
  const char *word, *ordering;
} built_in[] = {{"none", "keep"}, {"strict", "strict"}, {"relaxed", "relaxed"}};

static const char *built_in_ordering(const char *policy) {
  for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
    if (strcmp(policy, built_in[i].word) == 0) {
      return built_in[i].ordering;
    }
  }
  return NULL;
}

bool policy_write_default(const char *path, const char *ordering) {
  FILE *file = fopen(path, "wx");
  bool done = file != NULL && fprintf(file, "[winord]\nversion = 1\ndefault = %s\n", ordering) > 0;
  done = file != NULL && fclose(file) == 0 && done;
  if (!done) {
    say("cannot write %s: %s", path, strerror(errno));
  }
  return done;
}

static bool check_policy(const char *path) {
  struct policy *policy = policy_read(path);
  bool good = policy != NULL && policy->error_count == 0;
  if (policy != NULL && !good) {
    report_problems(policy);
  }
  if (!good) {
    say("%s: a policy with errors decides nothing", path);
  }
  policy_free(policy);
  return good;
}

static bool prepare_side(struct comparison *comparison, int side) {
  struct side *it = &comparison->sides[side];
  const char *ordering = built_in_ordering(it->policy);
  if (ordering != NULL) {
    it->conf = text_format("%s/%s.conf", comparison->folder, side_name(side));
    return policy_write_default(it->conf, ordering);
  }
  it->conf = absolute_path(it->policy);
  if (it->conf == NULL) {
    say("there is no working directory for %s", it->policy);
  }
  return it->conf != NULL && check_policy(it->conf);
}

/* Entries of a folder but . and .., each removed if so asked; -1: it cannot be read. */
static int entries(const char *folder, bool remove) {
  DIR *directory = opendir(folder);
  struct dirent *entry;
  int count = 0;
  if (directory == NULL) {
    return -1;
  }
  while ((entry = readdir(directory)) != NULL) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      count++;
      if (remove) {
        unlinkat(dirfd(directory), entry->d_name, 0);
      }
    }
  }
  closedir(directory);
  return count;
}

char *folder_named(const char *name) {
  char *folder = absolute_path(name);
  bool made = folder != NULL && mkdir(folder, 0777) == 0;
  int count = made ? 0 : folder != NULL && errno == EEXIST ? entries(folder, false) : -1;
  if (count == 0) {
    return folder;
  }
  say(count > 0 ? "the folder %s is not empty" : "the folder %s cannot be made or read", name);
  free(folder);
  return NULL;
}

bool comparison_prepare(struct comparison *comparison) {
  comparison->folder = comparison->folder_asked ? folder_named(comparison->folder_asked) : launch_private_folder("ab");
  bool done = comparison->folder != NULL && prepare_side(comparison, 0) && prepare_side(comparison, 1);
  if (!done) {
    comparison_remove(comparison);
  }
  return done;
}

void comparison_remove(struct comparison *comparison) {
  if (comparison->folder != NULL && comparison->folder_asked == NULL) {
    entries(comparison->folder, true);
    rmdir(comparison->folder);
  }
  free(comparison->folder);
  for (size_t i = 0; i < comparison->failure_count; i++) {
    free(comparison->failures[i]);
  }
  for (int side = 0; side < SIDES; side++) {
    registrations_free(&comparison->sides[side].latest);
    free(comparison->sides[side].conf);
  }
}
