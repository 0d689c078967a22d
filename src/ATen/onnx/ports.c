/* What the file says of values: of the inputs and outputs of the program, and of others. */
#include "Loops.h"

/* A dimension as it is written. */
typedef struct Dimension {
  int64_t size; /* -1 if it is no number */
  const char *symbol;
} Dimension;

typedef struct Shape {
  int64_t type;
  int32_t dims;    /* AT_ANY_DIMS if it is not written */
  bool isTensor;   /* a tensor, or one of the next two of tensors */
  bool isSequence; /* a sequence */
  bool mayMiss;    /* an optional value */
  Dimension dimension[AT_MOST_DIMS];
} Shape;

/* --- messages --------------------------------------------------------------------------------- */

static void read_dimension(at_onnx *onnx, at_wire message, Dimension *dimension)
{
  at_field field;
  *dimension = (Dimension){-1, ""};
  while (at_wire_next(&message, &field)) {
    if (field.number == 1)
      dimension->size = at_onnxField_integer(&field);
    else if (field.number == 2)
      dimension->symbol = at_onnxField_text(onnx->arena, &field);
  }
}

static void read_sizes(at_onnx *onnx, at_wire message, Shape *shape)
{
  at_field field;
  shape->dims = 0;
  while (at_wire_next(&message, &field)) {
    if (field.number != 1)
      continue;
    if (shape->dims == AT_MOST_DIMS)
      at_damaged(onnx->file, "a value has more than %d dimensions", AT_MOST_DIMS);
    read_dimension(onnx, at_onnxField_message(&field), &shape->dimension[shape->dims++]);
  }
}

/* Reads a type: of a tensor, of a sequence of tensors, or of one of these that may be missing.  isTensor
 * stays false if it is another one. */
static void read_type(at_onnx *onnx, at_wire message, Shape *shape)
{
  enum { TENSOR = 1, SEQUENCE = 4, OPTIONAL = 9 };
  at_field field, inner;
  while (at_wire_next(&message, &field)) {
    const bool isSequence = field.number == SEQUENCE, isOptional = field.number == OPTIONAL;
    if ((isSequence && !shape->isSequence) ||
        (isOptional && !shape->isSequence && !shape->mayMiss)) {
      at_wire type = at_onnxField_message(&field);
      shape->isSequence |= isSequence;
      shape->mayMiss |= isOptional;
      while (at_wire_next(&type, &inner))
        if (inner.number == 1)
          read_type(onnx, at_onnxField_message(&inner), shape);
    }
    if (field.number != TENSOR)
      continue;
    at_wire tensor = at_onnxField_message(&field);
    shape->isTensor = true;
    while (at_wire_next(&tensor, &inner)) {
      if (inner.number == 1)
        shape->type = at_onnxField_integer(&inner);
      else if (inner.number == 2)
        read_sizes(onnx, at_onnxField_message(&inner), shape);
    }
  }
}

