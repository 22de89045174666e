#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "policy/file.h"
#include "policy/text.h"
#include "records.h"

/* Beyond errno's values: why a record was not written. */
enum { SHORT_WRITE = -1, PLANTED = -2 };

/* The last write of this process was cut short: the next record starts on a line of its own. */
static atomic_bool torn;

struct utc utc_of(time_t time) {
  /* Days from 0000-03-01 in 400-year eras; see H. Hinnant, "chrono-compatible low-level date algorithms". */
  const long day = (long)(time / 86400) + 719468, era = day / 146097, of_era = day - era * 146097;
  const long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const long of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  const int second = (int)(time % 86400), calendar_month = (int)(month < 10 ? month + 3 : month - 9);
  return (struct utc){.year = (int)(year + era * 400 + (calendar_month <= 2)),
                      .month = calendar_month,
                      .day = (int)(of_year - (153 * month + 2) / 5 + 1),
                      .hour = second / 3600,
                      .minute = second / 60 % 60,
                      .second = second % 60};
}

static void put_padded(char *at, int width, long value) {
  while (width--) {
    at[width] = (char)('0' + value % 10);
    value /= 10;
  }
}

static void put_time(struct json *json) {
  char text[] = "yyyy-mm-ddThh:mm:ss.uuuuuuZ";
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0)
    now = (struct timespec){0};
  const struct utc utc = utc_of(now.tv_sec);
  put_padded(text, 4, utc.year);
  put_padded(text + 5, 2, utc.month);
  put_padded(text + 8, 2, utc.day);
  put_padded(text + 11, 2, utc.hour);
  put_padded(text + 14, 2, utc.minute);
  put_padded(text + 17, 2, utc.second);
  put_padded(text + 20, 6, now.tv_nsec / 1000);
  json_string(json, "ts", text);
}

void record_begin(struct json *json, const struct process *process, const char *event) {
  json->length = 0;
  json->full = false;
  json->first = true;
  json_open(json, NULL);
  json_number(json, "v", 1);
  json_string(json, "event", event);
  put_time(json);
  json_string(json, "host", process->node);
  json_number(json, "pid", process_id());
  json_number(json, "tid", syscall(SYS_gettid));
}

/* A growing text in a fixed buffer. */
struct text {
  char *at, *end;
  bool full;
};

static void add(struct text *text, const char *bytes, size_t size) {
  if (size >= (size_t)(text->end - text->at)) {
    text->full = true;
    return;
  }
  memcpy(text->at, bytes, size);
  text->at += size;
  *text->at = '\0';
}

/* Each % doubled, so that the second round leaves it as it is. */
static void add_literal(struct text *text, const char *value) {
  for (; *value; value++)
    add(text, *value == '%' ? "%%" : value, *value == '%' ? 2 : 1);
}

static void add_variable(struct text *text, const char *name, size_t length) {
  char key[256];
  const char *value = NULL;
  if (length < sizeof key) {
    memcpy(key, name, length);
    key[length] = '\0';
    value = process_variable(key);
  }
  if (value)
    add_literal(text, value);
}

const char *journal_path(const char *value) {
  char path[PATH_MAX] = "", folder[PATH_MAX];
  struct text text = {.at = path, .end = path + sizeof path};
  if (!value || strcmp(value, "stderr") == 0)
    return value ? "stderr" : NULL;
  if (value[0] != '/' && getcwd(folder, sizeof folder)) {
    add_literal(&text, folder);
    add(&text, "/", 1);
  }
  for (const char *s = value; *s && !text.full; s++) {
    const char *brace = strncmp(s, "%q{", 3) == 0 ? strchr(s, '}') : NULL;
    if (!brace) {
      add(&text, s, 1 + (*s == '%' && s[1] == '%'));
      s += *s == '%' && s[1] == '%';
      continue;
    }
    add_variable(&text, s + 3, (size_t)(brace - s - 3));
    s = brace;
  }
  const char *copy = text.full ? NULL : strdup(path);
  return copy ? copy : ""; /* which cannot be opened, and that is said */
}

/* %h, %p and %%; anything else after % stays as it is, as NCCL_DEBUG_FILE has it. */
static bool expand(const struct process *process, char *path, size_t size) {
  struct text text = {.at = path, .end = path + size};
  *path = '\0';
  for (const char *s = process->log; *s && !text.full; s++) {
    char digits[20];
    if (*s != '%' || !s[1] || !strchr("hp%", s[1])) {
      add(&text, s, 1);
      continue;
    }
    s++;
    if (*s == 'h')
      add(&text, process->label, strlen(process->label));
    else if (*s == 'p')
      add(&text, digits, (size_t)(put_decimal(digits, (uint64_t)process_id()) - digits));
    else
      add(&text, "%", 1);
  }
  return !text.full;
}

/* The signals a write can raise, held back from the program. */
struct held {
  sigset_t before, pending;
};

/* False: they cannot be held back. */
static bool hold_signals(struct held *held) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigaddset(&set, SIGXFSZ);
  if (sigprocmask(SIG_BLOCK, &set, &held->before) != 0)
    return false;
  sigemptyset(&held->pending); /* a signal that was not blocked cannot have been waiting */
  if (sigismember(&held->before, SIGPIPE) || sigismember(&held->before, SIGXFSZ))
    sigpending(&held->pending);
  return true;
}

