/* Scenarios on the simulated fabric: lanes, each a sender and its receiver, as actors in the fabric's virtual time. */
#include "bench/stress/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/stress/look.h"
#include "bench/stress/nccl_library.h"

enum {
  RINGS = 16, /* slots of all lanes of a receiver together, unless more sources than that send to it */
  DEPTH_MAX = 8,
  UNIT = 128,
  SIGNAL_BYTES = 64, /* a VA signal or a flag has a line of its own */
  CONTEXTS = 4,
  ADD_MAX = 4096,
  FLAG_POLL_NS = 20,
  HEAL_FIRST_NS = 4,
  HEAL_LIMIT_NS = 1000000, /* what has not healed by then does not */
  GAP_MAX_NS = 400, /* between two rounds of a sender */
  START_MAX_NS = 1600
};

struct rank {
  struct ncclComm *comm;
  void *memory;
  size_t bytes;
  struct ncclWindow_vidmem *window;
};

static struct {
  const struct nccl_library *nccl;
  struct world world;
  struct rank *ranks; /* local ones */
} the;

struct run;

/* A sender and its receiver. Rounds are counted from 0; round r uses slot r % depth of the lane's ring. */
struct lane {
  struct run *run;
  struct origin origin; /* source, context, slot (the lane's number); round and index of the moment */
  size_t at; /* bytes from the window's start to the ring */
  uint64_t *from; /* source memory: a payload for each slot */
  uint64_t flag; /* source memory of a flag */
  struct fabric_signal signal;
  unsigned posted, looked, quota;
  int filled; /* the round that lies in source memory ahead of its put; -1: none */
  uint64_t added[DEPTH_MAX]; /* what each round in flight adds */
  uint64_t sum_posted, sum_looked; /* of the adds */
  bool sending, watching, healing;
  bool source_busy; /* the program waits until it may write over the source memory */
  struct witness witness; /* of the violation that may yet heal */
  uint64_t heal_wait;
  uint64_t posted_at; /* time of the last round */
};

struct run {
  const struct block *block;
  struct outcomes *sum;
  struct fabric *fabric;
  struct rank *rank;
  unsigned receiver, lane_count, words;
  uint64_t seed, draws;
  size_t stride; /* of a slot */
  struct lane *lanes;
};

static uint64_t draw(struct run *run, uint64_t below) { return seed_of(run->seed, run->draws++) % below; }

static const struct scenario *scenario_of(const struct lane *lane) { return lane->run->block->scenario; }

static size_t slot_at(const struct lane *lane, unsigned round) {
  const struct run *run = lane->run;
  return lane->at + (round % scenario_of(lane)->depth) * run->stride + run->block->offset;
}

static uint64_t *source_of(const struct lane *lane, unsigned round) {
  return lane->from + (size_t)(round % scenario_of(lane)->depth) * lane->run->words;
}

static struct origin origin_of(const struct lane *lane, unsigned round) {
  struct origin origin = lane->origin;
  origin.round = round & (CODE_ROUNDS - 1);
  return origin;
}

static void fill_source(struct lane *lane, unsigned round) {
  if (lane->filled == (int)round)
    return;
  fill(lane->run->seed, origin_of(lane, round), source_of(lane, round), lane->run->words);
  lane->filled = (int)round;
}

/* What the slots hold before the first round: the round before it. */
static void fill_slots(struct lane *lane) {
  const unsigned depth = scenario_of(lane)->depth;
  for (unsigned slot = 0; slot < depth; slot++)
    fill(lane->run->seed, origin_of(lane, slot - depth),
         (uint64_t *)((char *)lane->run->rank->memory + slot_at(lane, slot)), lane->run->words);
}

static void send(void *user);
static void seen(void *user);
static void poll_flag(void *user);

