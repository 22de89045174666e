/* What the plugin must refuse, and afterwards it still works; and the forms that older versions have. */
#include <stdlib.h>

#include "tests/plugin/scenarios.h"

enum { BYTES = 4096 };

static void refused(enum rma_result result, const char *what) {
  if (result == RMA_SUCCESS)
    fail("not refused: %s", what);
}

static void refuse_puts(struct rank *rank, void *region) {
  static const struct {
    const char *what;
    uint64_t from, to, size;
    int context;
    uint32_t rank;
    bool no_region;
  } cases[] = {
      {"source outside", BYTES - 7, 0, 8, 0, 0, false},
      {"target outside", 0, BYTES - 7, 8, 0, 0, false},
      {"offset that wraps", UINT64_MAX - 3, 0, 8, 0, 0, false},
      {"size that wraps", 0, 16, UINT64_MAX - 8, 0, 0, false},
      {"context below", 0, 0, 8, -1, 0, false},
      {"context above", 0, 0, 8, CONTEXTS, 0, false},
      {"rank above", 0, 0, 8, 0, 2, false},
      {"no region", 0, 0, 8, 0, 0, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    void *request = NULL, *from = cases[i].no_region ? NULL : region;
    refused(rank->table->iput(rank->context, cases[i].context, cases[i].from, from, cases[i].size, cases[i].to, region,
                              cases[i].rank, 0, &request),
            cases[i].what);
    if (cases[i].context == 0 && cases[i].rank == 0)
      refused(
          rank->table->iget(rank->context, 0, cases[i].from, from, cases[i].size, cases[i].to, region, 0, 0, &request),
          cases[i].what);
  }
}

static void refuse_signals(struct rank *rank, void *region) {
  static const struct {
    const char *what;
    uint64_t offset;
    uint32_t op;
  } cases[] = {{"signal outside", BYTES, 2}, {"signal not aligned", 4, 2}, {"signal operation", 0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    void *request = NULL;
    refused(rank->table->iput_signal(rank->context, 0, 0, NULL, 0, 0, NULL, 0, cases[i].offset, region, 1, cases[i].op,
                                     true, 0, &request),
            cases[i].what);
  }
}

int refusals(struct rank *rank) {
  uint64_t *words = zeroed(BYTES / word_size);
  void *region = registered(rank, words, BYTES, RMA_PTR_HOST, 0), *other = NULL;
  refused(rank->table->reg(rank->comm, NULL, 8, RMA_PTR_HOST, 0, &other), "no memory");
  refused(rank->table->reg(rank->comm, words, 0, RMA_PTR_HOST, 0, &other), "no bytes");
  refused(rank->table->reg(rank->comm, words, 8, 4, 0, &other), "memory of another type");
  refuse_puts(rank, region);
  refuse_signals(rank, region);
  meet(rank);
  const struct put put = {.signal = region, .add = 1, .to_rank = 1 - rank->rank};
  wait_for(rank, post(rank, &put));
  if (!comes(words, 1, 1000000000))
    fail("a signal does not come");
  meet(rank);
  rank->table->dereg(rank->comm, region);
  free(words);
  print("refused", 1);
  return 0;
}

/* By the table of version 14: a put with its signal to the other rank, and back by a get. */
int versions(struct rank *rank) {
  const struct rma_table_14 *table = plugin_table("ncclRmaPlugin_v14");
  const uint32_t other = 1 - (uint32_t)rank->rank;
  uint64_t *words = zeroed(BYTES / word_size);
  void *region = registered(rank, words, BYTES, RMA_PTR_HOST, RMA_MR_FORCE_SO), *request = NULL;
  words[0] = 4711 + other;
  meet(rank);
  if (table->iput_signal(rank->context, 1, 0, region, word_size, word_size, region, other, 2 * word_size, region, 99,
                         RMA_SIGNAL_INC, true, &request) != RMA_SUCCESS)
    fail("put by version 14");
  wait_for(rank, request);
  if (!comes(&words[2], 1, 1000000000) || load(&words[2]) != 1 || load(&words[1]) != 4711 + (uint64_t)rank->rank)
    fail("what came by version 14");
  meet(rank);
  if (table->iget(rank->context, 0, word_size, region, word_size, 3 * word_size, region, other, &request) !=
      RMA_SUCCESS)
    fail("get by version 14");
  wait_for(rank, request);
  if (load(&words[3]) != words[0])
    fail("what came back by version 14");
  meet(rank);
  rank->table->dereg(rank->comm, region);
  free(words);
  print("versions", 1);
  return 0;
}
