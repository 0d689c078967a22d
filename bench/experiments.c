/* Experiments: for rows of the comparison with other systems that do not reach their bytes, a
 * sketch of the fastest thing that could be done for exactly that row: intrinsics, one size, one
 * processor, nothing checked.
 *
 *     th_experiments [--rounds N] [--seconds S] [--filter PREFIX]
 *
 * prints a row of docs/benchmarks.md for each: TH, the sketch, which has computed the same, and a
 * plain loop over the same bytes.  Another experiment is a function that prepares operands, one
 * that sketches, and a line of the table. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATen/ATen.h"
#include "TH/TH.h"
#include "limits.h"
#include "timing.h"

#if defined(__AVX512F__)
#include <immintrin.h>

/* --- operands -------------------------------------------------------------------------------- */

/* What is worked on; a row sets what it needs. */
static struct {
  at_tensor *x, *y, *g;                 /* floats */
  at_tensor *index;                     /* places that are given */
  at_tensor *result, *places;           /* ours; places are long, and need not be */
  at_tensor *sketched, *sketchedPlaces; /* the same of the sketch */
} on;

static float *floats(at_tensor *t)
{
  return at_data(t);
}

static int64_t *longs(at_tensor *t)
{
  return at_data(t);
}

static at_tensor *normal(at_ints size)
{
  at_tensor *t = at_empty(size, .type = AT_CPU(AT_FLOAT));
  at_normal_(t);
  return t;
}

/* Room for results of that size, and for places if there are. */
static void give_results(at_ints size, int places)
{
  on.result = at_zeros(size, .type = AT_CPU(AT_FLOAT));
  on.sketched = at_zeros(size, .type = AT_CPU(AT_FLOAT));
  if (places) {
    on.places = at_zeros(size, .type = AT_CPU(AT_LONG));
    on.sketchedPlaces = at_zeros(size, .type = AT_CPU(AT_LONG));
  }
}

static void put_away(void)
{
  at_tensor **const all = &on.x;
  for (size_t i = 0; i < sizeof on / sizeof *all; i++) {
    at_release(all[i]);
    all[i] = NULL;
  }
}

/* --- what sketches share --------------------------------------------------------------------- */

enum { FLOATS = 16 };

static inline __m512i counting(int first, int step)
{
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(step)),
                          _mm512_set1_epi32(first));
}

/* Lane i of a and lane i of b by turns, from lane first on. */
static inline __m512i by_turns(int first)
{
  const __m512i half = _mm512_srli_epi32(counting(0, 1), 1);
  return _mm512_mask_add_epi32(_mm512_add_epi32(half, _mm512_set1_epi32(first)), 0xaaaa, half,
                               _mm512_set1_epi32(first + FLOATS));
}

static inline void store_places(int64_t *to, __m512i places)
{
  _mm512_storeu_si512(to, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(places)));
  _mm512_storeu_si512(to + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(places, 1)));
}

static inline __m512i load_places(const int64_t *from)
{
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 8);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                            _mm512_cvtepi64_epi32(high), 1);
}

/* Around the caches; both are aligned to a line, and whole lines. */
static inline void send(void *to, const void *from, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += 64)
    _mm512_stream_si512((void *)((char *)to + i), _mm512_load_si512((const char *)from + i));
}

/* --- pooling: 3 x 3 by 2, padded by 1 -------------------------------------------------------- */

enum { PLANES = 32 * 64, IN = 56, OUT = 28, AHEAD = 1024 };
enum { LAST = OUT - FLOATS }; /* the first column of a row's second vector, which overlaps */

static void prepare_pooling(void)
{
  on.x = normal(AT_SHAPE(32, 64, IN, IN));
  give_results(AT_SHAPE(32, 64, OUT, OUT), 1);
}

static void prepare_average(void)
{
  on.x = normal(AT_SHAPE(32, 64, IN, IN));
  give_results(AT_SHAPE(32, 64, OUT, OUT), 0);
}

static void prepare_average_back(void)
{
  on.x = normal(AT_SHAPE(32, 64, IN, IN));
  on.g = normal(AT_SHAPE(32, 64, OUT, OUT));
  give_results(AT_SHAPE(32, 64, IN, IN), 0);
}

static void prepare_pooling_back(void)
{
  prepare_average_back();
  on.index = at_empty(AT_SHAPE(32, 64, OUT, OUT), .type = AT_CPU(AT_LONG));
  on.y = at_empty(AT_SHAPE(32, 64, OUT, OUT), .type = AT_CPU(AT_FLOAT));
  at_max_pool2d_out(on.y, on.index, on.x, AT_SHAPE(3, 3), .stride = {2, 2}, .padding = {1, 1},
                    .dilation = {1, 1});
}

static void max_pool(void *unused)
{
  (void)unused;
  at_max_pool2d_out(on.result, on.places, on.x, AT_SHAPE(3, 3), .stride = {2, 2}, .padding = {1, 1},
                    .dilation = {1, 1});
}

typedef struct Most {
  __m512 value;
  __m512i place;
} Most;

/* Of three neighbours each, from the row's element 2 * column - 1 on; no number is NaN, or *nan
 * says so. */
