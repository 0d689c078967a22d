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

enum { AT_WINDOW = 4096 };

/* A file that is open for reading.  Its bytes are read (pread) into memory of their own, never
 * mapped, so that one that is cut short meanwhile is an error; tensors of safetensors files alone
 * are views of a mapping.
 *
 * room is how much memory may still be taken for names, values and whatever else is not elements of
 * tensors.  It begins as AT_ROOM_TIMES the length of the file and AT_ROOM_BASE, and each reader
 * charges what it allocates before it does so. */
typedef struct at_file {
  const char *path;
  int descriptor;
  size_t size;
  uint8_t head[264];  /* the first bytes, then 0 */
  const char *member; /* of an archive, that is being read: errors name it; or NULL */
  size_t memberLength;
  uint64_t room;
  uint64_t elementRoom; /* bytes that elements may still take: at_load's limit */
  uint64_t limit;
  bool skips; /* what is of a kind that is not here */
  bool lists; /* and reads no elements */
  THByteStorage *mapping;
  uint64_t windowAt; /* small pieces are read through these bytes, from there on */
  size_t windowLength;
  uint8_t window[AT_WINDOW];
} at_file;

enum { AT_ROOM_TIMES = 64, AT_ROOM_BASE = 1 << 20 };

/* The guard, which is entered here, closes the file; views of it keep the mapping. */
void at_file_open(at_file *file, const char *path, THGuard *guard);

/* Raises unless the file has those bytes, still. */
void at_file_read(at_file *file, uint64_t offset, void *to, size_t length);

/* Maps the whole file for this process alone, unless it is. */
void at_file_map(at_file *file);

/* Takes bytes from the file's room; raises if there are not as many. */
void at_file_charge(at_file *file, uint64_t bytes);

/* As THAlloc, charged. */
void *at_file_alloc(at_file *file, uint64_t bytes);

/* Bytes to be read from first to last: of a file, or of a member of an archive. */
typedef struct at_stream {
  at_file *file;
  uint64_t at, left; /* where they are in the file, and how many follow */
  void (*read)(struct at_stream *stream, void *to, size_t length);
} at_stream;

/* All from that byte of the file on. */
at_stream at_file_stream(at_file *file, uint64_t offset);

/* Raises if fewer bytes are left. */
void at_stream_read(at_stream *stream, void *to, size_t length);

/* Raises that the file is not what it should be. */
#define at_damaged(FILE, ...) \
  at_damaged_from(__FILE__, __LINE__, FILE, AT_ERROR_RUNTIME, __VA_ARGS__)
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

/* A new tensor for elements of the file: its objects are charged, its elements limited. */
at_tensor *at_newElements(at_file *file, const at_type *type, at_ints sizes);

/* The elements that follow, in row-major order. */
at_tensor *at_newFromStream(at_stream *stream, const at_type *type, at_ints sizes, bool bigEndian);

/* A view of the elements in the file, little-endian; a copy where they are not aligned, and of
 * Bools, which have to be looked at. */
at_tensor *at_newMapped(at_file *file, const at_type *type, at_ints sizes, uint64_t offset);

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

/* Room for one element more, of an array that THAlloc gave; charged to the file unless that is
 * NULL. */
void *at_grown(at_file *file, void *array, int64_t count, int64_t *room, size_t elementSize);

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

/* What a reader found under a name, and what is to become of it. */
typedef struct at_found {
  const char *name;
  size_t length;
  const at_type *type; /* NULL if its elements are of a type that is not here */
  const char *dtype;   /* then: what the file calls that */
  const char *problem; /* why it cannot be a tensor, if that is not its type */
  at_ints sizes;
} at_found;

/* Whether the reader shall make the tensor and add it.  If not, the set knows what was found: the
 * file is only listed, or it cannot be had and is skipped (else that raises). */
bool at_dict_wants(at_dict *dict, at_file *file, const at_found *found);

/* What was wanted; takes one more reference to t. */
void at_dict_add(at_dict *dict, at_file *file, const at_found *found, at_tensor *t);

/* The file will be closed: the set is complete. */
void at_dict_settle(at_dict *dict);

/* Raises if a tensor was only listed. */
void at_dict_checkLoaded(const at_dict *dict);

/* Room for the values of a file; they belong to the set. */
struct at_nodes *at_dict_newNodes(at_dict *dict, at_file *file);

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

/* The array that the rest of the stream is, under that name.  False if its elements were not
 * wanted. */
bool at_readArray(at_stream *stream, const char *name, size_t length, at_dict *dict);

/* What comes before the elements of t, and the elements in their order. */
at_tensor *at_newArray(at_tensor *t, at_bytes *header);
void at_writeArray(at_out *out, at_tensor *t);

bool at_isNpy(const at_file *file);
void at_readNpy(at_file *file, at_dict *dict);
void at_writeNpy(at_out *out, const at_dict *dict);

bool at_isZip(const at_file *file);
void at_readZip(at_file *file, at_dict *dict);
void at_writeNpz(at_out *out, const at_dict *dict);

bool at_isSafetensors(const at_file *file);
void at_readSafetensors(at_file *file, at_dict *dict);
void at_writeSafetensors(at_out *out, const at_dict *dict);

bool at_isLegacyPt(const at_file *file);
void at_readLegacyPt(at_file *file, at_dict *dict);
void at_writePt(at_out *out, const at_dict *dict);

/* What nothing else is: raises that it is of another format, if it is one that is known. */
bool at_isT7(const at_file *file);
void at_readT7(at_file *file, at_dict *dict);
void at_writeT7(at_out *out, const at_dict *dict);

/* One sentence about files of other formats, by their first bytes or their name; NULL if it is
 * none. */
const char *at_otherFormat(const at_file *file);

#endif
