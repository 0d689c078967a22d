/* If, Loop, Scan and SequenceMap: graphs inside of the graph, which use values of the graphs around them. */
#include "Loops.h"
#include "Lower.h"

/* --- building --------------------------------------------------------------------------------- */

static const at_attribute *graph_of(at_names *names, const at_onnxItem *item, const char *name)
{
  const at_attribute *const a = at_attributeOf(item, name);
  if (!a || a->type != AT_ATTRIBUTE_GRAPH)
    at_damaged(names->building->onnx->file, "'%.100s', a node of %.100s, has no graph %s",
               item->name, item->type, name);
  return a;
}

static at_given given_graph(const at_building *b)
{
  return (at_given){.name = "", .kind = AT_GIVEN_GRAPH, .graph = b->graph};
}

/* The values around it that a graph takes. */
static at_given given_taken(at_building *outer, const at_building *inner)
{
  const int32_t first = inner->formalCount, count = inner->inputCount - first;
  at_part *const parts = at_arena_take(outer->onnx->arena, (uint64_t)count, sizeof *parts);
  for (int32_t i = 0; i < count; i++)
    parts[i].slot = inner->taken[first + i];
  return (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, count, parts};
}

/* Lets b take all that the other takes, in the order of the other, and then what b takes besides. */
static void take_alike(at_building *b, const at_building *other)
{
  at_arena *const arena = b->onnx->arena;
  for (int32_t i = 0; i < other->inputCount; i++)
    at_slotFrom(b, b->outer, other->taken[i], other->graph->names[other->inputs[i]]);
  int32_t *const inputs = at_arena_take(arena, (uint64_t)b->inputCount, sizeof *inputs),
                 *const taken = at_arena_take(arena, (uint64_t)b->inputCount, sizeof *taken);
  int32_t count = other->inputCount;
  for (int32_t i = 0; i < b->inputCount; i++) {
    int32_t at = 0;
    while (at < other->inputCount && other->taken[at] != b->taken[i])
      at++;
    at = at < other->inputCount ? at : count++;
    inputs[at] = b->inputs[i];
    taken[at] = b->taken[i];
  }
  b->inputs = inputs;
  b->taken = taken;
  b->inputCapacity = b->inputCount;
}

static void add_node(at_names *names, const at_onnxItem *item, at_compute compute,
                     const at_bodyResult *results, const at_given *inputs, int32_t count)
{
  at_building *const b = names->building;
  const size_t length = strlen(item->type) + 8;
  char *const target = at_arena_take(b->onnx->arena, length, 1);
  at_given *const kept = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *kept);
  snprintf(target, length, "onnx.%s", item->type);
  memcpy(kept, inputs, (size_t)count * sizeof *kept);
  at_graphNode *const node = at_addNode(b, target, kept, count);
  node->compute = compute;
  node->how = results;
  at_nameOutputs(names, node, item);
}

static at_given given_input(at_names *names, const at_onnxItem *item, int32_t index)
{
  const char *const name = index < item->inputCount ? item->inputs[index] : "";
  return at_givenSlot(names->building, *name ? at_slotNamed(names, name) : AT_NO_SLOT);
}

bool at_lowerIf(at_names *names, const at_onnxItem *item)
{
  at_building *const yes = at_lowerInner(names, graph_of(names, item, "then_branch")->message),
                     *const no =
                         at_lowerInner(names, graph_of(names, item, "else_branch")->message);
  take_alike(no, yes);
  take_alike(yes, no);
  at_finishGraph(yes);
  at_finishGraph(no);
  const at_given inputs[] = {given_input(names, item, 0), given_graph(yes), given_graph(no),
                             given_taken(names->building, no)};
  add_node(names, item, at_computeCond, NULL, inputs, 4);
  return true;
}

static at_given given_some(at_names *names, const at_onnxItem *item, int32_t first, int32_t end)
{
  at_building *const b = names->building;
  const int32_t count = THMax(end - first, 0);
  at_part *const parts = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *parts);
  for (int32_t i = 0; i < count; i++)
    parts[i].slot = at_slotNamed(names, item->inputs[first + i]);
  return (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, count, parts};
}

