/* How facts from saved outputs are printed. Internal to `winord facts --from`. */
#ifndef WINORD_CLI_FACTS_FROM_H
#define WINORD_CLI_FACTS_FROM_H

#include "facts/from.h"

void facts_from_text(const struct host_facts *host, const struct from_notes *notes);
void facts_from_json(const char *file, const struct host_facts *host, const struct from_notes *notes);

/*
 * The worst mode of all devices, now and at next boot: "non-zero" beats "unknown" beats "zero"; NULL: no device. A
 * device without a name proves nothing.
 */
const char *worst_mode(const struct host_facts *host, const struct from_notes *notes);

#endif
