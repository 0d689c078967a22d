/* What TH's templates of indices and masks mean on a device. */
#ifndef THC_INDEX_RUN_H
#define THC_INDEX_RUN_H

#include "THCIndex.h"

#define THIndex_check         THCIndex_check
#define THIndex_checkFlat     THCIndex_checkFlat
#define THIndex_checkMask     THCIndex_checkMask
#define THSelection           THCSelection
#define THSelection_count     THCSelection_count
#define THSelection_countMask THCSelection_countMask
#define THSelection_close     THCSelection_close

extern const THCKernel TH_CONCAT_2(THCIndexKernels_, Real)[];
#define INDEX_KERNEL(NAME) (TH_CONCAT_2(THCIndexKernels_, Real)[NAME])

/* A loop over operands that have the same shape or are contiguous, so that it cannot fail. */
static inline int THC_runIndices(const THLoop *loop, THCKernel kernel, const void *scalars)
{
  return THCWalk_run(loop, kernel, scalars, THCState_getCurrentStream(THC_using));
}

#endif
