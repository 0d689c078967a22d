/* Kernels of Winograd's convolutions of 5 x 5 windows, by rows of tiles. */
#include "THNN/layer/Template.h"
#include "TH/simd/THSimdReal.h"

#if TH_VECTOR < 32 || !defined(TH_REAL_IS_FLOAT)

const THNN_(TileRows) TH_LEVEL_(THNN_(tileRows))[] = {{NULL}};

#else

#include "THNN/simd/CopyRow.h"
#include "TH/simd/THTranspose.h"

enum {
  SIDE = THNN_TILE_SIDE,
  STEP = THNN_TILE_STEP,
  SIZE = THNN_TILE_SIZE,
  NUMBERS = THNN_TILE_NUMBERS,
  /* Results (outputs or planes) whose sums are transformed while they are in the cache; BLOCK of them
   * are computed in registers, two vectors each, at most. */
  RESULTS = 8,
  BLOCK = TH_VECTOR == 64 ? 8 : 6,
};

/* Not inlined: each is called several times. */
#define NOINLINE static __attribute__((noinline))

enum {
  L1_TILES = 16,                /* tiles whose numbers stay in the L1 cache */
  NEXT = (L1_TILES + 1) * LANES /* from one number to the next: an odd number of vectors */
};

/* a * factor + c. */
INLINE Vector add(Vector a, double factor, Vector c)
{
  const Vector f = (real)factor - (Vector){0};
  return Vector_(mulAdd)(a, f, c);
}

#define transpose_square THTranspose32_square
#define transpose_store  THTranspose32_store
typedef THTranspose32_Vector TransposeVector;

/* Transposes a line of elements for each lane (whole vectors) to vectors with an element of each line,
 * or back. */
NOINLINE void to_lanes(ptrdiff_t n, const real *line, real *vectors)
{
  for (ptrdiff_t i = 0; i < n; i += LANES)
    transpose_square(line + i, n, vectors + i * LANES, LANES);
}

NOINLINE void from_lanes(ptrdiff_t n, const real *vectors, real *line)
{
  for (ptrdiff_t i = 0; i < n; i += LANES)
    transpose_square(vectors + i * LANES, LANES, line + i, n);
}

/* --- transforms ------------------------------------------------------------------------------ */

/* The points are 0, P, -P, 1, -1, Q, -Q and infinity; numbers are in that order.  Of the squares of
 * the other two, a point's has the sum and the product. */
#define P                0.5
#define Q                2.
#define SUM_P            (1 + Q * Q)
#define SUM_1            (P * P + Q * Q)
#define SUM_Q            (P * P + 1)
#define MUL_P            (Q * Q)
#define MUL_1            (P * P * Q * Q)
#define MUL_Q            (P * P)
#define PAIRS            (P * P + P * P * Q * Q + Q * Q) /* equal to the sum of all three squares */

/* Numbers of a tile's eight elements: each is multiplied by the coefficients of the polynomial that
 * is 0 at the other points.  (P * Q is 1, and so is the product of all squares.) */
INLINE void of_image(const Vector *d, Vector *n)
{
  n[0] = add(d[2] - d[4], PAIRS, d[6] - d[0]);
  n[7] = add(d[3] - d[5], PAIRS, d[7] - d[1]);
  const Vector evenP = add(d[2], MUL_P, add(d[4], -SUM_P, d[6]));
  const Vector oddP = add(d[1], MUL_P, add(d[3], -SUM_P, d[5]));
  const Vector even1 = add(d[4], -SUM_1, d[2] + d[6]), odd1 = add(d[3], -SUM_1, d[1] + d[5]);
  const Vector evenQ = add(d[2], MUL_Q, add(d[4], -SUM_Q, d[6]));
  const Vector oddQ = add(d[1], MUL_Q, add(d[3], -SUM_Q, d[5]));
  n[1] = add(oddP, P, evenP);
  n[2] = add(oddP, -P, evenP);
  n[3] = even1 + odd1;
  n[4] = even1 - odd1;
  n[5] = add(oddQ, Q, evenQ);
  n[6] = add(oddQ, -Q, evenQ);
}

