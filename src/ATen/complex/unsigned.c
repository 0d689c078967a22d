/* Unsigned integers of 16, 32 and 64 bits.  Their tensors are those of the signed type of that size
 * in TH, which has the same sums and products; what differs is the conversion of their values. */
#include "complex.h"

#include "ATen/core/ATenOperations.h"

/* --- kernels --------------------------------------------------------------------------------- */

#define ELEMENT(NAME, R, X, EXPRESSION) \
  static inline R NAME##_element(X x)   \
  {                                     \
    return (R)(EXPRESSION);             \
  }
#define KERNEL(NAME, R, X, EXPRESSION)                                 \
  ELEMENT(NAME, R, X, EXPRESSION)                                      \
  static void NAME(const THRun *run, const void *unused)               \
  {                                                                    \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                        \
      R *r = (R *)run->at[0] + j * run->rowStride[0];                  \
      const X *x = (const X *)run->at[1] + j * run->rowStride[1];      \
      for (ptrdiff_t i = 0; i < run->n; i++)                           \
        r[i * run->stride[0]] = NAME##_element(x[i * run->stride[1]]); \
    }                                                                  \
  }

/* A double that rounds to narrower types as x does: the last bits of x, where a double cannot hold
 * them, become one (sticky bit). */
static inline double cut(uint64_t x)
{
  const uint64_t last = 0xfff;
  return (double)(x < UINT64_C(1) << 53 ? x : (x & ~last) | ((x & last) != 0 ? last + 1 : 0));
}

/* Truncates x; numbers from 2^63 on are beyond those that become signed integers. */
static inline uint64_t whole(double x)
{
  return x >= 0x1p63 ? (x < 0x1p64 ? (uint64_t)x : UINT64_MAX)
                     : (uint64_t)(int64_t)(x >= -0x1p63 ? x : 0);
}

KERNEL(long_of_16, int64_t, uint16_t, x)
KERNEL(long_of_32, int64_t, uint32_t, x)
KERNEL(double_of_64, double, uint64_t, x)
KERNEL(cut_of_64, double, uint64_t, cut(x))
KERNEL(of_double, uint64_t, double, whole(x))

static void run(THKernel kernel, at_tensor *to, at_tensor *from)
{
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, to);
  at_addOperand(&loop, from);
  THLoop_run(&loop, kernel, NULL);
}

/* --- conversion ------------------------------------------------------------------------------ */

/* t as a tensor of the signed type that holds it. */
static at_tensor *as_held(at_pool *pool, at_tensor *t)
{
  const at_type *type = at_toScalarType(t->type, (at_scalar_type)t->type->held);
  void *th = type->functions->newShape(t->th, t->th->storageOffset, t->th->nDimension, t->th->size,
                                       t->th->stride);
  return at_hold(pool, at_wrap(type, th, t->isScalar));
}

static at_tensor *made_by(at_pool *pool, THKernel kernel, at_scalar_type type, at_tensor *from)
{
  at_tensor *made = at_hold(pool, at_newShape(at_toScalarType(from->type, type), at_sizesOf(from)));
  run(kernel, made, from);
  return made;
}

/* The values as a type from which TH converts to type. */
static at_tensor *values_of(at_pool *pool, at_tensor *from, at_scalar_type type)
{
  if (from->type->scalarType == AT_UINT16)
    return made_by(pool, long_of_16, AT_LONG, from);
  if (from->type->scalarType == AT_UINT32)
    return made_by(pool, long_of_32, AT_LONG, from);
  if (!at_isFloating(type))
    return as_held(pool, from); /* which has the same last bits */
  return made_by(pool, type == AT_DOUBLE ? double_of_64 : cut_of_64, AT_DOUBLE, from);
}

void at_convertUnsigned(at_tensor *to, at_tensor *from)
{
  if (to->type->held == from->type->held && from->type->scalarType != AT_BFLOAT16) {
    to->type->functions->copyFrom[from->type->held](to->th, from->th);
    return;
  }
  at_pool pool;
  at_pool_enter(&pool);
  const at_scalar_type result = to->type->scalarType;
  if (at_isUnsigned(from->type->scalarType))
    from = values_of(&pool, from, result);
  if (at_isUnsigned(result) && at_isFloating(from->type->scalarType)) {
    from = at_cast(&pool, from, at_toScalarType(from->type, AT_DOUBLE));
    from = made_by(&pool, of_double, AT_UINT64, from);
    from = as_held(&pool, from);
  }
  at_convert(at_isUnsigned(result) ? as_held(&pool, to) : to, from);
  at_pool_leave(&pool);
}

at_scalar at_unsignedElement(const at_type *type, at_scalar value)
{
  const int bits = 8 * (int)type->elementSize;
  const double number = at_scalar_toDouble(value), end = ldexp(1, bits);
  if (!(number > (value.is_float ? -1 : -end) && number < end))
    at_raise(AT_ERROR_ARGUMENT, "the number %.17g cannot be converted to %s", number,
             at_scalarTypeName(type->scalarType));
  const uint64_t element = value.is_float ? whole(number) : (uint64_t)value.value.integer;
  return at_scalar_long(bits == 16   ? (int16_t)element
                        : bits == 32 ? (int32_t)element
                                     : (int64_t)element);
}