static void send_later(struct lane *lane) {
  struct run *run = lane->run;
  if (lane->sending || lane->source_busy || lane->posted == lane->quota ||
      lane->posted - lane->looked >= scenario_of(lane)->depth)
    return;
  lane->sending = true;
  the.nccl->at(run->fabric, the.nccl->now(run->fabric) + draw(run, GAP_MAX_NS), send, lane);
}

/* Writes the next round over the source memory, as a program does that believes the put is done with it. */
static void overwrite(void *user) {
  struct lane *lane = user;
  if (lane->posted < lane->quota)
    fill_source(lane, lane->posted);
  lane->source_busy = false;
  send_later(lane);
}

static bool put(struct lane *lane, unsigned round, unsigned first, unsigned last, const struct fabric_signal *signal,
                fabric_actor *done) {
  struct run *run = lane->run;
  const struct fabric_put put = {.source = (int)lane->origin.source,
                                 .context = (int)lane->origin.context,
                                 .to = run->rank->window,
                                 .to_offset = slot_at(lane, round) + first * sizeof(uint64_t),
                                 .from = source_of(lane, round) + first,
                                 .bytes = (last - first) * sizeof(uint64_t),
                                 .signal = signal};
  return the.nccl->put(run->fabric, &put, done, lane);
}

static bool put_flag(struct lane *lane, unsigned round) {
  struct run *run = lane->run;
  const struct origin origin = origin_of(lane, round);
  lane->flag = code_word(run->seed, origin);
  const struct fabric_put put = {.source = (int)lane->origin.source,
                                 .context = (int)lane->origin.context,
                                 .to = run->rank->window,
                                 .to_offset = lane->signal.offset,
                                 .from = &lane->flag,
                                 .bytes = sizeof lane->flag};
  return the.nccl->put(run->fabric, &put, NULL, NULL);
}

static bool signal_on(struct lane *lane, unsigned context) {
  return the.nccl->signal(lane->run->fabric, (int)lane->origin.source, (int)(context % CONTEXTS), &lane->signal);
}

static bool post(struct lane *lane, unsigned round) {
  const unsigned words = lane->run->words, half = words / 2;
  fabric_actor *done = scenario_of(lane)->reuse == REUSE_COMPLETED ? overwrite : NULL;
  switch (scenario_of(lane)->shape) {
  case SHAPE_FUSED: return put(lane, round, 0, words, &lane->signal, done);
  case SHAPE_SEPARATE: return put(lane, round, 0, words, NULL, done) && signal_on(lane, lane->origin.context);
  case SHAPE_TWO_PUTS:
    return put(lane, round, 0, half, NULL, NULL) && put(lane, round, half, words, &lane->signal, done);
  case SHAPE_FLAG: return put(lane, round, 0, words, NULL, done) && put_flag(lane, round);
  case SHAPE_CROSS_CONTEXT: return put(lane, round, 0, words, NULL, done) && signal_on(lane, lane->origin.context + 1);
  default: return signal_on(lane, lane->origin.context) && put(lane, round, 0, words, NULL, done);
  }
}

static void reuse_source(struct lane *lane) {
  struct run *run = lane->run;
  if (scenario_of(lane)->reuse == REUSE_FLUSHED)
    the.nccl->flush(run->fabric, (int)lane->origin.source, (int)lane->origin.context, overwrite, lane);
  if (scenario_of(lane)->reuse == REUSE_AT_ONCE)
    the.nccl->at(run->fabric, the.nccl->now(run->fabric) + draw(run, GAP_MAX_NS), overwrite, lane);
}

static void wait_for_signal(struct lane *lane) {
  if (lane->watching || lane->healing || lane->looked == lane->posted)
    return;
  lane->watching = true;
  if (scenario_of(lane)->shape == SHAPE_FLAG)
    the.nccl->at(lane->run->fabric, the.nccl->now(lane->run->fabric) + FLAG_POLL_NS, poll_flag, lane);
  else
    the.nccl->watch(lane->run->fabric, &lane->signal, seen, lane);
}

