/* The part of cuSOLVER that THC uses, and cuBLAS's trsm: LAPACK's functions of OpenBLAS, run in the
 * order of the stream.  Work space is checked and overwritten, as the real functions do. */
#include "internal.h"

#include <cusolverDn.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"

/* Fortran's functions take addresses of whatever type, so that no prototype is written for them. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

/* --- handles ------------------------------------------------------------------------------ */

struct cusolverDnContext {
  int device;
  cudaStream_t stream;
};

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *result)
{
  cusim_enter();
  struct cusolverDnContext *handle = cusim_device_count() ? calloc(1, sizeof *handle) : NULL;
  if (handle)
    handle->device = cusim_device();
  *result = handle;
  cusim_leave(cudaSuccess);
  return handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
  free(handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
  if (!handle)
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

/* Parameters have nothing that is set here. */
#define PARAMETERS(NAME, TYPE)                             \
  cusolverStatus_t cusolverDnCreate##NAME(TYPE *result)    \
  {                                                        \
    *result = malloc(1);                                   \
    return CUSOLVER_STATUS_SUCCESS;                        \
  }                                                        \
  cusolverStatus_t cusolverDnDestroy##NAME(TYPE parameter) \
  {                                                        \
    free(parameter);                                       \
    return CUSOLVER_STATUS_SUCCESS;                        \
  }
PARAMETERS(Params, cusolverDnParams_t)
PARAMETERS(GesvdjInfo, gesvdjInfo_t)

/* --- calls -------------------------------------------------------------------------------- */

typedef struct Call Call;
struct Call {
  CusimOp op;
  void (*run)(const Call *call);
  const char *name;
  size_t size; /* of an element: 4 or 8, of complex ones 8 or 16 */
  bool isComplex;
  char side, uplo, trans, diag, job;
  int m, n, k, lda, ldb, ldc;
  void *a, *b, *c, *work;            /* b, c: the other operands, whatever they are */
  int64_t countB, countC, countWork; /* elements */
  int *pivots, *status;
  bool reflectors; /* a is k columns; m and n are those of c */
};

/* LAPACK's function for the type of the call. */
static void (*find(const Call *call, const char *name))()
{
  static void *library;
  char text[32];
  if (!library)
    library = dlopen(TH_BLAS_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  const char letter =
      call->isComplex ? (call->size == 16 ? 'z' : 'c') : (call->size == 8 ? 'd' : 's');
  snprintf(text, sizeof text, "%c%s_", letter, name);
  void (*function)() = library ? (void (*)())dlsym(library, text) : NULL;
  if (!function)
    cusim_complain("the stand-in for cuSOLVER finds no %s", text);
  return function;
}
#define LAPACK(NAME, ...) ((void (*)())find(call, #NAME))(__VA_ARGS__)

static void touch(const void *memory, int64_t count, size_t size)
{
  for (int64_t i = 0; cusim_racing && memory && i < count; i++)
    cusim_touch((const char *)memory + i * (int64_t)size, size, CUSIM_WRITE, NULL);
}

static void run(CusimOp *op)
{
  const Call *call = (const Call *)op;
  cusim_race_begin(op, call->name);
  touch(call->a, (int64_t)call->lda * (call->reflectors ? call->k : call->n), call->size);
  touch(call->b, call->countB, call->size);
  touch(call->c, call->countC, call->size);
  touch(call->status, 1, sizeof *call->status);
  if (call->work) {
    touch(call->work, call->countWork, call->size);
    memset(call->work, 0xFF, (size_t)call->countWork * call->size);
  }
  call->run(call);
}

static bool is_on_device(const void *memory, int64_t count, size_t size)
{
  const CusimBlock *block = cusim_find(memory);
  return count == 0 || (block && block->type == cudaMemoryTypeDevice &&
                        (char *)memory + count * (int64_t)size <= block->base + block->size);
}

static cusolverStatus_t queue_on(struct CUstream_st *stream, const Call *given)
{
  if (!stream)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  Call *call = cusim_op(sizeof *call, run);
  const CusimOp op = call->op;
  *call = *given;
  call->op = op;
  cusim_queue(stream, call);
  return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t queue(cusolverDnHandle_t handle, const Call *given)
{
  if (!handle)
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (given->m < 0 || given->n < 0 || given->k < 0 ||
      (!given->reflectors && given->lda < (given->m > 1 ? given->m : 1)))
    return CUSOLVER_STATUS_INVALID_VALUE;
  cusim_enter();
  const bool valid = is_on_device(given->work, given->countWork, given->size) &&
                     is_on_device(given->status, 1, sizeof *given->status);
  struct CUstream_st *stream = handle->stream && handle->stream != cudaStreamLegacy
                                   ? cusim_stream(handle->stream)
                                   : cusim_null_stream(handle->device);
  const cusolverStatus_t status = !valid ? CUSOLVER_STATUS_INVALID_VALUE : queue_on(stream, given);
  cusim_leave(cudaSuccess);
  return status;
}

/* Scratch of LAPACK's own, large enough for each of its functions here. */
static void *scratch(const Call *call, int *count)
{
  const int64_t most = call->m > call->n ? call->m : call->n;
  const int64_t size = 64 + 16 * (most + call->k) + 4 * most * most;
  *count = (int)size;
  void *memory = calloc((size_t)size, call->size);
  if (!memory)
    abort();
  return memory;
}

/* --- what each computes ------------------------------------------------------------------- */

static void run_getrf(const Call *call)
{
  LAPACK(getrf, &call->m, &call->n, call->a, &call->lda, call->pivots, call->status);
}

static void run_getrs(const Call *call)
{
  LAPACK(getrs, &call->trans, &call->n, &call->k, call->a, &call->lda, call->pivots, call->b,
         &call->ldb, call->status, (size_t)1);
}

static void run_potrf(const Call *call)
{
  LAPACK(potrf, &call->uplo, &call->n, call->a, &call->lda, call->status, (size_t)1);
}

static void run_potri(const Call *call)
{
  LAPACK(potri, &call->uplo, &call->n, call->a, &call->lda, call->status, (size_t)1);
}

static void run_potrs(const Call *call)
{
  LAPACK(potrs, &call->uplo, &call->n, &call->k, call->a, &call->lda, call->b, &call->ldb,
         call->status, (size_t)1);
}

static void run_geqrf(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(geqrf, &call->m, &call->n, call->a, &call->lda, call->b, work, &count, call->status);
  free(work);
}

static void run_orgqr(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(orgqr, &call->m, &call->n, &call->k, call->a, &call->lda, call->b, work, &count,
         call->status);
  free(work);
}

/* a is reflectors of k columns; c has m x n. */
static void run_ormqr(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(ormqr, &call->side, &call->trans, &call->m, &call->n, &call->k, call->a, &call->lda,
         call->b, call->c, &call->ldc, work, &count, call->status, (size_t)1, (size_t)1);
  free(work);
}

static void run_sytrf(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(sytrf, &call->uplo, &call->n, call->a, &call->lda, call->pivots, work, &count,
         call->status, (size_t)1);
  free(work);
}

/* The pivots are 64 bits long. */
static void run_sytrs(const Call *call)
{
  int *const pivots = calloc((size_t)call->n, sizeof *pivots);
  if (!pivots)
    abort();
  for (int i = 0; i < call->n; i++)
    pivots[i] = (int)((const int64_t *)call->c)[i];
  LAPACK(sytrs, &call->uplo, &call->n, &call->k, call->a, &call->lda, pivots, call->b, &call->ldb,
         call->status, (size_t)1);
  free(pivots);
}

static void run_ungqr(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(ungqr, &call->m, &call->n, &call->k, call->a, &call->lda, call->b, work, &count,
         call->status);
  free(work);
}

static void run_unmqr(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(unmqr, &call->side, &call->trans, &call->m, &call->n, &call->k, call->a, &call->lda,
         call->b, call->c, &call->ldc, work, &count, call->status, (size_t)1, (size_t)1);
  free(work);
}

static void run_heevd(const Call *call)
{
  int count, unused;
  void *work = scratch(call, &count), *reals = scratch(call, &unused);
  LAPACK(heev, &call->job, &call->uplo, &call->n, call->a, &call->lda, call->b, work, &count, reals,
         call->status, (size_t)1, (size_t)1);
  free(reals);
  free(work);
}

/* Element to becomes the conjugate of element from. */
static void conjugate(const Call *call, char *to, const char *from)
{
  memcpy(to, from, call->size);
  to[call->size - 1] = (char)(to[call->size - 1] ^ 0x80); /* the sign of the imaginary part */
}

static void run_syevd(const Call *call)
{
  int count;
  void *work = scratch(call, &count);
  LAPACK(syev, &call->job, &call->uplo, &call->n, call->a, &call->lda, call->b, work, &count,
         call->status, (size_t)1, (size_t)1);
  free(work);
}

/* The transpose of V first lies where U' would: LAPACK has it, cuSOLVER has V. */
static void run_gesvdj(const Call *call)
{
  int count;
  const int least = call->m < call->n ? call->m : call->n,
            rows = call->job == 'A' ? call->n : least;
  char *work = scratch(call, &count), *vt = calloc((size_t)rows * (size_t)call->n, call->size);
  if (!vt)
    abort();
  if (call->isComplex) {
    int unused;
    void *reals = scratch(call, &unused);
    LAPACK(gesvd, &call->job, &call->job, &call->m, &call->n, call->a, &call->lda, call->pivots,
           call->b, &call->ldb, vt, &rows, work, &count, reals, call->status, (size_t)1, (size_t)1);
    free(reals);
  } else {
    LAPACK(gesvd, &call->job, &call->job, &call->m, &call->n, call->a, &call->lda, call->pivots,
           call->b, &call->ldb, vt, &rows, work, &count, call->status, (size_t)1, (size_t)1);
  }
  for (int i = 0; call->job != 'N' && i < rows; i++)
    for (int j = 0; j < call->n; j++) {
      char *to = (char *)call->c + ((int64_t)i * call->ldc + j) * (int64_t)call->size;
      const char *from = vt + ((int64_t)j * rows + i) * (int64_t)call->size;
      if (call->isComplex)
        conjugate(call, to, from);
      else
        memcpy(to, from, call->size);
    }
  free(vt);
  free(work);
}

static void run_geev(const Call *call)
{
  int count;
  const char none = 'N';
  const int one = 1;
  void *work = scratch(call, &count), *imaginary = (char *)call->b + (size_t)call->n * call->size;
  if (call->isComplex) {
    int unused;
    void *reals = scratch(call, &unused);
    LAPACK(geev, &none, &call->job, &call->n, call->a, &call->lda, call->b, NULL, &one, call->c,
           &call->ldc, work, &count, reals, call->status, (size_t)1, (size_t)1);
    free(reals);
  } else {
    LAPACK(geev, &none, &call->job, &call->n, call->a, &call->lda, call->b, imaginary, NULL, &one,
           call->c, &call->ldc, work, &count, call->status, (size_t)1, (size_t)1);
  }
  free(work);
}

static void run_trsm(const Call *call)
{
  const double both[] = {1, 0};
  const float single[] = {1, 0};
  const bool isWide = call->size == (call->isComplex ? 16 : 8);
  LAPACK(trsm, &call->side, &call->uplo, &call->trans, &call->diag, &call->m, &call->k,
         isWide ? (const void *)both : single, call->a, &call->lda, call->b, &call->ldb, (size_t)1,
         (size_t)1, (size_t)1, (size_t)1);
}

/* --- functions of cuSOLVER ----------------------------------------------------------------- */

static char uplo_of(cublasFillMode_t uplo)
{
  return uplo == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}

static char trans_of(cublasOperation_t trans)
{
  return trans == CUBLAS_OP_N ? 'N' : trans == CUBLAS_OP_C ? 'C' : 'T';
}

/* How much scratch the stand-in asks for: some, so that a missing one is found. */
static cusolverStatus_t ask(int m, int n, int *count)
{
  *count = 3 + m + 2 * n;
  return m < 0 || n < 0 ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

#define CALL(NAME, ...) queue(handle, &(Call){.run = run_##NAME, .name = #NAME, __VA_ARGS__})
#define H               cusolverDnHandle_t handle

/* --- functions of cuSOLVER for any type --------------------------------------------------- */

static size_t size_of(cudaDataType type)
{
  return type == CUDA_C_64F ? 16 : type == CUDA_R_64F || type == CUDA_C_32F ? 8 : 4;
}

cusolverStatus_t cusolverDnXsytrs_bufferSize(H, cublasFillMode_t uplo, int64_t n, int64_t k,
                                             cudaDataType typeA, const void *a, int64_t lda,
                                             const int64_t *pivots, cudaDataType typeB, void *b,
                                             int64_t ldb, size_t *onDevice, size_t *onHost)
{
  *onDevice = (size_t)n * 16 + 32;
  *onHost = 0;
  return n < 0 || k < 0 ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXsytrs(H, cublasFillMode_t uplo, int64_t n, int64_t k,
                                  cudaDataType typeA, const void *a, int64_t lda,
                                  const int64_t *pivots, cudaDataType typeB, void *b, int64_t ldb,
                                  void *onDevice, size_t deviceSize, void *onHost, size_t hostSize,
                                  int *status)
{
  if (typeA != typeB || !is_on_device(pivots, n, sizeof *pivots))
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  return CALL(sytrs, .size = size_of(typeA),
              .isComplex = typeA == CUDA_C_32F || typeA == CUDA_C_64F, .uplo = uplo_of(uplo),
              .m = (int)n, .n = (int)n, .k = (int)k, .a = (void *)a, .lda = (int)lda, .b = b,
              .ldb = (int)ldb, .countB = ldb * k, .c = (void *)pivots, .work = onDevice,
              .countWork = (int64_t)(deviceSize / size_of(typeA)), .status = status);
}

cusolverStatus_t cusolverDnXgeev_bufferSize(H, cusolverDnParams_t params, cusolverEigMode_t left,
                                            cusolverEigMode_t right, int64_t n, cudaDataType typeA,
                                            const void *a, int64_t lda, cudaDataType typeW,
                                            const void *w, cudaDataType typeVl, const void *vl,
                                            int64_t ldvl, cudaDataType typeVr, const void *vr,
                                            int64_t ldvr, cudaDataType type, size_t *onDevice,
                                            size_t *onHost)
{
  *onDevice = (size_t)n * 16 + 24;
  *onHost = (size_t)n * 8 + 8;
  return left == CUSOLVER_EIG_MODE_VECTOR || !params ? CUSOLVER_STATUS_NOT_SUPPORTED
                                                     : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgeev(H, cusolverDnParams_t params, cusolverEigMode_t left,
                                 cusolverEigMode_t right, int64_t n, cudaDataType typeA, void *a,
                                 int64_t lda, cudaDataType typeW, void *w, cudaDataType typeVl,
                                 void *vl, int64_t ldvl, cudaDataType typeVr, void *vr,
                                 int64_t ldvr, cudaDataType type, void *onDevice, size_t deviceSize,
                                 void *onHost, size_t hostSize, int *status)
{
  const bool isComplex = typeA == CUDA_C_32F || typeA == CUDA_C_64F;
  const size_t size = size_of(typeA);
  if (left == CUSOLVER_EIG_MODE_VECTOR || typeA != typeW || typeA != typeVr || typeA != type)
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  memset(onHost, 0xFF, hostSize);
  return CALL(geev, .size = size, .job = right == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', .m = (int)n,
              .isComplex = isComplex, .n = (int)n, .a = a, .lda = (int)lda, .b = w,
              .countB = isComplex ? n : 2 * n, .c = vr, .ldc = (int)ldvr, .work = onDevice,
              .countWork = (int64_t)(deviceSize / size), .status = status);
}

/* --- trsm --------------------------------------------------------------------------------- */

static cublasStatus_t trsm(cublasHandle_t handle, const Call *call)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (call->m < 0 || call->k < 0 || call->lda < (call->m > 1 ? call->m : 1) ||
      call->ldb < (call->m > 1 ? call->m : 1))
    return CUBLAS_STATUS_INVALID_VALUE;
  cusim_enter();
  const cusolverStatus_t status = queue_on(cusim_blas_stream(handle), call);
  cusim_leave(cudaSuccess);
  return status == CUSOLVER_STATUS_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* --- functions of a type ------------------------------------------------------------------ */

#define T            float
#define SOLVER(NAME) cusolverDnS##NAME
#define BLAS(NAME)   cublasS##NAME
#include "cusolver_real.h"
#undef T
#undef SOLVER
#undef BLAS

#define T            double
#define SOLVER(NAME) cusolverDnD##NAME
#define BLAS(NAME)   cublasD##NAME
#include "cusolver_real.h"
#undef T
#undef SOLVER
#undef BLAS

#define T            cuComplex
#define R            float
#define SOLVER(NAME) cusolverDnC##NAME
#define BLAS(NAME)   cublasC##NAME
#include "cusolver_complex.h"
#undef T
#undef R
#undef SOLVER
#undef BLAS

#define T            cuDoubleComplex
#define R            double
#define SOLVER(NAME) cusolverDnZ##NAME
#define BLAS(NAME)   cublasZ##NAME
#include "cusolver_complex.h"
