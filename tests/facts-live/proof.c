/* proof FACTS ROOT: what the shim's reader makes of a facts file, held against the sysfs below ROOT. */
#include "policy/facts.h"

#include <stdio.h>
#include <stdlib.h>

static const char *or_none(const char *word) { return word && *word ? word : "-"; }

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  struct facts *facts = facts_read(argv[1], argv[2]);
  struct host_modes modes = facts_modes(facts, getenv("NCCL_IB_HCA"), false, argv[2]);
  const struct host_words *words = &modes.words;
  printf("%s mode=%d source=%s contradicts=%d force_relax=%d\n", modes.unproved ? modes.unproved : "proved", modes.mode,
         or_none(modes.source), modes.contradicts, modes.force_relax);
  printf("hypervisor=%s gpu=%s nic-type=%s path=%s\n", or_none(words->hypervisor), or_none(words->gpu),
         or_none(words->nic_types), or_none(words->path));
  if (facts->trouble)
    printf("%s\n", facts->trouble);
  facts_free(facts);
  return 0;
}
