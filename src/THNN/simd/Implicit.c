/* Kernels of the products whose left matrix is picked by two lists. */
#include "THNNTemplate.h"

#if defined(__AVX512F__)
enum { VECTOR = 64, MOST = 4 };
#elif defined(__AVX__)
enum { VECTOR = 32, MOST = 2 };
#else
enum { VECTOR = 16, MOST = 2 };
#endif
enum {
  LANES = VECTOR / sizeof(real),
  ROWS = 6,
  MORE = 8,    /* of one vector */
  BETWEEN = 16 /* columns, what comes next is fetched */
};

typedef real Vector __attribute__((vector_size(VECTOR)));
#include "MultiplyAdd.h"
#include "TH/simd/THTurn.h"

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

/* --- products -------------------------------------------------------------------------------- */

/* Between a few columns and the next few some of what comes next is fetched: of the rows ahead, if
 * that is not NULL, a line of each where columns lie side by side, else an element of each column
 * in one of the rows, which is enough where rows lie side by side; and a line for each column from
 * following on, if that is not NULL.  In the loop over columns each instruction more takes time of
 * the multiplications. */
static inline __attribute__((always_inline)) void few_rows(
    const ptrdiff_t *rows, const ptrdiff_t *ahead, const real *following, ptrdiff_t ncolumns,
    const ptrdiff_t *columns, const real *x, const real *m, const real *start, real *sums,
    ptrdiff_t next, int together, int vectors)
{
  const real *row[MORE];
  for (int k = 0; k < together; k++)
    row[k] = x + rows[k];
  Vector sum[MORE][MOST];
  for (int k = 0; k < together; k++)
    for (int v = 0; v < vectors; v++)
      sum[k][v] = (Vector){0};
  for (int k = 0; k < together; k++)
    for (int v = 0; v < vectors; v++)
      __builtin_prefetch(sums + k * next + v * LANES, 1);
  int fetched = 0;
  for (ptrdiff_t b = 0; b < ncolumns;) {
    const ptrdiff_t end = THMin(b + BETWEEN, ncolumns);
    if (ahead && columns[end - 1] - columns[b] == end - 1 - b) {
      for (int k = 0; k < together; k++)
        __builtin_prefetch(x + ahead[k] + columns[b]);
    } else if (ahead) {
      for (ptrdiff_t k = b; k < end; k++) {
        __builtin_prefetch(x + ahead[fetched] + columns[k]);
        fetched = fetched + 1 == together ? 0 : fetched + 1;
      }
    }
    if (following)
      for (ptrdiff_t k = b; k < end; k++)
        __builtin_prefetch(following + k * LANES, 0, 2);
    for (; b < end; b++, m += vectors * LANES) {
      const ptrdiff_t column = columns[b];
      Vector factor[MOST];
      for (int v = 0; v < vectors; v++)
        factor[v] = load(m + v * LANES);
      for (int k = 0; k < together; k++) {
        const Vector element = row[k][column] - (Vector){0};
        for (int v = 0; v < vectors; v++)
          sum[k][v] = MULTIPLY_ADD(element, factor[v], sum[k][v]);
      }
    }
  }
  for (int k = 0; k < together; k++, sums += next)
    for (int v = 0; v < vectors; v++)
      store(sums + v * LANES, load((start ? start : sums) + v * LANES) + sum[k][v]);
}

static inline __attribute__((always_inline)) void all_rows(ptrdiff_t nrows, const ptrdiff_t *rows,
                                                           ptrdiff_t ncolumns,
                                                           const ptrdiff_t *columns, const real *x,
                                                           int isFar, const real *m,
                                                           const real *start, real *sums,
                                                           ptrdiff_t next, int vectors)
{
  const ptrdiff_t width = vectors * LANES;
  const int together = vectors == 1 ? MORE : ROWS;
  ptrdiff_t a = 0;
  for (; a + together <= nrows; a += together) {
    const ptrdiff_t group = a / together;
    const int fetches = vectors > 1; /* with one, loads are what takes the time */
    const ptrdiff_t *ahead =
        fetches && isFar && a + 2 * together <= nrows ? rows + a + together : NULL;
    /* What lies behind m is mostly the next call's. */
    const real *following =
        fetches && group < vectors ? m + (vectors + group) * ncolumns * LANES : NULL;
    few_rows(rows + a, ahead, following, ncolumns, columns, x, m, start, sums + a * next, next,
             together, vectors);
  }
  if (a < nrows) { /* the last one again where there are no more */
    ptrdiff_t last[MORE];
    real rest[ROWS * MOST * LANES] = {0};
    for (int k = 0; k < together; k++)
      last[k] = rows[THMin(a + k, nrows - 1)];
    few_rows(last, NULL, NULL, ncolumns, columns, x, m, start, rest, width, together, vectors);
    for (ptrdiff_t k = 0; a < nrows; a++)
      for (ptrdiff_t i = 0; i < width; i++, k++)
        sums[a * next + i] = start ? rest[k] : sums[a * next + i] + rest[k];
  }
}

static void multiply(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                     const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                     ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next)
{
  switch (vectors) {
    case 1:
      all_rows(nrows, rows, ncolumns, columns, x, isFar, m, start, sums, next, 1);
      break;
    case 2:
      all_rows(nrows, rows, ncolumns, columns, x, isFar, m, start, sums, next, 2);
      break;
#if defined(__AVX512F__)
    case 3:
      all_rows(nrows, rows, ncolumns, columns, x, isFar, m, start, sums, next, 3);
      break;
    default:
      all_rows(nrows, rows, ncolumns, columns, x, isFar, m, start, sums, next, 4);
#endif
  }
}

/* --- transposition --------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT)
#define turn_square THTurn32_square
#else
#define turn_square THTurn64_square
#endif

/* Squares, along the longer side first; the last ones begin where they end with the matrix.  Along
 * rows what is written lies side by side, along columns what is read: that comes from memory, a
 * line in each of the other's rows, and is fetched some squares ahead, also for the next call. */
static void turn(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
                 ptrdiff_t nextY)
{
  enum { AHEAD = 512 / sizeof(real) };
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
          __builtin_prefetch(x + (row + k) * nextX + column + AHEAD);
        turn_square(x + row * nextX + column, nextX, y + column * nextY + row, nextY);
      }
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j += LANES)
    for (ptrdiff_t i = 0; i < rows; i += LANES) {
      const ptrdiff_t column = THMin(j, columns - LANES), row = THMin(i, rows - LANES);
      for (int k = 0; k < LANES; k++)
        __builtin_prefetch(y + (column + k) * nextY + row + AHEAD, 1);
      turn_square(x + row * nextX + column, nextX, y + column * nextY + row, nextY);
    }
}

const THNN_(Implicit) TH_LEVEL_(THNN_(implicit))[] = {{LANES, MOST, multiply, turn}};
