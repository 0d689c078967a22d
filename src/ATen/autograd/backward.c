/* Backward passes. */
#include <pthread.h>
#include <string.h>

#include "Pass.h"

const at_backward_options at_backward_defaults = {NULL, false, false};
const at_gradients_options at_gradients_defaults = {{NULL, 0}, false, false, false, false};

/* A gradient for at_grad of a result of a node, to be stored when the pass has succeeded. */
typedef struct {
  at_node *node;
  int output;
  at_tensor *grad;
} Stored;

/* A result of a node whose gradient at_gradients returns; borrowed until grad is set. */
typedef Stored Wanted;

typedef struct {
  at_pass pass;
  Stored *stored;
  int storedCount, storedCapacity;
  Wanted *wanted; /* NULL: gradients are stored */
  int wantedCount;
  int64_t least; /* the depth of the shallowest node that is wanted */
  bool hadError; /* of the thread, before the pass */
} Run;

static void release_stored(void *what)
{
  Run *const run = what;
  for (int i = 0; i < run->storedCount; i++) {
    at_release(run->stored[i].grad);
    at_node_release(run->stored[i].node);
  }
  THFree(run->stored);
  for (int i = 0; i < run->wantedCount; i++)
    at_release(run->wanted[i].grad);
}

/* --- one node --------------------------------------------------------------------------------- */

TH_NO_RETURN static void fail_at(const Run *run, const at_node *node, const char *otherwise)
{
  char name[256], why[TH_MESSAGE_LENGTH / 2];
  const at_error_code code = at_error();
  at_node_name(node, name, sizeof name);
  snprintf(why, sizeof why, "%s", run->hadError || code == AT_OK ? otherwise : at_error_message());
  if (!run->hadError)
    at_error_clear();
  at_raise(code == AT_OK ? AT_ERROR_RUNTIME : code, "the gradient of %s: %s", name, why);
}

static void run_hooks(const Run *run, at_node *node, int output, at_tensor **grad)
{
  at_hook_walk walk;
  bool isGood = true;
  at_hooks_begin(&walk, node->outputs[output].hooks);
  for (const at_hooked *one; isGood && (one = at_hooks_next(&walk));) {
    at_tensor *const other = one->hook(one->context, *grad);
    if (!other)
      continue;
    isGood = at_defined(other) && other->type == node->outputs[output].type &&
             at_sameSizes(at_sizesOf(other), at_output_sizes(&node->outputs[output]));
    at_release(*grad);
    *grad = other;
  }
  at_hooks_end(&walk);
  if (!isGood)
    fail_at(run, node, "a hook returned a gradient of another size or type");
}

static void store(Run *run, at_node *node, int output, at_tensor *grad)
{
  if (run->storedCount == run->storedCapacity) {
    const int capacity = run->storedCapacity ? 2 * run->storedCapacity : 16;
    run->stored = THRealloc(run->stored, (ptrdiff_t)capacity * (ptrdiff_t)sizeof *run->stored);
    run->storedCapacity = capacity;
  }
  run->stored[run->storedCount++] = (Stored){at_node_retain(node), output, at_retain(grad)};
}

static bool call_custom(const at_node *node, at_backward_call *call)
{
  if (node->function)
    return node->function->backward(node->context, call->grads[0], node->edgeCount, call->made);
  const at_tensors grads = {call->grads, node->outputCount};
  return node->listFunction->backward(node->context, grads, node->edgeCount, call->made);
}

static void call_formula(Run *run, at_backward_call *call)
{
  at_node *const node = call->node;
  if (at_node_isCustom(node)) {
    if (node->isFreed)
      fail_at(run, node, "its context is released, by an earlier pass without retain_graph");
    if (!call_custom(node, call))
      fail_at(run, node, "it failed");
  } else if (node->formula->backward) {
    node->formula->backward(call);
  } else {
    fail_at(run, node, "there is no formula for it");
  }
}

/* Whether t has a NaN. */
static bool has_nan(at_tensor *t)
{
  const at_tensor *const found = (at_any)((at_isnan)(t));
  return at_defined(found) && at_item_double(found) != 0;
}

