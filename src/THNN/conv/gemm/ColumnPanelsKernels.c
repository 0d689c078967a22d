/* Kernels of column_panels: products of a register tile, and copies of positions. */
#include "THNN/layer/Template.h"

#include "THNN/simd/CopyRow.h"
#include "TH/simd/THSimdReal.h"
#include "THNN/conv/Activation.h"

/* Rows of a tile for panels of 1, 2, 3 and 4 vectors: the sums leave registers for the panel's vectors
 * and a weight. */
#if TH_VECTOR == 64
enum { MOST_VECTORS = 4, OF_ONE = 8, OF_TWO = 8, OF_THREE = 8, OF_FOUR = 6 };
#else
enum { MOST_VECTORS = 2, OF_ONE = 8, OF_TWO = 6 };
#endif
enum { ROWS = 8, LINE = 64 / sizeof(real) };

/* --- products -------------------------------------------------------------------------------- */

/* Computes a tile of rows x vectors, which are constants.  Only `there` rows exist; the tile repeats the
 * last of them.  The weights of the next tile's rows are prefetched: a panel takes too few adjacent
 * weights of each row for the processor to prefetch by itself. */
TH_SIMD void multiply_tile(ptrdiff_t terms, int rows, int vectors, ptrdiff_t there,
                           const THNN_(PanelTile) * tile)
{
  const real *weight[ROWS], *panel = tile->panel;
  Vector sum[ROWS][MOST_VECTORS];
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++) {
    const ptrdiff_t row = THMin(r, there - 1);
    weight[r] = tile->weights + row * tile->ofRow;
    const Vector start = Vector_(all)(tile->bias ? tile->bias[row] : 0);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      sum[r][v] = tile->adds ? load(tile->result + row * tile->next + v * LANES) : start;
  }
  for (ptrdiff_t k = 0, at = 0; k < terms;) {
    const ptrdiff_t end = THMin(k + LINE, terms);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
      __builtin_prefetch(weight[r] + at + rows * tile->ofRow);
    for (; k < end; k++, at += tile->ofTerm, panel += tile->nextTerm) {
      Vector column[MOST_VECTORS];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++)
        column[v] = load(panel + v * LANES);
#pragma GCC unroll 8
      for (int r = 0; r < rows; r++) {
        const Vector factor = Vector_(all)(weight[r][at]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
          sum[r][v] = Vector_(mulAdd)(factor, column[v], sum[r][v]);
      }
    }
  }
  if (tile->activation)
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++)
        sum[r][v] = activated(tile->activation, sum[r][v]);
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      store(tile->result + THMin(r, there - 1) * tile->next + v * LANES, sum[r][v]);
}

/* A tile of COUNT rows, or of half as many if these are enough. */
#define TILES(VECTORS, COUNT)                               \
  case VECTORS:                                             \
    if (rows > COUNT / 2)                                   \
      multiply_tile(terms, COUNT, VECTORS, rows, tile);     \
    else                                                    \
      multiply_tile(terms, COUNT / 2, VECTORS, rows, tile); \
    break;

static void multiply(ptrdiff_t terms, ptrdiff_t rows, ptrdiff_t vectors,
                     const THNN_(PanelTile) * tile)
{
  switch (vectors) {
    TILES(1, OF_ONE)
    TILES(2, OF_TWO)
#if TH_VECTOR == 64
    TILES(3, OF_THREE)
    TILES(4, OF_FOUR)
#endif
  }
}

/* The products with one position, with terms in the lanes. */
static void multiply_one(ptrdiff_t terms, ptrdiff_t rows, const THNN_(PanelTile) * tile)
{
  const ptrdiff_t whole = terms / LANES * LANES;
  Vector sum[ROWS];
  for (int r = 0; r < ROWS; r++)
    sum[r] = Vector_(all)(0);
  for (ptrdiff_t k = 0; k < whole; k += LANES) {
    const Vector column = load(tile->panel + k);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
      sum[r] = Vector_(mulAdd)(load(tile->weights + THMin(r, rows - 1) * tile->ofRow + k), column,
                               sum[r]);
  }
  for (ptrdiff_t r = 0; r < rows; r++) {
    real *const to = tile->result + r * tile->next;
    real total = tile->adds ? *to : tile->bias ? tile->bias[r] : 0;
    for (ptrdiff_t k = whole; k < terms; k++)
      total += tile->weights[r * tile->ofRow + k] * tile->panel[k];
    for (int l = 0; l < LANES; l++)
      total += sum[r][l];
    *to = activated(tile->activation, Vector_(all)(total))[0];
  }
}

/* --- panels ---------------------------------------------------------------------------------- */

static inline void copy_run(const real *from, ptrdiff_t count, ptrdiff_t step, real *to)
{
  if (step == 1)
    copy_row(to, from, count);
  else if (step == 2)
    for (ptrdiff_t j = 0; j < count; j++)
      to[j] = from[2 * j];
  else
    for (ptrdiff_t j = 0; j < count; j++)
      to[j] = from[j * step];
}

static void pack(const THNN_(PanelSource) * source, ptrdiff_t width, real *panel, ptrdiff_t next)
{
  const THNN_(PanelSource) s = *source;
  ptrdiff_t covered = 0;
  for (ptrdiff_t k = 0; k < s.runs; k++)
    covered += s.run[k].count;
  for (ptrdiff_t plane = 0; plane < s.planes; plane++, panel += next) {
    const real *x = s.x + plane * s.nextPlane;
    if (covered < width)
      memset(panel, 0, (size_t)width * sizeof *panel);
    for (ptrdiff_t k = 0; k < s.runs; k++)
      copy_run(x + s.run[k].from, s.run[k].count, s.step, panel + s.run[k].to);
  }
}

const THNN_(Panels) TH_LEVEL_(THNN_(panels))[] = {{LANES,
                                                   MOST_VECTORS,
#if TH_VECTOR == 64
                                                   {0, OF_ONE, OF_TWO, OF_THREE, OF_FOUR},
#else
                                                   {0, OF_ONE, OF_TWO},
#endif
                                                   multiply,
                                                   multiply_one,
                                                   pack}};
