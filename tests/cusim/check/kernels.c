/* Kernels of each kind give what the obvious loop gives. */
#include "th_test.h"

#include "kernels.h"

#define CHECK_CUDA(CALL) CHECK_EQ((int)(CALL), (int)cudaSuccess)

enum { N = 100003 };

static float *on_device(const float *values, ptrdiff_t n)
{
  void *block;
  CHECK_CUDA(cudaMalloc(&block, (size_t)n * sizeof *values));
  CHECK_CUDA(cudaMemcpy(block, values, (size_t)n * sizeof *values, cudaMemcpyHostToDevice));
  return block;
}

static void fill(float *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    x[i] = (float)((i * 37) % 101 - 50) * 0.25f;
}

static void axpy(void **state)
{
  static float x[N], y[N], r[N];
  fill(x, N);
  for (ptrdiff_t i = 0; i < N; i++)
    y[i] = (float)i;
  float *dx = on_device(x, N), *dy = on_device(y, N);
  CHECK_CUDA(check_axpy(dy, 3, dx, N, 0));
  CHECK_CUDA(cudaMemcpy(r, dy, sizeof r, cudaMemcpyDeviceToHost));
  for (ptrdiff_t i = 0; i < N; i++)
    CHECK_EQ(r[i], y[i] + 3 * x[i]);

  CHECK_CUDA(check_axpy4(dy, -3, dx, N / 4 * 4, 0));
  CHECK_CUDA(cudaMemcpy(r, dy, sizeof r, cudaMemcpyDeviceToHost));
  for (ptrdiff_t i = 0; i < N / 4 * 4; i++)
    CHECK_EQ(r[i], y[i]);
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dy));
}

static void sums(void **state)
{
  static float x[N];
  fill(x, N);
  double expected = 0;
  for (ptrdiff_t i = 0; i < N; i++)
    expected += x[i];

  const float zero = 0;
  float *dx = on_device(x, N), *dsum = on_device(&zero, 1), sum;
  CHECK_CUDA(check_sum(dsum, dx, N, 0));
  CHECK_CUDA(cudaMemcpy(&sum, dsum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK_EQ((double)sum, expected); /* exact: quarters, and few of them */

  enum { PARTS = (N + 1023) / 1024 };
  double parts[PARTS], *dparts;
  CHECK_CUDA(cudaMalloc((void **)&dparts, sizeof parts));
  CHECK_CUDA(check_tree(dparts, dx, N, 0));
  CHECK_CUDA(cudaMemcpy(parts, dparts, sizeof parts, cudaMemcpyDeviceToHost));
  for (int p = 0; p < PARTS; p++) {
    double part = 0;
    for (int i = p * 1024; i < (p + 1) * 1024 && i < N; i++)
      part += x[i];
    CHECK_EQ(parts[p], part);
  }
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dsum));
  CHECK_CUDA(cudaFree(dparts));
}

static void histogram(void **state)
{
  static uint8_t x[N];
  unsigned counts[256], expected[256] = {0}, *dcounts;
  uint8_t *dx;
  for (ptrdiff_t i = 0; i < N; i++)
    expected[x[i] = (uint8_t)(i * i % 251)]++;
  CHECK_CUDA(cudaMalloc((void **)&dx, sizeof x));
  CHECK_CUDA(cudaMalloc((void **)&dcounts, sizeof counts));
  CHECK_CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(dcounts, 0, sizeof counts));
  CHECK_CUDA(check_histogram(dcounts, dx, N, 0));
  CHECK_CUDA(cudaMemcpy(counts, dcounts, sizeof counts, cudaMemcpyDeviceToHost));
  for (int v = 0; v < 256; v++)
    CHECK_EQ(counts[v], expected[v]);
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dcounts));
}

static void transpose(void **state)
{
  enum { M = 45, K = 100 };
  static float x[M * K], r[M * K];
  fill(x, M * K);
  float *dx = on_device(x, M * K), *dr = on_device(r, M * K);
  CHECK_CUDA(check_transpose(dr, dx, M, K, 0));
  CHECK_CUDA(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < K; j++)
      CHECK_EQ(r[j * M + i], x[i * K + j]);
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dr));
}