static void check_made(const Run *run, const at_backward_call *call)
{
  const at_node *const node = call->node;
  for (int i = 0; i < node->edgeCount; i++) {
    at_tensor *const made = call->made[i];
    if (!made || !node->edges[i].node)
      continue;
    if (!at_defined(made))
      fail_at(run, node, "it is undefined");
    if (at_gradState.findsNaN && has_nan(made))
      fail_at(run, node, "it has a NaN");
  }
}

static void release_made(void *what)
{
  at_backward_call *const call = what;
  for (int i = 0; i < call->node->edgeCount; i++)
    at_release(call->made[i]);
  THFree(call->made);
}

/* Whether what a hook left are gradients of their nodes. */
static bool are_gradients(at_node *node, bool after, int count, at_tensor *const *gradients)
{
  for (int i = 0; i < count; i++) {
    const at_edge edge = after ? node->edges[i] : (at_edge){node, i};
    const at_output *const output = edge.node ? &edge.node->outputs[edge.output] : NULL;
    if (output && gradients[i] &&
        (!at_defined(gradients[i]) ||
         (!after && !at_sameSizes(at_sizesOf(gradients[i]), at_output_sizes(output)))))
      return false;
  }
  return true;
}

/* Calls the hooks of a node that run before or after its formula. */
static void run_node_hooks(const Run *run, at_node *node, bool after, at_tensors others, int count,
                           at_tensor **gradients)
{
  at_hook_walk walk;
  const char *failure = NULL;
  at_hooks_begin(&walk, node->hooks);
  for (const at_hooked *one; !failure && (one = at_hooks_next(&walk));)
    if (one->after != after)
      continue;
    else if (!one->nodeHook(one->context, others, count, gradients))
      failure = "a hook failed";
    else if (!are_gradients(node, after, count, gradients))
      failure = "a hook made a gradient of another size";
  at_hooks_end(&walk);
  if (failure)
    fail_at(run, node, failure);
}

/* Fails if the gradient of an operand, which a program may have made, does not fit it. */
static void check_size(const Run *run, const at_node *node, int operand, at_tensor *made)
{
  const at_edge edge = node->edges[operand];
  if (made && edge.node && (at_node_isCustom(node) || node->hooks) &&
      !at_broadcastsTo(at_output_sizes(&edge.node->outputs[edge.output]), at_sizesOf(made)))
    fail_at(run, node, "it is of another size than the operand");
}

static void propagate(Run *run, at_visit *visit)
{
  at_node *const node = visit->node;
  at_backward_call call = {node, visit->grads, NULL};
  const size_t bytes = (size_t)node->edgeCount * sizeof *call.made;
  call.made = THAlloc((ptrdiff_t)THMax(bytes, 1));
  memset(call.made, 0, bytes);
  THGuard guard;
  THGuard_enter(&guard, release_made);
  guard.what = &call;
  AT_SCOPE
  {
    call_formula(run, &call);
    check_made(run, &call);
    const at_tensors results = {call.grads, node->outputCount};
    run_node_hooks(run, node, true, results, node->edgeCount, call.made);
  }
  for (int i = 0; i < node->edgeCount; i++) {
    at_tensor *const made = call.made[i];
    check_size(run, node, i, made);
    call.made[i] = NULL;
    if (node->edges[i].node)
      at_pass_add(&run->pass, node->edges[i].node, node->edges[i].output, made);
    else
      at_release(made);
  }
  THGuard_leave(&guard);
  if (!run->pass.keeps) {
    at_node_forget(node);
  }
}

static void free_visit(void *visit)
{
  at_visit_free(visit);
}

static void visit_node(Run *run, at_visit *visit)
{
  at_node *const node = visit->node;
  THGuard guard;
  THGuard_enter(&guard, free_visit);
  guard.what = visit;
  bool hasAny = false;
  run_node_hooks(run, node, false, at_noTensors, node->outputCount, visit->grads);
  for (int i = 0; i < node->outputCount; i++) {
    at_tensor **const grad = &visit->grads[i];
    if (!*grad)
      continue;
    hasAny = true;
    run_hooks(run, node, i, grad);
    if (!run->wanted && (node->isLeaf || node->outputs[i].keepsGrad))
      store(run, node, i, *grad);
    for (int k = 0; k < run->wantedCount; k++)
      if (run->wanted[k].node == node && run->wanted[k].output == i)
        run->wanted[k].grad = at_retain(*grad);
  }
  if (hasAny && !node->isLeaf)
    propagate(run, visit);
  else if (hasAny)
    run_node_hooks(run, node, true, (at_tensors){visit->grads, node->outputCount}, 0, NULL);
  THGuard_leave(&guard);
}

