/* Layers of LSTM over sequences, of which docs/autograd.md says when they are one node. */
#ifndef ATEN_SEQUENCE_H
#define ATEN_SEQUENCE_H

#include "ATen/autograd/Formulas.h"

/* Whether at_lstmSequence takes the type. */
bool at_lstmIsFused(const at_tensor *input);

/* A layer in one direction.  inputs: the products of inputs and weights, steps x batch x 4 units; the first
 * state and cell; the weights of states; and, if count is 6, both biases.  Returns (steps + 2) x batch x
 * units: the states, before them the first one, or behind them if isReverse, and in the last row the last
 * cell. */
at_tensor *at_lstmSequence(at_tensor *const *inputs, int count, bool isReverse);

/* The same by operations that have gradients. */
at_tensor *at_lstmByOperations(at_tensor *const *inputs, int count, bool isReverse);

#endif
