#define _GNU_SOURCE
#include "elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies bytes out of the file (nothing in it need be aligned); false: not all of them are there. */
static bool get(const struct elf *elf, uint64_t offset, void *out, size_t size) {
  if (offset > elf->size || size > elf->size - offset) {
    return false;
  }
  memcpy(out, elf->data + offset, size);
  return true;
}

/* The string at offset, if it ends within the file. */
static const char *string_at(const struct elf *elf, uint64_t offset) {
  if (offset >= elf->size || memchr(elf->data + offset, '\0', elf->size - offset) == NULL) {
    return NULL;
  }
  return (const char *)elf->data + offset;
}

static const char *map_file(struct elf *elf, int file) {
  struct stat facts;
  if (fstat(file, &facts) != 0) {
    return strerror(errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return "not a regular file";
  }
  if (facts.st_size < EI_NIDENT) {
    return "not an ELF file";
  }
  void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) {
    return strerror(errno);
  }
  elf->data = data;
  elf->size = (size_t)facts.st_size;
  return NULL;
}

static const char *read_header(struct elf *elf) {
  if (memcmp(elf->data, ELFMAG, SELFMAG) != 0) {
    return "not an ELF file";
  }
  elf->class = elf->data[EI_CLASS];
  elf->encoding = elf->data[EI_DATA];
  if (elf->class != ELFCLASS64 || elf->encoding != ELFDATA2LSB) {
    return NULL;
  }
  if (!get(elf, 0, &elf->header, sizeof elf->header)) {
    return "a damaged ELF file";
  }
  elf->machine = elf->header.e_machine;
  elf->readable = true;
  return NULL;
}

const char *elf_open(struct elf *elf, const char *path) {
  memset(elf, 0, sizeof *elf);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    return strerror(errno);
  }
  const char *trouble = map_file(elf, file);
  close(file);
  if (trouble == NULL) {
    trouble = read_header(elf);
  }
  if (trouble != NULL) {
    elf_close(elf);
  }
  return trouble;
}

void elf_close(struct elf *elf) {
  if (elf->data != NULL) {
    munmap((void *)elf->data, elf->size);
  }
  memset(elf, 0, sizeof *elf);
}

/* Program header `index`; false: there is none. */
static bool segment(const struct elf *elf, size_t index, Elf64_Phdr *out) {
  return elf->readable && elf->header.e_phentsize == sizeof *out && index < elf->header.e_phnum &&
         elf->header.e_phoff <= elf->size && get(elf, elf->header.e_phoff + index * sizeof *out, out, sizeof *out);
}

static bool section(const struct elf *elf, size_t index, Elf64_Shdr *out) {
  return elf->readable && elf->header.e_shentsize == sizeof *out && index < elf->header.e_shnum &&
         elf->header.e_shoff <= elf->size && get(elf, elf->header.e_shoff + index * sizeof *out, out, sizeof *out);
}

static bool find_segment(const struct elf *elf, uint32_t type, Elf64_Phdr *out) {
  for (size_t i = 0; segment(elf, i, out); i++) {
    if (out->p_type == type) {
      return true;
    }
  }
  return false;
}

static bool find_section(const struct elf *elf, uint32_t type, Elf64_Shdr *out) {
  for (size_t i = 0; section(elf, i, out); i++) {
    if (out->sh_type == type) {
      return true;
    }
  }
  return false;
}

/* Where in the file the byte lies that is loaded at this address. */
static bool file_offset(const struct elf *elf, uint64_t address, uint64_t *offset) {
  Elf64_Phdr load;
  for (size_t i = 0; segment(elf, i, &load); i++) {
    if (load.p_type == PT_LOAD && address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz &&
        load.p_offset <= elf->size) {
      *offset = load.p_offset + (address - load.p_vaddr);
      return true;
    }
  }
  return false;
}

const char *elf_interpreter(const struct elf *elf) {
  Elf64_Phdr interpreter;
  return find_segment(elf, PT_INTERP, &interpreter) ? string_at(elf, interpreter.p_offset) : NULL;
}

bool elf_dynamic(const struct elf *elf, int64_t tag, size_t nth, uint64_t *value) {
  Elf64_Phdr dynamic;
  Elf64_Dyn entry;
  if (!find_segment(elf, PT_DYNAMIC, &dynamic) || dynamic.p_offset > elf->size) {
    return false;
  }
  for (uint64_t at = 0; at < dynamic.p_filesz && get(elf, dynamic.p_offset + at, &entry, sizeof entry);
       at += sizeof entry) {
    if (entry.d_tag == DT_NULL) {
      return false;
    }
    if (entry.d_tag == tag && nth-- == 0) {
      *value = entry.d_un.d_val;
      return true;
    }
  }
  return false;
}

