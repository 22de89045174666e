#include "records.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_SIZE = 24 };

static const char *version_text(int code, char *text, size_t size) {
  const unsigned parts[] = {(unsigned)code / 10000, (unsigned)code / 100 % 100, (unsigned)code % 100};
  char *at = text;
  if (code <= 0 || size < VERSION_SIZE)
    return NULL;
  for (int i = 0; i < 3; i++) {
    at = put_decimal(at, parts[i]);
    *at++ = i < 2 ? '.' : '\0';
  }
  return text;
}

static const char *facts_word(const struct facts *facts) {
  static const char *const words[] = {[FACTS_NONE] = "none",
                                      [FACTS_MISSING] = "missing",
                                      [FACTS_DAMAGED] = "damaged",
                                      [FACTS_STALE] = "stale",
                                      [FACTS_CURRENT] = "current"};
  return facts ? words[facts->status] : "none";
}

static void put_facts(struct json *json, const struct process *process) {
  const struct facts *facts = process->facts;
  json_open(json, "facts");
  json_string(json, "status", facts_word(facts));
  json_string(json, "path", facts ? facts->path : NULL);
  json_string(json, "trouble", facts ? facts->trouble : NULL);
  json_number(json, "nics", facts ? (int64_t)facts->nic_count : 0);
  json_known(json, "pci_atomic_mode", process->host.modes.mode);
  json_string(json, "unproved", process->host.modes.unproved);
  json_close(json);
}

/* Within a visit, so that no copy is unloaded while it is asked. */
static bool put_copies(const struct object *first, void *user) {
  struct json *json = user;
  struct object copies[THUNKS];
  (void)first;
  const size_t count = copies_loaded(copies, THUNKS);
  json_open_array(json, "nccl_copies");
  for (size_t i = 0; i < count; i++) {
    char version[VERSION_SIZE];
    json_open(json, NULL);
    json_string(json, "path", copies[i].name);
    json_string(json, "nccl", version_text(copy_version(&copies[i]), version, sizeof version));
    json_close(json);
  }
  json_close_array(json);
  return true;
}

static void put_policy(struct json *json, const struct policy *policy) {
  char digest[32];
  if (policy)
    snprintf(digest, sizeof digest, "fnv1a64:%016llx", (unsigned long long)policy->digest);
  json_string(json, "policy", policy ? policy->path : NULL);
  json_string(json, "policy_digest", policy ? digest : NULL);
  json_known(json, "policy_rules", policy ? (int64_t)policy->rule_count : -1);
  json_known(json, "policy_warnings", policy ? (int64_t)(policy->problem_count - policy->error_count) : -1);
}

static void write_policy_error(struct process *process, const char *file, int line, const char *message) {
  struct json json;
  record_begin(&json, process, "policy_error");
  json_place(&json, "where", file, line);
  json_string(&json, "message", message);
  (void)record_end(&json, process);
}

static void record_policy_error(struct process *process, const char *file, int line, const char *message) {
  char number[22] = ":";
  *put_decimal(number + 1, (uint64_t)line) = '\0';
  if (process->log)
    write_policy_error(process, file, line, message);
  notice(process, NOTICE_POLICY_ERROR, (const char *const[]){file, line ? number : "", ": ", message, NULL});
}

/* The first error is the record; `winord check` shows the others. */
static void record_policy_errors(struct process *process) {
  const struct policy *policy = process->policy;
  for (size_t i = 0; policy && policy->error_count && i < policy->problem_count; i++) {
    const struct problem *problem = &policy->problems[i];
    if (!problem->warning) {
      record_policy_error(process, problem->file, problem->line, problem->text);
      break;
    }
  }
  if (process->on_error_odd)
    record_policy_error(process, "WINORD_ON_ERROR", 0, "is neither 'keep' nor 'strict'; taken as keep");
}

static void write_start(struct process *process) {
  struct json json;
  record_begin(&json, process, "start");
  json_string(&json, "winord", WINORD_VERSION);
  json_string(&json, "exe", process->exe);
  put_policy(&json, process->policy);
  json_string(&json, "pool", process->host.pool);
  json_string(&json, "pool_source", process->host.pool_source);
  json_bool(&json, "pool_mismatch", process->host.pool_mismatch);
  json_bool(&json, "dry_run", process->dry_run);
  put_facts(&json, process);
  (void)objects_any(put_copies, &json);
  (void)record_end(&json, process);
}

void record_start(struct process *process) {
  if (process->log)
    write_start(process);
  record_policy_errors(process);
}

