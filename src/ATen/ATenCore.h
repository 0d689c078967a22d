/* What ATen's own files share: the objects, and how a call runs.
 *
 * Inside, ATen is written like TH: what fails raises (THError, THArgCheck), and what is held
 * meanwhile is guarded.  The functions that the table of operations generates are the border: they
 * catch what is raised and turn it into the thread's error. */
#ifndef ATEN_CORE_H
#define ATEN_CORE_H

#include "ATen.h"
#include "TH.h"

enum { AT_INPUTS = 3, AT_MOST_DIMS = 64 };

struct at_tensor {
  int refcount;  /* atomic */
  bool isScalar; /* no dimensions; the TH tensor has one, of size 1 */
  const at_type *type;
  THFloatTensor *th;        /* of the element type of type: all TH tensors have the same fields */
  at_tensor *next, **place; /* in the list of the scope it was made in, if in one */
};

/* --- types ----------------------------------------------------------------------------------- */

/* The rows of ops/pointwise.h. */
typedef enum at_row {
#define ROW(TYPES, COST, NAME, ...) AT_ROW_##NAME,
#include "ops/pointwise.h"
  AT_ROWS
} at_row;

typedef void (*at_row_function)(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b);

/* TH's functions for one element type, the tensors without their types. */
typedef struct at_functions {
  /* A new tensor of that shape: a view of the storage of another, or with a storage of its own.
   * Row-major if stride is NULL. */
  void *(*newShape)(void *of, ptrdiff_t offset, int dims, const int64_t *size,
                    const int64_t *stride);
  /* t itself takes the shape, keeps its storage and lets it grow. */
  void (*setShape)(void *t, ptrdiff_t offset, int dims, const int64_t *size, const int64_t *stride);
  void (*free)(void *t);
  void (*copyFrom[AT_SCALAR_TYPES])(void *r, void *t);
  void (*first)(const void *t, at_scalar *value); /* reads the first element */
  at_row_function rows[AT_ROWS];                  /* NULL where the type has no such row */
} at_functions;

struct at_type {
  at_backend backend;
  at_scalar_type scalarType;
  size_t elementSize;
  const char *name;
  const at_functions *functions;
};

#define AT_DECLARE(Real, real, accreal) extern const at_functions at_functions_##Real;
TH_FOR_EACH_TYPE(AT_DECLARE)
#undef AT_DECLARE

static inline bool at_isFloating(at_scalar_type type)
{
  return type == AT_HALF || type == AT_FLOAT || type == AT_DOUBLE;
}

/* Such as "Float". */
const char *at_scalarTypeName(at_scalar_type type);

/* The Type of that element type beside like: on the same backend. */
const at_type *at_typeBeside(const at_type *like, at_scalar_type type);

/* The element type that the tensors and, if it is not NULL, the number compute in, as
 * torch.result_type: among operands of one category (integers, floats) those with dimensions
 * decide, then those without, then numbers; a higher category always counts. */
at_scalar_type at_resultType(int count, at_tensor *const *tensors, const at_scalar *number);

/* --- tensors --------------------------------------------------------------------------------- */

/* A tensor around th, whose reference it takes over also when it raises. */
at_tensor *at_wrap(const at_type *type, void *th, bool isScalar);

/* A new tensor, row-major. */
at_tensor *at_newShape(const at_type *type, at_ints sizes);

/* A view of t's storage. */
at_tensor *at_newView(at_tensor *t, ptrdiff_t offset, at_ints sizes, const int64_t *strides);

/* A contiguous copy of another element type. */
at_tensor *at_newCast(at_tensor *t, const at_type *type);

/* The element at that place of t's storage. */
at_scalar at_elementAt(const at_tensor *t, ptrdiff_t place);

/* Enters a guard that releases the tensor it will hold. */
void at_guard(THGuard *guard);

/* The sizes as TH's messages show them: "2 x 3", and "no dimensions". */
THDescBuff at_sizeDesc(at_ints sizes);

static inline at_ints at_sizesOf(const at_tensor *t)
{
  at_ints sizes = {t->th->size, t->isScalar ? 0 : t->th->nDimension};
  return sizes;
}

static inline bool at_sameSizes(at_ints a, at_ints b)
{
  bool same = a.count == b.count;
  for (int d = 0; d < a.count && same; d++)
    same = a.data[d] == b.data[d];
  return same;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* A call of a function of the table, between its checks and its return. */
typedef struct at_call {
  THTry attempt;
  const char *operation;
} at_call;

/* Whether the operand may be computed with: defined, or optional and NULL.  NULL for one that is
 * not optional is an error. */
bool at_accept(const char *operation, const char *argument, const at_tensor *t, bool optional);

/* What the call returns: result, which the innermost scope takes over if isNew; after a failure,
 * which becomes the thread's error, the undefined tensor. */
at_tensor *at_return(at_call *call, at_tensor *result, bool isNew);

/* As at_return for what is not a tensor: whether the call failed. */
bool at_failed(at_call *call);

/* An error that no exception of TH raised; the first of a thread is kept. */
void at_fail(at_error_code code, const char *operation, const char *format, ...)
    TH_PRINTF_LIKE(3, 4);

/* Raises as THError, with a code of its own. */
#define at_raise(CODE, ...) at_raise_from(CODE, __FILE__, __LINE__, __VA_ARGS__)
TH_NO_RETURN void at_raise_from(at_error_code code, const char *file, int line, const char *format,
                                ...) TH_PRINTF_LIKE(4, 5);

#endif
