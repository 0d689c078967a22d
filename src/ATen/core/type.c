/* The Types, and type promotion. */
#include <string.h>

#include "ATenCore.h"
#include "device.h"

#define ELEMENT(Real, real, accreal) typedef real TH##Real##Element;
TH_FOR_EACH_TYPE(ELEMENT)
#define OF_TH(Real, real, accreal) X(THScalar##Real, Real, Real, 1, Real)

/* X(type, name, the TH type, how many of its elements one takes, functions of memory). */
#define TYPES                                                   \
  TH_FOR_EACH_TYPE(OF_TH)                                       \
  X(AT_BOOL, Bool, Byte, 1, Byte)                               \
  X(AT_BFLOAT16, BFloat16, Half, 1, Half)                       \
  X(AT_COMPLEX_FLOAT, ComplexFloat, Float, 2, ComplexFloat)     \
  X(AT_COMPLEX_DOUBLE, ComplexDouble, Double, 2, ComplexDouble) \
  X(AT_UINT16, UInt16, Short, 1, Short)                         \
  X(AT_UINT32, UInt32, Int, 1, Int)                             \
  X(AT_UINT64, UInt64, Long, 1, Long)

/* clang-format off */
#define TYPE_OF(BACKEND, TYPE, HELD, BYTES, NAME, MEMORY) \
  [TYPE] = {BACKEND, (at_scalar_type)(TYPE), HELD, BYTES, NAME, MEMORY, NULL},
