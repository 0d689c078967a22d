/* Attention that several nodes compute, as one node. */
#ifndef ATEN_PASS_ATTENTION_H
#define ATEN_PASS_ATTENTION_H

#include "Passes.h"

enum { AT_ATTENTION_NODES = 5 }; /* scores, factor, mask, softmax, product */

typedef struct at_fusedAttention {
  int32_t count;
  at_graphNode *nodes; /* in the order of computation */
  double scale, dim;   /* dim: of the softmax */
  at_scalar_type type; /* that the softmax asks for; AT_SCALAR_TYPES if it asks for none */
} at_fusedAttention;

at_computeFunction at_computeAttention;

#endif
