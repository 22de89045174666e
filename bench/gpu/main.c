/*
 * bench-gpu [--ranks N] [--json FILE] [speed | puts]: what the hunter's lanes, its oracle and puts cost on the GPUs of this
 * host; all ranks live in this process. Status 1: a target held something else than was sent, or a row failed; 2: it could
 * not be run, or hung.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/gpu/parts.h"
#include "bench/stress/gpu/kernels.h"

enum { STATUS_WRONG = 1, STATUS_CANNOT = 2 };

struct arguments {
  unsigned ranks; /* 0: as many as GPUs, two at least */
  const char *json;
  bool speed, puts;
};

static struct session session;
static struct results results;

static bool read_arguments(struct arguments *arguments, int count, char **words) {
  *arguments = (struct arguments){.speed = true, .puts = true};
  for (int i = 1; i < count; i++) {
    const char *word = words[i];
    const bool has_value = i + 1 < count;
    if (strcmp(word, "--ranks") == 0 && has_value) {
      char *end;
      const unsigned long ranks = strtoul(words[++i], &end, 10);
      if (*end || ranks < 2 || ranks > LOCAL_RANKS_MAX)
        return false;
      arguments->ranks = (unsigned)ranks;
    } else if (strcmp(word, "--json") == 0 && has_value)
      arguments->json = words[++i];
    else if (strcmp(word, "speed") == 0)
      arguments->puts = false;
    else if (strcmp(word, "puts") == 0)
      arguments->speed = false;
    else
      return false;
  }
  return arguments->speed || arguments->puts;
}

static bool describe(struct arguments *arguments, char *error) {
  int count = 0;
  if (!session_describe(results.machine, sizeof results.machine, error) ||
      cuda_failed(cudaGetDeviceCount(&count), "no GPU can be used", error))
    return false;
  if (!arguments->ranks)
    arguments->ranks = count < 2 ? 2 : count < LOCAL_RANKS_MAX ? (unsigned)count : LOCAL_RANKS_MAX;
  results.ranks = arguments->ranks;
  results.devices = (unsigned)count < arguments->ranks ? (unsigned)count : arguments->ranks;
  results.timer_ns = timer_resolution();
  if (results.ranks > results.devices && !getenv("NCCL_MULTI_RANK_GPU_ENABLE"))
    results_note(&results, "several ranks share a GPU: NCCL allows it from 2.30 on, with NCCL_MULTI_RANK_GPU_ENABLE=1");
  return true;
}

/* What one way lacks, in a sentence. */
static void note_lack(const char *what, const char *why) {
  if (*why)
    results_note(&results, "no %s: %s", what, why);
}

/* NCCL's own name of the transport, and the plugin below it. */
static void note_gin(void) {
  const char *plugin = getenv("NCCL_RMA_PLUGIN"), *name = plugin ? strrchr(plugin, '/') : NULL;
  snprintf(results.gin, sizeof results.gin, "%s%s%.80s", session.abilities.gin_type,
           plugin && *plugin ? ", NCCL_RMA_PLUGIN=" : "",
           name     ? name + 1
           : plugin ? plugin
                    : "");
}

/* With as much as this communicator has: the first of these that opens. */
static bool open_session(const struct arguments *arguments, struct session_wants *got, char *error) {
  const struct session_wants tried[] = {{.gin = true, .peers = true, .signals = puts_signals(arguments->ranks)},
                                        {.peers = true},
                                        {.gin = true, .signals = puts_signals(arguments->ranks)},
                                        {0}};
  const struct world world = {.ranks = arguments->ranks, .local = arguments->ranks};
  char no_gin[ERROR_SIZE] = "", no_peers[ERROR_SIZE] = "";
  for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
    *got = tried[i];
    if (session_open(&session, &world, parts_window_bytes(arguments->ranks), 0, got, error)) {
      if (got->gin)
        note_gin();
      note_lack("gin puts", got->gin ? "" : no_gin);
      note_lack("lsa puts and lanes", got->peers ? "" : no_peers);
      return true;
    }
    if (session.abandoned || !session.connected)
      return false;
    session_close(&session);
    memcpy(tried[i].gin ? no_gin : no_peers, error, ERROR_SIZE);
  }
  return false;
}

static bool measure(const struct arguments *arguments, char *error) {
  struct session_wants got;
  if (!open_session(arguments, &got, error))
    return false;
  if (arguments->speed && got.peers &&
      !(lanes_measure(&session, &results, error) && oracle_measure(&session, &results, error)))
    return false;
  return (!arguments->speed || verify_measure(&session, &results, error)) &&
         (!arguments->puts || puts_measure(&session, got.peers, got.gin, &results, error));
}

static bool write_json(const char *path) {
  if (!path || results_write(&results, path))
    return true;
  fprintf(stderr, "bench-gpu: %s: %s\n", path, strerror(errno));
  return false;
}

/* What is abandoned still runs on the GPU: nothing is freed then, and no handler of the end is run. */
static void end(int status) {
  fflush(NULL);
  if (session.abandoned)
    _exit(status);
  session_close(&session);
  session_finish(&session);
  exit(status);
}

int main(int count, char **words) {
  struct arguments arguments;
  char error[ERROR_SIZE] = "";
  if (!read_arguments(&arguments, count, words)) {
    fprintf(stderr, "usage: bench-gpu [--ranks 2..%d] [--json FILE] [speed | puts]\n", LOCAL_RANKS_MAX);
    return STATUS_CANNOT;
  }
  session_set_up_cuda();
  const bool known = describe(&arguments, error), good = known && measure(&arguments, error);
  if (known)
    results_print(&results);
  if (!good)
    fprintf(stderr, "bench-gpu: %s\n", error);
  const bool written = !known || write_json(arguments.json);
  end(!good || !written ? STATUS_CANNOT : results_wrong(&results) ? STATUS_WRONG : 0);
}
