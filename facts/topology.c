#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "nvidia-smi topo -m";

enum { MOST_COLUMNS = 80, SHORT_NAME = 16 };

/* One matrix: its columns up to "CPU Affinity", and what the rows said. */
struct matrix {
  char names[MOST_COLUMNS][SHORT_NAME]; /* "GPU0", "NIC7" */
  char rdma[MOST_COLUMNS][NAME_SIZE]; /* of a NIC column, from the legend */
  const char *cells[MOST_COLUMNS][MOST_COLUMNS]; /* row, column; NULL: no such row, or not understood */
  bool rows[MOST_COLUMNS];
  size_t count;
};

static bool is_column(struct word word) {
  size_t digits = 0;
  bool rdma = word.size > 0 && word.text[0] >= 'a' && word.text[0] <= 'z';
  bool known = word_begins(word, "GPU") || word_begins(word, "NIC") || rdma;
  while (digits < word.size && word.text[word.size - 1 - digits] >= '0' && word.text[word.size - 1 - digits] <= '9') {
    digits++;
  }
  return known && digits > 0 && word.size < SHORT_NAME;
}

static size_t column_of(const struct matrix *matrix, struct word name) {
  size_t i = 0;
  while (i < matrix->count && !word_is(name, matrix->names[i])) {
    i++;
  }
  return i;
}

/* A header has nothing but columns, one of each, then affinities. */
static void read_header(const char *line, struct matrix *matrix) {
  struct word word, start[2];
  if (split_line(line, start, 2) < 2 || !word_begins(start[0], "GPU") || !is_column(start[0]) || !is_column(start[1])) {
    return;
  }
  while (next_word(&line, &word) && is_column(word) && column_of(matrix, word) == matrix->count &&
         matrix->count < MOST_COLUMNS) {
    size_t i = matrix->count++;
    word_copy(matrix->names[i], SHORT_NAME, word);
    if (!word_begins(word, "GPU") && !word_begins(word, "NIC")) {
      word_copy(matrix->rdma[i], NAME_SIZE, word);
    }
  }
}

static const char *cell_of(struct word word) {
  static const char *const classes[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (word_is(word, classes[i])) {
      return classes[i];
    }
  }
  return NULL;
}

/* A row counts when its own column is X: then no cell before it was lost. */
static void read_row(const char *line, struct matrix *matrix) {
  struct word word;
  const char *cells[MOST_COLUMNS] = {0};
  if (!next_word(&line, &word)) {
    return;
  }
  size_t row = column_of(matrix, word);
  if (row == matrix->count || matrix->rows[row]) {
    return;
  }
  for (size_t i = 0; i < matrix->count && next_word(&line, &word); i++) {
    cells[i] = cell_of(word);
  }
  if (cells[row] && strcmp(cells[row], "X") == 0) {
    matrix->rows[row] = true;
    memcpy(matrix->cells[row], cells, sizeof cells);
  }
}

/* "NIC7: mlx5_7" */
static void read_legend(const char *line, struct matrix *matrix) {
  struct word words[3];
  if (split_line(line, words, 3) != 2 || words[0].text[words[0].size - 1] != ':') {
    return;
  }
  size_t column = column_of(matrix, (struct word){words[0].text, words[0].size - 1});
  if (column < matrix->count && word_begins(words[0], "NIC") && !matrix->rdma[column][0]) {
    word_copy(matrix->rdma[column], NAME_SIZE, words[1]);
  }
}

/* A GPU's path to a NIC by the GPU's row; by the NIC's, where that cell is damaged; none where they differ. */
static bool add_path(const struct matrix *matrix, size_t gpu, size_t nic, struct host_facts *host) {
  const char *there = matrix->cells[gpu][nic], *back = matrix->cells[nic][gpu];
  char path[80];
  if ((!there && !back) || (there && back && strcmp(there, back) != 0) || !matrix->rdma[nic][0]) {
    return true;
  }
  if (there) {
    snprintf(path, sizeof path, "%s", there);
  } else {
    snprintf(path, sizeof path, "%s (from the %s row; the GPU rows are damaged)", back, matrix->names[nic]);
  }
  return host_path(host, matrix->names[gpu], matrix->rdma[nic], path, source);
}

static bool finish(const struct matrix *matrix, struct host_facts *host) {
  bool ok = true;
  for (size_t gpu = 0; gpu < matrix->count; gpu++) {
    for (size_t nic = 0; ok && nic < matrix->count; nic++) {
      bool pair = text_begins(matrix->names[gpu], "GPU") && !text_begins(matrix->names[nic], "GPU");
      ok = !pair || add_path(matrix, gpu, nic, host);
    }
  }
  return ok;
}

/* The first matrix counts: a second one may be another host's. */
bool read_topology(const struct capture *capture, struct host_facts *host) {
  struct matrix *matrix = calloc(1, sizeof *matrix);
  bool ok = matrix != NULL;
  for (size_t i = 0; ok && i < capture->count; i++) {
    const char *line = capture->lines[i];
    bool cut = capture->cut && i + 1 == capture->count;
    if (matrix->count == 0) {
      read_header(line, matrix);
    } else if (!cut) {
      read_row(line, matrix);
      read_legend(line, matrix);
    }
  }
  ok = ok && finish(matrix, host);
  free(matrix);
  return ok;
}
