/* The Mersenne Twister, and conversions of its words to numbers, block by block. */
#include "THRandomKernels.h"

#include "THRandomDraw.h"
#include "THRandomMath.h"

/* --- words ----------------------------------------------------------------------------------- */

enum { N = _MERSENNE_STATE_N, M = _MERSENNE_STATE_M };

static inline uint32_t twist_word(uint32_t high, uint32_t low, uint32_t far)
{
  const uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ (-(low & 1u) & 0x9908b0dfu);
}

/* Each loop reads words of t at least N - M = 227 behind the one it writes: vectors fit between. */
static inline void twist(const uint32_t *restrict s, uint32_t *restrict t)
{
  for (int i = 0; i < N - M; i++)
    t[i] = twist_word(s[i], s[i + 1], s[i + M]);
  for (int i = N - M; i < N - 1; i++)
    t[i] = twist_word(s[i], s[i + 1], t[i - (N - M)]);
  t[N - 1] = twist_word(s[N - 1], t[0], t[M - 1]);
}

static inline uint32_t temper_word(uint32_t y)
{
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* Each block is computed from the one before, in out. */
static void make_blocks(uint64_t *state, uint32_t *out, ptrdiff_t count)
{
  uint32_t own[2][N];
  uint32_t *last = own[1];
  for (int i = 0; i < N; i++)
    last[i] = (uint32_t)state[i];
  for (ptrdiff_t b = 0; b < count; b++) {
    uint32_t *next = out ? out + b * N : own[b % 2];
    twist(last, next);
    last = next;
  }
  for (int i = 0; i < N; i++)
    state[i] = last[i];
}

static void temper(uint32_t *out, const uint32_t *words, ptrdiff_t n)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = temper_word(words[i]);
}

/* --- from words to numbers ------------------------------------------------------------------- */

/* The low 53 bits of a pair, whose first word is the upper half.  Both words are tempered at once:
 * masks clear the bits that a shift has moved from one word into the other. */
static inline uint64_t low_53_bits(const uint32_t *pair)
{
  uint64_t y;
  memcpy(&y, pair, sizeof y);
  y ^= y >> 11 & UINT64_C(0x001fffff001fffff);
  y ^= y << 7 & UINT64_C(0x9d2c56809d2c5680);
  y ^= y << 15 & UINT64_C(0xefc60000efc60000);
  y ^= y >> 18 & UINT64_C(0x00003fff00003fff);
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    y = y << 32 | y >> 32;
  return y & UINT64_C(0x1fffffffffffff);
}

/* The low 53 bits of a pair of words as a double, exactly: each half becomes the low bits of a power of two, so that no
 * conversion from 64 bits is needed. */
static inline double number_of_pair(const uint32_t *pair)
{
  const uint64_t bits = low_53_bits(pair);
  const double upper = double_of_bits(bits_of_double(0x1p84) | bits >> 32);
  const double lower = double_of_bits(bits_of_double(0x1p52) | (bits & 0xffffffffu));
  return (upper - (0x1p84 + 0x1p52)) + lower;
}

/* The quotient is computed by a product of doubles.  It may be too large by one where the remainder
 * is about 0, and too small by one where the remainder is almost divisor. */
static void remainders(uint32_t *words, ptrdiff_t n, uint32_t divisor)
{
  const double inverse = 1.0 / divisor;
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint32_t quotient = (uint32_t)(int64_t)((double)words[i] * inverse);
    const int64_t rest = (int64_t)words[i] - (int64_t)((uint64_t)quotient * divisor);
    words[i] = (uint32_t)(rest < 0 ? rest + divisor : rest >= divisor ? rest - divisor : rest);
  }
}

/* The integer part of a quotient in double is exact: a fraction is at least 1 / divisor below the
 * next integer, which is more than the rounding error. */
static void shrinking_remainders(uint32_t *words, ptrdiff_t n, uint32_t divisor)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint32_t word = temper_word(words[i]), by = divisor - (uint32_t)i;
    words[i] = word - (uint32_t)(int64_t)((double)word / (double)by) * by;
  }
}

static void numbers(uint32_t *out, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    out[i] = i;
}

/* Both are far below 2^63, so the sign of their difference decides; levels without an instruction
 * for 64-bit comparisons need several. */
static inline uint64_t is_below(const uint32_t *pair, uint64_t threshold)
{
  return (low_53_bits(pair) - threshold) >> 63;
}

static void below(uint8_t *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                  uint64_t threshold)
{
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (uint8_t)is_below(pairs + 2 * i, threshold);
}

static void below_float(float *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                        uint64_t threshold)
{
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (float)(int32_t)is_below(pairs + 2 * i, threshold);
}

