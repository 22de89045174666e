#include "facts_from.h"
#include "command.h"
#include "facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Saved outputs are kilobytes, a log perhaps more; what is larger is something else. */
enum { LARGEST = 64 << 20 };

/* Fresh memory; NULL: not enough of it. */
static char *read_stream(FILE *stream, size_t *size) {
  size_t room = 64 << 10;
  char *text = malloc(room);
  *size = 0;
  if (!text) {
    return NULL;
  }
  while (!feof(stream) && !ferror(stream) && *size <= LARGEST) {
    if (*size == room) {
      room *= 2;
      char *longer = realloc(text, room);
      if (!longer) {
        free(text);
        return NULL;
      }
      text = longer;
    }
    *size += fread(text + *size, 1, room - *size, stream);
  }
  return text;
}

/* The file's bytes, or NULL after a message. */
static char *read_file(const char *file, size_t *size) {
  FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
  if (!stream) {
    say("cannot open %s: %s", file, strerror(errno));
    return NULL;
  }
  char *text = read_stream(stream, size);
  bool broken = ferror(stream) != 0;
  int error = errno;
  if (stream != stdin) {
    fclose(stream);
  }
  if (!text || broken || *size > LARGEST) {
    say("cannot read %s: %s", file, !text ? "out of memory" : broken ? strerror(error) : "larger than 64 MiB");
    free(text);
    return NULL;
  }
  return text;
}

static const char *worse(const char *a, const char *b) {
  static const char *const order[] = {"zero", "unknown", "non-zero"};
  size_t i = 0, j = 0;
  while (i < 2 && strcmp(a, order[i]) != 0) {
    i++;
  }
  while (j < 2 && strcmp(b, order[j]) != 0) {
    j++;
  }
  return order[i > j ? i : j];
}

static const char *mode_class(const struct fact *mode) {
  return !mode->value ? "unknown" : strcmp(mode->value, "0") == 0 ? "zero" : "non-zero";
}

const char *worst_mode(const struct host_facts *host, const struct from_notes *notes) {
  const char *worst = notes->unreadable ? "unknown" : "zero";
  for (size_t i = 0; i < host->nic_count; i++) {
    const struct nic_facts *nic = &host->nics[i];
    worst = worse(worst, mode_class(&nic->facts[NIC_MODE_CURRENT]));
    worst = worse(worst, mode_class(&nic->facts[NIC_MODE_NEXT]));
    worst = strcmp(nic->address, NO_DEVICE_LINE) == 0 ? worse(worst, "unknown") : worst;
  }
  return host->nic_count > 0 ? worst : NULL;
}

int facts_from_command(const char *file, bool json) {
  size_t size;
  char *text = read_file(file, &size);
  if (!text) {
    return STATUS_FAILED;
  }
  struct host_facts *host = host_facts_new();
  struct from_notes notes = {0};
  bool ok = host && facts_from(text, size, host, &notes);
  if (ok && json) {
    facts_from_json(file, host, &notes);
  } else if (ok) {
    facts_from_text(host, &notes);
  } else {
    say("out of memory");
  }
  from_notes_free(&notes);
  host_facts_free(host);
  free(text);
  return ok ? STATUS_OK : STATUS_FAILED;
}
