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

#define VECTORS
#define T      float
#define LETTER S
#define NUMBER AS_IS
#define VALUE  AS_IS
#include "blasType.h"

#define T      double
#define LETTER D
#define NUMBER AS_IS
#define VALUE  AS_IS
#include "blasType.h"

#undef VECTORS
#define T      half
#define LETTER H
#define NUMBER THC_float2half
#define VALUE  THC_half2float
#include "blasType.h"

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
