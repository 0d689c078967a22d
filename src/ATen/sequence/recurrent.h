/* Recurrent networks, of cells that THNN fuses. */
#ifndef ATEN_RECURRENT_H
#define ATEN_RECURRENT_H

#include "ATen/core/ATenCore.h"

typedef enum at_cell_kind { AT_CELL_TANH, AT_CELL_RELU, AT_CELL_GRU, AT_CELL_LSTM } at_cell_kind;

/* The options of a network. */
typedef struct at_recurrence {
  at_cell_kind cell;
  bool hasBiases, train, bidirectional, batchFirst;
  int64_t layers;
  double dropout;
} at_recurrence;

/* Whether states of an LSTM are projected: they have another size than the cells in hx, then. */
bool at_isProjected(at_cell_kind cell, at_tensors hx);

/* hx: the first states, of LSTM also the first cells, each layers * directions x batch x hidden.
 * params: for each layer and direction the weights of the input and of the state, the biases if there
 * are any, and the matrix that projects states if they are projected.  out: the output of the last
 * layer, the last states, and of LSTM the last cells. */
void at_recur(at_tensor **out, const at_recurrence *how, at_tensor *input, at_tensors hx,
              at_tensors params);

/* One step.  out: the state, and of LSTM the cell. */
void at_stepOf(at_tensor **out, at_cell_kind cell, at_tensor *input, at_tensors hx, at_tensor *w_ih,
               at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh);

/* The state after one step of a cell that is not LSTM. */
at_tensor *at_stateAfter(at_cell_kind cell, at_tensor *input, at_tensor *hx, at_tensor *w_ih,
                         at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh);

#endif
