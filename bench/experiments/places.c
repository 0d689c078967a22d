/* Experiments: rows and elements at places that are given. */
#include <stdlib.h>

#include "experiments.h"

#if defined(__AVX512F__)

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

/* Each row is written once, around the caches: first those that none picks, and then, in the order
 * of the indices, the sums of those that do, which are found by lists. */
static void sketch_table_gradient(void *unused)
{
  (void)unused;
  enum { GROUP = 8 };
  static int32_t first[TABLE], next[PICKED];
  const __m512 zero = _mm512_setzero_ps();
  const int64_t *index = longs(on.index);
  float *table = floats(on.sketched);
  memset(first, -1, sizeof first);
  for (int i = PICKED - 1; i >= 0; i--) {
    if (index[i] < 0 || index[i] >= TABLE)
      abort();
    next[i] = first[index[i]];
    first[index[i]] = i;
  }
  for (int r = 0; r < TABLE; r++)
    if (first[r] < 0)
      for (int k = 0; k < WIDTH; k += FLOATS)
        _mm512_stream_ps(table + (ptrdiff_t)r * WIDTH + k, zero);
  for (int i = 0; i < PICKED; i++)
    for (int k = 0; k < WIDTH && first[index[i]] == i; k += GROUP * FLOATS) {
      __m512 sum[GROUP];
      for (int v = 0; v < GROUP; v++)
        sum[v] = zero;
      for (int j = i; j >= 0; j = next[j])
        for (int v = 0; v < GROUP; v++)
          sum[v] =
              _mm512_add_ps(sum[v], _mm512_loadu_ps(floats(on.g) + j * WIDTH + k + v * FLOATS));
      for (int v = 0; v < GROUP; v++)
        _mm512_stream_ps(table + index[i] * WIDTH + k + v * FLOATS, sum[v]);
    }
  _mm_sfence();
}

/* --- places of what is not 0 ------------------------------------------------------------------ */

enum { MARKED = 1 << 20 };

static void prepare_marked(void)
{
  on.x = normal(AT_SHAPE(MARKED));
  at_relu_(on.x);
  give_results(AT_SHAPE(1), 0);
  on.places = at_nonzero(on.x);
  on.sketchedPlaces = at_zeros_like(on.places);
}

static void list_marked(void *unused)
{
  (void)unused;
  at_release(on.places); /* it is a new one */
  on.places = at_nonzero(on.x);
}

/* Bits first, then all eight numbers of a byte of them are stored at once, while lines that come
 * later are fetched to be written. */
static void sketch_list_marked(void *unused)
{
  (void)unused;
  static uint16_t bits[MARKED / FLOATS];
  const float *x = floats(on.x);
  int64_t count = 0, *to = longs(on.sketchedPlaces);
  for (int i = 0; i < MARKED / FLOATS; i++) {
    bits[i] = _mm512_cmpneq_ps_mask(_mm512_loadu_ps(x + FLOATS * i), _mm512_setzero_ps());
    count += __builtin_popcount(bits[i]);
  }
  if (count != at_numel(on.places))
    return;
  const uint8_t *bytes = (const uint8_t *)bits;
  __m512i all = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  for (int i = 0; i < MARKED / 8; i++) {
    const __m512i some = _mm512_maskz_compress_epi64(bytes[i], all);
    const int here = __builtin_popcount(bytes[i]);
    __builtin_prefetch((const void *)((uintptr_t)to + 2048), 1);
    _mm512_mask_storeu_epi64(to, (__mmask8)((1 << here) - 1), some);
    to += here;
    all = _mm512_add_epi64(all, _mm512_set1_epi64(8));
  }
}

/* --- elements of rows ---------------------------------------------------------------------------
 */

enum { LINES = 10000, LENGTH = 100 };

static void prepare_lines(void)
{
  on.x = normal(AT_SHAPE(LINES, LENGTH));
  on.index = at_empty(AT_SHAPE(LINES, LENGTH), .type = AT_CPU(AT_LONG));
  for (int i = 0; i < LINES * LENGTH; i++)
    longs(on.index)[i] = (int64_t)((uint32_t)i * 2654435761u >> 8) % LENGTH;
  give_results(AT_SHAPE(LINES, LENGTH), 0);
}

static void gather_lines(void *unused)
{
  (void)unused;
  at_gather_out(on.result, on.x, 1, on.index);
}

/* The pass that checks indices leaves bytes of them, which are what the second pass reads. */
static void sketch_gather_lines(void *unused)
{
  (void)unused;
  enum { MANY = 8 };
  static uint8_t narrow[LINES * LENGTH + FLOATS];
  const int64_t *index = longs(on.index);
  __m512i most = _mm512_setzero_si512();
  for (int i = 0; i < LINES * LENGTH; i += MANY) {
    const __m512i some = _mm512_loadu_si512(index + i);
    most = _mm512_max_epu64(most, some);
    _mm_storel_epi64((__m128i *)(narrow + i), _mm512_cvtepi64_epi8(some));
  }
  if (_mm512_reduce_max_epu64(most) >= LENGTH)
    return;
  const __mmask16 rest = (1 << LENGTH % FLOATS) - 1;
  for (int r = 0; r < LINES; r++)
    for (int i = 0; i < LENGTH; i += FLOATS) {
      const int at = r * LENGTH + i;
      const __m512i some = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(narrow + at)));
      const __mmask16 lanes = i + FLOATS <= LENGTH ? 0xffff : rest;
      const __m512 picked = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, some,
                                                     floats(on.x) + (ptrdiff_t)r * LENGTH, 4);
      _mm512_mask_storeu_ps(floats(on.sketched) + at, lanes, picked);
    }
}

/* --- joined rows -------------------------------------------------------------------------------
 */

enum { PARTS = 8, ROWS = 1000, PART = 125 };

static at_tensor *parts[PARTS];

static void prepare_parts(void)
{
  on.x = normal(AT_SHAPE(PARTS, ROWS, PART));
  for (int p = 0; p < PARTS; p++)
    parts[p] = at_select(on.x, 0, p);
  give_results(AT_SHAPE(ROWS, PARTS * PART), 0);
}

static void join_parts(void *unused)
{
  (void)unused;
  at_cat_out(on.result, ((at_tensors){parts, PARTS}), .dim = 1);
}

/* In the order of the result. */
static void sketch_join_parts(void *unused)
{
  (void)unused;
  float *to = floats(on.sketched);
  for (int r = 0; r < ROWS; r++)
    for (int p = 0; p < PARTS; p++, to += PART)
      memcpy(to, floats(on.x) + (p * ROWS + r) * PART, PART * sizeof *to);
}

const Experiment places_experiments[] = {
    {"nn.embedding.bwd", "8192 of 50000 x 256", PICKED *WIDTH, (double)TABLE *WIDTH, prepare_table,
     table_gradient, sketch_table_gradient},
    {"idx.nonzero", "2^20", MARKED, MARKED, prepare_marked, list_marked, sketch_list_marked},
    {"idx.gather.d1", "10000 x 100", 3.0 * LINES *LENGTH, LINES *LENGTH, prepare_lines,
     gather_lines, sketch_gather_lines},
    {"cat.d1", "8 x (1000 x 125)", PARTS *ROWS *PART, PARTS *ROWS *PART, prepare_parts, join_parts,
     sketch_join_parts},
    {0},
};

#endif
