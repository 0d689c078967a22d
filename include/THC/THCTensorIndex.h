/* Functions with indices and masks on devices: those of THTensorIndex.h.
 *
 * Shapes, sharing of memory and errors are the same, but for indices out of range and masks of something
 * other than 0 and 1: a kernel finds them, no call waits for that, and the next one that waits for the stream
 * raises the error (THCState_synchronize).  Such indices change nothing, gather, indexSelect and take give 0 for
 * them, and what is not 0 selects.  With TH_CUDA_CHECK_INDICES=1 in the environment each call waits and raises
 * before anything is written; with 0 nothing is checked.
 *
 * Where indices repeat, it is not said which of the elements written stays; what is added is added
 * by atomic operations, so that sums of floats may differ in the last bits from call to call. */
#ifndef THC_TENSOR_INDEX_H
#define THC_TENSOR_INDEX_H

#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorIndex.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorScatterGather.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMasked.h"
#include "THCGenerateAllTypes.h"

#endif
