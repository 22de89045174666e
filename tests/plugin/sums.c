/* All ranks add to one signal of each, themselves included, a thread for each context: the sum is exact. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/plugin/scenarios.h"

enum { PATIENCE_NS = 2000000000 };

struct adder {
  struct rank *rank;
  void *region;
  int context;
};

static uint64_t amount(long iteration) { return (uint64_t)(iteration % 7 + 1); }

static void *add(void *user) {
  const struct adder *adder = user;
  void *requests[RANKS_MOST] = {NULL};
  for (long i = 0; i < options.tries; i++) {
    for (int to = 0; to < adder->rank->nranks; to++) {
      const struct put put = {.signal = adder->region,
                              .signal_offset = word_size,
                              .add = amount(i),
                              .index = adder->context,
                              .to_rank = to,
                              .weak = i % 3 == 0};
      requests[to] = post(adder->rank, &put);
    }
    for (int to = 0; to < adder->rank->nranks; to++)
      wait_for(adder->rank, requests[to]);
  }
  return NULL;
}

static void add_all(struct rank *rank, void *region) {
  pthread_t threads[CONTEXTS];
  struct adder adders[CONTEXTS];
  for (int i = 0; i < CONTEXTS; i++) {
    adders[i] = (struct adder){.rank = rank, .region = region, .context = i};
    pthread_create(&threads[i], NULL, add, &adders[i]);
  }
  for (int i = 0; i < CONTEXTS; i++)
    pthread_join(threads[i], NULL);
}

int sum(struct rank *rank) {
  uint64_t *words = zeroed(2), expected = 0;
  void *region = registered(rank, words, 2 * word_size, options.memory, options.signal_flags);
  for (long i = 0; i < options.tries; i++)
    expected += amount(i) * (uint64_t)(rank->nranks * CONTEXTS);
  add_all(rank, region);
  meet(rank);
  if (!comes(&words[1], expected, PATIENCE_NS))
    fail("rank %d: %llu of %llu", rank->rank, (unsigned long long)words[1], (unsigned long long)expected);
  meet(rank);
  if (load(&words[1]) != expected || load(&words[0]))
    fail("rank %d: %llu, not %llu", rank->rank, (unsigned long long)words[1], (unsigned long long)expected);
  rank->table->dereg(rank->comm, region);
  free(words);
  print("sum", (long)expected);
  return 0;
}
