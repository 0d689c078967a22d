/* Sorting items with short keys in vectors of AVX-512.
 *
 * An item is one number of 64 bits with its key above its place, so no two are equal and no order
 * has to be kept: a quicksort will do, whose parts are sorted in registers once they are small. */
#ifndef TH_SORT_VECTORS_H
#define TH_SORT_VECTORS_H

#include <immintrin.h>

typedef uint64_t __attribute__((may_alias)) Word;
typedef __m512i Vector;

enum { LANES = 8, MOST_ROWS = 16, SMALL = LANES * MOST_ROWS };

/* --- up to 128 items: in registers ----------------------------------------------------------- */

static inline __attribute__((always_inline)) void order(Vector *a, Vector *b)
{
  const Vector low = _mm512_min_epu64(*a, *b);
  *b = _mm512_max_epu64(*a, *b);
  *a = low;
}

/* Batcher's networks: each column becomes sorted. */
static inline __attribute__((always_inline)) void sort_columns(Vector *v, int rows)
{
  /* clang-format off */
#define X(A, B) order(v + (A), v + (B));
#define NETWORK_8(I)                                                                \
  X(I, I + 1)     X(I + 2, I + 3) X(I + 4, I + 5) X(I + 6, I + 7)                   \
  X(I, I + 2)     X(I + 1, I + 3) X(I + 4, I + 6) X(I + 5, I + 7)                   \
  X(I + 1, I + 2) X(I + 5, I + 6)                                                   \
  X(I, I + 4)     X(I + 1, I + 5) X(I + 2, I + 6) X(I + 3, I + 7)                   \
  X(I + 2, I + 4) X(I + 3, I + 5)                                                   \
  X(I + 1, I + 2) X(I + 3, I + 4) X(I + 5, I + 6)
  NETWORK_8(0)
  if (rows == 8)
    return;
  NETWORK_8(8)
  X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15)
  X(4, 8) X(5, 9) X(6, 10) X(7, 11)
  X(2, 4) X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13)
  X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
#undef NETWORK_8
#undef X
  /* clang-format on */
}

/* The first lanes of a vector the other way round, and the next as many, and so on. */
static inline __attribute__((always_inline)) Vector reverse(Vector v, int lanes)
{
  if (lanes == 2)
    return _mm512_shuffle_epi32(v, _MM_PERM_BADC);
  if (lanes == 4)
    return _mm512_permutex_epi64(v, 0x1b);
  return _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v);
}

/* The greater of each pair goes to the lanes in upper. */
static inline __attribute__((always_inline)) Vector order_lanes(Vector v, Vector partner,
                                                                __mmask8 upper)
{
  return _mm512_mask_max_epu64(_mm512_min_epu64(v, partner), upper, v, partner);
}

/* Every half of so many lanes holds a sorted sequence, row after row; afterwards all of them do.
 * The second sequence is met from its end, which makes halves that rise and then fall. */
static inline __attribute__((always_inline)) void merge_lanes(Vector *v, int rows, int lanes)
{
#pragma GCC unroll 16
  for (int group = rows; group > 1; group /= 2)
#pragma GCC unroll 16
    for (int first = 0; first < rows; first += group)
#pragma GCC unroll 16
      for (int i = 0; i < group / 2; i++) {
        Vector *a = v + first + i, *b = v + first + group - 1 - i;
        *b = reverse(*b, lanes);
        order(a, b);
      }
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
    const __mmask8 upper = lanes == 2 ? 0xaa : lanes == 4 ? 0xcc : 0xf0;
    v[i] = order_lanes(v[i], reverse(v[i], lanes), upper);
    if (lanes == 8)
      v[i] = order_lanes(v[i], _mm512_permutex_epi64(v[i], 0x4e), 0xcc);
    if (lanes > 2)
      v[i] = order_lanes(v[i], reverse(v[i], 2), 0xaa);
  }
}

static inline __mmask8 lanes_of(ptrdiff_t n)
{
  return n >= LANES ? 0xff : n <= 0 ? 0 : (__mmask8)((1 << n) - 1);
}

static inline __attribute__((always_inline)) void sort_rows(Word *to, const Word *from, ptrdiff_t n,
                                                            int rows)
{
  Vector v[MOST_ROWS];
  const Vector last = _mm512_set1_epi64(-1);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    v[i] = _mm512_mask_loadu_epi64(last, lanes_of(n - LANES * i), from + LANES * i);
  sort_columns(v, rows);
  merge_lanes(v, rows, 2);
  merge_lanes(v, rows, 4);
  merge_lanes(v, rows, 8);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    _mm512_mask_storeu_epi64(to + LANES * i, lanes_of(n - LANES * i), v[i]);
}