/* The same transposed. */
INLINE void to_image(const Vector *n, Vector *d)
{
  const Vector evenP = n[1] + n[2], oddP = (n[1] - n[2]) * (real)P;
  const Vector even1 = n[3] + n[4], odd1 = n[3] - n[4];
  const Vector evenQ = n[5] + n[6], oddQ = (n[5] - n[6]) * (real)Q;
  d[0] = -n[0];
  d[1] = add(oddP, MUL_P, add(oddQ, MUL_Q, odd1)) - n[7];
  d[2] = add(n[0], PAIRS, add(evenP, MUL_P, add(evenQ, MUL_Q, even1)));
  d[3] = add(n[7], PAIRS, add(oddP, -SUM_P, add(odd1, -SUM_1, oddQ * (real)-SUM_Q)));
  d[4] = add(n[0], -PAIRS, add(evenP, -SUM_P, add(even1, -SUM_1, evenQ * (real)-SUM_Q)));
  d[5] = add(n[7], -PAIRS, oddP + odd1 + oddQ);
  d[6] = n[0] + evenP + even1 + evenQ;
  d[7] = n[7];
}

/* Numbers of four elements of y: the values at the points of a polynomial. */
INLINE void of_result(const Vector *g, Vector *n)
{
  const Vector evenP = add(g[2], P * P, g[0]), oddP = add(g[3], P * P, g[1]);
  const Vector evenQ = add(g[2], Q * Q, g[0]), oddQ = add(g[3], Q * Q, g[1]);
  const Vector even1 = g[0] + g[2], odd1 = g[1] + g[3];
  n[0] = g[0];
  n[1] = add(oddP, P, evenP);
  n[2] = add(oddP, -P, evenP);
  n[3] = even1 + odd1;
  n[4] = even1 - odd1;
  n[5] = add(oddQ, Q, evenQ);
  n[6] = add(oddQ, -Q, evenQ);
  n[7] = g[3];
}

INLINE void to_result(const Vector *n, Vector *r)
{
  const Vector evenP = n[1] + n[2], oddP = n[1] - n[2], even1 = n[3] + n[4], odd1 = n[3] - n[4];
  const Vector evenQ = n[5] + n[6], oddQ = n[5] - n[6];
  r[0] = (n[0] + evenP) + (even1 + evenQ);
  r[1] = add(oddP, P, add(oddQ, Q, odd1));
  r[2] = add(evenP, P * P, add(evenQ, Q * Q, even1));
  r[3] = add(oddP, P * P * P, add(oddQ, Q * Q * Q, odd1 + n[7]));
}

/* Powers of a point, over the product of its distances to the other points. */
#define POINT(X, PRODUCT)                                                              \
  {1 / (PRODUCT), (X) / (PRODUCT), (X) * (X) / (PRODUCT), (X) * (X) * (X) / (PRODUCT), \
   (X) * (X) * (X) * (X) / (PRODUCT)}
static const real ofWindow[SIDE][SIZE] = {
    POINT(0., -1.),
    POINT(P, 2 * P * P * (P * P - 1) * (P * P - Q * Q)),
    POINT(-P, 2 * P * P * (P * P - 1) * (P * P - Q * Q)),
    POINT(1, 2 * (1 - P * P) * (1 - Q * Q)),
    POINT(-1, 2 * (1 - P * P) * (1 - Q * Q)),
    POINT(Q, 2 * Q * Q * (Q * Q - P * P) * (Q * Q - 1)),
    POINT(-Q, 2 * Q * Q * (Q * Q - P * P) * (Q * Q - 1)),
    {0, 0, 0, 0, 1},
};

