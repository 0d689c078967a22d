/* Derivatives along a direction, by two backward passes.
 *
 * The first one gives the gradients of the inputs for weights of the outputs.  The gradients are linear in the
 * weights (which are 1, as formulas may take logarithms of gradients), and so the derivative of their
 * products with the tangents is what the Jacobian makes of
 * the tangents. */
#include "Pass.h"

/* Tensors and a partner of each, references. */
typedef struct {
  at_tensors *list; /* the tensors, and behind most of them the partners */
  int most, count;
} Pairs;

static void free_list(void *list)
{
  at_list_release(list);
}

static Pairs pairs_enter(THGuard *guard, int most)
{
  THGuard_enter(guard, free_list);
  at_tensors *const list = guard->what = at_newList(2 * most);
  return (Pairs){list, most, 0};
}

/* Takes over the reference to the partner. */
static void put(Pairs *pairs, at_tensor *t, at_tensor *partner)
{
  at_tensor **const data = (at_tensor **)pairs->list->data;
  data[pairs->count] = at_retain(t);
  data[pairs->most + pairs->count++] = partner;
}

static at_tensors firsts(const Pairs *pairs)
{
  return (at_tensors){pairs->list->data, pairs->count};
}

static at_tensors partners(const Pairs *pairs)
{
  return (at_tensors){pairs->list->data + pairs->most, pairs->count};
}

/* Pairs the outputs that have gradients with their weights: leaves that lie deeper than the graph, where the
 * second pass ends. */
static void weigh(Pairs *pairs, at_tensors outputs)
{
  int64_t depth = 0;
  for (int i = 0; i < outputs.count; i++)
    if (outputs.data[i]->node)
      depth = THMax(depth, outputs.data[i]->node->depth + 1);
  for (int i = 0; i < outputs.count; i++) {
    at_tensor *const t = outputs.data[i];
    if (!t->node)
      continue;
    at_tensor *const weight = at_makeFilled(t->type, at_sizesOf(t), at_scalar_long(1));
    put(pairs, t, weight);
    if (!at_defined((at_requires_grad_)(weight)))
      at_raise(at_error(), "outputs[%d] has no weight", i);
    weight->node->depth = depth;
  }
}

/* For each output what the passes have made of its weight, or 0. */
static const at_tensors *collect(at_tensors outputs, const at_tensors *made)
{
  THGuard guard;
  THGuard_enter(&guard, free_list);
  at_tensors *const list = guard.what = at_newList(outputs.count);
  for (int i = 0, k = 0; i < outputs.count; i++) {
    const at_tensor *const t = outputs.data[i];
    at_tensor *const one = t->node && made ? made->data[k++] : NULL;
    ((at_tensor **)list->data)[i] =
        one ? at_retain(one) : at_makeFilled(t->type, at_sizesOf(t), at_scalar_long(0));
  }
  return THGuard_keep(&guard);
}

static const at_tensors *derive(at_tensors outputs, at_tensors inputs, at_tensors tangents,
                                bool creates)
{
  THGuard guards[4];
  Pairs weighed = pairs_enter(&guards[0], outputs.count);
  Pairs linear = pairs_enter(&guards[1], inputs.count);
  at_gradients_options options = {.allow_unused = true, .leave_unused = true};
  weigh(&weighed, outputs);
  THGuard_enter(&guards[2], free_list);
  THGuard_enter(&guards[3], free_list);
  if (weighed.count > 0) {
    options.grad_outputs = partners(&weighed);
    options.create_graph = true;
    const at_tensors *const found = at_gradientsOf(firsts(&weighed), inputs, &options);
    guards[2].what = (void *)(uintptr_t)found;
    for (int i = 0; i < inputs.count; i++)
      if (found->data[i] && found->data[i]->node)
        put(&linear, found->data[i], at_retain(tangents.data[i]));
  }
  if (linear.count > 0) {
    options.grad_outputs = partners(&linear);
    at_gradState.isOff = !creates;
    options.create_graph = creates;
    guards[3].what =
        (void *)(uintptr_t)at_gradientsOf(firsts(&linear), partners(&weighed), &options);
  }
  const at_tensors *const list = collect(outputs, guards[3].what);
  for (int i = 3; i >= 0; i--)
    THGuard_leave(&guards[i]);
  return list;
}

/* Raises unless there is a tangent for each input, of its type and size. */
static void check_tangents(at_tensors inputs, at_tensors tangents)
{
  if (tangents.count != inputs.count)
    at_raise(AT_ERROR_ARGUMENT, "there are %d inputs and %d tangents", inputs.count,
             tangents.count);
  for (int i = 0; i < inputs.count; i++) {
    const at_tensor *const t = inputs.data[i], *const along = tangents.data[i];
    if (along->type != t->type || !at_sameSizes(at_sizesOf(along), at_sizesOf(t)))
      at_raise(AT_ERROR_ARGUMENT, "inputs[%d] is a %s of size %s, and its tangent a %s of size %s",
               i, t->type->name, at_sizeDesc(at_sizesOf(t)).str, along->type->name,
               at_sizeDesc(at_sizesOf(along)).str);
  }
}

const at_tensors *(at_jvp)(at_tensors outputs, at_tensors inputs, at_tensors tangents,
                           bool create_graph)
{
  const char *const name = "jvp";
  if (!at_acceptAll(name, "outputs", outputs, false) ||
      !at_acceptAll(name, "inputs", inputs, false) ||
      !at_acceptAll(name, "tangents", tangents, false))
    return &at_noTensors;
  at_call call;
  at_begin(&call, name);
  const at_switches before = at_pass_begin(true);
  const at_tensors *volatile made = &at_noTensors;
  TH_TRY(call.attempt)
  {
    check_tangents(inputs, tangents);
    made = derive(outputs, inputs, tangents, create_graph);
  }
  at_pass_end(&before);
  return at_returnList(&call, made);
}
