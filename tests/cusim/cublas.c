/* The part of cuBLAS that THC uses: plain loops, run in the order of the stream.  All products are
 * calls of one function: C = alpha A B + beta C, of matrices with any strides. */
#include "internal.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "race.h"

/* --- handles ------------------------------------------------------------------------------ */

struct cublasContext {
  int device;
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasMath_t math;
  cublasAtomicsMode_t atomics;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *result)
{
  cusim_enter();
  struct cublasContext *handle = cusim_device_count() ? calloc(1, sizeof *handle) : NULL;
  if (handle)
    handle->device = cusim_device();
  *result = handle;
  cusim_leave(cudaSuccess);
  return handle                 ? CUBLAS_STATUS_SUCCESS
         : cusim_device_count() ? CUBLAS_STATUS_ALLOC_FAILED
                                : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* As in cuBLAS, destroying a handle waits for the device. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  cusim_enter();
  cusim_run_device(handle->device);
  cusim_leave(cudaSuccess);
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

#define SETTER(NAME, TYPE, FIELD)                                   \
  cublasStatus_t cublasSet##NAME(cublasHandle_t handle, TYPE value) \
  {                                                                 \
    if (!handle)                                                    \
      return CUBLAS_STATUS_NOT_INITIALIZED;                         \
    handle->FIELD = value;                                          \
    return CUBLAS_STATUS_SUCCESS;                                   \
  }

#define GETTER(NAME, TYPE, FIELD)                                    \
  cublasStatus_t cublasGet##NAME(cublasHandle_t handle, TYPE *value) \
  {                                                                  \
    if (!handle)                                                     \
      return CUBLAS_STATUS_NOT_INITIALIZED;                          \
    *value = handle->FIELD;                                          \
    return CUBLAS_STATUS_SUCCESS;                                    \
  }

#define PROPERTY(NAME, TYPE, FIELD) SETTER(NAME, TYPE, FIELD) GETTER(NAME, TYPE, FIELD)
PROPERTY(Stream_v2, cudaStream_t, stream)
PROPERTY(PointerMode_v2, cublasPointerMode_t, pointers)
PROPERTY(MathMode, cublasMath_t, math)
PROPERTY(AtomicsMode, cublasAtomicsMode_t, atomics)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size)
{
  const CusimBlock *block = cusim_find(workspace);
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (size && (!block || block->type != cudaMemoryTypeDevice || (uintptr_t)workspace % 256 ||
               (char *)workspace + size > block->base + block->size))
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
  (void)handle;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

#define STATUSES(X)                                                                              \
  X(CUBLAS_STATUS_SUCCESS, "success")                                                            \
  X(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                            \
  X(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")                                \
  X(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function") \
  X(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU")                  \
  X(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed")                                \
  X(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality requested is not supported")

const char *cublasGetStatusName(cublasStatus_t status)
{
#define ROW(STATUS, TEXT) \
  if (status == STATUS)   \
    return #STATUS;
  STATUSES(ROW)
#undef ROW
  return "unknown cuBLAS status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
#define ROW(STATUS, TEXT) \
  if (status == STATUS)   \
    return TEXT;
  STATUSES(ROW)
#undef ROW
  return "unknown cuBLAS status";
}

/* --- elements ----------------------------------------------------------------------------- */

static size_t size_of(cudaDataType type)
{
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

static bool is_known(cudaDataType type)
{
  return type == CUDA_R_64F || type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

static double load(cudaDataType type, const void *at)
{
  if (cusim_racing)
    cusim_touch(at, size_of(type), CUSIM_READ, NULL);
  switch (type) {
    case CUDA_R_64F:
      return *(const double *)at;
    case CUDA_R_32F:
      return *(const float *)at;
    case CUDA_R_16F:
      return cusim_from_half(*(const uint16_t *)at);
    default:
      return cusim_from_bfloat(*(const uint16_t *)at);
  }
}

static void store(cudaDataType type, void *at, double value)
{
  if (cusim_racing)
    cusim_touch(at, size_of(type), CUSIM_WRITE, NULL);
  switch (type) {
    case CUDA_R_64F:
      *(double *)at = value;
      break;
    case CUDA_R_32F:
      *(float *)at = (float)value;
      break;
    case CUDA_R_16F:
      *(uint16_t *)at = cusim_to_half((float)value);
      break;
    default:
      *(uint16_t *)at = cusim_to_bfloat((float)value);
      break;
  }
}

/* A matrix, or one for each item of a batch: at base + i * batch, or at array[i]. */
typedef struct {
  cudaDataType type;
  const void *base;
  const void *const *array;
  int64_t batch, row, column; /* strides in elements */
  bool tf32;                  /* elements are rounded to TF32 */
} Matrix;

static char *item(const Matrix *matrix, int64_t i)
{
  return matrix->array ? (char *)matrix->array[i]
                       : (char *)matrix->base + i * matrix->batch * (int64_t)size_of(matrix->type);
}

static char *element(const Matrix *matrix, char *base, int64_t i, int64_t j)
{
  return base + (i * matrix->row + j * matrix->column) * (int64_t)size_of(matrix->type);
}

static Matrix matrix(cudaDataType type, const void *base, int ld, cublasOperation_t op)
{
  return (Matrix){.type = type,
                  .base = base,
                  .row = op == CUBLAS_OP_N ? 1 : ld,
                  .column = op == CUBLAS_OP_N ? ld : 1};
}

/* With a negative step a vector begins at its end. */
static const void *first(cudaDataType type, const void *x, int n, int step)
{
  return step < 0 ? (const char *)x - (int64_t)(n - 1) * step * (int64_t)size_of(type) : x;
}

static Matrix column_of(cudaDataType type, const void *x, int n, int step)
{
  return (Matrix){.type = type, .base = first(type, x, n, step), .row = step};
}

static Matrix row_of(cudaDataType type, const void *x, int n, int step)
{
  return (Matrix){.type = type, .base = first(type, x, n, step), .column = step};
}

/* --- products ----------------------------------------------------------------------------- */

/* alpha or beta: a value, or an address in device memory that is read when the product runs. */
typedef struct {
  double value;
  const void *device;
  cudaDataType type;
} Factor;

static double factor(Factor given)
{
  return given.device ? load(given.type, given.device) : given.value;
}

typedef struct {
  CusimOp op;
  Matrix a, b, c;
  int64_t m, n, k, batch;
  Factor alpha, beta;
  const void *bias; /* of c's type, one for each row; or NULL */
} Product;

/* Sums are kept in double if the result is double, else in float. */
#define REALS(X) X(float) X(double)

/* Rounded to the 10 bits of TF32. */
static double to_tf32(double value)
{
  float rounded = (float)value;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits = (bits + 0x1000u) & ~0x1FFFu;
  memcpy(&rounded, &bits, sizeof bits);
  return isfinite(value) ? rounded : value;
}

static double read_element(const Matrix *x, int64_t i, int64_t row, int64_t column)
{
  const double value = load(x->type, element(x, item(x, i), row, column));
  return x->tf32 ? to_tf32(value) : value;
}

/* Rows of item i of a matrix, from the first on. */
#define LOAD_ROWS(REAL)                                                                 \
  static void load_rows_##REAL(const Matrix *x, int64_t i, int64_t first, int64_t rows, \
                               int64_t columns, REAL *to)                               \
  {                                                                                     \
    for (int64_t row = first; row < first + rows; row++)                                \
      for (int64_t j = 0; j < columns; j++)                                             \
        *to++ = (REAL)read_element(x, i, row, j);                                       \
  }
REALS(LOAD_ROWS)

/* A row a of k elements times the matrix b. */
#define SUM_ROW(REAL)                                                                        \
  static void sum_row_##REAL(int64_t k, int64_t n, const REAL *a, const REAL *b, REAL *sums) \
  {                                                                                          \
    memset(sums, 0, (size_t)n * sizeof *sums);                                               \
    for (int64_t l = 0; l < k; l++)                                                          \
      for (int64_t j = 0; j < n; j++)                                                        \
        sums[j] += a[l] * b[l * n + j];                                                      \
  }
REALS(SUM_ROW)

static double bias_of(const Product *p, int64_t row)
{
  return p->bias ? load(p->c.type, (const char *)p->bias + row * (int64_t)size_of(p->c.type)) : 0;
}

#define STORE_ROW(REAL)                                                                     \
  static void store_row_##REAL(const Product *p, int64_t i, int64_t row, const REAL *sums)  \
  {                                                                                         \
    const double alpha = factor(p->alpha), beta = factor(p->beta);                          \
    for (int64_t j = 0; j < p->n; j++) {                                                    \
      char *at = element(&p->c, item(&p->c, i), row, j);                                    \
      const REAL own = (REAL)(alpha * sums[j] + bias_of(p, row));                           \
      store(p->c.type, at, beta == 0 ? own : own + (REAL)beta * (REAL)load(p->c.type, at)); \
    }                                                                                       \
  }
REALS(STORE_ROW)

/* Item i of a product; nothing is read of a and b where alpha is 0. */
#define MULTIPLY(REAL)                                                                   \
  static void multiply_##REAL(const Product *p, int64_t i, REAL *b, REAL *a, REAL *sums) \
  {                                                                                      \
    const int64_t k = factor(p->alpha) != 0 ? p->k : 0;                                  \
    load_rows_##REAL(&p->b, i, 0, k, p->n, b);                                           \
    for (int64_t row = 0; row < p->m; row++) {                                           \
      load_rows_##REAL(&p->a, i, row, 1, k, a);                                          \
      sum_row_##REAL(k, p->n, a, b, sums);                                               \
      store_row_##REAL(p, i, row, sums);                                                 \
    }                                                                                    \
  }
REALS(MULTIPLY)
static void run_product(CusimOp *op)
{
  const Product *p = (Product *)op;
  cusim_race_begin(op, "a product of cuBLAS");
  double *buffer = calloc((size_t)(p->k * p->n + p->k + p->n + 1), sizeof *buffer);
  if (!buffer)
    abort();
  double *a = buffer + p->k * p->n, *sums = a + p->k;
  for (int64_t i = 0; i < p->batch; i++)
    if (p->c.type == CUDA_R_64F)
      multiply_double(p, i, buffer, a, sums);
    else
      multiply_float(p, i, (float *)buffer, (float *)a, (float *)sums);
  free(buffer);
}

static Factor read_factor(cublasHandle_t handle, cudaDataType type, const void *at)
{
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
    return (Factor){.device = at, .type = type};
  return (Factor){.value = load(type, at)};
}

static Factor number(double value)
{
  return (Factor){.value = value};
}

struct CUstream_st *cusim_blas_stream(void *what)
{
  const cublasHandle_t handle = what;
  struct CUstream_st *stream = handle->stream && handle->stream != cudaStreamLegacy
                                   ? cusim_stream(handle->stream)
                                   : cusim_null_stream(handle->device);
  return stream && stream->device == handle->device ? stream : NULL;
}

/* Queues it; with wait, runs it too. */
static cublasStatus_t queue(cublasHandle_t handle, Product given, bool wait)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_known(given.a.type) || given.b.type != given.a.type || !is_known(given.c.type))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (given.m < 0 || given.n < 0 || given.k < 0 || given.batch < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  cusim_enter();
  struct CUstream_st *stream = cusim_blas_stream(handle);
  if (stream && given.m && given.n && given.batch) {
    Product *product = cusim_op(sizeof *product, run_product);
    given.op = product->op;
    *product = given;
    const uint64_t number = cusim_queue(stream, product);
    if (wait)
      cusim_run(stream, number);
  }
  cusim_leave(cudaSuccess);
  return stream ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* --- products of matrices ----------------------------------------------------------------- */

static cudaDataType factor_type(cublasComputeType_t compute)
{
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return CUDA_R_64F;
    default:
      return CUDA_R_32F;
  }
}

/* Common part of all gemm functions. */
typedef struct {
  cublasOperation_t transa, transb;
  int m, n, k;
  const void *alpha, *beta;
  cudaDataType factors;
  const void *a, *b;
  void *c;
  const void *const *as, *const *bs;
  void *const *cs;
  cudaDataType type, ctype;
  int lda, ldb, ldc;
  int64_t stridea, strideb, stridec;
  int batch;
  bool tf32;
  const void *bias;
} Gemm;

static cublasStatus_t gemm(cublasHandle_t handle, Gemm g)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  const int rows_a = g.transa == CUBLAS_OP_N ? g.m : g.k;
  const int rows_b = g.transb == CUBLAS_OP_N ? g.k : g.n;
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.batch < 0 || g.lda < (rows_a > 1 ? rows_a : 1) ||
      g.ldb < (rows_b > 1 ? rows_b : 1) || g.ldc < (g.m > 1 ? g.m : 1) || !g.alpha || !g.beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  Product product = {.a = matrix(g.type, g.a, g.lda, g.transa),
                     .b = matrix(g.type, g.b, g.ldb, g.transb),
                     .c = matrix(g.ctype, g.c, g.ldc, CUBLAS_OP_N),
                     .m = g.m,
                     .n = g.n,
                     .k = g.k,
                     .batch = g.batch,
                     .alpha = read_factor(handle, g.factors, g.alpha),
                     .beta = read_factor(handle, g.factors, g.beta)};
  product.a.array = g.as;
  product.b.array = g.bs;
  product.c.array = (const void *const *)g.cs;
  product.a.batch = g.stridea;
  product.b.batch = g.strideb;
  product.c.batch = g.stridec;
  product.a.tf32 = product.b.tf32 = g.tf32;
  product.bias = g.bias;
  return queue(handle, product, false);
}

#define SHAPE \
  cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k
#define GIVEN \
  .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta
#define LEADING .lda = lda, .ldb = ldb, .ldc = ldc

/* cuBLAS declares the types of elements of 16 bits for C++ only. */
typedef uint16_t half_bits;

#define GEMM(NAME, T, TYPE)                                                                  \
  cublasStatus_t NAME(SHAPE, const T *alpha, const T *a, int lda, const T *b, int ldb,       \
                      const T *beta, T *c, int ldc)                                          \
  {                                                                                          \
    return gemm(handle, (Gemm){GIVEN, LEADING, .factors = TYPE, .type = TYPE, .ctype = TYPE, \
                               .a = a, .b = b, .c = c, .batch = 1});                         \
  }
GEMM(cublasSgemm_v2, float, CUDA_R_32F)
GEMM(cublasDgemm_v2, double, CUDA_R_64F)
GEMM(cublasHgemm, half_bits, CUDA_R_16F)

#define BATCHED(NAME, T, TYPE)                                                                \
  cublasStatus_t NAME(SHAPE, const T *alpha, const T *const a[], int lda, const T *const b[], \
                      int ldb, const T *beta, T *const c[], int ldc, int batch)               \
  {                                                                                           \
    return gemm(handle, (Gemm){GIVEN, LEADING, .factors = TYPE, .type = TYPE, .ctype = TYPE,  \
                               .as = (const void *const *)a, .bs = (const void *const *)b,    \
                               .cs = (void *const *)c, .batch = batch});                      \
  }
BATCHED(cublasSgemmBatched, float, CUDA_R_32F)
BATCHED(cublasDgemmBatched, double, CUDA_R_64F)
BATCHED(cublasHgemmBatched, half_bits, CUDA_R_16F)

#define STRIDED(NAME, T, TYPE)                                                                     \
  cublasStatus_t NAME(SHAPE, const T *alpha, const T *a, int lda, long long stridea, const T *b,   \
                      int ldb, long long strideb, const T *beta, T *c, int ldc, long long stridec, \
                      int batch)                                                                   \
  {                                                                                                \
    return gemm(handle, (Gemm){GIVEN, LEADING, .factors = TYPE, .type = TYPE, .ctype = TYPE,       \
                               .a = a, .b = b, .c = c, .stridea = stridea, .strideb = strideb,     \
                               .stridec = stridec, .batch = batch});                               \
  }
STRIDED(cublasSgemmStridedBatched, float, CUDA_R_32F)
STRIDED(cublasDgemmStridedBatched, double, CUDA_R_64F)
STRIDED(cublasHgemmStridedBatched, half_bits, CUDA_R_16F)

cublasStatus_t cublasGemmEx(SHAPE, const void *alpha, const void *a, cudaDataType atype, int lda,
                            const void *b, cudaDataType btype, int ldb, const void *beta, void *c,
                            cudaDataType ctype, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
  (void)algorithm;
  if (atype != btype)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return gemm(handle, (Gemm){GIVEN, LEADING, .factors = factor_type(compute), .type = atype,
                             .tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32, .ctype = ctype,
                             .a = a, .b = b, .c = c, .batch = 1});
}

cublasStatus_t cublasGemmStridedBatchedEx(SHAPE, const void *alpha, const void *a,
                                          cudaDataType atype, int lda, long long stridea,
                                          const void *b, cudaDataType btype, int ldb,
                                          long long strideb, const void *beta, void *c,
                                          cudaDataType ctype, int ldc, long long stridec, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
  (void)algorithm;
  if (atype != btype)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return gemm(handle, (Gemm){GIVEN, LEADING, .factors = factor_type(compute), .type = atype,
                             .tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32, .ctype = ctype,
                             .a = a, .b = b, .c = c, .stridea = stridea, .strideb = strideb,
                             .stridec = stridec, .batch = batch});
}

cublasStatus_t cublasGemmBatchedEx(SHAPE, const void *alpha, const void *const a[],
                                   cudaDataType atype, int lda, const void *const b[],
                                   cudaDataType btype, int ldb, const void *beta, void *const c[],
                                   cudaDataType ctype, int ldc, int batch,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
  (void)algorithm;
  if (atype != btype)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return gemm(handle, (Gemm){GIVEN, LEADING, .factors = factor_type(compute), .type = atype,
                             .tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32, .ctype = ctype,
                             .as = a, .bs = b, .cs = c, .batch = batch});
}

/* --- products with vectors ---------------------------------------------------------------- */

static cublasStatus_t gemv(cublasHandle_t handle, cudaDataType type, cublasOperation_t trans, int m,
                           int n, const void *alpha, const void *a, int lda, const void *x,
                           int incx, const void *beta, void *y, int incy)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !incx || !incy)
    return CUBLAS_STATUS_INVALID_VALUE;
  const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
  return queue(handle,
               (Product){.a = matrix(type, a, lda, trans),
                         .b = column_of(type, x, columns, incx),
                         .c = column_of(type, y, rows, incy),
                         .m = rows,
                         .n = 1,
                         .k = columns,
                         .batch = 1,
                         .alpha = read_factor(handle, type, alpha),
                         .beta = read_factor(handle, type, beta)},
               false);
}

