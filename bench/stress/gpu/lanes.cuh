/*
 * A block, as a kernel: CTA e plays end e. The transport is a template parameter:
 *   struct Net {
 *     static constexpr bool has_source;             // false: payload is made in registers
 *     void put(const end &, uint64_t to, uint64_t from, unsigned bytes, uint64_t add,    // add 0: without a signal
 *              unsigned round, unsigned first);     // word of the round's payload
 *     void signal(const end &, unsigned context, uint64_t add);
 *     void flag(const end &, uint64_t value, bool ordered);
 *     void begin(const end &, uint64_t word);       // the sender is here: word goes to final
 *     void word(unsigned peer, unsigned context, uint64_t to, uint64_t value);           // one word, to a peer's window
 *     void completed(const end &, unsigned puts);  // until the source of so many puts since the start was read
 *     void flush(const end &);
 *     uint64_t value(const end &);                 // of the signal, acquire
 *   };
 * put, completed and flush are called by all threads, value by any, the others by thread 0.
 */
#ifndef WINORD_GPU_LANES_CUH
#define WINORD_GPU_LANES_CUH

#include "bench/stress/gpu/kernels.h"
#include "bench/stress/outcome.h"

namespace winord {

struct arguments {
  const end *ends;
  tally *tallies;
  event *events; /* of end e: from first_event[e] */
  const unsigned *first_event;
  volatile unsigned *waits; /* host memory: waiting << 28 | round, for each end */
  const volatile unsigned *stop; /* host memory */
  stress how;
};

inline arguments arguments_of(const launch_of_block *launch) {
  return arguments{launch->end,   launch->tallies, launch->events, launch->first_event,
                   launch->waits, launch->stop,    launch->how};
}

/* How many CTAs of this kernel run at once on the current device; 0: an error. */
inline int capacity_of(const void *kernel) {
  int of_sm = 0, device = 0, sms = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_sm, kernel, CTA_THREADS, 0) != cudaSuccess ||
      cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return 0;
  return of_sm * sms;
}

