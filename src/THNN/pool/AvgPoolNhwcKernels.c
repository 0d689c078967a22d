/* Average pooling of channels-last images, and its gradient: channels are in the lanes. */
#include "TH/simd/THAddViaFma.h"

#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "TH/simd/THSimdReal.h"

#include "AvgPoolVectors.h"

/* Averages one window in some vectors of neighbouring channels of an image with that many planes;
 * with some, in the first some elements of one vector. */
INLINE void sum_planes(const THNNPlanes *p, const THNNSpan *t, const THNNSpan *h, const THNNSpan *w,
                       ptrdiff_t planes, int vectors, ptrdiff_t some, const real *x, real *y)
{
  typedef real Means __attribute__((vector_size(SUMS * sizeof(real))));
  const accreal count = (accreal)(t->count * h->count * w->count);
  THDoubles sum[UNROLL] = {{0}};
  for (ptrdiff_t z = t->begin; z < t->end; z++)
    for (ptrdiff_t r = h->begin; r < h->end; r++) {
      const real *from = x + ((z * p->in[1] + r) * p->in[2] + w->begin) * planes;
      for (ptrdiff_t c = w->begin; c < w->end; c++, from += planes)
        for (int k = 0; k < vectors; k++)
          sum[k] = added(sum[k], some ? load_some(from, some) : load_doubles(from + k * SUMS));
    }
  for (int k = 0; k < vectors; k++) {
    const Means mean = __builtin_convertvector(sum[k] / count, Means);
    memcpy(y + k * SUMS, &mean, some ? (size_t)some * sizeof *y : sizeof mean);
  }
}

static void sum_nhwc(const THNNPlanes *p, const THNNSpans *spans, ptrdiff_t planes, const real *x,
                     ptrdiff_t row, real *y, TH_UNUSED real *memory)
{
  const THNNSpan *t = &spans->of[0][row / p->out[1]], *h = &spans->of[1][row % p->out[1]];
  for (ptrdiff_t k = 0; k < p->out[2]; k++, y += planes) {
    const THNNSpan *w = &spans->of[2][k];
    ptrdiff_t i = 0;
    for (; i + UNROLL * SUMS <= planes; i += UNROLL * SUMS)
      sum_planes(p, t, h, w, planes, UNROLL, 0, x + i, y + i);
    for (; i + SUMS <= planes; i += SUMS)
      sum_planes(p, t, h, w, planes, 1, 0, x + i, y + i);
    if (i < planes)
      sum_planes(p, t, h, w, planes, 1, planes - i, x + i, y + i);
  }
}

/* The rows of windows that a row of the image is in. */
typedef struct {
  int count;
  const real *of[THNN_SUM_MOST];
  const real *part; /* the weight of each window's gradient, row by row */
} GivingRows;

static inline void add_giving_row(GivingRows *rows, const THNNSpan *span, ptrdiff_t n,
                                  int64_t count, const real *x, real *memory)
{
  real *part = memory + rows->count * n;
  rows->of[rows->count++] = x;
  for (ptrdiff_t k = 0; k < n; k++)
    part[k] = 1 / (real)(count * span[k].count);
}

/* How many positions of a row of width, beginning with position, are in windows first ... end - 1
 * and no others. */
static inline ptrdiff_t positions_alike(const THNNSpan *span, int64_t n, int64_t first, int64_t end,
                                        int64_t position, int64_t width)
{
  if (first < end)
    width = THMin(width, span[first].end);
  if (end < n)
    width = THMin(width, span[end].begin);
  return width - position;
}

/* Whether neighbours are often in the same windows: more than one is in the middle window alone. */
static inline int are_often_alike(const THNNSpan *span, int64_t n, int64_t width)
{
  const int64_t middle = n / 2, begin = middle > 0 ? span[middle - 1].end : 0;
  const int64_t end = middle + 1 < n ? span[middle + 1].begin : width;
  return THMin(end, span[middle].end) - THMax(begin, span[middle].begin) > 1;
}

