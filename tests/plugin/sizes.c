/* Puts of all sizes and offsets from each rank to each, in disjoint places, more than rings hold; and gets of what came. */
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/random.h"
#include "tests/plugin/scenarios.h"

enum { BIG = 1 << 20, PIECES = 256, SMALL = 700, LONG = BIG / 40 };

static size_t piece_bytes(int from, int piece) {
  struct random random;
  random_seed(&random, (uint64_t)from * PIECES + (uint64_t)piece);
  return random_below(&random, piece % 8 == 7 ? LONG : SMALL);
}

static uint8_t byte_of(int from, int to, size_t at) {
  return (uint8_t)((size_t)(from * 89 + to * 37) + at * 7 + at / 251);
}

static size_t end_of(int from) {
  size_t at = 0;
  for (int piece = 0; piece < PIECES; piece++)
    at += piece_bytes(from, piece);
  return at;
}

/* All are under way at once. */
static void put_pieces(struct rank *rank, void *source, void *window, int to) {
  static _Thread_local void *requests[PIECES];
  size_t at = 0;
  for (int piece = 0; piece < PIECES; piece++) {
    const struct put put = {.from = source,
                            .to = window,
                            .from_offset = (size_t)to * BIG + at,
                            .to_offset = (size_t)rank->rank * BIG + at,
                            .bytes = piece_bytes(rank->rank, piece),
                            .to_rank = to,
                            .index = piece % CONTEXTS};
    requests[piece] = post(rank, &put);
    at += put.bytes;
  }
  for (int piece = 0; piece < PIECES; piece++)
    wait_for(rank, requests[piece]);
}

static void check(const struct rank *rank, const uint8_t *window, int from, int to) {
  const uint8_t *part = window + (size_t)from * BIG;
  const size_t end = end_of(from);
  for (size_t i = 0; i < BIG; i++)
    if (__atomic_load_n(&part[i], __ATOMIC_RELAXED) != (i < end ? byte_of(from, to, i) : 0))
      fail("rank %d: byte %zu from rank %d is wrong", rank->rank, i, from);
}

static void flush(struct rank *rank, void *region, int to) {
  void *request = NULL;
  if (rank->table->iflush(rank->context, 0, region, (uint32_t)to, &request) != RMA_SUCCESS)
    fail("flush");
  wait_for(rank, request);
}

static void get_back(struct rank *rank, uint8_t *copy, void *copy_region, void *window, int from) {
  const size_t bytes = (size_t)rank->nranks * BIG;
  void *request = NULL;
  memset(copy, 0, bytes);
  if (rank->table->iget(rank->context, 2, 0, window, bytes, 0, copy_region, (uint32_t)from, 0, &request) != RMA_SUCCESS)
    fail("get");
  wait_for(rank, request);
  for (int other = 0; other < rank->nranks; other++)
    check(rank, copy, other, from);
}

struct memory {
  uint8_t *bytes;
  void *region;
};

static struct memory make(struct rank *rank, uint64_t flags) {
  const size_t bytes = (size_t)rank->nranks * BIG;
  struct memory memory = {.bytes = (uint8_t *)zeroed(bytes / word_size)};
  memory.region = registered(rank, memory.bytes, bytes, options.memory, flags);
  return memory;
}

static void end(struct rank *rank, struct memory memory) {
  rank->table->dereg(rank->comm, memory.region);
  free(memory.bytes);
}

int sizes(struct rank *rank) {
  struct memory source = make(rank, 0), window = make(rank, options.payload_flags), copy = make(rank, 0);
  for (size_t i = 0; i < (size_t)rank->nranks * BIG; i++)
    source.bytes[i] = byte_of(rank->rank, (int)(i / BIG), i % BIG);
  for (int i = 0; i < rank->nranks; i++)
    put_pieces(rank, source.region, window.region, i);
  meet(rank);
  flush(rank, window.region, rank->rank);
  for (int i = 0; i < rank->nranks; i++)
    check(rank, window.bytes, i, rank->rank);
  meet(rank);
  for (int i = 0; i < rank->nranks; i++)
    get_back(rank, copy.bytes, copy.region, window.region, i);
  meet(rank);
  end(rank, source);
  end(rank, window);
  end(rank, copy);
  print("bytes", (long)rank->nranks * BIG);
  return 0;
}
