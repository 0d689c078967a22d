/* Kernels of Winograd's convolutions: the transforms, as loops over vectors. */
#include "THNNTemplate.h"

#include "Vectors.h"

enum { SIDE = THNN_WINOGRAD_SIDE, STEP = THNN_WINOGRAD_STEP, SIZE = THNN_WINOGRAD_SIZE };

#if defined(TH_REAL_IS_FLOAT)
typedef int32_t Bits __attribute__((vector_size(VECTOR)));
#else
typedef int64_t Bits __attribute__((vector_size(VECTOR)));
#endif
#include "MultiplyAdd.h"

static inline Vector load(const real *x)
{
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

static inline void store(real *x, Vector v)
{
  memcpy(x, &v, sizeof v);
}

/* a * factor + c. */
static inline Vector add(Vector a, double factor, Vector c)
{
  const Vector f = (real)factor - (Vector){0};
  return MULTIPLY_ADD(a, f, c);
}

/* The points are 0, P, -P, Q, -Q and infinity.  All these numbers are exact. */
#define P  0.625
#define Q  1.5
#define P2 (P * P)
#define Q2 (Q * Q)

/* --- images ---------------------------------------------------------------------------------- */

/* Number a of the transform of six elements d: they are multiplied by the coefficients of the
 * polynomial that is 0 at the other points (at all points but infinity, for the last one). */
static inline __attribute__((always_inline)) Vector of_image(int a, const Vector *d)
{
  switch (a) {
    case 0:
      return add(d[0], P2 * Q2, add(d[2], -(P2 + Q2), d[4]));
    case 1:
      return add(add(d[1], -Q2, d[3]), P, add(d[2], -Q2, d[4]));
    case 2:
      return add(add(d[1], -Q2, d[3]), -P, add(d[2], -Q2, d[4]));
    case 3:
      return add(add(d[1], -P2, d[3]), Q, add(d[2], -P2, d[4]));
    case 4:
      return add(add(d[1], -P2, d[3]), -Q, add(d[2], -P2, d[4]));
    default:
      return add(d[1], P2 * Q2, add(d[3], -(P2 + Q2), d[5]));
  }
}

/* Down: a row for each row of tiles. */
static inline __attribute__((always_inline)) void down(const THNNTiles *t, const real *flat,
                                                       const real *mask, real *line, int a)
{
  const ptrdiff_t pitch = THNNTiles_pitch(t);
  for (ptrdiff_t n = 0; n < t->images; n++, flat += THNNTiles_plane(t))
    for (ptrdiff_t i = 0; i < t->down; i++, line += pitch)
      for (ptrdiff_t j = 0; j < pitch; j += LANES) {
        const real *at = flat + STEP * i * t->wide + j;
        Vector d[SIDE];
        for (int k = 0; k < SIDE; k++)
          if (a == 0 ? k % 2 == 0 : a < 5 ? k > 0 && k < 5 : k % 2 == 1)
            d[k] = load(at + k * t->wide);
        /* The next row writes over what is too much. */
        store(line + j, (Vector)((Bits)of_image(a, d) & (Bits)load(mask + j)));
      }
}

#if defined(__AVX512F__) && defined(TH_REAL_IS_FLOAT)
#define EVENS(A, B) \
  __builtin_shufflevector(A, B, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS(A, B) \
  __builtin_shufflevector(A, B, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define FOLLOWING(A, B) \
  __builtin_shufflevector(A, B, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#elif defined(__AVX512F__) || (defined(__AVX__) && defined(TH_REAL_IS_FLOAT))
#define EVENS(A, B)     __builtin_shufflevector(A, B, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS(A, B)      __builtin_shufflevector(A, B, 1, 3, 5, 7, 9, 11, 13, 15)
#define FOLLOWING(A, B) __builtin_shufflevector(A, B, 1, 2, 3, 4, 5, 6, 7, 8)
#elif defined(__AVX__) || defined(TH_REAL_IS_FLOAT)
#define EVENS(A, B)     __builtin_shufflevector(A, B, 0, 2, 4, 6)
#define ODDS(A, B)      __builtin_shufflevector(A, B, 1, 3, 5, 7)
#define FOLLOWING(A, B) __builtin_shufflevector(A, B, 1, 2, 3, 4)
#else
#define EVENS(A, B)     __builtin_shufflevector(A, B, 0, 2)
#define ODDS(A, B)      __builtin_shufflevector(A, B, 1, 3)
#define FOLLOWING(A, B) __builtin_shufflevector(A, B, 1, 2)
#endif

/* Elements 0, 4, 8, ... of x, elements 1, 5, 9, ..., and so on. */
static inline __attribute__((always_inline)) void every_fourth(const real *x, Vector *e)
{
  const Vector a = load(x), b = load(x + LANES), c = load(x + 2 * LANES), d = load(x + 3 * LANES);
  const Vector even[] = {EVENS(a, b), EVENS(c, d)}, odd[] = {ODDS(a, b), ODDS(c, d)};
  e[0] = EVENS(even[0], even[1]);
  e[1] = EVENS(odd[0], odd[1]);
  e[2] = ODDS(even[0], even[1]);
  e[3] = ODDS(odd[0], odd[1]);
}

/* Across: tiles begin at every fourth element, and end in the next one. */
static void across(ptrdiff_t positions, const real *line, real *v, ptrdiff_t next)
{
  Vector e[STEP], following[STEP];
  every_fourth(line, e);
  for (ptrdiff_t p = 0; p < positions; p += LANES) {
    every_fourth(line + STEP * (p + LANES), following);
    const Vector d[SIDE] = {
        e[0], e[1], e[2], e[3], FOLLOWING(e[0], following[0]), FOLLOWING(e[1], following[1])};
#pragma GCC unroll 6
    for (int b = 0; b < SIDE; b++)
      store(v + b * next + p, of_image(b, d));
    for (int k = 0; k < STEP; k++)
      e[k] = following[k];
  }
}

static void images(const THNNTiles *t, int first, int end, const real *flat, const real *mask,
                   real *line, real *v, ptrdiff_t next)
{
  for (int a = first; a < end; a++, v += SIDE * next) {
    switch (a) {
      case 0:
        down(t, flat, mask, line, 0);
        break;
      case 1:
        down(t, flat, mask, line, 1);
        break;
      case 2:
        down(t, flat, mask, line, 2);
        break;
      case 3:
        down(t, flat, mask, line, 3);
        break;
      case 4:
        down(t, flat, mask, line, 4);
        break;
      default:
        down(t, flat, mask, line, 5);
    }
    across(THNNTiles_positions(t), line, v, next);
  }
}

/* --- images whose planes are last --------------------------------------------------------------
 */

/* n elements, or a vector. */
static inline Vector load_some(const real *x, ptrdiff_t n)
{
  if (n >= LANES)
    return load(x);
#if defined(__AVX512F__)
  return (Vector)MASKED_LOAD(lanes_between(0, n), x);
#else
  Vector v = {0};
  memcpy(&v, x, (size_t)n * sizeof *x);
  return v;
#endif
}

/* A tile of a vector of planes, down and across as above; all: its elements are all there, and the
 * vector is full. */
INLINE void tile_last(int first, int end, const real *x, ptrdiff_t apart, ptrdiff_t pitch,
                      ptrdiff_t top, ptrdiff_t bottom, ptrdiff_t left, ptrdiff_t right,
                      ptrdiff_t planes, real *v, ptrdiff_t next, int all)
{
  static const real zeros[LANES];
  Vector h[SIDE][SIDE];
#pragma GCC unroll 6
  for (int j = 0; j < SIDE; j++) {
    Vector d[SIDE];
    const int column = all || (j >= left && j < right);
    if (all &&
        j >= SIDE - STEP) /* the tile after the next, whose first columns are the next one's */
      for (int i = 0; i < SIDE; i++)
        __builtin_prefetch(x + i * pitch + (j + 2 * STEP) * apart);
#pragma GCC unroll 6
    for (int i = 0; i < SIDE; i++)
      if (all)
        d[i] = load(x + i * pitch + j * apart);
      else /* a choice of addresses needs no branch */
        d[i] =
            load_some(column && i >= top && i < bottom ? x + i * pitch + j * apart : zeros, planes);
#pragma GCC unroll 6
    for (int a = first; a < end; a++)
      h[a][j] = of_image(a, d);
  }
#pragma GCC unroll 6
  for (int a = first; a < end; a++)
#pragma GCC unroll 6
    for (int b = 0; b < SIDE; b++)
      store(v + ((a - first) * SIDE + b) * next, of_image(b, h[a]));
}

INLINE void some_tiles(int first, int end, ptrdiff_t count, ptrdiff_t planes, const real *x,
                       ptrdiff_t apart, ptrdiff_t pitch, ptrdiff_t top, ptrdiff_t bottom,
                       ptrdiff_t pad, ptrdiff_t wide, real *v, ptrdiff_t nextTile, ptrdiff_t next)
{
  const int high = top <= 0 && bottom >= SIDE;
  for (ptrdiff_t t = 0; t < count; t++, v += nextTile) {
    const ptrdiff_t left = pad - t * STEP, right = left + wide;
    const real *at = x - left * apart;
    const int inside = high && left <= 0 && right >= SIDE;
    for (ptrdiff_t p = 0; p < planes; p += LANES)
      if (inside && planes - p >= LANES)
        tile_last(first, end, at + p, apart, pitch, 0, SIDE, 0, SIDE, LANES, v + p, next, 1);
      else
        tile_last(first, end, at + p, apart, pitch, top, bottom, left, right, planes - p, v + p,
                  next, 0);
  }
}

static void tiles(int first, int end, ptrdiff_t count, ptrdiff_t planes, const real *x,
                  ptrdiff_t apart, ptrdiff_t pitch, ptrdiff_t top, ptrdiff_t bottom, ptrdiff_t pad,
                  ptrdiff_t wide, real *v, ptrdiff_t nextTile, ptrdiff_t next)
{
  if (end - first == SIDE)
    some_tiles(0, SIDE, count, planes, x, apart, pitch, top, bottom, pad, wide, v, nextTile, next);
  else
    some_tiles(first, end, count, planes, x, apart, pitch, top, bottom, pad, wide, v, nextTile,
               next);
}

/* --- windows --------------------------------------------------------------------------------- */

/* A point and its powers, over the product of its distances to the other points. */
#define POINT(X, PRODUCT)                                 \
  {                                                       \
    1 / (PRODUCT), (X) / (PRODUCT), (X) * (X) / (PRODUCT) \
  }
static const double ofWindow[SIDE][SIZE] = {
    POINT(0., P2 *Q2),
    POINT(P, 2 * P2 * (P2 - Q2)),
    POINT(-P, 2 * P2 * (P2 - Q2)),
    POINT(Q, 2 * Q2 * (Q2 - P2)),
    POINT(-Q, 2 * Q2 * (Q2 - P2)),
    {0, 0, 1},
};

static inline Vector of_window(int a, const Vector *g)
{
  const Vector first = g[0] * (real)ofWindow[a][0];
  return add(g[2], ofWindow[a][2], add(g[1], ofWindow[a][1], first));
}

static void windows(int first, int end, int back, ptrdiff_t vectors, const real *m, real *u,
                    ptrdiff_t next)
{
  const ptrdiff_t width = vectors * LANES;
  for (ptrdiff_t o = 0; o < width; o += LANES) {
    Vector g[SIZE][SIZE]; /* column, row */
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) {
        const int k = i * SIZE + j;
        g[j][i] = load(m + (back ? SIZE * SIZE - 1 - k : k) * width + o);
      }
    for (int a = first; a < end; a++) {
      Vector h[SIZE];
      for (int j = 0; j < SIZE; j++)
        h[j] = of_window(a, g[j]);
      for (int b = 0; b < SIDE; b++)
        store(u + ((a - first) * SIDE + b) * next + o, of_window(b, h));
    }
  }
}

/* --- results --------------------------------------------------------------------------------- */

/* Powers of the points; infinity has the highest only. */
static const double ofResult[SIDE][STEP] = {
    {1, 0, 0, 0},      {1, P, P2, P *P2},   {1, -P, P2, -P *P2},
    {1, Q, Q2, Q *Q2}, {1, -Q, Q2, -Q *Q2}, {0, 0, 0, 1},
};

/* Four results from six products, across. */
static inline __attribute__((always_inline)) void of_products(const real *m, ptrdiff_t next,
                                                              Vector *r)
{
  const Vector a = load(m + next), b = load(m + 2 * next);
  const Vector c = load(m + 3 * next), d = load(m + 4 * next);
  const Vector evenP = a + b, oddP = a - b, evenQ = c + d, oddQ = c - d;
  r[0] = load(m) + evenP + evenQ;
  r[1] = add(oddQ, Q, oddP * (real)P);
  r[2] = add(evenQ, Q2, evenP * (real)P2);
  r[3] = add(oddQ, Q * Q2, add(oddP, P * P2, load(m + 5 * next)));
}

static inline __attribute__((always_inline)) void some_results(
    int first, int end, ptrdiff_t tiles, const real *products, ptrdiff_t width, ptrdiff_t next,
    const real *start, ptrdiff_t high, ptrdiff_t wide, real *y, ptrdiff_t apart)
{
  for (ptrdiff_t t = 0; t < tiles; t++, products += width) {
    Vector sum[STEP][STEP];
    for (int i = 0; i < STEP; i++)
      for (int j = 0; j < STEP; j++)
        sum[i][j] = start ? load(start) : (Vector){0};
#pragma GCC unroll 6
    for (int a = first; a < end; a++) {
      Vector r[STEP];
      of_products(products + (a - first) * SIDE * next, next, r);
      for (int i = 0; i < STEP; i++)
        for (int j = 0; j < STEP; j++)
          if (ofResult[a][i] == 1)
            sum[i][j] = sum[i][j] + r[j];
          else if (ofResult[a][i] != 0)
            sum[i][j] = add(r[j], ofResult[a][i], sum[i][j]);
    }
    const ptrdiff_t rows = THMin(STEP, high), columns = THMin(STEP, wide - t * STEP);
    real *to = y + t * STEP * apart;
    if (apart > LANES) /* lines far from each other: those of the next tile are fetched */
      for (int i = 0; i < STEP; i++)
        for (int j = 0; j < STEP; j++)
          __builtin_prefetch(to + (i * wide + STEP + j) * apart, 1);
    if (!start)
      for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
          store(to + (i * wide + j) * apart, load(to + (i * wide + j) * apart) + sum[i][j]);
    else if (rows == STEP && columns == STEP)
      for (int i = 0; i < STEP; i++)
        for (int j = 0; j < STEP; j++)
          store(to + (i * wide + j) * apart, sum[i][j]);
    else
      for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
          store(to + (i * wide + j) * apart, sum[i][j]);
  }
}

static void results(int first, int end, ptrdiff_t tiles, const real *products, ptrdiff_t width,
                    ptrdiff_t next, const real *start, ptrdiff_t high, ptrdiff_t wide, real *y,
                    ptrdiff_t apart)
{
  if (end - first == SIDE)
    some_results(0, SIDE, tiles, products, width, next, start, high, wide, y, apart);
  else
    some_results(first, end, tiles, products, width, next, start, high, wide, y, apart);
}

/* --- gradients of windows --------------------------------------------------------------------- */

/* The values at the six points of a polynomial of four coefficients. */
static inline __attribute__((always_inline)) void of_gradients(const Vector *g, Vector *z)
{
  const Vector evenP = add(g[2], P2, g[0]), oddP = add(g[3], P2, g[1]);
  const Vector evenQ = add(g[2], Q2, g[0]), oddQ = add(g[3], Q2, g[1]);
  z[0] = g[0];
  z[1] = add(oddP, P, evenP);
  z[2] = add(oddP, -P, evenP);
  z[3] = add(oddQ, Q, evenQ);
  z[4] = add(oddQ, -Q, evenQ);
  z[5] = g[3];
}

/* Row a of the values of a tile; all of them where that is known. */
static inline __attribute__((always_inline)) void some_gradients(int first, int end,
                                                                 ptrdiff_t tiles, const real *y,
                                                                 ptrdiff_t apart, ptrdiff_t high,
                                                                 ptrdiff_t wide, real *z,
                                                                 ptrdiff_t width, ptrdiff_t next)
{
  for (ptrdiff_t t = 0; t < tiles; t++, z += width) {
    const ptrdiff_t rows = THMin(STEP, high), columns = THMin(STEP, wide - t * STEP);
    const real *at = y + t * STEP * apart;
    Vector h[SIDE][STEP];
    for (int j = 0; j < STEP; j++) {
      Vector g[STEP], column[SIDE];
      for (int i = 0; i < STEP; i++)
        g[i] = i < rows && j < columns ? load(at + (i * wide + j) * apart) : (Vector){0};
      of_gradients(g, column);
      for (int a = first; a < end; a++)
        h[a][j] = column[a];
    }
    for (int a = first; a < end; a++) {
      Vector row[SIDE];
      of_gradients(h[a], row);
      for (int b = 0; b < SIDE; b++)
        store(z + ((a - first) * SIDE + b) * next, row[b]);
    }
  }
}

static void gradients(int first, int end, ptrdiff_t tiles, const real *y, ptrdiff_t apart,
                      ptrdiff_t high, ptrdiff_t wide, real *z, ptrdiff_t width, ptrdiff_t next)
{
  if (end - first == SIDE)
    some_gradients(0, SIDE, tiles, y, apart, high, wide, z, width, next);
  else
    some_gradients(first, end, tiles, y, apart, high, wide, z, width, next);
}

/* Three elements of a window from six sums: each the sum over the points of what it weighs there.
 */
static inline __attribute__((always_inline)) void of_sums(const Vector *s, Vector *taps)
{
  for (int i = 0; i < SIZE; i++) {
    taps[i] = s[0] * (real)ofWindow[0][i];
    for (int b = 1; b < SIDE; b++)
      taps[i] = add(s[b], ofWindow[b][i], taps[i]);
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
          all[i][j] = add(three[j], ofWindow[a][i], all[i][j]);
    }
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        store(m + (i * SIZE + j) * width + o, all[i][j]);
  }
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Without a call for each row, because they may be short. */
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

const THNN_(Winograd) TH_LEVEL_(THNN_(winograd))[] = {
    {images, tiles, windows, results, gradients, taps, copy_rows, add_rows}};
