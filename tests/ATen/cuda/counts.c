/* What operations on CUDA do for a call: kernels launched, waits of the host, products of cuBLAS, copies. */
#include <stdio.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "ATen.h"
#include "cusim_calls.h"
#include "th_test.h"

typedef struct Counts {
  int launches, waits, products, copies;
} Counts;

static Counts counts;

/* --- what is counted -------------------------------------------------------------------------- */

/* NAME(PARAMETERS), called through the linker's --wrap; CMakeLists.txt has the same names. */
#define COUNTED(RETURNS, MEMBER, NAME, PARAMETERS, ARGUMENTS) \
  RETURNS __real_##NAME PARAMETERS;                           \
  RETURNS __wrap_##NAME PARAMETERS;                           \
  RETURNS __wrap_##NAME PARAMETERS                            \
  {                                                           \
    counts.MEMBER++;                                          \
    return __real_##NAME ARGUMENTS;                           \
  }

COUNTED(void, launches, cusim_launch,
        (const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic, cudaStream_t stream),
        (kernel, grid, block, dynamic, stream))
COUNTED(cudaError_t, copies, cudaMemcpyAsync,
        (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, from, size, kind, stream))
COUNTED(cudaError_t, copies, cudaMemcpy2DAsync,
        (void *to, size_t pitch, const void *from, size_t fromPitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, pitch, from, fromPitch, width, height, kind, stream))
COUNTED(cudaError_t, waits, cudaStreamSynchronize, (cudaStream_t stream), (stream))
COUNTED(cudaError_t, waits, cudaEventSynchronize, (cudaEvent_t event), (event))
COUNTED(cudaError_t, waits, cudaDeviceSynchronize, (void), ())
COUNTED(cublasStatus_t, products, cublasGemmEx,
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
         const void *alpha, const void *a, cudaDataType typeA, int lda, const void *b,
         cudaDataType typeB, int ldb, const void *beta, void *c, cudaDataType typeC, int ldc,
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
        (handle, ta, tb, m, n, k, alpha, a, typeA, lda, b, typeB, ldb, beta, c, typeC, ldc, compute,
         algorithm))
COUNTED(cublasStatus_t, products, cublasGemmStridedBatchedEx,
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
         const void *alpha, const void *a, cudaDataType typeA, int lda, long long int strideA,
         const void *b, cudaDataType typeB, int ldb, long long int strideB, const void *beta,
         void *c, cudaDataType typeC, int ldc, long long int strideC, int count,
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
        (handle, ta, tb, m, n, k, alpha, a, typeA, lda, strideA, b, typeB, ldb, strideB, beta, c,
         typeC, ldc, strideC, count, compute, algorithm))
COUNTED(cublasStatus_t, products, cublasSgemv_v2,
        (cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha,
         const float *a, int lda, const float *x, int incx, const float *beta, float *y, int incy),
        (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))

/* --- the table --------------------------------------------------------------------------------- */

/* Operands: x, y of 8 x 48; m of 48 x 16; b of 4 x 8 x 48; bias of 16; line of 48; wide of 2 x 4096; z
 * of complex numbers; h of BFloat16. */
typedef struct Operands {
  at_tensor *x, *y, *m, *b, *bias, *line, *wide, *z, *h;
} Operands;

/* X(name, launches, waits, products, copies, expression of o).  A transform of 48 has
 * the tables of three passes, the passes, and the way to the lanes and back; a sum of BFloat16 two
 * conversions to Float, the sum, and one back */
