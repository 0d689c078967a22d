/* The objects of ATen and the parts of a call, for all files in src/ATen.
 *
 * Inside, ATen is written like TH: errors are raised (THError, THArgCheck), and objects held
 * meanwhile are guarded.  The functions generated from the table of operations are the border: they
 * catch what is raised and make it the thread's error. */
#ifndef ATEN_CORE_H
#define ATEN_CORE_H

#include <stdio.h>

#define ATEN_IMPLEMENTATION /* calls from inside do not record file and line */
#include "ATen.h"
#include "TH.h"
#include "THLoop.h"
#include "ATen/core/ATenTypes.h"

enum { AT_INPUTS = 3, AT_MOST_DIMS = 64, AT_RESULTS = 8, AT_POOL = 32 };

/* The first member of an object that a scope can own: an entry in the list of a scope. */
typedef struct at_owned {
  struct at_owned *next, **link; /* next entry, and the pointer to this one; NULL without owner */
  at_scope *scope;               /* the owner; read by its thread only, as next and link are */
  const void *thread;            /* the thread of the owner, or NULL; atomic */
  void (*release)(struct at_owned *);
} at_owned;

struct at_tensor {
  at_owned owned;
  int refcount;  /* atomic; 0 if only the header is left, for a scope's list */
  bool isScalar; /* no dimensions; the TH tensor has one, of size 1 */
  bool isSaved;  /* made of what was saved for a gradient */
  const at_type *type;
  THFloatTensor *th;    /* a tensor of TH or THC, which all have the fields of THFloatTensor */
  struct at_node *node; /* what made it, or its own if it is a leaf; NULL if it wants no gradient */
  int output;           /* which result of node it is */
  struct at_family *family;        /* the views of a tensor that it is one of, or NULL */
  struct at_tensor *next, *before; /* in the family, or in the ring of views without gradient */
};

struct at_generator {
  at_backend backend;
  THGenerator *th; /* of the CPU */
  void *ofDevice;  /* of CUDA: the generator of a device; NULL is that of the current device */
};

struct at_storage {
  int refcount; /* atomic */
  const at_type *type;
  void *th;
};

/* --- types ----------------------------------------------------------------------------------- */

static inline bool at_isFloating(at_scalar_type type)
{
  return type == AT_HALF || type == AT_FLOAT || type == AT_DOUBLE || type == AT_BFLOAT16;
}

static inline bool at_isComplex(at_scalar_type type)
{
  return type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE;
}

/* The integers that are unsigned and wider than Byte. */
static inline bool at_isUnsigned(at_scalar_type type)
{
  return type == AT_UINT16 || type == AT_UINT32 || type == AT_UINT64;
}

/* 0 for Bool, 1 for integers, 2 for floating types, 3 for complex ones.  A result may be stored in a
 * type of its category or of a higher one. */
static inline int at_category(at_scalar_type type)
{
  return type == AT_BOOL ? 0 : at_isFloating(type) ? 2 : at_isComplex(type) ? 3 : 1;
}

/* The elements of the TH storage, each of the type held, that one element of type takes: 2 for
 * complex types.  Offsets and strides of tensors count elements of type. */
static inline int at_partsOf(const at_type *type)
{
  return at_isComplex(type->scalarType) ? 2 : 1;
}

/* The element types that every operation may get; those after them only where the row says so. */
enum { AT_COMMON_TYPES = (1 << AT_COMPLEX_FLOAT) - 1 };

/* The undefined type, which has no functions. */
extern const at_type at_noType;

/* The name of the type, such as "Float". */
const char *at_scalarTypeName(at_scalar_type type);

/* The Type of that element type on the backend of like. */
const at_type *at_toScalarType(const at_type *like, at_scalar_type type);

/* The Type of the same element type on the CPU. */
const at_type *at_hostType(const at_type *type);

static inline bool at_isOnHost(const at_type *type)
{
  return type->backend == AT_BACKEND_CPU;
}

/* The element type that the tensors and the scalar (unless NULL) promote to, as torch.result_type:
 * the highest category (Bool, integers, floats) wins, and within a category tensors with dimensions
 * take precedence over tensors without, and those over the scalar. */
at_scalar_type at_resultType(int count, at_tensor *const *tensors, const at_scalar *number);

/* --- tensors --------------------------------------------------------------------------------- */

/* A tensor that wraps th.  It takes over the reference to th, also if it raises. */
at_tensor *at_wrap(const at_type *type, void *th, bool isScalar);