static cublasStatus_t ger(cublasHandle_t handle, cudaDataType type, int m, int n, const void *alpha,
                          const void *x, int incx, const void *y, int incy, void *a, int lda)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !incx || !incy)
    return CUBLAS_STATUS_INVALID_VALUE;
  return queue(handle,
               (Product){.a = column_of(type, x, m, incx),
                         .b = row_of(type, y, n, incy),
                         .c = matrix(type, a, lda, CUBLAS_OP_N),
                         .m = m,
                         .n = n,
                         .k = 1,
                         .batch = 1,
                         .alpha = read_factor(handle, type, alpha),
                         .beta = number(1)},
               false);
}

/* Waits if the result is in host memory. */
static cublasStatus_t dot(cublasHandle_t handle, cudaDataType type, int n, const void *x, int incx,
                          const void *y, int incy, void *result)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0)
    n = 0;
  return queue(handle,
               (Product){.a = row_of(type, x, n, incx),
                         .b = column_of(type, y, n, incy),
                         .c = matrix(type, result, 1, CUBLAS_OP_N),
                         .m = 1,
                         .n = 1,
                         .k = n,
                         .batch = 1,
                         .alpha = number(1),
                         .beta = number(0)},
               handle->pointers == CUBLAS_POINTER_MODE_HOST);
}

