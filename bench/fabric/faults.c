#include "bench/fabric/faults.h"

#include <stddef.h>
#include <string.h>

#include "bench/fabric/fabric.h"

static const struct fabric_fault faults[FAULTS] = {
    [FAULT_NONE] = {"", ""},
    [FAULT_RELAXED_SIGNAL] = {"relaxed-signal", "signals are sent with RO although their memory is strict"},
    [FAULT_OTHER_CONTEXT] = {"other-context", "a signal travels on another context, while its own is congested"},
    [FAULT_TWO_PATHS] = {"two-paths", "the NIC has two PCIe paths to memory, unordered"},
    [FAULT_HALF_LINES] = {"half-lines", "the second 64 bytes of a 128-byte line are visible later"},
    [FAULT_DROPPED_SIGNAL] = {"dropped-signal", "a signal is lost"},
    [FAULT_DUPLICATED_SIGNAL] = {"duplicated-signal", "a signal is added twice"},
    [FAULT_RESET_SIGNAL] = {"reset-signal", "a signal is set to zero, once"},
    [FAULT_EARLY_COMPLETION] = {"early-completion", "local completion comes before the source was read"},
    [FAULT_LATE_READ] = {"late-read", "the source is read only after local completion and flush"},
    [FAULT_WRONG_OFFSET] = {"wrong-offset", "payload lands 8 bytes beside its place"},
    [FAULT_STALE_SLOT] = {"stale-slot", "a put writes nothing, but its signal comes"},
    [FAULT_COUNTER_WRAP] = {"counter-wrap", "signals have 16 bits"},
    [FAULT_BRIEF] = {"brief", "payload comes after its signal, always by less than 1 us"},
    [FAULT_RARE] = {"rare", "payload comes after its signal, once in a million puts"},
    [FAULT_PAYLOAD_LOST] = {"payload-lost", "one TLP of a payload is lost"},
    [FAULT_FOREIGN_PAYLOAD] = {"foreign-payload", "a TLP carries the payload of the one sent before it"},
};

/* Of how many occasions one is struck. */
static const uint32_t rates[FAULTS] = {
    [FAULT_NONE] = 1,
    [FAULT_RELAXED_SIGNAL] = 1,
    [FAULT_OTHER_CONTEXT] = 16,
    [FAULT_TWO_PATHS] = 1,
    [FAULT_HALF_LINES] = 16,
    [FAULT_DROPPED_SIGNAL] = 128,
    [FAULT_DUPLICATED_SIGNAL] = 128,
    [FAULT_RESET_SIGNAL] = 128,
    [FAULT_EARLY_COMPLETION] = 16,
    [FAULT_LATE_READ] = 16,
    [FAULT_WRONG_OFFSET] = 128,
    [FAULT_STALE_SLOT] = 128,
    [FAULT_COUNTER_WRAP] = 1,
    [FAULT_BRIEF] = 64,
    [FAULT_RARE] = 1000000,
    [FAULT_PAYLOAD_LOST] = 128,
    [FAULT_FOREIGN_PAYLOAD] = 128,
};

const struct fabric_fault *fabricFaults(size_t *count) {
  *count = FAULTS - 1;
  return &faults[FAULT_NONE + 1];
}

enum fault fault_find(const char *name) {
  unsigned fault = FAULT_NONE;
  while (fault < FAULTS && strcmp(faults[fault].name, name ? name : "") != 0)
    fault++;
  return (enum fault)fault;
}

void faults_plant(struct faults *planted, enum fault fault, uint64_t seed) {
  planted->planted = fault;
  planted->one_in = rates[fault];
  random_seed(&planted->random, ~seed);
}