static inline Most most_of_row(const float *x, int row, int column, __mmask16 *nan)
{
  const float *from = x + row * IN + 2 * column;
  const __m512 low = _mm512_loadu_ps(from), high = _mm512_loadu_ps(from + FLOATS);
  const __m512 even = _mm512_permutex2var_ps(low, counting(0, 2), high);
  const __m512 odd = _mm512_permutex2var_ps(low, counting(1, 2), high);
  const __m512 edge = _mm512_set1_ps(column ? from[-1] : -INFINITY);
  const __m512 left = _mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(odd), _mm512_castps_si512(edge), 15));
  const __m512i first = _mm512_set1_epi32(row * IN);
  _mm_prefetch((const char *)(from + AHEAD), _MM_HINT_T0);
  *nan |= _mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q);
  __mmask16 later = _mm512_cmp_ps_mask(even, left, _CMP_GT_OQ) | !column;
  Most most = {_mm512_max_ps(even, left),
               _mm512_mask_add_epi32(first, later, first, _mm512_set1_epi32(1))};
  later = _mm512_cmp_ps_mask(odd, most.value, _CMP_GT_OQ);
  most.value = _mm512_max_ps(odd, most.value);
  most.place = _mm512_mask_add_epi32(most.place, later, first, _mm512_set1_epi32(2));
  return most;
}

static inline Most later_if_more(Most a, Most b)
{
  const __mmask16 later = _mm512_cmp_ps_mask(b.value, a.value, _CMP_GT_OQ);
  return (Most){_mm512_max_ps(b.value, a.value), _mm512_mask_mov_epi32(a.place, later, b.place)};
}

/* Each row once; what the row below has is kept in registers for the windows that follow. */
static void sketch_max_pool(void *unused)
{
  (void)unused;
  float most[OUT * OUT] __attribute__((aligned(64)));
  int64_t at[OUT * OUT] __attribute__((aligned(64)));
  const float *x = floats(on.x);
  __mmask16 nan = 0;
  for (int plane = 0; plane < PLANES; plane++, x += IN * IN) {
    for (int column = 0; column <= LAST; column += LAST) {
      const __m512i columns = counting(2 * column - 1, 2);
      Most above = {_mm512_set1_ps(-INFINITY), _mm512_setzero_si512()};
      for (int row = 0; row < OUT; row++) {
        const Most middle = most_of_row(x, 2 * row, column, &nan);
        const Most below = most_of_row(x, 2 * row + 1, column, &nan);
        const Most all = later_if_more(row ? later_if_more(above, middle) : middle, below);
        above = below;
        _mm512_storeu_ps(most + row * OUT + column, all.value);
        store_places(at + row * OUT + column, _mm512_add_epi32(all.place, columns));
      }
    }
    send(floats(on.sketched) + plane * OUT * OUT, most, sizeof most);
    send(longs(on.sketchedPlaces) + plane * OUT * OUT, at, sizeof at);
  }
  _mm_sfence();
  if (nan)
    abort();
}

static void max_pool_back(void *unused)
{
  (void)unused;
  at_max_pool2d_backward_out(on.result, on.g, on.x, AT_SHAPE(3, 3), AT_SHAPE(2, 2), AT_SHAPE(1, 1),
                             AT_SHAPE(1, 1), false, on.index);
}

/* g where the window's place is at, and 0 elsewhere, added to the sum. */
static inline __m512 add_where(__m512 sum, const int32_t *place, const float *g, __m512i at)
{
  const __mmask16 here = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(place), at);
  return _mm512_mask_add_ps(sum, here, sum, _mm512_loadu_ps(g));
}

/* Whether all of n places are in a plane, which has to be known before anything is written. */
static int are_inside(const int64_t *at, ptrdiff_t n)
{
  const __m512i size = _mm512_set1_epi64(IN * IN);
  __mmask8 outside = 0;
  for (ptrdiff_t i = 0; i < n; i += 8)
    outside |= _mm512_cmpge_epu64_mask(_mm512_loadu_si512(at + i), size);
  return !outside;
}

/* Each element asks the windows that it is in, at most four, whether they took it: nothing is
 * scattered, and what a window takes outside itself is lost. */
static void sketch_max_pool_back(void *unused)
{
  (void)unused;
  if (!are_inside(longs(on.index), PLANES * OUT * OUT))
    abort();
  enum { PITCH = 2 * FLOATS }; /* zeros behind each row, and below the last one */
  int32_t place[(OUT + 1) * PITCH] __attribute__((aligned(64)));
  float g[(OUT + 1) * PITCH] __attribute__((aligned(64)));
  float sums[IN * IN] __attribute__((aligned(64)));
  const __m512 zero = _mm512_setzero_ps();
  const __m512i first = by_turns(0), second = by_turns(FLOATS / 2);
  const int64_t *at = longs(on.index);
  const float *from = floats(on.g);
  memset(place, -1, sizeof place);
  memset(g, 0, sizeof g);
  for (int plane = 0; plane < PLANES; plane++, at += OUT * OUT, from += OUT * OUT) {
    for (int i = 0; i < OUT; i++)
      for (int j = 0; j <= LAST; j += LAST) {
        _mm512_storeu_si512(place + i * PITCH + j, load_places(at + i * OUT + j));
        _mm512_storeu_ps(g + i * PITCH + j, _mm512_loadu_ps(from + i * OUT + j));
        _mm_prefetch((const char *)(at + i * OUT + j + AHEAD), _MM_HINT_T0);
        _mm_prefetch((const char *)(at + i * OUT + j + AHEAD + 8), _MM_HINT_T0);
        _mm_prefetch((const char *)(from + i * OUT + j + AHEAD), _MM_HINT_T0);
      }
    for (int i = 0; i < OUT; i++)
      for (int j = 0; j <= LAST; j += LAST) { /* two rows of the image, which start in the window */
        const int32_t *p = place + i * PITCH + j;
        const float *q = g + i * PITCH + j;
        const __m512i one = _mm512_set1_epi32(1), row = _mm512_set1_epi32(IN);
        const __m512i even = counting(2 * (i * IN + j), 2), odd = _mm512_add_epi32(even, one);
        const __m512i evenBelow = _mm512_add_epi32(even, row),
                      oddBelow = _mm512_add_epi32(odd, row);
        const __m512 a = add_where(zero, p, q, even);
        const __m512 b = add_where(add_where(zero, p, q, odd), p + 1, q + 1, odd);
        const __m512 c =
            add_where(add_where(zero, p, q, evenBelow), p + PITCH, q + PITCH, evenBelow);
        __m512 d = add_where(add_where(zero, p, q, oddBelow), p + 1, q + 1, oddBelow);
        d = add_where(d, p + PITCH, q + PITCH, oddBelow);
        d = add_where(d, p + PITCH + 1, q + PITCH + 1, oddBelow);
        float *to = sums + 2 * (i * IN + j);
        _mm512_storeu_ps(to, _mm512_permutex2var_ps(a, first, b));
        _mm512_storeu_ps(to + FLOATS, _mm512_permutex2var_ps(a, second, b));
        _mm512_storeu_ps(to + IN, _mm512_permutex2var_ps(c, first, d));
        _mm512_storeu_ps(to + IN + FLOATS, _mm512_permutex2var_ps(c, second, d));
      }
    send(floats(on.sketched) + plane * IN * IN, sums, sizeof sums);
  }
  _mm_sfence();
}

