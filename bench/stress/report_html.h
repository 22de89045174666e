/* The run as one page: for a person, in a browser or on paper. */
#ifndef WINORD_REPORT_HTML_H
#define WINORD_REPORT_HTML_H

#include "bench/stress/hunt.h"

/*
 * Writes the page: one file that loads nothing and runs no script, well-formed as HTML and as XML. All its numbers are those
 * of report_json. False: errno says why not; what is in the file by then is of no use.
 */
bool report_html(const char *path, const struct hunt *hunt);

#endif
