/* The rows of src/ops/pointwise.h as loops, for one element type and instruction set. */
#include "THVectorMath.h"

#include "THTemplate.h"

#include "THPointwise.h"
#include "TH/loop/THStream.h"

/* Rows that call functions stay scalar. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "TH/simd/THElement.h"
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#include "THMathAvx512.h"
#endif

/* --- which rows this type has ---------------------------------------------------------------- */

#define ALL(...) __VA_ARGS__
#define BUT_HALF ALL
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

static __attribute__((noinline)) void stream_block(void *to, const void *from, size_t bytes)
{
  THStream_copy(to, from, bytes);
}

#define SCALAR_VALUES                                  \
  TH_UNUSED const real a = ((const real *)scalars)[0]; \
  TH_UNUSED const real b = ((const real *)scalars)[1];

/* A streamed result is computed in short blocks in a buffer, from which non-temporal stores copy
 * them while they are in L1; any other result is one block, computed in place. */
#define IN_BLOCKS(RESULT, ...)                                                              \
  SCALAR_VALUES                                                                             \
  enum { BLOCK = TH_STREAM_BLOCK / sizeof(RESULT) };                                        \
  _Alignas(TH_STREAM_LINE) RESULT buffer[BLOCK];                                            \
  RESULT *const r = (RESULT *)result, *const to = streams ? buffer : r;                     \
  ptrdiff_t end = streams ? THStream_first(r, sizeof(RESULT), n) : n;                       \
  for (ptrdiff_t from = 0; from < n; from = end, end = n - end < BLOCK ? n : end + BLOCK) { \
    __VA_ARGS__                                                                             \
    if (to != r + from)                                                                     \
      stream_block(r + from, to, (size_t)(end - from) * sizeof(RESULT));                    \
  }

/* all stays 1 where each element meets the condition. */
#define LOOP(OPERANDS, RESULT, CONDITION, EXPRESSION) \
  int all = 1;                                        \
  IN_BLOCKS(RESULT, SIMD_LOOP(OPERANDS, RESULT, CONDITION, EXPRESSION))
#define SIMD_LOOP(OPERANDS, RESULT, CONDITION, EXPRESSION) \
  TH_PRAGMA(omp simd reduction(& : all))                   \
  for (ptrdiff_t i = from; i < end; i++) {                 \
    OPERANDS all &= (CONDITION);                           \
    to[i - from] = (RESULT)(EXPRESSION);                   \
  }

/* clang-format off */
#define FUNCTION(NAME, OPERANDS, RESULT, EXPRESSION)                                                \
  TH_UNUSED static void row_##NAME(PARAMETERS) { LOOP(OPERANDS, RESULT, 1, EXPRESSION) (void)all; }
/* clang-format on */

/* Each SHORTCUT_BLOCK of elements is computed by the shortcut, and again by the row if the condition did
 * not hold for all of them.  After a failure the next PATIENCE blocks do not try the shortcut,
 * since they are likely to fail as well. */
enum { SHORTCUT_BLOCK = 1024, PATIENCE = 7 };

TH_UNUSED static inline __attribute__((always_inline)) void
take_shortcut(int (*shortcut)(PARAMETERS), void (*row)(PARAMETERS), PARAMETERS)
{
  real *const r = (real *)result, kept[SHORTCUT_BLOCK];
  int wait = 0;
  for (ptrdiff_t from = 0; from < n; from += SHORTCUT_BLOCK) {
    const ptrdiff_t count = n - from < SHORTCUT_BLOCK ? n - from : SHORTCUT_BLOCK;
    const real *x = &AT(first, from), *y = second ? &AT(second, from) : NULL;
    if (wait == 0) {
      const int inPlace = x == r + from || y == r + from;
      if (inPlace)
        memcpy(kept, r + from, (size_t)count * sizeof(real));
      if (shortcut(count, r + from, x, y, third, scalars, streams))
        continue;
      x = x == r + from ? kept : x;
      y = y == r + from ? kept : y;
      wait = PATIENCE;
    } else
      wait--;
    row(count, r + from, x, y, third, scalars, streams);
  }
}

