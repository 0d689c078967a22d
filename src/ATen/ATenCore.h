/* What ATen's own files share: the objects, and how a call runs.
 *
 * Inside, ATen is written like TH: what fails raises (THError, THArgCheck), and what is held
 * meanwhile is guarded.  The functions that the table of operations generates are the border: they
 * catch what is raised and turn it into the thread's error. */
#ifndef ATEN_CORE_H
#define ATEN_CORE_H

#include <stdio.h>

#define ATEN_IMPLEMENTATION /* what calls from inside is no place to show */
#include "ATen.h"
#include "TH.h"
#include "THLoop.h"

enum { AT_INPUTS = 3, AT_MOST_DIMS = 64, AT_RESULTS = 8, AT_POOL = 32 };

/* What a scope can own: the first member of the object. */
typedef struct at_owned {
  struct at_owned *next, **place; /* in the list of the scope that owns it, if one does */
  at_scope *scope;                /* that one; read by its thread alone, as next and place */
  const void *thread;             /* whose scope it is, else NULL; atomic */
  void (*release)(struct at_owned *);
} at_owned;

struct at_tensor {
  at_owned owned;
  int refcount;  /* atomic; 0 once freed but for the header, which a scope's list still needs */
  bool isScalar; /* no dimensions; the TH tensor has one, of size 1 */
  const at_type *type;
  THFloatTensor *th; /* of the TH or THC type that holds type's elements; all have these fields */
};

struct at_generator {
  at_backend backend;
  THGenerator *th;
};

struct at_storage {
  int refcount; /* atomic */
  const at_type *type;
  void *th;
};

/* --- types ----------------------------------------------------------------------------------- */

/* The rows of ops/pointwise.h. */
typedef enum at_row {
#define ROW(TYPES, COST, NAME, ...) AT_ROW_##NAME,
#include "ops/pointwise.h"
  AT_ROWS
} at_row;

typedef at_scalar at_number; /* at_scalar before a parenthesis is a macro */
struct THNNGroups;
typedef void (*at_row_function)(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b);

/* TH's and THNN's functions for one TH type, the tensors without their types and numbers as
 * at_scalar: what tools/aten/calls makes of the tables of their interfaces. */
typedef struct at_functions {
  /* A new tensor of that shape: a view of the storage of another, or with a storage of its own.
   * Row-major if stride is NULL. */
  void *(*newShape)(void *of, ptrdiff_t offset, int dims, const int64_t *size,
                    const int64_t *stride);
  /* t itself takes the shape, keeps its storage and lets it grow. */
  void (*setShape)(void *t, ptrdiff_t offset, int dims, const int64_t *size, const int64_t *stride);
  void (*exchange)(void *a, void *b); /* their shapes and storages; cannot fail */
  void (*free)(void *t);
  void (*amax)(void *r, void *t, int dimension, int keepdim);
  void (*amin)(void *r, void *t, int dimension, int keepdim);
  void (*copyFrom[THScalarTypes])(void *r, void *t);
  void (*first)(const void *t, at_scalar *value); /* reads the first element */
  void *(*newStorage)(ptrdiff_t count);
  void (*freeStorage)(void *storage);
  /* Of CUDA's types: copies from and to a TH tensor of the same elements. */
  void (*toHost)(void *host, void *t);
  void (*fromHost)(void *t, void *host);
  /* Of THNN's convolutions in groups. */
  void (*convolve)(const struct THNNGroups *how, void *input, void *output, void *weight,
                   void *bias);
  void (*convolveBackwardData)(const struct THNNGroups *how, void *input, void *gradOutput,
                               void *gradInput, void *weight);
  void (*convolveBackwardWeights)(const struct THNNGroups *how, void *input, void *gradOutput,
                                  void *gradWeight, void *gradBias);
  at_row_function rows[AT_ROWS]; /* NULL where the type has no such row, as each of the following */
#define CALL(TYPES, RETURNS, NAME, PARAMETERS, ...) RETURNS(*NAME) PARAMETERS;
#include "ATenCalls.h"
#undef CALL
} at_functions;

struct at_type {
  at_backend backend;
  at_scalar_type scalarType;
  THScalarType
      held; /* Bool's elements are held in TH's Byte tensors, BFloat16's in those of Half */
  size_t elementSize;
  const char *name;
  const at_functions *functions; /* of held */
};

#define AT_DECLARE(Real, real, accreal) extern const at_functions at_functions_##Real;
TH_FOR_EACH_TYPE(AT_DECLARE)
#undef AT_DECLARE

