/* Half to float and back, inline and without branches, so that loops over them become vector code.
 *
 * The results are those of the processors' own instructions: nearest, ties to even, whatever the
 * rounding mode; subnormals exact; a NaN keeps its sign and the leading bits of its payload and is
 * quiet. */
#ifndef TH_HALF_BITS_H
#define TH_HALF_BITS_H

#include <stdint.h>
#include <string.h>

/* m / 2^shift, rounded to nearest, ties to even; 1 <= shift <= 31. */
static inline uint32_t THHalf_shiftRounding(uint32_t m, uint32_t shift)
{
  return (m + ((1u << (shift - 1)) - 1) + (m >> shift & 1)) >> shift;
}

static inline uint16_t THHalf_fromFloat(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  const uint32_t exponent = magnitude >> 23;

  /* Rebias the exponent and drop 13 bits of the fraction; a carry moves on to the exponent, and
   * from the largest one to infinity, which is correct. */
  const uint32_t normal = THHalf_shiftRounding(magnitude - (112u << 23), 13);

  /* Below 2^-14 the result counts units of 2^-24.  From 2^-26 down it is 0: the shift stays 25. */
  const uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t shift = exponent >= 101 ? 126 - exponent : 25;
  const uint32_t subnormal = THHalf_shiftRounding(fraction, exponent < 113 ? shift : 1);

  const uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x1ff);
  uint32_t half = exponent < 113 ? subnormal : normal;
  half = magnitude >= 0x47800000 ? 0x7c00 : half; /* 65536 and beyond */
  half = magnitude > 0x7f800000 ? nan : half;
  return (uint16_t)(sign | half);
}

/* A float whose conversion to a shorter type gives the same as rounding the double once: x
 * truncated to a float, with the last bit set if the cut digits were not 0 ("round to odd"). */
static inline float THHalf_cutDouble(double x)
{
  const float nearest = (float)x;
  const double size = x < 0 ? -x : x, rounded = nearest < 0 ? -nearest : nearest;
  uint32_t bits;
  memcpy(&bits, &nearest, sizeof bits);
  bits -= rounded > size;
  bits |= (rounded < size) | (rounded > size); /* both are false for NaN */
  float cut;
  memcpy(&cut, &bits, sizeof cut);
  return cut;
}

static inline uint16_t THHalf_fromDouble(double value)
{
  return THHalf_fromFloat(THHalf_cutDouble(value));
}

static inline float THHalf_toFloat(uint16_t half)
{
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
  const float units = (float)(int32_t)magnitude * 0x1p-24f; /* exact where it is used */
  uint32_t subnormal;
  memcpy(&subnormal, &units, sizeof subnormal);

  const uint32_t quiet = magnitude > 0x7c00 ? 0x400000 : 0;
  uint32_t bits = magnitude < 0x400 ? subnormal : (magnitude << 13) + (112u << 23);
  bits = magnitude >= 0x7c00 ? (magnitude << 13) + (224u << 23) : bits;
  bits |= sign | quiet;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