static void send(void *user) {
  struct lane *lane = user;
  struct run *run = lane->run;
  const unsigned round = lane->posted;
  lane->sending = false;
  fill_source(lane, round);
  lane->signal.add = 1 + draw(run, ADD_MAX);
  lane->added[round % scenario_of(lane)->depth] = lane->signal.add;
  lane->sum_posted += lane->signal.add;
  lane->posted++;
  lane->posted_at = the.nccl->now(run->fabric);
  run->sum->posted++;
  lane->source_busy = scenario_of(lane)->reuse == REUSE_COMPLETED || scenario_of(lane)->reuse == REUSE_FLUSHED;
  if (!post(lane, round))
    lane->quota = lane->posted; /* what is missing then shows as lost */
  reuse_source(lane);
  wait_for_signal(lane);
  send_later(lane);
}

static void resolved(struct lane *lane, enum outcome outcome, const struct witness *witness) {
  outcome_add(lane->run->sum, outcome, witness);
  lane->sum_looked += lane->added[lane->looked % scenario_of(lane)->depth];
  lane->looked++;
  send_later(lane);
}

static struct finding look_at(const struct lane *lane) {
  const struct run *run = lane->run;
  const enum looked_at which = scenario_of(lane)->look;
  const struct expected expected = {
      .seed = run->seed,
      .origin = origin_of(lane, lane->looked),
      .memory = (const volatile uint64_t *)((char *)run->rank->memory + slot_at(lane, lane->looked)),
      .boundary = scenario_of(lane)->shape == SHAPE_TWO_PUTS ? run->words / 2 : 0,
      .first = which == LOOK_LAST ? run->words / 2 : 0,
      .last = which == LOOK_FIRST ? run->words / 2 : run->words};
  return look(&expected);
}

static void look_again(void *user);

/* True when the try is over. */
static bool examine(struct lane *lane) {
  struct run *run = lane->run;
  const struct finding finding = look_at(lane);
  if (finding.outcome == OUTCOME_OK) {
    resolved(lane, OUTCOME_OK, NULL);
    return true;
  }
  lane->witness = (struct witness){.outcome = finding.outcome,
                                   .time_ns = the.nccl->now(run->fabric),
                                   .receiver = run->receiver,
                                   .block = run->block->number,
                                   .want = finding.want,
                                   .got = finding.got,
                                   .wrong = finding.wrong,
                                   .words = run->words};
  if (finding.outcome != OUTCOME_EARLY) {
    resolved(lane, finding.outcome, &lane->witness);
    return true;
  }
  lane->healing = true;
  lane->heal_wait = HEAL_FIRST_NS;
  the.nccl->at(run->fabric, the.nccl->now(run->fabric) + lane->heal_wait, look_again, lane);
  return false;
}

/* All rounds whose signal stands there; then waits for the next. */
static void look_on(struct lane *lane) {
  const uint64_t value = the.nccl->signal_value(lane->run->fabric, &lane->signal);
  while (lane->looked < lane->posted) {
    if (value > lane->sum_posted) {
      struct witness witness = {.outcome = OUTCOME_DUPLICATE,
                                .time_ns = the.nccl->now(lane->run->fabric),
                                .receiver = lane->run->receiver,
                                .block = lane->run->block->number,
                                .want = origin_of(lane, lane->looked),
                                .words = lane->run->words};
      witness.got = witness.want;
      lane->sum_posted = value; /* counted once */
      lane->sum_looked = value - lane->added[lane->looked % scenario_of(lane)->depth];
      resolved(lane, OUTCOME_DUPLICATE, &witness);
      continue;
    }
    if (value < lane->sum_looked + lane->added[lane->looked % scenario_of(lane)->depth])
      break;
    if (!examine(lane))
      return;
  }
  wait_for_signal(lane);
}

