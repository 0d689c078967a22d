/* What calls of recurrent layers have in common, of padded sequences and of packed ones. */
#ifndef ATEN_RECURRENT_LAYERS_H
#define ATEN_RECURRENT_LAYERS_H

#include "ATenLayerFields.h"

/* A call of a recurrent layer. */
typedef struct at_recurrentCall {
  at_module *self;
  at_tensor *input, *h, *c;          /* h and c: NULL for zeros */
  int64_t hidden, projected, layers; /* projected: the size of states, or 0 */
  bool bias, batchFirst, bidirectional;
  double dropout;
  char cell; /* L, G, t or r */
} at_recurrentCall;

/* The call of a layer whose fields own points to. */
#define AT_RECURRENT_CALL(CELL, INPUT, H, C, PROJECTED)                                           \
  ((at_recurrentCall){self, INPUT, H, C, own->hidden_size, PROJECTED, own->num_layers, own->bias, \
                      own->batch_first, own->bidirectional, own->dropout, CELL})

/* Runs the operation of the cell from the states h and, of LSTM, c, over steps x batch x inputs, or as
 * the call's batchFirst says. */
at_output_h_n_c_n at_runCells(const at_recurrentCall *r, at_tensor *input, at_tensor *h,
                              at_tensor *c, at_tensors params);

/* The parameters of the layer itself, without names that have none; buffer has space for all names. */
at_tensors at_ownParameters(const at_module *self, at_tensor **buffer);

#endif
