/* Storages of int64_t as shapes: descriptions, inference of one size, broadcasting. */
#include "THStorage.h"

#include "TH/core/THFormat.h"
#include "THShape.h"

THDescBuff THLongStorage_sizeDesc(const THLongStorage *size)
{
  return _THSizeDesc(size->data, size->size);
}

/* --- one size of -1 -------------------------------------------------------------------------- */

THLongStorage *THLongStorage_newInferSize(THLongStorage *size, ptrdiff_t nElement)
{
  int64_t inferred;
  const ptrdiff_t unknown = THShape_unknownSize(size, nElement, &inferred, 1);
  THLongStorage *complete = THLongStorage_newWithSize(size->size);
  for (ptrdiff_t d = 0; d < size->size; d++)
    complete->data[d] = d == unknown ? inferred : size->data[d];
  return complete;
}

/* --- errors as text -------------------------------------------------------------------------- */

TH_PRINTF_LIKE(3, 4) static int fail(char *buffer, int length, const char *fmt, ...)
{
  if (buffer && length > 0) {
    va_list arguments;
    va_start(arguments, fmt);
    THFormat_v(buffer, (size_t)length, fmt, arguments);
    va_end(arguments);
  }
  return -1;
}

/* --- broadcasting ---------------------------------------------------------------------------- */

/* Writes the shape that n shapes broadcast to.  Returns 0, or -1 with the reason in buffer. */
static int broadcast(int64_t *shape, int64_t shapeDims, int n, int64_t **sizes, const int64_t *dims,
                     char *buffer, int length)
{
  for (int64_t d = 0; d < shapeDims; d++) {
    int from = -1; /* the shape that gives this size; all others have 1 or the same here */
    shape[d] = 1;
    for (int i = 0; i < n; i++) {
      const int64_t own = d - (shapeDims - dims[i]);
      if (own < 0)
        continue;
      const int64_t size = sizes[i][own];
      if (size < 0)
        return fail(buffer, length, "shape %d, %s, is negative in dimension %lld", i + 1,
                    _THSizeDesc(sizes[i], dims[i]).str, (long long)own + TH_INDEX_BASE);
      if (size == 1)
        continue;
      if (from >= 0 && size != shape[d])
        return fail(buffer, length,
                    "shapes %s and %s do not broadcast: %lld differs from %lld in dimension %lld",
                    _THSizeDesc(sizes[from], dims[from]).str, _THSizeDesc(sizes[i], dims[i]).str,
                    (long long)shape[d], (long long)size, (long long)d + TH_INDEX_BASE);
      from = i;
      shape[d] = size;
    }
  }
  ptrdiff_t count;
  if (!THSize_product(shapeDims, shape, &count))
    return fail(buffer, length, "the shapes broadcast to %s, which has too many elements",
                _THSizeDesc(shape, shapeDims).str);
  return 0;
}

int THLongStorage_inferSizeN(THLongStorage *output, int n, int64_t **sizes, int64_t *dims,
                             char *error_buffer, int buffer_len)
{
  if (n <= 0)
    return fail(error_buffer, buffer_len, "there are no shapes to broadcast");
  int64_t shapeDims = 0;
  for (int i = 0; i < n; i++) {
    if (dims[i] <= 0 || !sizes[i])
      return fail(error_buffer, buffer_len, "shape %d is that of an empty tensor", i + 1);
    shapeDims = THMax(shapeDims, dims[i]);
  }

  /* In new memory, since output's data may be one of the shapes. */
  ptrdiff_t bytes;
  if (__builtin_mul_overflow(shapeDims, sizeof(int64_t), &bytes))
    return fail(error_buffer, buffer_len, "a shape cannot have %lld dimensions",
                (long long)shapeDims);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  int64_t *shape = guard.what = THAlloc(bytes);
  const int failed = broadcast(shape, shapeDims, n, sizes, dims, error_buffer, buffer_len);
  if (!failed) {
    if (output->size != shapeDims)
      THLongStorage_resize(output, shapeDims);
    memcpy(output->data, shape, (size_t)bytes);
  }
  THGuard_leave(&guard);
  return failed;
}

