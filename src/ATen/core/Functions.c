/* TH's functions for one element type, behind signatures that do not name it.
 *
 * This file is also compiled for CUDA, where cuda/ATenDevice.h defines TENSOR, CALL_TENSOR(name,
 * ...) and CALL_STORAGE(name, ...), which call a function of tensors or storages. */
#include "ATenCore.h"
#include "THNN.h"
#include "THNNGroups.h"
#include "THTensorShape.h"
#include "TH/core/THHalfBits.h"

#include "THTemplate.h"

#ifndef AT_DEVICE
#define TENSOR                   THTensor
#define CALL_TENSOR(NAME, ...)   THTensor_(NAME)(__VA_ARGS__)
#define CALL_STORAGE(NAME, ...)  THStorage_(NAME)(__VA_ARGS__)
#define COPY(Real, ...)          THTensor_(copy##Real)(__VA_ARGS__)
#define WITH_STATE(HOST, DEVICE) HOST
/* The table of a function, in tables.c, has it for all types. */
#define OF_TYPE(RETURNS, NAME) RETURNS TH_CONCAT_3(NAME, _, Real)
#define AT_MEMORY              at_memory_
#endif

static void *newShape(void *of, ptrdiff_t offset, int dims, const int64_t *size,
                      const int64_t *stride)
{
  return CALL_TENSOR(newShapeNd, of ? ((TENSOR *)of)->storage : NULL, offset, dims, size, stride);
}

static void setShape(void *t, ptrdiff_t offset, int dims, const int64_t *size,
                     const int64_t *stride)
{
  CALL_TENSOR(setShapeNd, t, ((TENSOR *)t)->storage, offset, dims, size, stride);
}

static void exchange(void *a, void *b)
{
  CALL_TENSOR(exchange, a, b);
}

static void freeTensor(void *t)
{
  CALL_TENSOR(free, t);
}

static void *newStorage(ptrdiff_t count)
{
  return CALL_STORAGE(newWithSize, count);
}

static void freeStorage(void *storage)
{
  CALL_STORAGE(free, storage);
}

/* clang-format off */
#define COPY_FROM(Real, real, accreal) static void copyFrom##Real(void *r, void *t) { COPY(Real, r, t); }
/* clang-format on */
TH_FOR_EACH_TYPE(COPY_FROM)
#undef COPY_FROM

#if defined(TH_REAL_IS_HALF)
#define number(x) at_scalar_double(TH_half2float(x))
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define number(x) at_scalar_double(x)
#else
#define number(x) at_scalar_long(x)
#endif

static void first(const void *t, at_scalar *value)
{
  const TENSOR *tensor = t;
#ifdef AT_DEVICE
  *value = number(CALL_STORAGE(get, tensor->storage, tensor->storageOffset));
#else
  *value = number(tensor->storage->data[tensor->storageOffset]);
#endif
}

/* --- pointwise rows -------------------------------------------------------------------------- */

#if defined(AT_DEVICE) || !defined(TH_REAL_IS_HALF)
#define COMPUTES /* Half computes only on a device */

/* The scalar as an element.  It is an error if the type cannot hold it, except that negative
 * integers wrap around in unsigned types.  Fractions are truncated. */
static real element(at_scalar s)
{
#if defined(TH_REAL_IS_HALF)
  return TH_float2half(THHalf_cutDouble(at_scalar_toDouble(s)));
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  return (real)at_scalar_toDouble(s);
#else
  const bool isSigned = (real)-1 < 0;
  const double end = ldexp(1, 8 * (int)sizeof(real) - isSigned); /* the first that is too large */
  const double number = at_scalar_toDouble(s);
  bool fits = number < end && number >= (isSigned ? -end : s.is_float ? 0 : 1 - end);
  if (!s.is_float && sizeof(real) == sizeof(int64_t))
    fits = true;
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "the number %.17g cannot be converted to " TH_STRING_OF(Real),
             number);
  return (real)at_scalar_toLong(s);
#endif
}

#define ALL(...) __VA_ARGS__
#define NONE(...)
#if defined(TH_REAL_IS_HALF)
#define BUT_HALF  NONE
#define ONLY_HALF ALL
#else
#define BUT_HALF  ALL
#define ONLY_HALF NONE
#endif
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define FLOAT          ALL
#define SIGNED         ALL
#define INTEGER        NONE
#define total(a)       ((accreal)at_scalar_toDouble(a))
#define totalNumber(x) at_scalar_double(x)