#define SIZE(Held, PARTS) (PARTS * sizeof(TH##Held##Element))
#define ON_CPU(TYPE, Name, Held, PARTS, Memory) \
  TYPE_OF(AT_BACKEND_CPU, TYPE, THScalar##Held, SIZE(Held, PARTS), "CPU" #Name "Type", &at_memory_##Memory)
#define ON_CUDA(TYPE, Name, Held, PARTS, Memory) \
  TYPE_OF(AT_BACKEND_CUDA, TYPE, THScalar##Held, SIZE(Held, PARTS), "CUDA" #Name "Type", NULL)
/* clang-format on */
#define X ON_CPU
static const at_type types[AT_SCALAR_TYPES] = {TYPES};
#undef X

/* Filled in when CUDA is loaded. */
#define X ON_CUDA
static at_type cudaTypes[AT_SCALAR_TYPES] = {TYPES};
#undef X

#define X(TYPE, Name, Held, PARTS, Memory) [TYPE] = #Name,
static const char *const names[AT_SCALAR_TYPES] = {TYPES};
#undef X

_Static_assert((int)AT_BOOL == (int)THScalarTypes, "ATen's first types are TH's, in order");

const char *at_scalarTypeName(at_scalar_type type)
{
  return names[type];
}

/* BFloat16 has Half's functions of memory but for most copies, and none that compute. */
static at_memory memory_of(const at_memory *half)
{
  at_memory own = *half;
  memset(own.copyFrom, 0, sizeof own.copyFrom);
  own.copyFrom[THScalarHalf] = half->copyFrom[THScalarHalf];
  own.first = NULL;
  return own;
}

void at_setCUDATypes(const at_device *device)
{
  static at_memory bfloat16;
  static const at_functions none;
  bfloat16 = memory_of(device->memory[THScalarHalf]);
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    cudaTypes[i].memory = device->memory[cudaTypes[i].held];
    cudaTypes[i].functions = device->functions[cudaTypes[i].held];
  }
  cudaTypes[AT_BFLOAT16].memory = &bfloat16;
  cudaTypes[AT_COMPLEX_FLOAT].memory = &at_cudaMemory_ComplexFloat;
  cudaTypes[AT_COMPLEX_DOUBLE].memory = &at_cudaMemory_ComplexDouble;
  cudaTypes[AT_BFLOAT16].functions = cudaTypes[AT_COMPLEX_FLOAT].functions =
      cudaTypes[AT_COMPLEX_DOUBLE].functions = &none;
}

static const at_type *cuda_type(at_scalar_type scalarType)
{
  char why[TH_MESSAGE_LENGTH];
  if (at_loadCUDA(why, sizeof why))
    return &cudaTypes[scalarType];
  at_fail(AT_ERROR_TYPE, "getType", "getType: CUDA%sType is not enabled: %s", names[scalarType],
          why);
  return &at_noType;
}

const at_type *at_getType(at_backend backend, at_scalar_type scalarType)
{
  if (scalarType < 0 || scalarType >= AT_SCALAR_TYPES)
    at_fail(AT_ERROR_TYPE, "getType", "getType: there is no element type %d", (int)scalarType);
  else if (backend == AT_BACKEND_CUDA)
    return cuda_type(scalarType);
  else if (backend != AT_BACKEND_CPU)
    at_fail(AT_ERROR_TYPE, "getType", "getType: there is no backend %d", (int)backend);
  else
    return &types[scalarType];
  return &at_noType;
}

const at_type *at_toScalarType(const at_type *like, at_scalar_type type)
{
  if (like->scalarType == type)
    return like;
  return at_isOnHost(like) ? &types[type] : &cudaTypes[type];
}

const at_type *at_hostType(const at_type *type)
{
  return at_isOnHost(type) ? type : &types[type->scalarType];
}

/* --- what a type is -------------------------------------------------------------------------- */

const at_type at_noType = {AT_BACKENDS, AT_SCALAR_TYPES, THScalarTypes, 0, "UndefinedType", NULL,
                           NULL};

const at_type *at_undefinedType(void)
{
  return &at_noType;
}

bool at_type_defined(const at_type *type)
{
  return type && type != &at_noType;
}

bool at_acceptNoType(const char *operation, const char *argument, const at_type *type,
                     bool optional)
{
  if (!type && !optional)
    at_fail(AT_ERROR_NULL, operation, "%s: %s is NULL", operation, argument);
  else if (type)
    at_fail(AT_ERROR_TYPE, operation,
            "%s: %s is the undefined type, which is returned after an error and for no tensor",
            operation, argument);
  return !type && optional;
}

bool at_refuseType(const char *operation, const char *argument, const at_type *type)
{
  at_fail(AT_ERROR_TYPE, operation, "%s: there is no such operation for %s, which is of %s",
          operation, argument, at_scalarTypeName(type->scalarType));
  return false;
}

bool at_takesAll(const char *operation, const char *argument, at_tensors list, unsigned types)
{
  for (int i = 0; i < list.count; i++)
    if (!at_takes(operation, argument, list.data[i], types))
      return false;
  return true;
}

at_backend at_type_backend(const at_type *type)
{
  return type ? type->backend : AT_BACKENDS;
}

at_scalar_type at_type_scalarType(const at_type *type)
{
  return type ? type->scalarType : AT_SCALAR_TYPES;
}

size_t at_type_elementSize(const at_type *type)
{
  return type ? type->elementSize : 0;
}

const char *at_type_toString(const at_type *type)
{
  return type ? type->name : at_noType.name;
}

/* --- promotion ------------------------------------------------------------------------------- */

/* The complex type whose parts hold values of type. */
static at_scalar_type complex_of(at_scalar_type type)
{
  return type == AT_DOUBLE || type == AT_COMPLEX_DOUBLE ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT;
}

/* torch.promote_types: the narrowest type that holds the values of both, as far as there is
 * one. */
at_scalar_type at_promoteTypes(at_scalar_type a, at_scalar_type b)
{
  if (a < 0 || a >= AT_SCALAR_TYPES || b < 0 || b >= AT_SCALAR_TYPES)
    return AT_SCALAR_TYPES;
  if (a == b)
    return a;
  if (at_isUnsigned(a) || at_isUnsigned(b))
    return at_isFloating(a) ? a : at_isFloating(b) ? b : AT_SCALAR_TYPES;
  if (at_isComplex(a) || at_isComplex(b))
    return complex_of(a) > complex_of(b) ? complex_of(a) : complex_of(b);
  if (at_category(a) != at_category(b))
    return at_category(a) > at_category(b) ? a : b;
  if (at_isFloating(a)) /* Half and BFloat16 promote to Float */
    return a == AT_DOUBLE || b == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
  if ((a == AT_BYTE && b == AT_CHAR) || (a == AT_CHAR && b == AT_BYTE))
    return AT_SHORT;
  return a > b ? a : b;
}

static _Atomic(at_scalar_type) defaultType = AT_FLOAT;

at_scalar_type at_defaultType(void)
{
  return defaultType;
}

bool at_setDefaultType(at_scalar_type type)
{
  if (type == AT_FLOAT || type == AT_DOUBLE) {
    defaultType = type;
    return true;
  }
  at_fail(AT_ERROR_TYPE, "setDefaultType", "setDefaultType: type is %s, and not Float or Double",
          at_scalarTypeName(type));
  return false;
}

/* The type that operands of one kind promote to; unset while there is no such operand. */
typedef struct {
  bool any;
  at_scalar_type type;
} Kind;

static void count_in(Kind *kind, at_scalar_type type)
{
  const at_scalar_type both = kind->any ? at_promoteTypes(kind->type, type) : type;
  if (both == AT_SCALAR_TYPES)
    at_raise(AT_ERROR_TYPE, "%s and %s promote to no type", at_scalarTypeName(kind->type),
             at_scalarTypeName(type));
  kind->type = both;
  kind->any = true;
}

/* Combines two kinds: the lower one counts only if it is of a higher category. */
static Kind over(Kind higher, Kind lower)
{
  if (!higher.any)
    return lower;
  if (!lower.any || at_category(lower.type) <= at_category(higher.type))
    return higher;
  if (at_isComplex(lower.type) && at_isFloating(higher.type))
    lower.type = complex_of(higher.type); /* the parts are as wide as the elements */
  else if (at_isUnsigned(lower.type) || at_isUnsigned(higher.type))
    count_in(&lower, higher.type);
  return lower;
}

at_scalar_type at_resultType(int count, at_tensor *const *tensors, const at_scalar *number)
{
  /* The fast path: most operands are of one type. */
  const at_scalar_type first = count > 0 ? tensors[0]->type->scalarType : AT_BOOL;
  bool same = !number || at_category(first) >= 2 || (at_category(first) == 1 && !number->is_float);
  for (int i = 1; same && i < count; i++)
    same = tensors[i]->type->scalarType == first;
  if (same)
    return first;

  Kind arrays = {false, at_defaultType()}, single = arrays, numbers = arrays;
  for (int i = 0; i < count; i++)
    count_in(tensors[i]->isScalar ? &single : &arrays, tensors[i]->type->scalarType);
  if (number)
    count_in(&numbers, number->is_float ? at_defaultType() : AT_LONG);
  return over(arrays, over(single, numbers)).type;
}
