/* Functions with gradients of their own. */
#include "Node.h"

const at_formula at_customFormula = {.name = "function", .node = "Function", .viewOf = -1};

static void release_node(void *node)
{
  at_node_release(node);
}

/* The node of a call, or NULL if no input wants a gradient; it takes over the context. */
static at_node *new_node(const at_grad_function *function, void *context, at_tensors inputs)
{
  if (!at_isRecording() || !at_isAnyTracked(inputs))
    return NULL;
  at_node *const node = at_node_new(&at_customFormula, inputs.count, 0, 0, 0, NULL);
  node->function = function;
  node->context = context;
  for (int i = 0; i < inputs.count; i++)
    if (inputs.data[i]->node) {
      at_tensor *const t = inputs.data[i];
      node->edges[i] = (at_edge){at_node_retain(t->node), t->output};
      node->depth = THMax(node->depth, t->node->depth + 1);
    }
  return node;
}

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

/* Makes the result that of the node.  It may be an input that forward has changed. */
static void set_result(at_node *node, at_tensor *result, at_tensors inputs, const Versions *before)
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
  at_node_setOutputs(node, 1, &result);
  at_tape_setNode(result, node, 0);
  if (result->family)
    at_family_changed(result);
  at_gradState.last = node;
}

static at_tensor *apply(const at_grad_function *function, void *volatile *context,
                        at_tensors inputs)
{
  THGuard guards[2];
  THGuard_enter(&guards[0], release_node);
  at_node *const node = guards[0].what = new_node(function, *context, inputs);
  void *const own = *context;
  const Versions before = versions_of(inputs);
  if (node)
    *context = NULL;
  at_tensor *const result = call_forward(function, own, inputs);
  at_guard(&guards[1]);
  guards[1].what = result;
  if (node)
    set_result(node, result, inputs, &before);
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