INLINE Vector of_window(int a, const Vector *g)
{
  Vector sum = g[0] * ofWindow[a][0];
  for (int i = 1; i < SIZE; i++)
    sum = add(g[i], ofWindow[a][i], sum);
  return sum;
}

static void windows(ptrdiff_t count, const real *m, real *u)
{
  for (ptrdiff_t o = 0; o < count; o += LANES) {
    Vector g[SIZE][SIZE]; /* column, row */
    for (int k = 0; k < SIZE * SIZE; k++)
      g[k % SIZE][k / SIZE] = load(m + k * count + o);
#pragma GCC unroll 1
    for (int a = 0; a < SIDE; a++) {
      Vector h[SIZE];
      for (int j = 0; j < SIZE; j++)
        h[j] = of_window(a, g[j]);
      for (int b = 0; b < SIDE; b++)
        store(u + (a * SIDE + b) * count + o, of_window(b, h));
    }
  }
}

INLINE Vector to_window(int i, const Vector *n)
{
  Vector sum = n[0] * ofWindow[0][i];
  for (int a = 1; a < SIDE; a++)
    sum = add(n[a], ofWindow[a][i], sum);
  return sum;
}

static void taps(ptrdiff_t count, ptrdiff_t all, ptrdiff_t sets, const real *u, real *m)
{
  for (ptrdiff_t o = 0; o < count; o += LANES) {
    Vector h[SIZE][SIDE]; /* column of the window, row of numbers */
#pragma GCC unroll 1
    for (int a = 0; a < SIDE; a++) {
      Vector n[SIDE];
      for (int b = 0; b < SIDE; b++) {
        const real *at = u + (a * SIDE + b) * all + o;
        n[b] = load(at);
        for (ptrdiff_t set = 1; set < sets; set++)
          n[b] += load(at + set * NUMBERS * all);
      }
      for (int j = 0; j < SIZE; j++)
        h[j][a] = to_window(j, n);
    }
#pragma GCC unroll 1
    for (int k = 0; k < SIZE * SIZE; k++)
      store(m + k * count + o, to_window(k / SIZE, h[k % SIZE]));
  }
}

/* --- rows of tiles and their lines ----------------------------------------------------------- */

/* The rows of tiles of the lanes.  top is a row of y; for the lanes from count on it is so far up that
 * the image has no elements there. */
typedef struct {
  ptrdiff_t count;
  ptrdiff_t image[LANES], top[LANES];
} Rows;

static Rows rows_from(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count)
{
  Rows r = {.count = count};
  ptrdiff_t image = first / t->down, row = first % t->down;
  for (ptrdiff_t k = 0; k < LANES; k++) {
    r.image[k] = k < count ? image : 0;
    r.top[k] = k < count ? STEP * row : -(1 << 20);
    if (++row == t->down) {
      row = 0;
      image++;
    }
  }
  return r;
}

/* Eight rows of a plane of x for each row of tiles become vectors, each row of as many elements as
 * the pitch. */
NOINLINE void read_images(const THNNTileRows *t, const Rows *r, const real *x, real *line,
                          real *vectors)
{
  const ptrdiff_t next = t->planes * t->high * t->wide;
#if TH_VECTOR_MASKS
  (void)line;
  const real *from[LANES];
  for (ptrdiff_t k = 0; k < LANES; k++)
    from[k] = x + r->image[k] * next + (r->top[k] - t->padHigh) * t->wide - t->padWide;
  for (ptrdiff_t j = 0; j < t->pitch; j += LANES) {
    const Mask wide = lanes_between(t->padWide - j, t->padWide + t->wide - j);
    for (int i = 0; i < SIDE; i++) {
      TransposeVector v[2][LANES];
#pragma GCC unroll 16
      for (int k = 0; k < LANES; k++) {
        const size_t row = (size_t)(r->top[k] + i - t->padHigh);
        v[0][k] = (TransposeVector)Vector_(loadMasked)(row < (size_t)t->high ? wide : 0,
                                                       from[k] + i * t->wide + j);
      }
      transpose_store(v, (void *)(vectors + (i * t->pitch + j) * LANES), LANES);
    }
  }
#else
  const ptrdiff_t columns = THMin(t->wide, t->pitch - t->padWide);
  real *at = line;
  memset(line, 0, (size_t)(LANES * SIDE * t->pitch) * sizeof *line);
  for (ptrdiff_t k = 0; k < LANES; k++)
    for (ptrdiff_t i = 0; i < SIDE; i++, at += t->pitch) {
      const ptrdiff_t row = r->top[k] + i - t->padHigh;
      if (row >= 0 && row < t->high && columns > 0)
        memcpy(at + t->padWide, x + r->image[k] * next + row * t->wide,
               (size_t)columns * sizeof *at);
    }
  to_lanes(SIDE * t->pitch, line, vectors);
#endif
}

