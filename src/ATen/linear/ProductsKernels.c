/* Products of matrices of BFloat16, with AVX512-BF16 or AMX. */
#define _GNU_SOURCE /* secure_getenv */
#include "products.h"

#if defined(__AVX512F__)
#include <immintrin.h>

/* --- packing --------------------------------------------------------------------------------- */

/* The vectors of a square: each is one line, or one pair of terms of every line. */
enum { VECTORS = AT_SQUARE_LINES };

/* A mask of the first n lanes; n may be negative or more than there are. */
static inline __mmask32 first_lanes(ptrdiff_t n)
{
  return n >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << THMax(0, n)) - 1;
}

/* Transposes a square of 32-bit elements by exchanging elements, pairs and quadruples of them. */
static inline __attribute__((always_inline)) void transpose(__m512i v[VECTORS])
{
  __m512i w[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i += 2) {
    w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i += 4)
#pragma GCC unroll 16
    for (int k = 0; k < 2; k++) {
      v[i + 2 * k] = _mm512_unpacklo_epi64(w[i + k], w[i + k + 2]);
      v[i + 2 * k + 1] = _mm512_unpackhi_epi64(w[i + k], w[i + k + 2]);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 4; i++)
#pragma GCC unroll 16
    for (int k = 0; k < VECTORS; k += 8) {
      w[k + i] = _mm512_shuffle_i32x4(v[k + i], v[k + i + 4], 0x88);
      w[k + i + 4] = _mm512_shuffle_i32x4(v[k + i], v[k + i + 4], 0xdd);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 8; i++) {
    v[i] = _mm512_shuffle_i32x4(w[i], w[i + 8], 0x88);
    v[i + 8] = _mm512_shuffle_i32x4(w[i], w[i + 8], 0xdd);
  }
}

static inline __attribute__((always_inline)) void put_square(__m512i v[VECTORS], bool transposes,
                                                             at_bfloat16 *square)
{
  if (transposes)
    transpose(v);
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++)
    _mm512_store_si512(square + i * AT_SQUARE_TERMS, v[i]);
}

/* Packs a square whose terms are contiguous.  whole: no line and no term is missing. */
static inline __attribute__((always_inline)) void pack_lines(const at_lines *lines, bool whole,
                                                             bool transposes, at_bfloat16 *square)
{
  const __mmask32 terms = whole ? ~(__mmask32)0 : first_lanes(lines->terms);
  __m512i v[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++)
    v[i] = _mm512_maskz_loadu_epi16(whole || i < lines->count ? terms : 0,
                                    lines->at + i * lines->step);
  put_square(v, transposes, square);
}

/* Packs a square whose lines are contiguous, and prefetches the next square along the terms. */
static inline __attribute__((always_inline)) void pack_terms(const at_lines *lines, bool whole,
                                                             bool transposes, at_bfloat16 *square)
{
  const __mmask16 there = whole ? (__mmask16)-1 : (__mmask16)first_lanes(lines->count);
  __m512i v[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++) {
    __m512i term[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
      const at_bfloat16 *at = lines->at + (2 * i + k) * lines->next;
      __builtin_prefetch((const void *)((uintptr_t)at +
                                        (uintptr_t)lines->next * AT_SQUARE_TERMS * sizeof *at));
      term[k] =
          _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(whole || 2 * i + k < lines->terms ? there
                                                                                           : 0,
                                                         at));
    }
    v[i] = _mm512_or_si512(term[0], _mm512_slli_epi32(term[1], 16));
  }
  put_square(v, transposes, square);
}

