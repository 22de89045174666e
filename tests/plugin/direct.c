/*
 * direct PLUGIN SCENARIO threads|processes [tries [payload flags [signal flags [host|cuda]]]]: drives the plugin without NCCL
 * and without a GPU, and prints what was seen, one number a line.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/plugin/scenarios.h"

enum { PAGE = 4096, TRIES = 1000 };

struct options options = {.tries = TRIES, .memory = RMA_PTR_HOST, .watcher = 1};

uint64_t *zeroed(size_t words) {
  const size_t bytes = (words * word_size + PAGE - 1) / PAGE * PAGE;
  uint64_t *memory = aligned_alloc(PAGE, bytes);
  if (!memory)
    fail("no memory");
  memset(memory, 0, bytes);
  return memory;
}

void print(const char *name, long value) { printf("%s %ld\n", name, value); }

bool comes(const uint64_t *word, uint64_t least, uint64_t patience_ns) {
  const uint64_t end = clock_ns() + patience_ns;
  while (load(word) < least) {
    if (clock_ns() > end)
      return false;
    sched_yield();
  }
  return true;
}

static int nothing(struct rank *rank) {
  print("rank", rank->rank);
  return 0;
}

/* Rank 1 dies; rank 0, with more under way than a ring holds, still gets away. */
static int death(struct rank *rank) {
  enum { PUTS = 2000 };
  uint64_t *words = zeroed(2);
  void *region = registered(rank, words, 2 * word_size, options.memory, 0);
  meet(rank);
  if (rank->rank == 1)
    _exit(0);
  for (int i = 0; i < PUTS; i++)
    post(rank, &(struct put){.from = region, .to = region, .bytes = 2 * word_size, .to_rank = 1});
  rank->table->dereg(rank->comm, region);
  rank->table->destroy_context(rank->context);
  rank->table->close_coll(rank->comm);
  print("alive", 1);
  fflush(stdout);
  _exit(0);
}

/* Mappings of the plugin's shared memory in this process. */
static long left(void) {
  char line[PAGE];
  long mappings = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && fgets(line, sizeof line, maps))
    mappings += strstr(line, "memfd:winord") != NULL;
  if (maps)
    fclose(maps);
  return mappings;
}

static const struct {
  const char *name;
  int (*body)(struct rank *);
  int ranks;
  enum trouble trouble;
} scenarios[] = {
    {"sum", sum, 4, TROUBLE_NONE},           {"sizes", sizes, 3, TROUBLE_NONE},
    {"refusals", refusals, 2, TROUBLE_NONE}, {"nothing", nothing, 2, TROUBLE_NONE},
    {"death", death, 2, TROUBLE_NONE},       {"absent", nothing, 2, TROUBLE_ABSENT},
    {"versions", versions, 2, TROUBLE_NONE}, {"handle", nothing, 2, TROUBLE_HANDLE},
};

static int run(const char *plugin, const char *name, bool processes) {
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    if (strcmp(scenarios[i].name, name) == 0)
      return ranks_run(plugin, scenarios[i].ranks, processes, scenarios[i].trouble, scenarios[i].body);
  int (*body)(struct rank *) = lane_scenario(name);
  if (!body)
    fail("there is no scenario %s", name);
  return ranks_run(plugin, 2, processes, TROUBLE_NONE, body);
}

int main(int count, char **arguments) {
  if (count < 4)
    fail("usage: direct PLUGIN SCENARIO threads|processes [tries [payload flags [signal flags [host|cuda]]]]");
  options.tries = count > 4 ? atol(arguments[4]) : TRIES;
  options.payload_flags = count > 5 ? strtoul(arguments[5], NULL, 0) : 0;
  options.signal_flags = count > 6 ? strtoul(arguments[6], NULL, 0) : 0;
  options.memory = count > 7 && strcmp(arguments[7], "cuda") == 0 ? RMA_PTR_CUDA : RMA_PTR_HOST;
  const int result = run(arguments[1], arguments[2], strcmp(arguments[3], "processes") == 0);
  print("left", left());
  return result;
}
