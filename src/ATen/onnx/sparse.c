/* Sparse tensors of a file, which become dense ones: their values, and where each is. */
#include "Onnx.h"

#include <string.h>

/* The index of value i among all elements: it has that index, or one for each dimension. */
static int64_t index_of(at_onnx *onnx, const at_constant *constant, const at_tensor *indices,
                        int64_t i)
{
  const int64_t *const given = at_hostData(indices);
  const int32_t parts = at_dim(indices) == 1 ? 1 : constant->dims;
  int64_t index = 0;
  for (int32_t d = 0; d < parts; d++) {
    const int64_t part = given[i * parts + d];
    const int64_t size = at_dim(indices) == 1 ? constant->count : constant->sizes[d];
    if (part < 0 || part >= size)
      at_damaged(onnx->file, "sparse tensor '%.100s' of size %s has the index %lld", constant->name,
                 at_sizeDesc((at_ints){constant->sizes, constant->dims}).str, (long long)part);
    index = index * size + part;
  }
  return index;
}

static void check_parts(at_onnx *onnx, const at_constant *constant, const at_tensor *values,
                        const at_tensor *indices)
{
  const int dims = at_dim(indices);
  if (at_dim(values) != 1 || indices->type->scalarType != AT_LONG || dims < 1 || dims > 2 ||
      at_size(indices, 0) != at_numel(values) ||
      (dims == 2 && at_size(indices, 1) != constant->dims))
    at_damaged(onnx->file,
               "sparse tensor '%.100s' of %d dimensions has values of size %s and indices of size "
               "%s",
               constant->name, (int)constant->dims, at_sizeDesc(at_sizesOf(values)).str,
               at_sizeDesc(at_sizesOf(indices)).str);
}

at_tensor *at_newDense(at_onnx *onnx, const at_constant *constant, const at_tensor *values,
                       const at_tensor *indices)
{
  const size_t size = values->type->elementSize;
  int64_t last = -1;
  THGuard guard;
  check_parts(onnx, constant, values, indices);
  at_guard(&guard);
  at_tensor *const t = guard.what =
      at_newElements(onnx->file, values->type, (at_ints){constant->sizes, constant->dims});
  if (at_numel(t) > 0)
    memset(at_hostData(t), 0, (size_t)at_numel(t) * size);
  for (int64_t i = 0; i < at_numel(values); i++) {
    const int64_t index = index_of(onnx, constant, indices, i);
    if (index <= last)
      at_damaged(onnx->file, "the indices of sparse tensor '%.100s' do not ascend", constant->name);
    memcpy((uint8_t *)at_hostData(t) + (size_t)index * size,
           (const uint8_t *)at_hostData(values) + (size_t)i * size, size);
    last = index;
  }
  THGuard_keep(&guard);
  return t;
}
