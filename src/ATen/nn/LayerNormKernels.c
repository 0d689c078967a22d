/* The kernels of layerNorm.h.
 *
 * A line is read twice: for its sums and, from the L1 cache, for its result.  All levels of
 * instructions keep the sums in vectors of one width, so that their results differ as little as
 * possible. */
#include <math.h>

#include "layerNorm.h"

#include "THTemplate.h"

#include "TH/simd/THSimdLine.h"
#include "TH/simd/THSimdSums.h"

#define INLINE static inline __attribute__((always_inline))

enum { STREAMS = 4 };

/* The number of vectors that are summed in real before the sums are added in accreal. */
enum { BLOCK = 32 };

#ifdef TH_REAL_IS_FLOAT
typedef int32_t Bit;
static const accreal least = 1e-30, most = 1e30;
#else
typedef int64_t Bit;
static const accreal least = 1e-290, most = 1e290;
#endif
typedef Bit Bits __attribute__((vector_size(VECTOR)));

/* V with 0 in the lanes that KEEP does not select. */
#define KEPT(V, KEEP) ((Vector)((Bits)(V) & (KEEP)))

/* The distance in elements at which prefetch works: so many lines, but 0 for long lines, because
 * lines prefetched early would evict the current one from the L2 cache before it is read again. */
INLINE ptrdiff_t prefetch_distance(ptrdiff_t n, ptrdiff_t lines)
{
  enum { LONG = 65536 / sizeof(real) };
  return n > LONG ? 0 : lines * n;
}

/* Prefetches the element at that distance from x: it belongs to a line that is read next. */
INLINE void prefetch(const real *x, ptrdiff_t distance)
{
  __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)distance * sizeof *x));
}

/* The last vector of n elements, n >= LANES, overlaps the one before it; keep selects the lanes
 * that belong to the last one alone. */
INLINE void last_lanes(ptrdiff_t n, Bits *keep)
{
  for (int l = 0; l < LANES; l++)
    (*keep)[l] = l < LANES - (int)(n % LANES) ? 0 : -1;
}

INLINE void flush(Sums *totals, const Vector *v)
{
  real part[LANES];
  memcpy(part, v, sizeof part);
  for (int k = 0; k < LANES; k += SUMS) {
    Sums wide;
    load_sums(&wide, part + k);
    *totals += wide;
  }
}

