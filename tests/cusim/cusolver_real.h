/* The functions of cusolver.c that are called by the type T, float or double, whose letter is in SOLVER and BLAS. */

cusolverStatus_t SOLVER(getrf_bufferSize)(H, int m, int n, T *a, int lda, int *count)
{
  return ask(m, n, count);
}

cusolverStatus_t SOLVER(getrf)(H, int m, int n, T *a, int lda, T *work, int *pivots, int *status)
{
  return CALL(getrf, .size = sizeof(T), .m = m, .n = n, .a = a, .lda = lda, .work = work,
              .countWork = 3 + m + 2 * n, .pivots = pivots, .status = status);
}

cusolverStatus_t SOLVER(getrs)(H, cublasOperation_t trans, int n, int k, const T *a, int lda,
                               const int *pivots, T *b, int ldb, int *status)
{
  return CALL(getrs, .size = sizeof(T), .trans = trans_of(trans), .m = n, .n = n, .k = k,
              .a = (T *)a, .lda = lda, .pivots = (int *)pivots, .b = b, .ldb = ldb,
              .countB = (int64_t)ldb * k, .status = status);
}

cusolverStatus_t SOLVER(potrf_bufferSize)(H, cublasFillMode_t uplo, int n, T *a, int lda,
                                          int *count)
{
  return ask(0, n, count);
}

cusolverStatus_t SOLVER(potrf)(H, cublasFillMode_t uplo, int n, T *a, int lda, T *work, int count,
                               int *status)
{
  return CALL(potrf, .size = sizeof(T), .uplo = uplo_of(uplo), .m = n, .n = n, .a = a, .lda = lda,
              .work = work, .countWork = count, .status = status);
}

cusolverStatus_t SOLVER(potri_bufferSize)(H, cublasFillMode_t uplo, int n, T *a, int lda,
                                          int *count)
{
  return ask(0, n, count);
}

cusolverStatus_t SOLVER(potri)(H, cublasFillMode_t uplo, int n, T *a, int lda, T *work, int count,
                               int *status)
{
  return CALL(potri, .size = sizeof(T), .uplo = uplo_of(uplo), .m = n, .n = n, .a = a, .lda = lda,
              .work = work, .countWork = count, .status = status);
}

cusolverStatus_t SOLVER(potrs)(H, cublasFillMode_t uplo, int n, int k, const T *a, int lda, T *b,
                               int ldb, int *status)
{
  return CALL(potrs, .size = sizeof(T), .uplo = uplo_of(uplo), .m = n, .n = n, .k = k, .a = (T *)a,
              .lda = lda, .b = b, .ldb = ldb, .countB = (int64_t)ldb * k, .status = status);
}

cusolverStatus_t SOLVER(geqrf_bufferSize)(H, int m, int n, T *a, int lda, int *count)
{
  return ask(m, n, count);
}

cusolverStatus_t SOLVER(geqrf)(H, int m, int n, T *a, int lda, T *tau, T *work, int count,
                               int *status)
{
  return CALL(geqrf, .size = sizeof(T), .m = m, .n = n, .a = a, .lda = lda, .b = tau,
              .countB = m < n ? m : n, .work = work, .countWork = count, .status = status);
}

cusolverStatus_t SOLVER(orgqr_bufferSize)(H, int m, int n, int k, const T *a, int lda, const T *tau,
                                          int *count)
{
  return n > m || k > n ? CUSOLVER_STATUS_INVALID_VALUE : ask(m, n, count);
}

cusolverStatus_t SOLVER(orgqr)(H, int m, int n, int k, T *a, int lda, const T *tau, T *work,
                               int count, int *status)
{
  return CALL(orgqr, .size = sizeof(T), .m = m, .n = n, .k = k, .a = a, .lda = lda, .b = (T *)tau,
              .countB = k, .work = work, .countWork = count, .status = status);
}