static void average_pool(void *unused)
{
  (void)unused;
  at_avg_pool2d_out(on.result, on.x, AT_SHAPE(3, 3), .stride = {2, 2}, .padding = {1, 1});
}

/* The sums of three neighbours each of a row, from element 2 * column - 1 on. */
static inline __m512 sums_of_row(const float *x, int row, int column)
{
  const float *from = x + row * IN + 2 * column;
  const __m512 low = _mm512_loadu_ps(from), high = _mm512_loadu_ps(from + FLOATS);
  const __m512 even = _mm512_permutex2var_ps(low, counting(0, 2), high);
  const __m512 odd = _mm512_permutex2var_ps(low, counting(1, 2), high);
  const __m512 edge = _mm512_set1_ps(column ? from[-1] : 0);
  const __m512 left = _mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(odd), _mm512_castps_si512(edge), 15));
  _mm_prefetch((const char *)(from + AHEAD), _MM_HINT_T0);
  return _mm512_add_ps(_mm512_add_ps(left, even), odd);
}

static void sketch_average_pool(void *unused)
{
  (void)unused;
  const __m512 ninth = _mm512_set1_ps(1 / 9.f);
  const float *x = floats(on.x);
  float *to = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, x += IN * IN, to += OUT * OUT)
    for (int column = 0; column <= LAST; column += LAST) {
      __m512 above = _mm512_setzero_ps();
      for (int row = 0; row < OUT; row++) {
        const __m512 middle = sums_of_row(x, 2 * row, column);
        const __m512 below = sums_of_row(x, 2 * row + 1, column);
        const __m512 sum = _mm512_add_ps(_mm512_add_ps(above, middle), below);
        above = below;
        _mm512_storeu_ps(to + row * OUT + column, _mm512_mul_ps(sum, ninth));
      }
    }
}

static void average_pool_back(void *unused)
{
  (void)unused;
  at_avg_pool2d_backward_out(on.result, on.g, on.x, AT_SHAPE(3, 3), AT_SHAPE(2, 2), AT_SHAPE(1, 1),
                             false, true);
}

/* Two rows of the image from two rows of windows, in registers. */
static void sketch_average_pool_back(void *unused)
{
  (void)unused;
  const __m512 ninth = _mm512_set1_ps(1 / 9.f);
  const __m512i first = by_turns(0), second = by_turns(FLOATS / 2);
  const float *g = floats(on.g);
  float *to = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, g += OUT * OUT, to += IN * IN)
    for (int j = 0; j <= LAST; j += LAST) {
      const __mmask16 next = j == LAST ? 0x7fff : 0xffff; /* no window is beyond the last */
      __m512 row = _mm512_mul_ps(_mm512_loadu_ps(g + j), ninth);
      __m512 shifted = _mm512_mul_ps(_mm512_maskz_loadu_ps(next, g + j + 1), ninth);
      for (int i = 0; i < OUT; i++) {
        const __mmask16 there = i + 1 < OUT ? 0xffff : 0;
        const float *below = g + (i + 1) * OUT + j;
        const __m512 rowBelow = _mm512_mul_ps(_mm512_maskz_loadu_ps(there, below), ninth);
        const __m512 shiftedBelow =
            _mm512_mul_ps(_mm512_maskz_loadu_ps(there & next, below + 1), ninth);
        const __m512 a = row, b = _mm512_add_ps(row, shifted);
        const __m512 c = _mm512_add_ps(row, rowBelow);
        const __m512 d = _mm512_add_ps(b, _mm512_add_ps(rowBelow, shiftedBelow));
        float *at = to + 2 * (i * IN + j);
        _mm_prefetch((const char *)(g + i * OUT + j + AHEAD), _MM_HINT_T0);
        _mm512_storeu_ps(at, _mm512_permutex2var_ps(a, first, b));
        _mm512_storeu_ps(at + FLOATS, _mm512_permutex2var_ps(a, second, b));
        _mm512_storeu_ps(at + IN, _mm512_permutex2var_ps(c, first, d));
        _mm512_storeu_ps(at + IN + FLOATS, _mm512_permutex2var_ps(c, second, d));
        row = rowBelow;
        shifted = shiftedBelow;
      }
    }
}

