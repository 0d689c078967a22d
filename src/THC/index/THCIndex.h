/* Index tensors and masks on a device: these checks and selections replace THIndex.h's when a
 * template of TH is compiled for the device. */
#ifndef THC_INDEX_H
#define THC_INDEX_H

#include "THC/core/THCPrivate.h"

#include "thc_index.h"

/* --- checks -------------------------------------------------------------------------------------
 *
 * A kernel looks for invalid indices before anything is written, and reports them to the stream's error
 * word (THCFault.h).  Where the call itself has to raise, it waits, and TH makes the message from a copy of
 * the indices.  Indices out of range are ignored, and every nonzero element of a mask selects. */

void THCIndex_check(THCudaLongTensor *index, int arg, int dim, int64_t size);
void THCIndex_checkFlat(THCudaLongTensor *index, int arg, ptrdiff_t count);
void THCIndex_checkMask(THCudaByteTensor *mask, int arg);

/* --- additions in order -------------------------------------------------------------------------
 *
 * Where THCState_setDeterministic asks for it, floating elements are added in the order of the indices: what `list`
 * writes down, of elements of that size, is sorted by address and added up by `add`. */
int THCIndex_accumulates(const void *put);
int THCIndex_addInOrder(const THLoop *loop, THCKernel list, const void *scalars, size_t element,
                        void (*add)(const THCAdding *adding, cudaStream_t stream));

/* --- selections of elements in row-major order ---------------------------------------------- */

typedef struct THCSelection {
  ptrdiff_t total;
  void *data;
  ptrdiff_t step, jump;
  THCSelecting selecting;
  THGuard guard; /* holds the counts */
} THCSelection;

/* Runs the loop with a kernel that counts selected elements, and waits for the total. */
void THCSelection_count(THCSelection *selection, const THLoop *loop, THCKernel count);
void THCSelection_countMask(THCSelection *selection, const THLoop *loop, THCudaByteTensor *mask,
                            int arg);

/* THCSelection_countMask of a mask with at most `most` ones.  Where calls do not wait for checks, it does not wait:
 * total is -1 then, and the kernel reports a mask with more ones. */
void THCSelection_countMaskUpTo(THCSelection *selection, const THLoop *loop, THCudaByteTensor *mask,
                                int arg, ptrdiff_t most);

/* Runs the loop with a kernel that copies the selected elements. */
void THCSelection_run(THCSelection *selection, const THLoop *loop, THCKernel move);
void THCSelection_close(THCSelection *selection);

#endif
