/* The rows of src/ops/pointwise.h as loops, for one element type and instruction set. */
#include "THVectorMath.h"

#include "THTemplate.h"

#include "../THPointwise.h"
#include "THStream.h"

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
      const void *scalars, int streams

/* OPERANDS declares x, y and z, as many as there are, from the pointers, at element i. */
#define AT(POINTER, I) ((const real *)(POINTER))[I]
#define NO_X
#define AT_X   TH_UNUSED const real x = AT(first, i);
#define AT_XY  AT_X const real y = AT(second, i);
#define AT_XYZ AT_XY const real z = AT(third, i);
#define AT_XA  AT_X const real y = a;

static __attribute__((noinline)) void sendPiece(void *to, const void *from, size_t bytes)
{
  THStream_copy(to, from, bytes);
}

#define SCALAR_VALUES                                  \
  TH_UNUSED const real a = ((const real *)scalars)[0]; \
  TH_UNUSED const real b = ((const real *)scalars)[1];

/* A result that streams is computed in short pieces, which are sent from a buffer while they are in
 * the first cache; any other is one piece, computed in place. */
#define FUNCTION(NAME, OPERANDS, RESULT, EXPRESSION)                                          \
  static void row_##NAME(PARAMETERS)                                                          \
  {                                                                                           \
    SCALAR_VALUES                                                                             \
    enum { PIECE = TH_STREAM_PIECE / sizeof(RESULT) };                                        \
    _Alignas(TH_STREAM_LINE) RESULT buffer[PIECE];                                            \
    RESULT *const r = (RESULT *)result, *const to = streams ? buffer : r;                     \
    ptrdiff_t end = streams ? THStream_first(r, sizeof(RESULT), n) : n;                       \
    for (ptrdiff_t from = 0; from < n; from = end, end = n - end < PIECE ? n : end + PIECE) { \
      TH_PRAGMA(omp simd)                                                                     \
      for (ptrdiff_t i = from; i < end; i++) {                                                \
        OPERANDS to[i - from] = (RESULT)(EXPRESSION);                                         \
      }                                                                                       \
      if (to != r + from)                                                                     \
        sendPiece(r + from, to, (size_t)(end - from) * sizeof(RESULT));                       \
    }                                                                                         \
  }

/* A stretch is short enough to stay in the first cache between the two loops. */
enum { STRETCH = 1024 };

#define SHORTCUT(NAME, OPERANDS, CONDITION, EXPRESSION)                                           \
  FUNCTION(NAME##_shortcut, OPERANDS, real, EXPRESSION)                                           \
  static void shortcut_##NAME(PARAMETERS)                                                         \
  {                                                                                               \
    SCALAR_VALUES                                                                                 \
    for (ptrdiff_t from = 0; from < n; from += STRETCH) {                                         \
      const ptrdiff_t end = n - from < STRETCH ? n : from + STRETCH;                              \
      int all = 1;                                                                                \
      for (ptrdiff_t i = from; i < end; i++) {                                                    \
        OPERANDS all &= (CONDITION);                                                              \
      }                                                                                           \
      (all ? row_##NAME##_shortcut : row_##NAME)(                                                 \
          end - from, (real *)result + from, &AT(first, from), second ? &AT(second, from) : NULL, \
          third, scalars, streams);                                                               \
    }                                                                                             \
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
