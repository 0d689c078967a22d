/* Nodes that become operations under conditions: what their attributes are, and what is known of
 * their inputs when the program is loaded. */
#include <math.h>

#include "Lower.h"

/* --- what is known ---------------------------------------------------------------------------- */

static const char *input_named(const at_onnxItem *item, int index)
{
  return index < item->inputCount ? item->inputs[index] : "";
}

static bool has_input(const at_onnxItem *item, int index)
{
  return *input_named(item, index) != '\0';
}

static int64_t int_of(const at_onnxItem *item, const char *name, int64_t otherwise)
{
  const at_attribute *const a = at_attributeOf(item, name);
  return a ? a->integer : otherwise;
}

static double float_of(const at_onnxItem *item, const char *name, double otherwise)
{
  const at_attribute *const a = at_attributeOf(item, name);
  return a ? a->number : otherwise;
}

static const at_constant *constant_in(at_names *names, const at_onnxItem *item, int index)
{
  return has_input(item, index) ? at_constantNamed(names, input_named(item, index)) : NULL;
}

static at_known known_in(at_names *names, const at_onnxItem *item, int index)
{
  const at_constant *const constant = constant_in(names, item, index);
  if (constant)
    return (at_known){{constant->type, -1, constant->count}, constant->dims, constant->packing};
  return at_knownOf(names->building, has_input(item, index)
                                         ? at_slotNamed(names, input_named(item, index))
                                         : AT_NO_SLOT);
}

static bool is_floating(at_names *names, const at_onnxItem *item, int index)
{
  const at_scalar_type type = known_in(names, item, index).meta.type;
  return type != AT_SCALAR_TYPES && at_isFloating(type);
}

bool at_isKnownUnsigned(at_names *names, const at_onnxItem *item)
{
  const at_scalar_type type = known_in(names, item, 0).meta.type;
  return type != AT_SCALAR_TYPES && at_isUnsigned(type);
}

const at_packing *at_knownPacking(at_names *names, const at_onnxItem *item, int index)
{
  return known_in(names, item, index).packing;
}

/* The integers of an input that the file has; NULL if it has none. */
static const at_part *numbers_in(at_names *names, const at_onnxItem *item, int index,
                                 int64_t *count)
{
  const at_constant *const constant = constant_in(names, item, index);
  if (!constant || constant->dims > 1 || constant->type != AT_LONG)
    return NULL;
  *count = constant->count;
  return at_numbersOf(names->building->onnx, constant);
}

static bool lower_to(at_names *names, const at_onnxItem *item, const char *expression)
{
  at_lowerExpression(names, item, expression);
  return true;
}

/* --- elementwise ------------------------------------------------------------------------------ */

bool at_lowerCommuting(at_names *names, const at_onnxItem *item)
{
  const at_constant *const first = constant_in(names, item, 0);
  if (!first || first->dims != 0 || constant_in(names, item, 1))
    return false;
  return lower_to(names, item, strcmp(item->type, "Add") ? "mul($1, ~0)" : "add($1, ~0)");
}

bool at_lowerDiv(at_names *names, const at_onnxItem *item)
{
  return is_floating(names, item, 0) && lower_to(names, item, "div($0, ~1)");
}

bool at_lowerPow(at_names *names, const at_onnxItem *item)
{
  return is_floating(names, item, 0) && is_floating(names, item, 1) &&
         lower_to(names, item, "pow($0, ~1)");
}

bool at_lowerMany(at_names *names, const at_onnxItem *item)
{
  static const char *const pairs[][2] = {
      {"Max", "maximum($0, $1)"}, {"Min", "minimum($0, $1)"}, {"Sum", "add($0, $1)"}};
  for (size_t i = 0; item->inputCount == 2 && i < sizeof pairs / sizeof *pairs; i++)
    if (!strcmp(pairs[i][0], item->type))
      return lower_to(names, item, pairs[i][1]);
  return item->inputCount == 1 && lower_to(names, item, "alias($0)");
}

