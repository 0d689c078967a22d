/* Max pooling of a plane: vectors run along a row of windows, one element of the windows at a time.
 */
#include "THNNTemplate.h"

/* Places count in numbers as wide as the elements, so that both go in vectors alike. */
#if defined(TH_REAL_IS_FLOAT)
typedef int32_t place;
#else
typedef int64_t place;
#endif

enum { BLOCK = 64 }; /* windows that are computed together */

static inline __attribute__((always_inline)) void larger(const real *x, ptrdiff_t step, place first,
                                                         ptrdiff_t n, real *most, place *best)
{
#pragma omp simd
  for (ptrdiff_t j = 0; j < n; j++) {
    const real value = x[j * step];
    const int take = (value > most[j]) | (value != value); /* NaN is larger than all */
    most[j] = take ? value : most[j];
    best[j] = take ? first + (place)(j * step) : best[j];
  }
}

/* One row of the image, for windows begin ... end of a row: its first place is the origin's first
 * one, from which places count. */
static inline void windows(const THNNWindow *w, const real *x, place first, ptrdiff_t begin,
                           ptrdiff_t end, real *most, place *best)
{
  for (ptrdiff_t k = 0; k < w->size; k++) {
    int64_t from, to;
    THNNWindow_inside(w, k * w->dilation, &from, &to);
    from = THMax(from, begin);
    to = THMin(to, end);
    const ptrdiff_t at = from * w->step + k * w->dilation - w->pad;
    if (from < to)
      larger(x + at, w->step, first + (place)at, to - from, most + from - begin,
             best + from - begin);
  }
}

/* The same for windows that are small enough: the part of the row that they cover is copied, with
 * the least of numbers for what is padding, so that there are whole vectors and no borders. */
enum { ROOM = 1024, LANES = 16 };

static inline int are_small(const THNNWindow *w)
{
  return w->step <= 4 && (w->size - 1) * w->dilation < ROOM - (BLOCK - 1) * 4;
}

static inline __attribute__((always_inline)) void small_windows(const THNNWindow *w, const real *x,
                                                                place first, ptrdiff_t begin,
                                                                ptrdiff_t end, ptrdiff_t step,
                                                                real *buffer, real *most,
                                                                place *best)
{
  const ptrdiff_t n = (end - begin + LANES - 1) / LANES * LANES;
  const ptrdiff_t start = begin * step - w->pad;
  const ptrdiff_t reach = (n - 1) * step + (w->size - 1) * w->dilation + 1;
  const ptrdiff_t from = THMax(start, 0), to = THMin(start + reach, w->input);
  memcpy(buffer + from - start, x + from, (size_t)(to - from) * sizeof *buffer);
  for (ptrdiff_t k = 0; k < w->size; k++)
    for (ptrdiff_t j = 0; j < n; j += LANES) {
      const ptrdiff_t at = j * step + k * w->dilation;
      larger(buffer + at, step, first + (place)(start + at), LANES, most + j, best + j);
    }
}

/* Windows begin ... end of the row that the spans of depth and height tell. */
static void row_of_windows(const THNNWindow *axis, const THNNSpan *depth, const THNNSpan *height,
                           const real *x, ptrdiff_t begin, ptrdiff_t end, real *y, int64_t *index)
{
  const THNNWindow *t = &axis[0], *h = &axis[1], *w = &axis[2];
  const ptrdiff_t origin = (depth->begin * h->input + height->begin) * w->input;
  real most[BLOCK], buffer[ROOM];
  place best[BLOCK];
  for (ptrdiff_t j = 0; j < (end - begin + LANES - 1) / LANES * LANES; j++) {
    most[j] = -(real)INFINITY;
    best[j] = (place)THNNWindow_span(w, begin + j).begin;
  }
  const int small = are_small(w);
  if (small) {
    const ptrdiff_t reach = (end - begin + LANES) * w->step + (w->size - 1) * w->dilation + 1;
    for (ptrdiff_t i = 0; i < THMin(reach, ROOM); i++)
      buffer[i] = -(real)INFINITY;
  }
  for (ptrdiff_t z = depth->begin; z < depth->end; z += t->dilation)
    for (ptrdiff_t r = height->begin; r < height->end; r += h->dilation) {
      const ptrdiff_t first = (z * h->input + r) * w->input;
      const real *row = x + first;
      const place at = (place)(first - origin);
      if (!small)
        windows(w, row, at, begin, end, most, best);
      else if (w->step == 1)
        small_windows(w, row, at, begin, end, 1, buffer, most, best);
      else if (w->step == 2)
        small_windows(w, row, at, begin, end, 2, buffer, most, best);
      else
        small_windows(w, row, at, begin, end, w->step, buffer, most, best);
    }
  memcpy(y, most, (size_t)(end - begin) * sizeof *y);
#pragma omp simd
  for (ptrdiff_t j = 0; j < end - begin; j++)
    index[j] = origin + best[j] + TH_INDEX_BASE;
}

static void max_pool(const THNNWindow *axis, const real *x, real *y, int64_t *index)
{
  const ptrdiff_t columns = axis[2].output;
  for (ptrdiff_t i = 0; i < axis[0].output; i++)
    for (ptrdiff_t j = 0; j < axis[1].output; j++) {
      const THNNSpan depth = THNNWindow_span(&axis[0], i), height = THNNWindow_span(&axis[1], j);
      for (ptrdiff_t begin = 0; begin < columns; begin += BLOCK)
        row_of_windows(axis, &depth, &height, x, begin, THMin(begin + BLOCK, columns), y + begin,
                       index + begin);
      y += columns;
      index += columns;
    }
}

const THNN_(MaxPoolKernel) TH_LEVEL_(THNN_(maxPool))[] = {max_pool};
