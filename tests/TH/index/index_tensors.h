/* Index tensors and masks in every layout, for the tests of the functions that take them.  What
 * lies between their elements is no index and no mask. */
#ifndef INDEX_TENSORS_H
#define INDEX_TENSORS_H

#include "th_layouts.h"

static inline ptrdiff_t place_in(const th_geometry *g, ptrdiff_t element)
{
  ptrdiff_t at = g->offset;
  for (int d = g->dims - 1; d >= 0; d--) {
    at += element % g->size[d] * g->stride[d];
    element /= g->size[d];
  }
  return at;
}

static inline ptrdiff_t count_in(const th_geometry *g)
{
  ptrdiff_t count = g->dims > 0;
  for (int d = 0; d < g->dims; d++)
    count *= g->size[d];
  return count;
}

static inline THLongStorage *longs(int dims, const int64_t *values)
{
  THLongStorage *storage = THLongStorage_newWithSize(dims);
  memcpy(storage->data, values, (size_t)dims * sizeof *values);
  return storage;
}

/* Elements low .. low + count - 1. */
static inline THLongTensor *new_indices(int layout, th_random *random, int64_t low, int64_t count,
                                        int dims, const int64_t *size)
{
  for (int d = 0; d < dims; d++)
    if (size[d] == 0)
      return THLongTensor_new();
  const th_geometry g = th_layout_geometry(layout, dims, size);
  THLongStorage *storage = THLongStorage_newWithSize(g.length);
  for (ptrdiff_t i = 0; i < g.length; i++)
    storage->data[i] = i % 2 ? INT64_MIN : INT64_MAX;
  for (ptrdiff_t i = 0; i < count_in(&g); i++)
    storage->data[place_in(&g, i)] = low + th_random_below(random, count);
  THLongStorage *sizes = longs(g.dims, g.size), *strides = longs(g.dims, g.stride);
  THLongTensor *t = THLongTensor_newWithStorage(storage, g.offset, sizes, strides);
  THLongStorage_free(strides);
  THLongStorage_free(sizes);
  THLongStorage_free(storage);
  return t;
}

static inline int64_t *index_at(const THLongTensor *t, ptrdiff_t element)
{
  int64_t *at = t->storage->data + t->storageOffset;
  for (int d = t->nDimension - 1; d >= 0; d--) {
    at += element % t->size[d] * t->stride[d];
    element /= t->size[d];
  }
  return at;
}

/* A mask in which `tenths` of ten elements are 1. */
static inline THByteTensor *new_mask(int layout, th_random *random, int tenths, int dims,
                                     const int64_t *size)
{
  const th_geometry g = th_layout_geometry(layout, dims, size);
  if (g.dims == 0)
    return THByteTensor_new();
  THByteStorage *storage = THByteStorage_newWithSize(g.length);
  memset(storage->data, 77, (size_t)g.length);
  for (ptrdiff_t i = 0; i < count_in(&g); i++)
    storage->data[place_in(&g, i)] = th_random_below(random, 10) < tenths;
  THLongStorage *sizes = longs(g.dims, g.size), *strides = longs(g.dims, g.stride);
  THByteTensor *t = THByteTensor_newWithStorage(storage, g.offset, sizes, strides);
  THLongStorage_free(strides);
  THLongStorage_free(sizes);
  THByteStorage_free(storage);
  return t;
}

static inline uint8_t *mask_at(const THByteTensor *t, ptrdiff_t element)
{
  uint8_t *at = t->storage->data + t->storageOffset;
  for (int d = t->nDimension - 1; d >= 0; d--) {
    at += element % t->size[d] * t->stride[d];
    element /= t->size[d];
  }
  return at;
}

#endif