/* The first four rows of such vectors go to a plane of x, and all eight of the last row of tiles of
 * an image. */
NOINLINE void write_images(const THNNTileRows *t, const Rows *r, const real *vectors, real *line,
                           real *x)
{
  const ptrdiff_t next = t->planes * t->high * t->wide;
  const ptrdiff_t columns = THMin(t->wide, STEP * (t->across + 1) - t->padWide);
  from_lanes(SIDE * t->pitch, vectors, line);
  for (ptrdiff_t k = 0; k < r->count; k++) {
    const ptrdiff_t top = r->top[k] - t->padHigh;
    const int isLast = r->top[k] == STEP * (t->down - 1);
    const ptrdiff_t end = THMin(top + (isLast ? SIDE : STEP), t->high);
    for (ptrdiff_t row = THMax(top, 0); row < end; row++)
      copy_row(x + r->image[k] * next + row * t->wide,
               line + (k * SIDE + row - top) * t->pitch + t->padWide, columns);
  }
}

/* Four rows of a plane of y for each row of tiles, of as many columns as tiles have. */
NOINLINE void read_results(const THNNTileRows *t, const Rows *r, const real *y, real *line,
                           real *vectors)
{
  const ptrdiff_t next = t->outputs * t->highY * t->wideY, columns = STEP * t->across;
  real *at = line;
  for (ptrdiff_t k = 0; k < LANES; k++, at += STEP * columns) {
    const real *from = y + r->image[k] * next + r->top[k] * t->wideY;
    const ptrdiff_t high = k < r->count ? THMin(STEP, t->highY - r->top[k]) : 0;
    if (high == STEP && columns == t->wideY) {
      for (ptrdiff_t i = 0; i < STEP * columns; i += LANES)
        store(at + i, load(from + i));
      continue;
    }
    memset(at, 0, (size_t)(STEP * columns) * sizeof *at);
    for (ptrdiff_t i = 0; i < high; i++)
      memcpy(at + i * columns, from + i * t->wideY, (size_t)t->wideY * sizeof *at);
  }
  to_lanes(STEP * columns, line, vectors);
}

NOINLINE void write_results(const THNNTileRows *t, const Rows *r, const real *vectors, real *line,
                            real *y)
{
  const ptrdiff_t next = t->outputs * t->highY * t->wideY, columns = STEP * t->across;
  from_lanes(STEP * columns, vectors, line);
  for (ptrdiff_t k = 0; k < r->count; k++, line += STEP * columns) {
    real *to = y + r->image[k] * next + r->top[k] * t->wideY;
    const ptrdiff_t high = THMin(STEP, t->highY - r->top[k]);
    if (high == STEP && columns == t->wideY)
      for (ptrdiff_t i = 0; i < STEP * columns; i += LANES)
        store(to + i, load(line + i));
    else
      for (ptrdiff_t i = 0; i < high; i++)
        copy_row(to + i * t->wideY, line + i * columns, t->wideY);
  }
}

/* --- products -------------------------------------------------------------------------------- */

/* For some results: m[result][tile] = the sum over terms of v[term][tile] * u[term][result], a
 * vector for each tile. */
