#include "report/print.h"
#include "report/report.h"

#include <inttypes.h>

void report_csv(const struct sums *sums) {
  const struct sheet_form *form = &sheet_forms[SHEET_REGISTRATIONS];
  const struct table *table = &sums->sheets[SHEET_REGISTRATIONS];
  fputs("job,run", stdout);
  for (size_t i = 1; i < form->column_count; i++) {
    printf(",%s", form->columns[i].name);
  }
  fputs(",windows,bytes\r\n", stdout);
  for (size_t n = 0; n < table->count; n++) {
    const struct row *row = table_at(table, n);
    const struct job *job = table_at(&sums->jobs, row->key[0]);
    const char *name = texts_text(&sums->texts, job->key[0]);
    if (row->count == 0) {
      continue;
    }
    fputs(job->key[1] ? "," : "", stdout);
    print_csv(stdout, name ? name : "");
    fputs(job->key[1] ? "" : ",", stdout);
    for (size_t i = 1; i < form->column_count; i++) {
      const char *text = row_text(sums, row, i);
      putchar(',');
      print_csv(stdout, text ? text : "");
    }
    printf(",%" PRIu64 ",%" PRIu64 "\r\n", row->count, row->bytes);
  }
}
