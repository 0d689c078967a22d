/* Kernels of winograd3x3: the transforms, as loops over vectors, the products, and copies of rows. */
#include "THNN/layer/Template.h"

#include "TH/simd/THTranspose.h"
#include "TH/simd/THSimdReal.h"
#include "THNN/conv/Activation.h"

enum {
  SIDE = THNN_WINOGRAD_SIDE,
  STEP = THNN_WINOGRAD_STEP,
  SIZE = THNN_WINOGRAD_SIZE,
  SHORT_POINTS = THNN_WINOGRAD_SHORT
};

/* a * factor + c. */
static inline Vector add(Vector a, double factor, Vector c)
{
  const Vector f = (real)factor - (Vector){0};
  return Vector_(mulAdd)(a, f, c);
}

static inline Vector times(double factor, Vector a)
{
  return a * (real)factor;
}

/* The points are P, -P, 0, infinity, Q and -Q.  All these constants are exact in float. */
#define P  0.625
#define Q  1.5
#define P2 (P * P)
#define Q2 (Q * Q)

#include "Winograd3x3Transforms.h"

/* --- products -------------------------------------------------------------------------------- */

#if TH_VECTOR == 64
enum { MOST_TILES = 14 }; /* tiles whose sums, two vectors each, fit the registers */
#else
enum { MOST_TILES = 6 };
#endif
enum {
  PLANES = 16384 / VECTOR, /* planes whose weights stay in the L1 cache */
  LINE = 64 / sizeof(real)
};

/* Adds the products of one plane: an element of each tile times the weights u. */
INLINE void add_products(int tiles, int vectors, const real *x, const real *u, Vector (*sum)[2])
{
  Vector factor[2];
  for (int o = 0; o < vectors; o++)
    factor[o] = load(u + o * LANES);
#pragma GCC unroll 14
  for (int t = 0; t < tiles; t++) {
    const Vector element = x[t * LANES] - (Vector){0};
    for (int o = 0; o < vectors; o++)
      sum[t][o] = Vector_(mulAdd)(element, factor[o], sum[t][o]);
  }
}

/* Sums up the products of a few tiles over all planes.  With each vector of planes it prefetches the next
 * vector (after the last one, the first vector of the next tiles), because the processor does not
 * predict these addresses.  It also prefetches the products, for writing, and with each vector `lines`
 * cache lines of the next weights, from `ahead` on, into the L2 cache. */
INLINE void some_tiles(int tiles, int vectors, ptrdiff_t planes, const real *v,
                       ptrdiff_t nextPlanes, const real *u, int more, real *products,
                       const real *ahead, ptrdiff_t lines)
{
  const int width = vectors * LANES;
  Vector sum[MOST_TILES][2];
#pragma GCC unroll 14
  for (int t = 0; t < tiles; t++)
    for (int o = 0; o < vectors; o++)
      sum[t][o] = (Vector){0};
  const real *const next = v + tiles * LANES;
  ptrdiff_t p = 0;
  for (; p + LANES <= planes; p += LANES, v += nextPlanes) {
    const real *coming = p + 2 * LANES <= planes ? v + nextPlanes : next;
    for (int k = 0; k < tiles * LANES; k += LINE)
      __builtin_prefetch(coming + k);
    if (p / LANES < tiles)
      for (int o = 0; o < width; o += LINE)
        __builtin_prefetch(products + p / LANES * width + o, 1);
    for (ptrdiff_t k = 0; k < lines; k++, ahead += LINE)
      __builtin_prefetch(ahead, 0, 2);
#pragma GCC unroll 2
    for (int l = 0; l < LANES; l++, u += width)
      add_products(tiles, vectors, v + l, u, sum);
  }
  for (v += LANES - (planes - p); p < planes; p++, v++, u += width)
    add_products(tiles, vectors, v, u, sum);
#pragma GCC unroll 14
  for (int t = 0; t < tiles; t++)
    for (int o = 0; o < vectors; o++) {
      real *to = products + t * width + o * LANES;
      store(to, more ? load(to) + sum[t][o] : sum[t][o]);
    }
}

