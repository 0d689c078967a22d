/* Kernels of depthwise_nchw: convolutions of single planes with small filters, straight from the image.
 * DirectConvKernels.c includes this file where vectors can be masked. */
#include "DepthwiseStrips.h"

enum {
  STRIPS = 32, /* strips whose masks are computed together, at most */
  /* Elements of x in a band of rows, which stays in L1 for all strips: for results and for sums. */
  BAND = 16384 / sizeof(real),
  BAND_OF_SUMS = 4096 / sizeof(real),
  LEAST = 8 /* rows of a band, at least */
};

/* Rows [begin, end) of all strips of a plane or of a pair. */
INLINE void slide_band(const Slide *slide, const Strip *strip, ptrdiff_t strips, ptrdiff_t begin,
                       ptrdiff_t end, int filters, int size, int step, int pair)
{
  for (const Strip *s = strip; s < strip + strips; s++)
    if (step == 1)
      slide_strip(slide, s, begin, end, filters, size, pair);
    else
      slide_strip_by_2(slide, s, begin, end, filters, size, pair);
}

INLINE void slide_plane(const Slide *slide, const Strip *strip, ptrdiff_t strips, int filters,
                        int size, int step)
{
  const ptrdiff_t rows = slide->axis[1].output;
  const ptrdiff_t band = THMax(LEAST, BAND / slide->axis[2].input);
  for (ptrdiff_t i = 0; i < rows; i += band)
    slide_band(slide, strip, strips, i, THMin(i + band, rows), filters, size, step, 0);
}

/* Goes on to the operands after these planes and filters. */
static inline void advance(Slide *slide, ptrdiff_t planes, ptrdiff_t filters)
{
  const THNNWindow *axis = slide->axis;
  slide->x += planes * axis[1].input * axis[2].input;
  slide->y += filters * axis[1].output * axis[2].output;
  slide->weight += filters * axis[1].size * axis[2].size;
  slide->bias += slide->hasBias ? filters : 0;
}

/* One plane after the other, each with `filters` filters. */
INLINE void slide_planes(Slide slide, const Strip *strip, ptrdiff_t strips, ptrdiff_t planes,
                         ptrdiff_t filters, int size, int step)
{
  for (; planes > 0; planes--, advance(&slide, 1, 0))
    for (ptrdiff_t left = filters, count; left > 0; left -= count, advance(&slide, 0, count)) {
      count = THMin(left, FILTERS);
      if (count == 1)
        slide_plane(&slide, strip, strips, 1, size, step);
      else
        slide_plane(&slide, strip, strips, FILTERS, size, step);
    }
}

/* Pairs of planes with one filter each. */
INLINE void slide_pairs(Slide slide, ptrdiff_t pairs, int size, int step)
{
  const Strip both = strip_of_pair(&slide.axis[2]);
  for (; pairs > 0; pairs--, advance(&slide, 2, 2))
    slide_band(&slide, &both, 1, 0, slide.axis[1].output, 1, size, step, 1);
}

INLINE void slide_all(Slide slide, ptrdiff_t planes, ptrdiff_t filters, int size, int step)
{
  const ptrdiff_t columns = slide.axis[2].output;
  Strip strip[STRIPS];
  if (filters == 1 && columns <= HALF) {
    slide_pairs(slide, planes / 2, size, step);
    advance(&slide, planes / 2 * 2, planes / 2 * 2);
    planes %= 2;
  }
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + LANES - 1) / LANES);
    for (ptrdiff_t k = 0; k < strips; k++) /* the last strip overlaps the one before it */
      strip[k] = strip_at(&slide.axis[2], THMax(THMin(first + k * LANES, columns - LANES), 0));
    slide_planes(slide, strip, strips, planes, filters, size, step);
  }
}