static void release_signals(const struct held *held, int error) {
  const int number = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
  const struct timespec now = {0};
  sigset_t set;
  sigemptyset(&set);
  if (number && !sigismember(&held->pending, number)) {
    sigaddset(&set, number);
    (void)syscall(SYS_rt_sigtimedwait, &set, NULL, &now, 8L /* the kernel's sigset_t */);
  }
  sigprocmask(SIG_SETMASK, &held->before, NULL);
}

/*
 * System calls are made directly: libc's functions are cancellation points, where a thread could end in the middle of a
 * registration, and other tools interpose them.
 */

/* Writes all of it at once, or says how it failed: an errno value, or SHORT_WRITE. Never blocks, raises no signal. */
static int write_once(int fd, const struct iovec parts[2]) {
  struct held held;
  if (!hold_signals(&held))
    return errno;
  /* A pipe that poll calls ready has room for PIPE_BUF bytes, not for more. */
  const bool may_block = fd == STDERR_FILENO && parts[0].iov_len + parts[1].iov_len > PIPE_BUF;
  long written = may_block ? syscall(SYS_pwritev2, fd, parts, 2, -1L, -1L, RWF_NOWAIT) : -1;
  if (!may_block || (written < 0 && errno != EAGAIN))
    written = syscall(SYS_writev, fd, parts, 2);
  const int error = written < 0 ? errno : (size_t)written < parts[0].iov_len + parts[1].iov_len ? SHORT_WRITE : 0;
  release_signals(&held, error);
  return error;
}

static int write_record(int fd, const char *bytes, size_t size) {
  const bool newline = atomic_exchange(&torn, false);
  const struct iovec parts[] = {{.iov_base = (void *)"\n", .iov_len = newline},
                                {.iov_base = (void *)bytes, .iov_len = size}};
  const int error = write_once(fd, parts);
  if (error == SHORT_WRITE || (error && newline))
    atomic_store(&torn, true);
  return error;
}

static bool stderr_takes(void) {
  struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
  struct timespec now = {0};
  return syscall(SYS_ppoll, &ready, 1, &now, NULL, 0) == 1 && ready.revents & POLLOUT;
}

/*
 * Whether everybody could have put the open file at this path: its folder is writable by all, and it is not a plain file of
 * ours, or root's, with one name. A FIFO has a reader, another's file an owner who may change it, and a hard link is a file
 * that was meant for something else. fstat without libc's, whose symbol is new in glibc 2.33.
 */
static bool is_planted(int fd, const char *path) {
  struct stat file;
  if (syscall(SYS_fstat, fd, &file) != 0)
    return true;
  const bool plain = S_ISREG(file.st_mode) && file.st_nlink <= 1;
  return !(plain && file_is_own(file.st_uid)) && file_folder_is_open(path);
}

static int write_file(const struct process *process, const char *bytes, size_t size) {
  char path[PATH_MAX];
  if (!expand(process, path, sizeof path))
    return ENAMETOOLONG;
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0644);
  if (fd < 0)
    return errno;
  const int error = is_planted(fd, path) ? PLANTED : write_record(fd, bytes, size);
  syscall(SYS_close, fd);
  return error;
}

static bool on_stderr(const struct process *process) { return process->log && strcmp(process->log, "stderr") == 0; }

static int write_where_told(const struct process *process, const char *bytes, size_t size) {
  if (!on_stderr(process))
    return write_file(process, bytes, size);
  return stderr_takes() ? write_record(STDERR_FILENO, bytes, size) : EAGAIN;
}

/* Where the records go there too, after one that was cut short, on a line of its own. */
static void say(const struct process *process, const char *const *parts) {
  char line[1024];
  struct text text = {.at = line, .end = line + sizeof line - 1};
  add(&text, "winord: ", 8);
  for (; *parts; parts++)
    add(&text, *parts, strlen(*parts));
  text_make_plain(line, (size_t)(text.at - line));
  *text.at++ = '\n';
  const size_t size = (size_t)(text.at - line);
  if (!stderr_takes())
    return;
  if (on_stderr(process))
    (void)write_record(STDERR_FILENO, line, size);
  else
    (void)write_once(STDERR_FILENO, (const struct iovec[2]){{line, size}, {0}});
}

void notice(struct process *process, enum notice kind, const char *const *parts) {
  if (process->log && kind != NOTICE_LOST && kind != NOTICE_NO_NCCL && kind != NOTICE_UNOBSERVED)
    return;
  if (!atomic_exchange(&process->noticed[kind], true))
    say(process, parts);
}

static void lose(struct process *process, int error) {
  atomic_fetch_add(&process->count.lost, 1);
  const char *why = error == SHORT_WRITE ? "short write"
                    : error == PLANTED   ? "no plain file of its own, in a folder that everybody may write"
                                         : strerror(error);
  notice(process, NOTICE_LOST,
         (const char *const[]){"cannot write the journal ", process->log, ": ", why, "; records are lost", NULL});
}

uint64_t record_end(struct json *json, struct process *process) {
  const uint64_t sequence = atomic_fetch_add(&process->count.sequence, 1) + 1;
  json_unsigned(json, "seq", sequence);
  json_unsigned(json, "lost", atomic_load(&process->count.lost));
  json_string(json, "run", process->run);
  json_string(json, "job", process->job);
  json_string(json, "step", process->step);
  json_close(json);
  if (!process->log)
    return sequence;
  if (json->length < sizeof json->text)
    json->text[json->length++] = '\n';
  else
    json->full = true;
  const int error = json->full ? EMSGSIZE : write_where_told(process, json->text, json->length);
  if (error)
    lose(process, error);
  return sequence;
}