INLINE accreal whole(const Sums *totals)
{
  accreal part[SUMS];
  memcpy(part, totals, sizeof part);
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

/* --- mean and variance ----------------------------------------------------------------------- */

/* Mean and variance of fewer than SUMS elements. */
static void moments_of_any(ptrdiff_t n, const real *x, accreal *mean, accreal *variance)
{
  accreal sum = 0, square = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    sum += (accreal)x[i];
  const accreal middle = sum / (accreal)n;
  for (ptrdiff_t i = 0; i < n; i++)
    square += ((accreal)x[i] - middle) * ((accreal)x[i] - middle);
  *mean = middle;
  *variance = square / (accreal)n;
}

/* Adds SUMS elements, or the squares of their distances from middle, in the lanes of keep. */
INLINE void add_widened(Sums *sum, const real *x, int squares, accreal middle, const SumBits *keep)
{
  Sums d;
  load_sums(&d, x);
  if (squares) {
    d -= middle;
    d *= d;
  }
  *sum += (Sums)((SumBits)d & *keep);
}

/* The mean of n elements, or of the squares of their distances from middle.  The last SUMS
 * elements may overlap those before them. */
INLINE accreal mean_of(ptrdiff_t n, const real *x, int squares, accreal middle)
{
  const SumBits all = ~(SumBits){0};
  Sums sum[2] = {0};
  ptrdiff_t i = 0;
  for (; i + 2 * SUMS <= n; i += 2 * SUMS) {
    add_widened(&sum[0], x + i, squares, middle, &all);
    add_widened(&sum[1], x + i + SUMS, squares, middle, &all);
  }
  if (i + SUMS <= n) {
    add_widened(&sum[0], x + i, squares, middle, &all);
    i += SUMS;
  }
  if (i < n) {
    SumBits last;
    for (int l = 0; l < SUMS; l++)
      last[l] = l < SUMS - (int)(n - i) ? 0 : -1;
    add_widened(&sum[1], x + n - SUMS, squares, middle, &last);
  }
  sum[0] += sum[1];
  return whole(&sum[0]) / (accreal)n;
}

/* The sums of x - guess, and of its squares. */
INLINE void sums_about(ptrdiff_t n, const real *x, real guess, accreal *sum, accreal *square)
{
  const ptrdiff_t full = n / LANES, rest = n % LANES;
  Sums sums = {0}, squares = {0};
  for (ptrdiff_t v = 0; v < full; v += STREAMS * BLOCK) {
    const ptrdiff_t end = THMin(full, v + STREAMS * BLOCK);
    Vector s[STREAMS] = {0}, q[STREAMS] = {0};
    ptrdiff_t i = v;
    for (; i + STREAMS <= end; i += STREAMS)
      for (int k = 0; k < STREAMS; k++) {
        const Vector d = LOAD(x + (i + k) * LANES) - guess;
        s[k] += d;
        q[k] += d * d;
      }
    for (; i < end; i++) {
      const Vector d = LOAD(x + i * LANES) - guess;
      s[0] += d;
      q[0] += d * d;
    }
    if (end == full && rest) {
      Bits keep;
      last_lanes(n, &keep);
      const Vector d = KEPT(LOAD(x + n - LANES) - guess, keep);
      s[1] += d;
      q[1] += d * d;
    }
    s[0] = (s[0] + s[1]) + (s[2] + s[3]);
    q[0] = (q[0] + q[1]) + (q[2] + q[3]);
    flush(&sums, &s[0]);
    flush(&squares, &q[0]);
  }
  *sum = whole(&sums);
  *square = whole(&squares);
}

/* Mean and variance by their definition, in two passes, of consecutive lines.  The passes go over
 * all lines, so that no line waits for the sums of the one before. */
static __attribute__((noinline)) void moments_of_lines(ptrdiff_t count, ptrdiff_t n, const real *x,
                                                       accreal *mean, accreal *variance)
{
  if (n < SUMS) {
    for (ptrdiff_t k = 0; k < count; k++)
      moments_of_any(n, x + k * n, mean + k, variance + k);
    return;
  }
  for (ptrdiff_t k = 0; k < count; k++)
    mean[k] = mean_of(n, x + k * n, 0, 0);
  for (ptrdiff_t k = 0; k < count; k++)
    variance[k] = mean_of(n, x + k * n, 1, mean[k]);
}

/* Mean and variance in one pass, from sums about a guess of the mean.  They are used if the guess
 * is so near to the mean that at most one bit cancels, and if no square overflows or underflows;
 * otherwise two passes follow. */
static void moments(ptrdiff_t n, const real *x, accreal eps, accreal *mean, accreal *variance)
{
  enum { SAMPLES = 8 };
  accreal sample[SAMPLES], sum, square;
  for (int k = 0; k < SAMPLES; k++)
    sample[k] = (accreal)x[n / SAMPLES * k];
  const real guess = (real)((((sample[0] + sample[1]) + (sample[2] + sample[3])) +
                             ((sample[4] + sample[5]) + (sample[6] + sample[7]))) /
                            SAMPLES);
  sums_about(n, x, guess, &sum, &square);
  const accreal count = (accreal)n, away = sum / count;
  if (2 * sum * away <= square && square < most && square + count * eps > count * least) {
    *mean = (accreal)guess + away;
    *variance = square / count - away * away;
  } else {
    moments_of_lines(1, n, x, mean, variance);
  }
}

/* --- forward --------------------------------------------------------------------------------- */

/* y = ((x - middle) * factor + shift) * w + b.  The mean, middle - shift / factor, may lie between
 * two numbers of type real where elements are large and close to each other. */
INLINE void scale(ptrdiff_t n, ptrdiff_t distance, const real *x, real middle, real factor,
                  real shift, const real *w, const real *b, real *y)
{
  if (n < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = ((x[i] - middle) * factor + shift) * w[i] + b[i];
    return;
  }
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const ptrdiff_t at = THMin(i, n - LANES);
    prefetch(x + at, distance);
    STORE(y + at, ((LOAD(x + at) - middle) * factor + shift) * LOAD(w + at) + LOAD(b + at));
  }
}

