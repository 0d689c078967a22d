/* Complex tensors: their memory, parts and conversion. */
#include "pairs.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/conversions.h"
#include "TH/tensor/THConvert.h"

const at_type *at_realType(const at_type *type)
{
  return at_toScalarType(type, type->scalarType == AT_COMPLEX_DOUBLE ? AT_DOUBLE : AT_FLOAT);
}

const at_type *at_complexType(const at_type *type)
{
  return at_toScalarType(type,
                         type->scalarType == AT_DOUBLE ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT);
}

/* --- shapes ---------------------------------------------------------------------------------- */

int64_t at_twice(int64_t x)
{
  int64_t result;
  if (__builtin_mul_overflow(x, 2, &result))
    at_raise(AT_ERROR_ARGUMENT, "an offset or stride of %lld complex elements is too large",
             (long long)x);
  return result;
}

void at_realsOf(at_reals *r, ptrdiff_t offset, int dims, const int64_t *size, const int64_t *stride)
{
  at_checkDims(dims);
  r->offset = at_twice(offset);
  for (int d = 0; d < dims; d++) {
    r->size[d] = size[d];
    r->stride[d] = stride ? at_twice(stride[d]) : -1;
  }
  r->size[dims] = 2;
  r->stride[dims] = stride ? 1 : -1;
}

/* The strides stay right behind the sizes, as TH has them. */
void at_countPairs(void *th)
{
  THFloatTensor *const t = th; /* the fields are the same for Double */
  const int count = --t->nDimension;
  t->storageOffset /= 2;
  for (int d = 0; d < count; d++)
    t->size[count + d] = t->stride[d] / 2;
  t->stride = t->size + count;
}

/* --- parts ----------------------------------------------------------------------------------- */

/* A view of t's reals. */
static at_tensor *view_reals(at_tensor *t, ptrdiff_t offset, int dims, const at_reals *r)
{
  const at_type *type = at_realType(t->type);
  static const int64_t one[] = {1};
  const bool isScalar = dims == 0;
  void *th = type->memory->newShape(t->th, offset, isScalar ? 1 : dims, isScalar ? one : r->size,
                                    isScalar ? one : r->stride);
  return at_wrap(type, th, isScalar);
}

at_tensor *at_viewPairs(at_tensor *t)
{
  at_reals r;
  const at_ints sizes = at_sizesOf(t);
  at_checkDims(sizes.count + 1);
  at_realsOf(&r, t->th->storageOffset, sizes.count, sizes.data, t->th->stride);
  return view_reals(t, r.offset, sizes.count + 1, &r);
}

at_tensor *at_pairsOf(at_tensor *t)
{
  if (!at_isComplex(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be complex",
             at_scalarTypeName(t->type->scalarType));
  return at_viewPairs(t);
}

at_tensor *at_viewPart(at_tensor *t, int part)
{
  at_reals r;
  const at_ints sizes = at_sizesOf(t);
  at_realsOf(&r, t->th->storageOffset, sizes.count, sizes.data, t->th->stride);
  return view_reals(t, at_numel(t) > 0 ? r.offset + part : r.offset, sizes.count, &r);
}

at_tensor *at_viewComplex(at_tensor *t)
{
  const at_ints sizes = at_sizesOf(t), left = {sizes.data, sizes.count - 1};
  if (t->type->scalarType != AT_FLOAT && t->type->scalarType != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of Float or Double",
             at_scalarTypeName(t->type->scalarType));
  if (sizes.count == 0 || sizes.data[left.count] != 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size %s, and the last dimension has to be of size 2",
             at_sizeDesc(sizes).str);
  bool fits = t->th->storageOffset % 2 == 0 && t->th->stride[left.count] == 1;
  int64_t stride[AT_MOST_DIMS];
  for (int d = 0; d < left.count; d++) {
    fits &= t->th->stride[d] % 2 == 0;
    stride[d] = t->th->stride[d] / 2;
  }
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "self has strides %s and begins at element %lld of its storage: parts have to be "
             "adjacent, and pairs an even number of elements apart",
             at_sizeDesc((at_ints){t->th->stride, sizes.count}).str,
             (long long)t->th->storageOffset);
  static const int64_t one[] = {1};
  const at_type *type = at_complexType(t->type);
  const bool isScalar = left.count == 0;
  void *th = type->memory->newShape(t->th, t->th->storageOffset / 2, isScalar ? 1 : left.count,
                                    isScalar ? one : left.data, isScalar ? one : stride);
  return at_wrap(type, th, isScalar);
}

