/*
 * libFuzzer on facts_from: any bytes. Beyond crashes it holds the answer to its own rules: a fact has a value or a
 * reason, text is plain ASCII, a mode is 0..4 or refuted.
 */
#include "facts/from.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok, const char *rule) {
  if (!ok) {
    fprintf(stderr, "broken: %s\n", rule);
    abort();
  }
}

static void check_text(const char *text) {
  for (; text && *text; text++) {
    check(*text >= 0x20 && *text < 0x7f, "text is plain ASCII");
  }
}

static void check_fact(const struct fact *fact) {
  check(!fact->value || !fact->reason, "a value or a reason");
  check((!fact->value && !fact->reason) || fact->source, "a source");
  check_text(fact->value);
  check_text(fact->reason);
}

static void check_nic(const struct nic_facts *nic) {
  check_text(nic->address);
  for (size_t i = 0; i < NIC_FACTS; i++) {
    check_fact(&nic->facts[i]);
  }
  for (size_t i = NIC_MODE_DEFAULT; i <= NIC_MODE_NEXT; i++) {
    const char *mode = nic->facts[i].value;
    bool digit = mode && mode[0] >= '0' && mode[0] <= '4' && mode[1] == '\0';
    check(!mode || digit || (i == NIC_MODE_CURRENT && strcmp(mode, MODE_NOT_ZERO) == 0), "a mode is 0..4 or refuted");
    check(mode || nic->facts[i].reason, "an unknown mode has a reason");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct host_facts *host = host_facts_new();
  struct from_notes notes;
  if (host && facts_from((const char *)data, size, host, &notes)) {
    for (size_t i = 0; i < host->nic_count; i++) {
      check_nic(&host->nics[i]);
    }
    check_text(notes.virt);
    from_notes_free(&notes);
  }
  host_facts_free(host);
  return 0;
}
