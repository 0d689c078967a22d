/* Convolutions of one plane with one small window that slides by 1, straight from the image: the
 * vectors of its rows, shifted by each element of the window, and masked where they leave it.
 * Several rows of the result are computed together, so that a row of the image is read once.
 * Direct.c includes this where vectors can be masked. */

enum {
  STRIPS = 32,
  TOGETHER = 4,
  BESIDE = 2,
  PLANES = THNN_SLIDING,
  WIDEST = 5,
  BAND = 4096 / sizeof(real), /* elements of the rows that strips go down together, about, */
  LEAST = 8,                  /* and rows */
  FETCHED = 4096 / sizeof(real)
};

/* As many columns of the result as a vector has elements. */
typedef struct {
  ptrdiff_t begin;         /* the first one */
  int whole;               /* they, and what they need of the image, are all there */
  uint16_t wanted;         /* those that there are */
  uint16_t inside[WIDEST]; /* those for which element b of a row of the window is in the image */
} Strip;

static inline Strip strip_at(const THNNWindow *w, ptrdiff_t begin)
{
  Strip s = {.begin = begin, .wanted = lanes_between(-begin, w->output - begin)};
  for (ptrdiff_t b = 0; b < w->size; b++)
    s.inside[b] = s.wanted & lanes_between(w->pad - begin - b, w->input + w->pad - begin - b);
  const uint16_t all = lanes_between(0, LANES);
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
  const real *from[BESIDE];
  Vector sum[PLANES][TOGETHER][BESIDE];
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
        Vector v[BESIDE];
#pragma GCC unroll 2
        for (int t = 0; t < strips; t++)
          if (whole)
            memcpy(&v[t], from[t] + r * pitch + b, sizeof v[t]);
          else
            v[t] = (Vector)MASKED_LOAD(s[t].inside[b], from[t] + r * pitch + b);
#pragma GCC unroll 2
        for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
          for (int k = 0; k < rows; k++) /* row r is element r - k of the windows of row k */
            if (r >= k && r - k < size) {
              const Vector w = slide->weight[(p * size + r - k) * size + b] - (Vector){0};
#pragma GCC unroll 2
              for (int t = 0; t < strips; t++)
                sum[p][k][t] = MULTIPLY_ADD(v[t], w, sum[p][k][t]);
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
          MASKED_STORE(y, s[t].wanted, sum[p][k][t]);
      }
}

INLINE void slide_rows(const Slide *slide, const Strip *strip, ptrdiff_t strips, ptrdiff_t i,
                       int planes, int rows, int size)
{
  for (ptrdiff_t k = 0; k < strips; k++)
    if (rows == TOGETHER && k + 1 < strips && strip[k].whole && strip[k + 1].whole) {
      slide_strips(slide, &strip[k], i, planes, rows, size, BESIDE, 1);
      k++;
    } else if (rows == TOGETHER && strip[k].whole) {
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
    if (rows >= TOGETHER)
      for (ptrdiff_t i = 0; i < rows; i += TOGETHER)
        slide_rows(slide, strip, strips, THMin(i, rows - TOGETHER), planes, TOGETHER, size);
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

INLINE Vector row_of(const THNNWindow *axis, const Strip *s, const real *g, ptrdiff_t i)
{
  if (i < 0 || i >= axis[1].output)
    return (Vector){0};
  const real *from = g + i * axis[2].output + s->begin;
  __builtin_prefetch(from + FETCHED);
  return (Vector)MASKED_LOAD(s->wanted, from);
}

/* Rows of a strip of the image from top to below end, times the rows of g whose windows have them:
 * row a of rows has the image's row as element a of its windows; all: these are all in g.  Rows and
 * sums stay in registers. */
INLINE void multiply_rows(const THNNWindow *axis, const Strip *s, ptrdiff_t top, ptrdiff_t end,
                          const real *x, const real *g, Vector *rows, Vector *sums, ptrdiff_t size,
                          int all)
{
  const ptrdiff_t pad = axis[1].pad;
  const real *from = x + top * axis[2].input + s->begin - axis[2].pad;
  for (ptrdiff_t r = top; r < end; r++, from += axis[2].input) {
    rows[0] = row_of(axis, s, g, r + pad);
    __builtin_prefetch(from + FETCHED);
    if (all) {
#pragma GCC unroll 5
      for (ptrdiff_t b = 0; b < size; b++) {
        const Vector v = (Vector)MASKED_LOAD(s->inside[b], from + b);
#pragma GCC unroll 5
        for (ptrdiff_t a = 0; a < size; a++)
          sums[a * size + b] = MULTIPLY_ADD(v, rows[a], sums[a * size + b]);
      }
    } else {
#pragma GCC unroll 5
      for (ptrdiff_t a = 0; a < size; a++) /* nothing is multiplied by what is not there */
        if (r - a + pad >= 0 && r - a + pad < axis[1].output) {
#pragma GCC unroll 5
          for (ptrdiff_t b = 0; b < size; b++) {
            const Vector v = (Vector)MASKED_LOAD(s->inside[b], from + b);
            sums[a * size + b] = MULTIPLY_ADD(v, rows[a], sums[a * size + b]);
          }
        }
    }
#pragma GCC unroll 5
    for (ptrdiff_t a = size - 1; a > 0; a--)
      rows[a] = rows[a - 1];
  }
}

static inline ptrdiff_t between(ptrdiff_t least, ptrdiff_t n, ptrdiff_t most)
{
  return THMax(least, THMin(n, most));
}

/* A strip of some rows of the image, which stay in the first cache until the next strip. */
INLINE void sum_strip(const THNNWindow *axis, const Strip *s, ptrdiff_t top, ptrdiff_t end,
                      const real *x, const real *g, Vector *sum, ptrdiff_t size)
{
  const ptrdiff_t first = between(top, size - 1 - axis[1].pad, end);
  const ptrdiff_t last = between(first, axis[1].output - axis[1].pad, end);
  Vector rows[WIDEST], sums[WIDEST * WIDEST];
#pragma GCC unroll 25
  for (ptrdiff_t k = 0; k < size * size; k++)
    sums[k] = sum[k];
#pragma GCC unroll 5
  for (ptrdiff_t a = 1; a < size; a++)
    rows[a] = row_of(axis, s, g, top + axis[1].pad - a);
  multiply_rows(axis, s, top, first, x, g, rows, sums, size, 0);
  multiply_rows(axis, s, first, last, x, g, rows, sums, size, 1);
  multiply_rows(axis, s, last, end, x, g, rows, sums, size, 0);
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
