/* Slices and elements by their indices: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"

#include "THC/core/THCCalls.h"

#include "TH/index/THTensorIndex.c"

#define INDEX THC_DEFINE_CALL
#include "THCIndexCalls.h"

void THCTensor_(calculateAdvancedIndexingOffsets)(THCState *state, THCudaLongTensor *output,
                                                  THCTensor *indexed, ptrdiff_t baseOffset,
                                                  THCudaLongTensor **indexers)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, output, indexed);
  const int dims = indexed->nDimension;
  THArgCheck(dims > 0 && dims <= THC_WALK_DIMS, 2, "a tensor of size %s has no offsets",
             THTensor_(sizeDesc)(indexed).str);
  THCOffsets offsets = {.base = baseOffset, .dims = dims, .first = -1, .count = 1, .indices = 1};
  for (int d = 0; d < dims; d++) {
    offsets.size[d] = indexed->size[d];
    offsets.stride[d] = indexed->stride[d];
    THLongTensor *index = indexers[d];
    if (!index) {
      offsets.count *= indexed->size[d];
      continue;
    }
    const ptrdiff_t n = THLongTensor_nElement(index);
    THC_CHECK_TENSORS(1, index);
    if (offsets.first < 0) {
      offsets.first = d;
      offsets.indices = n;
      offsets.count *= n;
    }
    THArgCheck(n == offsets.indices, 4,
               "the indices of dimension %d are %td, those of dimension %d are %td",
               d + TH_INDEX_BASE, n, offsets.first + TH_INDEX_BASE, offsets.indices);
    THCIndex_checkFlat(index, 4, indexed->size[d]);
  }

  THShape shape;
  THShape_openAs(&shape, offsets.count > 0, (int64_t[]){offsets.count}, (int64_t[]){1});
  const THView result = TH_VIEW(output);
  THResult_check(result, &shape, 1);
  THGuard guards[THC_WALK_DIMS];
  for (int d = 0; d < dims; d++) {
    THLongTensor *index = indexers[d];
    THGuard_enter(&guards[d], NULL);
    if (!index || offsets.count == 0)
      continue;
    THGuard_leave(&guards[d]);
    index = THLongTensor_copiedIf(&guards[d], index,
                                  !THLongTensor_isContiguous(index) ||
                                      THResult_overlap(result, &shape, TH_VIEW(index)) !=
                                          TH_OVERLAP_NONE);
    offsets.index[d] = THLongTensor_data(index);
  }
  THLongTensor_resizeResult(output, &shape);
  if (offsets.count > 0) {
    offsets.output = THLongTensor_data(output);
    offsets.step = output->stride[0];
    THCOffsets_kernel(&offsets, THCState_getCurrentStream(state));
    THCudaCheck(cudaGetLastError());
  }
  for (int d = dims - 1; d >= 0; d--)
    THGuard_leave(&guards[d]);
  THShape_close(&shape);
}
