/* Layers and losses that compute each element by itself: one row each, forward and gradient.  Every
 * file that handles such layers includes these rows, and defines what a row of each kind becomes; the
 * definitions are forgotten at the end.
 *
 * In an expression, all of type real, g is an element of the output's gradient (in a loss times the
 * scale of its average), a and b are the layer's parameters, and THMath_(name) is the function of
 * that name.  THNN_(softplus)(z) is log(1 + exp(z)) for any z; THNN_(logOr100) is its argument or
 * -100, and THNN_(atLeast) the first or the second, whichever is larger. */
#ifndef ACTIVATION
#define ACTIVATION(...)
#endif
#ifndef GATE
#define GATE(...)
#endif
#ifndef CRITERION
#define CRITERION(...)
#endif

/* clang-format off */

/* ACTIVATION(KIND, Name, forward, gradient): forward is of the input x; gradient is of g and of v, which is
 * the layer's input or output, as updateGradInput is given the one or the other.
 *
 *   kind          updateOutput                       updateGradInput
 *   OF_INPUT      input, output                      input, gradOutput, gradInput
 *   OF_INPUT1     input, output, a                   input, gradOutput, gradInput, a
 *   IN_PLACE1     input, output, a, inplace          input, gradOutput, gradInput, a, inplace
 *   IN_PLACE2     input, output, a, b, inplace       input, gradOutput, gradInput, a, b, inplace
 *   OF_OUTPUT     input, output                      gradOutput, gradInput, output
 *   OWN           functions of their own, which THNN's THNN/activation/Activations.c has */
ACTIVATION(OF_INPUT,  Abs,        THMath_(abs)(x),              v > 0 ? g : v < 0 ? -g : 0)
ACTIVATION(OWN,       ELU,        x <= 0 ? THMath_(expm1)(x) * (a * b) : x * b,
                                                                v <= 0 ? g * (v + a * b) : g * b)
ACTIVATION(OF_INPUT1, HardShrink, ((x >= -a) & (x <= a)) ? 0 : x,
                                                                ((v > a) | (v < -a)) ? g : 0)
ACTIVATION(IN_PLACE2, HardTanh,   x < a ? a : x > b ? b : x,    ((v > a) & (v < b)) ? g : 0)
ACTIVATION(IN_PLACE1, LeakyReLU,  x > 0 ? x : x * a,            v > 0 ? g : g * a)
ACTIVATION(OWN,       LogSigmoid, -THNN_(softplus)(-x),         g * THNN_(sigmoid)(-v))
ACTIVATION(OF_OUTPUT, Sigmoid,    THNN_(sigmoid)(x),          g * (1 - v) * v)
ACTIVATION(OWN,       SoftPlus,   x * a > b ? x : THNN_(softplus)(x * a) / a,
                                                    v * a > b ? g : g * THNN_(sigmoid)(v * a))
ACTIVATION(OF_INPUT1, SoftShrink, x > a ? x - a : x < -a ? x + a : x * 0,
                                                                ((v > a) | (v < -a)) ? g : 0)
ACTIVATION(OWN,       Sqrt,       THMath_(sqrt)(x),             v == 0 ? 0 : g / (2 * v))
ACTIVATION(OF_INPUT,  Square,     x * x,                        2 * g * v)
ACTIVATION(OF_OUTPUT, Tanh,       THMath_(tanh)(x),             g * (1 - v * v))
ACTIVATION(IN_PLACE2, Threshold,  x <= a ? b : x,               v <= a ? 0 : g)

/* GATE(Name, forward, gradient, gradient with respect to w): of the input x and a second one, w: the
 * weight, the noise that was drawn, the other half of the input. */
GATE(PReLU,       x > 0 ? x : w * x,           x > 0 ? g : w * g,  x > 0 ? 0 : x * g)
GATE(RReLU,       w * x,                       w * g,              x * g)
GATE(GatedLinear, x * THNN_(sigmoid)(w),     THNN_(sigmoid)(w) * g,
                             THNN_(sigmoid)(w) * (1 - THNN_(sigmoid)(w)) * x * g)

/* CRITERION(KIND, Name, forward, gradient): of the input x and the target t, and in a WEIGHTED one of the
 * element's weight w; the gradient is with respect to x.  A LOSS has the functions that
 *
 *   updateOutput      input, target, output, sizeAverage, reduce
 *   updateGradInput   input, target, gradOutput, gradInput, sizeAverage, reduce
 *
 * describe, the others have functions of their own. */
CRITERION(LOSS,     AbsCriterion,        THMath_(abs)(x - t), x > t ? g : x < t ? -g : 0)
CRITERION(LOSS,     DistKLDivCriterion,  t <= 0 ? 0 : t * (THMath_(log)(t) - x),
                                                              t <= 0 ? 0 : -t * g)
CRITERION(LOSS,     MSECriterion,        (x - t) * (x - t),   2 * (x - t) * g)
CRITERION(LOSS,     SmoothL1Criterion,   THMath_(abs)(x - t) < 1 ? (x - t) * (x - t) / 2
                                                              : THMath_(abs)(x - t) - (real)0.5,
                                                x - t < -1 ? -g : x - t > 1 ? g : (x - t) * g)
CRITERION(LOSS,     SoftMarginCriterion, THNN_(softplus)(-x * t),
                                                              -t * g * THNN_(sigmoid)(-x * t))
CRITERION(OWN_LOSS, L1Cost,              THMath_(abs)(x),     x > 0 ? g : x < 0 ? -g : 0)
CRITERION(OWN_LOSS, MarginCriterion,     x * t < a ? a - x * t : 0, x * t < a ? -t * g : 0)
CRITERION(WEIGHTED, BCECriterion,        w * ((t - 1) * THNN_(logOr100)(THMath_(log1p)(-x))
                                              - t * THNN_(logOr100)(THMath_(log)(x))),
                                w * g * (x - t) / THNN_(atLeast)((1 - x) * x, (real)1e-12f))

/* clang-format on */

#undef ACTIVATION
#undef GATE
#undef CRITERION