#define GEMV(T, TYPE, LETTER)                                                                    \
  cublasStatus_t cublas##LETTER##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m,  \
                                         int n, const T *alpha, const T *a, int lda, const T *x, \
                                         int incx, const T *beta, T *y, int incy)                \
  {                                                                                              \
    return gemv(handle, TYPE, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);               \
  }
GEMV(float, CUDA_R_32F, S)
GEMV(double, CUDA_R_64F, D)

#define GER(T, TYPE, LETTER)                                                                       \
  cublasStatus_t cublas##LETTER##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha,       \
                                        const T *x, int incx, const T *y, int incy, T *a, int lda) \
  {                                                                                                \
    return ger(handle, TYPE, m, n, alpha, x, incx, y, incy, a, lda);                               \
  }
GER(float, CUDA_R_32F, S)
GER(double, CUDA_R_64F, D)

#define DOT(T, TYPE, LETTER)                                                                \
  cublasStatus_t cublas##LETTER##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, \
                                        const T *y, int incy, T *result)                    \
  {                                                                                         \
    return dot(handle, TYPE, n, x, incx, y, incy, result);                                  \
  }
DOT(float, CUDA_R_32F, S)
DOT(double, CUDA_R_64F, D)

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType xtype,
                           int incx, const void *y, cudaDataType ytype, int incy, void *result,
                           cudaDataType rtype, cudaDataType executed)
{
  (void)executed;
  if (xtype != ytype || xtype != rtype)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return dot(handle, xtype, n, x, incx, y, incy, result);
}

