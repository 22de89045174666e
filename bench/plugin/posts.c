/* Operations between NCCL's threads and the connection's own. */
#include <stdlib.h>

#include "bench/plugin/connection.h"

enum { BLOCK_FIRST = 256 };

/* Each block is twice the one before. Under the lock. */
static bool more_ops(struct connection *connection) {
  const size_t count = (size_t)BLOCK_FIRST << connection->blocks;
  if (connection->blocks == BLOCKS_MOST || count > SIZE_MAX / sizeof(struct op))
    return false;
  struct op *block = calloc(count, sizeof *block);
  if (!block)
    return false;
  connection->all[connection->blocks++] = block;
  for (size_t i = 0; i < count; i++) {
    block[i].next = connection->unused;
    connection->unused = &block[i];
  }
  return true;
}

struct op *op_new(struct connection *connection) {
  pthread_mutex_lock(&connection->lock);
  struct op *op = NULL;
  if (connection->unused || more_ops(connection)) {
    op = connection->unused;
    connection->unused = op->next;
    *op = (struct op){0};
  }
  pthread_mutex_unlock(&connection->lock);
  return op;
}

void op_post(struct connection *connection, struct op *op) {
  op->next = NULL;
  pthread_mutex_lock(&connection->lock);
  *connection->posted_last = op;
  connection->posted_last = &op->next;
  pthread_mutex_unlock(&connection->lock);
}

void op_complete(struct op *op) { __atomic_store_n(&op->done, true, __ATOMIC_RELEASE); }

/* Under the lock. */
static void give_back(struct connection *connection, struct op *op) {
  if (!op->tested || !op->finished)
    return;
  op->next = connection->unused;
  connection->unused = op;
}

void op_finish(struct connection *connection, struct op *op) {
  region_leave(op->from);
  op->from = NULL;
  pthread_mutex_lock(&connection->lock);
  op->finished = true;
  __atomic_store_n(&op->done, true, __ATOMIC_RELEASE);
  give_back(connection, op);
  pthread_mutex_unlock(&connection->lock);
}

bool op_test(struct connection *connection, struct op *op) {
  if (!__atomic_load_n(&op->done, __ATOMIC_ACQUIRE))
    return false;
  pthread_mutex_lock(&connection->lock);
  op->tested = true;
  give_back(connection, op);
  pthread_mutex_unlock(&connection->lock);
  return true;
}

bool ops_take_posted(struct connection *connection) {
  pthread_mutex_lock(&connection->lock);
  struct op *op = connection->posted;
  connection->posted = NULL;
  connection->posted_last = &connection->posted;
  pthread_mutex_unlock(&connection->lock);
  const bool any = op != NULL;
  while (op) {
    struct op *next = op->next;
    send_queue(connection, op);
    op = next;
  }
  return any;
}
