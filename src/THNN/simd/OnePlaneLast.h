/* Convolutions of one plane with one window each, of images whose planes lie last: vectors of
 * planes, straight from the image.  A row of windows at a time; windows that leave the image are
 * computed one by one, without what is not there.  Direct.c includes this. */

enum { ABREAST = 4 /* windows */, PAIR = 2 /* vectors of planes */ };

/* n elements, or a vector. */
static inline Vector some_planes(const real *x, ptrdiff_t n)
{
  Vector v = {0};
  memcpy(&v, x, n >= LANES ? sizeof v : (size_t)n * sizeof *x);
  return v;
}

/* The first and the last but one of the windows of a row that have element b in the image. */
static inline void windows_inside(const THNNWindow *w, ptrdiff_t b, ptrdiff_t *first,
                                  ptrdiff_t *end)
{
  const ptrdiff_t left = b * w->dilation - w->pad; /* the column of window 0 */
  *first = left < 0 ? THMin((-left + w->step - 1) / w->step, w->output) : 0;
  *end = left < w->input ? THMin((w->input - 1 - left) / w->step + 1, w->output) : 0;
  *end = THMax(*first, *end);
}

/* Windows from j on, count of them and of the vectors of planes, which are constants; n: planes of
 * the last vector; all: they are all in the image. */
INLINE void last_windows(const THNNWindow *axis, ptrdiff_t planes, const real *x,
                         const real *weights, const real *bias, ptrdiff_t t, ptrdiff_t i,
                         ptrdiff_t j, real *y, ptrdiff_t n, int count, int vectors, int all)
{
  const THNNWindow *w = &axis[2];
  Vector sum[ABREAST][PAIR];
  for (int k = 0; k < count; k++)
    for (int v = 0; v < vectors; v++)
      sum[k][v] = bias ? some_planes(bias + v * LANES, n) : (Vector){0};
  for (ptrdiff_t a = 0; a < axis[0].size * axis[1].size; a++, weights += w->size * planes) {
    const ptrdiff_t slice = t * axis[0].step + a / axis[1].size * axis[0].dilation - axis[0].pad;
    const ptrdiff_t row = i * axis[1].step + a % axis[1].size * axis[1].dilation - axis[1].pad;
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
              MULTIPLY_ADD(some_planes(from + at * planes + v * LANES, n), weight[v], sum[k][v]);
      }
    }
  }
  for (int k = 0; k < count; k++)
    for (int v = 0; v < vectors; v++)
      memcpy(y + (j + k) * planes + v * LANES, &sum[k][v],
             n >= LANES ? sizeof(Vector) : (size_t)n * sizeof *y);
}

INLINE void last_row(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                     const real *bias, ptrdiff_t t, ptrdiff_t i, real *y, ptrdiff_t n, int vectors)
{
  const ptrdiff_t wide = axis[2].output;
  ptrdiff_t first, end, unused;
  windows_inside(&axis[2], 0, &first, &unused);
  windows_inside(&axis[2], axis[2].size - 1, &unused, &end);
  if (wide < ABREAST)
    for (ptrdiff_t j = 0; j < wide; j++)
      last_windows(axis, planes, x, weights, bias, t, i, j, y, n, 1, vectors, 0);
  else
    for (ptrdiff_t k = 0; k < wide;
         k += ABREAST) { /* the last ones again where there are no more */
      const ptrdiff_t j = THMin(k, wide - ABREAST);
      if (j >= first && j + ABREAST <= end)
        last_windows(axis, planes, x, weights, bias, t, i, j, y, n, ABREAST, vectors, 1);
      else
        last_windows(axis, planes, x, weights, bias, t, i, j, y, n, ABREAST, vectors, 0);
    }
}

static void slide_last(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                       const real *bias, ptrdiff_t row, real *y)
{
  const ptrdiff_t t = row / axis[1].output, i = row % axis[1].output;
  y += row * axis[2].output * planes;
  ptrdiff_t p = 0;
  for (; p + PAIR * LANES <= planes; p += PAIR * LANES)
    last_row(axis, planes, x + p, weights + p, bias ? bias + p : NULL, t, i, y + p, LANES, PAIR);
  for (; p + LANES <= planes; p += LANES)
    last_row(axis, planes, x + p, weights + p, bias ? bias + p : NULL, t, i, y + p, LANES, 1);
  if (p < planes)
    last_row(axis, planes, x + p, weights + p, bias ? bias + p : NULL, t, i, y + p, planes - p, 1);
}
