/* Nodes that a function computes: its inputs, attributes and outputs. */
#include "Runs.h"

void at_computeOnnx(at_frame *frame, const at_graphNode *node)
{
  const at_onnxHow *const how = node->how;
  at_onnxCall call = {frame, node, how->state, 0};
  while (call.inputCount < node->inputCount && !*node->inputs[call.inputCount].name)
    call.inputCount++;
  AT_SCOPE
  {
    how->row->run(&call);
  }
}

/* --- inputs ----------------------------------------------------------------------------------- */

at_tensor *at_onnxMaybe(const at_onnxCall *call, int index)
{
  if (index >= call->inputCount || call->node->inputs[index].kind == AT_GIVEN_NONE)
    return NULL;
  const at_cell cell = at_frame_get(call->frame, call->node->inputs[index].parts);
  return cell.kind == AT_CELL_TENSOR ? cell.is.tensor : NULL;
}

at_tensor *at_onnxInput(const at_onnxCall *call, int index)
{
  at_tensor *const t = at_onnxMaybe(call, index);
  if (!t)
    AT_ONNX_FAILS(call, "input %d is missing", index);
  return t;
}

/* The elements of an input, of which there may be AT_MOST_DIMS. */
static int64_t count_in(const at_onnxCall *call, int index, const at_tensor *t)
{
  const int64_t count = at_numel(t);
  if (count > AT_MOST_DIMS)
    AT_ONNX_FAILS(call, "input %d is a list of %lld numbers", index, (long long)count);
  return count;
}

static at_tensor *listed(const at_onnxCall *call, int index, at_scalar_type type)
{
  at_tensor *const t = at_contiguous(at_to(at_onnxInput(call, index), at_cpuType(type)));
  if (!at_defined(t))
    AT_ONNX_FAILS(call, "input %d is no list of numbers", index);
  return t;
}

at_onnxList at_onnxIntsIn(const at_onnxCall *call, int index)
{
  at_onnxList list = {.count = -1};
  if (!at_onnxMaybe(call, index))
    return list;
  const int64_t count = count_in(call, index, at_onnxInput(call, index));
  at_tensor *const t = listed(call, index, AT_LONG);
  list.count = (int)count;
  if (count > 0)
    memcpy(list.data, at_hostData(t), (size_t)count * sizeof *list.data);
  return list;
}

int at_onnxFloatsIn(const at_onnxCall *call, int index, double *to)
{
  if (!at_onnxMaybe(call, index))
    return -1;
  const int64_t count = count_in(call, index, at_onnxInput(call, index));
  at_tensor *const t = listed(call, index, AT_DOUBLE);
  if (count > 0)
    memcpy(to, at_hostData(t), (size_t)count * sizeof *to);
  return (int)count;
}

/* --- attributes ------------------------------------------------------------------------------- */

static const at_given *attribute_of(const at_onnxCall *call, const char *name)
{
  for (int32_t i = call->inputCount; i < call->node->inputCount; i++)
    if (!strcmp(call->node->inputs[i].name, name))
      return &call->node->inputs[i];
  return NULL;
}

bool at_onnxHas(const at_onnxCall *call, const char *attribute)
{
  return attribute_of(call, attribute) != NULL;
}

int64_t at_onnxInt(const at_onnxCall *call, const char *attribute, int64_t otherwise)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given && (given->kind != AT_GIVEN_NUMBER || given->number != AT_CELL_INT))
    AT_ONNX_FAILS(call, "%s is no integer", attribute);
  return given ? given->parts->constant.is.integer : otherwise;
}

double at_onnxFloat(const at_onnxCall *call, const char *attribute, double otherwise)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given && (given->kind != AT_GIVEN_NUMBER || given->number != AT_CELL_FLOAT))
    AT_ONNX_FAILS(call, "%s is no floating number", attribute);
  return given ? given->parts->constant.is.number : otherwise;
}

const char *at_onnxText(const at_onnxCall *call, const char *attribute, const char *otherwise)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given && given->kind != AT_GIVEN_TEXT)
    AT_ONNX_FAILS(call, "%s is no text", attribute);
  return given ? given->text : otherwise;
}

