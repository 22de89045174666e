/* Every kind of error and warning of a policy file: exact file and line, and the words that tell what to write instead. */
#include "policy/policy.h"
#include "tests/policy/rows.h"

#define W "[winord]\nversion = 1\n"
#define R W "[rule x]\nordering = keep\n" /* lines 1 to 4 */
#define P W "[pool p]\nhosts = a*\n"
#define X49 "rule 12345678901234567890123456789012345678901234"

static const struct row {
  const char *name, *text;
  size_t problems;
  int line; /* of the first problem */
  const char *fragment;
  bool warning;
} rows[] = {
    {"nothing wrong", R, 0, 0, "", false},
    {"empty file", "", 1, 0, "no [winord] section; it must say version = 1", false},
    {"only comments", "# a\n; b\n\n", 1, 0, "no [winord] section", false},
    {"no version", "[winord]\ndefault = keep\n", 1, 1, "no version in [winord]; it must say version = 1", false},
    {"other version", "[winord]\nversion = 2\n", 1, 2, "version = 2: not supported; this winord reads version = 1",
     false},
    {"version twice", "[winord]\nversion = 1\nversion = 1\n", 1, 3,
     "duplicate key 'version' in [winord]; first in line 2", false},
    {"[winord] twice", W "[winord]\nversion = 1\n", 1, 3, "duplicate section [winord]; first in line 1", false},
    {"[winord] with a name", "[winord x]\nversion = 1\n", 2, 1, "[winord] has no name", false},
    {"bad default", W "default = loose\n", 1, 3, "default = loose: expected keep, strict or relaxed", false},
    {"unknown key", R "pci-atomc-mode = 0\n", 1, 5,
     "unknown key 'pci-atomc-mode' in [rule x]; did you mean 'pci-atomic-mode'?", false},
    {"unknown key, nothing near", R "colour = red\n", 1, 5, "unknown key 'colour' in [rule x]", false},
    {"unknown key of [winord]", W "deflt = keep\n", 1, 3, "unknown key 'deflt' in [winord]; did you mean 'default'?",
     false},
    {"unknown key of a pool", P "host = b\n", 1, 5, "unknown key 'host' in [pool p]; did you mean 'hosts'?", false},
    {"key of another case", R "Asked = strict\n", 1, 5, "did you mean 'asked'?", false},
    {"unknown section", W "[rul x]\n", 1, 3, "unknown section [rul x]; did you mean [rule x]?", false},
    {"unknown section, nothing near", W "[something]\n", 1, 3,
     "unknown section [something]; expected [winord], [pool NAME] or [rule NAME]", false},
    {"keys of an unknown section are not judged", W "[something]\na = b\n", 1, 3, "unknown section", false},
    {"rule without name", W "[rule]\n", 1, 3, "[rule] needs a name: [rule NAME]", false},
    {"pool without name", W "[pool ]\n", 1, 3, "[pool] needs a name: [pool NAME]", false},
    {"name with a blank", W "[rule a b]\n", 1, 3, "blanks, commas and * ? [ cannot stand in a name", false},
    {"pool name with a star", W "[pool h*]\n", 1, 3, "cannot stand in a name", false},
    {"duplicate rule", R "[rule x]\nordering = keep\n", 1, 5, "duplicate rule 'x'; first in %s:3", false},
    {"duplicate pool", P "[pool p]\nhosts = b\n", 1, 5, "duplicate pool 'p'; first in %s:3", false},
    {"pool and rule may share a name", R "[pool x]\nhosts = b\n", 0, 0, "", false},
    {"key before any section", "default = keep\n" W, 1, 1, "'default' before any section", false},
    {"duplicate single key", R "ordering = keep\n", 1, 5, "duplicate key 'ordering' in [rule x]; first in line 4",
     false},
    {"list key repeated adds up", R "host = a\nhost = b\nflags = GIN_ONLY\nflags = !COLL_SYMMETRIC\n", 0, 0, "", false},
    {"empty entry of a list", R "host = a,,b\n", 1, 5, "host: empty entry in the list", false},
    {"comma at the end of a list", R "host = a,\n", 1, 5, "host: empty entry in the list", false},
    {"no ordering", W "[rule x]\nasked = strict\n", 1, 3,
     "[rule x] has no ordering; say ordering = keep, strict or relaxed", false},
    {"no ordering, then another section", W "[rule x]\n[rule y]\nordering = keep\n", 1, 3, "[rule x] has no ordering",
     false},
    {"bad ordering", W "[rule x]\nordering = relax\n", 1, 4, "ordering = relax: expected keep, strict or relaxed",
     false},
    {"bad asked", R "asked = relaxed\n", 1, 5, "asked = relaxed: expected strict or default", false},
    {"bad va-signals", R "va-signals = some\n", 1, 5, "va-signals = some: expected none", false},
    {"bad accept-hazard", R "accept-hazard = true\n", 1, 5, "accept-hazard = true: expected no or yes", false},
    {"mode out of range", R "pci-atomic-mode = 0, 5\n", 1, 5, "pci-atomic-mode = 5: expected 0, 1, 2, 3, 4 or unknown",
     false},
    {"bad gin-connection", R "gin-connection = rails\n", 1, 5,
     "gin-connection = rails: expected none, full, rail, custom or unknown", false},
    {"size with a decimal unit", R "min-size = 64MB\n", 1, 5, "; did you mean 64MiB?", false},
    {"size with a blank", R "min-size = 64 mib\n", 1, 5, "; did you mean 64MiB?", false},
    {"size that is none", R "min-size = much\n", 1, 5, "min-size = much: expected bytes, or a number of KiB", false},
    {"size beyond 64 bits", R "max-size = 16777216TiB\n", 1, 5, "below 2^64", false},
    {"min over max", R "min-size = 8MiB\nmax-size = 4MiB\n", 1, 6, "min-size 8MiB is larger than max-size 4MiB", false},
    {"min over max, other order", R "max-size = 1000\nmin-size = 1KiB\n", 1, 6,
     "min-size 1KiB is larger than max-size 1000", false},
    {"min equals max", R "max-size = 1KiB\nmin-size = 1KiB\n", 0, 0, "", false},
    {"version without comparison", R "nccl = 2.29.7\n", 1, 5, "nccl = 2.29.7: expected >=, >, <=, < or = and a version",
     false},
    {"comparison without version", R "nccl = >=\n", 1, 5, "nccl = >=: expected", false},
    {"comparison with two signs", R "nccl = ==2.29.7\n", 1, 5, "nccl = ==2.29.7: expected", false},
    {"no version left", R "nccl = >=2.30, <2.29\n", 1, 5, "no version is left by '<2.29'", false},
    {"no version left, two lines", R "nccl = >2.30\nnccl = <=2.30\n", 1, 6, "no version is left by '<=2.30'", false},
    {"strict ordering as a flag", R "flags = STRICT_ORDERING\n", 1, 5, "asked = strict", false},
    {"strict ordering as a flag, whole name", R "flags = !NCCL_WIN_STRICT_ORDERING\n", 1, 5, "asked = strict", false},
    {"strict ordering by its old name", R "flags = NCCL_WIN_COLL_STRICT_ORDERING\n", 1, 5,
     "the flag is named NCCL_WIN_STRICT_ORDERING, and has its own key: asked = strict", false},
    {"strict ordering as a number", R "flags = 0x06\n", 1, 5, "0x06 holds 0x02", false},
    {"default as a flag", R "flags = DEFAULT\n", 1, 5, "asked = default", false},
    {"unknown flag", R "flags = GIN_OLY\n", 1, 5, "unknown flag 'GIN_OLY'; did you mean 'GIN_ONLY'?", false},
    {"unknown flag, nothing near", R "flags = WHATEVER\n", 1, 5, "a bit without a name is written 0x10", false},
    {"flag zero", R "flags = 0x0\n", 1, 5, "unknown flag '0x0'", false},
    {"flag beyond 32 bits", R "flags = 0x100000000\n", 1, 5, "unknown flag '0x100000000'", false},
    {"flag with a letter beyond f", R "flags = 0x1g\n", 1, 5, "unknown flag '0x1g'", false},
    {"flag of 32 bits", R "flags = 0xfffffffd\n", 0, 0, "", false},
    {"all 32 bits", R "flags = !0xffffffff\n", 1, 5, "0xffffffff holds 0x02", false},
    {"flag set and clear", R "flags = GIN_ONLY, !0x4\n", 1, 5, "0x4 cannot be both set and clear", false},
    {"glob that is not closed", R "caller = *[a-z\n", 1, 5, "caller: '[' without ']' in '*[a-z'", false},
    {"comment of the wrong kind", R "host = a* # the first ones\n", 1, 5, "a comment behind a value begins with ' ;'",
     false},
    {"colon in place of =", R "asked: strict\n", 1, 5, "expected 'key = value'", false},
    {"colon before =", R "as:ked = strict\n", 1, 5, "expected 'key = value'", false},
    {"text without =", R "asked strict\n", 1, 5, "expected 'key = value'", false},
    {"= in a comment only", R "asked ; = strict\n", 1, 5, "expected 'key = value'", false},
    {"no key", R "= strict\n", 1, 5, "no key before '='", false},
    {"no value", R "asked =\n", 1, 5, "key 'asked' has no value", false},
    {"no value, blanks", R "asked =  \t\n", 1, 5, "key 'asked' has no value", false},
    {"no value, comment", R "asked = ; strict\n", 1, 5, "key 'asked' has no value", false},
    {"semicolon right behind =", R "asked =;strict\n", 1, 5, "asked = ;strict: expected strict or default", false},
    {"comment behind a value", R "asked = strict ; = x\n", 0, 0, "", false},
    {"indented line", R "host = a,\n  b\n", 2, 5, "empty entry", false},
    {"indented key", R " asked = strict\n", 1, 5, "indented line; begin it in the first column", false},
    {"indented by a tab", R "\tasked = strict\n", 1, 5, "indented line", false},
    {"indented section", R " [rule y]\n", 1, 5, "indented line", false},
    {"indented comment", R "  ; a\n\t# b\n \n", 0, 0, "", false},
    {"section without bracket", W "[rule x\nordering = keep\n", 1, 3, "section without ']'", false},
    {"bracket in a comment only", W "[rule x ; ]\n", 1, 3, "section without ']'", false},
    {"section without name", W "[]\n", 1, 3, "empty section name", false},
    {"section of blanks", W "[ ]\n", 1, 3, "empty section name", false},
    {"text behind a section", W "[rule x] ordering = keep\n", 1, 3, "text after ']'", false},
    {"comment behind a section", W "[rule x] ; note\nordering = keep\n", 0, 0, "", false},
    {"section with blanks", W "[  rule   x  ]\nordering = keep\n", 0, 0, "", false},
    {"section name of 49", W "[" X49 "]\nordering = keep\n", 0, 0, "", false},
    {"section name of 50", W "[" X49 "x]\nordering = keep\n", 1, 3, "section name of 50 characters; at most 49", false},
    {"control character", R "asked = str\033ict\n", 1, 5, "control character 0x1b", false},
    {"carriage return inside", R "asked = strict\rhost = a\n", 1, 5, "control character 0x0d", false},
    {"attested without by", P "attest-pci-atomic-mode = 0\nattested-until = 2027-03-31\n", 1, 5,
     "attest-pci-atomic-mode needs attested-by in [pool p]", false},
    {"attested without until", P "attest-pci-atomic-mode = 0\nattested-by = me\n", 1, 5,
     "attest-pci-atomic-mode needs attested-until in [pool p]", false},
    {"by without attested", P "attested-by = me\n", 1, 5, "attested-by needs attest-pci-atomic-mode", false},
    {"until without attested", P "attested-until = 2027-03-31\n", 1, 5, "attested-until needs attest-pci-atomic-mode",
     false},
    {"attested mode unknown", P "attest-pci-atomic-mode = unknown\nattested-by = me\nattested-until = 2027-03-31\n", 1,
     5, "attest-pci-atomic-mode = unknown: expected 0 to 4", false},
    {"attested mode 4", P "attest-pci-atomic-mode = 4\nattested-by = me\nattested-until = 2027-03-31\n", 0, 0, "",
     false},
    {"attested mode 5", P "attest-pci-atomic-mode = 5\nattested-by = me\nattested-until = 2027-03-31\n", 1, 5,
     "= 5: expected 0 to 4", false},
    {"attested mode 00", P "attest-pci-atomic-mode = 00\nattested-by = me\nattested-until = 2027-03-31\n", 1, 5,
     "= 00: expected 0 to 4", false},
    {"attested until no day", P "attest-pci-atomic-mode = 0\nattested-by = me\nattested-until = 2027-02-29\n", 1, 7,
     "attested-until = 2027-02-29: expected a day, as 2027-03-31", false},
    {"attested without hosts",
     W "[pool p]\nattest-pci-atomic-mode = 0\nattested-by = me\nattested-until = 2027-03-31\n", 1, 3,
     "[pool p] attests a mode but has no hosts", true},
    {"CRLF", "[winord]\r\nversion = 1\r\n[rule x]\r\nordering = keep\r\n", 0, 0, "", false},
    {"byte order mark", "\xef\xbb\xbf" R, 0, 0, "", false},
    {"no newline at the end", W "default = strict", 0, 0, "", false},
    {"include: literal that is not there", W "include = nothere.conf\n", 1, 3, "nothere.conf: no such file", false},
    {"include: pattern without match", W "include = nothere*.conf\n", 1, 3, "nothing matches", true},
    {"include: pattern in a folder that is not there", W "include = nothere/*.conf\n", 1, 3, "nothing matches", true},
    {"include: pattern in a folder's name", W "include = no*/a.conf\n", 1, 3, "in the last part of the path only",
     false},
    {"include: open bracket", W "include = a[\n", 1, 3, "with '[' closed", false},
};

/* fragment, with %s for the path. */
static void assert_problem(const struct policy *policy, const struct row *row) {
  char fragment[512];
  const struct problem *problem = policy->problems;
  const char *place = strstr(row->fragment, "%s");
  snprintf(fragment, sizeof fragment, "%.*s%s%s", place ? (int)(place - row->fragment) : 0, row->fragment,
           place ? policy->path : "", place ? place + 2 : row->fragment);
  assert_string_equal(problem->file, policy->path);
  if (problem->line != row->line || !strstr(problem->text, fragment))
    fail_msg("%d: %s", problem->line, problem->text);
  assert_int_equal(problem->warning, row->warning);
}

static void test_row(void **state) {
  const struct row *row = *state;
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  text_write(folder, "p.conf", row->text);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  for (size_t i = row->problems; i < policy->problem_count; i++)
    print_message("%d: %s\n", policy->problems[i].line, policy->problems[i].text);
  assert_int_equal(policy->problem_count, row->problems);
  assert_int_equal(policy->error_count, row->warning ? 0 : row->problems);
  if (row->problems)
    assert_problem(policy, row);
  policy_free(policy);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, rows, test_row);
  return suite_run("policy errors", &suite);
}