static void look_again(void *user) {
  struct lane *lane = user;
  struct run *run = lane->run;
  const uint64_t now = the.nccl->now(run->fabric), late = now - lane->witness.time_ns;
  const bool healed = look_at(lane).outcome == OUTCOME_OK;
  if (!healed && late < HEAL_LIMIT_NS) {
    lane->heal_wait += lane->heal_wait / 4 + 1;
    the.nccl->at(run->fabric, now + lane->heal_wait, look_again, lane);
    return;
  }
  lane->healing = false;
  lane->witness.outcome = healed ? OUTCOME_EARLY : OUTCOME_STALE;
  lane->witness.lateness_ns = healed ? late : 0;
  resolved(lane, lane->witness.outcome, &lane->witness);
  if (scenario_of(lane)->shape == SHAPE_FLAG)
    wait_for_signal(lane);
  else
    look_on(lane);
}

static void seen(void *user) {
  struct lane *lane = user;
  lane->watching = false;
  look_on(lane);
}

static void poll_flag(void *user) {
  struct lane *lane = user;
  const struct origin origin = origin_of(lane, lane->looked);
  const volatile uint64_t *flag = (const volatile uint64_t *)((char *)lane->run->rank->memory + lane->signal.offset);
  const bool there = *flag == code_word(lane->run->seed, origin);
  lane->watching = false;
  if (!there && the.nccl->now(lane->run->fabric) > lane->posted_at + HEAL_LIMIT_NS)
    return; /* the flag itself was lost, or is another's word: so is the round */
  if (!there || examine(lane))
    wait_for_signal(lane);
}

static void lane_open(struct lane *lane, struct run *run, unsigned number, unsigned source, unsigned context) {
  const struct scenario *scenario = run->block->scenario;
  *lane = (struct lane){.run = run, .filled = -1};
  lane->origin = (struct origin){.source = source, .context = context, .slot = number % CODE_SLOTS};
  lane->at = (size_t)number * scenario->depth * run->stride;
  lane->signal = (struct fabric_signal){.va = scenario->va, .strong = scenario->strong, .index = number};
  lane->signal.window = run->rank->window;
  lane->signal.offset = run->rank->bytes - (number + 1) * (size_t)SIGNAL_BYTES;
  lane->quota = (run->block->tries + run->lane_count - 1) / run->lane_count;
  *(uint64_t *)((char *)run->rank->memory + lane->signal.offset) = 0;
}

static unsigned source_count(const struct run *run) {
  unsigned count = 0;
  for (unsigned rank = 0; rank < the.world.ranks; rank++)
    count += pattern_sends(run->block->pattern, the.world.ranks, rank, run->receiver, run->block->number);
  return count;
}

static unsigned lanes_for(unsigned sources, unsigned depth) {
  const unsigned room = RINGS / depth;
  return sources > room ? sources : sources * (room / sources);
}

static bool lanes_open(struct run *run) {
  const struct scenario *scenario = run->block->scenario;
  const unsigned sources = source_count(run);
  unsigned number = 0;
  run->lane_count = sources ? lanes_for(sources, scenario->depth) : 0;
  run->lanes = calloc(run->lane_count + 1, sizeof *run->lanes);
  for (unsigned rank = 0; run->lanes && sources && rank < the.world.ranks; rank++) {
    if (!pattern_sends(run->block->pattern, the.world.ranks, rank, run->receiver, run->block->number))
      continue;
    for (unsigned i = 0; i < run->lane_count / sources; i++, number++) {
      struct lane *lane = &run->lanes[number];
      lane_open(lane, run, number, rank, (unsigned)draw(run, CONTEXTS));
      lane->from = malloc((size_t)run->words * scenario->depth * sizeof(uint64_t));
      if (!lane->from)
        return false;
      fill_slots(lane);
    }
  }
  return run->lanes != NULL;
}

static void lanes_close(struct run *run) {
  for (unsigned i = 0; run->lanes && i < run->lane_count; i++)
    free(run->lanes[i].from);
  free(run->lanes);
}

