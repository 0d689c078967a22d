/* What the files that write and read states of optimizers share. */
#ifndef ATEN_STATE_H
#define ATEN_STATE_H

#include "ATen/files/Nodes.h"
#include "Optimizer.h"

typedef struct at_stateWriter {
  at_dict *dict;
  at_nodes *nodes;
} at_stateWriter;

/* The value under that key of a dictionary, or nothing. */
at_datum at_state_find(at_datum dict, const char *key);

/* A number, boolean, or tensor of one element; and a tensor.  Both raise for anything else. */
double at_state_number(at_datum value, const char *key);
at_tensor *at_state_tensor(at_datum value, const char *key);

/* L-BFGS keeps the state of all parameters under the first one. */
void at_lbfgs_write(const at_stateWriter *w, int32_t all, const at_optimizer *o);
struct at_lbfgs *at_lbfgs_read(const at_optimizer *o, int capacity, at_datum from);

#endif
