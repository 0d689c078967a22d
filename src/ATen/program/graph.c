/* Graphs, as files write them: values get slots, and nodes what computes them. */
#include "Program.h"

/* A graph that is being read. */
typedef struct Building {
  at_reading *reading;
  at_graph *graph;
  json_t *slots;    /* the slot of each name */
  int32_t capacity; /* of graph->names */
} Building;

static void free_slots(void *what)
{
  json_decref(what);
}

/* --- values that are made --------------------------------------------------------------------- */

enum { SLOT_BYTES = 256 }; /* what jansson takes for a name and its number */

static int32_t new_slot(Building *b, const char *name)
{
  at_graph *const graph = b->graph;
  at_file *const file = b->reading->file;
  if (json_object_get(b->slots, name))
    at_damaged(file, "two values are called '%.100s'", name);
  THAssert(graph->slotCount < b->capacity);
  at_file_charge(file, SLOT_BYTES + strlen(name));
  if (json_object_set_new(b->slots, name, json_integer(graph->slotCount)))
    THError("there is no memory for the names of values");
  graph->names[graph->slotCount] = at_arena_text(b->reading->arena, name);
  return graph->slotCount++;
}

/* The name of the value that an argument makes, or NULL if it is a constant. */
static const char *name_made(const at_file *file, const json_t *argument)
{
  static const char *const symbols[] = {"as_sym_int", "as_sym_float", "as_sym_bool"};
  const json_t *value, *name;
  const char *const key = at_doc_union(file, argument, &value);
  if (!strcmp(key, "as_tensor"))
    return at_doc_text(file, value, "name");
  for (int i = 0; i < 3; i++)
    if (!strcmp(key, symbols[i]) && !strcmp(at_doc_union(file, value, &name), "as_name") &&
        json_is_string(name))
      return json_string_value(name);
  return NULL;
}

static int32_t make_slot(Building *b, const json_t *argument)
{
  const char *const name = name_made(b->reading->file, argument);
  return name ? new_slot(b, name) : AT_NO_SLOT;
}

/* The tensors of an output that is a list; NULL if it is none. */
static const json_t *list_made(const json_t *output)
{
  const json_t *const list = json_object_get(output, "as_tensors");
  return json_is_array(list) ? list : NULL;
}