/* --- gradients of leaves ---------------------------------------------------------------------- */

static pthread_mutex_t sums = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void *mutex)
{
  pthread_mutex_unlock(mutex);
}

/* Whether the gradient is added in place when all others are ready: that cannot fail. */
static bool adds_inplace(const Run *run, const at_tensor *before, const at_tensor *grad)
{
  return before && !run->pass.creates && !before->node && !grad->node && at_isContiguous(before);
}

/* Stores what the pass has computed: first the gradients that replace others are made, then all are
 * stored. */
static void store_all(Run *run)
{
  THGuard guard;
  THGuard_enter(&guard, unlock);
  pthread_mutex_lock(&sums);
  guard.what = &sums;
  AT_SCOPE
  {
    for (int i = 0; i < run->storedCount; i++) {
      Stored *const one = &run->stored[i];
      at_tensor *const before = one->node->outputs[one->output].grad;
      if (adds_inplace(run, before, one->grad))
        continue;
      at_tensor *const made = before ? (at_add)(before, one->grad, NULL)
                              : at_isSole(one->grad) || one->grad->node ? one->grad
                                                                        : (at_clone)(one->grad);
      if (!at_defined(made))
        at_raise(at_error(), "gradients could not be added");
      if (made != one->grad) {
        at_release(one->grad);
        one->grad = at_retain(made);
      }
    }
    for (int i = 0; i < run->storedCount; i++) {
      Stored *const one = &run->stored[i];
      at_tensor **const grad = &one->node->outputs[one->output].grad;
      if (adds_inplace(run, *grad, one->grad) && at_defined((at_add_)(*grad, one->grad, NULL)))
        continue;
      at_tensor *const before = *grad;
      *grad = one->grad;
      one->grad = before;
    }
  }
  THGuard_leave(&guard);
}

/* --- passes ----------------------------------------------------------------------------------- */

static void begin_at(Run *run, at_tensor *t, at_tensor *grad, const char *name)
{
  if (!t->node)
    at_raise(AT_ERROR_ARGUMENT,
             "%s wants no gradient: it is no leaf with at_requires_grad_, and none was recorded "
             "that it was computed from",
             name);
  if (!grad && at_numel(t) != 1)
    at_raise(AT_ERROR_ARGUMENT,
             "%s has size %s; its gradient has to be given unless it has one element", name,
             at_sizeDesc(at_sizesOf(t)).str);
  if (grad && !at_sameSizes(at_sizesOf(grad), at_sizesOf(t)))
    at_raise(AT_ERROR_ARGUMENT, "%s has size %s, and its gradient %s", name,
             at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(at_sizesOf(grad)).str);
  at_tensor *const seed =
      grad ? at_retain(grad) : at_makeFilled(t->type, at_sizesOf(t), at_scalar_long(1));
  at_pass_add(&run->pass, t->node, t->output, seed);
}

/* Visits all nodes from the outputs on. */
static void walk(Run *run, at_tensors outputs, at_tensors grads, const char *name)
{
  for (int i = 0; i < outputs.count; i++)
    begin_at(run, outputs.data[i], grads.count > 0 ? grads.data[i] : NULL, name);
  for (at_visit *visit; (visit = at_pass_next(&run->pass));)
    if (visit->node->depth < run->least)
      at_visit_free(visit);
    else
      visit_node(run, visit);
}

at_switches at_pass_begin(bool creates)
{
  at_switches before = {.isOff = at_gradState.isOff};
  memcpy(before.lower, at_gradState.lower, sizeof before.lower);
  at_gradState.isOff = !creates;
  memset(at_gradState.lower, 0, sizeof at_gradState.lower);
  return before;
}

void at_pass_end(const at_switches *before)
{
  at_gradState.isOff = before->isOff;
  memcpy(at_gradState.lower, before->lower, sizeof before->lower);
}

