/* What optimizers do to each element: rows UPDATE(name, states, assignments).
 *
 * In the assignments, which are in order, x is the element of the parameter and g that of its gradient, which
 * is negated and has the weight decay already; s0, s1 and s2 are those of the states, and y is any number.
 * rate, and a to f, are numbers that a rule of ATen/optim/rules.c computes for each step.
 *
 * The including file defines UPDATE, which is forgotten at the end. */
/* clang-format off */
UPDATE(sgd, 0, x -= rate * g)
UPDATE(sgd_momentum, 1, /* a * s + b * g, and c is not 0 for nesterov */
  s0 = a * s0 + b * g,
  x -= rate * (c != 0 ? g + c * s0 : s0))
UPDATE(adam, 2, /* a = 1 - beta1, b = beta2, c = 1 - beta2, d for the bias of s1 */
  s0 += a * (g - s0),
  s1 = b * s1 + c * g * g,
  x -= rate * s0 / (AT_SQRT(s1) * d + e))
UPDATE(adam_amsgrad, 3,
  s0 += a * (g - s0),
  s1 = b * s1 + c * g * g,
  s2 = AT_LARGER(s2, s1),
  x -= rate * s0 / (AT_SQRT(s2) * d + e))
UPDATE(rmsprop, 1, /* a = alpha, b = 1 - alpha, c = momentum */
  s0 = a * s0 + b * g * g,
  x -= rate * g / (AT_SQRT(s0) + e))
UPDATE(rmsprop_momentum, 2,
  s0 = a * s0 + b * g * g,
  s1 = c * s1 + g / (AT_SQRT(s0) + e),
  x -= rate * s1)
UPDATE(rmsprop_centered, 2,
  s0 = a * s0 + b * g * g,
  s1 += b * (g - s1),
  x -= rate * g / (AT_SQRT(s0 - s1 * s1) + e))
UPDATE(rmsprop_centered_momentum, 3,
  s0 = a * s0 + b * g * g,
  s2 += b * (g - s2),
  s1 = c * s1 + g / (AT_SQRT(s0 - s2 * s2) + e),
  x -= rate * s1)
UPDATE(adagrad, 1,
  s0 += g * g,
  x -= rate * g / (AT_SQRT(s0) + e))
UPDATE(adadelta, 2, /* a = rho, b = 1 - rho */
  s0 = a * s0 + b * g * g,
  y = AT_SQRT(s1 + e) / AT_SQRT(s0 + e) * g,
  s1 = a * s1 + b * y * y,
  x -= rate * y)
UPDATE(adamax, 2, /* a = 1 - beta1, b = beta2 */
  s0 += a * (g - s0),
  s1 = AT_LARGER(b * s1, AT_ABS(g) + e),
  x -= rate * s0 / s1)
UPDATE(nadam, 2, /* as adam, and f is the rate of g */
  s0 += a * (g - s0),
  s1 = b * s1 + c * g * g,
  x -= (f * g + rate * s0) / (AT_SQRT(s1) * d + e))
UPDATE(radam, 2, /* as adam, and f is 1 while s1 is left out */
  s0 += a * (g - s0),
  s1 = b * s1 + c * g * g,
  x -= f != 0 ? rate * s0 : rate * s0 / (AT_SQRT(s1) + e))
UPDATE(asgd, 1, /* a = mu, the weight of x in the average */
  x -= rate * g,
  s0 = a != 1 ? s0 + (x - s0) * a : x)
UPDATE(rprop, 2, /* a and b, by which steps grow and shrink between c and d; f is 1 for the first step */
  y = g * s0,
  s1 = (f != 0 ? rate : s1) * (y > 0 ? a : y < 0 ? b : 1),
  s1 = s1 < c ? c : s1 > d ? d : s1,
  s0 = y < 0 ? 0 : g,
  x -= s0 > 0 ? s1 : s0 < 0 ? -s1 : 0)
UPDATE(limit, 0, x = x > rate ? rate : x < -rate ? -rate : x)
UPDATE(scale, 0, x *= rate)
UPDATE(blend, 0, x += rate * (g - x))
/* clang-format on */

#undef UPDATE