int THLongStorage_inferSize2(THLongStorage *output, int64_t *sizesA, int64_t dimsA, int64_t *sizesB,
                             int64_t dimsB, char *error_buffer, int buffer_len)
{
  return THLongStorage_inferSizeN(output, 2, (int64_t *[]){sizesA, sizesB},
                                  (int64_t[]){dimsA, dimsB}, error_buffer, buffer_len);
}

/* --- expansion ------------------------------------------------------------------------------- */

/* Writes the geometry of a tensor that looks like sizes.  Returns 0, or -1 with the reason. */
static int expand(const int64_t *tensorSizes, const int64_t *tensorStrides, int64_t tensorDim,
                  const THLongStorage *sizes, int64_t *size, int64_t *stride, char *buffer,
                  int length)
{
  const int64_t dims = sizes->size, added = dims - tensorDim;
  const THDescBuff from = _THSizeDesc(tensorSizes, tensorDim), to = THLongStorage_sizeDesc(sizes);

  for (int64_t d = dims - 1; d >= 0; d--) {
    const int64_t wanted = sizes->data[d], own = d - added;
    if (wanted < -1 || (wanted == -1 && own < 0))
      return fail(buffer, length, "a tensor of size %s cannot have size %lld in dimension %lld",
                  from.str, (long long)wanted, (long long)d + TH_INDEX_BASE);
    if (own >= 0) {
      size[d] = tensorSizes[own];
      stride[d] = tensorStrides[own];
    } else {
      /* A new dimension of size 1 has the stride that it would have in a contiguous tensor. */
      size[d] = 1;
      if (__builtin_mul_overflow(size[d + 1], stride[d + 1], &stride[d]))
        return fail(buffer, length, "the strides of a tensor of size %s are too large", from.str);
    }
    if (wanted != -1 && wanted != size[d]) {
      if (size[d] != 1)
        return fail(buffer, length,
                    "a tensor of size %s cannot be expanded to %s: its size %lld is neither 1 nor "
                    "%lld in dimension %lld",
                    from.str, to.str, (long long)size[d], (long long)wanted,
                    (long long)d + TH_INDEX_BASE);
      size[d] = wanted;
      stride[d] = 0;
    }
  }
  ptrdiff_t count;
  if (!THSize_product(dims, size, &count))
    return fail(buffer, length, "a tensor of size %s has too many elements", to.str);
  return 0;
}

int THLongStorage_inferExpandGeometry(int64_t *tensorSizes, int64_t *tensorStrides,
                                      int64_t tensorDim, THLongStorage *sizes,
                                      int64_t **expandedSizes, int64_t **expandedStrides,
                                      char *error_buffer, int buffer_len)
{
  const ptrdiff_t dims = sizes->size;
  if (tensorDim == 0 && dims > 0)
    return fail(error_buffer, buffer_len, "an empty tensor cannot be expanded to %s",
                THLongStorage_sizeDesc(sizes).str);
  if (dims < tensorDim)
    return fail(error_buffer, buffer_len,
                "a tensor of size %s cannot be expanded to %s, which has fewer dimensions",
                _THSizeDesc(tensorSizes, tensorDim).str, THLongStorage_sizeDesc(sizes).str);

  const ptrdiff_t bytes = dims * (ptrdiff_t)sizeof(int64_t); /* sizes itself is as large */
  THGuard first, second;
  THGuard_enter(&first, THFree);
  int64_t *size = first.what = THAlloc(bytes);
  THGuard_enter(&second, THFree);
  int64_t *stride = second.what = THAlloc(bytes);
  if (expand(tensorSizes, tensorStrides, tensorDim, sizes, size, stride, error_buffer,
             buffer_len)) {
    THGuard_leave(&second);
    THGuard_leave(&first);
    return -1;
  }
  *expandedStrides = THGuard_keep(&second);
  *expandedSizes = THGuard_keep(&first);
  return 0;
}
