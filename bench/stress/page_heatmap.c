#include <inttypes.h>

#include "bench/stress/page.h"

/* Pixels. At most PANEL_SIZES sizes stand side by side; more go into further panels. */
enum {
  NAME_X = 8,
  ASKED_X = 186,
  EXPECTED_X = 246,
  CELLS_X = 310,
  WIDTH = 1200,
  ROW = 24,
  HEAD = 24,
  PANEL_SIZES = 12
};

/* Rates from this on, the next one's `from` excluded. */
static const struct {
  double from;
  const char *fill, *text;
  bool light;
} decades[] = {{0.1, "#8c2d04", "0.1 and more", true},    {0.01, "#cc4c02", "0.01 to 0.1", true},
               {1e-3, "#ec7014", "0.001 to 0.01", false}, {1e-4, "#fe9929", "1e-4 to 0.001", false},
               {1e-5, "#fec44f", "1e-5 to 1e-4", false},  {0, "#fee391", "below 1e-5", false}};
enum { DECADES = sizeof decades / sizeof *decades };

struct panel {
  unsigned first, count; /* of the sizes */
  double cell; /* width */
};

static double cell_x(const struct panel *panel, unsigned column) { return CELLS_X + column * panel->cell; }

static void put_sizes(FILE *out, const struct options *options, const struct panel *panel) {
  char text[NUMBER_SIZE];
  fprintf(out,
          "<text class=\"soft\" x=\"%d\" y=\"15\">scenario</text><text class=\"soft\" x=\"%d\" y=\"15\">asked</text>"
          "<text class=\"soft\" x=\"%d\" y=\"15\">expected</text>\n",
          NAME_X, ASKED_X, EXPECTED_X);
  for (unsigned i = 0; i < panel->count; i++)
    fprintf(out, "<text class=\"m\" x=\"%.1f\" y=\"15\">%s</text>\n", cell_x(panel, i) + panel->cell / 2,
            bytes_text(options->sizes[panel->first + i], text));
}

static void put_label(FILE *out, const struct row *row, double y) {
  const char *class = row_is_violation(row) ? "badrow" : "row";
  fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%.1f\">", class, NAME_X, y);
  page_text(out, row->scenario->name);
  fprintf(out, "</text><text x=\"%d\" y=\"%.1f\">%s</text><text x=\"%d\" y=\"%.1f\">%s</text>\n", ASKED_X, y,
          asked_text(row), EXPECTED_X, y, expectation_name(row->scenario->expectation));
}

static unsigned decade_of(double rate) {
  unsigned i = 0;
  while (i < DECADES - 1 && rate < decades[i].from)
    i++;
  return i;
}

/* Seen: the rate. Not seen: of how many. Not run: hatched. */
static void put_cell_text(FILE *out, uint64_t violations, uint64_t tries) {
  char text[NUMBER_SIZE];
  if (!tries)
    fprintf(out, "–");
  else if (violations)
    fprintf(out, "%.2g", (double)violations / (double)tries);
  else
    fprintf(out, "0 / %s", short_count_text(tries, text));
}

static void put_cell(FILE *out, const struct panel *panel, unsigned column, double y, const struct outcomes *sum) {
  const uint64_t violations = outcome_violations(sum);
  const unsigned decade = violations ? decade_of((double)violations / (double)sum->tries) : DECADES;
  const char *fill = decade < DECADES ? decades[decade].fill : sum->tries ? "#e3eefa" : "url(#hatch)";
  const char *class = decade < DECADES && decades[decade].light ? " light" : sum->tries ? "" : " soft";
  fprintf(out,
          "<g><title>%" PRIu64 " of %" PRIu64 " tries</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
          "fill=\"%s\"/><text class=\"m%s\" x=\"%.1f\" y=\"%.1f\">",
          violations, sum->tries, cell_x(panel, column) + 1, y + 1, panel->cell - 2, ROW - 2, fill, class,
          cell_x(panel, column) + panel->cell / 2, y + 16);
  put_cell_text(out, violations, sum->tries);
  fprintf(out, "</text></g>\n");
}

static void put_panel(FILE *out, const struct hunt *hunt, const struct panel *panel) {
  const unsigned height = HEAD + hunt->row_count * ROW + 1;
  fprintf(out,
          "<svg width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" role=\"img\" "
          "aria-label=\"Violation rate of each scenario and payload size\">\n",
          WIDTH, height, WIDTH, height);
  put_sizes(out, &hunt->options, panel);
  for (unsigned i = 0; i < hunt->row_count; i++) {
    const struct row *row = &hunt->rows[i];
    const double y = HEAD + i * ROW;
    put_label(out, row, y + 16);
    for (unsigned j = 0; j < panel->count; j++)
      put_cell(out, panel, j, y, &row->by_size[panel->first + j]);
    if (i && row->flags != hunt->rows[i - 1].flags)
      fprintf(out, "<path d=\"M0 %.1fH%.1f\" stroke=\"#57606a\"/>\n", y, cell_x(panel, panel->count));
  }
  fprintf(out, "</svg>\n");
}

