/* Kernels of depthwise_nhwc: depthwise convolutions of channels-last images, and the gradients of their
 * weights, straight from the image, with planes in the lanes.  They compute a row of positions at a
 * time.  Positions whose windows leave the image skip the taps outside.  DirectConvKernels.c includes
 * this file. */

enum {
  ABREAST = 4, /* positions that are computed together */
  PAIR = 2     /* vectors of planes that are computed together */
};

/* A vector from x, of which only the first n elements are read if n is less than LANES. */
static inline Vector some_planes(const real *x, ptrdiff_t n)
{
  Vector v = {0};
  memcpy(&v, x, n >= LANES ? sizeof v : (size_t)n * sizeof *x);
  return v;
}

/* The positions [first, end) of a row whose tap b lies inside the image. */
static inline void windows_inside(const THNNWindow *w, ptrdiff_t b, ptrdiff_t *first,
                                  ptrdiff_t *end)
{
  const ptrdiff_t left = b * w->dilation - w->pad; /* the column of tap b at position 0 */
  *first = left < 0 ? THMin((-left + w->step - 1) / w->step, w->output) : 0;
  *end = left < w->input ? THMin((w->input - 1 - left) / w->step + 1, w->output) : 0;
  *end = THMax(*first, *end);
}

/* Computes positions j ... j + count - 1 of a row (slice t, row i) for `vectors` vectors of planes;
 * count and vectors are constants.  n: the planes of the last vector.  all: the windows lie inside the
 * image. */
INLINE void nhwc_positions(const THNNWindow *axis, ptrdiff_t planes, const real *x,
                           const real *given, const real *bias, const THNNActivation *activation,
                           ptrdiff_t t, ptrdiff_t i, ptrdiff_t j, real *y, ptrdiff_t next,
                           ptrdiff_t n, int count, int vectors, int all)
{
  const THNNWindow *w = &axis[2];
  Vector sum[ABREAST][PAIR];
  for (int k = 0; k < count; k++)
    for (int v = 0; v < vectors; v++)
      sum[k][v] = bias ? some_planes(bias + v * LANES, n) : (Vector){0};
  const ptrdiff_t high = axis[1].size, rows = axis[0].size * high;
  for (ptrdiff_t number = 0, a = 0, l = 0; number < rows; number++, l++) {
    if (l == high) {
      l = 0;
      a++;
    }
    const ptrdiff_t slice = t * axis[0].step + a * axis[0].dilation - axis[0].pad;
    const ptrdiff_t row = i * axis[1].step + l * axis[1].dilation - axis[1].pad;
    const real *weights = given + number * w->size * planes;
    if (slice < 0 || slice >= axis[0].input || row < 0 || row >= axis[1].input)
      continue;
    const real *from = x + (slice * axis[1].input + row) * w->input * planes;
    for (ptrdiff_t b = 0; b < w->size; b++) {
      const ptrdiff_t column = j * w->step + b * w->dilation - w->pad;
      Vector weight[PAIR];
      for (int v = 0; v < vectors; v++)
        weight[v] = some_planes(weights + b * planes + v * LANES, n);
      for (int k = 0; k < count; k++) {
        const ptrdiff_t at = column + k * w->step;
        if (!all && (at < 0 || at >= w->input))
          continue;
        for (int v = 0; v < vectors; v++)
          sum[k][v] =
              Vector_(mulAdd)(some_planes(from + at * planes + v * LANES, n), weight[v], sum[k][v]);
      }
    }
  }
  for (int k = 0; k < count; k++)
    for (int v = 0; v < vectors; v++) {
      const Vector result = activated(activation, sum[k][v]);
      memcpy(y + (j + k) * next + v * LANES, &result,
             n >= LANES ? sizeof(Vector) : (size_t)n * sizeof *y);
    }
}

/* Prefetches for ABREAST positions from j on of the next row: the rows of x that this row does not
 * read, and the results.  Inline, because gcc drops calls of functions that do nothing but prefetch. */
INLINE void fetch_next(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t t,
                       ptrdiff_t i, ptrdiff_t j, const real *y, ptrdiff_t next, int vectors)
{
  const THNNWindow *high = &axis[1], *wide = &axis[2];
  const ptrdiff_t row = wide->input * planes, columns = ABREAST * wide->step;
  const ptrdiff_t top = (i + 1) * high->step - high->pad;
  x += (t * high->input + top) * row + j * wide->step * planes;
  for (ptrdiff_t m = THMax(0, high->size - high->step); m < high->size; m++)
    for (ptrdiff_t c = 0; c < columns; c++)
      for (int v = 0; v < vectors; v++)
        __builtin_prefetch(x + m * high->dilation * row + c * planes + v * LANES);
  for (int k = 0; k < ABREAST; k++)
    for (int v = 0; v < vectors; v++)
      __builtin_prefetch(y + (wide->output + j + k) * next + v * LANES, 1);
}

