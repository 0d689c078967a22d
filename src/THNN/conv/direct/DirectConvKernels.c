/* Kernels of the algorithms direct and scatter: sums of shifted planes in registers. */
#include "THNN/layer/Template.h"

#include "TH/simd/THSimdReal.h"
#include "THNN/conv/Activation.h"

/* Vectors of a strip for blocks of six, of three or four, and of one output: the sums fit the
 * registers. */
#if TH_VECTOR == 64
enum { VECTORS_OF_SIX = 4, VECTORS_OF_FOUR = 6, VECTORS_OF_ONE = 8 };
#else
enum { VECTORS_OF_SIX = 2, VECTORS_OF_FOUR = 3, VECTORS_OF_ONE = 8 };
#endif
enum {
  MOST_VECTORS = VECTORS_OF_ONE, /* vectors of a strip, at most */
  OUTPUTS = THNN_DIRECT_OUTPUTS,
  TAPS = THNN_DIRECT_TERMS,
  WINDOW = 9,         /* terms of a register tile of correlate, for a single output */
  LINE = 64,          /* bytes of a cache line */
  BETWEEN = 8,        /* terms from one prefetch of the next strip to the next prefetch */
  PREFETCH_TERMS = 12 /* the prefetch distance in terms of the current strip */
};

/* --- forward --------------------------------------------------------------------------------- */

/* What to prefetch of the next strip of planes, term by term, while the current strip is computed.
 * Few lines are prefetched at a time: a core has some sixteen line fill buffers, and reads from the
 * L2 cache need them too. */
typedef struct {
  const real *x;
  ptrdiff_t term, line;   /* the next line to prefetch: a line of a term's part of the strip */
  ptrdiff_t lines;        /* lines of a term */
  ptrdiff_t linesPerTerm; /* lines that each prefetch, after BETWEEN terms, takes */
  int isLong;             /* the terms of a strip do not fit in the L1 cache */
} Ahead;

/* Plans the prefetches of count positions from x on, divided among the blocks of outputs. */
static Ahead ahead_of(const THNNDirect *d, const real *x, ptrdiff_t count, ptrdiff_t blocks)
{
  enum { LINE_ELEMENTS = LINE / sizeof(real), LONG = 24 * 1024 / LINE };
  const ptrdiff_t lines = (THMax(count, 0) + LINE_ELEMENTS - 1) / LINE_ELEMENTS;
  const ptrdiff_t times = THMax(1, blocks * ((d->terms + BETWEEN - 1) / BETWEEN));
  const ptrdiff_t all = d->terms * lines, linesPerTerm = (all + times - 1) / times;
  return (Ahead){x, lines > 0 ? 0 : d->terms, 0, lines, THMin(linesPerTerm, BETWEEN), all > LONG};
}

static inline void fetch_some(const THNNDirect *d, Ahead *ahead)
{
  for (ptrdiff_t i = 0; i < ahead->linesPerTerm && ahead->term < d->terms; i++) {
    const real *const x = ahead->x + d->offset[ahead->term];
    const char *const at = (const char *)x + ahead->line * LINE;
    if (ahead->isLong)
      __builtin_prefetch(at, 0, 2);
    else
      __builtin_prefetch(at);
    if (++ahead->line == ahead->lines) {
      ahead->line = 0;
      ahead->term++;
    }
  }
}

/* to[o][i] = bias[o] (NULL: 0) + the sum of output o at position i of a strip of `width` vectors, which goes
 * through the activation unless that is NULL; outputs are outputStride apart.  With each term, lines of
 * a later term are prefetched, and if ahead is not NULL some of its lines. */
