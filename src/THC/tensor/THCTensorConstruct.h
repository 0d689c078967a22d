/* The elementwise steps of THTensorConstruct.c on the device. */
#include "THCTensorMath.h"
#include "THC/core/thc_kernels.h"

#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
#define IS_FLOATING 1
typedef double Position;
#else
#define IS_FLOATING 0
typedef int64_t Position;
#endif
#define COPIES_ALONG 1 /* whether a copy between unlike shapes takes memory */

typedef int64_t DiagonalNumber;

/* Rules of sequences, and a sequence's parameters. */
typedef enum Rule { ARITHMETIC, EVEN, POWERS_OF_TEN } Rule;
typedef struct Sequence {
  Position first, last, step; /* as THCSequence and THCWholeSequence begin */
  ptrdiff_t count;
} Sequence;

void TH_CONCAT_2(THCArithmetic_, Real)(const THCWalk *, const void *, cudaStream_t);
#if IS_FLOATING
void TH_CONCAT_2(THCEven_, Real)(const THCWalk *, const void *, cudaStream_t);
void TH_CONCAT_2(THCPowersOfTen_, Real)(const THCWalk *, const void *, cudaStream_t);
#endif
void TH_CONCAT_2(THCTriangle_, Real)(const THCTriangle *, cudaStream_t);

static void THTensor_(checkHere)(const THTensor *t, int arg)
{
  THArgCheck(THCTensor_(checkGPU)(THC_using, 1, t), arg,
             "the tensor is on device %d, which the current one, %d, does not reach",
             t->storage->device, THC_currentDevice());
}

static void THTensor_(checkFilled)(const THTensor *r)
{
  THView_checkWritable(TH_VIEW(r), 1);
}

/* The offsets of a second operand, without memory, are the row-major indices of the elements. */
static void THTensor_(runSequence)(THTensor *r, Rule rule, Sequence *sequence)
{
  static const THCKernel kernels[] = {
      [ARITHMETIC] = TH_CONCAT_2(THCArithmetic_, Real),
#if IS_FLOATING
      [EVEN] = TH_CONCAT_2(THCEven_, Real),
      [POWERS_OF_TEN] = TH_CONCAT_2(THCPowersOfTen_, Real),
#endif
  };
  const int64_t count = sequence->count, step = 1;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  THLoop_operand(&loop, NULL, 1, 1, &count, &step);
  THAssert(THCWalk_run(&loop, kernels[rule], sequence, THCState_getCurrentStream(THC_using)));
}

/* Sets the n elements of r's k-th diagonal to those of x, or to 1. */
static void THTensor_(setDiagonal)(THTensor *r, int64_t k, int64_t n, THTensor *x)
{
  const real one = TH_CONVERT_ACCREAL_TO_REAL(1);
  const THScalarType type = TH_CONCAT_2(THScalar, Real);
  const int64_t step = r->stride[0] + r->stride[1];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(r) + (k < 0 ? -k * r->stride[0] : k * r->stride[1]),
                 sizeof(real), 1, &n, &step);
  if (x)
    THLoop_tensor(&loop, x);
  THCWalk_run(&loop, x ? THC_converters[type][type] : THC_fillers[type], &one,
              THCState_getCurrentStream(THC_using));
}

/* r = from on one side of the k-th diagonal and on it, else 0; of the same size. */
static void THTensor_(setTriangle)(THTensor *r, THTensor *from, int64_t k, int upper)
{
  const THCTriangle triangle = {.rows = from->size[0],
                                .columns = from->size[1],
                                .k = k,
                                .upper = upper,
                                .r = THTensor_(data)(r),
                                .from = THTensor_(data)(from),
                                .step = {r->stride[0], r->stride[1]},
                                .fromStep = {from->stride[0], from->stride[1]}};
  TH_CONCAT_2(THCTriangle_, Real)(&triangle, THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
}
