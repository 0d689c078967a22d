/* Cumulative sums and products along a dimension. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCReduce.h"
#include "THCTensorReduce.h"
#include "TH/reduce/THScan.h"
#include "TH/tensor/THTensorCore.h"
#include "thc_scan.h"

#include "THC/core/THCCalls.h"

enum {
  BUSY_BLOCKS = 512,     /* blocks: enough to occupy a device */
  MANY_LINES = 4096,     /* lines: enough to occupy a device with a thread per line */
  CHUNK_ELEMENTS = 4096, /* elements that justify a block */
  GRID_Y_LIMIT = 65535   /* the largest gridDim.y */
};

extern const THCScan TH_CONCAT_2(THCScans_, Real)[];

/* Many adjacent lines, or short lines, get a thread each.  Other lines get a block each.  If there
 * are too few lines to occupy the device, each block gets a chunk of a line: a first pass computes
 * the totals of the chunks. */
static void THTensor_(scan)(THTensor *r, THTensor *t, int dimension, int kind)
{
  const THCScan *op = &TH_CONCAT_2(THCScans_, Real)[kind];
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THTensor_(checkAlong)(t, dimension, 3);
  THAlong along;
  t = THTensor_(openAlong)(&along, &r, NULL, t, dimension, 3, t->size[dimension], 0, 1);
  THCLines lines;
  THCLines_make(&lines, &along.lines);
  const int adjacent = along.lines.size[0] > 1 && along.lines.stride[0][0] < along.lines.step[0];
  const int across = (adjacent && lines.count >= MANY_LINES) || lines.length < 32;
  THCScanWork work = {.chunk = THMax(1, lines.length), .chunks = 1};
  if (!across && lines.count > 0 && lines.count < BUSY_BLOCKS && lines.length > CHUNK_ELEMENTS) {
    const ptrdiff_t chunks = THMin(THMin(BUSY_BLOCKS / lines.count + 1, GRID_Y_LIMIT),
                                   (lines.length + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS);
    work.chunk = (lines.length + chunks - 1) / chunks;
    work.chunks = (lines.length + work.chunk - 1) / work.chunk;
  }
  THGuard guard;
  THGuard_enter(&guard, NULL);
  if (work.chunks > 1) {
    THGuard_leave(&guard);
    work.totals = THC_scratch(&guard, (size_t)(lines.count * work.chunks) * op->totalSize);
  }
  THTensor_(resizeResult)(r, &along.shape);
  work.from = THTensor_(data)(t);
  if (lines.count > 0 && lines.length > 0) {
    if (work.chunks > 1) {
      op->along(&work, &lines, stream);
      op->between(&work, &lines, stream);
    }
    work.to = THTensor_(data)(r);
    (across ? op->across : op->along)(&work, &lines, stream);
    THCudaCheck(cudaGetLastError());
  }
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THCTensor_(cumsum)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, self, src);
  THTensor_(scan)(self, src, THC_dim(dim), TH_SCAN_SUM);
}

void THCTensor_(cumprod)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, self, src);
  THTensor_(scan)(self, src, THC_dim(dim), TH_SCAN_PRODUCT);
}
