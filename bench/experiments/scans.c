/* Experiments: cumulative sums and products along rows and across them. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { SIDE = 4096, DOUBLES = 8 };

static void prepare_sums(void)
{
  on.x = normal(AT_SHAPE(SIDE, SIDE));
  give_results(AT_SHAPE(SIDE, SIDE), 0);
}

/* Numbers near 1, whose products stay in range. */
static void prepare_products(void)
{
  prepare_sums();
  at_mul_(on.x, 0.01);
  at_exp_(on.x);
}

static void sums(void *unused)
{
  (void)unused;
  at_cumsum_out(on.result, on.x, 1);
}

static void products(void *unused)
{
  (void)unused;
  at_cumprod_out(on.result, on.x, 1);
}

static void sums_across(void *unused)
{
  (void)unused;
  at_cumsum_out(on.result, on.x, 0);
}

static void products_across(void *unused)
{
  (void)unused;
  at_cumprod_out(on.result, on.x, 0);
}

/* Lanes from count lanes further on; the first ones are neutral. */
#define BEFORE(V, NEUTRAL, COUNT) \
  (__m512d) _mm512_alignr_epi64((__m512i)(V), (__m512i)(NEUTRAL), DOUBLES - (COUNT))

/* Of products, or sums; 1 and 0 are neutral. */
static inline __m512d take(int product, __m512d a, __m512d b)
{
  return product ? _mm512_mul_pd(a, b) : _mm512_add_pd(a, b);
}

/* Totals of eight numbers in three steps, and of the row by a fourth, which alone waits for the
 * eight before; non-temporal stores write them from there. */
static inline __attribute__((always_inline)) void scan(int product)
{
  enum { PREFETCH_ELEMENTS = 1024 };
  const __m512d neutral = _mm512_set1_pd(product);
  const __m512i last = _mm512_set1_epi64(DOUBLES - 1);
  for (int i = 0; i < SIDE; i++) {
    const float *x = floats(on.x) + (ptrdiff_t)i * SIDE;
    float *r = floats(on.sketched) + (ptrdiff_t)i * SIDE;
    __m512d all = neutral;
    for (int j = 0; j < SIDE; j += DOUBLES) {
      if (j % FLOATS == 0)
        __builtin_prefetch(x + j + PREFETCH_ELEMENTS);
      __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(x + j));
      v = take(product, v, BEFORE(v, neutral, 1));
      v = take(product, v, BEFORE(v, neutral, 2));
      v = take(product, v, BEFORE(v, neutral, 4));
      _mm256_stream_ps(r + j, _mm512_cvtpd_ps(take(product, all, v)));
      all = take(product, all, _mm512_permutexvar_pd(last, v));
    }
  }
  _mm_sfence();
}

static void sketch_sums(void *unused)
{
  (void)unused;
  scan(0);
}

static void sketch_products(void *unused)
{
  (void)unused;
  scan(1);
}

/* Totals of half a row, which stay in L1, take in two rows at a time; these are
 * prefetched 512 elements ahead, which may be in the next two. */
static inline __attribute__((always_inline)) void scan_across(int product)
{
  enum { WIDTH = SIDE / 2, ROWS = 2, PREFETCH_ELEMENTS = 512 };
  static _Alignas(64) double totals[WIDTH];
  for (int first = 0; first < SIDE; first += WIDTH) {
    for (int j = 0; j < WIDTH; j++)
      totals[j] = product;
    for (int i = 0; i < SIDE; i += ROWS) {
      const float *x = floats(on.x) + (ptrdiff_t)i * SIDE + first;
      float *r = floats(on.sketched) + (ptrdiff_t)i * SIDE + first;
      for (int j = 0; j < WIDTH; j += FLOATS) {
        const float *next =
            x + j + PREFETCH_ELEMENTS + (j + PREFETCH_ELEMENTS < WIDTH ? 0 : ROWS * SIDE - WIDTH);
        __m512d low = _mm512_load_pd(totals + j), high = _mm512_load_pd(totals + j + 8);
        for (int k = j; k < j + ROWS * SIDE; k += SIDE, next += SIDE) {
          __builtin_prefetch(next);
          low = take(product, low, _mm512_cvtps_pd(_mm256_loadu_ps(x + k)));
          high = take(product, high, _mm512_cvtps_pd(_mm256_loadu_ps(x + k + DOUBLES)));
          _mm256_stream_ps(r + k, _mm512_cvtpd_ps(low));
          _mm256_stream_ps(r + k + DOUBLES, _mm512_cvtpd_ps(high));
        }
        _mm512_store_pd(totals + j, low);
        _mm512_store_pd(totals + j + DOUBLES, high);
      }
    }
  }
  _mm_sfence();
}

static void sketch_sums_across(void *unused)
{
  (void)unused;
  scan_across(0);
}

static void sketch_products_across(void *unused)
{
  (void)unused;
  scan_across(1);
}

const Experiment scans_experiments[] = {
    {"red.cumsum.d1", "4096 x 4096", (double)SIDE *SIDE, (double)SIDE *SIDE, prepare_sums, sums,
     sketch_sums},
    {"red.cumprod.d1", "4096 x 4096", (double)SIDE *SIDE, (double)SIDE *SIDE, prepare_products,
     products, sketch_products},
    {"red.cumsum.d0", "4096 x 4096", (double)SIDE *SIDE, (double)SIDE *SIDE, prepare_sums,
     sums_across, sketch_sums_across},
    {"red.cumprod.d0", "4096 x 4096", (double)SIDE *SIDE, (double)SIDE *SIDE, prepare_products,
     products_across, sketch_products_across},
    {0},
};

#endif
