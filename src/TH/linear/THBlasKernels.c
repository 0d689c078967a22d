/* Kernels of linear algebra: vectors, and matrix products in blocks that fit the caches. */
#include "THTemplate.h"

#include "THBlasKernels.h"
#include "TH/core/THScratch.h"
#include "TH/simd/THMultiplyAdd.h"
#include "TH/simd/THTranspose.h"

typedef element Vector __attribute__((vector_size(TH_VECTOR)));
enum { LANES = TH_VECTOR / sizeof(element), TILE_COLUMNS = TH_VECTOR == 64 ? 12 : 6 };

/* --- vectors --------------------------------------------------------------------------------- */

static void axpy(ptrdiff_t n, real a, const real *x, ptrdiff_t dx, real *y, ptrdiff_t dy)
{
  if (dx == 1 && dy == 1) {
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = (real)((scalar)y[i] + (scalar)a * (scalar)x[i]);
  } else {
    for (ptrdiff_t i = 0; i < n; i++)
      y[i * dy] = (real)((scalar)y[i * dy] + (scalar)a * (scalar)x[i * dx]);
  }
}

static void scal(ptrdiff_t n, real a, real *x, ptrdiff_t dx)
{
  if (dx == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      x[i] = (real)((scalar)a * (scalar)x[i]);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      x[i * dx] = (real)((scalar)a * (scalar)x[i * dx]);
}

/* --- dot ------------------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* 64 partial sums (32 in double) of at most 8 (16) products each, which are then added up in
 * accreal.  So the error of Float is at most 8 roundings, 5e-7 of the sum of absolute values. */
enum { LINE = 64 / sizeof(real), LINES = 4, TOTALS = 8 };
typedef real Line __attribute__((vector_size(64), aligned(4)));
typedef real Part __attribute__((vector_size(TOTALS * sizeof(real)), aligned(4)));
typedef accreal Total __attribute__((vector_size(TOTALS * sizeof(accreal))));

/* total += the products of a group.  Cache lines are read in order, and if ahead is not 0
 * prefetched in order, ahead bytes before; past the end of the array a prefetch does nothing. */
static inline __attribute__((always_inline)) void dot_group(const real *x, const real *y,
                                                            size_t ahead, Total *total)
{
  Line sum[LINES] = {{0}};
  for (int i = 0; i < TH_DOT_GROUP; i += LINES * LINE)
#pragma GCC unroll 4
    for (int k = 0; k < LINES; k++) {
      const real *xs = x + i + k * LINE, *ys = y + i + k * LINE;
      if (ahead) {
        __builtin_prefetch((const void *)((uintptr_t)xs + ahead));
        __builtin_prefetch((const void *)((uintptr_t)ys + ahead));
      }
      Line a, b;
      memcpy(&a, xs, sizeof a);
      memcpy(&b, ys, sizeof b);
      sum[k] += a * b;
    }
  for (int i = 0; i < (int)(LINES * LINE); i += TOTALS) {
    Part part;
    memcpy(&part, (const real *)sum + i, sizeof part);
    *total += __builtin_convertvector(part, Total);
  }
}

static inline accreal sum_of(const Total *lanes)
{
  const Total total = *lanes;
  return ((total[0] + total[4]) + (total[1] + total[5])) +
         ((total[2] + total[6]) + (total[3] + total[7]));
}

#else

typedef accreal Total;

/* Integers are exact in any order.  Products of 512 pairs of bytes fit in 32 bits. */
static inline void dot_group(const real *x, const real *y, size_t ahead, accreal *total)
{
  for (size_t k = ahead; k && k < ahead + TH_DOT_GROUP * sizeof(real); k += 64) {
    __builtin_prefetch((const void *)((uintptr_t)x + k));
    __builtin_prefetch((const void *)((uintptr_t)y + k));
  }
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
  int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < TH_DOT_GROUP; i++)
    sum += x[i] * y[i];
#else
  uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < TH_DOT_GROUP; i++)
    sum += (uint64_t)(int64_t)x[i] * (uint64_t)(int64_t)y[i];
#endif
  *total = (accreal)((uint64_t)*total + (uint64_t)sum);
}

static inline accreal sum_of(const accreal *total)
{
  return *total;
}

#endif

