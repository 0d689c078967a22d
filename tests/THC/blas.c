/* THCudaBlas against plain loops, and its errors. */
#include "thc_test.h"

enum { M = 3, N = 4, K = 5, COUNT = 2 };

/* Elements of a are small wholes, so that sums are exact in every type. */
static double element(int seed, int64_t i)
{
  return (double)((i * 7 + seed * 3) % 5) - 2;
}

static void *device(const void *from, size_t bytes)
{
  void *memory = NULL;
  CHECK_CUDA(cudaMalloc(&memory, bytes));
  CHECK_CUDA(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
  return memory;
}

static void fetch(void *to, const void *from, size_t bytes)
{
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/* A matrix of rows x columns by columns, ld apart, in which element (i, j) is element(seed, ...).
 */
#define FILL(T, NUMBER, X, SEED) \
  for (int i = 0; i < ROOM; i++) \
  X[i] = NUMBER(element(SEED, i))

enum { LD = 7, ROOM = LD * 8 * COUNT, STRIDE = LD * 8 };

static double at(int seed, int transposed, int64_t i, int64_t j, int item)
{
  return element(seed, item * STRIDE + (transposed ? i * LD + j : j * LD + i));
}

#define AS_IS(X) (X)

#define PRODUCTS(T, LETTER, NUMBER, VALUE)                                                         \
  static void check_##LETTER(const T *c, int ta, int tb, double alpha, double beta, int items)     \
  {                                                                                                \
    for (int item = 0; item < items; item++)                                                       \
      for (int i = 0; i < LD; i++)                                                                 \
        for (int j = 0; j < 8; j++) {                                                              \
          const int where = item * STRIDE + j * LD + i;                                            \
          double want = element(3, where);                                                         \
          if (i < M && j < N) {                                                                    \
            double sum = 0;                                                                        \
            for (int k = 0; k < K; k++)                                                            \
              sum += at(1, ta, i, k, item) * at(2, tb, k, j, item);                                \
            want = alpha * sum + beta * want;                                                      \
          }                                                                                        \
          th_note("%s: item %d, (%d, %d)", #LETTER, item, i, j);                                   \
          CHECK_EQ((double)VALUE(c[where]), want);                                                 \
        }                                                                                          \
  }                                                                                                \
  static void gemm_##LETTER(void **unused)                                                         \
  {                                                                                                \
    THCState *state = thc_state();                                                                 \
    T a[ROOM], b[ROOM], c[ROOM], got[ROOM];                                                        \
    FILL(T, NUMBER, a, 1);                                                                         \
    FILL(T, NUMBER, b, 2);                                                                         \
    FILL(T, NUMBER, c, 3);                                                                         \
    T *da = device(a, sizeof a), *db = device(b, sizeof b);                                        \
    for (int ta = 0; ta < 2; ta++)                                                                 \
      for (int tb = 0; tb < 2; tb++)                                                               \
        for (int beta = 0; beta < 3; beta += 2) {                                                  \
          T *dc = device(c, sizeof c);                                                             \
          THCudaBlas_##LETTER##gemm(state, "nt"[ta], "NC"[tb], M, N, K, NUMBER(2), da, LD, db, LD, \
                                    NUMBER(beta), dc, LD);                                         \
          fetch(got, dc, sizeof got);                                                              \
          check_##LETTER(got, ta, tb, 2, beta, 1);                                                 \
          CHECK_CUDA(cudaFree(dc));                                                                \
          dc = device(c, sizeof c);                                                                \
          THCudaBlas_##LETTER##gemmStridedBatched(state, "nT"[ta], "nt"[tb], M, N, K, NUMBER(3),   \
                                                  da, LD, STRIDE, db, LD, STRIDE, NUMBER(beta),    \
                                                  dc, LD, STRIDE, COUNT);                          \
          fetch(got, dc, sizeof got);                                                              \
          check_##LETTER(got, ta, tb, 3, beta, COUNT);                                             \
          CHECK_CUDA(cudaFree(dc));                                                                \
        }                                                                                          \
    double sum = 0;                                                                                \
    for (int i = 0; i < 9; i++)                                                                    \
      sum += element(1, 2 * i) * element(2, 3 * i);                                                \
    CHECK_EQ((double)VALUE(THCudaBlas_##LETTER##dot(state, 9, da, 2, db, 3)), sum);                \
    CHECK_EQ((double)VALUE(THCudaBlas_##LETTER##dot(state, 0, da, 2, db, 3)), 0);                  \
    CHECK_CUDA(cudaFree(da));                                                                      \
    CHECK_CUDA(cudaFree(db));                                                                      \
  }
PRODUCTS(float, S, AS_IS, AS_IS)
PRODUCTS(double, D, AS_IS, AS_IS)
PRODUCTS(half, H, THC_float2half, THC_half2float)

#define VECTORS(T, LETTER)                                                                         \
  static void vectors_##LETTER(void **unused)                                                      \
  {                                                                                                \
    THCState *state = thc_state();                                                                 \
    T a[ROOM], x[ROOM], y[ROOM], got[ROOM];                                                        \
    FILL(T, AS_IS, a, 1);                                                                          \
    FILL(T, AS_IS, x, 2);                                                                          \
    FILL(T, AS_IS, y, 3);                                                                          \
    T *da = device(a, sizeof a), *dx = device(x, sizeof x), *dy = device(y, sizeof y);             \
    for (int t = 0; t < 2; t++) {                                                                  \
      CHECK_CUDA(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));                             \
      THCudaBlas_##LETTER##gemv(state, "nt"[t], M, N, 2, da, LD, dx, 3, 3, dy, 2);                 \
      fetch(got, dy, sizeof got);                                                                  \
      for (int i = 0; i < (t ? N : M); i++) {                                                      \
        double sum = 0;                                                                            \
        for (int k = 0; k < (t ? M : N); k++)                                                      \
          sum += at(1, t, i, k, 0) * (double)x[3 * k];                                             \
        CHECK_EQ((double)got[2 * i], 2 * sum + 3 * (double)y[2 * i]);                              \
        CHECK_EQ((double)got[2 * i + 1], (double)y[2 * i + 1]);                                    \
      }                                                                                            \
    }                                                                                              \
    THCudaBlas_##LETTER##ger(state, M, N, 2, dx, 2, dx, 3, da, LD);                                \
    fetch(got, da, sizeof got);                                                                    \
    for (int i = 0; i < LD; i++)                                                                   \
      for (int j = 0; j < 8; j++) {                                                                \
        const double more = i < M && j < N ? 2 * (double)x[2 * i] * (double)x[3 * j] : 0;          \
        CHECK_EQ((double)got[j * LD + i], (double)a[j * LD + i] + more);                           \
      }                                                                                            \
    CHECK_CUDA(cudaFree(da));                                                                      \
    CHECK_CUDA(cudaFree(dx));                                                                      \
    CHECK_CUDA(cudaFree(dy));                                                                      \
  }                                                                                                \
  static void batches_##LETTER(void **unused)                                                      \
  {                                                                                                \
    THCState *state = thc_state();                                                                 \
    T a[ROOM], b[ROOM], c[ROOM], got[ROOM];                                                        \
    FILL(T, AS_IS, a, 1);                                                                          \
    FILL(T, AS_IS, b, 2);                                                                          \
    FILL(T, AS_IS, c, 3);                                                                          \
    T *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c);             \
    const T *as[] = {da, da + STRIDE}, *bs[] = {db, db + STRIDE};                                  \
    T *cs[] = {dc, dc + STRIDE};                                                                   \
    const T **das = device(as, sizeof as), **dbs = device(bs, sizeof bs);                          \
    T **dcs = device(cs, sizeof cs);                                                               \
    THCudaBlas_##LETTER##gemmBatched(state, 't', 'n', M, N, K, 2, das, LD, dbs, LD, 3, dcs, LD,    \
                                     COUNT);                                                       \
    fetch(got, dc, sizeof got);                                                                    \
    check_##LETTER(got, 1, 0, 2, 3, COUNT);                                                        \
                                                                                                   \
    /* 4 x 4, two of them: what is solved and inverted, times the matrix, is what it was. */       \
    for (int i = 0; i < ROOM; i++)                                                                 \
      a[i] = (T)(element(1, i) + (i % STRIDE % (LD + 1) ? 0 : 9));                                 \
    CHECK_CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));                               \
    CHECK_CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));                               \
    int zeros[COUNT * N + COUNT] = {0}, info[COUNT] = {9, 9}, on_host = 9;                         \
    int *pivots = device(zeros, sizeof zeros), *dinfo = pivots + COUNT * N;                        \
    THCudaBlas_##LETTER##getrf(state, N, (T **)das, LD, pivots, dinfo, COUNT);                     \
    fetch(info, dinfo, sizeof info);                                                               \
    CHECK(info[0] == 0 && info[1] == 0);                                                           \
    THCudaBlas_##LETTER##getrs(state, 'n', N, 2, das, LD, pivots, (T **)dbs, LD, &on_host, COUNT); \
    CHECK_EQ(on_host, 0);                                                                          \
    THCudaBlas_##LETTER##getri(state, N, das, LD, pivots, dcs, LD, dinfo, COUNT);                  \
    T solved[ROOM];                                                                                \
    fetch(solved, db, sizeof solved);                                                              \
    fetch(got, dc, sizeof got);                                                                    \
    for (int item = 0; item < COUNT; item++)                                                       \
      for (int i = 0; i < N; i++)                                                                  \
        for (int j = 0; j < N; j++) {                                                              \
          double one = 0, x = 0;                                                                   \
          for (int k = 0; k < N; k++) {                                                            \
            const double aik = (double)a[item * STRIDE + k * LD + i];                              \
            one += aik * (double)got[item * STRIDE + j * LD + k];                                  \
            x += aik * (double)solved[item * STRIDE + j * LD + k];                                 \
          }                                                                                        \
          CHECK_NEAR(one, i == j, 1e-5);                                                           \
          if (j < 2)                                                                               \
            CHECK_NEAR(x, (double)b[item * STRIDE + j * LD + i], 1e-5);                            \
        }                                                                                          \
    void *all[] = {da, db, dc, das, dbs, dcs, pivots};                                             \
    for (int i = 0; i < 7; i++)                                                                    \
      CHECK_CUDA(cudaFree(all[i]));                                                                \
  }
