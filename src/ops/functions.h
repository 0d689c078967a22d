/* Pointwise functions of ATen beyond the rows of pointwise.h: of floating types, computed in Float
 * or Double.  X(inputs, name, expression): in an expression x, y and z are elements of the inputs,
 * a, b and c the scalars, all of type real; THMath_(name) is the function of that name, and AT_(name)
 * one of elements of ATen/functions/functionElements.h.  AT_LIBM(name) is the C library's, a call for each
 * element. */
#ifndef AT_OPS_FUNCTIONS_H
#define AT_OPS_FUNCTIONS_H

/* clang-format off */
#define AT_FOR_EACH_FUNCTION(X)                                                                 \
  /* activations, and their gradients: x is the gradient of the output, y the input */          \
  X(1, gelu,         x * AT_(normal)(x))                                                        \
  X(2, gelu_dx,      x * (AT_(normal)(y) + y * AT_(density)(y)))                                \
  X(1, gelu_tanh,    x * (real)0.5 * (1 + AT_(geluTanh)(x)))                                    \
  X(2, gelu_tanh_dx, x * AT_(geluTanhSlope)(y))                                                 \
  X(1, silu,         x / (1 + THMath_(exp)(-x)))                                                \
  X(2, silu_dx,      x * AT_(siluSlope)(y))                                                     \
  X(1, mish,         x * THMath_(tanh)(AT_(softplus)(x)))                                       \
  X(2, mish_dx,      x * AT_(mishSlope)(y))                                                     \
  X(1, hardsigmoid,  AT_(hardSigmoid)(x))                                                       \
  X(2, hardsigmoid_dx, ((y > -3) & (y < 3)) ? x / 6 : 0)                                        \
  X(1, hardswish,    x * THMath_(min)(THMath_(max)(x + 3, 0), 6) / 6)                           \
  X(2, hardswish_dx, y <= -3 ? 0 : y < 3 ? x * (y / 3 + (real)0.5) : x)                         \
  X(1, elu_scaled,   x > 0 ? x * b : a * THMath_(expm1)(x * c))                                 \
  X(1, celu,         x > 0 ? x : a * THMath_(expm1)(x / a))                                     \
  X(1, logit,        AT_(logOdds)(x < a ? a : x > b ? b : x))                                   \
  X(2, logit_dx,     y < a || y > b ? c : x / (y * (1 - y)))                                    \
  /* functions of one number */                                                                 \
  X(1, exp2,         AT_LIBM(exp2)(x))                                                          \
  X(1, log2,         AT_LIBM(log2)(x))                                                          \
  X(1, log10,        AT_LIBM(log10)(x))                                                         \
  X(1, asinh,        AT_LIBM(asinh)(x))                                                         \
  X(1, acosh,        AT_LIBM(acosh)(x))                                                         \
  X(1, atanh,        AT_LIBM(atanh)(x))                                                         \
  X(1, erfc,         AT_LIBM(erfc)(x))                                                          \
  X(1, sinc,         x == 0 ? 1 : THMath_(sin)(x * (real)M_PI) / (x * (real)M_PI))              \
  X(1, ndtr,         AT_(normal)(x))                                                            \
  X(1, entr,         x > 0 ? -x * THMath_(log)(x) : x == 0 ? 0 : x != x ? x : -(real)INFINITY)  \
  X(1, degrees,      x * (real)(180 / M_PI))                                                    \
  X(1, radians,      x * (real)(M_PI / 180))                                                    \
  X(1, nan_to_num,   AT_(numberFor)(x, a, b, c))                                                \
  /* tests, which are 0 or 1 */                                                                 \
  X(1, isinf,        THMath_(abs)(x) == (real)INFINITY)                                         \
  X(1, isfinite,     THMath_(abs)(x) < (real)INFINITY)                                          \
  X(1, signbit,      AT_LIBM(copysign)((real)1, x) < 0)                                         \
  /* functions of two numbers */                                                                \
  X(2, fmax,         ((y != y) | (x >= y)) ? x : y)                                             \
  X(2, fmin,         ((y != y) | (x <= y)) ? x : y)                                             \
  X(2, hypot,        AT_LIBM(hypot)(x, y))                                                      \
  X(2, copysign,     AT_LIBM(copysign)(x, y))                                                   \
  X(2, nextafter,    AT_LIBM(nextafter)(x, y))                                                  \
  X(2, xlogy,        y != y ? y : x == 0 ? 0 : x * THMath_(log)(y))                             \
  X(2, xlog1py,      y != y ? y : x == 0 ? 0 : x * THMath_(log1p)(y))                           \
  X(2, floor_divide, AT_(floorDivide)(x, y))                                                    \
  X(2, logaddexp,    AT_(logAddExp)(x, y))                                                      \
  X(2, logaddexp2,   AT_(logAddExp2)(x, y))                                                     \
  /* special functions, in Double */                                                            \
  X(1, erfcx,        (real)at_erfcxElement(x))                                                  \
  X(1, log_ndtr,     (real)at_logNdtr(x))                                                       \
  X(1, ndtri,        (real)at_ndtriElement(x))                                                  \
  X(1, bessel_j0,    (real)j0(x))                                                               \
  X(1, bessel_j1,    (real)j1(x))                                                               \
  X(1, bessel_y0,    (real)(x < 0 ? (double)NAN : y0(x)))                                       \
  X(1, bessel_y1,    (real)(x < 0 ? (double)NAN : y1(x)))                                       \
  X(1, spherical_j0, (real)(THMath_(abs)(x) == (real)INFINITY ? 0 : x == 0 ? 1 : sin((double)x) / x)) \
  X(1, bessel_i0,    (real)at_besselIPlain(0, x))                                               \
  X(1, bessel_i1,    (real)at_besselIPlain(1, x))                                               \
  X(1, bessel_i0e,   (real)at_besselI(0, x))                                                    \
  X(1, bessel_i1e,   (real)at_besselI(1, x))                                                    \
  X(1, bessel_k0,    (real)(at_besselK(0, x) * exp(-(double)x)))                                \
  X(1, bessel_k1,    (real)(at_besselK(1, x) * exp(-(double)x)))                                \
  X(1, bessel_k0e,   (real)at_besselK(0, x))                                                    \
  X(1, bessel_k1e,   (real)at_besselK(1, x))                                                    \
  X(1, airy_ai,      (real)at_airy(x))                                                          \
  X(1, fraction,     (real)at_fractionOf(x))                                                    \
  X(1, exponent,     (real)at_exponentOf(x))                                                    \
  X(2, zeta,         (real)at_hurwitzZeta(x, y))                                                \
  X(2, igamma,       (real)at_gammaPart(false, x, y))                                           \
  X(2, igammac,      (real)at_gammaPart(true, x, y))                                            \
  /* orthogonal polynomials of x, of degree y */                                                \
  X(2, chebyshev_t,  (real)at_chebyshev(AT_CHEBYSHEV_T, x, y))                                  \
  X(2, chebyshev_u,  (real)at_chebyshev(AT_CHEBYSHEV_U, x, y))                                  \
  X(2, chebyshev_v,  (real)at_chebyshev(AT_CHEBYSHEV_V, x, y))                                  \
  X(2, chebyshev_w,  (real)at_chebyshev(AT_CHEBYSHEV_W, x, y))                                  \
  X(2, shifted_t,    (real)at_chebyshev(AT_CHEBYSHEV_T, 2 * (double)x - 1, y))                  \
  X(2, shifted_u,    (real)at_chebyshev(AT_CHEBYSHEV_U, 2 * (double)x - 1, y))                  \
  X(2, shifted_v,    (real)at_chebyshev(AT_CHEBYSHEV_V, 2 * (double)x - 1, y))                  \
  X(2, shifted_w,    (real)at_chebyshev(AT_CHEBYSHEV_W, 2 * (double)x - 1, y))                  \
  X(2, hermite_h,    (real)at_hermite(2, x, y))                                                 \
  X(2, hermite_he,   (real)at_hermite(1, x, y))                                                 \
  X(2, laguerre,     (real)at_laguerre(x, y))                                                   \
  X(2, legendre,     (real)at_legendre(x, y))                                                   \
  /* losses of each element: x is the input, y the target */                                    \
  X(2, huber,        AT_(huber)(THMath_(abs)(x - y), a))                                        \
  X(2, smooth_l1,    AT_(smoothL1)(THMath_(abs)(x - y), a))                                     \
  X(2, bce_logits,   (1 - y) * x + AT_(softplus)(-x))                                           \
  X(3, bce_logits_w, (1 - y) * x + (1 + (z - 1) * y) * AT_(softplus)(-x))                       \
  X(2, poisson,      x - y * THMath_(log)(x + a))                                               \
  X(2, poisson_log,  THMath_(exp)(x) - y * x)
/* clang-format on */

#endif