/* --- softmax of rows ------------------------------------------------------------------------- */

enum { ROWS = 1024, COLUMNS = 1000 };

static void prepare_rows(void)
{
  on.x = normal(AT_SHAPE(ROWS, COLUMNS));
  give_results(AT_SHAPE(ROWS, COLUMNS), 0);
}

static void prepare_rows_back(void)
{
  prepare_rows();
  on.g = normal(AT_SHAPE(ROWS, COLUMNS));
  on.y = at_log_softmax(on.x, 1);
}

static void softmax(void *unused)
{
  (void)unused;
  at_softmax_out(on.result, on.x, 1);
}

static void log_softmax(void *unused)
{
  (void)unused;
  at_log_softmax_out(on.result, on.x, 1);
}

static void log_softmax_back(void *unused)
{
  (void)unused;
  at_log_softmax_backward_out(on.result, on.g, on.x, 1, on.y);
}

/* e^x by a polynomial of degree 5, without a table, for numbers that are not far below 0: no
 * sequence has less than 12 operations.  Errs by 2 units or so. */
static inline __m512 power(__m512 x)
{
  const float terms[] = {0x1.0ee54ep-7f, 0x1.573b6p-5f, 0x1.555328p-3f, 0x1.fffdb2p-2f, 1, 1};
  const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p+0f)), 0);
  __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0x1.62e43p-1f), x);
  r = _mm512_fmadd_ps(k, _mm512_set1_ps(0x1.05c61p-29f), r);
  __m512 sum = _mm512_set1_ps(terms[0]);
  for (int i = 1; i < 6; i++)
    sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(terms[i]));
  return _mm512_scalef_ps(sum, k);
}

/* A row is whole vectors, and one of which REST elements are there. */
enum { WHOLE = COLUMNS / FLOATS * FLOATS, REST = (1 << (COLUMNS - WHOLE)) - 1 };

static inline float most_of(const float *x)
{
  __m512 a = _mm512_loadu_ps(x + COLUMNS - FLOATS), b = a, c = a, d = a;
  for (int i = 0; i + 4 * FLOATS <= COLUMNS; i += 4 * FLOATS) {
    a = _mm512_max_ps(a, _mm512_loadu_ps(x + i));
    b = _mm512_max_ps(b, _mm512_loadu_ps(x + i + FLOATS));
    c = _mm512_max_ps(c, _mm512_loadu_ps(x + i + 2 * FLOATS));
    d = _mm512_max_ps(d, _mm512_loadu_ps(x + i + 3 * FLOATS));
  }
  for (int i = WHOLE - 2 * FLOATS; i < WHOLE; i += FLOATS)
    a = _mm512_max_ps(a, _mm512_loadu_ps(x + i));
  return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)));
}

/* The sum of e^(x - most), which become y if they are kept; the next row is fetched meanwhile. */
static inline float sum_of_powers(const float *x, float most, float *y, int kept)
{
  const __m512 top = _mm512_set1_ps(most);
  __m512 sum = _mm512_setzero_ps();
  for (int i = 0; i < WHOLE; i += FLOATS) {
    const __m512 e = power(_mm512_sub_ps(_mm512_loadu_ps(x + i), top));
    _mm_prefetch((const char *)(x + COLUMNS + i), _MM_HINT_T0);
    if (kept)
      _mm512_storeu_ps(y + i, e);
    sum = _mm512_add_ps(sum, e);
  }
  const __m512 e = power(_mm512_sub_ps(_mm512_maskz_loadu_ps(REST, x + WHOLE), top));
  if (kept)
    _mm512_mask_storeu_ps(y + WHOLE, REST, e);
  return _mm512_reduce_add_ps(_mm512_mask_add_ps(sum, REST, sum, e));
}

static void sketch_softmax(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * COLUMNS;
    float *y = floats(on.sketched) + row * COLUMNS;
    const float factor = 1 / sum_of_powers(x, most_of(x), y, 1);
    for (int i = 0; i < COLUMNS; i++)
      y[i] *= factor;
  }
}

static void sketch_log_softmax(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * COLUMNS, most = most_of(x);
    float *y = floats(on.sketched) + row * COLUMNS;
    const float shift = most + logf(sum_of_powers(x, most, NULL, 0));
    for (int i = 0; i < COLUMNS; i++)
      y[i] = x[i] - shift;
  }
}

static void sketch_log_softmax_back(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *g = floats(on.g) + row * COLUMNS, *y = floats(on.y) + row * COLUMNS;
    float *d = floats(on.sketched) + row * COLUMNS;
    __m512 even = _mm512_setzero_ps(), odd = _mm512_maskz_loadu_ps(REST, g + WHOLE);
    for (int i = 0; i < WHOLE; i += 2 * FLOATS) {
      even = _mm512_add_ps(even, _mm512_loadu_ps(g + i));
      odd = _mm512_add_ps(odd, _mm512_loadu_ps(g + i + FLOATS));
    }
    const __m512 total = _mm512_set1_ps(_mm512_reduce_add_ps(_mm512_add_ps(even, odd)));
    for (int i = 0; i < WHOLE; i += FLOATS) {
      _mm_prefetch((const char *)(g + COLUMNS + i), _MM_HINT_T0);
      _mm512_storeu_ps(
          d + i, _mm512_fnmadd_ps(power(_mm512_loadu_ps(y + i)), total, _mm512_loadu_ps(g + i)));
    }
    const __m512 last = _mm512_fnmadd_ps(power(_mm512_maskz_loadu_ps(REST, y + WHOLE)), total,
                                         _mm512_maskz_loadu_ps(REST, g + WHOLE));
    _mm512_mask_storeu_ps(d + WHOLE, REST, last);
  }
}

