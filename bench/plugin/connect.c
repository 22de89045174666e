/* A connection from NCCL's listen to its close. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

/* Between listen and connect. */
struct listener {
  const void *ctx;
  struct settings settings;
  struct inbox inbox;
};

enum rma_result connection_listen(void *ctx, int device, void *handle, void **listener) {
  (void)device;
  *listener = NULL;
  struct listener *made = calloc(1, sizeof *made);
  if (!made || !ctx)
    return free(made), RMA_SYSTEM_ERROR;
  made->ctx = ctx;
  made->settings = ((const struct instance *)ctx)->settings;
  if (!inbox_make(&made->inbox, handle)) {
    say("no shared memory");
    free(made);
    return RMA_SYSTEM_ERROR;
  }
  *listener = made;
  return RMA_SUCCESS;
}

enum rma_result connection_close_listen(void *listener) {
  struct listener *closed = listener;
  if (closed)
    inbox_close(&closed->inbox);
  free(closed);
  return RMA_SUCCESS;
}

/* How often this process has connected as this rank, this time included. */
static int count_connection(int rank) {
  static int counts[RING_RANKS_MOST];
  return __atomic_add_fetch(&counts[rank], 1, __ATOMIC_RELAXED);
}

static void free_connection(struct connection *connection) {
  for (int i = 0; connection->peers && i < connection->nranks; i++)
    inbox_close(&connection->peers[i].inbox);
  inbox_close(&connection->inbox);
  for (unsigned i = 0; i < connection->blocks; i++)
    free(connection->all[i]);
  for (uint64_t i = 0; connection->regions && i < connection->region_count; i++)
    if (connection->regions[i]) {
      free(connection->regions[i]->known);
      free(connection->regions[i]->words);
      free(connection->regions[i]);
    }
  free(connection->regions);
  free(connection->peers);
  free(connection->transfers);
  free(connection->lanes);
  pthread_mutex_destroy(&connection->lock);
  free(connection);
}

static bool open_peers(struct connection *connection, void *handles[], uint64_t deadline) {
  for (int i = 0; i < connection->nranks; i++) {
    const char *why;
    struct peer *peer = &connection->peers[i];
    peer->last = &peer->first;
    if (!inbox_open(&peer->inbox, handles[i], connection->nranks, connection->rank, deadline, &why)) {
      say("rank %d of %d: no connection to rank %d: %s", connection->rank, connection->nranks, i, why);
      return false;
    }
  }
  const int missing = inbox_wait(&connection->inbox, connection->nranks, deadline);
  if (missing >= 0)
    say("rank %d of %d: rank %d did not connect", connection->rank, connection->nranks, missing);
  return missing < 0;
}

static bool make_lanes(struct connection *connection) {
  const size_t nranks = (size_t)connection->nranks;
  connection->transfers = calloc(nranks * connection->inbox.slots, sizeof *connection->transfers);
  connection->lanes = calloc(nranks * LANES, sizeof *connection->lanes);
  connection->regions = calloc(REGIONS_MOST, sizeof(void *));
  if (!connection->transfers || !connection->lanes || !connection->regions)
    return false;
  for (size_t i = 0; i < nranks * LANES; i++)
    connection->lanes[i] = (struct lane){.last = &connection->lanes[i].first, .put = UINT64_MAX, .stale = UINT64_MAX};
  return true;
}

/* Each rank and connection draws its own. */
static void seed(struct connection *connection) {
  const uint64_t own =
      connection->settings.seed + ((uint64_t)connection->rank << 32) + ((uint64_t)connection->number << 48);
  random_seed(&connection->random, own);
  settings_plant(&connection->settings, &connection->faults, own);
  connection->table = pcie_ordering;
  if (connection->settings.fault == FAULT_READ_PASSES)
    connection->table.cells[TLP_READ][TLP_WRITE][WHEN_RELAXED].answer = PASS_MAY;
}

