/* The stand-ins for cuBLAS against the obvious loops, with the leading dimensions, steps and
 * transpositions that BLAS has. */
#include "th_test.h"

#include <cublas_v2.h>

#define CHECK_CUDA(CALL) CHECK_EQ((int)(CALL), (int)cudaSuccess)
#define CHECK_BLAS(CALL) CHECK_EQ((int)(CALL), (int)CUBLAS_STATUS_SUCCESS)

static void *on_device(const void *values, size_t size)
{
  void *block;
  CHECK_CUDA(cudaMalloc(&block, size));
  CHECK_CUDA(cudaMemcpy(block, values, size, cudaMemcpyHostToDevice));
  return block;
}

static void fetch(void *to, void *from, size_t size)
{
  CHECK_CUDA(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(from));
}

/* Small whole numbers, so that every sum is exact. */
static double value(int i)
{
  return (double)((i * 7 + 3) % 11 - 5);
}

static void products(void **state)
{
  enum { M = 3, N = 4, K = 5, LD = 7, SIZE = LD * LD };
  cublasHandle_t handle;
  CHECK_BLAS(cublasCreate(&handle));
  for (int transa = 0; transa < 2; transa++)
    for (int transb = 0; transb < 2; transb++) {
      double a[SIZE], b[SIZE], c[SIZE], r[SIZE];
      float fa[SIZE], fb[SIZE], fc[SIZE];
      THHalf ha[SIZE], hb[SIZE], hc[SIZE];
      for (int i = 0; i < SIZE; i++) {
        fa[i] = (float)(a[i] = value(i));
        fb[i] = (float)(b[i] = value(i + 100));
        fc[i] = (float)(c[i] = r[i] = value(i + 200));
        ha[i] = TH_float2half(fa[i]);
        hb[i] = TH_float2half(fb[i]);
        hc[i] = TH_float2half(fc[i]);
      }
      for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
          double sum = 0;
          for (int l = 0; l < K; l++)
            sum +=
                (transa ? a[l + i * LD] : a[i + l * LD]) * (transb ? b[j + l * LD] : b[l + j * LD]);
          r[i + j * LD] = 2 * sum - 3 * c[i + j * LD];
        }
      const cublasOperation_t ta = transa ? CUBLAS_OP_T : CUBLAS_OP_N;
      const cublasOperation_t tb = transb ? CUBLAS_OP_T : CUBLAS_OP_N;
      const double alpha = 2, beta = -3;
      const float falpha = 2, fbeta = -3;
      double *da = on_device(a, sizeof a), *db = on_device(b, sizeof b),
             *dc = on_device(c, sizeof c);
      CHECK_BLAS(cublasDgemm(handle, ta, tb, M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD));
      fetch(c, dc, sizeof c);
      float *dfa = on_device(fa, sizeof fa), *dfb = on_device(fb, sizeof fb);
      float *dfc = on_device(fc, sizeof fc);
      CHECK_BLAS(cublasSgemm(handle, ta, tb, M, N, K, &falpha, dfa, LD, dfb, LD, &fbeta, dfc, LD));
      fetch(fc, dfc, sizeof fc);
      THHalf *dha = on_device(ha, sizeof ha), *dhb = on_device(hb, sizeof hb);
      THHalf *dhc = on_device(hc, sizeof hc);
      CHECK_BLAS(cublasGemmEx(handle, ta, tb, M, N, K, &falpha, dha, CUDA_R_16F, LD, dhb,
                              CUDA_R_16F, LD, &fbeta, dhc, CUDA_R_16F, LD, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
      fetch(hc, dhc, sizeof hc);
      for (int i = 0; i < SIZE; i++) {
        CHECK_EQ(c[i], r[i]);
        CHECK_EQ(fc[i], (float)r[i]);
        CHECK_EQ(hc[i].x, TH_float2half((float)r[i]).x);
      }
      cudaFree(da), cudaFree(db), cudaFree(dfa), cudaFree(dfb), cudaFree(dha), cudaFree(dhb);
    }
  CHECK_BLAS(cublasDestroy(handle));
}

static void vectors(void **state)
{
  enum { M = 3, N = 4, LD = 5 };
  cublasHandle_t handle;
  CHECK_BLAS(cublasCreate(&handle));
  double a[LD * N], x[2 * N], y[3 * N], r[3 * N];
  for (int i = 0; i < LD * N; i++)
    a[i] = value(i);
  for (int i = 0; i < 2 * N; i++)
    x[i] = value(i + 50);
  for (int i = 0; i < 3 * N; i++)
    y[i] = r[i] = value(i + 70);

  /* y = 2 A x + 3 y, x with step -2, y with step 3 */
  for (int i = 0; i < M; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++)
      sum += a[i + j * LD] * x[2 * (N - 1 - j)];
    r[3 * i] = 2 * sum + 3 * y[3 * i];
  }
  const double two = 2, three = 3;
  double *da = on_device(a, sizeof a), *dx = on_device(x, sizeof x), *dy = on_device(y, sizeof y);
  CHECK_BLAS(cublasDgemv(handle, CUBLAS_OP_N, M, N, &two, da, LD, dx, -2, &three, dy, 3));
  double dot, expected = 0;
  CHECK_BLAS(cublasDdot(handle, N, dx, 2, dx, 1, &dot));
  for (int i = 0; i < N; i++)
    expected += x[2 * i] * x[i];
  CHECK_EQ(dot, expected);
  fetch(y, dy, sizeof y);
  for (int i = 0; i < 3 * N; i++)
    CHECK_EQ(y[i], r[i]);

  /* A += 2 x y' */
  dy = on_device(y, sizeof y);
  CHECK_BLAS(cublasDger(handle, M, N, &two, dx, 2, dy, 1, da, LD));
  double after[LD * N];
  fetch(after, da, sizeof after);
  for (int i = 0; i < LD; i++)
    for (int j = 0; j < N; j++)
      CHECK_EQ(after[i + j * LD], a[i + j * LD] + (i < M ? 2 * x[2 * i] * y[j] : 0));
  cudaFree(dx), cudaFree(dy);
  CHECK_BLAS(cublasDestroy(handle));
}

