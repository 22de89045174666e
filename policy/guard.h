/* The guard. Internal to this folder; guard_fails itself stands in decide.h. */
#ifndef WINORD_GUARD_H
#define WINORD_GUARD_H

#include "policy/decide.h"

/*
 * The first row that allows the request's window to be relaxed by rule (NULL: by the default), or GUARD_NONE, with *why the
 * word for what was missing: of the row that the operator counted on.
 */
enum guard guard_ask(const struct rule *rule, const struct request *request, const struct host *host, const char **why);

#endif
