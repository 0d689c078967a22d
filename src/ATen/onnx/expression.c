/* Nodes of ATen's operations for a node of ONNX, by an expression of the table. */
#include <ctype.h>
#include <stdlib.h>

#include "ATen/program/passes/chain.h"
#include "Onnx.h"

/* An expression that is being read; those of the table are correct. */
typedef struct Reader {
  at_names *names;
  const at_onnxItem *item;
  const char *at;
  int depth; /* of the call that is read */
} Reader;

enum { MOST_INPUTS = 24, MOST_WORD = 48 };

static at_arena *arena_of(const Reader *r)
{
  return r->names->building->onnx->arena;
}

static bool take(Reader *r, char character)
{
  r->at += strspn(r->at, " ");
  if (*r->at != character)
    return false;
  r->at++;
  return true;
}

static void read_word(Reader *r, char *word)
{
  size_t length = 0;
  while (isalnum((unsigned char)*r->at) || *r->at == '_') {
    THAssert(length < MOST_WORD - 1);
    word[length++] = *r->at++;
  }
  word[length] = '\0';
}

const char *at_innerName(at_names *names, const at_onnxItem *item, const char *what)
{
  const char *const output = item->outputCount > 0 ? item->outputs[0] : item->type;
  const size_t length = strlen(output) + strlen(what) + 2;
  char *const name = at_arena_take(names->building->onnx->arena, length, 1);
  snprintf(name, length, "%s.%s", output, what);
  return name;
}

/* --- constants -------------------------------------------------------------------------------- */

static at_given given_number(const Reader *r, at_cell cell)
{
  at_part *const part = at_arena_take(arena_of(r), 1, sizeof *part);
  *part = (at_part){AT_NO_SLOT, cell};
  return (at_given){"", AT_GIVEN_NUMBER, cell.kind, 1, part};
}

static at_given given_int(const Reader *r, int64_t value)
{
  return given_number(r, (at_cell){AT_CELL_INT, {.integer = value}});
}

static at_given given_bool(const Reader *r, bool value)
{
  return given_number(r, (at_cell){AT_CELL_BOOL, {.integer = value}});
}

static at_given given_text(const char *text)
{
  return (at_given){.name = "", .kind = AT_GIVEN_TEXT, .text = text};
}

static at_given read_number(Reader *r)
{
  char *end;
  const size_t length = strspn(r->at, "-+.e0123456789");
  const bool isFloat = strcspn(r->at, ".") < length;
  const at_cell cell = isFloat ? (at_cell){AT_CELL_FLOAT, {.number = strtod(r->at, &end)}}
                               : (at_cell){AT_CELL_INT, {.integer = strtoll(r->at, &end, 10)}};
  THAssert(end > r->at);
  r->at = end;
  return given_number(r, cell);
}

static at_given read_list(Reader *r)
{
  at_part parts[MOST_INPUTS];
  int32_t count = 0;
  while (!take(r, ']')) {
    THAssert(count < MOST_INPUTS);
    parts[count++] = *read_number(r).parts;
    take(r, ',');
  }
  at_part *const kept = at_arena_take(arena_of(r), (uint64_t)count, sizeof *kept);
  memcpy(kept, parts, (size_t)count * sizeof *kept);
  return (at_given){"", AT_GIVEN_NUMBERS, AT_CELL_INT, count, kept};
}

static at_given read_text(Reader *r)
{
  const size_t length = strcspn(r->at, "'");
  char *const text = at_arena_take(arena_of(r), length + 1, 1);
  memcpy(text, r->at, length);
  r->at += length + 1;
  return given_text(text);
}

/* --- inputs ----------------------------------------------------------------------------------- */

static const at_given none = {.name = "", .kind = AT_GIVEN_NONE};

static const char *input_named(const Reader *r, int index)
{
  return index < r->item->inputCount ? r->item->inputs[index] : "";
}

static at_given given_tensor(const Reader *r, int index)
{
  const char *const name = input_named(r, index);
  return *name ? at_givenSlot(r->names->building, at_slotNamed(r->names, name)) : none;
}

static at_given given_tensors(const Reader *r, int first)
{
  const int32_t count = THMax(r->item->inputCount - first, 0);
  at_part *const parts = at_arena_take(arena_of(r), (uint64_t)count, sizeof *parts);
  for (int32_t i = 0; i < count; i++) {
    const at_given one = given_tensor(r, first + i);
    parts[i].slot = one.kind == AT_GIVEN_TENSOR ? one.parts->slot : AT_NO_SLOT;
  }
  return (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, count, parts};
}

static at_given read_tensors(Reader *r)
{
  const int first = isdigit((unsigned char)*r->at) ? *r->at++ - '0' : 0;
  if (take(r, '*'))
    return given_tensors(r, first);
  return given_tensor(r, first);
}

