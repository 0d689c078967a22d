/* Experiments: pooling, 3 x 3 by 2, padded by 1. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { PLANES = 32 * 64, IN = 56, OUT = 28, PREFETCH_ELEMENTS = 1024 };
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

static void prepare_average_backward(void)
{
  on.x = normal(AT_SHAPE(32, 64, IN, IN));
  on.g = normal(AT_SHAPE(32, 64, OUT, OUT));
  give_results(AT_SHAPE(32, 64, IN, IN), 0);
}

static void prepare_pooling_backward(void)
{
  prepare_average_backward();
  on.index = at_empty(AT_SHAPE(32, 64, OUT, OUT), .type = AT_CPU(AT_LONG));
  on.y = at_empty(AT_SHAPE(32, 64, OUT, OUT), .type = AT_CPU(AT_FLOAT));
  at_max_pool2d_out(on.y, on.index, on.x, AT_SHAPE(3, 3), .stride = AT_INTS(2, 2),
                    .padding = AT_INTS(1, 1), .dilation = AT_INTS(1, 1));
}

static void max_pool(void *unused)
{
  (void)unused;
  at_max_pool2d_out(on.result, on.indices, on.x, AT_SHAPE(3, 3), .stride = AT_INTS(2, 2),
                    .padding = AT_INTS(1, 1), .dilation = AT_INTS(1, 1));
}

typedef struct Most {
  __m512 value;
  __m512i index;
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
  const __m512 left = _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(odd),
                                                              _mm512_castps_si512(edge), 15));
  const __m512i first = _mm512_set1_epi32(row * IN);
  _mm_prefetch((const char *)(from + PREFETCH_ELEMENTS), _MM_HINT_T0);
  *nan |= _mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q);
  __mmask16 later = _mm512_cmp_ps_mask(even, left, _CMP_GT_OQ) | !column;
  Most most = {_mm512_max_ps(even, left),
               _mm512_mask_add_epi32(first, later, first, _mm512_set1_epi32(1))};
  later = _mm512_cmp_ps_mask(odd, most.value, _CMP_GT_OQ);
  most.value = _mm512_max_ps(odd, most.value);
  most.index = _mm512_mask_add_epi32(most.index, later, first, _mm512_set1_epi32(2));
  return most;
}

static inline Most later_if_more(Most a, Most b)
{
  const __mmask16 later = _mm512_cmp_ps_mask(b.value, a.value, _CMP_GT_OQ);
  return (Most){_mm512_max_ps(b.value, a.value), _mm512_mask_mov_epi32(a.index, later, b.index)};
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
        store_indices(at + row * OUT + column, _mm512_add_epi32(all.index, columns));
      }
    }
    stream_lines(floats(on.sketched) + plane * OUT * OUT, most, sizeof most);
    stream_lines(longs(on.sketchedIndices) + plane * OUT * OUT, at, sizeof at);
  }
  _mm_sfence();
  if (nan)
    abort();
}

static void max_pool_backward(void *unused)
{
  (void)unused;
  at_max_pool2d_backward_out(on.result, on.g, on.x, AT_SHAPE(3, 3), AT_SHAPE(2, 2), AT_SHAPE(1, 1),
                             AT_SHAPE(1, 1), false, on.index);
}

/* g where the window's index is at, and 0 elsewhere, added to the sum. */
static inline __m512 add_where(__m512 sum, const int32_t *index, const float *g, __m512i at)
{
  const __mmask16 here = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(index), at);
  return _mm512_mask_add_ps(sum, here, sum, _mm512_loadu_ps(g));
}

/* Whether all of n indices are in a plane, which has to be known before anything is written. */
static int are_inside(const int64_t *at, ptrdiff_t n)
{
  const __m512i size = _mm512_set1_epi64(IN * IN);
  __mmask8 outside = 0;
  for (ptrdiff_t i = 0; i < n; i += 8)
    outside |= _mm512_cmpge_epu64_mask(_mm512_loadu_si512(at + i), size);
  return !outside;
}

/* Which of 16 windows of a row took none of their own elements; its first column is there, so they
 * begin in the image. */
static inline __mmask16 took_others(__m512i index, int row, int column)
{
  const __m512i left = counting(2 * column - 1, 2), none = _mm512_setzero_si512();
  const __m512i from = _mm512_max_epi32(left, none);
  const __m512i count = _mm512_sub_epi32(_mm512_add_epi32(left, _mm512_set1_epi32(3)), from);
  __mmask16 others = 0xffff;
  for (int k = row ? 0 : 1; k < 3; k++) {
    const __m512i first = _mm512_add_epi32(from, _mm512_set1_epi32((2 * row - 1 + k) * IN));
    others = _mm512_mask_cmpge_epu32_mask(others, _mm512_sub_epi32(index, first), count);
  }
  return others;
}

/* Each element sums over the windows that cover it, at most four, and that took it: nothing is
 * scattered.  Where a window took what is not its own, that would be lost, and is looked for. */
