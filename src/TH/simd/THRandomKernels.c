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

/* Each loop reads words no nearer than N - M = 227 behind the one it writes: vectors fit between.
 */
static inline void twist(uint32_t *s)
{
  for (int i = 0; i < N - M; i++)
    s[i] = twist_word(s[i], s[i + 1], s[i + M]);
  for (int i = N - M; i < N - 1; i++)
    s[i] = twist_word(s[i], s[i + 1], s[i - (N - M)]);
  s[N - 1] = twist_word(s[N - 1], s[0], s[M - 1]);
}

static inline uint32_t temper_word(uint32_t y)
{
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static void make_blocks(uint64_t *state, uint32_t *restrict out, ptrdiff_t count)
{
  uint32_t s[N];
  for (int i = 0; i < N; i++)
    s[i] = (uint32_t)state[i];
  for (ptrdiff_t b = 0; b < count; b++) {
    twist(s);
    if (out)
      for (int i = 0; i < N; i++)
        out[b * N + i] = temper_word(s[i]);
  }
  for (int i = 0; i < N; i++)
    state[i] = s[i];
}

static void temper(uint32_t *restrict out, const uint64_t *restrict state, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = temper_word((uint32_t)state[i]);
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

/* Box and Muller: the radius from the first eight numbers, the angle from the other eight. */
static void normal_float(float *x, ptrdiff_t n, float mean, float stdv)
{
  for (ptrdiff_t b = 0; b < n; b += 16)
    for (int i = 0; i < 8; i++) {
      const float radius = sqrtf(-2.0f * log_float(1.0f - x[b + i]));
      float sine, cosine;
      sincos_float(6.2831855f * x[b + i + 8], &sine, &cosine);
      x[b + i] = radius * cosine * stdv + mean;
      x[b + i + 8] = radius * sine * stdv + mean;
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
