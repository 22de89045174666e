#include "linker.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The bound, a tenth of a second and some, is in turns: no clock is asked, which may stand still. */
enum { YIELDS = 64, NAPS = 1000, NAP_NS = 100000 };

static atomic_int inside;
static atomic_bool forking;

/* libc's own, behind pthread_atfork; in libc.so.6 since glibc 2.3.2. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object);

static bool nobody_inside(void) { return atomic_load(&inside) == 0; }
static bool nobody_forks(void) { return !atomic_load(&forking); }

static void wait_for(bool (*is_so)(void)) {
  const struct timespec nap = {.tv_nsec = NAP_NS};
  const int error = errno;
  for (int i = 0; !is_so() && i < YIELDS + NAPS; i++)
    if (i < YIELDS)
      sched_yield();
    else
      (void)syscall(SYS_nanosleep, &nap, NULL);
  errno = error;
}

void linker_enter(void) {
  atomic_fetch_add(&inside, 1);
  if (nobody_forks())
    return;
  atomic_fetch_sub(&inside, 1);
  wait_for(nobody_forks);
  atomic_fetch_add(&inside, 1);
}

void linker_leave(void) { atomic_fetch_sub(&inside, 1); }

static void before_fork(void) {
  atomic_store(&forking, true);
  wait_for(nobody_inside);
}

static void after_fork(void) { atomic_store(&forking, false); }

static void in_child(void) {
  atomic_store(&inside, 0);
  atomic_store(&forking, false);
}

void linker_survive_fork(void) { (void)__register_atfork(before_fork, after_fork, in_child, NULL); }