typedef struct {
  const real *v, *u;
  real *m;
  ptrdiff_t terms, tiles, nextTerm; /* in u */
} Products;

/* count results of some vectors, which are constants. */
INLINE void multiply(const Products *s, ptrdiff_t result, ptrdiff_t tile, int count, int vectors)
{
  Vector sum[BLOCK][2];
  const ptrdiff_t tiles = s->tiles * LANES, next = s->nextTerm;
  const real *v = s->v + tile * LANES, *u = s->u + result;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < vectors; i++)
      sum[k][i] = (Vector){0};
  for (ptrdiff_t l = s->terms; l > 0; l--, v += tiles, u += next) {
    Vector factor[2];
    for (int i = 0; i < vectors; i++)
      factor[i] = load(v + i * LANES);
    for (int k = 0; k < count; k++) {
      const Vector weight = u[k] - (Vector){0};
      for (int i = 0; i < vectors; i++)
        sum[k][i] = Vector_(mulAdd)(factor[i], weight, sum[k][i]);
    }
  }
  real *m = s->m + result * tiles + tile * LANES;
  for (int k = 0; k < count; k++, m += tiles)
    for (int i = 0; i < vectors; i++)
      store(m + i * LANES, sum[k][i]);
}

INLINE void multiply_results(const Products *s, ptrdiff_t result, int count)
{
  ptrdiff_t tile = 0;
  for (; tile + 2 <= s->tiles; tile += 2)
    multiply(s, result, tile, count, 2);
  if (tile < s->tiles)
    multiply(s, result, tile, count, 1);
}

/* RESULTS results, or what is left. */
NOINLINE void multiply_all(const Products *s, ptrdiff_t results)
{
  ptrdiff_t r = 0;
  if (BLOCK == RESULTS && results == RESULTS) {
    multiply_results(s, 0, BLOCK);
    return;
  }
  if (results >= 6) {
    multiply_results(s, 0, 6);
    r = 6;
  }
  for (; r + 2 <= results; r += 2)
    multiply_results(s, r, 2);
  if (r < results)
    multiply_results(s, r, 1);
}

/* --- what is done with rows of tiles --------------------------------------------------------- */

/* What is in the scratch memory, in elements: lines, the same as vectors, numbers of what is read, of
 * products, and of these across, and what add_below keeps. */
typedef struct {
  real *line, *vectors, *v, *m, *r, *before;
} Scratch;

/* Elements from one number of y to the next: an odd number of vectors. */
INLINE ptrdiff_t number_of_results(const THNNTileRows *t)
{
  return (t->outputs * t->across | 1) * LANES;
}

static Scratch scratch_at(const THNNTileRows *t, real *scratch, ptrdiff_t *size)
{
  const ptrdiff_t line = THMax(SIDE * t->pitch, STEP * STEP * t->across) * LANES;
  const ptrdiff_t all = THMax(t->numberX, number_of_results(t));
  const ptrdiff_t m = SIDE * RESULTS * t->across * LANES;
  const ptrdiff_t r = SIDE * RESULTS * t->pitch * LANES;
  Scratch at = {.line = scratch};
  at.vectors = at.line + line;
  at.v = at.vectors + line;
  at.m = at.v + NUMBERS * all;
  at.r = at.m + m;
  at.before = at.r + r;
  *size = line + line + NUMBERS * all + m + r + t->planes * STEP * STEP * (t->across + 1) * LANES;
  return at;
}

static ptrdiff_t scratch_size(const THNNTileRows *t, int sums)
{
  static real nothing[1];
  ptrdiff_t size;
  const Scratch at = scratch_at(t, nothing, &size);
  return sums ? THMax(NUMBERS * NEXT, at.v - nothing) : size;
}

