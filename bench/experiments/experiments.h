/* What the sketches of bench/experiments share: the operands of a row, and moves of vectors. */
#ifndef TH_BENCH_EXPERIMENTS_H
#define TH_BENCH_EXPERIMENTS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../timing.h"
#include "ATen/ATen.h"
#include "TH/TH.h"

/* What is worked on; a row sets what it needs. */
extern struct ExperimentOperands {
  at_tensor *x, *y, *g;        /* floats */
  at_tensor *index;            /* indices that are given */
  at_tensor *result, *indices; /* ours; indices are long, and need not be */
  at_tensor *more;             /* a second result, which lies behind the first in the sketch's */
  at_tensor *sketched, *sketchedIndices; /* the same of the sketch */
} on;

/* A row of the table. */
typedef struct Experiment {
  const char *name, *size;
  double read, written; /* elements of 4 bytes that have to be */
  void (*prepare)(void);
  BenchBody ours, sketch;
  int threads; /* 0: one */

  /* What the sketch needs beyond the processor it is compiled for, if anything: the name of it
   * where that is missing, otherwise NULL. */
  const char *(*missing)(void);
} Experiment;

float *floats(at_tensor *t);
int64_t *longs(at_tensor *t);
at_tensor *normal(at_ints size);

/* Room for results of that size, and for indices if there are. */
void give_results(at_ints size, int indices);

/* One table for each file, ended by a row without a name. */
extern const Experiment pooling_experiments[], softmax_experiments[], places_experiments[],
    images_experiments[], strided_experiments[], cell_experiments[], reductions_experiments[],
    functions_experiments[], convolution_experiments[], norms_experiments[], winograd_experiments[],
    weights_experiments[], scans_experiments[], products_experiments[];

#if defined(__AVX512F__)
#include <immintrin.h>

enum { FLOATS = 16 };

/* A size as a library gets it, when it is called: a sketch that was compiled for the sizes of one
 * image would measure what constants are worth. */
static inline int unknown(int n)
{
  __asm__("" : "+r"(n));
  return n;
}

static inline __m512i counting(int first, int step)
{
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(step)),
                          _mm512_set1_epi32(first));
}

/* Lane i of a and lane i of b alternately, from lane first on. */
static inline __m512i by_turns(int first)
{
  const __m512i half = _mm512_srli_epi32(counting(0, 1), 1);
  return _mm512_mask_add_epi32(_mm512_add_epi32(half, _mm512_set1_epi32(first)), 0xaaaa, half,
                               _mm512_set1_epi32(first + FLOATS));
}

static inline void store_indices(int64_t *to, __m512i indices)
{
  _mm512_storeu_si512(to, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(indices)));
  _mm512_storeu_si512(to + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(indices, 1)));
}

static inline __m512i load_indices(const int64_t *from)
{
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 8);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                            _mm512_cvtepi64_epi32(high), 1);
}

/* Non-temporal stores of whole lines; both pointers are aligned to a line. */
static inline void stream_lines(void *to, const void *from, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += 64)
    _mm512_stream_si512((void *)((char *)to + i), _mm512_load_si512((const char *)from + i));
}

/* Transposes 16 vectors, which are v[0] before and after. */
static inline void transpose_vectors(__m512 v[2][FLOATS])
{
  const __m512i first = by_turns(0), second = by_turns(FLOATS / 2);
#pragma GCC unroll 4
  for (int round = 0; round < 4; round++)
#pragma GCC unroll 8
    for (int i = 0; i < FLOATS / 2; i++) {
      const __m512 a = v[round % 2][i], b = v[round % 2][i + FLOATS / 2];
      v[(round + 1) % 2][2 * i] = _mm512_permutex2var_ps(a, first, b);
      v[(round + 1) % 2][2 * i + 1] = _mm512_permutex2var_ps(a, second, b);
    }
}

/* Squares become their own transposes. */
static inline void transpose_square(const float *x, ptrdiff_t nextX, float *y, ptrdiff_t nextY)
{
  __m512 v[2][FLOATS];
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++)
    v[0][i] = _mm512_loadu_ps(x + i * nextX);
  transpose_vectors(v);
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++)
    _mm512_storeu_ps(y + i * nextY, v[0][i]);
}

#endif

#endif