#define ARGUMENTS n, result, first, second, third, scalars, streams
/* clang-format off */
#define SHORTCUT(NAME, OPERANDS, CONDITION, EXPRESSION)                                                   \
  static int try_##NAME(PARAMETERS) { LOOP(OPERANDS, real, CONDITION, EXPRESSION) return all; }           \
  TH_UNUSED static void shortcut_##NAME(PARAMETERS) { take_shortcut(try_##NAME, row_##NAME, ARGUMENTS); }

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

/* --- rows in wide vectors -------------------------------------------------------------------- */

/* Rows that replace those above: X(name, operands, expression). */
#ifdef TH_WIDE_LOOP
#include "TH/simd/THSimdReal.h"

/* Prefetches 1 KB ahead, to read and to write: the processor's own prefetcher does not reach as far
 * where much is computed for each cache line. */
enum { PREFETCH = 1024 / sizeof(real) };
#define PREFETCH_AT(AT, I, WRITES) __builtin_prefetch((const real *)(AT) + (I) + PREFETCH, WRITES);
#define FETCHED(NAME, AT)          PREFETCH_AT(AT, i, 0) WIDE_OPERAND(NAME, AT)

#define X16  PREFETCH_AT(to, i - from, 1) FETCHED(x, first)
#define XY16 X16 FETCHED(y, second)
#ifdef TH_REAL_IS_FLOAT
#define WIDE_(NAME)  THWide_##NAME
#define WIDE_LOOP    TH_WIDE_LOOP
#define WIDE_OPERAND TH_WIDE
#define ALL_A        THFloats_all(a)
#define WIDE_ROWS(X)                       \
  X(log, X16, THWide_log(x))               \
  X(asin, X16, THWide_asin(x))             \
  X(acos, X16, THWide_acos(x))             \
  X(atan, X16, THWide_atan(x))             \
  X(atan2, XY16, THWide_atanOfPoint(x, y)) \
  X(tanh, X16, THWide_tanh(x))             \
  X(erf, X16, THWide_erf(x))               \
  X(sigmoid, X16, THWide_sigmoid(x))       \
  X(pow, X16, THWide_pow(x, ALL_A))        \
  X(tpow, X16, THWide_pow(ALL_A, x))       \
  X(cpow, XY16, THWide_pow(x, y))
#else
/* The 2 at the end of these names stands for two vectors of eight doubles: THWide_log2 is log, THWide_atan2 is atan. */
#define WIDE_(NAME)  THWide_##NAME##2
#define WIDE_LOOP    TH_WIDE_LOOP2
#define WIDE_OPERAND TH_WIDE2
#define WIDE_ROWS(X)                  \
  X(log, X16, THWide_log2(x))         \
  X(sin, X16, THWide_sin2(x))         \
  X(cos, X16, THWide_cos2(x))         \
  X(tan, X16, THWide_tan2(x))         \
  X(asin, X16, THWide_asin2(x))       \
  X(acos, X16, THWide_acos2(x))       \
  X(atan, X16, THWide_atan2(x))       \
  X(tanh, X16, THWide_tanh2(x))       \
  X(sigmoid, X16, THWide_sigmoid2(x)) \
  X(erf, X16, THWide_erf2(x))         \
  X(atan2, XY16, THWide_atanOfPoint2(x, y))
#endif
/* clang-format off */
#define WIDE_ROW(NAME, OPERANDS, EXPRESSION)                                                              \
  static void wide_##NAME(PARAMETERS) { IN_BLOCKS(real, WIDE_LOOP(OPERANDS, to, from, end, EXPRESSION)) }
/* clang-format on */
WIDE_ROWS(WIDE_ROW)