/* Computes some positions, all in windows first ... end - 1 of rows of n windows, in some vectors
 * of neighbouring channels of an image with that many planes; with some, in the first some elements
 * of one vector. */
INLINE void backward_planes(const GivingRows *rows, ptrdiff_t n, int64_t first, int64_t end,
                            ptrdiff_t planes, ptrdiff_t at, int vectors, ptrdiff_t some,
                            ptrdiff_t positions, real *y)
{
  enum { PREFETCH = THNN_PREFETCH_FAR / sizeof(real) };
  Vector sum[UNROLL];
  y += at;
  for (int v = 0; v < vectors; v++) {
    sum[v] = (Vector){0};
    __builtin_prefetch(y + v * LANES + PREFETCH, 1);
  }
  for (int r = 0; r < rows->count; r++)
    for (int64_t k = first; k < end; k++) {
      const real *from = rows->of[r] + k * planes + at, part = rows->part[r * n + k];
      for (int v = 0; v < vectors; v++)
        sum[v] += part * (some ? load_partial(from, some) : load(from + v * LANES));
    }
  for (;;) {
    for (int v = 0; v < vectors; v++)
      if (some)
        store_partial(y, sum[v], some);
      else
        store(y + v * LANES, sum[v]);
    if (--positions == 0)
      break;
    y += planes;
    for (int v = 0; v < vectors; v++)
      __builtin_prefetch(y + v * LANES + PREFETCH, 1);
  }
}

/* Computes a row.  With alike, neighbours that are in the same windows are computed at once. */
INLINE void backward_row_nhwc(const GivingRows *rows, const THNNSpan *span, ptrdiff_t n,
                              ptrdiff_t width, ptrdiff_t planes, int alike, real *y)
{
  int64_t w[2] = {0};
  for (ptrdiff_t k = 0, some = 1; k < width; k += some, y += some * planes) {
    windows_of(span, n, k, &w[0], &w[1]);
    if (alike)
      some = positions_alike(span, n, w[0], w[1], k, width);
    ptrdiff_t i = 0;
    for (; !alike && i + UNROLL * LANES <= planes; i += UNROLL * LANES)
      backward_planes(rows, n, w[0], w[1], planes, i, UNROLL, 0, 1, y);
    for (; i + LANES <= planes; i += LANES)
      backward_planes(rows, n, w[0], w[1], planes, i, 1, 0, alike ? some : 1, y);
    if (i < planes)
      backward_planes(rows, n, w[0], w[1], planes, i, 1, planes - i, alike ? some : 1, y);
  }
}

static void backward_nhwc(const THNNPlanes *p, const THNNSpans *spans, ptrdiff_t planes,
                          const real *x, ptrdiff_t row, real *y, real *memory)
{
  enum {
    MAX_ALIKE_PLANES = 2 * UNROLL * LANES
  }; /* more planes: positions are written one by one */
  const ptrdiff_t n = p->out[2];
  int64_t t[2] = {0}, h[2] = {0};
  GivingRows rows = {.part = memory};
  windows_of(spans->of[0], p->out[0], row / p->in[1], &t[0], &t[1]);
  windows_of(spans->of[1], p->out[1], row % p->in[1], &h[0], &h[1]);
  for (int64_t i = t[0]; i < t[1]; i++)
    for (int64_t j = h[0]; j < h[1]; j++)
      add_giving_row(&rows, spans->of[2], n, spans->of[0][i].count * spans->of[1][j].count,
                     x + (i * p->out[1] + j) * n * planes, memory);
  if (planes <= MAX_ALIKE_PLANES && are_often_alike(spans->of[2], n, p->in[2]))
    backward_row_nhwc(&rows, spans->of[2], n, p->in[2], planes, 1, y);
  else
    backward_row_nhwc(&rows, spans->of[2], n, p->in[2], planes, 0, y);
}

const THNN_(SumNhwcKernel) TH_LEVEL_(THNN_(sumNhwc))[] = {
    [THNN_WINDOW_SUM] = sum_nhwc,
    [THNN_WINDOW_BACKWARD] = backward_nhwc,
};
