/* The graph: a node for each call of an operation whose operands want gradients.
 *
 * A tensor that wants a gradient refers to the node that made it, and that node by its edges to the
 * nodes of its operands.  A leaf, which no operation made, has a node of its own, where its gradient
 * is kept.  Nothing refers to the tensors themselves: what a formula reads is saved as a reference
 * to the TH tensor, so that there are no cycles, and tensors may be released in any order. */
#ifndef ATEN_NODE_H
#define ATEN_NODE_H

#include "ATen/core/ATenOperations.h"
#include "ATenGrad.h"

/* The value of an argument of a call; a member for each kind, as in at_value. */
typedef union at_slot {
  at_tensor *tensor;
  at_tensors tensors;
  at_scalar scalar;
  int64_t integer;
  double number;
  bool truth;
  at_ints ints;
  const at_type *type;
  at_generator *generator;
  at_storage *storage;
  const char *string;
  at_doubles doubles;
  struct {
    int first, count;
  } saved; /* in a node: which of the saved tensors the argument is */
} at_slot;

/* A gradient of a row: of which argument, and which arguments (bit i) and results (bit
 * AT_READS_RESULT + i) the formula reads. */
typedef struct at_partial {
  int argument;
  uint64_t reads;
} at_partial;

enum { AT_READS_RESULT = 32 };

struct at_backward_call;

/* The gradients of a row, which tools/aten/generate writes. */
typedef struct at_formula {
  const char *name;
  const char *node; /* PyTorch's name of the node */
  int argumentCount, partialCount;
  const at_argument *arguments;
  const at_partial *partials;
  int viewOf;         /* the argument whose memory the result may share, or -1 */
  unsigned constants; /* bit i: result i has no gradient */
  void (*backward)(struct at_backward_call *call); /* NULL if there is no formula */
  /* Whether formulas get the conjugates of complex gradients, and what they make is conjugated: so
   * what is right for real numbers is right for complex ones, if the operation has a derivative. */
  bool conjugates;
} at_formula;

/* Where the gradient of an operand goes; node is NULL if none is wanted. */
typedef struct at_edge {
  struct at_node *node;
  int output;
} at_edge;

/* A tensor that a formula reads. */
typedef struct at_saved {
  const at_type *type; /* NULL for an optional tensor that was not given */
  THFloatTensor *th;
  THFloatStorage *storage; /* th's, and its version, at that time */
  unsigned short version;
  bool isScalar;
  struct at_packed *packed; /* what stands for it, th and storage are NULL then; or NULL */
  int edge;                 /* the operand's, or -1 */
  int result;               /* which result of the node it is, or -1 */
} at_saved;

enum { AT_USUAL_DIMS = 5 };

typedef struct at_saving at_saving;

/* A hook of a tensor or of a node; hooks.c has the lists of them. */
typedef struct at_hooked {
  at_hook hook;          /* of a tensor, or NULL */
  at_node_hook nodeHook; /* of a node, or NULL */
  void *context;
  bool after;
  uint64_t number; /* larger than those of hooks that were added before */
  struct at_hooked *next;
} at_hooked;

/* A walk along a list of hooks, each of which may add and remove hooks. */
typedef struct at_hook_walk {
  at_hooked *next;
  uint64_t newest; /* hooks that are added later are not called */
  struct at_hook_walk *outer;
} at_hook_walk;

/* What is known of a result: its gradient has that type and those sizes. */
typedef struct at_output {
  const at_type *type; /* NULL if it has no gradient */
  int dims;
  int64_t usual[AT_USUAL_DIMS], *more; /* the sizes; more if there are more dimensions */
  at_tensor *grad;                     /* a leaf's, or one that is kept on demand */
  at_hooked *hooks;
  bool keepsGrad, isReplaced; /* isReplaced: changed in place since then */
} at_output;

typedef struct at_node {
  int refcount;        /* atomic */
  bool isFreed;        /* what was saved is released, as by a backward pass */
  bool isLeaf, isView; /* isView: the result is a view of an operand */
  const at_formula *formula;
  uint64_t reads;   /* what was saved, as in at_partial */
  const char *file; /* of the call, or NULL */
  int line;
  int64_t depth; /* more than that of the nodes it has edges to */
  int edgeCount, savedCount, outputCount;
  int listCount; /* of the operands that are lists, the length */
  at_edge *edges;
  at_slot *slots;
  at_saved *saved;
  at_output *outputs, own;          /* own: if there is one */
  const at_grad_function *function; /* a custom one, or NULL */
  const at_grad_list_function *listFunction;
  void *context; /* of either */
  at_hooked *hooks;
  struct at_node *next; /* in the list of nodes to be freed */
} at_node;

/* The node of leaves, and that of custom functions. */
extern const at_formula at_leafFormula;
extern const at_formula at_customFormula;

/* Whether it is a call of at_apply or at_apply_list. */
static inline bool at_node_isCustom(const at_node *node)
{
  return node->function || node->listFunction;
}

/* The name of a custom function, or NULL. */
static inline const char *at_node_customName(const at_node *node)
{
  return node->function       ? node->function->name
         : node->listFunction ? node->listFunction->name
                              : NULL;
}

/* What each thread knows. */
typedef struct at_grad_state {
  bool isOff, isFreeing, findsNaN;
  bool castsAgain;                          /* under autocast: leaves are cast for each call */
  unsigned char lower[AT_AUTOCAST_DEVICES]; /* under autocast: the type, else 0 */
  at_node *dead;                            /* nodes that are to be freed */
  struct at_saving *saving;                 /* what packs tensors that are saved, or NULL */
  struct at_casts *casts;                   /* of leaves under autocast, until it ends; or NULL */
  at_hook_walk *walks;                      /* the innermost one that runs, or NULL */
  at_node *last; /* the newest one, whose call has no file and line yet; not to be read */
} at_grad_state;

