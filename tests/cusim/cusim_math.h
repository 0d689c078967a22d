/* Device functions that the C library does not have, at least as accurate as on a device. */
#ifndef CUSIM_MATH_H
#define CUSIM_MATH_H

#include "THMath.h"

#define CUSIM_MATH __attribute__((unused)) static inline

template <class T>
CUSIM_MATH T __ldg(const T *address)
{
  return *address;
}

/* --- time: nanoseconds --------------------------------------------------------------------- */

CUSIM_MATH long long clock64(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* --- bits --------------------------------------------------------------------------------- */

CUSIM_MATH int __clz(int x)
{
  return x ? __builtin_clz((unsigned)x) : 32;
}

CUSIM_MATH int __clzll(long long x)
{
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}

CUSIM_MATH int __ffs(int x)
{
  return __builtin_ffs(x);
}

CUSIM_MATH int __ffsll(long long x)
{
  return __builtin_ffsll(x);
}

CUSIM_MATH int __popc(unsigned x)
{
  return __builtin_popcount(x);
}

CUSIM_MATH int __popcll(unsigned long long x)
{
  return __builtin_popcountll(x);
}

CUSIM_MATH unsigned __brev(unsigned x)
{
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; bit++)
    reversed |= (x >> bit & 1) << (31 - bit);
  return reversed;
}

CUSIM_MATH unsigned long long __brevll(unsigned long long x)
{
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

CUSIM_MATH unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
  const uint64_t bytes = (uint64_t)high << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= (unsigned)(bytes >> (selector >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  return result;
}

CUSIM_MATH unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
  return (unsigned)((((uint64_t)high << 32 | low) << (by & 31)) >> 32);
}

CUSIM_MATH unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
  return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}

/* --- integers ----------------------------------------------------------------------------- */

CUSIM_MATH int __mulhi(int a, int b)
{
  return (int)((int64_t)a * b >> 32);
}

CUSIM_MATH unsigned __umulhi(unsigned a, unsigned b)
{
  return (unsigned)((uint64_t)a * b >> 32);
}

CUSIM_MATH long long __mul64hi(long long a, long long b)
{
  return (long long)((__int128)a * b >> 64);
}

CUSIM_MATH unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}

#define CUSIM_MIN_MAX(T)     \
  CUSIM_MATH T min(T a, T b) \
  {                          \
    return b < a ? b : a;    \
  }                          \
  CUSIM_MATH T max(T a, T b) \
  {                          \
    return a < b ? b : a;    \
  }
CUSIM_MIN_MAX(int)
CUSIM_MIN_MAX(unsigned)
CUSIM_MIN_MAX(long)
CUSIM_MIN_MAX(unsigned long)
CUSIM_MIN_MAX(long long)
CUSIM_MIN_MAX(unsigned long long)

/* As on the device, a NaN loses against a number. */
CUSIM_MATH float min(float a, float b)
{
  return fminf(a, b);
}

CUSIM_MATH float max(float a, float b)
{
  return fmaxf(a, b);
}

CUSIM_MATH double min(double a, double b)
{
  return fmin(a, b);
}

CUSIM_MATH double max(double a, double b)
{
  return fmax(a, b);
}

/* --- bits of floating-point numbers ------------------------------------------------------- */

CUSIM_MATH int __float_as_int(float x)
{
  return cusim_value<int>(cusim_bits(x));
}

CUSIM_MATH unsigned __float_as_uint(float x)
{
  return cusim_value<unsigned>(cusim_bits(x));
}

CUSIM_MATH float __int_as_float(int x)
{
  return cusim_value<float>(cusim_bits(x));
}

CUSIM_MATH float __uint_as_float(unsigned x)
{
  return cusim_value<float>(cusim_bits(x));
}

CUSIM_MATH long long __double_as_longlong(double x)
{
  return cusim_value<long long>(cusim_bits(x));
}

CUSIM_MATH double __longlong_as_double(long long x)
{
  return cusim_value<double>(cusim_bits(x));
}

/* --- floating point ----------------------------------------------------------------------- */

/* NAME(x) for double and NAMEf(x) for float, from an expression that T and the suffix F fit into.
 */
#define CUSIM_FUNCTION(NAME, EXPRESSION) \
  CUSIM_MATH double NAME(double x)       \
  {                                      \
    return EXPRESSION;                   \
  }                                      \
  CUSIM_MATH float NAME##f(float given)  \
  {                                      \
    const double x = given;              \
    return (float)(EXPRESSION);          \
  }
CUSIM_FUNCTION(rsqrt, 1 / sqrt(x))
CUSIM_FUNCTION(rcbrt, 1 / cbrt(x))
CUSIM_FUNCTION(sinpi, sin(M_PI *fmod(x, 2)))
CUSIM_FUNCTION(cospi, cos(M_PI *fmod(x, 2)))
CUSIM_FUNCTION(erfinv, TH_erfinv(x))
CUSIM_FUNCTION(normcdf, 0.5 * erfc(-x * M_SQRT1_2))

