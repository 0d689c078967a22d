/* Kernels of implicit_gemm: two lists of offsets pick the elements of the left matrix. */
#include "THNN/layer/Template.h"

#include "TH/loop/THStream.h"
#include "TH/simd/THTranspose.h"
#include "TH/simd/THSimdReal.h"

/* Rows of a register tile.  OF_ONE: of a tile of one vector, where loads take more time than
 * multiplications.  OF_TWO: of two vectors; next to 14 x 2 sums there are registers for two factors and
 * an element.  ROWS: of three or four vectors.  MOST_ROWS: of any tile, at most.  MOST_VECTORS: vectors of a tile, at
 * most. */
#if TH_VECTOR == 64
enum { MOST_VECTORS = 4, OF_TWO = 14, MOST_ROWS = OF_TWO };
#else
enum { MOST_VECTORS = 2, OF_TWO = 6, MOST_ROWS = 8 };
#endif
enum {
  OF_ONE = 8,
  ROWS = 6,
  SUMS = 2 * MOST_ROWS, /* vectors of sums of a tile, at most */
  BETWEEN = 16          /* columns from one prefetch to the next */
};

/* --- products -------------------------------------------------------------------------------- */

/* What to prefetch of another matrix: before the BETWEEN columns from b on, `lines` cache lines at
 * at + b * along + k * step for k < lines. */
typedef struct {
  const real *at;
  ptrdiff_t along, step;
  int lines;
} Following;

/* A product of some rows with all columns; it is added to start, or to sums if start is NULL. */
typedef struct {
  const ptrdiff_t *rows;    /* offsets of the rows */
  const ptrdiff_t *ahead;   /* offsets of the next rows, which are prefetched, or NULL */
  const ptrdiff_t *columns; /* offsets of the columns */
  ptrdiff_t ncolumns;
  ptrdiff_t next; /* stride of the rows of sums */
  const real *x, *m, *start;
  real *sums;
  Following following;
  int streams; /* writes sums with non-temporal stores */
} Tile;

/* Computes a tile.  It prefetches between runs of BETWEEN columns, since in the loop over columns each
 * further instruction takes time from the multiplications.  Of the rows ahead it prefetches one line of
 * each row if the columns are contiguous.  Otherwise it prefetches each column in one of the rows, which
 * is enough if the rows are contiguous. */
static inline __attribute__((always_inline)) void tile_rows(const Tile *f, int tileRows,
                                                            int vectors)
{
  const ptrdiff_t *const columns = f->columns, *const ahead = f->ahead;
  const ptrdiff_t ncolumns = f->ncolumns, next = f->next;
  const Following following = f->following;
  const real *x = f->x, *m = f->m, *row[MOST_ROWS];
  real *sums = f->sums;
  for (int k = 0; k < tileRows; k++)
    row[k] = x + f->rows[k];
  Vector sum[MOST_ROWS][MOST_VECTORS];
  for (int k = 0; k < tileRows; k++)
    for (int v = 0; v < vectors; v++)
      sum[k][v] = (Vector){0};
  for (int k = 0; !f->streams && k < tileRows; k++)
    for (int v = 0; v < vectors; v++)
      __builtin_prefetch(sums + k * next + v * LANES, 1);
  int fetched = 0;
  for (ptrdiff_t b = 0; b < ncolumns;) {
    const ptrdiff_t end = THMin(b + BETWEEN, ncolumns);
    if (ahead && columns[end - 1] - columns[b] == end - 1 - b) {
      for (int k = 0; k < tileRows; k++)
        __builtin_prefetch(x + ahead[k] + columns[b]);
    } else if (ahead) {
      for (ptrdiff_t k = b; k < end; k++) {
        __builtin_prefetch(x + ahead[fetched] + columns[k]);
        fetched = fetched + 1 == tileRows ? 0 : fetched + 1;
      }
    }
    for (int k = 0; k < following.lines; k++)
      __builtin_prefetch(following.at + b * following.along + k * following.step, 0, 2);
    for (; b < end; b++, m += vectors * LANES) {
      const ptrdiff_t column = columns[b];
      Vector factor[MOST_VECTORS];
      for (int v = 0; v < vectors; v++)
        factor[v] = load(m + v * LANES);
      for (int k = 0; k < tileRows; k++) {
        const Vector element = row[k][column] - (Vector){0};
        for (int v = 0; v < vectors; v++)
          sum[k][v] = Vector_(mulAdd)(element, factor[v], sum[k][v]);
      }
    }
  }
  const real *from = f->start ? f->start : sums;
  const ptrdiff_t step = f->start ? 0 : next;
#pragma GCC unroll 14 /* otherwise the sums go through memory */
  for (int k = 0; k < tileRows; k++)
    for (int v = 0; v < vectors; v++)
      sum[k][v] += load(from + k * step + v * LANES);
  for (int k = 0; k < tileRows; k++, sums += next)
    for (int v = 0; v < vectors; v++)
      if (f->streams)
        stream(sums + v * LANES, sum[k][v]);
      else
        store(sums + v * LANES, sum[k][v]);
}