static void slide(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t filters,
                  const real *weight, const real *bias, const THNNActivation *activation, real *y)
{
  static const real none[FILTERS] = {0};
  const Slide slide = {axis, x, weight, bias ? bias : none, bias != NULL, activation, y};
  if (axis[2].size == 3 && axis[2].step == 1)
    slide_all(slide, planes, filters, 3, 1);
  else if (axis[2].size == 3)
    slide_all(slide, planes, filters, 3, 2);
  else if (axis[2].step == 1)
    slide_all(slide, planes, filters, 5, 1);
  else
    slide_all(slide, planes, filters, 5, 2);
}

/* --- sums of products ------------------------------------------------------------------------ */

/* Adds the products of an image row x with the rows of g that it contributes to: x is row a of the
 * taps for the row of g at g - a * next, for a in [first, end).  size, first, end and whole, which says
 * that the strip needs no mask, are constants. */
INLINE void multiply_row(const Strip *s, const real *x, const real *g, ptrdiff_t next, Vector *sums,
                         ptrdiff_t size, ptrdiff_t first, ptrdiff_t end, int whole)
{
  Vector rows[WIDEST];
#pragma GCC unroll 5
  for (ptrdiff_t a = first; a < end; a++)
    rows[a] = whole ? load(g - a * next) : Vector_(loadMasked)(s->wanted, g - a * next);
#pragma GCC unroll 5
  for (ptrdiff_t b = 0; b < size; b++) {
    const Vector v = whole ? load(x + b) : Vector_(loadMasked)(s->inside[b], x + b);
#pragma GCC unroll 5
    for (ptrdiff_t a = first; a < end; a++)
      sums[a * size + b] = Vector_(mulAdd)(v, rows[a], sums[a * size + b]);
  }
}

/* multiply_row where some of the rows of g do not exist: at the upper or lower edge of an image. */
INLINE void multiply_edge(const Strip *s, const real *x, const real *g, ptrdiff_t next,
                          Vector *sums, ptrdiff_t size, ptrdiff_t first, ptrdiff_t end, int upper)
{
#define ROWS(COUNT)                                                                             \
  if ((COUNT) < size && first == (upper ? 0 : size - (COUNT)) && end - first == (COUNT)) {      \
    multiply_row(s, x, g, next, sums, size, upper ? 0 : size - (COUNT), upper ? (COUNT) : size, \
                 0);                                                                            \
    return;                                                                                     \
  }
  ROWS(1)
  ROWS(2)
  ROWS(3)
  ROWS(4)
#undef ROWS
#pragma GCC unroll 5
  for (ptrdiff_t a = 0; a < size; a++) /* an image lower than the filter has both edges at once */
    if (a >= first && a < end)
      multiply_row(s, x, g, next, sums, size, a, a + 1, 0);
}

/* multiply_row for `count` image rows, pitch apart, for which all rows of g exist.  The loop over `size`
 * image rows is unrolled, so that a row of g stays in one register until it has been multiplied with
 * all of them: copies between registers would cost as much as multiplications, and unaligned loads
 * more. */
INLINE void multiply_rows(const Strip *s, ptrdiff_t count, const real *x, ptrdiff_t pitch,
                          const real *g, ptrdiff_t next, Vector *sums, ptrdiff_t size, int whole)
{
  Vector rows[WIDEST];
#pragma GCC unroll 5
  for (ptrdiff_t a = 1; count >= size && a < size; a++)
    rows[size - a] = whole ? load(g - a * next) : Vector_(loadMasked)(s->wanted, g - a * next);
  for (; count >= size; count -= size) {
#pragma GCC unroll 5
    for (ptrdiff_t r = 0; r < size; r++, x += pitch, g += next) {
      __builtin_prefetch(x + FETCHED);
      __builtin_prefetch(g + FETCHED);
      rows[r] = whole ? load(g) : Vector_(loadMasked)(s->wanted, g);
#pragma GCC unroll 5
      for (ptrdiff_t b = 0; b < size; b++) {
        const Vector v = whole ? load(x + b) : Vector_(loadMasked)(s->inside[b], x + b);
#pragma GCC unroll 5
        for (ptrdiff_t a = 0; a < size; a++)
          sums[a * size + b] = Vector_(mulAdd)(v, rows[(r - a + size) % size], sums[a * size + b]);
      }
    }
  }
  for (; count > 0; count--, x += pitch, g += next)
    multiply_row(s, x, g, next, sums, size, 0, size, whole);
}

