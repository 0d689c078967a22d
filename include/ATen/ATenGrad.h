/* Gradients, by reverse-mode automatic differentiation, as PyTorch's autograd.
 *
 *     at_tensor *w = at_requires_grad_(at_randn(AT_SHAPE(3, 2)));
 *     AT_SCOPE {
 *       at_tensor *loss = at_sum(at_square(at_mm(x, w)));
 *       at_backward(loss);
 *       AT_NO_GRAD { at_sub_(w, at_grad(w), .alpha = 0.1); }
 *       at_set_grad(w, NULL);
 *     }
 *
 * Operations on tensors that want gradients are recorded, with what the formulas of their gradients
 * read; docs/autograd.md says how the formulas are written.  A thread records and walks a graph of
 * its own; several threads may use the same leaves, whose gradients are added up under a lock. */
#ifndef ATEN_GRAD_H
#define ATEN_GRAD_H

#include "ATenScope.h"
#include "ATenTensor.h"
#include "ATenType.h"

/* --- which tensors want gradients ------------------------------------------------------------ */

/* Makes t a leaf: gradients with respect to t are added up in at_grad(t).  Returns t, or the
 * undefined tensor and an error if t has no floating type. */
AT_API at_tensor *at_requires_grad_(at_tensor *t);

/* Whether t wants a gradient, as a leaf or because it was computed from one. */
AT_API bool at_requiresGrad(const at_tensor *t);

/* Whether no recorded operation made t.
 *
 *     at_isLeaf(Tensor t) -> bool */
AT_API bool at_isLeaf(const at_tensor *t);

/* Cuts t off from what it was computed from: it wants no gradient.  Returns t.  at_detach is a view
 * of t that wants none. */
AT_API at_tensor *at_detach_(at_tensor *t);

/* --- gradients ------------------------------------------------------------------------------- */

/* The gradient of a leaf, or of a tensor after at_retain_grad; NULL if there is none yet.  The
 * reference is borrowed, and valid until the gradient is set or the last tensor of the graph is
 * released. */
AT_API at_tensor *at_grad(const at_tensor *t);

/* Sets the gradient, of t's type and sizes, or with NULL removes it.  False after an error. */
AT_API bool at_set_grad(at_tensor *t, at_tensor *grad);

/* Keeps the gradient of t, which is no leaf, for at_grad.  Returns t.
 *
 *     at_retain_grad(Tensor t) -> Tensor */
AT_API at_tensor *at_retain_grad(at_tensor *t);

typedef struct at_backward_options {
  at_tensor *gradient; /* NULL: that of self; needed unless self has one element */
  bool retain_graph; /* false: whether the graph stays for another pass; create_graph implies it */
  bool create_graph; /* false: whether the gradients can be differentiated themselves */
} at_backward_options;
AT_API const at_backward_options at_backward_defaults;

/* Adds the gradients of self with respect to all leaves to those of the leaves.  False after an
 * error: then no gradient has changed, but what was saved for the pass may be freed.
 *
 *     at_backward(Tensor self, *, Tensor? gradient=NULL, bool retain_graph=false,
 *                 bool create_graph=false) -> bool
 *
 * Gradients that create_graph made refer to the graph and the graph to them, until at_set_grad. */
AT_API bool at_backward(at_tensor *self, const at_backward_options *options);

typedef struct at_gradients_options {
  at_tensors grad_outputs; /* {NULL, 0}: the gradients of the outputs, entries may be NULL */
  bool retain_graph;       /* false */
  bool create_graph;       /* false */
  bool allow_unused;       /* false: whether inputs may be unused; their gradients are zeros */
  bool leave_unused;       /* false: whether those gradients are NULL instead */
} at_gradients_options;
AT_API const at_gradients_options at_gradients_defaults;

/* The gradients of the sum of the outputs with respect to the inputs, which need not be leaves; no
 * at_grad changes.
 *
 *     at_gradients(TensorList outputs, TensorList inputs, *, TensorList? grad_outputs={},
 *                  bool retain_graph=false, bool create_graph=false, bool allow_unused=false,
 *                  bool leave_unused=false) -> TensorList */
AT_API const at_tensors *at_gradients(at_tensors outputs, at_tensors inputs,
                                      const at_gradients_options *options) AT_MUST_USE;

