/* Derivatives along a direction in a program (torch.func.jvp, torch.autograd.forward_ad): _make_dual gives a tensor a
 * tangent, and _unpack_dual asks what it makes of a result.  What is computed between them is recorded. */
#include "ATen/program/nested/Subgraphs.h"
#include "ATenOps.h"

/* A stack: a derivative inside of another one has its tensors above those of the outer one. */
struct at_duals {
  int32_t count, capacity, depth; /* depth: of derivatives inside of derivatives */
  bool turnsOff;                  /* recording was off before */
  at_tensor **primals, **tangents;
  int32_t *depths;
};

static at_duals *duals_of(at_frame *frame)
{
  if (frame->duals)
    return frame->duals;
  at_duals *const made = THAlloc(sizeof *made);
  *made = (at_duals){0};
  return frame->duals = made;
}

/* Releases the duals of that depth and deeper ones; with the last one recording ends. */
static void drop(at_duals *d, int32_t depth)
{
  while (d->count > 0 && d->depths[d->count - 1] >= depth) {
    d->count--;
    at_release(d->primals[d->count]);
    at_release(d->tangents[d->count]);
  }
  if (d->count == 0 && d->turnsOff) {
    at_grad_setOn(false);
    d->turnsOff = false;
  }
}

void at_dropDuals(at_frame *frame)
{
  if (!frame->duals)
    return;
  drop(frame->duals, INT32_MIN);
  THFree(frame->duals->primals);
  THFree(frame->duals->tangents);
  THFree(frame->duals->depths);
  THFree(frame->duals);
  frame->duals = NULL;
}

bool at_makesDuals(const at_graph *graph)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    if (node->compute == at_computeMakeDual)
      return true;
    for (int32_t i = 0; i < node->inputCount; i++)
      if (node->inputs[i].graph && at_makesDuals(node->inputs[i].graph))
        return true;
  }
  return false;
}

/* Whether nothing reads the outputs: PyTorch writes some of these nodes twice. */
static bool is_unread(const at_graphNode *node)
{
  for (int32_t k = 0; k < node->outputCount; k++) {
    bool isDead = node->outputs[k] == AT_NO_SLOT;
    for (int32_t i = 0; i < node->deadCount; i++)
      isDead |= node->dead[i] == node->outputs[k];
    if (!isDead)
      return false;
  }
  return true;
}

void at_computeDualLevel(at_frame *frame, const at_graphNode *node)
{
  at_duals *const d = duals_of(frame);
  if (strstr(node->target, "_jvp_increment"))
    d->depth++;
  else
    drop(d, d->depth);
  if (strstr(node->target, "_jvp_decrement"))
    d->depth--;
}

static void make_room(at_duals *d)
{
  const int32_t capacity = THMax(4, 2 * d->capacity);
  const ptrdiff_t bytes = (ptrdiff_t)capacity * (ptrdiff_t)sizeof *d->primals;
  if (d->count < d->capacity)
    return;
  d->primals = THRealloc(d->primals, bytes);
  d->tangents = THRealloc(d->tangents, bytes);
  d->depths = THRealloc(d->depths, (ptrdiff_t)capacity * (ptrdiff_t)sizeof *d->depths);
  d->capacity = capacity;
}

/* _make_dual(tensor, tangent, level): the tensor as one that is followed. */
void at_computeMakeDual(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  if (is_unread(node))
    return;
  at_duals *const d = duals_of(frame);
  make_room(d);
  at_tensor *const given = at_inputTensor(frame, node, NULL, 0), *const tangent =
                                                                     at_inputTensor(frame, node,
                                                                                    NULL, 1);
  if (!at_grad_isOn()) {
    d->turnsOff = true;
    at_grad_setOn(true);
  }
  at_tensor *const primal =
      at_isTracked(given) ? at_alias(given) : at_requires_grad_(at_detach(given));
  if (!at_defined(primal))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  d->primals[d->count] = at_retain(primal);
  d->tangents[d->count] = at_retain(tangent);
  d->depths[d->count++] = d->depth;
  at_giveOutput(frame, node, 0, primal);
}

/* _unpack_dual(tensor, level): the tensor, and its derivative along the tangents of the depth at hand. */
void at_computeUnpackDual(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  if (is_unread(node))
    return;
  const at_duals *const d = duals_of(frame);
  at_tensor *const result = at_inputTensor(frame, node, NULL, 0);
  int32_t first = d->count;
  while (first > 0 && d->depths[first - 1] == d->depth)
    first--;
  const at_tensors primals = {d->primals + first, d->count - first},
                   tangents = {d->tangents + first, d->count - first};
  const at_tensors *const made = at_jvp(AT_TENSORS(result), primals, tangents, first > 0);
  if (made->count != 1)
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  at_giveOutput(frame, node, 0, first > 0 ? at_alias(result) : at_detach(result));
  at_giveOutput(frame, node, 1, at_alias(made->data[0]));
}

/* _unwrap_for_grad(tensor, level) */
void at_computeUnwrap(at_frame *frame, const at_graphNode *node)
{
  at_giveTensor(frame, node, at_retain(at_inputTensor(frame, node, NULL, 0)));
}
