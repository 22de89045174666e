#define _GNU_SOURCE
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_SIZE = 4096, PROCESSES = 256, SECONDS = 10 };

static char own_folder[PATH_SIZE];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
  (void)status;
  (void)kind;
  (void)at;
  return remove(path);
}

static void remove_folder(void) { (void)nftw(own_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static const char *build_folder(void) {
  const char *build = getenv("WINORD_BUILD");
  if (!build) {
    fputs("run the tests by scripts/test\n", stderr);
    exit(2);
  }
  return build;
}

const char *folder(void) {
  if (*own_folder)
    return own_folder;
  char library[PATH_SIZE];
  snprintf(own_folder, sizeof own_folder, "/tmp/winord-faults-XXXXXX");
  if (!mkdtemp(own_folder))
    exit(2);
  atexit(remove_folder);
  snprintf(library, sizeof library, "%s/libwinord.so", build_folder());
  if (symlink(library, in_folder("libwinord.so")) != 0 || mkdir(in_folder("conf.d"), 0755) != 0)
    exit(2);
  return own_folder;
}

const char *in_folder(const char *name) {
  static char paths[4][PATH_SIZE * 2];
  static unsigned turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder(), name);
  return path;
}

void write_file(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void put_file(const char *name, const char *text) {
  (void)rmdir(in_folder(name));
  (void)unlink(in_folder(name));
  if (text)
    write_file(name, text);
}

static void read_file(const char *path, char text[TEXT]) {
  const int fd = open(path, O_RDONLY);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, TEXT - 1);
  text[size < 0 ? 0 : size] = '\0';
  if (fd >= 0)
    close(fd);
}

static void set_environment(const struct scenario *scenario, bool shim) {
  if (scenario->policy)
    setenv("WINORD_CONF", in_folder("policy.conf"), 1);
  if (scenario->facts)
    setenv("WINORD_FACTS", in_folder("facts.ini"), 1);
  if (scenario->on_error)
    setenv("WINORD_ON_ERROR", scenario->on_error, 1);
  if (scenario->run)
    setenv("WINORD_RUN", scenario->run, 1);
  setenv("WINORD_LOG", scenario->log ? scenario->log : in_folder("journal"), 1);
  if (shim)
    setenv("LD_PRELOAD", in_folder("libwinord.so"), 1);
}

static void become_worker(const struct scenario *scenario, bool shim, const char *fault) {
  char path[PATH_SIZE];
  const char *arguments[ARGUMENTS + 3] = {"worker", fault};
  for (int i = 0; scenario->operations[i]; i++)
    arguments[i + 2] = scenario->operations[i];
  snprintf(path, sizeof path, "%s/tests/faults/worker", build_folder());
  const int out = open(in_folder("out"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  const int err = open(in_folder("err"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (int fd = 3; fd < 64; fd++)
    close(fd);
  set_environment(scenario, shim);
  if (chdir(folder()) == 0) {
    alarm(SECONDS);
    execv(path, (char **)arguments);
  }
  _exit(127);
}

void run_worker(const struct scenario *scenario, bool shim, const char *fault, struct outcome *outcome) {
  put_file("journal", NULL);
  put_file("journal.1", NULL);
  put_file("policy.conf", scenario->policy);
  put_file("facts.ini", scenario->facts);
  put_file("conf.d/a.conf", scenario->included);
  const pid_t pid = fork();
  if (pid == 0)
    become_worker(scenario, shim, fault);
  assert_int_equal(waitpid(pid, &outcome->status, 0), pid);
  read_file(in_folder("out"), outcome->out);
  read_file(in_folder("err"), outcome->err);
}

/* Records of a process. */
struct counted {
  unsigned long pid, records, last, lost;
  uint64_t seen[16]; /* a bit for each seq; longer journals are not looked at for doubles */
};

static bool number_after(const char *line, const char *key, unsigned long *number) {
  const char *at = strstr(line, key);
  if (at)
    *number = strtoul(at + strlen(key), NULL, 10);
  return at;
}

static bool is_record(const char *line) {
  const size_t length = strlen(line);
  return strncmp(line, "{\"v\":1,\"event\":\"", 16) == 0 && line[length - 1] == '}';
}

static struct counted *counted_of(struct counted *all, unsigned long pid) {
  int i = 0;
  while (i < PROCESSES - 1 && all[i].pid && all[i].pid != pid)
    i++;
  all[i].pid = pid;
  return &all[i];
}

static bool count_record(struct counted *all, const char *line, struct journal *journal) {
  unsigned long pid = 0, seq = 0, lost = 0;
  if (!number_after(line, "\"pid\":", &pid) || !number_after(line, "\"seq\":", &seq) ||
      !number_after(line, "\"lost\":", &lost))
    return false;
  struct counted *counted = counted_of(all, pid);
  const uint64_t bit = 1ULL << (seq % 64);
  const bool doubled = seq < 1024 && counted->seen[seq / 64] & bit;
  if (seq < 1024)
    counted->seen[seq / 64] |= bit;
  counted->records++;
  if (seq > counted->last) {
    counted->last = seq;
    counted->lost = lost;
  }
  journal->records++;
  journal->starts += strstr(line, "\"event\":\"start\"") != NULL;
  journal->registers += strstr(line, "\"event\":\"register\"") != NULL;
  journal->exits += strstr(line, "\"event\":\"exit\"") != NULL;
  return !doubled;
}

static void read_lines(FILE *file, struct counted *all, struct journal *journal, bool only_records) {
  char *line = NULL;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
    const bool ended = line[length - 1] == '\n';
    line[length - ended] = '\0';
    if (length == 1 || (only_records && *line != '{'))
      continue;
    if (!ended || !is_record(line))
      journal->torn++;
    else
      journal->adds_up &= count_record(all, line, journal);
  }
  free(line);
}

static void read_one(const char *path, struct counted *all, struct journal *journal, bool only_records) {
  FILE *file = fopen(path, "r");
  if (!file)
    return;
  read_lines(file, all, journal, only_records);
  fclose(file);
}

void read_journal(const struct scenario *scenario, const struct outcome *outcome, struct journal *journal) {
  const bool on_stderr = scenario->log && strcmp(scenario->log, "stderr") == 0;
  struct counted all[PROCESSES] = {0};
  (void)outcome;
  *journal = (struct journal){.adds_up = true};
  read_one(in_folder(on_stderr ? "err" : "journal"), all, journal, on_stderr);
  read_one(in_folder("journal.1"), all, journal, false);
  for (int i = 0; i < PROCESSES && all[i].pid; i++) {
    journal->processes++;
    journal->adds_up &= all[i].last == all[i].records + all[i].lost;
  }
}

bool notices_once(const char *err, size_t *count) {
  *count = 0;
  for (const char *line = err; *line; line += strcspn(line, "\n") + 1) {
    if (*line == '{' || *line == '\n')
      continue;
    ++*count;
    if (strncmp(line, "winord: ", 8) != 0)
      return false;
  }
  return *count <= 1;
}

static const char *complaint(const struct scenario *scenario, const struct outcome *got,
                             const struct outcome *const *wanted) {
  struct journal journal;
  size_t notices = 0;
  bool same = false;
  for (; *wanted && !same; wanted++)
    same = strcmp((*wanted)->out, got->out) == 0 && (*wanted)->status == got->status;
  read_journal(scenario, got, &journal);
  if (!same)
    return "another result than without";
  if (!notices_once(got->err, &notices) && !scenario->mute)
    return "more than one line, or another, on stderr";
  if (notices && !scenario->mute && !strstr(got->err, "records are lost"))
    return "another line on stderr";
  if (!journal.adds_up)
    return "seq and lost do not add up";
  if (!notices && !scenario->mute && (journal.exits < 1 || journal.starts < 1 || journal.torn))
    return "records are missing, and nothing says so";
  return NULL;
}

void judge(const struct scenario *scenario, const char *fault, const struct outcome *got,
           const struct outcome *const *wanted) {
  const char *trouble = complaint(scenario, got, wanted);
  char text[TEXT];
  if (!trouble)
    return;
  read_file(in_folder("journal"), text);
  print_error("%s, %s: %s\nstatus %d\n%s--- stderr\n%s--- wanted\n%s--- journal\n%s\n", scenario->name, fault, trouble,
              got->status, got->out, got->err, wanted[0]->out, text);
  fail();
}

const char *facts_of_this_boot(void) {
  static char text[512], boot[64];
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (!file || !fgets(boot, sizeof boot, file))
    boot[0] = '\0';
  if (file)
    fclose(file);
  snprintf(text, sizeof text,
           "[facts]\nversion = 1\nhostname = host-1.site\nboot-id = %s\n[nic 0000:81:00.0]\ndevice = mlx5_0\n"
           "driver = mlx5_core\nnode-guid = 9c63:c003:0012:3456\nfirmware = 28.43.2026\npci-atomic-mode-default = 0\n"
           "pci-atomic-mode-current = 0\npci-atomic-mode-next = 0\npci-atomic-source = mstconfig\npci-wr-ordering = "
           "per_mkey\n",
           boot);
  return text;
}
