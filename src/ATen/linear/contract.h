/* Sums of products over dimensions of several tensors. */
#ifndef ATEN_CONTRACT_H
#define ATEN_CONTRACT_H

#include "ATen/core/ATenCore.h"

/* input weight^T + bias, which may be NULL, for the last dimension of input. */
at_tensor *at_linearMap(at_tensor *out, at_tensor *input, at_tensor *weight, at_tensor *bias);

/* Writes the subscripts of an operand, or with -1 of the result, as a letter for each dimension
 * (AT_MOST_DIMS + 1 bytes at most), letters of their own instead of "...". */
void at_einsumLetters(const char *equation, at_tensors tensors, int operand, char *letters);

/* The product of x and y, which have the same number of dimensions, each of one size or 1 in one of
 * them, summed over the dimensions marked; these have the size 1 in the result, which the pool
 * holds. */
at_tensor *at_sumOfProducts(at_pool *pool, at_tensor *x, at_tensor *y, const bool *summed);

#endif
