/* Plain loops at the machine's limits. */
#include "limits.h"

#include <stdint.h>
#include <stdlib.h>

#include "TH/THParallel.h"

/* 64 bytes: one cache line, one AVX-512 register; the compiler splits it where registers are
 * smaller. */
typedef float line_t __attribute__((vector_size(64), aligned(64)));
typedef double wide_t __attribute__((vector_size(64), aligned(64)));

/* A store that passes the caches by. */
static inline void store_around(void *at, line_t value)
{
#if defined(__AVX512F__)
  __asm__ volatile("vmovntps %1, %0" : "=m"(*(line_t *)at) : "v"(value));
#else
  *(line_t *)at = value;
#endif
}

/* Each piece is a whole number of lines, but for the last. */
#define IN_PIECES(N, ...)                                                          \
  const int threads = THParallel_threads((N), 32768);                              \
  TH_PRAGMA(omp parallel for schedule(static) num_threads(threads))                \
  for (int piece = 0; piece < threads; piece++) {                                  \
    const ptrdiff_t share = ((N) / threads + 15) / 16 * 16, begin = piece * share; \
    const ptrdiff_t end = piece == threads - 1 ? (N) : begin + share;              \
    __VA_ARGS__                                                                    \
  }

#define WHOLE(END) (begin + ((END)-begin) / 16 * 16)

void limit_fill(float *r, ptrdiff_t n, int around)
{
  const line_t value = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  IN_PIECES(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16)
        store_around(r + i, value);
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = value;
    for (; i < end; i++)
      r[i] = 1;
  })
}

void limit_copy(float *r, const float *x, ptrdiff_t n, int around)
{
  IN_PIECES(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16)
        store_around(r + i, *(const line_t *)(x + i));
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = *(const line_t *)(x + i);
    for (; i < end; i++)
      r[i] = x[i];
  })
}

void limit_add(float *r, const float *x, const float *y, ptrdiff_t n, int around)
{
  IN_PIECES(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16)
        store_around(r + i, *(const line_t *)(x + i) + *(const line_t *)(y + i));
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = *(const line_t *)(x + i) + *(const line_t *)(y + i);
    for (; i < end; i++)
      r[i] = x[i] + y[i];
  })
}

void limit_widen(double *r, const float *x, ptrdiff_t n, int around)
{
  typedef float half_line_t __attribute__((vector_size(32), aligned(32)));
  IN_PIECES(n, {
    ptrdiff_t i = begin;
    for (; i < WHOLE(end); i += 8) {
      const wide_t value = __builtin_convertvector(*(const half_line_t *)(x + i), wide_t);
      if (around)
        store_around(r + i, (line_t)value);
      else
        *(wide_t *)(r + i) = value;
    }
    for (; i < end; i++)
      r[i] = x[i];
  })
}

float limit_read(const float *x, ptrdiff_t n)
{
  float total = 0;
  const int threads = THParallel_threads(n, 32768);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : total)
  for (int piece = 0; piece < threads; piece++) {
    const ptrdiff_t begin = n / threads * piece, end = begin + n / threads;
    line_t sum[8] = {{0}};
    for (ptrdiff_t i = begin / 16 * 16; i + 128 <= end; i += 128)
      for (int k = 0; k < 8; k++)
        sum[k] += *(const line_t *)(x + i + 16 * k);
    for (int k = 0; k < 8; k++)
      for (int lane = 0; lane < 16; lane++)
        total += sum[k][lane];
  }
  return total;
}

double limit_flops(void)
{
  enum { REGISTERS = 12, ROUNDS = 4000 };
  const int threads = THGetNumThreads();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; t++) {
    line_t r[REGISTERS];
    for (int k = 0; k < REGISTERS; k++)
      r[k] = (line_t){0} + (float)k;
    const line_t a = (line_t){0} + 0.999f, b = (line_t){0} + 0.001f;
    for (int i = 0; i < ROUNDS; i++)
      for (int k = 0; k < REGISTERS; k++)
        r[k] = r[k] * a + b;
    for (int k = 0; k < REGISTERS; k++)
      __asm__ volatile("" ::"m"(r[k]));
  }
  return 2.0 * 16 * REGISTERS * ROUNDS * threads;
}

void limit_malloc(void)
{
  void *volatile p = malloc(64);
  free(p);
}
