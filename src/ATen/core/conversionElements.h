/* Single elements converted to and from Bool and BFloat16, for the CPU and for kernels.  The including
 * file defines AT_ELEMENT, which begins a function, and includes THHalfBits.h. */
#ifndef ATEN_CONVERSION_ELEMENTS_H
#define ATEN_CONVERSION_ELEMENTS_H

/* Truncates x; NaN becomes 0, and values outside of int64_t its nearest limit. */
AT_ELEMENT int64_t at_wholeOf(float x)
{
  const int64_t inside = (int64_t)(x >= -0x1p63f && x < 0x1p63f ? x : 0);
  return x >= 0x1p63f ? INT64_MAX : x < -0x1p63f ? INT64_MIN : inside;
}

AT_ELEMENT THHalf at_halfOf(float x)
{
  THHalf half;
  half.x = THHalf_fromFloat(x);
  return half;
}

#define AT_NONZERO(x)      ((x) != 0)
#define AT_NONZERO_BITS(x) (((x).x & 0x7fff) != 0)

/* TH's types: X(name, type, x as a boolean, x as the float that is rounded to BFloat16, as in PyTorch, the float f as
 * the type). */
#define AT_CONVERTED_NUMBERS(X)                                      \
  X(BYTE, uint8_t, AT_NONZERO(x), (float)x, (uint8_t)at_wholeOf(f))  \
  X(CHAR, int8_t, AT_NONZERO(x), (float)x, (int8_t)at_wholeOf(f))    \
  X(SHORT, int16_t, AT_NONZERO(x), (float)x, (int16_t)at_wholeOf(f)) \
  X(INT, int32_t, AT_NONZERO(x), (float)x, (int32_t)at_wholeOf(f))   \
  X(LONG, int64_t, AT_NONZERO(x), (float)x, at_wholeOf(f))           \
  X(FLOAT, float, AT_NONZERO(x), (float)x, f)                        \
  X(DOUBLE, double, AT_NONZERO(x), (float)x, f)
#define AT_CONVERTED_TYPES(X) \
  AT_CONVERTED_NUMBERS(X)     \
  X(HALF, THHalf, AT_NONZERO_BITS(x), THHalf_toFloat(x.x), at_halfOf(f))

#endif