/* Vector INDEX of a step of such a loop. */
#define VECTOR(NAME, INDEX) const Vector NAME = load((const real *)first + k + (INDEX) * LANES);
#define PUT(INDEX, Y)       store(to + (k - from) + (INDEX) * LANES, Y);
#define PREFETCH_BOTH(INDEX) \
  PREFETCH_AT(first, k + (INDEX) * LANES, 0) PREFETCH_AT(to, k - from + (INDEX) * LANES, 1)

/* One test finds arguments out of range in two vectors.  Of a number and NaN, range takes the
 * number. */
static void wide_exp(PARAMETERS)
{
  enum { STEP = 2 * LANES };
  const Vector modest = Vector_(all)(sizeof(real) == 4 ? 87 : 708);
  IN_BLOCKS(real, {
    ptrdiff_t k = from;
    for (; end - k >= STEP; k += STEP) {
      VECTOR(x, 0)
      VECTOR(z, 1)
      PREFETCH_BOTH(0)
      PREFETCH_BOTH(1)
      if (Vector_(greater)(Vector_(largerSize)(x, z), modest)) {
        PUT(0, WIDE_(exactExp)(x))
        PUT(1, WIDE_(exactExp)(z))
      } else {
        PUT(0, WIDE_(expBetween)(x))
        PUT(1, WIDE_(expBetween)(z))
      }
    }
    WIDE_LOOP(WIDE_OPERAND(x, first), to + (k - from), k, end, WIDE_(exactExp)(x))
  })
}

/* One vector of three is left to the divider, which works in parallel with the other units. */
static void wide_sqrt(PARAMETERS)
{
  enum { STEP = 3 * LANES };
  IN_BLOCKS(real, {
    ptrdiff_t k = from;
    for (; end - k >= STEP; k += STEP) {
      VECTOR(x, 0)
      VECTOR(y, 1)
      VECTOR(z, 2)
      PREFETCH_BOTH(0)
      PREFETCH_BOTH(1)
      PREFETCH_BOTH(2)
      PUT(0, WIDE_(sqrt)(x))
      PUT(1, WIDE_(sqrt)(y))
      PUT(2, Vector_(sqrt)(z))
    }
    WIDE_LOOP(WIDE_OPERAND(x, first), to + (k - from), k, end, Vector_(sqrt)(x))
  })
}

#ifdef TH_REAL_IS_FLOAT
/* Functions that read and write 16 or 32 floats at once; the rest goes through a buffer of 16. */
typedef struct {
  void (*one)(float *to, const float *from);
  void (*two)(float *to, const float *from);
} Steps;

INLINE void wide_steps(Steps steps, PARAMETERS){
    IN_BLOCKS(float,
              {
                ptrdiff_t k = from;
                for (; end - k >= 2 * LANES; k += 2 * LANES) {
                  PREFETCH_BOTH(0)
                  PREFETCH_BOTH(1)
                  steps.two(to + (k - from), (const float *)first + k);
                }
                if (end - k >= LANES) {
                  steps.one(to + (k - from), (const float *)first + k);
                  k += LANES;
                }
                if (k < end) {
                  const size_t rest = (size_t)(end - k) * sizeof(float);
                  float part[LANES] = {0};
                  memcpy(part, (const float *)first + k, rest);
                  steps.one(part, part);
                  memcpy(to + (k - from), part, rest);
                }
              })}
/* clang-format off */
#define WIDE_STEPS(NAME)                                                                                       \
  static void wide_##NAME(PARAMETERS) { wide_steps((Steps){THWide_##NAME, THWide_##NAME##OfTwo}, ARGUMENTS); }
/* clang-format on */
WIDE_STEPS(sin) WIDE_STEPS(cos) WIDE_STEPS(tan)
#endif