bool(at_backward)(at_tensor *self, const at_backward_options *options)
{
  if (!options)
    options = &at_backward_defaults;
  if (!at_accept("backward", "self", self, false) ||
      !at_accept("backward", "gradient", options->gradient, true) ||
      !at_sameDevice("backward", "self", self, "gradient", options->gradient))
    return false;
  at_call call;
  at_begin(&call, "backward");
  at_onDeviceOf(&call, self);
  const at_switches before = at_pass_begin(options->create_graph);
  TH_TRY(call.attempt)
  {
    Run run = {.hadError = at_error() != AT_OK};
    THGuard guards[2];
    at_pass_enter(&run.pass, &guards[0]);
    run.pass.creates = options->create_graph;
    run.pass.keeps = options->retain_graph || options->create_graph;
    THGuard_enter(&guards[1], release_stored);
    guards[1].what = &run;
    walk(&run, (at_tensors){&self, 1}, (at_tensors){&options->gradient, 1}, "self");
    store_all(&run);
    THGuard_leave(&guards[1]);
    THGuard_leave(&guards[0]);
  }
  at_pass_end(&before);
  return !at_failed(&call);
}

/* Hands over the gradients; zeros or NULL where there is none. */
static void collect(Run *run, at_tensors inputs, at_tensor **made,
                    const at_gradients_options *options)
{
  for (int i = 0; i < inputs.count; i++) {
    if (!run->wanted[i].grad && !options->allow_unused)
      at_raise(AT_ERROR_ARGUMENT,
               "inputs[%d] was not used to compute the outputs; allow_unused makes its gradient 0",
               i);
    made[i] =
        run->wanted[i].grad ? run->wanted[i].grad
        : options->leave_unused
            ? NULL
            : at_makeFilled(inputs.data[i]->type, at_sizesOf(inputs.data[i]), at_scalar_long(0));
    run->wanted[i].grad = NULL;
  }
}

static void free_list(void *list)
{
  at_list_release(list);
}

const at_tensors *at_gradientsOf(at_tensors outputs, at_tensors inputs,
                                 const at_gradients_options *options)
{
  Run run = {.hadError = at_error() != AT_OK, .least = INT64_MAX};
  THGuard guards[3], memory;
  THGuard_enter(&memory, THFree);
  memory.what = run.wanted =
      THAlloc(THMax((ptrdiff_t)inputs.count * (ptrdiff_t)sizeof *run.wanted, 1));
  at_pass_enter(&run.pass, &guards[0]);
  run.pass.creates = options->create_graph;
  run.pass.keeps = options->retain_graph || options->create_graph;
  for (int i = 0; i < inputs.count; i++) {
    const at_tensor *const t = inputs.data[i];
    if (!t->node)
      at_raise(AT_ERROR_ARGUMENT, "inputs[%d] wants no gradient", i);
    run.wanted[run.wantedCount++] = (Wanted){t->node, t->output, NULL};
    run.least = THMin(run.least, t->node->depth);
  }
  THGuard_enter(&guards[1], release_stored);
  guards[1].what = &run;
  THGuard_enter(&guards[2], free_list);
  at_tensors *const list = guards[2].what = at_newList(inputs.count);
  walk(&run, outputs, options->grad_outputs, "an output");
  collect(&run, inputs, (at_tensor **)list->data, options);
  THGuard_keep(&guards[2]);
  THGuard_leave(&guards[1]);
  THGuard_leave(&guards[0]);
  THGuard_leave(&memory);
  return list;
}

const at_tensors *(at_gradients)(at_tensors outputs, at_tensors inputs,
                                 const at_gradients_options *options)
{
  const char *const name = "gradients";
  if (!options)
    options = &at_gradients_defaults;
  if (!at_acceptAll(name, "outputs", outputs, false) ||
      !at_acceptAll(name, "inputs", inputs, false) ||
      !at_acceptAll(name, "grad_outputs", options->grad_outputs, true))
    return &at_noTensors;
  const int given = options->grad_outputs.count;
  if (given > 0 && given != outputs.count) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are %d outputs and %d gradients for them", name,
            outputs.count, given);
    return &at_noTensors;
  }
  at_call call;
  at_begin(&call, name);
  const at_switches before = at_pass_begin(options->create_graph);
  const at_tensors *volatile made = &at_noTensors;
  TH_TRY(call.attempt)
  {
    made = at_gradientsOf(outputs, inputs, options);
  }
  at_pass_end(&before);
  return at_returnList(&call, made);
}
