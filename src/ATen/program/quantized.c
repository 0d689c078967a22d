/* Quantized numbers, as programs of PyTorch's quantization have them: (q - zero) * scale. */
#include "ATenOps.h"
#include "Program.h"

/* What quantized numbers mean: (q - zero) * scale, with one pair for all or for each slice. */
typedef struct Scaling {
  at_tensor *scale, *zero; /* Float or Double, of sizes that expand */
} Scaling;

/* A number, or a tensor along the axis if there is one, of the type. */
static at_tensor *along(at_frame *frame, const at_graphNode *node, const char *name, int dims,
                        const at_type *type)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (given && given->kind == AT_GIVEN_NUMBER)
    return at_full(AT_SCALAR_SHAPE, at_inputNumber(frame, node, name, -1, 0), .type = type);
  at_tensor *const t = at_to(at_inputTensor(frame, node, name, -1), type);
  if (!at_inputOf(node, "axis", -1))
    return at_reshape(t, AT_INTS(-1));
  int64_t axis = at_inputInt(frame, node, "axis", -1), sizes[AT_MOST_DIMS];
  axis += axis < 0 ? dims : 0;
  if (axis < 0 || axis >= dims || dims > AT_MOST_DIMS)
    at_nodeFails(node, "axis is %lld, and there are %d dimensions", (long long)axis, dims);
  for (int d = 0; d < dims; d++)
    sizes[d] = d == axis ? -1 : 1;
  return at_reshape(t, (at_ints){sizes, dims});
}

static Scaling scaling_of(at_frame *frame, const at_graphNode *node, at_tensor *x,
                          const at_type *type)
{
  static const char *const names[][2] = {{"scale", "scales"}, {"zero_point", "zero_points"}};
  at_tensor *parts[2];
  for (int i = 0; i < 2; i++)
    parts[i] =
        along(frame, node, names[i][at_inputOf(node, names[i][1], -1) != NULL], at_dim(x), type);
  return (Scaling){parts[0], parts[1]};
}

/* Rounded products with what 1 is over a scale; with mask, a tensor of those that are in the range. */
static at_tensor *quantized(at_frame *frame, const at_graphNode *node, at_tensor *x,
                            at_tensor *inverse, at_tensor *zero, at_tensor **mask)
{
  const double least = at_inputNumber(frame, node, "quant_min", -1, -128),
               most = at_inputNumber(frame, node, "quant_max", -1, 127);
  at_tensor *const all = at_add(at_round(at_mul(x, inverse)), zero);
  if (mask)
    *mask = at_logical_and(at_ge(all, least), at_le(all, most));
  return at_clamp(all, .min = least, .max = most);
}

void at_computeQuantize(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_to(at_inputTensor(frame, node, "input", 0), AT_CPU(AT_FLOAT));
  /* One scale is a number of Double; those of slices are divided in their own type. */
  const bool isOne = !at_inputOf(node, "axis", -1);
  const Scaling s = scaling_of(frame, node, x, AT_CPU(AT_DOUBLE));
  const at_given *const scales = at_inputOf(node, "scales", -1);
  at_tensor *const own =
      isOne || !scales ? s.scale : at_to(s.scale, at_inputTensor(frame, node, "scales", -1)->type);
  at_tensor *const inverse = at_reciprocal(own);
  at_tensor *const q =
      quantized(frame, node, x, isOne ? at_to(inverse, x->type) : inverse, s.zero, NULL);
  at_giveOutput(frame, node, 0, at_to(q, at_inputType(node, "dtype", AT_CHAR)));
}

void at_computeDequantize(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_to(at_inputTensor(frame, node, "input", 0), AT_CPU(AT_FLOAT));
  Scaling s = {along(frame, node, at_inputOf(node, "scales", -1) ? "scales" : "scale", at_dim(x),
                     AT_CPU(AT_FLOAT)),
               NULL};
  const char *const zero = at_inputOf(node, "zero_points", -1) ? "zero_points" : "zero_point";
  at_tensor *moved = x; /* zero points of slices may be None */
  if (at_inputOf(node, zero, -1))
    moved = at_sub(x, along(frame, node, zero, at_dim(x), AT_CPU(AT_FLOAT)));
  at_giveOutput(frame, node, 0,
                at_to(at_mul(moved, s.scale), at_inputType(node, "out_dtype", AT_FLOAT)));
}

/* x as it is after quantization; the second output is which elements are in the range. */
void at_computeFakeQuantize(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_inputTensor(frame, node, "self", 0);
  const Scaling s = scaling_of(frame, node, x, x->type);
  at_tensor *mask = NULL;
  at_tensor *const q = quantized(frame, node, x, at_reciprocal(s.scale), s.zero, &mask);
  at_giveOutput(frame, node, 0, at_mul(at_sub(q, s.zero), s.scale));
  at_giveOutput(frame, node, 1, mask);
}

/* --- rows and groups -------------------------------------------------------------------------- */

/* round(x / scale + zero) or, of dequantize, (x - zero) * scale, which broadcast with x; zero may be
 * NULL. */
static at_tensor *scaled(at_frame *frame, const at_graphNode *node, at_tensor *x, at_tensor *scale,
                         at_tensor *zero)
{
  if (strstr(node->target, ".dequantize"))
    return at_to(at_mul(zero ? at_sub(x, zero) : x, scale),
                 at_inputType(node, "output_dtype", AT_FLOAT));
  at_tensor *const q = at_mul(x, at_reciprocal(scale));
  return at_to(at_clamp(at_round(zero ? at_add(q, zero) : q),
                        .min = at_inputNumber(frame, node, "quant_min", -1, -128),
                        .max = at_inputNumber(frame, node, "quant_max", -1, 127)),
               at_inputType(node, "dtype", AT_CHAR));
}

