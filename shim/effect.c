#include "effect.h"

#include <string.h>

#include "elf.h"
#include "observe/registrations.h"

enum { FOLLOWED = 1024 };

/* A window whose register record is written. */
struct followed {
  const void *comm, *window; /* window NULL: not known, it goes with the communicator */
  struct comm seen;
  int nccl;
  uintptr_t first, last;
  uint64_t since, record;
  struct effect effect;
};

static process_lock lock;
static struct followed followed[FOLLOWED];
static atomic_uint followed_used;
static bool followed_full; /* some window is not followed */
static atomic_uint under_way, tickets;

static bool is_free(const struct followed *f) { return !f->comm; }

/* Whether the registrations of some window are still to come, at a time that we do not see. */
static bool any_to_come(void) {
  if (!process_lock_take(&lock))
    return true;
  bool any = followed_full;
  for (unsigned i = 0; i < followed_used && !any; i++)
    any = !is_free(&followed[i]) && !followed[i].window;
  process_lock_release(&lock);
  return any;
}

static bool ask_object(const struct object *object, void *user) {
  void (*answer)(struct registrations_question *) =
      (void (*)(struct registrations_question *))object_symbol(object, REGISTRATIONS_FUNCTION);
  if (answer)
    answer(user);
  return answer;
}

/* Within the visit, so that the library is not unloaded while it answers. False: it is not loaded. */
static bool ask(struct registrations_question *question) { return objects_any(ask_object, question); }

struct observed_call effect_call_begin(const struct process *process) {
  struct observed_call call = {.observing = process->observing};
  struct registrations_question question = {.first = 1};
  if (!call.observing)
    return call;
  call.alone = atomic_fetch_add(&under_way, 1) == 0 && !any_to_come();
  call.ticket = atomic_fetch_add(&tickets, 1);
  (void)ask(&question);
  call.since = question.made;
  return call;
}

void effect_call_end(struct observed_call *call) {
  if (!call->observing)
    return;
  call->alone = call->alone && atomic_load(&tickets) == call->ticket + 1;
  atomic_fetch_sub(&under_way, 1);
}

static const char *ordering_word(struct by_ordering sums) {
  return sums.relaxed == 0 ? "strict" : sums.strict == 0 ? "relaxed" : "mixed";
}

static const char *earlier_why(struct by_ordering earlier) {
  return earlier.relaxed == 0 ? "earlier_strict" : earlier.strict == 0 ? "earlier_relaxed" : "earlier_mixed";
}

/* Registrations of unknown address that may be the window's and are of the other ordering. */
static bool doubted(const struct registrations_question *q) {
  return (q->nowhere.relaxed && q->own.strict) || (q->nowhere.strict && q->own.relaxed);
}

static struct effect unseen(const char *why) { return (struct effect){.word = "unseen", .why = why}; }

static struct effect judge(const struct registrations_question *q) {
  const struct by_ordering all = {.relaxed = q->own.relaxed + q->earlier.relaxed,
                                  .strict = q->own.strict + q->earlier.strict};
  struct effect effect = unseen(NULL);
  const bool any = q->own.relaxed || q->own.strict, nowhere = q->nowhere.relaxed || q->nowhere.strict;
  effect.relaxed = all.relaxed;
  effect.strict = all.strict;
  if (q->overflow)
    effect.why = "too_many";
  else if (any ? doubted(q) : nowhere)
    effect.why = "no_address";
  else if (any && !q->own_whole)
    effect.why = "part";
  else if (!any && !q->earlier_whole)
    effect.why = "none";
  else
    effect.word = any ? ordering_word(all) : "cached";
  if (!effect.why)
    effect.why = !any ? earlier_why(q->earlier) : q->own_by_call ? "call" : "address";
  return effect;
}

static struct registrations_question question_of(const void *buffer, uint64_t size, uint64_t since) {
  const uintptr_t first = (uintptr_t)buffer, last = first + (size ? size - 1 : 0);
  return (struct registrations_question){.first = first, .last = last < first ? UINTPTR_MAX : last, .since = since};
}

static bool too_old(int nccl) { return nccl && nccl < NCCL_READS_IBVERBS_LIB; }

