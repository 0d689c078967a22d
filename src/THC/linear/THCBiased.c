/* cuBLASLt: a product whose bias is added where the sums are. */
#include "THCBiased.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include "THC/core/THCLibrary.h"
#include "THC/core/THCPrivate.h"

#include "THCProduct.h"

/* --- the library ------------------------------------------------------------------------------ */

#define FOR_EACH_FUNCTION(X) \
  X(MatmulDescCreate)        \
  X(MatmulDescDestroy)       \
  X(MatmulDescSetAttribute) X(MatrixLayoutCreate) X(MatrixLayoutDestroy) X(Matmul)

typedef struct Library {
#define FIELD(NAME) __typeof__(cublasLt##NAME) *NAME;
  FOR_EACH_FUNCTION(FIELD)
#undef FIELD
} Library;

static Library functions;

static int find(void *library)
{
  int all = 1;
#define FIND(NAME)                                                               \
  functions.NAME = (__typeof__(functions.NAME))dlsym(library, "cublasLt" #NAME); \
  all &= functions.NAME != NULL;
  FOR_EACH_FUNCTION(FIND)
#undef FIND
  return all;
}

static THCOptionalLibrary library = {
    .which = {"cuBLASLt", "libcublasLt.so." TH_STRING_OF(CUBLAS_VER_MAJOR), "TH_CUBLASLT_LIBRARY",
              "cublasLtMatmul"},
    .find = find,
    .mutex = PTHREAD_MUTEX_INITIALIZER};

static const Library *get_library(void)
{
  return THCLibrary_isThere(&library) ? &functions : NULL;
}

/* --- a call ----------------------------------------------------------------------------------- */

/* What is described for cuBLASLt: the product, and the matrices by columns, so that x and y are exchanged. */
typedef struct Call {
  const Library *lt;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t layouts[3];
} Call;

static void free_call(void *what)
{
  Call *call = what;
  for (int i = 0; i < 3; i++)
    if (call->layouts[i])
      call->lt->MatrixLayoutDestroy(call->layouts[i]);
  if (call->product)
    call->lt->MatmulDescDestroy(call->product);
}

static cublasStatus_t describe(Call *call, const THCBiased *p, cublasComputeType_t sums)
{
  const Library *lt = call->lt;
  const cudaDataType type = p->isHalf ? CUDA_R_16F : CUDA_R_32F;
  const cublasOperation_t first = p->transposesY ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = p->transposesX ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  cublasStatus_t status = lt->MatmulDescCreate(&call->product, sums, CUDA_R_32F);
#define SET(ATTRIBUTE, VALUE)                                                                    \
  if (status == CUBLAS_STATUS_SUCCESS)                                                           \
  status = lt->MatmulDescSetAttribute(call->product, CUBLASLT_MATMUL_DESC_##ATTRIBUTE, &(VALUE), \
                                      sizeof(VALUE))
  SET(TRANSA, first);
  SET(TRANSB, second);
  SET(EPILOGUE, epilogue);
  SET(BIAS_POINTER, p->bias);
#undef SET
  const int64_t rows[] = {p->transposesY ? p->depth : p->columns,
                          p->transposesX ? p->rows : p->depth, p->columns};
  const int64_t columns[] = {p->transposesY ? p->columns : p->depth,
                             p->transposesX ? p->depth : p->rows, p->rows};
  const int64_t steps[] = {p->ldy, p->ldx, p->ldr};
  for (int i = 0; i < 3 && status == CUBLAS_STATUS_SUCCESS; i++)
    status = lt->MatrixLayoutCreate(&call->layouts[i], type, (uint64_t)rows[i],
                                    (uint64_t)columns[i], steps[i]);
  return status;
}

int THC_multiplyBiased(THCState *state, const THCBiased *p)
{
  static const float one = 1, zero = 0;
  THC_enter(state);
  Call call = {.lt = get_library()};
  if (!call.lt)
    return 0;
  THGuard guard, locked;
  THGuard_enter(&guard, free_call);
  guard.what = &call;
  const int rounds = !p->isHalf && THCState_getAllowTF32(state);
  cublasStatus_t status =
      describe(&call, p, rounds ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F);
  if (status == CUBLAS_STATUS_SUCCESS) {
    size_t bytes;
    THCStream *stream = THCState_getStream(state);
    void *handle = THC_blasHandle(&locked, state, &bytes);
    void *workspace = THCStream_memory(stream, THC_STREAM_BLAS, bytes);
    status = call.lt->Matmul(handle, call.product, &one, p->y, call.layouts[0], p->x,
                             call.layouts[1], &zero, p->r, call.layouts[2], p->r, call.layouts[2],
                             NULL, workspace, bytes, stream->stream);
    THGuard_leave(&locked);
  }
  THGuard_leave(&guard);
  if (status != CUBLAS_STATUS_SUCCESS && status != CUBLAS_STATUS_NOT_SUPPORTED &&
      status != CUBLAS_STATUS_INVALID_VALUE)
    THCublasCheck(status);
  return status == CUBLAS_STATUS_SUCCESS;
}
