/* TH's template of reductions on a device: its engine, and its elementwise steps. */
#include "THCReduce.h"

#include "THC/core/thc_kernels.h"

#define THReduce                                        THCReduce
#define THReduction                                     THCReduction
#define THReduce_run                                    THCReduce_run
#define THReduce_all(OP, SOURCE, SCALARS, LOOP, RESULT) THCReduce_all(OP, SCALARS, LOOP, RESULT)
#define THReduce_prepare(REDUCE, OP, SOURCE, SCALARS, LINES) \
  THCReduce_prepare(REDUCE, OP, SCALARS, LINES)

extern const THCReduction TH_CONCAT_2(THCReductions_, Real)[];
#define REDUCTION(NAME) (&TH_CONCAT_2(THCReductions_, Real)[TH_REDUCE_##NAME])

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)

void TH_CONCAT_2(THCDifference_, Real)(const THCWalk *walk, const void *scalars,
                                       cudaStream_t stream);
void TH_CONCAT_2(THCRenorm_, Real)(const THCWalk *walk, const void *scalars, cudaStream_t stream);

static void THTensor_(subtract)(THTensor *r, THTensor *a, THTensor *b)
{
  THTensor_(resizeAs)(r, a);
  THGuard guardA, guardB;
  const int same = THTensor_(isSameSizeAs)(a, b);
  THTensor_(guard)(&guardA);
  THTensor_(guard)(&guardB);
  if (!same) {
    a = guardA.what = THTensor_(newContiguous)(a);
    b = guardB.what = THTensor_(newContiguous)(b);
  }
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  THLoop_tensor(&loop, a);
  THLoop_tensor(&loop, b);
  THCWalk_run(&loop, TH_CONCAT_2(THCDifference_, Real), NULL, THCState_getCurrentStream(THC_using));
  THGuard_leave(&guardB);
  THGuard_leave(&guardA);
}

/* r_ = t with each slice along dimension scaled down to norm maxnorm if its norm is larger. */
static void THTensor_(scaleSlices)(THTensor *r_, THTensor *t, int dimension, THTensor *norms,
                                   real maxnorm)
{
  const accreal most = TH_CONVERT_REAL_TO_ACCREAL(maxnorm);
  THShape shape, repeated;
  THShape_openAs(&shape, t->nDimension, t->size, NULL);
  THShape_setStrides(&shape, NULL);
  THShape_openAs(&repeated, t->nDimension, t->size, NULL);
  for (int d = 0; d < t->nDimension; d++)
    repeated.stride[d] = d == dimension;
  const THView result = TH_VIEW(r_);
  THResult_check(result, &shape, 1);
  THGuard guard;
  t = THTensor_(copiedIf)(&guard, t,
                          THResult_overlap(result, &shape, TH_VIEW(t)) == TH_OVERLAP_MIXED);
  THTensor_(resizeResult)(r_, &shape);
  if (THTensor_(nElement)(t) > 0) {
    THLoop loop;
    THLoop_init(&loop);
    THLoop_tensor(&loop, r_);
    THLoop_tensor(&loop, t);
    THLoop_operand(&loop, THTensor_(data)(norms), sizeof(real), repeated.nDimension, repeated.size,
                   repeated.stride);
    THCWalk_run(&loop, TH_CONCAT_2(THCRenorm_, Real), &most, THCState_getCurrentStream(THC_using));
  }
  THGuard_leave(&guard);
  THShape_close(&repeated);
  THShape_close(&shape);
}

#endif