/* The derivatives of the outputs along a direction: their Jacobian's product with the tangents, one for each
 * input, of its type and size.  It costs two backward passes, the second through the first one, so that what
 * was computed in between needs gradients of gradients.  The graph stays; at_grad does not change.
 *
 *     at_jvp(TensorList outputs, TensorList inputs, TensorList tangents, bool create_graph) -> TensorList */
AT_API const at_tensors *at_jvp(at_tensors outputs, at_tensors inputs, at_tensors tangents,
                                bool create_graph) AT_MUST_USE;

/* A function that sees the gradient of a tensor when it is complete, and returns NULL, or another
 * gradient for it (a reference that the caller takes over; of a scope's tensor that is at_keep). */
typedef at_tensor *(*at_hook)(void *context, at_tensor *grad);

/* Adds a hook to t, which wants a gradient; hooks run in the order in which they were added, as long
 * as the graph exists.  A hook may add and remove hooks: those that are removed are not called any more,
 * those that are added are from the next time on.  False after an error. */
AT_API bool at_add_hook(at_tensor *t, at_hook hook, void *context);

/* Removes the first hook of t with that function and context, but not while another thread runs it.  False and
 * an error if there is none. */
AT_API bool at_remove_hook(at_tensor *t, at_hook hook, void *context);

/* --- recording ------------------------------------------------------------------------------- */

typedef struct at_no_grad {
  bool wasOff, running;
  void *guard[3]; /* a THGuard, which ends the block if an error of TH leaves it */
} at_no_grad;

AT_API bool at_no_grad_once(at_no_grad *block);
AT_API void at_no_grad_leave(at_no_grad *block);

