/* Products of matrices of BFloat16, with AVX512-BF16 or AMX. */
#define _GNU_SOURCE /* secure_getenv */
#include "products.h"

#include "TH/simd/THSimd.h"

#if TH_VECTOR_MASKS

/* --- packing --------------------------------------------------------------------------------- */

/* The vectors of a square: each is one line, or one pair of terms of every line. */
enum { VECTORS = AT_SQUARE_LINES };

/* A mask of the first n lanes; n may be negative or more than there are. */
static inline uint32_t first_lanes(ptrdiff_t n)
{
  return n >= 32 ? UINT32_MAX : ((uint32_t)1 << THMax(0, n)) - 1;
}

#define EVEN_QUARTERS 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define ODD_QUARTERS  4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31

/* Transposes a square of 32-bit elements by exchanging elements, pairs and quadruples of them. */
static inline __attribute__((always_inline)) void transpose(THInts v[VECTORS])
{
  THInts w[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i += 2) {
    w[i] = THInts_unpackLower(v[i], v[i + 1]);
    w[i + 1] = THInts_unpackUpper(v[i], v[i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i += 4)
#pragma GCC unroll 16
    for (int k = 0; k < 2; k++) {
      const THLongs a = (THLongs)w[i + k], b = (THLongs)w[i + k + 2];
      v[i + 2 * k] = (THInts)THLongs_unpackLower(a, b);
      v[i + 2 * k + 1] = (THInts)THLongs_unpackUpper(a, b);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 4; i++)
#pragma GCC unroll 16
    for (int k = 0; k < VECTORS; k += 8) {
      w[k + i] = TH_MIX(v[k + i], v[k + i + 4], EVEN_QUARTERS);
      w[k + i + 4] = TH_MIX(v[k + i], v[k + i + 4], ODD_QUARTERS);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 8; i++) {
    v[i] = TH_MIX(w[i], w[i + 8], EVEN_QUARTERS);
    v[i + 8] = TH_MIX(w[i], w[i + 8], ODD_QUARTERS);
  }
}

static inline __attribute__((always_inline)) void put_square(THInts v[VECTORS], bool transposes,
                                                             at_bfloat16 *square)
{
  if (transposes)
    transpose(v);
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++)
    THSimd_store(square + i * AT_SQUARE_TERMS, (THLongs)v[i]);
}

/* Packs a square whose terms are contiguous.  whole: no line and no term is missing. */
static inline __attribute__((always_inline)) void pack_lines(const at_lines *lines, bool whole,
                                                             bool transposes, at_bfloat16 *square)
{
  const uint32_t terms = whole ? UINT32_MAX : first_lanes(lines->terms);
  THInts v[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++)
    v[i] =
        THInts_loadPairsMasked(whole || i < lines->count ? terms : 0, lines->at + i * lines->step);
  put_square(v, transposes, square);
}

/* Packs a square whose lines are contiguous, and prefetches the next square along the terms. */
static inline __attribute__((always_inline)) void pack_terms(const at_lines *lines, bool whole,
                                                             bool transposes, at_bfloat16 *square)
{
  const THMask32 there = whole ? (THMask32)-1 : (THMask32)first_lanes(lines->count);
  THInts v[VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < VECTORS; i++) {
    THInts term[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
      const at_bfloat16 *at = lines->at + (2 * i + k) * lines->next;
      __builtin_prefetch((const void *)((uintptr_t)at +
                                        (uintptr_t)lines->next * AT_SQUARE_TERMS * sizeof *at));
      term[k] = THInts_loadShortsMasked(whole || 2 * i + k < lines->terms ? there : 0, at);
    }
    v[i] = term[0] | (term[1] << 16);
  }
  put_square(v, transposes, square);
}

typedef void (*Packing)(const at_lines *lines, bool whole, bool transposes, at_bfloat16 *square);

/* Packs by a function that is compiled once for each of these constants. */
static inline __attribute__((always_inline)) void pack_by(Packing packing, const at_lines *lines,
                                                          bool whole, bool transposes,
                                                          at_bfloat16 *square)
{
  if (whole && transposes)
    packing(lines, true, true, square);
  else if (whole)
    packing(lines, true, false, square);
  else if (transposes)
    packing(lines, false, true, square);
  else
    packing(lines, false, false, square);
}

static void pack_square(const at_lines *lines, bool pairs, at_bfloat16 *square)
{
  const bool whole = lines->count >= AT_SQUARE_LINES && lines->terms >= AT_SQUARE_TERMS;
  if (lines->step == 1 && lines->next != 1) {
    pack_by(pack_terms, lines, whole, !pairs, square);
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
  pack_by(pack_lines, &near, whole, pairs, square);
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

/* at_bfloat16_toFloat and at_bfloat16_fromFloat for vectors; the latter in the lower halves. */
static inline THFloats to_floats(THInts x)
{
  return (THFloats)(x << 16);
}

static inline THInts from_floats(THFloats x)
{
  const THInts bits = (THInts)x, odd = THInts_shiftRight(bits, 16) & 1;
  return THInts_select(THFloats_unordered(x, x), THInts_all(0x7fc0),
                       THInts_shiftRight(bits + odd + 0x7fff, 16));
}

static inline THFloats self_at(const at_bfloat16 *self, ptrdiff_t across, ptrdiff_t count)
{
  if (across == 1)
    return to_floats(THInts_loadShortsMasked((THMask32)first_lanes(count), self));
  float each[LANES] = {0};
  for (ptrdiff_t j = 0; j < THMin(count, LANES); j++)
    each[j] = at_bfloat16_toFloat(self[j * across]);
  return THFloats_load(each);
}

static void finish(const at_results *r, const float *sums, ptrdiff_t rows, ptrdiff_t columns)
{
  const THFloats alpha = THFloats_all(r->alpha), beta = THFloats_all(r->beta);
  for (ptrdiff_t i = 0; i < rows; i++, sums += AT_TILE_COLUMNS)
    for (ptrdiff_t j = 0; j < columns; j += LANES) {
      THFloats v = alpha * THFloats_load(sums + j);
      if (r->self)
        v += beta * self_at(r->self + i * r->down + j * r->across, r->across, columns - j);
      THInts_storeShortsMasked(r->at + i * r->next + j, (THMask32)first_lanes(columns - j),
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
