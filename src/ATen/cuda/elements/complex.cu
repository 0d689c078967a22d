/* The rows of src/ops/complex.h on CUDA, of pairs of Float and of Double. */
#include "THC/core/thc_cuda.h"

#include <cuda/std/complex>

/* These come before the name real, which is a macro in what follows, and a member of that class. */
/* clang-format off */
#define FOR_EACH_FUNCTION(X)                                                   \
  X(sqrt) X(exp) X(log) X(tanh) X(sinh) X(cosh) X(sin) X(cos) X(tan) X(asin)   \
  X(acos) X(atan) X(asinh) X(acosh) X(atanh) X(conj)
/* clang-format on */
namespace
{
#define FUNCTION(NAME)                                                            \
  template <class T>                                                              \
  THC_DEVICE cuda::std::complex<T> complex_##NAME(const cuda::std::complex<T> &x) \
  {                                                                               \
    return cuda::std::NAME(x);                                                    \
  }
FOR_EACH_FUNCTION(FUNCTION)

template <class T>
THC_DEVICE cuda::std::complex<T> complex_pow(const cuda::std::complex<T> &x,
                                             const cuda::std::complex<T> &y)
{
  return cuda::std::pow(x, y);
}

#define PART(NAME, EXPRESSION)                                \
  template <class T>                                          \
  THC_DEVICE T complex_##NAME(const cuda::std::complex<T> &x) \
  {                                                           \
    return EXPRESSION;                                        \
  }
PART(re, x.real())
PART(im, x.imag())
PART(abs, cuda::std::abs(x))
PART(arg, cuda::std::arg(x))
}  // namespace

#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"

#include "ops/complex.h"

typedef cuda::std::complex<real> cell;

typedef struct TH_CONCAT_2(ComplexScalars, Real) {
  double a, b;
} TH_CONCAT_2(ComplexScalars, Real);

#define LIBM          THC_FUNCTION
#define COMPLEX(NAME) complex_##NAME
#define RE            complex_re
#define IM            complex_im
#define ABS           complex_abs
#define ARG           complex_arg
#define CONJ          complex_conj
#define PAIR(RE, IM)  cell(RE, IM)
#define AT_ELEMENT    THC_DEVICE
#include "ATen/complex/complexElements.h"

#define NAME_OF(NAME)  TH_CONCAT_4(at_cuda_complex_, Real, _, NAME)
#define MAP(NAME, ...) THC_MAP(NAME, __VA_ARGS__)

#define WRITES_PAIRS      cell
#define WRITES_REALS      real
#define WRITES_BOOLEANS   uint8_t
#define PARAMETERS_1      cell x
#define PARAMETERS_2      cell x, cell y
#define PARAMETERS_3      cell x, cell y, cell z
#define PARAMETERS_REAL_2 real x, real y
#define TYPES_1           cell
#define TYPES_2           cell, cell
#define TYPES_3           cell, cell, cell
#define TYPES_REAL_2      real, real

#define KERNEL(OF, WRITES, N, NAME, EXPRESSION)                                                 \
  THC_DEVICE WRITES_##WRITES TH_CONCAT_2(NAME_OF(NAME),                                         \
                                         _element)(const TH_CONCAT_2(ComplexScalars, Real) * s, \
                                                   PARAMETERS_##N)                              \
  {                                                                                             \
    TH_UNUSED const real a = (real)s->a, b = (real)s->b;                                        \
    return EXPRESSION;                                                                          \
  }                                                                                             \
  MAP(NAME_OF(NAME), WRITES_##WRITES, TH_CONCAT_2(ComplexScalars, Real), TYPES_##N)
AT_FOR_EACH_COMPLEX(KERNEL)