/* Nothing is recorded inside the block, in this thread: AT_NO_GRAD { at_sub_(w, step); } */
#define AT_NO_GRAD        AT_NO_GRAD_FOR(__COUNTER__)
#define AT_NO_GRAD_FOR(N) AT_NO_GRAD_FOR_(N)
#define AT_NO_GRAD_FOR_(N)                                                              \
  for (at_no_grad at_no_grad_##N                                                        \
       __attribute__((cleanup(at_no_grad_leave))) = {false, false, {NULL, NULL, NULL}}; \
       at_no_grad_once(&at_no_grad_##N);)

/* Whether this thread records.
 *
 *     at_grad_isOn() -> bool */
AT_API bool at_grad_isOn(void);

/* The switch that AT_NO_GRAD uses; returns the state before.
 *
 *     at_grad_setOn(bool on) -> bool */
AT_API bool at_grad_setOn(bool on);

/* Inference mode of this thread: tensors that operations make there are marked, and are no part of gradients
 * later: at_requires_grad_ and recorded operations that have to save them are errors, unless they are cloned.
 * Views of other tensors are not marked.  It says nothing of recording, which AT_NO_GRAD ends.
 * at_inference_setOn returns the state before.
 *
 *     at_inference_isOn() -> bool
 *     at_inference_setOn(bool on) -> bool */
AT_API bool at_inference_isOn(void);
AT_API bool at_inference_setOn(bool on);

/* Whether t's memory was made in inference mode.
 *
 *     at_isInference(Tensor t) -> bool */
AT_API bool at_isInference(const at_tensor *t);

/* Anomaly mode of this thread: a NaN in a gradient is an error, which names the operation whose
 * formula made it, with file and line of its call.
 *
 *     at_grad_setAnomaly(bool on) */
AT_API void at_grad_setAnomaly(bool on);

/* --- mixed precision ------------------------------------------------------------------------- */

/* The devices whose operations choose element types of their own under autocast. */
typedef enum at_autocast_device {
  AT_AUTOCAST_CPU,
  AT_AUTOCAST_CUDA,
  AT_AUTOCAST_DEVICES
} at_autocast_device;

typedef struct at_autocast_block {
  at_scalar_type type, before[AT_AUTOCAST_DEVICES];
  bool running;
  void *guard[3]; /* a THGuard, which ends the block if an error of TH leaves it */
} at_autocast_block;

AT_API bool at_autocast_once(at_autocast_block *block);
AT_API void at_autocast_leave(at_autocast_block *block);

/* Operations in the block compute in types that fit them, in this thread, as inside torch.autocast:
 * products and convolutions in TYPE, AT_BFLOAT16 or AT_HALF; losses, decompositions and others that
 * need digits in Float; those that join tensors in the widest type of their operands.
 *
 *     AT_AUTOCAST(AT_BFLOAT16) { loss = at_cross_entropy(at_forward(net, x), y); }
 *     at_backward(loss);
 *
 * Operands of Float, Half and BFloat16 are cast, those of other types stay as they are.  The casts
 * are recorded: gradients come back in the types of the parameters.  Calls that change an operand or
 * write to a given result cast nothing, nor do backward passes.  at_op.autocast says what each
 * operation does.  Blocks nest, and AT_AUTOCAST(AT_FLOAT) is a block without casts.  With another TYPE
 * there is an error, and the block does not run. */
#define AT_AUTOCAST(TYPE)        AT_AUTOCAST_FOR(TYPE, __COUNTER__)
#define AT_AUTOCAST_FOR(TYPE, N) AT_AUTOCAST_FOR_(TYPE, N)
#define AT_AUTOCAST_FOR_(TYPE, N)                                                      \
  for (at_autocast_block at_autocast_##N __attribute__((cleanup(at_autocast_leave))) = \
           {(TYPE), {AT_FLOAT, AT_FLOAT}, false, {NULL, NULL, NULL}};                  \
       at_autocast_once(&at_autocast_##N);)

/* The type that products compute in on the device, in this thread; AT_FLOAT where autocast is off. */
AT_API at_scalar_type at_autocast_get(at_autocast_device device);

/* Sets that type: AT_BFLOAT16, AT_HALF, or AT_FLOAT for off.  False and an error for others. */
AT_API bool at_autocast_set(at_autocast_device device, at_scalar_type type);

/* Whether each leaf is cast once for a block, until it changes, as it is unless that is turned off; returns what
 * was set before, of this thread.  Turning it off releases the casts that there are.
 *
 *     at_autocast_setCache(bool on) -> bool */
AT_API bool at_autocast_setCache(bool on);

/* --- functions with gradients of their own --------------------------------------------------- */

/* A function of tensors that is not made of operations, or whose gradient is known better, with one result. */
typedef struct at_grad_function {
  const char *name;
  /* The result, a new reference; it is computed without recording.  It may be an input that it has changed, which
   * is the function's result from then on, as with PyTorch's mark_dirty. */
  at_tensor *(*forward)(void *context, at_tensors inputs);
  /* Stores new references to the gradients of the inputs, or NULL for none.  False after an error.
   */
  bool (*backward)(void *context, at_tensor *grad, int count, at_tensor **gradients);
  void (*release)(void *context); /* NULL if there is nothing to release */
} at_grad_function;

/* Calls the function.  The context is released when no backward pass can need it any more, or if
 * the call fails. */
AT_API at_tensor *at_apply(const at_grad_function *function, void *context,
                           at_tensors inputs) AT_MUST_USE;

/* An at_grad_function with several results, also of several types. */
typedef struct at_grad_list_function {
  const char *name;
  /* Stores the results, at most MOST, and returns how many there are, or -1 after an error.  They are references
   * that the caller takes over (at_keep, of a scope's tensor), computed without recording, and may be inputs
   * that it has changed. */
  int (*forward)(void *context, at_tensors inputs, int most, at_tensor **results);
  /* As that of at_grad_function; grads has the gradient of each result, or NULL where none has reached it, as for
   * results of types without gradient. */
  bool (*backward)(void *context, at_tensors grads, int count, at_tensor **gradients);
  void (*release)(void *context); /* NULL if there is nothing to release */
} at_grad_list_function;

/* Calls the function, which has at most MOST results, as at_apply; an empty list after an error. */
AT_API const at_tensors *at_apply_list(const at_grad_list_function *function, void *context,
                                       at_tensors inputs, int most) AT_MUST_USE;

/* --- the graph ------------------------------------------------------------------------------- */

/* A call of an operation that was recorded, or what adds up the gradient of a leaf. */
typedef struct at_node at_node;

/* What t was computed by, or the node of a leaf; NULL if t wants no gradient, and with an error if t
 * is NULL.  The caller releases the reference. */
AT_API at_node *at_grad_fn(const at_tensor *t);

/* One more reference; returns node, which may be NULL. */
AT_API at_node *at_node_retain(at_node *node);

/* Drops a reference, NULL too; the last one frees the node, and what only it refers to. */
AT_API void at_node_release(at_node *node);

/* PyTorch's name: AddBackward0, or of a leaf torch::autograd::AccumulateGrad; "" of NULL.  It is the
 * node's. */
AT_API const char *at_node_kind(const at_node *node);

/* How many operands may have gradients, and the node that the gradient of one of them goes to, as
 * gradient of that output (output may be NULL); NULL if none is wanted or index is out of range.  The
 * caller releases the reference. */
AT_API int at_node_inputCount(const at_node *node);
AT_API at_node *at_node_input(const at_node *node, int index, int *output);

/* A function that sees the gradients that reach a node: before its formula those of its results, or after
 * it those of its operands (there are none of a leaf), with those of the results in others.  Entries may
 * be NULL, and may be replaced by new references to tensors of the same type and sizes; what was there is
 * then the hook's to release.  False after an error, with which the pass ends. */
typedef bool (*at_node_hook)(void *context, at_tensors others, int count, at_tensor **gradients);

/* Adds a hook, which runs as long as the graph exists, and removes the first one with that function and
 * context; hooks may do so as those of tensors.  False after an error. */
AT_API bool at_node_add_hook(at_node *node, bool after, at_node_hook hook, void *context);
AT_API bool at_node_remove_hook(at_node *node, at_node_hook hook, void *context);

/* A view of value that is that result of the node: what the backward of an at_grad_function reads of its own
 * result, where gradients of gradients go through it.  The undefined tensor after an error. */
AT_API at_tensor *at_node_result(at_node *node, int output, at_tensor *value) AT_MUST_USE;

/* How often the elements of t's memory have been changed, modulo 65,536.
 *
 *     at_tensor_version(Tensor t) -> int64_t */
AT_API int64_t at_tensor_version(const at_tensor *t);

/* --- less memory ----------------------------------------------------------------------------- */

/* What keeps the tensors that formulas of gradients read, instead of references to them: in less
 * precision, in a file, or not at all where they can be computed again. */
typedef struct at_saved_hooks {
  /* Returns what stands for t, which wants no gradient; at_retain makes it live longer than the call.  NULL
   * after an error, which the recorded call has then. */
  void *(*pack)(void *context, at_tensor *t);
  /* A new reference to a tensor of the type and sizes that t had (at_keep, if a scope has it); NULL after
   * an error, which the backward pass has then.  A pass may ask several times. */
  at_tensor *(*unpack)(void *context, void *packed);
  void (*drop)(void *context, void *packed); /* no pass needs it any more; may be NULL */
  void (*release)(void *context);            /* no pass needs the context any more; may be NULL */
} at_saved_hooks;

/* From here to at_saved_hooks_pop, calls of this thread save tensors by the hooks, of which those that
 * were pushed last count.  Nothing is recorded while hooks run.  False after an error.  That what was
 * saved has not been changed in place is not checked.  PyTorch: saved_tensors_hooks. */
AT_API bool at_saved_hooks_push(const at_saved_hooks *hooks, void *context);
AT_API bool at_saved_hooks_pop(void);

/* Computes a tensor of inputs, and releases what it needs for that; the context is that of
 * at_checkpoint. */
typedef at_tensor *(*at_checkpoint_function)(void *context, at_tensors inputs);
typedef void (*at_checkpoint_release)(void *context);

/* function(context, inputs), without keeping what it computes on the way: the backward pass calls it
 * again, with the default generators as they were at the call, that of the CPU and those of CUDA
 * devices, so that the same numbers are drawn.  Apart from inputs, the function may read leaves, such as
 * parameters, whose gradients are added up in at_grad, also by at_gradients; no input has to want one.  The
 * context is released (release may be NULL) when no pass can need it any more, or if the call fails.  The
 * gradient cannot be differentiated again. */
AT_API at_tensor *at_checkpoint(at_checkpoint_function function, void *context,
                                at_checkpoint_release release, at_tensors inputs) AT_MUST_USE;

#endif