/* --- the gradient of a table ----------------------------------------------------------------- */

enum { TABLE = 50000, WIDTH = 256, PICKED = 8192 };

static void prepare_table(void)
{
  on.g = normal(AT_SHAPE(PICKED, WIDTH));
  on.index = at_empty(AT_SHAPE(PICKED), .type = AT_CPU(AT_LONG));
  for (int i = 0; i < PICKED; i++)
    longs(on.index)[i] = (int64_t)((uint32_t)i * 2654435761u % TABLE);
  give_results(AT_SHAPE(TABLE, WIDTH), 0);
}

static void table_gradient(void *unused)
{
  (void)unused;
  at_release(on.result); /* it is a new one */
  on.result = at_embedding_dense_backward(on.g, on.index, TABLE, -1, false);
}

/* Rows that none picks are filled around the caches, the others are written by the first index and
 * grow by the next ones. */
static void sketch_table_gradient(void *unused)
{
  (void)unused;
  static uint8_t picked[TABLE];
  const __m512 zero = _mm512_setzero_ps();
  const int64_t *index = longs(on.index);
  float *table = floats(on.sketched);
  memset(picked, 0, sizeof picked);
  for (int i = 0; i < PICKED; i++)
    picked[index[i]] = 1;
  for (int r = 0; r < TABLE; r++)
    if (!picked[r])
      for (int k = 0; k < WIDTH; k += FLOATS)
        _mm512_stream_ps(table + (ptrdiff_t)r * WIDTH + k, zero);
  for (int i = 0; i < PICKED; i++) {
    float *to = table + index[i] * WIDTH;
    const float *g = floats(on.g) + (ptrdiff_t)i * WIDTH;
    for (int k = 0; k < WIDTH; k += FLOATS)
      if (picked[index[i]] == 1)
        _mm512_stream_ps(to + k, _mm512_loadu_ps(g + k));
      else
        _mm512_storeu_ps(to + k, _mm512_add_ps(_mm512_loadu_ps(to + k), _mm512_loadu_ps(g + k)));
    picked[index[i]] = 2;
  }
  _mm_sfence();
}

/* --- images made larger ---------------------------------------------------------------------- */

enum { FROM = 28, TO = 2 * FROM, GROUPS = 4, LATER = 8192 / sizeof(float) };

static void prepare_upsampling(void)
{
  on.x = normal(AT_SHAPE(32, 64, FROM, FROM));
  give_results(AT_SHAPE(32, 64, TO, TO), 0);
}

static void prepare_upsampling_back(void)
{
  on.g = normal(AT_SHAPE(32, 64, TO, TO));
  give_results(AT_SHAPE(32, 64, FROM, FROM), 0);
}

static void bilinear(void *unused)
{
  (void)unused;
  at_upsample_bilinear2d_out(on.result, on.x, AT_SHAPE(TO, TO));
}

static void nearest(void *unused)
{
  (void)unused;
  at_upsample_nearest2d_out(on.result, on.x, 2);
}

static void bilinear_back(void *unused)
{
  (void)unused;
  at_upsample_bilinear2d_backward_out(on.result, on.g, AT_SHAPE(TO, TO),
                                      AT_SHAPE(32, 64, FROM, FROM));
}

static int before(int k)
{
  return k * (FROM - 1) / (TO - 1);
}

static float weight_after(int k)
{
  return (float)(k * (FROM - 1) % (TO - 1)) / (TO - 1);
}

/* Row y of a result, of which the last group is a half, and what comes later is fetched. */
static inline void put_row(float *y, const __m512 *v)
{
  for (int q = 0; q < GROUPS; q++)
    __builtin_prefetch(y + q * FLOATS + LATER, 1);
  for (int q = 0; q < GROUPS - 1; q++)
    _mm512_storeu_ps(y + q * FLOATS, v[q]);
  _mm256_storeu_ps(y + (GROUPS - 1) * FLOATS, _mm512_castps512_ps256(v[GROUPS - 1]));
}

/* Rows are made longer in registers: all of a row is two vectors, of which one instruction picks.
 */
static void sketch_bilinear(void *unused)
{
  (void)unused;
  __m512i lower[GROUPS], upper[GROUPS];
  __m512 weight[GROUPS], row[2][GROUPS];
  for (int q = 0; q < GROUPS; q++)
    for (int l = 0; l < FLOATS; l++) {
      const int k = q * FLOATS + l < TO ? q * FLOATS + l : TO - 1, at = before(k);
      const int next = at + 1 < FROM ? at + 1 : at;
      ((int32_t *)&lower[q])[l] = at < FLOATS ? at : at + FLOATS - (FROM - FLOATS);
      ((int32_t *)&upper[q])[l] = next < FLOATS ? next : next + FLOATS - (FROM - FLOATS);
      ((float *)&weight[q])[l] = weight_after(k);
    }
  const float *x = floats(on.x);
  float *y = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, x += FROM * FROM)
    for (int j = 0, made = 0; j < TO; j++, y += TO) {
      const int at = before(j), last = at + 1 < FROM ? at + 1 : at;
      for (; made <= last; made++) {
        const __m512 a = _mm512_loadu_ps(x + made * FROM);
        const __m512 b = _mm512_loadu_ps(x + made * FROM + FROM - FLOATS);
        __builtin_prefetch(x + made * FROM + LATER);
        __builtin_prefetch(x + made * FROM + LATER + FLOATS);
        for (int q = 0; q < GROUPS; q++) {
          const __m512 v = _mm512_permutex2var_ps(a, lower[q], b);
          const __m512 w = _mm512_permutex2var_ps(a, upper[q], b);
          row[made % 2][q] = _mm512_fmadd_ps(weight[q], _mm512_sub_ps(w, v), v);
        }
      }
      const __m512 below = _mm512_set1_ps(weight_after(j));
      const __m512 *v = row[at % 2], *w = row[last % 2];
      __m512 sum[GROUPS];
      for (int q = 0; q < GROUPS; q++)
        sum[q] = _mm512_fmadd_ps(below, _mm512_sub_ps(w[q], v[q]), v[q]);
      put_row(y, sum);
    }
}

