/* Glob patterns beyond matching. Internal to this folder; glob_match itself stands in policy.h. */
#ifndef WINORD_GLOB_H
#define WINORD_GLOB_H

#include <stdbool.h>

/* Whether the text holds `*`, `?` or `[`. */
bool glob_is_pattern(const char *text);

/* Whether every `[` has its `]`. */
bool glob_is_closed(const char *pattern);

/* Whether some text matches both. Cost: product of the lengths; patterns of at most 199 bytes. */
bool globs_overlap(const char *a, const char *b);

#endif