/* Computes row i of slice t of the positions, for `vectors` vectors of planes. */
INLINE void nhwc_row(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                     const real *bias, const THNNActivation *activation, ptrdiff_t t, ptrdiff_t i,
                     real *y, ptrdiff_t next, ptrdiff_t n, int vectors, int isFar)
{
  const ptrdiff_t wide = axis[2].output;
  ptrdiff_t first, end, unused;
  windows_inside(&axis[2], 0, &first, &unused);
  windows_inside(&axis[2], axis[2].size - 1, &unused, &end);
  if (wide < ABREAST)
    for (ptrdiff_t j = 0; j < wide; j++)
      nhwc_positions(axis, planes, x, weights, bias, activation, t, i, j, y, next, n, 1, vectors,
                     0);
  else
    for (ptrdiff_t k = 0; k < wide;
         k += ABREAST) { /* the last ones again where there are no more */
      const ptrdiff_t j = THMin(k, wide - ABREAST);
      if (isFar)
        fetch_next(axis, planes, x, t, i, j, y, next, vectors);
      if (j >= first && j + ABREAST <= end)
        nhwc_positions(axis, planes, x, weights, bias, activation, t, i, j, y, next, n, ABREAST,
                       vectors, 1);
      else
        nhwc_positions(axis, planes, x, weights, bias, activation, t, i, j, y, next, n, ABREAST,
                       vectors, 0);
    }
}

static void slide_nhwc(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                       const real *bias, const THNNActivation *activation, ptrdiff_t row, real *y,
                       ptrdiff_t next, int isFar)
{
  const ptrdiff_t t = row / axis[1].output, i = row % axis[1].output;
  ptrdiff_t p = 0;
  for (; p + PAIR * LANES <= planes; p += PAIR * LANES)
    nhwc_row(axis, planes, x + p, weights + p, bias ? bias + p : NULL, activation, t, i, y + p,
             next, LANES, PAIR, isFar);
  for (; p < planes && planes >= LANES; p += LANES) { /* the last vector ends with the last plane */
    const ptrdiff_t from = THMin(p, planes - LANES);
    nhwc_row(axis, planes, x + from, weights + from, bias ? bias + from : NULL, activation, t, i,
             y + from, next, LANES, 1, isFar);
  }
  if (p < planes)
    nhwc_row(axis, planes, x, weights, bias, activation, t, i, y, next, planes, 1, 0);
}

/* --- sums of products ------------------------------------------------------------------------ */

/* A row of positions for the gradient of the weights. */
typedef struct {
  const THNNWindow *axis; /* the windows of columns */
  const real *x;          /* column 0 of the row of the image that the first row of taps reads */
  const real *g;          /* the gradient of the first position */
  ptrdiff_t next;         /* stride of columns, of x and of g */
  ptrdiff_t below;        /* stride of the image rows that successive rows of taps read */
} NhwcRow;

/* Adds v to sums, except for the first `skipped` lanes, which have been added before. */
INLINE void add_planes(real *sums, Vector v, ptrdiff_t skipped)
{
  if (skipped <= 0) {
    v += load(sums);
    memcpy(sums, &v, sizeof v);
    return;
  }
  for (ptrdiff_t k = skipped; k < LANES; k++)
    sums[k] += v[k];
}

/* Adds the sums of tap b over a row, for fewer planes than a vector has lanes. */
static void partial_products(const NhwcRow *r, ptrdiff_t b, ptrdiff_t planes, real *sums)
{
  ptrdiff_t first, end;
  windows_inside(r->axis, b, &first, &end);
  const real *x = r->x + (b * r->axis->dilation - r->axis->pad) * r->next;
  for (ptrdiff_t p = 0; p < planes; p++) {
    real sum = 0;
    for (ptrdiff_t j = first; j < end; j++)
      sum += x[j * r->axis->step * r->next + p] * r->g[j * r->next + p];
    sums[b * planes + p] += sum;
  }
}

/* Adds the sums over a row of positions of the taps b ... b + elements - 1 in `rows` rows of taps, for
 * `vectors` vectors of planes from p on; these three numbers are constants.  The first `skipped` planes
 * have been added before.  The sums are sums[row of taps][tap][plane]. */