/* clang-format off */
#define TILE_KERNEL(NAME, NROWS, VECTORS) static void NAME(const Tile *f) { tile_rows(f, NROWS, VECTORS); }
/* clang-format on */

TILE_KERNEL(one_vector, OF_ONE, 1)
TILE_KERNEL(two_vectors, OF_TWO, 2)
#if TH_VECTOR == 64
TILE_KERNEL(three_vectors, ROWS, 3)
TILE_KERNEL(four_vectors, ROWS, 4)
TILE_KERNEL(half_of_two, OF_TWO / 2, 2)
TILE_KERNEL(half_of_four, ROWS / 2, 4)
#endif

/* tiles[v]: the kernels for rows of v vectors of sums, for whole tiles and for half tiles. */
static const struct {
  ptrdiff_t rows;
  void (*all)(const Tile *), (*half)(const Tile *);
} tiles[] = {{0, NULL, NULL},
             {OF_ONE, one_vector, one_vector},
#if TH_VECTOR == 64
             {OF_TWO, two_vectors, half_of_two},
             {ROWS, three_vectors, three_vectors},
             {ROWS, four_vectors, half_of_four}
#else
             {OF_TWO, two_vectors, two_vectors}
#endif
};

static void multiply_prefetching(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                                 const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                                 ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next,
                                 const THNN_(PrefetchHint) * hint)
{
  const ptrdiff_t width = vectors * LANES, tileRows = tiles[vectors].rows;
  const ptrdiff_t groups = nrows / tileRows;
  const ptrdiff_t prefetchRows = groups ? (hint->rows + groups - 1) / groups : 0;
  const int fetches = vectors > 1; /* with one vector, loads limit the speed */
  Tile tile = {.columns = columns,
               .ncolumns = ncolumns,
               .x = x,
               .m = m,
               .start = start,
               .next = next,
               .streams = hint->streams};
  ptrdiff_t a = 0;
  for (ptrdiff_t group = 0; group < groups; group++, a += tileRows) {
    tile.rows = rows + a;
    tile.ahead = fetches && isFar && a + 2 * tileRows <= nrows ? rows + a + tileRows : NULL;
    tile.sums = sums + a * next;
    tile.following = (Following){0};
    if (hint->rows)
      tile.following =
          (Following){hint->coming + group * prefetchRows * hint->next, 1, hint->next,
                      (int)THMax(0, THMin(prefetchRows, hint->rows - group * prefetchRows))};
    else if (fetches && group < vectors) /* the next call mostly reads the elements after m */
      tile.following = (Following){m + (vectors + group) * ncolumns * LANES, LANES, LANES, BETWEEN};
    tiles[vectors].all(&tile);
  }
  if (a < nrows) { /* a partial tile repeats the last row */
    ptrdiff_t last[MOST_ROWS];
    real rest[SUMS * LANES] = {0};
    for (int k = 0; k < tileRows; k++)
      last[k] = rows[THMin(a + k, nrows - 1)];
    tile = (Tile){.rows = last,
                  .columns = columns,
                  .ncolumns = ncolumns,
                  .x = x,
                  .m = m,
                  .start = start,
                  .sums = rest,
                  .next = width};
    (nrows - a > tileRows / 2 ? tiles[vectors].all : tiles[vectors].half)(&tile);
    for (ptrdiff_t k = 0; a < nrows; a++)
      for (ptrdiff_t i = 0; i < width; i++, k++)
        sums[a * next + i] = start ? rest[k] : sums[a * next + i] + rest[k];
  }
}

