/* The operations as data: their names, arguments and results, and a way to call them.
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
  AT_KIND_STORAGE,
  AT_KIND_STRING, /* one of a few words; the doc lists them */
  AT_KIND_DOUBLES
} at_kind;

/* An argument or a result. */
typedef struct at_argument {
  const char *name;
  at_kind kind;
  int count; /* of AT_KIND_INTS: the length, if only lists of that length (or 1) are accepted */
  const char *defaults; /* the default as in the schema; NULL if there is none */
  bool isKeyword;       /* follows the * in the schema: in Python, given by name only */
  bool isWritten;       /* an argument: the call changes its elements or its view */
  int alias; /* a result: the argument that it is or may share memory with; -1 if it is new */
} at_argument;

/* The value of an argument or result.  An argument that is all zero stands for the default.  A type
 * that is given as NULL is an error. */
typedef struct at_value {
  bool given;
  at_tensor *tensor;
  at_tensors tensors;
  const at_tensors *list; /* a result, to be released by at_list_release */
  at_scalar scalar;
  int64_t integer;
  double number;
  bool truth;
  at_ints ints;
  const at_type *type;
  at_generator *generator;
  at_storage *storage;
  const char *string;
  at_doubles doubles;
} at_value;

typedef enum at_form {
  AT_FORM_FUNCTION,
  AT_FORM_INPLACE, /* name_: changes its first argument and returns it */
  AT_FORM_OUT      /* name_out: writes to the results that are its first arguments; returns them */
} at_form;

/* Whether an operation has gradients (ATenGrad.h). */
typedef enum at_gradient {
  AT_GRADIENT_FORMULA,
  AT_GRADIENT_NONE,   /* by nature, such as comparisons; aten-ops.json has the reason */
  AT_GRADIENT_MISSING /* a backward pass that needs it is an error */
} at_gradient;

/* What becomes of floating operands under AT_AUTOCAST. */
typedef enum at_autocast_policy {
  AT_AUTOCAST_NONE,   /* operands stay as they are */
  AT_AUTOCAST_LOWER,  /* cast to the block's type */
  AT_AUTOCAST_SINGLE, /* cast to Float */
  AT_AUTOCAST_WIDEST  /* cast to the widest type among them and the block's */
} at_autocast_policy;

typedef struct at_op {
  const char *name;     /* such as "add_" */
  const char *overload; /* such as "scalar", or "" */
  const char *schema;   /* such as "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" */
  const char *symbol;   /* the function's name in the library, such as "at_add_" */
  const char *doc;
  at_form form;
  at_gradient gradient;
  unsigned char autocast[2]; /* an at_autocast_policy on the CPU, and one on CUDA */
  unsigned elementTypes;     /* 1 << AT_FLOAT if the first tensor may be of Float on the CPU, ... */
  int argumentCount, resultCount;
  const at_argument *arguments, *results;
  /* Calls the function.  Returns whether it succeeded, with new references in results; if not, see
   * at_error. */
  bool (*call)(const at_value *arguments, at_value *results);
} at_op;

/* The first operation of that name, or NULL (also for NULL); its overloads follow it. */
AT_API const at_op *at_op_find(const char *name);

/* The version of at_op, at_argument, at_value and of aten-ops.json. */
#define AT_TABLE_VERSION 4
AT_API const int at_tableVersion;

/* All operations, sorted by name. */
AT_API const at_op at_ops[];
AT_API const int at_opCount;

#endif
