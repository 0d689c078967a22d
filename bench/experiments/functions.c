/* Experiments: functions of 1e5 floats, whose numbers are between -3 and 3. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { NUMBERS = 100000, DOUBLES = 8, ABREAST = 4 };

static void prepare_numbers(void)
{
  on.x = at_clamp(normal(AT_SHAPE(NUMBERS)), .min = -3, .max = 3);
  give_results(AT_SHAPE(NUMBERS), 0);
}

static void sine(void *unused)
{
  (void)unused;
  at_sin_out(on.result, on.x);
}

/* The library's polynomial and doubles, in rounds of 32 numbers: each step is done for all vectors
 * of a round before the next one.  Ends before a round with numbers far out, which NaN is not. */
static int sines_up_to_far(float *to, const float *from, int i)
{
  enum { LARGEST = 11 };
  const __m512d rounder = _mm512_set1_pd(0x3p51), inverse = _mm512_set1_pd(0x1.45f306dc9c883p-2);
  const __m512d high = _mm512_set1_pd(-0x1.921fb544p+1),
                low = _mm512_set1_pd(-0x1.0b4611a626331p-33);
  const double terms[] = {0x1.71745c4bb5481p-19, -0x1.a017fa6fe5c82p-13, 0x1.11110cb855954p-7,
                          -0x1.555555493944bp-3, 1};
  for (; i < NUMBERS; i += ABREAST * DOUBLES) {
    const __m512 largest =
        _mm512_range_ps(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + FLOATS), LARGEST);
    if (_mm512_cmp_ps_mask(largest, _mm512_set1_ps(0x1p20f), _CMP_GT_OQ))
      break;
    __m512d r[ABREAST], turns[ABREAST], z[ABREAST], y[ABREAST];
#define ALL_ABREAST TH_PRAGMA(GCC unroll 4) for (int k = 0; k < ABREAST; k++)
    ALL_ABREAST r[k] = _mm512_cvtps_pd(_mm256_loadu_ps(from + i + k * DOUBLES));
    ALL_ABREAST turns[k] = _mm512_fmadd_pd(r[k], inverse, rounder);
    ALL_ABREAST y[k] = turns[k] - rounder;
    ALL_ABREAST r[k] = _mm512_fmadd_pd(y[k], high, r[k]);
    ALL_ABREAST r[k] = _mm512_fmadd_pd(y[k], low, r[k]);
    ALL_ABREAST z[k] = r[k] * r[k];
    ALL_ABREAST y[k] = _mm512_set1_pd(-0x1.9ab8e0d465ba4p-26);
    for (int t = 0; t < 5; t++)
      ALL_ABREAST y[k] = _mm512_fmadd_pd(y[k], z[k], _mm512_set1_pd(terms[t]));
    ALL_ABREAST y[k] = y[k] * r[k];
    ALL_ABREAST y[k] =
        _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(y[k]),
                                             _mm512_slli_epi64(_mm512_castpd_si512(turns[k]), 63)));
    ALL_ABREAST _mm_prefetch((const char *)(from + i + k * DOUBLES + 1024), _MM_HINT_T0);
    ALL_ABREAST _mm256_storeu_ps(to + i + k * DOUBLES, _mm512_cvtpd_ps(y[k]));
#undef ALL_ABREAST
  }
  return i;
}

/* Rounds with numbers far out are the C library's. */
static void sketch_sine(void *unused)
{
  (void)unused;
  const float *const from = floats(on.x);
  float *const to = floats(on.sketched);
  for (int i = 0; (i = sines_up_to_far(to, from, i)) < NUMBERS;)
    for (const int end = i + ABREAST * DOUBLES; i < end; i++)
      to[i] = (float)sin((double)from[i]);
}

const Experiment functions_experiments[] = {
    {"ew.sin", "1e5 floats", NUMBERS, NUMBERS, prepare_numbers, sine, sketch_sine},
    {0},
};

#endif
