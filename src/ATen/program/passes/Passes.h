/* Passes over the graph of a program: what a run computes instead of the nodes of the file.
 *
 * Passes change a copy of the graph, each in turn: a pass is a function in a file of its own, and a
 * row of the table in passes.c.  What becomes of the graph is a plan: nodes that depend on weights
 * alone, which are computed once, and the nodes of each run. */
#ifndef ATEN_PASSES_H
#define ATEN_PASSES_H

#include "ATen/program/Program.h"

/* A graph while passes change it.  Nodes are copies; their inputs are those of the file until a pass
 * gives them others.  A node that is removed has neither op nor compute. */
typedef struct at_rewrite {
  at_program *program;
  at_reading *reading; /* its arena has what is kept after the passes */
  at_arena scratch;    /* what is not kept */
  at_graph *graph;
  int32_t slotCapacity;
  int32_t *same;   /* of each slot another one that stands for it, or the slot itself */
  int64_t changes; /* nodes that the pass at hand has changed or removed */
  at_plan *plan;
} at_rewrite;

typedef void at_passFunction(at_rewrite *rewrite);

/* Makes the weights of a convolution that batch normalization follows (batchNorm.c); its first input is
 * the weight. */
at_computeFunction at_computeNormalizedWeights;

/* A part of AT_PASS_PACKED_WEIGHTS (transformedWeights.c). */
void at_transformWindows(at_rewrite *rewrite);

at_passFunction at_passActivations, at_passAttention, at_passBFloat16Weights, at_passFunctional,
    at_passInt8Weights, at_passNoOps, at_passBatchNorm, at_passChains, at_passConstants,
    at_passDead, at_passPackedWeights, at_passSlices;

/* --- nodes and slots -------------------------------------------------------------------------- */

static inline bool at_isRemoved(const at_graphNode *node)
{
  return !node->op && !node->compute;
}

void at_removeNode(at_rewrite *rewrite, at_graphNode *node);

/* The slot that stands for slot. */
int32_t at_slotOf(const at_rewrite *rewrite, int32_t slot);

/* The slot of an argument that is one tensor or number; AT_NO_SLOT if it is none or a constant. */
int32_t at_slotIn(const at_rewrite *rewrite, const at_given *given);

/* A new slot of that name. */
int32_t at_newSlot(at_rewrite *rewrite, const char *name);

/* An argument of that name: the tensor in the slot. */
at_given at_tensorIn(at_arena *arena, const char *name, int32_t slot);

/* Calls visit for each slot that the node reads. */
typedef void at_slotVisit(void *context, int32_t slot);
void at_eachRead(const at_rewrite *rewrite, const at_graphNode *node, at_slotVisit *visit,
                 void *context);
void at_eachOutput(const at_rewrite *rewrite, at_slotVisit *visit, void *context);

/* How often each slot is read, by nodes and as an output of the graph. */
int32_t *at_countReads(at_rewrite *rewrite);

/* The node that makes each slot, or -1. */
int32_t *at_findMakers(at_rewrite *rewrite);

/* The argument of the node's op with that name; NULL if it is not given. */
const at_given *at_argumentOf(const at_graphNode *node, const char *name);

/* Whether the argument is a constant number, not one that is computed. */
bool at_isConstantNumber(const at_given *given, double *number);

/* --- what nodes do ---------------------------------------------------------------------------- */

/* Whether nothing comes of the node but its outputs, which depend on its inputs alone. */
bool at_isPure(const at_graphNode *node);

/* Whether the node may change elements of the tensors it reads. */
bool at_writes(const at_graphNode *node);

/* Which slots may share memory. */
typedef struct at_sets {
  int32_t *root, *next; /* next: the members of a set in a circle */
  int32_t *size;
  bool *isOutside; /* of a root: an input of the program or a weight is in the set */
  bool *isWritten; /* of a root: a node changes a member of the set */
} at_sets;

/* Sets of the graph's inputs; nodes are added in their order. */
at_sets at_sets_new(at_rewrite *rewrite);
void at_sets_add(at_rewrite *rewrite, at_sets *sets, const at_graphNode *node);
int32_t at_sets_root(const at_sets *sets, int32_t slot);

/* For each slot: whether it depends on weights alone, and no node changes it or those. */
bool *at_findConstants(at_rewrite *rewrite);

/* For each slot: the input of the graph that is in it, if it is a weight, or else -1. */
int32_t *at_findWeights(at_rewrite *rewrite);

/* The weight in that slot, which inputs has, or NULL. */
const at_tensor *at_weightIn(const at_rewrite *rewrite, const int32_t *inputs, int32_t slot);

/* --- what the file says of values ------------------------------------------------------------- */

/* The element type of the tensor in a slot; AT_SCALAR_TYPES if that is not known.  What the file
 * says may be wrong: passes use it where an error later is all that may come of it. */
at_scalar_type at_typeIn(const at_rewrite *rewrite, int32_t slot);

/* Whether the tensors in two slots have the same sizes. */
bool at_haveSameSizes(const at_rewrite *rewrite, int32_t a, int32_t b);

/* Whether the sizes of the tensor in a slot are known, and it has no more elements than most. */
bool at_hasAtMost(const at_rewrite *rewrite, int32_t slot, int64_t most);

#endif
