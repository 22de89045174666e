/*
 * Just enough of ELF to tell how a program is bound. Reads 64-bit little-endian files; of others it tells class and machine.
 * Every offset that comes from the file is checked: damaged files give less, never a crash.
 */
#ifndef WINORD_ELF_H
#define WINORD_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
  const unsigned char *data; /* the file, mapped read-only */
  size_t size;
  unsigned char class, encoding; /* ELFCLASS64, ELFDATA2LSB, ... */
  uint16_t machine; /* EM_X86_64, ...; 0 where the class or encoding is not ours */
  bool readable; /* 64 bits, little-endian: the rest below works */
  Elf64_Ehdr header;
};

/* Maps the file. Returns NULL on success, else a static description; "not an ELF file" for any other regular file. */
const char *elf_open(struct elf *elf, const char *path);
void elf_close(struct elf *elf);

/* The program interpreter, or NULL. Points into the file. */
const char *elf_interpreter(const struct elf *elf);

/* Value of the nth (from 0) dynamic entry with this tag. */
bool elf_dynamic(const struct elf *elf, int64_t tag, size_t nth, uint64_t *value);

/* The nth DT_NEEDED name, or NULL. Points into the file. */
const char *elf_needed(const struct elf *elf, size_t nth);

/* A symbol that is looked for, and what was found. */
struct elf_symbol {
  const char *name;
  bool defined, imported;
  bool fixed; /* defined with protected visibility: calls inside the object bind to it */
};

/* Looks for the names in the dynamic symbol table. */
void elf_dynamic_symbols(const struct elf *elf, struct elf_symbol *symbols, size_t count);

/* Likewise in the static one (.symtab), which strip removes. */
void elf_static_symbols(const struct elf *elf, struct elf_symbol *symbols, size_t count);

/* First place of the text in read-only loaded data, at or after from; NULL: none. *rest: bytes from there to the end of the data. */
const char *elf_find_text(const struct elf *elf, const char *text, const char *from, size_t *rest);

#endif
