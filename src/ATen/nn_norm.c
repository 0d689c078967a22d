/* Normalization of batches. */
#include "ATenOperations.h"

/* The type of what has an element for each channel: self's, or Float beside Half and BFloat16. */
static const at_type *channel_type(const at_tensor *self, int count, at_tensor *const *t,
                                   const char *const *names)
{
  const at_type *compute = at_layerType(self), *type = NULL;
  for (int i = 0; i < count; i++) {
    if (!t[i])
      continue;
    const at_type *own = t[i]->type;
    if ((own != self->type && own != compute) || (type && own != type))
      at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s as %s", names[i],
               at_scalarTypeName(own->scalarType),
               at_scalarTypeName((type ? type : self->type)->scalarType),
               type ? "the others are" : "self is");
    type = own;
  }
  return type ? type : self->type;
}

/* Raises unless t has an element for each channel of self. */
static void check_channels(const at_tensor *self, int count, at_tensor *const *t,
                           const char *const *names)
{
  const at_ints sizes = at_sizesOf(self);
  if (sizes.count < 2)
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), and has to be batch x channels, or more dimensions",
             at_sizeDesc(sizes).str);
  for (int i = 0; i < count; i++)
    if (t[i] && (at_sizesOf(t[i]).count != 1 || at_numel(t[i]) != sizes.data[1]))
      at_raise(AT_ERROR_ARGUMENT,
               "%s has size (%s), and has to have an element for each of %lld channels", names[i],
               at_sizeDesc(at_sizesOf(t[i])).str, (long long)sizes.data[1]);
}

/* Results that are not wanted are NULL of those given; of a new one there is the first at least. */
void at_nnBatchNorm(at_tensor **out, int results, at_tensor *self, at_tensor *weight,
                    at_tensor *bias, at_tensor *running_mean, at_tensor *running_var, bool training,
                    double momentum, double eps)
{
  static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
  at_tensor *const given[] = {weight, bias, running_mean, running_var};
  const at_type *compute = at_layerType(self), *type = channel_type(self, 4, given, names);
  check_channels(self, 4, given, names);
  if (!running_mean != !running_var || (!training && !running_mean))
    at_raise(AT_ERROR_NULL, "running_mean is %s and running_var %s%s",
             running_mean ? "given" : "not given", running_var ? "given" : "not given",
             training ? "" : ", and without training both are needed");
  if (training && at_numel(self) == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), of which there is no mean",
             at_sizeDesc(at_sizesOf(self)).str);

  const int64_t channels = training ? self->th->size[1] : 0;
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  void *w = at_layerIn(&pool, weight, compute), *b = at_layerIn(&pool, bias, compute);
  at_tensor *running[2] = {running_mean, running_var}, *changed[2] = {NULL};
  for (int i = 0; i < 2 && running[i]; i++)
    changed[i] = at_hold(&pool, at_newCast(running[i], compute));
  at_tensor *made[3] = {at_layerNew(&pool, compute, at_sizesOf(self))};
  for (int i = 1; i < 3; i++)
    made[i] = at_layerNew(&pool, compute, (at_ints){&channels, 1});
  if (at_numel(self) > 0)
    compute->functions->BatchNormalization_updateOutput(
        x, made[0]->th, w, b, changed[0] ? changed[0]->th : NULL,
        changed[1] ? changed[1]->th : NULL, made[1]->th, made[2]->th, training, momentum, eps);
  for (int i = 0; i < 3; i++)
    made[i] = at_cast(&pool, made[i], i == 0 ? self->type : type);

  /* All that is given changes together. */
  at_tensor *to[5], *from[5];
  int count = 0;
  for (int i = 0; i < 2 && training && running[i]; i++) {
    to[count] = running[i];
    from[count++] = changed[i];
  }
  const bool isNew = !out[0];
  for (int i = 0; i < results && !isNew; i++) {
    to[count] = out[i];
    from[count++] = made[i];
  }
  at_deliverAll(count, to, from);
  for (int i = 0; i < results && isNew; i++)
    out[i] = at_retain(made[i]);
  at_pool_leave(&pool);
}

at_tensor *at_nnBatchNormOutput(at_tensor *out, at_tensor *self, at_tensor *weight, at_tensor *bias,
                                at_tensor *running_mean, at_tensor *running_var, bool training,
                                double momentum, double eps)
{
  at_nnBatchNorm(&out, 1, self, weight, bias, running_mean, running_var, training, momentum, eps);
  return out;
}

/* Of nothing there is nothing, and the running statistics stay as they are. */
at_tensor *at_nnBatchNormOrEmpty(at_tensor *self, at_tensor *weight, at_tensor *bias,
                                 at_tensor *running_mean, at_tensor *running_var, bool training,
                                 double momentum, double eps)
{
  if (at_numel(self) > 0)
    return at_nnBatchNormOutput(NULL, self, weight, bias, running_mean, running_var, training,
                                momentum, eps);
  static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
  at_tensor *const given[] = {weight, bias, running_mean, running_var};
  channel_type(self, 4, given, names);
  check_channels(self, 4, given, names);
  return at_newShape(self->type, at_sizesOf(self));
}

void at_nnBatchNormBack(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                        at_tensor *self, at_tensor *weight, at_tensor *running_mean,
                        at_tensor *running_var, bool training, double eps, at_tensor *save_mean,
                        at_tensor *save_std, at_ints mask)
{
  static const char *const names[] = {"weight", "running_mean", "running_var", "save_mean",
                                      "save_std"};
  at_tensor *const given[] = {weight, running_mean, running_var, training ? save_mean : NULL,
                              training ? save_std : NULL};
  const at_type *compute = at_layerType(self), *type = channel_type(self, 5, given, names);
  check_channels(self, 5, given, names);
  at_layerSame(self, grad_output, "grad_output");
  if (!at_sameSizes(at_sizesOf(grad_output), at_sizesOf(self)))
    at_raise(AT_ERROR_ARGUMENT, "grad_output has size (%s), and has to have self's, (%s)",
             at_sizeDesc(at_sizesOf(grad_output)).str, at_sizeDesc(at_sizesOf(self)).str);
  const at_ints channels = {self->th->size + 1, 1};
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute), *g = at_layerIn(&pool, grad_output, compute);
  void *in[5];
  for (int i = 0; i < 5; i++)
    in[i] = at_layerIn(&pool, given[i], compute);
  at_tensor *made[3] = {NULL};
  void *r[3] = {NULL};
  for (int i = 0; i < 3; i++)
    if (wanted[i] && mask.data[i]) {
      made[i] = at_layerNew(&pool, compute, i == 0 ? at_sizesOf(self) : channels);
      r[i] = at_fillWith(made[i], at_scalar_long(0))->th;
    }
  if (at_numel(self) > 0)
    compute->functions->BatchNormalization_backward(x, g, r[0], r[1], r[2], in[0], in[1], in[2],
                                                    in[3], in[4], training, 1, eps);
  for (int i = 0; i < 3; i++)
    made[i] = at_layerCast(&pool, made[i], i == 0 ? self->type : type);
  at_layerEndAll(&pool, 3, out, made);
}