/* The numbers that the file has for the input; else the tensor whose elements they are. */
static at_given read_numbers(Reader *r, bool isScalar)
{
  at_onnx *const onnx = r->names->building->onnx;
  const char *const name = input_named(r, *r->at++ - '0');
  if (!*name)
    return none;
  const at_constant *const constant = at_constantNamed(r->names, name);
  const at_part *const parts = constant && (!isScalar || constant->dims == 0) && constant->dims <= 1
                                   ? at_numbersOf(onnx, constant)
                                   : NULL;
  if (parts && (isScalar || constant->dims == 0))
    return (at_given){"", AT_GIVEN_NUMBER, parts->constant.kind, 1, parts};
  if (parts)
    return (at_given){"", AT_GIVEN_NUMBERS,
                      constant->count > 0 ? parts->constant.kind : AT_CELL_INT,
                      (int32_t)constant->count, parts};
  at_given given = at_givenSlot(r->names->building, at_slotNamed(r->names, name));
  given.kind = isScalar ? AT_GIVEN_TENSOR : AT_GIVEN_ELEMENTS;
  return given;
}

/* --- attributes ------------------------------------------------------------------------------- */

static at_given given_list(const Reader *r, const at_attribute *a)
{
  at_part *const parts = at_arena_take(arena_of(r), (uint64_t)a->count, sizeof *parts);
  for (int32_t i = 0; i < a->count; i++)
    parts[i] = (at_part){AT_NO_SLOT, a->list[i]};
  return (at_given){"", AT_GIVEN_NUMBERS,
                    a->type == AT_ATTRIBUTE_FLOATS ? AT_CELL_FLOAT : AT_CELL_INT, a->count, parts};
}

static at_given given_attribute(const Reader *r, const at_attribute *a)
{
  switch (a->type) {
    case AT_ATTRIBUTE_FLOAT:
      return given_number(r, (at_cell){AT_CELL_FLOAT, {.number = a->number}});
    case AT_ATTRIBUTE_INT:
      return given_int(r, a->integer);
    case AT_ATTRIBUTE_TEXT:
      return given_text(a->text);
    case AT_ATTRIBUTE_FLOATS:
    case AT_ATTRIBUTE_INTS:
      return given_list(r, a);
    case AT_ATTRIBUTE_TEXTS:
      return (at_given){
          .name = "", .kind = AT_GIVEN_TEXTS, .texts = a->texts, .textCount = a->count};
    default:
      return (at_given){.name = "", .kind = AT_GIVEN_OTHER};
  }
}

static at_given read_operand(Reader *r);

static at_given read_attribute(Reader *r, bool isBool)
{
  char word[MOST_WORD];
  read_word(r, word);
  const at_attribute *const a = at_attributeOf(r->item, word);
  const at_given otherwise = take(r, '=') ? read_operand(r) : none,
                 given = a ? given_attribute(r, a) : otherwise;
  if (isBool && given.kind == AT_GIVEN_NUMBER)
    return given_bool(r, given.parts->constant.is.integer != 0);
  return given;
}

/* The first half of an attribute for both ends of each dimension. */
static at_given read_half(Reader *r)
{
  at_given given = read_attribute(r, false);
  if (given.kind == AT_GIVEN_NUMBERS)
    given.count /= 2;
  return given;
}

/* The sizes of an input that the file has. */
static at_given read_sizes(Reader *r)
{
  const at_constant *const constant = at_constantNamed(r->names, input_named(r, *r->at++ - '0'));
  THAssert(constant);
  at_part *const parts = at_arena_take(arena_of(r), (uint64_t)constant->dims, sizeof *parts);
  for (int32_t d = 0; d < constant->dims; d++)
    parts[d] = (at_part){AT_NO_SLOT, {AT_CELL_INT, {.integer = constant->sizes[d]}}};
  return (at_given){"", AT_GIVEN_NUMBERS, AT_CELL_INT, constant->dims, parts};
}

static at_given read_type(Reader *r)
{
  char word[MOST_WORD];
  read_word(r, word);
  const at_attribute *const a = at_attributeOf(r->item, word);
  return (at_given){.name = "",
                    .kind = a ? AT_GIVEN_TYPE : AT_GIVEN_NONE,
                    .type = at_onnxType(a ? a->integer : 0)};
}

/* --- calls ------------------------------------------------------------------------------------ */

/* What is known of the outputs of a pointwise operation, or of others of which the first is of the
 * type of the operands. */
static at_known infer(const at_building *b, const at_graphNode *node)
{
  at_known made = at_knownOf(b, AT_NO_SLOT);
  bool isFirst = true, isSame = true;
  for (int32_t i = 0; i < node->inputCount; i++) {
    const at_given *const given = &node->inputs[i];
    for (int32_t k = 0; k < given->count && given->number == AT_CELL_TENSOR; k++) {
      const at_known one = at_knownOf(b, given->parts[k].slot);
      isSame &= one.meta.type != AT_SCALAR_TYPES && (isFirst || one.meta.type == made.meta.type);
      if (isFirst)
        made = one;
      else if (made.meta.shape != one.meta.shape)
        made.meta.shape = -1;
      isFirst = false;
    }
  }
  if (!isSame || !node->op)
    return at_knownOf(b, AT_NO_SLOT);
  return made;
}

