/* Attention that several nodes compute, as one node. */
#ifndef ATEN_PASS_ATTENTION_H
#define ATEN_PASS_ATTENTION_H

#include "Passes.h"

/* The operands, the first inputs of the node; those that are not there are None.  Keys are columns.
 * Scores become fill where the condition is true, or where it is false if fillsFalse. */
enum {
  AT_QUERY,
  AT_KEY,
  AT_VALUE,
  AT_MASK,
  AT_CONDITION,
  AT_FILL,
  AT_OPERANDS,
  AT_SCORES = AT_OPERANDS, /* what views may be of besides operands */
  AT_WEIGHTS
};

enum { AT_ATTENTION_NODES = 16, AT_PATH_NODES = 16, AT_ATTENTION_VIEWS = 24 };

/* A node that gives other sizes to an operand, the scores before the softmax, or the weights after
 * it: which input of the node lists the sizes. */
typedef struct at_attentionView {
  int32_t of, input;
} at_attentionView;

typedef struct at_fusedAttention {
  int32_t count, pathCount, viewCount;
  at_graphNode
      *paths; /* nodes that give query, key and value other sizes, in the order of computation */
  at_graphNode *nodes;           /* the other nodes, from the product of query and key on */
  const at_attentionView *views; /* in the order of computation for each thing */
  int32_t masked;                /* how many views of the scores come before the mask */
  double scale, pathScale;       /* of the scores in nodes, and of query and key in paths */
  double dim;                    /* of the softmax */
  bool fillsFalse, isSafe;       /* isSafe: a row of scores that are all -inf becomes 0 */
  at_scalar_type type; /* the type that the softmax asks for; AT_SCALAR_TYPES if it asks for none */
} at_fusedAttention;

at_computeFunction at_computeAttention;

/* Whether the node is matmul or bmm, or a softmax of a dimension that is known; it has one output. */
bool at_isProduct(const at_graphNode *node);
bool at_isSoftmax(const at_graphNode *node);

/* Where products read a softmax that is not part of attention, weights that are no normal numbers
 * become 0. */
void at_flushSoftmax(at_rewrite *rewrite);

/* The right operand of matmul or bmm. */
const at_given *at_rightOf(const at_graphNode *product);

#endif
