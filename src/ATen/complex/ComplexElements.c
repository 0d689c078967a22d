/* The kernels of ops/complex.h: loops over elements with any strides. */
#include <complex.h>
#include <math.h>

#include "complex.h"

#include "THTemplate.h"

#undef I
#define INLINE static inline __attribute__((always_inline))

typedef real _Complex cell;

#ifdef TH_REAL_IS_DOUBLE
#define LIBM(NAME) NAME
#else
#define LIBM(NAME) NAME##f
#endif
#define RE             LIBM(creal)
#define IM             LIBM(cimag)
#define PAIR(RE_, IM_) make(RE_, IM_)

INLINE cell make(real re, real im)
{
  const union {
    real parts[2];
    cell value;
  } both = {{re, im}};
  return both.value;
}

/* Without C's second look at results that are NaN, as in PyTorch. */
INLINE cell TIMES(cell x, cell y)
{
  return make(RE(x) * RE(y) - IM(x) * IM(y), RE(x) * IM(y) + IM(x) * RE(y));
}

/* The divisor is scaled by its larger part, so that its square does not overflow. */
INLINE cell DIVIDE(cell x, cell y)
{
  const real size = LIBM(fmax)(LIBM(fabs)(RE(y)), LIBM(fabs)(IM(y)));
  const real scale = size == 0 || isinf(size) ? 1 : size;
  const real c = RE(y) / scale, d = IM(y) / scale, square = c * c + d * d;
  return make((RE(x) * c + IM(x) * d) / square / scale, (IM(x) * c - RE(x) * d) / square / scale);
}

INLINE cell EXPM1(cell x)
{
  const real half = LIBM(sin)(IM(x) / 2);
  return make(LIBM(expm1)(RE(x)) * LIBM(cos)(IM(x)) - 2 * half * half,
              LIBM(exp)(RE(x)) * LIBM(sin)(IM(x)));
}

/* The logarithm of the size of 1 + x is accurate where that is near 1. */
INLINE cell LOG1P(cell x)
{
  const real re = RE(x), im = IM(x);
  const real over = re * (2 + re) + im * im;
  const real size =
      LIBM(fabs)(over) < (real)0.5 ? LIBM(log1p)(over) / 2 : LIBM(log)(LIBM(hypot)(1 + re, im));
  return make(size, LIBM(atan2)(im, 1 + re));
}

INLINE cell POWER(cell x, cell y)
{
  if (y == 0)
    return 1;
  if (x == 0 && RE(y) > 0)
    return 0;
  return y == 2 ? TIMES(x, x) : LIBM(cpow)(x, y);
}

INLINE cell SIGN(cell x)
{
  const real size = LIBM(cabs)(x);
  return size == 0 ? 0 : x / size;
}

/* --- loops ----------------------------------------------------------------------------------- */

typedef uint8_t boolean;
#define WRITES_PAIRS    cell
#define WRITES_REALS    real
#define WRITES_BOOLEANS boolean
#define X(TYPE)         const TYPE x = ((const TYPE *)at[1])[i * step[1]];
#define Y(TYPE)         const TYPE y = ((const TYPE *)at[2])[i * step[2]];
#define Z(TYPE)         const TYPE z = ((const TYPE *)at[3])[i * step[3]];
#define READ_1          X(cell)
#define READ_2          X(cell) Y(cell)
#define READ_3          X(cell) Y(cell) Z(cell)
#define READ_REAL_2     X(real) Y(real)
#define READS_1         sizeof(cell)
#define READS_2         sizeof(cell)
#define READS_3         sizeof(cell)
#define READS_REAL_2    sizeof(real)
#define LAST_1          1
#define LAST_2          2
#define LAST_3          3
#define LAST_REAL_2     2

typedef void (*Row)(void *const *at, ptrdiff_t n, const ptrdiff_t *step, real a, real b);

/* Calls a function for each row of a block; one that is compiled for adjacent elements where they
 * are. */
INLINE void each_row(const THRun *run, Row row, int last, size_t writes, size_t reads,
                     const double *scalars)
{
  static const ptrdiff_t ones[4] = {1, 1, 1, 1};
  const real a = (real)scalars[0], b = (real)scalars[1];
  bool adjacent = true;
  for (int k = 0; k <= last; k++)
    adjacent &= run->stride[k] == 1;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    void *at[4] = {NULL};
    for (int k = 0; k <= last; k++)
      at[k] = (char *)run->at[k] + j * run->rowStride[k] * (ptrdiff_t)(k ? reads : writes);
    if (adjacent)
      row(at, run->n, ones, a, b);
    else
      row(at, run->n, run->stride, a, b);
  }
}

#define ROW(WRITES, N, NAME, EXPRESSION)                                                        \
  INLINE void NAME##_row(void *const *at, ptrdiff_t n, const ptrdiff_t *step, TH_UNUSED real a, \
                         TH_UNUSED real b)                                                      \
  {                                                                                             \
    WRITES_##WRITES *const r = at[0];                                                           \
    for (ptrdiff_t i = 0; i < n; i++) {                                                         \
      READ_##N r[i * step[0]] = EXPRESSION;                                                     \
    }                                                                                           \
  }
#define KERNEL(OF, WRITES, N, NAME, EXPRESSION)                                       \
  ROW(WRITES, N, NAME, EXPRESSION)                                                    \
  static void NAME##_kernel(const THRun *run, const void *scalars)                    \
  {                                                                                   \
    each_row(run, NAME##_row, LAST_##N, sizeof(WRITES_##WRITES), READS_##N, scalars); \
  }
AT_FOR_EACH_COMPLEX(KERNEL)

#define INDEX_ROW(NAME)      AT_ROW_##NAME
#define INDEX_FUNCTION(NAME) AT_ROWS + AT_FUNCTION_##NAME
#define INDEX_OWN(NAME)      AT_COMPLEX_##NAME
#define ENTRY(OF, WRITES, N, NAME, EXPRESSION) \
  [INDEX_##OF(NAME)] = {NAME##_kernel, AT_##WRITES, READS_##N == sizeof(real)},

const at_complex_row TH_CONCAT_2(at_complexRows,
                                 Real)[AT_COMPLEX_NAMES] = {AT_FOR_EACH_COMPLEX(ENTRY)};
