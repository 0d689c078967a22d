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
#define COMPLEX(NAME)  LIBM(c##NAME)
#define RE             LIBM(creal)
#define IM             LIBM(cimag)
#define ABS            LIBM(cabs)
#define ARG            LIBM(carg)
#define CONJ           LIBM(conj)
#define PAIR(RE_, IM_) make(RE_, IM_)

INLINE cell make(real re, real im)
{
  const union {
    real parts[2];
    cell value;
  } both = {{re, im}};
  return both.value;
}

#define AT_ELEMENT INLINE
#include "complexElements.h"

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
/* clang-format off */
#define AT_COMPLEX(OF, WRITES, N, NAME, EXPRESSION)                                     \
  ROW(WRITES, N, NAME, EXPRESSION)                                                      \
  static void NAME##_kernel(const THRun *run, const void *scalars)                      \
  { each_row(run, NAME##_row, LAST_##N, sizeof(WRITES_##WRITES), READS_##N, scalars); }
/* clang-format on */
#include "ops/complex.h"

#define INDEX_ROW(NAME)      TH_POINTWISE_##NAME
#define INDEX_FUNCTION(NAME) AT_ROWS + AT_FUNCTION_##NAME
#define INDEX_OWN(NAME)      AT_COMPLEX_##NAME
#define AT_COMPLEX(OF, WRITES, N, NAME, EXPRESSION) \
  [INDEX_##OF(NAME)] = {NAME##_kernel, AT_##WRITES, READS_##N == sizeof(real)},

const at_complex_row TH_CONCAT_2(at_complexRows, Real)[AT_COMPLEX_NAMES] = {
#include "ops/complex.h"
};