static inline __attribute__((always_inline)) void
strip(const THNNDirect *d, const real *x, Ahead *ahead, const real *w, const real *bias,
      const THNNActivation *activation, real *to, ptrdiff_t outputStride, int outputs, int width)
{
  Vector sum[OUTPUTS][MOST_VECTORS];
  for (int o = 0; o < outputs; o++)
    for (int k = 0; k < width; k++)
      sum[o][k] = (Vector){0};
  for (int o = 0; ahead && o < outputs; o++)
    for (int k = 0; k < width * VECTOR; k += LINE)
      __builtin_prefetch((const char *)(to + o * outputStride) + k, 1);
  for (ptrdiff_t l = 0; l < d->terms; l++, w += outputs) {
    if (ahead && l % BETWEEN == 0)
      fetch_some(d, ahead);
    const real *at = x + d->offset[l];
    const char *later =
        (const char *)(x + d->offset[l + PREFETCH_TERMS < d->terms ? l + PREFETCH_TERMS : l]);
    for (int k = 0; k < width * VECTOR; k += LINE)
      __builtin_prefetch(later + k);
    Vector v[MOST_VECTORS];
    for (int k = 0; k < width; k++)
      v[k] = load(at + k * LANES);
    for (int o = 0; o < outputs; o++) {
      const Vector factor = w[o] - (Vector){0};
      for (int k = 0; k < width; k++)
        sum[o][k] = Vector_(mulAdd)(v[k], factor, sum[o][k]);
    }
  }
  for (int o = 0; o < outputs;
       o++) /* one output at a time: gcc would copy all sums twice otherwise */
    for (int k = 0; k < width; k++) {
      if (bias)
        sum[o][k] += bias[o];
      sum[o][k] = activated(activation, sum[o][k]);
      memcpy(to + o * outputStride + k * LANES, &sum[o][k], sizeof(Vector));
    }
}

typedef real HalfVector __attribute__((vector_size(VECTOR / 2)));
#if TH_VECTOR >= 32
typedef real QuarterVector __attribute__((vector_size(VECTOR / 4)));
#else
typedef HalfVector QuarterVector;
#endif
typedef real OneElement;
#define COUNT(TYPE) ((ptrdiff_t)(sizeof(TYPE) / sizeof(real)))

#define Part Vector
#include "DirectConvPart.h"
#define Part HalfVector
#include "DirectConvPart.h"
#if TH_VECTOR >= 32
#define Part QuarterVector
#include "DirectConvPart.h"
#else
#define write_QuarterVector write_HalfVector
#define add_QuarterVector   add_HalfVector
#endif
#define Part OneElement
#include "DirectConvPart.h"

static inline void write_row(const real *x, ptrdiff_t n, real *y)
{
  if (n >= COUNT(Vector)) {
    write_Vector(x, n, y);
  } else if (n >= COUNT(HalfVector)) {
    write_HalfVector(x, n, y);
  } else if (n >= COUNT(QuarterVector)) {
    write_QuarterVector(x, n, y);
  } else {
    write_OneElement(x, n, y);
  }
}

/* Writes the positions [first, end) of a strip's results to one output plane y, without the gaps between
 * rows. */
static inline void write_strip(const THNNDirect *d, const real *tile, ptrdiff_t first,
                               ptrdiff_t end, real *y)
{
  for (ptrdiff_t row = first / d->pitch; row * d->pitch < end; row++) {
    const ptrdiff_t t = row / d->rows, i = row % d->rows;
    if (i >= d->count[1])
      continue;
    const ptrdiff_t from = THMax(first - row * d->pitch, 0);
    const ptrdiff_t to = THMin(end - row * d->pitch, d->count[2]);
    const real *sums = tile + row * d->pitch - first;
    real *at = y + t * d->step[0] + i * d->step[1];
    if (d->step[2] == 1)
      write_row(sums + from, to - from, at + from);
    else
      for (ptrdiff_t j = from; j < to; j++)
        at[j * d->step[2]] = sums[j];
  }
}

static inline __attribute__((always_inline)) void all_strips(const THNNDirect *d, const real *x,
                                                             const real *weights, const real *bias,
                                                             const THNNActivation *activation,
                                                             real *y, int outputs, int width)
{
  const ptrdiff_t count = width * LANES;
  static const real none[OUTPUTS] = {0};
  const int isOneRow = d->count[0] == 1 && d->count[1] == 1 && d->step[2] == 1;
  const ptrdiff_t blocks = (d->outputs + outputs - 1) / outputs;
  for (ptrdiff_t begin = 0; begin < d->length; begin += count) {
    /* The last strip ends with the image if it can, so that nothing after the image is read. */
    const ptrdiff_t first = THMin(begin, THMax(d->length - count, 0));
    const ptrdiff_t next = first + count, left = THMin(d->length - next, count);
    Ahead ahead = ahead_of(d, x + next, left, blocks);
    for (ptrdiff_t o = 0; o < d->outputs; o += outputs) {
      real tile[OUTPUTS * MOST_VECTORS * LANES], own[OUTPUTS];
      if (isOneRow && o + outputs <= d->outputs && first + count <= d->length) {
        strip(d, x + first, &ahead, weights + o * d->terms, bias ? bias + o : none, activation,
              y + o * d->plane + first, d->plane, outputs, width);
        continue;
      }
      for (ptrdiff_t k = 0; k < outputs; k++)
        own[k] = bias && o + k < d->outputs ? bias[o + k] : 0;
      strip(d, x + first, NULL, weights + o * d->terms, own, activation, tile, count, outputs,
            width);
      for (ptrdiff_t k = o; k < THMin(o + outputs, d->outputs); k++)
        write_strip(d, tile + (k - o) * count, first, THMin(first + count, d->length),
                    y + k * d->plane);
    }
  }
}

