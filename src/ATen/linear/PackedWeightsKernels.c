/* Kernels of packedWeights.h.  Words become floats by shifts, so that all levels share the format. */
#include "packedWeights.h"

#include "TH/simd/THSimd.h"
#include "TH/simd/THTranspose.h"

enum {
  LANES = TH_VECTOR / sizeof(float),
  ROWS = TH_VECTOR_MASKS ? 4 : 2, /* with 4 vectors of sums each, in 32 or 16 registers */
  TILE_ROWS = TH_VECTOR_MASKS ? 6 : 2,
  INT8_WORDS = LANES,
  BFLOAT_WORDS = 2 * LANES
};

typedef void Load(const int32_t *words, THFloats w[AT_PACKED_VECTORS]);

TH_SIMD void load_int8(const int32_t *words, THFloats w[AT_PACKED_VECTORS])
{
  const THInts four = (THInts)THSimd_load(words);
#pragma GCC unroll 4
  for (int v = 0; v < AT_PACKED_VECTORS; v++)
    w[v] = __builtin_convertvector((four << (24 - 8 * v)) >> 24, THFloats);
}

TH_SIMD void load_bfloat16(const int32_t *words, THFloats w[AT_PACKED_VECTORS])
{
#pragma GCC unroll 2
  for (int v = 0; v < AT_PACKED_VECTORS; v += 2) {
    const THInts two = (THInts)THSimd_load(words + v / 2 * LANES);
    w[v] = (THFloats)(two << 16);
    w[v + 1] = (THFloats)(two & THInts_all(-65536));
  }
}