void record_exit(struct process *process) {
  if (!process->log)
    return;
  struct json json;
  struct counters *count = &process->count;
  record_begin(&json, process, "exit");
  json_unsigned(&json, "registrations", atomic_load(&count->registrations));
  json_unsigned(&json, "rewritten", atomic_load(&count->rewritten));
  json_unsigned(&json, "refused", atomic_load(&count->refused));
  json_unsigned(&json, "passed", atomic_load(&count->passed));
  json_unsigned(&json, "dry_run", atomic_load(&count->dry_run));
  json_unsigned(&json, "no_nccl", atomic_load(&count->no_nccl));
  json_unsigned(&json, "uncovered", atomic_load(&count->uncovered));
  (void)record_end(&json, process);
}

static void put_comm(struct json *json, const struct comm *comm) {
  json_known(json, "rank", comm->rank);
  json_known(json, "nranks", comm->ranks);
  json_known(json, "device", comm->device);
  json_known(json, "comm_seq", comm->sequence ? (int64_t)comm->sequence : -1);
}

static void put_connection(struct json *json, const struct call *call) {
  const enum gin_connection connection = call->comm.gin_connection;
  json_string(json, "gin_connection", connection == GIN_UNKNOWN ? NULL : gin_connection_name(connection));
}

static void put_call(struct json *json, const struct process *process, const struct call *call) {
  char version[VERSION_SIZE];
  json_string(json, "exe", process->exe);
  json_string(json, "caller", call->caller);
  json_string(json, "nccl", version_text(call->target.version, version, sizeof version));
  json_string(json, "nccl_path", call->target.copy.dynamic ? call->target.copy.name : NULL);
  json_string(json, "route", call->target.route);
}

static void put_result(struct json *json, const struct call *call) {
  if (call->target.function)
    json_number(json, "result", call->result);
  else
    json_null(json, "result");
}

/* What happened, in the journal's words: beyond the decision's own there are dry_run and no_nccl. */
static const char *outcome(const struct process *process, const struct call *call, const struct decision *decision) {
  if (!call->target.function)
    return "no_nccl";
  return process->dry_run && decision->verdict == VERDICT_REWRITTEN ? "dry_run" : verdict_name(decision->verdict);
}

static void count_outcome(struct counters *count, const char *verdict) {
  const struct {
    const char *verdict;
    atomic_ulong *counter;
  } counters[] = {{"passed", &count->passed},
                  {"rewritten", &count->rewritten},
                  {"refused", &count->refused},
                  {"dry_run", &count->dry_run},
                  {"no_nccl", &count->no_nccl}};
  atomic_fetch_add(&count->registrations, 1);
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (strcmp(counters[i].verdict, verdict) == 0)
      atomic_fetch_add(counters[i].counter, 1);
}

static void put_decision(struct json *json, const struct process *process, const struct call *call,
                         const struct decision *decision, int flags_given) {
  char warnings[128];
  const bool exposed = !(flags_given & WIN_STRICT_ORDERING) && decision->mode != 0;
  json_string(json, "ordering", ordering_name(decision->ordering));
  json_string(json, "verdict", outcome(process, call, decision));
  json_string(json, "why", call->target.function ? decision->why : "no_nccl");
  json_string(json, "rule", decision->rule ? decision->rule->name : NULL);
  json_place(json, "where", decision->file, decision->line);
  json_string(json, "pool", process->host.pool);
  json_known(json, "pci_atomic_mode", decision->mode);
  json_string(json, "pci_atomic_source", decision->mode_source);
  put_connection(json, call);
  json_string(json, "guard", guard_name(decision->guard));
  json_string(json, "exposure", exposed ? "possible" : "none");
  json_string(json, "warning",
              decision->warnings ? warnings_text(decision->warnings, warnings, sizeof warnings) : NULL);
}

static void notice_decision(struct process *process, const char *verdict, const struct decision *decision) {
  const char *rule = decision->rule ? decision->rule->name : "default";
  if (strcmp(verdict, "rewritten") == 0)
    notice(process, NOTICE_REWRITTEN,
           (const char *const[]){"window ordering set to ", ordering_name(decision->ordering), " by rule '", rule,
                                 "'; WINORD_LOG keeps a journal", NULL});
  if (strcmp(verdict, "refused") == 0)
    notice(process, NOTICE_REFUSED,
           (const char *const[]){"rule '", rule, "' says relaxed, refused: ", decision->why,
                                 "; the window stays strict", NULL});
}

