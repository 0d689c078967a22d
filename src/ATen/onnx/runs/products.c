/* Products of matrices. */
#include "../Runs.h"

/* alpha A B + beta C, where A and B may be transposed. */
void at_runGemm(at_onnxCall *c)
{
  at_tensor *a = at_onnxInput(c, 0), *b = at_onnxInput(c, 1), *const bias = at_onnxMaybe(c, 2);
  const double alpha = at_onnxFloat(c, "alpha", 1), beta = at_onnxFloat(c, "beta", 1);
  if (at_onnxInt(c, "transA", 0))
    a = at_t(a);
  if (at_onnxInt(c, "transB", 0))
    b = at_t(b);
  at_tensor *const product = at_mm(a, b);
  at_tensor *const scaled = alpha == 1 ? product : at_mul(product, alpha);
  at_onnxGive(c, 0, bias ? at_add(scaled, beta == 1 ? bias : at_mul(bias, beta)) : scaled);
}

/* x - zero, in Int; the zero of a matrix may have an entry for each row. */
static at_tensor *shifted(at_tensor *x, at_tensor *zero, bool byRow)
{
  at_tensor *const wide = at_to(x, at_cpuType(AT_INT));
  if (!zero)
    return wide;
  at_tensor *z = at_to(zero, at_cpuType(AT_INT));
  if (byRow && at_dim(z) == 1 && at_numel(z) > 1)
    z = at_unsqueeze(z, -1);
  return at_sub(wide, z);
}

void at_runMatMulInteger(at_onnxCall *c)
{
  at_onnxGive(c, 0,
              at_matmul(shifted(at_onnxInput(c, 0), at_onnxMaybe(c, 2), true),
                        shifted(at_onnxInput(c, 1), at_onnxMaybe(c, 3), false)));
}

/* Gives (A - zero) (B - zero), as floats times the scales of both; a bias is input 'bias'. */
static void give_scaled(at_onnxCall *c, at_tensor *a, at_tensor *b, at_tensor *scale, int bias)
{
  at_tensor *const y = at_mul(at_to(at_matmul(a, b), scale->type), scale);
  at_onnxGive(c, 0, at_onnxMaybe(c, bias) ? at_add(y, at_onnxInput(c, bias)) : y);
}

void at_runMatMulIntegerToFloat(at_onnxCall *c)
{
  give_scaled(c, shifted(at_onnxInput(c, 0), at_onnxMaybe(c, 4), true),
              shifted(at_onnxInput(c, 1), at_onnxMaybe(c, 5), false),
              at_mul(at_onnxInput(c, 2), at_onnxInput(c, 3)), 6);
}

void at_runDynamicQuantizeMatMul(at_onnxCall *c)
{
  const at_onnxBytes a = at_onnxInBytes(at_onnxInput(c, 0));
  give_scaled(c, shifted(a.codes, a.zero, false),
              shifted(at_onnxInput(c, 1), at_onnxMaybe(c, 3), false),
              at_mul(a.scale, at_onnxInput(c, 2)), 4);
}

at_tensor *at_onnxQuantized(at_tensor *x, at_tensor *scale, at_tensor *zero, const at_type *type)
{
  const at_scalar_type kind = type->scalarType;
  const bool isShort = kind == AT_SHORT || kind == AT_UINT16,
             hasSign = kind == AT_CHAR || kind == AT_SHORT;
  const int64_t count = isShort ? 1 << 16 : 1 << 8, least = hasSign ? -count / 2 : 0;
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *const whole = at_round(at_div(x, at_type_as(scale, x)));
  at_tensor *const moved = at_add(at_to(whole, wide), at_to(zero, wide));
  return at_to(at_clamp(moved, .min = least, .max = least + count - 1), type);
}

void at_runQLinearMatMul(at_onnxCall *c)
{
  at_tensor *const product = at_matmul(shifted(at_onnxInput(c, 0), at_onnxInput(c, 2), true),
                                       shifted(at_onnxInput(c, 3), at_onnxInput(c, 5), false));
  at_tensor *left = at_onnxInput(c, 1);
  if (at_dim(left) == 1 && at_numel(left) > 1)
    left = at_unsqueeze(left, -1);
  at_tensor *const scaled =
      at_mul(at_mul(at_to(product, at_cpuType(AT_FLOAT)), at_to(left, at_cpuType(AT_FLOAT))),
             at_to(at_onnxInput(c, 4), at_cpuType(AT_FLOAT)));
  at_tensor *const zero = at_onnxInput(c, 7);
  at_onnxGive(c, 0, at_onnxQuantized(scaled, at_onnxInput(c, 6), zero, zero->type));
}

void at_runConvInteger(at_onnxCall *c)
{
  at_tensor *const x = shifted(at_onnxInput(c, 0), at_onnxMaybe(c, 2), false);
  at_tensor *zero = at_onnxMaybe(c, 3);
  at_tensor *w = at_to(at_onnxInput(c, 1), at_cpuType(AT_INT));
  if (zero) {
    zero = at_to(zero, at_cpuType(AT_INT));
    for (int d = 1; d < at_dim(w) && at_dim(zero) > 0; d++)
      zero = at_unsqueeze(zero, -1);
    w = at_sub(w, zero);
  }
  /* Sums of products of 8 bits are exact in Double. */
  at_tensor *const y =
      at_onnxConvolved(c, at_to(x, at_cpuType(AT_DOUBLE)), at_to(w, at_cpuType(AT_DOUBLE)), NULL);
  at_onnxGive(c, 0, at_to(y, at_cpuType(AT_INT)));
}

/* A vector with an entry for each filter of w. */
static at_tensor *for_each_filter(at_tensor *t, const at_tensor *w)
{
  for (int d = 1; d < at_dim(w) && at_dim(t) > 0; d++)
    t = at_unsqueeze(t, -1);
  return t;
}

void at_runQLinearConv(at_onnxCall *c)
{
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *const w = at_onnxInput(c, 3);
  at_tensor *const x = at_to(shifted(at_onnxInput(c, 0), at_onnxInput(c, 2), false), wide);
  at_tensor *const filters =
      at_sub(at_to(w, wide), for_each_filter(at_to(at_onnxInput(c, 5), wide), w));
  at_tensor *const bias = at_onnxMaybe(c, 8);
  at_tensor *const sums = at_onnxConvolved(c, x, filters, bias ? at_to(bias, wide) : NULL);
  at_tensor *scale = at_mul(at_to(at_onnxInput(c, 1), wide), at_to(at_onnxInput(c, 4), wide));
  for (int d = 2; d < at_dim(w) && at_dim(scale) > 0 && at_numel(scale) > 1; d++)
    scale = at_unsqueeze(scale, -1);
  at_tensor *const zero = at_onnxInput(c, 7);
  at_onnxGive(c, 0, at_onnxQuantized(at_mul(sums, scale), at_onnxInput(c, 6), zero, zero->type));
}
