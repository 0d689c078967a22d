/* Types: a backend and an element type.  A Type knows the functions for its tensors. */
#ifndef ATEN_TYPE_H
#define ATEN_TYPE_H

#include "ATenMacros.h"

typedef enum at_backend { AT_BACKEND_CPU, AT_BACKEND_CUDA, AT_BACKENDS } at_backend;

/* First TH's types, in order. */
typedef enum at_scalar_type {
  AT_BYTE,     /* uint8_t */
  AT_CHAR,     /* int8_t */
  AT_SHORT,    /* int16_t */
  AT_INT,      /* int32_t */
  AT_LONG,     /* int64_t */
  AT_FLOAT,    /* float */
  AT_DOUBLE,   /* double */
  AT_HALF,     /* IEEE binary16 */
  AT_BOOL,     /* false and true, a byte each */
  AT_BFLOAT16, /* the upper half of a float */
  AT_SCALAR_TYPES
} at_scalar_type;

/* The Type of tensors of that element type there; the undefined type and an error if there is none.
 */
AT_API const at_type *at_getType(at_backend backend, at_scalar_type scalarType);

#define AT_CPU(SCALAR_TYPE) at_getType(AT_BACKEND_CPU, SCALAR_TYPE)

/* Of all element types but BFloat16; the first one loads what CUDA needs (ATenCUDA.h). */
#define AT_CUDA(SCALAR_TYPE) at_getType(AT_BACKEND_CUDA, SCALAR_TYPE)

/* The type that is none: what functions return instead of a Type after an error.  Operations that
 * are given it return the undefined tensor and an error; they never take it for one that is not
 * given. */
AT_API const at_type *at_undefinedType(void);

/* Neither NULL nor the undefined type. */
AT_API bool at_type_defined(const at_type *type);

/* What an option begins with that is a Type: the operation's own choice, such as self's.  NULL is
 * an error. */
#define AT_DEFAULT_TYPE ((const at_type *)-1)

/* Of the undefined type and NULL: AT_BACKENDS, AT_SCALAR_TYPES, 0. */
AT_API at_backend at_type_backend(const at_type *type);
AT_API at_scalar_type at_type_scalarType(const at_type *type);
AT_API size_t at_type_elementSize(const at_type *type);

/* Such as "CPUFloatType"; of the undefined type and NULL "UndefinedType". */
AT_API const char *at_type_toString(const at_type *type);

/* The element type that operands of both types compute in, as torch.promote_types;
 * AT_SCALAR_TYPES if one of them is no element type. */
AT_API at_scalar_type at_promoteTypes(at_scalar_type a, at_scalar_type b);

#endif
