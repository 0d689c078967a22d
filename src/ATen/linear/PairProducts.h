/* A tile of sums in registers with AVX512-BF16, whose instruction, which no other level has, adds the
 * products of a pair of terms to a float and treats denormal numbers as 0.  Included by ProductsKernels.c. */

enum { PAIR_ROWS = 12, TERMS_OF_PAIR = 2 };

static bool pairs_usable(void)
{
  return __builtin_cpu_supports("avx512bf16");
}

static void no_state(void)
{
}

/* Multiplies so many vectors of columns; vectors is a constant wherever this is inlined. */
__attribute__((target("avx512bf16"), always_inline)) static inline void
multiply_pairs(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y, float *sums, bool add,
               int vectors)
{
  THFloats sum[PAIR_ROWS][2];
#pragma GCC unroll 12
  for (int i = 0; i < PAIR_ROWS; i++)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
      sum[i][v] = add ? THFloats_load(sums + i * AT_TILE_COLUMNS + v * LANES) : THFloats_all(0);
  for (ptrdiff_t l = 0; l < terms; l += AT_SQUARE_TERMS, x += AT_SQUARE, y += vectors * AT_SQUARE)
    for (ptrdiff_t p = 0; p < THMin(AT_SQUARE_TERMS, terms - l); p += TERMS_OF_PAIR) {
      THInts factor[2];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; v++)
        factor[v] = (THInts)THSimd_load(y + v * AT_SQUARE + p * AT_SQUARE_LINES);
#pragma GCC unroll 12
      for (int i = 0; i < PAIR_ROWS; i++) {
        int32_t pair;
        memcpy(&pair, x + i * AT_SQUARE_TERMS + p, sizeof pair);
        const __m512bh both = (__m512bh)THInts_all(pair);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
          sum[i][v] = _mm512_dpbf16_ps(sum[i][v], both, (__m512bh)factor[v]);
      }
    }
#pragma GCC unroll 12
  for (int i = 0; i < PAIR_ROWS; i++)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
      THFloats_store(sums + i * AT_TILE_COLUMNS + v * LANES, sum[i][v]);
}

__attribute__((target("avx512bf16"))) static void tile_by_pairs(ptrdiff_t terms,
                                                                const at_bfloat16 *x,
                                                                const at_bfloat16 *y, float *sums,
                                                                ptrdiff_t rows, ptrdiff_t columns,
                                                                bool add)
{
  (void)rows; /* rows that do not exist are packed as 0 */
  if (columns <= LANES)
    multiply_pairs(terms, x, y, sums, add, 1);
  else
    multiply_pairs(terms, x, y, sums, add, 2);
}
