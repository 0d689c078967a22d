/* The pointwise functions of src/ops/functions.h. */
#ifndef ATEN_FUNCTIONS_H
#define ATEN_FUNCTIONS_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"

typedef enum at_function_name {
#define AT_FUNCTION(INPUTS, NAME, ...) AT_FUNCTION_##NAME,
#include "ops/functions.h"
  AT_FUNCTION_COUNT
} at_function_name;

typedef struct at_function_scalars {
  double a, b, c;
} at_function_scalars;

/* What operands a function takes, and the type of its result. */
typedef enum at_function_kind {
  AT_REAL,     /* integers compute in Float */
  AT_FLOATING, /* integers are an error */
  AT_TEST      /* any types; the result is of Bool */
} at_function_kind;

/* The kernels of each type: of contiguous operands; the scalars are an at_function_scalars. */
extern const THKernel *const at_functionKernelsFloat[];
extern const THKernel *const at_functionKernelsDouble[];

/* The function of operands that promote and broadcast. */
at_tensor *at_function(at_tensor *out, at_function_name name, at_function_kind kind, int count,
                       at_tensor *const *in, at_function_scalars scalars);

/* Functions without scalars: of one operand, and of two. */
at_tensor *at_realOf(at_tensor *out, at_function_name name, at_tensor *x);
at_tensor *at_realOfTwo(at_tensor *out, at_function_name name, at_tensor *x, at_tensor *y);
at_tensor *at_floatingOf(at_tensor *out, at_function_name name, at_tensor *x);
at_tensor *at_floatingOfTwo(at_tensor *out, at_function_name name, at_tensor *x, at_tensor *y);
at_tensor *at_testOf(at_function_name name, at_tensor *x);

/* Tests, and functions that integers have too. */
at_tensor *at_isInfinity(at_tensor *out, at_tensor *x, bool isNegative);

/* One operand is a number, which does not promote within its category. */
at_tensor *at_realOfNumber(at_tensor *out, at_function_name name, at_tensor *x, at_scalar y);
at_tensor *at_realAfterNumber(at_tensor *out, at_function_name name, at_scalar x, at_tensor *y);

/* The number as a tensor without dimensions, which the pool holds, of the type that it and x promote to. */
at_tensor *at_numberBeside(at_pool *pool, at_tensor *x, at_scalar number);

/* The larger or smaller of two elements, of which one may be NaN. */
at_tensor *at_extremeBesideNaN(at_tensor *out, bool smaller, at_tensor *x, at_tensor *y);

/* Fraction and exponent, of Int. */
void at_fractions(at_tensor **out, at_tensor *x);

#endif
