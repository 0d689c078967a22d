/* Scalars: arguments that are an integer or a floating number. */
#ifndef ATEN_SCALAR_H
#define ATEN_SCALAR_H

#include <float.h>

#include "ATenMacros.h"

/* A scalar; integers keep all 64 bits. */
typedef struct at_scalar {
  bool is_float;
  bool is_none; /* an optional scalar that is not given */
  union {
    int64_t integer;
    double number;
  } value;
} at_scalar;

static inline at_scalar at_scalar_long(int64_t value)
{
  at_scalar s;
  s.is_float = s.is_none = false;
  s.value.integer = value;
  return s;
}

static inline at_scalar at_scalar_double(double value)
{
  at_scalar s;
  s.is_float = true;
  s.is_none = false;
  s.value.number = value;
  return s;
}

static inline at_scalar at_scalar_none(void)
{
  at_scalar s = at_scalar_long(0);
  s.is_none = true;
  return s;
}

static inline double at_scalar_toDouble(at_scalar s)
{
  return s.is_float ? s.value.number : (double)s.value.integer;
}

/* A value above INT64_MAX becomes the nearest floating number. */
static inline at_scalar at_scalar_unsigned(uint64_t value)
{
  return value <= INT64_MAX ? at_scalar_long((int64_t)value) : at_scalar_double((double)value);
}

static inline at_scalar at_thisScalar(at_scalar s)
{
  return s;
}

/* A floating number is truncated; the result must fit. */
static inline int64_t at_scalar_toLong(at_scalar s)
{
  return s.is_float ? (int64_t)s.value.number : s.value.integer;
}

/* --- what is left out ------------------------------------------------------------------------ */

/* The value of optional integers that are not given, such as argmax's dim. */
#define AT_NONE INT64_MIN

/* Scalar options of a macro are long doubles, which hold every Long and Double.  This one is
 * neither, and stands for "not given". */
#define AT_NO_NUMBER LDBL_MIN

#ifdef __cplusplus
static_assert(LDBL_MANT_DIG >= 64, "long double has to hold every Long and Double");
#else
_Static_assert(LDBL_MANT_DIG >= 64, "long double has to hold every Long and Double");
#endif

/* The scalar: an integer if the number is whole, except for -0.0. */
static inline at_scalar at_scalar_option(long double number)
{
  if (number == AT_NO_NUMBER)
    return at_scalar_none();
  const long double limit = 9223372036854775808.0L;
  if (number >= -limit && number < limit && number == (long double)(int64_t)number &&
      !(number == 0 && __builtin_signbit(number)))
    return at_scalar_long((int64_t)number);
  return at_scalar_double((double)number);
}

/* --- numbers of any C type -------------------------------------------------------------------- */

/* at_scalar(2) is an integer, at_scalar(2.0) a floating number. */
#ifdef __cplusplus
#define at_scalar(VALUE) at_scalar_of(VALUE)
extern "C++" {
static inline at_scalar at_scalar_of(int value)
{
  return at_scalar_long(value);
}
static inline at_scalar at_scalar_of(unsigned value)
{
  return at_scalar_long(value);
}
static inline at_scalar at_scalar_of(long value)
{
  return at_scalar_long(value);
}
static inline at_scalar at_scalar_of(long long value)
{
  return at_scalar_long(value);
}
static inline at_scalar at_scalar_of(unsigned long value)
{
  return at_scalar_unsigned(value);
}
static inline at_scalar at_scalar_of(unsigned long long value)
{
  return at_scalar_unsigned(value);
}
static inline at_scalar at_scalar_of(float value)
{
  return at_scalar_double(value);
}
static inline at_scalar at_scalar_of(double value)
{
  return at_scalar_double(value);
}
static inline at_scalar at_scalar_of(long double value)
{
  return at_scalar_double((double)value);
}
static inline at_scalar at_scalar_of(at_scalar value)
{
  return value;
}
}
#else
/* The floating types of at_scalar(x), for _Generic: values of other types, unless they are scalars,
 * are integers.  A long double is rounded to a double. */
/* clang-format off */
#if defined(__FLT16_MAX__) && (!defined(__clang__) || __clang_major__ >= 15)
__extension__ typedef _Float16 at_float16;
#define AT_FLOAT16_TO_SCALAR at_float16 : at_scalar_double,
#else
#define AT_FLOAT16_TO_SCALAR
#endif
#define AT_NUMBER_TO_SCALAR                                                              \
  float : at_scalar_double, double : at_scalar_double, long double : at_scalar_double,   \
  AT_FLOAT16_TO_SCALAR unsigned long : at_scalar_unsigned,                               \
  unsigned long long : at_scalar_unsigned, at_scalar : at_thisScalar, default : at_scalar_long
/* clang-format on */

#define at_scalar(VALUE) _Generic((VALUE), AT_NUMBER_TO_SCALAR)(VALUE)
#endif

#endif
