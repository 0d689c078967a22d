/* The rows of src/ops/complex.h on CUDA, of pairs of Float and of Double. */
#include "THC/core/thc_cuda.h"

#include <cuda/std/cmath>
#include <cuda/std/complex>

/* These come before the name real, which is a macro in what follows, and a member of that class. */
/* clang-format off */
#define FOR_EACH_FUNCTION(X)                                                   \
  X(exp) X(tanh) X(sinh) X(cosh) X(sin) X(cos) X(tan) X(asin)   \
  X(acos) X(atan) X(asinh) X(acosh) X(atanh) X(conj)
/* clang-format on */
namespace
{
/* clang-format off */
#define FUNCTION(NAME)                                                                               \
  template <class T> THC_DEVICE cuda::std::complex<T> complex_##NAME(const cuda::std::complex<T> &x) \
  { return cuda::std::NAME(x); }
/* clang-format on */
FOR_EACH_FUNCTION(FUNCTION)

/* The root of a multiple whose size neither overflows nor vanishes, which that of the standard library does. */
template <class T>
THC_DEVICE cuda::std::complex<T> complex_sqrt(const cuda::std::complex<T> &x)
{
  const T across = cuda::std::fabs(x.real()), up = cuda::std::fabs(x.imag());
  const T size = across > up ? across : up;
  if (!(size > 0) || !cuda::std::isfinite(across) || !cuda::std::isfinite(up))
    return cuda::std::sqrt(x);
  const T tiny = sizeof(T) == sizeof(float) ? (T)0x1p-13 : (T)0x1p-30; /* the root of a factor */
  const T root = size > 1 ? (T)4 : tiny, re = across / root / root, im = up / root / root;
  const T larger = cuda::std::sqrt((re + cuda::std::hypot(re, im)) / 2), other = im / larger / 2;
  const T right = x.real() < 0 ? other : larger, above = x.real() < 0 ? larger : other;
  return cuda::std::complex<T>(right * root, cuda::std::copysign(above * root, x.imag()));
}

/* The logarithm of the size is accurate where the size is near 1, or above the largest number. */
template <class T>
THC_DEVICE cuda::std::complex<T> complex_log(const cuda::std::complex<T> &x)
{
  const T across = cuda::std::fabs(x.real()), up = cuda::std::fabs(x.imag());
  const T larger = across > up ? across : up, other = across > up ? up : across;
  const T over = (larger - 1) * (larger + 1) + other * other;
  const T size = cuda::std::fabs(over) < (T)0.5 ? cuda::std::log1p(over) / 2
                 : larger > 4
                     ? cuda::std::log(cuda::std::hypot(across / 4, up / 4)) + (T)1.3862943611198906
                     : cuda::std::log(cuda::std::hypot(across, up));
  return cuda::std::complex<T>(size, cuda::std::arg(x));
}

template <class T>
THC_DEVICE cuda::std::complex<T> complex_pow(const cuda::std::complex<T> &x,
                                             const cuda::std::complex<T> &y)
{
  return cuda::std::pow(x, y);
}

/* clang-format off */
#define PART(NAME, EXPRESSION)                                                                          \
  template <class T> THC_DEVICE T complex_##NAME(const cuda::std::complex<T> &x) { return EXPRESSION; }
/* clang-format on */
PART(re, x.real())
PART(im, x.imag())
PART(abs, cuda::std::abs(x))
PART(arg, cuda::std::arg(x))
}  // namespace

#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"

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

/* clang-format off */
#define AT_COMPLEX(OF, WRITES, N, NAME, EXPRESSION)                                                            \
  THC_DEVICE WRITES_##WRITES TH_CONCAT_2(NAME_OF(NAME), _element)(const TH_CONCAT_2(ComplexScalars, Real) * s, \
    PARAMETERS_##N)                                                                                            \
  { TH_UNUSED const real a = (real)s->a, b = (real)s->b; return EXPRESSION; }                                  \
  MAP(NAME_OF(NAME), WRITES_##WRITES, TH_CONCAT_2(ComplexScalars, Real), TYPES_##N)
/* clang-format on */
#include "ops/complex.h"