/* Copies n elements to a whole group, filled up with 0. */
static void gather(real *to, ptrdiff_t n, const real *x, ptrdiff_t dx)
{
  for (ptrdiff_t i = 0; i < TH_DOT_GROUP; i++)
    to[i] = i < n ? x[i * dx] : 0;
}

static accreal dot(ptrdiff_t n, const real *x, ptrdiff_t dx, const real *y, ptrdiff_t dy,
                   size_t ahead)
{
  Total total = {0};
  for (ptrdiff_t i = 0; i < n; i += TH_DOT_GROUP) {
    real a[TH_DOT_GROUP], b[TH_DOT_GROUP];
    const real *xs = x + i * dx, *ys = y + i * dy;
    const ptrdiff_t count = THMin(n - i, TH_DOT_GROUP);
    if (dx != 1 || count < TH_DOT_GROUP) {
      gather(a, count, xs, dx);
      xs = a;
    }
    if (dy != 1 || count < TH_DOT_GROUP) {
      gather(b, count, ys, dy);
      ys = b;
    }
    if (ahead && xs != a && ys != b)
      dot_group(xs, ys, ahead, &total);
    else
      dot_group(xs, ys, 0, &total);
  }
  return sum_of(&total);
}

/* --- matrix products ------------------------------------------------------------------------- */

/* c is cut into blocks, and the sums of a block into chunks of DEPTH terms.  For each chunk,
 * the rows of a and the columns of b are packed into tiles, in the order in which they are used;
 * then each tile of c is computed in registers.  A tile of a stays in L1 while the tiles of b are
 * read.  With masks (AVX-512), a is packed tile by tile (THGemmMicro.h). */
#if TH_VECTOR_MASKS && (defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE))
#define HAS_WIDE_PRODUCT
enum {
  BLOCK_ROWS = 1 << 30,
  PACKED_ROWS = 2 * LANES,
  BLOCK_COLUMNS = sizeof(element) == 8 ? 360 : 480
};
#else
enum { BLOCK_ROWS = 16 * LANES, PACKED_ROWS = BLOCK_ROWS, BLOCK_COLUMNS = 480 };
#endif
enum { TILE_ROWS = 2 * LANES, DEPTH = 256, TILE = TILE_ROWS * TILE_COLUMNS };

/* Squares as wide as vectors are transposed in vectors of 64 bytes, others of four rows where shuffles
 * can move elements of this width. */
#if TH_VECTOR == 64 && defined(TH_REAL_IS_FLOAT)
#define TURNS_WHOLE     1
#define transpose_whole THTranspose32_square
#elif TH_VECTOR == 64 && defined(TH_REAL_IS_DOUBLE)
#define TURNS_WHOLE     1
#define transpose_whole THTranspose64_square
#else
#define TURNS_WHOLE 0
#endif
enum { SQUARE = 4, TURNS_SQUARES = sizeof(element) >= 4 };

typedef element Four __attribute__((vector_size(SQUARE * sizeof(element))));

/* tiles[l * width + i] = a[i * step + l] for i and l below 4. */
static inline void transpose_square(element *tiles, ptrdiff_t width, const element *a,
                                    ptrdiff_t step)
{
  Four row[SQUARE], pair[SQUARE];
  for (int i = 0; i < SQUARE; i++)
    memcpy(&row[i], a + i * step, sizeof row[i]);
  for (int i = 0; i < SQUARE; i += 2) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 4, 1, 5);
    pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 6, 3, 7);
  }
  for (int l = 0; l < 2; l++) {
    row[2 * l] = __builtin_shufflevector(pair[l], pair[l + 2], 0, 1, 4, 5);
    row[2 * l + 1] = __builtin_shufflevector(pair[l], pair[l + 2], 2, 3, 6, 7);
  }
  for (int l = 0; l < SQUARE; l++)
    memcpy(tiles + l * width, &row[l], sizeof row[l]);
}

/* Packs a few tiles of a whose columns are contiguous, column by column. */
static inline void pack_columns(element *tiles, ptrdiff_t width, ptrdiff_t count, ptrdiff_t depth,
                                const element *a, ptrdiff_t along)
{
  for (ptrdiff_t l = 0; l < depth; l++, a += along) {
    element *to = tiles + l * width;
    ptrdiff_t i = 0;
    for (; i + width <= count; i += width, to += width * depth)
      memcpy(to, a + i, (size_t)width * sizeof(element));
    for (ptrdiff_t k = i; k < count; k++)
      to[k - i] = a[k];
  }
}