/* What a check after the run sees of a lane: its last round, settled; a signal that never came would have hung it. */
static bool wrong_at_end(struct lane *lane) {
  if (lane->looked < lane->posted)
    return true;
  if (!lane->posted)
    return false;
  lane->looked--;
  const bool wrong = look_at(lane).outcome != OUTCOME_OK;
  lane->looked++;
  return wrong;
}

/* Nothing is left to happen: what has not been seen was lost. */
static void lane_end(struct lane *lane) {
  struct run *run = lane->run;
  run->sum->found_at_end += wrong_at_end(lane);
  for (; lane->looked < lane->posted; lane->looked++) {
    const struct origin want = origin_of(lane, lane->looked);
    const struct witness witness = {.outcome = OUTCOME_LOST,
                                    .time_ns = the.nccl->now(run->fabric),
                                    .receiver = run->receiver,
                                    .block = run->block->number,
                                    .want = want,
                                    .got = want,
                                    .words = run->words};
    outcome_add(run->sum, OUTCOME_LOST, &witness);
  }
}

/* The stress of a block: how its host, its network and its neighbours behave. */
static struct fabric_settings settings_of(struct run *run) {
  static const unsigned tlp_bytes[] = {128, 256, 512, 1024}, jitters[] = {20, 200, 1000, 4000}, loads[] = {0, 0, 4, 16};
  return (struct fabric_settings){.seed = seed_of(run->seed, UINT64_MAX),
                                  .reorder = 0.5,
                                  .tlp_bytes = tlp_bytes[draw(run, 4)],
                                  .link_ns = 1 + (unsigned)draw(run, 20),
                                  .jitter_ns = jitters[draw(run, 4)],
                                  .background = loads[draw(run, 4)]};
}

static bool fail(char *error, const char *what, const struct rank *rank) {
  const char *why = the.nccl->last_error(rank ? rank->comm : NULL);
  if (why && strncmp(why, what, strlen(what)) == 0)
    snprintf(error, ERROR_SIZE, "%s", why);
  else
    snprintf(error, ERROR_SIZE, "%s: %s", what, why && *why ? why : "out of memory");
  return false;
}

static void run_lanes(struct run *run) {
  const bool aligned = draw(run, 2);
  for (unsigned i = 0; i < run->lane_count; i++) {
    run->lanes[i].sending = true;
    the.nccl->at(run->fabric, aligned ? 0 : draw(run, START_MAX_NS), send, &run->lanes[i]);
  }
  while (the.nccl->step(run->fabric))
    ;
  for (unsigned i = 0; i < run->lane_count; i++)
    lane_end(&run->lanes[i]);
}

static bool run_receiver(unsigned receiver, const struct block *block, struct outcomes *sum, char *error) {
  struct outcomes of_block = {.blocks = 1};
  struct run run = {.block = block, .sum = &of_block, .receiver = receiver};
  run.rank = &the.ranks[receiver - the.world.first];
  run.seed = seed_of(seed_of(block->seed, block->number), receiver);
  run.words = (unsigned)(block->bytes / sizeof(uint64_t));
  run.stride = (block->bytes + block->offset + UNIT - 1) / UNIT * UNIT;
  const struct fabric_settings settings = settings_of(&run);
  run.fabric = the.nccl->open(run.rank->comm, &settings);
  if (!run.fabric)
    return fail(error, "the fabric cannot be opened", run.rank);
  const bool opened = lanes_open(&run);
  if (opened && run.lane_count)
    run_lanes(&run);
  of_block.time_ns = the.nccl->now(run.fabric);
  of_block.blocks_with_violation = outcome_violations(&of_block) > 0;
  if (opened && run.lane_count)
    outcome_merge(sum, &of_block);
  lanes_close(&run);
  the.nccl->close(run.fabric);
  return opened || fail(error, "lanes", NULL);
}

static bool fabric_run(const struct block *block, struct outcomes *sums, char *error) {
  for (unsigned i = 0; i < the.world.local; i++)
    if (!run_receiver(the.world.first + i, block, &sums[i], error))
      return false;
  return true;
}

