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

/* Windows begin ... end of a row.  x is the first of rows of the image, in which places count. */
static inline void windows(const THNNWindow *w, const real *x, ptrdiff_t rows, ptrdiff_t begin,
                           ptrdiff_t end, real *most, place *best)
{
  for (ptrdiff_t row = 0; row < rows; row++)
    for (ptrdiff_t k = 0; k < w->size; k++) {
      int64_t first, last;
      THNNWindow_inside(w, k, &first, &last);
      first = THMax(first, begin);
      last = THMin(last, end);
      const ptrdiff_t at = row * w->input + first * w->step + k - w->pad;
      if (first < last)
        larger(x + at, w->step, (place)at, last - first, most + first - begin,
               best + first - begin);
    }
}

/* The same for windows that are small enough: the part of a row that they cover is copied, with the
 * least of numbers for what is padding, so that there are whole vectors and no borders. */
enum { ROOM = 1024, LANES = 16 };

static inline int are_small(const THNNWindow *w)
{
  return w->step <= 4 && w->size <= ROOM - (BLOCK - 1) * 4;
}

static inline __attribute__((always_inline)) void small_windows(const THNNWindow *w, const real *x,
                                                                ptrdiff_t rows, ptrdiff_t begin,
                                                                ptrdiff_t end, ptrdiff_t step,
                                                                real *most, place *best)
{
  const ptrdiff_t n = (end - begin + LANES - 1) / LANES * LANES;
  const ptrdiff_t start = begin * step - w->pad, reach = (n - 1) * step + w->size;
  const ptrdiff_t first = THMax(start, 0), last = THMin(start + reach, w->input);
  real buffer[ROOM];
  for (ptrdiff_t i = 0; i < reach; i++)
    buffer[i] = -(real)INFINITY;
  for (ptrdiff_t row = 0; row < rows; row++, x += w->input) {
    memcpy(buffer + first - start, x + first, (size_t)(last - first) * sizeof *buffer);
    for (ptrdiff_t k = 0; k < w->size; k++)
      for (ptrdiff_t j = 0; j < n; j += LANES)
        larger(buffer + j * step + k, step, (place)(row * w->input + start + j * step + k), LANES,
               most + j, best + j);
  }
}

static void max_pool(const THNNWindow *h, const THNNWindow *w, const real *x, real *y,
                     int64_t *index)
{
  for (ptrdiff_t i = 0; i < h->output; i++) {
    const ptrdiff_t from = i * h->step - h->pad;
    const ptrdiff_t top = THMax(from, 0), rows = THMin(from + h->size, h->input) - top;
    for (ptrdiff_t begin = 0; begin < w->output; begin += BLOCK) {
      const ptrdiff_t end = THMin(begin + BLOCK, w->output);
      real most[BLOCK];
      place best[BLOCK];
      for (ptrdiff_t j = 0; j < (end - begin + LANES - 1) / LANES * LANES; j++) {
        most[j] = -(real)INFINITY;
        best[j] = (place)THMax((begin + j) * w->step - w->pad, 0);
      }
      const real *at = x + top * w->input;
      if (!are_small(w))
        windows(w, at, rows, begin, end, most, best);
      else if (w->step == 1)
        small_windows(w, at, rows, begin, end, 1, most, best);
      else if (w->step == 2)
        small_windows(w, at, rows, begin, end, 2, most, best);
      else
        small_windows(w, at, rows, begin, end, w->step, most, best);
      memcpy(y, most, (size_t)(end - begin) * sizeof *y);
#pragma omp simd
      for (ptrdiff_t j = 0; j < end - begin; j++)
        index[j] = top * w->input + best[j] + TH_INDEX_BASE;
      y += end - begin;
      index += end - begin;
    }
  }
}

const THNN_(MaxPoolKernel) TH_LEVEL_(THNN_(maxPool))[] = {max_pool};