/* --- batches of factorisations ------------------------------------------------------------ */

typedef enum { FACTOR, SOLVE, INVERT } Task;

typedef struct {
  CusimOp op;
  Task task;
  cublasOperation_t trans;
  cudaDataType type;
  int n, columns, lda, ldb, batch;
  void *const *a;
  void *const *b;
  int *pivots, *info;
} Lu;

static char *cell(const Lu *lu, void *base, int ld, int i, int j)
{
  return (char *)base + ((int64_t)j * ld + i) * (int64_t)size_of(lu->type);
}

/* Row by row into a matrix of double, and back. */
static void fetch(const Lu *lu, double *to, void *from, int ld, int columns)
{
  for (int i = 0; i < lu->n; i++)
    for (int j = 0; j < columns; j++)
      to[i * columns + j] = load(lu->type, cell(lu, from, ld, i, j));
}

static void put(const Lu *lu, void *to, const double *from, int ld, int columns)
{
  for (int i = 0; i < lu->n; i++)
    for (int j = 0; j < columns; j++)
      store(lu->type, cell(lu, to, ld, i, j), from[i * columns + j]);
}

static void swap_rows(double *x, int columns, int i, int j)
{
  for (int c = 0; c < columns && i != j; c++) {
    const double keep = x[i * columns + c];
    x[i * columns + c] = x[j * columns + c];
    x[j * columns + c] = keep;
  }
}

