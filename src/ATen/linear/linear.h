/* Products of matrices and vectors. */
#ifndef ATEN_LINEAR_H
#define ATEN_LINEAR_H

#include "ATen/core/ATenCore.h"

typedef enum at_product_kind {
  AT_MATRIX_MATRIX,  /* (n x k), (k x m): n x m */
  AT_MATRIX_VECTOR,  /* (n x k), (k): n */
  AT_VECTOR_VECTOR,  /* (n), (m): n x m */
  AT_BATCHES,        /* (b x n x k), (b x k x m): b x n x m */
  AT_SUM_OF_BATCHES, /* (b x n x k), (b x k x m), summed over b: n x m */
} at_product_kind;

/* beta * self + alpha * x y; self broadcasts to the product, and is not read if it is NULL or beta
 * is 0. */
at_tensor *at_product(at_tensor *out, at_product_kind kind, at_tensor *self, at_tensor *x,
                      at_tensor *y, at_scalar beta, at_scalar alpha);

/* at_multipliesBFloat: whether products.c multiplies matrices of that type, without conversion to
 * Float. at_multiplyBFloat: r = alpha x y + beta self for a matrix and a matrix or vector, or for
 * each of a batch. self is of r's size or NULL; r, whose rows are contiguous, may be self. */
bool at_multipliesBFloat(const at_type *type);
void at_multiplyBFloat(at_tensor *r, const at_tensor *self, const at_tensor *x, const at_tensor *y,
                       float beta, float alpha);

at_tensor *at_dotProduct(at_tensor *out, at_tensor *x, at_tensor *y);
at_tensor *at_matrixProduct(at_tensor *out, at_tensor *x, at_tensor *y);

/* The rows of self from one end in offs to before the next times the matrix of that number; or such columns times
 * such rows of one matrix, a result for each. */
at_tensor *at_groupedProduct(at_tensor *self, at_tensor *mat2, at_tensor *offs);

#endif