/* Raises if a tensor cannot have so many dimensions. */
void at_checkDims(int dims);

/* A new tensor, row-major. */
at_tensor *at_newShape(const at_type *type, at_ints sizes);

/* A view of t's storage. */
at_tensor *at_newView(at_tensor *t, ptrdiff_t offset, at_ints sizes, const int64_t *strides);

/* Copies the elements of from to to, in row-major order, with conversion; both have the same number
 * of elements. */
void at_convert(at_tensor *to, at_tensor *from);

/* Adds t as an operand to a loop over several tensors. */
void at_addOperand(THLoop *loop, const at_tensor *t);

/* Raises if elements of t share memory with each other. */
void at_checkWritable(const at_tensor *t);

/* How the elements of a and b overlap in memory, to be asked before one is written while the other
 * is still read.  To compare storages is not enough: two storages may hold the same memory. */
THOverlap at_overlap(const at_tensor *a, const at_tensor *b);

/* Whether two results will share an element once they have those sizes. */
bool at_touch(const at_tensor *a, at_ints sizesOfA, const at_tensor *b, at_ints sizesOfB);

/* A contiguous copy of another element type. */
at_tensor *at_newCast(at_tensor *t, const at_type *type);

/* The element at that offset in t's storage; waits for the device if t is a CUDA tensor. */
at_scalar at_elementAt(const at_tensor *t, ptrdiff_t offset);

/* The parts of the element of a complex tensor on the CPU at that offset. */
void at_parts(const at_tensor *t, ptrdiff_t offset, double *re, double *im);

/* at_data for code that runs on the CPU; raises if t is not on the CPU. */
void *at_hostData(const at_tensor *t);

/* t itself or a copy on the CPU, which the guard holds; this function enters the guard. */
const at_tensor *at_onHost(THGuard *guard, const at_tensor *t);

/* Enters a guard that releases the tensor in guard->what. */
void at_guard(THGuard *guard);

/* Temporaries of a function: the tensors that a pool holds are released when the function leaves
 * the pool or an error is raised.  Pools nest as guards do. */
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

/* --- gradients ------------------------------------------------------------------------------- */

/* Whether a call may have to be recorded, because the operand wants a gradient. */
static inline bool at_isTracked(const at_tensor *t)
{
  return t && t->node;
}

static inline bool at_isAnyTracked(at_tensors list)
{
  for (int i = 0; i < list.count; i++)
    if (at_isTracked(list.data[i]))
      return true;
  return false;
}

/* Ends t's part in its family. */
void at_family_leave(at_tensor *t);

/* Notes that view, which is returned, shares the memory of base, if gradients may come to it later. */
at_tensor *at_family_see(at_tensor *base, at_tensor *view);

/* Whether this thread records: not inside AT_NO_GRAD. */
bool at_isRecording(void);

/* How often ATen has changed elements of the storage, up to a constant.  The count is kept in the two
 * bytes before the allocator, which TH and THC do not use. */
static inline unsigned short *at_version(THFloatStorage *storage)
{
  _Static_assert(offsetof(THFloatStorage, allocator) >= offsetof(THFloatStorage, flag) + 4,
                 "there is room behind flag");
  return (unsigned short *)&storage->allocator - 1;
}

/* Whether this thread is in inference mode, and whether a storage was made there: the byte between flag and
 * the count of changes. */
extern _Thread_local bool at_isInferring __attribute__((tls_model("initial-exec")));

static inline char *at_inferenceMark(THFloatStorage *storage)
{
  return (char *)at_version(storage) - 1;
}

/* The number of elements of a tensor of these sizes, which a tensor has. */
static inline int64_t at_countIn(at_ints sizes)
{
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  return count;
}

/* How often the memory of t has been changed; 0 for tensors without memory. */
static inline unsigned short at_versionOf(const at_tensor *t)
{
  return t->th->storage ? *at_version(t->th->storage) : 0;
}

/* Counts a change of t's elements, which makes what was saved of them useless. */
static inline void at_countChange(const at_tensor *t)
{
  if (!t->th->storage)
    return;
  unsigned short *const version = at_version(t->th->storage);
  __atomic_store_n(version, (unsigned short)(__atomic_load_n(version, __ATOMIC_RELAXED) + 1),
                   __ATOMIC_RELAXED);
}

/* Reports that the operation, or this form of it, cannot be recorded. */
void at_refuse(const char *operation);