at_onnxTexts at_onnxTextsOf(const at_onnxCall *call, const char *attribute)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given && given->kind != AT_GIVEN_TEXTS)
    AT_ONNX_FAILS(call, "%s is no list of texts", attribute);
  return given ? (at_onnxTexts){given->textCount, given->texts} : (at_onnxTexts){0, NULL};
}

const at_given *at_onnxNumbers(const at_onnxCall *call, const char *attribute, at_cellKind number)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given && (given->kind != AT_GIVEN_NUMBERS || (given->count > 0 && given->number != number)))
    AT_ONNX_FAILS(call, "%s is no list of %s", attribute,
                  number == AT_CELL_INT ? "integers" : "floating numbers");
  return given;
}

at_tensor *at_onnxTensorOf(const at_onnxCall *call, const char *attribute)
{
  const at_given *const given = attribute_of(call, attribute);
  if (!given || given->kind != AT_GIVEN_TENSOR)
    return NULL;
  const at_cell cell = at_frame_get(call->frame, given->parts);
  return cell.kind == AT_CELL_TENSOR ? cell.is.tensor : NULL;
}

static const at_given *list_of(const at_onnxCall *call, const char *attribute, at_cellKind number)
{
  const at_given *const given = attribute_of(call, attribute);
  if (given &&
      (given->kind != AT_GIVEN_NUMBERS || given->number != number || given->count > AT_MOST_DIMS))
    AT_ONNX_FAILS(call, "%s is no list of at most %d numbers", attribute, AT_MOST_DIMS);
  return given;
}

at_onnxList at_onnxInts(const at_onnxCall *call, const char *attribute)
{
  const at_given *const given = list_of(call, attribute, AT_CELL_INT);
  at_onnxList list = {.count = given ? given->count : -1};
  for (int i = 0; i < list.count; i++)
    list.data[i] = given->parts[i].constant.is.integer;
  return list;
}

int at_onnxFloats(const at_onnxCall *call, const char *attribute, double *to)
{
  const at_given *const given = list_of(call, attribute, AT_CELL_FLOAT);
  for (int i = 0; given && i < given->count; i++)
    to[i] = given->parts[i].constant.is.number;
  return given ? given->count : -1;
}

at_scalar_type at_onnxTypeOf(const at_onnxCall *call, const char *attribute,
                             at_scalar_type otherwise)
{
  const int64_t number = at_onnxInt(call, attribute, 0);
  const at_scalar_type type = number ? at_onnxType(number) : otherwise;
  if (type == AT_SCALAR_TYPES)
    AT_ONNX_FAILS(call, "%s is element type %lld, which is not here", attribute, (long long)number);
  return type;
}

int at_onnxAxis(const at_onnxCall *call, int64_t axis, int dims)
{
  if (axis < -dims || axis >= dims)
    AT_ONNX_FAILS(call, "the axis is %lld, of %d dimensions", (long long)axis, dims);
  return (int)(axis < 0 ? axis + dims : axis);
}

/* --- outputs ---------------------------------------------------------------------------------- */

bool at_onnxWants(const at_onnxCall *call, int index)
{
  return index < call->node->outputCount && call->node->outputs[index] != AT_NO_SLOT;
}

void at_onnxGive(const at_onnxCall *call, int index, at_tensor *t)
{
  if (!at_defined(t))
    AT_ONNX_FAILS(call, "it failed"); /* the error of the operation came first, and is kept */
  if (at_onnxWants(call, index))
    at_frame_put(call->frame, call->node->outputs[index],
                 (at_cell){AT_CELL_TENSOR, {.tensor = at_retain(t)}});
}

int64_t at_onnxProduct(const at_onnxCall *call, at_ints sizes, int first, int end)
{
  int64_t product = 1;
  for (int d = first; d < end; d++)
    if (__builtin_mul_overflow(product, sizes.data[d], &product))
      AT_ONNX_FAILS(call, "sizes of %s have a product of more than 64 bits",
                    at_sizeDesc(sizes).str);
  return product;
}

bool at_onnxDraws(const at_graphNode *node)
{
  return node->compute == at_computeOnnx && ((const at_onnxHow *)node->how)->row->draws;
}
