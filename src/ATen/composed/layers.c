/* Layers and losses. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_normalizedOf(at_tensor *self, double p, int64_t dim, double eps)
{
  at_tensor *const norms = at_norm_dim(self, p, AT_INTS(dim), .keepdim = true);
  return at_div(self, at_clamp_min(norms, eps));
}

/* The mean of squares of neighbouring channels is a pooling over a dimension of its own. */
at_tensor *at_responseNorm(at_tensor *self, int64_t size, double alpha, double beta, double k)
{
  if (at_dim(self) < 3 || size < 1) {
    at_fail(AT_ERROR_ARGUMENT, "local_response_norm",
            "local_response_norm: self has %d dimensions and size is %lld; they have to be at "
            "least "
            "3 and 1",
            at_dim(self), (long long)size);
    return at_undefined();
  }
  const at_ints sizes = at_sizes(self);
  if (at_numel(self) == 0)
    return at_mul(self, 1);
  at_tensor *const squares =
      at_reshape(at_mul(self, self), AT_INTS(sizes.data[0], 1, sizes.data[1], -1));
  at_tensor *const padded = at_pad(squares, AT_INTS(0, 0, size / 2, (size - 1) / 2));
  at_tensor *sum = NULL;
  for (int64_t i = 0; i < size && at_defined(padded);
       i++) { /* in integers too, where the mean is rounded down */
    at_tensor *const part = at_narrow(padded, 2, i, sizes.data[1]);
    sum = sum ? at_add(sum, part) : part;
  }
  const bool isFloating = at_isFloating(at_type_scalarType(at_typeOf(self)));
  at_tensor *const mean =
      isFloating ? at_div(sum, (double)size)
                 : at_div_scalar_mode(sum, at_scalar_long(size), .rounding_mode = "trunc");
  at_tensor *const scale = at_pow(at_add(at_mul(mean, alpha), k), beta);
  return at_div(self, at_reshape(scale, sizes));
}

at_tensor *at_softsignOf(at_tensor *self)
{
  return at_div(self, at_add(at_abs(self), 1));
}

at_tensor *at_tanhShrunk(at_tensor *self)
{
  return at_sub(self, at_tanh(self));
}

at_tensor *at_gaussianLossOf(at_tensor *input, at_tensor *target, at_tensor *var, bool full,
                             double eps, int64_t reduction)
{
  if (at_dim(var) < at_dim(input) && at_dim(var) > 0 && at_size(var, -1) != at_size(input, -1))
    var = at_unsqueeze(var, -1);
  at_tensor *const safe = at_add(var, at_detach(at_sub(at_clamp_min(var, eps), var)));
  at_tensor *const difference = at_sub(input, target);
  at_tensor *loss = at_mul(at_add(at_log(safe), at_div(at_mul(difference, difference), safe)), 0.5);
  if (full)
    loss = at_add(loss, 0.5 * log(2 * M_PI));
  return at_reducedLoss(loss, reduction);
}

at_tensor *at_labelLossOf(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction)
{
  at_tensor *const positive = at_mul(target, at_log_sigmoid(self));
  at_tensor *const negative = at_mul(at_rsub(target, 1), at_log_sigmoid(at_neg(self)));
  at_tensor *const loss = at_neg(at_add(positive, negative));
  return at_reducedLoss(at_mean_dim(at_weighted(loss, weight), AT_INTS(-1)), reduction);
}

/* The lengths of targets, at least 1, as numbers of that type. */
static at_tensor *lengths_of(at_tensor *t, at_ints list, const at_type *type)
{
  if (!t) {
    t = at_empty(AT_INTS(list.count), .type = AT_CPU(AT_LONG));
    for (int i = 0; at_defined(t) && i < list.count; i++)
      ((int64_t *)at_data(t))[i] = list.data[i];
  }
  return at_clamp_min(at_to(at_reshape(t, AT_INTS(-1)), type), 1);
}

/* Brings lengths in vectors of a device to the CPU by one copy, which is waited for; backward then has them
 * there.  at_ctc checks what they are.  Of targets that lie one after another they say how much memory is needed. */
static void to_host(at_ctc_lengths *lengths)
{
  at_tensor *const a = lengths->inputTensor, *const b = lengths->targetTensor;
  if (!a || at_isOnHost(a->type) || a->type != b->type || at_deviceOf(a) != at_deviceOf(b) ||
      at_dim(a) != 1 || at_dim(b) != 1)
    return;
  const int64_t inputs = at_size(a, 0);
  at_tensor *const both = at_to(at_cat(AT_TENSORS(a, b)), at_hostType(a->type));
  lengths->inputTensor = at_narrow(both, 0, 0, inputs);
  lengths->targetTensor = at_narrow(both, 0, inputs, at_size(b, 0));
}

