/* The operations as data: what there is, what each takes and returns, and a way to call it by that.
 *
 *     const at_op *op = at_op_find("add");
 *     const at_value arguments[] = {{.given = true, .tensor = a},
 *                                   {.given = true, .tensor = b},
 *                                   {0}};                          alpha, not given, is 1
 *     at_value sum;
 *     if (op->call(arguments, &sum))
 *       at_print(sum.tensor); */
#ifndef ATEN_TABLE_H
#define ATEN_TABLE_H

#include "ATenContext.h"
#include "ATenTensor.h"

typedef enum at_kind {
  AT_KIND_TENSOR,
  AT_KIND_OPTIONAL_TENSOR,  /* may be NULL */
  AT_KIND_TENSORS,          /* a list */
  AT_KIND_OPTIONAL_TENSORS, /* a list with entries that may be NULL */
  AT_KIND_SCALAR,
  AT_KIND_LONG,
  AT_KIND_DOUBLE,
  AT_KIND_BOOL,
  AT_KIND_INTS,
  AT_KIND_TYPE,
  AT_KIND_GENERATOR,
  AT_KIND_STORAGE
} at_kind;

/* An argument or a result. */
typedef struct at_argument {
  const char *name;
  at_kind kind;
  int count; /* of AT_KIND_INTS: how many, if the operation takes so many (or one) and no others */
  const char *defaults; /* the default as the schema has it; NULL if there is none */
  bool isKeyword;       /* stands behind the * of the schema: in Python, given by name alone */
  bool isWritten;       /* an argument: the call changes its elements, or what it views */
  int alias; /* a result: the argument that it is, or whose memory it may share; -1 if it is new */
} at_argument;

/* An argument's value, of which all zero means the default, or a result's.  A type that is given
 * and NULL is an error. */
typedef struct at_value {
  bool given;
  at_tensor *tensor;
  at_tensors tensors;
  const at_tensors *list; /* of a result: what at_list_release takes */
  at_scalar scalar;
  int64_t integer;
  double number;
  bool truth;
  at_ints ints;
  const at_type *type;
  at_generator *generator;
  at_storage *storage;
} at_value;

typedef enum at_form {
  AT_FORM_FUNCTION,
  AT_FORM_INPLACE, /* name_: changes its first argument and returns it */
  AT_FORM_OUT      /* name_out: writes to the results that are its first arguments; returns them */
} at_form;

typedef struct at_op {
  const char *name;     /* such as "add_" */
  const char *overload; /* such as "scalar", or "" */
  const char *schema;   /* such as "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" */
  const char *symbol;   /* the function's name in the library, such as "at_add_" */
  const char *doc;
  at_form form;
  unsigned elementTypes; /* 1 << AT_FLOAT if the first tensor may be of Float on the CPU, ... */
  int argumentCount, resultCount;
  const at_argument *arguments, *results;
  /* Whether it succeeded, with new references in results as the function returns them; else
   * at_error says why. */
  bool (*call)(const at_value *arguments, at_value *results);
} at_op;

/* The first of that name, or NULL (also of NULL); its overloads follow it. */
AT_API const at_op *at_op_find(const char *name);

/* The version of what at_op, at_argument and at_value are; also that of aten-ops.json. */
#define AT_TABLE_VERSION 1
AT_API const int at_tableVersion;

/* All of them, by name. */
AT_API const at_op at_ops[];
AT_API const int at_opCount;

#endif
