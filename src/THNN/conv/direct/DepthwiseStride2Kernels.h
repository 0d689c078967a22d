/* Kernels of depthwise_nchw for stride 2: two vectors of an image row are split into its even and its
 * odd elements, each a vector of what one tap needs at successive positions.  Several rows of the result
 * are computed together, so that a row of the image is split once.  DirectConvKernels.c includes this
 * file after DepthwiseNchwKernels.h. */

enum { PAIRS = (WIDEST + 1) / 2 }; /* pairs of neighbouring taps in a row of a filter */

/* A strip: as many columns of the result as a vector has lanes. */
typedef struct {
  ptrdiff_t begin; /* its first column */
  int whole;       /* all its columns exist, and all their taps are inside the image */
  Mask wanted;     /* the columns that exist */
  /* inside[pair][half]: the elements inside the image, of both vectors that are split for a pair. */
  Mask inside[PAIRS][2];
} Stride2Strip;

static inline Stride2Strip stride2_strip_at(const THNNWindow *w, ptrdiff_t begin)
{
  const Mask all = lanes_between(0, LANES);
  Stride2Strip s = {.begin = begin, .wanted = lanes_between(-begin, w->output - begin)};
  s.whole = s.wanted == all;
  for (int k = 0; 2 * k < w->size; k++)
    for (int half = 0; half < 2; half++) {
      const ptrdiff_t column = 2 * begin - w->pad + 2 * k + half * LANES;
      s.inside[k][half] = lanes_between(-column, w->input - column);
      s.whole &= s.inside[k][half] == all;
    }
  return s;
}

INLINE void slide_stride2_strip(const Slide *slide, const Stride2Strip *s, ptrdiff_t i, int rows,
                                int size, int whole)
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
        for (int q = 0; q < rows;
             q++) /* image row r is row r - 2 q of the filter for result row q */
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
    put(y, s->wanted, whole, activated(slide->activation, sum[q]));
  }
}

INLINE void slide_stride2_rows(const Slide *slide, const Stride2Strip *strip, ptrdiff_t strips,
                               ptrdiff_t i, int rows, int size)
{
  for (ptrdiff_t k = 0; k < strips; k++)
    if (rows == ROWS && strip[k].whole)
      slide_stride2_strip(slide, &strip[k], i, rows, size, 1);
    else
      slide_stride2_strip(slide, &strip[k], i, rows, size, 0);
}

INLINE void slide_stride2_plane(const Slide *slide, int size)
{
  const ptrdiff_t columns = slide->axis[2].output, rows = slide->axis[1].output;
  Stride2Strip strip[STRIPS];
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + LANES - 1) / LANES);
    for (ptrdiff_t k = 0; k < strips; k++) /* the last strip overlaps the one before it */
      strip[k] =
          stride2_strip_at(&slide->axis[2], THMax(THMin(first + k * LANES, columns - LANES), 0));
    if (rows >= ROWS)
      for (ptrdiff_t i = 0; i < rows; i += ROWS)
        slide_stride2_rows(slide, strip, strips, THMin(i, rows - ROWS), ROWS, size);
    else
      for (ptrdiff_t i = 0; i < rows; i++)
        slide_stride2_rows(slide, strip, strips, i, 1, size);
  }
}

static void slide_stride2(const THNNWindow *axis, const real *x, const real *weight,
                          const real *bias, const THNNActivation *activation, real *y)
{
  const Slide slide = {axis, x, weight, bias, activation, y};
  if (axis[2].size == 3)
    slide_stride2_plane(&slide, 3);
  else
    slide_stride2_plane(&slide, 5);
}