static inline __attribute__((always_inline)) void convolve_with(const THNNDirect *d, const real *x,
                                                                const real *weights,
                                                                const real *bias,
                                                                const THNNActivation *activation,
                                                                real *y)
{
  if (d->block == 1)
    all_strips(d, x, weights, bias, activation, y, 1, VECTORS_OF_ONE);
  else if (d->block == THNN_DIRECT_THREE)
    all_strips(d, x, weights, bias, activation, y, THNN_DIRECT_THREE, VECTORS_OF_FOUR);
  else if (d->block == THNN_DIRECT_FOUR && d->length > VECTORS_OF_SIX * LANES)
    all_strips(d, x, weights, bias, activation, y, THNN_DIRECT_FOUR, VECTORS_OF_FOUR);
  else if (d->block == THNN_DIRECT_FOUR)
    all_strips(d, x, weights, bias, activation, y, THNN_DIRECT_FOUR, VECTORS_OF_SIX);
  else
    all_strips(d, x, weights, bias, activation, y, OUTPUTS, VECTORS_OF_SIX);
}

/* A function for each kind of activation: with branches between stores, gcc would send sums through
 * memory. */
/* clang-format off */
#define CONVOLVE(NAME, ACTIVATION)                                                                    \
  static __attribute__((noinline)) void NAME(const THNNDirect *d, const real *x, const real *weights, \
    const real *bias, real *y)                                                                        \
  { convolve_with(d, x, weights, bias, ACTIVATION, y); }
/* clang-format on */
CONVOLVE(convolve_plainly, NULL)
CONVOLVE(convolve_clamping,
         (&(const THNNActivation){
             .kind = THNN_CLAMP, .low = d->activation->low, .high = d->activation->high}))
CONVOLVE(convolve_hardswish, (&(const THNNActivation){.kind = THNN_HARDSWISH}))
#undef CONVOLVE

static void convolve(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                     real *y)
{
  if (!d->activation)
    convolve_plainly(d, x, weights, bias, y);
  else if (d->activation->kind == THNN_CLAMP)
    convolve_clamping(d, x, weights, bias, y);
  else
    convolve_hardswish(d, x, weights, bias, y);
}

/* --- backward data by scattering -------------------------------------------------------------- */

/* Adjacent positions of a row. */
typedef struct {
  ptrdiff_t from;  /* offset in a strip of y */
  ptrdiff_t count; /* number of positions */
  ptrdiff_t to;    /* offset in a flat plane of x */
} Run;

/* Lists the runs of the positions [first, end), and returns how many runs there are. */
static ptrdiff_t cut(const THNNDirect *d, ptrdiff_t first, ptrdiff_t end, Run *run)
{
  ptrdiff_t runs = 0;
  for (ptrdiff_t at = first; at < end; at += run[runs++].count) {
    const ptrdiff_t row = at / d->count[2], j = at % d->count[2];
    const ptrdiff_t t = row / d->count[1], i = row % d->count[1];
    run[runs] = (Run){at - first, THMin(d->count[2] - j, end - at),
                      t * d->step[0] + i * d->step[1] + j * d->step[2]};
  }
  return runs;
}

