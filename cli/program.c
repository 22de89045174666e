#include "program.h"
#include "command.h"
#include "elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_file(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Searches PATH; *seen: a file of that name exists, executable or not. */
static char *search_path(const char *name, bool *seen) {
  const char *variable = getenv("PATH"), *folder = variable ? variable : "/bin:/usr/bin";
  for (;;) {
    size_t size = strcspn(folder, ":");
    char *path = size ? text_format("%.*s/%s", (int)size, folder, name) : text_format("./%s", name);
    bool file = is_file(path);
    *seen = *seen || file;
    if (file && access(path, X_OK) == 0) {
      return path;
    }
    free(path);
    if (folder[size] == '\0') {
      return NULL;
    }
    folder += size + 1;
  }
}

char *program_find(const char *name, int *status) {
  bool seen = false;
  char *found = NULL;
  if (strchr(name, '/') != NULL) {
    seen = access(name, F_OK) == 0;
    found = is_file(name) && access(name, X_OK) == 0 ? text_copy(name) : NULL;
  } else if (name[0] != '\0') {
    found = search_path(name, &seen);
  }
  if (found == NULL) {
    *status = seen ? STATUS_NOT_EXECUTABLE : STATUS_NOT_FOUND;
    say(seen ? "%s: cannot be executed" : "%s: no such program", name);
  }
  return found;
}

/* The words of a `#!` line: how many of out[2] were filled. line is changed. */
static int shebang_words(char *line, char *out[2]) {
  char *rest = NULL;
  line[strcspn(line, "\n")] = '\0';
  out[0] = strtok_r(line + 2, " \t", &rest);
  out[1] = out[0] ? strtok_r(NULL, " \t", &rest) : NULL;
  return (out[0] != NULL) + (out[1] != NULL);
}

/* The interpreter of a script; NULL: not a script. */
static char *script_interpreter(const char *path) {
  char line[256] = "", *words[2], *found = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t size = file >= 0 ? read(file, line, sizeof line - 1) : -1;
  if (file >= 0) {
    close(file);
  }
  if (size < 2 || line[0] != '#' || line[1] != '!') {
    return NULL;
  }
  int count = shebang_words(line, words);
  bool seen = false;
  if (count == 2 && strcmp(base_name(words[0]), "env") == 0) {
    found = search_path(words[1], &seen);
  }
  return found || count == 0 ? found : text_copy(words[0]);
}

char *program_behind(const char *path) {
  char *program = text_copy(path);
  for (int depth = 0; depth < 4; depth++) { /* the kernel follows as many */
    char *interpreter = script_interpreter(program);
    if (interpreter == NULL) {
      break;
    }
    free(program);
    program = interpreter;
  }
  return program;
}

/* Whether the kernel runs it with AT_SECURE. Source: Linux, security/commoncap.c, cap_bprm_creds_from_file. */
static const char *secure_execution(const char *path) {
  struct stat facts;
  struct statvfs system;
  char capabilities[64];
  if (stat(path, &facts) != 0 || statvfs(path, &system) != 0 || (system.f_flag & ST_NOSUID) ||
      prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
    return NULL;
  }
  if ((facts.st_mode & S_ISUID) && facts.st_uid != getuid()) {
    return "is set-user-ID";
  }
  if ((facts.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && facts.st_gid != getgid()) {
    return "is set-group-ID";
  }
  if (getuid() != 0 && getxattr(path, "security.capability", capabilities, sizeof capabilities) > 0) {
    return "has file capabilities";
  }
  return NULL;
}

static bool is_library(const struct elf *elf) {
  uint64_t flags = 0;
  elf_dynamic(elf, DT_FLAGS_1, 0, &flags);
  return elf->readable && elf->header.e_type == ET_DYN && !(flags & DF_1_PIE);
}

static const char *loader_obstacle(const struct elf *program, const struct elf *shim) {
  if (program->class != shim->class || program->encoding != shim->encoding) {
    return "is of another ELF class (32 or 64 bits) than the shim";
  }
  if (program->machine != shim->machine) {
    return "is for another kind of machine than the shim";
  }
  const char *interpreter = elf_interpreter(program);
  if (interpreter == NULL) {
    return is_library(program) ? NULL : "is statically linked";
  }
  return strncmp(base_name(interpreter), "ld-musl", 7) == 0 ? "is linked to musl, not to the GNU C library" : NULL;
}

const char *program_obstacle(const char *path, const char *shim) {
  struct elf program, other;
  const char *obstacle = secure_execution(path);
  if (obstacle != NULL || elf_open(&program, path) != NULL) {
    return obstacle;
  }
  if (elf_open(&other, shim ? shim : "/proc/self/exe") == NULL) {
    obstacle = loader_obstacle(&program, &other);
    elf_close(&other);
  }
  elf_close(&program);
  return obstacle;
}

bool program_wants_asan_first(const char *path) {
  struct elf program;
  bool wants = false;
  if (elf_open(&program, path) != NULL) {
    return false;
  }
  const char *name;
  for (size_t i = 0; !wants && (name = elf_needed(&program, i)) != NULL; i++) {
    wants = strncmp(name, "libasan.so", 10) == 0;
  }
  elf_close(&program);
  return wants;
}

bool program_trusted(const char *path) {
  struct stat facts;
  if (stat(path, &facts) != 0 || (facts.st_uid != 0 && facts.st_uid != geteuid()) || (facts.st_mode & S_IWOTH)) {
    return false;
  }
  return !(facts.st_mode & S_IWGRP) || facts.st_gid == getegid();
}
