/* Nodes of the file, with their attributes. */
#include "Onnx.h"

void *at_arena_grown(at_arena *arena, void *array, int32_t count, int32_t *capacity, size_t size)
{
  if (count < *capacity)
    return array;
  if (*capacity > INT32_MAX / 2)
    THError("there is no memory for %d elements", (int)count);
  *capacity = THMax(2 * *capacity, 8);
  void *const more = at_arena_take(arena, (uint64_t)*capacity, size);
  if (count > 0)
    memcpy(more, array, (size_t)count * size);
  return more;
}

/* --- attributes ------------------------------------------------------------------------------- */

enum { LIST_FLOATS = 7, LIST_INTS, LIST_TEXTS }; /* fields; the type of an attribute is one less */

/* The list of an attribute. */
typedef struct Listing {
  at_file *file;
  at_arena *arena;
  at_attribute *attribute;
  int32_t capacity;
  int64_t field; /* the field of the attribute that has the list */
} Listing;

/* Raises if the attribute has a list of another type already: they would share a count. */
static void begin_list(Listing *listing, int64_t field)
{
  if (listing->field && listing->field != field)
    at_damaged(listing->file, "attribute '%.100s' has lists of two types",
               listing->attribute->name);
  listing->field = field;
}

static void add_number(void *context, uint64_t value)
{
  Listing *const listing = context;
  at_attribute *const a = listing->attribute;
  a->list = at_arena_grown(listing->arena, a->list, a->count, &listing->capacity, sizeof *a->list);
  a->list[a->count++] =
      listing->field == LIST_INTS
          ? (at_cell){AT_CELL_INT, {.integer = (int64_t)value}}
          : (at_cell){AT_CELL_FLOAT, {.number = at_wire_float(AT_WIRE_FIXED32, value)}};
}

enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_TYPE = 20, ATTRIBUTE_REFERENCE = 21 };

static void read_value(Listing *listing, const at_field *field)
{
  at_attribute *const a = listing->attribute;
  switch (field->number) {
    case 2:
      a->number = at_onnxField_float(field);
      break;
    case 3:
      a->integer = at_onnxField_integer(field);
      break;
    case 4:
      a->text = at_onnxField_text(listing->arena, field);
      break;
    case 5:  /* a tensor */
    case 6:  /* a graph */
    case 22: /* a sparse tensor */
      a->message = at_onnxField_message(field);
      break;
    case LIST_FLOATS:
      begin_list(listing, LIST_FLOATS);
      at_onnxField_each(field, AT_WIRE_FIXED32, add_number, listing);
      break;
    case LIST_INTS:
      begin_list(listing, LIST_INTS);
      at_onnxField_each(field, AT_WIRE_VARINT, add_number, listing);
      break;
    case LIST_TEXTS:
      begin_list(listing, LIST_TEXTS);
      a->texts =
          at_arena_grown(listing->arena, a->texts, a->count, &listing->capacity, sizeof *a->texts);
      a->texts[a->count++] = at_onnxField_text(listing->arena, field);
      break;
    default:
      break;
  }
}

/* The attribute of the caller that one in a function refers to; false if the caller does not give
 * it. */
static bool refer(const at_names *names, const char *reference, at_attribute *attribute)
{
  const at_attribute *const given = names->caller ? at_attributeOf(names->caller, reference) : NULL;
  if (!given)
    return false;
  const char *const name = attribute->name;
  *attribute = *given;
  attribute->name = name;
  return true;
}

