/* What TH's templates of indices and masks mean on a device. */
#ifndef THC_INDEX_RUN_H
#define THC_INDEX_RUN_H

#include "THCIndex.h"

#define THIndex_check             THCIndex_check
#define THIndex_checkFlat         THCIndex_checkFlat
#define THIndex_checkMask         THCIndex_checkMask
#define THSelection               THCSelection
#define THSelection_count         THCSelection_count
#define THSelection_countMask     THCSelection_countMask
#define THSelection_countMaskUpTo THCSelection_countMaskUpTo
#define THSelection_close         THCSelection_close

extern const THCKernel TH_CONCAT_2(THCIndexKernels_, Real)[];
#define INDEX_KERNEL(NAME) (TH_CONCAT_2(THCIndexKernels_, Real)[NAME])
typedef THCKernel IndexKernel;

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE) || defined(THC_REAL_IS_HALF)
void TH_CONCAT_2(THCAdding_add_, Real)(const THCAdding *adding, cudaStream_t stream);

/* The kernel that lists the additions of a kernel; NULL if it adds nothing. */
static inline THCKernel THC_listOf(THCKernel kernel, const void *scalars)
{
  if (kernel == INDEX_KERNEL(TH_INDEX_add))
    return INDEX_KERNEL(THC_INDEX_listAdd);
  return kernel == INDEX_KERNEL(THC_INDEX_put) && THCIndex_accumulates(scalars)
             ? INDEX_KERNEL(THC_INDEX_listPut)
             : NULL;
}
#endif

/* A loop over operands that have the same shape or are contiguous, so that it cannot fail. */
static inline int THC_runIndices(const THLoop *loop, THCKernel kernel, const void *scalars)
{
#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE) || defined(THC_REAL_IS_HALF)
  if (THCState_getDeterministic(THC_using) && THC_listOf(kernel, scalars))
    return THCIndex_addInOrder(loop, THC_listOf(kernel, scalars), scalars, sizeof(real),
                               TH_CONCAT_2(THCAdding_add_, Real));
#endif
  return THCWalk_run(loop, kernel, scalars, THCState_getCurrentStream(THC_using));
}

#endif