/* --- mixed precision ------------------------------------------------------------------------- */

/* A call whose operands are cast, or copied to the device of the others. */
typedef struct at_casting {
  const at_type *type; /* or NULL */
  int device;
  bool failed;
  unsigned char before[2]; /* autocast of the thread, which is off until the end */
  int count;
  at_tensor *made[16]; /* the casts of single operands */
  int listCount;
  at_tensors lists[4]; /* copies of lists, with casts in them */
} at_casting;

/* Whether autocast is on and casts operands of an operation with the policies; then at_casting_end
 * comes after the casts and the call.  The tensors are those among the operands, list the first list. */
bool at_casting_begin(at_casting *casting, at_autocast_policy cpu, at_autocast_policy cuda,
                      int count, at_tensor *const *tensors, at_tensors list);
at_tensor *at_casting_one(at_casting *casting, at_tensor *t);
at_tensors at_casting_all(at_casting *casting, at_tensors list);
void at_casting_end(at_casting *casting);

/* Whether operands of the CPU are copied to the device of others, as PyTorch takes them there: tensors
 * without dimensions, and those of the list, which are indices (list is empty where an operation has none).
 * The first `written` tensors are written to and stay.  Then at_casting_end comes after the call. */
__attribute__((cold)) bool at_bringing_begin(at_casting *casting, int written, int count,
                                             at_tensor *const *tensors, at_tensors list);

/* --- calls ----------------------------------------------------------------------------------- */

/* A call of an operation, between its checks and its return. */
typedef struct at_call {
  THTry attempt;
  const char *operation;
  int back; /* 1 + the device to make current again at the end, or 0 */
} at_call;

/* Begins a call of that name. */
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

/* Whether t is defined, in the CPU's memory and of one of the types that every operation takes: of
 * such tensors nothing more is checked. */
static inline bool at_isCommon(const at_tensor *t)
{
  return t && t->type && at_isOnHost(t->type) && t->type->scalarType < AT_COMPLEX_FLOAT;
}

/* Whether an operand, which may be left out, is complex. */
static inline bool at_isComplexOperand(const at_tensor *t)
{
  return t && t->type && at_isComplex(t->type->scalarType);
}

/* Whether an operation takes its tensors: those that have to be there are, all are of the common
 * types or of the bits of further, and on the device of the first unless further has AT_ANY_DEVICE;
 * an error if not.  arguments are the rows of the operation, of which others than tensors are
 * skipped. */
#define AT_ANY_DEVICE (1U << 31)
__attribute__((cold)) bool at_admits(const char *operation, const at_argument *arguments,
                                     unsigned further, int count, const at_tensor *const *tensors);

/* The slow path of at_accept: t is NULL or the undefined tensor, which has no type. */
bool at_acceptNone(const char *operation, const char *argument, const at_tensor *t, bool optional);

/* Whether the operand is defined, or optional and NULL.  NULL is an error if the operand is not
 * optional. */
static inline bool at_accept(const char *operation, const char *argument, const at_tensor *t,
                             bool optional)
{
  return (t && t->type) || at_acceptNone(operation, argument, t, optional);
}

/* The slow path of at_takes: an error. */
bool at_refuseType(const char *operation, const char *argument, const at_type *type);

/* Whether the type is one of the bits of types, or of the common ones, or NULL; an error if not. */
static inline bool at_takesType(const char *operation, const char *argument, const at_type *type,
                                unsigned types)
{
  return !type || type->scalarType < AT_COMPLEX_FLOAT || type->scalarType == AT_SCALAR_TYPES ||
         (types >> type->scalarType & 1) || at_refuseType(operation, argument, type);
}

/* at_takesType for the type of an operand, and for the types of all operands of a list; NULL is accepted. */
static inline bool at_takes(const char *operation, const char *argument, const at_tensor *t,
                            unsigned types)
{
  return !t || at_takesType(operation, argument, t->type, types);
}

bool at_takesAll(const char *operation, const char *argument, at_tensors list, unsigned types);

/* Whether the operand is of one of the bits of types, and of no other; an error if not. */
static inline bool at_isOfTypes(const char *operation, const char *argument, const at_tensor *t,
                                unsigned types)
{
  return (types >> t->type->scalarType & 1) || at_refuseType(operation, argument, t->type);
}

/* at_accept for all tensors of a list. */
bool at_acceptAll(const char *operation, const char *argument, at_tensors list, bool optional);