static void half(void **state)
{
  enum { COUNT = 1 << 16 }; /* every half */
  static THHalf x[COUNT], r[COUNT];
  for (int i = 0; i < COUNT; i++)
    x[i].x = (unsigned short)i;
  THHalf *dx, *dr;
  CHECK_CUDA(cudaMalloc((void **)&dx, sizeof x));
  CHECK_CUDA(cudaMalloc((void **)&dr, sizeof r));
  CHECK_CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
  CHECK_CUDA(check_double_half(dr, dx, COUNT, 0));
  CHECK_CUDA(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++) {
    const float value = TH_half2float(x[i]);
    if (value == value)
      CHECK_EQ(r[i].x, TH_float2half(2 * value).x);
    else
      CHECK_EQ(TH_half2float(r[i]) != TH_half2float(r[i]), 1);
  }
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dr));
}

/* Checks warp functions by the definitions in the programming guide, section "Warp Shuffle Functions" and others. */
static void warps(void **state)
{
  uint32_t found[64][CHECK_WARP_VALUES], *d;
  CHECK_CUDA(cudaMalloc((void **)&d, sizeof found));
  CHECK_CUDA(check_warp(d, 0));
  CHECK_CUDA(cudaMemcpy(found, d, sizeof found, cudaMemcpyDeviceToHost));
  for (unsigned thread = 0; thread < 64; thread++) {
    const unsigned lane = thread % 32;
    th_note("thread %u", thread);
    CHECK_EQ(found[thread][0], 50);
    CHECK_EQ(found[thread][1], lane / 8 * 80 + 50);
    CHECK_EQ(found[thread][2], (lane < 3 ? lane : lane - 3) * 10);
    CHECK_EQ(found[thread][3], (lane % 16 < 13 ? lane + 3 : lane) * 10);
    CHECK_EQ(found[thread][4], (lane ^ 12) * 10);
    CHECK_EQ(found[thread][5], 0x49249249);
    CHECK_EQ(found[thread][6], thread < 32);
    CHECK_EQ(found[thread][7], 1);
    CHECK_EQ(found[thread][8], 0x11111111u << lane % 4);
    CHECK_EQ(found[thread][9], 496);
    CHECK_EQ(found[thread][10], 13);
    CHECK_EQ(found[thread][11], 1);
    CHECK_EQ(found[thread][12], 0);
    CHECK_EQ(found[thread][13], lane < 16 ? 15 - lane : (lane ^ 1));
  }
  CHECK_CUDA(cudaFree(d));
}

/* 1000 added to each element, in the type's own arithmetic; the neighbours stay. */
static void atomics(void **state)
{
#define CHECK_COUNT(Real, real)                                           \
  {                                                                       \
    real sums[7] = {3, 0, 0, 0, 0, 0, 0}, *d;                             \
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof sums));                     \
    CHECK_CUDA(cudaMemcpy(d, sums, sizeof sums, cudaMemcpyHostToDevice)); \
    CHECK_CUDA(check_count##Real(d, 0));                                  \
    CHECK_CUDA(cudaMemcpy(sums, d, sizeof sums, cudaMemcpyDeviceToHost)); \
    for (int i = 0; i < 7; i++)                                           \
      CHECK_EQ(sums[i], (real)(i ? 1000 : 1003));                         \
    CHECK_CUDA(cudaFree(d));                                              \
  }
  CHECK_FOR_EACH_TYPE(CHECK_COUNT)

  THHalf sums[7] = {{0}}, *d;
  CHECK_CUDA(cudaMalloc((void **)&d, sizeof sums));
  CHECK_CUDA(cudaMemcpy(d, sums, sizeof sums, cudaMemcpyHostToDevice));
  CHECK_CUDA(check_countHalf(d, 0));
  CHECK_CUDA(cudaMemcpy(sums, d, sizeof sums, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 7; i++)
    CHECK_EQ(sums[i].x, TH_float2half(1000).x);
  CHECK_CUDA(cudaFree(d));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axpy),      cmocka_unit_test(sums), cmocka_unit_test(histogram),
      cmocka_unit_test(transpose), cmocka_unit_test(half), cmocka_unit_test(warps),
      cmocka_unit_test(atomics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