/* Crout's scheme with row exchanges; info is the first column without a pivot, counted from 1. */
static int factor_one(double *a, int n, int *pivots)
{
  int info = 0;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; pivots && i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
        best = i;
    if (pivots)
      pivots[k] = best + 1;
    swap_rows(a, n, k, best);
    if (a[k * n + k] == 0) {
      info = info ? info : k + 1;
      continue;
    }
    for (int i = k + 1; i < n; i++) {
      const double by = a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= by * a[k * n + j];
    }
  }
  return info;
}

/* x = the inverse of A, or of its transpose, times x, where a holds L and U. */
static void solve_one(const double *a, int n, const int *pivots, bool transposed, double *x,
                      int columns)
{
#define ELIMINATE(I, J, A)          \
  for (int c = 0; c < columns; c++) \
    x[(I) * columns + c] -= (A) * x[(J) * columns + c];
#define DIVIDE(I)                   \
  for (int c = 0; c < columns; c++) \
    x[(I) * columns + c] /= a[(I) * n + (I)];
  if (!transposed) {
    for (int i = 0; pivots && i < n; i++)
      swap_rows(x, columns, i, pivots[i] - 1);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        ELIMINATE(i, j, a[i * n + j])
    for (int i = n - 1; i >= 0; i--) {
      for (int j = i + 1; j < n; j++)
        ELIMINATE(i, j, a[i * n + j])
      DIVIDE(i)
    }
  } else {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++)
        ELIMINATE(i, j, a[j * n + i])
      DIVIDE(i)
    }
    for (int i = n - 1; i >= 0; i--)
      for (int j = i + 1; j < n; j++)
        ELIMINATE(i, j, a[j * n + i])
    for (int i = n - 1; pivots && i >= 0; i--)
      swap_rows(x, columns, i, pivots[i] - 1);
  }