static void sketch_nearest(void *unused)
{
  (void)unused;
  const __m512i first = _mm512_srli_epi32(counting(0, 1), 1);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(FLOATS / 2));
  const __m512i third = _mm512_add_epi32(first, _mm512_set1_epi32(FLOATS - (FROM - FLOATS)));
  const float *x = floats(on.x);
  float *y = floats(on.sketched);
  for (int row = 0; row < PLANES * FROM; row++, x += FROM, y += 2 * TO) {
    const __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + FROM - FLOATS);
    const __m512 all[] = {
        _mm512_permutexvar_ps(first, a), _mm512_permutexvar_ps(second, a),
        _mm512_permutexvar_ps(third, b),
        _mm512_permutexvar_ps(_mm512_add_epi32(third, _mm512_set1_epi32(FLOATS / 2)), b)};
    __builtin_prefetch(x + LATER);
    __builtin_prefetch(x + LATER + FLOATS);
    put_row(y, all);
    put_row(y + TO, all);
  }
}

/* The rows that come from an input row are added up in registers, of which each element of the
 * result picks a few. */
static void sketch_bilinear_back(void *unused)
{
  (void)unused;
  enum { TAPS = 5, HALF = FROM - FLOATS };
  static const int starts[] = {0, HALF};
  __m512i pick[2][TAPS];
  __m512 weight[2][TAPS];
  int base[2];
  for (int h = 0; h < 2; h++) {
    base[h] = h ? TO - 2 * FLOATS : 0;
    for (int l = 0; l < FLOATS; l++) {
      const int place = starts[h] + l;
      int t = 0;
      for (int k = 0; k < TO; k++) {
        const float w = before(k) == place       ? 1 - weight_after(k)
                        : before(k) + 1 == place ? weight_after(k)
                                                 : 0;
        if (w == 0)
          continue;
        ((int32_t *)&pick[h][t])[l] = k - base[h];
        ((float *)&weight[h][t++])[l] = w;
      }
      for (; t < TAPS; t++) {
        ((int32_t *)&pick[h][t])[l] = 0;
        ((float *)&weight[h][t])[l] = 0;
      }
    }
  }
  const float *g = floats(on.g);
  float *y = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, g += TO * TO)
    for (int i = 0, begin = 0; i < FROM; i++, y += FROM) {
      __m512 sum[GROUPS] = {_mm512_setzero_ps()};
      while (before(begin) + 1 < i)
        begin++;
      for (int j = begin; j < TO && before(j) <= i; j++) {
        const __m512 w = _mm512_set1_ps(before(j) == i ? 1 - weight_after(j) : weight_after(j));
        for (int q = 0; q < 2; q++) {
          const float *from = g + j * TO + q * FLOATS;
          sum[q] = _mm512_fmadd_ps(w, _mm512_loadu_ps(from), sum[q]);
          from += TO - 2 * FLOATS;
          sum[2 + q] = _mm512_fmadd_ps(w, _mm512_loadu_ps(from), sum[2 + q]);
          __builtin_prefetch(from + LATER);
          __builtin_prefetch(from - (TO - 2 * FLOATS) + LATER);
        }
      }
      for (int h = 1; h >= 0; h--) { /* the last of the first half would need a third vector */
        __m512 all = _mm512_setzero_ps();
        for (int t = 0; t < TAPS; t++)
          all = _mm512_fmadd_ps(
              weight[h][t], _mm512_permutex2var_ps(sum[2 * h], pick[h][t], sum[2 * h + 1]), all);
        _mm512_mask_storeu_ps(y + starts[h], h ? 0xffff : 0x7fff, all);
        __builtin_prefetch(y + starts[h] + LATER, 1);
      }
    }
}

/* --- images at the points of a grid ---------------------------------------------------------- */

enum { IMAGES = 8, DEEP = 32, SIDE = 64, POINTS = SIDE * SIDE };

static void prepare_grid(void)
{
  on.x = normal(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE));
  on.y = at_empty(AT_SHAPE(IMAGES, SIDE, SIDE, 2), .type = AT_CPU(AT_FLOAT));
  for (int i = 0; i < IMAGES * POINTS * 2; i++)
    floats(on.y)[i] = (float)((uint32_t)i * 2654435761u) / 4294967296.f * 2.2f - 1.1f;
  give_results(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE), 0);
}

static void grid_sample(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_grid_sampler_2d(on.x, on.y);
}