static const char *read_value(at_onnx *onnx, at_wire message, Shape *shape)
{
  const char *name = "";
  at_field field;
  *shape = (Shape){.dims = AT_ANY_DIMS};
  while (at_wire_next(&message, &field)) {
    if (field.number == 1)
      name = at_onnxField_text(onnx->arena, &field);
    else if (field.number == 2)
      read_type(onnx, at_onnxField_message(&field), shape);
  }
  return name;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* A number for the sizes, the same for equal ones: -1 if one of them is not known at all. */
static int32_t number_of(at_onnx *onnx, const Shape *shape)
{
  THGuard guard;
  at_bytes text = {0};
  int32_t number = -1;
  bool isKnown = shape->dims >= 0;
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &text;
  for (int32_t d = 0; d < shape->dims; d++) {
    const Dimension *const dimension = &shape->dimension[d];
    isKnown &= dimension->size >= 0 || *dimension->symbol;
    at_bytes_print(&text, "%lld ", (long long)dimension->size);
    at_bytes_print(&text, "%zu:", strlen(dimension->symbol));
    at_bytes_addText(&text, dimension->symbol);
  }
  at_bytes_add(&text, "", 1);
  if (isKnown) {
    const char *const key = (const char *)text.start;
    const json_t *const found = json_object_get(onnx->shapes, key);
    number = found ? (int32_t)json_integer_value(found) : onnx->shapeCount++;
    if (!found) {
      at_file_charge(onnx->file, AT_NAME_BYTES + text.length);
      if (json_object_set_new(onnx->shapes, key, json_integer(number)))
        THError("there is no memory for the sizes of values");
    }
  }
  THGuard_leave(&guard);
  return number;
}

/* The element type, or the one of wider elements that is here instead. */
static at_scalar_type type_of(const Shape *shape)
{
  const at_packing *const packing = at_packingOf(shape->type);
  return packing ? at_packing_type(packing) : at_onnxType(shape->type);
}

static at_known known_of(at_onnx *onnx, const Shape *shape)
{
  if (shape->isSequence)
    return at_knownOf(onnx->top, AT_NO_SLOT);
  int64_t count = shape->dims < 0 ? -1 : 1;
  for (int32_t d = 0; d < shape->dims && count >= 0; d++)
    if (shape->dimension[d].size < 0 ||
        __builtin_mul_overflow(count, shape->dimension[d].size, &count))
      count = -1;
  return (at_known){
      {type_of(shape), number_of(onnx, shape), count}, shape->dims, at_packingOf(shape->type)};
}

/* --- ports ------------------------------------------------------------------------------------ */

/* The number of the symbol of that name; a new one if there is none. */
static int32_t symbol_named(at_onnx *onnx, const char *name)
{
  enum { MOST_SYMBOLS = 1024 };
  at_program *const program = onnx->program;
  for (int32_t i = 0; i < program->symbolCount; i++)
    if (!strcmp(program->symbols[i].name, name))
      return i;
  if (program->symbolCount == MOST_SYMBOLS)
    at_damaged(onnx->file, "its inputs have more than %d symbols", MOST_SYMBOLS);
  program->symbols = at_arena_grown(onnx->arena, program->symbols, program->symbolCount,
                                    &onnx->symbolCapacity, sizeof *program->symbols);
  program->symbols[program->symbolCount] = (at_symbol){name, 0, INT64_MAX};
  return program->symbolCount++;
}

static at_port port_of(at_onnx *onnx, const char *name, const Shape *shape)
{
  at_port port = {.name = name,
                  .kind = AT_CELL_TENSOR,
                  .isSequence = shape->isSequence,
                  .mayMiss = shape->mayMiss,
                  .type = type_of(shape),
                  .dims = shape->dims};
  const uint64_t count = (uint64_t)THMax(shape->dims, 0);
  at_dimension *const sizes = at_arena_take(onnx->arena, count, sizeof *sizes);
  port.least = at_arena_take(onnx->arena, count, sizeof *port.least);
  port.most = at_arena_take(onnx->arena, count, sizeof *port.most);
  for (int32_t d = 0; d < shape->dims; d++) {
    const Dimension *const written = &shape->dimension[d];
    sizes[d] = written->size >= 0 ? (at_dimension){written->size, written->size, -1}
                                  : (at_dimension){0, INT64_MAX, -1};
    if (written->size < 0 && *written->symbol && !shape->isSequence) /* tensors of one may differ */
      sizes[d].symbol = symbol_named(onnx, written->symbol);
    port.least[d] = sizes[d].least;
    port.most[d] = sizes[d].most;
  }
  port.sizes = sizes;
  return port;
}

enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_INFO = 13 };

