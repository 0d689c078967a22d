/* Copies between tensors of any types, shapes and strides. */
#include "THTemplate.h"

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
  THLoop_run(loop, THTensor_(convert)[from], NULL);
  return 1;
}

#define COPY_FROM(Source, source, unused)                                                     \
  void THTensor_(copy##Source)(THTensor *tensor, TH##Source##Tensor *src)                     \
  {                                                                                           \
    const ptrdiff_t n = THTensor_(nElement)(tensor), nsrc = TH##Source##Tensor_nElement(src); \
    THArgCheck(nsrc == n, 2, "src has %td elements (%s), tensor has %td (%s)", nsrc,          \
               TH##Source##Tensor_sizeDesc(src).str, n, THTensor_(sizeDesc)(tensor).str);     \
    THLoop loop;                                                                              \
    THLoop_init(&loop);                                                                       \
    THLoop_tensor(&loop, tensor);                                                             \
    THLoop_tensor(&loop, src);                                                                \
    if (THTensor_(copyLoop)(&loop, THScalar##Source))                                         \
      return;                                                                                 \
    THGuard guard;                                                                            \
    THGuard_enter(&guard, (THUndo)TH##Source##Tensor_free);                                   \
    TH##Source##Tensor *aside = guard.what = TH##Source##Tensor_newClone(src);                \
    THTensor_(copy##Source)(tensor, aside);                                                   \
    THGuard_leave(&guard);                                                                    \
  }

TH_FOR_EACH_TYPE(COPY_FROM)

void THTensor_(copy)(THTensor *tensor, THTensor *src)
{
  THTensor_(TH_CONCAT_2(copy, Real))(tensor, src);
}
