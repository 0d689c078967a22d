/* Reductions: two runs of elements become one, in place, without any allocation. */
#include <math.h>

#include "Comm.h"

typedef void (*Combine)(int64_t count, void *a, const void *b);

#define LOOP(NAME, TYPE, EXPRESSION)                          \
  static void NAME(int64_t count, void *to, const void *from) \
  {                                                           \
    TYPE *const a = to;                                       \
    const TYPE *const b = from;                               \
    for (int64_t i = 0; i < count; i++)                       \
      a[i] = (TYPE)(EXPRESSION);                              \
  }

#define INTEGER(Name, TYPE)                                  \
  LOOP(sum##Name, TYPE, a[i] + b[i])                         \
  LOOP(product##Name, TYPE, (uint64_t)a[i] * (uint64_t)b[i]) \
  LOOP(min##Name, TYPE, a[i] < b[i] ? a[i] : b[i])           \
  LOOP(max##Name, TYPE, a[i] > b[i] ? a[i] : b[i])           \
  LOOP(band##Name, TYPE, a[i] & b[i])                        \
  LOOP(bor##Name, TYPE, a[i] | b[i])                         \
  LOOP(bxor##Name, TYPE, a[i] ^ b[i])
#define FLOATING(Name, TYPE, READ, WRITE)                      \
  LOOP(sum##Name, TYPE, WRITE(READ(a[i]) + READ(b[i])))        \
  LOOP(product##Name, TYPE, WRITE(READ(a[i]) * READ(b[i])))    \
  LOOP(min##Name, TYPE, WRITE(lesser(READ(a[i]), READ(b[i])))) \
  LOOP(max##Name, TYPE, WRITE(-lesser(-READ(a[i]), -READ(b[i]))))

/* NaN if either is. */
static inline double lesser(double a, double b)
{
  return isnan(a) || a < b ? a : b;
}

static inline float float_of_half(uint16_t bits)
{
  return TH_half2float((THHalf){bits});
}

static inline uint16_t half_of(double value)
{
  return TH_float2half((float)value).x;
}

static inline float float_of_bfloat(uint16_t bits)
{
  const union {
    uint32_t bits;
    float value;
  } wide = {(uint32_t)bits << 16};
  return wide.value;
}

/* The nearest, ties to even. */
static inline uint16_t bfloat_of(double given)
{
  const union {
    float value;
    uint32_t bits;
  } wide = {(float)given};
  if (isnan(given))
    return 0x7FC0;
  return (uint16_t)((wide.bits + 0x7FFF + (wide.bits >> 16 & 1)) >> 16);
}

#define SAME(X) (X)
INTEGER(Byte, uint8_t)
INTEGER(Char, int8_t)
INTEGER(Short, int16_t)
INTEGER(Int, int32_t)
INTEGER(Long, int64_t)
INTEGER(UInt16, uint16_t)
INTEGER(UInt32, uint32_t)
INTEGER(UInt64, uint64_t)
FLOATING(Float, float, SAME, SAME)
FLOATING(Double, double, SAME, SAME)
FLOATING(Half, uint16_t, float_of_half, half_of)
FLOATING(BFloat16, uint16_t, float_of_bfloat, bfloat_of)
LOOP(sumComplexFloat, _Complex float, a[i] + b[i])
LOOP(sumComplexDouble, _Complex double, a[i] + b[i])
LOOP(productComplexFloat, _Complex float, a[i] * b[i])
LOOP(productComplexDouble, _Complex double, a[i] * b[i])

#define INTEGERS(Name) \
  {sum##Name, product##Name, min##Name, max##Name, NULL, band##Name, bor##Name, bxor##Name}
#define FLOATS(Name)    {sum##Name, product##Name, min##Name, max##Name, sum##Name}
#define COMPLEXES(Name) {sum##Name, product##Name, NULL, NULL, sum##Name}

static const Combine combines[AT_SCALAR_TYPES][AT_COMM_BXOR + 1] = {
    [AT_BYTE] = INTEGERS(Byte),
    [AT_CHAR] = INTEGERS(Char),
    [AT_SHORT] = INTEGERS(Short),
    [AT_INT] = INTEGERS(Int),
    [AT_LONG] = INTEGERS(Long),
    [AT_FLOAT] = FLOATS(Float),
    [AT_DOUBLE] = FLOATS(Double),
    [AT_HALF] = FLOATS(Half),
    [AT_BOOL] = {borByte, bandByte, bandByte, borByte, NULL, bandByte, borByte, bxorByte},
    [AT_BFLOAT16] = FLOATS(BFloat16),
    [AT_COMPLEX_FLOAT] = COMPLEXES(ComplexFloat),
    [AT_COMPLEX_DOUBLE] = COMPLEXES(ComplexDouble),
    [AT_UINT16] = INTEGERS(UInt16),
    [AT_UINT32] = INTEGERS(UInt32),
    [AT_UINT64] = INTEGERS(UInt64),
};

bool at_comm_canCombine(at_scalar_type type, at_comm_op op)
{
  return (int)op >= 0 && op <= AT_COMM_BXOR && combines[type][op];
}

void at_comm_combine(at_scalar_type type, at_comm_op op, int64_t count, char *a, const char *b)
{
  combines[type][op](count, a, b);
}

void at_comm_divide(at_scalar_type type, at_comm_op op, int64_t count, char *a, int ranks)
{
  if (op != AT_COMM_AVG)
    return;
  const bool isComplex = at_isComplex(type),
             isWide = type == AT_DOUBLE || type == AT_COMPLEX_DOUBLE;
  uint16_t *const halves = (uint16_t *)a;
  for (int64_t i = 0; i < count * (isComplex ? 2 : 1); i++)
    if (type == AT_HALF)
      halves[i] = half_of((double)float_of_half(halves[i]) / ranks);
    else if (type == AT_BFLOAT16)
      halves[i] = bfloat_of((double)float_of_bfloat(halves[i]) / ranks);
    else if (isWide)
      ((double *)a)[i] /= ranks;
    else
      ((float *)a)[i] /= (float)ranks;
}