static void read_input(at_names *names, at_wire message)
{
  at_onnx *const onnx = names->building->onnx;
  at_program *const program = onnx->program;
  Shape shape;
  const char *const name = read_value(onnx, message, &shape);
  if (json_object_get(names->constants, name))
    return; /* an initializer: a weight, not an input */
  if (!shape.isTensor || type_of(&shape) == AT_SCALAR_TYPES)
    at_damaged(onnx->file, "input '%.100s' is %s", name,
               shape.type == AT_ONNX_TEXT ? "of texts, which are not here"
                                          : "no tensor of a type that is here");
  program->inputs = at_arena_grown(onnx->arena, program->inputs, program->inputCount,
                                   &onnx->portCapacity, sizeof *program->inputs);
  program->inputs[program->inputCount] = port_of(onnx, name, &shape);
  const int32_t slot = at_addBound(onnx, name, known_of(onnx, &shape),
                                   (at_binding){AT_BIND_USER, program->inputCount++});
  at_names_put(names, name, slot);
}

/* Keeps what the file says of a value. */
static void read_info(at_names *names, at_wire message)
{
  at_onnx *const onnx = names->building->onnx;
  Shape shape;
  const char *const name = read_value(onnx, message, &shape);
  if (!shape.isTensor)
    return;
  names->saying = at_arena_grown(onnx->arena, names->saying, names->sayingCount,
                                 &names->sayingCapacity, sizeof *names->saying);
  names->saying[names->sayingCount] = known_of(onnx, &shape);
  at_file_charge(onnx->file, AT_NAME_BYTES + strlen(name));
  if (json_object_set_new(names->said, name, json_integer(names->sayingCount++)))
    THError("there is no memory for the names of values");
}

void at_readPorts(at_names *names, at_wire graph)
{
  const at_wire all = graph;
  at_field field;
  while (at_wire_next(&graph, &field))
    if (field.number == GRAPH_INPUT)
      read_input(names, at_onnxField_message(&field));
  at_readInfo(names, all);
}

void at_readInfo(at_names *names, at_wire graph)
{
  at_field field;
  while (at_wire_next(&graph, &field))
    if (field.number == GRAPH_INFO || field.number == GRAPH_OUTPUT)
      read_info(names, at_onnxField_message(&field));
}

const char *at_readName(at_names *names, at_wire message)
{
  Shape shape;
  return read_value(names->building->onnx, message, &shape);
}

void at_readOutputs(at_names *names, at_wire graph)
{
  at_onnx *const onnx = names->building->onnx;
  at_program *const program = onnx->program;
  at_wire rest = graph;
  at_field field;
  int32_t count = 0;
  while (at_wire_next(&rest, &field))
    count += field.number == GRAPH_OUTPUT;
  program->outputs = at_arena_take(onnx->arena, (uint64_t)count, sizeof *program->outputs);
  program->graphOutputs =
      at_arena_take(onnx->arena, (uint64_t)count, sizeof *program->graphOutputs);
  while (at_wire_next(&graph, &field)) {
    Shape shape;
    if (field.number != GRAPH_OUTPUT)
      continue;
    const char *const name = read_value(onnx, at_onnxField_message(&field), &shape);
    program->graphOutputs[program->outputCount] = (at_binding){AT_BIND_USER, program->outputCount};
    program->outputs[program->outputCount++] = port_of(onnx, name, &shape);
  }
}

const at_bodyResult *at_readResults(at_onnx *onnx, at_wire graph)
{
  enum { OUTPUT = 12 };
  at_wire rest = graph;
  at_field field;
  int32_t count = 0;
  while (at_wire_next(&rest, &field))
    count += field.number == OUTPUT;
  at_bodyResult *const results = at_arena_take(onnx->arena, (uint64_t)count, sizeof *results);
  for (int32_t i = 0; at_wire_next(&graph, &field);) {
    Shape shape;
    if (field.number != OUTPUT)
      continue;
    (void)read_value(onnx, at_onnxField_message(&field), &shape);
    at_bodyResult *const result = &results[i++];
    result->type = shape.isTensor ? type_of(&shape) : AT_SCALAR_TYPES;
    result->sizes.count = THMax(shape.dims, -1);
    for (int32_t d = 0; d < shape.dims; d++)
      result->sizes.data[d] = THMax(shape.dimension[d].size, 0);
  }
  return results;
}
