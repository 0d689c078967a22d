/* TH's template of products (THTensorLinear.c) on the device: cuBLAS multiplies floating numbers,
 * and a kernel of ours integers. */
#ifndef THC_LINEAR_H
#define THC_LINEAR_H

#include "THC/core/THCDevice.h"

#include "THCProduct.h"
#include "thc_integers.h"

#undef THBlas_
#define THBlas_(NAME) TH_CONCAT_4(TH, CReal, DeviceBlas_, NAME)

/* The type of alpha and beta: C cannot compute with THHalf. */
#define THFactor accreal
#define TH_BLAS_WALKS_FORWARD

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE) || defined(THC_REAL_IS_HALF)

#if defined(THC_REAL_IS_DOUBLE)
#define THC_BLAS_TYPE CUDA_R_64F
#elif defined(THC_REAL_IS_HALF)
#define THC_BLAS_TYPE CUDA_R_16F
#else
#define THC_BLAS_TYPE CUDA_R_32F
#endif

static inline accreal THBlas_(accDot)(ptrdiff_t n, const real *x, ptrdiff_t incx, const real *y,
                                      ptrdiff_t incy)
{
  return (accreal)THC_dot(THC_using, THC_BLAS_TYPE, n, x, incx, y, incy);
}

/* Nothing but the device itself fails after this. */
static inline void THBlas_(openScratch)(THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n,
                                        ptrdiff_t k, ptrdiff_t ld, int threads)
{
  THGuard_enter(scratch, NULL);
  const ptrdiff_t most = THMax(THMax(m, n), THMax(k, ld));
  if (most > INT32_MAX)
    THError("a matrix has a size or step of %td, more than cuBLAS can count", most);
  THC_needBlas(THC_using);
}

static inline void THBlas_(gemv)(char trans, int64_t m, int64_t n, accreal alpha, const real *a,
                                 int64_t lda, const real *x, int64_t incx, accreal beta, real *y,
                                 int64_t incy)
{
  THC_multiplyVector(THC_using, THC_BLAS_TYPE, trans == 't', m, n, alpha, a, lda, x, incx, beta, y,
                     incy);
}

static inline void THBlas_(gemmBatch)(int ta, int tb, int64_t m, int64_t n, int64_t k,
                                      accreal alpha, const real *a, int64_t lda, int64_t strideA,
                                      const real *b, int64_t ldb, int64_t strideB, accreal beta,
                                      real *c, int64_t ldc, int64_t strideC, int64_t count)
{
  const THCProduct product = {.type = THC_BLAS_TYPE,
                              .resultType = THC_BLAS_TYPE,
                              .transposesA = ta,
                              .transposesB = tb,
                              .m = m,
                              .n = n,
                              .k = k,
                              .alpha = alpha,
                              .beta = beta,
                              .a = a,
                              .lda = lda,
                              .strideA = strideA,
                              .b = b,
                              .ldb = ldb,
                              .strideB = strideB,
                              .c = c,
                              .ldc = ldc,
                              .strideC = strideC,
                              .count = count};
  THC_multiply(THC_using, &product);
}

#else

static inline accreal THBlas_(accDot)(ptrdiff_t n, const real *x, ptrdiff_t incx, const real *y,
                                      ptrdiff_t incy)
{
  return THC_dotIntegers(THC_using, TH_CONCAT_2(THScalar, Real), n, x, incx, y, incy);
}

static inline void THBlas_(openScratch)(THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n,
                                        ptrdiff_t k, ptrdiff_t ld, int threads)
{
  THGuard_enter(scratch, NULL);
}

static inline void THBlas_(gemmBatch)(int ta, int tb, int64_t m, int64_t n, int64_t k,
                                      accreal alpha, const real *a, int64_t lda, int64_t strideA,
                                      const real *b, int64_t ldb, int64_t strideB, accreal beta,
                                      real *c, int64_t ldc, int64_t strideC, int64_t count)
{
  const THCIntegerProduct product = {.m = m,
                                     .n = n,
                                     .k = k,
                                     .count = count,
                                     .alpha = alpha,
                                     .beta = beta,
                                     .a = a,
                                     .b = b,
                                     .c = c,
                                     .rowA = ta ? lda : 1,
                                     .columnA = ta ? 1 : lda,
                                     .rowB = tb ? ldb : 1,
                                     .columnB = tb ? 1 : ldb,
                                     .rowC = 1,
                                     .columnC = ldc,
                                     .strideA = strideA,
                                     .strideB = strideB,
                                     .strideC = strideC};
  THCKernel_multiplyIntegers(&product, sizeof(real), THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
}

static inline void THBlas_(gemv)(char trans, int64_t m, int64_t n, accreal alpha, const real *a,
                                 int64_t lda, const real *x, int64_t incx, accreal beta, real *y,
                                 int64_t incy)
{
  /* y' = x' a', a product of matrices of one row */
  THBlas_(gemmBatch)(0, trans != 't', 1, trans == 't' ? n : m, trans == 't' ? m : n, alpha, x, incx,
                     0, a, lda, 0, beta, y, incy, 0, 1);
}

#endif

static inline void THBlas_(gemmIn)(const THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n,
                                   ptrdiff_t k, accreal alpha, const real *a, ptrdiff_t lda,
                                   const real *b, ptrdiff_t ldb, accreal beta, real *c,
                                   ptrdiff_t ldc)
{
  (void)scratch;
  THBlas_(gemmBatch)(ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}

#endif
