#include "bench/stress/launch.h"

#include <stdio.h>
#include <stdlib.h>

enum { ERROR_SIZE = 512, RANKS_MAX = 1024 };

/* The first of `jobs` that is set tells one run from another. */
static const struct {
  const char *rank, *ranks, *jobs[3];
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"}},
    {"PMI_RANK", "PMI_SIZE", {"PMI_JOBID", "PMI_ID", "PMI_PORT"}},
    {"PMIX_RANK", "PMIX_SIZE", {"PMIX_NAMESPACE", NULL, NULL}},
    {"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_JOB_ID", "SLURM_JOBID", NULL}},
    {"RANK", "WORLD_SIZE", {"TORCHELASTIC_RUN_ID", "MASTER_PORT", NULL}},
};

static bool read_number(const char *name, unsigned limit, unsigned *number, char *error) {
  const char *set = getenv(name), *text = set ? set : "";
  char *end;
  const unsigned long value = strtoul(text, &end, 10);
  *number = (unsigned)value;
  if (*text >= '0' && *text <= '9' && !*end && value < limit)
    return true;
  snprintf(error, ERROR_SIZE, "%s=%.100s: expected a number below %u", name, text, limit);
  return false;
}

static void find_job(struct launch *launch, const char *const jobs[3]) {
  const char *step = getenv("SLURM_STEP_ID"), *port = getenv("MASTER_PORT"), *job = NULL;
  for (int i = 0; i < 3 && jobs[i] && !job; i++)
    job = getenv(jobs[i]);
  snprintf(launch->job, sizeof launch->job, "%.150s.%.20s.%.20s", job ? job : "", step ? step : "", port ? port : "");
}

bool launch_find(struct launch *launch, char *error) {
  *launch = (struct launch){.ranks = 1};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    if (!getenv(launchers[i].rank) || !getenv(launchers[i].ranks))
      continue;
    if (!read_number(launchers[i].ranks, RANKS_MAX + 1, &launch->ranks, error) ||
        !read_number(launchers[i].rank, launch->ranks, &launch->rank, error))
      return false;
    find_job(launch, launchers[i].jobs);
    return true;
  }
  return true;
}