static void sketch_max_pool_backward(void *unused)
{
  (void)unused;
  if (!are_inside(longs(on.index), PLANES * OUT * OUT))
    abort();
  enum { PITCH = 2 * FLOATS }; /* zeros behind each row, and below the last one */
  int32_t index[(OUT + 1) * PITCH] __attribute__((aligned(64)));
  float g[(OUT + 1) * PITCH] __attribute__((aligned(64)));
  float sums[IN * IN] __attribute__((aligned(64)));
  __mmask16 others = 0;
  const __m512 zero = _mm512_setzero_ps();
  const __m512i first = by_turns(0), second = by_turns(FLOATS / 2);
  const int64_t *at = longs(on.index);
  const float *from = floats(on.g);
  memset(index, -1, sizeof index);
  memset(g, 0, sizeof g);
  for (int plane = 0; plane < PLANES; plane++, at += OUT * OUT, from += OUT * OUT) {
    for (int i = 0; i < OUT; i++)
      for (int j = 0; j <= LAST; j += LAST) {
        const __m512i indices = load_indices(at + i * OUT + j);
        others |= took_others(indices, i, j);
        _mm512_storeu_si512(index + i * PITCH + j, indices);
        _mm512_storeu_ps(g + i * PITCH + j, _mm512_loadu_ps(from + i * OUT + j));
        _mm_prefetch((const char *)(at + i * OUT + j + PREFETCH_ELEMENTS), _MM_HINT_T0);
        _mm_prefetch((const char *)(at + i * OUT + j + PREFETCH_ELEMENTS + 8), _MM_HINT_T0);
        _mm_prefetch((const char *)(from + i * OUT + j + PREFETCH_ELEMENTS), _MM_HINT_T0);
      }
    for (int i = 0; i < OUT; i++)
      for (int j = 0; j <= LAST; j += LAST) { /* two rows of the image, which start in the window */
        const int32_t *p = index + i * PITCH + j;
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
    stream_lines(floats(on.sketched) + plane * IN * IN, sums, sizeof sums);
  }
  _mm_sfence();
  if (others)
    abort();
}

static void average_pool(void *unused)
{
  (void)unused;
  at_avg_pool2d_out(on.result, on.x, AT_SHAPE(3, 3), .stride = AT_INTS(2, 2),
                    .padding = AT_INTS(1, 1));
}

/* The sums of three neighbours each of a row, from element 2 * column - 1 on. */
static inline __m512 sums_of_row(const float *x, int row, int column)
{
  const float *from = x + row * IN + 2 * column;
  const __m512 low = _mm512_loadu_ps(from), high = _mm512_loadu_ps(from + FLOATS);
  const __m512 even = _mm512_permutex2var_ps(low, counting(0, 2), high);
  const __m512 odd = _mm512_permutex2var_ps(low, counting(1, 2), high);
  const __m512 edge = _mm512_set1_ps(column ? from[-1] : 0);
  const __m512 left = _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(odd),
                                                              _mm512_castps_si512(edge), 15));
  _mm_prefetch((const char *)(from + PREFETCH_ELEMENTS), _MM_HINT_T0);
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

static void average_pool_backward(void *unused)
{
  (void)unused;
  at_avg_pool2d_backward_out(on.result, on.g, on.x, AT_SHAPE(3, 3), AT_SHAPE(2, 2), AT_SHAPE(1, 1),
                             false, true);
}

/* Two rows of the image from two rows of windows, in registers. */
static void sketch_average_pool_backward(void *unused)
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
        _mm_prefetch((const char *)(g + i * OUT + j + PREFETCH_ELEMENTS), _MM_HINT_T0);
        _mm512_storeu_ps(at, _mm512_permutex2var_ps(a, first, b));
        _mm512_storeu_ps(at + FLOATS, _mm512_permutex2var_ps(a, second, b));
        _mm512_storeu_ps(at + IN, _mm512_permutex2var_ps(c, first, d));
        _mm512_storeu_ps(at + IN + FLOATS, _mm512_permutex2var_ps(c, second, d));
        row = rowBelow;
        shifted = shiftedBelow;
      }
    }
}

const Experiment pooling_experiments[] = {
    {"nn.maxpool.fwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *IN *IN, PLANES *OUT *OUT * 3,
     prepare_pooling, max_pool, sketch_max_pool},
    {"nn.maxpool.bwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *OUT *OUT * 3, PLANES *IN *IN,
     prepare_pooling_backward, max_pool_backward, sketch_max_pool_backward},
    {"nn.avgpool.fwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *IN *IN, PLANES *OUT *OUT,
     prepare_average, average_pool, sketch_average_pool},
    {"nn.avgpool.bwd", "32 x 64 x 56 x 56, 3 x 3 by 2", PLANES *OUT *OUT, PLANES *IN *IN,
     prepare_average_backward, average_pool_backward, sketch_average_pool_backward},
    {0},
};

#endif
