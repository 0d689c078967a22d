/* THC: tensors in the memory of a GPU, with the interface of TH.
 *
 *     THCState *state = THCState_alloc();
 *     THCudaInit(state);
 *     THCudaTensor *a = THCudaTensor_newWithSize2d(state, 3, 4);
 *     THCudaTensor_copyFloat(state, a, x);                         x is a THFloatTensor
 *     ...
 *     THCudaTensor_free(state, a);
 *     THCudaShutdown(state);
 *     THCState_free(state);
 *
 * Every function takes the state first.  Numbers of arguments in errors do not count it, so that
 * they are those of TH's functions.  What computes is queued on the current stream of the current
 * device; only what returns a value to the host waits. */
#ifndef THC_H
#define THC_H

#include "THCGeneral.h"

#include "THCAllocator.h"
#include "THCBlas.h"
#include "THCCachingAllocator.h"
#include "THCCachingHostAllocator.h"
#include "THCHalf.h"
#include "THCSleep.h"
#include "THCStream.h"
#include "THCTensorRandom.h"
#include "THCThreadLocal.h"

#include "THCStorage.h"
#include "THCTensor.h"
#include "THCTensorMath.h"
#include "THCTensorMathBlas.h"
#include "THCTensorConv.h"
#include "THCTensorIndex.h"
#include "THCTensorMathMagma.h"
#include "THCTensorReduce.h"
#include "THCTensorSort.h"

#endif
