/* Windows of images as columns of matrices, and sums of windows. */
#include "columns.h"

#include "ATen/composed/Composed.h"
#include "ATen/core/ATenOperations.h"
#include "layerCall.h"

/* --- columns ---------------------------------------------------------------------------------- */

/* Two numbers, of height and width. */
typedef struct {
  int h, w;
} Two;

static Two two(const char *name, at_ints given, int least)
{
  if (given.count != 2)
    at_raise(AT_ERROR_ARGUMENT, "%s has %d numbers, and has to have 2", name, given.count);
  const Two r = {at_smallInt(name, given.data[0]), at_smallInt(name, given.data[1])};
  if (r.h < least || r.w < least)
    at_raise(AT_ERROR_ARGUMENT, "%s is (%s), and has to be at least %d", name,
             at_sizeDesc(given).str, least);
  return r;
}

typedef struct {
  Two kernel, dilation, padding, stride;
} Windows;

static Windows windows_of(at_ints kernel_size, at_ints dilation, at_ints padding, at_ints stride)
{
  return (Windows){two("kernel_size", kernel_size, 1), two("dilation", dilation, 1),
                   two("padding", padding, 0), two("stride", stride, 1)};
}

/* Whether all sizes are above 0, but for the first of so many, which is that of a batch. */
static bool has_elements(at_ints sizes, int withBatch)
{
  for (int d = sizes.count == withBatch; d < sizes.count; d++)
    if (sizes.data[d] == 0)
      return false;
  return true;
}

/* t, or a batch of one entry instead of none. */
static at_tensor *no_batch(at_pool *pool, at_tensor *t, int withBatch)
{
  int64_t sizes[AT_MOST_DIMS] = {1};
  const at_ints own = at_sizesOf(t);
  if (own.count != withBatch || own.data[0] != 0)
    return t;
  for (int d = 1; d < own.count; d++)
    sizes[d] = own.data[d];
  return at_hold(pool, at_makeFilled(t->type, (at_ints){sizes, own.count}, at_scalar_long(0)));
}

/* Bool moves, and is added up, as Float. */
static const at_type *computing(const at_tensor *self)
{
  return self->type->scalarType == AT_BOOL ? at_toScalarType(self->type, AT_FLOAT)
                                           : at_layerType(self);
}

at_tensor *at_columnsOf(at_tensor *out, at_tensor *self, at_ints kernel_size, at_ints dilation,
                        at_ints padding, at_ints stride)
{
  const Windows v = windows_of(kernel_size, dilation, padding, stride);
  const at_ints own = at_sizesOf(self);
  const at_type *const compute = computing(self);
  const int64_t nothing = 0;
  if ((own.count != 3 && own.count != 4) || !has_elements(own, 4))
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be images with elements",
             at_sizeDesc(own).str);
  at_pool pool;
  at_pool_enter(&pool);
  void *const x = at_layerIn(&pool, no_batch(&pool, self, 4), compute);
  at_tensor *r = at_layerNew(&pool, compute, (at_ints){&nothing, 1});
  AT_OF(compute, Im2Col_updateOutput)(x, r->th, v.kernel.h, v.kernel.w, v.dilation.h, v.dilation.w,
                                      v.padding.h, v.padding.w, v.stride.h, v.stride.w);
  if (at_numel(self) == 0)
    r = at_hold(&pool, at_viewSlice(r, 0, 0, 0, 1));
  return at_finishOne(&pool, out, at_cast(&pool, r, self->type));
}

at_tensor *at_imagesOf(at_tensor *out, at_tensor *self, at_ints output_size, at_ints kernel_size,
                       at_ints dilation, at_ints padding, at_ints stride)
{
  const Windows v = windows_of(kernel_size, dilation, padding, stride);
  const Two size = two("output_size", output_size, 1);
  const at_ints own = at_sizesOf(self);
  const at_type *const compute = computing(self);
  const int64_t nothing = 0;
  if ((own.count != 2 && own.count != 3) || !has_elements(own, 3))
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be columns with elements",
             at_sizeDesc(own).str);
  at_pool pool;
  at_pool_enter(&pool);
  void *const x = at_layerIn(&pool, no_batch(&pool, self, 3), compute);
  at_tensor *r = at_layerNew(&pool, compute, (at_ints){&nothing, 1});
  AT_OF(compute, Col2Im_updateOutput)(x, r->th, size.h, size.w, v.kernel.h, v.kernel.w,
                                      v.dilation.h, v.dilation.w, v.padding.h, v.padding.w,
                                      v.stride.h, v.stride.w);
  if (at_numel(self) == 0)
    r = at_hold(&pool, at_viewSlice(r, 0, 0, 0, 1));
  return at_finishOne(&pool, out, at_cast(&pool, r, self->type));
}

/* --- averages --------------------------------------------------------------------------------- */

static int64_t entry(at_ints list, int d, int64_t otherwise)
{
  return list.count == 0 ? otherwise : list.data[list.count == 1 ? 0 : d];
}

/* What the last windows of an axis reach beyond its padding. */
static int64_t beyond(int64_t size, int64_t kernel, int64_t stride, int64_t padding)
{
  const int64_t whole = size + 2 * padding - kernel;
  if (kernel < 1 || stride < 1 || padding < 0 || whole < 0 || kernel > INT32_MAX ||
      stride > INT32_MAX || padding > INT32_MAX)
    return 0;
  int64_t count = whole / stride + (whole % stride != 0) + 1;
  if ((count - 1) * stride >= size + padding) /* a window begins inside the image or the padding */
    count--;
  return THMax((count - 1) * stride - whole, 0);
}

at_tensor *at_averageBy(at_tensor *out, int axes, at_tensor *self, at_windows windows,
                        bool count_include_pad, int64_t divisor)
{
  const int dims = at_sizesOf(self).count;
  int64_t pad[6] = {0}, elements = 1;
  if (divisor == AT_NONE)
    return at_averagePool(out, axes, NULL, self, windows, count_include_pad);
  if (divisor == 0)
    at_raise(AT_ERROR_ARGUMENT, "divisor_override is 0");
  if (dims < axes)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s)", at_sizeDesc(at_sizesOf(self)).str);
  if (self->type->scalarType == AT_LONG)
    return at_integerAverage(out, self, axes, windows, count_include_pad, divisor);
  for (int d = 0; d < axes; d++) {
    const int64_t kernel = entry(windows.size, d, 1);
    if (__builtin_mul_overflow(elements, kernel, &elements))
      at_raise(AT_ERROR_ARGUMENT, "kernel_size is (%s)", at_sizeDesc(windows.size).str);
    if (windows.ceil)
      pad[2 * (axes - 1 - d) + 1] =
          beyond(at_sizesOf(self).data[dims - axes + d], kernel, entry(windows.stride, d, kernel),
                 entry(windows.padding, d, 0));
  }
  windows.ceil = false;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x =
      at_hold(&pool, at_padConstant(NULL, self, (at_ints){pad, 2 * axes}, at_scalar_long(0)));
  at_tensor *const r = at_hold(&pool, at_averagePool(NULL, axes, NULL, x, windows, true));
  const double factor = (double)elements / (double)divisor;
  at_binaryScalar(r, AT_ROW_mul, r, at_scalar_double(factor), at_scalar_long(1));
  return at_finishOne(&pool, out, r);
}
