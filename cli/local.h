/*
 * This host and the policy's inputs from this environment, as the shim would find them.
 */
#ifndef WINORD_LOCAL_H
#define WINORD_LOCAL_H

#include "policy/decide.h"

struct local {
  struct host host; /* its name points into name, its pool into the environment or the policy */
  struct facts *facts;
  char name[256]; /* the facts' hostname where they are of this boot, else gethostname's */
};

/* Fills all but the pool. Freed by local_free. */
void local_find(struct local *local);
void local_free(struct local *local);

/* The pool, by WINORD_POOL, SLURM_JOB_PARTITION and the policy's hosts. */
void local_find_pool(struct local *local, const struct policy *policy);

/* The policy that the shim would read: WINORD_CONF, else /etc/winord.conf where there is one; NULL: none. Not owned. */
const char *local_policy_path(void);

const char *facts_status_name(enum facts_status status);

#endif
