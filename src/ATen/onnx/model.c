/* Models: versions, functions, the graph and its nodes. */
#include "Lower.h"

enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7 };
enum { MODEL_OPERATORS = 8, MODEL_FUNCTION = 25 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_OUTPUT = 12, GRAPH_SPARSE = 15 };

bool at_isOnnx(const at_file *file)
{
  /* The version of the format is the first field, and who wrote the file or the graph follow. */
  const uint8_t *const head = file->head;
  return file->size > 4 && head[0] == 0x08 && head[1] > 0 && head[1] < 32 &&
         (head[2] == 0x12 || head[2] == 0x1a || head[2] == 0x22 || head[2] == 0x3a ||
          head[2] == 0x42 || head[2] == 0x32 || head[2] == 0x2a);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static at_lowerItem lower_item;

/* A value of a Constant node is a tensor in the file, or numbers. */
static bool lower_constant(at_names *names, const at_onnxItem *item)
{
  if (strcmp(item->type, "Constant") != 0 || *item->domain || item->outputCount != 1)
    return false;
  const at_attribute *const value = at_attributeOf(item, "value");
  const at_attribute *const sparse = at_attributeOf(item, "sparse_value");
  if (value && value->type == AT_ATTRIBUTE_TENSOR)
    at_readConstant(names, value->message, item->outputs[0]);
  else if (sparse && sparse->type == AT_ATTRIBUTE_SPARSE)
    at_readSparse(names, sparse->message, item->outputs[0]);
  else
    return false;
  return true;
}

/* An attribute of a call; the tensors of other domains than the standard one's are weights. */
static at_given given_of(at_names *names, const at_onnxItem *item, const at_attribute *attribute)
{
  if (attribute->type != AT_ATTRIBUTE_TENSOR || !*item->domain)
    return at_givenAttribute(names, attribute);
  const char *const name = at_innerName(names, item, attribute->name);
  at_readConstant(names, attribute->message, name);
  at_given given = at_givenSlot(names->building, at_slotNamed(names, name));
  given.name = attribute->name;
  return given;
}

/* A call that is computed by a function during the run: inputs, then attributes. */
void at_lowerCall(at_names *names, const at_onnxItem *item)
{
  at_building *const b = names->building;
  const at_lowering *const row = at_loweringOf(item, b->onnx->version);
  at_arena *const arena = b->onnx->arena;
  const size_t length = strlen(item->type) + strlen(item->domain) + 8;
  char *const target = at_arena_take(arena, length, 1);
  const bool isPrepared = row && row->prepare;
  const int32_t attributeCount = isPrepared ? 0 : item->attributeCount;
  at_given *const inputs =
      at_arena_take(arena, (uint64_t)item->inputCount + (uint64_t)attributeCount, sizeof *inputs);
  at_onnxHow *const how = at_arena_take(arena, 1, sizeof *how);
  *how = (at_onnxHow){row, isPrepared ? row->prepare(names, item) : NULL};
  snprintf(target, length, "%s.%s", *item->domain ? item->domain : "onnx", item->type);
  for (int32_t i = 0; i < item->inputCount; i++)
    inputs[i] = *item->inputs[i] ? at_givenSlot(b, at_slotNamed(names, item->inputs[i]))
                                 : (at_given){.name = "", .kind = AT_GIVEN_NONE};
  for (int32_t i = 0; i < attributeCount; i++)
    inputs[item->inputCount + i] = given_of(names, item, &item->attributes[i]);
  at_graphNode *const node = at_addNode(b, target, inputs, item->inputCount + attributeCount);
  if (row && row->run) {
    node->compute = at_computeOnnx;
    node->how = how;
  } else {
    at_countMissing(b->onnx->reading, *item->domain ? target : item->type);
  }
  at_nameOutputs(names, node, item);
}

static const at_onnxFunction *function_of(const at_onnx *onnx, const at_onnxItem *item)
{
  for (int32_t i = 0; i < onnx->functionCount; i++)
    if (!strcmp(onnx->functions[i].name, item->type) &&
        !strcmp(onnx->functions[i].domain, item->domain))
      return &onnx->functions[i];
  return NULL;
}

static void enter_deeper(at_onnx *onnx)
{
  if (++onnx->depth > AT_ONNX_DEEPEST)
    at_damaged(onnx->file, "its graphs and functions are nested deeper than %d", AT_ONNX_DEEPEST);
}

enum { FUNCTION_NAME = 1, FUNCTION_INPUT = 4, FUNCTION_OUTPUT = 5, FUNCTION_NODE = 7 };
enum { FUNCTION_DOMAIN = 10 };

/* Gives the formal inputs of a function the slots of the call's; those left out have none. */
static void bind_formals(at_names *names, at_names *inner, at_wire message, const at_onnxItem *item)
{
  at_field field;
  int32_t count = 0;
  while (at_wire_next(&message, &field)) {
    if (field.number != FUNCTION_INPUT)
      continue;
    const char *const formal = at_onnxField_text(names->building->onnx->arena, &field);
    const char *const given = count < item->inputCount ? item->inputs[count] : "";
    at_names_put(inner, formal, *given ? at_slotNamed(names, given) : AT_NO_SLOT);
    count++;
  }
}

/* Makes the nodes of a function in place of a call of it. */
static void lower_function(at_names *names, const at_onnxItem *item,
                           const at_onnxFunction *function)
{
  at_onnx *const onnx = names->building->onnx;
  at_wire message = function->message;
  at_onnxItem caller = *item;
  at_names inner;
  THGuard guard;
  at_field field;
  int32_t count = 0;
  enter_deeper(onnx);
  at_names_enter(&inner, names->building, NULL, &guard);
  bind_formals(names, &inner, message, item);
  at_readDefaults(&inner, message, &caller);
  inner.caller = &caller;
  at_lowerInOrder(&inner, message, FUNCTION_NODE, lower_item);
  while (at_wire_next(&message, &field)) {
    if (field.number != FUNCTION_OUTPUT)
      continue;
    const char *const formal = at_onnxField_text(onnx->arena, &field);
    if (count < item->outputCount && *item->outputs[count])
      at_names_put(names, item->outputs[count], at_slotNamed(&inner, formal));
    count++;
  }
  THGuard_leave(&guard);
  onnx->depth--;
}

static void lower_item(at_names *names, at_onnxItem *item)
{
  at_onnx *const onnx = names->building->onnx;
  const at_onnxFunction *const function = function_of(onnx, item);
  const at_lowering *const row = at_loweringOf(item, onnx->version);
  if (!function)
    at_checkPacked(names, item);
  if (function)
    lower_function(names, item, function);
  else if (row && row->run && at_isKnownUnsigned(names, item))
    at_lowerCall(names, item);
  else if (lower_constant(names, item) || (row && row->lower && row->lower(names, item)))
    return;
  else if (row && row->expression)
    at_lowerExpression(names, item, row->expression);
  else
    at_lowerCall(names, item);
}

/* The outputs of a graph are values with names. */
static void read_results(at_names *names, at_wire graph)
{
  at_building *const b = names->building;
  at_wire rest = graph;
  at_field field;
  int32_t count = 0;
  while (at_wire_next(&rest, &field))
    count += field.number == GRAPH_OUTPUT;
  at_given *const outputs = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *outputs);
  count = 0;
  while (at_wire_next(&graph, &field))
    if (field.number == GRAPH_OUTPUT)
      outputs[count++] =
          at_givenSlot(b, at_slotNamed(names, at_readName(names, at_onnxField_message(&field))));
  b->graph->outputs = outputs;
  b->graph->outputCount = count;
}

