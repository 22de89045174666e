/* What the parts of `winord facts` share. */
#ifndef WINORD_CLI_FACTS_H
#define WINORD_CLI_FACTS_H

#include <stdbool.h>

/*
 * winord facts --from: reads saved outputs and prints what they prove, with sources and reasons.
 *   file   its name; "-" is standard input
 *   json   one JSON object instead of text
 * The result is an exit status; a file that cannot be read is a failure, one that proves nothing is not.
 */
int facts_from_command(const char *file, bool json);

#endif