/* The product is not rounded before the sum, as in PyTorch. */
static void uniform_float(float *restrict out, const uint32_t *restrict words, ptrdiff_t n, float a,
                          float b)
{
  const float width = b - a;
  if (isinf(width)) { /* from -3e38 to 3e38: the width is a double */
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] =
          (float)THRandom_between((float)(int32_t)(temper_word(words[i]) & 0xffffffu) * 0x1p-24f, a,
                                  b);
    return;
  }
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = fmaf((float)(int32_t)(temper_word(words[i]) & 0xffffffu) * 0x1p-24f, width, a);
}

static void uniform_double(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                           double a, double b)
{
  const double width = b - a;
  if (isinf(width)) {
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = THRandom_between(number_of_pair(pairs + 2 * i) * 0x1p-53, a, b);
    return;
  }
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = fma(number_of_pair(pairs + 2 * i) * 0x1p-53, width, a);
}

static void logarithms(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                       double scale, int fromOne)
{
  if (fromOne)
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = scale * log_double(1.0 - number_of_pair(pairs + 2 * i) * 0x1p-53);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = scale * log_double(number_of_pair(pairs + 2 * i) * 0x1p-53);
}

/* Box and Muller: the radius from the first eight numbers of each block, the angle from the other
 * eight.  The halves of many blocks are collected, which fill the widest vectors: so many that the
 * short stores have left the store buffer before longer loads read them. */
static void normal_float(float *x, ptrdiff_t n, float mean, float stdv)
{
  enum { HALF = 8, MOST = 256, LANES = 16 };
  _Alignas(64) float first[MOST], last[MOST];
  memset(first, 0, sizeof first); /* the rest of the last vector is computed and ignored */
  memset(last, 0, sizeof last);
  for (ptrdiff_t pairs; n > 0; x += 2 * pairs, n -= 2 * pairs) {
    pairs = n / 2 < MOST ? n / 2 : MOST;
    for (ptrdiff_t i = 0; i < pairs; i += HALF) {
      memcpy(first + i, x + 2 * i, HALF * sizeof *x);
      memcpy(last + i, x + 2 * i + HALF, HALF * sizeof *x);
    }
    for (ptrdiff_t v = 0; v < pairs; v += LANES)
#pragma omp simd
      for (ptrdiff_t i = v; i < v + LANES; i++) {
        const float radius = sqrtf(-2.0f * log_float(1.0f - first[i]));
        float sine, cosine;
        sincos_float(6.2831855f * last[i], &sine, &cosine);
        first[i] = radius * cosine * stdv + mean;
        last[i] = radius * sine * stdv + mean;
      }
    for (ptrdiff_t i = 0; i < pairs; i += HALF) {
      memcpy(x + 2 * i, first + i, HALF * sizeof *x);
      memcpy(x + 2 * i + HALF, last + i, HALF * sizeof *x);
    }
  }
}

static void normal_double(double *x, ptrdiff_t n, double mean, double stdv)
{
  for (ptrdiff_t b = 0; b < n; b += 16)
    for (int i = 0; i < 8; i++) {
      const double radius = sqrt(-2.0 * log_double(1.0 - x[b + i]));
      double sine, cosine;
      sincos_turns_double(x[b + i + 8], &sine, &cosine);
      x[b + i] = radius * cosine * stdv + mean;
      x[b + i + 8] = radius * sine * stdv + mean;
    }
}

static void normal_pairs(double *restrict x, const uint32_t *restrict pairs, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i += 2) {
    const double radius =
        sqrt(-2.0 * log_double(1.0 - number_of_pair(pairs + 2 * i + 2) * 0x1p-53));
    double sine, cosine;
    sincos_turns_double(number_of_pair(pairs + 2 * i) * 0x1p-53, &sine, &cosine);
    x[i] = radius * cosine;
    x[i + 1] = radius * sine;
  }
}

/* u = 0 counts as half a step, so that the result is finite. */
static void tangents(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                     double scale, double shift)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    const double k = number_of_pair(pairs + 2 * i), u = (k > 0.0 ? k : 0.5) * 0x1p-53;
    double sine, cosine;
    sincos_turns_double(0.5 * u - 0.25, &sine, &cosine);
    out[i] = sine / cosine * scale + shift;
  }
}

/* --- the table ------------------------------------------------------------------------------- */

const THRandomKernels TH_LEVEL_(THRandom_kernels)[] = {{
    .makeBlocks = make_blocks,
    .temper = temper,
    .remainders = remainders,
    .shrinkingRemainders = shrinking_remainders,
    .numbers = numbers,
    .below = below,
    .belowFloat = below_float,
    .logarithms = logarithms,
    .normalPairs = normal_pairs,
    .tangents = tangents,
    .uniformFloat = uniform_float,
    .uniformDouble = uniform_double,
    .normalFloat = normal_float,
    .normalDouble = normal_double,
}};