extern _Thread_local at_grad_state at_gradState __attribute__((tls_model("initial-exec")));

/* Whether a block of autocast casts t to the type once: a leaf of Float, to a lower type. */
bool at_isCastOnce(const at_tensor *t, const at_type *type);

/* Such a cast, a new reference: the one that was made before in the block, unless the leaf has changed
 * since then.  The undefined tensor after an error. */
at_tensor *at_castOnce(at_tensor *leaf, const at_type *type);

/* Releases the thread's casts. */
void at_forgetCasts(void);

/* A node with that many edges, slots, saved tensors, and bytes behind them, all zero. */
at_node *at_node_new(const at_formula *formula, int edges, int slots, int saved, size_t bytes,
                     char **capacity);

/* Whether t wants a gradient; an error of the operation if not. */
bool at_acceptGrad(const char *operation, const at_tensor *t);

/* Begins a walk along the list; at_hooks_next returns the next hook, which may be gone once it has been called,
 * or NULL; at_hooks_end ends the walk, after which the program may raise. */
void at_hooks_begin(at_hook_walk *walk, at_hooked *list);
at_hooked *at_hooks_next(at_hook_walk *walk);
void at_hooks_end(const at_hook_walk *walk);
void at_hooks_free(at_hooked *list);

/* Gives the node results; a result of a type that has no gradient stays without. */
void at_node_setOutputs(at_node *node, int count, at_tensor *const *results);

/* Releases what formulas read. */
void at_node_forget(at_node *node);

/* Writes the operation, with file and line of its call: "add, called at net.c:12". */
void at_node_name(const at_node *node, char *buffer, size_t size);

static inline at_ints at_output_sizes(const at_output *output)
{
  return (at_ints){output->more ? output->more : output->usual, output->dims};
}

/* Saves t, an operand with that edge or -1, or result number result or -1; raises, and leaves saved, if a
 * hook fails. */
void at_save_tensor(at_saved *saved, const at_tensor *t, int edge, int result);
void at_saved_free(at_saved *saved);

/* A tensor of what was saved, which wants a gradient as the saved one did; raises if the elements
 * have changed since then. */
at_tensor *at_restore(at_node *node, int saved);

/* --- backward --------------------------------------------------------------------------------- */

/* What a formula is called with: generated functions ask for arguments and give gradients.
 * Functions that fail report the error and return undefined tensors. */
typedef struct at_backward_call {
  at_node *node;
  at_tensor **grads; /* of each result, or NULL */
  at_tensor **made;  /* for each edge, or NULL; references */
} at_backward_call;

/* The gradient of a result; zeros if there is none. */
at_tensor *at_back_grad(at_backward_call *call, int output);

/* The gradient of a result; NULL if there is none. */
at_tensor *at_back_gradOrNone(at_backward_call *call, int output);

/* The gradients of all results, of an operation that returns a list. */
at_tensors at_back_grads(at_backward_call *call);

/* Whether the gradient number partial is wanted. */
bool at_back_wants(const at_backward_call *call, int partial);

/* The sizes of the operand with that gradient, which is wanted. */
at_ints at_back_sizes(const at_backward_call *call, int partial);

/* Arguments and results that were saved. */
at_tensor *at_back_tensor(at_backward_call *call, int argument);
at_tensors at_back_tensors(at_backward_call *call, int argument);
at_tensor *at_back_result(at_backward_call *call, int result);

/* Hands over a gradient, NULL for none, or those of a list of tensors. */
void at_back_give(at_backward_call *call, int partial, at_tensor *grad);
void at_back_giveList(at_backward_call *call, int partial, const at_tensors *grads);

/* Several gradients of one expression. */
typedef struct at_several {
  at_tensor *of[AT_RESULTS];
} at_several;

/* --- the tape --------------------------------------------------------------------------------- */

typedef struct at_tape {
  at_call call;
  at_node *node;
  at_tensor *self; /* the tensor that the call changes in place, or NULL */
  const at_slot *given;
  bool wasOff;
} at_tape;

/* --- families of views (family.c) -------------------------------------------------------------- */

typedef struct at_family at_family;

/* Notes that view shares base's memory, unless base is a leaf or a view of one. */
void at_family_join(at_tensor *base, at_tensor *view);

/* Makes a family of the tensors without gradient that are known to share self's memory; raises if a leaf is among
 * them that was in such a family before. */
void at_family_found(at_tensor *self);

/* Gives the others of t's family new nodes, as t was changed in place and has its own; raises if it fails. */
void at_family_changed(at_tensor *t);

/* Raises if that has failed. */
void at_family_check(const at_tensor *t);

/* Raises unless self may be changed in place by a call that is recorded. */
void at_tape_checkInplace(const at_tensor *self);

/* Makes t that output of the node. */
void at_tape_setNode(at_tensor *t, at_node *node, int output);

/* Begins to record a call of the operation: saves what is read and stops recording until the tape is
 * closed.  False after an error, of which nothing is left. */
bool at_tape_open(at_tape *tape, const at_formula *formula, const char *operation, at_tensor *self,
                  const at_slot *given);

/* Ends the call, whose results become those of the node.  After an error new results are released
 * and undefined. */
at_tensor *at_tape_close(at_tape *tape, at_tensor *result);
void at_tape_closeAll(at_tape *tape, int count, at_tensor **results);
const at_tensors *at_tape_closeList(at_tape *tape, const at_tensors *list);

#endif
