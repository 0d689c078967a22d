/* Nodes of operators of versions 1 to 6, rewritten as version 7 has them. */
#include "Lower.h"
#include "Runs.h"

/* --- attributes ------------------------------------------------------------------------------- */

static at_arena *arena_of(at_names *names)
{
  return names->building->onnx->arena;
}

static void add_attribute(at_names *names, at_onnxItem *item, at_attribute attribute)
{
  const size_t count = (size_t)item->attributeCount;
  at_attribute *const all = at_arena_take(arena_of(names), count + 1, sizeof *all);
  if (count > 0)
    memcpy(all, item->attributes, count * sizeof *all);
  all[count] = attribute;
  item->attributes = all;
  item->attributeCount++;
}

static void add_int(at_names *names, at_onnxItem *item, const char *name, int64_t value)
{
  add_attribute(names, item,
                (at_attribute){
                    .name = name, .type = AT_ATTRIBUTE_INT, .integer = value, .text = ""});
}

static int64_t int_of(const at_onnxItem *item, const char *name, int64_t otherwise)
{
  const at_attribute *const a = at_attributeOf(item, name);
  return a ? a->integer : otherwise;
}

/* --- operands --------------------------------------------------------------------------------- */

/* Input 1 with dimensions of size 1 at its end, so that its first one is the axis of input 0. */
static void run_align(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *y = at_onnxInput(c, 1);
  const int dims = at_dim(x), axis = dims > 1 ? at_onnxAxis(c, at_onnxInt(c, "axis", 0), dims) : 0;
  for (int behind = dims - axis - at_dim(y); behind > 0; behind--)
    y = at_unsqueeze(y, -1);
  at_onnxGive(c, 0, y);
}

static void align(at_names *names, at_onnxItem *item, int64_t axis)
{
  static const at_lowering row = {"Align", 1, .run = run_align};
  static const at_onnxHow how = {&row, NULL};
  at_building *const b = names->building;
  const at_attribute attribute = {.name = "axis", .type = AT_ATTRIBUTE_INT, .integer = axis};
  at_given *const inputs = at_arena_take(arena_of(names), 3, sizeof *inputs);
  int32_t *const output = at_arena_take(arena_of(names), 1, sizeof *output);
  for (int i = 0; i < 2; i++)
    inputs[i] = at_givenSlot(b, at_slotNamed(names, item->inputs[i]));
  inputs[2] = at_givenAttribute(names, &attribute);
  at_graphNode *const node = at_addNode(b, "onnx.Align", inputs, 3);
  node->compute = at_computeOnnx;
  node->how = &how;
  node->name = at_innerName(names, item, "aligned");
  node->outputs = output;
  node->outputCount = 1;
  *output = at_addSlot(b, node->name, at_knownOf(b, AT_NO_SLOT));
  at_names_put(names, node->name, *output);
  item->inputs[1] = node->name;
}

/* --- operators -------------------------------------------------------------------------------- */

static void align_operand(at_names *names, at_onnxItem *item)
{
  const bool isGiven = item->inputCount > 1 && *item->inputs[0] && *item->inputs[1];
  const at_attribute *const axis = at_attributeOf(item, "axis");
  if (isGiven && axis && int_of(item, "broadcast", 0) != 0)
    align(names, item, axis->integer);
}

/* A slope for each channel. */
static void align_slope(at_names *names, at_onnxItem *item)
{
  if (item->inputCount > 1 && *item->inputs[0] && *item->inputs[1])
    align(names, item, 1);
}

static void set_training(at_names *names, at_onnxItem *item)
{
  if (int_of(item, "is_test", 0) == 0 && !at_attributeOf(item, "training_mode"))
    add_int(names, item, "training_mode", 1);
}

static void set_axis(at_names *names, at_onnxItem *item)
{
  if (!at_attributeOf(item, "axis"))
    add_int(names, item, "axis", 1);
}

static void rename_pads(at_names *names, at_onnxItem *item)
{
  for (int32_t i = 0; i < item->attributeCount; i++)
    if (!strcmp(item->attributes[i].name, "paddings"))
      item->attributes[i].name = "pads";
}

/* The name of an element type becomes its number. */
static void number_type(at_names *names, at_onnxItem *item)
{
  static const char *const types[] = {"",        "FLOAT",  "UINT8",  "INT8",   "UINT16",
                                      "INT16",   "INT32",  "INT64",  "STRING", "BOOL",
                                      "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
  for (int32_t i = 0; i < item->attributeCount; i++) {
    at_attribute *const a = &item->attributes[i];
    for (size_t k = 1; k < sizeof types / sizeof *types; k++)
      if (a->type == AT_ATTRIBUTE_TEXT && !strcmp(a->name, "to") && !strcmp(a->text, types[k])) {
        a->type = AT_ATTRIBUTE_INT;
        a->integer = (int64_t)k;
        break;
      }
  }
}

/* The scales of images. */
static void list_scales(at_names *names, at_onnxItem *item)
{
  const at_attribute *const high = at_attributeOf(item, "height_scale"),
                            *const wide = at_attributeOf(item, "width_scale");
  if (!high || !wide)
    return;
  at_cell *const list = at_arena_take(arena_of(names), 4, sizeof *list);
  for (int d = 0; d < 4; d++)
    list[d] = (at_cell){AT_CELL_FLOAT,
                        {.number = d < 2    ? 1
                                   : d == 2 ? high->number
                                            : wide->number}};
  add_attribute(names, item,
                (at_attribute){.name = "scales",
                               .type = AT_ATTRIBUTE_FLOATS,
                               .text = "",
                               .count = 4,
                               .list = list});
}

/* The last version that has the operator in this form. */
typedef struct Row {
  const char *type;
  int until;
  void (*rewrite)(at_names *names, at_onnxItem *item);
} Row;

static const Row rows[] = {
    {"Add", 6, align_operand},     {"Sub", 6, align_operand},
    {"Mul", 6, align_operand},     {"Div", 6, align_operand},
    {"Pow", 6, align_operand},     {"And", 6, align_operand},
    {"Or", 6, align_operand},      {"Xor", 6, align_operand},
    {"Equal", 6, align_operand},   {"Less", 6, align_operand},
    {"Greater", 6, align_operand}, {"PRelu", 6, align_slope},
    {"Cast", 5, number_type},      {"BatchNormalization", 6, set_training},
    {"Concat", 3, set_axis},       {"Pad", 1, rename_pads},
    {"Upsample", 6, list_scales},
};

void at_renewItem(at_names *names, at_onnxItem *item)
{
  const int64_t version = names->building->onnx->version;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!*item->domain && version <= rows[i].until && !strcmp(rows[i].type, item->type))
      rows[i].rewrite(names, item);
}