/* What the operation makes, as far as it follows from its operands. */
static at_known known_of(at_building *b, const at_graphNode *node)
{
  static const char *const others[] = {"conv1d", "conv2d", "conv3d",     "convolution",
                                       "linear", "matmul", "batch_norm", "layer_norm"};
  at_known made = infer(b, node);
  bool isOther = false;
  for (size_t i = 0; node->op && i < sizeof others / sizeof *others; i++)
    isOther |= !strcmp(node->op->name, others[i]);
  if (!isOther && !at_ruleOf(node))
    return at_knownOf(b, AT_NO_SLOT);
  if ((isOther && strcmp(node->op->name, "batch_norm")) || made.meta.shape < 0) {
    made.meta.shape = b->onnx->shapeCount++; /* sizes of its own */
    made.meta.elements = -1;
    made.dims = -1;
  }
  return made;
}

static void resolve(const Reader *r, at_graphNode *node)
{
  at_onnx *const onnx = r->names->building->onnx;
  if (!at_resolve(onnx->arena, node))
    at_countMissing(onnx->reading, r->item->type);
  else if (node->op)
    r->names->building->graph->mostArguments =
        THMax(r->names->building->graph->mostArguments, node->op->argumentCount);
}

/* Raises if the item has more outputs than the operation has results. */
static void check_outputs(const Reader *r, const at_graphNode *node)
{
  const at_op *const op = node->op;
  if (!op || (op->resultCount == 1 && op->results->kind == AT_KIND_TENSORS))
    return;
  if (node->outputCount > op->resultCount)
    at_damaged(r->names->building->onnx->file,
               "'%.100s', a node of %.100s, has %d outputs, and at most %d are computed",
               r->item->name, r->item->type, (int)node->outputCount, op->resultCount);
}

/* The outputs of the outermost call are those of the item; each other call has one. */
static at_given finish_call(Reader *r, at_graphNode *node, bool isRoot)
{
  at_building *const b = r->names->building;
  resolve(r, node);
  const at_known known = known_of(b, node);
  if (!isRoot) {
    int32_t *const output = at_arena_take(b->onnx->arena, 1, sizeof *output);
    *output = at_addSlot(b, at_innerName(r->names, r->item, strchr(node->target, '.') + 1), known);
    node->outputs = output;
    node->outputCount = 1;
    node->name = b->graph->names[*output];
    return at_givenSlot(b, *output);
  }
  at_nameOutputs(r->names, node, r->item);
  check_outputs(r, node);
  if (node->outputCount > 0 && node->outputs[0] != AT_NO_SLOT &&
      b->known[node->outputs[0]].meta.type == AT_SCALAR_TYPES)
    b->known[node->outputs[0]] = known;
  return none;
}

static at_given read_call(Reader *r, const char *name)
{
  at_building *const b = r->names->building;
  at_given inputs[MOST_INPUTS];
  char word[MOST_WORD], target[MOST_WORD + 16];
  int32_t count = 0;
  const bool isRoot = r->depth++ == 0;
  while (!take(r, ')')) {
    THAssert(count < MOST_INPUTS);
    r->at += strspn(r->at, " ");
    const char *const start = r->at;
    read_word(r, word);
    const bool isNamed = *word && *r->at == '=';
    r->at = isNamed ? r->at + 1 : start;
    inputs[count] = read_operand(r);
    inputs[count++].name = isNamed ? at_arena_text(b->onnx->arena, word) : "";
    take(r, ',');
  }
  r->depth--;
  at_given *const kept = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *kept);
  memcpy(kept, inputs, (size_t)count * sizeof *kept);
  snprintf(target, sizeof target, "aten.%s", name);
  return finish_call(r, at_addNode(b, at_arena_text(b->onnx->arena, target), kept, count), isRoot);
}

static at_given read_operand(Reader *r)
{
  char word[MOST_WORD];
  r->at += strspn(r->at, " ");
  switch (*r->at) {
    case '$':
      r->at++;
      return read_tensors(r);
    case '#':
    case '~':
      return read_numbers(r, *r->at++ == '~');
    case '@':
    case '?':
      return read_attribute(r, *r->at++ == '?');
    case '^':
      r->at++;
      return read_half(r);
    case '&':
      r->at++;
      return read_sizes(r);
    case '%':
      r->at++;
      return read_type(r);
    case '[':
      r->at++;
      return read_list(r);
    case '\'':
      r->at++;
      return read_text(r);
    default:
      break;
  }
  if (!isalpha((unsigned char)*r->at) && *r->at != '_')
    return read_number(r);
  read_word(r, word);
  if (take(r, '('))
    return read_call(r, word);
  if (!strcmp(word, "None"))
    return none;
  return given_bool(r, !strcmp(word, "true"));
}

void at_lowerExpression(at_names *names, const at_onnxItem *item, const char *expression)
{
  Reader reader = {names, item, expression};
  read_operand(&reader);
  THAssert(!*reader.at);
}

at_given at_givenAttribute(at_names *names, const at_attribute *attribute)
{
  const Reader reader = {.names = names};
  at_given given = given_attribute(&reader, attribute);
  given.name = attribute->name;
  return given;
}
