/* Reductions over any dimensions, and sums along one. */
#include "../Runs.h"

typedef at_tensor *Reduction(at_tensor *x, at_ints dims, bool keeps);

static at_tensor *sum(at_tensor *x, at_ints dims, bool keeps)
{
  return at_sum_dim(x, dims, .keepdim = keeps, .type = x->type);
}

static at_tensor *mean(at_tensor *x, at_ints dims, bool keeps)
{
  if (at_isFloating(x->type->scalarType))
    return at_mean_dim(x, dims, .keepdim = keeps);
  return at_to(at_trunc(at_mean_dim(at_to(x, at_cpuType(AT_DOUBLE)), dims, .keepdim = keeps)),
               x->type);
}

/* The smallest or largest number of the type, infinity if it has that. */
static at_scalar limit_of(const at_type *type, bool isLargest)
{
  const at_scalar_type kind = type->scalarType;
  if (at_isFloating(kind))
    return at_scalar_double(isLargest ? (double)INFINITY : -(double)INFINITY);
  if (kind == AT_BOOL || kind == AT_BYTE)
    return at_scalar_long(!isLargest ? 0 : kind == AT_BYTE ? UINT8_MAX : 1);
  const int64_t largest = INT64_MAX >> (64 - 8 * type->elementSize);
  return at_scalar_long(isLargest ? largest : -largest - 1);
}

/* x with one element along each of these dimensions that has none. */
static at_tensor *filled_up(at_tensor *x, at_ints dims, at_scalar value)
{
  for (int i = 0; i < dims.count; i++)
    if (at_size(x, dims.data[i]) == 0) {
      int64_t sizes[AT_MOST_DIMS];
      for (int d = 0; d < at_dim(x); d++)
        sizes[d] = d == dims.data[i] ? 1 : at_size(x, d);
      x = at_full(((at_ints){sizes, at_dim(x)}), value, .type = x->type);
    }
  return x;
}

static at_tensor *most(at_tensor *x, at_ints dims, bool keeps)
{
  return at_amax(filled_up(x, dims, limit_of(x->type, false)), .dim = dims, .keepdim = keeps);
}

static at_tensor *least(at_tensor *x, at_ints dims, bool keeps)
{
  return at_amin(filled_up(x, dims, limit_of(x->type, true)), .dim = dims, .keepdim = keeps);
}

/* The last dimensions first, so that the others keep their numbers. */
static at_tensor *product(at_tensor *x, at_ints dims, bool keeps)
{
  at_tensor *r = x;
  for (int d = at_dim(x) - 1; d >= 0; d--)
    for (int i = 0; i < dims.count; i++)
      if (dims.data[i] == d)
        r = at_prod_dim(r, d, .keepdim = keeps, .type = x->type);
  return r;
}

static at_tensor *sum_of_sizes(at_tensor *x, at_ints dims, bool keeps)
{
  return sum(at_abs(x), dims, keeps);
}

static at_tensor *sum_of_squares(at_tensor *x, at_ints dims, bool keeps)
{
  return sum(at_mul(x, x), dims, keeps);
}

static at_tensor *in_floats(at_tensor *x, at_tensor *(*function)(at_tensor *))
{
  if (at_isFloating(x->type->scalarType))
    return function(x);
  return at_to(function(at_to(x, at_cpuType(AT_DOUBLE))), x->type);
}

static at_tensor *norm(at_tensor *x, at_ints dims, bool keeps)
{
  return in_floats(sum_of_squares(x, dims, keeps), (at_sqrt));
}

static at_tensor *log_of_sum(at_tensor *x, at_ints dims, bool keeps)
{
  return in_floats(sum(x, dims, keeps), (at_log));
}

static at_tensor *log_of_sum_of_exp(at_tensor *x, at_ints dims, bool keeps)
{
  if (at_isFloating(x->type->scalarType))
    return at_logsumexp(x, dims, .keepdim = keeps);
  return at_to(at_logsumexp(at_to(x, at_cpuType(AT_DOUBLE)), dims, .keepdim = keeps), x->type);
}

