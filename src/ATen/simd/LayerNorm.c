/* The kernels of layerNorm.h.
 *
 * A line is read for its sums and, out of the first cache, for its result.  Sums are kept in
 * vectors of one width, so that levels differ as little as they can. */
#include <math.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

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

/* As many elements as are widened to accreal together. */
enum { FEW = 8 };
typedef real Few __attribute__((vector_size(FEW * sizeof(real))));
typedef accreal Sums __attribute__((vector_size(FEW * sizeof(accreal))));
typedef int64_t SumBits __attribute__((vector_size(FEW * sizeof(int64_t))));

/* V, with 0 where bits of KEEP are not set. */
#define KEPT(V, KEEP) ((Vector)((Bits)(V) & (KEEP)))

/* How far the line is that comes so many lines later, for fetch: itself, of long lines, since those
 * to come would drive what is wanted again out of the second cache. */
INLINE ptrdiff_t ahead(ptrdiff_t n, ptrdiff_t lines)
{
  enum { LONG = 65536 / sizeof(real) };
  return n > LONG ? 0 : lines * n;
}

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

/* FEW elements, as accreal. */
INLINE void widen(Sums *to, const real *x)
{
#if defined(TH_REAL_IS_FLOAT) && defined(__AVX512F__)
  *to = (Sums)_mm512_cvtps_pd(_mm256_loadu_ps(x)); /* of which compilers make two halves */
#else
  Few v;
  memcpy(&v, x, sizeof v);
  *to = __builtin_convertvector(v, Sums);
#endif
}

INLINE void flush(Sums *totals, const Vector *v)
{
  real part[LANES];
  memcpy(part, v, sizeof part);
  for (int k = 0; k < LANES; k += FEW) {
    Sums few;
    widen(&few, part + k);
    *totals += few;
  }
}

INLINE accreal whole(const Sums *totals)
{
  accreal part[FEW];
  memcpy(part, totals, sizeof part);
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

/* --- mean and variance ----------------------------------------------------------------------- */

/* Of less than FEW elements. */
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

/* What is added up of FEW elements that are kept: they, or squares of their distances. */
INLINE void add_few(Sums *sum, const real *x, int squares, accreal middle, const SumBits *keep)
{
  Sums d;
  widen(&d, x);
  if (squares) {
    d -= middle;
    d *= d;
  }
  *sum += (Sums)((SumBits)d & *keep);
}

/* Their sum over n; the last FEW may overlap those before them. */
INLINE accreal mean_of(ptrdiff_t n, const real *x, int squares, accreal middle)
{
  const SumBits all = ~(SumBits){0};
  Sums sum[2] = {0};
  ptrdiff_t i = 0;
  for (; i + 2 * FEW <= n; i += 2 * FEW) {
    add_few(&sum[0], x + i, squares, middle, &all);
    add_few(&sum[1], x + i + FEW, squares, middle, &all);
  }
  if (i + FEW <= n) {
    add_few(&sum[0], x + i, squares, middle, &all);
    i += FEW;
  }
  if (i < n) {
    SumBits last;
    for (int l = 0; l < FEW; l++)
      last[l] = l < FEW - (int)(n - i) ? 0 : -1;
    add_few(&sum[1], x + n - FEW, squares, middle, &last);
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

/* As they are defined, in two passes, of lines that follow each other: none of these waits for the
 * sums of the one before. */
static __attribute__((noinline)) void moments_of_lines(ptrdiff_t count, ptrdiff_t n, const real *x,
                                                       accreal *mean, accreal *variance)
{
  if (n < FEW) {
    for (ptrdiff_t k = 0; k < count; k++)
      moments_of_any(n, x + k * n, mean + k, variance + k);
    return;
  }
  for (ptrdiff_t k = 0; k < count; k++)
    mean[k] = mean_of(n, x + k * n, 0, 0);
  for (ptrdiff_t k = 0; k < count; k++)
    variance[k] = mean_of(n, x + k * n, 1, mean[k]);
}

/* The sums about a guess in one pass, if the guess is nearer to the mean than most elements are, so
 * that at most one bit cancels, and if no square is too large or too small for its type. */
static void moments(ptrdiff_t n, const real *x, accreal eps, accreal *mean, accreal *variance)
{
  enum { SOME = 8 };
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
  } else {
    moments_of_lines(1, n, x, mean, variance);
  }
}

/* --- forward --------------------------------------------------------------------------------- */

/* The mean is middle - shift / factor: where elements are large beside their distances, it is no
 * number of their type. */
INLINE void scale(ptrdiff_t n, ptrdiff_t later, const real *x, real middle, real factor, real shift,
                  const real *w, const real *b, real *y)
{
  if (n < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = ((x[i] - middle) * factor + shift) * w[i] + b[i];
    return;
  }
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const ptrdiff_t at = THMin(i, n - LANES);
    fetch(x + at, later);
    STORE(y + at, ((LOAD(x + at) - middle) * factor + shift) * LOAD(w + at) + LOAD(b + at));
  }
}

/* Lines are taken together, as many as stay in the first cache: the sums of one are folded, and its
 * root is taken, while those of the next are added up. */
enum { SHORT = 64, GROUP = 16, NEAR = 16384 / sizeof(real) };

static void forward(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t n = lines->n, group = THMax(1, THMin(NEAR / n, GROUP));
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
      scale(n, ahead(n, group), x + k * n, middle, factor,
            (real)(((accreal)middle - mean[k]) * rstd[k]), lines->weight, lines->bias, y + k * n);
      means[k] = middle;
      rstds[k] = factor;
    }
  }
}

