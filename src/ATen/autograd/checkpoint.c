/* Functions that run again in the backward pass, instead of keeping what they computed. */
#include <string.h>

#include "ATen/core/device.h"
#include "Formulas.h"

/* Where the generator of a CUDA device stands. */
typedef struct {
  uint64_t seed, offset;
} Position;

typedef struct {
  at_checkpoint_function function;
  void *context;
  void (*release)(void *context);
  THGenerator *before;                          /* the default generator, as it was */
  int devices;                                  /* 0 where CUDA had not been used */
  Position *positions;                          /* of the generators of these devices */
  at_scalar_type autocast[AT_AUTOCAST_DEVICES]; /* the types of autocast at the call */
  int count;
  at_tensor **inputs; /* detached; references */
  at_tensor *known;   /* the result, detached, before the call of at_apply, or NULL */
  bool *wants;        /* of each input: whether it wants a gradient */
  unsigned short *versions;
} Checkpoint;

static void free_checkpoint(void *context)
{
  Checkpoint *const c = context;
  for (int i = 0; i < c->count; i++)
    at_release(c->inputs[i]);
  at_release(c->known);
  if (c->release)
    c->release(c->context);
  if (c->before)
    THGenerator_free(c->before);
  THFree(c->inputs);
  THFree(c->wants);
  THFree(c->versions);
  THFree(c->positions);
  THFree(c);
}

/* Stores where the generators of the first devices stand, or lets them go on from there. */
static void look_at_devices(int count, Position *positions, bool sets)
{
  const at_device *const cuda = at_cuda();
  if (count == 0)
    return;
  const int current = cuda->current();
  for (int d = 0; d < count; d++) {
    cuda->use(d);
    if (sets)
      cuda->drawFrom(positions[d].seed, positions[d].offset);
    else
      cuda->draw(0, &positions[d].seed, &positions[d].offset);
  }
  cuda->use(current);
}

/* Keeps the inputs and the state of the generator; raises with all that is there in c. */
static void fill(Checkpoint *c, at_tensors inputs)
{
  const ptrdiff_t count = THMax(inputs.count, 1);
  c->inputs = THAlloc(count * (ptrdiff_t)sizeof *c->inputs);
  c->wants = THAlloc(count * (ptrdiff_t)sizeof *c->wants);
  c->versions = THAlloc(count * (ptrdiff_t)sizeof *c->versions);
  c->before = THGenerator_new();
  THGenerator_copy(c->before, at_defaultGenerator(AT_BACKEND_CPU)->th);
  const int devices = at_cuda() ? at_cuda()->count() : 0;
  c->positions =
      THAlloc(2 * THMax(devices, 1) * (ptrdiff_t)sizeof *c->positions); /* and those of now */
  c->devices = devices;
  look_at_devices(devices, c->positions, false);
  for (int i = 0; i < inputs.count; i++) {
    at_tensor *const alias = at_keep((at_detach)(inputs.data[i]));
    if (!at_defined(alias))
      at_raise(at_error(), "inputs could not be kept");
    c->inputs[c->count] = alias;
    c->wants[c->count] = at_isTracked(inputs.data[i]);
    c->versions[c->count++] = at_versionOf(alias);
  }
}

static at_tensor *run_forward(void *context, at_tensors inputs)
{
  Checkpoint *const c = context;
  at_tensor *const known = c->known;
  c->known = NULL;
  return known ? known : c->function(c->context, inputs);
}

/* --- backward --------------------------------------------------------------------------------- */

/* Runs the function with the random numbers that it had, recorded. */
static at_tensor *run_again(Checkpoint *c, at_tensors leaves)
{
  THGenerator *const generator = at_defaultGenerator(AT_BACKEND_CPU)->th;
  THGenerator *const now = THGenerator_new();
  THGenerator_copy(now, generator);
  THGenerator_copy(generator, c->before);
  look_at_devices(c->devices, c->positions + c->devices, false);
  look_at_devices(c->devices, c->positions, true);
  const bool before = at_grad_setOn(true);
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    (void)at_autocast_set((at_autocast_device)d, c->autocast[d]);
  at_tensor *const result = c->function(c->context, leaves);
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++) /* a backward pass has none */
    (void)at_autocast_set((at_autocast_device)d, AT_FLOAT);
  at_grad_setOn(before);
  look_at_devices(c->devices, c->positions + c->devices, true);
  THGenerator_copy(generator, now);
  THGenerator_free(now);
  return result;
}