static size_t count_made(const json_t *outputs)
{
  size_t count = 0, i;
  json_t *output;
  json_array_foreach((json_t *)outputs, i, output)
  {
    const json_t *const list = list_made(output);
    count += list ? json_array_size(list) : 1;
  }
  return count;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void read_inputs(Building *b, const json_t *list, at_graphNode *node)
{
  at_reading *const reading = b->reading;
  at_given *const inputs = at_arena_take(reading->arena, json_array_size(list), sizeof *inputs);
  int32_t parts = 0;
  size_t i;
  json_t *entry;
  json_array_foreach((json_t *)list, i, entry)
  {
    const char *const name = at_doc_text(reading->file, entry, "name");
    inputs[i] =
        at_readGiven(reading, b->slots, at_doc_get(reading->file, entry, "arg", JSON_OBJECT));
    inputs[i].name = at_arena_text(reading->arena, name);
    parts += inputs[i].count;
  }
  node->inputs = inputs;
  node->inputCount = (int32_t)i;
  b->graph->mostParts = THMax(b->graph->mostParts, parts);
}

static void read_outputs(Building *b, const json_t *list, at_graphNode *node)
{
  const size_t count = count_made(list);
  int32_t *const outputs = at_arena_take(b->reading->arena, count, sizeof *outputs);
  size_t i, k;
  json_t *output, *entry;
  json_array_foreach((json_t *)list, i, output)
  {
    const json_t *const made = list_made(output);
    if (!made)
      outputs[node->outputCount++] = make_slot(b, output);
    else
      json_array_foreach((json_t *)made, k, entry) outputs[node->outputCount++] =
          new_slot(b, at_doc_text(b->reading->file, entry, "name"));
  }
  node->outputs = outputs;
}

void at_countMissing(at_reading *reading, const char *target)
{
  int32_t at = 0;
  while (at < reading->missingCount && strcmp(reading->missing[at].target, target))
    at++;
  if (at == AT_MOST_MISSING) {
    reading->otherMissing++;
    return;
  }
  if (at == reading->missingCount)
    reading->missing[reading->missingCount++] = (at_missing){target, 0};
  reading->missing[at].count++;
}

/* with_effects(token, operation, arguments...), which returns a token and what the operation returns: nodes
 * are computed in their order here, and tokens are nothing. */
static void drop_token(at_graphNode *node)
{
  static const char prefix[] = "torch.ops.";
  if (strcmp(node->target, "higher_order.with_effects") != 0 || node->inputCount < 2 ||
      node->inputs[1].kind != AT_GIVEN_TEXT || node->outputCount < 1)
    return;
  const char *const target = node->inputs[1].text;
  node->target = target + (strncmp(target, prefix, strlen(prefix)) ? 0 : strlen(prefix));
  node->inputs += 2;
  node->inputCount -= 2;
  node->outputs++;
  node->outputCount--;
}

/* Finds what computes the node, or counts its target. */
static void resolve_node(Building *b, at_graphNode *node)
{
  drop_token(node);
  if (!at_resolve(b->reading->arena, node))
    at_countMissing(b->reading, node->target);
  else if (at_calledOp(node))
    b->graph->mostArguments = THMax(b->graph->mostArguments, at_calledOp(node)->argumentCount);
}

static const char *target_of(const at_reading *reading, const json_t *json)
{
  static const char prefix[] = "torch.ops.";
  const char *const target = at_doc_text(reading->file, json, "target");
  return target + (strncmp(target, prefix, strlen(prefix)) ? 0 : strlen(prefix));
}

/* How many nodes a node of the file becomes: of one on lists of tensors one for each tensor. */
static size_t count_nodes(const at_reading *reading, const json_t *json)
{
  const json_t *const inputs = at_doc_get(reading->file, json, "inputs", JSON_ARRAY);
  size_t i;
  json_t *entry;
  if (!at_isEach(target_of(reading, json)))
    return 1;
  json_array_foreach((json_t *)inputs, i, entry)
  {
    const json_t *const list = list_made(json_object_get(entry, "arg"));
    if (list)
      return json_array_size(list);
  }
  return 0;
}

/* Reads a node of the file to the nodes that it becomes, so many. */
static void read_node(Building *b, const json_t *json, at_graphNode *nodes, size_t count)
{
  at_reading *const reading = b->reading;
  const char *const name = json_string_value(json_object_get(json, "name"));
  at_graphNode node = {.target = at_arena_text(reading->arena, target_of(reading, json)),
                       .number = ++reading->nodeCount};
  read_inputs(b, at_doc_get(reading->file, json, "inputs", JSON_ARRAY), &node);
  read_outputs(b, at_doc_get(reading->file, json, "outputs", JSON_ARRAY), &node);
  node.name = name ? at_arena_text(reading->arena, name)
              : node.outputCount > 0 && node.outputs[0] != AT_NO_SLOT
                  ? b->graph->names[node.outputs[0]]
                  : "";
  for (size_t i = 0; i < count; i++) {
    nodes[i] = node;
    nodes[i].number = i == 0 ? node.number : ++reading->nodeCount;
    if (at_isEach(node.target))
      at_makeEach(reading, &node, (int32_t)i, &nodes[i]);
    resolve_node(b, &nodes[i]);
  }
}

/* --- the graph -------------------------------------------------------------------------------- */

/* The number of slots that the graph needs at most. */
static int32_t count_slots(const at_file *file, const json_t *inputs, const json_t *nodes)
{
  size_t count = json_array_size(inputs), i;
  json_t *node;
  json_array_foreach((json_t *)nodes, i, node) count +=
      count_made(at_doc_get(file, node, "outputs", JSON_ARRAY));
  if (count > INT32_MAX || i > INT32_MAX)
    at_damaged(file, "a graph has %zu values", count);
  return (int32_t)count;
}

static void read_parameters(Building *b, const json_t *list)
{
  int32_t *const inputs = at_arena_take(b->reading->arena, json_array_size(list), sizeof *inputs);
  size_t i;
  json_t *input;
  json_array_foreach((json_t *)list, i, input) inputs[i] = make_slot(b, input);
  b->graph->inputs = inputs;
  b->graph->inputCount = (int32_t)i;
}

static void read_nodes(Building *b, const json_t *list)
{
  size_t i, count = 0;
  json_t *node;
  json_array_foreach((json_t *)list, i, node) count += count_nodes(b->reading, node);
  if (count > INT32_MAX)
    at_damaged(b->reading->file, "a graph has %zu nodes", count);
  at_graphNode *const nodes = at_arena_take(b->reading->arena, count, sizeof *nodes);
  b->graph->nodes = nodes;
  json_array_foreach((json_t *)list, i, node)
  {
    const size_t each = count_nodes(b->reading, node);
    read_node(b, node, nodes + b->graph->nodeCount, each);
    b->graph->nodeCount += (int32_t)each;
  }
}

static void read_results(Building *b, const json_t *list)
{
  at_given *const outputs =
      at_arena_take(b->reading->arena, json_array_size(list), sizeof *outputs);
  size_t i;
  json_t *output;
  json_array_foreach((json_t *)list, i, output) outputs[i] =
      at_readGiven(b->reading, b->slots, output);
  b->graph->outputs = outputs;
  b->graph->outputCount = (int32_t)i;
}

/* --- what the file says of values -------------------------------------------------------------- */

/* Appends the sizes as a text, and counts the elements: -1 if a size is no number. */
static int64_t write_sizes(const at_file *file, const json_t *sizes, at_bytes *text)
{
  int64_t count = 1, value;
  size_t d;
  json_t *size;
  json_array_foreach((json_t *)sizes, d, size)
  {
    if (at_doc_size(file, size, &value)) {
      at_bytes_print(text, "%lld ", (long long)value);
      if (count >= 0 && __builtin_mul_overflow(count, value, &count))
        count = -1;
    } else {
      const json_t *const expression = json_object_get(size, "as_expr");
      const char *const name = json_string_value(json_object_get(expression, "expr_str"));
      at_bytes_addText(text, name ? name : "?");
      at_bytes_addText(text, " ");
      count = -1;
    }
  }
  at_bytes_add(text, "", 1);
  return count;
}

/* The number of those sizes, the same for equal ones in all graphs. */
static int32_t number_of(const Building *b, const char *text)
{
  json_t *const shapes = b->reading->shapes;
  const json_t *const found = json_object_get(shapes, text);
  if (found)
    return (int32_t)json_integer_value(found);
  const int32_t number = (int32_t)json_object_size(shapes);
  at_file_charge(b->reading->file, SLOT_BYTES + strlen(text));
  if (json_object_set_new(shapes, text, json_integer(number)))
    THError("there is no memory for the sizes of values");
  return number;
}

static at_meta read_meta(const Building *b, const json_t *json)
{
  const json_t *const sizes = json_object_get(json, "sizes");
  at_meta meta = {at_doc_scalarType(json_object_get(json, "dtype")), -1, -1};
  THGuard guard;
  at_bytes text = {0};
  if (!json_is_array(sizes))
    return meta;
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &text;
  meta.elements = write_sizes(b->reading->file, sizes, &text);
  meta.shape = number_of(b, (const char *)text.start);
  THGuard_leave(&guard);
  return meta;
}

static void read_metas(Building *b, const json_t *values)
{
  at_graph *const graph = b->graph;
  at_meta *const metas =
      at_arena_take(b->reading->arena, (uint64_t)graph->slotCount, sizeof *metas);
  for (int32_t i = 0; i < graph->slotCount; i++)
    metas[i] = read_meta(b, json_object_get(values, graph->names[i]));
  graph->metas = metas;
  graph->metaCount = graph->slotCount;
}

at_graph *at_readGraph(at_reading *reading, const json_t *json)
{
  const at_file *const file = reading->file;
  const json_t *const inputs = at_doc_get(file, json, "inputs", JSON_ARRAY),
                      *const nodes = at_doc_get(file, json, "nodes", JSON_ARRAY),
                      *const outputs = at_doc_get(file, json, "outputs", JSON_ARRAY);
  THGuard guard;
  THGuard_enter(&guard, free_slots);
  Building b = {.reading = reading, .slots = guard.what = json_object()};
  if (!b.slots)
    THError("there is no memory for the names of values");
  b.graph = at_arena_take(reading->arena, 1, sizeof *b.graph);
  b.capacity = count_slots(file, inputs, nodes);
  b.graph->names = at_arena_take(reading->arena, (uint64_t)b.capacity, sizeof *b.graph->names);
  read_parameters(&b, inputs);
  read_nodes(&b, nodes);
  read_results(&b, outputs);
  read_metas(&b, json_object_get(json, "tensor_values"));
  THGuard_leave(&guard);
  at_groupVmaps(reading, b.graph);
  at_inlineGraphs(reading, b.graph);
  at_findDead(reading->arena, b.graph);
  return b.graph;
}

/* --- lifetimes -------------------------------------------------------------------------------- */

/* Marks the slots of an argument, and appends those that were not marked to dead, unless NULL. */
static int32_t mark(const at_given *given, bool *marked, int32_t *dead)
{
  int32_t count = 0;
  for (int32_t i = 0; i < given->count; i++) {
    const int32_t slot = given->parts[i].slot;
    if (slot == AT_NO_SLOT || marked[slot])
      continue;
    marked[slot] = true;
    if (dead)
      dead[count++] = slot;
  }
  return count;
}

void at_findDead(at_arena *arena, at_graph *graph)
{
  bool *const marked = at_arena_take(arena, (uint64_t)graph->slotCount, sizeof *marked);
  for (int32_t i = 0; i < graph->outputCount; i++)
    mark(&graph->outputs[i], marked, NULL);
  for (int32_t n = graph->nodeCount - 1; n >= 0; n--) {
    at_graphNode *const node = &graph->nodes[n];
    int64_t most = node->outputCount;
    node->deadCount = 0;
    for (int32_t i = 0; i < node->inputCount; i++)
      most += node->inputs[i].count;
    int32_t *const dead = at_arena_take(arena, (uint64_t)most, sizeof *dead);
    for (int32_t i = 0; i < node->outputCount; i++)
      if (node->outputs[i] != AT_NO_SLOT && !marked[node->outputs[i]])
        dead[node->deadCount++] = node->outputs[i];
    for (int32_t i = 0; i < node->inputCount; i++)
      node->deadCount += mark(&node->inputs[i], marked, dead + node->deadCount);
    node->dead = dead;
  }
}