static struct effect effect_now(struct registrations_question *question, int nccl) {
  if (too_old(nccl))
    return unseen("nccl_before_2_30_3");
  return ask(question) ? judge(question) : unseen("not_loaded");
}

struct effect effect_of_call(const struct observed_call *call, struct process *process, int nccl, const void *buffer,
                             uint64_t size) {
  struct registrations_question made = {.first = 1}, question = question_of(buffer, size, call->since);
  if (!call->observing)
    return (struct effect){0};
  if (too_old(nccl))
    notice_nccl_unobserved(process, nccl);
  if (call->alone && ask(&made))
    question.until = made.made;
  return effect_now(&question, nccl);
}

void effect_follow(const struct observed_call *call, const void *comm, const struct call *made, const void *window,
                   const void *buffer, uint64_t size, uint64_t record, const struct effect *effect) {
  if (!call->observing || !comm)
    return;
  const struct registrations_question asked = question_of(buffer, size, call->since);
  unsigned i = 0;
  if (!process_lock_take(&lock)) {
    followed_full = true;
    return;
  }
  while (i < followed_used && !is_free(&followed[i]))
    i++;
  followed_full |= i == FOLLOWED;
  followed_used += i == followed_used && i < FOLLOWED;
  if (i < FOLLOWED)
    followed[i] = (struct followed){.comm = comm,
                                    .window = window,
                                    .seen = made->comm,
                                    .nccl = made->target.version,
                                    .first = asked.first,
                                    .last = asked.last,
                                    .since = call->since,
                                    .record = record,
                                    .effect = *effect};
  process_lock_release(&lock);
}

/* Which windows to look at; NULL: any. */
struct choice {
  const void *comm, *window;
  bool without_handle, leave;
};

static bool chosen(const struct followed *f, const struct choice *choice) {
  return !is_free(f) && (!choice->comm || f->comm == choice->comm) &&
         (choice->without_handle ? !f->window : !choice->window || f->window == choice->window);
}

static bool take(unsigned i, const struct choice *choice, struct followed *taken) {
  if (!process_lock_take(&lock))
    return false;
  const bool found = i < followed_used && chosen(&followed[i], choice);
  if (found)
    *taken = followed[i];
  process_lock_release(&lock);
  return found;
}

static bool same_effect(const struct effect *a, const struct effect *b) {
  return strcmp(a->word, b->word) == 0 && strcmp(a->why, b->why) == 0;
}

/* Of threads that look at the same window, one writes. */
static bool changes(unsigned i, const struct followed *taken, const struct effect *effect, bool leave) {
  if (!process_lock_take(&lock))
    return false;
  const bool there = followed[i].record == taken->record, differs = !same_effect(&followed[i].effect, effect);
  if (there)
    followed[i].effect = *effect;
  if (there && leave)
    followed[i] = (struct followed){0};
  process_lock_release(&lock);
  return there && differs;
}

static bool review(struct process *process, const struct choice *choice) {
  struct followed taken;
  bool any = false;
  for (unsigned i = 0; process->observing && i < followed_used; i++)
    if (take(i, choice, &taken)) {
      struct registrations_question question = {.first = taken.first, .last = taken.last, .since = taken.since};
      const struct effect effect = effect_now(&question, taken.nccl);
      if (changes(i, &taken, &effect, choice->leave))
        record_effect(process, &taken.seen, taken.record, &effect);
      any = true;
    }
  return any;
}

void effect_review(struct process *process) { (void)review(process, &(struct choice){.comm = NULL}); }

void effect_leave_comm(struct process *process, const void *comm) {
  if (comm)
    (void)review(process, &(struct choice){.comm = comm, .leave = true});
}

void effect_leave_window(struct process *process, const void *comm, const void *window) {
  if (!comm || !window || review(process, &(struct choice){.comm = comm, .window = window, .leave = true}))
    return;
  (void)review(process, &(struct choice){.comm = comm, .without_handle = true, .leave = true});
}

void effect_forget(void) {
  if (!process_lock_take(&lock))
    return;
  followed_used = 0;
  followed_full = false;
  process_lock_release(&lock);
  atomic_store(&under_way, 0);
}