bool at_lowerHardSigmoid(at_names *names, const at_onnxItem *item)
{
  const double sixth = 1 / 6.;
  return fabs(float_of(item, "alpha", 0.2) - sixth) < 1e-6 && float_of(item, "beta", 0.5) == 0.5 &&
         lower_to(names, item, "hardsigmoid($0)");
}

/* Limits that the file has are numbers of the node. */
bool at_lowerClip(at_names *names, const at_onnxItem *item)
{
  if (!has_input(item, 1) && !has_input(item, 2))
    return lower_to(names, item, "alias($0)");
  for (int i = 1; i <= 2; i++) {
    const at_constant *const limit = constant_in(names, item, i);
    if (has_input(item, i) && (!limit || limit->dims != 0))
      return lower_to(names, item, "clamp($0, min=$1, max=$2)");
  }
  return false;
}

bool at_lowerDropout(at_names *names, const at_onnxItem *item)
{
  int64_t count = 0;
  const at_constant *const trains = constant_in(names, item, 2);
  const at_part *const mode = trains ? at_numbersOf(names->building->onnx, trains) : NULL;
  count += trains ? trains->count : 0;
  const bool isOff = !has_input(item, 2) || (mode && count == 1 && !mode->constant.is.integer);
  return item->outputCount == 1 && isOff && lower_to(names, item, "alias($0)");
}

/* --- products --------------------------------------------------------------------------------- */

