/* Convolutions of one plane with one small window that slides by 2: two vectors of a row of the image
 * become one of its even and one of its odd elements, which are neighbours for the windows.  Several rows of
 * the result are computed together, so that a row of the image is split once.  DirectConvKernels.c
 * includes this after DepthwiseNchw.h. */

enum { PAIRS = (WIDEST + 1) / 2 };

/* As many columns of the result as a vector has elements. */
typedef struct {
  ptrdiff_t begin; /* the first one */
  int whole;       /* they, and what they need of the image, are all there */
  Mask wanted;     /* those that there are */
  Mask
      inside[PAIRS]
            [2]; /* the elements that are in the image, of both vectors of two columns of windows */
} TwoStrip;

static inline TwoStrip two_strip_at(const THNNWindow *w, ptrdiff_t begin)
{
  const Mask all = lanes_between(0, LANES);
  TwoStrip s = {.begin = begin, .wanted = lanes_between(-begin, w->output - begin)};
  s.whole = s.wanted == all;
  for (int k = 0; 2 * k < w->size; k++)
    for (int half = 0; half < 2; half++) {
      const ptrdiff_t column = 2 * begin - w->pad + 2 * k + half * LANES;
      s.inside[k][half] = lanes_between(-column, w->input - column);
      s.whole &= s.inside[k][half] == all;
    }
  return s;
}

INLINE void slide_two_strip(const Slide *slide, const TwoStrip *s, ptrdiff_t i, int rows, int size,
                            int whole)
{
  const THNNWindow *axis = slide->axis;
  const ptrdiff_t top = 2 * i - axis[1].pad, pitch = axis[2].input;
  const real *from = slide->x + top * pitch + 2 * s->begin - axis[2].pad;
  Vector sum[ROWS];
#pragma GCC unroll 4
  for (int q = 0; q < rows; q++)
    sum[q] = *slide->bias - (Vector){0};
#pragma GCC unroll 16
  for (int r = 0; r < 2 * (rows - 1) + size; r++, from += pitch)
    if (top + r >= 0 && top + r < axis[1].input) {
      __builtin_prefetch(from + FETCHED);
      __builtin_prefetch(from + FETCHED + LANES);
#pragma GCC unroll 3
      for (int k = 0; 2 * k < size; k++) {
        const real *const at = from + 2 * k;
        const Vector a = whole ? load(at) : Vector_(loadMasked)(s->inside[k][0], at);
        const Vector b =
            whole ? load(at + LANES) : Vector_(loadMasked)(s->inside[k][1], at + LANES);
        const Vector even = MIX(a, b, EVEN), odd = MIX(a, b, ODD);
#pragma GCC unroll 4
        for (int q = 0; q < rows; q++) /* row r is element r - 2 q of the windows of row q */
          if (r >= 2 * q && r - 2 * q < size) {
            const real *const w = slide->weight + (r - 2 * q) * size + 2 * k;
            sum[q] = Vector_(mulAdd)(even, w[0] - (Vector){0}, sum[q]);
            if (2 * k + 1 < size)
              sum[q] = Vector_(mulAdd)(odd, w[1] - (Vector){0}, sum[q]);
          }
      }
    }
#pragma GCC unroll 4
  for (int q = 0; q < rows; q++) {
    real *const y = slide->y + (i + q) * axis[2].output + s->begin;
    if (whole)
      store(y, sum[q]);
    else
      Vector_(storeMasked)(y, s->wanted, sum[q]);
  }
}

INLINE void slide_two_rows(const Slide *slide, const TwoStrip *strip, ptrdiff_t strips, ptrdiff_t i,
                           int rows, int size)
{
  for (ptrdiff_t k = 0; k < strips; k++)
    if (rows == ROWS && strip[k].whole)
      slide_two_strip(slide, &strip[k], i, rows, size, 1);
    else
      slide_two_strip(slide, &strip[k], i, rows, size, 0);
}

INLINE void slide_two_plane(const Slide *slide, int size)
{
  const ptrdiff_t columns = slide->axis[2].output, rows = slide->axis[1].output;
  TwoStrip strip[STRIPS];
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + LANES - 1) / LANES);
    for (ptrdiff_t k = 0; k < strips; k++) /* the last one has columns of the one before again */
      strip[k] = two_strip_at(&slide->axis[2], THMax(THMin(first + k * LANES, columns - LANES), 0));
    if (rows >= ROWS)
      for (ptrdiff_t i = 0; i < rows; i += ROWS)
        slide_two_rows(slide, strip, strips, THMin(i, rows - ROWS), ROWS, size);
    else
      for (ptrdiff_t i = 0; i < rows; i++)
        slide_two_rows(slide, strip, strips, i, 1, size);
  }
}

static void slide_by_two(const THNNWindow *axis, const real *x, const real *weight,
                         const real *bias, real *y)
{
  const Slide slide = {axis, x, weight, bias, y};
  if (axis[2].size == 3)
    slide_two_plane(&slide, 3);
  else
    slide_two_plane(&slide, 5);
}