/* The bytes a window needs for these blocks. */
static size_t window_bytes(unsigned ranks, size_t largest) {
  const size_t lanes = ranks > RINGS ? ranks : RINGS;
  const size_t rings = ranks > RINGS / DEPTH_MAX ? (size_t)ranks * DEPTH_MAX : RINGS;
  return rings * (largest + 4096 + UNIT) + lanes * SIGNAL_BYTES;
}

static bool rank_open(struct rank *rank, size_t bytes, int flags, char *error) {
  rank->bytes = bytes / UNIT * UNIT;
  if (the.nccl->mem_alloc(&rank->memory, rank->bytes) != 0)
    return fail(error, "ncclMemAlloc", rank);
  if (the.nccl->window_register(rank->comm, rank->memory, rank->bytes, &rank->window, flags) != 0)
    return fail(error, "ncclCommWindowRegister", rank);
  return true;
}

/* One rank of several processes. The id is the same in all of them, and another one for each time the backend is opened. */
static bool comm_join(char *error) {
  static unsigned opened;
  struct unique_id id = {{0}};
  snprintf(id.bytes, sizeof id.bytes, "winord-stress.%u.%.100s", ++opened, the.world.job);
  return the.nccl->comm_init_rank(&the.ranks[0].comm, (int)the.world.ranks, id, (int)the.world.first) == 0 ||
         fail(error, "ncclCommInitRank", NULL);
}

static bool comms_open(char *error) {
  struct ncclComm **comms = calloc(the.world.local, sizeof(struct ncclComm *));
  const bool opened = comms && the.nccl->comm_init_all(comms, (int)the.world.local, NULL) == 0;
  for (unsigned i = 0; opened && i < the.world.local; i++)
    the.ranks[i].comm = comms[i];
  free(comms);
  return opened || fail(error, "ncclCommInitAll", NULL);
}

static void fabric_close(void) {
  for (unsigned i = 0; the.ranks && i < the.world.local; i++) {
    struct rank *rank = &the.ranks[i];
    if (rank->window)
      the.nccl->window_deregister(rank->comm, rank->window);
    if (rank->memory)
      the.nccl->mem_free(rank->memory);
    if (rank->comm)
      the.nccl->comm_destroy(rank->comm);
  }
  free(the.ranks);
  the.ranks = NULL;
}

static bool fabric_open(const struct world *world, size_t largest, int flags, char *error) {
  const size_t bytes = window_bytes(world->ranks, largest);
  the.nccl = nccl_library(error);
  if (!the.nccl)
    return false;
  the.world = *world;
  the.ranks = calloc(world->local, sizeof *the.ranks);
  if (!the.ranks || !(world->local < world->ranks ? comm_join(error) : comms_open(error)))
    return false;
  for (unsigned i = 0; i < world->local; i++)
    if (!rank_open(&the.ranks[i], bytes, flags, error))
      return false;
  return true;
}

static void *fabric_mail(void) {
  size_t bytes;
  return the.nccl->shared(the.ranks[0].comm, &bytes);
}

static bool fabric_meet(int timeout_ms, char *error) {
  const int missing = the.nccl->barrier(the.ranks[0].comm, timeout_ms);
  const char *why = missing ? the.nccl->last_error(the.ranks[0].comm) : NULL;
  if (missing)
    snprintf(error, ERROR_SIZE, "rank %d is missing: %s", missing - 1, why ? why : "");
  return !missing;
}

static int fabric_relaxed(unsigned rank) { return the.nccl->window_relaxed(the.ranks[rank - the.world.first].window); }

const struct backend fabric_backend = {.name = "fabric",
                                       .transport = "simulated PCIe, virtual time",
                                       .window_flags = true,
                                       .tries = 2500,
                                       .open = fabric_open,
                                       .run = fabric_run,
                                       .registered_relaxed = fabric_relaxed,
                                       .mail = fabric_mail,
                                       .meet = fabric_meet,
                                       .close = fabric_close};
