/* Unsigned integers of 16, 32 and 64 bits.  Their tensors are those of the signed type of that size
 * in TH, which has the same sums and products; what differs is the conversion of their values. */
#include "complex.h"

#include "ATen/core/ATenOperations.h"

#define AT_ELEMENT static inline
#include "unsignedElements.h"

/* --- conversion ------------------------------------------------------------------------------ */

/* t as a tensor of the signed type that holds it. */
static at_tensor *as_held(at_pool *pool, at_tensor *t)
{
  const at_type *type = at_toScalarType(t->type, (at_scalar_type)t->type->held);
  void *th = type->memory->newShape(t->th, t->th->storageOffset, t->th->nDimension, t->th->size,
                                    t->th->stride);
  return at_hold(pool, at_wrap(type, th, t->isScalar));
}

static at_tensor *made_by(at_pool *pool, at_elementwise kernel, at_scalar_type type,
                          at_tensor *from)
{
  return at_hold(pool, at_eachElement(NULL, at_toScalarType(from->type, type), at_sizesOf(from),
                                      kernel, 1, &from, NULL));
}

/* The values as a type from which TH converts to type. */
static at_tensor *values_of(at_pool *pool, at_tensor *from, at_scalar_type type)
{
  if (from->type->scalarType == AT_UINT16)
    return made_by(pool, at_each_long_of_uint16, AT_LONG, from);
  if (from->type->scalarType == AT_UINT32)
    return made_by(pool, at_each_long_of_uint32, AT_LONG, from);
  if (!at_isFloating(type))
    return as_held(pool, from); /* which has the same last bits */
  return made_by(pool, type == AT_DOUBLE ? at_each_double_of_uint64 : at_each_cut_of_uint64,
                 AT_DOUBLE, from);
}

void at_convertUnsigned(at_tensor *to, at_tensor *from)
{
  if (to->type->held == from->type->held && from->type->scalarType != AT_BFLOAT16) {
    to->type->memory->copyFrom[from->type->held](to->th, from->th);
    return;
  }
  at_pool pool;
  at_pool_enter(&pool);
  const at_scalar_type result = to->type->scalarType;
  if (at_isUnsigned(from->type->scalarType))
    from = values_of(&pool, from, result);
  if (at_isUnsigned(result) && at_isFloating(from->type->scalarType)) {
    from = at_cast(&pool, from, at_toScalarType(from->type, AT_DOUBLE));
    from = made_by(&pool, at_each_uint64_of_double, AT_UINT64, from);
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
  const uint64_t element =
      value.is_float ? at_unsignedWhole(number) : (uint64_t)value.value.integer;
  return at_scalar_long(bits == 16   ? (int16_t)element
                        : bits == 32 ? (int32_t)element
                                     : (int64_t)element);
}
