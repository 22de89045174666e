#include "bench/stress/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policy/policy.h"

static const char help[] =
    "usage: winord-stress [OPTION]...\n"
    "\n"
    "Puts data and a signal into NCCL windows and hunts for signals that overtake their data.\n"
    "\n"
    "  -b, --minbytes SIZE    smallest payload of a round, as 8 or 4KiB\n"
    "  -e, --maxbytes SIZE    largest (without -b and -e: 8 64 128 256 512 4088 4096 4104 and 1MiB)\n"
    "  -f, --stepfactor N     factor between two sizes (default 2)\n"
    "  -n, --iters N          rounds per receiver and block (default 2500; gin 240, lsa 16000)\n"
    "  -w, --warmup_iters N   blocks of each row that are not counted (default 1)\n"
    "  -c, --check 1          accepted for habit's sake: checking is all this program does\n"
    "  -J, --json FILE        results as JSON\n"
    "      --html FILE        results as one page\n"
    "      --backend NAME     fabric (default: simulated PCIe), gin, rma, lsa: NCCL on GPUs\n"
    "      --scenario LIST    names, comma-separated (default: all); --list shows them\n"
    "      --pattern NAME     peer pairs ring fan-out fan-in bipartite all mixed (default mixed)\n"
    "      --ranks N          ranks in this process, where no launcher tells (default 4; on GPUs 2)\n"
    "      --flags WORD       what windows ask: strict (default), default or both\n"
    "      --seconds S        time for all rows together (default 10)\n"
    "      --blocks N         blocks of each row, instead of a time: the same seed then gives the same result\n"
    "      --seed N           (default: drawn, and printed)\n"
    "      --confidence P     of the bounds (default 0.95)\n"
    "      --replay FILE      run again the blocks of the witnesses in a file of -J\n"
    "      --mutant NAME      plant this fault in the simulated fabric\n"
    "      --prove            plant every fault in turn, and count those found\n"
    "      --list             scenarios of the backend, patterns, and faults of the simulation\n"
    "      --watchdog S       end a run on GPUs, and say who waits for whom, when a block takes so long (default 30)\n"
    "      --quiet            no progress line\n"
    "      --help\n"
    "\n"
    "Exit status: 0 no violation, 1 violation, 2 inconclusive or a mistake.\n";

enum {
  BACKEND = 256,
  SCENARIO,
  PATTERN,
  RANKS,
  FLAGS,
  SECONDS,
  BLOCKS,
  SEED,
  CONFIDENCE,
  REPLAY,
  MUTANT,
  HTML,
  PROVE,
  LIST,
  WATCHDOG,
  QUIET,
  HELP
};

static const struct option long_options[] = {{"minbytes", required_argument, NULL, 'b'},
                                             {"maxbytes", required_argument, NULL, 'e'},
                                             {"stepfactor", required_argument, NULL, 'f'},
                                             {"iters", required_argument, NULL, 'n'},
                                             {"warmup_iters", required_argument, NULL, 'w'},
                                             {"check", required_argument, NULL, 'c'},
                                             {"json", required_argument, NULL, 'J'},
                                             {"html", required_argument, NULL, HTML},
                                             {"backend", required_argument, NULL, BACKEND},
                                             {"scenario", required_argument, NULL, SCENARIO},
                                             {"pattern", required_argument, NULL, PATTERN},
                                             {"ranks", required_argument, NULL, RANKS},
                                             {"flags", required_argument, NULL, FLAGS},
                                             {"seconds", required_argument, NULL, SECONDS},
                                             {"blocks", required_argument, NULL, BLOCKS},
                                             {"seed", required_argument, NULL, SEED},
                                             {"confidence", required_argument, NULL, CONFIDENCE},
                                             {"replay", required_argument, NULL, REPLAY},
                                             {"mutant", required_argument, NULL, MUTANT},
                                             {"prove", no_argument, NULL, PROVE},
                                             {"list", no_argument, NULL, LIST},
                                             {"watchdog", required_argument, NULL, WATCHDOG},
                                             {"quiet", no_argument, NULL, QUIET},
                                             {"help", no_argument, NULL, HELP},
                                             {0}};

/* The command line being read. */
struct reading {
  struct options *options;
  uint64_t smallest, largest;
  double factor;
};

__attribute__((format(printf, 1, 2))) static bool mistake(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("winord-stress: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs("; try 'winord-stress --help'\n", stderr);
  va_end(arguments);
  return false;
}

static bool read_unsigned(const char *name, const char *text, uint64_t low, uint64_t high, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 0);
  if (*text < '0' || *text > '9' || *end || errno || *value < low || *value > high)
    return mistake("%s %s: expected %llu to %llu", name, text, (unsigned long long)low, (unsigned long long)high);
  return true;
}

static bool read_number(const char *name, const char *text, double low, double high, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (!*text || *end || !(*value > low) || !(*value < high))
    return mistake("%s %s: expected a number above %g and below %g", name, text, low, high);
  return true;
}

static bool read_bytes(const char *name, const char *text, uint64_t *bytes) {
  if (!size_parse(text, bytes) || *bytes < 8 || *bytes > (CODE_WORDS / 2) * 8ULL || *bytes % 8)
    return mistake("%s %s: expected a multiple of 8 from 8 to 64MiB, as 4104 or 1MiB", name, text);
  return true;
}

static bool read_scenarios(struct options *options, char *list) {
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    const struct scenario *scenario = scenario_find(name);
    if (!scenario)
      return mistake("--scenario %s: no such scenario (--list shows them)", name);
    if (options->chosen_count == SCENARIOS_MAX)
      return mistake("--scenario: more than %d", SCENARIOS_MAX);
    options->chosen[options->chosen_count++] = scenario;
  }
  return options->chosen_count || mistake("--scenario: no name");
}

