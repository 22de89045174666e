#include "policy/glob.h"
#include "policy/policy.h"
#include "tests/policy/rows.h"

static const struct match_row {
  const char *name, *pattern, *text;
  bool matches;
} match_rows[] = {
    {"equal text", "abc", "abc", true},
    {"other text", "abc", "abd", false},
    {"pattern shorter", "ab", "abc", false},
    {"pattern longer", "abcd", "abc", false},
    {"empty matches empty", "", "", true},
    {"empty does not match text", "", "a", false},
    {"star matches empty", "*", "", true},
    {"star matches all", "*", "/opt/x", true},
    {"two stars", "**", "abc", true},
    {"star at the end", "h200-*", "h200-17", true},
    {"star at the end, nothing behind", "h200-*", "h200-", true},
    {"star at the end, other prefix", "h200-*", "h100-17", false},
    {"star at the start", "*.so", "/opt/_C.so", true},
    {"star at the start, last of several", "*.so", "a.so.so", true},
    {"star at the start, no match", "*.so", "a.so.1", false},
    {"star inside", "*deep_ep*", "/opt/deep_ep/_C.so", true},
    {"star inside, near miss first", "*deep_ep*", "/opt/deep_e/deep_ep", true},
    {"star inside, no match", "*deep_ep*", "/opt/deep-ep/_C.so", false},
    {"several stars", "a*b*c", "a--b--b--c", true},
    {"several stars, wrong end", "a*b*c", "a--b--c-", false},
    {"question mark", "h?00", "h200", true},
    {"question mark needs a byte", "h?", "h", false},
    {"star then question mark", "*?", "", false},
    {"star then question mark, one byte", "*?", "a", true},
    {"set", "[abc]1", "b1", true},
    {"not in set", "[abc]1", "d1", false},
    {"range", "dgxc-[0-9]*", "dgxc-7", true},
    {"out of range", "dgxc-[0-9]*", "dgxc-x", false},
    {"range of one", "[a-a]", "a", true},
    {"reversed range is empty", "[z-a]", "m", false},
    {"complement", "[!x]", "y", true},
    {"not in complement", "[!x]", "x", false},
    {"complement needs a byte", "[!x]", "", false},
    {"star then set", "*[0-9]", "node-17", true},
    {"star then set, no match", "*[0-9]", "node-", false},
    {"bracket in first place", "[]]", "]", true},
    {"bracket in first place of a complement", "[!]]", "]", false},
    {"dash at the end of a set", "[a-]", "-", true},
    {"caret is a byte like any other", "[^a]", "^", true},
    {"unclosed bracket stands for itself", "[ab", "[ab", true},
    {"no escapes", "a\\*", "a\\bc", true},
    {"case counts", "ABC", "abc", false},
    {"bytes beyond ASCII", "n\xc3\xb6*",
     "n\xc3\xb6"
     "de",
     true},
    {"question mark is one byte", "?", "\xc3\xb6", false},
    {"set with bytes beyond ASCII", "[\x80-\xff]", "\xc3", true},
    {"slash is a byte like any other", "/opt/*", "/opt/a/b", true},
    {"question mark in the text", "a?c", "a?c", true},
    {"star in the text", "a*c", "a*c", true},
    {"hard case ends", "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
};

static void test_match(void **state) {
  const struct match_row *row = *state;
  assert_int_equal(glob_match(row->pattern, row->text), row->matches);
}

static const struct host_row {
  const char *name, *pattern, *host;
  bool matches;
} host_rows[] = {
    {"host: node name", "h200-17.example.org", "h200-17.example.org", true},
    {"host: first label", "h200-17", "h200-17.example.org", true},
    {"host: first label by pattern", "h200-1?", "h200-17.example.org", true},
    {"host: no second label", "example", "h200-17.example.org", false},
    {"host: other label", "h200-1", "h200-17.example.org", false},
    {"host: set begins the pattern", "[gh]200-17", "h200-17.example.org", true},
    {"host: no dot", "h200", "h200-17", false},
};

static void test_host(void **state) {
  const struct host_row *row = *state;
  char *items[] = {(char *)"nothing", (char *)row->pattern};
  const struct globs globs = {items, 2};
  assert_int_equal(globs_match_host(&globs, row->host), row->matches);
}

static const struct overlap_row {
  const char *name, *a, *b;
  bool overlap;
} overlap_rows[] = {
    {"overlap: equal", "a", "a", true},
    {"overlap: other", "a", "b", false},
    {"overlap: star and text", "h200-*", "h200-17", true},
    {"overlap: prefix and suffix", "h200-*", "*-17", true},
    {"overlap: two prefixes", "h200-*", "h100-*", false},
    {"overlap: one prefix inside the other", "h200-*", "h200-1*", true},
    {"overlap: sets apart", "n[0-4]", "n[5-9]", false},
    {"overlap: sets that touch", "n[0-5]", "n[5-9]", true},
    {"overlap: complement", "n[!5]", "n5", false},
    {"overlap: lengths", "n?", "n??", false},
    {"overlap: star makes up for length", "n*", "n??", true},
    {"overlap: star against empty", "*", "", true},
};

static void test_overlap(void **state) {
  const struct overlap_row *row = *state;
  assert_int_equal(globs_overlap(row->a, row->b), row->overlap);
  assert_int_equal(globs_overlap(row->b, row->a), row->overlap);
}

static const struct closed_row {
  const char *name, *pattern;
  bool closed;
} closed_rows[] = {
    {"closed: no bracket", "abc*", true},
    {"closed: set", "[abc]", true},
    {"closed: bracket in first place", "[]", false},
    {"closed: complement of a bracket", "[!]]", true},
    {"closed: open", "*[a", false},
    {"closed: second set open", "[a][b", false},
};

static void test_closed(void **state) {
  const struct closed_row *row = *state;
  assert_int_equal(glob_is_closed(row->pattern), row->closed);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, match_rows, test_match);
  ROWS(&suite, host_rows, test_host);
  ROWS(&suite, overlap_rows, test_overlap);
  ROWS(&suite, closed_rows, test_closed);
  return suite_run("glob", &suite);
}
