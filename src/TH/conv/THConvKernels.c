/* Kernels of convolutions, in registers: rows of outputs as sums of shifted rows, or single outputs
 * as sums along the rows of large windows. */
#include "THTemplate.h"

#include "THConvKernels.h"
#include "TH/simd/THMultiplyAdd.h"

/* Rows are seldom long: narrow types use no more lanes than int32_t, unless vectors would be
 * shorter than 16 bytes, for which there are no instructions. */
enum { NARROW = THMax(16, TH_VECTOR * sizeof(element) / 4) };
enum { VECTOR = sizeof(element) < 4 ? NARROW : TH_VECTOR };
enum { LANES = VECTOR / sizeof(element), WIDTHS = 8 };
typedef element Vector __attribute__((vector_size(VECTOR)));
#if defined(TH_REAL_IS_FLOAT)
typedef THInts Bits;
#elif defined(TH_REAL_IS_DOUBLE)
typedef THLongs Bits;
#else
typedef Vector Bits;
#endif

static inline Vector load(const element *x)
{
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

static inline void store(element *x, Vector v)
{
  memcpy(x, &v, sizeof v);
}

/* --- sums ------------------------------------------------------------------------------------ */

/* sums[o][k] = the sums of output o for the vector of positions that starts at offset at[k]. */
static inline __attribute__((always_inline)) void tile(const THConv *c, const ptrdiff_t *at,
                                                       element *sums, const int outputs,
                                                       const int width)
{
  Vector sum[TH_CONV_OUTPUTS][WIDTHS];
  for (int o = 0; o < outputs; o++)
    for (int k = 0; k < width; k++)
      sum[o][k] = (Vector){0};
  for (ptrdiff_t s = 0; s < c->sums; s++)
    for (const THTaps *box = c->boxes; box < c->boxes + c->boxCount; box++) {
      const element *plane = (const element *)c->input + c->planes[s] + box->firstPlane;
      const element *window =
          (const element *)c->windows + (c->which[s] * c->taps + box->firstWindow) * outputs;
      const ptrdiff_t nextPlane = box->plane[2], nextWindow = box->window[2] * outputs;
      for (ptrdiff_t d = 0; d < box->count[0]; d++)
        for (ptrdiff_t y = 0; y < box->count[1]; y++) {
          const element *x = plane + d * box->plane[0] + y * box->plane[1];
          const element *w = window + (d * box->window[0] + y * box->window[1]) * outputs;
          for (ptrdiff_t i = box->count[2]; i > 0; i--, x += nextPlane, w += nextWindow) {
            Vector v[WIDTHS];
            for (int k = 0; k < width; k++)
              v[k] = load(x + at[k]);
            for (int o = 0; o < outputs; o++) {
              const Vector factor = w[o] - (Vector){0};
              for (int k = 0; k < width; k++)
                sum[o][k] = MULTIPLY_ADD(v[k], factor, sum[o][k]);
            }
          }
        }
    }
  for (int o = 0; o < outputs; o++)
    for (int k = 0; k < width; k++)
      store(sums + (o * width + k) * LANES, sum[o][k]);
}

/* sums[o][k] = the sum of output o at offset at[k], whose lanes are still to be added up. */
static inline __attribute__((always_inline)) void dot_tile(const THConv *c, const ptrdiff_t *at,
                                                           element *sums, const int outputs,
                                                           const int width)
{
  const ptrdiff_t whole = c->columns / LANES * LANES, rest = c->columns - whole;
  const ptrdiff_t length = whole + (rest ? LANES : 0);
  Bits inside;
  for (int l = 0; l < LANES; l++)
    inside[l] = l < rest ? -1 : 0;
  Vector sum[TH_CONV_OUTPUTS][WIDTHS];
  for (int o = 0; o < outputs; o++)
    for (int k = 0; k < width; k++)
      sum[o][k] = (Vector){0};
  for (ptrdiff_t s = 0; s < c->sums; s++) {
    const element *w = (const element *)c->windows + c->which[s] * c->taps * outputs;
    for (ptrdiff_t d = 0; d < c->boxes->count[0]; d++)
      for (ptrdiff_t y = 0; y < c->boxes->count[1]; y++, w += outputs * length) {
        const element *x = (const element *)c->input + c->planes[s] + d * c->boxes->plane[0] +
                           y * c->boxes->plane[1];
        for (ptrdiff_t i = 0; i < length; i += LANES) {
          Vector v[WIDTHS];
          for (int k = 0; k < width; k++)
            v[k] = load(x + at[k] + i);
          if (i == whole)
            for (int k = 0; k < width; k++)
              v[k] = (Vector)((Bits)v[k] & inside);
          for (int o = 0; o < outputs; o++) {
            const Vector factor = load(w + o * length + i);
            for (int k = 0; k < width; k++)
              sum[o][k] = MULTIPLY_ADD(v[k], factor, sum[o][k]);
          }
        }
      }
  }
  for (int o = 0; o < outputs; o++)
    for (int k = 0; k < width; k++)
      store(sums + (o * width + k) * LANES, sum[o][k]);
}

/* X(outputs, width): register tiles of `width` vectors for each output.  They leave registers for an
 * input vector and a weight. */
#if TH_VECTOR == 64
#define TILES(X) X(1, 6) X(2, 8) X(3, 8) X(4, 6) X(5, 4) X(6, 4)
#else
#define TILES(X) X(1, 6) X(2, 6) X(3, 4) X(4, 3) X(5, 2) X(6, 2)
#endif
/* clang-format off */
#define TILE(OUTPUTS, WIDTH)                                                            \
  static void tile##OUTPUTS(const THConv *conv, const ptrdiff_t *at, element *sums)     \
  { tile(conv, at, sums, OUTPUTS, WIDTH); }                                             \
  static void dot_tile##OUTPUTS(const THConv *conv, const ptrdiff_t *at, element *sums) \
  { dot_tile(conv, at, sums, OUTPUTS, WIDTH); }
/* clang-format on */
TILES(TILE)

static const struct {
  void (*sums)(const THConv *conv, const ptrdiff_t *at, element *sums);
  void (*dots)(const THConv *conv, const ptrdiff_t *at, element *sums);
  int width;
} tiles[] = {
#define TILE_ENTRY(OUTPUTS, WIDTH) [OUTPUTS] = {tile##OUTPUTS, dot_tile##OUTPUTS, WIDTH},
    TILES(TILE_ENTRY)};

/* --- results --------------------------------------------------------------------------------- */

/* result = beta * result + alpha * sum, for the existing columns, from lane skip on.  Where the
 * result is not read, lanes may be written twice. */
static inline void deliver(const THConv *c, const element *sum, element *result, ptrdiff_t skip)
{
  const scalar alpha = (scalar)c->alpha, beta = (scalar)c->beta;
  const ptrdiff_t step = c->to[2], count = THMin(c->size[2], LANES);
  if (step == 1 && count == LANES && beta == 0) {
    store(result, load(sum) * (element)alpha);
  } else if (step == 1 && count == LANES && skip == 0) {
    store(result, load(result) * (element)beta + load(sum) * (element)alpha);
  } else if (beta == 0) {
    for (ptrdiff_t i = skip; i < count; i++)
      result[i * step] = (element)(alpha * sum[i]);
  } else {
    for (ptrdiff_t i = skip; i < count; i++)
      result[i * step] = (element)(beta * result[i * step] + alpha * sum[i]);
  }
}

/* --- positions ------------------------------------------------------------------------------- */

/* Covers a row with vectors; the last one begins earlier so as to end with the row. */
static void rows(const THConv *c, ptrdiff_t begin, ptrdiff_t end)
{
  const int width = tiles[c->outputs].width;
  const ptrdiff_t columns = c->size[2], last = THMax(columns - LANES, 0);
  ptrdiff_t depth = begin / c->size[1], row = begin % c->size[1], column = 0;
  ptrdiff_t rest = (end - begin) * ((columns + LANES - 1) / LANES);
  while (rest > 0) {
    element sums[TH_CONV_OUTPUTS * WIDTHS * LANES];
    ptrdiff_t at[WIDTHS], to[WIDTHS], skip[WIDTHS];
    int there = 0;
    for (int k = 0; k < width; k++) {
      if (rest == 0) { /* surplus sums repeat the last one */
        at[k] = at[k - 1];
        continue;
      }
      const ptrdiff_t first = THMin(column, last);
      at[k] = depth * c->from[0] + row * c->from[1] + first;
      to[k] = depth * c->to[0] + row * c->to[1] + first * c->to[2];
      skip[k] = column - first;
      there++;
      rest--;
      column += LANES;
      if (column >= columns) {
        column = 0;
        if (++row == c->size[1]) {
          row = 0;
          depth++;
        }
      }
    }
    tiles[c->outputs].sums(c, at, sums);
    for (int o = 0; o < c->outputs; o++)
      for (int k = 0; k < there; k++)
        deliver(c, sums + (o * width + k) * LANES, (element *)c->result + o * c->nextOutput + to[k],
                skip[k]);
  }
}

/* Adds lanes up in a fixed order: halves are added until one lane is left. */
static inline scalar sum_of_lanes(element *x)
{
  for (int n = LANES / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++)
      x[l] += x[l + n];
  return x[0];
}

static void dots(const THConv *c, ptrdiff_t begin, ptrdiff_t end)
{
  const scalar alpha = (scalar)c->alpha, beta = (scalar)c->beta;
  const int width = tiles[c->outputs].width;
  for (ptrdiff_t i = begin; i < end; i += width) {
    element sums[TH_CONV_OUTPUTS * WIDTHS * LANES];
    ptrdiff_t at[WIDTHS], to[WIDTHS];
    for (int k = 0; k < width; k++) {
      const ptrdiff_t index = THMin(i + k, end - 1); /* surplus sums repeat the last one */
      const ptrdiff_t x = index % c->size[2], y = index / c->size[2] % c->size[1];
      const ptrdiff_t d = index / c->size[2] / c->size[1];
      at[k] = d * c->from[0] + y * c->from[1] + c->columnsAt[x];
      to[k] = d * c->to[0] + y * c->to[1] + x * c->to[2];
    }
    tiles[c->outputs].dots(c, at, sums);
    for (int o = 0; o < c->outputs; o++)
      for (int k = 0; k < THMin(width, end - i); k++) {
        element *r = (element *)c->result + o * c->nextOutput + to[k];
        const scalar sum = alpha * sum_of_lanes(sums + (o * width + k) * LANES);
        *r = (element)(beta == 0 ? sum : beta * *r + sum);
      }
  }
}

/* --- the table ------------------------------------------------------------------------------- */

const THConvKernels TH_LEVEL_(THTensor_(convKernels))[] = {
    {.rows = rows, .dots = dots, .lanes = LANES}};
