/* How the operations are called, in C and in C++.
 *
 *     at_tensor *y = at_add(x, at_mul(x, 3), .alpha = 2);
 *     at_tensor *best = at_argmax(y, .dim = 1, .keepdim = true);
 *     at_tensor *z = at_conv2d(images, weight, .bias = b, .padding = AT_INTS(1));
 *
 * Arguments without a default come first, in order.  Arguments with a default are options, given by
 * name in any order.  An option that is not given has its default; no value stands for "not given":
 * .alpha = 0 is 0.  An option without a name, or with a name that the operation does not have, does
 * not compile.
 *
 * Scalars.  A Scalar argument is an integer or a floating number according to its C type: 2 or
 * 2.0.  A Scalar option is classified by its value: whole numbers are integers (also 2.0, but not
 * -0.0), all others floating numbers.  64-bit integers stay exact.
 *
 * Lists.  AT_INTS(2, 3) is a list of two integers; AT_SHAPE is another name for AT_INTS;
 * AT_DOUBLES(0.5, 2) is a list of floating numbers.  Options
 * with a value for each axis, such as .stride, also take a list of one value for all axes.
 *
 * Each operation is a function, and a macro of the same name that calls the function and records
 * file and line of the call for error messages.  Other languages call the function itself, as
 * (at_add)(x, y, &options) does in C.  Its last parameter is a pointer to the options, or NULL for
 * the defaults; options are initialized with the defaults:
 *
 *     at_add_options options = at_add_defaults;
 *     options.alpha = at_scalar(2);
 *     at_tensor *sum = (at_add)(x, y, &options); */
#ifndef ATEN_CALL_H
#define ATEN_CALL_H

#include "ATenContext.h"
#include "ATenTensor.h"

/* --- what the macros are made of -------------------------------------------------------------- */

/* A name for a variable that no other call uses. */
#define AT_UNIQUE        AT_JOINED(at_unique_, __COUNTER__)
#define AT_JOINED(A, B)  AT_JOINED_(A, B)
#define AT_JOINED_(A, B) A##B

/* Compilers show this line for an invalid option. */
#define AT_OPTION(OPTIONS, GIVEN) \
  (void)((void)0, OPTIONS GIVEN) /* options are given by name, such as .dim = 1 */

#ifdef __cplusplus
#define AT_STATIC_ASSERT static_assert
#define AT_AUTO          auto && /* a reference: objects that convert to a tensor may not be copyable */
#else
#define AT_STATIC_ASSERT _Static_assert
#define AT_AUTO          __auto_type
#endif

/* Checks that no argument is left after the options. */
#define AT_NO_MORE(OPERATION, COUNT, LEFT) \
  AT_STATIC_ASSERT(sizeof(#LEFT) == 1, OPERATION " has " #COUNT " options, and more are given")

/* A Scalar argument. */
#define AT_SCALAR(X) at_scalar(X)

/* Chooses between the overloads for a tensor and for a scalar: at_add(x, y) and at_add(x, 2). */
#ifdef __cplusplus
#define AT_EITHER(X, TENSOR, NUMBER) at_either(at_kind_of(X), TENSOR, NUMBER)
#define AT_OPERAND(X)                at_operand(at_kind_of(X), X)
extern "C++" {
struct at_a_tensor {
}; /* also for objects that convert to a tensor */
struct at_a_number {
};
static inline at_a_tensor at_kind_of(at_tensor *)
{
  return at_a_tensor();
}
template <class X>
auto at_kind_of(X x) -> decltype(at_scalar_of(x), at_a_number())
{
  return at_a_number();
}
template <class Tensor, class Number>
Tensor at_either(at_a_tensor, Tensor forTensor, Number)
{
  return forTensor;
}
template <class Tensor, class Number>
Number at_either(at_a_number, Tensor, Number forNumber)
{
  return forNumber;
}
static inline at_tensor *at_operand(at_a_tensor, at_tensor *t)
{
  return t;
}
template <class X>
at_scalar at_operand(at_a_number, X x)
{
  return at_scalar_of(x);
}
}
#else
#define AT_EITHER(X, TENSOR, NUMBER) \
  _Generic((X), at_tensor *: TENSOR, void *: TENSOR, default: NUMBER)
#define AT_OPERAND(X) \
  _Generic((X), at_tensor *: at_thisTensor, void *: at_thisTensor, AT_NUMBER_TO_SCALAR)(X)
static inline at_tensor *at_thisTensor(at_tensor *t)
{
  return t;
}
#endif

/* --- where a call is ------------------------------------------------------------------------- */

/* The undefined tensor. */
AT_API at_tensor *const at_undefinedTensor;

/* Adds file and line to the message of the call that has just failed, unless a call inside it
 * did. */
AT_API __attribute__((cold)) void at_error_locate(const char *file, int line);

/* Whether any tensor has wanted a gradient: then calls that are recorded are located too. */
AT_API bool at_gradPlaces;

/* at_error_locate if result is undefined; also gives file and line to a call that has just been recorded. */
AT_API __attribute__((cold)) void at_call_locate(const char *file, int line,
                                                 const at_tensor *result);

/* at_call_given, at_call_new and at_call_list return the result of a call at that file and line. */
static inline at_tensor *at_call_given(const char *file, int line, at_tensor *result)
{
  if (__builtin_expect((result == at_undefinedTensor) |
                           __atomic_load_n(&at_gradPlaces, __ATOMIC_RELAXED),
                       0))
    at_call_locate(file, line, result);
  return result;
}

static inline AT_MUST_USE at_tensor *at_call_new(const char *file, int line, at_tensor *result)
{
  return at_call_given(file, line, result);
}

static inline AT_MUST_USE const at_tensors *at_call_list(const char *file, int line,
                                                         const at_tensors *result)
{
  if (__builtin_expect(result->count == 0, 0))
    at_error_locate(file, line);
  else
    (void)at_call_given(file, line, result->data[0]);
  return result;
}

static inline AT_MUST_USE bool at_call_bool(const char *file, int line, bool result)
{
  if (!result)
    at_error_locate(file, line);
  return result;
}

static inline AT_MUST_USE int64_t at_call_long(const char *file, int line, int64_t result)
{
  if (__builtin_expect(result == -1, 0))
    at_error_locate(file, line);
  return result;
}

#endif