/* Packs four contiguous rows of a and prefetches the next four. */
static inline void pack_four(element *tile, ptrdiff_t width, ptrdiff_t depth, const element *a,
                             ptrdiff_t step)
{
  enum { LINE = 64 / sizeof(element) };
  ptrdiff_t l = 0;
  for (; l + SQUARE <= depth; l += SQUARE) {
    if (l % LINE == 0)
      for (int i = SQUARE; i < 2 * SQUARE; i++)
        __builtin_prefetch((const void *)((uintptr_t)a + (size_t)(i * step + l) * sizeof *a));
    transpose_square(tile + l * width, width, a + l, step);
  }
  for (; l < depth; l++)
    for (int i = 0; i < SQUARE; i++)
      tile[l * width + i] = a[i * step + l];
}

/* Packs contiguous rows of a, as many as vectors have lanes, into a tile. */
static inline void pack_square(element *tile, ptrdiff_t width, ptrdiff_t depth, const element *a,
                               ptrdiff_t step)
{
  ptrdiff_t l = 0;
#if TURNS_WHOLE
  for (; l + LANES <= depth; l += LANES)
    transpose_whole(a + l, step, tile + l * width, width);
#endif
  for (; l < depth; l++)
    for (int i = 0; i < LANES; i++)
      tile[l * width + i] = a[i * step + l];
}

/* tiles[l][i] = a(i, l) for each tile of width i; elements outside of a are 0. */
static inline void pack(element *tiles, ptrdiff_t width, ptrdiff_t count, ptrdiff_t depth,
                        const element *a, ptrdiff_t step, ptrdiff_t along)
{
  const ptrdiff_t whole = count / width * width;
  if (whole < count)
    memset(tiles + whole * depth, 0, (size_t)(width * depth) * sizeof(element));
  if (step == 1) {
    for (ptrdiff_t first = 0; first < count; first += 8 * width)
      pack_columns(tiles + first * depth, width, THMin(8 * width, count - first), depth, a + first,
                   along);
    return;
  }
  for (ptrdiff_t first = 0; first < count; first += width, tiles += width * depth) {
    const ptrdiff_t there = THMin(width, count - first);
    const element *from = a + first * step;
    ptrdiff_t i = 0;
    for (; along == 1 && TURNS_WHOLE && i + LANES <= there; i += LANES)
      pack_square(tiles + i, width, depth, from + i * step, step);
    for (; along == 1 && TURNS_SQUARES && i + SQUARE <= there; i += SQUARE)
      pack_four(tiles + i, width, depth, from + i * step, step);
    for (; i < there; i++)
      for (ptrdiff_t l = 0; l < depth; l++)
        tiles[l * width + i] = from[i * step + l * along];
  }
}

static inline Vector load(const element *x)
{
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* Prefetches a tile of c, which is far from the last one in memory, while its sums are computed. */
static inline void prefetch_tile(ptrdiff_t columns, const element *c, ptrdiff_t ldc)
{
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t i = 0; i < TILE_ROWS; i += 64 / (ptrdiff_t)sizeof(element))
      __builtin_prefetch((const void *)((uintptr_t)(c + j * ldc) + (size_t)i * sizeof(element)), 1);
}

#ifdef HAS_WIDE_PRODUCT

#include "THGemmMicro.h"

#else

/* tile(i, j) = the sum over l of a[l][i] * b[l][j], for constant numbers of columns and of vectors
 * of rows.  The sums are stored one by one: stored in a loop, they would not stay in registers. */
static inline __attribute__((always_inline)) void multiply(ptrdiff_t depth, const element *a,
                                                           const element *b, element *tile,
                                                           int columns, int vectors)
{
  Vector sum[TILE_COLUMNS][2];
  for (int j = 0; j < columns; j++)
    for (int v = 0; v < vectors; v++)
      sum[j][v] = (Vector){0};
  for (ptrdiff_t l = 0; l < depth; l++, a += TILE_ROWS, b += TILE_COLUMNS) {
    Vector rows[2];
    for (int v = 0; v < vectors; v++)
      rows[v] = load(a + v * LANES);
    for (int j = 0; j < columns; j++) {
      const Vector factor = b[j] - (Vector){0};
      for (int v = 0; v < vectors; v++)
        sum[j][v] = MULTIPLY_ADD(factor, rows[v], sum[j][v]);
    }
  }
  for (int j = 0; j < columns; j++)
    for (int v = 0; v < vectors; v++)
      memcpy(tile + j * TILE_ROWS + v * LANES, &sum[j][v], sizeof(Vector));
}

