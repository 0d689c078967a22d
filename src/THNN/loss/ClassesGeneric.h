/* The classes of an input of size classes or batch x classes, with a target for each; images have
 * size batch x classes x height x width.  Raises if shapes do not fit.  guard owns the copy
 * of the targets, if one is needed.  weights, argument arg, may be NULL. */
THNNClasses THNN_(classes)(THGuard *guard, THTensor *input, THIndexTensor *target,
                           THTensor *weights, int arg);
THNNClasses THNN_(imageClasses)(THGuard *guard, THTensor *input, THIndexTensor *target,
                                THTensor *weights, int arg);

/* Raises unless every target is a class or ignore_index. */
void THNN_(checkTargets)(const THNNClasses *classes, THTensor *input, int64_t ignore_index);

/* Raises unless gradOutput has one element or, where each input has a loss of its own, target's. */
void THNN_(checkLossGradient)(THTensor *gradOutput, THTensor *input, int64_t count);

/* Sums a loss over count inputs, in pieces that depend on count only: body adds the terms of inputs
 * begin ... end to sums[0], and a second sum to sums[1]. */
typedef void (*THNN_(SumBody))(void *context, ptrdiff_t begin, ptrdiff_t end, accreal *sums);
void THNN_(sumInputs)(ptrdiff_t count, ptrdiff_t grain, THNN_(SumBody) body, void *context,
                      accreal *sums);
