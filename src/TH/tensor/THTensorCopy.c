/* Copies between tensors of any types, shapes and strides. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THConvert.h"
#include "THTensorCore.h"

TH_DISPATCH(THKernel, THTensor_(convert))

/* The part that is the same for every source type.  Returns 0 if src must be copied first, because
 * writing tensor would change elements that are still to be read. */
static int THTensor_(copyLoop)(THLoop *loop, THScalarType from)
{
  THLoop_order(loop, 0);
  if (THLoop_overlap(loop, 0, 1) == TH_OVERLAP_MIXED)
    return 0;
  THLoop_run(loop, TH_DISPATCHED(THTensor_(convert))[from], NULL);
  return 1;
}

/* Checks a source's number of elements, and opens a loop that writes tensor. */
static void THTensor_(openCopy)(THLoop *loop, THTensor *tensor, ptrdiff_t nsrc, int dims,
                                const int64_t *size)
{
  const ptrdiff_t n = THTensor_(nElement)(tensor);
  THArgCheck(nsrc == n, 2, "src has %td elements (%s), tensor has %td (%s)", nsrc,
             _THSizeDesc(size, dims).str, n, THTensor_(sizeDesc)(tensor).str);
  THLoop_init(loop);
  THLoop_tensor(loop, tensor);
}

#define TH_SOURCE_FILE "TH/tensor/THTensorCopyFrom.h"
#include "TH/tensor/THEachSource.h"

void THTensor_(copy)(THTensor *tensor, THTensor *src)
{
  THTensor_(TH_CONCAT_2(copy, Real))(tensor, src);
}
