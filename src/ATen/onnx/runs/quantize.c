/* Quantized numbers: (x - zero) * scale, with a scale and zero for all, for each entry of an axis, or
 * for each block along it. */
#include "../Runs.h"

/* A scale or zero as a tensor that is broadcast with x. */
static at_tensor *spread(const at_onnxCall *c, const at_tensor *x, at_tensor *t)
{
  const int64_t block = at_onnxInt(c, "block_size", 0);
  if (at_dim(t) == 0 || at_numel(t) == 1)
    return at_reshape(t, AT_SCALAR_SHAPE);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 1), at_dim(x));
  if (block > 0 && at_dim(t) == at_dim(x)) {
    at_tensor *const wide = at_repeat_interleave(t, block, .dim = axis);
    return at_narrow(wide, axis, 0, at_size(x, axis));
  }
  for (int d = axis + 1; d < at_dim(x); d++)
    t = at_unsqueeze(t, -1);
  return t;
}

void at_runDequantize(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const zero = at_onnxMaybe(c, 2);
  at_tensor *const given = at_onnxInput(c, 1);
  at_tensor *const scale = spread(c, x, given);
  at_tensor *const values = at_to(x, at_cpuType(AT_DOUBLE));
  at_tensor *const moved =
      zero ? at_sub(values, spread(c, x, at_to(zero, at_cpuType(AT_DOUBLE)))) : values;
  at_onnxGive(c, 0, at_to(at_mul(moved, at_to(scale, at_cpuType(AT_DOUBLE))), given->type));
}

/* Whether numbers can be quantized to the type. */
static bool is_narrow(at_scalar_type type)
{
  return type == AT_BYTE || type == AT_CHAR || type == AT_SHORT || type == AT_UINT16;
}

/* Conversion to numbers of a type that is not here, which are kept as wider ones: integers are saturated, and floats
 * have no zero point. */
static at_tensor *narrowed(at_onnxCall *c, const at_packing *packing)
{
  at_tensor *const x = at_onnxInput(c, 0), *const zero = at_onnxMaybe(c, 2);
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *quotient =
      at_to(at_div(at_to(x, at_cpuType(AT_FLOAT)), spread(c, x, at_onnxInput(c, 1))), wide);
  double least, most;
  if (at_packing_type(packing) == AT_FLOAT)
    return at_onnxNarrowed(c, quotient, packing);
  at_packing_range(packing, &least, &most);
  quotient = at_round(quotient);
  if (zero)
    quotient = at_add(quotient, spread(c, x, at_to(zero, wide)));
  return at_onnxNarrowed(c, at_clamp(quotient, .min = least, .max = most), packing);
}

/* QuantizeLinear.  Of Half the quotient is rounded once, as a float. */
void at_runQuantize(at_onnxCall *c)
{
  const at_packing *const packing = at_packingOf(at_onnxInt(c, "narrow", 0));
  if (packing) {
    at_onnxGive(c, 0, narrowed(c, packing));
    return;
  }
  at_tensor *const given = at_onnxInput(c, 0), *const zero = at_onnxMaybe(c, 2);
  const at_type *const type =
      zero ? zero->type : at_cpuType(at_onnxTypeOf(c, "output_dtype", AT_BYTE));
  if (!is_narrow(type->scalarType))
    AT_ONNX_FAILS(c, "numbers are quantized to %s, which is not here",
                  at_scalarTypeName(type->scalarType));
  const bool isDouble = given->type->scalarType == AT_DOUBLE;
  at_tensor *const x = at_to(given, at_cpuType(isDouble ? AT_DOUBLE : AT_FLOAT));
  at_tensor *const scale = spread(c, given, at_onnxInput(c, 1));
  at_tensor *const moved = zero ? spread(c, given, at_to(zero, at_cpuType(AT_DOUBLE)))
                                : at_zeros(AT_SCALAR_SHAPE, .type = at_cpuType(AT_DOUBLE));
  at_onnxGive(c, 0, at_onnxQuantized(x, scale, moved, type));
}

at_onnxBytes at_onnxInBytes(at_tensor *x)
{
  at_onnxBytes made;
  const at_type *const byte = at_cpuType(AT_BYTE);
  at_tensor *const most = at_clamp_min(at_max(x), 0), *const least = at_clamp_max(at_min(x), 0);
  at_tensor *const range = at_div(at_sub(most, least), 255);
  made.scale = at_masked_fill(range, at_eq(range, 0), 1);
  made.zero =
      at_to(at_clamp(at_round(at_div(at_mul(least, -1), made.scale)), .min = 0, .max = 255), byte);
  made.codes = at_onnxQuantized(x, made.scale, made.zero, byte);
  return made;
}

void at_runDynamicQuantize(at_onnxCall *c)
{
  const at_onnxBytes made = at_onnxInBytes(at_onnxInput(c, 0));
  at_onnxGive(c, 0, made.codes);
  at_onnxGive(c, 1, made.scale);
  at_onnxGive(c, 2, made.zero);
}
