/* Recurrent layers over sequences, of which docs/autograd.md says when they are one node. */
#ifndef ATEN_SEQUENCE_H
#define ATEN_SEQUENCE_H

#include "ATen/autograd/Formulas.h"

/* Whether at_sequence takes the type. */
bool at_sequenceIsFused(const at_tensor *input);

/* A layer in one direction.  inputs: the products of inputs and weights, steps x batch x gates * units; the
 * first state; the weights of states; both biases, or NULL; and of LSTM the first cell, or NULL.  Returns
 * (steps + 1) x batch x units: the states, before them the first one, or behind them if isReverse; and of
 * LSTM one row more, the last cell. */
at_tensor *at_sequence(at_cell_kind cell, at_tensor *const *inputs, bool isReverse);

/* at_sequence by operations that have gradients. */
at_tensor *at_sequenceByOperations(at_cell_kind cell, at_tensor *const *inputs, bool isReverse);

#endif
