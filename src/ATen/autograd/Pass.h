/* A backward pass: the nodes that are to be visited, with the gradients that have arrived. */
#ifndef ATEN_PASS_H
#define ATEN_PASS_H

#include "Formulas.h"

/* A node that waits, and a gradient for each of its results, or NULL; references. */
typedef struct at_visit {
  at_node *node;
  at_tensor **grads;
} at_visit;

/* Nodes in order of their depth, deepest first, so that a node comes after all that have edges to it.
 */
typedef struct at_pass {
  at_visit **heap;
  int count, capacity;
  at_visit **table; /* by node: open addressing; a power of two entries */
  int used, entries;
  bool creates, keeps; /* whether gradients are recorded, and whether the graph is kept */
} at_pass;

/* Enters the guard, which frees the pass. */
void at_pass_enter(at_pass *pass, THGuard *guard);

/* The visit of the node, which waits from now on. */
at_visit *at_pass_visit(at_pass *pass, at_node *node);

/* The deepest node that waits, or NULL; the caller frees it with at_visit_free. */
at_visit *at_pass_next(at_pass *pass);
void at_visit_free(at_visit *visit);

/* Adds a gradient (a reference, which it takes over, or NULL) to a result of a node, in its type and
 * sizes. */
void at_pass_add(at_pass *pass, at_node *node, int output, at_tensor *grad);

/* What a pass changes for the formulas: whether they are recorded, and that they cast nothing. */
typedef struct at_switches {
  bool isOff;
  unsigned char lower[AT_AUTOCAST_DEVICES];
} at_switches;

at_switches at_pass_begin(bool creates);
void at_pass_end(const at_switches *before);

/* at_gradients inside of such a pass; raises. */
const at_tensors *at_gradientsOf(at_tensors outputs, at_tensors inputs,
                                 const at_gradients_options *options);

/* Whether nobody else refers to t or its memory. */
bool at_isSole(const at_tensor *t);

/* Whether a tensor of sizes broadcasts to that of wide. */
bool at_broadcastsTo(at_ints sizes, at_ints wide);

#endif