/* quantize_per_token and dequantize_per_token: a scale and a zero for each row. */
void at_computeTokenQuantize(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_giveOutput(frame, node, 0,
                scaled(frame, node, at_inputTensor(frame, node, "input", 0),
                       at_inputTensor(frame, node, "scales", 1),
                       at_inputTensor(frame, node, "zero_points", 2)));
}

/* quantize_per_channel_group and dequantize_per_channel_group: for each group_size elements of a row. */
void at_computeGroups(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const bool hasZero = at_inputOf(node, "zero_points", -1) != NULL;
  at_tensor *const x = at_inputTensor(frame, node, "input", 0), *const scale =
                                                                    at_inputTensor(frame, node,
                                                                                   "scales", 1);
  const int64_t columns = at_dim(x) == 2 ? at_size(x, 1) : 0;
  int64_t group = (int64_t)at_inputNumber(frame, node, "group_size", -1, 128);
  if (group > columns && at_dim(scale) > 0 && at_size(scale, -1) == 1)
    group = columns;
  if (group < 1 || columns % group != 0)
    at_nodeFails(node, "a matrix of size %s has no groups of %lld", at_sizeDesc(at_sizes(x)).str,
                 (long long)group);
  at_tensor *const zero =
      hasZero ? at_reshape(at_inputTensor(frame, node, "zero_points", 2), AT_INTS(-1, 1)) : NULL;
  at_tensor *const y = scaled(frame, node, at_reshape(x, AT_INTS(-1, group)),
                              at_reshape(scale, AT_INTS(-1, 1)), zero);
  at_giveOutput(frame, node, 0, at_defined(y) ? at_reshape(y, at_sizes(x)) : y);
}

/* --- scales of what is there ------------------------------------------------------------------- */

/* choose_qparams(input, quant_min, quant_max, eps, dtype): a scale and a zero so that all elements, and 0,
 * are in the range; choose_qparams_symmetric: with 0 in its middle. */
void at_computeChosenScale(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const double least = at_inputNumber(frame, node, "quant_min", 1, -128),
               most = at_inputNumber(frame, node, "quant_max", 2, 127),
               eps = at_inputNumber(frame, node, "eps", 3, 0);
  const bool isByte = at_inputType(node, "dtype", AT_CHAR)->scalarType == AT_BYTE;
  at_tensor *const x = at_to(at_inputTensor(frame, node, "input", 0), AT_CPU(AT_FLOAT));
  at_tensor *const low = at_clamp_max(at_min(x), 0), *const high = at_clamp_min(at_max(x), 0);
  at_tensor *scale, *zero;
  if (strstr(node->target, "symmetric")) {
    scale = at_div(at_maximum(at_neg(low), high), (most - least) / 2);
    zero = at_full(AT_SHAPE(1), isByte ? 128 : 0, .type = AT_CPU(AT_LONG));
    scale = at_clamp_min(scale, eps);
  } else {
    scale = at_clamp_min(at_div(at_sub(high, low), most - least), eps);
    zero = at_clamp(at_mul(at_sub(at_round(at_div(low, scale)), least), -1), .min = least,
                    .max = most);
  }
  at_giveOutput(frame, node, 0, at_reshape(at_to(scale, AT_CPU(AT_DOUBLE)), AT_INTS(1)));
  at_giveOutput(frame, node, 1, at_reshape(at_to(zero, AT_CPU(AT_LONG)), AT_INTS(1)));
}

/* The scale and zero of each row in 8 bits: choose_qparams_per_token with 0 in the middle of the range,
 * choose_qparams_per_token_asymmetric with the zero that loses less at one end. */
void at_computeTokenScale(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const double least = -128, most = 127, eps = 0x1p-23;
  at_tensor *x = at_inputTensor(frame, node, "input", 0);
  if (!strstr(node->target, "asymmetric")) {
    at_tensor *const largest = at_amax(at_abs(x), .dim = AT_INTS(-1), .keepdim = true);
    at_tensor *const wide =
        x->type->scalarType == AT_HALF ? at_to(largest, AT_CPU(AT_FLOAT)) : largest;
    at_tensor *const scale = at_div(at_clamp_min(wide, 1e-5), most);
    at_giveOutput(frame, node, 0, scale);
    at_giveOutput(frame, node, 1, at_zeros_like(scale));
    return;
  }
  at_tensor *const low = at_clamp_max(at_amin(x, .dim = AT_INTS(-1), .keepdim = true), 0);
  at_tensor *const high = at_clamp_min(at_amax(x, .dim = AT_INTS(-1), .keepdim = true), 0);
  at_tensor *const scale = at_clamp_min(at_div(at_sub(high, low), most - least), eps);
  at_tensor *const first = at_div(low, scale), *const last = at_div(high, scale);
  at_tensor *const zero = at_where(at_gt(at_add(at_add(first, least), at_add(last, most)), 0),
                                   at_add(at_neg(first), least), at_add(at_neg(last), most));
  at_giveOutput(frame, node, 0, at_to(scale, AT_CPU(AT_DOUBLE)));
  at_giveOutput(frame, node, 1,
                at_to(at_round(at_clamp(zero, .min = least, .max = most)), AT_CPU(AT_LONG)));
}
