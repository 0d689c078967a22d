/* The Types, and type promotion. */
#include "ATenCore.h"
#include "device.h"

#define ENTRY(TYPE, Name, Held)                                                                    \
  [TYPE] = {AT_BACKEND_CPU,     (at_scalar_type)(TYPE), THScalar##Held, sizeof(TH##Held##Element), \
            "CPU" #Name "Type", &at_functions_##Held},
#define OF_TH(Real, real, accreal)   ENTRY(THScalar##Real, Real, Real)
#define ELEMENT(Real, real, accreal) typedef real TH##Real##Element;
TH_FOR_EACH_TYPE(ELEMENT)

static const at_type types[AT_SCALAR_TYPES] = {TH_FOR_EACH_TYPE(OF_TH) ENTRY(AT_BOOL, Bool, Byte)
                                                   ENTRY(AT_BFLOAT16, BFloat16, Half)};

/* Filled in when CUDA is loaded; BFloat16 has no functions there. */
#define CUDA_ENTRY(TYPE, Name, Held)                                           \
  [TYPE] = {AT_BACKEND_CUDA,           (at_scalar_type)(TYPE), THScalar##Held, \
            sizeof(TH##Held##Element), "CUDA" #Name "Type",    NULL},
#define OF_THC(Real, real, accreal) CUDA_ENTRY(THScalar##Real, Real, Real)

static at_type cudaTypes[AT_SCALAR_TYPES] = {TH_FOR_EACH_TYPE(OF_THC)
                                                 CUDA_ENTRY(AT_BOOL, Bool, Byte)
                                                     CUDA_ENTRY(AT_BFLOAT16, BFloat16, Half)};

#define NAME(Real, real, accreal) [THScalar##Real] = #Real,

static const char *const names[AT_SCALAR_TYPES] = {
    TH_FOR_EACH_TYPE(NAME)[AT_BOOL] = "Bool", [AT_BFLOAT16] = "BFloat16"};

_Static_assert((int)AT_BOOL == (int)THScalarTypes, "ATen's first types are TH's, in order");

const char *at_scalarTypeName(at_scalar_type type)
{
  return names[type];
}

void at_setCUDATypes(const at_device *device)
{
  for (int i = 0; i < AT_SCALAR_TYPES; i++)
    cudaTypes[i].functions = i == AT_BFLOAT16 ? NULL : device->functions[cudaTypes[i].held];
}

static const at_type *cuda_type(at_scalar_type scalarType)
{
  char why[TH_MESSAGE_LENGTH] = "it is not a type of CUDA";
  if (scalarType != AT_BFLOAT16 && at_loadCUDA(why, sizeof why))
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
  if (at_isOnHost(like))
    return &types[type];
  if (!cudaTypes[type].functions)
    at_raise(AT_ERROR_TYPE, "there is no %s", cudaTypes[type].name);
  return &cudaTypes[type];
}

const at_type *at_hostType(const at_type *type)
{
  return at_isOnHost(type) ? type : &types[type->scalarType];
}

/* --- what a type is -------------------------------------------------------------------------- */

const at_type at_noType = {AT_BACKENDS, AT_SCALAR_TYPES, THScalarTypes, 0, "UndefinedType", NULL};

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

/* As torch.promote_types: the narrowest type that holds the values of both, as far as there is
 * one. */
at_scalar_type at_promoteTypes(at_scalar_type a, at_scalar_type b)
{
  if (a < 0 || a >= AT_SCALAR_TYPES || b < 0 || b >= AT_SCALAR_TYPES)
    return AT_SCALAR_TYPES;
  if (a == b)
    return a;
  if (at_category(a) != at_category(b))
    return at_category(a) > at_category(b) ? a : b;
  if (at_isFloating(a)) /* Half and BFloat16 promote to Float */
    return a == AT_DOUBLE || b == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
  if ((a == AT_BYTE && b == AT_CHAR) || (a == AT_CHAR && b == AT_BYTE))
    return AT_SHORT;
  return a > b ? a : b;
}

/* The type that operands of one kind promote to; unset while there is no such operand. */
typedef struct {
  bool any;
  at_scalar_type type;
} Kind;

static void count_in(Kind *kind, at_scalar_type type)
{
  kind->type = kind->any ? at_promoteTypes(kind->type, type) : type;
  kind->any = true;
}

/* Combines two kinds: the lower one counts only if it is of a higher category. */
static Kind over(Kind higher, Kind lower)
{
  if (!higher.any)
    return lower;
  if (lower.any && at_category(lower.type) > at_category(higher.type))
    return lower;
  return higher;
}

at_scalar_type at_resultType(int count, at_tensor *const *tensors, const at_scalar *number)
{
  /* The fast path: most operands are of one type. */
  const at_scalar_type first = count > 0 ? tensors[0]->type->scalarType : AT_BOOL;
  bool same = !number || at_category(first) == 2 || (at_category(first) == 1 && !number->is_float);
  for (int i = 1; same && i < count; i++)
    same = tensors[i]->type->scalarType == first;
  if (same)
    return first;

  Kind arrays = {false, AT_FLOAT}, single = arrays, numbers = arrays;
  for (int i = 0; i < count; i++)
    count_in(tensors[i]->isScalar ? &single : &arrays, tensors[i]->type->scalarType);
  if (number)
    count_in(&numbers, number->is_float ? AT_FLOAT : AT_LONG);
  return over(arrays, over(single, numbers)).type;
}
