/* The rows of src/ops/pointwise.h as kernels: an enumerator and properties of each, and a table of
 * functions per element type and instruction set. */
#ifndef TH_POINTWISE_H
#define TH_POINTWISE_H

#include "THKernel.h"
#include "THTypes.h"

/* The same for every type; rows that a type does not have are NULL in its table. */
typedef enum THPointwise {
#define ROW(TYPES, COST, NAME, ...) TH_POINTWISE_##NAME,
#include "ops/pointwise.h"
  TH_POINTWISE_ROWS
} THPointwise;

/* r[i] = the expression of x[i], y[i] and z[i] (as many as the row has inputs) for n contiguous
 * elements.  scalars are two values of the element type.  If streams is 1, r is written with
 * non-temporal stores; otherwise r may be an input. */
typedef void (*THPointwiseRow)(ptrdiff_t n, void *r, const void *x, const void *y, const void *z,
                               const void *scalars, int streams);

#define TH_DECLARE(Real, real, accreal) extern const THPointwiseRow *TH##Real##Tensor_pointwise;
TH_FOR_EACH_TYPE_BUT_HALF(TH_DECLARE)
#undef TH_DECLARE

/* The row for elements of the type, NULL where it has none. */
TH_API THPointwiseRow THPointwise_row(THScalarType type, THPointwise op);

typedef enum THPointwiseCost { CHEAP, COSTLY, SLOW, DIVIDES } THPointwiseCost;

enum { TH_POINTWISE_INPUTS = 3 };

/* What does not depend on the element type. */
typedef struct THPointwiseInfo {
  const char *name;
  THPointwiseCost cost;
  int inputs;
  int bytes;                              /* the result is of Byte, whatever the inputs are */
  int argument[TH_POINTWISE_INPUTS];      /* the inputs' argument numbers */
  const char *input[TH_POINTWISE_INPUTS]; /* and what messages call them */
  int scalar;                             /* the argument number of a */
} THPointwiseInfo;

TH_API const THPointwiseInfo THPointwise_info[TH_POINTWISE_ROWS];

/* The row of one input that computes the same bits as op, a row of two inputs, if the second input
 * is a single value.  This value becomes the first scalar of the returned row, and op's scalar the
 * second.  Returns op itself if there is no such row. */
THPointwise THPointwise_ofValue(THPointwise op);

/* How many elements are worth a thread. */
TH_API ptrdiff_t THPointwise_grain(THPointwise op);

#endif