at_tensor *at_realPart(at_tensor *t)
{
  return at_isComplex(t->type->scalarType) ? at_viewPart(t, 0) : at_newAlias(t);
}

at_tensor *at_imaginaryPart(at_tensor *t)
{
  if (!at_isComplex(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, which has no imaginary parts",
             at_scalarTypeName(t->type->scalarType));
  return at_viewPart(t, 1);
}

/* --- conversion ------------------------------------------------------------------------------ */

void at_fillComplex(at_tensor *t, double re, double im)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const parts[] = {at_hold(&pool, at_viewPart(t, 0)), at_hold(&pool, at_viewPart(t, 1))};
  at_fillWith(parts[0], at_scalar_double(re));
  at_fillWith(parts[1], at_scalar_double(im));
  at_pool_leave(&pool);
}

/* Copies elements of 16 bytes. */
static void copy_wide(const THRun *run, const void *unused)
{
  typedef struct {
    double parts[2];
  } Wide;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    Wide *r = (Wide *)run->at[0] + j * run->rowStride[0];
    const Wide *x = (const Wide *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] = x[i * run->stride[1]];
  }
}

void at_convertPairs(at_tensor *to, at_tensor *from)
{
  const bool isWhole =
      at_sizesOf(to).count < AT_MOST_DIMS; /* there is a dimension left for pairs */
  at_pool pool;
  at_pool_enter(&pool);
  for (int part = 0; part < (isWhole ? 1 : 2); part++) {
    at_tensor *const r = at_hold(&pool, isWhole ? at_viewPairs(to) : at_viewPart(to, part));
    at_convert(r, at_hold(&pool, isWhole ? at_viewPairs(from) : at_viewPart(from, part)));
  }
  at_pool_leave(&pool);
}

static void copy_alike(at_tensor *to, at_tensor *from)
{
  if (!at_isOnHost(to->type)) {
    at_convertPairs(to, from);
    return;
  }
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, to);
  at_addOperand(&loop, from);
  const bool isWide = to->type->elementSize == 16;
  THLoop_run(&loop, isWide ? copy_wide : THConvert_kernel(THScalarLong, THScalarLong), NULL);
}

static void convert_complex(at_tensor *to, at_tensor *from)
{
  const bool toPairs = at_isComplex(to->type->scalarType);
  const at_scalar_type own = from->type->scalarType;
  const at_scalar zero = at_scalar_long(0);
  if (to->type == from->type) {
    copy_alike(to, from);
    return;
  }
  at_pool pool;
  at_pool_enter(&pool);
  if (toPairs && at_isComplex(own)) {
    at_convertPairs(to, from);
  } else if (toPairs) {
    at_tensor *const im = at_hold(&pool, at_viewPart(to, 1));
    at_convert(at_hold(&pool, at_viewPart(to, 0)), from);
    at_fillWith(im, zero);
  } else if (to->type->scalarType == AT_BOOL) {
    at_convert(to, at_hold(&pool,
                           at_complexRow(NULL, TH_POINTWISE_neValue, own, 1, &from, zero, zero)));
  } else {
    at_convert(to, at_hold(&pool, at_viewPart(from, 0)));
  }
  at_pool_leave(&pool);
}

void at_convertFurther(at_tensor *to, at_tensor *from)
{
  THGuard guard;
  at_guard(&guard);
  if (at_overlap(to, from) != TH_OVERLAP_NONE) /* elements of several sizes in one memory */
    from = guard.what = at_newCast(from, from->type);
  if (at_isComplex(to->type->scalarType) || at_isComplex(from->type->scalarType))
    convert_complex(to, from);
  else
    at_convertUnsigned(to, from);
  THGuard_leave(&guard);
}
