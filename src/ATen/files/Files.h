/* What readers and writers of files share.  What fails raises. */
#ifndef ATEN_FILES_H
#define ATEN_FILES_H

#include <limits.h>

#include "ATenFile.h"
#include "ATenOperations.h"

/* --- element types --------------------------------------------------------------------------- */

/* What an element type is called in each format; NULL where it has no name. */
typedef struct at_element {
  const char *npy;         /* without the byte order, such as "f4" */
  const char *safetensors; /* such as "F32" */
  const char *torch;       /* the storage in PyTorch and Torch, such as "FloatStorage" */
  const char *t7;          /* the tensor in Torch, such as "FloatTensor" */
  uint8_t dlCode, dlBits;  /* DLPack's */
} at_element;

extern const at_element at_elements[AT_SCALAR_TYPES];

/* The CPU's Type of that element type. */
const at_type *at_cpuType(at_scalar_type type);

/* --- reading --------------------------------------------------------------------------------- */

/* A file, mapped for this process alone. */
typedef struct at_file {
  const char *path;
  const uint8_t *bytes;
  size_t size;
  THByteStorage *mapping;
} at_file;

/* The guard, which is entered here, closes the file; views of it keep the mapping. */
void at_file_open(at_file *file, const char *path, THGuard *guard);

/* Raises that the file is not what it should be. */
#define at_damaged(FILE, ...) \
  at_damaged_from(__FILE__, __LINE__, FILE, AT_ERROR_RUNTIME, __VA_ARGS__)
/* Raises that it has elements of a type that is not here. */
#define at_foreign(FILE, ...) at_damaged_from(__FILE__, __LINE__, FILE, AT_ERROR_TYPE, __VA_ARGS__)
TH_NO_RETURN void at_damaged_from(const char *source, int line, const at_file *file,
                                  at_error_code code, const char *format, ...) TH_PRINTF_LIKE(5, 6);

