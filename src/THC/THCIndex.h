/* Index tensors and masks on a device: the checks and selections of THIndex.h, whose place they
 * take where a template of TH is compiled for the device. */
#ifndef THC_INDEX_H
#define THC_INDEX_H

#include "THCPrivate.h"

#include "cuda/thc_index.h"

/* --- checks: wait for the answer ----------------------------------------------------------------
 *
 * A kernel looks for what is not good, before anything is written, and the host waits for what it
 * says; the message is made by TH from a copy of the indices.  With TH_CUDA_CHECK_INDICES=0 in the
 * environment nobody looks and nobody waits: what an index out of range says is then passed over,
 * and every mask that is not 0 selects. */

void THCIndex_check(THCudaLongTensor *index, int arg, int dim, int64_t size);
void THCIndex_checkFlat(THCudaLongTensor *index, int arg, ptrdiff_t count);
void THCIndex_checkMask(THCudaByteTensor *mask, int arg);

/* --- elements that are selected, in row-major order ----------------------------------------- */

typedef struct THCSelection {
  ptrdiff_t total;
  void *data;
  ptrdiff_t step, jump;
  THCSelecting selecting;
  THGuard guard; /* holds the counts */
} THCSelection;

/* Runs the loop with the kernel, which counts, and waits for the total. */
void THCSelection_count(THCSelection *selection, const THLoop *loop, THCKernel count);
void THCSelection_countMask(THCSelection *selection, const THLoop *loop, THCudaByteTensor *mask,
                            int arg);

/* Runs the loop with a kernel that moves what is selected. */
void THCSelection_run(THCSelection *selection, const THLoop *loop, THCKernel move);
void THCSelection_close(THCSelection *selection);

#endif
