/* The names of element types in each format, and the conversion of elements that are read and
 * written. */
#include "Files.h"

const at_element at_elements[AT_SCALAR_TYPES] = {
    [AT_BYTE] = {"u1", "U8", "ByteStorage", "ByteTensor", 1, 8},
    [AT_CHAR] = {"i1", "I8", "CharStorage", "CharTensor", 0, 8},
    [AT_SHORT] = {"i2", "I16", "ShortStorage", "ShortTensor", 0, 16},
    [AT_INT] = {"i4", "I32", "IntStorage", "IntTensor", 0, 32},
    [AT_LONG] = {"i8", "I64", "LongStorage", "LongTensor", 0, 64},
    [AT_FLOAT] = {"f4", "F32", "FloatStorage", "FloatTensor", 2, 32},
    [AT_DOUBLE] = {"f8", "F64", "DoubleStorage", "DoubleTensor", 2, 64},
    [AT_HALF] = {"f2", "F16", "HalfStorage", "HalfTensor", 2, 16},
    [AT_BOOL] = {"b1", "BOOL", "BoolStorage", NULL, 6, 8},
    [AT_BFLOAT16] = {NULL, "BF16", "BFloat16Storage", NULL, 4, 16},
    [AT_COMPLEX_FLOAT] = {"c8", "C64", "ComplexFloatStorage", NULL, 5, 64},
    [AT_COMPLEX_DOUBLE] = {"c16", NULL, "ComplexDoubleStorage", NULL, 5, 128},
    [AT_UINT16] = {"u2", "U16", NULL, NULL, 1, 16, "torch.uint16"},
    [AT_UINT32] = {"u4", "U32", NULL, NULL, 1, 32, "torch.uint32"},
    [AT_UINT64] = {"u8", "U64", NULL, NULL, 1, 64, "torch.uint64"},
};

const at_type *at_cpuType(at_scalar_type type)
{
  return at_getType(AT_BACKEND_CPU, type);
}

bool at_bytesOf(const at_type *type, at_ints sizes, uint64_t *bytes)
{
  bool none = false, fits = sizes.count <= AT_MOST_DIMS;
  int64_t product = (int64_t)type->elementSize;
  for (int d = 0; fits && d < sizes.count; d++) {
    none |= sizes.data[d] == 0;
    fits =
        sizes.data[d] >= 0 && !__builtin_mul_overflow(product, THMax(sizes.data[d], 1), &product);
  }
  *bytes = none ? 0 : (uint64_t)product;
  return fits;
}