static void lower_renewed(at_names *names, at_onnxItem *item)
{
  at_renewItem(names, item);
  lower_item(names, item);
}

void at_lowerNodes(at_names *names, at_wire graph)
{
  at_lowerInOrder(names, graph, GRAPH_NODE, lower_renewed);
  read_results(names, graph);
}

static void read_initializers(at_names *names, at_wire graph)
{
  at_field field;
  while (at_wire_next(&graph, &field)) {
    if (field.number == GRAPH_INITIALIZER)
      at_readConstant(names, at_onnxField_message(&field), NULL);
    else if (field.number == GRAPH_SPARSE)
      at_readSparse(names, at_onnxField_message(&field), NULL);
  }
}

at_building *at_lowerInner(at_names *names, at_wire graph)
{
  enum { GRAPH_INPUT = 11 };
  at_onnx *const onnx = names->building->onnx;
  at_building *const b = at_arena_take(onnx->arena, 1, sizeof *b);
  at_names inner;
  THGuard guard;
  at_field field;
  at_wire rest = graph;
  enter_deeper(onnx);
  *b = (at_building){.onnx = onnx, .outer = names->building};
  b->graph = at_arena_take(onnx->arena, 1, sizeof *b->graph);
  at_names_enter(&inner, b, names, &guard);
  inner.caller = names->caller;
  read_initializers(&inner, graph);
  while (at_wire_next(&rest, &field))
    if (field.number == GRAPH_INPUT) {
      const char *const name = at_readName(&inner, at_onnxField_message(&field));
      at_names_put(&inner, name, at_addInput(b, name, at_knownOf(b, AT_NO_SLOT), AT_NO_SLOT));
    }
  b->formalCount = b->inputCount;
  at_readInfo(&inner, graph);
  at_lowerNodes(&inner, graph);
  THGuard_leave(&guard);
  onnx->depth--;
  return b;
}

/* --- the model -------------------------------------------------------------------------------- */

