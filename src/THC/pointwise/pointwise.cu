/* The rows of src/ops/pointwise.h as kernels, THCPointwise_Real_name. */
#include "thc_math.h"

#include "THC/walk/thc_map.h"

/* The scalars a and b.  Each type's struct has its own name, because template instances that
 * share a name are merged by the linker. */
#define Scalars TH_CONCAT_2(THCScalars_, Real)
typedef struct Scalars {
  real a, b;
} Scalars;

/* --- the rows of this type -------------------------------------------------------------------- */

#define ALL(...)    __VA_ARGS__
#define SIGNED(...) __VA_ARGS__
#ifdef ureal /* the unsigned type: integers alone have one */
#define FLOAT(...)
#define INTEGER(...) __VA_ARGS__
#else
#define FLOAT(...) __VA_ARGS__
#define INTEGER(...)
#endif
#ifdef TH_REAL_IS_HALF
#define BUT_HALF(...)
#else
#define BUT_HALF(...) __VA_ARGS__
#endif

/* --- kernels ---------------------------------------------------------------------------------- */

/* The row SCALED(ALL, CHEAP, cadd, x + a * y), for instance, becomes for Float
 *
 *     THC_DEVICE real THCPointwise_Float_cadd_term(real a, real b, real x, real y, real z)
 *     {
 *       return (real)(x + a * y);
 *     }
 *     THC_MAP_OF(THCPointwise_Float_cadd, of_two<THCPointwise_Float_cadd_term>, element, Scalars,
 *                element, element)
 *
 * where an element is what memory holds, and real what is computed with (float for Half). */

#define NAME_OF(NAME) TH_CONCAT_4(THCPointwise_, Real, _, NAME)
#define TERM(NAME)    TH_CONCAT_2(NAME_OF(NAME), _term)

typedef real Term(real a, real b, real x, real y, real z);
typedef uint8_t Test(real a, real b, real x, real y, real z);

/* An element of a kernel: of one, two or three inputs, or of one compared with a. */
template <Term *term>
THC_DEVICE element of_one(const Scalars *s, element x)
{
  return THC_STORE(term(s->a, s->b, THC_LOAD(x), 0, 0));
}
template <Term *term>
THC_DEVICE element of_two(const Scalars *s, element x, element y)
{
  return THC_STORE(term(s->a, s->b, THC_LOAD(x), THC_LOAD(y), 0));
}
template <Term *term>
THC_DEVICE element of_three(const Scalars *s, element x, element y, element z)
{
  return THC_STORE(term(s->a, s->b, THC_LOAD(x), THC_LOAD(y), THC_LOAD(z)));
}
template <Term *term>
THC_DEVICE element of_value(const Scalars *s, element x)
{
  return THC_STORE(term(s->a, s->b, THC_LOAD(x), s->a, 0));
}
template <Test *test>
THC_DEVICE uint8_t test_value(const Scalars *s, element x)
{
  return test(s->a, s->b, THC_LOAD(x), s->a, 0);
}
template <Test *test>
THC_DEVICE uint8_t test_two(const Scalars *s, element x, element y)
{
  return test(s->a, s->b, THC_LOAD(x), THC_LOAD(y), 0);
}

/* The kernel of an expression of type NUMBER, by one of the functions above; the types of the operands come last. */
/* clang-format off */
#define KERNEL(NAME, NUMBER, EXPRESSION, OF, OUT, ...)                                                  \
  THC_DEVICE NUMBER TERM(NAME)(real a, real b, real x, real y, real z) { return (NUMBER)(EXPRESSION); } \
  THC_MAP_OF(NAME_OF(NAME), OF<TERM(NAME)>, OUT, Scalars, __VA_ARGS__)

#define FILL(...)  /* no kernel here: fill runs one of THC_fillers */
#define ORDER(...) /* no kernel here: polygamma runs digamma or trigamma */
#define ROW(TYPES, COST, NAME, ...) TYPES(KERNEL(NAME, real, (__VA_ARGS__), of_one, element, element))
#define BINARY(TYPES, COST, NAME, ...) \
  TYPES(KERNEL(NAME, real, (__VA_ARGS__), of_two, element, element, element))
#define SCALED   BINARY
#define WEIGHTED BINARY
#define TERNARY(TYPES, COST, NAME, ...) \
  TYPES(KERNEL(NAME, real, (__VA_ARGS__), of_three, element, element, element, element))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) \
  TYPES(KERNEL(NAME, uint8_t, (__VA_ARGS__), test_value, uint8_t, element))
#define COMPARE_VALUE_T(TYPES, COST, NAME, ...) TYPES(KERNEL(NAME, real, (__VA_ARGS__), of_value, element, element))
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  TYPES(KERNEL(NAME, uint8_t, (__VA_ARGS__), test_two, uint8_t, element, element))
#define COMPARE_TENSOR_T BINARY
/* clang-format on */
#include "ops/pointwise.h"