VECTORS(float, S)
VECTORS(double, D)

static void errors(void **unused)
{
  THCState *state = thc_state();
  float *x = NULL;
  float **xs = NULL;
  const float **from = NULL;
  const int64_t large = (int64_t)INT32_MAX + 1;
  int info;
  CHECK_RAISES(1, "n is 2147483648", THCudaBlas_Sdot(state, large, x, 1, x, 1));
  CHECK_RAISES(3, "incx is 0", THCudaBlas_Sdot(state, 2, x, 0, x, 1));
  CHECK_RAISES(1, "trans is 'q'", THCudaBlas_Sgemv(state, 'q', 1, 1, 1, x, 1, x, 1, 1, x, 1));
  CHECK_RAISES(2, "m is -1", THCudaBlas_Sgemv(state, 'n', -1, 1, 1, x, 1, x, 1, 1, x, 1));
  CHECK_RAISES(6, "lda is 2", THCudaBlas_Sgemv(state, 't', 3, 2, 1, x, 2, x, 1, 1, x, 1));
  CHECK_RAISES(11, "incy is 0", THCudaBlas_Sgemv(state, 'n', 3, 2, 1, x, 3, x, 1, 1, x, 0));
  CHECK_RAISES(9, "lda is 2", THCudaBlas_Sger(state, 3, 2, 1, x, 1, x, 1, x, 2));
  CHECK_RAISES(2, "transb", THCudaBlas_Sgemm(state, 'n', 0, 1, 1, 1, 1, x, 1, x, 1, 1, x, 1));
  CHECK_RAISES(5, "k is 2147483648",
               THCudaBlas_Sgemm(state, 'n', 'n', 1, 1, large, 1, x, 1, x, 1, 1, x, 1));
  CHECK_RAISES(8, "lda is 1", THCudaBlas_Sgemm(state, 'n', 'n', 2, 2, 2, 1, x, 1, x, 2, 1, x, 2));
  CHECK_RAISES(10, "ldb is 2", THCudaBlas_Sgemm(state, 'n', 't', 2, 3, 2, 1, x, 2, x, 2, 1, x, 2));
  CHECK_RAISES(13, "ldc is 1", THCudaBlas_Sgemm(state, 'n', 'n', 2, 2, 2, 1, x, 2, x, 2, 1, x, 1));
  CHECK_RAISES(14, "batchCount is -1",
               THCudaBlas_SgemmBatched(state, 'n', 'n', 1, 1, 1, 1, from, 1, from, 1, 1, xs, 1,
                                       -1));
  CHECK_RAISES(15, "ldc",
               THCudaBlas_SgemmStridedBatched(state, 'n', 'n', 2, 2, 2, 1, x, 2, 4, x, 2, 4, 1, x,
                                              1, 4, 2));
  CHECK_RAISES(16, "share memory",
               THCudaBlas_SgemmStridedBatched(state, 'n', 'n', 2, 2, 2, 1, x, 2, 4, x, 2, 4, 1, x,
                                              2, 0, 2));
  CHECK_RAISES(3, "lda is 1", THCudaBlas_Sgetrf(state, 2, xs, 1, NULL, NULL, 1));
  CHECK_RAISES(3, "nrhs is -1",
               THCudaBlas_Sgetrs(state, 'n', 2, -1, from, 2, NULL, xs, 2, &info, 1));
  CHECK_RAISES(6, "ldc is 1", THCudaBlas_Sgetri(state, 2, from, 2, NULL, xs, 1, NULL, 1));
  CHECK_RAISES(0, "state is NULL", THCudaBlas_Sdot(NULL, 1, x, 1, x, 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm_S),    cmocka_unit_test(gemm_D),    cmocka_unit_test(gemm_H),
      cmocka_unit_test(vectors_S), cmocka_unit_test(vectors_D), cmocka_unit_test(batches_S),
      cmocka_unit_test(batches_D), cmocka_unit_test(errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
