/*
 * winord explain: what a policy decides for one registration, and why.
 */
#include "command.h"
#include "explanation.h"
#include "local.h"
#include "report.h"
#include "values.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: winord explain [OPTION]... [CONF]\n"
    "\n"
    "Shows what the policy (WINORD_CONF, else /etc/winord.conf) decides for one window registration, and why. What is\n"
    "not given is taken from this host and its facts, or assumed; the output says which.\n"
    "\n"
    "      --host=NAME             decide for this host (this host)\n"
    "      --pool=NAME             the job's pool (WINORD_POOL, SLURM_JOB_PARTITION, or by the policy's hosts)\n"
    "      --pci-atomic-mode=MODE  0 to 4 or unknown, as if the facts proved it (this host's facts)\n"
    "      --hypervisor=NAME       none, kvm, microsoft, ... (this host's facts, like the next three)\n"
    "      --gpu=LIST              models of the GPUs\n"
    "      --nic-type=LIST         types of the NICs that the program may use\n"
    "      --path=LIST             classes of the paths from the GPUs to their nearest NIC: PIX, PXB, PHB, NODE, SYS\n"
    "      --nccl=VERSION          version of NCCL (2.30.7)\n"
    "      --asked=WHAT            strict or default: what the program asks for (strict)\n"
    "      --flags=LIST            other flags it asks: names or 0xN (none)\n"
    "      --gin-connection=TYPE   none, full, rail, custom or unknown (unknown)\n"
    "      --caller=PATH           the object that calls (unknown)\n"
    "      --exe=NAME              file name of the program (unknown)\n"
    "      --size=BYTES            size of the window, with KiB, MiB, GiB or TiB (1GiB)\n"
    "      --json                  the same as JSON\n"
    "  -h, --help                  show this\n"
    "\n"
    "Exit status: 0 explained, 1 the policy has errors, 2 usage.\n";

const char *const input_names[INPUTS] = {
    "host", "pool",  "pci-atomic-mode", "hypervisor",     "gpu",    "nic-type", "path",
    "nccl", "asked", "flags",           "gin-connection", "caller", "exe",      "size"};

enum { OPTION_JSON = 256, OPTION_INPUT };

static const struct option long_options[] = {
    {"host", required_argument, NULL, OPTION_INPUT + INPUT_HOST},
    {"pool", required_argument, NULL, OPTION_INPUT + INPUT_POOL},
    {"pci-atomic-mode", required_argument, NULL, OPTION_INPUT + INPUT_MODE},
    {"hypervisor", required_argument, NULL, OPTION_INPUT + INPUT_HYPERVISOR},
    {"gpu", required_argument, NULL, OPTION_INPUT + INPUT_GPU},
    {"nic-type", required_argument, NULL, OPTION_INPUT + INPUT_NIC_TYPE},
    {"path", required_argument, NULL, OPTION_INPUT + INPUT_PATH},
    {"nccl", required_argument, NULL, OPTION_INPUT + INPUT_NCCL},
    {"asked", required_argument, NULL, OPTION_INPUT + INPUT_ASKED},
    {"flags", required_argument, NULL, OPTION_INPUT + INPUT_FLAGS},
    {"gin-connection", required_argument, NULL, OPTION_INPUT + INPUT_GIN_CONNECTION},
    {"caller", required_argument, NULL, OPTION_INPUT + INPUT_CALLER},
    {"exe", required_argument, NULL, OPTION_INPUT + INPUT_EXE},
    {"size", required_argument, NULL, OPTION_INPUT + INPUT_SIZE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* What the command line gives. */
struct inputs {
  const char *text[INPUTS]; /* NULL: not given */
  int mode;
  bool json;
};

static int read_options(struct inputs *inputs, int argc, char **argv) {
  int option;
  while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    if (option >= OPTION_INPUT) {
      inputs->text[option - OPTION_INPUT] = optarg;
    } else if (option == OPTION_JSON) {
      inputs->json = true;
    } else if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    } else {
      return option_error(option, argv);
    }
  }
  return optind + 1 >= argc ? -1 : usage_error("more than one policy file given");
}

static bool parse_mode(const char *text, int *mode) {
  *mode = MODE_UNKNOWN;
  for (int i = 0; i <= MODE_MAX; i++) {
    if (strcmp(text, mode_text(i)) == 0) {
      *mode = i;
    }
  }
  return *mode != MODE_UNKNOWN || strcmp(text, "unknown") == 0;
}

static bool parse_gin_connection(const char *text, enum gin_connection *connection) {
  for (int i = GIN_NONE; i <= GIN_UNKNOWN; i++) {
    if (strcmp(text, gin_connection_name((enum gin_connection)i)) == 0) {
      *connection = (enum gin_connection)i;
      return true;
    }
  }
  return false;
}

/* Flags and asked together: the strict bit may be given either way, but not against each other. */
static int parse_flags(const struct inputs *inputs, struct request *request) {
  const char *asked = inputs->text[INPUT_ASKED], *list = inputs->text[INPUT_FLAGS];
  char *bad = NULL;
  if (list != NULL && !flags_parse(list, &request->flags, &bad)) {
    int status = usage_error("unknown flag '%s'", bad);
    free(bad);
    return status;
  }
  if (asked != NULL && strcmp(asked, "strict") != 0 && strcmp(asked, "default") != 0) {
    return usage_error("--asked is strict or default, not '%s'", asked);
  }
  if (asked != NULL && strcmp(asked, "default") == 0) {
    return request->flags & WIN_STRICT_ORDERING ? usage_error("--asked default, but --flags holds STRICT_ORDERING")
                                                : -1;
  }
  request->flags |= WIN_STRICT_ORDERING;
  return -1;
}