static void images(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count, const real *x, real *v,
                   real *memory)
{
  ptrdiff_t unused;
  const Rows rows = rows_from(t, first, count);
  const Scratch at = scratch_at(t, memory, &unused);
  const ptrdiff_t columns = STEP * (t->across + 1), pitch = t->pitch * LANES;
  for (ptrdiff_t p = 0; p < t->planes; p++, v += t->across * LANES) {
    read_images(t, &rows, x + p * t->high * t->wide, at.line, at.vectors);
    for (ptrdiff_t j = 0; j < columns; j++) { /* down */
      real *column = at.vectors + j * LANES;
      Vector d[SIDE], n[SIDE];
      for (int i = 0; i < SIDE; i++)
        d[i] = load(column + i * pitch);
      of_image(d, n);
      for (int a = 0; a < SIDE; a++)
        store(column + a * pitch, n[a]);
    }
    for (int a = 0; a < SIDE; a++) /* across */
      for (ptrdiff_t tile = 0; tile < t->across; tile++) {
        const real *row = at.vectors + a * pitch + STEP * tile * LANES;
        Vector d[SIDE], n[SIDE];
        for (int j = 0; j < SIDE; j++)
          d[j] = load(row + j * LANES);
        of_image(d, n);
        for (int b = 0; b < SIDE; b++)
          store(v + (a * SIDE + b) * t->numberX + tile * LANES, n[b]);
      }
  }
}

static void convolve(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count, const real *x,
                     const real *u, const real *bias, real *y, real *memory)
{
  ptrdiff_t unused;
  const Scratch at = scratch_at(t, memory, &unused);
  const Rows rows = rows_from(t, first, count);
  const ptrdiff_t tiles = t->across, columns = STEP * tiles;
  images(t, first, count, x, at.v, memory);
  for (ptrdiff_t o = 0; o < t->outputs; o += RESULTS) {
    const ptrdiff_t these = THMin(RESULTS, t->outputs - o), next = these * tiles * LANES;
    for (int a = 0; a < SIDE; a++) {
      for (int b = 0; b < SIDE; b++) {
        const ptrdiff_t number = a * SIDE + b;
        const Products s = {at.v + number * t->numberX,
                            u + number * t->windows + o,
                            at.m + b * next,
                            t->planes,
                            tiles,
                            t->outputs};
        multiply_all(&s, these);
      }
      for (ptrdiff_t k = 0; k < these * tiles; k++) {
        Vector n[SIDE], r[STEP];
        for (int b = 0; b < SIDE; b++)
          n[b] = load(at.m + b * next + k * LANES);
        to_result(n, r);
        for (int j = 0; j < STEP; j++)
          store(at.r + ((a * these * tiles + k) * STEP + j) * LANES, r[j]);
      }
    }
    for (ptrdiff_t k = 0; k < these; k++) {
      const Vector start = (bias ? bias[o + k] : 0) - (Vector){0};
      for (ptrdiff_t j = 0; j < columns; j++) {
        Vector n[SIDE], r[STEP];
        for (int a = 0; a < SIDE; a++)
          n[a] = load(at.r + ((a * these + k) * columns + j) * LANES);
        to_result(n, r);
        for (int i = 0; i < STEP; i++)
          store(at.vectors + (i * columns + j) * LANES, r[i] + start);
      }
      write_results(t, &rows, at.vectors, at.line, y + (o + k) * t->highY * t->wideY);
    }
  }
}

/* Numbers of y, as of x. */
static void results(const THNNTileRows *t, const Rows *rows, const real *y, const Scratch *at)
{
  const ptrdiff_t tiles = t->across, columns = STEP * tiles, next = number_of_results(t);
  for (ptrdiff_t o = 0; o < t->outputs; o++) {
    read_results(t, rows, y + o * t->highY * t->wideY, at->line, at->vectors);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
      Vector h[STEP][SIDE];
      real *v = at->v + (o * tiles + tile) * LANES;
      for (int j = 0; j < STEP; j++) {
        Vector g[STEP];
        for (int i = 0; i < STEP; i++)
          g[i] = load(at->vectors + (i * columns + STEP * tile + j) * LANES);
        of_result(g, h[j]);
      }
      for (int a = 0; a < SIDE; a++) {
        const Vector g[STEP] = {h[0][a], h[1][a], h[2][a], h[3][a]};
        Vector n[SIDE];
        of_result(g, n);
        for (int b = 0; b < SIDE; b++)
          store(v + (a * SIDE + b) * next, n[b]);
      }
    }
  }
}

