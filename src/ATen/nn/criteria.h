/* Losses with today's arguments: reduction is 0 for a loss of each element, 1 for the mean, 2 for
 * the sum. */
#ifndef ATEN_CRITERIA_H
#define ATEN_CRITERIA_H

#include "ATen/core/ATenCore.h"
#include "nn.h"

/* What reduction means to THNN's losses; raises if it means nothing. */
at_summing at_summingFor(int64_t reduction);

/* The negative log-likelihood of classes, with classes in dimension 1 of any number of them. */
at_tensor *at_likelihoodOf(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index);

/* target has classes, or with self's size and type their probabilities. */
/* The gradient of the cross entropy of classes with respect to self, on a device, without the graph of what it is made
 * of; grad is that of the loss. */
at_tensor *at_crossEntropyDeviceGrad(at_tensor *grad, at_tensor *self, at_tensor *target,
                                     at_tensor *weight, int64_t reduction, int64_t ignored,
                                     double smoothing);
at_tensor *at_crossEntropy(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index, double label_smoothing);

#endif
