/* Zip archives, as NumPy and PyTorch write them. */
#ifndef ATEN_ZIP_H
#define ATEN_ZIP_H

#include "Files.h"

/* --- reading --------------------------------------------------------------------------------- */

typedef struct at_member {
  const char *name; /* in the directory, without a 0 at its end */
  size_t nameLength;
  uint64_t header, stored, size; /* offset of its header, size in the file, size inflated */
  uint32_t crc;
  bool deflated;
} at_member;

typedef struct at_zip {
  at_file *file;
  uint8_t *directory;
  int64_t count;
  at_member *members;       /* in the order of the archive's directory */
  const at_member **byName; /* sorted by name; names are unique */
} at_zip;

/* Reads and checks the directory; the guard, which is entered here, frees it. */
void at_zip_open(at_zip *zip, at_file *file, THGuard *guard);

/* The member of that name, or NULL. */
const at_member *at_zip_find(const at_zip *zip, const void *name, size_t length);

/* A stream of the bytes of a member, inflated as they are read.  at_member_finish checks that no
 * bytes are left and that the checksum is right, or 0, because PyTorch has an option to write
 * none. */
typedef struct at_memberStream {
  at_stream stream; /* the first member: its read function casts it to this struct */
  const at_member *member;
  uint64_t in; /* stored bytes that follow */
  uint32_t crc;
  struct at_inflater *inflater; /* NULL if it is only stored */
} at_memberStream;

/* Enters the guard, which frees what this allocates. */
void at_member_begin(at_memberStream *s, const at_zip *zip, const at_member *member,
                     THGuard *guard);
void at_member_finish(at_memberStream *s);

/* Read an archive of arrays, and an archive of PyTorch. */
void at_readNpz(const at_zip *zip, at_dict *dict);
void at_readPt(const at_zip *zip, const at_member *pickle, at_dict *dict);

/* --- writing --------------------------------------------------------------------------------- */

/* An archive that is being written: its members are stored and begin at multiples of 64 bytes. */
typedef struct at_zipOut {
  at_out *out;
  at_bytes directory;
  int64_t count;
} at_zipOut;

/* Enters the guard, which frees what this allocates. */
void at_zipOut_begin(at_zipOut *zip, at_out *out, THGuard *guard);

/* Continues the checksum crc (0 at the beginning) with length bytes. */
uint32_t at_crc(uint32_t crc, const void *bytes, size_t length);

/* Begins a member: size bytes with that checksum are to be written next. */
void at_zipOut_member(at_zipOut *zip, const char *name, uint64_t size, uint32_t crc);

/* Writes a whole member. */
void at_zipOut_add(at_zipOut *zip, const char *name, const void *bytes, size_t size);
void at_zipOut_finish(at_zipOut *zip);

#endif