static struct connection *make(struct listener *listener, const void *ctx, int nranks, int rank) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (!connection)
    return NULL;
  pthread_mutex_init(&connection->lock, NULL);
  connection->settings = listener->settings;
  connection->rank = rank;
  connection->nranks = nranks;
  connection->number = count_connection(rank);
  connection->user = ctx == listener->ctx ? "gin" : "rma"; /* rma_proxy.cc hands over another plugin's */
  connection->posted_last = &connection->posted;
  connection->inbox = listener->inbox;
  listener->inbox = (struct inbox){.file = -1};
  seed(connection);
  connection->peers = calloc((size_t)nranks, sizeof *connection->peers);
  if (connection->peers && inbox_furnish(&connection->inbox, nranks) && make_lanes(connection))
    return connection;
  free_connection(connection);
  return NULL;
}

enum rma_result connection_connect(void *ctx, void *handles[], int nranks, int rank, void *listener, void **comm) {
  *comm = NULL;
  if (!listener || nranks < 1 || nranks > RING_RANKS_MOST || rank < 0 || rank >= nranks) {
    say("rank %d of %d cannot be connected: 1 to %d ranks can", rank, nranks, RING_RANKS_MOST);
    return RMA_INVALID_ARGUMENT;
  }
  struct connection *connection = make(listener, ctx, nranks, rank);
  if (!connection)
    return RMA_SYSTEM_ERROR;
  const uint64_t deadline = now_ns() + (uint64_t)connection->settings.timeout_ms * 1000000;
  if (!open_peers(connection, handles, deadline) || !engine_start(connection)) {
    free_connection(connection);
    return RMA_SYSTEM_ERROR;
  }
  close(connection->inbox.file);
  connection->inbox.file = -1;
  *comm = connection;
  return RMA_SUCCESS;
}

enum rma_result connection_create_context(void *comm, struct rma_config *config, void **context) {
  struct connection *connection = comm;
  struct context *made = calloc(1, sizeof *made);
  *context = made;
  if (!made)
    return RMA_SYSTEM_ERROR;
  *made = (struct context){.connection = connection, .base = connection->contexts, .count = config->contexts};
  connection->contexts += (uint32_t)config->contexts;
  return RMA_SUCCESS;
}

static void log_counts(const struct connection *connection) {
  static const char *names[TLP_KINDS] = {"write", "read", "atomic", "completion"};
  const struct counts *counts = &connection->counts;
  char passed[512] = "";
  size_t used = 0;
  for (int kind = 0; kind < TLP_KINDS; kind++)
    for (int other = 0; other < TLP_KINDS; other++)
      if (counts->passed[kind][other])
        used += (size_t)snprintf(passed + used, sizeof passed - used, "%s\"%s_over_%s\":%llu", used ? "," : "",
                                 names[kind], names[other], (unsigned long long)counts->passed[kind][other]);
  log_record(connection->settings.log,
             "{\"v\":1,\"event\":\"counts\",\"pid\":%d,\"rank\":%d,\"nranks\":%d,\"comm\":%d,\"user\":\"%s\","
             "\"puts\":%llu,\"signals\":%llu,\"bytes\":%llu,\"tlps\":%llu,\"held\":%llu,\"passed\":{%s},"
             "\"struck\":%llu,\"dropped\":%llu}",
             (int)getpid(), connection->rank, connection->nranks, connection->number, connection->user,
             (unsigned long long)counts->puts, (unsigned long long)counts->signals, (unsigned long long)counts->bytes,
             (unsigned long long)counts->tlps, (unsigned long long)counts->held, passed,
             (unsigned long long)counts->struck, (unsigned long long)counts->dropped);
}

enum rma_result connection_close(void *comm) {
  struct connection *connection = comm;
  if (!connection)
    return RMA_SUCCESS;
  engine_stop(connection);
  log_counts(connection);
  free_connection(connection);
  return RMA_SUCCESS;
}
