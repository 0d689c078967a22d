/* The transforms of images and of filters for 3 x 3 filters (part of Winograd3x3Kernels.c). */

/* Two of the six values of a tile in one dimension: pair 0 at the points P and -P, pair 1 at 0 and infinity,
 * pair 2 at Q and -Q.  The value at a point is the dot product of d with the coefficients of the
 * polynomial that is 0 at the other points (at all points but infinity, for infinity).
 *
 * isShort: there are four elements and the first four points.  The polynomials are 0 at the others of
 * these four.  The transformed filters are those of whole tiles, divided by the distances to Q and -Q
 * as well; so the values of the tile are multiplied by the product of these: P2 - Q2 at P and -P, -Q2 at
 * 0. */
INLINE void two_of_image(const Vector *d, int isShort, int pair, Vector *v)
{
  if (isShort && pair == 0) {
    const Vector middle = times(P2 - Q2, d[2]);
    v[0] = add(d[1], P * (P2 - Q2), middle);
    v[1] = add(d[1], -P * (P2 - Q2), middle);
  } else if (isShort) {
    v[2] = add(d[2], -Q2, times(P2 * Q2, d[0]));
    v[3] = add(d[1], -P2, d[3]);
  } else if (pair == 0) {
    const Vector odd = add(d[1], -Q2, d[3]), even = add(d[2], -Q2, d[4]);
    v[0] = add(odd, P, even);
    v[1] = add(odd, -P, even);
  } else if (pair == 1) {
    v[2] = add(d[0], P2 * Q2, add(d[2], -(P2 + Q2), d[4]));
    v[3] = add(d[1], P2 * Q2, add(d[3], -(P2 + Q2), d[5]));
  } else {
    const Vector odd = add(d[1], -P2, d[3]), even = add(d[2], -P2, d[4]);
    v[4] = add(odd, Q, even);
    v[5] = add(odd, -Q, even);
  }
}

/* The transform down the columns: writes a line of values for each point of the pairs [first, end). */
INLINE void image_columns(const real *const *rows, ptrdiff_t columnStride, ptrdiff_t columns,
                          int isLow, int first, int end, real *lines, ptrdiff_t pitch)
{
  for (ptrdiff_t j = 0; j < columns; j++) {
    Vector d[SIDE], v[SIDE];
    for (int k = 0; k < (isLow ? SHORT_POINTS : SIDE); k++)
      d[k] = load(rows[k] + j * columnStride);
    if (columnStride > LANES) /* channels-last: prefetch the next planes */
      for (int k = 0; k < STEP; k++)
        __builtin_prefetch(rows[k] + j * columnStride + LANES);
    for (int pair = 0; pair < (isLow ? SHORT_POINTS : SIDE) / 2; pair++)
      if (first <= pair && pair < end) {
        two_of_image(d, isLow, pair, v);
        for (int a = 2 * pair; a < 2 * pair + 2; a++)
          store(lines + a * pitch + j * LANES, v[a]);
      }
  }
}

/* The transform of one tile across a line of values. */
INLINE void image_tile(const real *line, int isNarrow, real *const *v, ptrdiff_t tile)
{
  Vector d[SIDE], values[SIDE];
  for (int k = 0; k < (isNarrow ? SHORT_POINTS : SIDE); k++)
    d[k] = load(line + (STEP * tile + k) * LANES);
  for (int pair = 0; pair < (isNarrow ? SHORT_POINTS : SIDE) / 2; pair++)
    two_of_image(d, isNarrow, pair, values);
  for (int b = 0; b < (isNarrow ? SHORT_POINTS : SIDE); b++)
    store(v[b] + tile * LANES, values[b]);
}

static void images(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                   const real *const *rows, ptrdiff_t columnStride, ptrdiff_t column,
                   ptrdiff_t wide, real *lines, real *v, ptrdiff_t next)
{
  const ptrdiff_t columns = THNNTiles_columns(t), pitch = columns * LANES;
  const ptrdiff_t begin = THMax(0, column), there = THMin(columns, column + wide) - begin;
  const int isLow = THNNTiles_isLow(t, i), points = isLow ? SHORT_POINTS : SIDE;
  const real *from[SIDE];
  for (int k = 0; k < SIDE; k++)
    from[k] = rows[k] + (begin - column) * columnStride;
  if (isLow)
    image_columns(from, columnStride, there, 1, first / 2, (end + 1) / 2, lines + begin * LANES,
                  pitch);
  else if (first == 0 && end == SIDE)
    image_columns(from, columnStride, there, 0, 0, SIDE / 2, lines + begin * LANES, pitch);
  else
    image_columns(from, columnStride, there, 0, first / 2, (end + 1) / 2, lines + begin * LANES,
                  pitch);
  for (int a = first; a < THMin(end, points); a++) {
    real *to[SIDE];
    for (int b = 0; b < SIDE; b++)
      to[b] = v + ((a - first) * SIDE + b) * next + THNNTiles_before(t, image, i, a, b) * LANES;
    const ptrdiff_t whole = THNNTiles_across(t, SIDE - 1);
    for (ptrdiff_t j = 0; j < whole; j++)
      image_tile(lines + a * pitch, 0, to, j);
    if (t->isNarrow)
      image_tile(lines + a * pitch, 1, to, whole);
  }
}

/* --- filters --------------------------------------------------------------------------------- */

/* A point and its powers, over the product of its distances to the other points. */
#define POINT(X, PRODUCT) {1 / (PRODUCT), (X) / (PRODUCT), (X) * (X) / (PRODUCT)}
static const double ofFilter[SIDE][SIZE] = {
    POINT(P, 2 * P2 * (P2 - Q2)), POINT(-P, 2 * P2 * (P2 - Q2)), POINT(0., P2 *Q2), {0, 0, 1},
    POINT(Q, 2 * Q2 * (Q2 - P2)), POINT(-Q, 2 * Q2 * (Q2 - P2)),
};

/* The value of a filter of three taps at point a. */
static inline Vector of_filter(int a, const Vector *g)
{
  const Vector first = g[0] * (real)ofFilter[a][0];
  return add(g[2], ofFilter[a][2], add(g[1], ofFilter[a][1], first));
}

static void filters(int first, int end, int backward, ptrdiff_t vectors, const real *m, real *u,
                    ptrdiff_t next)
{
  const ptrdiff_t width = vectors * LANES;
  for (ptrdiff_t o = 0; o < width; o += LANES) {
    Vector g[SIZE][SIZE]; /* column, row */
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) {
        const int k = i * SIZE + j;
        g[j][i] = load(m + (backward ? SIZE * SIZE - 1 - k : k) * width + o);
      }
    for (int a = first; a < end; a++) {
      Vector h[SIZE];
      for (int j = 0; j < SIZE; j++)
        h[j] = of_filter(a, g[j]);
      for (int b = 0; b < SIDE; b++)
        store(u + ((a - first) * SIDE + b) * next + o, of_filter(b, h));
    }
  }
}