/* The slow path of at_acceptType: type is NULL or the undefined type. */
bool at_acceptNoType(const char *operation, const char *argument, const at_type *type,
                     bool optional);

/* Whether the type is one, or optional and not given; an error if not. */
static inline bool at_acceptType(const char *operation, const char *argument, const at_type *type,
                                 bool optional)
{
  return (type && type != &at_noType) || at_acceptNoType(operation, argument, type, optional);
}

/* Whether the list has data for its count and, if axes is not 0, a count of 0, 1 or axes; an error
 * if not. */
bool at_acceptInts(const char *operation, const char *argument, at_ints ints, int axes);

/* Whether the list has data for its count; an error if not. */
bool at_acceptDoubles(const char *operation, const char *argument, at_doubles doubles);

/* A value for each axis, in buffer: the given ones, or the given one for every axis.  If none is
 * given all are otherwise, or the list stays empty if otherwise is AT_NONE. */
at_ints at_intsOr(at_ints given, int axes, int64_t otherwise, int64_t *buffer);

/* Whether a Type or generator is not NULL, which an earlier error may have caused; an error if it
 * is. */
bool at_acceptPointer(const char *operation, const char *argument, const void *given);

/* The value of an option; NULL if it is the default. */
static inline const at_type *at_typeGiven(const at_type *type)
{
  return type == AT_DEFAULT_TYPE ? NULL : type;
}

static inline at_generator *at_generatorGiven(at_generator *generator)
{
  return generator == AT_DEFAULT_GENERATOR ? NULL : generator;
}

/* A generator of CUDA that was given: draws of this thread on devices come from it until at_generator_unchoose. */
void *at_generatorOnDevice(void *ofDevice);

static inline void *at_generator_choose(const at_generator *given)
{
  return given && given != AT_DEFAULT_GENERATOR && given->ofDevice
             ? at_generatorOnDevice(given->ofDevice)
             : NULL;
}

static inline void at_generator_unchoose(const at_generator *given, void *before)
{
  if (given && given != AT_DEFAULT_GENERATOR && given->ofDevice)
    at_generatorOnDevice(before);
}

/* at_own adds the object to the innermost scope, if there is one; at_disown removes the object from
 * its scope. */
void at_own(at_owned *owned);
void at_disown(at_owned *owned);

/* Whether a scope of another thread owns the object; only that thread may change the list of the
 * scope. */
bool at_ownedElsewhere(const at_owned *owned);

/* Ends a call.  Returns result, which the innermost scope takes over if isNew.  If the call failed,
 * the failure becomes the thread's error, and the undefined tensor is returned. */
at_tensor *at_return(at_call *call, at_tensor *result, bool isNew);

/* at_return for several results, which all become undefined after a failure. */
void at_returnAll(at_call *call, int count, at_tensor **results, bool isNew);

/* at_return for a list, which is always new; returns at_noTensors after a failure. */
const at_tensors *at_returnList(at_call *call, const at_tensors *list);

/* at_escape for an object that is owned, and for a list. */
void at_escapeOwned(at_owned *owned);
const at_tensors *at_escapeList(const at_tensors *list);
extern const at_tensors at_noTensors;

/* A list of count entries, all NULL.  It owns the tensors that will be stored in its data. */
at_tensors *at_newList(int count);

/* Ends a call that returns no tensor.  Returns whether it failed. */
bool at_failed(at_call *call);

/* Reports an error without raising.  The thread's first error is kept.  Exported for
 * libATenDistributed. */
AT_API void at_fail(at_error_code code, const char *operation, const char *format, ...)
    TH_PRINTF_LIKE(3, 4);

/* How often at_fail was called in this thread.  It tells whether something failed in between, even
 * if an earlier error is kept. */
unsigned at_failureCount(void);

/* Puts the file of a program and the number of a node, once, before the message of the thread's error, for the line of
 * the library that called the operation. */
void at_error_locateNode(const char *file, int number);

/* Adds to the message of the thread's error, once, in which module it was made. */
void at_error_inside(const char *owner);

/* Raises like THError, with an error code.  Exported for libATenCUDA. */
#define at_raise(CODE, ...) at_raise_from(CODE, __FILE__, __LINE__, __VA_ARGS__)
AT_API TH_NO_RETURN void at_raise_from(at_error_code code, const char *file, int line,
                                       const char *format, ...) TH_PRINTF_LIKE(4, 5);

#endif
