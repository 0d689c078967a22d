/* Rows of src/ops/pointwise.h for Half with scalars as they are; the public functions take scalars of Half.
 *
 * Exported for ATen. */
#ifndef THC_HALF_ROW_H
#define THC_HALF_ROW_H

#include "TH/pointwise/THPointwise.h"
#include "THC.h"

/* The row op of the inputs that it has, for the others NULL; of a comparison r is a tensor of Byte. */
THC_API void THC_halfRow(THCState *state, THPointwise op, THCudaHalfTensor *r, THCudaHalfTensor *x,
                         THCudaHalfTensor *y, THCudaHalfTensor *z, float a, float b);

#endif
