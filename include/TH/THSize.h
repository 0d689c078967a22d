/* Arithmetic of shapes. */
#ifndef TH_SIZE_H
#define TH_SIZE_H

#include "THGeneral.h"

TH_API int THSize_isSameSizeAs(const int64_t *sizeA, int64_t dimsA, const int64_t *sizeB,
                               int64_t dimsB);

/* The product of the sizes, 0 for no dimensions.  Raises an error when a size is negative or the
 * product does not fit. */
TH_API ptrdiff_t THSize_nElement(int64_t dims, int64_t *size);

/* THSize_nElement for callers that report the error themselves: returns 1 and sets product, or returns 0. */
TH_API int THSize_product(int64_t dims, const int64_t *size, ptrdiff_t *product);

#endif