/* A x = b, the inverse of A, and A' x = b; all checked by multiplying with A. */
static void factorisations(void **state)
{
  enum { N = 4, BATCH = 2 };
  cublasHandle_t handle;
  CHECK_BLAS(cublasCreate(&handle));
  double a[BATCH][N * N], b[BATCH][N], back[BATCH][N], inverse[BATCH][N * N];
  for (int k = 0; k < BATCH; k++)
    for (int i = 0; i < N; i++) {
      b[k][i] = value(i + k);
      for (int j = 0; j < N; j++)
        a[k][i + j * N] = value(3 * i + 5 * j + k) + (i == (j + 1) % N ? 9 : 0);
    }
  double *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(a, sizeof a);
  double *as[BATCH] = {da, da + N * N}, *bs[BATCH] = {db, db + N}, *cs[BATCH] = {dc, dc + N * N};
  double **das = on_device(as, sizeof as), **dbs = on_device(bs, sizeof bs);
  double **dcs = on_device(cs, sizeof cs);
  int zeros[BATCH * N] = {0}, *pivots = on_device(zeros, sizeof zeros);
  int *info = on_device(zeros, BATCH * sizeof(int)), infos[BATCH], status = 7;
  CHECK_BLAS(cublasDgetrfBatched(handle, N, das, N, pivots, info, BATCH));
  CHECK_BLAS(cublasDgetrsBatched(handle, CUBLAS_OP_T, N, 1, (const double *const *)das, N, pivots,
                                 dbs, N, &status, BATCH));
  CHECK_BLAS(cublasDgetriBatched(handle, N, (const double *const *)das, N, pivots, dcs, N, info,
                                 BATCH));
  CHECK_EQ(status, 0);
  fetch(back, db, sizeof back);
  fetch(inverse, dc, sizeof inverse);
  fetch(infos, info, sizeof infos);
  for (int k = 0; k < BATCH; k++) {
    CHECK_EQ(infos[k], 0);
    for (int i = 0; i < N; i++) {
      double transposed = 0;
      for (int l = 0; l < N; l++)
        transposed += a[k][l + i * N] * back[k][l];
      CHECK_NEAR(transposed, b[k][i], 1e-12);
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int l = 0; l < N; l++)
          sum += a[k][i + l * N] * inverse[k][l + j * N];
        CHECK_NEAR(sum, (double)(i == j), 1e-12);
      }
    }
  }
  cudaFree(da), cudaFree(das), cudaFree(dbs), cudaFree(dcs), cudaFree(pivots);
  CHECK_BLAS(cublasDestroy(handle));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(vectors),
      cmocka_unit_test(factorisations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
