/* TH's and THNN's functions, called for an element type that is known at run time:
 *
 *     AT_OF(type, norm)(r->th, t->th, value, dim, keepdim);
 *
 * Each function has a table of its own of the CPU's types, so that a static program carries the functions that its
 * operations call and no others.  A device, which is loaded as a whole, has one of all functions for each type. */
#ifndef ATEN_TYPES_H
#define ATEN_TYPES_H

#include "ATen.h"
#include "TH.h"
#include "TH/pointwise/THPointwise.h"

typedef at_scalar at_number; /* at_scalar before a parenthesis is a macro */
struct THNNGroups;

/* The functions that every Type has. */
typedef struct at_memory {
  /* A new tensor of that shape: a view of the storage of another tensor, or if of is NULL with a
   * storage of its own.  Row-major if stride is NULL. */
  void *(*newShape)(void *of, ptrdiff_t offset, int dims, const int64_t *size,
                    const int64_t *stride);
  /* Changes the shape of t, which keeps its storage; the storage grows if necessary. */
  void (*setShape)(void *t, ptrdiff_t offset, int dims, const int64_t *size, const int64_t *stride);
  void (*exchange)(void *a, void *b); /* exchanges shapes and storages; cannot fail */
  void (*free)(void *t);
  void (*copyFrom[THScalarTypes])(void *r, void *t);
  void (*first)(const void *t, at_scalar *value); /* reads the first element */
  void *(*newStorage)(ptrdiff_t count);
  void (*freeStorage)(void *storage);
  /* For CUDA types: copies to and from a TH tensor of the same element type. */
  void (*toHost)(void *host, void *t);
  void (*fromHost)(void *t, void *host);
} at_memory;

/* --- rows of ops/pointwise.h ------------------------------------------------------------------ */

enum { AT_ROWS = TH_POINTWISE_ROWS };

typedef void (*at_row_function)(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b);

typedef struct at_row_table {
  THPointwise index;
  const THPointwiseKernels *kernels;     /* of the CPU */
  bool compares;                         /* the results are bytes, each 0 or 1 */
  at_row_function onHost[THScalarTypes]; /* NULL for types that do not have the row */
} at_row_table;

/* AT_ROW_add is a row. */
typedef const at_row_table *at_row;

#define ROW(TYPES, COST, NAME, ...) extern const at_row_table AT_ROW_##NAME[1];
#include "ops/pointwise.h"

/* --- all functions of a type of a device ------------------------------------------------------ */

/* Tensors are void *, and scalars at_scalar.  tools/aten/calls writes the list from the table of TH's interface and
 * the header of layers. */
typedef struct at_functions {
  at_row_function rows[AT_ROWS]; /* like the calls below, NULL if the type has no such row */
#define CALL(TYPES, RETURNS, NAME, PARAMETERS, ...) RETURNS(*NAME) PARAMETERS;
#include "ATenCalls.h"
#undef CALL
} at_functions;

/* --- types ------------------------------------------------------------------------------------ */

struct at_type {
  at_backend backend;
  at_scalar_type scalarType;
  /* The TH type: Byte for Bool, Half for BFloat16, Short for UInt16 and so on, Float for
   * ComplexFloat, Double for ComplexDouble, else the same. */
  THScalarType held;
  size_t elementSize;
  const char *name;
  const at_memory *memory;       /* of held; of complex types those in complex/complex.c */
  const at_functions *functions; /* of held, on a device; NULL on the CPU */
};

#define CALL(TYPES, RETURNS, NAME, PARAMETERS, ...) \
  extern RETURNS(*const at_host_##NAME[THScalarTypes]) PARAMETERS;
#include "ATenCalls.h"
#undef CALL

/* The function for the type, NULL if the type has none. */
#define AT_OF(TYPE, NAME) \
  (*((TYPE)->functions ? &(TYPE)->functions->NAME : &at_host_##NAME[(TYPE)->held]))

static inline at_row_function at_rowOf(const at_type *type, at_row row)
{
  return type->functions ? type->functions->rows[row->index] : row->onHost[type->held];
}

#define AT_DECLARE(Real, real, accreal) extern const at_memory at_memory_##Real;
TH_FOR_EACH_TYPE(AT_DECLARE)
#undef AT_DECLARE
extern const at_memory at_memory_ComplexFloat, at_memory_ComplexDouble;
extern const at_memory at_cudaMemory_ComplexFloat, at_cudaMemory_ComplexDouble;

#endif
