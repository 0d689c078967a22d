/* Chains: pointwise operations in a row, computed block by block in buffers that stay in the L1
 * cache. */
#ifndef ATEN_CHAIN_H
#define ATEN_CHAIN_H

#include "Passes.h"
#include "TH/pointwise/THPointwise.h"

enum { AT_CHAIN_TENSORS = 7, AT_CHAIN_STEPS = 16, AT_CHAIN_BUFFERS = 4, AT_STEP_INPUTS = 3 };

/* Which table the kernel of a step is in. */
typedef enum at_stepKind {
  AT_STEP_ROW,      /* src/ops/pointwise.h */
  AT_STEP_FUNCTION, /* src/ops/functions.h */
  AT_STEP_LAYER     /* src/ops/activations.h */
} at_stepKind;

enum { AT_STEP_NUMBERS = 2 };

/* An operation as a step: its kernel, and which arguments its inputs and numbers are. */
typedef struct at_stepRule {
  const char *name, *overload;
  at_stepKind kind;
  int row;
  const char *inputs[AT_STEP_INPUTS]; /* tensors, in the order of the kernel's x, y and z */
  struct {
    const char *name; /* NULL: the number is always otherwise */
    double otherwise;
  } numbers[AT_STEP_NUMBERS]; /* a and b */
} at_stepRule;

/* The rule for a node, or NULL. */
const at_stepRule *at_ruleOf(const at_graphNode *node);

/* A step of a chain.  An input below AT_CHAIN_TENSORS is a tensor of the chain, another one the
 * result of step input - AT_CHAIN_TENSORS. */
typedef struct at_chainStep {
  const at_stepRule *rule;
  int8_t inputs[AT_STEP_INPUTS], inputCount;
  int8_t buffer; /* of the result; -1 for the last step */
  at_part numbers[AT_STEP_NUMBERS];
} at_chainStep;

typedef struct at_chain {
  int32_t tensorCount, stepCount, bufferCount;
  int32_t slots[AT_CHAIN_TENSORS];
  at_chainStep steps[AT_CHAIN_STEPS];
  at_graphNode *nodes; /* as many as steps: what computes tensors that the chain is not for */
} at_chain;

at_computeFunction at_computeChain;

#endif