at_tensor *at_ctcLossOf(at_tensor *log_probs, at_tensor *targets, at_ctc_lengths lengths,
                        int64_t blank, int64_t reduction, bool zero_infinity)
{
  const bool isBatch = at_dim(log_probs) != 2;
  at_tensor *const divisors = lengths.targetTensor;
  if (at_dim(targets) != 2)
    to_host(&lengths);
  at_tensor *const probs = isBatch ? log_probs : at_unsqueeze(log_probs, 1);
  at_tensor *loss =
      lengths.targetTensor
          ? at__ctc_loss_tensor(probs, targets, lengths.inputTensor, lengths.targetTensor,
                                .blank = blank, .zero_infinity = zero_infinity)
                .neg_log_likelihood
          : at__ctc_loss(probs, targets, lengths.inputs, lengths.targets, .blank = blank,
                         .zero_infinity = zero_infinity)
                .neg_log_likelihood;
  if (!at_defined(loss))
    return loss;
  if (zero_infinity)
    loss = at_masked_fill(loss, at_eq(loss, (double)INFINITY), 0);
  if (reduction == 1)
    loss = at_div(loss, lengths_of(divisors, lengths.targets, at_typeOf(loss)));
  return reduction == 0 && !isBatch ? at_squeeze_dim(loss, 0) : at_reducedLoss(loss, reduction);
}

at_tensor *at_dropoutOf(const char *name, at_tensor *self, double p, bool train, bool isAlpha,
                        bool isChannel)
{
  const double lowest = -1.7580993408473766; /* of selu */
  if (!(p >= 0 && p <= 1)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: p is %g, and has to be from 0 to 1", name, p);
    return at_undefined();
  }
  if (isChannel && train && p > 0 && at_dim(self) < 2) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: input has %d dimensions, and has to have 2", name,
            at_dim(self));
    return at_undefined();
  }
  if (!train || p == 0 || at_numel(self) == 0)
    return at_mul(self, 1);
  const bool isComplex = at_is_complex(self);
  if (!isComplex && !at_isFloating(self->type->scalarType)) {
    at_fail(AT_ERROR_TYPE, name, "%s: input is of %s, and has to be of a floating type to train",
            name, at_scalarTypeName(self->type->scalarType));
    return at_undefined();
  }
  if (p == 1)
    return at_mul(self, 0);
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < at_dim(self); d++)
    sizes[d] = isChannel && d > 1 ? 1 : at_size(self, d);
  const at_ints shape = {sizes, at_dim(self)};
  at_tensor *const buffer =
      isChannel || isComplex ? at_empty(shape, .type = at_typeOf(isComplex ? at_real(self) : self))
                             : at_empty_like(self);
  at_tensor *const noise = at_bernoulli_p_(buffer, .p = 1 - p);
  if (!isAlpha)
    return at_mul(self, at_div(noise, 1 - p));
  const double a = 1 / sqrt((lowest * lowest * p + 1) * (1 - p));
  at_tensor *const shift = at_add(at_mul(at_rsub(noise, 1), lowest * a), -lowest * a * p);
  return at_add(at_mul(self, at_mul(noise, a)), shift);
}

at_tensor *at_safeSoftmax(at_tensor *self, int64_t dim, const at_type *type)
{
  at_tensor *const counts =
      at_any_dim(at_ne(self, -(double)INFINITY), AT_INTS(dim), .keepdim = true);
  at_tensor *const isEmpty =
      at_logical_not(counts); /* filled before too, so that no gradient is NaN */
  at_tensor *const made =
      at_softmax(at_masked_fill(self, isEmpty, 0), dim, .type = type ? type : AT_DEFAULT_TYPE);
  return at_masked_fill(made, isEmpty, 0);
}

at_tensor *at_softmaxFrom(at_tensor *grad, at_tensor *output, int64_t dim, const at_type *type)
{
  at_tensor *const along = at_mul(grad, output);
  at_tensor *const made = at_sub(along, at_mul(output, at_sumOver(along, dim)));
  return at_defined(made) ? at_to(made, type) : made;
}

at_tensor *at_dropoutFrom(at_tensor *grad, at_tensor *mask, double scale)
{
  return at_mul(at_mul(grad, mask), scale);
}
