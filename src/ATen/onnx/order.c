/* The order of nodes: each comes after those that make what it takes, also where the file has it before
 * them, as models that ONNX Runtime's tools have converted to half precision do. */
#include "Lower.h"

enum { UNTOUCHED, WAITING, DONE };

typedef struct Order {
  at_names *names;
  at_onnxItem *items;
  uint8_t *state;
  int32_t *stack; /* nodes to lower; what one waits for is above it */
  int32_t count, depth, capacity;
} Order;

static bool is_there(const at_names *names, const char *name)
{
  for (; names; names = names->outer)
    if (json_object_get(names->slots, name) || json_object_get(names->constants, name))
      return true;
  return false;
}

/* Notes which node makes each value. */
static void find_makers(Order *o)
{
  at_names *const names = o->names;
  names->makers = json_object();
  for (int32_t i = 0; i < o->count; i++)
    for (int32_t j = 0; j < o->items[i].outputCount; j++) {
      const char *const name = o->items[i].outputs[j];
      at_file_charge(names->building->onnx->file, AT_NAME_BYTES + strlen(name));
      if (!names->makers || json_object_set_new(names->makers, name, json_integer(i)))
        THError("there is no memory for the names of values");
    }
}

static void push(Order *o, int32_t index)
{
  o->stack = at_arena_grown(o->names->building->onnx->arena, o->stack, o->depth, &o->capacity,
                            sizeof *o->stack);
  o->stack[o->depth++] = index;
}

/* Puts the node that makes the value on the stack, if the value is not there yet. */
static void need(Order *o, const char *name)
{
  if (!*name || is_there(o->names, name))
    return;
  if (!o->names->makers)
    find_makers(o);
  const json_t *const maker = json_object_get(o->names->makers, name);
  if (maker)
    push(o, (int32_t)json_integer_value(maker));
}

/* Needs what the nodes of a graph inside of the graph take, and what it gives. */
static void need_inner(Order *o, at_wire graph, int level)
{
  enum { NODE = 1, OUTPUT = 12, NODE_INPUT = 1, NODE_ATTRIBUTE = 5, ATTRIBUTE_INNER = 6 };
  at_arena *const arena = o->names->building->onnx->arena;
  at_field field, part, value;
  while (level < AT_ONNX_DEEPEST && at_wire_next(&graph, &field)) {
    if (field.number == OUTPUT)
      need(o, at_readName(o->names, at_onnxField_message(&field)));
    if (field.number != NODE)
      continue;
    at_wire node = at_onnxField_message(&field);
    while (at_wire_next(&node, &part)) {
      if (part.number == NODE_INPUT)
        need(o, at_onnxField_text(arena, &part));
      if (part.number != NODE_ATTRIBUTE)
        continue;
      at_wire attribute = at_onnxField_message(&part);
      while (at_wire_next(&attribute, &value))
        if (value.number == ATTRIBUTE_INNER)
          need_inner(o, at_onnxField_message(&value), level + 1);
    }
  }
}

static void need_inputs(Order *o, const at_onnxItem *item)
{
  for (int32_t i = 0; i < item->inputCount; i++)
    need(o, item->inputs[i]);
  for (int32_t i = 0; i < item->attributeCount; i++)
    if (item->attributes[i].type == AT_ATTRIBUTE_GRAPH)
      need_inner(o, item->attributes[i].message, 0);
}

/* Lowers a node, and before it those that it waits for.  One that is met while it waits is lowered as it
 * is: it waits for itself, and what it takes is missing. */
static void lower_with(Order *o, int32_t index, at_lowerItem *lower)
{
  push(o, index);
  while (o->depth > 0) {
    const int32_t top = o->stack[o->depth - 1], depth = o->depth;
    if (o->state[top] == UNTOUCHED) {
      o->state[top] = WAITING;
      need_inputs(o, &o->items[top]);
    }
    if (o->depth > depth)
      continue;
    o->depth--;
    if (o->state[top] == WAITING) {
      o->state[top] = DONE;
      lower(o->names, &o->items[top]);
    }
  }
}

void at_lowerInOrder(at_names *names, at_wire message, int64_t number, at_lowerItem *lower)
{
  at_arena *const arena = names->building->onnx->arena;
  Order o = {.names = names};
  at_wire rest = message;
  at_field field;
  while (at_wire_next(&rest, &field))
    o.count += field.number == number;
  o.items = at_arena_take(arena, (uint64_t)o.count, sizeof *o.items);
  o.state = at_arena_take(arena, (uint64_t)o.count, sizeof *o.state);
  memset(o.state, UNTOUCHED, (size_t)o.count);
  for (int32_t i = 0; at_wire_next(&message, &field);)
    if (field.number == number)
      at_readItem(names, at_onnxField_message(&field), &o.items[i++]);
  for (int32_t i = 0; i < o.count; i++)
    lower_with(&o, i, lower);
}