#undef ELIMINATE
#undef DIVIDE
}

static int singular(const double *a, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i * n + i] == 0)
      return i + 1;
  return 0;
}

static void run_lu(CusimOp *op)
{
  const Lu *lu = (Lu *)op;
  cusim_race_begin(op, "a factorisation of cuBLAS");
  const int n = lu->n, columns = lu->columns;
  double *a = calloc((size_t)n * (size_t)(n + columns) + 1, sizeof *a), *x = a + n * n;
  if (!a)
    abort();
  for (int i = 0; i < lu->batch; i++) {
    int *pivots = lu->pivots ? lu->pivots + (int64_t)i * n : NULL;
    int info = 0;
    fetch(lu, a, lu->a[i], lu->lda, n);
    if (lu->task == FACTOR) {
      info = factor_one(a, n, pivots);
      put(lu, lu->a[i], a, lu->lda, n);
    } else if (lu->task == SOLVE) {
      fetch(lu, x, lu->b[i], lu->ldb, columns);
      solve_one(a, n, pivots, lu->trans != CUBLAS_OP_N, x, columns);
      put(lu, lu->b[i], x, lu->ldb, columns);
    } else if (!(info = singular(a, n))) {
      for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
          x[r * n + c] = r == c;
      solve_one(a, n, pivots, false, x, n);
      put(lu, lu->b[i], x, lu->ldb, n);
    }
    if (lu->info)
      lu->info[i] = info;
  }
  free(a);
}