/* So many bytes, the lowest first. */
static inline uint64_t at_little(const uint8_t *bytes, int count)
{
  uint64_t value = 0;
  for (int i = 0; i < count; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

/* How many bytes the elements take; false if the sizes are no shape or the number is too large. */
bool at_bytesOf(const at_type *type, at_ints sizes, uint64_t *bytes);

/* Elements that were read become ours: bytes are put in this machine's order, Bools are 0 or 1. */
void at_adopt(const at_type *type, void *data, ptrdiff_t count, bool bigEndian);

/* A copy of elements in row-major order. */
at_tensor *at_newFromBytes(const at_type *type, at_ints sizes, const uint8_t *bytes,
                           bool bigEndian);

/* A view of the elements in the file, little-endian; a copy where they are not aligned. */
at_tensor *at_newMapped(const at_file *file, const at_type *type, at_ints sizes, size_t offset);

/* A tensor of a TH storage, whichever type's it is, from its first element on; strides as TH's. */
at_tensor *at_newOnMemory(const at_type *type, void *storage, at_ints sizes,
                          const int64_t *strides);

/* The highest element that the shape reaches from offset on, plus 1; 0 if there is none.  False if
 * the sizes and strides are no shape. */
bool at_reach(at_ints sizes, const int64_t *strides, int64_t offset, int64_t *end);

/* --- growing memory -------------------------------------------------------------------------- */

typedef struct at_bytes {
  uint8_t *start;
  size_t length, room;
} at_bytes;

/* Undoes: for guards. */
void at_bytes_free(void *bytes);
void at_bytes_add(at_bytes *bytes, const void *what, size_t length);
void at_bytes_addText(at_bytes *bytes, const char *text);
void at_bytes_addLittle(at_bytes *bytes, uint64_t value, int count);
void at_bytes_print(at_bytes *bytes, const char *format, ...) TH_PRINTF_LIKE(2, 3);

/* Room for one element more, of an array that THAlloc gave. */
void *at_grown(void *array, int64_t count, int64_t *room, size_t elementSize);

/* --- writing --------------------------------------------------------------------------------- */

/* A file in the making: without a name where the system has such files, so that nothing of it
 * survives the process; else under one beside its own. */
typedef struct at_out {
  const char *path;
  char place[PATH_MAX]; /* what it will be called */
  const char *name;     /* the last part of that */
  char temporary[48];   /* what it is called until then, or "" */
  int folder, descriptor;
  bool replaces;   /* there is such a file */
  uint64_t length; /* what was written */
  size_t waiting;  /* of it still in buffer */
  uint8_t buffer[1 << 14];
} at_out;

/* The guard, which is entered here, removes the file unless it is committed. */
void at_out_begin(at_out *out, const char *path, THGuard *guard);
void at_out_write(at_out *out, const void *bytes, size_t length);
void at_out_writeBytes(at_out *out, const at_bytes *bytes);
void at_out_little(at_out *out, uint64_t value, int count);
void at_out_fill(at_out *out, uint8_t value, size_t count);
void at_out_commit(at_out *out, THGuard *guard);

/* A contiguous tensor of t's elements whose bytes are little-endian; t's own memory where that is
 * so. */
at_tensor *at_newLittle(at_tensor *t);

/* How many bytes t's elements take. */
size_t at_sizeInBytes(const at_tensor *t);

/* --- sets ------------------------------------------------------------------------------------ */

/* Raises if there is such a name; takes one more reference to t. */
void at_dict_add(at_dict *dict, const at_file *file, const char *name, size_t length, at_tensor *t);

/* The tensor, or NULL. */
at_tensor *at_dict_find(const at_dict *dict, const char *name, size_t length);

bool at_isUtf8(const char *text, size_t length);

/* Raises unless all names are UTF-8 and all element types have names in the format: the offset is
 * that of a field of at_element. */
void at_dict_check(const at_dict *dict, const char *format, size_t field);
#define AT_DICT_CHECK(DICT, FIELD) at_dict_check(DICT, #FIELD, offsetof(at_element, FIELD))

/* --- views into shared memory ----------------------------------------------------------------- */

/* For each tensor of a set: which memory its elements are in, as the format will have it. */
typedef struct at_span {
  int64_t index; /* in the set */
  const void *storage;
  int64_t first, end; /* the elements of it that the tensors with this storage use */
  int64_t owner;      /* the index of the first of them in the set */
} at_span;

/* The spans of all tensors, in the order of the set; the memory is guarded. */
const at_span *at_spansOf(const at_dict *dict, THGuard *guard);

/* The elements of a span, as one line that shares their memory. */
at_tensor *at_newLine(const at_dict *dict, const at_span *span);

/* --- formats --------------------------------------------------------------------------------- */

/* The array whose file, or member of an archive, lies there; offset is 0 there. */
at_tensor *at_readArray(const at_file *file, const uint8_t *bytes, size_t size);

/* What comes before the elements of t, and the elements in their order. */
at_tensor *at_newArray(at_tensor *t, at_bytes *header);
void at_writeArray(at_out *out, at_tensor *t);

bool at_isNpy(const at_file *file);
void at_readNpy(const at_file *file, at_dict *dict);
void at_writeNpy(at_out *out, const at_dict *dict);

bool at_isZip(const at_file *file);
void at_readZip(const at_file *file, at_dict *dict);
void at_writeNpz(at_out *out, const at_dict *dict);

bool at_isSafetensors(const at_file *file);
void at_readSafetensors(const at_file *file, at_dict *dict);
void at_writeSafetensors(at_out *out, const at_dict *dict);

bool at_isLegacyPt(const at_file *file);
void at_readLegacyPt(const at_file *file, at_dict *dict);
void at_writePt(at_out *out, const at_dict *dict);

void at_readT7(const at_file *file, at_dict *dict);
void at_writeT7(at_out *out, const at_dict *dict);

#endif
