/* Zip archives, as NumPy and PyTorch write them. */
#ifndef ATEN_ZIP_H
#define ATEN_ZIP_H

#include "Files.h"

/* --- reading --------------------------------------------------------------------------------- */

typedef struct at_member {
  const char *name; /* in the file, without an end */
  size_t nameLength;
  const uint8_t *data; /* as it is stored */
  size_t stored, size;
  uint32_t crc;
  bool deflated;
} at_member;

typedef struct at_zip {
  const at_file *file;
  int64_t count;
  at_member *members;       /* in the order of the archive's directory */
  const at_member **byName; /* sorted; no name is there twice */
} at_zip;

/* Reads and checks the directory; the guard, which is entered here, frees it. */
void at_zip_open(at_zip *zip, const at_file *file, THGuard *guard);

/* The member of that name, or NULL. */
const at_member *at_zip_find(const at_zip *zip, const void *name, size_t length);

/* The member's bytes, in the file or, inflated, in memory that the guard, which is entered here,
 * frees.  Their checksum is right, or 0: PyTorch can be told to write none. */
const uint8_t *at_zip_bytes(const at_zip *zip, const at_member *member, THGuard *guard);

/* The members are arrays, or what PyTorch writes. */
void at_readNpz(const at_zip *zip, at_dict *dict);
void at_readPt(const at_zip *zip, const at_member *pickle, at_dict *dict);

/* --- writing --------------------------------------------------------------------------------- */

/* An archive in the making, whose members are stored and begin at multiples of 64 bytes. */
typedef struct at_zipOut {
  at_out *out;
  at_bytes directory;
  int64_t count;
} at_zipOut;

/* The guard is entered here. */
void at_zipOut_begin(at_zipOut *zip, at_out *out, THGuard *guard);

/* The checksum of what had crc (0 for nothing), and length bytes more. */
uint32_t at_crc(uint32_t crc, const void *bytes, size_t length);

/* What is to be written next is the member, size bytes with that checksum. */
void at_zipOut_member(at_zipOut *zip, const char *name, uint64_t size, uint32_t crc);

/* A whole member. */
void at_zipOut_add(at_zipOut *zip, const char *name, const void *bytes, size_t size);
void at_zipOut_finish(at_zipOut *zip);

#endif