/* Rows of a tile below its first four are added to the first rows of the tile below, which is in the
 * next lane; before has these rows of the vector before. */
NOINLINE void add_below(const THNNTileRows *t, const Rows *r, real *vectors, real *before)
{
  const ptrdiff_t columns = STEP * (t->across + 1);
  Integers isBelow;
  for (int k = 0; k < LANES; k++)
    isBelow[k] = r->top[k] > 0 ? -1 : 0;
  for (ptrdiff_t i = 0; i < STEP; i++)
    for (ptrdiff_t j = 0; j < columns; j++, before += LANES) {
      real *at = vectors + (i * t->pitch + j) * LANES;
      const Vector below = load(at + STEP * t->pitch * LANES);
      const Vector above = MIX(load(before), below, BEFORE);
      store(before, below);
      store(at, load(at) + (Vector)((Integers)above & isBelow));
    }
}

static void backward(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count, const real *y,
                     const real *u, const real *bias, real *x, real *memory)
{
  ptrdiff_t unused;
  const Scratch at = scratch_at(t, memory, &unused);
  const Rows rows = rows_from(t, first, count);
  const ptrdiff_t tiles = t->across, columns = STEP * (tiles + 1);
  if (first == 0)
    memset(at.before, 0, (size_t)(t->planes * STEP * columns * LANES) * sizeof *at.before);
  results(t, &rows, y, &at);
  for (ptrdiff_t p = 0; p < t->planes; p += RESULTS) {
    const ptrdiff_t these = THMin(RESULTS, t->planes - p), next = these * tiles * LANES;
    for (int a = 0; a < SIDE; a++) {
      for (int b = 0; b < SIDE; b++) {
        const ptrdiff_t number = a * SIDE + b;
        const Products s = {at.v + number * number_of_results(t),
                            u + number * t->windows + p,
                            at.m + b * next,
                            t->outputs,
                            tiles,
                            t->planes};
        multiply_all(&s, these);
      }
      for (ptrdiff_t k = 0; k < these; k++) {
        real *r = at.r + (a * these + k) * columns * LANES;
        Vector end[STEP] = {{0}}; /* of the tile before */
        for (ptrdiff_t tile = 0; tile < tiles; tile++, r += STEP * LANES) {
          Vector n[SIDE], d[SIDE];
          for (int b = 0; b < SIDE; b++)
            n[b] = load(at.m + b * next + (k * tiles + tile) * LANES);
          to_image(n, d);
          for (int j = 0; j < STEP; j++) {
            store(r + j * LANES, end[j] + d[j]);
            end[j] = d[STEP + j];
          }
        }
        for (int j = 0; j < STEP; j++)
          store(r + j * LANES, end[j]);
      }
    }
    for (ptrdiff_t k = 0; k < these; k++) {
      const Vector start = (bias ? bias[p + k] : 0) - (Vector){0};
      for (ptrdiff_t j = 0; j < columns; j++) {
        Vector n[SIDE], d[SIDE];
        for (int a = 0; a < SIDE; a++)
          n[a] = load(at.r + ((a * these + k) * columns + j) * LANES);
        to_image(n, d);
        for (int i = 0; i < SIDE; i++)
          store(at.vectors + (i * t->pitch + j) * LANES, d[i]);
      }
      add_below(t, &rows, at.vectors, at.before + (p + k) * STEP * columns * LANES);
      if (bias)
        for (ptrdiff_t j = 0; j < SIDE * t->pitch * LANES; j += LANES)
          store(at.vectors + j, load(at.vectors + j) + start);
      write_images(t, &rows, at.vectors, at.line, x + (p + k) * t->high * t->wide);
    }
  }
}

