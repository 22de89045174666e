/*
 * The journal: one JSON object a line, one write(2) a record, on a file opened for it and closed again, so that no descriptor
 * of ours can be closed or reused under us. Nothing here blocks, raises a signal in the program, or keeps a lock.
 */
#ifndef WINORD_JOURNAL_H
#define WINORD_JOURNAL_H

#include "json.h"
#include "process.h"

/* Begins a record: version, event, time, host, process and thread. */
void record_begin(struct json *json, const struct process *process, const char *event);

/* Ends it (seq, lost, run, job, step) and writes it where WINORD_LOG says; counts it as lost when that fails. Returns its seq. */
uint64_t record_end(struct json *json, struct process *process);

/* Says something on stderr, once per process and kind: without WINORD_LOG, or always for some kinds. Parts end with NULL. */
void notice(struct process *process, enum notice kind, const char *const *parts);

#endif
