/* What the environment asks of the plugin. */
#ifndef WINORD_PLUGIN_SETTINGS_H
#define WINORD_PLUGIN_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/fabric/faults.h"
#include "bench/fabric/ordering.h"

/* A fault of the completer in place of the NIC: relaxed reads pass posted writes (AMD PG344 lets them). */
enum { FAULT_READ_PASSES = FAULTS };

struct settings {
  enum signal_engine engine; /* of WINORD_FABRIC_MODE, 0 to 4 [1] */
  double reorder; /* WINORD_FABRIC_REORDER: of the payloads, how many are held, 0 to 1 [0.5] */
  uint64_t seed; /* WINORD_FABRIC_SEED [1] */
  uint64_t hold_first_ns,
      hold_last_ns; /* WINORD_FABRIC_HOLD_US: the longest hold, 1 to 100000 us [200]; the shortest is a tenth */
  int timeout_ms; /* WINORD_FABRIC_TIMEOUT: for a rank that does not come, 1 to 100 s [30] */
  unsigned fault; /* WINORD_FABRIC_FAULT: enum fault, or FAULT_READ_PASSES */
  const char *log; /* WINORD_FABRIC_LOG: path, %p is the process; NULL: none; as long as the environment */
};

/* Reads the environment. False: a value is wrong, and a line on stderr says which. Any thread. */
bool settings_read(struct settings *settings);

/* Plants what the settings name, at the plugin's own rates: a run of some thousand puts meets all of them. */
void settings_plant(const struct settings *settings, struct faults *faults, uint64_t seed);

#endif
