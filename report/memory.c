#define _GNU_SOURCE
#include "report/memory.h"

#include "cli/command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

void *memory_sized(void *old, size_t count, size_t size) {
  void *memory = reallocarray(old, count, size);
  if (memory == NULL && count > 0) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  return memory;
}

void *memory_for_one_more(void *old, size_t count, size_t *room, size_t size) {
  if (count < *room) {
    return old;
  }
  *room = *room ? *room * 2 : 16;
  return memory_sized(old, *room, size);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  unsigned __int128 product = (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15u;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t seed(void) {
  static uint64_t value;
  const void *random = value ? NULL : (const void *)getauxval(AT_RANDOM); /* 16 bytes of the kernel's */
  if (random != NULL) {
    memcpy(&value, random, sizeof value);
  }
  return value | 1;
}

size_t memory_hash(const void *bytes, size_t size) {
  const char *at = bytes;
  uint64_t hash = mixed(seed(), size), word = 0;
  for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    hash = mixed(hash, word);
  }
  word = 0;
  memcpy(&word, at, size);
  return (size_t)mixed(hash, word);
}