/* n <= SMALL; to may be from. */
static void sort_small(Word *to, const Word *from, ptrdiff_t n)
{
  if (n <= SMALL / 2)
    sort_rows(to, from, n, MOST_ROWS / 2);
  else
    sort_rows(to, from, n, MOST_ROWS);
}

/* --- quicksort: from one array into the other ------------------------------------------------ */

/* The middle of 24 words, about. */
static Word choose_pivot(const Word *from, ptrdiff_t n)
{
  Vector a = _mm512_loadu_si512(from + n / 4), b = _mm512_loadu_si512(from + n / 2);
  Vector c = _mm512_loadu_si512(from + n / 4 * 3);
  order(&a, &b);
  order(&b, &c);
  order(&a, &b);
  merge_lanes(&b, 1, 2);
  merge_lanes(&b, 1, 4);
  merge_lanes(&b, 1, 8);
  return (Word)b[LANES / 2];
}

/* Those below the pivot go to the beginning, the others to the end.  A vector is parted and stored
 * at both: what lies between is room for all that is still to come, in whole vectors, so that
 * either store leaves the other's words alone or is the same, and what it leaves beyond its own is
 * written over later. */
static ptrdiff_t partition(Word *to, const Word *from, ptrdiff_t n, Word pivot)
{
  const Vector middle = _mm512_set1_epi64((long long)pivot);
  const uint64_t lanes = 0x0706050403020100;
  Word *left = to, *right = to + n;
  ptrdiff_t i = 0;
  for (; i < n % LANES; i++)
    if (from[i] < pivot)
      *left++ = from[i];
    else
      *--right = from[i];
  for (; i < n; i += LANES) {
    const Vector v = _mm512_loadu_si512(from + i);
    const unsigned below = _mm512_cmplt_epu64_mask(v, middle);
    const int count = __builtin_popcount(below);
    /* The numbers of the lanes below, and then of the others, in a byte each. */
    const uint64_t bytes = _pdep_u64(below, 0x0101010101010101) * 255;
    const uint64_t above = _pext_u64(lanes, ~bytes);
    const uint64_t parted = _pext_u64(lanes, bytes) | (count < LANES ? above << 8 * count : 0);
    const Vector places = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)parted));
    const Vector w = _mm512_permutexvar_epi64(places, v);
    _mm512_storeu_si512(left, w);
    _mm512_storeu_si512(right - LANES, w);
    left += count;
    right -= LANES - count;
  }
  return left - to;
}

/* Where partitions go wrong again and again: registers full, and then merges. */
static void merge_parts(Word *from, Word *other, ptrdiff_t n, Word *to)
{
  for (ptrdiff_t i = 0; i < n; i += SMALL)
    sort_small(from + i, from + i, THMin(SMALL, n - i));
  for (ptrdiff_t run = SMALL; run < n; run *= 2) {
    for (ptrdiff_t i = 0; i < n; i += 2 * run) {
      const Word *a = from + i, *middle = from + THMin(n, i + run), *b = middle;
      const Word *end = from + THMin(n, i + 2 * run);
      for (Word *at = other + i; a < middle || b < end; at++)
        *at = b == end || (a < middle && *a < *b) ? *a++ : *b++;
    }
    Word *const merged = other;
    other = from;
    from = merged;
  }
  if (from != to)
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* n words of from, which go to to: either from or other.  trust is how many partitions more may
 * follow each other. */
static void quicksort(Word *from, Word *other, ptrdiff_t n, Word *to, int trust)
{
  while (n > SMALL) {
    if (trust-- == 0) {
      merge_parts(from, other, n, to);
      return;
    }
    const ptrdiff_t low = partition(other, from, n, choose_pivot(from, n));
    quicksort(other, from, low, to, trust);
    Word *const rest = from + low;
    from = other + low;
    other = rest;
    to += low;
    n -= low;
  }
  if (n > 0)
    sort_small(to, from, n);
}

static void THItem32_sortVectors(THItem32 *items, THItem32 *spare, ptrdiff_t n)
{
  const int halves = 63 - __builtin_clzll((unsigned long long)n | 1); /* to single items */
  quicksort((Word *)items, (Word *)spare, n, (Word *)items, 2 * halves);
}

#endif