/* What operators the model uses: of the standard ones in that version. */
static void read_operators(at_onnx *onnx, at_wire message)
{
  const char *domain = "";
  int64_t version = 0;
  at_field field;
  while (at_wire_next(&message, &field)) {
    if (field.number == 1)
      domain = at_onnxField_text(onnx->arena, &field);
    else if (field.number == 2)
      version = at_onnxField_integer(&field);
  }
  if (!*domain || !strcmp(domain, "ai.onnx"))
    onnx->version = version;
  else
    onnx->hasOthers = true;
}

static void read_function(at_onnx *onnx, at_wire message)
{
  at_onnxFunction function = {.name = "", .domain = "", .message = message};
  at_field field;
  while (at_wire_next(&message, &field)) {
    if (field.number == FUNCTION_NAME)
      function.name = at_onnxField_text(onnx->arena, &field);
    else if (field.number == FUNCTION_DOMAIN)
      function.domain = at_onnxField_text(onnx->arena, &field);
  }
  onnx->functions = at_arena_grown(onnx->arena, onnx->functions, onnx->functionCount,
                                   &onnx->functionCapacity, sizeof *onnx->functions);
  onnx->functions[onnx->functionCount++] = function;
}

/* Reads the parts of the model; the graph is left for later. */
static at_wire read_model(at_onnx *onnx)
{
  at_wire model = {onnx->file, 0, onnx->file->size}, graph = {onnx->file, 0, 0};
  at_program *const program = onnx->program;
  const char *producer = "?", *version = "";
  at_field field;
  while (at_wire_next(&model, &field)) {
    switch (field.number) {
      case MODEL_IR:
        program->schemaMinor = at_onnxField_integer(&field);
        break;
      case MODEL_PRODUCER:
        producer = at_onnxField_text(onnx->arena, &field);
        break;
      case MODEL_PRODUCER_VERSION:
        version = at_onnxField_text(onnx->arena, &field);
        break;
      case MODEL_GRAPH:
        graph = at_onnxField_message(&field);
        break;
      case MODEL_OPERATORS:
        read_operators(onnx, at_onnxField_message(&field));
        break;
      case MODEL_FUNCTION:
        read_function(onnx, at_onnxField_message(&field));
        break;
      default:
        break;
    }
  }
  const size_t length = strlen(producer) + strlen(version) + 2;
  char *const writer = at_arena_take(onnx->arena, length, 1);
  snprintf(writer, length, "%s %s", producer, version);
  program->version = writer;
  if (onnx->version == 0 && onnx->hasOthers)
    onnx->version = AT_ONNX_MOST; /* the model has none of the standard operators */
  if (onnx->version == 0)
    at_damaged(onnx->file, "it uses no version of the standard operators");
  if (onnx->version < AT_ONNX_LEAST || onnx->version > AT_ONNX_MOST)
    at_damaged(onnx->file, "its operators are of version %lld, and %d to %d are read",
               (long long)onnx->version, AT_ONNX_LEAST, AT_ONNX_MOST);
  program->schemaMajor = onnx->version;
  if (graph.at == graph.end)
    at_damaged(onnx->file, "it has no graph");
  return graph;
}

static void read_program(at_onnx *onnx, unsigned passes)
{
  at_program *const program = onnx->program;
  at_names names;
  at_building *const b = at_arena_take(onnx->arena, 1, sizeof *b);
  THGuard guard;
  const at_wire graph = read_model(onnx);
  program->weights = at_dict_new();
  if (!program->weights)
    THError("there is no memory for the weights");
  *b = (at_building){.onnx = onnx};
  b->graph = program->graph = at_arena_take(onnx->arena, 1, sizeof *b->graph);
  onnx->top = b;
  at_names_enter(&names, b, NULL, &guard);
  read_initializers(&names, graph);
  at_readPorts(&names, graph);
  at_lowerNodes(&names, graph);
  at_readOutputs(&names, graph);
  at_readyPorts(program);
  at_finishGraph(b);
  THGuard_leave(&guard);
  if (!program->isListed)
    at_reportMissing(onnx->reading);
  program->nodeCount = onnx->reading->nodeCount;
  at_countTargets(program);
  if (onnx->reading->missingCount == 0)
    at_makePlan(program, onnx->reading, passes);
}

static void free_onnx(void *what)
{
  at_onnx *const onnx = what;
  at_closeExternals(onnx);
  json_decref(onnx->shapes);
}

void at_readOnnx(at_program *program, at_file *file, unsigned passes)
{
  THGuard guard;
  at_reading *const reading = at_arena_take(&program->arena, 1, sizeof *reading);
  at_onnx onnx = {.program = program, .reading = reading, .arena = &program->arena, .file = file};
  reading->file = file;
  reading->arena = &program->arena;
  program->format = "ONNX";
  THGuard_enter(&guard, free_onnx);
  guard.what = &onnx;
  onnx.shapes = json_object();
  if (!onnx.shapes)
    THError("there is no memory for the sizes of values");
  read_program(&onnx, passes);
  THGuard_leave(&guard);
}
