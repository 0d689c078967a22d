/* Functions with gradients of their own. */
#include "Node.h"

const at_formula at_customFormula = {.name = "function", .node = "Function", .viewOf = -1};

static void release_node(void *node)
{
  at_node_release(node);
}

/* The node of a call, or NULL if no input wants a gradient. */
static at_node *new_node(at_tensors inputs)
{
  if (!at_isRecording() || !at_isAnyTracked(inputs))
    return NULL;
  at_node *const node = at_node_new(&at_customFormula, inputs.count, 0, 0, 0, NULL);
  for (int i = 0; i < inputs.count; i++)
    if (inputs.data[i]->node) {
      at_tensor *const t = inputs.data[i];
      node->edges[i] = (at_edge){at_node_retain(t->node), t->output};
      node->depth = THMax(node->depth, t->node->depth + 1);
    }
  return node;
}

/* How often the elements of the inputs have been changed. */
typedef struct {
  int count;
  unsigned short of[64]; /* of more, none may be changed in place */
} Versions;

static Versions versions_of(at_tensors inputs)
{
  Versions versions;
  versions.count = THMin(inputs.count, 64);
  for (int i = 0; i < versions.count; i++)
    versions.of[i] = at_versionOf(inputs.data[i]);
  return versions;
}

/* Raises if the result is an input that may not become a result. */
static void check_result(const at_tensor *result, at_tensors inputs, const Versions *before)
{
  for (int i = 0; i < inputs.count; i++) {
    if (inputs.data[i] != result)
      continue;
    if (i >= before->count || before->of[i] == at_versionOf(result))
      at_raise(AT_ERROR_ARGUMENT,
               "forward returned one of its inputs, which it has not changed; at_detach makes "
               "another tensor");
    at_tape_checkInplace(result);
  }
}

/* Makes the results those of the node.  They may be inputs that forward has changed. */
static void set_results(at_node *node, int count, at_tensor *const *results, at_tensors inputs,
                        const Versions *before)
{
  for (int i = 0; i < count; i++)
    check_result(results[i], inputs, before);
  at_node_setOutputs(node, count, results);
  for (int i = 0; i < count; i++) {
    if (!node->outputs[i].type)
      continue;
    at_tape_setNode(results[i], node, i);
    if (results[i]->family)
      at_family_changed(results[i]);
  }
  at_gradState.last = node;
}

/* --- of one result ------------------------------------------------------------------------------ */

static at_tensor *call_forward(const at_grad_function *function, void *context, at_tensors inputs)
{
  at_tensor *result = at_undefined();
  AT_NO_GRAD
  {
    result = function->forward(context, inputs);
  }
  if (!at_defined(result))
    at_raise(at_error() == AT_OK ? AT_ERROR_RUNTIME : at_error(), "forward returned no tensor");
  return result;
}

static at_tensor *apply(const at_grad_function *function, void *volatile *context,
                        at_tensors inputs)
{
  THGuard guards[2];
  THGuard_enter(&guards[0], release_node);
  at_node *const node = guards[0].what = new_node(inputs);
  void *const own = *context;
  const Versions before = versions_of(inputs);
  if (node) { /* which takes over the context */
    node->function = function;
    node->context = own;
    *context = NULL;
  }
  at_tensor *const result = call_forward(function, own, inputs);
  at_guard(&guards[1]);
  guards[1].what = result;
  if (node)
    set_results(node, 1, &result, inputs, &before);
  THGuard_keep(&guards[1]);
  THGuard_leave(&guards[0]);
  return result;
}

at_tensor *(at_apply)(const at_grad_function *function, void *context, at_tensors inputs)
{
  if (!at_acceptPointer("apply", "function", function) ||
      !at_acceptPointer("apply", "function->forward", (const void *)function->forward) ||
      !at_acceptPointer("apply", "function->backward", (const void *)function->backward) ||
      !at_acceptAll("apply", "inputs", inputs, false))
    return at_undefined();
  at_call call;
  at_begin(&call, function->name ? function->name : "function");
  at_tensor *volatile result = NULL;
  void *volatile left = context;
  TH_TRY(call.attempt)
  {
    result = apply(function, &left, inputs);
  }
  if (left && function->release)
    function->release(left);
  if (at_failed(&call))
    return at_undefined();
  return result;
}

/* --- of several results ------------------------------------------------------------------------- */

/* Raises unless all results are there, each once. */
static void check_results(int count, at_tensor *const *results)
{
  for (int i = 0; i < count; i++) {
    if (!results[i] || !at_defined(results[i]))
      at_raise(AT_ERROR_RUNTIME, "forward has not stored result %d of %d", i, count);
    for (int j = 0; j < i; j++)
      if (results[j] == results[i])
        at_raise(AT_ERROR_RUNTIME, "result %d of forward is result %d again", i, j);
  }
}

/* The results of forward as a list. */
static at_tensors *call_list_forward(const at_grad_list_function *function, void *context,
                                     at_tensors inputs, int most)
{
  at_tensors *const results = at_newList(most);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  guard.what = results;
  int count = -1;
  AT_NO_GRAD
  {
    count = function->forward(context, inputs, most, (at_tensor **)results->data);
  }
  if (count <= 0 || count > most)
    at_raise(count < 0 && at_error() != AT_OK ? at_error() : AT_ERROR_RUNTIME,
             "forward returned %d for the number of its results, of which there are 1 to %d", count,
             most);
  check_results(count, results->data);
  for (int i = count; i < most; i++)
    at_release(results->data[i]);
  results->count = count;
  THGuard_keep(&guard);
  return results;
}

static at_tensors *apply_list(const at_grad_list_function *function, void *volatile *context,
                              at_tensors inputs, int most)
{
  THGuard guards[2];
  THGuard_enter(&guards[0], release_node);
  at_node *const node = guards[0].what = new_node(inputs);
  void *const own = *context;
  const Versions before = versions_of(inputs);
  if (node) {
    node->listFunction = function;
    node->context = own;
    *context = NULL;
  }
  THGuard_enter(&guards[1], (THUndo)at_list_release);
  at_tensors *const results = guards[1].what = call_list_forward(function, own, inputs, most);
  if (node)
    set_results(node, results->count, results->data, inputs, &before);
  THGuard_keep(&guards[1]);
  THGuard_leave(&guards[0]);
  return results;
}

const at_tensors *(at_apply_list)(const at_grad_list_function *function, void *context,
                                  at_tensors inputs, int most)
{
  const char *const name = "apply_list";
  if (!at_acceptPointer(name, "function", function) ||
      !at_acceptPointer(name, "function->forward", (const void *)function->forward) ||
      !at_acceptPointer(name, "function->backward", (const void *)function->backward) ||
      !at_acceptAll(name, "inputs", inputs, false))
    return &at_noTensors;
  at_call call;
  at_begin(&call, function->name ? function->name : "function");
  const at_tensors *volatile results = &at_noTensors;
  void *volatile left = context;
  TH_TRY(call.attempt)
  {
    if (most < 1)
      at_raise(AT_ERROR_ARGUMENT, "most is %d, and a function has a result", most);
    results = apply_list(function, &left, inputs, most);
  }
  if (left && function->release)
    function->release(left);
  return at_returnList(&call, results);
}