static void put_key(FILE *out, double x, const char *fill, const char *text) {
  fprintf(out,
          "<rect x=\"%.0f\" y=\"3\" width=\"18\" height=\"14\" fill=\"%s\" stroke=\"#8c959f\" "
          "stroke-width=\"0.5\"/><text x=\"%.0f\" y=\"14\">%s</text>\n",
          x, fill, x + 24, text);
}

/* Also holds the hatching that the panels use. */
static void put_legend(FILE *out) {
  fprintf(out,
          "<svg width=\"%d\" height=\"26\" viewBox=\"0 0 %d 26\" role=\"img\" aria-label=\"Legend\">\n<defs>"
          "<pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#fff\"/>"
          "<path d=\"M0 0V7\" stroke=\"#c4cad1\" stroke-width=\"2\"/></pattern></defs>\n",
          WIDTH, WIDTH);
  put_key(out, NAME_X, "url(#hatch)", "not run");
  put_key(out, 110, "#e3eefa", "none seen, of so many tries");
  for (unsigned i = 0; i < DECADES; i++)
    put_key(out, CELLS_X + i * 125, decades[DECADES - 1 - i].fill, decades[DECADES - 1 - i].text);
  fprintf(out, "</svg>\n");
}

static bool has_two_puts(const struct hunt *hunt) {
  bool found = false;
  for (unsigned i = 0; i < hunt->row_count; i++)
    found |= hunt->rows[i].scenario->shape == SHAPE_TWO_PUTS;
  for (unsigned i = 0; i < hunt->options.size_count && found; i++)
    if (hunt->options.sizes[i] < 16)
      return true;
  return false;
}

static bool pattern_ran(const struct hunt *hunt, int pattern) {
  for (unsigned i = 0; i < hunt->options.size_count; i++)
    if (hunt_cell(hunt, (enum pattern)pattern, i).tries)
      return true;
  return false;
}

static void put_pattern(FILE *out, const struct hunt *hunt, const struct panel *panel, int pattern, double y) {
  fprintf(out, "<text class=\"row\" x=\"%d\" y=\"%.1f\">%s</text>\n", NAME_X, y + 16,
          pattern_name((enum pattern)pattern));
  for (unsigned i = 0; i < panel->count; i++) {
    const struct cell cell = hunt_cell(hunt, (enum pattern)pattern, panel->first + i);
    struct outcomes sum = {.tries = cell.tries};
    sum.count[OUTCOME_OK] = cell.tries - cell.violations;
    put_cell(out, panel, i, y, &sum);
  }
}

static void put_pattern_panel(FILE *out, const struct hunt *hunt, const struct panel *panel) {
  unsigned rows = 0, y = HEAD;
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    rows += pattern_ran(hunt, pattern);
  fprintf(out,
          "<svg class=\"patterns\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" role=\"img\" "
          "aria-label=\"Violation rate of each pattern and payload size\">\n",
          WIDTH, HEAD + rows * ROW + 1, WIDTH, HEAD + rows * ROW + 1);
  fprintf(out, "<text class=\"soft\" x=\"%d\" y=\"15\">pattern</text>\n", NAME_X);
  char text[NUMBER_SIZE];
  for (unsigned i = 0; i < panel->count; i++)
    fprintf(out, "<text class=\"m\" x=\"%.1f\" y=\"15\">%s</text>\n", cell_x(panel, i) + panel->cell / 2,
            bytes_text(hunt->options.sizes[panel->first + i], text));
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    if (pattern_ran(hunt, pattern)) {
      put_pattern(out, hunt, panel, pattern, y);
      y += ROW;
    }
  fprintf(out, "</svg>\n");
}

/* All sizes, in as many panels as they need. */
static void put_panels(FILE *out, const struct hunt *hunt,
                       void (*put)(FILE *out, const struct hunt *hunt, const struct panel *panel)) {
  const unsigned sizes = hunt->options.size_count;
  const unsigned columns = sizes < PANEL_SIZES ? sizes < 8 ? 8 : sizes : PANEL_SIZES;
  for (unsigned first = 0; first < sizes; first += PANEL_SIZES) {
    const unsigned left = sizes - first, count = left < PANEL_SIZES ? left : PANEL_SIZES;
    put(out, hunt, &(struct panel){.first = first, .count = count, .cell = (double)(WIDTH - CELLS_X) / columns});
  }
}

void page_heatmap(FILE *out, const struct hunt *hunt) {
  if (!hunt->row_count)
    return;
  fprintf(
      out,
      "<section class=\"heat\">\n<h2>Scenario by payload size</h2>\n<p class=\"soft\">Violations per try, a colour per decade. "
      "Pattern: %s.%s</p>\n<figure>\n",
      pattern_name(hunt->options.pattern),
      has_two_puts(hunt) ? " Scenarios of two puts send 16 bytes where the column says 8." : "");
  put_legend(out);
  put_panels(out, hunt, put_panel);
  fprintf(
      out,
      "</figure>\n<h2>Pattern by payload size</h2>\n<p class=\"soft\">Of the rows that must never show a violation, "
      "together.</p>\n<figure>\n");
  put_panels(out, hunt, put_pattern_panel);
  fprintf(out, "</figure>\n</section>\n");
}
