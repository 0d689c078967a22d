/* Max pooling of a plane: vectors run along a row of windows, one element of the windows at a time.
 */
#include "THNNTemplate.h"

/* Places count in numbers as wide as the elements, so that both go in vectors alike. */
#if defined(TH_REAL_IS_FLOAT)
typedef int32_t place;
#else
typedef int64_t place;
#endif

enum { BLOCK = 128 }; /* windows that are computed together */

static inline void larger(const real *x, ptrdiff_t step, place first, ptrdiff_t n, real *most,
                          place *best)
{
#pragma omp simd
  for (ptrdiff_t j = 0; j < n; j++) {
    const real value = x[j * step];
    const int take = (value > most[j]) | (value != value); /* NaN is larger than all */
    most[j] = take ? value : most[j];
    best[j] = take ? first + (place)(j * step) : best[j];
  }
}

/* For the first elements of windows, the windows of which they lie in the image: divisions that
 * need not be repeated in every row. */
enum { KNOWN = 16 };

typedef struct {
  int64_t first[KNOWN], end[KNOWN];
} Inside;

/* Windows begin ... end of a row, whose rows of the image are top ... bottom.  Returns places
 * within these rows. */
static inline void windows(const THNNWindow *w, const Inside *inside, const real *x, ptrdiff_t rows,
                           ptrdiff_t begin, ptrdiff_t end, real *most, place *best)
{
  for (ptrdiff_t j = begin; j < end; j++) {
    most[j - begin] = -(real)INFINITY;
    best[j - begin] = (place)THMax(j * w->step - w->pad, 0);
  }
  for (ptrdiff_t row = 0; row < rows; row++)
    for (ptrdiff_t k = 0; k < w->size; k++) {
      int64_t first, last;
      if (k < KNOWN) {
        first = inside->first[k];
        last = inside->end[k];
      } else {
        THNNWindow_inside(w, k, &first, &last);
      }
      first = THMax(first, begin);
      last = THMin(last, end);
      if (first >= last)
        continue;
      const ptrdiff_t at = row * w->input + first * w->step + k - w->pad;
      if (w->step == 1)
        larger(x + at, 1, (place)at, last - first, most + first - begin, best + first - begin);
      else if (w->step == 2)
        larger(x + at, 2, (place)at, last - first, most + first - begin, best + first - begin);
      else
        larger(x + at, w->step, (place)at, last - first, most + first - begin,
               best + first - begin);
    }
}

static void max_pool(const THNNWindow *h, const THNNWindow *w, const real *x, real *y,
                     int64_t *index)
{
  Inside inside;
  for (ptrdiff_t k = 0; k < THMin(w->size, KNOWN); k++)
    THNNWindow_inside(w, k, &inside.first[k], &inside.end[k]);
  for (ptrdiff_t i = 0; i < h->output; i++) {
    const ptrdiff_t from = i * h->step - h->pad;
    const ptrdiff_t top = THMax(from, 0), bottom = THMin(from + h->size, h->input);
    for (ptrdiff_t begin = 0; begin < w->output; begin += BLOCK) {
      const ptrdiff_t end = THMin(begin + BLOCK, w->output);
      real most[BLOCK];
      place best[BLOCK];
      windows(w, &inside, x + top * w->input, bottom - top, begin, end, most, best);
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