static bool read_flags(struct options *options, const char *word) {
  const bool both = strcmp(word, "both") == 0;
  options->ask_strict = both || strcmp(word, "strict") == 0;
  options->ask_default = both || strcmp(word, "default") == 0;
  return options->ask_strict || options->ask_default || mistake("--flags %s: expected strict, default or both", word);
}

static bool read_pattern(struct options *options, const char *word) {
  options->pattern = pattern_find(word);
  return options->pattern != PATTERNS || mistake("--pattern %s: no such pattern (--list shows them)", word);
}

static bool read_count(const char *name, uint64_t low, uint64_t high, unsigned *count) {
  uint64_t value;
  if (!read_unsigned(name, optarg, low, high, &value))
    return false;
  *count = (unsigned)value;
  return true;
}

static bool take(struct reading *reading, int option) {
  struct options *options = reading->options;
  switch (option) {
  case 'b': return read_bytes("-b", optarg, &reading->smallest);
  case 'e': return read_bytes("-e", optarg, &reading->largest);
  case 'f': return read_number("-f", optarg, 1, 1e6, &reading->factor);
  case 'n': return read_count("-n", 1, 1000000, &options->tries);
  case 'w': return read_count("-w", 0, 1000000, &options->warmup);
  case 'c': return strcmp(optarg, "0") != 0 || mistake("-c 0: without checking there is nothing to do");
  case 'J': options->json = optarg; return true;
  case HTML: options->html = optarg; return true;
  case BACKEND:
    options->backend = optarg;
    return backend_bit(optarg) || mistake("--backend %s: expected fabric, gin, rma or lsa", optarg);
  case SCENARIO: return read_scenarios(options, optarg);
  case PATTERN: return read_pattern(options, optarg);
  case RANKS: return read_count("--ranks", 1, 64, &options->ranks);
  case FLAGS: return read_flags(options, optarg);
  case SECONDS: return read_number("--seconds", optarg, 0, 1e9, &options->seconds);
  case BLOCKS: return read_count("--blocks", 1, 1000000000, &options->blocks);
  case SEED: options->seeded = true; return read_unsigned("--seed", optarg, 0, INT64_MAX, &options->seed);
  case CONFIDENCE: return read_number("--confidence", optarg, 0, 1, &options->confidence);
  case REPLAY: options->replay = optarg; return true;
  case MUTANT: options->mutant = optarg; return true;
  case PROVE: options->prove = true; return true;
  case LIST: options->list = true; return true;
  case WATCHDOG: return read_count("--watchdog", 1, 86400, &options->watchdog);
  case QUIET: options->quiet = true; return true;
  default: return false;
  }
}

static bool make_sizes(struct reading *reading) {
  static const size_t usual[] = {8, 64, 128, 256, 512, 4088, 4096, 4104, 1 << 20};
  struct options *options = reading->options;
  if (!reading->smallest && !reading->largest) {
    memcpy(options->sizes, usual, sizeof usual);
    options->size_count = sizeof usual / sizeof *usual;
    return true;
  }
  const uint64_t first = reading->smallest ? reading->smallest : 8, last = reading->largest ? reading->largest : first;
  if (first > last)
    return mistake("-b %llu is larger than -e %llu", (unsigned long long)first, (unsigned long long)last);
  double size = (double)first;
  while (size <= (double)last) {
    const size_t bytes = (size_t)size / 8 * 8;
    size *= reading->factor;
    if (options->size_count && options->sizes[options->size_count - 1] == bytes)
      continue;
    if (options->size_count == SIZES_MAX)
      return mistake("-b, -e and -f give more than %d sizes", SIZES_MAX);
    options->sizes[options->size_count++] = bytes;
  }
  return true;
}

/* Those that run on the backend; what was named must. */
static bool choose(struct options *options) {
  if (strcmp(options->backend, "fabric") != 0 && (options->prove || options->replay || options->mutant))
    return mistake("--prove, --replay and --mutant know the simulated fabric alone, not backend %s", options->backend);
  const unsigned bit = backend_bit(options->backend);
  for (unsigned i = 0; i < options->chosen_count; i++)
    if (!(options->chosen[i]->backends & bit))
      return mistake("--scenario %s does not exist on backend %s", options->chosen[i]->name, options->backend);
  if (options->chosen_count)
    return true;
  for (size_t i = 0; i < scenario_count; i++)
    if (scenarios[i].backends & bit)
      options->chosen[options->chosen_count++] = &scenarios[i];
  return true;
}

bool options_read(int argc, char **argv, struct options *options, int *status) {
  struct reading reading = {.options = options, .factor = 2};
  int option;
  *options = (struct options){.backend = "fabric",
                              .warmup = 1,
                              .watchdog = 30,
                              .seconds = 10,
                              .confidence = 0.95,
                              .pattern = PATTERN_MIXED,
                              .ask_strict = true};
  *status = 2;
  while ((option = getopt_long(argc, argv, "b:e:f:n:w:c:J:", long_options, NULL)) != -1) {
    if (option == HELP) {
      fputs(help, stdout);
      *status = 0;
      return false;
    }
    if (!take(&reading, option))
      return false;
  }
  if (optind < argc)
    return mistake("%s: not an option", argv[optind]);
  if (!options->seeded)
    options->seed = seed_of((uint64_t)time(NULL), (uint64_t)clock()) >> 16;
  if (!options->ranks)
    options->ranks = strcmp(options->backend, "fabric") == 0 ? 4 : 2;
  return choose(options) && make_sizes(&reading);
}