/* Lines are processed in groups that stay in the L1 cache: the processor folds the sums of one line
 * and takes its root while it adds up the next line.  All in elements, but GROUP in lines. */
enum { SHORT = 64, GROUP = 16, L1_BLOCK = 16384 / sizeof(real) };

static void forward(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t n = lines->n, group = THMax(1, THMin(L1_BLOCK / n, GROUP));
  const accreal eps = (accreal)lines->eps;
  for (ptrdiff_t line = begin; line < end; line += group) {
    const ptrdiff_t count = THMin(group, end - line);
    const real *x = (const real *)lines->x + line * n;
    real *y = (real *)lines->y + line * n;
    real *means = (real *)lines->mean + line, *rstds = (real *)lines->rstd + line;
    accreal mean[GROUP], rstd[GROUP];
    if (n <= SHORT)
      moments_of_lines(count, n, x, mean, rstd);
    else
      for (ptrdiff_t k = 0; k < count; k++)
        moments(n, x + k * n, eps, mean + k, rstd + k);
    for (ptrdiff_t k = 0; k < count; k++)
      rstd[k] = 1 / sqrt(rstd[k] + eps);
    for (ptrdiff_t k = 0; k < count; k++) {
      const real middle = (real)mean[k], factor = (real)rstd[k];
      scale(n, prefetch_distance(n, group), x + k * n, middle, factor,
            (real)(((accreal)middle - mean[k]) * rstd[k]), lines->weight, lines->bias, y + k * n);
      means[k] = middle;
      rstds[k] = factor;
    }
  }
}

/* --- backward -------------------------------------------------------------------------------- */

/* The number of lines whose sums are in registers at a time.  These lines, the ones prefetched next
 * and the results stay in the L1 cache. */
enum { LINE_UNROLL = 2 };

/* The sums over a line of h = g w and of h (x - mean). */
typedef struct {
  Sums sum[LINE_UNROLL], dot[LINE_UNROLL];
} Dots;

/* Adds one vector of each of count lines.  Bits of old select the lanes in which weights and biases
 * have been written before; the others are overwritten. */
INLINE void add(int count, ptrdiff_t n, const real *x, const real *g, const real *mean,
                const real *rstd, const real *w, const Bits *keep, const Bits *old, Vector *sum,
                Vector *dot, real *weights, real *biases)
{
  Vector weight = {0}, bias = {0};
  for (int k = 0; k < count; k++) {
    const Vector e = KEPT(LOAD(g + k * n), *keep), d = LOAD(x + k * n) - mean[k];
    const Vector h = KEPT(e * LOAD(w), *keep);
    sum[k] += h;
    dot[k] += KEPT(h * d, *keep);
    bias += e;
    weight += KEPT(e * (d * rstd[k]), *keep);
  }
  if (weights) {
    STORE(weights, KEPT(LOAD(weights), *old) + weight);
    STORE(biases, KEPT(LOAD(biases), *old) + bias);
  }
}

/* Adds count lines; the first ones overwrite weights and biases. */
INLINE void add_lines(int count, int first, ptrdiff_t n, const real *x, const real *g,
                      const real *mean, const real *rstd, const real *w, real *weights,
                      real *biases, Dots *dots)
{
  const Bits all = ~(Bits){0}, old = first ? ~all : all;
  const ptrdiff_t full = n / LANES;
  for (ptrdiff_t v = 0; v < full; v += BLOCK) {
    const ptrdiff_t end = THMin(full, v + BLOCK);
    Vector sum[LINE_UNROLL] = {0}, dot[LINE_UNROLL] = {0};
    for (ptrdiff_t i = v * LANES; i < end * LANES; i += LANES)
      add(count, n, x + i, g + i, mean, rstd, w + i, &all, &old, sum, dot,
          weights ? weights + i : NULL, biases ? biases + i : NULL);
    if (end == full && n % LANES) {
      const ptrdiff_t i = n - LANES;
      Bits keep;
      last_lanes(n, &keep);
      const Bits made = old | ~keep;
      add(count, n, x + i, g + i, mean, rstd, w + i, &keep, &made, sum, dot,
          weights ? weights + i : NULL, biases ? biases + i : NULL);
    }
    for (int k = 0; k < count; k++) {
      flush(&dots->sum[k], &sum[k]);
      flush(&dots->dot[k], &dot[k]);
    }
  }
}