/* clang-format off */
#define TILES(COUNT)                                                                                     \
  case COUNT: some_tiles(COUNT, vectors, planes, v, nextPlanes, u, more, products, ahead, lines); break;
/* clang-format on */

INLINE void as_many_tiles(ptrdiff_t tiles, int vectors, ptrdiff_t planes, const real *v,
                          ptrdiff_t nextPlanes, const real *u, int more, real *products,
                          const real *ahead, ptrdiff_t lines)
{
  switch (tiles) {
    TILES(1)
    TILES(2)
    TILES(3)
    TILES(4)
    TILES(5)
    TILES(6)
#if TH_VECTOR == 64
    TILES(7)
    TILES(8)
    TILES(9)
    TILES(10)
    TILES(11)
    TILES(12)
    TILES(13)
    TILES(14)
#endif
  }
}

static void multiply(ptrdiff_t tiles, ptrdiff_t planes, const real *v, ptrdiff_t nextPlanes,
                     const real *u, ptrdiff_t vectors, real *products)
{
  if (tiles == 0) /* all tiles are short and lack this point */
    return;
  const ptrdiff_t groups = (tiles + MOST_TILES - 1) / MOST_TILES;
  for (ptrdiff_t p = 0; p < planes; p += PLANES, v += PLANES / LANES * nextPlanes) {
    const ptrdiff_t these = THMin(PLANES, planes - p), size = these * vectors * LANES;
    const ptrdiff_t times = groups * ((these + LANES - 1) / LANES);
    const ptrdiff_t lines = (size / LINE + times - 1) / times;
    const real *ahead = u + size;
    for (ptrdiff_t group = 0, t = 0; group < groups; group++) {
      const ptrdiff_t count = tiles * (group + 1) / groups - t;
      real *to = products + t * vectors * LANES;
      if (vectors == 1)
        as_many_tiles(count, 1, these, v + t * LANES, nextPlanes, u, p > 0, to, ahead, lines);
      else
        as_many_tiles(count, 2, these, v + t * LANES, nextPlanes, u, p > 0, to, ahead, lines);
      t += count;
      ahead += lines * (times / groups) * LINE;
    }
    u += size;
  }
}

/* --- results --------------------------------------------------------------------------------- */

/* Four results from six products, or two from the first four if isShort: y[k] is the sum over the points
 * of point^k * m[point].  The point infinity adds to the highest y only. */
INLINE void of_products(const Vector *m, int isShort, Vector *y)
{
  const Vector evenP = m[0] + m[1], oddP = m[0] - m[1];
  if (isShort) {
    y[0] = m[2] + evenP;
    y[1] = add(oddP, P, m[3]);
    return;
  }
  const Vector evenQ = m[4] + m[5], oddQ = m[4] - m[5];
  y[0] = m[2] + evenP + evenQ;
  y[1] = add(oddQ, Q, times(P, oddP));
  y[2] = add(evenQ, Q2, times(P2, evenP));
  y[3] = add(oddQ, Q * Q2, add(oddP, P * P2, m[3]));
}

/* The results of one tile: transforms across, to four columns of six values, and then down, for the rows
 * and columns inside the image. */
INLINE void result_tile(const real *(*products)[SIDE], int first, int end, ptrdiff_t offset,
                        int isLow, int isNarrow, real *lines, const real *start,
                        const THNNActivation *activation, ptrdiff_t high, ptrdiff_t wide, real *y,
                        ptrdiff_t nextRow, ptrdiff_t nextColumn)
{
  for (int a = first; a < end; a++) {
    Vector m[SIDE], line[STEP];
    for (int b = 0; b < (isNarrow ? SHORT_POINTS : SIDE); b++)
      m[b] = load(products[a][b] + offset);
    of_products(m, isNarrow, line);
    for (int k = 0; k < (isNarrow ? 2 : STEP); k++)
      store(lines + (a * STEP + k) * LANES, line[k]);
  }
  for (int j = 0; j < (isNarrow ? 2 : STEP); j++)
    if (j < wide) {
      Vector m[SIDE], sums[STEP];
      for (int a = 0; a < (isLow ? SHORT_POINTS : SIDE); a++)
        m[a] = load(lines + (a * STEP + j) * LANES);
      of_products(m, isLow, sums);
      for (int k = 0; k < (isLow ? 2 : STEP); k++)
        if (k < high) {
          real *to = y + k * nextRow + j * nextColumn;
          store(to, activated(activation, sums[k] + load(start ? start : to)));
          if (nextColumn > LANES) /* channels-last: prefetch the next tile's results, for writing */
            __builtin_prefetch(to + STEP * nextColumn, 1);
        }
    }
}

