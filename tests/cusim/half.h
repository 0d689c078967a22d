/* Half and bfloat16 arithmetic of the simulator's own functions. */
#ifndef CUSIM_HALF_H
#define CUSIM_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float cusim_from_half(uint16_t bits)
{
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                    : ldexpf((float)fraction, -24);
  return bits & 0x8000 ? -size : size;
}

/* Rounds to the nearest, ties to even, as nearbyint does. */
static inline uint16_t cusim_to_half(float value)
{
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const float size = fabsf(value);
  if (isnan(value))
    return 0x7FFF;
  if (size >= 65520)
    return sign | 0x7C00;
  if (size < 0x1p-14f)
    return sign | (uint16_t)nearbyintf(size * 0x1p24f); /* 1024 is the least normal number */
  int exponent;
  const float fraction = frexpf(size, &exponent); /* in [0.5, 1) */
  /* A carry goes into the exponent, as it should. */
  const unsigned magnitude =
      ((unsigned)(exponent + 13) << 10) + (unsigned)nearbyintf(fraction * 2048);
  return (uint16_t)(sign | magnitude);
}

static inline float cusim_from_bfloat(uint16_t bits)
{
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static inline uint16_t cusim_to_bfloat(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value))
    return 0x7FFF;
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif
