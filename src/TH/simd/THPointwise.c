/* The kernels of src/ops/pointwise.h for one element type and instruction set. */
#include "THTemplate.h"

#include "../THPointwise.h"

/* --- what the expressions use ---------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT)
#define TH_MATH(NAME) TH_CONCAT_2(NAME, f)
#else
#define TH_MATH(NAME) NAME
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

#define TH_ABS(X)          TH_MATH(fabs)(X)
#define TH_DIVIDE(X, Y)    ((X) / (Y))
#define TH_FMOD(X, Y)      TH_MATH(fmod)(X, Y)
#define TH_REMAINDER(X, Y) floored_remainder(X, Y)
#define TH_LSHIFT(X, Y)    ((X)*TH_MATH(exp2)(Y))
#define TH_RSHIFT(X, Y)    ((X) / TH_MATH(exp2)(Y))

/* With the sign of the divisor. */
static inline real floored_remainder(real x, real y)
{
  const real m = TH_MATH(fmod)(x, y);
  return m != 0 && (m < 0) != (y < 0) ? m + y : m;
}

#else

#define TH_ABS(X)          ((X) < 0 ? -(X) : (X))
#define TH_DIVIDE(X, Y)    divide(X, Y)
#define TH_FMOD(X, Y)      modulo(X, Y)
#define TH_REMAINDER(X, Y) floored_remainder(X, Y)
#define TH_LSHIFT(X, Y)    lshift(X, Y)
#define TH_RSHIFT(X, Y)    rshift(X, Y)

enum { BITS = 8 * sizeof(real) };

/* The least integer divided by -1 would trap; it wraps to itself. */
static inline int is_minus_one(real y)
{
  return (real)-1 < 0 && y == (real)-1;
}

static inline real divide(real x, real y)
{
  return is_minus_one(y) ? (real)(0 - (ureal)x) : (real)(x / y);
}

static inline real modulo(real x, real y)
{
  return is_minus_one(y) ? 0 : (real)(x % y);
}

static inline real floored_remainder(real x, real y)
{
  const real m = modulo(x, y);
  return m != 0 && (m < 0) != (y < 0) ? (real)(m + y) : m;
}

/* As today's PyTorch: a count below 0 or beyond the width shifts everything out. */
static inline real lshift(real x, real y)
{
  return y < 0 || y >= BITS ? 0 : (real)((ureal)x << y);
}

static inline real rshift(real x, real y)
{
  const int beyond = y < 0 || y >= BITS;
  if ((real)-1 > 0) /* unsigned */
    return beyond ? 0 : (real)(x >> y);
  return (real)(x >> (beyond ? BITS - 1 : y));
}

#endif

/* A NaN on either side is the result. */
#define TH_MAX(X, Y) ((X) > (Y) || (X) != (X) ? (X) : (Y))
#define TH_MIN(X, Y) ((X) < (Y) || (X) != (X) ? (X) : (Y))

/* --- loops ----------------------------------------------------------------------------------- */

/* Row j of operand K. */
#define ROW(TYPE, K) ((TYPE *)run->at[K] + j * run->jump[K])

/* A kernel for each number of inputs; the rows that lie in memory as they are walked become vector
 * code, and so do those with a second input that is one element repeated. */
#define KERNEL0(NAME, RESULT, ...)                        \
  static void NAME(const THRun *run, const void *scalars) \
  {                                                       \
    TH_UNUSED const real a = ((const real *)scalars)[0];  \
    const RESULT value = (RESULT)(__VA_ARGS__);           \
    const ptrdiff_t n = run->n, dr = run->step[0];        \
    for (ptrdiff_t j = 0; j < run->rows; j++) {           \
      RESULT *r = ROW(RESULT, 0);                         \
      if (dr == 1) {                                      \
        for (ptrdiff_t i = 0; i < n; i++)                 \
          r[i] = value;                                   \
      } else {                                            \
        for (ptrdiff_t i = 0; i < n; i++)                 \
          r[i * dr] = value;                              \
      }                                                   \
    }                                                     \
  }

#define KERNEL1(NAME, RESULT, ...)                                                       \
  static void NAME(const THRun *run, const void *scalars)                                \
  {                                                                                      \
    TH_UNUSED const real a = ((const real *)scalars)[0], b = ((const real *)scalars)[1]; \
    const ptrdiff_t n = run->n, dr = run->step[0], dx = run->step[1];                    \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                                          \
      RESULT *r = ROW(RESULT, 0);                                                        \
      const real *px = ROW(const real, 1);                                               \
      if (dr == 1 && dx == 1) {                                                          \
        TH_PRAGMA(omp simd)                                                              \
        for (ptrdiff_t i = 0; i < n; i++) {                                              \
          const real x = px[i];                                                          \
          r[i] = (RESULT)(__VA_ARGS__);                                                  \
        }                                                                                \
      } else {                                                                           \
        for (ptrdiff_t i = 0; i < n; i++) {                                              \
          const real x = px[i * dx];                                                     \
          r[i * dr] = (RESULT)(__VA_ARGS__);                                             \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
  }

#define KERNEL2(NAME, RESULT, ...)                                                       \
  static void NAME(const THRun *run, const void *scalars)                                \
  {                                                                                      \
    TH_UNUSED const real a = ((const real *)scalars)[0];                                 \
    const ptrdiff_t n = run->n, dr = run->step[0], dx = run->step[1], dy = run->step[2]; \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                                          \
      RESULT *r = ROW(RESULT, 0);                                                        \
      const real *px = ROW(const real, 1), *py = ROW(const real, 2);                     \
      if (dr == 1 && dx == 1 && dy == 1) {                                               \
        TH_PRAGMA(omp simd)                                                              \
        for (ptrdiff_t i = 0; i < n; i++) {                                              \
          const real x = px[i], y = py[i];                                               \
          r[i] = (RESULT)(__VA_ARGS__);                                                  \
        }                                                                                \
      } else if (dr == 1 && dx == 1 && dy == 0) {                                        \
        const real y = *py;                                                              \
        TH_PRAGMA(omp simd)                                                              \
        for (ptrdiff_t i = 0; i < n; i++) {                                              \
          const real x = px[i];                                                          \
          r[i] = (RESULT)(__VA_ARGS__);                                                  \
        }                                                                                \
      } else {                                                                           \
        for (ptrdiff_t i = 0; i < n; i++) {                                              \
          const real x = px[i * dx], y = py[i * dy];                                     \
          r[i * dr] = (RESULT)(__VA_ARGS__);                                             \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
  }

#define KERNEL3(NAME, RESULT, ...)                                                             \
  static void NAME(const THRun *run, const void *scalars)                                      \
  {                                                                                            \
    const real a = ((const real *)scalars)[0];                                                 \
    const ptrdiff_t n = run->n, dr = run->step[0], dx = run->step[1], dy = run->step[2],       \
                    dz = run->step[3];                                                         \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                                                \
      RESULT *r = ROW(RESULT, 0);                                                              \
      const real *px = ROW(const real, 1), *py = ROW(const real, 2), *pz = ROW(const real, 3); \
      if (dr == 1 && dx == 1 && dy == 1 && dz == 1) {                                          \
        TH_PRAGMA(omp simd)                                                                    \
        for (ptrdiff_t i = 0; i < n; i++) {                                                    \
          const real x = px[i], y = py[i], z = pz[i];                                          \
          r[i] = (RESULT)(__VA_ARGS__);                                                        \
        }                                                                                      \
      } else {                                                                                 \
        for (ptrdiff_t i = 0; i < n; i++) {                                                    \
          const real x = px[i * dx], y = py[i * dy], z = pz[i * dz];                           \
          r[i * dr] = (RESULT)(__VA_ARGS__);                                                   \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

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

/* --- the rows as functions ------------------------------------------------------------------- */

/* clang-format off */
#define FILL(TYPES, NAME, ...) TYPES(KERNEL0(row_##NAME, real, __VA_ARGS__))
#define ROW1(TYPES, NAME, ...) TYPES(KERNEL1(row_##NAME, real, __VA_ARGS__))
#define ROW2(TYPES, NAME, ...) TYPES(KERNEL2(row_##NAME, real, __VA_ARGS__))
#define ROW3(TYPES, NAME, ...) TYPES(KERNEL3(row_##NAME, real, __VA_ARGS__))
#define UNARY ROW1
#define SCALAR ROW1
#define SCALAR_DIVIDES ROW1
#define SCALAR_BITS ROW1
#define SCALAR2 ROW1
#define SCALAR_FIRST ROW1
#define BINARY ROW2
#define BINARY_DIVIDES ROW2
#define BINARY_BITS ROW2
#define BINARY_SCALED ROW2
#define BINARY_WEIGHTED ROW2
#define TERNARY_SCALED ROW3
#define TERNARY_SCALED_DIVIDES ROW3
#define COMPARE_VALUE(X_OP_A) ({ const real y = a; X_OP_A; })
#define COMPARE(TYPES, NAME, ...)                                          \
  TYPES(KERNEL1(row_##NAME##Value, uint8_t, COMPARE_VALUE(__VA_ARGS__)))   \
  TYPES(KERNEL1(row_##NAME##ValueT, real, COMPARE_VALUE(__VA_ARGS__)))     \
  TYPES(KERNEL2(row_##NAME##Tensor, uint8_t, __VA_ARGS__))                 \
  TYPES(KERNEL2(row_##NAME##TensorT, real, __VA_ARGS__))
#include "ops/pointwise.h"

/* --- the table ------------------------------------------------------------------------------- */

#undef ROW
#define ENTRY(TYPES, NAME, ...) TYPES([TH_POINTWISE_##NAME] = row_##NAME,)
#define FILL ENTRY
#define UNARY ENTRY
#define SCALAR ENTRY
#define SCALAR_DIVIDES ENTRY
#define SCALAR_BITS ENTRY
#define SCALAR2 ENTRY
#define SCALAR_FIRST ENTRY
#define BINARY ENTRY
#define BINARY_DIVIDES ENTRY
#define BINARY_BITS ENTRY
#define BINARY_SCALED ENTRY
#define BINARY_WEIGHTED ENTRY
#define TERNARY_SCALED ENTRY
#define TERNARY_SCALED_DIVIDES ENTRY
#define COMPARE(TYPES, NAME, ...)                                                        \
  ENTRY(TYPES, NAME##Value) ENTRY(TYPES, NAME##ValueT) ENTRY(TYPES, NAME##Tensor)        \
  ENTRY(TYPES, NAME##TensorT)

const THKernel TH_LEVEL_(THTensor_(pointwise))[TH_POINTWISE_ROWS] = {
#include "ops/pointwise.h"
};