/* Fast functions; the C library declares some of these names itself. */
#define __expf   expf
#define __exp10f exp10f
#define __logf   logf
#define __log2f  log2f
#define __log10f log10f
#define __sinf   sinf
#define __cosf   cosf
#define __tanf   tanf
#define __powf   powf

/* Functions with a rounding in their name (the default one). */
#define CUSIM_FLOAT_1(NAME, EXPRESSION) \
  CUSIM_MATH float NAME(float x)        \
  {                                     \
    return EXPRESSION;                  \
  }
#define CUSIM_FLOAT_2(NAME, EXPRESSION)   \
  CUSIM_MATH float NAME(float x, float y) \
  {                                       \
    return EXPRESSION;                    \
  }
CUSIM_FLOAT_1(__frcp_rn, 1 / x)
CUSIM_FLOAT_1(__fsqrt_rn, sqrtf(x))
CUSIM_FLOAT_1(__frsqrt_rn, rsqrtf(x))
CUSIM_FLOAT_1(__saturatef, x > 0 ? (x < 1 ? x : 1) : 0)
CUSIM_FLOAT_2(__fdividef, x / y)
CUSIM_FLOAT_2(__fadd_rn, x + y)
CUSIM_FLOAT_2(__fsub_rn, x - y)
CUSIM_FLOAT_2(__fmul_rn, x *y)
CUSIM_FLOAT_2(__fdiv_rn, x / y)

CUSIM_MATH float __fmaf_rn(float x, float y, float z)
{
  return fmaf(x, y, z);
}

CUSIM_MATH double __fma_rn(double x, double y, double z)
{
  return fma(x, y, z);
}

CUSIM_MATH double __dadd_rn(double x, double y)
{
  return x + y;
}

CUSIM_MATH double __dsub_rn(double x, double y)
{
  return x - y;
}

CUSIM_MATH double __dmul_rn(double x, double y)
{
  return x * y;
}

CUSIM_MATH double __ddiv_rn(double x, double y)
{
  return x / y;
}

CUSIM_MATH double __dsqrt_rn(double x)
{
  return sqrt(x);
}

CUSIM_MATH void sincospi(double x, double *s, double *c)
{
  *s = sinpi(x);
  *c = cospi(x);
}

CUSIM_MATH void sincospif(float x, float *s, float *c)
{
  *s = sinpif(x);
  *c = cospif(x);
}

/* Beyond the range, and for NaN, the device saturates where C leaves it open. */
#define CUSIM_CONVERT(NAME, FROM, TO, ROUND, LOW, HIGH) \
  CUSIM_MATH TO NAME(FROM given)                        \
  {                                                     \
    const double x = ROUND((double)given);              \
    return isnan(x)              ? (TO)0                \
           : x <= (double)(LOW)  ? (TO)(LOW)            \
           : x >= (double)(HIGH) ? (TO)(HIGH)           \
                                 : (TO)x;               \
  }
#define CUSIM_CONVERTS(FROM, NAME, TO, LOW, HIGH)          \
  CUSIM_CONVERT(NAME##_rn, FROM, TO, nearbyint, LOW, HIGH) \
  CUSIM_CONVERT(NAME##_rz, FROM, TO, trunc, LOW, HIGH)     \
  CUSIM_CONVERT(NAME##_rd, FROM, TO, floor, LOW, HIGH)     \
  CUSIM_CONVERT(NAME##_ru, FROM, TO, ceil, LOW, HIGH)
CUSIM_CONVERTS(float, __float2int, int, INT32_MIN, INT32_MAX)
CUSIM_CONVERTS(float, __float2uint, unsigned, 0, UINT32_MAX)
CUSIM_CONVERTS(float, __float2ll, long long, INT64_MIN, INT64_MAX)
CUSIM_CONVERTS(float, __float2ull, unsigned long long, 0, UINT64_MAX)
CUSIM_CONVERTS(double, __double2int, int, INT32_MIN, INT32_MAX)
CUSIM_CONVERTS(double, __double2uint, unsigned, 0, UINT32_MAX)
CUSIM_CONVERTS(double, __double2ll, long long, INT64_MIN, INT64_MAX)
CUSIM_CONVERTS(double, __double2ull, unsigned long long, 0, UINT64_MAX)

CUSIM_MATH float __uint2float_rn(unsigned x)
{
  return (float)x;
}

CUSIM_MATH float __int2float_rn(int x)
{
  return (float)x;
}

CUSIM_MATH float __ull2float_rn(unsigned long long x)
{
  return (float)x;
}

CUSIM_MATH double __ull2double_rn(unsigned long long x)
{
  return (double)x;
}

CUSIM_MATH float __double2float_rn(double x)
{
  return (float)x;
}

#endif