/* Adds one line of fewer than LANES elements. */
static void add_short(ptrdiff_t n, const real *x, const real *g, real mean, real rstd,
                      const real *w, real *weights, real *biases, Dots *dots)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    const real d = x[i] - mean;
    dots->sum[0][0] += (accreal)g[i] * (accreal)w[i];
    dots->dot[0][0] += (accreal)g[i] * (accreal)w[i] * (accreal)d;
    if (weights) {
      weights[i] += g[i] * (d * rstd);
      biases[i] += g[i];
    }
  }
}

/* Gradients are computed in blocks of so many elements of each line, the last block first, because
 * the end of a long line is still in the cache. */
enum { GRADIENT_BLOCK = 8192 / sizeof(real) };

/* y = rstd (h - sum / n - (x - mean) rstd^2 dot / n) for the elements from begin to end.  rstd is
 * multiplied in one factor at a time, because its cube could overflow. */
INLINE void gradient(ptrdiff_t n, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t distance, const real *x,
                     const real *g, const real *w, real mean, real rstd, accreal sum, accreal dot,
                     real *y)
{
  const accreal factor = (accreal)rstd, each = factor / (accreal)n;
  const real slope = (real)(-each * (factor * dot)), shift = (real)(-each * sum);
  if (n < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = g[i] * w[i] * rstd + ((x[i] - mean) * rstd * slope + shift);
    return;
  }
  for (ptrdiff_t i = begin; i < end; i += LANES) {
    const ptrdiff_t at = THMin(i, n - LANES);
    prefetch(x + at, distance);
    prefetch(g + at, distance);
    STORE(y + at,
          LOAD(g + at) * LOAD(w + at) * rstd + ((LOAD(x + at) - mean) * rstd * slope + shift));
  }
}

static void backward(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end,
                     void *weights, void *biases)
{
  const ptrdiff_t n = lines->n;
  if (weights && n < LANES) {
    memset(weights, 0, (size_t)n * sizeof(real));
    memset(biases, 0, (size_t)n * sizeof(real));
  }
  for (ptrdiff_t line = begin; line < end;) {
    const real *x = (const real *)lines->x + line * n, *g = (const real *)lines->g + line * n;
    const real *mean = (const real *)lines->mean + line, *rstd = (const real *)lines->rstd + line;
    const int count = n >= LANES && end - line >= LINE_UNROLL ? LINE_UNROLL : 1;
    Dots dots = {0};
    if (count == LINE_UNROLL)
      add_lines(LINE_UNROLL, line == begin, n, x, g, mean, rstd, lines->weight, weights, biases,
                &dots);
    else if (n >= LANES)
      add_lines(1, line == begin, n, x, g, mean, rstd, lines->weight, weights, biases, &dots);
    else
      add_short(n, x, g, *mean, *rstd, lines->weight, weights, biases, &dots);
    for (ptrdiff_t from = (n - 1) / GRADIENT_BLOCK * GRADIENT_BLOCK; from >= 0 && lines->y;
         from -= GRADIENT_BLOCK)
      for (int k = 0; k < count; k++)
        gradient(n, from, THMin(n, from + GRADIENT_BLOCK), prefetch_distance(n, LINE_UNROLL),
                 x + k * n, g + k * n, lines->weight, mean[k], rstd[k], whole(&dots.sum[k]),
                 whole(&dots.dot[k]), (real *)lines->y + (line + k) * n);
    line += count;
  }
}

const at_layer_norm_kernels TH_LEVEL_(TH_CONCAT_2(at_layerNorm, Real))[] = {{forward, backward}};