#ifdef TH_REAL_IS_FLOAT
#define GET8(LANES, AT)                THDoubles_loadFloatsMasked(LANES, AT)
#define PUT8(AT, LANES, Y)             THDoubles_storeFloatsMasked(AT, LANES, Y)
#define PUT8_IN(AT, LANES, INDICES, Y) THDoubles_scatterFloatsMasked(AT, LANES, INDICES, Y)
#else
#define GET8(LANES, AT)                THDoubles_loadMasked(LANES, AT)
#define PUT8(AT, LANES, Y)             THDoubles_storeMasked(AT, LANES, Y)
#define PUT8_IN(AT, LANES, INDICES, Y) THDoubles_scatterMasked(AT, LANES, INDICES, Y)
#endif

    /* Functions, computed in doubles, that have another formula for a few arguments.  near computes a
 * whole block; then the arguments for which isFar is true are collected and computed together by
 * distant, and their results overwrite those of near. */
    typedef struct {
  THDoubles (*near)(THDoubles x);
  THMask64 (*isFar)(THDoubles x);
  THDoubles (*distant)(THDoubles x);
} Formulas;

enum { EIGHT = 8, WIDE_BLOCK = 64 * EIGHT };

INLINE THMask64 first_lanes(ptrdiff_t count)
{
  return (THMask64)(count < EIGHT ? (1u << count) - 1 : 0xff);
}

/* Keeps the arguments, and marks those that are far. */
INLINE void near_block(Formulas f, real *to, const real *from, ptrdiff_t count, double *kept,
                       uint8_t *marks)
{
  for (ptrdiff_t j = 0; j < count; j += EIGHT) {
    const THMask64 lanes = first_lanes(count - j);
    const THDoubles x = GET8(lanes, from + j);
    PREFETCH_AT(from, j, 0)
    PREFETCH_AT(to, j, 1)
    PUT8(to + j, lanes, f.near(x));
    THDoubles_store(kept + j, x);
    marks[j / EIGHT] = (uint8_t)(f.isFar(x) & lanes);
  }
}

INLINE void far_arguments(Formulas f, real *to, const double *kept, const uint64_t *marks)
{
  int64_t indices[WIDE_BLOCK + EIGHT];
  ptrdiff_t count = 0;
  for (int64_t word = 0; word < WIDE_BLOCK / 64; word++)
    for (uint64_t rest = marks[word]; rest; rest &= rest - 1)
      indices[count++] = 64 * word + __builtin_ctzll(rest);
  for (ptrdiff_t j = 0; j < count; j += EIGHT) {
    const THMask64 lanes = first_lanes(count - j);
    const THLongs at = THLongs_loadMasked(lanes, indices + j);
    PUT8_IN(to, lanes, at, f.distant(THDoubles_gather(kept, at)));
  }
}

INLINE void wide_with_far(Formulas f, PARAMETERS)
{
  double kept[WIDE_BLOCK];
  uint64_t marks[WIDE_BLOCK / 64];
  IN_BLOCKS(
      real, for (ptrdiff_t k = from; k < end; k += WIDE_BLOCK) {
        const ptrdiff_t count = end - k < WIDE_BLOCK ? end - k : WIDE_BLOCK;
        memset(marks, 0, sizeof marks);
        near_block(f, to + (k - from), &AT(first, k), count, kept, (uint8_t *)marks);
        far_arguments(f, to + (k - from), kept, marks);
      })
}

/* clang-format off */
#define WIDE_WITH_FAR(NAME, ...)                                                             \
  static void wide_##NAME(PARAMETERS) { wide_with_far((Formulas){__VA_ARGS__}, ARGUMENTS); }
/* clang-format on */
#ifdef TH_REAL_IS_FLOAT
WIDE_WITH_FAR(erfinv, THWide_erfinvNear, THWide_erfinvIsFar, THWide_erfinvFar2)
WIDE_WITH_FAR(lgamma, THWide_lgammaNear, THWide_lgammaIsFar, THWide_lgammaFar)
#else
WIDE_WITH_FAR(erfinv, THWide_erfinvNear2, THWide_erfinvIsFar2, THWide_erfinvFar2)
#endif
#endif

