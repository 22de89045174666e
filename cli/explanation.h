/*
 * One decision with everything that led to it, as `winord explain` shows it.
 */
#ifndef WINORD_EXPLANATION_H
#define WINORD_EXPLANATION_H

#include "policy/decide.h"

/* The inputs that may be given or assumed. */
enum input {
  INPUT_HOST,
  INPUT_POOL,
  INPUT_MODE,
  INPUT_HYPERVISOR,
  INPUT_GPU,
  INPUT_NIC_TYPE,
  INPUT_PATH,
  INPUT_NCCL,
  INPUT_ASKED,
  INPUT_FLAGS,
  INPUT_GIN_CONNECTION,
  INPUT_CALLER,
  INPUT_EXE,
  INPUT_SIZE,
  INPUTS
};

/* Names of the options, without dashes. */
extern const char *const input_names[INPUTS];

struct explanation {
  const struct policy *policy;
  struct host host;
  struct request request;
  struct decision decision;
  const char *pool_named; /* the pool that was named, by whatever means, or NULL */
  const char *facts; /* in words: "current", "none", ..., "not of this host" */
  bool given[INPUTS]; /* else assumed, or found on this host */
};

void explain_text(const struct explanation *explanation);
void explain_json(const struct explanation *explanation);

#endif
