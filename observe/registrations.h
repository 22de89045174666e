/*
 * The memory registrations that NCCL has made through libwinord-verbs.so and not undone: what the library keeps, and the one
 * question that libwinord.so asks it. The two are built together; the number in the function's name changes with the layout.
 */
#ifndef WINORD_REGISTRATIONS_H
#define WINORD_REGISTRATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bit of a registration's access flags, and the bits that a library may ignore. Source: rdma-core, <infiniband/verbs.h>. */
enum { ACCESS_RELAXED_ORDERING = 1 << 20, ACCESS_OPTIONAL = 0x3ff00000 };

#define REGISTRATIONS_FUNCTION "winord_registrations_1"

/* Registrations by their ordering. */
struct by_ordering {
  unsigned relaxed, strict;
};

/* A question about one window, and its answer. Addresses are inclusive. */
struct registrations_question {
  uintptr_t first, last; /* the window; first > last: none, only `made` is asked */
  uint64_t since; /* registrations made when the window's call began: the window's own are later ones */
  uint64_t until; /* 0, or: what was made after `since` up to here without an address belongs to this window */

  uint64_t made; /* registrations made so far, in this process */
  struct by_ordering own; /* made since, and touching the window */
  struct by_ordering earlier; /* older, and touching the window */
  struct by_ordering nowhere; /* made since, of unknown address, long enough to be the window's */
  bool own_whole; /* the window's own ones hold all of it, together */
  bool earlier_whole; /* an earlier one holds all of it */
  bool own_by_call; /* one of the window's own is known by its call alone (`until`) */
  bool overflow; /* more registrations live than the table holds: any may be missing */
};

/* Answers. Thread-safe, takes no lock, allocates nothing; usable in a forked child. */
__attribute__((visibility("default"))) void winord_registrations_1(struct registrations_question *question);

/* All of these are thread-safe, too. */
struct entry;

/*
 * Enters a registration.
 *   mr       what the verbs library returned, its identity until it is undone; NULL (it failed): nothing is entered
 *   address  start of the memory, or 0: unknown
 *   access   as asked
 */
void registration_add(const void *mr, uintptr_t address, size_t length, unsigned access);

/*
 * Takes a registration out before it is undone, since its address may come back at once; registration_keep puts it back where
 * that failed. The answer is for registration_keep and registration_drop, one of which must follow.
 */
struct entry *registration_take(const void *mr);
void registration_keep(struct entry *entry);
void registration_drop(struct entry *entry);

#endif
