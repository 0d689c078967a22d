/* The Mersenne Twister, and what becomes of its words, block by block. */
#include "THRandomKernels.h"

#include "THRandomMath.h"

/* --- words -------------------------------------------------------------------------------- */

enum { N = _MERSENNE_STATE_N, M = _MERSENNE_STATE_M };

static inline uint32_t twist_word(uint32_t high, uint32_t low, uint32_t far)
{
  const uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ (-(low & 1u) & 0x9908b0dfu);
}

/* Each loop reads words of t no nearer than N - M = 227 behind the one it writes: vectors fit
 * between. */
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

/* Each block is made from the one before, where that lies in out. */
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

/* --- from words to numbers ------------------------------------------------------------------ */

/* The low 53 bits of a pair, exactly: its first word is the upper half. */
static inline double low_53_bits(const uint32_t *pair)
{
  return (double)(int32_t)(pair[0] & 0x1fffffu) * 0x1p32 + (double)pair[1];
}

/* The quotient comes from a product of doubles, which is too large by one at most where the
 * division leaves nothing or almost nothing, and too small by one where it leaves almost
 * everything. */
static void remainders(uint32_t *words, ptrdiff_t n, uint32_t divisor)
{
  const double inverse = 1.0 / divisor;
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint32_t quotient = (uint32_t)(int64_t)((double)words[i] * inverse);
    const int64_t rest = (int64_t)words[i] - (int64_t)((uint64_t)quotient * divisor);
    words[i] = (uint32_t)(rest < 0 ? rest + divisor : rest >= divisor ? rest - divisor : rest);
  }
}

static void below(uint8_t *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                  uint64_t threshold)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint64_t k = (uint64_t)(pairs[2 * i] & 0x1fffffu) << 32 | pairs[2 * i + 1];
    out[i] = k < threshold;
  }
}

static void uniform_float(float *restrict out, const uint32_t *restrict words, ptrdiff_t n, float a,
                          float b)
{
  const float width = b - a;
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (float)(int32_t)(words[i] & 0xffffffu) * 0x1p-24f * width + a;
}

static void uniform_double(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                           double a, double b)
{
  const double width = b - a;
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = low_53_bits(pairs + 2 * i) * 0x1p-53 * width + a;
}

static void logarithms(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                       double scale, int fromOne)
{
  if (fromOne)
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = scale * log_double(1.0 - low_53_bits(pairs + 2 * i) * 0x1p-53);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = scale * log_double(low_53_bits(pairs + 2 * i) * 0x1p-53);
}

/* Box and Muller: the radius from the first eight numbers of each block, the angle from the other
 * eight.  Some blocks at a time, whose number is a constant, fill the widest vectors. */
static inline __attribute__((always_inline)) void normal_blocks(float *x, int blocks, float mean,
                                                                float stdv)
{
  enum { HALF = 8, MOST = 4 * HALF };
  float first[MOST], last[MOST];
  for (int b = 0; b < blocks; b++) {
    memcpy(first + b * HALF, x + 2 * b * HALF, HALF * sizeof *x);
    memcpy(last + b * HALF, x + (2 * b + 1) * HALF, HALF * sizeof *x);
  }
#pragma omp simd
  for (int i = 0; i < blocks * HALF; i++) {
    const float radius = sqrtf(-2.0f * log_float(1.0f - first[i]));
    float sine, cosine;
    sincos_float(6.2831855f * last[i], &sine, &cosine);
    first[i] = radius * cosine * stdv + mean;
    last[i] = radius * sine * stdv + mean;
  }
  for (int b = 0; b < blocks; b++) {
    memcpy(x + 2 * b * HALF, first + b * HALF, HALF * sizeof *x);
    memcpy(x + (2 * b + 1) * HALF, last + b * HALF, HALF * sizeof *x);
  }
}

static void normal_float(float *x, ptrdiff_t n, float mean, float stdv)
{
  ptrdiff_t i = 0;
  for (; i + 4 * 16 <= n; i += 4 * 16)
    normal_blocks(x + i, 4, mean, stdv);
  for (; i < n; i += 16)
    normal_blocks(x + i, 1, mean, stdv);
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
    const double radius = sqrt(-2.0 * log_double(1.0 - low_53_bits(pairs + 2 * i + 2) * 0x1p-53));
    double sine, cosine;
    sincos_turns_double(low_53_bits(pairs + 2 * i) * 0x1p-53, &sine, &cosine);
    x[i] = radius * cosine;
    x[i + 1] = radius * sine;
  }
}

/* u = 0 counts as half a step, so that the result is finite. */
static void tangents(double *restrict out, const uint32_t *restrict pairs, ptrdiff_t n,
                     double scale, double shift)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    const double k = low_53_bits(pairs + 2 * i), u = (k > 0.0 ? k : 0.5) * 0x1p-53;
    double sine, cosine;
    sincos_turns_double(0.5 * u - 0.25, &sine, &cosine);
    out[i] = sine / cosine * scale + shift;
  }
}

/* --- the table ---------------------------------------------------------------------------- */

const THRandomKernels TH_LEVEL_(THRandom_kernels)[] = {{
    .makeBlocks = make_blocks,
    .temper = temper,
    .remainders = remainders,
    .below = below,
    .logarithms = logarithms,
    .normalPairs = normal_pairs,
    .tangents = tangents,
    .uniformFloat = uniform_float,
    .uniformDouble = uniform_double,
    .normalFloat = normal_float,
    .normalDouble = normal_double,
}};