static void multiply(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                     const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                     ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next)
{
  const THNN_(PrefetchHint) nothing = {0};
  multiply_prefetching(nrows, rows, ncolumns, columns, x, isFar, m, vectors, start, sums, next,
                       &nothing);
}

/* --- transposition --------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT)
#define transpose_square THTranspose32_square
#else
#define transpose_square THTranspose64_square
#endif

/* Transposes square by square, along the longer side of the matrix first; the last squares overlap the
 * ones before.  Squares that follow each other down the rows make contiguous writes, squares that follow
 * each other along the columns contiguous reads.  The other matrix is accessed in many rows, and is
 * prefetched some squares ahead, also for the next call. */
static void transpose(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
                      ptrdiff_t nextY)
{
  enum { PREFETCH = 512 / sizeof(real) }; /* elements ahead */
  if (rows < LANES || columns < LANES) {
    for (ptrdiff_t j = 0; j < columns; j++)
      for (ptrdiff_t i = 0; i < rows; i++)
        y[j * nextY + i] = x[i * nextX + j];
    return;
  }
  if (rows < columns) {
    for (ptrdiff_t i = 0; i < rows; i += LANES)
      for (ptrdiff_t j = 0; j < columns; j += LANES) {
        const ptrdiff_t column = THMin(j, columns - LANES), row = THMin(i, rows - LANES);
        for (int k = 0; k < LANES; k++)
          __builtin_prefetch(x + (row + k) * nextX + column + PREFETCH);
        transpose_square(x + row * nextX + column, nextX, y + column * nextY + row, nextY);
      }
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j += LANES)
    for (ptrdiff_t i = 0; i < rows; i += LANES) {
      const ptrdiff_t column = THMin(j, columns - LANES), row = THMin(i, rows - LANES);
      for (int k = 0; k < LANES; k++)
        __builtin_prefetch(y + (column + k) * nextY + row + PREFETCH, 1);
      transpose_square(x + row * nextX + column, nextX, y + column * nextY + row, nextY);
    }
}

/* transpose with non-temporal stores, which complete each cache line of y before the next. */
static void transpose_streaming(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX,
                                real *y, ptrdiff_t nextY)
{
  enum { LINE = TH_STREAM_LINE / sizeof(real) };
  if (rows % LINE != 0 || columns < LANES || nextY % LINE != 0) {
    transpose(rows, columns, x, nextX, y, nextY);
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j += LANES) {
    const ptrdiff_t column = THMin(j, columns - LANES);
    for (ptrdiff_t i = 0; i < rows; i += LINE) {
      _Alignas(TH_STREAM_LINE) real lines[LANES * LINE];
      for (int k = 0; k < LINE; k += LANES)
        transpose_square(x + (i + k) * nextX + column, nextX, lines + k, LINE);
      for (int k = 0; k < LANES; k++)
        THStream_lines(y + (column + k) * nextY + i, lines + k * LINE, 1);
    }
  }
}

const THNN_(Implicit) TH_LEVEL_(THNN_(implicit))[] = {
    {LANES, MOST_VECTORS, multiply, multiply_prefetching, transpose, transpose_streaming}};