bool at_lowerGemm(at_names *names, const at_onnxItem *item)
{
  const at_known bias = known_in(names, item, 2);
  const bool isPlain = float_of(item, "alpha", 1) == 1 && float_of(item, "beta", 1) == 1 &&
                       int_of(item, "transA", 0) == 0;
  if (!isPlain || (has_input(item, 2) && bias.dims != 1) || !is_floating(names, item, 1))
    return false;
  return lower_to(names, item,
                  int_of(item, "transB", 0) ? "linear($0, $1, bias=$2)"
                  : has_input(item, 2)      ? "addmm($2, $0, $1)"
                                            : "mm($0, $1)");
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Whether both ends of each dimension are padded alike, by numbers in the file. */
static bool is_symmetric(const at_onnxItem *item)
{
  const at_attribute *const pads = at_attributeOf(item, "pads"), *const automatic =
                                                                     at_attributeOf(item,
                                                                                    "auto_pad");
  if (automatic && strcmp(automatic->text, "NOTSET") && strcmp(automatic->text, "VALID"))
    return false;
  if (pads && automatic && !strcmp(automatic->text, "VALID"))
    return false;
  for (int32_t i = 0; pads && i < pads->count / 2; i++)
    if (pads->list[i].is.integer != pads->list[i + pads->count / 2].is.integer ||
        pads->list[i].is.integer < 0)
      return false;
  return !pads || pads->count % 2 == 0;
}

/* Lower to the operation for one, two or three dimensions: name, digit, arguments. */
static bool lower_windows(at_names *names, const at_onnxItem *item, const char *name, int dims,
                          const char *arguments)
{
  char expression[256];
  if (dims < 1 || dims > 3)
    return false;
  snprintf(expression, sizeof expression, "%s%dd(%s)", name, dims, arguments);
  return lower_to(names, item, expression);
}

bool at_lowerConv(at_names *names, const at_onnxItem *item)
{
  return is_symmetric(item) &&
         lower_windows(names, item, "conv", known_in(names, item, 1).dims - 2,
                       "$0, $1, $2, stride=@strides=1, padding=^pads=0, dilation=@dilations=1, "
                       "groups=@group=1");
}

static bool has_plain_windows(const at_onnxItem *item)
{
  return is_symmetric(item) && item->outputCount == 1 && at_attributeOf(item, "kernel_shape");
}

/* Whether padding is at most half of the window, as the operations here want it. */
static bool has_small_pads(const at_onnxItem *item)
{
  const at_attribute *const pads = at_attributeOf(item, "pads"), *const kernel =
                                                                     at_attributeOf(item,
                                                                                    "kernel_shape");
  for (int32_t i = 0; pads && i < pads->count; i++)
    if (i % kernel->count >= kernel->count ||
        pads->list[i].is.integer > kernel->list[i % kernel->count].is.integer / 2)
      return false;
  return kernel->count > 0;
}

bool at_lowerMaxPool(at_names *names, const at_onnxItem *item)
{
  return has_plain_windows(item) && has_small_pads(item) && is_floating(names, item, 0) &&
         lower_windows(names, item, "max_pool", at_attributeOf(item, "kernel_shape")->count,
                       "$0, @kernel_shape, stride=@strides=1, padding=^pads=0, "
                       "dilation=@dilations=1, ceil_mode=?ceil_mode=0");
}

bool at_lowerAveragePool(at_names *names, const at_onnxItem *item)
{
  return has_plain_windows(item) && has_small_pads(item) && !at_attributeOf(item, "dilations") &&
         lower_windows(names, item, "avg_pool", at_attributeOf(item, "kernel_shape")->count,
                       "$0, @kernel_shape, stride=@strides=1, padding=^pads=0, "
                       "ceil_mode=?ceil_mode=0, count_include_pad=?count_include_pad=0");
}

/* --- normalization ---------------------------------------------------------------------------- */

/* False is the row's own expression: outside of training. */
bool at_lowerBatchNorm(at_names *names, const at_onnxItem *item)
{
  if (int_of(item, "training_mode", 0) == 0)
    return false;
  at_lowerCall(names, item);
  return true;
}

bool at_lowerLayerNorm(at_names *names, const at_onnxItem *item)
{
  const at_constant *const scale = constant_in(names, item, 1);
  return item->outputCount == 1 && scale && scale->dims == -int_of(item, "axis", -1) &&
         lower_to(names, item, "layer_norm($0, &1, weight=$1, bias=$2, eps=@epsilon=0.00001)");
}

/* --- shapes ----------------------------------------------------------------------------------- */

bool at_lowerReshape(at_names *names, const at_onnxItem *item)
{
  int64_t count = 0;
  const at_part *const sizes = numbers_in(names, item, 1, &count);
  for (int64_t i = 0; sizes && i < count; i++)
    if (sizes[i].constant.is.integer == 0)
      return false;
  return sizes && lower_to(names, item, "reshape($0, #1)");
}

bool at_lowerTranspose(at_names *names, const at_onnxItem *item)
{
  return at_attributeOf(item, "perm") && lower_to(names, item, "permute($0, @perm)");
}

bool at_lowerGather(at_names *names, const at_onnxItem *item)
{
  const at_constant *const index = constant_in(names, item, 1);
  if (!index || index->dims != 0 || index->type != AT_LONG)
    return false;
  return lower_to(names, item, "select($0, @axis=0, #1)");
}

bool at_lowerReduceMean(at_names *names, const at_onnxItem *item)
{
  int64_t count = 0;
  const at_attribute *const axes = at_attributeOf(item, "axes");
  if (!is_floating(names, item, 0))
    return false;
  if (axes && axes->count > 0)
    return lower_to(names, item, "mean($0, @axes, keepdim=?keepdims=1)");
  return numbers_in(names, item, 1, &count) && count > 0 &&
         lower_to(names, item, "mean($0, #1, keepdim=?keepdims=1)");
}

/* The value is a tensor of one element, which becomes an input of the node. */
bool at_lowerFilled(at_names *names, const at_onnxItem *item)
{
  const at_attribute *const value = at_attributeOf(item, "value");
  if (!value || item->outputCount != 1 || item->inputCount != 1)
    return false;
  const char *inputs[2] = {item->inputs[0], at_innerName(names, item, "value")};
  at_readConstant(names, value->message, inputs[1]);
  at_onnxItem filled = *item;
  filled.inputs = inputs;
  filled.inputCount = 2;
  filled.attributeCount = 0;
  at_lowerCall(names, &filled);
  return true;
}

/* Identity: the output is another name of the input, of whatever kind. */
bool at_lowerIdentity(at_names *names, const at_onnxItem *item)
{
  if (item->inputCount != 1 || item->outputCount != 1 || !has_input(item, 0) || !*item->outputs[0])
    return false;
  at_names_put(names, item->outputs[0], at_slotNamed(names, item->inputs[0]));
  return true;
}