/* A tile of y, of a vector of outputs for each position, of which high and wide are there. */
INLINE void gradients_of_tile(const real *y, ptrdiff_t wideY, ptrdiff_t high, ptrdiff_t wide,
                              real *z)
{
  static const real zeros[LANES];
  Vector h[STEP][SIDE];
  for (int j = 0; j < STEP; j++) {
    Vector g[STEP];
    for (int i = 0; i < STEP; i++)
      g[i] = load(i < high && j < wide ? y + (i * wideY + j) * LANES : zeros);
    of_result(g, h[j]);
  }
  for (int a = 0; a < SIDE; a++) {
    const Vector g[STEP] = {h[0][a], h[1][a], h[2][a], h[3][a]};
    Vector n[SIDE];
    of_result(g, n);
    for (int b = 0; b < SIDE; b++)
      store(z + (a * SIDE + b) * NEXT, n[b]);
  }
}

/* Of some planes, a constant, and two numbers: sums over a few tiles, an output in each lane. */
INLINE void sum_planes(const THNNTileRows *t, const real *v, const real *z, ptrdiff_t tileCount,
                       real *sums, ptrdiff_t width, int count)
{
  enum { MOST = 6 };
  const ptrdiff_t tiles = t->across * LANES, next = t->planes * width;
  Vector sum[MOST][2];
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 2; i++)
      sum[k][i] = (Vector){0};
  for (ptrdiff_t tile = 0; tile < tileCount; tile++) {
    const Vector factor[] = {load(z + tile * LANES), load(z + NEXT + tile * LANES)};
    for (int k = 0; k < count; k++)
      for (int i = 0; i < 2; i++) {
        const Vector element = v[i * t->numberX + k * tiles + tile] - (Vector){0};
        sum[k][i] = Vector_(mulAdd)(element, factor[i], sum[k][i]);
      }
  }
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 2; i++)
      store(sums + k * width + i * next, load(sums + k * width + i * next) + sum[k][i]);
}

NOINLINE void sum_tiles(const THNNTileRows *t, const real *v, const real *z, ptrdiff_t tileCount,
                        real *sums, ptrdiff_t width)
{
  const ptrdiff_t tiles = t->across * LANES;
  for (int number = 0; number < NUMBERS; number += 2) {
    ptrdiff_t p = 0;
    for (; p + 6 <= t->planes; p += 6)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 6);
    for (; p + 2 <= t->planes; p += 2)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 2);
    if (p < t->planes)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 1);
    v += 2 * t->numberX;
    z += 2 * NEXT;
    sums += 2 * t->planes * width;
  }
}

static void gradients(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count, const real *v,
                      const real *y, real *sums, ptrdiff_t width, real *z)
{
  const Rows rows = rows_from(t, first, count);
  for (ptrdiff_t tile = 0; tile < t->across; tile++)
    for (ptrdiff_t begin = 0; begin < count; begin += L1_TILES) {
      const ptrdiff_t tileCount = THMin(L1_TILES, count - begin);
      for (ptrdiff_t k = 0; k < tileCount; k++) {
        const ptrdiff_t top = rows.top[begin + k], left = STEP * tile;
        const ptrdiff_t high = t->highY - top, wide = t->wideY - left;
        const real *at = y + ((rows.image[begin + k] * t->highY + top) * t->wideY + left) * LANES;
        gradients_of_tile(at, t->wideY, high, wide, z + k * LANES);
      }
      sum_tiles(t, v + tile * LANES + begin, z, tileCount, sums, width);
    }
}

const THNN_(TileRows) TH_LEVEL_(THNN_(tileRows))[] = {
    {scratch_size, windows, taps, convolve, backward, images, gradients}};

#endif
