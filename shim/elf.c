#include "elf.h"

#include <stdint.h>
#include <sys/auxv.h>

#include "linker.h"

/* The tables of a dynamic section that a look-up needs. */
struct tables {
  const ElfW(Sym) *symbols;
  const char *strings;
  const ElfW(Half) *versions;
  const uint32_t *gnu_hash;
  const uint32_t *sysv_hash;
  const ElfW(Rela) *plt, *rela;
  size_t plt_size, rela_size;
  const char *soname;
};

bool auditing;

bool same_text(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

/* glibc relocates these pointers in place, except in objects it does not own (the vDSO). */
static const void *pointer(const struct object *object, ElfW(Addr) value) {
  return (const void *)(value < object->base && (intptr_t)object->base > 0 ? object->base + value : value);
}

static struct tables read_tables(const struct object *object) {
  struct tables t = {0};
  ElfW(Addr) soname = (ElfW(Addr))-1;
  for (const ElfW(Dyn) *d = object->dynamic; d->d_tag != DT_NULL; d++) {
    switch (d->d_tag) {
    case DT_SYMTAB: t.symbols = pointer(object, d->d_un.d_ptr); break;
    case DT_STRTAB: t.strings = pointer(object, d->d_un.d_ptr); break;
    case DT_VERSYM: t.versions = pointer(object, d->d_un.d_ptr); break;
    case DT_GNU_HASH: t.gnu_hash = pointer(object, d->d_un.d_ptr); break;
    case DT_HASH: t.sysv_hash = pointer(object, d->d_un.d_ptr); break;
    case DT_JMPREL: t.plt = pointer(object, d->d_un.d_ptr); break;
    case DT_PLTRELSZ: t.plt_size = d->d_un.d_val; break;
    case DT_RELA: t.rela = pointer(object, d->d_un.d_ptr); break;
    case DT_RELASZ: t.rela_size = d->d_un.d_val; break;
    case DT_SONAME: soname = d->d_un.d_val; break;
    default: break;
    }
  }
  if (t.strings && soname != (ElfW(Addr))-1)
    t.soname = t.strings + soname;
  return t;
}

/* A definition users can bind to: a function, in its default version (bit 15 of the version marks the others). */
static bool defines(const struct tables *t, size_t index, const char *name) {
  const ElfW(Sym) *s = &t->symbols[index];
  if (s->st_shndx == SHN_UNDEF || s->st_value == 0 || ELF64_ST_TYPE(s->st_info) != STT_FUNC)
    return false;
  if (t->versions && (t->versions[index] & 0x8000))
    return false;
  return same_text(t->strings + s->st_name, name);
}

static uint32_t gnu_hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static const ElfW(Sym) *find_gnu(const struct tables *t, const char *name) {
  const uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2], shift = t->gnu_hash[3];
  const ElfW(Addr) *bloom = (const ElfW(Addr) *)(t->gnu_hash + 4);
  const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
  const uint32_t hash = gnu_hash_of(name);
  const ElfW(Addr) word = bloom[(hash / 64) % words];
  if (buckets == 0 || !(word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1))
    return NULL;
  for (uint32_t i = bucket[hash % buckets]; i >= first; i++) {
    if ((chain[i - first] | 1) == (hash | 1) && defines(t, i, name))
      return &t->symbols[i];
    if (chain[i - first] & 1)
      break;
  }
  return NULL;
}

static const ElfW(Sym) *find_sysv(const struct tables *t, const char *name) {
  const uint32_t count = t->sysv_hash[1]; /* chains: one per symbol */
  for (uint32_t i = 1; i < count; i++)
    if (defines(t, i, name))
      return &t->symbols[i];
  return NULL;
}

void *object_symbol(const struct object *object, const char *name) {
  const struct tables t = read_tables(object);
  if (!t.symbols || !t.strings)
    return NULL;
  const ElfW(Sym) *s = t.gnu_hash ? find_gnu(&t, name) : t.sysv_hash ? find_sysv(&t, name) : NULL;
  return s ? (void *)(object->base + s->st_value) : NULL;
}

const char *object_soname(const struct object *object) { return read_tables(object).soname; }