/* Squares become their own transposes. */
static inline void turn_square(const float *x, ptrdiff_t nextX, float *y, ptrdiff_t nextY)
{
  const __m512i first = by_turns(0), second = by_turns(FLOATS / 2);
  __m512 v[2][FLOATS];
  for (int i = 0; i < FLOATS; i++)
    v[0][i] = _mm512_loadu_ps(x + i * nextX);
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < FLOATS / 2; i++) {
      const __m512 a = v[round % 2][i], b = v[round % 2][i + FLOATS / 2];
      v[(round + 1) % 2][2 * i] = _mm512_permutex2var_ps(a, first, b);
      v[(round + 1) % 2][2 * i + 1] = _mm512_permutex2var_ps(a, second, b);
    }
  for (int i = 0; i < FLOATS; i++)
    _mm512_storeu_ps(y + i * nextY, v[0][i]);
}

/* As ours, but all planes of an image are turned over at once, and corners are found once. */
static void sketch_grid_sample(void *unused)
{
  (void)unused;
  static float turned[POINTS * DEEP] __attribute__((aligned(64)));
  const __m512 one = _mm512_set1_ps(1), last = _mm512_set1_ps(SIDE - 1);
  for (int image = 0; image < IMAGES; image++) {
    const float *x = floats(on.x) + (ptrdiff_t)image * DEEP * POINTS;
    float *y = floats(on.sketched) + (ptrdiff_t)image * DEEP * POINTS;
    for (int i = 0; i < POINTS; i += FLOATS)
      for (int p = 0; p < DEEP; p += FLOATS)
        turn_square(x + p * POINTS + i, POINTS, turned + i * DEEP + p, DEEP);
    for (int i = 0; i < POINTS; i += FLOATS) {
      const float *grid = floats(on.y) + (image * POINTS + i) * 2;
      __m512 part[2][2];
      __m512i low[2];
      __mmask16 inside[2][2];
      for (int a = 0; a < 2; a++) {
        const __m512 at = _mm512_mul_ps(
            _mm512_mul_ps(
                _mm512_add_ps(_mm512_permutex2var_ps(_mm512_loadu_ps(grid), counting(a, 2),
                                                     _mm512_loadu_ps(grid + FLOATS)),
                              one),
                _mm512_set1_ps(.5f)),
            last);
        const __m512 whole = _mm512_roundscale_ps(at, _MM_FROUND_TO_NEG_INF);
        low[a] = _mm512_cvttps_epi32(whole);
        part[a][1] = _mm512_sub_ps(at, whole);
        part[a][0] = _mm512_sub_ps(one, part[a][1]);
        for (int k = 0; k < 2; k++)
          inside[a][k] = _mm512_cmplt_epu32_mask(_mm512_add_epi32(low[a], _mm512_set1_epi32(k)),
                                                 _mm512_set1_epi32(SIDE));
      }
      int32_t where[4][FLOATS] __attribute__((aligned(64)));
      float weight[4][FLOATS] __attribute__((aligned(64)));
      float found[FLOATS * DEEP] __attribute__((aligned(64)));
      for (int k = 0; k < 4; k++) {
        const __mmask16 there = inside[1][k / 2] & inside[0][k % 2];
        const __m512i row = _mm512_add_epi32(low[1], _mm512_set1_epi32(k / 2));
        const __m512i place = _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32(SIDE)),
                                               _mm512_add_epi32(low[0], _mm512_set1_epi32(k % 2)));
        _mm512_store_si512(where[k], _mm512_maskz_mov_epi32(there, place));
        _mm512_store_ps(weight[k], _mm512_maskz_mul_ps(there, part[1][k / 2], part[0][k % 2]));
      }
      for (int l = 0; l < FLOATS; l++)
        for (int p = 0; p < DEEP; p += FLOATS) {
          __m512 sum = _mm512_setzero_ps();
          for (int k = 0; k < 4; k++)
            sum = _mm512_fmadd_ps(_mm512_set1_ps(weight[k][l]),
                                  _mm512_load_ps(turned + where[k][l] * DEEP + p), sum);
          _mm512_store_ps(found + l * DEEP + p, sum);
        }
      for (int p = 0; p < DEEP; p += FLOATS)
        turn_square(found + p, DEEP, y + p * POINTS + i, POINTS);
    }
  }
}

/* --- a transposed copy ----------------------------------------------------------------------- */

enum { WIDE = 4096, TURNED = 32, AT_ONCE = 64 };

static void prepare_square(void)
{
  on.x = normal(AT_SHAPE(WIDE, WIDE));
  give_results(AT_SHAPE(WIDE, WIDE), 0);
}

static void transposed_copy(void *unused)
{
  (void)unused;
  at_tensor *across = at_t(on.x);
  at_copy_(on.result, across);
  at_release(across);
}

static inline void turn_ahead(const float *x, float *to)
{
  for (ptrdiff_t i = 0; i < FLOATS; i++)
    _mm_prefetch((const char *)(x + i * WIDE + AT_ONCE), _MM_HINT_T0);
  turn_square(x, WIDE, to, TURNED);
}

/* Two lines of the result in width, along rows of the source, which are fetched ahead; whole lines
 * are sent from a buffer. */