INLINE void result_tiles(const real *(*products)[SIDE], int first, int end, ptrdiff_t width,
                         ptrdiff_t whole, int isLow, int isNarrow, real *lines, const real *start,
                         const THNNActivation *activation, ptrdiff_t high, ptrdiff_t wide, real *y,
                         ptrdiff_t nextRow, ptrdiff_t columnStride)
{
  ptrdiff_t j = 0;
  for (; j < whole && start && high >= STEP && (j + 1) * STEP <= wide; j++)
    result_tile(products, first, end, j * width, isLow, 0, lines, start, activation, STEP, STEP,
                y + j * STEP * columnStride, nextRow, columnStride);
  for (; j < whole; j++)
    result_tile(products, first, end, j * width, isLow, 0, lines, start, activation, high,
                wide - j * STEP, y + j * STEP * columnStride, nextRow, columnStride);
  if (isNarrow)
    result_tile(products, first, end, j * width, isLow, 1, lines, start, activation, high,
                wide - j * STEP, y + j * STEP * columnStride, nextRow, columnStride);
}

static void results(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                    const real *products, ptrdiff_t width, ptrdiff_t next, const real *start,
                    const THNNActivation *activation, ptrdiff_t high, ptrdiff_t wide, real *lines,
                    real *y, ptrdiff_t nextRow, ptrdiff_t columnStride)
{
  const ptrdiff_t whole = THNNTiles_across(t, SIDE - 1);
  const int isLow = THNNTiles_isLow(t, i);
  end = THMin(end, isLow ? SHORT_POINTS : SIDE);
  const real *from[SIDE][SIDE];
  for (int a = first; a < end; a++)
    for (int b = 0; b < SIDE; b++)
      from[a][b] =
          products + ((a - first) * SIDE + b) * next + THNNTiles_before(t, image, i, a, b) * width;
  if (isLow)
    result_tiles(from, first, end, width, whole, 1, t->isNarrow, lines, start, activation, high,
                 wide, y, nextRow, columnStride);
  else if (first == 0 && end == SIDE)
    result_tiles(from, 0, SIDE, width, whole, 0, t->isNarrow, lines, start, activation, high, wide,
                 y, nextRow, columnStride);
  else
    result_tiles(from, first, end, width, whole, 0, t->isNarrow, lines, start, activation, high,
                 wide, y, nextRow, columnStride);
}

/* --- gradients of filters --------------------------------------------------------------------- */

/* The values of a polynomial of four coefficients at the six points; if isShort, of two coefficients at
 * the first four points. */
INLINE void of_gradients(const Vector *g, int isShort, Vector *z)
{
  if (isShort) {
    z[0] = add(g[1], P, g[0]);
    z[1] = add(g[1], -P, g[0]);
    z[2] = g[0];
    z[3] = g[1];
    return;
  }
  const Vector evenP = add(g[2], P2, g[0]), oddP = add(g[3], P2, g[1]);
  const Vector evenQ = add(g[2], Q2, g[0]), oddQ = add(g[3], Q2, g[1]);
  z[0] = add(oddP, P, evenP);
  z[1] = add(oddP, -P, evenP);
  z[2] = g[0];
  z[3] = g[3];
  z[4] = add(oddQ, Q, evenQ);
  z[5] = add(oddQ, -Q, evenQ);
}

