/*
 * winord report: what journals say of each job.
 */
#include "cli/command.h"
#include "report/read.h"
#include "report/report.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "usage: winord report [OPTION]... LOG...\n"
    "\n"
    "Shows what journals say of each job: what each host decided and by which rule, what was refused and why, which\n"
    "windows are exposed, what was not seen or is lost, and where ranks and policies differ.\n"
    "LOG is a file, a folder, a glob pattern, or - for standard input; gzip and zstd are decompressed.\n"
    "\n"
    "      --json         as one JSON object\n"
    "      --csv          a line for each distinct decision of a host\n"
    "      --html         as a page that needs nothing else\n"
    "      --hosts=FILE   hosts that should have records, as in winord check: show those that have none\n"
    "  -h, --help         show this\n"
    "\n"
    "Exit status: 0 done, whatever it shows; 1 a file could not be read, or there is no record; 2 usage.\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

enum { OPTION_FORMAT = 256, OPTION_HOSTS = OPTION_FORMAT + FORMAT_HTML + 1 };

struct options {
  enum format format;
  bool has_format;
  const char *hosts;
};

static int read_options(struct options *options, int argc, char **argv) {
  static const struct option long_options[] = {
      {"json", no_argument, NULL, OPTION_FORMAT + FORMAT_JSON},
      {"csv", no_argument, NULL, OPTION_FORMAT + FORMAT_CSV},
      {"html", no_argument, NULL, OPTION_FORMAT + FORMAT_HTML},
      {"hosts", required_argument, NULL, OPTION_HOSTS},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  int option;
  while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    }
    if (option == OPTION_HOSTS) {
      options->hosts = optarg;
    } else if (option < OPTION_FORMAT) {
      return option_error(option, argv);
    } else if (options->has_format) {
      return usage_error("more than one of --json, --csv and --html");
    } else {
      options->format = (enum format)(option - OPTION_FORMAT);
      options->has_format = true;
    }
  }
  if (options->hosts != NULL && options->format == FORMAT_CSV) {
    return usage_error("--csv does not show hosts without records");
  }
  return optind == argc ? usage_error("no journal given") : -1;
}

static void print_report(const struct sums *sums, const struct fleet *wanted, enum format format) {
  switch (format) {
  case FORMAT_TEXT: report_text(sums, wanted); break;
  case FORMAT_JSON: report_json(sums, wanted); break;
  case FORMAT_CSV: report_csv(sums); break;
  case FORMAT_HTML: report_html(sums, wanted); break;
  }
}

/* wanted: as the reports have it. */
static bool report(const struct options *options, const struct fleet *wanted, char *const *names, int count) {
  static struct sums sums;
  sums_begin(&sums);
  bool good = read_journals(&sums, names, count);
  sums_finish(&sums);
  print_report(&sums, wanted, options->format);
  if (good && sums.records == 0) {
    say("no record of winord in what was read");
    good = false;
  }
  sums_free(&sums);
  return good;
}

int command_report(int argc, char **argv) {
  struct options options = {0};
  struct fleet fleet = {0};
  const int status = read_options(&options, argc, argv);
  if (status >= 0) {
    return status;
  }
  const bool good = (options.hosts == NULL || fleet_read(options.hosts, &fleet)) &&
                    report(&options, options.hosts ? &fleet : NULL, argv + optind, argc - optind);
  fleet_free(&fleet);
  return good ? STATUS_OK : STATUS_FAILED;
}
