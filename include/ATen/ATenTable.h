/* The operations as data: what there is, what each takes, and a way to call it by that.
 *
 *     const at_op *op = at_op_find("add");
 *     const at_value arguments[] = {{.given = true, .tensor = a}, {.given = true, .tensor = b},
 * {0}}; at_tensor *sum = op->call(arguments);                   alpha, not given, is 1 */
#ifndef ATEN_TABLE_H
#define ATEN_TABLE_H

#include "ATenTensor.h"

typedef enum at_kind {
  AT_KIND_TENSOR,
  AT_KIND_OPTIONAL_TENSOR, /* may be NULL */
  AT_KIND_SCALAR,
  AT_KIND_LONG,
  AT_KIND_DOUBLE,
  AT_KIND_BOOL,
  AT_KIND_INTS,
  AT_KIND_TYPE
} at_kind;

typedef struct at_argument {
  const char *name;
  at_kind kind;
  const char *defaults; /* the default as the schema has it; NULL if there is none */
} at_argument;

/* An argument's value; all zero means the default. */
typedef struct at_value {
  bool given;
  at_tensor *tensor;
  at_scalar scalar;
  int64_t integer;
  double number;
  bool truth;
  at_ints ints;
  const at_type *type;
} at_value;

/* A form of an operation: the function, the one in place (name_) or the one that writes to a result
 * (name_out), whose first argument is that. */
typedef struct at_op {
  const char *name;     /* such as "add_" */
  const char *overload; /* such as "scalar", or "" */
  const char *schema;   /* such as "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" */
  int count;
  const at_argument *arguments;
  at_tensor *(*call)(const at_value *arguments);
} at_op;

/* The first of that name, or NULL; its overloads follow it. */
AT_API const at_op *at_op_find(const char *name);

/* All of them, by name. */
AT_API const at_op at_ops[];
AT_API const int at_opCount;

#endif