/* The values of one tile of the gradient: transforms down, to four columns of six values, and then across.
 * Elements outside the image count as 0. */
INLINE void gradient_tile(const real *y, ptrdiff_t high, ptrdiff_t wide, ptrdiff_t nextRow,
                          ptrdiff_t nextColumn, int isLow, int isNarrow, int first, int end,
                          real *lines, real *const (*z)[SIDE], ptrdiff_t offset)
{
  for (int j = 0; j < (isNarrow ? 2 : STEP); j++) {
    Vector g[STEP], column[SIDE];
    for (int k = 0; k < (isLow ? 2 : STEP); k++)
      g[k] = k < high && j < wide ? load(y + k * nextRow + j * nextColumn) : (Vector){0};
    of_gradients(g, isLow, column);
    for (int a = 0; a < (isLow ? SHORT_POINTS : SIDE); a++)
      store(lines + (a * STEP + j) * LANES, column[a]);
  }
  for (int a = first; a < end; a++) {
    Vector g[STEP], values[SIDE];
    for (int k = 0; k < (isNarrow ? 2 : STEP); k++)
      g[k] = load(lines + (a * STEP + k) * LANES);
    of_gradients(g, isNarrow, values);
    for (int b = 0; b < (isNarrow ? SHORT_POINTS : SIDE); b++)
      store(z[a][b] + offset, values[b]);
  }
}

INLINE void gradient_tiles(const real *y, ptrdiff_t high, ptrdiff_t wide, ptrdiff_t nextRow,
                           ptrdiff_t columnStride, ptrdiff_t whole, int isLow, int isNarrow,
                           int first, int end, real *lines, real *const (*z)[SIDE], ptrdiff_t width)
{
  ptrdiff_t j = 0;
  for (; j < whole && high >= STEP && (j + 1) * STEP <= wide; j++)
    gradient_tile(y + j * STEP * columnStride, STEP, STEP, nextRow, columnStride, isLow, 0, first,
                  end, lines, z, j * width);
  for (; j < whole; j++)
    gradient_tile(y + j * STEP * columnStride, high, wide - j * STEP, nextRow, columnStride, isLow,
                  0, first, end, lines, z, j * width);
  if (isNarrow)
    gradient_tile(y + j * STEP * columnStride, high, wide - j * STEP, nextRow, columnStride, isLow,
                  1, first, end, lines, z, j * width);
}

static void gradients(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                      const real *y, ptrdiff_t high, ptrdiff_t wide, ptrdiff_t nextRow,
                      ptrdiff_t columnStride, real *lines, real *z, ptrdiff_t width, ptrdiff_t next)
{
  const ptrdiff_t whole = THNNTiles_across(t, SIDE - 1);
  const int isLow = THNNTiles_isLow(t, i);
  end = THMin(end, isLow ? SHORT_POINTS : SIDE);
  real *to[SIDE][SIDE];
  for (int a = first; a < end; a++)
    for (int b = 0; b < SIDE; b++)
      to[a][b] = z + ((a - first) * SIDE + b) * next + THNNTiles_before(t, image, i, a, b) * width;
  if (isLow)
    gradient_tiles(y, high, wide, nextRow, columnStride, whole, 1, t->isNarrow, first, end, lines,
                   to, width);
  else if (first == 0 && end == SIDE)
    gradient_tiles(y, high, wide, nextRow, columnStride, whole, 0, t->isNarrow, 0, SIDE, lines, to,
                   width);
  else
    gradient_tiles(y, high, wide, nextRow, columnStride, whole, 0, t->isNarrow, first, end, lines,
                   to, width);
}

/* Three taps from six sums: taps[i] is the sum over the points of ofFilter[point][i] * s[point], the
 * transpose of of_filter. */
static inline __attribute__((always_inline)) void of_sums(const Vector *s, Vector *taps)
{
  for (int i = 0; i < SIZE; i++) {
    taps[i] = s[0] * (real)ofFilter[0][i];
    for (int b = 1; b < SIDE; b++)
      taps[i] = add(s[b], ofFilter[b][i], taps[i]);
  }
}

