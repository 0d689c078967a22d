/* The functions of BLAS of the element type T, which THCBlas.c includes for each: LETTER is cuBLAS's letter
 * for T, TYPE its name, NUMBER(x) converts T to a number.  With PRODUCTS_ONLY there are two of them. */
#define BLAS(NAME)   TH_CONCAT_3(THCudaBlas_, LETTER, NAME)
#define CUBLAS(NAME) TH_CONCAT_3(cublas, LETTER, NAME)

#define SHAPE   .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc
#define STRIDES .strideA = strideA, .strideB = strideB, .strideC = strideC
#define FACTORS .alpha = NUMBER(alpha), .beta = NUMBER(beta)

void BLAS(gemm)(THCState *state, char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha,
                T *a, int64_t lda, T *b, int64_t ldb, T beta, T *c, int64_t ldc)
{
  gemm(state, transa, transb, 0,
       (THCProduct){SHAPE, FACTORS, .type = TYPE, .a = a, .b = b, .c = c, .count = 1});
}

void BLAS(gemmStridedBatched)(THCState *state, char transa, char transb, int64_t m, int64_t n,
                              int64_t k, T alpha, const T *a, int64_t lda, int64_t strideA,
                              const T *b, int64_t ldb, int64_t strideB, T beta, T *c, int64_t ldc,
                              int64_t strideC, int64_t count)
{
  gemm(state, transa, transb, 1,
       (THCProduct){SHAPE, STRIDES, FACTORS, .type = TYPE, .a = a, .b = b, .c = c, .count = count});
}

#ifndef PRODUCTS_ONLY

void BLAS(gemmBatched)(THCState *state, char transa, char transb, int64_t m, int64_t n, int64_t k,
                       T alpha, const T *a[], int64_t lda, const T *b[], int64_t ldb, T beta,
                       T *c[], int64_t ldc, int64_t batchCount)
{
  gemm(state, transa, transb, 0,
       (THCProduct){SHAPE, .type = TYPE, .alpha = alpha, .beta = beta, .as = (const void *const *)a,
                    .bs = (const void *const *)b, .cs = (void *const *)c, .count = batchCount});
}

void BLAS(gemv)(THCState *state, char trans, int64_t m, int64_t n, T alpha, T *a, int64_t lda, T *x,
                int64_t incx, T beta, T *y, int64_t incy)
{
  gemv(state, TYPE, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

void BLAS(ger)(THCState *state, int64_t m, int64_t n, T alpha, T *x, int64_t incx, T *y,
               int64_t incy, T *a, int64_t lda)
{
  THC_enter(state);
  const Ger g = to_ger(m, n, incx, incy, lda);
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  THCublasCheck(CUBLAS(ger)(handle, g.m, g.n, &alpha, x, g.incx, y, g.incy, a, g.lda));
  THGuard_leave(&locked);
}

void BLAS(getrf)(THCState *state, int n, T **a, int lda, int *pivot, int *info, int batchSize)
{
  check_getrf(state, n, lda, batchSize);
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  THCublasCheck(CUBLAS(getrfBatched)(handle, n, a, lda, pivot, info, batchSize));
  THGuard_leave(&locked);
}

void BLAS(getrs)(THCState *state, char transa, int n, int nrhs, const T **a, int lda, int *pivot,
                 T **b, int ldb, int *info, int batchSize)
{
  const cublasOperation_t op = check_getrs(state, transa, n, nrhs, lda, ldb, batchSize);
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  THCublasCheck(CUBLAS(getrsBatched)(handle, op, n, nrhs, (const T *const *)a, lda, pivot, b, ldb,
                                     info, batchSize));
  THGuard_leave(&locked);
}

void BLAS(getri)(THCState *state, int n, const T **a, int lda, int *pivot, T **c, int ldc,
                 int *info, int batchSize)
{
  check_getri(state, n, lda, ldc, batchSize);
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  THCublasCheck(CUBLAS(getriBatched)(handle, n, (const T *const *)a, lda, pivot, c, ldc, info,
                                     batchSize));
  THGuard_leave(&locked);
}

#endif

#undef BLAS
#undef CUBLAS
#undef SHAPE
#undef STRIDES
#undef FACTORS
#undef T
#undef LETTER
#undef TYPE
#undef NUMBER
#undef PRODUCTS_ONLY
