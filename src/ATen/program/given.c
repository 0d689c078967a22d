/* Arguments of nodes, and of graphs, as files write them. */
#include "Program.h"

/* How a part is written: as it is, as {"name": "x"}, or as an object that is a name or a constant.
 */
typedef enum Writing { BARE, NAMED, EITHER } Writing;

/* The members of the union, with the kind of number where there is one. */
typedef struct Row {
  const char *key;
  at_givenKind kind;
  at_cellKind number;
  Writing writing;
  bool isList;
} Row;

static const Row rows[] = {
    {"as_none", AT_GIVEN_NONE},
    {"as_tensor", AT_GIVEN_TENSOR, AT_CELL_TENSOR, NAMED},
    {"as_tensors", AT_GIVEN_TENSORS, AT_CELL_TENSOR, NAMED, true},
    {"as_optional_tensor", AT_GIVEN_TENSOR, AT_CELL_TENSOR, EITHER},
    {"as_optional_tensors", AT_GIVEN_TENSORS, AT_CELL_TENSOR, EITHER, true},
    {"as_int", AT_GIVEN_NUMBER, AT_CELL_INT},
    {"as_ints", AT_GIVEN_NUMBERS, AT_CELL_INT, BARE, true},
    {"as_sym_int", AT_GIVEN_NUMBER, AT_CELL_INT, EITHER},
    {"as_sym_ints", AT_GIVEN_NUMBERS, AT_CELL_INT, EITHER, true},
    {"as_float", AT_GIVEN_NUMBER, AT_CELL_FLOAT},
    {"as_floats", AT_GIVEN_NUMBERS, AT_CELL_FLOAT, BARE, true},
    {"as_sym_float", AT_GIVEN_NUMBER, AT_CELL_FLOAT, EITHER},
    {"as_sym_floats", AT_GIVEN_NUMBERS, AT_CELL_FLOAT, EITHER, true},
    {"as_complex", AT_GIVEN_NUMBER, AT_CELL_COMPLEX},
    {"as_bool", AT_GIVEN_NUMBER, AT_CELL_BOOL},
    {"as_bools", AT_GIVEN_NUMBERS, AT_CELL_BOOL, BARE, true},
    {"as_sym_bool", AT_GIVEN_NUMBER, AT_CELL_BOOL, EITHER},
    {"as_sym_bools", AT_GIVEN_NUMBERS, AT_CELL_BOOL, EITHER, true},
    {"as_string", AT_GIVEN_TEXT},
    {"as_operator", AT_GIVEN_TEXT},
    {"as_scalar_type", AT_GIVEN_TYPE},
    {"as_memory_format", AT_GIVEN_PLACE},
    {"as_layout", AT_GIVEN_PLACE},
    {"as_device", AT_GIVEN_PLACE},
    {"as_graph", AT_GIVEN_GRAPH},
};

static const Row *row_of(const char *key)
{
  static const Row other = {"", AT_GIVEN_OTHER};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].key, key))
      return &rows[i];
  return &other;
}

/* A float is a number, or one of three words. */
static double float_of(const at_file *file, const json_t *json)
{
  const char *const word = json_string_value(json);
  if (json_is_number(json))
    return json_number_value(json);
  if (word && !strcmp(word, "Infinity"))
    return INFINITY;
  if (word && !strcmp(word, "-Infinity"))
    return -INFINITY;
  if (word && !strcmp(word, "NaN"))
    return NAN;
  at_damaged(file, "a float is no number");
}

/* A part of a complex number. */
static double part_of(const at_file *file, const json_t *json, const char *name)
{
  const json_t *const part = json_object_get(json, name);
  if (!part)
    at_damaged(file, "a complex number has no '%s'", name);
  return float_of(file, part);
}

static at_cell constant_of(const at_file *file, const json_t *json, at_cellKind kind)
{
  const json_type type = json_typeof(json);
  if (kind == AT_CELL_COMPLEX && type == JSON_OBJECT)
    return (at_cell){kind, {.parts = {part_of(file, json, "real"), part_of(file, json, "imag")}}};
  if (kind == AT_CELL_FLOAT)
    return (at_cell){kind, {.number = float_of(file, json)}};
  if (kind == AT_CELL_INT && type == JSON_INTEGER)
    return (at_cell){kind, {.integer = json_integer_value(json)}};
  if (kind == AT_CELL_BOOL && json_is_boolean(json))
    return (at_cell){kind, {.integer = json_is_true(json)}};
  at_damaged(file, "an argument is not of the type that its name says");
}

static at_part part_named(const at_file *file, const json_t *slots, const char *name)
{
  const json_t *const slot = json_object_get(slots, name);
  if (!slot)
    at_damaged(file, "nothing makes the value '%.100s' before it is used", name);
  return (at_part){.slot = (int32_t)json_integer_value(slot)};
}

static at_part read_part(const at_file *file, const json_t *slots, const json_t *json,
                         const Row *row)
{
  if (row->writing == NAMED)
    return part_named(file, slots, at_doc_text(file, json, "name"));
  if (row->writing == EITHER) {
    const char *const key = at_doc_union(file, json, &json);
    if (!strcmp(key, "as_none"))
      return (at_part){.slot = AT_NO_SLOT};
    if (!strcmp(key, "as_tensor"))
      return part_named(file, slots, at_doc_text(file, json, "name"));
    if (!strcmp(key, "as_name") && json_is_string(json))
      return part_named(file, slots, json_string_value(json));
  }
  if (row->number == AT_CELL_TENSOR)
    at_damaged(file, "a tensor is no name of a value");
  return (at_part){AT_NO_SLOT, constant_of(file, json, row->number)};
}

static void read_parts(at_reading *reading, const json_t *slots, const json_t *json, const Row *row,
                       at_given *given)
{
  if (row->isList && !json_is_array(json))
    at_damaged(reading->file, "'%s' is no list", row->key);
  const size_t count = row->isList ? json_array_size(json) : 1;
  if (count > INT32_MAX)
    at_damaged(reading->file, "a list has %zu entries", count);
  at_part *const parts = at_arena_take(reading->arena, count, sizeof *parts);
  for (size_t i = 0; i < count; i++)
    parts[i] = read_part(reading->file, slots, row->isList ? json_array_get(json, i) : json, row);
  given->count = (int32_t)count;
  given->parts = parts;
  if (given->kind == AT_GIVEN_TENSOR && parts->slot == AT_NO_SLOT)
    given->kind = AT_GIVEN_NONE;
}

at_given at_readGiven(at_reading *reading, const json_t *slots, const json_t *json)
{
  const json_t *value;
  const Row *const row = row_of(at_doc_union(reading->file, json, &value));
  at_given given = {.name = "", .kind = row->kind, .number = row->number};
  if (row->number != AT_CELL_NONE)
    read_parts(reading, slots, value, row, &given);
  else if (row->kind == AT_GIVEN_TEXT && json_is_string(value))
    given.text = at_arena_text(reading->arena, json_string_value(value));
  else if (row->kind == AT_GIVEN_TYPE) {
    given.type = at_doc_scalarType(value);
    given.packing = at_doc_packing(value);
  } else if (row->kind == AT_GIVEN_GRAPH)
    given.graph = at_readGraph(reading, at_doc_get(reading->file, value, "graph", JSON_OBJECT));
  else if (row->kind == AT_GIVEN_TEXT)
    at_damaged(reading->file, "'%s' is no text", row->key);
  return given;
}
