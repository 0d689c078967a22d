/* Indices and masks that lie on the host: their values are checked there, and copied to the device. */
#include "THCTemplate.h"

#include "TH/index/THIndex.h"
#include "THC/core/THCPrivate.h"
#include "THCTensorIndex.h"

#define Type Long
#include "THCUpload.h"
#define Type Byte
#include "THCUpload.h"

/* What is wrong with dim, the function on the device says. */
static void THCTensor_(checkHost)(THLongTensor *index, int arg, int dim, const THCTensor *indexed)
{
  if (dim >= 0 && dim < indexed->nDimension)
    THIndex_check(index, arg, dim, indexed->size[dim]);
}

#define AS_ON_DEVICE(NAME, Type, HOST, CHECK, PARAMETERS, ...)     \
  void THCTensor_(NAME) PARAMETERS                                 \
  {                                                                \
    THGuard guard;                                                 \
    CHECK;                                                         \
    THCuda##Type##Tensor *on = upload_##Type(state, &guard, HOST); \
    __VA_ARGS__;                                                   \
    THGuard_leave(&guard);                                         \
  }

AS_ON_DEVICE(indexCopy_long, Long, indices, THCTensor_(checkHost)(indices, 3, dim, res_),
             (THCState * state, THCTensor *res_, int dim, THLongTensor *indices, THCTensor *src),
             THCTensor_(indexCopy)(state, res_, dim, on, src))
AS_ON_DEVICE(indexAdd_long, Long, indices, THCTensor_(checkHost)(indices, 3, dim, res_),
             (THCState * state, THCTensor *res_, int dim, THLongTensor *indices, THCTensor *src),
             THCTensor_(indexAdd)(state, res_, dim, on, src))
AS_ON_DEVICE(indexFill_long, Long, index, THCTensor_(checkHost)(index, 3, dim, tensor),
             (THCState * state, THCTensor *tensor, int dim, THLongTensor *index, real val),
             THCTensor_(indexFill)(state, tensor, dim, on, val))
AS_ON_DEVICE(indexSelect_long, Long, index, THCTensor_(checkHost)(index, 4, dim, src),
             (THCState * state, THCTensor *tensor, THCTensor *src, int dim, THLongTensor *index),
             THCTensor_(indexSelect)(state, tensor, src, dim, on))
AS_ON_DEVICE(maskedFillByte, Byte, mask, THIndex_checkMask(mask, 2),
             (THCState * state, THCTensor *tensor, THByteTensor *mask, real value),
             THCTensor_(maskedFill)(state, tensor, on, value))
AS_ON_DEVICE(maskedCopyByte, Byte, mask, THIndex_checkMask(mask, 2),
             (THCState * state, THCTensor *tensor, THByteTensor *mask, THCTensor *src),
             THCTensor_(maskedCopy)(state, tensor, on, src))
AS_ON_DEVICE(maskedSelectByte, Byte, mask, THIndex_checkMask(mask, 3),
             (THCState * state, THCTensor *tensor, THCTensor *src, THByteTensor *mask),
             THCTensor_(maskedSelect)(state, tensor, src, on))