bool at_lowerLoop(at_names *names, const at_onnxItem *item)
{
  const at_wire graph = graph_of(names, item, "body")->message;
  at_building *const body = at_lowerInner(names, graph);
  const at_given inputs[LOOP_INPUTS] = {
      given_input(names, item, 0), given_input(names, item, 1), given_graph(body),
      given_some(names, item, 2, item->inputCount), given_taken(names->building, body)};
  at_finishGraph(body);
  if (body->formalCount != inputs[LOOP_STATE].count + 2 ||
      body->graph->outputCount < inputs[LOOP_STATE].count + 1 ||
      body->graph->outputCount - 1 < item->outputCount)
    at_damaged(names->building->onnx->file,
               "a loop has %d values, and its body %d inputs and %d outputs",
               (int)inputs[LOOP_STATE].count, (int)body->formalCount,
               (int)body->graph->outputCount);
  /* The first result says whether to go on. */
  const at_bodyResult *const results = at_readResults(names->building->onnx, graph) + 1;
  add_node(names, item, at_computeLoop, results, inputs, LOOP_INPUTS);
  return true;
}

bool at_lowerSequenceMap(at_names *names, const at_onnxItem *item)
{
  at_building *const body = at_lowerInner(names, graph_of(names, item, "body")->message);
  const at_given inputs[MAP_INPUTS] = {given_graph(body),
                                       given_some(names, item, 0, item->inputCount),
                                       given_taken(names->building, body)};
  at_finishGraph(body);
  if (item->inputCount < 1 || body->formalCount != item->inputCount ||
      body->graph->outputCount != item->outputCount)
    at_damaged(names->building->onnx->file,
               "a map has %d inputs and %d outputs, and its body %d and %d", (int)item->inputCount,
               (int)item->outputCount, (int)body->formalCount, (int)body->graph->outputCount);
  add_node(names, item, at_computeSequenceMap, NULL, inputs, MAP_INPUTS);
  return true;
}

/* The list of an attribute of a scan, of which there are count; they may be left out. */
static at_given given_list(at_names *names, const at_onnxItem *item, const char *attribute,
                           int32_t count)
{
  const at_attribute *const a = at_attributeOf(item, attribute);
  if (a && (a->type != AT_ATTRIBUTE_INTS || a->count != count))
    at_damaged(names->building->onnx->file, "'%.100s', a node of Scan, has %d %s, and needs %d",
               item->name, (int)a->count, attribute, (int)count);
  return a ? at_givenAttribute(names, a) : (at_given){.name = "", .kind = AT_GIVEN_NONE};
}

bool at_lowerScan(at_names *names, const at_onnxItem *item)
{
  const at_attribute *const scans = at_attributeOf(item, "num_scan_inputs");
  const at_wire graph = graph_of(names, item, "body")->message;
  at_building *const body = at_lowerInner(names, graph);
  const int64_t scanned = scans ? scans->integer : 0, states = item->inputCount - scanned;
  at_finishGraph(body);
  if (scanned < 1 || states < 0 || body->formalCount != item->inputCount ||
      body->graph->outputCount < states || body->graph->outputCount < item->outputCount)
    at_damaged(names->building->onnx->file,
               "a scan has %d inputs, of which %lld are scanned, and its body %d inputs and %d "
               "outputs",
               (int)item->inputCount, (long long)scanned, (int)body->formalCount,
               (int)body->graph->outputCount);
  const int32_t made = body->graph->outputCount - (int32_t)states;
  const at_given inputs[SCAN_INPUTS] = {
      given_some(names, item, (int32_t)states, item->inputCount),
      given_list(names, item, "scan_input_axes", (int32_t)scanned),
      given_list(names, item, "scan_input_directions", (int32_t)scanned),
      given_list(names, item, "scan_output_axes", made),
      given_list(names, item, "scan_output_directions", made),
      given_graph(body),
      given_some(names, item, 0, (int32_t)states),
      given_taken(names->building, body)};
  add_node(names, item, at_computeScan, at_readResults(names->building->onnx, graph), inputs,
           SCAN_INPUTS);
  return true;
}
