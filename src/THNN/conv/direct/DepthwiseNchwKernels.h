/* Kernels of depthwise_nchw: convolutions of one plane with small filters and stride 1, straight from
 * the image.  They read vectors of image rows, shifted by each tap and masked at the image's edges.
 * Several rows of the result are computed together, so that a row of the image is read once.
 * DirectConvKernels.c includes this file where vectors can be masked. */

enum {
  STRIPS = 32,                  /* strips whose masks are computed together, at most */
  ROWS = 4,                     /* rows of the result that are computed together */
  VECTORS = 2,                  /* strips that are computed together */
  PLANES = THNN_SLIDE_FILTERS,  /* filters that are computed together */
  WIDEST = 5,                   /* taps of a row of a filter, at most */
  BAND = 4096 / sizeof(real),   /* elements of x in a band of rows: it stays in L1 for all strips */
  LEAST = 8,                    /* rows of a band, at least */
  FETCHED = 4096 / sizeof(real) /* the prefetch distance in elements */
};

/* A strip: as many columns of the result as a vector has lanes. */
typedef struct {
  ptrdiff_t begin;     /* its first column */
  int whole;           /* all its columns exist, and all their taps are inside the image */
  Mask wanted;         /* the columns that exist */
  Mask inside[WIDEST]; /* inside[b]: the columns whose tap b of a row is inside the image */
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

/* The operands of slide: one plane x; filters, biases and result planes, each contiguous. */
typedef struct {
  const THNNWindow *axis;
  const real *x, *weight, *bias;
  const THNNActivation *activation; /* or NULL */
  real *y;
} Slide;

/* Stores the lanes that are wanted; whole, which is a constant, says that all are. */
INLINE void put(real *y, Mask wanted, int whole, Vector v)
{
  if (whole)
    store(y, v);
  else
    Vector_(storeMasked)(y, wanted, v);
}

INLINE void activate_sums(const THNNActivation *a, int planes, int rows, int strips,
                          Vector sum[PLANES][ROWS][VECTORS])
{
#pragma GCC unroll 2
  for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++)
#pragma GCC unroll 2
      for (int t = 0; t < strips; t++)
        sum[p][k][t] = activated(a, sum[p][k][t]);
}

/* Computes rows i ... i + rows - 1 of `strips` strips for `planes` filters of size x size.  All these
 * numbers are constants, so that the loops are unrolled; so is whole, which says that the strips need
 * no masks.  Two strips of two filters make enough independent sums to hide the latency of
 * multiplications. */
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
          for (int k = 0; k < rows;
               k++) /* image row r is row r - k of the filter for result row k */
            if (r >= k && r - k < size) {
              const Vector w = slide->weight[(p * size + r - k) * size + b] - (Vector){0};
#pragma GCC unroll 2
              for (int t = 0; t < strips; t++)
                sum[p][k][t] = Vector_(mulAdd)(v[t], w, sum[p][k][t]);
            }
      }
    }
  }
  if (slide->activation)
    activate_sums(slide->activation, planes, rows, strips, sum);
#pragma GCC unroll 2
  for (int p = 0; p < planes; p++)
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++)
#pragma GCC unroll 2
      for (int t = 0; t < strips; t++) {
        real *y = slide->y + p * plane + (i + k) * axis[2].output + s[t].begin;
        put(y, s[t].wanted, whole, sum[p][k][t]);
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
    for (ptrdiff_t k = 0; k < strips; k++) /* the last strip overlaps the one before it */
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
                  const real *bias, const THNNActivation *activation, real *y)
{
  const Slide slide = {axis, x, weight, bias, activation, y};
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
