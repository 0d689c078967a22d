/* Single elements without any check, as fast as an array access:
 *
 *     THTensor_fastSet2d(t, i, j, THTensor_fastGet2d(t, j, i));
 *
 * The tensor has exactly that many dimensions and the indices are in range.  Arguments are
 * evaluated more than once. */
#ifndef TH_TENSOR_MACROS_H
#define TH_TENSOR_MACROS_H

#include "THGeneral.h"

#define THTensor_fastGet1d(self, x0) \
  ((self)->storage->data[(self)->storageOffset + (x0) * (self)->stride[0]])

#define THTensor_fastGet2d(self, x0, x1)                                    \
  ((self)->storage->data[(self)->storageOffset + (x0) * (self)->stride[0] + \
                         (x1) * (self)->stride[1]])

#define THTensor_fastGet3d(self, x0, x1, x2)                                \
  ((self)->storage->data[(self)->storageOffset + (x0) * (self)->stride[0] + \
                         (x1) * (self)->stride[1] + (x2) * (self)->stride[2]])

#define THTensor_fastGet4d(self, x0, x1, x2, x3)                               \
  ((self)->storage->data[(self)->storageOffset + (x0) * (self)->stride[0] +    \
                         (x1) * (self)->stride[1] + (x2) * (self)->stride[2] + \
                         (x3) * (self)->stride[3]])

#define THTensor_fastGet5d(self, x0, x1, x2, x3, x4)                           \
  ((self)->storage->data[(self)->storageOffset + (x0) * (self)->stride[0] +    \
                         (x1) * (self)->stride[1] + (x2) * (self)->stride[2] + \
                         (x3) * (self)->stride[3] + (x4) * (self)->stride[4]])

#define THTensor_fastSet1d(self, x0, value)         (THTensor_fastGet1d(self, x0) = (value))
#define THTensor_fastSet2d(self, x0, x1, value)     (THTensor_fastGet2d(self, x0, x1) = (value))
#define THTensor_fastSet3d(self, x0, x1, x2, value) (THTensor_fastGet3d(self, x0, x1, x2) = (value))
#define THTensor_fastSet4d(self, x0, x1, x2, x3, value) \
  (THTensor_fastGet4d(self, x0, x1, x2, x3) = (value))
#define THTensor_fastSet5d(self, x0, x1, x2, x3, x4, value) \
  (THTensor_fastGet5d(self, x0, x1, x2, x3, x4) = (value))

#endif
