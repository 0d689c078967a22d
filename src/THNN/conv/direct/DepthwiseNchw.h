/* Convolutions of one plane with one small window that slides by 1, straight from the image: the
 * vectors of its rows, shifted by each element of the window, and masked where they leave it.
 * Several rows of the result are computed together, so that a row of the image is read once.
 * DirectConvKernels.c includes this where vectors can be masked. */

enum {
  STRIPS = 32,
  ROWS = 4,
  VECTORS = 2,
  PLANES = THNN_SLIDING,
  WIDEST = 5,
  BAND = 4096 / sizeof(real), /* elements of the rows that strips go down together, about, */
  LEAST = 8,                  /* and rows */
  FETCHED = 4096 / sizeof(real)
};

/* As many columns of the result as a vector has elements. */
typedef struct {
  ptrdiff_t begin;     /* the first one */
  int whole;           /* they, and what they need of the image, are all there */
  Mask wanted;         /* those that there are */
  Mask inside[WIDEST]; /* those for which element b of a row of the window is in the image */
} Strip;

static inline Strip strip_at(const THNNWindow *w, ptrdiff_t begin)
{
  Strip s = {.begin = begin, .wanted = lanes_between(-begin, w->output - begin)};
  for (ptrdiff_t b = 0; b < THMin(w->size, WIDEST); b++)
    s.inside[b] = s.wanted & lanes_between(w->pad - begin - b, w->input + w->pad - begin - b);
  const Mask all = lanes_between(0, LANES);
  s.whole = s.inside[0] == all && s.inside[w->size - 1] == all;
  return s;
}

/* What slides: windows over the image x, for planes of results that lie side by side as their
 * weights do. */
typedef struct {
  const THNNWindow *axis;
  const real *x, *weight, *bias;
  real *y;
} Slide;

/* rows rows of some strips of a few planes, from row i on.  These numbers and size are constants,
 * and whole, which says that nothing needs a mask: then nothing is left of the loops but the sums.
 * With two strips of two planes there are enough of them that they do not wait for each other. */
INLINE void slide_strips(const Slide *slide, const Strip *s, ptrdiff_t i, int planes, int rows,
                         int size, int strips, int whole)
{
  const THNNWindow *axis = slide->axis;
  const ptrdiff_t top = i - axis[1].pad, pitch = axis[2].input;
  const ptrdiff_t plane = axis[1].output * axis[2].output;
  const real *from[VECTORS];
  Vector sum[PLANES][ROWS][VECTORS];
#pragma GCC unroll 2
  for (int t = 0; t < strips; t++)
    from[t] = slide->x + top * pitch + s[t].begin - axis[2].pad;
#pragma GCC unroll 2
  for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++)
#pragma GCC unroll 2
      for (int t = 0; t < strips; t++)
        sum[p][k][t] = slide->bias[p] - (Vector){0};
#pragma GCC unroll 8
  for (int r = 0; r < rows + size - 1; r++) {
    if (top + r >= 0 && top + r < axis[1].input) {
#pragma GCC unroll 2
      for (int t = 0; t < strips; t++)
        __builtin_prefetch(from[t] + r * pitch + FETCHED);
#pragma GCC unroll 5
      for (int b = 0; b < size; b++) {
        Vector v[VECTORS];
#pragma GCC unroll 2
        for (int t = 0; t < strips; t++)
          if (whole)
            memcpy(&v[t], from[t] + r * pitch + b, sizeof v[t]);
          else
            v[t] = Vector_(loadMasked)(s[t].inside[b], from[t] + r * pitch + b);
#pragma GCC unroll 2
        for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
          for (int k = 0; k < rows; k++) /* row r is element r - k of the windows of row k */
            if (r >= k && r - k < size) {
              const Vector w = slide->weight[(p * size + r - k) * size + b] - (Vector){0};
#pragma GCC unroll 2
              for (int t = 0; t < strips; t++)
                sum[p][k][t] = Vector_(mulAdd)(v[t], w, sum[p][k][t]);
            }
      }
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++)
#pragma GCC unroll 2
      for (int t = 0; t < strips; t++) {
        real *y = slide->y + p * plane + (i + k) * axis[2].output + s[t].begin;
        if (whole)
          memcpy(y, &sum[p][k][t], sizeof sum[p][k][t]);
        else
          Vector_(storeMasked)(y, s[t].wanted, sum[p][k][t]);
      }
}

INLINE void slide_rows(const Slide *slide, const Strip *strip, ptrdiff_t strips, ptrdiff_t i,
                       int planes, int rows, int size)
{
  for (ptrdiff_t k = 0; k < strips; k++)
    if (rows == ROWS && k + 1 < strips && strip[k].whole && strip[k + 1].whole) {
      slide_strips(slide, &strip[k], i, planes, rows, size, VECTORS, 1);
      k++;
    } else if (rows == ROWS && strip[k].whole) {
      slide_strips(slide, &strip[k], i, planes, rows, size, 1, 1);
    } else {
      slide_strips(slide, &strip[k], i, planes, rows, size, 1, 0);
    }
}

INLINE void slide_planes(const Slide *slide, int planes, int size)
{
  const ptrdiff_t columns = slide->axis[2].output, rows = slide->axis[1].output;
  Strip strip[STRIPS];
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + LANES - 1) / LANES);
    for (ptrdiff_t k = 0; k < strips; k++) /* the last one has columns of the one before again */
      strip[k] = strip_at(&slide->axis[2], THMax(THMin(first + k * LANES, columns - LANES), 0));
    if (rows >= ROWS)
      for (ptrdiff_t i = 0; i < rows; i += ROWS)
        slide_rows(slide, strip, strips, THMin(i, rows - ROWS), planes, ROWS, size);
    else
      for (ptrdiff_t i = 0; i < rows; i++)
        slide_rows(slide, strip, strips, i, planes, 1, size);
  }
}

static void slide(const THNNWindow *axis, const real *x, ptrdiff_t planes, const real *weight,
                  const real *bias, real *y)
{
  const Slide slide = {axis, x, weight, bias, y};
  if (axis[2].size == 3 && planes == 1)
    slide_planes(&slide, 1, 3);
  else if (axis[2].size == 3)
    slide_planes(&slide, PLANES, 3);
  else if (planes == 1)
    slide_planes(&slide, 1, 5);
  else
    slide_planes(&slide, PLANES, 5);
}

/* --- sums of products ------------------------------------------------------------------------ */

/* A row of the image, x, times the rows of g whose windows have it as their elements from first to
 * below end: g has it as the first one, and g - next as the one after.  These numbers and whole,
 * which says that nothing needs a mask, are constants. */
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

/* The same where only some rows of g are there, as at the upper or the lower end of an image:
 * nothing is multiplied by what is not there. */
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
  for (ptrdiff_t a = 0; a < size; a++) /* lower images than windows: both ends at once */
    if (a >= first && a < end)
      multiply_row(s, x, g, next, sums, size, a, a + 1, 0);
}

/* Some rows of the image, pitch apart, all of whose windows are there.  As many as windows have
 * rows are written out, so that a row of g stays in one register until it has met them all: vectors
 * that are copied cost as much as multiplications, and those that are read, across lines, more. */
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

static inline ptrdiff_t between(ptrdiff_t least, ptrdiff_t n, ptrdiff_t most)
{
  return THMax(least, THMin(n, most));
}

/* A strip of some rows of the image, from top to below end, which stay in the L1 cache until the
 * next strip. */
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
  const ptrdiff_t band = THMax(LEAST, BAND / axis[2].input);
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
