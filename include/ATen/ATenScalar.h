/* Numbers that are arguments: an integer, a floating number, or either that may be left out. */
#ifndef ATEN_SCALAR_H
#define ATEN_SCALAR_H

#include "ATenMacros.h"

/* An integer keeps all its 64 bits. */
typedef struct at_scalar {
  bool is_float;
  union {
    int64_t integer;
    double number;
  } value;
} at_scalar;

static inline at_scalar at_scalar_long(int64_t value)
{
  at_scalar s;
  s.is_float = false;
  s.value.integer = value;
  return s;
}

static inline at_scalar at_scalar_double(double value)
{
  at_scalar s;
  s.is_float = true;
  s.value.number = value;
  return s;
}

static inline double at_scalar_toDouble(at_scalar s)
{
  return s.is_float ? s.value.number : (double)s.value.integer;
}

/* A number that no int64_t holds becomes the floating number next to it. */
static inline at_scalar at_scalar_unsigned(uint64_t value)
{
  return value <= INT64_MAX ? at_scalar_long((int64_t)value) : at_scalar_double((double)value);
}

static inline at_scalar at_thisScalar(at_scalar s)
{
  return s;
}

/* Of a floating number, the part before the point; it has to fit. */
static inline int64_t at_scalar_toLong(at_scalar s)
{
  return s.is_float ? (int64_t)s.value.number : s.value.integer;
}

/* An argument with a default: all zero means the default. */
typedef struct at_optional {
  bool given;
  at_scalar value;
} at_optional;

static inline at_optional at_opt_scalar(at_scalar value)
{
  at_optional o;
  o.given = true;
  o.value = value;
  return o;
}

static inline at_optional at_opt_long(int64_t value)
{
  return at_opt_scalar(at_scalar_long(value));
}

static inline at_optional at_opt_double(double value)
{
  return at_opt_scalar(at_scalar_double(value));
}

#ifndef __cplusplus
/* What _Generic makes a scalar of a number with: the floating types are these, and what is none of
 * them and no scalar yet is an integer.  A long double is rounded to a double. */
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

/* at_scalar(2) is an integer, at_scalar(2.0) a floating number; so for at_opt. */
#define at_scalar(VALUE) _Generic((VALUE), AT_NUMBER_TO_SCALAR)(VALUE)
#define at_opt(VALUE)    at_opt_scalar(at_scalar(VALUE))
#endif

#endif
