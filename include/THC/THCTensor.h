/* As THTensor.h, in device memory; a result whose elements share memory is an error here. */
#ifndef THC_TENSOR_H
#define THC_TENSOR_H

#include "THCStorage.h"

#define THCTensor        TH_CONCAT_3(TH, CReal, Tensor)
#define THCTensor_(NAME) TH_CONCAT_4(TH, CReal, Tensor_, NAME)

#define THC_DESC_BUFF_LEN 64
typedef struct THCDescBuff {
  char str[THC_DESC_BUFF_LEN];
} THCDescBuff;

#define THC_GENERIC_FILE "generic/THCTensor.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorCopy.h"
#include "THCGenerateAllTypes.h"

#endif
