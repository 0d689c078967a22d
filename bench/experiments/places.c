/* Experiments: rows and elements that indices pick. */
#include <stdlib.h>

#include <omp.h>

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

/* Each row is written once, by non-temporal stores: first those that none picks, and then, in the
 * order of the indices, the sums of those that do, which are found by lists. */
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

/* --- indices of what is not 0 ----------------------------------------------------------------- */

enum { MARKED = 1 << 20 };

static void prepare_marked(void)
{
  on.x = normal(AT_SHAPE(MARKED));
  at_relu_(on.x);
  give_results(AT_SHAPE(1), 0);
  on.indices = at_nonzero(on.x);
  on.sketchedIndices = at_zeros_like(on.indices);
}

static void list_marked(void *unused)
{
  (void)unused;
  at_release(on.indices); /* it is a new one */
  on.indices = at_nonzero(on.x);
}

/* Bits first, then all eight numbers of a byte of them are stored at once, while lines that come
 * later are prefetched to be written. */
static void sketch_list_marked(void *unused)
{
  (void)unused;
  static uint16_t bits[MARKED / FLOATS];
  const float *x = floats(on.x);
  int64_t count = 0, *to = longs(on.sketchedIndices);
  for (int i = 0; i < MARKED / FLOATS; i++) {
    bits[i] = _mm512_cmpneq_ps_mask(_mm512_loadu_ps(x + FLOATS * i), _mm512_setzero_ps());
    count += __builtin_popcount(bits[i]);
  }
  if (count != at_numel(on.indices))
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

/* --- elements of rows ----------------------------------------------------------------------- */

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
  enum { EIGHT = 8 };
  static uint8_t narrow[LINES * LENGTH + FLOATS];
  const int64_t *index = longs(on.index);
  __m512i most = _mm512_setzero_si512();
  for (int i = 0; i < LINES * LENGTH; i += EIGHT) {
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

/* --- joined rows ---------------------------------------------------------------------------- */

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

/* --- elements at random --------------------------------------------------------------------- */

enum { ELEMENTS = 1000000 };

static void prepare_elements(void)
{
  on.x = normal(AT_SHAPE(ELEMENTS));
  on.index = at_empty(AT_SHAPE(ELEMENTS), .type = AT_CPU(AT_LONG));
  for (int i = 0; i < ELEMENTS; i++)
    longs(on.index)[i] = (int64_t)((uint32_t)i * 2654435761u % ELEMENTS);
  give_results(AT_SHAPE(ELEMENTS), 0);
}

static void select_elements(void *unused)
{
  (void)unused;
  at_index_select_out(on.result, on.x, 0, on.index);
}

static void gather_elements(void *unused)
{
  (void)unused;
  at_gather_out(on.result, on.x, 0, on.index);
}

/* The pass that checks indices leaves half of each; the second pass prefetches elements well before
 * it reads them. */
static void sketch_elements(void *unused)
{
  enum { EIGHT = 8, LATER = 64 };
  (void)unused;
  static int32_t narrow[ELEMENTS + LATER];
  const int64_t *index = longs(on.index);
  const float *x = floats(on.x);
  float *to = floats(on.sketched);
  __m512i most = _mm512_setzero_si512();
  for (int i = 0; i < ELEMENTS; i += EIGHT) {
    const __m512i some = _mm512_loadu_si512(index + i);
    __builtin_prefetch(index + i + 512);
    most = _mm512_max_epu64(most, some);
    _mm256_storeu_si256((__m256i *)(narrow + i), _mm512_cvtepi64_epi32(some));
  }
  if (_mm512_reduce_max_epu64(most) >= ELEMENTS)
    return;
  for (int i = 0; i < ELEMENTS; i += FLOATS) {
    for (int k = 0; k < FLOATS; k++)
      __builtin_prefetch(x + narrow[i + k + LATER - FLOATS]);
    __builtin_prefetch(to + i + 512, 1);
    for (int k = 0; k < FLOATS; k++)
      to[i + k] = x[narrow[i + k]];
  }
}

/* --- permutations --------------------------------------------------------------------------- */

static at_generator *generator;

static void prepare_permutation(void)
{
  on.x = at_zeros(AT_SHAPE(1));
  give_results(AT_SHAPE(1), 0);
  on.indices = at_zeros(AT_SHAPE(ELEMENTS), .type = AT_CPU(AT_LONG));
  on.sketchedIndices = at_zeros_like(on.indices);
  generator = at_generator_new(AT_BACKEND_CPU);
}

static void permutation(void *unused)
{
  (void)unused;
  at_generator_manualSeed(generator, 1);
  at_randperm_out(on.indices, ELEMENTS, .generator = generator);
}

/* The words of the Mersenne Twister, a state at a time. */
typedef struct {
  uint32_t state[624];
} Twister;

static void seed(Twister *t, uint32_t word)
{
  t->state[0] = word;
  for (uint32_t i = 1; i < 624; i++)
    t->state[i] = word = 1812433253u * (word ^ word >> 30) + i;
}

static void next_words(Twister *t, uint32_t *words)
{
  enum { N = 624, M = 397 };
  uint32_t *const s = t->state;
#define TWIST(I, J, K)                                                  \
  {                                                                     \
    const uint32_t y = (s[I] & 0x80000000u) | (s[J] & 0x7fffffffu);     \
    s[I] = s[K] ^ y >> 1 ^ (0x9908b0dfu & (uint32_t)-(int32_t)(y & 1)); \
  }
  for (int i = 0; i < N - M; i++)
    TWIST(i, i + 1, i + M)
  for (int i = N - M; i < N - 1; i++)
    TWIST(i, i + 1, i + M - N)
  TWIST(N - 1, 0, M - 1)
#undef TWIST
  for (int i = 0; i < N; i++) {
    uint32_t y = s[i];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    words[i] = y ^ y >> 18;
  }
}

/* Numbers from first on, a state's words of them: remainders by vectors of quotients in double. */
enum { STATE = 624, EIGHT = 8, STATES = (ELEMENTS - 1 + STATE - 1) / STATE };

static void find_partners(Twister *twister, int first, uint32_t *indices)
{
  uint32_t words[STATE];
  next_words(twister, words);
  const __m512d counting_down = _mm512_setr_pd(0, -1, -2, -3, -4, -5, -6, -7);
  for (int k = 0; k < STATE; k += EIGHT) {
    const __m512d rest =
        _mm512_max_pd(_mm512_add_pd(_mm512_set1_pd(ELEMENTS - first - k), counting_down),
                      _mm512_set1_pd(1));
    const __m512d word = _mm512_cvtepu32_pd(_mm256_loadu_si256((const __m256i *)(words + k)));
    const __m512d times = _mm512_roundscale_pd(_mm512_div_pd(word, rest), 9);
    const __m512d left = _mm512_fnmadd_pd(times, rest, word);
    const __m256i at =
        _mm256_add_epi32(_mm512_cvtpd_epi32(left), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)(indices + k),
                        _mm256_add_epi32(at, _mm256_set1_epi32(first + k)));
  }
}

static int32_t order[ELEMENTS];

static void number_all(void)
{
  for (int i = 0; i < ELEMENTS; i++)
    order[i] = i;
}

/* What comes to be first goes to the result, and is not exchanged any more. */
static void sketch_permutation(void *unused)
{
  (void)unused;
  static Twister twister;
  int64_t *r = longs(on.sketchedIndices);
  seed(&twister, 1);
  number_all();
  for (int i = 0; i < ELEMENTS;) {
    uint32_t indices[STATE];
    find_partners(&twister, i, indices);
    for (int k = 0; k < STATE && i < ELEMENTS; k++, i++) {
      const int32_t kept = order[i];
      r[i] = order[indices[k]];
      order[indices[k]] = kept;
    }
  }
}

/* One thread exchanges numbers where they are, the other one finds partners as far ahead as there
 * is room for, and makes the result of what has been exchanged. */
static void sketch_permutation_by_two(void *unused)
{
  (void)unused;
  enum { ROOM = 256 };
  static uint32_t indices[ROOM][STATE];
  static Twister twister;
  static _Alignas(64) int found;
  static _Alignas(64) int exchanged;
  int64_t *r = longs(on.sketchedIndices);
  seed(&twister, 1);
  found = exchanged = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    number_all();
    for (int s = 0; s < STATES; s++) {
      while (__atomic_load_n(&found, __ATOMIC_ACQUIRE) <= s)
        _mm_pause();
      const uint32_t *index = indices[s % ROOM];
      for (int i = s * STATE; i < (s + 1) * STATE && i < ELEMENTS; i++) {
        const uint32_t at = *index++;
        const int32_t kept = order[i];
        order[i] = order[at];
        order[at] = kept;
      }
      __atomic_store_n(&exchanged, s + 1, __ATOMIC_RELEASE);
    }
  } else {
    for (int s = 0, made = 0; made < STATES;) {
      const int until = __atomic_load_n(&exchanged, __ATOMIC_ACQUIRE);
      if (s < STATES && s - until < ROOM) {
        find_partners(&twister, s * STATE, indices[s % ROOM]);
        __atomic_store_n(&found, ++s, __ATOMIC_RELEASE);
      } else if (made < until) {
        for (int i = made * STATE; i < (made + 1) * STATE && i < ELEMENTS; i++)
          r[i] = order[i];
        made++;
      } else {
        _mm_pause();
      }
    }
  }
}

const Experiment places_experiments[] = {
    {"idx.index_select", "1e6", 3.0 * ELEMENTS, ELEMENTS, prepare_elements, select_elements,
     sketch_elements},
    {"idx.gather", "1e6", 3.0 * ELEMENTS, ELEMENTS, prepare_elements, gather_elements,
     sketch_elements},
    {"rnd.randperm", "1e6", 0, 2.0 * ELEMENTS, prepare_permutation, permutation,
     sketch_permutation},
    {"rnd.randperm", "1e6, two threads", 0, 2.0 * ELEMENTS, prepare_permutation, permutation,
     sketch_permutation_by_two, .threads = 2},
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