/* Of the first slot for this name; or, where only is not NULL, of the first that holds it. */
static void *slot_value(const struct object *object, const struct tables *t, const ElfW(Rela) *rela, size_t size,
                        const char *name, const void *only) {
  for (const ElfW(Rela) *end = rela + size / sizeof *rela; rela < end; rela++) {
    const size_t index = ELF64_R_SYM(rela->r_info);
    void *const *slot = (void *const *)(object->base + rela->r_offset);
    if (index != 0 && same_text(t->strings + t->symbols[index].st_name, name) && (!only || *slot == only))
      return *slot;
  }
  return NULL;
}

static void *binding(const struct object *object, const char *name, const void *only) {
  const struct tables t = read_tables(object);
  if (!t.symbols || !t.strings)
    return NULL;
  void *bound = t.plt ? slot_value(object, &t, t.plt, t.plt_size, name, only) : NULL;
  return bound || !t.rela ? bound : slot_value(object, &t, t.rela, t.rela_size, name, only);
}

void *object_binding(const struct object *object, const char *name) { return binding(object, name, NULL); }

bool object_bound_to(const struct object *object, const char *name, const void *address) {
  return binding(object, name, address);
}

struct search {
  ElfW(Addr) address; /* 0: visit all */
  struct object *found;
  bool (*visit)(const struct object *object, void *user);
  void *user;
};

static bool holds(const struct dl_phdr_info *info, ElfW(Addr) address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
      return true;
  }
  return false;
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  const struct search *search = data;
  struct object object = {.base = info->dlpi_addr, .name = info->dlpi_name};
  if (search->address && !holds(info, search->address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      object.dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  if (!object.dynamic)
    return 0;
  if (search->visit)
    return search->visit(&object, search->user);
  *search->found = object;
  return 1;
}

static int iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data) {
  linker_enter();
  const int answer = dl_iterate_phdr(callback, data);
  linker_leave();
  return answer;
}

bool object_at(const void *address, struct object *found) {
  struct search search = {.address = (ElfW(Addr))address, .found = found};
  return iterate(visit_object, &search) == 1;
}

bool objects_any(bool (*visit)(const struct object *object, void *user), void *user) {
  struct search search = {.visit = visit, .user = user};
  return iterate(visit_object, &search) == 1;
}

bool objects_any_within(bool (*visit)(const struct object *object, void *user), void *user) {
  struct search search = {.visit = visit, .user = user};
  return dl_iterate_phdr(visit_object, &search) == 1;
}

static int read_generation(struct dl_phdr_info *info, size_t size, void *data) {
  struct generation *generation = data;
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *generation = (struct generation){.loaded = info->dlpi_adds, .unloaded = info->dlpi_subs};
  return 1;
}

struct generation objects_generation(void) {
  struct generation generation = {0};
  (void)iterate(read_generation, &generation);
  return generation;
}

static const struct r_debug *debug_entry(const ElfW(Dyn) *dynamic) {
  for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_DEBUG)
      return (const struct r_debug *)d->d_un.d_ptr;
  return NULL;
}

bool has_namespaces(const struct object *program) {
  const struct r_debug *debug = debug_entry(program->dynamic);
  return !auditing && debug && debug->r_version >= 2;
}

static const struct r_debug *debugger_interface(void) {
  const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR), *dynamic = NULL;
  const size_t count = getauxval(AT_PHNUM);
  ElfW(Addr) base = 0;
  for (size_t i = 0; phdr && i < count; i++) {
    if (phdr[i].p_type == PT_PHDR)
      base = (ElfW(Addr))phdr - phdr[i].p_vaddr;
    if (phdr[i].p_type == PT_DYNAMIC)
      dynamic = &phdr[i];
  }
  return dynamic ? debug_entry((const ElfW(Dyn) *)(base + dynamic->p_vaddr)) : NULL;
}

const struct link_map *link_maps(void) {
  const struct r_debug *debug = debugger_interface();
  return debug ? debug->r_map : NULL;
}

const struct r_debug *next_namespace(const struct r_debug *last) {
  struct extended { /* glibc 2.35's struct r_debug_extended */
    struct r_debug base;
    const struct r_debug *next;
  };
  const struct r_debug *debug = last ? last : debugger_interface();
  return debug && debug->r_version >= 2 ? ((const struct extended *)debug)->next : NULL;
}

struct object object_of_map(const struct link_map *map) {
  return (struct object){.base = map->l_addr, .dynamic = map->l_ld, .name = map->l_name};
}
