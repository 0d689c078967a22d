/* The rows of src/ops/pointwise.h as kernels: an enumerator and properties of each, and the
 * functions of each row for every element type and instruction set. */
#ifndef TH_POINTWISE_H
#define TH_POINTWISE_H

#include "THKernel.h"
#include "THTypes.h"

/* A row has the same number for every type; rows that a type does not have are NULL in its table. */
typedef enum THPointwise {
#define ROW(TYPES, COST, NAME, ...) TH_POINTWISE_##NAME,
#include "ops/pointwise.h"
  TH_POINTWISE_ROWS
} THPointwise;

/* r[i] = the expression of x[i], y[i] and z[i] (as many as the row has inputs) for n contiguous
 * elements.  scalars are two values of the element type.  If streams is 1, r is written with
 * non-temporal stores; otherwise r may be an input. */
typedef void (*THPointwiseKernel)(ptrdiff_t n, void *r, const void *x, const void *y, const void *z,
                                  const void *scalars, int streams);

/* A row's kernels for each type, at each level; NULL for types that do not have the row. */
typedef struct THPointwiseKernels {
  const THPointwiseKernel *const *of[THScalarTypes];
} THPointwiseKernels;

#define ROW(TYPES, COST, NAME, ...) TH_API const THPointwiseKernels THPointwise_kernels_##NAME;
#include "ops/pointwise.h"

/* The kernel for elements of the type at the level in use, NULL if there is none. */
TH_API THPointwiseKernel THPointwise_kernel(const THPointwiseKernels *row, THScalarType type);

/* THPointwise_kernel of a row that is known only when the program runs: a static program that calls it has all rows. */
TH_API THPointwiseKernel THPointwise_row(THScalarType type, THPointwise op);

typedef enum THPointwiseCost { CHEAP, COSTLY, SLOW, DIVIDES } THPointwiseCost;

enum { TH_POINTWISE_INPUTS = 3 };

/* What does not depend on the element type. */
typedef struct THPointwiseInfo {
  const char *name;
  THPointwiseCost cost;
  int inputs;
  int bytes;                              /* the result is of Byte, whatever the inputs are */
  int argument[TH_POINTWISE_INPUTS];      /* the inputs' argument numbers */
  const char *input[TH_POINTWISE_INPUTS]; /* the inputs' names in messages */
  int scalar;                             /* the argument number of a */
} THPointwiseInfo;

TH_API const THPointwiseInfo THPointwise_info[TH_POINTWISE_ROWS];

/* X(types, two, one): if the second input of row `two` is a single value v (broadcast), row
 * `one` computes the same bits from the first input and the scalars a = v, b = the scalar of
 * `two`.  Not for powers, which have shortcuts for some exponents. */
#define TH_POINTWISE_OF_VALUE(X) \
  X(ALL, cadd, add_scaled)       \
  X(ALL, csub, sub_scaled)       \
  X(ALL, cmul, mul)              \
  X(ALL, cdiv, div)              \
  X(BUT_HALF, clshift, lshift)   \
  X(BUT_HALF, crshift, rshift)   \
  X(INTEGER, cbitand, bitand)    \
  X(INTEGER, cbitor, bitor)      \
  X(INTEGER, cbitxor, bitxor)    \
  X(ALL, cmax, cmaxValue)        \
  X(ALL, cmin, cminValue)        \
  TH_COMPARISON_OF_VALUE(X, lt)  \
  TH_COMPARISON_OF_VALUE(X, le)  \
  TH_COMPARISON_OF_VALUE(X, gt)  \
  TH_COMPARISON_OF_VALUE(X, ge)  \
  TH_COMPARISON_OF_VALUE(X, eq)  \
  TH_COMPARISON_OF_VALUE(X, ne)
#define TH_COMPARISON_OF_VALUE(X, NAME) \
  X(ALL, NAME##Tensor, NAME##Value)     \
  X(ALL, NAME##TensorT, NAME##ValueT)

/* How many elements are worth a thread. */
TH_API ptrdiff_t THPointwise_grain(THPointwise op);

#endif
