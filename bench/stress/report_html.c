#include "bench/stress/report_html.h"

#include <errno.h>

#include "bench/stress/page.h"

static void put_page(FILE *out, const struct hunt *hunt) {
  static const char *const titles[] = {"no violation seen", "violation", "inconclusive"};
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<title>winord-stress: %s</title>\n<style>\n%s</style>\n</head>\n<body>\n",
          titles[hunt_verdict(hunt)], page_style);
  fprintf(out, "<header><h1>winord-stress</h1><p class=\"soft\">%s over ", hunt->backend->name);
  page_text(out, hunt->backend->transport);
  fprintf(out, " · %u ranks · pattern %s · winord %s</p></header>\n<main>\n", hunt->world.ranks,
          pattern_name(hunt->options.pattern), WINORD_VERSION);
  page_verdict(out, hunt);
  page_rows(out, hunt);
  page_heatmap(out, hunt);
  page_histograms(out, hunt);
  page_witnesses(out, hunt);
  page_configuration(out, hunt);
  page_replay(out, hunt);
  fprintf(out, "</main>\n</body>\n</html>\n");
}

bool report_html(const char *path, const struct hunt *hunt) {
  FILE *out = fopen(path, "w");
  if (!out)
    return false;
  errno = 0;
  put_page(out, hunt);
  const bool written = fflush(out) == 0 && !ferror(out);
  const int error = errno ? errno : EIO;
  const bool closed = fclose(out) == 0;
  if (!written)
    errno = error;
  return written && closed;
}