static inline __attribute__((always_inline)) void add_run(const THNNDirect *d, const Run *run,
                                                          real *to, const real *from,
                                                          ptrdiff_t count, int outputs)
{
  const ptrdiff_t step = d->step[2];
  ptrdiff_t n = run->count;
  to += run->to;
  from += run->from;
  if (step == 1) {
    for (; n >= COUNT(Vector); n -= COUNT(Vector), to += COUNT(Vector), from += COUNT(Vector))
      add_Vector(d->plane, to, from, count, outputs);
    if (n >= COUNT(HalfVector)) {
      add_HalfVector(d->plane, to, from, count, outputs);
      n -= COUNT(HalfVector), to += COUNT(HalfVector), from += COUNT(HalfVector);
    }
    if (n >= COUNT(QuarterVector)) {
      add_QuarterVector(d->plane, to, from, count, outputs);
      n -= COUNT(QuarterVector), to += COUNT(QuarterVector), from += COUNT(QuarterVector);
    }
  }
  for (; n > 0; n--, to += step, from++)
    add_OneElement(d->plane, to, from, count, outputs);
}

static inline __attribute__((always_inline)) void scatter_all(const THNNScatter *s, const real *y,
                                                              const real *weights, real *x,
                                                              int outputs, int width)
{
  const THNNDirect *d = &s->d;
  const ptrdiff_t count = width * LANES;
  for (ptrdiff_t first = 0; first < d->length; first += count) {
    Run run[MOST_VECTORS * LANES];
    const ptrdiff_t runs = cut(d, first, THMin(first + count, d->length), run);
    for (ptrdiff_t l = 0; l < s->taps; l++) {
      real tile[OUTPUTS * MOST_VECTORS * LANES];
      strip(d, y + first, NULL, weights + l * d->terms * outputs, NULL, NULL, tile, count, outputs,
            width);
      for (ptrdiff_t k = 0; k < runs; k++)
        add_run(d, &run[k], x + s->tap[l], tile, count, outputs);
    }
  }
}

static void scatter(const THNNScatter *s, const real *y, const real *weights, real *x)
{
  if (s->d.block == 1)
    scatter_all(s, y, weights, x, 1, VECTORS_OF_ONE);
  else if (s->d.block == THNN_DIRECT_THREE)
    scatter_all(s, y, weights, x, THNN_DIRECT_THREE, VECTORS_OF_FOUR);
  else if (s->d.block == THNN_DIRECT_FOUR)
    scatter_all(s, y, weights, x, THNN_DIRECT_FOUR, VECTORS_OF_FOUR);
  else
    scatter_all(s, y, weights, x, OUTPUTS, VECTORS_OF_SIX);
}

/* --- sums over an image ---------------------------------------------------------------------- */

/* The sum of the lanes, in a fixed order: upper halves are added to lower halves. */
static inline real sum_of_lanes(Vector v)
{
#if TH_VECTOR == 64
  HalfVector halves[2];
  memcpy(halves, &v, sizeof v);
  const HalfVector half = halves[0] + halves[1];
#else
  const Vector half = v;
#endif
  typedef real Least __attribute__((vector_size(16)));
#if TH_VECTOR >= 32
  Least quarters[2];
  memcpy(quarters, &half, sizeof half);
  const Least rest = quarters[0] + quarters[1];
#else
  const Least rest = half;
#endif
#if defined(TH_REAL_IS_FLOAT)
  return (rest[0] + rest[2]) + (rest[1] + rest[3]);
#else
  return rest[0] + rest[1];
#endif
}

/* result[o][t] = the sum over all positions, of some images, of x[t] * g[o]; outputs and taps are
 * constants. */
static inline __attribute__((always_inline)) void products(const THNNDirect *d, ptrdiff_t images,
                                                           const real *const *x, ptrdiff_t nextX,
                                                           const real *const *g, ptrdiff_t nextG,
                                                           const real *mask, real *result,
                                                           int outputs, int taps)
{
  Vector sum[OUTPUTS][WINDOW];
  for (int o = 0; o < outputs; o++)
    for (int t = 0; t < taps; t++)
      sum[o][t] = (Vector){0};
  for (ptrdiff_t image = 0; image < images; image++)
    for (ptrdiff_t i = 0; i < d->length; i += LANES) {
      const Integers inside = (Integers)load(mask + i);
      Vector v[WINDOW];
      for (int t = 0; t < taps; t++)
        v[t] = (Vector)((Integers)load(x[t] + image * nextX + i) & inside);
      for (int o = 0; o < outputs; o++) {
        const Vector factor = load(g[o] + image * nextG + i);
        for (int t = 0; t < taps; t++)
          sum[o][t] = Vector_(mulAdd)(v[t], factor, sum[o][t]);
      }
    }
  for (int o = 0; o < outputs; o++)
    for (int t = 0; t < taps; t++)
      result[o * taps + t] = sum_of_lanes(sum[o][t]);
}

