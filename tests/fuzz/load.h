/* For targets that load files of tensors. */
#ifndef TH_FUZZ_LOAD_H
#define TH_FUZZ_LOAD_H

#include "ATen.h"
#include "fuzz.h"

/* Loads and lists the bytes as a file, and checks what must hold of every set: all elements and
 * values can be read, and no more memory is taken than ATenFile.h says. */
void fuzz_load(const uint8_t *bytes, size_t size);

/* fuzz_load with a file of a program, which is loaded and described. */
void fuzz_program(const uint8_t *bytes, size_t size);

/* Counts from now on the memory that is allocated; and the most, in bytes, since then. */
void fuzz_count_memory(void);
size_t fuzz_most_memory(void);

/* An archive in memory.  Its members lack checksums, which is allowed. */
typedef struct FuzzZip {
  uint8_t bytes[3 * 4096], directory[1024];
  size_t length, directoryLength;
  int count;
} FuzzZip;

void fuzz_zip_add(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t size);

/* fuzz_zip_add of deflated bytes; the entry says that they become size bytes when they are inflated. */
void fuzz_zip_addDeflated(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t stored,
                          size_t size);
void fuzz_zip_finish(FuzzZip *zip);

#endif
