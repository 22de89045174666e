#define _GNU_SOURCE
#include "report/texts.h"

#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

void texts_free(struct texts *texts) {
  for (size_t i = 1; i < texts->count; i++) {
    free((void *)texts->list[i].bytes);
  }
  free(texts->list);
  free(texts->slots);
  free(texts->ranks);
  *texts = (struct texts){0};
}

static uint32_t *slot_of(const struct texts *texts, const char *bytes, size_t size) {
  size_t at = memory_hash(bytes, size);
  for (;; at++) {
    uint32_t *slot = &texts->slots[at & (texts->slot_count - 1)];
    const struct text *text = &texts->list[*slot];
    if (*slot == 0 || (text->size == size && memcmp(text->bytes, bytes, size) == 0)) {
      return slot;
    }
  }
}

static void make_room(struct texts *texts) {
  texts->list = memory_for_one_more(texts->list, texts->count, &texts->room, sizeof *texts->list);
  if (texts->count == 0) {
    texts->list[texts->count++] = (struct text){0};
    texts->list = memory_for_one_more(texts->list, texts->count, &texts->room, sizeof *texts->list);
  }
  if (texts->count * 2 < texts->slot_count) {
    return;
  }
  texts->slot_count = texts->slot_count ? texts->slot_count * 2 : 64;
  texts->slots = memory_sized(texts->slots, texts->slot_count, sizeof *texts->slots);
  memset(texts->slots, 0, texts->slot_count * sizeof *texts->slots);
  for (uint32_t i = 1; i < texts->count; i++) {
    *slot_of(texts, texts->list[i].bytes, texts->list[i].size) = i;
  }
}

uint32_t texts_number(struct texts *texts, const char *bytes, size_t size) {
  if (bytes == NULL) {
    return 0;
  }
  make_room(texts);
  uint32_t *slot = slot_of(texts, bytes, size);
  if (*slot == 0) {
    char *copy = memory_sized(NULL, size + 1, 1);
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    texts->list[texts->count] = (struct text){.bytes = copy, .size = (uint32_t)size};
    *slot = (uint32_t)texts->count++;
  }
  return *slot;
}

const char *texts_text(const struct texts *texts, uint32_t number) {
  return number < texts->count ? texts->list[number].bytes : NULL;
}

static int by_text(const void *a, const void *b, void *user) {
  const struct texts *texts = user;
  const char *left = texts->list[*(const uint32_t *)a].bytes, *right = texts->list[*(const uint32_t *)b].bytes;
  int order = strverscmp(left, right);
  return order ? order : strcmp(left, right);
}

void texts_sort(struct texts *texts) {
  uint32_t *order = memory_sized(NULL, texts->count + 1, sizeof *order);
  texts->ranks = memory_sized(texts->ranks, texts->count + 1, sizeof *texts->ranks);
  texts->ranks[0] = 0;
  for (uint32_t i = 1; i < texts->count; i++) {
    order[i - 1] = i;
  }
  if (texts->count > 1) {
    qsort_r(order, texts->count - 1, sizeof *order, by_text, texts);
  }
  for (uint32_t i = 1; i < texts->count; i++) {
    texts->ranks[order[i - 1]] = i;
  }
  free(order);
}

uint32_t texts_rank(const struct texts *texts, uint32_t number) { return texts->ranks[number]; }