static inline __attribute__((always_inline)) void all_products(const THNNDirect *d,
                                                               ptrdiff_t images, const real *x,
                                                               ptrdiff_t nextX, const real *g,
                                                               ptrdiff_t planeG, ptrdiff_t nextG,
                                                               const real *mask, real *sums,
                                                               int tileOutputs, int taps)
{
  for (ptrdiff_t first = 0; first < d->terms; first += taps) {
    const real *terms[WINDOW], *outputs[OUTPUTS];
    for (ptrdiff_t t = 0; t < taps; t++) /* a partial tile repeats the last term */
      terms[t] = x + d->offset[THMin(first + t, d->terms - 1)];
    for (ptrdiff_t o = 0; o < d->outputs; o += tileOutputs) {
      real result[OUTPUTS * WINDOW];
      for (ptrdiff_t k = 0; k < tileOutputs; k++)
        outputs[k] = g + THMin(o + k, d->outputs - 1) * planeG;
      products(d, images, terms, nextX, outputs, nextG, mask, result, tileOutputs, taps);
      for (ptrdiff_t k = 0; k < THMin(tileOutputs, d->outputs - o); k++)
        for (ptrdiff_t t = 0; t < THMin(taps, d->terms - first); t++)
          sums[(o + k) * d->terms + first + t] += result[k * taps + t];
    }
  }
}

static void correlate(const THNNDirect *d, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                      const real *g, ptrdiff_t planeG, ptrdiff_t nextG, const real *mask,
                      real *sums)
{
  if (d->block == 1 && d->terms > TAPS)
    all_products(d, images, x, nextX, g, planeG, nextG, mask, sums, 1, WINDOW);
  else if (d->block == 1)
    all_products(d, images, x, nextX, g, planeG, nextG, mask, sums, 1, TAPS);
  else if (d->block == THNN_DIRECT_THREE)
    all_products(d, images, x, nextX, g, planeG, nextG, mask, sums, THNN_DIRECT_THREE, TAPS);
  else if (d->block == THNN_DIRECT_FOUR)
    all_products(d, images, x, nextX, g, planeG, nextG, mask, sums, THNN_DIRECT_FOUR, TAPS);
  else
    all_products(d, images, x, nextX, g, planeG, nextG, mask, sums, OUTPUTS, TAPS);
}

/* The prefetch distance of sum and sum_rows in bytes.  A prefetch beyond the end of memory does
 * nothing. */
enum { LATER = 4096 };

static accreal sum(const real *x, ptrdiff_t n)
{
  enum { PARTS = 16 };
  accreal part[PARTS] = {0};
  ptrdiff_t i = 0;
  for (; i + PARTS <= n; i += PARTS) {
    for (int k = 0; k < PARTS; k += LINE / (int)sizeof *x)
      __builtin_prefetch((const char *)(x + i + k) + LATER);
    for (int k = 0; k < PARTS; k++)
      part[k] += (accreal)x[i + k];
  }
  for (int k = 0; i < n; i++, k++)
    part[k] += (accreal)x[i];
  for (int k = 1; k < PARTS; k++)
    part[0] += part[k];
  return part[0];
}

static void sum_rows(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t next, accreal *sums)
{
  enum { COLUMNS = 32 };
  for (; n >= COLUMNS; n -= COLUMNS, x += COLUMNS, sums += COLUMNS) {
    accreal part[COLUMNS];
    memcpy(part, sums, sizeof part);
    for (ptrdiff_t i = 0; i < rows; i++) {
      for (int j = 0; j < COLUMNS; j += LINE / (int)sizeof *x)
        __builtin_prefetch((const char *)(x + i * next + j) + LATER);
      for (int j = 0; j < COLUMNS; j++)
        part[j] += (accreal)x[i * next + j];
    }
    memcpy(sums, part, sizeof part);
  }
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < rows; i++)
      sums[j] += (accreal)x[i * next + j];
}

#include "DepthwiseNhwcKernels.h"

#if TH_VECTOR_MASKS
#include "DepthwiseNchwKernels.h"
#else
#define slide      NULL
#define slide_sums NULL
#endif

const THNN_(Direct) TH_LEVEL_(THNN_(direct))[] = {
    {convolve, scatter, correlate, sum, sum_rows, slide, slide_sums, slide_nhwc, slide_nhwc_sums}};
