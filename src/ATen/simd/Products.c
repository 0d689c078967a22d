/* Products of matrices of BFloat16, with AVX512-BF16. */
#include "products.h"

#if defined(__AVX512F__)
#include <immintrin.h>

enum { LANES = 16, VECTORS = AT_PANEL_COLUMNS / LANES };

static bool usable(void)
{
  return __builtin_cpu_supports("avx512bf16");
}

static void pack(const at_lines *lines, ptrdiff_t width, at_bfloat16 *panel)
{
  const ptrdiff_t pairs = lines->terms / 2;
  for (ptrdiff_t p = 0; p < (lines->terms + 1) / 2; p++, panel += 2 * width) {
    const at_bfloat16 *first = lines->at + 2 * p * lines->next;
    const at_bfloat16 *second = first + lines->next;
    if (lines->count < width || p == pairs)
      memset(panel, 0, (size_t)(2 * width) * sizeof *panel);
    if (p == pairs) /* the last term has no other one */
      for (ptrdiff_t l = 0; l < lines->count; l++)
        panel[2 * l] = first[l * lines->step];
    else if (lines->next == 1)
      for (ptrdiff_t l = 0; l < lines->count; l++)
        memcpy(panel + 2 * l, first + l * lines->step, 2 * sizeof *panel);
    else if (lines->step == 1)
      for (ptrdiff_t l = 0; l < lines->count; l++) {
        panel[2 * l] = first[l];
        panel[2 * l + 1] = second[l];
      }
    else
      for (ptrdiff_t l = 0; l < lines->count; l++) {
        panel[2 * l] = first[l * lines->step];
        panel[2 * l + 1] = second[l * lines->step];
      }
  }
}

/* The instruction adds the products of a pair to a float, denormal numbers being 0 to it. */
__attribute__((target("avx512bf16"))) static void tile(ptrdiff_t pairs, const at_bfloat16 *x,
                                                       const at_bfloat16 *y, float *r,
                                                       ptrdiff_t next, ptrdiff_t rows,
                                                       ptrdiff_t columns, bool add)
{
  __m512 sum[AT_PANEL_ROWS][VECTORS];
  for (int i = 0; i < AT_PANEL_ROWS; i++)
    for (int v = 0; v < VECTORS; v++)
      sum[i][v] = _mm512_setzero_ps();
  for (ptrdiff_t p = 0; p < pairs; p++, x += 2 * AT_PANEL_ROWS, y += 2 * AT_PANEL_COLUMNS) {
    __m512i factor[VECTORS];
    for (int v = 0; v < VECTORS; v++)
      factor[v] = _mm512_loadu_si512(y + 2 * v * LANES);
    for (int i = 0; i < AT_PANEL_ROWS; i++) {
      int32_t pair;
      memcpy(&pair, x + 2 * i, sizeof pair);
      const __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
      for (int v = 0; v < VECTORS; v++)
        sum[i][v] = _mm512_dpbf16_ps(sum[i][v], both, (__m512bh)factor[v]);
    }
  }
  float sums[AT_PANEL_ROWS][AT_PANEL_COLUMNS];
  for (int i = 0; i < AT_PANEL_ROWS; i++)
    for (int v = 0; v < VECTORS; v++)
      _mm512_storeu_ps(&sums[i][v * LANES], sum[i][v]);
  for (ptrdiff_t i = 0; i < rows; i++, r += next)
    for (ptrdiff_t j = 0; j < columns; j++)
      r[j] = add ? r[j] + sums[i][j] : sums[i][j];
}

const at_products TH_LEVEL_(at_bfloatProducts)[] = {{usable, pack, tile}};
#else
const at_products TH_LEVEL_(at_bfloatProducts)[] = {{NULL, NULL, NULL}};
#endif