/* rows, step and load are constants wherever this is inlined. */
TH_SIMD void multiply_rows(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                           const int32_t *words, int step, Load *load, float *sums)
{
  THFloats sum[ROWS][AT_PACKED_VECTORS];
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      sum[i][v] = THFloats_all(0);
  for (ptrdiff_t k = 0; k < terms; k++, words += step) {
    THFloats w[AT_PACKED_VECTORS];
    load(words, w);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      const THFloats factor = THFloats_all(x[i * next + k]);
#pragma GCC unroll 4
      for (int v = 0; v < AT_PACKED_VECTORS; v++)
        sum[i][v] = THFloats_mulAdd(factor, w[v], sum[i][v]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      THFloats_store(sums + i * AT_MOST_PACKED_OUTPUTS + v * LANES, sum[i][v]);
}

TH_SIMD void multiply_any(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                          const int32_t *words, int step, Load *load, float *sums)
{
  if (rows == 1)
    multiply_rows(terms, 1, x, next, words, step, load, sums);
  else if (rows == 2)
    multiply_rows(terms, 2, x, next, words, step, load, sums);
#if TH_VECTOR_MASKS
  else if (rows == 3)
    multiply_rows(terms, 3, x, next, words, step, load, sums);
  else
    multiply_rows(terms, 4, x, next, words, step, load, sums);
#endif
}

TH_SIMD void unpack_any(ptrdiff_t terms, const int32_t *words, int step, Load *load,
                        const float *scales, float *panel, ptrdiff_t next)
{
  THFloats scale[AT_PACKED_VECTORS];
  for (int v = 0; v < AT_PACKED_VECTORS; v++)
    scale[v] = THFloats_load(scales + v * LANES);
  for (ptrdiff_t k = 0; k < terms; k++, words += step) {
    THFloats w[AT_PACKED_VECTORS];
    load(words, w);
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      THFloats_store(panel + k * next + v * LANES, w[v] * scale[v]);
  }
}

/* --- floats ----------------------------------------------------------------------------------- */

/* Squares as wide as vectors are transposed where terms are adjacent; the rest element by element. */
static void fill(ptrdiff_t terms, ptrdiff_t count, const float *weight, ptrdiff_t output,
                 ptrdiff_t term, float *words)
{
  enum { WIDTH = AT_PACKED_VECTORS * LANES };
  const ptrdiff_t lines = term == 1 ? count / LANES * LANES : 0, squares = terms / LANES * LANES;
  if (count < WIDTH)
    memset(words, 0, (size_t)(terms * WIDTH) * sizeof *words);
  for (ptrdiff_t k = 0; k < squares; k += LANES)
    for (ptrdiff_t j = 0; j < lines; j += LANES)
      THTranspose32_square(weight + j * output + k, output, words + k * WIDTH + j, WIDTH);
  for (ptrdiff_t k = 0; k < terms; k++)
    for (ptrdiff_t j = k < squares ? lines : 0; j < count; j++)
      words[k * WIDTH + j] = weight[j * output + k * term];
}

/* rows is a constant wherever this is inlined. */
TH_SIMD void add_rows(ptrdiff_t terms, int rows, const at_packedTile *tile)
{
  THFloats sum[TILE_ROWS][AT_PACKED_VECTORS];
  const float *words = tile->words, *x[TILE_ROWS];
  uintptr_t ahead = (uintptr_t)tile->ahead;
  const uintptr_t nextAhead = (uintptr_t)tile->nextAhead * sizeof(float);
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) {
    x[i] = tile->x + i * tile->nextX;
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      sum[i][v] = THFloats_load(tile->start + i * tile->nextStart + v * LANES);
  }
  for (ptrdiff_t k = 0; k < terms; k++, words += AT_PACKED_VECTORS * LANES, ahead += nextAhead) {
    THFloats w[AT_PACKED_VECTORS];
    __builtin_prefetch((const void *)ahead, 0, 2); /* into L2 */
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      w[v] = THFloats_load(words + v * LANES);
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
      const THFloats factor = THFloats_all(x[i][k]);
#pragma GCC unroll 4
      for (int v = 0; v < AT_PACKED_VECTORS; v++)
        sum[i][v] = THFloats_mulAdd(factor, w[v], sum[i][v]);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int v = 0; v < AT_PACKED_VECTORS; v++)
      THFloats_store(tile->result + i * tile->nextResult + v * LANES, sum[i][v]);
}

/* clang-format off */
#define ADD_ROWS(ROWS) case ROWS: add_rows(terms, ROWS, tile); break;
/* clang-format on */
static void add(ptrdiff_t terms, int rows, const at_packedTile *tile)
{
  switch (rows) {
    ADD_ROWS(1)
    ADD_ROWS(2)
#if TH_VECTOR_MASKS
    ADD_ROWS(3)
    ADD_ROWS(4)
    ADD_ROWS(5)
    ADD_ROWS(6)
#endif
  }
}
#undef ADD_ROWS

/* --- fewer bits ------------------------------------------------------------------------------- */

static void multiply_int8(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                          const int32_t *words, float *sums)
{
  multiply_any(terms, rows, x, next, words, INT8_WORDS, load_int8, sums);
}

static void unpack_int8(ptrdiff_t terms, const int32_t *words, const float *scales, float *panel,
                        ptrdiff_t next)
{
  unpack_any(terms, words, INT8_WORDS, load_int8, scales, panel, next);
}

static void multiply_bfloat16(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                              const int32_t *words, float *sums)
{
  multiply_any(terms, rows, x, next, words, BFLOAT_WORDS, load_bfloat16, sums);
}

static void unpack_bfloat16(ptrdiff_t terms, const int32_t *words, const float *scales,
                            float *panel, ptrdiff_t next)
{
  unpack_any(terms, words, BFLOAT_WORDS, load_bfloat16, scales, panel, next);
}

const at_packedKernels TH_LEVEL_(at_packedProducts)[] = {
    {.lanes = LANES,
     .rows = ROWS,
     .tileRows = TILE_ROWS,
     .add = add,
     .fill = fill,
     .multiply = {[AT_PACKED_INT8] = multiply_int8, [AT_PACKED_BFLOAT16] = multiply_bfloat16},
     .unpack = {[AT_PACKED_INT8] = unpack_int8, [AT_PACKED_BFLOAT16] = unpack_bfloat16}}};