/* The inputs as leaves of a graph of their own; empty after an error. */
static const at_tensors *new_leaves(const Checkpoint *c)
{
  const at_tensors *const leaves = at_listOf(c->count);
  for (int i = 0; i < leaves->count; i++) {
    if (at_versionOf(c->inputs[i]) != c->versions[i]) {
      at_fail(AT_ERROR_RUNTIME, "checkpoint",
              "checkpoint: inputs[%d] has been changed in place since the call", i);
      return &at_noTensors;
    }
    at_tensor *const leaf = (at_detach)(c->inputs[i]);
    if (!at_defined(leaf) || (c->wants[i] && !at_defined((at_requires_grad_)(leaf))))
      return &at_noTensors;
    ((at_tensor **)leaves->data)[i] = at_retain(leaf);
  }
  return leaves;
}

static bool run_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  Checkpoint *const c = context;
  bool isDone = false;
  if (at_grad_isOn()) {
    at_fail(AT_ERROR_RUNTIME, "checkpoint",
            "checkpoint: its gradient cannot be differentiated again (create_graph)");
    return false;
  }
  AT_SCOPE
  {
    const at_tensors *const leaves = new_leaves(c);
    at_tensor *const result = leaves->count == c->count ? run_again(c, *leaves) : at_undefined();
    isDone = at_defined(result) && (at_backward)(result, &(at_backward_options){.gradient = grad});
    for (int i = 0; isDone && i < count; i++)
      gradients[i] = i < c->count ? at_retain(at_grad(leaves->data[i])) : NULL;
  }
  return isDone;
}

static const at_grad_function checkpointed = {"checkpoint", run_forward, run_backward,
                                              free_checkpoint};

/* The call where no input wants a gradient, but a leaf that the function reads may: its graph is dropped,
 * and a leaf besides the inputs makes the node. */
static at_tensor *around_leaves(Checkpoint *c, at_tensors inputs)
{
  AT_SCOPE_GUARD;
  at_tensor *const result = c->function(c->context, inputs);
  if (!at_defined(result) || !at_isTracked(result)) {
    free_checkpoint(c);
    return at_escape(result);
  }
  const at_tensors *const all = at_listOf(inputs.count + 1);
  at_tensor *const leaf = at_requires_grad_(at_zeros(AT_SHAPE(1)));
  c->known = at_keep((at_detach)(result));
  if (all->count == 0 || !at_defined(leaf) || !at_defined(c->known)) {
    free_checkpoint(c);
    return at_undefined();
  }
  for (int i = 0; i <= inputs.count; i++)
    ((at_tensor **)all->data)[i] = at_retain(i < inputs.count ? inputs.data[i] : leaf);
  return at_escape((at_apply)(&checkpointed, c, *all));
}

static at_tensor *refused(at_checkpoint_release release, void *context)
{
  if (release)
    release(context);
  return at_undefined();
}

at_tensor *(at_checkpoint)(at_checkpoint_function function, void *context,
                           at_checkpoint_release release, at_tensors inputs)
{
  if (!at_acceptPointer("checkpoint", "function", (const void *)function) ||
      !at_acceptAll("checkpoint", "inputs", inputs, false))
    return refused(release, context);
  at_call call;
  at_begin(&call, "checkpoint");
  Checkpoint *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, free_checkpoint);
    Checkpoint *const c = guard.what = THAlloc(sizeof *c);
    memset(c, 0, sizeof *c);
    c->function = function;
    fill(c, inputs);
    for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
      c->autocast[d] = at_autocast_get((at_autocast_device)d);
    c->context = context;
    c->release = release;
    made = THGuard_keep(&guard);
  }
  if (at_failed(&call))
    return refused(release, context);
  if (!at_isRecording()) {
    at_tensor *const result = function(context, inputs);
    free_checkpoint(made);
    return result;
  }
  return at_isAnyTracked(inputs) ? (at_apply)(&checkpointed, made, inputs)
                                 : around_leaves(made, inputs);
}