static void pack_square(const at_lines *lines, bool pairs, at_bfloat16 *square)
{
  const bool whole = lines->count >= AT_SQUARE_LINES && lines->terms >= AT_SQUARE_TERMS;
#define PACK(HOW, LINES, TRANSPOSES) \
  if (whole && (TRANSPOSES))         \
    HOW(LINES, true, true, square);  \
  else if (whole)                    \
    HOW(LINES, true, false, square); \
  else if (TRANSPOSES)               \
    HOW(LINES, false, true, square); \
  else                               \
    HOW(LINES, false, false, square);
  if (lines->step == 1 && lines->next != 1) {
    PACK(pack_terms, lines, !pairs)
    return;
  }
  at_bfloat16 each[AT_SQUARE];
  at_lines near = *lines;
  if (lines->next != 1) {
    for (ptrdiff_t i = 0; i < THMin(lines->count, AT_SQUARE_LINES); i++)
      for (ptrdiff_t l = 0; l < THMin(lines->terms, AT_SQUARE_TERMS); l++)
        each[i * AT_SQUARE_TERMS + l] = lines->at[i * lines->step + l * lines->next];
    near = (at_lines){each, lines->count, AT_SQUARE_TERMS, lines->terms, 1};
  }
  PACK(pack_lines, &near, pairs)
#undef PACK
}

static void pack(const at_lines *lines, bool pairs, at_bfloat16 *panel)
{
  at_lines square = *lines;
  for (; square.terms > 0; square.terms -= AT_SQUARE_TERMS) {
    const at_bfloat16 *const at = square.at;
    for (square.count = lines->count; square.count > 0; square.count -= AT_SQUARE_LINES) {
      pack_square(&square, pairs, panel);
      square.at += AT_SQUARE_LINES * square.step;
      panel += AT_SQUARE;
    }
    square.at = at + AT_SQUARE_TERMS * square.next;
  }
}

/* --- results --------------------------------------------------------------------------------- */

enum { LANES = 16 };

/* at_bfloat16_toFloat and at_bfloat16_fromFloat for vectors. */
static inline __m512 to_floats(__m256i x)
{
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

static inline __m256i from_floats(__m512 x)
{
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
  const __m512i rounded =
      _mm512_mask_mov_epi32(_mm512_srli_epi32(sum, 16), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q),
                            _mm512_set1_epi32(0x7fc0));
  return _mm512_cvtepi32_epi16(rounded);
}

static inline __m512 self_at(const at_bfloat16 *self, ptrdiff_t across, ptrdiff_t count)
{
  if (across == 1)
    return to_floats(_mm256_maskz_loadu_epi16((__mmask16)first_lanes(count), self));
  float each[LANES] = {0};
  for (ptrdiff_t j = 0; j < THMin(count, LANES); j++)
    each[j] = at_bfloat16_toFloat(self[j * across]);
  return _mm512_loadu_ps(each);
}

static void finish(const at_results *r, const float *sums, ptrdiff_t rows, ptrdiff_t columns)
{
  const __m512 alpha = _mm512_set1_ps(r->alpha), beta = _mm512_set1_ps(r->beta);
  for (ptrdiff_t i = 0; i < rows; i++, sums += AT_TILE_COLUMNS)
    for (ptrdiff_t j = 0; j < columns; j += LANES) {
      __m512 v = _mm512_mul_ps(alpha, _mm512_load_ps(sums + j));
      if (r->self)
        v = _mm512_add_ps(v, _mm512_mul_ps(beta, self_at(r->self + i * r->down + j * r->across,
                                                         r->across, columns - j)));
      _mm256_mask_storeu_epi16(r->at + i * r->next + j, (__mmask16)first_lanes(columns - j),
                               from_floats(v));
    }
}

#include "PairProducts.h"
#include "TileProducts.h"

const at_products TH_LEVEL_(at_bfloatProducts)[] = {{.usable = tiles_usable,
                                                     .rows = 2 * AT_SQUARE_LINES,
                                                     .grain = 1 << 21,
                                                     .open = open_tiles,
                                                     .close = close_tiles,
                                                     .pack = pack,
                                                     .tile = tile_by_tiles,
                                                     .finish = finish},
                                                    {.usable = pairs_usable,
                                                     .rows = PAIR_ROWS,
                                                     .grain = 8 * TH_LOOP_GRAIN,
                                                     .open = no_state,
                                                     .close = no_state,
                                                     .pack = pack,
                                                     .tile = tile_by_pairs,
                                                     .finish = finish},
                                                    {.usable = NULL}};
#else
const at_products TH_LEVEL_(at_bfloatProducts)[] = {{.usable = NULL}};
#endif
