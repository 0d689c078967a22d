/* Tensors: strided views of a storage.
 *
 *     THFloatTensor *a = THFloatTensor_newWithSize2d(3, 4);
 *     THFloatTensor *row = THFloatTensor_newSelect(a, 0, 2);      shares a's storage
 *     THFloatTensor_fill(row, 7);                                 changes the last row of a
 *     THFloatTensor_free(row);
 *     THFloatTensor_free(a);
 *
 * What a new... function gives you, you free or return from a new... function.  Element (i, j) of a
 * tensor of two dimensions is storage->data[storageOffset + i * stride[0] + j * stride[1]].  A
 * tensor with no dimensions is empty. Dimensions are counted from 0.  A result may be one of the
 * operands, or share its memory with the same sizes and strides; where memory is shared in another
 * way an operand is copied first.  Elements of a result that share memory are written in row-major
 * order, each after the ones before: the last one stays, and what is added adds up. */
#ifndef TH_TENSOR_H
#define TH_TENSOR_H

#include "THRandom.h"
#include "THStorage.h"

#define THTensor        TH_CONCAT_3(TH, Real, Tensor)
#define THTensor_(NAME) TH_CONCAT_4(TH, Real, Tensor_, NAME)

#define TH_TENSOR_REFCOUNTED 1 /* retain and free count */

/* Tensor, TensorCopy: every type. */
#define TH_GENERIC_FILE "generic/THTensor.h"
#include "THGenerateAllTypes.h"
#define TH_GENERIC_FILE "generic/THTensor.h"
#include "THGenerateHalfType.h"

#define TH_GENERIC_FILE "generic/THTensorCopy.h"
#include "THGenerateAllTypes.h"
#define TH_GENERIC_FILE "generic/THTensorCopy.h"
#include "THGenerateHalfType.h"

#include "THTensorMacros.h"

/* Everything that computes: every type but Half. */
#define TH_GENERIC_FILE "generic/THTensorPointwise.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorConstruct.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorLinear.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorReduce.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorSort.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorConv.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorIndex.h"
#include "THGenerateAllTypes.h"

#define TH_GENERIC_FILE "generic/THTensorRandom.h"
#include "THGenerateAllTypes.h"

/* LAPACK: the floating types. */
#define TH_GENERIC_FILE "generic/THTensorLapack.h"
#include "THGenerateFloatTypes.h"

#endif
