/* Declarations for all readers and writers of files.  Errors are raised. */
#ifndef ATEN_FILES_H
#define ATEN_FILES_H

#include <limits.h>

#include "ATenFile.h"
#include "ATen/core/ATenOperations.h"

/* --- element types --------------------------------------------------------------------------- */

/* The names of an element type in each format; NULL if a format does not have the type. */
typedef struct at_element {
  /* NULL where the format has no such type */
  const char *npy;         /* without the byte order, such as "f4" */
  const char *safetensors; /* such as "F32" */
  const char *torch;       /* the storage in PyTorch and Torch, such as "FloatStorage" */
  const char *t7;          /* the tensor in Torch, such as "FloatTensor" */
  uint8_t dlCode, dlBits;  /* in DLPack */
  const char *dtype;       /* PyTorch's type, where it has no storage of its own: "torch.uint16" */
} at_element;

extern const at_element at_elements[AT_SCALAR_TYPES];

/* The CPU Type of that element type. */
const at_type *at_cpuType(at_scalar_type type);

/* --- reading --------------------------------------------------------------------------------- */

enum { AT_WINDOW = 4096 };

/* A file that is open for reading.  Its bytes are read (pread) into memory of their own, never
 * mapped, so that it is an error if the file is truncated meanwhile.  Only tensors of safetensors
 * files are views of a mapping.
 *
 * capacity is the memory that may still be allocated for names, values and everything else but elements
 * of tensors.  It begins as AT_CAPACITY_TIMES the length of the file plus AT_CAPACITY_BASE, and each reader
 * charges the file before it allocates. */
typedef struct at_file {
  const char *path;
  int descriptor;
  uint64_t begin; /* where it begins in the descriptor: not at 0 if it is a part of another file */
  size_t size;
  uint8_t head[264];  /* the first bytes, then 0 */
  const char *member; /* the member of an archive that is being read, for messages; or NULL */
  size_t memberLength;
  uint64_t capacity;
  uint64_t elementCapacity; /* bytes that elements may still take, from at_load's limit */
  uint64_t limit;
  bool skips;  /* skips tensors of unsupported kinds */
  bool lists;  /* lists the tensors without reading elements */
  bool widens; /* reads floats of 8 bits in pickles as Float */
  THByteStorage *mapping;
  uint64_t windowAt; /* the offset of the bytes in window, through which small reads go */
  size_t windowLength;
  uint8_t window[AT_WINDOW];
} at_file;

enum { AT_CAPACITY_TIMES = 64, AT_CAPACITY_BASE = 1 << 20 };

/* The guard, which is entered here, closes the file; views of it keep the mapping. */
void at_file_open(at_file *file, const char *path, THGuard *guard);

/* What that guard does; for files that stay open when the guard is left. */
void at_file_close(at_file *file);

/* Reads bytes; raises if the file does not have them any more. */
void at_file_read(at_file *file, uint64_t offset, void *to, size_t length);

/* The part of a file as a file of its own, which ends before the other does.  Nothing of it is
 * mapped, and capacity comes from, and goes back to, the other's by at_file_leave. */
void at_file_enter(at_file *part, const at_file *file, uint64_t offset, size_t size);
void at_file_leave(at_file *part, at_file *file);

/* Maps the whole file privately, unless it is mapped already. */
void at_file_map(at_file *file);

/* Takes bytes from the file's capacity; raises if fewer are left. */
void at_file_charge(at_file *file, uint64_t bytes);

/* THAlloc of memory that is charged to the file. */
void *at_file_alloc(at_file *file, uint64_t bytes);

/* A sequential reader of a file, or of a member of an archive. */
typedef struct at_stream {
  at_file *file;
  uint64_t at, left; /* the offset in the file, and the number of bytes that follow */
  void (*read)(struct at_stream *stream, void *to, size_t length);
} at_stream;

/* The bytes of the file from that offset on. */
at_stream at_file_stream(at_file *file, uint64_t offset);

/* Raises if fewer bytes are left. */
void at_stream_read(at_stream *stream, void *to, size_t length);

/* Raises that the file is damaged. */
#define at_damaged(FILE, ...) \
  at_damaged_from(__FILE__, __LINE__, FILE, AT_ERROR_RUNTIME, __VA_ARGS__)
TH_NO_RETURN void at_damaged_from(const char *source, int line, const at_file *file,
                                  at_error_code code, const char *format, ...) TH_PRINTF_LIKE(5, 6);

