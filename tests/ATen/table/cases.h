/* The cases of a file of tests/golden/aten: calls of operations by name, with what PyTorch returns.
 *
 *     case max.dim                        the form's name, and after a dot the overload
 *     tensor Float 2 2 3 : 0x1p+0 ...     an argument: dimensions, sizes, values in row-major order
 *     long -1                             or: double 0x1p-1 | bool 1 | scalar 2 | ints 2 -1 3 |
 *     default                             type Double | none | default | seed 7 (a generator) |
 *     within 0x1p-20                      text tanh | doubles 2 0x1p+1 0x1p+0 |
 *                                         tensors 2, and as many lines
 *     want Float 1 2 : ...                one line per result, or: long | double | bool | scalar |
 *     want Long 1 2 : 0 1                 undefined | list 2, and as many lines; or one line: error
 *     strides 1                           of the result before, if they are compared
 *
 * Complex elements are two numbers each.  none is NULL.  within: the tolerance, relative to the larger of 1
 * and the value; without it, a few ulps of the type that computes. */
#ifndef ATEN_CASES_H
#define ATEN_CASES_H

#include <stdio.h>

#include "ATen.h"

enum { CASE_VALUES = 24, CASE_DIMS = 8, CASE_TENSORS = 8 };

/* An argument or an expected result, and the memory that it refers to. */
typedef struct CaseValue {
  at_value value;
  at_kind kind;
  bool undefined;
  int64_t ints[CASE_DIMS];
  double doubles[CASE_DIMS];
  at_tensor *tensors[CASE_TENSORS];
  bool hasStrides;
  int64_t strides[CASE_DIMS];
} CaseValue;

typedef struct Case {
  const char *path;
  int line;
  const at_op *op;
  CaseValue arguments[CASE_VALUES], wanted[CASE_VALUES];
  bool error;
  double within; /* 0 if the case has none */
} Case;

/* Visits each case of the file.  apart: the tensors have gaps between their elements. */
void cases_each(const char *path, bool apart, void (*visit)(Case *one, void *context),
                void *context);

/* The arguments for at_op's call. */
void case_values(const Case *one, at_value *values);

#endif
