/* What optimizers do to each element: rows X(name, states, assignments).
 *
 * In the assignments, which are in order, x is the element of the parameter and g that of its gradient, which
 * is negated and has the weight decay already; s0, s1 and s2 are those of the states, and y is any number.
 * rate, and a to f, are numbers that a rule of ATen/optim/rules.c computes for each step. */
#ifndef AT_OPS_UPDATES_H
#define AT_OPS_UPDATES_H

/* clang-format off */
#define AT_FOR_EACH_UPDATE(X)                                                          \
  X(sgd, 0, x -= rate * g)                                                             \
  X(sgd_momentum, 1, /* a * s + b * g, and c is not 0 for nesterov */                  \
    s0 = a * s0 + b * g,                                                               \
    x -= rate * (c != 0 ? g + c * s0 : s0))                                            \
  X(adam, 2, /* a = 1 - beta1, b = beta2, c = 1 - beta2, d for the bias of s1 */       \
    s0 += a * (g - s0),                                                                \
    s1 = b * s1 + c * g * g,                                                           \
    x -= rate * s0 / (AT_SQRT(s1) * d + e))                                            \
  X(adam_amsgrad, 3,                                                                   \
    s0 += a * (g - s0),                                                                \
    s1 = b * s1 + c * g * g,                                                           \
    s2 = AT_LARGER(s2, s1),                                                            \
    x -= rate * s0 / (AT_SQRT(s2) * d + e))                                            \
  X(rmsprop, 1, /* a = alpha, b = 1 - alpha, c = momentum */                           \
    s0 = a * s0 + b * g * g,                                                           \
    x -= rate * g / (AT_SQRT(s0) + e))                                                 \
  X(rmsprop_momentum, 2,                                                               \
    s0 = a * s0 + b * g * g,                                                           \
    s1 = c * s1 + g / (AT_SQRT(s0) + e),                                               \
    x -= rate * s1)                                                                    \
  X(rmsprop_centered, 2,                                                               \
    s0 = a * s0 + b * g * g,                                                           \
    s1 += b * (g - s1),                                                                \
    x -= rate * g / (AT_SQRT(s0 - s1 * s1) + e))                                       \
  X(rmsprop_centered_momentum, 3,                                                      \
    s0 = a * s0 + b * g * g,                                                           \
    s2 += b * (g - s2),                                                                \
    s1 = c * s1 + g / (AT_SQRT(s0 - s2 * s2) + e),                                     \
    x -= rate * s1)                                                                    \
  X(adagrad, 1,                                                                        \
    s0 += g * g,                                                                       \
    x -= rate * g / (AT_SQRT(s0) + e))                                                 \
  X(adadelta, 2, /* a = rho, b = 1 - rho */                                            \
    s0 = a * s0 + b * g * g,                                                           \
    y = AT_SQRT(s1 + e) / AT_SQRT(s0 + e) * g,                                         \
    s1 = a * s1 + b * y * y,                                                           \
    x -= rate * y)                                                                     \
  X(adamax, 2, /* a = 1 - beta1, b = beta2 */                                          \
    s0 += a * (g - s0),                                                                \
    s1 = AT_LARGER(b * s1, AT_ABS(g) + e),                                             \
    x -= rate * s0 / s1)                                                               \
  X(nadam, 2, /* as adam, and f is the rate of g */                                    \
    s0 += a * (g - s0),                                                                \
    s1 = b * s1 + c * g * g,                                                           \
    x -= (f * g + rate * s0) / (AT_SQRT(s1) * d + e))                                  \
  X(radam, 2, /* as adam, and f is 1 while s1 is left out */                           \
    s0 += a * (g - s0),                                                                \
    s1 = b * s1 + c * g * g,                                                           \
    x -= f != 0 ? rate * s0 : rate * s0 / (AT_SQRT(s1) + e))                           \
  X(asgd, 1, /* a = mu, the weight of x in the average */                              \
    x -= rate * g,                                                                     \
    s0 = a != 1 ? s0 + (x - s0) * a : x)                                               \
  X(rprop, 2, /* a and b, by which steps grow and shrink between c and d; f is 1 for the first step */ \
    y = g * s0,                                                                        \
    s1 = (f != 0 ? rate : s1) * (y > 0 ? a : y < 0 ? b : 1),                           \
    s1 = s1 < c ? c : s1 > d ? d : s1,                                                 \
    s0 = y < 0 ? 0 : g,                                                                \
    x -= s0 > 0 ? s1 : s0 < 0 ? -s1 : 0)                                               \
  X(limit, 0, x = x > rate ? rate : x < -rate ? -rate : x)                             \
  X(scale, 0, x *= rate)                                                               \
  X(blend, 0, x += rate * (g - x))
/* clang-format on */

#endif
