/* Normalization, and softmax's relatives. */
#include "../Runs.h"

static at_tensor *in_type(at_tensor *t, at_scalar_type type)
{
  return at_to(t, at_cpuType(type));
}

/* The dimensions from axis on, of a tensor with that many. */
static at_onnxList dims_from(int axis, int dims)
{
  at_onnxList list = {.count = dims - axis};
  for (int d = axis; d < dims; d++)
    list.data[d - axis] = d;
  return list;
}

/* LayerNormalization, computed in the type that stash_type says, Float if it is not given. */
void at_runLayerNorm(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const bias = at_onnxMaybe(c, 2);
  const at_scalar_type own = x->type->scalarType,
                       wide = own == AT_DOUBLE ? own : at_onnxTypeOf(c, "stash_type", AT_FLOAT);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", -1), at_dim(x));
  const at_onnxList dims = dims_from(axis, at_dim(x));
  at_tensor *const values = in_type(x, wide);
  at_tensor *const mean = at_mean_dim(values, at_listed(&dims), .keepdim = true);
  at_tensor *const centered = at_sub(values, mean);
  at_tensor *const variance =
      at_mean_dim(at_mul(centered, centered), at_listed(&dims), .keepdim = true);
  at_tensor *const scale = at_rsqrt(at_add(variance, at_onnxFloat(c, "epsilon", 1e-5)));
  at_tensor *const y = at_mul(in_type(at_mul(centered, scale), own), at_onnxInput(c, 1));
  at_onnxGive(c, 0, bias ? at_add(y, bias) : y);
  at_onnxGive(c, 1, mean);
  at_onnxGive(c, 2, scale);
}

void at_runRmsNorm(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_scalar_type own = x->type->scalarType,
                       wide = own == AT_DOUBLE ? own : at_onnxTypeOf(c, "stash_type", AT_FLOAT);
  const at_onnxList dims =
      dims_from(at_onnxAxis(c, at_onnxInt(c, "axis", -1), at_dim(x)), at_dim(x));
  at_tensor *const values = in_type(x, wide);
  at_tensor *const mean = at_mean_dim(at_mul(values, values), at_listed(&dims), .keepdim = true);
  at_tensor *const scale = at_rsqrt(at_add(mean, at_onnxFloat(c, "epsilon", 1e-5)));
  at_onnxGive(c, 0, at_mul(in_type(at_mul(values, scale), own), at_onnxInput(c, 1)));
}

/* Before version 21 of the operators there is a scale for each group, and then for each channel. */
void at_runGroupNorm(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t groups = at_onnxInt(c, "num_groups", 1);
  at_tensor *scale = at_onnxInput(c, 1), *bias = at_onnxInput(c, 2);
  const int64_t channels = at_dim(x) > 1 ? at_size(x, 1) : 0;
  if (groups < 1 || channels % groups != 0)
    AT_ONNX_FAILS(c, "num_groups is %lld, for %lld channels", (long long)groups,
                  (long long)channels);
  if (at_numel(scale) == groups && groups != channels) {
    scale = at_repeat_interleave(scale, channels / groups);
    bias = at_repeat_interleave(bias, channels / groups);
  }
  at_onnxGive(c, 0,
              at_group_norm(x, groups, .weight = scale, .bias = bias,
                            .eps = at_onnxFloat(c, "epsilon", 1e-5)));
}

/* BatchNormalization.  In training statistics are those of the input; the running ones are new tensors. */
void at_runBatchNorm(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const double momentum = at_onnxFloat(c, "momentum", 0.9);
  at_onnxList dims = {.count = 0};
  for (int d = 0; d < at_dim(x); d++)
    if (d != 1)
      dims.data[dims.count++] = d;
  at_tensor *const mean = at_mean_dim(x, at_listed(&dims)), *const variance =
                                                                at_var_dim(x, at_listed(&dims),
                                                                           .unbiased = false);
  at_onnxGive(c, 0,
              at_batch_norm(x, at_onnxInput(c, 1), at_onnxInput(c, 2), mean, variance, false, 0.1,
                            at_onnxFloat(c, "epsilon", 1e-5), false));
  at_onnxGive(c, 1, at_add(at_mul(at_onnxInput(c, 3), momentum), at_mul(mean, 1 - momentum)));
  at_onnxGive(c, 2, at_add(at_mul(at_onnxInput(c, 4), momentum), at_mul(variance, 1 - momentum)));
}

/* x / (bias + alpha / size * the sum of squares of neighbouring channels)^beta. */
void at_runLrn(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t size = at_onnxInt(c, "size", 1), before = (size - 1) / 2;
  if (at_dim(x) < 2 || size < 1 || size > INT32_MAX)
    AT_ONNX_FAILS(c, "size is %lld, and the input has %d dimensions", (long long)size, at_dim(x));
  at_tensor *const squares = at_movedim_int(at_mul(x, x), 1, -1);
  at_tensor *const around = at_constant_pad_nd(squares, AT_INTS(before, size - 1 - before));
  at_tensor *const sums = at_sum_dim(at_unfold(around, -1, size, 1), AT_INTS(-1));
  at_tensor *const scale = at_pow(at_add(at_mul(at_movedim_int(sums, -1, 1),
                                                at_onnxFloat(c, "alpha", 1e-4) / (double)size),
                                         at_onnxFloat(c, "bias", 1)),
                                  at_onnxFloat(c, "beta", 0.75));
  at_onnxGive(c, 0, at_div(x, scale));
}

void at_runLpNormalization(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t axis = at_onnxInt(c, "axis", -1);
  at_tensor *const norm =
      at_norm_dim(x, (double)at_onnxInt(c, "p", 2), AT_INTS(axis), .keepdim = true);
  /* A norm of 0 is that of zeros, which stay. */
  at_onnxGive(c, 0, at_div(x, at_where(at_eq(norm, 0), at_ones_like(norm), norm)));
}

void at_runMeanVariance(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxList axes = at_onnxInts(c, "axes");
  if (axes.count < 0)
    axes = (at_onnxList){3, {0, 2, 3}};
  at_tensor *const centered = at_sub(x, at_mean_dim(x, at_listed(&axes), .keepdim = true));
  at_tensor *const variance =
      at_mean_dim(at_mul(centered, centered), at_listed(&axes), .keepdim = true);
  at_onnxGive(c, 0, at_div(centered, at_add(at_sqrt(variance), 1e-9)));
}

/* 1 for the first of the largest elements along the axis, 0 for the others. */
static at_tensor *largest(at_tensor *x, int axis)
{
  at_tensor *const index = at_argmax(x, .dim = axis, .keepdim = true);
  return at_scatter_value(at_zeros_like(x), axis, index, 1);
}

void at_runHardmax(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxGive(c, 0, largest(x, at_onnxAxis(c, at_onnxInt(c, "axis", -1), at_dim(x))));
}

/* Before version 13 of the operators: over all dimensions from axis on, 1 if it is not given. */
void at_runFlatSoftmax(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_ints sizes = at_sizes(x);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 1), sizes.count);
  at_tensor *const flat = at_reshape(x, AT_SHAPE(at_onnxProduct(c, sizes, 0, axis),
                                                 at_onnxProduct(c, sizes, axis, sizes.count)));
  const char *const name = c->node->target;
  at_tensor *const made = strstr(name, "Log")    ? at_log_softmax(flat, 1)
                          : strstr(name, "Hard") ? largest(flat, 1)
                                                 : at_softmax(flat, 1);
  at_onnxGive(c, 0, at_reshape(made, sizes));
}