static Reduction *reduction_of(const at_onnxCall *c)
{
  static const struct {
    const char *name;
    Reduction *function;
  } rows[] = {{"ReduceSum", sum},           {"ReduceMean", mean},
              {"ReduceMax", most},          {"ReduceMin", least},
              {"ReduceProd", product},      {"ReduceL1", sum_of_sizes},
              {"ReduceL2", norm},           {"ReduceSumSquare", sum_of_squares},
              {"ReduceLogSum", log_of_sum}, {"ReduceLogSumExp", log_of_sum_of_exp}};
  const char *const name = strchr(c->node->target, '.') + 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return rows[i].function;
  AT_ONNX_FAILS(c, "there is no such reduction");
}

/* The dimensions, from 0 on: of an input, or of an attribute as before version 18; all if none are
 * given. */
void at_runReduce(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxList axes = at_onnxHas(c, "axes") ? at_onnxInts(c, "axes") : at_onnxIntsIn(c, 1);
  const bool keeps = at_onnxInt(c, "keepdims", 1) != 0;
  if (axes.count <= 0) {
    axes.count = at_onnxInt(c, "noop_with_empty_axes", 0) ? 0 : at_dim(x);
    for (int d = 0; d < axes.count; d++)
      axes.data[d] = d;
    if (axes.count == 0 && at_dim(x) > 0) {
      /* Each element alone: a dimension of size 1 is reduced. */
      at_onnxGive(c, 0, reduction_of(c)(at_unsqueeze(x, at_dim(x)), AT_INTS(at_dim(x)), false));
      return;
    }
  }
  for (int i = 0; i < axes.count; i++)
    axes.data[i] = at_onnxAxis(c, axes.data[i], at_dim(x));
  if (axes.count == 0)
    at_onnxGive(c, 0,
                at_reshape(reduction_of(c)(at_unsqueeze(x, 0), AT_INTS(0), false), at_sizes(x)));
  else
    at_onnxGive(c, 0, reduction_of(c)(x, at_listed(&axes), keeps));
}

void at_runCumSum(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, (int64_t)at_item_double(at_onnxInput(c, 1)), at_dim(x));
  const bool isReverse = at_onnxInt(c, "reverse", 0) != 0,
             isProduct = strstr(c->node->target, "CumProd") != NULL;
  const at_type *const type = x->type;
  if (isReverse)
    x = at_flip(x, AT_INTS(axis));
  if (at_onnxInt(c, "exclusive", 0) && at_size(x, axis) > 0) {
    at_tensor *const first = at_narrow(x, axis, 0, 1), *const rest =
                                                           at_narrow(x, axis, 0,
                                                                     at_size(x, axis) - 1);
    x = at_cat(AT_TENSORS(isProduct ? at_ones_like(first) : at_zeros_like(first), rest),
               .dim = axis);
  }
  at_tensor *const r =
      isProduct ? at_cumprod(x, axis, .type = type) : at_cumsum(x, axis, .type = type);
  at_onnxGive(c, 0, isReverse ? at_flip(r, AT_INTS(axis)) : r);
}

/* k is an attribute before version 10, then a tensor of one element, which the run may compute. */
void at_runTopK(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", -1), at_dim(x));
  const int64_t k = c->inputCount > 1 ? at_item_long(at_onnxInput(c, 1)) : at_onnxInt(c, "k", 0);
  at_tensor *keys = x;
  if (at_onnxIsUnsigned(c)) /* signed integers in the same order */
    keys = x->type->scalarType == AT_UINT64
               ? at_bitwise_xor(at_bitsAs(c->node, x, at_cpuType(AT_LONG)), INT64_MIN)
               : at_to(x, at_cpuType(AT_LONG));
  const at_values_indices r =
      at_topk(keys, k, .dim = axis, .largest = at_onnxInt(c, "largest", 1) != 0,
              .sorted = at_onnxInt(c, "sorted", 1) != 0);
  at_onnxGive(c, 0, keys == x ? r.values : at_gather(x, axis, r.indices));
  at_onnxGive(c, 1, r.indices);
}
