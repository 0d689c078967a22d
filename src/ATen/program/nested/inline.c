/* Graphs that are run once and as they are, such as regions without gradients and checkpoints: the node that
 * runs them is replaced by theirs, which passes see then. */
#include "ATen/program/nested/Subgraphs.h"

/* A graph while nodes of others are put into it. */
typedef struct Inlining {
  at_reading *reading;
  at_graph *graph;
  at_graphNode *nodes;
  at_meta *metas;
  int32_t nodeCount;
} Inlining;

/* The graph that the node runs, if its nodes can replace the node; NULL otherwise. */
static const at_graph *graph_of(const at_graphNode *node, int32_t *first)
{
  static const char *const targets[] = {"higher_order.wrap_with_set_grad_enabled",
                                        "higher_order.tag_activation_checkpoint",
                                        "higher_order.invoke_subgraph", "higher_order.wrap"};
  const at_graph *graph = NULL;
  int64_t arguments = 0;
  for (size_t i = 0; i < sizeof targets / sizeof *targets && !graph; i++)
    for (*first = 0; !strcmp(targets[i], node->target) && *first < node->inputCount && !graph;)
      graph = node->inputs[(*first)++].graph;
  if (!graph)
    return NULL;
  for (int32_t i = *first; i < node->inputCount; i++)
    arguments += *node->inputs[i].name ? 0 : node->inputs[i].count;
  return arguments == graph->inputCount && at_countResults(graph) >= node->outputCount ? graph
                                                                                       : NULL;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* What the slots of the inner graph are in the outer one: arguments, results, or new slots from base on.
 */
static at_part *map_slots(const Inlining *in, const at_graph *inner, const at_graphNode *node,
                          int32_t first, int32_t base)
{
  at_part *const map =
      at_arena_take(in->reading->arena, (uint64_t)inner->slotCount + 1, sizeof *map);
  int32_t k = 0;
  for (int32_t s = 0; s < inner->slotCount; s++)
    map[s].slot = base + s;
  for (int32_t i = first; i < node->inputCount; i++)
    for (int32_t p = 0; p < node->inputs[i].count && !*node->inputs[i].name; p++, k++)
      if (inner->inputs[k] != AT_NO_SLOT)
        map[inner->inputs[k]] = node->inputs[i].parts[p];
  return map;
}

static at_part mapped(const at_part *map, at_part part)
{
  return part.slot == AT_NO_SLOT ? part : map[part.slot];
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void copy_node(Inlining *in, const at_graphNode *node, const at_part *map)
{
  at_arena *const arena = in->reading->arena;
  at_given *const inputs = at_arena_take(arena, (uint64_t)node->inputCount, sizeof *inputs);
  int32_t *const outputs = at_arena_take(arena, (uint64_t)node->outputCount, sizeof *outputs);
  for (int32_t i = 0; i < node->inputCount; i++) {
    inputs[i] = node->inputs[i];
    at_part *const parts = at_arena_take(arena, (uint64_t)inputs[i].count, sizeof *parts);
    for (int32_t p = 0; p < inputs[i].count; p++)
      parts[p] = mapped(map, node->inputs[i].parts[p]);
    inputs[i].parts = parts;
  }
  for (int32_t k = 0; k < node->outputCount; k++)
    outputs[k] = node->outputs[k] == AT_NO_SLOT ? AT_NO_SLOT : map[node->outputs[k]].slot;
  at_graphNode *const made = &in->nodes[in->nodeCount++];
  *made = *node;
  made->inputs = inputs;
  made->outputs = outputs;
}

/* Makes a result of the inner graph an output of the node that ran it. */
static void pass_on(Inlining *in, const at_graphNode *node, int32_t output, at_part result)
{
  at_arena *const arena = in->reading->arena;
  at_part *const part = at_arena_take(arena, 1, sizeof *part);
  at_given *const given = at_arena_take(arena, 1, sizeof *given);
  *part = result;
  *given = (at_given){.name = "", .kind = AT_GIVEN_TENSOR, .count = 1, .parts = part};
  at_graphNode *const made = &in->nodes[in->nodeCount++];
  *made = *node;
  made->inputs = given;
  made->inputCount = made->outputCount = 1;
  made->outputs = &node->outputs[output];
  in->reading->addedCount++;
  made->target = "result";
  made->compute = at_computePassed;
}

/* An output is its input. */
void at_computePassed(at_frame *frame, const at_graphNode *node)
{
  at_frame_put(frame, node->outputs[0], at_cell_retain(at_frame_get(frame, node->inputs[0].parts)));
}

static void put_in(Inlining *in, const at_graph *inner, const at_graphNode *node, int32_t first)
{
  at_graph *const graph = in->graph;
  const at_part *const map = map_slots(in, inner, node, first, graph->slotCount);
  int32_t output = 0;
  for (int32_t s = 0; s < inner->slotCount; s++, graph->slotCount++) {
    graph->names[graph->slotCount] = inner->names[s];
    if (s < inner->metaCount)
      in->metas[graph->slotCount] = inner->metas[s];
  }
  graph->mostParts = THMax(graph->mostParts, inner->mostParts);
  graph->mostArguments = THMax(graph->mostArguments, inner->mostArguments);
  for (int32_t n = 0; n < inner->nodeCount; n++)
    copy_node(in, &inner->nodes[n], map);
  for (int32_t i = 0; i < inner->outputCount; i++) {
    const at_given *const given = &inner->outputs[i];
    for (int32_t p = 0; p < given->count && output < node->outputCount; p++)
      pass_on(in, node, output++, mapped(map, given->parts[p]));
    output += given->count == 0; /* None */
  }
}

/* --- the graph -------------------------------------------------------------------------------- */

void at_inlineGraphs(at_reading *reading, at_graph *graph)
{
  Inlining in = {.reading = reading, .graph = graph};
  int64_t nodes = 0, slots = graph->slotCount;
  int32_t first;
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graph *const inner = graph_of(&graph->nodes[n], &first);
    nodes += inner ? inner->nodeCount + graph->nodes[n].outputCount : 1;
    slots += inner ? inner->slotCount : 0;
  }
  if (slots == graph->slotCount && nodes == graph->nodeCount)
    return;
  if (nodes > INT32_MAX || slots > INT32_MAX)
    at_damaged(reading->file, "a graph has %lld nodes and %lld values", (long long)nodes,
               (long long)slots);
  const char **const names = at_arena_take(reading->arena, (uint64_t)slots, sizeof *names);
  in.nodes = at_arena_take(reading->arena, (uint64_t)nodes, sizeof *in.nodes);
  in.metas = at_arena_take(reading->arena, (uint64_t)slots, sizeof *in.metas);
  for (int32_t s = 0; s < slots; s++)
    in.metas[s] = s < graph->metaCount ? graph->metas[s] : (at_meta){AT_SCALAR_TYPES, -1, -1};
  memcpy(names, graph->names, (size_t)graph->slotCount * sizeof *names);
  graph->names = names;
  const int32_t count = graph->nodeCount;
  for (int32_t n = 0; n < count; n++) {
    const at_graph *const inner = graph_of(&graph->nodes[n], &first);
    if (inner)
      put_in(&in, inner, &graph->nodes[n], first);
    else
      in.nodes[in.nodeCount++] = graph->nodes[n];
  }
  graph->nodes = in.nodes;
  graph->nodeCount = in.nodeCount;
  graph->metas = in.metas;
  graph->metaCount = graph->slotCount;
}
