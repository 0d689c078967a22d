/* Single elements as scalars. */
#include <math.h>

#include "ATenCore.h"
#include "conversions.h"

void at_parts(const at_tensor *t, ptrdiff_t offset, double *re, double *im)
{
  const void *const data = t->th->storage->data;
  const bool isWide = t->type->scalarType == AT_COMPLEX_DOUBLE;
  *re = isWide ? ((const double *)data)[2 * offset] : ((const float *)data)[2 * offset];
  *im = isWide ? ((const double *)data)[2 * offset + 1] : ((const float *)data)[2 * offset + 1];
}

/* The element at that offset in the storage of a CUDA tensor. */
static at_scalar element_of_device(const at_tensor *t, ptrdiff_t offset)
{
  THGuard view, copy;
  at_guard(&view);
  view.what = at_newView((at_tensor *)t, offset, (at_ints){NULL, 0}, NULL);
  const at_scalar value = at_elementAt(at_onHost(&copy, view.what), 0);
  THGuard_leave(&copy);
  THGuard_leave(&view);
  return value;
}

at_scalar at_elementAt(const at_tensor *t, ptrdiff_t offset)
{
  if (!at_isOnHost(t->type))
    return element_of_device(t, offset);
#define ELEMENT(real) (((const real *)t->th->storage->data)[offset])
  switch (t->type->scalarType) {
    case AT_BYTE:
      return at_scalar_long(ELEMENT(uint8_t));
    case AT_CHAR:
      return at_scalar_long(ELEMENT(int8_t));
    case AT_SHORT:
      return at_scalar_long(ELEMENT(int16_t));
    case AT_INT:
      return at_scalar_long(ELEMENT(int32_t));
    case AT_LONG:
      return at_scalar_long(ELEMENT(int64_t));
    case AT_FLOAT:
      return at_scalar_double(ELEMENT(float));
    case AT_DOUBLE:
      return at_scalar_double(ELEMENT(double));
    case AT_HALF:
      return at_scalar_double(TH_half2float(ELEMENT(THHalf)));
    case AT_BOOL:
      return at_scalar_long(ELEMENT(uint8_t) != 0);
    case AT_BFLOAT16:
      return at_scalar_double(at_bfloat16_toFloat(ELEMENT(at_bfloat16)));
    case AT_UINT16:
      return at_scalar_long(ELEMENT(uint16_t));
    case AT_UINT32:
      return at_scalar_long(ELEMENT(uint32_t));
    case AT_UINT64:
      return at_scalar_unsigned(ELEMENT(uint64_t));
    case AT_COMPLEX_FLOAT:
    case AT_COMPLEX_DOUBLE:
      at_raise(AT_ERROR_TYPE, "an element of %s is no scalar",
               at_scalarTypeName(t->type->scalarType));
    case AT_SCALAR_TYPES:
      break;
  }
#undef ELEMENT
  TH_UNREACHABLE
}

enum { UNSIGNED = 1 << AT_UINT16 | 1 << AT_UINT32 | 1 << AT_UINT64 };

/* Whether t has one element; an error if not. */
static bool is_single(const at_tensor *t, const char *operation)
{
  if (!at_accept(operation, "t", t, false))
    return false;
  if (at_numel(t) != 1)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: t has to have one element, and its size is %s",
            operation, at_sizeDesc(at_sizesOf(t)).str);
  return at_numel(t) == 1;
}

/* Reads the only element of t.  Returns false, with NaN and an error, if t has not one element. */
static bool get(const at_tensor *t, const char *operation, at_scalar *value)
{
  *value = at_scalar_double(NAN);
  if (!is_single(t, operation) || !at_takes(operation, "t", t, UNSIGNED))
    return false;
  if (at_isOnHost(t->type)) {
    *value = at_elementAt(t, t->th->storageOffset);
    return true;
  }
  at_call call;
  at_begin(&call, operation);
  at_onDeviceOf(&call, t);
  TH_TRY(call.attempt)
  {
    *value = at_elementAt(t, t->th->storageOffset);
  }
  return !at_failed(&call);
}

at_scalar at_item(const at_tensor *t)
{
  at_scalar value;
  get(t, "item", &value);
  return value;
}

/* The only element of a complex tensor on a device. */
static void read_device(const at_tensor *t, at_complex_number *value)
{
  at_call call;
  at_begin(&call, "item_complex");
  at_onDeviceOf(&call, t);
  TH_TRY(call.attempt)
  {
    THGuard copy;
    at_parts(at_onHost(&copy, t), 0, &value->re, &value->im);
    THGuard_leave(&copy);
  }
  at_failed(&call);
}

at_complex_number at_item_complex(const at_tensor *t)
{
  at_complex_number value = {NAN, NAN};
  if (!is_single(t, "item_complex"))
    return value;
  const at_scalar_type type = t->type->scalarType;
  if (at_isComplex(type) && at_isOnHost(t->type)) {
    at_parts(t, t->th->storageOffset, &value.re, &value.im);
  } else if (at_isComplex(type)) {
    read_device(t, &value);
  } else {
    at_scalar real;
    get(t, "item_complex", &real);
    value = (at_complex_number){at_scalar_toDouble(real), 0};
  }
  return value;
}

double at_item_double(const at_tensor *t)
{
  at_scalar value;
  get(t, "item_double", &value);
  return at_scalar_toDouble(value);
}

int64_t at_item_long(const at_tensor *t)
{
  at_scalar value;
  if (!get(t, "item_long", &value))
    return 0;
  if (!value.is_float || (value.value.number >= -0x1p63 && value.value.number < 0x1p63))
    return at_scalar_toLong(value);
  at_fail(AT_ERROR_ARGUMENT, "item_long", "item_long: %g is not between %g and %g",
          value.value.number, -0x1p63, 0x1p63);
  return 0;
}