static void taps(int first, int end, ptrdiff_t vectors, const real *sums, ptrdiff_t next, real *m)
{
  const ptrdiff_t width = vectors * LANES;
  for (ptrdiff_t o = 0; o < width; o += LANES) {
    Vector all[SIZE][SIZE] = {0};
    for (int a = first; a < end; a++) {
      Vector row[SIDE], three[SIZE];
      for (int b = 0; b < SIDE; b++)
        row[b] = load(sums + ((a - first) * SIDE + b) * next + o);
      of_sums(row, three);
      for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
          all[i][j] = add(three[j], ofFilter[a][i], all[i][j]);
    }
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        store(m + (i * SIZE + j) * width + o, all[i][j]);
  }
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Copies rows without a call for each, because rows may be short. */
static void copy_rows(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                      ptrdiff_t nextY)
{
  for (ptrdiff_t i = 0; i < rows; i++, x += nextX, y += nextY) {
    if (n < LANES)
      memcpy(y, x, (size_t)n * sizeof *y);
    else
      for (ptrdiff_t j = 0; j < n; j += LANES) /* the last vector ends with the row */
        store(y + THMin(j, n - LANES), load(x + THMin(j, n - LANES)));
  }
}

static void add_rows(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                     ptrdiff_t nextY)
{
  for (ptrdiff_t i = 0; i < rows; i++, x += nextX, y += nextY)
    for (ptrdiff_t j = 0; j < n; j++)
      y[j] += x[j];
}

#if defined(TH_REAL_IS_FLOAT)
#define transpose_square THTranspose32_square
#else
#define transpose_square THTranspose64_square
#endif

/* y[i] += scale * x[i] of a vector, but for the first `skipped` elements. */
INLINE void add_scaled(ptrdiff_t skipped, const real *x, accreal scale, real *y)
{
  real sum[LANES];
  if (scale == 1) /* then one rounding is as good as two */
    store(sum, load(y) + load(x));
  else
    for (int k = 0; k < LANES; k++)
      sum[k] = (real)(y[k] + scale * (accreal)x[k]);
  if (skipped == 0) {
    store(y, load(sum));
    return;
  }
  Vector lane;
  for (int k = 0; k < LANES; k++)
    lane[k] = (real)k;
  const Integers isThere = lane >= (real)skipped;
  store(y, (Vector)((isThere & (Integers)load(sum)) | (~isThere & (Integers)load(y))));
}

/* Works square by square.  The last square ends with the rows: elements that it shares with the one
 * before are not added again.  The lines of y are prefetched, because each is in another page. */
static void add_transposed(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX,
                           accreal scale, real *y, ptrdiff_t nextY)
{
  enum { PREFETCH = 512 / sizeof(real) }; /* elements ahead */
  if (rows < LANES) {
    for (ptrdiff_t i = 0; i < n; i++)
      for (ptrdiff_t j = 0; j < rows; j++)
        y[i * nextY + j] = (real)(y[i * nextY + j] + scale * (accreal)x[j * nextX + i]);
    return;
  }
  for (ptrdiff_t from = 0; from < n; from += LANES, x += LANES, y += LANES * nextY) {
    const ptrdiff_t these = THMin(LANES, n - from);
    for (ptrdiff_t j = 0; j < rows; j += LANES) {
      const ptrdiff_t first = THMin(j, rows - LANES);
      real square[LANES * LANES];
      transpose_square(x + first * nextX, nextX, square, LANES);
      for (ptrdiff_t i = 0; i < these; i++) {
        real *to = y + i * nextY + first;
        __builtin_prefetch(to + PREFETCH, 1);
        add_scaled(j - first, square + i * LANES, scale, to);
      }
    }
  }
}

const THNN_(Winograd) TH_LEVEL_(THNN_(winograd))[] = {
    {images, filters, multiply, results, gradients, taps, copy_rows, add_rows, add_transposed}};