/* n, clamped to [least, most]. */
static inline ptrdiff_t between(ptrdiff_t least, ptrdiff_t n, ptrdiff_t most)
{
  return THMax(least, THMin(n, most));
}

/* Adds a strip of the image rows [top, end), a band that stays in the L1 cache for the next strip. */
INLINE void sum_strip(const THNNWindow *axis, const Strip *s, ptrdiff_t top, ptrdiff_t end,
                      const real *x, const real *g, Vector *sum, ptrdiff_t size)
{
  const ptrdiff_t pad = axis[1].pad, output = axis[1].output, next = axis[2].output;
  const ptrdiff_t first = between(top, size - 1 - pad, end);
  const ptrdiff_t last = between(first, output - pad, end);
  Vector sums[WIDEST * WIDEST];
#pragma GCC unroll 25
  for (ptrdiff_t k = 0; k < size * size; k++)
    sums[k] = sum[k];
  const real *corner = x + s->begin - axis[2].pad, *row = g + pad * next + s->begin;
  const ptrdiff_t pitch = axis[2].input;
  for (ptrdiff_t r = top; r < first; r++)
    multiply_edge(s, corner + r * pitch, row + r * next, next, sums, size,
                  THMax(0, r + pad - output + 1), r + pad + 1, 1);
  if (s->whole)
    multiply_rows(s, last - first, corner + first * pitch, pitch, row + first * next, next, sums,
                  size, 1);
  else
    multiply_rows(s, last - first, corner + first * pitch, pitch, row + first * next, next, sums,
                  size, 0);
  for (ptrdiff_t r = last; r < end; r++)
    multiply_edge(s, corner + r * pitch, row + r * next, next, sums, size, r + pad - output + 1,
                  THMin(size, r + pad + 1), 0);
#pragma GCC unroll 25
  for (ptrdiff_t k = 0; k < size * size; k++)
    sum[k] = sums[k];
}

INLINE void slide_images(const THNNWindow *axis, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                         const real *g, ptrdiff_t nextG, real *sums, ptrdiff_t size)
{
  const ptrdiff_t band = THMax(LEAST, BAND_OF_SUMS / axis[2].input);
  Vector sum[WIDEST * WIDEST] = {{0}};
  for (ptrdiff_t first = 0; first < axis[2].output; first += STRIPS * LANES) {
    const ptrdiff_t left = axis[2].output - first;
    const ptrdiff_t strips = THMin(STRIPS, (left + LANES - 1) / LANES);
    Strip strip[STRIPS];
    for (ptrdiff_t k = 0; k < strips; k++)
      strip[k] = strip_at(&axis[2], first + k * LANES);
    for (ptrdiff_t image = 0; image < images; image++)
      for (ptrdiff_t top = 0; top < axis[1].input; top += band)
        for (ptrdiff_t k = 0; k < strips; k++)
          sum_strip(axis, &strip[k], top, THMin(top + band, axis[1].input), x + image * nextX,
                    g + image * nextG, sum, size);
  }
  for (ptrdiff_t k = 0; k < size * size; k++)
    sums[k] += sum_of_lanes(sum[k]);
}

static void slide_sums(const THNNWindow *axis, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                       const real *g, ptrdiff_t nextG, real *sums)
{
  if (axis[2].size == 3)
    slide_images(axis, images, x, nextX, g, nextG, sums, 3);
  else
    slide_images(axis, images, x, nextX, g, nextG, sums, 5);
}