INLINE void nhwc_products(const NhwcRow *r, ptrdiff_t b, ptrdiff_t planes, ptrdiff_t p,
                          ptrdiff_t skipped, real *sums, int rows, int elements, int vectors)
{
  enum { MOST_ROWS = 3, MOST_ELEMENTS = 3 };
  const THNNWindow *w = r->axis;
  const ptrdiff_t next = r->next, step = w->step * next, elementStride = w->dilation * next;
  const real *x = r->x + p + (b * w->dilation - w->pad) * next, *gradients = r->g + p;
  Vector sum[MOST_ELEMENTS][MOST_ROWS][PAIR];
  ptrdiff_t first[MOST_ELEMENTS], end[MOST_ELEMENTS], begin = 0, stop = w->output;
  for (int e = 0; e < elements; e++) {
    windows_inside(w, b + e, &first[e], &end[e]);
    begin = THMax(begin, first[e]);
    stop = THMin(stop, end[e]);
  }
  stop = THMax(begin, stop); /* at the positions [begin, stop) all these taps are in the image */
  for (int e = 0; e < elements; e++) {
    for (int a = 0; a < rows; a++)
      for (int v = 0; v < vectors; v++)
        sum[e][a][v] = (Vector){0};
    for (ptrdiff_t j = first[e] < begin ? first[e] : stop; j < end[e];
         j = j + 1 == begin ? stop : j + 1)
      for (int a = 0; a < rows; a++)
        for (int v = 0; v < vectors; v++)
          sum[e][a][v] =
              Vector_(mulAdd)(load(x + a * r->below + j * step + e * elementStride + v * LANES),
                              load(gradients + j * next + v * LANES), sum[e][a][v]);
  }
  for (ptrdiff_t j = begin; j < stop; j++) {
    const real *at = x + j * step, *g = gradients + j * next;
    Vector factor[PAIR];
    for (int v = 0; v < vectors; v++)
      factor[v] = load(g + v * LANES);
    for (int a = 0; a < rows; a++)
      for (int e = 0; e < elements; e++)
        for (int v = 0; v < vectors; v++)
          sum[e][a][v] = Vector_(mulAdd)(load(at + a * r->below + e * elementStride + v * LANES),
                                         factor[v], sum[e][a][v]);
  }
  sums += b * planes + p;
  for (int a = 0; a < rows; a++)
    for (int e = 0; e < elements; e++)
      for (int v = 0; v < vectors; v++)
        add_planes(sums + (a * w->size + e) * planes + v * LANES, sum[e][a][v],
                   skipped - v * LANES);
}

/* nhwc_products for all planes, at least vectors * LANES.  The last block of planes is moved back so
 * that it ends with the last plane. */
INLINE void all_planes_products(const NhwcRow *r, ptrdiff_t b, ptrdiff_t planes, real *sums,
                                int rows, int elements, int vectors)
{
  for (ptrdiff_t p = 0; p < planes; p += vectors * LANES) {
    const ptrdiff_t from = THMin(p, planes - vectors * LANES);
    nhwc_products(r, b, planes, from, p - from, sums, rows, elements, vectors);
  }
}

static void slide_nhwc_sums(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t next,
                            const real *g, ptrdiff_t row, real *sums)
{
  const THNNWindow *w = &axis[2];
  const ptrdiff_t t = row / axis[1].output, i = row % axis[1].output;
  const ptrdiff_t line = w->input * next, top = i * axis[1].step - axis[1].pad;
  NhwcRow r = {.axis = w, .g = g, .next = next, .below = axis[1].dilation * line};
  if (axis[0].size == 1 && axis[1].size == 3 && w->size == 3 && axis[0].pad == 0 && top >= 0 &&
      top + 2 * axis[1].dilation < axis[1].input && planes >= LANES) {
    r.x = x + (t * axis[0].step * axis[1].input + top) * line;
    all_planes_products(&r, 0, planes, sums, 3, 3, 1);
    return;
  }
  for (ptrdiff_t a = 0; a < axis[0].size * axis[1].size; a++, sums += w->size * planes) {
    const ptrdiff_t slice = t * axis[0].step + a / axis[1].size * axis[0].dilation - axis[0].pad;
    const ptrdiff_t from = top + a % axis[1].size * axis[1].dilation;
    if (slice < 0 || slice >= axis[0].input || from < 0 || from >= axis[1].input)
      continue;
    r.x = x + (slice * axis[1].input + from) * line;
    for (ptrdiff_t b = 0, left = w->size; left > 0; left = w->size - b) {
      if (planes >= PAIR * LANES && left >= 3) {
        all_planes_products(&r, b, planes, sums, 1, 3, PAIR);
        b += 3;
      } else if (planes >= LANES) {
        all_planes_products(&r, b++, planes, sums, 1, 1, 1);
      } else {
        partial_products(&r, b++, planes, sums);
      }
    }
  }
}
