#include "linker.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* The second bound is for a clock that stands still. */
enum { PATIENCE_NS = 100000000, PATIENCE_YIELDS = 1000000 };

static atomic_int inside;
static atomic_bool forking;

/* libc's own, behind pthread_atfork; in libc.so.6 since glibc 2.3.2. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object);

static long long now_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static bool nobody_inside(void) { return atomic_load(&inside) == 0; }
static bool nobody_forks(void) { return !atomic_load(&forking); }

static void wait_for(bool (*is_so)(void)) {
  const long long end = now_ns() + PATIENCE_NS;
  for (int i = 0; !is_so() && i < PATIENCE_YIELDS && now_ns() < end; i++)
    sched_yield();
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