static inline bool at_isFloating(at_scalar_type type)
{
  return type == AT_HALF || type == AT_FLOAT || type == AT_DOUBLE || type == AT_BFLOAT16;
}

/* Bool, integers, floating numbers: what a result may be stored in is of its category or a higher.
 */
static inline int at_category(at_scalar_type type)
{
  return type == AT_BOOL ? 0 : at_isFloating(type) ? 2 : 1;
}

/* The undefined type, which has no functions. */
extern const at_type at_noType;

/* Such as "Float". */
const char *at_scalarTypeName(at_scalar_type type);

/* The Type of that element type on the backend of like. */
const at_type *at_toScalarType(const at_type *like, at_scalar_type type);

/* The Type of the same elements on the CPU. */
const at_type *at_hostType(const at_type *type);

static inline bool at_isOnHost(const at_type *type)
{
  return type->backend == AT_BACKEND_CPU;
}

/* The element type that the tensors and, if it is not NULL, the number compute in, as
 * torch.result_type: among operands of one category (integers, floats) those with dimensions
 * decide, then those without, then numbers; a higher category always counts. */
at_scalar_type at_resultType(int count, at_tensor *const *tensors, const at_scalar *number);

/* --- tensors --------------------------------------------------------------------------------- */

/* A tensor around th, whose reference it takes over also when it raises. */
at_tensor *at_wrap(const at_type *type, void *th, bool isScalar);

/* An error if those are more dimensions than a tensor has. */
void at_checkDims(int dims);

/* A new tensor, row-major. */
at_tensor *at_newShape(const at_type *type, at_ints sizes);

/* A view of t's storage. */
at_tensor *at_newView(at_tensor *t, ptrdiff_t offset, at_ints sizes, const int64_t *strides);

/* Every element of to takes the value of that of from, of which there are as many. */
void at_convert(at_tensor *to, at_tensor *from);

/* The elements of t for a loop over several tensors. */
void at_addOperand(THLoop *loop, const at_tensor *t);

/* An error if elements of t share memory with each other. */
void at_checkWritable(const at_tensor *t);

/* How the elements of a relate to those of b: the question before something is written while
 * something else is still to be read.  Storages do not answer it: two may hold the same memory. */
THOverlap at_overlap(const at_tensor *a, const at_tensor *b);

/* Whether two results, once they have those sizes, share an element. */
bool at_touch(const at_tensor *a, at_ints sizesOfA, const at_tensor *b, at_ints sizesOfB);

/* A contiguous copy of another element type. */
at_tensor *at_newCast(at_tensor *t, const at_type *type);

/* The element at that place of t's storage; of a CUDA tensor, waits for it. */
at_scalar at_elementAt(const at_tensor *t, ptrdiff_t place);

/* at_data for code of the CPU; an error if t lies elsewhere. */
void *at_hostData(const at_tensor *t);

/* t, or a copy on the CPU, which the guard, entered by this, holds. */
const at_tensor *at_onHost(THGuard *guard, const at_tensor *t);

/* Enters a guard that releases the tensor it will hold. */
void at_guard(THGuard *guard);

/* Temporaries: what is held is released when the function leaves the pool, and when something
 * raises. Pools nest as guards do. */
typedef struct at_pool {
  THGuard guard;
  int count;
  at_tensor *held[AT_POOL];
} at_pool;

void at_pool_enter(at_pool *pool);
at_tensor *at_hold(at_pool *pool, at_tensor *t); /* returns t */
void at_pool_leave(at_pool *pool);

/* Leaves the pool without releasing t, and returns it. */
at_tensor *at_pool_keep(at_pool *pool, at_tensor *t);

/* The sizes as TH's messages show them: "[2 x 3]", and "[]" for no dimensions. */
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
  int back; /* 1 + the device that becomes the current one at the end; 0 if it is */
} at_call;

/* The first of what is done in a call of that name. */
static inline void at_begin(at_call *call, const char *operation)
{
  call->operation = operation;
  call->back = 0;
}

/* Makes t's device the current one until the end of the call. */
void at_useDevice(at_call *call, const at_tensor *t);

static inline void at_onDeviceOf(at_call *call, const at_tensor *t)
{
  if (t && t->type && !at_isOnHost(t->type))
    at_useDevice(call, t);
}

/* Whether other is on another device than t, which is an error. */
bool at_wrongDevice(const char *operation, const char *name, const at_tensor *t,
                    const char *argument, const at_tensor *other);

