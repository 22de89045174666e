/*
 * A command line of mlxconfig or mstconfig in a transcript, a log or a script. Internal.
 */
#ifndef WINORD_FACTS_COMMAND_H
#define WINORD_FACTS_COMMAND_H

#include "query.h"

struct command {
  bool query, set; /* both false: no such command */
  bool enumerates; /* -e: Default and Current were asked for */
  bool piped; /* what is shown went through another program */
  bool names; /* parameters are named */
  bool asked[PARAMETERS];
  char device[NAME_SIZE]; /* "" is none */
};

/* False: the line runs neither tool. */
bool read_command(const char *line, struct command *command);

#endif