/* Fills the request; returns -1, or the exit status of a usage error. */
static int parse_request(struct inputs *inputs, struct request *request) {
  const char *nccl = inputs->text[INPUT_NCCL], *size = inputs->text[INPUT_SIZE];
  const char *gin = inputs->text[INPUT_GIN_CONNECTION], *mode = inputs->text[INPUT_MODE];
  *request = (struct request){.nccl = 23007, .size = 1ULL << 30, .gin_connection = GIN_UNKNOWN};
  request->caller = inputs->text[INPUT_CALLER];
  if (nccl != NULL && (request->nccl = version_parse(nccl)) < 0) {
    return usage_error("'%s' is not a version of NCCL, like 2.30.7", nccl);
  }
  if (size != NULL && !size_parse(size, &request->size)) {
    return usage_error("'%s' is not a size, like 8192 or 64MiB", size);
  }
  if (gin != NULL && !parse_gin_connection(gin, &request->gin_connection)) {
    return usage_error("--gin-connection is none, full, rail, custom or unknown, not '%s'", gin);
  }
  if (mode != NULL && !parse_mode(mode, &inputs->mode)) {
    return usage_error("--pci-atomic-mode is 0, 1, 2, 3, 4 or unknown, not '%s'", mode);
  }
  return parse_flags(inputs, request);
}

/* Whether the name given is this host's: as it stands, or either without its domain. */
static bool is_this_host(const char *given, const char *own) {
  size_t label = strcspn(given, ".");
  return strcmp(given, own) == 0 || ((given[label] == '\0' || own[strcspn(own, ".")] == '\0') &&
                                     label == strcspn(own, ".") && strncmp(given, own, label) == 0);
}

static struct host_modes given_mode(int mode) {
  const char *unproved = mode > 0 ? "mode_not_zero" : mode == 0 ? NULL : "mode_unknown";
  return (struct host_modes){.mode = mode, .source = "given", .unproved = unproved, .contradicts = mode > 0};
}

/* Gives a fact that rules match on, where the command line has it. */
static void give_words(const struct inputs *inputs, struct host_words *words) {
  const char **const places[INPUTS] = {
      [INPUT_HYPERVISOR] = &words->hypervisor, [INPUT_GPU] = &words->gpu, [INPUT_PATH] = &words->path};
  for (int i = 0; i < INPUTS; i++) {
    if (places[i] != NULL && inputs->text[i] != NULL) {
      *places[i] = inputs->text[i];
    }
  }
  if (inputs->text[INPUT_NIC_TYPE] != NULL) {
    snprintf(words->nic_types, sizeof words->nic_types, "%s", inputs->text[INPUT_NIC_TYPE]);
  }
}

/* The host as given, or as found here. */
static void find_host(const struct inputs *inputs, const struct local *local, struct explanation *explanation) {
  const char *name = inputs->text[INPUT_HOST], *pool = inputs->text[INPUT_POOL];
  bool here = name == NULL || is_this_host(name, local->name);
  explanation->host = local->host;
  explanation->facts = here ? facts_status_name(local->facts->status) : "those of another host";
  if (!here) {
    explanation->host = (struct host){.name = name, .today = local->host.today};
    explanation->host.modes = given_mode(MODE_UNKNOWN);
    explanation->host.modes.source = NULL;
  }
  if (inputs->text[INPUT_MODE] != NULL) {
    const struct host_words words = explanation->host.modes.words;
    explanation->host.modes = given_mode(inputs->mode);
    explanation->host.modes.words = words;
  }
  give_words(inputs, &explanation->host.modes.words);
  if (inputs->text[INPUT_EXE] != NULL) {
    explanation->host.exe = base_name(inputs->text[INPUT_EXE]);
  }
  const char *variable = pool ? pool : here ? getenv("WINORD_POOL") : NULL;
  const char *partition = pool == NULL && here ? getenv("SLURM_JOB_PARTITION") : NULL;
  host_find_pool(&explanation->host, explanation->policy, variable, partition);
  explanation->pool_named = variable && variable[0] ? variable : partition;
}

static void explain(const struct inputs *inputs, const struct policy *policy, const struct request *request) {
  struct explanation explanation = {.policy = policy, .request = *request};
  struct local local;
  local_find(&local);
  find_host(inputs, &local, &explanation);
  for (int i = 0; i < INPUTS; i++) {
    explanation.given[i] = inputs->text[i] != NULL;
  }
  explanation.given[INPUT_ASKED] = explanation.given[INPUT_ASKED] ||
                                   (inputs->text[INPUT_FLAGS] && strstr(inputs->text[INPUT_FLAGS], "STRICT_ORDERING"));
  explanation.decision = decide(request, &explanation.host, policy, false);
  if (inputs->json) {
    explain_json(&explanation);
  } else {
    explain_text(&explanation);
  }
  local_free(&local);
}

int command_explain(int argc, char **argv) {
  struct inputs inputs = {.mode = MODE_UNKNOWN};
  struct request request;
  int status = read_options(&inputs, argc, argv);
  if (status < 0) {
    status = parse_request(&inputs, &request);
  }
  if (status >= 0) {
    return status;
  }
  const char *path = optind < argc ? argv[optind] : local_policy_path();
  if (path == NULL) {
    return usage_error("no policy file given, and neither WINORD_CONF nor /etc/winord.conf");
  }
  struct policy *policy = policy_read(path);
  if (policy == NULL) {
    say("out of memory");
    return STATUS_FAILED;
  }
  policy_find_unreachable(policy, false);
  report_problems(policy);
  status = policy->error_count > 0 ? STATUS_FAILED : STATUS_OK;
  if (status == STATUS_OK) {
    explain(&inputs, policy, &request);
  }
  policy_free(policy);
  return status;
}
