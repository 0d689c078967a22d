/* cat, equal, trace and cross of device tensors. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorMath.h"
#include "THC/core/thc_kernels.h"

static void THTensor_(checkHere)(const THTensor *t, int arg)
{
  THArgCheck(THCTensor_(checkGPU)(THC_using, 1, t), arg,
             "the tensor is on device %d, which the current one, %d, does not reach",
             t->storage->device, THC_currentDevice());
}

/* --- cat: TH's template --------------------------------------------------------------------- */

/* The part of result that begins at offset along dimension and is as large as t becomes a copy of
 * t, whose dimensions are the first ones of result. */
static void THTensor_(copyPart)(THTensor *result, THTensor *t, int dimension, int64_t offset)
{
  const THScalarType type = TH_CONCAT_2(THScalar, Real);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(result) + offset * result->stride[dimension], sizeof(real),
                 t->nDimension, t->size, result->stride);
  THLoop_tensor(&loop, t);
  THCWalk_run(&loop, THC_converters[type][type], NULL, THCState_getCurrentStream(THC_using));
}

#define THJoin_rows(TO, PARTS, COUNT, ROWS, SIZE) \
  THCJoin_rows(TO, PARTS, COUNT, ROWS, SIZE, THCState_getCurrentStream(THC_using))
#include "TH/index/THTensorCat.c"

void THCTensor_(catArray)(THCState *state, THCTensor *result, THCTensor **inputs, int numInputs,
                          int dimension)
{
  THC_enter(state);
  THTensor_(checkHere)(result, 1);
  for (int i = 0; i < numInputs; i++)
    THTensor_(checkHere)(inputs[i], 2);
  THTensor_(catArray)(result, inputs, numInputs, dimension);
}

void THCTensor_(cat)(THCState *state, THCTensor *result, THCTensor *ta, THCTensor *tb,
                     int dimension)
{
  THCTensor_(catArray)(state, result, (THCTensor *[]){ta, tb}, 2, dimension);
}

/* --- values for the host -------------------------------------------------------------------- */

/* Waits for a value in the stream's scratch memory. */
static void THTensor_(fetch)(void *value, const void *from, size_t bytes)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THCudaCheck(cudaMemcpyAsync(value, from, bytes, cudaMemcpyDeviceToHost, stream));
  THC_wait(THC_using);
}

void TH_CONCAT_2(THCDiffer_, Real)(const THCWalk *, const void *, cudaStream_t);
void TH_CONCAT_2(THCTrace_, Real)(const void *, int64_t, int64_t, void *, cudaStream_t);
void TH_CONCAT_2(THCCross_, Real)(const THCWalk *, const void *, cudaStream_t);

int THCTensor_(equal)(THCState *state, THCTensor *self, THCTensor *src)
{
  THC_enter(state);
  THTensor_(checkHere)(self, 1);
  THTensor_(checkHere)(src, 2);
  if (!THTensor_(isSameSizeAs)(self, src))
    return 0;
  if (THTensor_(nElement)(self) == 0)
    return 1;
  const cudaStream_t stream = THCState_getCurrentStream(state);
  int *flag = THCState_getCurrentDeviceScratchSpace(state), differ;
  THCudaCheck(cudaMemsetAsync(flag, 0, sizeof *flag, stream));
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, src);
  THAssert(THCWalk_run(&loop, TH_CONCAT_2(THCDiffer_, Real), &flag, stream));
  THTensor_(fetch)(&differ, flag, sizeof differ);
  return !differ;
}

accreal THCTensor_(trace)(THCState *state, THCTensor *self)
{
  THC_enter(state);
  THTensor_(checkHere)(self, 1);
  THArgCheck(self->nDimension == 2, 1, "a tensor of size %s is no matrix",
             THTensor_(sizeDesc)(self).str);
#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
  double sum, *result;
#else
  int64_t sum, *result;
#endif
  result = THCState_getCurrentDeviceScratchSpace(state);
  TH_CONCAT_2(THCTrace_, Real)(THTensor_(data)(self), THMin(self->size[0], self->size[1]),
                               self->stride[0] + self->stride[1], result,
                               THCState_getCurrentStream(state));
  THCudaCheck(cudaGetLastError());
  THTensor_(fetch)(&sum, result, sizeof sum);
  return (accreal)sum;
}

/* --- vector products ------------------------------------------------------------------------ */

/* The first of three slices of t along the dimension. */
static void THTensor_(addSlice)(THLoop *loop, const THTensor *t, const int64_t *size)
{
  THLoop_operand(loop, THTensor_(data)(t), sizeof(real), t->nDimension, size, t->stride);
}

static void THTensor_(products)(THTensor *r, THTensor *a, THTensor *b, const int64_t *size,
                                int dimension)
{
  const THCCross step = {r->stride[dimension], a->stride[dimension], b->stride[dimension]};
  THLoop loop;
  THLoop_init(&loop);
  THTensor_(addSlice)(&loop, r, size);
  THTensor_(addSlice)(&loop, a, size);
  THTensor_(addSlice)(&loop, b, size);
  THAssert(THCWalk_run(&loop, TH_CONCAT_2(THCCross_, Real), &step,
                       THCState_getCurrentStream(THC_using)));
}

void THCTensor_(cross)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2,
                       int dimension)
{
  THC_enter(state);
  THTensor_(checkHere)(self, 1);
  THTensor_(checkHere)(src1, 2);
  THTensor_(checkHere)(src2, 3);
  THArgCheck(THTensor_(isSameSizeAs)(src1, src2), 3, "src2 has size %s, src1 has %s",
             THTensor_(sizeDesc)(src2).str, THTensor_(sizeDesc)(src1).str);
  for (int d = 0; d < src1->nDimension && dimension < 0; d++)
    if (src1->size[d] == 3)
      dimension = d;
  THArgCheck(dimension >= 0, 4, "no dimension of src1 (%s) has size 3",
             THTensor_(sizeDesc)(src1).str);
  THArgCheck(dimension < src1->nDimension && src1->size[dimension] == 3, 4,
             "dimension %d of src1 (%s) has to be of size 3", dimension + TH_INDEX_BASE,
             THTensor_(sizeDesc)(src1).str);

  THShape slice, whole;
  THShape_openAs(&slice, src1->nDimension, src1->size, NULL);
  slice.size[dimension] = 1;
  THShape_openAs(&whole, src1->nDimension, src1->size, NULL);
  const THView to = TH_VIEW(self);
  THResult_check(to, &whole, 1);
  /* A thread reads its vectors before it writes: exact aliases need no copy. */
  const int elsewhere = THResult_overlap(to, &whole, TH_VIEW(src1)) == TH_OVERLAP_MIXED ||
                        THResult_overlap(to, &whole, TH_VIEW(src2)) == TH_OVERLAP_MIXED;
  THGuard guard;
  THTensor_(guard)(&guard);
  if (elsewhere) {
    THTensor *product = guard.what = THTensor_(newBare)();
    THTensor_(resizeAs)(product, src1);
    THTensor_(products)(product, src1, src2, slice.size, dimension);
    THTensor_(resizeAs)(self, product);
    THTensor_(copy)(self, product);
  } else {
    THTensor_(resizeAs)(self, src1);
    THTensor_(products)(self, src1, src2, slice.size, dimension);
  }
  THGuard_leave(&guard);
  THShape_close(&whole);
  THShape_close(&slice);
}
