#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUERIES = 4096 };

bool add_query(struct queries *queries, const struct query *query) {
  if (queries->count == MOST_QUERIES) {
    return true;
  }
  if ((queries->count & (queries->count - 1)) == 0) {
    size_t room = queries->count ? queries->count * 2 : 1;
    struct query *list = realloc(queries->list, room * sizeof *list);
    if (!list) {
      return false;
    }
    queries->list = list;
  }
  queries->list[queries->count++] = *query;
  return true;
}

static bool has_row(const struct query *query) { return query->row[ATOMIC_MODE] || query->row[WR_ORDERING]; }

/* The answer of a later output. Two different ones without a change between them cannot both be right. */
static void add_answer(struct answer *kept, const struct answer *later, bool changed) {
  if (changed || !kept->value[0]) {
    bool contradiction = !changed && text_begins(kept->reason, "contradiction");
    *kept = contradiction ? *kept : *later;
  } else if (later->value[0] && strcmp(kept->value, later->value) != 0) {
    char reason[sizeof kept->reason];
    snprintf(reason, sizeof reason, "contradiction: %s, then %s", kept->value, later->value);
    set_reason(kept, reason);
  } else if (!later->value[0] && !later->hidden) {
    *kept = *later;
  }
}

static void add_up(struct query *kept, const struct query *later) {
  bool changed = kept->changes != later->changes;
  for (size_t i = 0; i < PARAMETERS; i++) {
    for (size_t j = 0; later->row[i] && j < COLUMNS; j++) {
      if (kept->row[i]) {
        add_answer(&kept->answers[i][j], &later->answers[i][j], changed);
      } else {
        kept->answers[i][j] = later->answers[i][j];
      }
    }
    kept->row[i] = kept->row[i] || later->row[i];
  }
  if (!kept->type[0]) {
    memcpy(kept->type, later->type, sizeof kept->type);
  }
  kept->alarm = kept->alarm || later->alarm;
  kept->changes = later->changes;
}

/* One query per device, in the order in which devices appear. */
static void add_all_up(struct queries *queries) {
  size_t count = 0;
  for (size_t i = 0; i < queries->count; i++) {
    size_t j = 0;
    while (j < count && !same_address(queries->list[j].device, queries->list[i].device)) {
      j++;
    }
    if (j < count) {
      queries->unreadable = queries->unreadable || (queries->list[i].failed && has_row(&queries->list[j]));
      add_up(&queries->list[j], &queries->list[i]);
    } else if (count < MOST_NICS) {
      queries->list[count++] = queries->list[i];
    }
  }
  queries->count = count;
}

static bool commit_answer(const struct answer *answer, const char *source, struct fact *fact) {
  return answer->value[0] ? fact_is(fact, answer->value, source) : fact_unknown(fact, answer->reason, source);
}

static bool commit(const struct query *query, const struct from_notes *notes, struct host_facts *host) {
  static const enum nic_fact facts[PARAMETERS] = {[ATOMIC_MODE] = NIC_MODE_DEFAULT, [WR_ORDERING] = NIC_WR_DEFAULT};
  struct nic_facts *nic;
  bool ok = find_nic(host, notes, query->device[0] ? query->device : NO_DEVICE_LINE, &nic);
  if (!ok || !nic) {
    return ok;
  }
  for (size_t i = 0; i < PARAMETERS; i++) {
    for (size_t j = 0; j < COLUMNS; j++) {
      ok = ok && commit_answer(&query->answers[i][j], query->source, &nic->facts[facts[i] + j]);
    }
  }
  if (query->alarm && !nic->alarm) {
    nic->alarm = strdup("force_relax");
    ok = ok && nic->alarm;
  }
  return ok && (!query->type[0] || fact_is(&nic->facts[NIC_TYPE], query->type, query->source));
}

bool queries_commit(struct queries *queries, struct from_notes *notes, struct host_facts *host) {
  bool named = false;
  add_all_up(queries);
  notes->unreadable = notes->unreadable || queries->unreadable;
  for (size_t i = 0; i < queries->count; i++) {
    named = named || queries->list[i].device[0];
  }
  for (size_t i = 0; i < queries->count; i++) {
    const struct query *query = &queries->list[i];
    if (named && !query->device[0] && !has_row(query)) {
      notes->unreadable = notes->unreadable || query->failed;
    } else if (!commit(query, notes, host)) {
      return false;
    }
  }
  return true;
}