static cublasStatus_t queue_lu(cublasHandle_t handle, Lu given)
{
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (given.n < 0 || given.columns < 0 || given.batch < 0 ||
      given.lda < (given.n > 1 ? given.n : 1) ||
      (given.b && given.ldb < (given.n > 1 ? given.n : 1)))
    return CUBLAS_STATUS_INVALID_VALUE;
  cusim_enter();
  struct CUstream_st *stream = cusim_blas_stream(handle);
  if (stream) {
    Lu *lu = cusim_op(sizeof *lu, run_lu);
    given.op = lu->op;
    *lu = given;
    cusim_queue(stream, lu);
  }
  cusim_leave(cudaSuccess);
  return stream ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static cublasStatus_t getrf(cublasHandle_t handle, cudaDataType type, int n, void *const *a,
                            int lda, int *pivots, int *info, int batch)
{
  return queue_lu(handle, (Lu){.task = FACTOR,
                               .type = type,
                               .n = n,
                               .lda = lda,
                               .a = a,
                               .pivots = pivots,
                               .info = info,
                               .batch = batch});
}

/* Reports invalid arguments in info, on the host. */
static cublasStatus_t getrs(cublasHandle_t handle, cudaDataType type, cublasOperation_t trans,
                            int n, int columns, void *const *a, int lda, const int *pivots,
                            void *const *b, int ldb, int *info, int batch)
{
  const cublasStatus_t status = queue_lu(handle, (Lu){.task = SOLVE,
                                                      .trans = trans,
                                                      .type = type,
                                                      .n = n,
                                                      .columns = columns,
                                                      .lda = lda,
                                                      .ldb = ldb,
                                                      .a = a,
                                                      .b = b,
                                                      .pivots = (int *)pivots,
                                                      .batch = batch});
  if (info)
    *info = status == CUBLAS_STATUS_INVALID_VALUE ? -1 : 0;
  return status;
}

static cublasStatus_t getri(cublasHandle_t handle, cudaDataType type, int n, void *const *a,
                            int lda, const int *pivots, void *const *c, int ldc, int *info,
                            int batch)
{
  return queue_lu(handle, (Lu){.task = INVERT,
                               .type = type,
                               .n = n,
                               .columns = n,
                               .lda = lda,
                               .ldb = ldc,
                               .a = a,
                               .b = c,
                               .pivots = (int *)pivots,
                               .info = info,
                               .batch = batch});
}

#define GETRF(T, TYPE, LETTER)                                                                     \
  cublasStatus_t cublas##LETTER##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda, \
                                              int *pivots, int *info, int batch)                   \
  {                                                                                                \
    return getrf(handle, TYPE, n, (void *const *)a, lda, pivots, info, batch);                     \
  }
GETRF(float, CUDA_R_32F, S)
GETRF(double, CUDA_R_64F, D)

#define GETRS(T, TYPE, LETTER)                                                                     \
  cublasStatus_t cublas##LETTER##getrsBatched(cublasHandle_t handle, cublasOperation_t trans,      \
                                              int n, int columns, const T *const a[], int lda,     \
                                              const int *pivots, T *const b[], int ldb, int *info, \
                                              int batch)                                           \
  {                                                                                                \
    return getrs(handle, TYPE, trans, n, columns, (void *const *)a, lda, pivots, (void *const *)b, \
                 ldb, info, batch);                                                                \
  }
GETRS(float, CUDA_R_32F, S)
GETRS(double, CUDA_R_64F, D)

#define GETRI(T, TYPE, LETTER)                                                                   \
  cublasStatus_t cublas##LETTER##getriBatched(cublasHandle_t handle, int n, const T *const a[],  \
                                              int lda, const int *pivots, T *const c[], int ldc, \
                                              int *info, int batch)                              \
  {                                                                                              \
    return getri(handle, TYPE, n, (void *const *)a, lda, pivots, (void *const *)c, ldc, info,    \
                 batch);                                                                         \
  }
GETRI(float, CUDA_R_32F, S)
GETRI(double, CUDA_R_64F, D)

