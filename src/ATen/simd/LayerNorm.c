/* The kernels of layerNorm.h.
 *
 * A line is read for its sums and, out of the first cache, for its result.  Sums are kept in
 * vectors of one width, so that levels differ as little as they can. */
#include <math.h>

#include "layerNorm.h"

#include "THTemplate.h"

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 64, LANES = VECTOR / sizeof(real), STREAMS = 4 };

/* Vectors whose elements are summed up in their own type, before those sums are in accreal. */
enum { BLOCK = 32 };

#ifdef TH_REAL_IS_FLOAT
typedef int32_t Bit;
static const accreal least = 1e-30, most = 1e30;
#else
typedef int64_t Bit;
static const accreal least = 1e-290, most = 1e290;
#endif
typedef real Vector __attribute__((vector_size(VECTOR)));
typedef Bit Bits __attribute__((vector_size(VECTOR)));

/* Vectors anywhere, without functions, whose way to return vectors depends on the level. */
typedef real Loose __attribute__((vector_size(VECTOR), aligned(sizeof(real)), may_alias));
#define LOAD(X)     (*(const Loose *)(X))
#define STORE(X, V) (*(Loose *)(X) = (V))

/* V, with 0 where bits of KEEP are not set. */
#define KEPT(V, KEEP) ((Vector)((Bits)(V) & (KEEP)))

/* Asks for what lies so many elements later: lines that are read next. */
INLINE void fetch(const real *x, ptrdiff_t later)
{
  __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)later * sizeof *x));
}

/* The lanes of the last vector of n elements that are not in the one before it, which it overlaps;
 * n is LANES at least. */
INLINE void last_lanes(ptrdiff_t n, Bits *keep)
{
  for (int l = 0; l < LANES; l++)
    (*keep)[l] = l < LANES - (int)(n % LANES) ? 0 : -1;
}

INLINE void flush(accreal *totals, const Vector *v)
{
  real part[LANES];
  memcpy(part, v, sizeof part);
  for (int l = 0; l < LANES; l++)
    totals[l] += (accreal)part[l];
}

INLINE accreal whole(const accreal *totals)
{
  accreal half[LANES / 2], sum = 0;
  for (int l = 0; l < LANES / 2; l++)
    half[l] = totals[l] + totals[l + LANES / 2];
  for (int l = 0; l < LANES / 4; l++)
    sum += half[l] + half[l + LANES / 4];
  return sum;
}

/* --- mean and variance ----------------------------------------------------------------------- */

/* As they are defined. */
static void moments_of_any(ptrdiff_t n, const real *x, accreal *mean, accreal *variance)
{
  accreal sum = 0, square = 0;
#pragma omp simd reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; i++)
    sum += (accreal)x[i];
  const accreal middle = sum / (accreal)n;
#pragma omp simd reduction(+ : square)
  for (ptrdiff_t i = 0; i < n; i++)
    square += ((accreal)x[i] - middle) * ((accreal)x[i] - middle);
  *mean = middle;
  *variance = square / (accreal)n;
}

/* The sums of x - guess, and of its squares. */
INLINE void sums_about(ptrdiff_t n, const real *x, real guess, accreal *sum, accreal *square)
{
  const ptrdiff_t full = n / LANES, rest = n % LANES;
  accreal sums[LANES] = {0}, squares[LANES] = {0};
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
    flush(sums, &s[0]);
    flush(squares, &q[0]);
  }
  *sum = whole(sums);
  *square = whole(squares);
}

/* The sums about a guess in one pass, if the guess is nearer to the mean than most elements are, so
 * that at most one bit cancels, and if no square is too large or too small for its type. */
static void moments(ptrdiff_t n, const real *x, accreal eps, accreal *mean, accreal *variance)
{
  enum { SOME = 8 };
  if (n >= LANES) {
    accreal some[SOME], sum, square;
    for (int k = 0; k < SOME; k++)
      some[k] = (accreal)x[n / SOME * k];
    const real guess = (real)((((some[0] + some[1]) + (some[2] + some[3])) +
                               ((some[4] + some[5]) + (some[6] + some[7]))) /
                              SOME);
    sums_about(n, x, guess, &sum, &square);
    const accreal count = (accreal)n, away = sum / count;
    if (2 * sum * away <= square && square < most && square + count * eps > count * least) {
      *mean = (accreal)guess + away;
      *variance = square / count - away * away;
      return;
    }
  }
  moments_of_any(n, x, mean, variance);
}

/* --- forward --------------------------------------------------------------------------------- */

/* The mean is middle - shift / factor: where elements are large beside their distances, it is no
 * number of their type. */
INLINE void scale(ptrdiff_t n, const real *x, real middle, real factor, real shift, const real *w,
                  const real *b, real *y)
{
  if (n < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = ((x[i] - middle) * factor + shift) * w[i] + b[i];
    return;
  }
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const ptrdiff_t at = THMin(i, n - LANES);
    fetch(x + at, n);
    STORE(y + at, ((LOAD(x + at) - middle) * factor + shift) * LOAD(w + at) + LOAD(b + at));
  }
}