__device__ __forceinline__ uint64_t now_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__device__ __forceinline__ uint64_t load_acquire(const void *at) {
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ uint64_t load_relaxed(const void *at) {
  uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

/* What users write. */
__device__ __forceinline__ uint64_t load_plain(const void *at) {
  uint64_t value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ void pause_ns(uint64_t ns) {
  if (!ns)
    return;
  const uint64_t until = now_ns() + ns;
  while (now_ns() < until)
    ;
}

/* Waiting that gives up: on the host's word, or after a time. */
class wait {
  const arguments &all;
  const unsigned e;
  uint64_t since; /* the first time that the clock was looked at; 0: not yet */
  uint64_t told;
  unsigned spins;

public:
  __device__ wait(const arguments &arguments_, unsigned e_) : all(arguments_), e(e_), since(0), told(0), spins(0) {}
  /* Whether it is time for what need not be done at every turn. */
  __device__ bool is_time() const { return !(spins & 63); }

  /* True: on; thread 0 tells the host from time to time what for. limit_ns 0: none. */
  __device__ bool goes_on(waiting what, unsigned round, uint64_t limit_ns) {
    if (++spins & 63)
      return true;
    const uint64_t now = now_ns();
    since = since ? since : now;
    const uint64_t waited = now - since;
    if (waited > told + 5000000) {
      if (threadIdx.x == 0)
        all.waits[e] = (unsigned)what << 28 | (round & 0xfffffff);
      told = waited;
      if (*all.stop)
        return false;
    }
    return !limit_ns || waited < limit_ns;
  }
  __device__ uint64_t waited() const { return since ? now_ns() - since : 0; }
  __device__ ~wait() {
    if (told && threadIdx.x == 0)
      all.waits[e] = 0;
  }
};

__device__ __forceinline__ uint64_t add_of(const end &lane, unsigned round) {
  return 1 + seed_of(lane.seed, round) % ADD_MAX;
}

__device__ __forceinline__ uint64_t packed_of(const end &lane, unsigned round) {
  origin where = lane.origin;
  where.round = round;
  return code_pack(where);
}

/* depth is a power of two: a division would cost a tenth of a microsecond a round. */
__device__ __forceinline__ uint64_t place_in_ring(const stress &how, unsigned round) { return round & (how.depth - 1); }

__device__ __forceinline__ void fill(const end &lane, unsigned round, uint64_t *memory) {
  const uint64_t packed = packed_of(lane, round);
  for (unsigned i = threadIdx.x; i < lane.words; i += blockDim.x)
    memory[i] = code_mix(lane.seed, packed + i);
}

/* A wrong word, judged; worse is more. Orders as look.c does. */
enum { WORSE_EARLY = 1, WORSE_TORN, WORSE_FUTURE, WORSE_FOREIGN };

struct finding {
  unsigned worst, wrong, first_plus_1; /* first wrong word from the tail, as index + 1; 0: none */
  uint64_t got; /* that word */
};

__device__ __forceinline__ unsigned judge(uint64_t want, uint64_t got) {
  const uint64_t rounds = (uint64_t)(CODE_ROUNDS - 1) << CODE_ROUND_SHIFT;
  if ((want ^ got) & ~rounds)
    return WORSE_FOREIGN;
  const int ahead = rounds_ahead((unsigned)(got >> CODE_ROUND_SHIFT) & (CODE_ROUNDS - 1),
                                 (unsigned)(want >> CODE_ROUND_SHIFT) & (CODE_ROUNDS - 1));
  return ahead > 0 ? WORSE_FUTURE : WORSE_EARLY;
}

/* What one thread has seen so far. A warp takes 32 words at once: two aligned units of 128 bytes. */
struct seen {
  const uint64_t seed, packed;
  const int boundary;
  finding found;
  bool right;

  __device__ seen(uint64_t seed_, uint64_t packed_, unsigned boundary_)
      : seed(seed_), packed(packed_), boundary((int)boundary_), found{0, 0, 0, 0}, right(true) {}

  __device__ bool fits(int i, uint64_t word) const { return word == code_mix(seed, packed + (unsigned)i); }

  __device__ void take(int i, bool inside, uint64_t word) {
    const bool good = inside && fits(i, word);
    bool old = false;
    if (inside && !good) {
      const unsigned verdict = judge(packed + (unsigned)i, code_unmix(seed, word));
      old = verdict == WORSE_EARLY;
      found.worst = max(found.worst, verdict);
      if (!found.wrong++) {
        found.first_plus_1 = (unsigned)i + 1;
        found.got = word;
      }
      right = false;
    }
    const unsigned all = 0xffffffffu, second = __ballot_sync(all, i >= boundary);
    const unsigned goods = __ballot_sync(all, good), olds = __ballot_sync(all, old);
    const unsigned unit = (threadIdx.x & 16 ? 0xffff0000u : 0xffffu) & (i >= boundary ? second : ~second);
    if (old && (goods & unit))
      found.worst = max(found.worst, (unsigned)WORSE_TORN);
  }
};

enum { HANDFUL = 4 };

/* What a thread reads at once: a word in each of so many rows of the CTA. */
struct handful {
  const uint64_t *from; /* where this thread's word of index 0 lies, less its place in the warp */
  int threads;
  uint64_t words[HANDFUL];

  __device__ handful(const uint64_t *from_, int threads_) : from(from_), threads(threads_) {}

  /* Whether all are inside, for a warp whose first index this is. */
  __device__ bool fits(int warp, int begin) const { return warp - 31 - (HANDFUL - 1) * threads >= begin; }

  __device__ void load(int warp) {
#pragma unroll
    for (int k = 0; k < HANDFUL; k++)
      words[k] = load_plain(from + warp - k * threads);
  }

  __device__ void show(seen *eyes, int i) const {
    bool good = true;
#pragma unroll
    for (int k = 0; k < HANDFUL; k++)
      good &= eyes->fits(i - k * threads, words[k]);
    if (!__all_sync(0xffffffffu, good))
      for (int k = 0; k < HANDFUL; k++)
        eyes->take(i - k * threads, true, words[k]);
  }
};

/* Puts together what the threads of the CTA have seen. */
__device__ __forceinline__ finding merged(const finding &mine) {
  __shared__ finding shared;
  if (threadIdx.x == 0)
    shared = finding{0, 0, 0, 0};
  __syncthreads();
  atomicMax(&shared.worst, mine.worst);
  atomicAdd(&shared.wrong, mine.wrong);
  atomicMax(&shared.first_plus_1, mine.first_plus_1);
  __syncthreads();
  if (mine.first_plus_1 && mine.first_plus_1 == shared.first_plus_1)
    shared.got = mine.got;
  __syncthreads();
  const finding all = shared;
  __syncthreads();
  return all;
}

/*
 * A look at a payload, by the whole CTA, tail first. Where it lies is worked out by the constructor, before there is something to
 * see.
 */
class gaze {
  seen eyes;
  handful ahead;
  const uint64_t *const memory;
  const int threads, in_warp, begin, end_;
  int warp; /* the first index of this warp's 32 words, the same in all its threads */

  __device__ void step(bool again) {
    const int i = warp - in_warp;
    const bool inside = i >= begin && i < end_;
    const uint64_t word = !inside ? 0 : again ? load_relaxed(memory + i) : load_plain(memory + i);
    if (!__all_sync(0xffffffffu, !inside || eyes.fits(i, word)))
      eyes.take(i, inside, word);
    warp -= threads;
  }

  __device__ void run(bool again) {
    if (warp >= end_) /* the tail ends within its 32 words */
      step(again);
    bool more = !again && ahead.fits(warp, begin);
    if (more)
      ahead.load(warp);
    while (more) {
      const handful now = ahead;
      const int at = warp;
      warp -= HANDFUL * threads;
      more = ahead.fits(warp, begin);
      if (more) /* is on its way while the present ones are judged */
        ahead.load(warp);
      now.show(&eyes, at - in_warp);
    }
    while (warp >= begin)
      step(again);
  }

public:
  __device__ gaze(const end &lane, unsigned round, const uint64_t *memory_, unsigned first, unsigned last,
                  unsigned boundary)
      : eyes(lane.seed, packed_of(lane, round), boundary), ahead(memory_ - (threadIdx.x & 31), (int)blockDim.x),
        memory(memory_), threads((int)blockDim.x), in_warp((int)(threadIdx.x & 31)), begin((int)first),
        end_((int)last) {
    const unsigned behind = (unsigned)((uintptr_t)(memory + last) / 8 % 16), top = last + (behind ? 16 - behind : 0);
    warp = (int)(top - 1 - (threadIdx.x & ~31u));
  }

  /* Once: what this thread saw. */
  __device__ const seen &first() {
    run(false);
    return eyes;
  }

  /* The same after a first look, whose plain loads may have left lines in a cache: by relaxed loads of system scope. */
  __device__ const seen &again() {
    run(true);
    return eyes;
  }
};

/* A first look, put together. True: all right; else *found. */
__device__ __forceinline__ bool look(const end &lane, unsigned round, const uint64_t *memory, unsigned first,
                                     unsigned last, unsigned boundary, finding *found) {
  const seen eyes = gaze(lane, round, memory, first, last, boundary).first();
  if (__syncthreads_and(eyes.right))
    return true;
  *found = merged(eyes.found);
  return false;
}

__device__ __forceinline__ unsigned outcome_of(unsigned worst) {
  return worst == WORSE_FOREIGN  ? OUTCOME_FOREIGN
         : worst == WORSE_FUTURE ? OUTCOME_FUTURE
         : worst == WORSE_TORN   ? OUTCOME_TORN
                                 : OUTCOME_EARLY;
}

/*
 * Both ends keep their lane as a member, in registers: what lies behind a pointer is read again after each acquire.
 */
template <typename Net>
struct receiver {
  const arguments &all;
  char *const window;
  const unsigned e;
  const end lane;
  Net &net;
  tally &sum;
  uint64_t began, base, expected;
  uint64_t polled; /* what this thread last read of the counter, from base */
  bool sender_here;

  __device__ receiver(const arguments &arguments_, char *window_, unsigned e_, Net &net_)
      : all(arguments_), window(window_), e(e_), lane(arguments_.ends[e_]), net(net_), sum(arguments_.tallies[e_]),
        polled(0), sender_here(false) {}

  __device__ uint64_t *slot(unsigned round) const {
    return (uint64_t *)(window + lane.slots + place_in_ring(all.how, round) * lane.stride);
  }

  __device__ void acknowledge(unsigned looked, uint64_t more) const {
    if (threadIdx.x == 0)
      net.word(lane.peer, lane.context, lane.ack, (uint64_t)all.how.tag << TAG_SHIFT | more | (1 + looked));
  }

  __device__ uint64_t flag_of(unsigned round) const { return code_mix(lane.seed, packed_of(lane, round)); }

  __device__ bool is_flagged() const { return all.how.shape == SHAPE_FLAG || all.how.shape == SHAPE_UNFENCED; }

  __device__ bool there(unsigned round) {
    if (is_flagged())
      return load_acquire(window + lane.signal) == flag_of(round);
    polled = net.value(lane) - base;
    return polled >= expected;
  }

  /* Whether the sender has begun: until then it may be on its way to this block. */
  __device__ bool is_sender_here() const { return load_acquire(window + lane.final) >> TAG_SHIFT == all.how.tag; }

  /*
   * All threads wait by themselves, so that each looks at once. A signal is lost when the sender is here and it has not come for so
   * long. Says again how far it is: a word may be lost, a signal too.
   */
  __device__ bool signal_came(unsigned round) {
    wait patience(all, e);
    uint64_t said = 0, heard = 0;
    while (!there(round)) {
      if (!patience.goes_on(WAIT_SIGNAL, round, 0))
        return false;
      if (!patience.is_time())
        continue;
      const uint64_t waited = patience.waited();
      if (!sender_here && is_sender_here()) {
        sender_here = true;
        heard = waited;
      }
      if (sender_here && all.how.lost_ns && waited - heard > all.how.lost_ns)
        return false;
      if (threadIdx.x == 0 && waited > said + 20000000) {
        said = waited;
        acknowledge(round, 0);
      }
    }
    return true;
  }

  __device__ void note(unsigned outcome, unsigned round, const finding &found, uint64_t seen, uint64_t late) const {
    if (threadIdx.x != 0)
      return;
    event &event = all.events[all.first_event[e] + sum.events++];
    const origin got = code_origin(lane.seed, found.got);
    event.outcome = outcome;
    event.round = round;
    event.wrong = found.wrong;
    event.want_index = found.first_plus_1 ? found.first_plus_1 - 1 : 0;
    event.got_source = got.source;
    event.got_context = got.context;
    event.got_slot = got.slot;
    event.got_round = got.round;
    event.got_index = got.index;
    event.seen_ns = seen - began;
    event.late_ns = late;
  }

  __device__ gaze gaze_at(unsigned round) const {
    const unsigned half = lane.words / 2;
    const unsigned first = all.how.look == LOOK_LAST ? half : 0, last = all.how.look == LOOK_FIRST ? half : lane.words;
    return gaze(lane, round, slot(round), first, last, all.how.shape == SHAPE_TWO_PUTS ? half : 0);
  }

  /* Until it heals: the time that took, or 0. */
  __device__ uint64_t heal(unsigned round, uint64_t seen) const {
    while (!__syncthreads_and(gaze_at(round).again().right))
      if (__syncthreads_or(now_ns() - seen > all.how.heal_ns || *all.stop))
        return 0;
    const uint64_t late = now_ns() - seen;
    return late ? late : 1;
  }

  __device__ void examine(unsigned round, uint64_t seen, const finding &found) const {
    unsigned outcome = outcome_of(found.worst);
    const uint64_t late = found.worst <= WORSE_TORN ? heal(round, seen) : 0;
    if (outcome == OUTCOME_EARLY && !late)
      outcome = OUTCOME_STALE;
    note(outcome, round, found, seen, late);
  }

  /*
   * By how much the counter, as this thread polled it, says more than was ever added: at most depth rounds can be ahead. What comes
   * too much after the poll of a round shows in the next one, and after the last one at the end.
   */
  __device__ uint64_t excess(unsigned round) const {
    if (is_flagged() || polled <= expected)
      return 0;
    uint64_t most = expected;
    for (unsigned ahead = 1; ahead < all.how.depth && round + ahead < lane.quota; ahead++)
      most += add_of(lane, round + ahead);
    return polled > most ? polled - most : 0;
  }

  /* What is too much is counted once: then it is taken for the beginning. */
  __device__ void take_excess(unsigned round, bool noted) {
    __shared__ uint64_t too_much;
    if (threadIdx.x == 0) {
      too_much = excess(round);
      if (too_much && !noted)
        note(OUTCOME_DUPLICATE, round, finding{0, 0, 0, flag_of(round)}, now_ns(), 0);
    }
    __syncthreads();
    base += too_much;
  }

  __device__ void lose(unsigned looked) {
    __shared__ unsigned posted;
    if (threadIdx.x == 0) {
      wait patience(all, e);
      const uint64_t tag = (uint64_t)all.how.tag << TAG_SHIFT;
      uint64_t word, said = 0;
      posted = 0xffffffff;
      acknowledge(looked, GIVE_UP);
      while (((word = load_acquire(window + lane.final)) & ~COUNT_MASK) != tag &&
             patience.goes_on(WAIT_SIGNAL, looked, 2 * all.how.lost_ns))
        if (patience.waited() > said + 20000000) {
          said = patience.waited();
          acknowledge(looked, GIVE_UP);
        }
      if ((word & ~COUNT_MASK) == tag)
        posted = (unsigned)(word & COUNT_MASK);
      sum.gave_up = posted == 0xffffffff;
      sum.lost = posted == 0xffffffff ? 1 : posted - looked;
    }
    __syncthreads();
  }

  __device__ void begin() {
    for (unsigned i = 0; i < all.how.depth; i++)
      fill(lane, i - all.how.depth, slot(i));
    if (threadIdx.x == 0 && is_flagged())
      *(volatile uint64_t *)(window + lane.signal) = 0;
    __threadfence_system();
    __syncthreads();
    base = is_flagged() ? 0 : net.value(lane);
    expected = 0;
    began = now_ns();
    __syncthreads();
    if (threadIdx.x == 0)
      all.waits[e] = (unsigned)WAIT_POSTING << 28;
    acknowledge(0, 0);
    if (threadIdx.x == 0)
      all.waits[e] = 0;
  }

  /* Something was wrong in some thread's eyes, or the counter. */
  __device__ void judge_round(unsigned round, uint64_t seen, const finding &mine) {
    const finding found = merged(mine);
    if (found.wrong)
      examine(round, seen, found);
    take_excess(round, found.wrong);
  }

  /* False: its signal never came. One barrier, where all is well. */
  __device__ bool try_round(unsigned round) {
    expected += add_of(lane, round);
    gaze eyes_on = gaze_at(round);
    const bool came = signal_came(round);
    const uint64_t when = now_ns();
    if (all.how.check) {
      const seen eyes = eyes_on.first();
      if (!__syncthreads_and(came && eyes.right && (threadIdx.x != 0 || !excess(round)))) {
        if (__syncthreads_or(!came))
          return false;
        judge_round(round, when, eyes.found);
      }
    } else if (__syncthreads_or(!came))
      return false;
    acknowledge(round + 1, 0);
    return true;
  }

  __device__ void run() {
    unsigned round = 0;
    begin();
    while (round < lane.quota && try_round(round))
      round++;
    sum.rounds = round;
    if (round < lane.quota)
      lose(round);
    at_end(round);
  }

  /* A try is in one class. */
  __device__ bool was_noted(unsigned round) const {
    return sum.events && all.events[all.first_event[e] + sum.events - 1].round == round;
  }

  __device__ void at_end(unsigned rounds) {
    const bool right = !rounds || __syncthreads_and(gaze_at(rounds - 1).again().right);
    if (threadIdx.x != 0)
      return;
    polled = rounds && !is_flagged() ? net.value(lane) - base : 0;
    if (rounds == lane.quota && rounds && excess(rounds - 1) && !was_noted(rounds - 1))
      note(OUTCOME_DUPLICATE, rounds - 1, finding{0, 0, 0, flag_of(rounds - 1)}, now_ns(), 0);
    sum.wrong_at_end = !right || sum.lost;
    sum.ns = now_ns() - began;
  }
};

template <typename Net>
struct sender {
  const arguments &all;
  char *const window;
  const unsigned e;
  const end lane;
  Net &net;
  uint64_t draws;
  unsigned puts; /* that count on the lane's counter */
  unsigned add; /* the next round's, worked out before the receiver is waited for */

  __device__ sender(const arguments &arguments_, char *window_, unsigned e_, Net &net_)
      : all(arguments_), window(window_), e(e_), lane(arguments_.ends[e_]), net(net_), draws(0), puts(0),
        add((unsigned)add_of(lane, 0)) {}

  __device__ uint64_t at(unsigned round) const { return place_in_ring(all.how, round) * lane.stride; }
  __device__ uint64_t *source(unsigned round) const { return (uint64_t *)(window + lane.source + at(round)); }

  __device__ uint64_t draw(uint64_t below) { return below ? seed_of(~lane.seed, draws++) % below : 0; }

  /* True: this round may be posted. */
  __device__ bool is_free(unsigned round) const {
    wait patience(all, e);
    const unsigned needed = round + 2 > all.how.depth ? round + 2 - all.how.depth : 1;
    for (;;) {
      const uint64_t word = load_acquire(window + lane.ack);
      if (word >> TAG_SHIFT == all.how.tag && word & GIVE_UP)
        return false;
      if (word >> TAG_SHIFT == all.how.tag && (word & COUNT_MASK) >= needed)
        return true;
      if (!patience.goes_on(WAIT_RECEIVER, round, 0))
        return false;
    }
  }

  __device__ void put(unsigned round, unsigned first, unsigned last, unsigned by) {
    puts++;
    net.put(lane, lane.slots + at(round) + first * 8, lane.source + at(round) + first * 8, (last - first) * 8, by, round,
            first);
  }

  __device__ void signal(unsigned context, unsigned by) {
    if (threadIdx.x == 0)
      net.signal(lane, context, by);
  }

  /* What may block inside the transport is told to the host before. */
  __device__ void tell(waiting what, unsigned round) const {
    if (threadIdx.x == 0)
      all.waits[e] = (unsigned)what << 28 | (round & 0xfffffff);
  }

  __device__ void post(unsigned round) {
    const unsigned half = lane.words / 2;
    switch (all.how.shape) {
    case SHAPE_FUSED: put(round, 0, lane.words, add); break;
    case SHAPE_SEPARATE:
      put(round, 0, lane.words, 0);
      signal(lane.context, add);
      break;
    case SHAPE_TWO_PUTS:
      put(round, 0, half, 0);
      put(round, half, lane.words, add);
      break;
    case SHAPE_FLAG:
    case SHAPE_UNFENCED:
      put(round, 0, lane.words, 0);
      if (threadIdx.x == 0)
        net.flag(lane, code_mix(lane.seed, packed_of(lane, round)), all.how.shape == SHAPE_FLAG);
      break;
    case SHAPE_CROSS_CONTEXT:
      put(round, 0, lane.words, 0);
      signal(lane.context + 1, add);
      break;
    default: /* far enough apart for the fastest memory */
      signal(lane.context, add);
      pause_ns(1000);
      put(round, 0, lane.words, 0);
      break;
    }
  }

  /* The program's next use of the source memory, as soon as it believes that it may. */
  __device__ void reuse_source(unsigned round) {
    if (all.how.reuse == REUSE_ACKNOWLEDGED || round + 1 == lane.quota)
      return;
    tell(all.how.reuse == REUSE_COMPLETED ? WAIT_COMPLETION : WAIT_FLUSH, round);
    if (all.how.reuse == REUSE_COMPLETED)
      net.completed(lane, puts);
    if (all.how.reuse == REUSE_FLUSHED)
      net.flush(lane);
    tell(WAIT_NOTHING, round);
    if (all.how.reuse == REUSE_AT_ONCE)
      pause_ns(draw(all.how.gap_ns));
    __syncthreads();
    fill(lane, round + 1, source(round + 1));
    __threadfence_system();
    __syncthreads();
  }

  /* Nothing of the program's orders what is posted but what post does: where payload lies in memory, it is there before. */
  __device__ void prepare(unsigned round) {
    if (!Net::has_source)
      return;
    if (round == 0 || all.how.reuse == REUSE_ACKNOWLEDGED)
      fill(lane, round, source(round));
    __threadfence_system();
    __syncthreads();
    tell(WAIT_POSTING, round);
  }

  __device__ void run() {
    const uint64_t began = now_ns();
    if (threadIdx.x == 0)
      net.begin(lane, (uint64_t)all.how.tag << TAG_SHIFT | HERE);
    pause_ns(draw(all.how.start_ns));
    unsigned round = 0;
    for (; round < lane.quota && __syncthreads_or(threadIdx.x == 0 && is_free(round)); round++) {
      pause_ns(draw(all.how.gap_ns));
      prepare(round);
      post(round);
      add = (unsigned)add_of(lane, round + 1);
      if (Net::has_source)
        tell(WAIT_NOTHING, round);
      reuse_source(round);
    }
    if (threadIdx.x == 0) {
      net.word(lane.peer, lane.context, lane.final, (uint64_t)all.how.tag << TAG_SHIFT | round);
      all.tallies[e].rounds = round;
      all.tallies[e].gave_up = round < lane.quota;
      all.tallies[e].ns = now_ns() - began;
    }
    __syncthreads();
    tell(WAIT_FLUSH, round);
    net.flush(lane);
    tell(WAIT_NOTHING, round);
  }
};

/* all: a parameter of the kernel, __grid_constant__; window: this rank's, through its own mapping. */
template <typename Net> __device__ void run_end(const arguments &all, char *window, Net &net) {
  if (all.ends[blockIdx.x].receiving)
    receiver<Net>(all, window, blockIdx.x, net).run();
  else
    sender<Net>(all, window, blockIdx.x, net).run();
}

} // namespace winord
#endif
