/*
 * The keys of a rule in words: what the rule asks, and what a request brings.
 */
#ifndef WINORD_VALUES_H
#define WINORD_VALUES_H

#include "policy/decide.h"

/* Both: key as rule_mismatch names it. Fresh memory; "" for a key that is not known here. */
char *rule_value(const char *key, const struct rule *rule);
char *request_value(const char *key, const struct request *request, const struct host *host);

/* "0x03 COLL_SYMMETRIC STRICT_ORDERING", "0x00". Fresh memory. */
char *flags_text(int flags);

/* The names without the number, for lists: the nth set bit's name ("STRICT_ORDERING", "0x40"), fresh memory; NULL: no more. */
char *flag_name(int flags, int nth);

/* Comma list of names and 0xN, with or without NCCL_WIN_, strict ordering included; false: *bad is the word not understood. */
bool flags_parse(const char *list, int *flags, char **bad);

/* "2.30.7". Fresh memory; "unknown" for 0. */
char *version_text(int version);

/* "64MiB", "1000". Fresh memory. */
char *size_text(uint64_t bytes);

/* The facts that rules match on, as far as they are known: "hypervisor kvm, path PHB"; "" for none. Fresh memory. */
char *words_text(const struct host_words *words);

/* "0".."4", "unknown". Static. */
const char *mode_text(int mode);

#endif
