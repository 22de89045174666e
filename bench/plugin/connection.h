/*
 * A rank's connection to all ranks of its host, and the thread that serves it. That one thread reads the sources of our puts
 * into the receivers' inboxes, and delivers what lies in our own: so a rank whose NCCL happens not to progress still receives,
 * each signal's word has one writer, and CUDA's streams need no lock. NCCL's threads only queue operations and look at flags.
 */
#ifndef WINORD_PLUGIN_CONNECTION_H
#define WINORD_PLUGIN_CONNECTION_H

#include <pthread.h>

#include "bench/fabric/ordering.h"
#include "bench/fabric/random.h"
#include "bench/plugin/device.h"
#include "bench/plugin/ring.h"
#include "bench/plugin/rma_api.h"
#include "bench/plugin/settings.h"

enum { REGIONS_MOST = 65536, LANES = 64, REPLY_LANE = LANES - 1, PATHS = 2, BLOCKS_MOST = 40 };

/* What is registered. All ranks register alike, so its number says which it is on each. */
struct region {
  uint64_t number;
  uint8_t *base;
  size_t size;
  uint64_t flags;
  bool cuda, relaxed;
  bool retired; /* atomic: nothing new may use it */
  uint32_t users; /* atomic: operations and TLPs */
  uint8_t *known; /* of a signal memory that is never reset: whether we know a word's value, and */
  uint64_t *words; /* its value */
};

enum op_kind { OP_PUT, OP_GET, OP_FLUSH, OP_REPLY };

/* What was posted. The thread that posted it may look at done, and gives it back then. */
struct op {
  struct op *next;
  enum op_kind kind;
  bool done, tested; /* done: atomic */
  bool finished; /* the connection needs it no more */
  bool own, has_signal, strong, payload, started, all_sent;
  int peer;
  uint32_t context;
  struct region *from; /* put, reply: source; get: destination; NULL: nothing to read */
  uint64_t from_offset, size, sent;
  uint64_t to, to_offset; /* region at the other side, bytes */
  uint64_t signal, signal_offset, add;
  uint64_t number; /* put: counted by peer */
  uint64_t get; /* reply: the asker's op */
  uint64_t not_before; /* a fault: it is read later */
  uint64_t barrier; /* flush: all that arrived before this one is to be delivered */
  uint32_t reading; /* copies under way */
  uint64_t undelivered; /* bytes of an own put or a get, and the signal's one, that are to land */
};

enum phase { PHASE_WAITING, PHASE_FETCHING, PHASE_FETCHED, PHASE_ISSUED, PHASE_DONE };

/* What has arrived, until it is in memory. */
struct transfer {
  struct transfer *next; /* of its lane */
  struct slot *slot;
  struct region *region;
  struct step steps[SIGNAL_STEPS_MAX];
  unsigned step, step_count;
  enum phase phase;
  uint64_t arrival, release; /* counted; when it may go */
  uint64_t put; /* which put it belongs to */
  uint8_t path;
  bool alone; /* bound to its own put only */
  bool unbound; /* bound to nothing: a fault */
  bool barrier; /* behind all that arrived earlier, in all lanes */
  bool escaped; /* a fault: nobody waits for it */
  bool after_signal; /* such a one, that goes right after the next signal */
  bool reset; /* a fault: the signal is set to zero */
  bool narrow; /* a fault: it has few bits */
  bool half; /* a fault: half of each line is written */
  bool lost; /* a fault: nothing is written */
  bool cut; /* a fault: a piece in it is not written */
  bool twice; /* a fault: the signal is added again */
  int shift; /* a fault: bytes beside its place */
};

/* What came from one source on one context, in order. */
struct lane {
  struct transfer *first, **last;
  bool payload; /* carries more than inline values */
  bool elsewhere; /* a fault: the next signal is unbound */
  uint64_t put; /* the latest */
  uint64_t stale; /* a fault: this put writes nothing */
};

struct copy {
  void *subject; /* reads: an op; writes: a TLP */
  struct slot *slot; /* reads: is full then */
};

/* Copies of a stream under way, in order. */
struct copies {
  struct copy entries[MARKS];
  unsigned first, count;
};

struct counts {
  uint64_t puts, signals, bytes, tlps, held, struck, dropped;
  uint64_t passed[TLP_KINDS][TLP_KINDS]; /* trailing, earlier */
};