bool at_reach(at_ints sizes, const int64_t *strides, int64_t offset, int64_t *end)
{
  bool none = false, fits = offset >= 0 && sizes.count <= AT_MOST_DIMS;
  int64_t count = 1, last = offset;
  for (int d = 0; fits && d < sizes.count; d++) {
    int64_t step;
    none |= sizes.data[d] == 0;
    fits = sizes.data[d] >= 0 && strides[d] >= 0 &&
           !__builtin_mul_overflow(count, THMax(sizes.data[d], 1), &count) &&
           !__builtin_mul_overflow(THMax(sizes.data[d], 1) - 1, strides[d], &step) &&
           !__builtin_add_overflow(last, step, &last);
  }
  *end = none ? 0 : last + 1;
  return fits && last < INT64_MAX;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Reverses the bytes of numbers; each part of a complex one is a number. */
static void swap(uint8_t *data, ptrdiff_t count, const at_type *type)
{
  const size_t parts = (size_t)at_partsOf(type), size = type->elementSize / parts;
  count *= (ptrdiff_t)parts;
  for (ptrdiff_t i = 0; i < count; i++, data += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const uint8_t byte = data[low];
      data[low] = data[high];
      data[high] = byte;
    }
}

void at_adopt(const at_type *type, void *data, ptrdiff_t count, bool bigEndian)
{
  if (bigEndian == THDiskFile_isLittleEndianCPU())
    swap(data, count, type);
  if (type->scalarType == AT_BOOL)
    for (uint8_t *at = data; at < (uint8_t *)data + count; at++)
      if (*at > 1) /* writing an unchanged value would copy a mapped page */
        *at = 1;
}

/* The approximate memory of the objects of a tensor, and of each of its dimensions. */
enum { TENSOR_BYTES = 256, DIM_BYTES = 16 };

at_tensor *at_newElements(at_file *file, const at_type *type, at_ints sizes)
{
  uint64_t bytes;
  THAssert(at_bytesOf(type, sizes, &bytes));
  at_file_charge(file, TENSOR_BYTES + DIM_BYTES * (uint64_t)sizes.count);
  if (bytes > file->elementCapacity)
    at_damaged(file, "its tensors take more than the limit of %llu bytes",
               (unsigned long long)file->limit);
  file->elementCapacity -= bytes;
  return at_newShape(type, sizes);
}

at_tensor *at_newFromStream(at_stream *stream, const at_type *type, at_ints sizes, bool bigEndian)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *t = guard.what = at_newElements(stream->file, type, sizes);
  const ptrdiff_t count = at_numel(t);
  if (count > 0) {
    at_stream_read(stream, at_hostData(t), (size_t)count * type->elementSize);
    at_adopt(type, at_hostData(t), count, bigEndian);
  }
  THGuard_keep(&guard);
  return t;
}

at_tensor *at_newOnMemory(const at_type *type, void *storage, at_ints sizes, const int64_t *strides)
{
  static const int64_t one[] = {1};
  THFloatTensor of = {.storage = storage}; /* storages of all types have the same fields */
  const bool isScalar = sizes.count == 0;
  return at_wrap(type,
                 type->memory->newShape(&of, 0, isScalar ? 1 : sizes.count,
                                        isScalar ? one : sizes.data, isScalar ? one : strides),
                 isScalar);
}

at_tensor *at_newMapped(at_file *file, const at_type *type, at_ints sizes, uint64_t offset)
{
  uint64_t bytes;
  THAssert(at_bytesOf(type, sizes, &bytes) && offset <= file->size && bytes <= file->size - offset);
  if (bytes == 0 || offset % type->elementSize != 0 || type->scalarType == AT_BOOL ||
      !THDiskFile_isLittleEndianCPU()) {
    at_stream stream = at_file_stream(file, offset);
    return at_newFromStream(&stream, type, sizes, false);
  }
  at_file_map(file);
  at_file_charge(file, TENSOR_BYTES + DIM_BYTES * (uint64_t)sizes.count);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteStorage_free);
  uint8_t *data = file->mapping->data + offset;
  THByteStorage *storage = guard.what =
      THByteStorage_newWithDataAndAllocator(data, (ptrdiff_t)bytes, &THDefaultAllocator, NULL);
  storage->size = (ptrdiff_t)(bytes / type->elementSize) * at_partsOf(type);
  storage->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_VIEW;
  storage->view = file->mapping;
  THByteStorage_retain(file->mapping);
  at_tensor *t = at_newOnMemory(type, storage, sizes, NULL);
  THGuard_leave(&guard);
  return t;
}

at_tensor *at_newLittle(at_tensor *t)
{
  if (!at_isOnHost(t->type)) {
    THGuard guard;
    at_guard(&guard);
    at_tensor *const there = guard.what = at_newCast(t, at_hostType(t->type));
    at_tensor *const little = at_newLittle(there);
    THGuard_leave(&guard);
    return little;
  }
  if (THDiskFile_isLittleEndianCPU() || at_numel(t) == 0)
    return at_makeContiguous(t);
  at_tensor *r = at_newCast(t, t->type);
  swap(at_hostData(r), at_numel(r), t->type);
  return r;
}

size_t at_sizeInBytes(const at_tensor *t)
{
  return (size_t)at_numel(t) * t->type->elementSize;
}
