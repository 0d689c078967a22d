/* Losses with today's arguments: reduction is 0 for a loss of each element, 1 for the mean, 2 for
 * the sum. */
#ifndef ATEN_CRITERIA_H
#define ATEN_CRITERIA_H

#include "ATen/core/ATenCore.h"
#include "nn.h"

/* What reduction means to THNN's losses; raises if it means nothing. */
at_summing at_summingFor(int64_t reduction);

at_tensor *at_huber(at_tensor *out, at_tensor *self, at_tensor *target, int64_t reduction,
                    double delta);
at_tensor *at_smoothL1(at_tensor *out, at_tensor *self, at_tensor *target, int64_t reduction,
                       double beta);
at_tensor *at_crossEntropyOfLogits(at_tensor *self, at_tensor *target, at_tensor *weight,
                                   at_tensor *pos_weight, int64_t reduction);
at_tensor *at_divergence(at_tensor *self, at_tensor *target, int64_t reduction, bool log_target);
at_tensor *at_poissonLoss(at_tensor *input, at_tensor *target, bool log_input, bool full,
                          double eps, int64_t reduction);

/* The negative log-likelihood of classes, with classes in dimension 1 of any number of them. */
at_tensor *at_likelihoodOf(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index);

/* target has classes, or with self's size and type their probabilities. */
at_tensor *at_crossEntropy(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index, double label_smoothing);

at_tensor *at_marginOfRanks(at_tensor *input1, at_tensor *input2, at_tensor *target, double margin,
                            int64_t reduction);
at_tensor *at_cosineEmbedding(at_tensor *input1, at_tensor *input2, at_tensor *target,
                              double margin, int64_t reduction);
at_tensor *at_tripletMargin(at_tensor *anchor, at_tensor *positive, at_tensor *negative,
                            double margin, double p, double eps, bool swap, int64_t reduction);

#endif