/* Whether the type, or the operand other, is of t's device; an error if not.  t, the type and other
 * may be NULL, which is on every device. */
bool at_sameDeviceType(const char *operation, const char *name, const at_tensor *t,
                       const char *argument, const at_type *type);

static inline bool at_sameDevice(const char *operation, const char *name, const at_tensor *t,
                                 const char *argument, const at_tensor *other)
{
  return !t || !other || (at_isOnHost(t->type) && at_isOnHost(other->type)) ||
         !at_wrongDevice(operation, name, t, argument, other);
}

/* at_sameDevice for all tensors of a list; if t is NULL, the first of the list stands for it. */
bool at_sameDeviceAll(const char *operation, const char *name, const at_tensor *t,
                      const char *argument, at_tensors list);

/* at_accept of NULL or of the undefined tensor, the one without a type. */
bool at_acceptNone(const char *operation, const char *argument, const at_tensor *t, bool optional);

/* Whether the operand may be computed with: defined, or optional and NULL.  NULL for one that is
 * not optional is an error. */
static inline bool at_accept(const char *operation, const char *argument, const at_tensor *t,
                             bool optional)
{
  return (t && t->type) || at_acceptNone(operation, argument, t, optional);
}

/* The same for all of a list. */
bool at_acceptAll(const char *operation, const char *argument, at_tensors list, bool optional);

/* at_acceptType of NULL or of the undefined type. */
bool at_acceptNoType(const char *operation, const char *argument, const at_type *type,
                     bool optional);

/* Whether the type is one, or optional and not given; an error if not. */
static inline bool at_acceptType(const char *operation, const char *argument, const at_type *type,
                                 bool optional)
{
  return (type && type != &at_noType) || at_acceptNoType(operation, argument, type, optional);
}

/* Whether there are numbers where the list's count says so, and where axes is not 0, as many or one
 * or none; an error if not. */
bool at_acceptInts(const char *operation, const char *argument, at_ints ints, int axes);

/* The number for each axis, in room: those given, one for every axis, or where there are none
 * otherwise; the empty list if that is AT_NONE. */
at_ints at_intsOr(at_ints given, int axes, int64_t otherwise, int64_t *room);

/* An error if it is NULL: a Type or a generator that could not be had. */
bool at_acceptPointer(const char *operation, const char *argument, const void *given);

/* What is given for an option; NULL for the default. */
static inline const at_type *at_typeGiven(const at_type *type)
{
  return type == AT_DEFAULT_TYPE ? NULL : type;
}

static inline at_generator *at_generatorGiven(at_generator *generator)
{
  return generator == AT_DEFAULT_GENERATOR ? NULL : generator;
}

/* The innermost scope takes over the object, if there is a scope; it gives it back. */
void at_own(at_owned *owned);
void at_disown(at_owned *owned);

/* Whether a scope of another thread owns it, whose list only that thread may change. */
bool at_ownedElsewhere(const at_owned *owned);

/* What the call returns: result, which the innermost scope takes over if isNew; after a failure,
 * which becomes the thread's error, the undefined tensor. */
at_tensor *at_return(at_call *call, at_tensor *result, bool isNew);

/* The same for several results, which become undefined after a failure. */
void at_returnAll(at_call *call, int count, at_tensor **results, bool isNew);

/* The same for a list, which is always new; at_noTensors after a failure. */
const at_tensors *at_returnList(at_call *call, const at_tensors *list);
extern const at_tensors at_noTensors;

/* A list of that many entries, all NULL, that owns what will be in its data. */
at_tensors *at_newList(int count);

/* As at_return for what is not a tensor: whether the call failed. */
bool at_failed(at_call *call);

/* An error that no exception of TH raised; the first of a thread is kept. */
void at_fail(at_error_code code, const char *operation, const char *format, ...)
    TH_PRINTF_LIKE(3, 4);

/* How often at_fail was called in this thread: whether something has failed since, also where an
 * error from before is kept. */
unsigned at_failureCount(void);

/* Raises as THError, with a code of its own. */
/* Exported for the part that is loaded for CUDA. */
#define at_raise(CODE, ...) at_raise_from(CODE, __FILE__, __LINE__, __VA_ARGS__)
AT_API TH_NO_RETURN void at_raise_from(at_error_code code, const char *file, int line,
                                       const char *format, ...) TH_PRINTF_LIKE(4, 5);

#endif
