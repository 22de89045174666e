/*
 * What one run of mlxconfig or mstconfig said about one device, and how runs add up. Internal.
 */
#ifndef WINORD_FACTS_QUERY_H
#define WINORD_FACTS_QUERY_H

#include "read.h"

enum parameter { ATOMIC_MODE, WR_ORDERING, PARAMETERS };
enum column { DEFAULT_VALUE, CURRENT_VALUE, NEXT_VALUE, COLUMNS, NEW_VALUE = COLUMNS, MOST_COLUMNS };

struct answer {
  char value[16]; /* "0".."4", "per_mkey", "force_relax"; "" is unknown */
  char reason[112]; /* why it is unknown */
  bool hidden; /* the output has no such column: says nothing against an earlier one */
};

struct query {
  char device[NAME_SIZE]; /* as the tool calls it; "" is not named */
  char type[NAME_SIZE]; /* "ConnectX7"; "" is not said */
  const char *source;
  struct answer answers[PARAMETERS][COLUMNS];
  bool row[PARAMETERS]; /* the output has a row for it, or a reason of its own */
  bool failed; /* an error and nothing else */
  bool alarm; /* force_relax was seen, now, at next boot, or one cannot tell where */
  size_t changes; /* how often the capture sets or resets before it: what differs after that is no contradiction */
};

struct queries {
  struct query *list;
  size_t count;
  bool unreadable; /* a device that was read could not be read again: on another host, perhaps */
};

/* Parameter of a name; PARAMETERS: another one. */
enum parameter parameter_of(struct word name);

/*
 * Reads a cell: NAME(N) whose name and number agree, a bare number that has a name, or N/A. Anything else is unknown,
 * with the reason.
 */
void read_cell(enum parameter parameter, struct word cell, struct answer *answer);

/* The word is a cell of some parameter, not a name or a remark: NAME(N), N, N/A, Array[..]. */
bool is_cell(struct word word);

void set_reason(struct answer *answer, const char *reason);
void set_reasons(struct answer answers[COLUMNS], const char *reason);

/* Makes the alarm of a query from its answers. */
void set_alarm(struct query *query);

/* Appends a copy; beyond some thousands there is no meaning, and they are left. False: no memory. */
bool add_query(struct queries *queries, const struct query *query);

/* Reads every mlxconfig JSON object in the capture. False: no memory. */
bool read_mlxconfig_json(const struct capture *capture, struct queries *queries);

/* Adds the queries up, device by device, the last one first, and hands them to the host. */
bool queries_commit(struct queries *queries, struct from_notes *notes, struct host_facts *host);

#endif