#define FLOAT_OR_NULL(FUNCTION) FUNCTION
#else
#define FLOAT          NONE
#define INTEGER        ALL
#define total(a)       ((accreal)at_scalar_toLong(a))
#define totalNumber(x) at_scalar_long(x)

#define FLOAT_OR_NULL(FUNCTION) NULL
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED NONE
#else
#define SIGNED ALL
#endif
#endif

#define ROW_FUNCTION(NAME, ...)                                                               \
  OF_TYPE(void, at_row_##NAME)(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b); \
  OF_TYPE(void, at_row_##NAME)(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b)  \
  {                                                                                           \
    CALL_TENSOR(NAME, r, __VA_ARGS__);                                                        \
  }
/* Scalars beside Half are not rounded to Half. */
#define HALF_FUNCTION(NAME)                                                               \
  static void at_row_##NAME(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b) \
  {                                                                                       \
    THC_halfRow(AT_STATE, TH_POINTWISE_##NAME, r, x, y, z, (float)at_scalar_toDouble(a),  \
                (float)at_scalar_toDouble(b));                                            \
  }
#define A element(a)
#define B element(b)

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...)     TYPES(ROW_FUNCTION(NAME, A))
#define ORDER(TYPES, COST, NAME, ...)    TYPES(ROW_FUNCTION(NAME, at_scalar_toLong(a), x))
#ifdef TH_REAL_IS_HALF
#define ROW(TYPES, COST, NAME, ...)      TYPES(HALF_FUNCTION(NAME))
#else
#define UNARY(TYPES, COST, NAME, ...)    TYPES(ROW_FUNCTION(NAME, x))
#define SCALAR(TYPES, COST, NAME, ...)   TYPES(ROW_FUNCTION(NAME, x, A))
#define SCALARS(TYPES, COST, NAME, ...)  TYPES(ROW_FUNCTION(NAME, x, A, B))
#define BASE(TYPES, COST, NAME, ...)     TYPES(ROW_FUNCTION(NAME, A, x))
#define BINARY(TYPES, COST, NAME, ...)   TYPES(ROW_FUNCTION(NAME, x, y))
#define SCALED(TYPES, COST, NAME, ...)   TYPES(ROW_FUNCTION(NAME, x, A, y))
#define WEIGHTED(TYPES, COST, NAME, ...) TYPES(ROW_FUNCTION(NAME, x, y, A))
#define TERNARY(TYPES, COST, NAME, ...)  TYPES(ROW_FUNCTION(NAME, x, A, y, z))
#define COMPARE_VALUE    SCALAR
#define COMPARE_VALUE_T  SCALAR
#define COMPARE_TENSOR   BINARY
#define COMPARE_TENSOR_T BINARY
#endif
/* clang-format on */
#include "ops/pointwise.h"

/* --- the other functions --------------------------------------------------------------------- */

#ifdef AT_DEVICE
#include "ATen/cuda/ATenDeviceOwn.h"
#endif

#if defined(TH_REAL_IS_BYTE)
#define BYTE ALL
#else
#define BYTE NONE
#endif
#define CALL(TYPES, RETURNS, NAME, PARAMETERS, HOST, DEVICE) \
  TYPES(OF_TYPE(RETURNS, at_call_##NAME) PARAMETERS;         \
        OF_TYPE(RETURNS, at_call_##NAME) PARAMETERS { WITH_STATE(HOST, DEVICE); })
#include "ATenCalls.h"
#undef CALL

#endif

/* --- the tables ------------------------------------------------------------------------------ */

const at_memory TH_CONCAT_2(AT_MEMORY, Real) = {
    .newShape = newShape,
    .setShape = setShape,
    .exchange = exchange,
    .free = freeTensor,
    .copyFrom =
        {
#define COPY_FROM(Real, real, accreal) copyFrom##Real,
            TH_FOR_EACH_TYPE(COPY_FROM)
#undef COPY_FROM
        },
    .first = first,
    .newStorage = newStorage,
    .freeStorage = freeStorage,
#ifdef AT_DEVICE
    .toHost = toHost,
    .fromHost = fromHost,
#endif
};

#ifdef AT_DEVICE
const at_functions TH_CONCAT_2(at_cudaFunctions_, Real) = {
    .rows =
        {
#define ROW(TYPES, COST, NAME, ...) TYPES([TH_POINTWISE_##NAME] = at_row_##NAME, )
#include "ops/pointwise.h"
        },
#define CALL(TYPES, RETURNS, NAME, ...) TYPES(.NAME = at_call_##NAME, )
#include "ATenCalls.h"
};
#endif
