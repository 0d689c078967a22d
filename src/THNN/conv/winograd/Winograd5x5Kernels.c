/* Kernels of winograd5x5, by rows of tiles. */
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
  VALUES = THNN_TILE_VALUES,
  /* RESULTS results (outputs or planes) are transformed back while their sums are in the cache.  BLOCK of
   * them are summed up in registers, two vectors each, at most. */
  RESULTS = 8,
  BLOCK = TH_VECTOR == 64 ? 8 : 6,
};

/* These functions are not inlined, because each is called several times. */
#define NOINLINE static __attribute__((noinline))

enum {
  L1_TILES = 16,                        /* tiles of y whose values stay in the L1 cache */
  VALUE_STRIDE = (L1_TILES + 1) * LANES /* stride of these values: an odd number of vectors */
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

#include "Winograd5x5Transforms.h"
#include "Winograd5x5Lines.h"

/* --- products -------------------------------------------------------------------------------- */

/* Products of one value, for some results: m[result][tile] = the sum over terms of v[term][tile] *
 * u[term][result].  v and m have a vector for each tile, u an element for each result. */
typedef struct {
  const real *v, *u;
  real *m;
  ptrdiff_t terms, tiles;
  ptrdiff_t nextTerm; /* stride of terms in u */
} Products;

/* Computes count results of `vectors` tiles; both numbers are constants. */
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

/* Computes all results, at most RESULTS. */
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

/* The buffers in scratch memory. */
typedef struct {
  real *line;    /* rows of an image for each lane, before or after their transposition */
  real *vectors; /* the transposed rows: [row][column][lane] */
  real *v;       /* values of the source */
  real *m;       /* products of a row of values */
  real *r;       /* products that are transformed back across */
  real *before;  /* the rows that add_below keeps */
} Scratch;

/* The stride of the values of y: an odd number of vectors. */
INLINE ptrdiff_t result_value_stride(const THNNTileRows *t)
{
  return (t->outputs * t->across | 1) * LANES;
}

/* Divides scratch into the buffers, and sets *size to the elements of all. */
static Scratch scratch_at(const THNNTileRows *t, real *scratch, ptrdiff_t *size)
{
  const ptrdiff_t line = THMax(SIDE * t->pitch, STEP * STEP * t->across) * LANES;
  const ptrdiff_t all = THMax(t->valueStride, result_value_stride(t));
  const ptrdiff_t m = SIDE * RESULTS * t->across * LANES;
  const ptrdiff_t r = SIDE * RESULTS * t->pitch * LANES;
  Scratch at = {.line = scratch};
  at.vectors = at.line + line;
  at.v = at.vectors + line;
  at.m = at.v + VALUES * all;
  at.r = at.m + m;
  at.before = at.r + r;
  *size = line + line + VALUES * all + m + r + t->planes * STEP * STEP * (t->across + 1) * LANES;
  return at;
}

static ptrdiff_t scratch_size(const THNNTileRows *t, int sums)
{
  static real nothing[1];
  ptrdiff_t size;
  const Scratch at = scratch_at(t, nothing, &size);
  return sums ? THMax(VALUES * VALUE_STRIDE, at.v - nothing) : size;
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
          store(v + (a * SIDE + b) * t->valueStride + tile * LANES, n[b]);
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
        const ptrdiff_t value = a * SIDE + b;
        const Products s = {at.v + value * t->valueStride,
                            u + value * t->filters + o,
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

/* Transforms y to values at->v, as `images` transforms x. */
static void results(const THNNTileRows *t, const Rows *rows, const real *y, const Scratch *at)
{
  const ptrdiff_t tiles = t->across, columns = STEP * tiles, next = result_value_stride(t);
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

/* Adds the last four rows of each tile to the first four rows of the tile below, which is in the next lane.
 * `before` has the last four rows of the previous vector of rows of tiles, and gets those of this one. */
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
        const ptrdiff_t value = a * SIDE + b;
        const Products s = {at.v + value * result_value_stride(t),
                            u + value * t->filters + p,
                            at.m + b * next,
                            t->outputs,
                            tiles,
                            t->planes};
        multiply_all(&s, these);
      }
      for (ptrdiff_t k = 0; k < these; k++) {
        real *r = at.r + (a * these + k) * columns * LANES;
        Vector end[STEP] = {{0}}; /* the last columns of the tile before */
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

/* Transforms a tile of y, which has a vector of outputs for each position; rows from high on and columns
 * from wide on do not exist. */
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
      store(z + (a * SIDE + b) * VALUE_STRIDE, n[b]);
  }
}

/* Adds the products of two neighbouring values over a few tiles, for `count` planes (a constant), with an
 * output in each lane. */
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
    const Vector factor[] = {load(z + tile * LANES), load(z + VALUE_STRIDE + tile * LANES)};
    for (int k = 0; k < count; k++)
      for (int i = 0; i < 2; i++) {
        const Vector element = v[i * t->valueStride + k * tiles + tile] - (Vector){0};
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
  for (int value = 0; value < VALUES; value += 2) {
    ptrdiff_t p = 0;
    for (; p + 6 <= t->planes; p += 6)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 6);
    for (; p + 2 <= t->planes; p += 2)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 2);
    if (p < t->planes)
      sum_planes(t, v + p * tiles, z, tileCount, sums + p * width, width, 1);
    v += 2 * t->valueStride;
    z += 2 * VALUE_STRIDE;
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
    {scratch_size, filters, taps, convolve, backward, images, gradients}};

#endif