void notice_no_nccl(struct process *process, enum nccl_function function) {
  notice(process, NOTICE_NO_NCCL,
         (const char *const[]){"no NCCL, or not clearly one, is behind this call of ", nccl_name(function),
                               "; it returns ncclSystemError", NULL});
}

void notice_nccl_unobserved(struct process *process, int version) {
  char text[VERSION_SIZE];
  if (version_text(version, text, sizeof text))
    notice(process, NOTICE_UNOBSERVED,
           (const char *const[]){
               "NCCL ", text, " does not read NCCL_IBVERBS_LIB, as 2.30.3 and later do; no effect will be seen", NULL});
}

static void put_effect(struct json *json, const struct effect *effect) {
  json_string(json, "effect", effect->word);
  json_string(json, "effect_why", effect->why);
  json_known(json, "mrs_relaxed", effect->word ? (int64_t)effect->relaxed : -1);
  json_known(json, "mrs_strict", effect->word ? (int64_t)effect->strict : -1);
}

uint64_t record_register(struct process *process, const struct call *call, const struct request *request,
                         const struct decision *decision, int flags_given, const struct effect *effect) {
  const char *verdict = outcome(process, call, decision);
  count_outcome(&process->count, verdict);
  notice_decision(process, verdict, decision);
  if (!call->target.function)
    notice_no_nccl(process, WINDOW_REGISTER);
  if (!process->log)
    return 0;
  struct json json;
  record_begin(&json, process, "register");
  put_comm(&json, &call->comm);
  put_call(&json, process, call);
  json_unsigned(&json, "size", request->size);
  json_number(&json, "flags_in", request->flags);
  json_number(&json, "flags_out", flags_given);
  if (process->dry_run)
    json_number(&json, "flags_would", decision->flags);
  json_string(&json, "asked", request->flags & WIN_STRICT_ORDERING ? "strict" : "default");
  put_decision(&json, process, call, decision, flags_given);
  put_result(&json, call);
  json_bool(&json, "win_null", call->window_null);
  json_number(&json, "elapsed_ns", call->elapsed_ns);
  if (process->observing)
    put_effect(&json, effect);
  return record_end(&json, process);
}

void record_effect(struct process *process, const struct comm *comm, uint64_t record, const struct effect *effect) {
  struct json json;
  record_begin(&json, process, "effect");
  put_comm(&json, comm);
  json_unsigned(&json, "of", record);
  put_effect(&json, effect);
  (void)record_end(&json, process);
}

void record_deregister(struct process *process, const struct call *call, bool internal) {
  if (!process->log)
    return;
  struct json json;
  record_begin(&json, process, "deregister");
  put_comm(&json, &call->comm);
  put_call(&json, process, call);
  json_string(&json, "verdict", call->target.function ? NULL : "no_nccl");
  json_bool(&json, "internal", internal);
  put_result(&json, call);
  json_number(&json, "elapsed_ns", call->elapsed_ns);
  (void)record_end(&json, process);
}

void record_devcomm(struct process *process, const struct call *call, const struct devcomm_requirements *requirements) {
  if (!process->log)
    return;
  struct json json;
  char version[VERSION_SIZE];
  record_begin(&json, process, "devcomm");
  put_comm(&json, &call->comm);
  put_call(&json, process, call);
  json_string(&json, "verdict", call->target.function ? NULL : "no_nccl");
  put_connection(&json, call);
  json_string(&json, "requirements_version",
              requirements ? version_text((int)requirements->version, version, sizeof version) : NULL);
  json_known(&json, "gin_contexts", requirements ? requirements->gin_contexts : -1);
  json_known(&json, "gin_signals", requirements ? requirements->gin_signals : -1);
  put_result(&json, call);
  json_number(&json, "elapsed_ns", call->elapsed_ns);
  (void)record_end(&json, process);
}

static void write_uncovered(struct process *process, const struct object *copy, const char *why, const char *by) {
  struct json json;
  record_begin(&json, process, "uncovered");
  json_string(&json, "nccl_path", copy->name);
  json_string(&json, "why", why);
  json_string(&json, "by", by);
  (void)record_end(&json, process);
}

void record_uncovered(struct process *process, const struct object *copy, const char *why, const char *by) {
  atomic_fetch_add(&process->count.uncovered, 1);
  if (process->log)
    write_uncovered(process, copy, why, by);
  notice(process, NOTICE_UNCOVERED,
         (const char *const[]){"calls can reach a copy of NCCL past us: ", copy->name, " (", why, ")", NULL});
}
