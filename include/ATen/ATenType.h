/* Types: a backend and an element type. */
#ifndef ATEN_TYPE_H
#define ATEN_TYPE_H

#include "ATenMacros.h"

typedef enum at_backend { AT_BACKEND_CPU, AT_BACKEND_CUDA, AT_BACKENDS } at_backend;

/* The element types: first those of TH, in its order. */
typedef enum at_scalar_type {
  AT_BYTE,           /* uint8_t */
  AT_CHAR,           /* int8_t */
  AT_SHORT,          /* int16_t */
  AT_INT,            /* int32_t */
  AT_LONG,           /* int64_t */
  AT_FLOAT,          /* float */
  AT_DOUBLE,         /* double */
  AT_HALF,           /* IEEE binary16 */
  AT_BOOL,           /* false and true, a byte each */
  AT_BFLOAT16,       /* bfloat16: the upper half of a float */
  AT_COMPLEX_FLOAT,  /* two floats: real and imaginary part */
  AT_COMPLEX_DOUBLE, /* two doubles */
  AT_UINT16,         /* uint16_t */
  AT_UINT32,         /* uint32_t */
  AT_UINT64,         /* uint64_t */
  AT_SCALAR_TYPES
} at_scalar_type;

/* The Type of that backend and element type; the undefined type and an error if there is none. */
AT_API const at_type *at_getType(at_backend backend, at_scalar_type scalarType);

#define AT_CPU(SCALAR_TYPE) at_getType(AT_BACKEND_CPU, SCALAR_TYPE)

/* The CUDA Type of an element type up to Bool; the first use loads the library for CUDA
 * (ATenCUDA.h). */
#define AT_CUDA(SCALAR_TYPE) at_getType(AT_BACKEND_CUDA, SCALAR_TYPE)

/* The undefined type, which functions return instead of a Type after an error.  Operations with
 * this type as an argument return the undefined tensor and an error; they do not treat it as "not
 * given". */
AT_API const at_type *at_undefinedType(void);

/* Whether type is neither NULL nor the undefined type. */
AT_API bool at_type_defined(const at_type *type);

/* The default of options that are Types: the operation's own choice, such as self's type.  NULL is
 * an error. */
#define AT_DEFAULT_TYPE ((const at_type *)-1)

/* For the undefined type and NULL: AT_BACKENDS, AT_SCALAR_TYPES, 0. */
AT_API at_backend at_type_backend(const at_type *type);
AT_API at_scalar_type at_type_scalarType(const at_type *type);
AT_API size_t at_type_elementSize(const at_type *type);

/* A name such as "CPUFloatType"; "UndefinedType" for the undefined type and NULL. */
AT_API const char *at_type_toString(const at_type *type);

/* The element type that both types promote to, as torch.promote_types; AT_SCALAR_TYPES if there is
 * none: a or b is no element type, or one is UInt16, UInt32 or UInt64 and the other neither the same
 * nor a floating type. */
AT_API at_scalar_type at_promoteTypes(at_scalar_type a, at_scalar_type b);

/* The element type, AT_FLOAT at first, of floating tensors for which none is given: what at_zeros and
 * its family make, what integers become in operations of real numbers (at_exp, at_div), and what they
 * promote to with a floating number.  As torch.get_default_dtype and set_default_dtype, for all
 * threads.  False and an error if type is not AT_FLOAT or AT_DOUBLE. */
AT_API at_scalar_type at_defaultType(void);
AT_API bool at_setDefaultType(at_scalar_type type);

#endif