/* The value of count little-endian bytes. */
static inline uint64_t at_little(const uint8_t *bytes, int count)
{
  uint64_t value = 0;
  for (int i = 0; i < count; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

/* The number of bytes of the elements; false if the sizes are invalid or the number overflows. */
bool at_bytesOf(const at_type *type, at_ints sizes, uint64_t *bytes);

/* Converts elements that were read: bytes to the order of this machine, Bools to 0 or 1. */
void at_adopt(const at_type *type, void *data, ptrdiff_t count, bool bigEndian);

/* A new tensor for elements of the file.  Its objects are charged to capacity, its elements to
 * elementCapacity. */
at_tensor *at_newElements(at_file *file, const at_type *type, at_ints sizes);

/* A new tensor of the elements that follow in the stream, in row-major order. */
at_tensor *at_newFromStream(at_stream *stream, const at_type *type, at_ints sizes, bool bigEndian);

/* A view of the elements in the mapped file, which are little-endian.  A copy if they are not
 * aligned, and for Bools, which are checked. */
at_tensor *at_newMapped(at_file *file, const at_type *type, at_ints sizes, uint64_t offset);

/* A tensor on a TH storage of any type, from its first element on; strides are as in TH. */
at_tensor *at_newOnMemory(const at_type *type, void *storage, at_ints sizes,
                          const int64_t *strides);

/* *end becomes the largest index that the shape reaches from offset on, plus 1, or 0 if there are
 * no elements. Returns false if the sizes and strides are invalid. */
bool at_reach(at_ints sizes, const int64_t *strides, int64_t offset, int64_t *end);

/* --- growing memory -------------------------------------------------------------------------- */

typedef struct at_bytes {
  uint8_t *start;
  size_t length, capacity;
} at_bytes;

/* Frees memory; for guards. */
void at_bytes_free(void *bytes);
void at_bytes_add(at_bytes *bytes, const void *what, size_t length);
void at_bytes_addText(at_bytes *bytes, const char *text);
void at_bytes_addLittle(at_bytes *bytes, uint64_t value, int count);
void at_bytes_print(at_bytes *bytes, const char *format, ...) TH_PRINTF_LIKE(2, 3);

/* Makes room for one more element in an array from THAlloc; charged to the file unless that is
 * NULL. */
void *at_grown(at_file *file, void *array, int64_t count, int64_t *buffer, size_t elementSize);

/* --- writing --------------------------------------------------------------------------------- */

/* A file that is being written: without a name where the file system supports it (O_TMPFILE), so
 * that nothing of it survives the process; else under a temporary name in the same folder. */
typedef struct at_out {
  const char *path;
  char target[PATH_MAX]; /* its final path */
  const char *name;      /* the last part of target */
  char temporary[48];    /* its temporary name, or "" */
  int folder, descriptor;
  bool replaces;   /* target exists */
  uint64_t length; /* bytes written */
  size_t waiting;  /* bytes of it still in buffer */
  uint8_t buffer[1 << 14];
} at_out;

/* The guard, which is entered here, removes the file unless it is committed. */
void at_out_begin(at_out *out, const char *path, THGuard *guard);
void at_out_write(at_out *out, const void *bytes, size_t length);
void at_out_writeBytes(at_out *out, const at_bytes *bytes);
void at_out_little(at_out *out, uint64_t value, int count);
void at_out_fill(at_out *out, uint8_t value, size_t count);
void at_out_commit(at_out *out, THGuard *guard);

/* A contiguous tensor of t's elements in little-endian order; it shares t's memory if that is so
 * already. */
at_tensor *at_newLittle(at_tensor *t);

/* The number of bytes of t's elements. */
size_t at_sizeInBytes(const at_tensor *t);

/* --- sets ------------------------------------------------------------------------------------ */

/* A tensor that a reader found under a name. */
typedef struct at_found {
  const char *name;
  size_t length;
  const at_type *type; /* NULL if the element type is not supported */
  const char *dtype;   /* the name in the file of a type that is not supported */
  const char *problem; /* why the tensor cannot be loaded, if not for its type */
  at_ints sizes;
} at_found;

/* Whether the reader is to make the tensor and add it.  If not, the set records what was found: the
 * file is only listed, or the tensor is not supported and skipped (without skip, this raises). */
bool at_dict_wants(at_dict *dict, at_file *file, const at_found *found);

/* Adds a tensor that at_dict_wants accepted; the set keeps a reference of its own to t. */
void at_dict_add(at_dict *dict, at_file *file, const at_found *found, at_tensor *t);

/* Removes the tensors behind the first count. */
void at_dict_truncate(at_dict *dict, int64_t count);

/* The index of the tensor with that name, or -1. */
int64_t at_dict_find(const at_dict *dict, const char *name);

/* Replaces the tensors by copies on the current CUDA device, which share memory as these do. */
void at_dict_toCUDA(at_dict *dict);

/* Completes the set before the file is closed. */
void at_dict_settle(at_dict *dict);

/* Raises if a tensor was only listed. */
void at_dict_checkLoaded(const at_dict *dict);

/* New nodes for the values of a file, owned by the set. */
struct at_nodes *at_dict_newNodes(at_dict *dict, at_file *file);

bool at_isUtf8(const char *text, size_t length);

/* Raises unless all names are UTF-8. */
void at_dict_checkNames(const at_dict *dict);

/* Raises unless all names are UTF-8 and the format has all element types; field is the offset of
 * its member of at_element. */
void at_dict_check(const at_dict *dict, const char *format, size_t field);
#define AT_DICT_CHECK(DICT, FIELD) at_dict_check(DICT, #FIELD, offsetof(at_element, FIELD))

/* --- views into shared memory ----------------------------------------------------------------- */

/* For each tensor of a set: the memory that it shares with other tensors of the set. */
typedef struct at_span {
  int64_t index; /* in the set */
  const void *storage;
  int64_t first, end; /* the range of the storage that the tensors of the set use */
  int64_t owner;      /* the index in the set of the first tensor with this storage */
} at_span;

/* The spans of all tensors, in the order of the set; the memory is guarded. */
const at_span *at_spansOf(const at_dict *dict, THGuard *guard);

/* The elements of a span as a vector that shares their memory. */
at_tensor *at_newLine(const at_dict *dict, const at_span *span);

/* --- formats --------------------------------------------------------------------------------- */

/* Reads the rest of the stream as an array of that name.  False if its elements were not wanted. */
bool at_readArray(at_stream *stream, const char *name, size_t length, at_dict *dict);

/* Writes the header for t to header, and returns its elements in the order of the file. */
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

/* Tried last; raises with the name of the format if it is a known one. */
bool at_isT7(const at_file *file);
void at_readT7(at_file *file, at_dict *dict);
void at_writeT7(at_out *out, const at_dict *dict);

/* A sentence about a file of another known format, recognized by its first bytes or name; NULL if
 * it is none. */
const char *at_otherFormat(const at_file *file);

#endif
