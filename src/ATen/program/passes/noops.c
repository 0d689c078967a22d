/* Removes what changes nothing: dropout outside of training, detach, conversions to the type that a
 * tensor has, expansions to its size, copies of what nobody changes. */
#include "Passes.h"

/* Operations that change the view of their argument: then an alias is not the same as the tensor
 * itself. */
static bool changes_views(const at_graphNode *node)
{
  static const char *const names[] = {"squeeze_",   "unsqueeze_", "t_",          "transpose_",
                                      "swapaxes_",  "swapdims_",  "as_strided_", "resize_",
                                      "resize_as_", "set_",       "reshape_"};
  for (size_t i = 0; node->op && i < sizeof names / sizeof *names; i++)
    if (!strcmp(node->op->name, names[i]))
      return true;
  return false;
}

/* Graphs inside of the graph may do so, too; there are few enough to be left alone. */
static bool keeps_views(const at_graph *graph)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    if (changes_views(node))
      return false;
    for (int32_t i = 0; i < node->inputCount; i++)
      if (node->inputs[i].graph && !keeps_views(node->inputs[i].graph))
        return false;
  }
  return true;
}

static bool is_conversion(const at_rewrite *rewrite, const at_graphNode *node)
{
  const at_given *const copies = at_inputOf(node, "copy", -1);
  double copy = 0;
  return node->compute == at_computeTo && strncmp(node->target, "aten._to_copy", 13) != 0 &&
         (!copies || (at_isConstantNumber(copies, &copy) && copy == 0)) &&
         at_typeIn(rewrite, node->outputs[0]) != AT_SCALAR_TYPES &&
         at_typeIn(rewrite, node->outputs[0]) ==
             at_typeIn(rewrite, at_slotIn(rewrite, &node->inputs[0]));
}

static bool is_named(const at_graphNode *node, const char *name)
{
  return node->op && node->op->form == AT_FORM_FUNCTION && !strcmp(node->op->name, name);
}

static bool is_dropout(const at_graphNode *node)
{
  const at_given *const trains = at_inputOf(node, "train", 2);
  double train = 1;
  return (node->compute == at_computeDropout || is_named(node, "dropout")) &&
         (!trains || (at_isConstantNumber(trains, &train) && train == 0));
}

/* Whether the node asserts an element type that the file says the tensor has. */
static bool is_kept(const at_rewrite *rewrite, const at_graphNode *node)
{
  const at_given *const type = at_inputOf(node, "dtype", 3);
  return node->compute == at_computeMetadata && node->inputCount > 0 && type &&
         type->kind == AT_GIVEN_TYPE && type->type != AT_SCALAR_TYPES &&
         type->type == at_typeIn(rewrite, at_slotIn(rewrite, &node->inputs[0]));
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Which values may share memory with an output of the graph. */
typedef struct Shown {
  at_sets sets;
  bool *isShown; /* of the roots of sets; NULL: copies stay, since nodes change tensors */
} Shown;

static void show(void *context, int32_t slot)
{
  const Shown *const shown = context;
  shown->isShown[at_sets_root(&shown->sets, slot)] = true;
}

static Shown find_shown(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  Shown shown = {.isShown = NULL};
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (at_writes(&graph->nodes[n]))
      return shown;
  shown.sets = at_sets_new(rewrite);
  shown.isShown = at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, 1);
  for (int32_t n = 0; n < graph->nodeCount; n++)
    at_sets_add(rewrite, &shown.sets, &graph->nodes[n]);
  at_eachOutput(rewrite, show, &shown);
  return shown;
}

/* Whether the node is a copy that nobody can tell from what it copies. */
static bool is_hidden(const Shown *shown, const at_graphNode *node)
{
  return shown->isShown && is_named(node, "clone") && node->outputCount == 1 &&
         node->outputs[0] != AT_NO_SLOT &&
         !shown->isShown[at_sets_root(&shown->sets, node->outputs[0])];
}

/* Whether the node only copies, which dropout becomes outside of training.  A copy to a memory format is not one: its
 * result may have other strides. */
static bool is_copy(const Shown *shown, const at_graphNode *node)
{
  return is_hidden(shown, node) && !at_inputOf(node, "memory_format", -1);
}

/* --- the pass --------------------------------------------------------------------------------- */

/* Whether the node's only output is what its first input is. */
static bool is_same(const at_rewrite *rewrite, const at_graphNode *node, const int32_t *makers,
                    const Shown *shown)
{
  const at_graph *const graph = rewrite->graph;
  if (node->outputCount != 1 || node->outputs[0] == AT_NO_SLOT || node->inputCount < 1)
    return false;
  const int32_t input = at_slotIn(rewrite, &node->inputs[0]);
  if (input == AT_NO_SLOT)
    return false;
  if (is_named(node, "contiguous"))
    return makers[input] >= 0 && is_named(&graph->nodes[makers[input]], "contiguous");
  if (is_named(node, "expand"))
    return at_haveSameSizes(rewrite, input, node->outputs[0]);
  return is_named(node, "alias") || node->compute == at_computePassed || is_dropout(node) ||
         is_copy(shown, node) || is_conversion(rewrite, node);
}

void at_passNoOps(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  if (!keeps_views(graph))
    return;
  const int32_t *const makers = at_findMakers(rewrite);
  const Shown shown = find_shown(rewrite);
  const at_op *const contiguous = at_op_find("contiguous"); /* with the argument of clone */
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    if (is_kept(rewrite, node)) {
      at_removeNode(rewrite, node);
    } else if (is_same(rewrite, node, makers, &shown)) {
      rewrite->same[node->outputs[0]] = at_slotIn(rewrite, &node->inputs[0]);
      at_removeNode(rewrite, node);
    } else if (contiguous && is_hidden(&shown, node)) {
      node->op = contiguous;
      node->compute = NULL;
      rewrite->changes++;
    }
  }
}
