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
 *     THC_DEVICE element THCPointwise_Float_cadd_element(const Scalars *s, element first,
 *                                                        element second)
 *     {
 *       const real a = s->a, b = s->b, x = THC_LOAD(first), y = THC_LOAD(second);
 *       return THC_STORE((real)(x + a * y));
 *     }
 *     THC_MAP(THCPointwise_Float_cadd, element, Scalars, element, element)
 *
 * where an element is what memory holds, and real what is computed with (float for Half). */

#define NAME_OF(NAME) TH_CONCAT_4(THCPointwise_, Real, _, NAME)

/* Expands NAME before THC_MAP pastes it. */
#define MAP(NAME, ...) THC_MAP(NAME, __VA_ARGS__)

#define BEGIN(NAME, OUT, ...)                                                        \
  THC_DEVICE OUT TH_CONCAT_2(NAME_OF(NAME), _element)(const Scalars *s, __VA_ARGS__) \
  {                                                                                  \
    TH_UNUSED const real a = s->a, b = s->b;                                         \
    TH_UNUSED const real x = THC_LOAD(first);
#define END(OUT, STORE, EXPRESSION) \
  return STORE((OUT)(EXPRESSION));  \
  }
#define AS_IS(X) (X)

#define ONE(NAME, OUT, NUMBER, STORE, Y, EXPRESSION) \
  BEGIN(NAME, OUT, element first)                    \
  Y END(NUMBER, STORE, EXPRESSION) MAP(NAME_OF(NAME), OUT, Scalars, element)
#define TWO(NAME, OUT, NUMBER, STORE, EXPRESSION) \
  BEGIN(NAME, OUT, element first, element second) \
  const real y = THC_LOAD(second);                \
  END(NUMBER, STORE, EXPRESSION)                  \
  MAP(NAME_OF(NAME), OUT, Scalars, element, element)
#define THREE(NAME, EXPRESSION)                                      \
  BEGIN(NAME, element, element first, element second, element third) \
  const real y = THC_LOAD(second), z = THC_LOAD(third);              \
  END(real, THC_STORE, EXPRESSION)                                   \
  MAP(NAME_OF(NAME), element, Scalars, element, element, element)

/* clang-format off */
#define FILL(...)  /* no kernel here: fill runs one of THC_fillers */
#define ORDER(...) /* no kernel here: polygamma runs digamma or trigamma */
#define ROW(TYPES, COST, NAME, ...) \
  TYPES(ONE(NAME, element, real, THC_STORE, , (__VA_ARGS__)))
#define BINARY(TYPES, COST, NAME, ...) \
  TYPES(TWO(NAME, element, real, THC_STORE, (__VA_ARGS__)))
#define SCALED   BINARY
#define WEIGHTED BINARY
#define TERNARY(TYPES, COST, NAME, ...) \
  TYPES(THREE(NAME, (__VA_ARGS__)))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) \
  TYPES(ONE(NAME, uint8_t, uint8_t, AS_IS, const real y = a;, (__VA_ARGS__)))
#define COMPARE_VALUE_T(TYPES, COST, NAME, ...) \
  TYPES(ONE(NAME, element, real, THC_STORE, const real y = a;, (__VA_ARGS__)))
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  TYPES(TWO(NAME, uint8_t, uint8_t, AS_IS, (__VA_ARGS__)))
#define COMPARE_TENSOR_T BINARY
/* clang-format on */
#include "ops/pointwise.h"