/* --- backward -------------------------------------------------------------------------------- */

/* Lines that are summed up over in registers; they, those that are fetched next and what is written
 * stay in the first cache. */
enum { TOGETHER = 2 };

/* What is summed up over a line: h = g w, and h (x - mean). */
typedef struct {
  Sums sum[TOGETHER], dot[TOGETHER];
} Dots;

/* One vector of count lines; where bits of old are set, there are weights and biases to add to. */
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

/* The first lines make weights and biases. */
INLINE void add_lines(int count, int first, ptrdiff_t n, const real *x, const real *g,
                      const real *mean, const real *rstd, const real *w, real *weights,
                      real *biases, Dots *dots)
{
  const Bits all = ~(Bits){0}, old = first ? ~all : all;
  const ptrdiff_t full = n / LANES;
  for (ptrdiff_t v = 0; v < full; v += BLOCK) {
    const ptrdiff_t end = THMin(full, v + BLOCK);
    Vector sum[TOGETHER] = {0}, dot[TOGETHER] = {0};
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

/* Elements of lines whose gradients are computed in turn, the last ones first: of long lines these
 * are still in the caches. */
enum { PIECE = 8192 / sizeof(real) };

/* rstd (h - sum / n - (x - mean) rstd^2 dot / n), whose cube of rstd might be too large; of the
 * elements from begin to end. */
INLINE void gradient(ptrdiff_t n, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t later, const real *x,
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
    fetch(x + at, later);
    fetch(g + at, later);
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
    const int count = n >= LANES && end - line >= TOGETHER ? TOGETHER : 1;
    Dots dots = {0};
    if (count == TOGETHER)
      add_lines(TOGETHER, line == begin, n, x, g, mean, rstd, lines->weight, weights, biases,
                &dots);
    else if (n >= LANES)
      add_lines(1, line == begin, n, x, g, mean, rstd, lines->weight, weights, biases, &dots);
    else
      add_short(n, x, g, *mean, *rstd, lines->weight, weights, biases, &dots);
    for (ptrdiff_t from = (n - 1) / PIECE * PIECE; from >= 0 && lines->y; from -= PIECE)
      for (int k = 0; k < count; k++)
        gradient(n, from, THMin(n, from + PIECE), ahead(n, TOGETHER), x + k * n, g + k * n,
                 lines->weight, mean[k], rstd[k], whole(&dots.sum[k]), whole(&dots.dot[k]),
                 (real *)lines->y + (line + k) * n);
    line += count;
  }
}

const at_layer_norm_kernels TH_LEVEL_(TH_CONCAT_2(at_layerNorm, Real))[] = {{forward, backward}};
