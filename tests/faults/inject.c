#define _GNU_SOURCE
#include "inject.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

__thread bool inject_inside;

static struct {
  long number, nth, seen;
  int answer;
} fault;

#ifdef __x86_64__
#define SYSTEM_CALL(name)                                                                                              \
  ".globl " name "\n.type " name ",@function\n" name ":\n"                                                             \
  "  mov %rdi,%rax\n  mov %rsi,%rdi\n  mov %rdx,%rsi\n  mov %rcx,%rdx\n  mov %r8,%r10\n  mov %r9,%r8\n"                \
  "  mov 8(%rsp),%r9\n  syscall\n.globl " name "_gate\n" name "_gate:\n  ret\n.size " name ",.-" name "\n"

/* The gate of inject_raw is the one place that the filter lets through. */
__asm__(".text\n" SYSTEM_CALL("inject_raw") SYSTEM_CALL("inject_seen"));
extern const char inject_raw_gate[];

static long raw_of(const long a[6], long number) { return inject_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]); }

static long shortened(long number, const long a[6]) {
  const struct iovec *parts = (const struct iovec *)a[1];
  if (number == SYS_writev)
    return inject_raw(SYS_write, a[0], (long)parts[1].iov_base, (long)parts[1].iov_len / 2, 0, 0, 0);
  return inject_raw(number, a[0], a[1], a[2] > 1 ? 1 : a[2], a[3], a[4], a[5]);
}

static long answer_of(long number, const long a[6]) {
  if (!inject_inside || fault.answer == INJECT_LIST || number != fault.number)
    return raw_of(a, number);
  const long now = ++fault.seen;
  if (fault.nth && now != fault.nth)
    return raw_of(a, number);
  if (number == SYS_brk)
    return inject_raw(SYS_brk, 0, 0, 0, 0, 0, 0); /* how it fails: the end stays */
  if (number == SYS_close)
    (void)raw_of(a, number);
  return fault.answer == INJECT_SHORT ? shortened(number, a) : fault.answer == INJECT_EMPTY ? 0 : -fault.answer;
}

static void write_down(long number) {
  char line[] = "    \n";
  for (int i = 3; i >= 0; i--, number /= 10)
    line[i] = (char)('0' + number % 10);
  (void)inject_raw(SYS_write, STDERR_FILENO, (long)line, 5, 0, 0, 0);
}

static void on_trap(int signal, siginfo_t *info, void *context) {
  ucontext_t *interrupted = context;
  greg_t *r = interrupted->uc_mcontext.gregs;
  const long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  (void)signal;
  if (inject_inside && fault.answer == INJECT_LIST)
    write_down(info->si_syscall);
  r[REG_RAX] = answer_of(info->si_syscall, a);
  if (info->si_syscall == SYS_rt_sigprocmask) /* the handler's return would undo it */
    (void)inject_raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&interrupted->uc_sigmask, 8, 0, 0);
}

bool inject_install(long number, long nth, int answer) {
  const uint32_t low = (uint32_t)(uintptr_t)inject_raw_gate, high = (uint32_t)((uintptr_t)inject_raw_gate >> 32);
  const bool all = answer == INJECT_LIST;
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 6, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, all ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  const struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
  fault.number = number;
  fault.nth = nth;
  fault.answer = answer;
  return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The first of them are the worker's. */
static const uint32_t needed[] = {
    SYS_write,  SYS_exit_group,    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_brk,        SYS_mmap,         SYS_munmap,
    SYS_fcntl,  SYS_clock_gettime, SYS_getpid,       SYS_gettid,         SYS_readlink,   SYS_getrandom,    SYS_access,
    SYS_openat, SYS_fstat,         SYS_newfstatat,   SYS_read,           SYS_getdents64, SYS_close,        SYS_ppoll,
    SYS_writev, SYS_getcwd,        SYS_uname,        SYS_futex,          SYS_pwritev2,   SYS_rt_sigpending};
enum { WORKERS = 9, NEEDED = sizeof needed / sizeof *needed };

bool inject_strict(bool kill, bool shim) {
  struct sock_filter code[NEEDED + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  const unsigned count = shim ? NEEDED : WORKERS;
  for (unsigned i = 0; i < count; i++)
    code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needed[i], (uint8_t)(count - i), 0);
  code[count + 1] =
      (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, kill ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
  code[count + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {.len = (unsigned short)(count + 3), .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
long inject_raw(long number, long a, long b, long c, long d, long e, long f) {
  const long answer = syscall(number, a, b, c, d, e, f);
  return answer < 0 ? -errno : answer;
}

long inject_seen(long number, long a, long b, long c, long d, long e, long f) {
  return inject_raw(number, a, b, c, d, e, f);
}

bool inject_install(long number, long nth, int answer) {
  fault.number = number;
  fault.nth = nth;
  fault.answer = answer;
  return false;
}

bool inject_strict(bool kill, bool shim) {
  (void)kill;
  (void)shim;
  return false;
}
#endif
