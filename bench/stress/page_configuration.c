#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/stress/page.h"

static void put_name(FILE *out, const char *name) { fprintf(out, "<dt>%s</dt><dd>", name); }

static void put_fact(FILE *out, const char *name, const char *value) {
  put_name(out, name);
  page_text(out, value);
  fprintf(out, "</dd>\n");
}

static double seconds_of(const struct hunt *hunt) {
  double seconds = 0;
  for (unsigned i = 0; i < hunt->row_count; i++)
    seconds += hunt->rows[i].seconds;
  return seconds;
}

static void put_length(FILE *out, const struct hunt *hunt) {
  const struct options *options = &hunt->options;
  char text[NUMBER_SIZE];
  put_name(out, "Time");
  if (options->blocks)
    fprintf(out, "%s blocks of each row, for each of its receivers", count_text(options->blocks, text));
  else
    fprintf(out, "%g s asked for, all rows together", options->seconds);
  fprintf(out, "; %.3g s taken%s</dd>\n", seconds_of(hunt), hunt->interrupted ? ", interrupted" : "");
}

static void put_sizes(FILE *out, const struct options *options) {
  char text[NUMBER_SIZE];
  put_name(out, "Payload of a round");
  for (unsigned i = 0; i < options->size_count; i++)
    fprintf(out, "%s%s", i ? ", " : "", bytes_text(options->sizes[i], text));
  fprintf(out, "</dd>\n");
}

static void put_numbers(FILE *out, const struct hunt *hunt) {
  const struct options *options = &hunt->options;
  char tries[NUMBER_SIZE], warmup[NUMBER_SIZE];
  const bool both = options->ask_strict && options->ask_default;
  put_fact(out, "Flags asked", both ? "strict and default" : options->ask_strict ? "strict" : "default");
  put_name(out, "Ranks");
  fprintf(out, "%u, %s</dd>\n", hunt->world.ranks,
          hunt->world.local == hunt->world.ranks ? "all in one process" : "in processes of their own");
  put_fact(out, "Pattern", pattern_name(options->pattern));
  put_name(out, "Tries per block");
  fprintf(out, "%s per receiver; fewer of more than 512 bytes</dd>\n", count_text(options->tries, tries));
  put_name(out, "Blocks not counted");
  fprintf(out, "%s of each row, to warm up</dd>\n", count_text(options->warmup, warmup));
  put_name(out, "Confidence");
  fprintf(out, "%g</dd>\n", options->confidence);
}

/* What else decides what the transport does. */
static void put_environment(FILE *out) {
  for (char *const *entry = environ; *entry; entry++)
    if (strncmp(*entry, "WINORD_", 7) == 0 || strncmp(*entry, "LD_PRELOAD=", 11) == 0) {
      fprintf(out, "<dt>Environment</dt><dd><code>");
      page_text(out, *entry);
      fprintf(out, "</code></dd>\n");
    }
}

void page_configuration(FILE *out, const struct hunt *hunt) {
  fprintf(out, "<section>\n<h2>Configuration</h2>\n<dl class=\"facts\">\n");
  put_name(out, "Seed");
  fprintf(out, "<code>%" PRIu64 "</code></dd>\n", hunt->options.seed);
  put_fact(out, "Backend", hunt->backend->name);
  put_fact(out, "Transport, whose lateness it is", hunt->backend->transport);
  put_numbers(out, hunt);
  put_sizes(out, &hunt->options);
  put_length(out, hunt);
  if (hunt->options.mutant)
    put_fact(out, "Planted fault", hunt->options.mutant);
  put_environment(out);
  fprintf(out, "</dl>\n</section>\n");
}

/* What the fabric was told; --mutant is part of it. */
static void put_fabric(FILE *out) {
  for (char *const *entry = environ; *entry; entry++)
    if (strncmp(*entry, "WINORD_FABRIC_", 14) == 0) {
      const char *value = strchr(*entry, '=') + 1;
      fwrite(*entry, 1, (size_t)(value - *entry), out);
      page_shell_word(out, value);
      fputc(' ', out);
    }
}

/* No file to replay: the run that writes one. */
static void put_run(FILE *out, const struct hunt *hunt) {
  const struct options *options = &hunt->options;
  fprintf(out,
          "<p>This run wrote no JSON. With its other options as they were, this tries the same blocks and does:</p>\n"
          "<pre>");
  put_fabric(out);
  fprintf(out, "winord-stress --seed %" PRIu64 " --ranks %u --pattern %s -n %u -J run.json</pre>\n<p>Then:</p>\n",
          options->seed, hunt->world.ranks, pattern_name(options->pattern), options->tries);
}

void page_replay(FILE *out, const struct hunt *hunt) {
  const char *json = hunt->options.json;
  fprintf(out,
          "<section>\n<h2>Replay</h2>\n<p class=\"soft\">Runs the blocks of the witnesses again, as seed and number "
          "draw them; under the policy of this run, if it had one.</p>\n");
  if (!json)
    put_run(out, hunt);
  fprintf(out, "<pre>winord-stress --replay ");
  page_shell_word(out, json ? json : "run.json");
  fprintf(out, "</pre>\n</section>\n");
}
