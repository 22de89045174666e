/*
 * inih's own file reader is never used, but it takes the address of fgets, which the dynamic linker would look up at the start
 * of every process that preloads us. This one, which nobody calls, spares it that.
 */
#include <stddef.h>

char *fgets(char *line, int size, void *stream);

char *fgets(char *line, int size, void *stream) {
  (void)line, (void)size, (void)stream;
  return NULL;
}