const char *elf_needed(const struct elf *elf, size_t nth) {
  uint64_t name, table, offset;
  if (!elf_dynamic(elf, DT_NEEDED, nth, &name) || !elf_dynamic(elf, DT_STRTAB, 0, &table) ||
      !file_offset(elf, table, &offset) || name > elf->size) {
    return NULL;
  }
  return string_at(elf, offset + name);
}

/* A symbol table: where it, and the names it points to, stand in the file. */
struct table {
  uint64_t offset, count, names;
};

static bool table_of_section(const struct elf *elf, uint32_t type, struct table *table) {
  Elf64_Shdr symbols, names;
  if (!find_section(elf, type, &symbols) || !section(elf, symbols.sh_link, &names) || names.sh_type != SHT_STRTAB ||
      symbols.sh_offset > elf->size || names.sh_offset > elf->size) {
    return false;
  }
  *table = (struct table){symbols.sh_offset, symbols.sh_size / sizeof(Elf64_Sym), names.sh_offset};
  return true;
}

/* Without section headers: the dynamic symbols end where their names begin, as every linker lays them out. */
static bool table_of_segment(const struct elf *elf, struct table *table) {
  uint64_t symbols, names;
  if (!elf_dynamic(elf, DT_SYMTAB, 0, &symbols) || !elf_dynamic(elf, DT_STRTAB, 0, &names) ||
      !file_offset(elf, symbols, &table->offset) || !file_offset(elf, names, &table->names) ||
      table->names < table->offset) {
    return false;
  }
  table->count = (table->names - table->offset) / sizeof(Elf64_Sym);
  return true;
}

static bool has_name(const struct elf *elf, const struct table *table, const Elf64_Sym *symbol, const char *name) {
  size_t size = strlen(name) + 1;
  uint64_t at = table->names + symbol->st_name;
  return at <= elf->size && size <= elf->size - at && memcmp(elf->data + at, name, size) == 0;
}

static void note(struct elf_symbol *wanted, const Elf64_Sym *symbol) {
  if (symbol->st_shndx == SHN_UNDEF) {
    wanted->imported = true;
    return;
  }
  wanted->defined = true;
  wanted->fixed = ELF64_ST_VISIBILITY(symbol->st_other) == STV_PROTECTED;
}

static void search(const struct elf *elf, const struct table *table, struct elf_symbol *symbols, size_t count) {
  Elf64_Sym symbol;
  for (uint64_t i = 0; i < table->count && get(elf, table->offset + i * sizeof symbol, &symbol, sizeof symbol); i++) {
    for (size_t j = 0; j < count; j++) {
      if (has_name(elf, table, &symbol, symbols[j].name)) {
        note(&symbols[j], &symbol);
      }
    }
  }
}

void elf_dynamic_symbols(const struct elf *elf, struct elf_symbol *symbols, size_t count) {
  struct table table;
  if (table_of_section(elf, SHT_DYNSYM, &table) || table_of_segment(elf, &table)) {
    search(elf, &table, symbols, count);
  }
}

void elf_static_symbols(const struct elf *elf, struct elf_symbol *symbols, size_t count) {
  struct table table;
  if (table_of_section(elf, SHT_SYMTAB, &table)) {
    search(elf, &table, symbols, count);
  }
}

const char *elf_find_text(const struct elf *elf, const char *text, const char *from, size_t *rest) {
  Elf64_Phdr load;
  for (size_t i = 0; segment(elf, i, &load); i++) {
    if (load.p_type != PT_LOAD || (load.p_flags & PF_W) || load.p_offset >= elf->size) {
      continue;
    }
    uint64_t size = load.p_filesz < elf->size - load.p_offset ? load.p_filesz : elf->size - load.p_offset;
    const char *begin = (const char *)elf->data + load.p_offset, *end = begin + size;
    begin = from > begin ? from : begin;
    const char *found = begin < end ? memmem(begin, (size_t)(end - begin), text, strlen(text)) : NULL;
    if (found != NULL) {
      *rest = (size_t)(end - found);
      return found;
    }
  }
  return NULL;
}