static void sketch_transposed_copy(void *unused)
{
  (void)unused;
  _Alignas(64) float buffer[AT_ONCE * TURNED];
  for (ptrdiff_t i = 0; i < WIDE; i += TURNED)
    for (ptrdiff_t j = 0; j < WIDE; j += AT_ONCE) {
      for (ptrdiff_t a = 0; a < TURNED; a += FLOATS)
        for (ptrdiff_t b = 0; b < AT_ONCE; b += FLOATS)
          turn_ahead(floats(on.x) + (i + a) * WIDE + j + b, buffer + b * TURNED + a);
      for (ptrdiff_t b = 0; b < AT_ONCE; b++)
        send(floats(on.sketched) + (j + b) * WIDE + i, buffer + b * TURNED, TURNED * sizeof(float));
    }
  _mm_sfence();
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct Row {
  const char *name, *size;
  double read, written; /* elements of 4 bytes that have to be */
  void (*prepare)(void);
  BenchBody ours, sketch;
} rows[] = {
    {"nn.maxpool.fwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *IN *IN, PLANES *OUT *OUT * 3,
     prepare_pooling, max_pool, sketch_max_pool},
    {"nn.maxpool.bwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *OUT *OUT * 3, PLANES *IN *IN,
     prepare_pooling_back, max_pool_back, sketch_max_pool_back},
    {"nn.avgpool.fwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *IN *IN, PLANES *OUT *OUT,
     prepare_average, average_pool, sketch_average_pool},
    {"nn.avgpool.bwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *OUT *OUT, PLANES *IN *IN,
     prepare_average_back, average_pool_back, sketch_average_pool_back},
    {"sm.softmax", "1024 x 1000", ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows, softmax,
     sketch_softmax},
    {"sm.log_softmax", "1024 x 1000", ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows, log_softmax,
     sketch_log_softmax},
    {"sm.log_softmax_bwd", "1024 x 1000", 2 * ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows_back,
     log_softmax_back, sketch_log_softmax_back},
    {"nn.embedding.bwd", "8192 of 50000 x 256", PICKED *WIDTH, (double)TABLE *WIDTH, prepare_table,
     table_gradient, sketch_table_gradient},
    {"st.transpose_copy", "4096 x 4096", (double)WIDE *WIDE, (double)WIDE *WIDE, prepare_square,
     transposed_copy, sketch_transposed_copy},
    {"nn.upsample.nearest.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, nearest, sketch_nearest},
    {"nn.upsample.bilinear.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, bilinear, sketch_bilinear},
    {"nn.upsample.bilinear.bwd", "32 x 64 x 28 x 28 by 2", PLANES *TO *TO, PLANES *FROM *FROM,
     prepare_upsampling_back, bilinear_back, sketch_bilinear_back},
    {"nn.gridsample.fwd", "8 x 32 x 64 x 64", IMAGES *(DEEP + 2) * POINTS, IMAGES *DEEP *POINTS,
     prepare_grid, grid_sample, sketch_grid_sample},
};

static void give_up(const struct Row *row, const char *why)
{
  fprintf(stderr, "th_experiments: %s: %s\n", row->name, why);
  exit(1);
}

/* Raises unless both have computed the same, but for rounding. */
static void compare(const struct Row *row)
{
  double difference = 0, norm = 0;
  const float *a = floats(on.result), *b = floats(on.sketched);
  row->ours(NULL);
  row->sketch(NULL);
  if (at_error())
    give_up(row, at_error_message());
  for (int64_t i = 0; i < at_numel(on.result); i++) {
    difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    norm += (double)a[i] * (double)a[i];
  }
  if (!(sqrt(difference) <= 1e-5 * sqrt(norm)) ||
      (on.places && memcmp(longs(on.places), longs(on.sketchedPlaces),
                           (size_t)at_numel(on.places) * sizeof(int64_t)) != 0))
    give_up(row, "the sketch computes something else");
}

enum { MOST_ROUNDS = 99 };

static void measure(const struct Row *row, int rounds, double budget)
{
  double ours[MOST_ROUNDS], sketch[MOST_ROUNDS], limit[MOST_ROUNDS];
  double sketches[MOST_ROUNDS], limits[MOST_ROUNDS], reached[MOST_ROUNDS];
  row->prepare();
  if (at_error())
    give_up(row, at_error_message());
  compare(row);
  for (int k = 0; k < rounds; k++) {
    ours[k] = bench_time(row->ours, NULL, budget);
    sketch[k] = bench_time(row->sketch, NULL, budget);
    limit[k] = limit_of_moving(row->read, row->written, budget);
    sketches[k] = sketch[k] / ours[k];
    limits[k] = limit[k] / ours[k];
    reached[k] = limit[k] / sketch[k];
  }
  put_away();
  printf("| %s | %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", row->name, row->size,
         1e6 * bench_median(ours, rounds), 1e6 * bench_median(sketch, rounds),
         1e6 * bench_median(limit, rounds), bench_median(sketches, rounds),
         bench_median(limits, rounds), bench_median(reached, rounds));
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const struct option known[] = {{"rounds", required_argument, NULL, 'r'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {"filter", required_argument, NULL, 'f'},
                                        {NULL, 0, NULL, 0}};
  int rounds = 5;
  double budget = 0.05;
  const char *filter = "";
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'r')
      rounds = atoi(optarg);
    else if (c == 's')
      budget = atof(optarg);
    else if (c == 'f')
      filter = optarg;
    else
      return 2;
  }
  if (rounds < 1 || rounds > MOST_ROUNDS || !(budget > 0)) {
    fprintf(stderr, "th_experiments: --rounds takes 1 to %d, --seconds more than 0\n", MOST_ROUNDS);
    return 2;
  }
  THSetNumThreads(1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strncmp(rows[i].name, filter, strlen(filter)))
      measure(&rows[i], rounds, budget);
  return 0;
}

#else

int main(void)
{
  fprintf(stderr, "th_experiments: the sketches are for AVX-512: left out\n");
  return 0;
}

#endif