/* At least the wanted number of columns. */
static inline __attribute__((always_inline)) void multiply_columns(ptrdiff_t depth,
                                                                   const element *a,
                                                                   const element *b, element *tile,
                                                                   ptrdiff_t columns, int vectors)
{
  if (columns <= TILE_COLUMNS / 3)
    multiply(depth, a, b, tile, TILE_COLUMNS / 3, vectors);
  else if (columns <= 2 * TILE_COLUMNS / 3)
    multiply(depth, a, b, tile, 2 * TILE_COLUMNS / 3, vectors);
  else
    multiply(depth, a, b, tile, TILE_COLUMNS, vectors);
}

/* c = alpha * tile + beta * c, without reading c where beta is 0. */
static inline void finish(const element *tile, ptrdiff_t rows, ptrdiff_t columns, scalar alpha,
                          scalar beta, element *c, ptrdiff_t ldc)
{
  for (ptrdiff_t j = 0; j < columns; j++, tile += TILE_ROWS, c += ldc)
    if (beta == 0)
      for (ptrdiff_t i = 0; i < rows; i++)
        c[i] = (element)(alpha * tile[i]);
    else if (beta == 1)
      for (ptrdiff_t i = 0; i < rows; i++)
        c[i] = (element)(c[i] + alpha * tile[i]);
    else
      for (ptrdiff_t i = 0; i < rows; i++)
        c[i] = (element)(beta * c[i] + alpha * tile[i]);
}

static void product(const THProduct *p, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t column,
                    ptrdiff_t columns, real *scratch)
{
  const element *a = (const element *)p->a + row * p->aRow;
  const element *b = (const element *)p->b + column * p->bColumn;
  element *c = (element *)p->c + row + column * p->ldc;
  const ptrdiff_t tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
  element *as = (element *)scratch, *bs = as + tiles * TILE_ROWS * THMin(DEPTH, p->k);
  scalar beta = (scalar)p->beta;

  for (ptrdiff_t l = 0; l < p->k; l += DEPTH) {
    const ptrdiff_t depth = THMin(DEPTH, p->k - l);
    pack(as, TILE_ROWS, rows, depth, a + l * p->aColumn, p->aRow, p->aColumn);
    pack(bs, TILE_COLUMNS, columns, depth, b + l * p->bRow, p->bColumn, p->bRow);
    for (ptrdiff_t i = 0; i < rows; i += TILE_ROWS)
      for (ptrdiff_t j = 0; j < columns; j += TILE_COLUMNS) {
        const ptrdiff_t across = THMin(TILE_COLUMNS, columns - j);
        element tile[TILE], *at = c + i + j * p->ldc;
        prefetch_tile(across, at, p->ldc);
        if (rows - i > LANES)
          multiply_columns(depth, as + i * depth, bs + j * depth, tile, across, 2);
        else
          multiply_columns(depth, as + i * depth, bs + j * depth, tile, across, 1);
        finish(tile, THMin(TILE_ROWS, rows - i), across, (scalar)p->alpha, beta, at, p->ldc);
      }
    beta = 1;
  }
}

#endif

/* --- the table ------------------------------------------------------------------------------- */

const THBlasKernels TH_LEVEL_(THBlas_(kernels))[] = {{
    .axpy = axpy,
    .scal = scal,
    .dot = dot,
    .product = product,
#if defined(HAS_WIDE_PRODUCT)
    .isUnpacked = is_unpacked,
#endif
    .lanes = LANES,
    .tileRows = TILE_ROWS,
    .tileColumns = TILE_COLUMNS,
    .blockRows = BLOCK_ROWS,
    .blockColumns = BLOCK_COLUMNS,
    .depth = DEPTH,
    .packedRows = PACKED_ROWS,
}};
