/* Logarithms, sines and cosines on the ranges that random numbers need, without branches, so that
 * loops over them become vectors.  The polynomials are interpolations at Chebyshev nodes; all
 * results are the same at every instruction set, as no product is fused. */
#ifndef TH_RANDOM_MATH_H
#define TH_RANDOM_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_float(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float float_of_bits(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t bits_of_double(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* log(x) for normal x > 0, to 1 ULP; about -709 at 0.
 *
 * x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); with s = f / (2 + f), log(1 + f) is log((1 +
 * s) / (1 - s)) = 2 s + s^3 g(s^2) = f - s (f - s^2 g(s^2)), which loses no digits near 1. */
static inline float log_float(float x)
{
  const uint32_t root = 0x3f3504f3u; /* sqrt(1/2) */
  const uint32_t above = bits_of_float(x) - root + 0x3f800000u;
  const float k = (float)((int32_t)(above >> 23) - 127);
  const float f = float_of_bits((above & 0x7fffffu) + root) - 1.0f;
  const float s = f / (2.0f + f), z = s * s;
  const float g = ((0.2333161447f * z + 0.2855077863f) * z + 0.4000012221f) * z + 0.6666666655f;
  const float half = 0.5f * f * f; /* f - s f = 2 s and s f = half - s half */
  return k * 0.693359375f + ((k * -2.12194440e-4f - (half - s * (half + z * g))) + f);
}

static inline double log_double(double x)
{
  const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd);
  const uint64_t above = bits_of_double(x) - root + UINT64_C(0x3ff0000000000000);
  /* The exponent as the low bits of a double near 2^52: no conversion from 64 bits is needed. */
  const double k = double_of_bits(UINT64_C(0x4330000000000000) | above >> 52) - (0x1p52 + 1023.0);
  const double f = double_of_bits((above & UINT64_C(0xfffffffffffff)) + root) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  double g = 0.130880348509275538;
  g = g * z + 0.132686383692668239;
  g = g * z + 0.153862447376216666;
  g = g * z + 0.181817955475211362;
  g = g * z + 0.222222223925810451;
  g = g * z + 0.28571428570799785;
  g = g * z + 0.400000000000008832;
  g = g * z + 0.666666666666666665;
  const double half = 0.5 * f * f;
  return k * 6.93147180369123816490e-1 +
         ((k * 1.90821492927058770002e-10 - (half - s * (half + z * g))) + f);
}

/* Sine and cosine of angle in [0, 2 pi], each to about 1 ULP of 1. */
static inline void sincos_float(float angle, float *sine, float *cosine)
{
  const float shift = 0x1.8p23f;
  const float shifted = angle * 0.636619772f + shift; /* the quarter turns, in the low bits */
  const uint32_t quarter = bits_of_float(shifted);
  const float q = shifted - shift;
  /* pi / 2 in three parts, so short that the products are exact. */
  const float r = ((angle - q * 1.5703125f) - q * 4.837512969970703125e-4f) - q * 7.549789954e-8f;
  const float z = r * r;
  const float s = r + r * z * ((-0.0001958537321f * z + 0.008332736559f) * z - 0.166666646f);
  const float c =
      1.0f - (0.5f * z - z * z * ((2.454541908e-5f * z - 0.00138882913f) * z + 0.0416666646f));
  const uint32_t odd = -(quarter & 1u); /* all ones after an odd number of quarter turns */
  const uint32_t sb = bits_of_float(s), cb = bits_of_float(c);
  *sine = float_of_bits(((sb & ~odd) | (cb & odd)) ^ (quarter & 2u) << 30);
  *cosine = float_of_bits(((cb & ~odd) | (sb & odd)) ^ ((quarter + 1u) & 2u) << 30);
}

/* Sine and cosine of 2 pi turns, |turns| <= 1. */
static inline void sincos_turns_double(double turns, double *sine, double *cosine)
{
  const double shift = 0x1.8p52;
  const double shifted = 4.0 * turns + shift;
  const uint64_t quarter = bits_of_double(shifted);
  const double r = (4.0 * turns - (shifted - shift)) * 1.57079632679489661923;
  const double z = r * r;
  double s = 1.59167261938893374e-10;
  s = s * z - 2.50511122725732437e-8;
  s = s * z + 2.75573160081715511e-6;
  s = s * z - 0.00019841269836575709;
  s = s * z + 0.008333333333330827;
  s = s * z - 0.166666666666666645;
  s = r + r * z * s;
  double c = -1.13817546536629368e-11;
  c = c * z + 2.08761340240901462e-9;
  c = c * z - 2.75573172126865901e-7;
  c = c * z + 0.0000248015872986512916;
  c = c * z - 0.00138888888888873212;
  c = c * z + 0.0416666666666666653;
  c = 1.0 - (0.5 * z - z * z * c);
  const uint64_t odd = -(quarter & 1u);
  const uint64_t sb = bits_of_double(s), cb = bits_of_double(c);
  *sine = double_of_bits(((sb & ~odd) | (cb & odd)) ^ (quarter & 2u) << 62);
  *cosine = double_of_bits(((cb & ~odd) | (sb & odd)) ^ ((quarter + 1u) & 2u) << 62);
}

#endif