static void forward(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t n = lines->n;
  for (ptrdiff_t k = begin; k < end; k++) {
    const real *x = (const real *)lines->x + k * n;
    accreal mean, variance;
    moments(n, x, (accreal)lines->eps, &mean, &variance);
    const accreal rstd = 1 / sqrt(variance + (accreal)lines->eps);
    const real middle = (real)mean;
    scale(n, x, middle, (real)rstd, (real)(((accreal)middle - mean) * rstd), lines->weight,
          lines->bias, (real *)lines->y + k * n);
    ((real *)lines->mean)[k] = middle;
    ((real *)lines->rstd)[k] = (real)rstd;
  }
}

/* --- backward -------------------------------------------------------------------------------- */

enum { TOGETHER = 4 }; /* lines that are summed up over in registers, and stay in the first cache */

/* What is summed up over a line: h = g w, and h (x - mean). */
typedef struct {
  accreal sum[TOGETHER][LANES], dot[TOGETHER][LANES];
} Dots;

/* One vector of count lines. */
INLINE void add(int count, ptrdiff_t n, const real *x, const real *g, const real *mean,
                const real *rstd, const real *w, const Bits *keep, Vector *sum, Vector *dot,
                real *weights, real *biases)
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
    STORE(weights, LOAD(weights) + weight);
    STORE(biases, LOAD(biases) + bias);
  }
}

INLINE void add_lines(int count, ptrdiff_t n, const real *x, const real *g, const real *mean,
                      const real *rstd, const real *w, real *weights, real *biases, Dots *dots)
{
  const Bits all = ~(Bits){0};
  const ptrdiff_t full = n / LANES;
  for (ptrdiff_t v = 0; v < full; v += BLOCK) {
    const ptrdiff_t end = THMin(full, v + BLOCK);
    Vector sum[TOGETHER] = {0}, dot[TOGETHER] = {0};
    for (ptrdiff_t i = v * LANES; i < end * LANES; i += LANES)
      add(count, n, x + i, g + i, mean, rstd, w + i, &all, sum, dot, weights ? weights + i : NULL,
          biases ? biases + i : NULL);
    if (end == full && n % LANES) {
      const ptrdiff_t i = n - LANES;
      Bits keep;
      last_lanes(n, &keep);
      add(count, n, x + i, g + i, mean, rstd, w + i, &keep, sum, dot, weights ? weights + i : NULL,
          biases ? biases + i : NULL);
    }
    for (int k = 0; k < count; k++) {
      flush(dots->sum[k], &sum[k]);
      flush(dots->dot[k], &dot[k]);
    }
  }
}

/* The same of one line of few elements. */
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

/* rstd (h - sum / n - (x - mean) rstd^2 dot / n), whose cube of rstd might be too large. */
INLINE void gradient(ptrdiff_t n, const real *x, const real *g, const real *w, real mean, real rstd,
                     accreal sum, accreal dot, real *y)
{
  const accreal factor = (accreal)rstd, each = factor / (accreal)n;
  const real slope = (real)(-each * (factor * dot)), shift = (real)(-each * sum);
  if (n < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = g[i] * w[i] * rstd + ((x[i] - mean) * rstd * slope + shift);
    return;
  }
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const ptrdiff_t at = THMin(i, n - LANES);
    fetch(x + at, TOGETHER * n);
    fetch(g + at, TOGETHER * n);
    STORE(y + at,
          LOAD(g + at) * LOAD(w + at) * rstd + ((LOAD(x + at) - mean) * rstd * slope + shift));
  }
}

static void backward(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end,
                     void *weights, void *biases)
{
  const ptrdiff_t n = lines->n;
  if (weights) {
    memset(weights, 0, (size_t)n * sizeof(real));
    memset(biases, 0, (size_t)n * sizeof(real));
  }
  for (ptrdiff_t line = begin; line < end;) {
    const real *x = (const real *)lines->x + line * n, *g = (const real *)lines->g + line * n;
    const real *mean = (const real *)lines->mean + line, *rstd = (const real *)lines->rstd + line;
    const int count = n >= LANES && end - line >= TOGETHER ? TOGETHER : 1;
    Dots dots = {0};
    if (count == TOGETHER)
      add_lines(TOGETHER, n, x, g, mean, rstd, lines->weight, weights, biases, &dots);
    else if (n >= LANES)
      add_lines(1, n, x, g, mean, rstd, lines->weight, weights, biases, &dots);
    else
      add_short(n, x, g, *mean, *rstd, lines->weight, weights, biases, &dots);
    for (int k = 0; k < count && lines->y; k++)
      gradient(n, x + k * n, g + k * n, lines->weight, mean[k], rstd[k], whole(dots.sum[k]),
               whole(dots.dot[k]), (real *)lines->y + (line + k) * n);
    line += count;
  }
}

const at_layer_norm_kernels TH_LEVEL_(TH_CONCAT_2(at_layerNorm, Real))[] = {{forward, backward}};
