/* Products of matrices of BFloat16, with AVX512-BF16. */
#include "products.h"

#if defined(__AVX512F__)
#include <immintrin.h>

enum { LANES = 16, VECTORS = AT_PANEL_COLUMNS / LANES };

static bool usable(void)
{
  return __builtin_cpu_supports("avx512bf16");
}

/* Pairs of four lines whose terms are side by side, a pair being one number: squares of four
 * pairs are turned. */
static void pack_squares(const at_lines *lines, ptrdiff_t first, ptrdiff_t width,
                         at_bfloat16 *panel)
{
  enum { SIDE = 4 };
  for (ptrdiff_t p = 0; p < lines->terms / 2; p += SIDE) {
    __m128i row[SIDE], half[SIDE];
    for (int i = 0; i < SIDE; i++)
      row[i] = _mm_loadu_si128(
          (const __m128i *)(const void *)(lines->at + (first + i) * lines->step + 2 * p));
    for (int i = 0; i < SIDE; i += 2) {
      half[i] = _mm_unpacklo_epi32(row[i], row[i + 1]);
      half[i + 1] = _mm_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
      row[2 * i] = _mm_unpacklo_epi64(half[i], half[i + 2]);
      row[2 * i + 1] = _mm_unpackhi_epi64(half[i], half[i + 2]);
    }
    for (int i = 0; i < SIDE; i++)
      _mm_storeu_si128((__m128i *)(void *)(panel + 2 * ((p + i) * width + first)), row[i]);
  }
}

/* Pairs of a whole panel of columns from two rows of them. */
static void pack_rows(const at_lines *lines, at_bfloat16 *panel)
{
  enum { BOTH = 32 }; /* columns whose terms fill a vector */
  static const uint16_t order[BOTH] = {0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,
                                       37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
                                       11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i low = _mm512_loadu_si512(order),
                high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  for (ptrdiff_t p = 0; p < lines->terms / 2; p++) {
    const at_bfloat16 *row = lines->at + 2 * p * lines->next;
    for (ptrdiff_t l = 0; l < AT_PANEL_COLUMNS; l += BOTH, panel += 2 * BOTH) {
      const __m512i first = _mm512_loadu_si512(row + l);
      const __m512i second = _mm512_loadu_si512(row + lines->next + l);
      _mm512_storeu_si512(panel, _mm512_permutex2var_epi16(first, low, second));
      _mm512_storeu_si512(panel + BOTH, _mm512_permutex2var_epi16(first, high, second));
    }
  }
}

static void pack(const at_lines *lines, ptrdiff_t width, at_bfloat16 *panel)
{
  if (lines->count == width && lines->terms % 2 == 0 && lines->step == 1 &&
      width == AT_PANEL_COLUMNS) {
    pack_rows(lines, panel);
    return;
  }
  if (lines->count == width && lines->terms % 8 == 0 && lines->next == 1) {
    for (ptrdiff_t first = 0; first < width; first += 4)
      pack_squares(lines, first, width, panel);
    return;
  }
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

static inline __attribute__((always_inline)) void add_row(const float *sums, ptrdiff_t columns,
                                                          bool add, float *r)
{
  for (ptrdiff_t j = 0; j < columns; j++)
    r[j] = add ? r[j] + sums[j] : sums[j];
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
    if (columns == AT_PANEL_COLUMNS) /* as many as the compiler knows */
      add_row(sums[i], AT_PANEL_COLUMNS, add, r);
    else
      add_row(sums[i], columns, add, r);
}

const at_products TH_LEVEL_(at_bfloatProducts)[] = {{usable, pack, tile}};
#else
const at_products TH_LEVEL_(at_bfloatProducts)[] = {{NULL, NULL, NULL}};
#endif