struct peer {
  struct inbox inbox; /* what we send to */
  unsigned next_slot; /* of it */
  uint64_t puts; /* counted */
  struct op *first, **last; /* not all sent, in order */
  unsigned take; /* slot of our inbox's ring that comes next */
};

struct connection {
  struct settings settings;
  struct ordering table; /* PCIe's, or with a fault in it */
  int rank, nranks, number;
  const char *user;
  uint32_t contexts;
  struct inbox inbox;
  struct peer *peers;
  struct transfer *transfers; /* source times slots, slot */
  struct lane *lanes; /* source times LANES, lane */
  struct device device;
  bool device_ready; /* atomic */
  bool device_entered;
  struct copies copies[DEVICE_STREAMS];
  pthread_mutex_t lock; /* of the posted operations, the free ones, and registration */
  struct op *posted, **posted_last, *unused, *all[BLOCKS_MOST];
  unsigned blocks; /* of all */
  struct region **regions; /* atomic, by number */
  uint64_t region_count; /* atomic */
  pthread_t thread;
  bool stop, failed; /* atomic */
  uint64_t rounds; /* atomic */
  uint64_t arrivals;
  struct transfer *rmw; /* it holds the NIC's unit for read-modify-write */
  struct random random;
  struct faults faults;
  uint8_t latest[SLOT_BYTES]; /* payload, for a fault */
  struct counts counts;
};

/* connect.c: NCCL's life cycle of it. */
rma_listen connection_listen;
rma_connect connection_connect;
rma_close connection_close, connection_close_listen;

/* What init makes for each communicator. */
struct instance {
  struct settings settings;
};

struct context {
  struct connection *connection;
  uint32_t base; /* number of its first context */
  int count;
};
rma_create_context connection_create_context;

/* regions.c */
rma_reg region_register;
rma_dereg region_deregister;

/* The region of that number, used from now on, or NULL: *later, not registered yet; else no more. In the thread. */
struct region *region_use(struct connection *connection, uint64_t number, bool *later);
void region_leave(struct region *region);

/* posts.c: operations. op_new: all zero, NULL: no memory; op_post queues it; op_finish ends its part in the connection. */
struct op *op_new(struct connection *connection);
void op_post(struct connection *connection, struct op *op);
void op_complete(struct op *op);
void op_finish(struct connection *connection, struct op *op);
bool op_test(struct connection *connection, struct op *op);
bool ops_take_posted(struct connection *connection);

/* send.c: sends what there is room for, and sees to the copies that have ended. True: something moved. */
bool send_all(struct connection *connection);
void send_queue(struct connection *connection, struct op *op);
bool send_reads_ended(struct connection *connection);

/* Ends the operation once all of it is sent, read, and landed where that is to be waited for. */
void send_end(struct connection *connection, struct op *op);

/* arrive.c: takes what has arrived into its lanes, and decides which faults strike it. True: something moved. */
bool arrive_all(struct connection *connection);

/* Of an own put or a get, so many bytes have landed (a signal: one), or are given up. */
void arrive_landed(struct connection *connection, const struct record *record);

/* deliver.c: lets go what may go. True: something moved. */
bool deliver_all(struct connection *connection);
bool deliver_writes_ended(struct connection *connection);

/* The number of the earliest arrival that is not in memory; the next arrival's when all are. */
uint64_t deliver_earliest(const struct connection *connection);

/* write.c: puts a TLP that may go into memory: the next of its steps. False: there is no room, or the NIC's unit is busy. */
bool write_transfer(struct connection *connection, struct transfer *transfer, int source);

/* What a signal's memory held has been fetched. */
void write_fetched(struct connection *connection, struct transfer *transfer);

/* engine.c: the thread. */
bool engine_start(struct connection *connection);
void engine_stop(struct connection *connection);

/* Whether one more copy may be issued; to be asked before each. The thread is then in the device's context. */
bool copies_room(struct connection *connection, enum device_stream stream);

/* A copy was issued: marks its stream. False: CUDA cannot, and nobody will know when it has ended. */
bool copies_add(struct connection *connection, enum device_stream stream, struct copy copy);

/* The copy that ended next, if one has. */
bool copies_ended(struct connection *connection, enum device_stream stream, struct copy *copy);

/* A hold, drawn; ns. */
uint64_t draw_hold(struct connection *connection, struct random *random);

/* Whether the planted fault strikes; counted. */
bool strikes(struct connection *connection, enum fault fault);

/* Copies words one by one, as a device would: nobody sees half a word. */
void copy_words(uint8_t *to, const uint8_t *from, size_t bytes);

#endif
