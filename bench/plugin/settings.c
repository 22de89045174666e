#include "bench/plugin/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODE_MOST = 4, MODE_USUAL = 1, HOLD_USUAL_US = 200, HOLD_MOST_US = 100000, SHORTEST = 10 };
enum { TIMEOUT_USUAL_S = 30, TIMEOUT_MOST_S = 100, RARE_ONE_IN = 512, PATHS = 2 };

static bool wrong(const char *name, const char *value, const char *right) {
  fprintf(stderr, "winord fabric: %s=\"%s\" is not %s: the RMA plugin does not start, NCCL goes on without it\n", name,
          value, right);
  return false;
}

/* The whole of the variable as a number; unset or empty: as it was. */
static bool number(const char *name, double *value, double least, double most, bool whole, const char *right) {
  const char *set = getenv(name);
  if (!set || !*set)
    return true;
  char *end = NULL;
  const double read = strtod(set, &end);
  if (*end || !(read >= least && read <= most) || (whole && read != floor(read)))
    return wrong(name, set, right);
  *value = read;
  return true;
}

static bool read_seed(uint64_t *seed) {
  const char *set = getenv("WINORD_FABRIC_SEED");
  if (!set || !*set)
    return true;
  char *end = NULL;
  errno = 0;
  *seed = strtoull(set, &end, 0);
  return !*end && !errno && *set != '-' ? true : wrong("WINORD_FABRIC_SEED", set, "a number of 64 bits");
}

static bool read_fault(unsigned *fault) {
  const char *set = getenv("WINORD_FABRIC_FAULT");
  *fault = set && strcmp(set, "completer-read-passes") == 0 ? FAULT_READ_PASSES : fault_find(set);
  if (*fault == FAULTS && (!set || strcmp(set, "completer-read-passes") != 0))
    return wrong("WINORD_FABRIC_FAULT", set, "a fault that can be planted");
  return true;
}

bool settings_read(struct settings *settings) {
  double mode = MODE_USUAL, hold = HOLD_USUAL_US, timeout = TIMEOUT_USUAL_S;
  settings->reorder = 0.5;
  settings->seed = 1;
  settings->log = getenv("WINORD_FABRIC_LOG");
  if (settings->log && !*settings->log)
    settings->log = NULL;
  if (!number("WINORD_FABRIC_MODE", &mode, 0, MODE_MOST, true, "a PCI atomic mode, 0 to 4") ||
      !number("WINORD_FABRIC_REORDER", &settings->reorder, 0, 1, false, "a probability, 0 to 1") ||
      !number("WINORD_FABRIC_HOLD_US", &hold, 1, HOLD_MOST_US, false, "a time, 1 to 100000 us") ||
      !number("WINORD_FABRIC_TIMEOUT", &timeout, 1, TIMEOUT_MOST_S, false, "a time, 1 to 100 s") ||
      !read_seed(&settings->seed) || !read_fault(&settings->fault))
    return false;
  settings->engine = atomic_engine((unsigned)mode);
  settings->hold_last_ns = (uint64_t)(hold * 1000);
  settings->hold_first_ns = settings->hold_last_ns / SHORTEST;
  settings->timeout_ms = (int)(timeout * 1000);
  return true;
}

void settings_plant(const struct settings *settings, struct faults *faults, uint64_t seed) {
  faults_plant(faults, settings->fault < FAULTS ? (enum fault)settings->fault : FAULT_NONE, seed);
  if (settings->fault == FAULT_RARE)
    faults->one_in = RARE_ONE_IN;
  if (settings->fault == FAULT_TWO_PATHS)
    faults->one_in = PATHS;
}
