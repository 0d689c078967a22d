/* Layers that compute each element by itself, and losses that compare two: one row each, forward
 * and gradient side by side.  Everything that knows such a layer expands these tables. */
#ifndef TH_OPS_ACTIVATIONS_H
#define TH_OPS_ACTIVATIONS_H

/* X(Name, forward, gradient): forward is of the input x, gradient of the output's gradient g and of
 * v, which is the layer's input or output, as updateGradInput is given the one or the other.  a and
 * b are the layer's parameters. */
#define TH_FOR_EACH_ACTIVATION(X)        \
  X(Tanh, MATH(tanh)(x), g *(1 - v * v)) \
  X(Threshold, x <= a ? b : x, v <= a ? 0 : g)

/* X(Name, forward, gradient): of the input x and the target t; the gradient is with respect to x.
 */
#define TH_FOR_EACH_LOSS(X) X(MSECriterion, (x - t) * (x - t), 2 * (x - t))

#endif
