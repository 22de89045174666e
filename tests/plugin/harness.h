/* Ranks, as threads or as processes, that drive an RMA plugin as NCCL would, with host memory. */
#ifndef WINORD_PLUGIN_HARNESS_H
#define WINORD_PLUGIN_HARNESS_H

#include "bench/plugin/rma_api.h"

enum { RANKS_MOST = 8, CONTEXTS = 4 };

struct rank {
  const struct rma_table_16 *table;
  int rank, nranks;
  void *ctx, *listener, *comm, *context;
};

/* What goes wrong with the last rank: it never connects; it connects by handles that are none. */
enum trouble { TROUBLE_NONE, TROUBLE_ABSENT, TROUBLE_HANDLE };

/* Calls body as each rank, connected, and disconnects. 0: all bodies returned 0. Processes: each is forked. */
int ranks_run(const char *plugin, int nranks, bool processes, enum trouble trouble, int (*body)(struct rank *rank));

/* The plugin's table of another version. */
const void *plugin_table(const char *symbol);

/* Waits for all ranks. */
void meet(struct rank *rank);

/* Memory that all ranks share, beside the plugin's: zero at first. */
uint64_t *common_words(void);

/* Registration, or the end. */
void *registered(struct rank *rank, void *memory, size_t bytes, int type, uint64_t flags);

/* Waits for a request; ends the program after 10 s. */
void wait_for(struct rank *rank, void *request);

/* Puts and waits for local completion; rank's own context `index`. signal NULL: none. */
struct put {
  void *from, *to, *signal; /* regions */
  uint64_t from_offset, to_offset, signal_offset, add;
  size_t bytes;
  int index, to_rank;
  bool weak;
};
void *post(struct rank *rank, const struct put *put);

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

uint64_t load(const uint64_t *word);
void store(uint64_t *word, uint64_t value);

uint64_t clock_ns(void);

#endif