/* False if the attribute is not given after all. */
static bool read_attribute(const at_names *names, at_wire message, at_attribute *attribute)
{
  at_arena *const arena = names->building->onnx->arena;
  at_file *const file = names->building->onnx->file;
  Listing listing = {file, arena, attribute, 0, 0};
  const char *reference = NULL;
  at_field field;
  *attribute = (at_attribute){.name = "", .text = ""};
  while (at_wire_next(&message, &field)) {
    if (field.number == ATTRIBUTE_NAME)
      attribute->name = at_onnxField_text(arena, &field);
    else if (field.number == ATTRIBUTE_TYPE)
      attribute->type = at_onnxField_integer(&field);
    else if (field.number == ATTRIBUTE_REFERENCE)
      reference = at_onnxField_text(arena, &field);
    else
      read_value(&listing, &field);
  }
  if (attribute->count > 0 && listing.field - 1 != attribute->type)
    at_damaged(file, "attribute '%.100s' has a list of another type than it says", attribute->name);
  return !reference || !*reference || refer(names, reference, attribute);
}

const at_attribute *at_attributeOf(const at_onnxItem *item, const char *name)
{
  for (int32_t i = 0; i < item->attributeCount; i++)
    if (!strcmp(item->attributes[i].name, name))
      return &item->attributes[i];
  return NULL;
}

/* --- nodes ------------------------------------------------------------------------------------ */

enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_TYPE, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };

static void count_parts(at_wire message, at_onnxItem *item)
{
  at_field field;
  while (at_wire_next(&message, &field)) {
    item->inputCount += field.number == NODE_INPUT;
    item->outputCount += field.number == NODE_OUTPUT;
    item->attributeCount += field.number == NODE_ATTRIBUTE;
  }
}

void at_readItem(at_names *names, at_wire message, at_onnxItem *item)
{
  at_arena *const arena = names->building->onnx->arena;
  at_field field;
  *item = (at_onnxItem){.name = "", .type = "", .domain = ""};
  count_parts(message, item);
  item->inputs = at_arena_take(arena, (uint64_t)item->inputCount, sizeof *item->inputs);
  item->outputs = at_arena_take(arena, (uint64_t)item->outputCount, sizeof *item->outputs);
  item->attributes = at_arena_take(arena, (uint64_t)item->attributeCount, sizeof *item->attributes);
  item->inputCount = item->outputCount = item->attributeCount = 0;
  while (at_wire_next(&message, &field)) {
    switch (field.number) {
      case NODE_INPUT:
        item->inputs[item->inputCount++] = at_onnxField_text(arena, &field);
        break;
      case NODE_OUTPUT:
        item->outputs[item->outputCount++] = at_onnxField_text(arena, &field);
        break;
      case NODE_NAME:
        item->name = at_onnxField_text(arena, &field);
        break;
      case NODE_TYPE:
        item->type = at_onnxField_text(arena, &field);
        break;
      case NODE_DOMAIN:
        item->domain = at_onnxField_text(arena, &field);
        break;
      case NODE_ATTRIBUTE:
        if (read_attribute(names, at_onnxField_message(&field),
                           &item->attributes[item->attributeCount]))
          item->attributeCount++;
        break;
      default:
        break;
    }
  }
  while (item->inputCount > 0 && !*item->inputs[item->inputCount - 1])
    item->inputCount--; /* inputs that are left out at the end */
  if (!strcmp(item->domain, "ai.onnx"))
    item->domain = "";
}

void at_readDefaults(at_names *names, at_wire function, at_onnxItem *call)
{
  enum { DEFAULT = 11 };
  at_arena *const arena = names->building->onnx->arena;
  at_wire rest = function;
  at_field field;
  int32_t count = call->attributeCount;
  while (at_wire_next(&rest, &field))
    count += field.number == DEFAULT;
  at_attribute *const all = at_arena_take(arena, (uint64_t)count, sizeof *all);
  if (call->attributeCount > 0)
    memcpy(all, call->attributes, (size_t)call->attributeCount * sizeof *all);
  call->attributes = all;
  while (at_wire_next(&function, &field)) {
    at_attribute *const one = &all[call->attributeCount];
    if (field.number == DEFAULT && read_attribute(names, at_onnxField_message(&field), one) &&
        !at_attributeOf(call, one->name))
      call->attributeCount++;
  }
}
