/* The rows of src/ops/pointwise.h as loops, for one element type and instruction set. */
#include "THVectorMath.h"

#include "THTemplate.h"

#include "../THPointwise.h"

/* Rows of calls stay scalar, and shortcuts take the place of rows. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#include "THElement.h"

/* --- which rows this type has ---------------------------------------------------------------- */

#define ALL(...) __VA_ARGS__
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT(...) __VA_ARGS__
#define INTEGER(...)
#else
#define FLOAT(...)
#define INTEGER(...) __VA_ARGS__
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED(...)
#else
#define SIGNED(...) __VA_ARGS__
#endif

/* --- loops ----------------------------------------------------------------------------------- */

#define PARAMETERS                                                                     \
  ptrdiff_t n, void *result, const void *first, const void *second, const void *third, \
      const void *scalars

/* OPERANDS declares x, y and z, as many as there are, from the pointers, at element i. */
#define AT(POINTER, I) ((const real *)(POINTER))[I]
#define NO_X
#define AT_X   TH_UNUSED const real x = AT(first, i);
#define AT_XY  AT_X const real y = AT(second, i);
#define AT_XYZ AT_XY const real z = AT(third, i);
#define AT_XA  AT_X const real y = a;

#define LOOP(OPERANDS, RESULT, EXPRESSION)                \
  TH_PRAGMA(omp simd)                                     \
  for (ptrdiff_t i = 0; i < n; i++) {                     \
    OPERANDS((RESULT *)result)[i] = (RESULT)(EXPRESSION); \
  }

#define SCALAR_VALUES                                  \
  TH_UNUSED const real a = ((const real *)scalars)[0]; \
  TH_UNUSED const real b = ((const real *)scalars)[1];

#define FUNCTION(NAME, OPERANDS, RESULT, EXPRESSION) \
  static void row_##NAME(PARAMETERS)                 \
  {                                                  \
    SCALAR_VALUES                                    \
    LOOP(OPERANDS, RESULT, EXPRESSION)               \
  }

/* A stretch is short enough to stay in the first cache between the two loops. */
enum { STRETCH = 1024 };

#define SHORTCUT(NAME, OPERANDS, CONDITION, EXPRESSION)       \
  static void shortcut_##NAME(PARAMETERS)                     \
  {                                                           \
    SCALAR_VALUES                                             \
    for (ptrdiff_t rest = n; rest > 0; rest -= STRETCH) {     \
      n = rest < STRETCH ? rest : STRETCH;                    \
      int all = 1;                                            \
      for (ptrdiff_t i = 0; i < n; i++) {                     \
        OPERANDS all &= (CONDITION);                          \
      }                                                       \
      if (all)                                                \
        LOOP(OPERANDS, real, EXPRESSION)                      \
      else                                                    \
        row_##NAME(n, result, first, second, third, scalars); \
      result = (real *)result + n;                            \
      first = (const real *)first + n;                        \
      second = second ? (const real *)second + n : NULL;      \
    }                                                         \
  }

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...)             TYPES(FUNCTION(NAME, NO_X, real, __VA_ARGS__))
#define ROW(TYPES, COST, NAME, ...)              TYPES(FUNCTION(NAME, AT_X, real, __VA_ARGS__))
#define BINARY(TYPES, COST, NAME, ...)           TYPES(FUNCTION(NAME, AT_XY, real, __VA_ARGS__))
#define SCALED                                   BINARY
#define WEIGHTED                                 BINARY
#define TERNARY(TYPES, COST, NAME, ...)          TYPES(FUNCTION(NAME, AT_XYZ, real, __VA_ARGS__))
#define COMPARE_VALUE(TYPES, COST, NAME, ...)    TYPES(FUNCTION(NAME, AT_XA, uint8_t, __VA_ARGS__))
#define COMPARE_VALUE_T(TYPES, COST, NAME, ...)  TYPES(FUNCTION(NAME, AT_XA, real, __VA_ARGS__))
#define COMPARE_TENSOR(TYPES, COST, NAME, ...)   TYPES(FUNCTION(NAME, AT_XY, uint8_t, __VA_ARGS__))
#define COMPARE_TENSOR_T(TYPES, COST, NAME, ...) TYPES(FUNCTION(NAME, AT_XY, real, __VA_ARGS__))
#define SHORTCUT1(TYPES, NAME, CONDITION, ...)   TYPES(SHORTCUT(NAME, AT_X, CONDITION, __VA_ARGS__))
#define SHORTCUT2(TYPES, NAME, CONDITION, ...)   TYPES(SHORTCUT(NAME, AT_XY, CONDITION, __VA_ARGS__))
/* clang-format on */
#include "ops/pointwise.h"

/* --- the table ------------------------------------------------------------------------------- */

const THPointwiseRow TH_LEVEL_(THTensor_(pointwise))[TH_POINTWISE_ROWS] = {
#define ROW(TYPES, COST, NAME, ...) TYPES([TH_POINTWISE_##NAME] = row_##NAME, )
#define SHORTCUT1(TYPES, NAME, ...) TYPES([TH_POINTWISE_##NAME] = shortcut_##NAME, )
#define SHORTCUT2                   SHORTCUT1
#include "ops/pointwise.h"
};