/* --- zeros ----------------------------------------------------------------------------------- */

/* A large array of zeros that fits the caches is left to memset, which does not read cache lines
 * first.  Some machines write lines of zeros twice as fast as others. */
static void zeros_or_fill(PARAMETERS)
{
  enum { LARGE = (1 << 20) / sizeof(real) }; /* below, plain stores to L2 are faster */
  const real zero = 0;
  if (!streams && n >= LARGE && memcmp(scalars, &zero, sizeof zero) == 0)
    memset(result, 0, (size_t)n * sizeof zero);
  else
    row_fill(n, result, first, second, third, scalars, streams);
}

/* --- powers that are products ----------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT)
#define POWERS(X)                                                           \
  X(2, square, (x * x))                                                     \
  X(3, cube, ((double)x * x * x)) /* the square of a float is exact here */ \
  X(-2, inverseSquare, (1 / ((double)x * x)))
#elif defined(TH_REAL_IS_DOUBLE) && TH_VECTOR_FMA

/* Adds the rounding error of the square, so that the result is rounded once. */
static inline double cube(double x)
{
  const double square = x * x, rest = fma(x, x, -square);
  return fma(square, x, fabs(square * x) < (double)INFINITY ? rest * x : 0);
}

#define POWERS(X)       \
  X(2, square, (x * x)) \
  X(3, cube, cube(x))
#elif defined(TH_REAL_IS_DOUBLE)
#define POWERS(X) X(2, square, (x * x))
#endif

#ifdef POWERS
#define POWER_ROW(EXPONENT, NAME, EXPRESSION) FUNCTION(pow_##NAME, AT_X, real, EXPRESSION)
POWERS(POWER_ROW)

#if defined(TH_WIDE_LOOP) && defined(TH_REAL_IS_FLOAT)
#define ANY_POW wide_pow
#else
#define ANY_POW row_pow
#endif

static void choose_pow(PARAMETERS)
{
  SCALAR_VALUES
#define CHOOSE(EXPONENT, NAME, EXPRESSION) a == (EXPONENT) ? row_pow_##NAME:
  const THPointwiseKernel row = POWERS(CHOOSE) ANY_POW;
  row(n, result, first, second, third, scalars, streams);
}
#endif

/* --- the kernels of this level --------------------------------------------------------------- */

/* Rows that are replaced by those above: wide ones, others with shortcuts. */
#define row_fill zeros_or_fill
#ifdef POWERS
#define row_pow choose_pow
#endif
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define row_fmod       shortcut_fmod
#define row_remainder  shortcut_remainder
#define row_cfmod      shortcut_cfmod
#define row_cremainder shortcut_cremainder
#ifdef TH_WIDE_LOOP
#define row_exp     wide_exp
#define row_sqrt    wide_sqrt
#define row_log     wide_log
#define row_sin     wide_sin
#define row_cos     wide_cos
#define row_tan     wide_tan
#define row_asin    wide_asin
#define row_acos    wide_acos
#define row_atan    wide_atan
#define row_atan2   wide_atan2
#define row_tanh    wide_tanh
#define row_erf     wide_erf
#define row_erfinv  wide_erfinv
#define row_sigmoid wide_sigmoid
#else
#define row_exp shortcut_exp
#define row_sin shortcut_sin
#define row_cos shortcut_cos
#define row_tan shortcut_tan
#endif
#if defined(TH_WIDE_LOOP) && defined(TH_REAL_IS_FLOAT)
#define row_tpow   wide_tpow
#define row_cpow   wide_cpow
#define row_lgamma wide_lgamma
#endif
#endif

#define KERNEL(NAME, FUNCTION) \
  const THPointwiseKernel TH_LEVEL_(THTensor_(pointwise_##NAME))[] = {FUNCTION};
#define ROW(TYPES, COST, NAME, ...) TYPES(KERNEL(NAME, row_##NAME))
#include "ops/pointwise.h"