#define FOR_EACH(X)                                                   \
  X(fill, 1, 0, 0, 0, at_zeros_like(o->x))                            \
  X(add, 1, 0, 0, 0, at_add(o->x, o->y))                              \
  X(broadcast, 1, 0, 0, 0, at_mul(o->x, o->line))                     \
  X(exp, 1, 0, 0, 0, at_exp(o->x))                                    \
  X(gaps, 1, 0, 0, 0, at_add(at_t(o->x), at_t(o->y)))                 \
  X(compare, 1, 0, 0, 0, at_lt(o->x, o->y))                           \
  X(copy, 1, 0, 0, 0, at_contiguous(at_t(o->x)))                      \
  X(convert, 1, 0, 0, 0, at_to(o->x, AT_CUDA(AT_HALF)))               \
  X(sum, 1, 0, 0, 0, at_sum_dim(o->x, AT_INTS(1)))                    \
  X(sum_first, 1, 0, 0, 0, at_sum_dim(o->x, AT_INTS(0)))              \
  X(cumsum, 1, 0, 0, 0, at_cumsum(o->x, 1))                           \
  X(softmax, 1, 0, 0, 0, at_softmax(o->x, 1))                         \
  X(softmax_wide, 1, 0, 0, 0, at_softmax(o->wide, 1))                 \
  X(layer_norm, 1, 0, 0, 0, at_layer_norm(o->x, AT_SHAPE(48)))        \
  X(cat, 0, 0, 0, 2, at_cat(AT_TENSORS(o->x, o->y)))                  \
  X(product, 0, 0, 1, 0, at_mm(o->x, o->m))                           \
  X(vector, 0, 0, 1, 0, at_mv(o->x, o->line))                         \
  X(batch, 0, 0, 1, 0, at_bmm(o->b, at_transpose(o->b, 1, 2)))        \
  X(linear, 1, 0, 1, 0, at_linear(o->x, at_t(o->m), .bias = o->bias)) \
  X(complex_mul, 1, 0, 0, 0, at_mul(o->z, o->z))                      \
  X(fft, 8, 0, 0, 0, at_fft_fft(o->z))                                \
  X(bfloat16, 4, 0, 0, 0, at_add(o->h, o->h))

#define FUNCTION(NAME, LAUNCHES, WAITS, PRODUCTS, COPIES, EXPRESSION) \
  static at_tensor *call_##NAME(const Operands *o)                    \
  {                                                                   \
    return EXPRESSION;                                                \
  }
FOR_EACH(FUNCTION)

typedef struct Row {
  const char *name;
  Counts want;
  at_tensor *(*call)(const Operands *o);
} Row;

#define ENTRY(NAME, LAUNCHES, WAITS, PRODUCTS, COPIES, EXPRESSION) \
  {#NAME, {LAUNCHES, WAITS, PRODUCTS, COPIES}, call_##NAME},
static const Row rows[] = {FOR_EACH(ENTRY)};

static at_tensor *made(at_ints sizes)
{
  return at_full(sizes, at_scalar(0.5), .type = AT_CUDA(AT_FLOAT));
}

static void table(void **state)
{
  int wrong = 0;
  AT_SCOPE
  {
    const Operands o = {.x = made(AT_SHAPE(8, 48)),
                        .y = made(AT_SHAPE(8, 48)),
                        .m = made(AT_SHAPE(48, 16)),
                        .b = made(AT_SHAPE(4, 8, 48)),
                        .bias = made(AT_SHAPE(16)),
                        .line = made(AT_SHAPE(48)),
                        .wide = made(AT_SHAPE(2, 4096)),
                        .z = at_view_as_complex(made(AT_SHAPE(8, 48, 2))),
                        .h = at_to(made(AT_SHAPE(8, 48)), AT_CUDA(AT_BFLOAT16))};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      for (int again = 0; again < 2; again++) { /* the first call may make room */
        counts = (Counts){0};
        at_tensor *const r = rows[i].call(&o);
        const Counts got = counts, want = rows[i].want;
        CHECK_MSG(at_defined(r), "%s: %s", rows[i].name, at_error_message());
        if (!again || (got.launches == want.launches && got.waits == want.waits &&
                       got.products == want.products && got.copies == want.copies))
          continue;
        wrong++;
        print_error(
            "%s: %d launches, %d waits, %d products, %d copies, and the table says %d, %d, %d, "
            "%d\n",
            rows[i].name, got.launches, got.waits, got.products, got.copies, want.launches,
            want.waits, want.products, want.copies);
      }
  }
  CHECK_EQ(at_error(), AT_OK);
  CHECK_MSG(wrong == 0, "%d rows", wrong);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