cusolverStatus_t SOLVER(ormqr_bufferSize)(H, cublasSideMode_t side, cublasOperation_t trans, int m,
                                          int n, int k, const T *a, int lda, const T *tau,
                                          const T *c, int ldc, int *count)
{
  return ask(m, n, count);
}

cusolverStatus_t SOLVER(ormqr)(H, cublasSideMode_t side, cublasOperation_t trans, int m, int n,
                               int k, const T *a, int lda, const T *tau, T *c, int ldc, T *work,
                               int count, int *status)
{
  if (lda < (side == CUBLAS_SIDE_LEFT ? m : n) || ldc < m)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return CALL(ormqr, .size = sizeof(T), .side = side == CUBLAS_SIDE_LEFT ? 'L' : 'R',
              .trans = trans_of(trans), .m = m, .n = n, .k = k, .reflectors = true, .a = (T *)a,
              .lda = lda, .b = (T *)tau, .countB = k, .c = c, .ldc = ldc,
              .countC = (int64_t)ldc * n, .work = work, .countWork = count, .status = status);
}

/* No triangle is said when the scratch is asked for. */
cusolverStatus_t SOLVER(sytrf_bufferSize)(H, int n, T *a, int lda, int *count)
{
  return ask(0, n, count);
}

cusolverStatus_t SOLVER(sytrf)(H, cublasFillMode_t uplo, int n, T *a, int lda, int *pivots, T *work,
                               int count, int *status)
{
  return CALL(sytrf, .size = sizeof(T), .uplo = uplo_of(uplo), .m = n, .n = n, .a = a, .lda = lda,
              .work = work, .countWork = count, .pivots = pivots, .status = status);
}

cusolverStatus_t SOLVER(syevd_bufferSize)(H, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,
                                          const T *a, int lda, const T *w, int *count)
{
  return ask(0, n, count);
}

cusolverStatus_t SOLVER(syevd)(H, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, T *a,
                               int lda, T *w, T *work, int count, int *status)
{
  return CALL(syevd, .size = sizeof(T), .job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
              .uplo = uplo_of(uplo), .m = n, .n = n, .a = a, .lda = lda, .b = w, .countB = n,
              .work = work, .countWork = count, .status = status);
}

/* The singular values are in pivots, whatever their type. */
cusolverStatus_t SOLVER(gesvdj_bufferSize)(H, cusolverEigMode_t mode, int econ, int m, int n,
                                           const T *a, int lda, const T *s, const T *u, int ldu,
                                           const T *v, int ldv, int *count, gesvdjInfo_t info)
{
  return ask(m, n, count);
}

cusolverStatus_t SOLVER(gesvdj)(H, cusolverEigMode_t mode, int econ, int m, int n, T *a, int lda,
                                T *s, T *u, int ldu, T *v, int ldv, T *work, int count, int *status,
                                gesvdjInfo_t info)
{
  if (ldu < m || ldv < n)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return CALL(gesvdj, .size = sizeof(T),
              .job = mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N'
                     : econ                             ? 'S'
                                                        : 'A',
              .m = m, .n = n, .a = a, .lda = lda, .pivots = (int *)s, .b = u, .ldb = ldu, .c = v,
              .ldc = ldv, .work = work, .countWork = count, .status = status);
}

/* trsm from the left, times one: as THC calls it. */
cublasStatus_t BLAS(trsm_v2)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                             cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
                             const T *alpha, const T *a, int lda, T *b, int ldb)
{
  if (side != CUBLAS_SIDE_LEFT || *alpha != 1)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return trsm(handle, &(Call){.run = run_trsm,
                              .name = "trsm",
                              .size = sizeof(T),
                              .side = 'L',
                              .uplo = uplo_of(uplo),
                              .trans = trans_of(trans),
                              .diag = diag == CUBLAS_DIAG_UNIT ? 'U' : 'N',
                              .m = m,
                              .n = m,
                              .k = n,
                              .a = (T *)a,
                              .lda = lda,
                              .b = b,
                              .ldb = ldb,
                              .countB = (int64_t)ldb * n});
}