/* --- cuBLASLt: products with a bias --------------------------------------------------------- */

/* What is described lies in the opaque structs. */
typedef struct {
  cublasComputeType_t sums;
  cublasOperation_t operations[2];
  cublasLtEpilogue_t epilogue;
  const void *bias;
} LtProduct;

typedef struct {
  cudaDataType type;
  int64_t rows, columns, ld;
} LtLayout;

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *result, cublasComputeType_t sums,
                                        cudaDataType scale)
{
  LtProduct *made = calloc(1, sizeof(**result));
  if (!made)
    return CUBLAS_STATUS_ALLOC_FAILED;
  *made = (LtProduct){.sums = sums, .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
  *result = (cublasLtMatmulDesc_t)(void *)made;
  return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product)
{
  free(product);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t given,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t size)
{
  LtProduct *product = (LtProduct *)(void *)given;
  void *field = attribute == CUBLASLT_MATMUL_DESC_TRANSA         ? (void *)&product->operations[0]
                : attribute == CUBLASLT_MATMUL_DESC_TRANSB       ? (void *)&product->operations[1]
                : attribute == CUBLASLT_MATMUL_DESC_EPILOGUE     ? (void *)&product->epilogue
                : attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER ? (void *)&product->bias
                                                                 : NULL;
  const size_t own = field == &product->bias ? sizeof product->bias : sizeof(int32_t);
  if (!field || size != own)
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(field, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *result, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld)
{
  LtLayout *made = calloc(1, sizeof(**result));
  if (!made)
    return CUBLAS_STATUS_ALLOC_FAILED;
  *made = (LtLayout){type, (int64_t)rows, (int64_t)columns, ld};
  *result = (cublasLtMatrixLayout_t)(void *)made;
  return ld >= (int64_t)rows ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
  free(layout);
  return CUBLAS_STATUS_SUCCESS;
}

/* Whether a result would be written over an operand, of which a device may read parts later. */
static bool overlap(const void *r, const LtLayout *written, const void *x, const LtLayout *read)
{
  const size_t element = written->type == CUDA_R_16F ? 2 : 4;
  const char *const first = r, *const other = x;
  return first < other + (size_t)(read->ld * read->columns) * element &&
         other < first + (size_t)(written->ld * written->columns) * element;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t given,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t layoutA,
                              const void *b, cublasLtMatrixLayout_t layoutB, const void *beta,
                              const void *c, cublasLtMatrixLayout_t layoutC, void *d,
                              cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t *algorithm,
                              void *workspace, size_t size, cudaStream_t stream)
{
  const LtProduct *product = (const LtProduct *)(const void *)given;
  const LtLayout *x = (const LtLayout *)(const void *)layoutA,
                 *y = (const LtLayout *)(const void *)layoutB,
                 *r = (const LtLayout *)(const void *)layoutD;
  struct cublasContext own = *(struct cublasContext *)(void *)handle;
  own.stream = stream;
  const bool biased = product->epilogue == CUBLASLT_EPILOGUE_BIAS;
  const bool turnsA = product->operations[0] != CUBLAS_OP_N,
             turnsB = product->operations[1] != CUBLAS_OP_N;
  const int64_t m = turnsA ? x->columns : x->rows, k = turnsA ? x->rows : x->columns;
  const int64_t n = turnsB ? y->rows : y->columns;
  if (c != d || layoutC != layoutD || algorithm || m != r->rows || n != r->columns ||
      k != (turnsB ? y->columns : y->rows) || (biased && !product->bias) || r->type == CUDA_R_64F ||
      cublasSetWorkspace_v2((cublasHandle_t)(void *)handle, workspace, size))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (overlap(d, r, a, x) || overlap(d, r, b, y))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return gemm(&own, (Gemm){.transa = product->operations[0],
                           .transb = product->operations[1],
                           .m = (int)m,
                           .n = (int)n,
                           .k = (int)k,
                           .alpha = alpha,
                           .beta = beta,
                           .factors = CUDA_R_32F,
                           .a = a,
                           .b = b,
                           .c = d,
                           .type = x->type,
                           .ctype = r->type,
                           .lda = (int)x->ld,
                           .ldb = (int)y->ld,
                           .ldc = (int)r->ld,
                           .batch = 1,
                           .tf32 = product->sums == CUBLAS_COMPUTE_32F_FAST_TF32,
                           .bias = biased ? product->bias : NULL});
}
