/* Peaks of arithmetic, in 1e9 operations a second: multiply-adds in registers alone, by element and
 * width of the registers, the inner block of a matrix product from panels in the caches, and tiles.
 * What the processor lacks is left out. */
#define _GNU_SOURCE
#include "peaks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../timing.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CHAINS = 12, ROUNDS = 4000 };

/* NAME: twelve chains of c = c * a + b, which no latency holds up.  They begin differently: equal
 * ones would become one. */
#define MULTIPLY_AND_ADD(NAME, TYPE, BYTES)                                                     \
  static void NAME(void)                                                                        \
  {                                                                                             \
    typedef TYPE lanes __attribute__((vector_size(BYTES), aligned(BYTES)));                     \
    lanes c[CHAINS], a = (lanes){0} + (TYPE)0.999, b = (lanes){0} + (TYPE)0.001;                \
    for (int k = 0; k < CHAINS; k++)                                                            \
      c[k] = (lanes){0} + (TYPE)k;                                                              \
    for (int i = 0; i < ROUNDS; i++)                                                            \
      _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) c[k] = c[k] * a + b;            \
    _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) __asm__ volatile("" ::"v"(c[k])); \
  }

#if defined(__AVX512F__)
MULTIPLY_AND_ADD(float_512, float, 64)
MULTIPLY_AND_ADD(double_512, double, 64)

enum { ROWS = 14, DEPTH = 256 };

/* A block of 14 x 32 of a matrix product, of panels that lie as they are read. */
static void block_of_product(void)
{
  typedef float lanes __attribute__((vector_size(64), aligned(64)));
  static float a[DEPTH][ROWS] __attribute__((aligned(64)));
  static lanes b[DEPTH][2], r[ROWS][2];
  for (int repeat = 0; repeat < 16; repeat++) {
    lanes c[ROWS][2] = {{{0}}};
    for (int k = 0; k < DEPTH; k++) {
      const lanes b0 = b[k][0], b1 = b[k][1];
      _Pragma("GCC unroll 14") for (int i = 0; i < ROWS; i++)
      {
        const lanes one = a[k][i] - (lanes){0};
        c[i][0] += one * b0;
        c[i][1] += one * b1;
      }
    }
    _Pragma("GCC unroll 14") for (int i = 0; i < ROWS; i++)
    {
      r[i][0] = c[i][0];
      r[i][1] = c[i][1];
    }
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(r) : "memory");
  }
}
#endif

#if defined(__AVX2__) && defined(__FMA__)
MULTIPLY_AND_ADD(float_256, float, 32)
#endif

#if defined(__AVX512BF16__)
static void bfloat16_512(void)
{
  __m512 c[CHAINS];
  for (int k = 0; k < CHAINS; k++)
    c[k] = _mm512_set1_ps((float)k);
  const __m512bh one = (__m512bh)_mm512_set1_epi16(0x3f80);
  for (int i = 0; i < ROUNDS; i++) {
    _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) c[k] =
        _mm512_dpbf16_ps(c[k], one, one);
  }
  _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) __asm__ volatile("" ::"v"(c[k]));
}
#endif

#if defined(__x86_64__)
enum { TILE_DATA = 18, ASK_PERMISSION = 0x1023 }; /* of arch_prctl */

/* Two tiles times two tiles, which stay (FROM_MEMORY = 0) or are read anew from L1. */
__attribute__((target("amx-tile,amx-bf16"))) static inline void tiles_2_by_2(int from_memory)
{
  static char operands[4][1024] __attribute__((aligned(64)));
  struct {
    uint8_t palette, start, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } shape __attribute__((aligned(64))) = {.palette = 1};
  for (int i = 0; i < 8; i++) {
    shape.rows[i] = 16;
    shape.row_bytes[i] = 64;
  }
  __asm__ volatile("" ::"r"(&shape) : "memory"); /* all of it is read, not its first bytes alone */
  _tile_loadconfig(&shape);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int i = 0; i < ROUNDS; i++) {
    if (from_memory || i == 0) {
      _tile_loadd(4, operands[0], 64);
      _tile_loadd(5, operands[1], 64);
      _tile_loadd(6, operands[2], 64);
      _tile_loadd(7, operands[3], 64);
    }
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

__attribute__((target("amx-tile,amx-bf16"))) static void tiles(void)
{
  tiles_2_by_2(0);
}

__attribute__((target("amx-tile,amx-bf16"))) static void tiles_from_memory(void)
{
  tiles_2_by_2(1);
}
#endif

typedef struct Work {
  void (*run)(void);
  int threads;
} Work;

static void on_threads(void *context)
{
  const Work *work = context;
#pragma omp parallel num_threads(work->threads)
  work->run();
}

static double seconds(void (*run)(void), int threads, double budget)
{
  Work work = {run, threads};
  return bench_time(on_threads, &work, budget);
}

void arithmetic_peaks(int threads, double budget, PutPeak put)
{
#define PEAK(ID, SIZE, RUN, OPERATIONS)                                   \
  do {                                                                    \
    const double took = seconds((RUN), threads, budget);                  \
    put((ID), (SIZE), took, (double)(OPERATIONS) * threads / took / 1e9); \
  } while (0)

#if defined(__AVX512F__)
  PEAK("peak.fma.f32.avx512", "registers only", float_512, 2 * 16 * CHAINS * ROUNDS);
  PEAK("peak.fma.f64.avx512", "registers only", double_512, 2 * 8 * CHAINS * ROUNDS);
#endif
#if defined(__AVX2__) && defined(__FMA__)
  PEAK("peak.fma.f32.avx2", "registers only", float_256, 2 * 8 * CHAINS * ROUNDS);
#endif
#if defined(__AVX512BF16__)
  PEAK("peak.dpbf16.avx512", "registers only", bfloat16_512, 2 * 32 * CHAINS * ROUNDS);
#endif
#if defined(__AVX512F__)
  if (threads == 1)
    PEAK("peak.gemm_micro.f32", "14 x 32 x 256", block_of_product, 16 * 2 * 14 * 32 * 256);
#endif
#if defined(__x86_64__)
  if (syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0) {
    PEAK("peak.amx.bf16", "tiles only", tiles, 4.0 * 2 * 16 * 16 * 32 * ROUNDS);
    PEAK("peak.amx.bf16.l1", "tiles from L1", tiles_from_memory, 4.0 * 2 * 16 * 16 * 32 * ROUNDS);
  } else if (threads == 1)
    fprintf(stderr, "bench-peers: this machine has no AMX: peak.amx.* are left out\n");
#endif
}
