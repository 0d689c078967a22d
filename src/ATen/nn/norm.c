/* Batch normalization and layer normalization. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "THKernel.h"
#include "ATen/core/device.h"
#include "layerCall.h"
#include "layerNorm.h"

TH_DISPATCH(at_layer_norm_kernels, at_layerNormFloat)
TH_DISPATCH(at_layer_norm_kernels, at_layerNormDouble)

/* The type of tensors with an element for each channel: self's, or also Float if self is of Half or
 * BFloat16. */
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

/* Whether t is in channels-last layout with enough channels to compute them as the columns of a
 * matrix, in the lanes of vectors. */
static bool are_columns(const at_tensor *t, const at_type *compute)
{
  const at_layer_call layer = {.type = t->type, .compute = compute, .axes = t->th->nDimension - 2};
  return layer.axes > 0 && t->th->size[1] >= AT_NHWC_MIN_CHANNELS && at_layer_areNhwc(&layer, t);
}

/* The permutation that makes the channels the last dimension, stored in order. */
static at_ints to_channels_last(int dims, int64_t *order)
{
  for (int d = 1; d + 1 < dims; d++)
    order[d] = d + 1;
  order[0] = 0;
  order[dims - 1] = 1;
  return (at_ints){order, dims};
}

/* t as a matrix whose columns are the channels: a view if t is in channels-last layout. */
static at_tensor *matrix_of(at_pool *pool, at_tensor *t)
{
  int64_t order[AT_MOST_DIMS];
  const int64_t sizes[] = {at_numel(t) / t->th->size[1], t->th->size[1]};
  t = at_hold(pool, at_viewPermute(t, to_channels_last(t->th->nDimension, order)));
  t = at_hold(pool, at_makeContiguous(t));
  return at_hold(pool, at_viewAs(t, (at_ints){sizes, 2}));
}

static at_tensor *new_of_columns(at_pool *pool, const at_type *type, at_ints sizes)
{
  int64_t order[AT_MOST_DIMS], size[AT_MOST_DIMS], inverse[AT_MOST_DIMS];
  to_channels_last(sizes.count, order);
  for (int d = 0; d < sizes.count; d++) {
    size[d] = sizes.data[order[d]];
    inverse[order[d]] = d;
  }
  at_tensor *t = at_layerNew(pool, type, (at_ints){size, sizes.count});
  return at_hold(pool, at_viewPermute(t, (at_ints){inverse, sizes.count}));
}

/* Entries of out are NULL for results that are not wanted; new results are at least the first
 * one. */
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
  const bool columns = are_columns(self, compute);
  void *x = columns ? matrix_of(&pool, self)->th : at_layerIn(&pool, self, compute);
  void *w = at_layerIn(&pool, weight, compute), *b = at_layerIn(&pool, bias, compute);
  at_tensor *running[2] = {running_mean, running_var}, *changed[2] = {NULL};
  for (int i = 0; i < 2 && running[i]; i++)
    changed[i] = at_hold(&pool, at_newCast(running[i], compute));
  at_tensor *made[3] = {columns ? new_of_columns(&pool, compute, at_sizesOf(self))
                                : at_layerNew(&pool, compute, at_sizesOf(self))};
  void *y = columns ? matrix_of(&pool, made[0])->th : made[0]->th;
  for (int i = 1; i < 3; i++)
    made[i] = at_layerNew(&pool, compute, (at_ints){&channels, 1});
  if (at_numel(self) > 0)
    AT_OF(compute, BatchNormalization_updateOutput)(x, y, w, b, changed[0] ? changed[0]->th : NULL,
                                                    changed[1] ? changed[1]->th : NULL, made[1]->th,
                                                    made[2]->th, training, momentum, eps);
  for (int i = 0; i < 3; i++)
    made[i] = at_cast(&pool, made[i], i == 0 ? self->type : type);

  /* Results and running statistics are delivered together, so that all or none change. */
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

void at_nnBatchNormUpdate(at_tensor **out, at_tensor *self, at_tensor *weight, at_tensor *bias,
                          at_tensor *running_mean, at_tensor *running_var, double momentum,
                          double eps)
{
  THGuard guard;
  at_guard(&guard);
  guard.what = at_newNothing(at_toScalarType(self->type, AT_BYTE));
  at_nnBatchNorm(out, 3, self, weight, bias, running_mean, running_var, true, momentum, eps);
  out[3] = THGuard_keep(&guard);
}

at_tensor *at_nnBatchNormOutput(at_tensor *out, at_tensor *self, at_tensor *weight, at_tensor *bias,
                                at_tensor *running_mean, at_tensor *running_var, bool training,
                                double momentum, double eps)
{
  at_nnBatchNorm(&out, 1, self, weight, bias, running_mean, running_var, training, momentum, eps);
  return out;
}

/* The result of an empty input is empty, and the running statistics do not change. */
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
  if (at_sizesOf(self).count > 1) /* a vector of nothing has no channels */
    check_channels(self, 4, given, names);
  return at_newShape(self->type, at_sizesOf(self));
}

void at_nnBatchNormBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
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
  const bool columns = are_columns(self, compute);
  void *x = columns ? matrix_of(&pool, self)->th : at_layerIn(&pool, self, compute);
  void *g = columns ? matrix_of(&pool, grad_output)->th : at_layerIn(&pool, grad_output, compute);
  void *in[5];
  for (int i = 0; i < 5; i++)
    in[i] = at_layerIn(&pool, given[i], compute);
  at_tensor *made[3] = {NULL};
  void *r[3] = {NULL};
  for (int i = 0; i < 3; i++)
    if (wanted[i] && mask.data[i]) {
      if (i > 0) /* THNN adds to the gradients of parameters, so they begin with 0 */
        made[i] = at_fillWith(at_layerNew(&pool, compute, channels), at_scalar_long(0));
      else
        made[i] = columns ? new_of_columns(&pool, compute, at_sizesOf(self))
                          : at_layerNew(&pool, compute, at_sizesOf(self));
      r[i] = i == 0 && columns ? matrix_of(&pool, made[i])->th : made[i]->th;
    }
  if (at_numel(self) > 0)
    AT_OF(compute, BatchNormalization_backward)(x, g, r[0], r[1], r[2], in[0], in[1], in[2], in[3],
                                                in[4], training, 1, eps);
  for (int i = 0; i < 3; i++)
    made[i] = at_layerCast(&pool, made[i], i == 0 ? self->type : type);
  at_layerEndAll(&pool, 3, out, made);
}

/* --- of each input by itself ----------------------------------------------------------------- */

/* A tensor as outer lines of inner elements; each line is normalized. */
typedef struct {
  int64_t outer, inner;
  int64_t sizes[AT_MOST_DIMS]; /* of the statistics: 1 for normalized dimensions */
  int dims;
} Parts;

static Parts parts_of(const at_tensor *self, at_ints normalized, at_tensor *weight, at_tensor *bias)
{
  const at_ints sizes = at_sizesOf(self);
  Parts p = {.outer = 1, .inner = 1, .dims = sizes.count};
  const int first = sizes.count - normalized.count;
  bool fits = normalized.count > 0 && first >= 0;
  for (int d = 0; fits && d < sizes.count; d++) {
    fits = d < first || sizes.data[d] == normalized.data[d - first];
    p.sizes[d] = d < first ? sizes.data[d] : 1;
    *(d < first ? &p.outer : &p.inner) *= sizes.data[d];
  }
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "normalized_shape is (%s), and has to be the last sizes of self's, (%s)",
             at_sizeDesc(normalized).str, at_sizeDesc(sizes).str);
  if ((weight && !at_sameSizes(at_sizesOf(weight), normalized)) ||
      (bias && !at_sameSizes(at_sizesOf(bias), normalized)))
    at_raise(AT_ERROR_ARGUMENT, "weight and bias have to have the size of normalized_shape, (%s)",
             at_sizeDesc(normalized).str);
  return p;
}

static const at_layer_norm_kernels *kernels_of(const at_type *compute)
{
  return compute->scalarType == AT_DOUBLE ? TH_DISPATCHED(at_layerNormDouble)
                                          : TH_DISPATCHED(at_layerNormFloat);
}

/* The elements of t, contiguous and in the type that computes. */
static void *elements_of(at_pool *pool, at_tensor *t, const at_type *compute)
{
  return at_data(at_hold(pool, at_makeContiguous(at_cast(pool, t, compute))));
}

/* The elements of weight or bias t; if t is not given, NULL on a device, and else elements that are all `other`. */
static void *elements_or(at_pool *pool, at_tensor *t, const at_type *compute, const Parts *p,
                         int64_t other)
{
  const at_ints sizes = {&p->inner, 1};
  if (!t && !at_isOnHost(compute))
    return NULL;
  return t ? elements_of(pool, t, compute)
           : at_hostData(at_fillWith(at_layerNew(pool, compute, sizes), at_scalar_long(other)));
}

/* Queues a kernel for all lines. */
static void launch(at_kernel kernel, const at_type *compute, const at_layer_norm_work *work)
{
  at_cuda()->launch(kernel, compute->held, work);
}

typedef struct {
  const at_layer_norm_kernels *kernels;
  at_lines_normalized lines;
} Forward;

static void normalize_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Forward *f = context;
  f->kernels->forward(&f->lines, begin, end);
}

void at_nnLayerNorm(at_tensor **out, int results, at_tensor *self, at_ints normalized_shape,
                    at_tensor *weight, at_tensor *bias, double eps)
{
  static const char *const names[] = {"weight", "bias"};
  at_tensor *const given[] = {weight, bias};
  const at_type *compute = at_layerType(self), *type = channel_type(self, 2, given, names);
  const Parts p = parts_of(self, normalized_shape, weight, bias);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[3] = {at_layerNew(&pool, compute, at_sizesOf(self))};
  for (int i = 1; i < 3; i++)
    made[i] = at_layerNew(&pool, compute, (at_ints){p.sizes, p.dims});
  if (p.inner == 0) {
    at_fillWith(made[1], at_scalar_double(0));
    at_fillWith(made[2], at_scalar_double((double)NAN));
  } else if (p.outer > 0) {
    Forward f = {kernels_of(compute), {.n = p.inner, .eps = eps}};
    f.lines.x = elements_of(&pool, self, compute);
    f.lines.weight = elements_or(&pool, weight, compute, &p, 1);
    f.lines.bias = elements_or(&pool, bias, compute, &p, 0);
    f.lines.y = at_data(made[0]);
    f.lines.mean = at_data(made[1]);
    f.lines.rstd = at_data(made[2]);
    if (at_isOnHost(compute))
      THParallel_for(p.outer, 1 + TH_LOOP_GRAIN / p.inner, normalize_lines, &f);
    else
      launch(AT_KERNEL_layerNorm, compute, &(at_layer_norm_work){f.lines, p.outer});
  }
  for (int i = 0; i < 3; i++)
    made[i] = at_cast(&pool, made[i], i == 0 ? self->type : type);
  at_finish(&pool, results, out, made);
}

at_tensor *at_nnLayerNormOutput(at_tensor *self, at_ints normalized_shape, at_tensor *weight,
                                at_tensor *bias, double eps)
{
  at_tensor *out = NULL;
  at_nnLayerNorm(&out, 1, self, normalized_shape, weight, bias, eps);
  return out;
}

/* r = the sums of the columns of rows. */
static void sum_of_rows(at_tensor *r, at_tensor *rows)
{
  const int64_t one[] = {1, rows->th->size[1]};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *sum = at_hold(&pool, at_viewAs(r, (at_ints){one, 2}));
  AT_OF(r->type, sum)(sum->th, rows->th, 0, 1);
  at_pool_leave(&pool);
}

/* The gradients of all lines: of the input, and in at, unless that is NULL, of weight and bias, a
 * row for each block of lines. */
static void backward_lines(const at_lines_normalized *lines, const at_type *compute, const Parts *p,
                           int64_t linesPerBlock, char *const at[2])
{
  const at_layer_norm_kernels *kernels = kernels_of(compute);
  const ptrdiff_t row = p->inner * (ptrdiff_t)compute->elementSize;
  const int64_t blocks = (p->outer + linesPerBlock - 1) / linesPerBlock;
  TH_PARALLEL_FOR (k, blocks, 1 + TH_LOOP_GRAIN / (linesPerBlock * p->inner))
    kernels->backward(lines, k * linesPerBlock, THMin(p->outer, (k + 1) * linesPerBlock),
                      at[0] ? at[0] + k * row : NULL, at[1] ? at[1] + k * row : NULL);
}

/* The gradients of input, weight and bias; made is NULL for those that are not wanted.  The
 * gradients of weight and bias are sums over blocks of lines, and then over the blocks.  The size
 * of a block does not depend on the number of threads, so that the sums do not either. */
static void gradients(at_tensor *const made[3], at_lines_normalized *lines, const at_type *compute,
                      const Parts *p)
{
  enum { BLOCK_ELEMENTS = 1 << 16, MAX_LINES = 64, MIN_LINES = 4 };
  const int64_t least = THMin(MIN_LINES, THMax(1, p->outer / MIN_LINES));
  const int64_t linesPerBlock = THMin(MAX_LINES, THMax(least, BLOCK_ELEMENTS / p->inner));
  const int64_t blocks[] = {(p->outer + linesPerBlock - 1) / linesPerBlock, p->inner};
  const bool sums = made[1] || made[2];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *sum[2] = {NULL};
  char *at[2] = {NULL};
  for (int i = 0; i < 2 && sums; i++) {
    sum[i] = at_layerNew(&pool, compute, (at_ints){blocks, 2});
    at[i] = at_data(sum[i]);
  }
  if (!at_isOnHost(compute)) {
    const at_layer_norm_work work = {*lines, p->outer, linesPerBlock, at[0], at[1]};
    if (made[0])
      launch(AT_KERNEL_layerNormBackward, compute, &work);
    if (sums)
      launch(AT_KERNEL_layerNormParameters, compute, &work);
  } else {
    backward_lines(lines, compute, p, linesPerBlock, at);
  }
  for (int i = 0; i < 2; i++)
    if (made[1 + i])
      sum_of_rows(made[1 + i], sum[i]);
  at_pool_leave(&pool);
}

void at_nnLayerNormBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                            at_tensor *self, at_ints normalized_shape, at_tensor *mean,
                            at_tensor *rstd, at_tensor *weight, at_tensor *bias, at_ints mask)
{
  static const char *const names[] = {"weight", "bias", "mean", "rstd"};
  at_tensor *const given[] = {weight, bias, mean, rstd};
  const at_type *compute = at_layerType(self), *type = channel_type(self, 4, given, names);
  const Parts p = parts_of(self, normalized_shape, weight, bias);
  at_layerSame(self, grad_output, "grad_output");
  if (!at_sameSizes(at_sizesOf(grad_output), at_sizesOf(self)) || at_numel(mean) != p.outer ||
      at_numel(rstd) != p.outer)
    at_raise(AT_ERROR_ARGUMENT,
             "grad_output has size (%s), mean (%s) and rstd (%s): that of self, (%s), and one for "
             "each of %lld inputs is expected",
             at_sizeDesc(at_sizesOf(grad_output)).str, at_sizeDesc(at_sizesOf(mean)).str,
             at_sizeDesc(at_sizesOf(rstd)).str, at_sizeDesc(at_sizesOf(self)).str,
             (long long)p.outer);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[3] = {NULL};
  for (int i = 0; i < 3; i++)
    if (wanted[i] && mask.data[i])
      made[i] = at_layerNew(&pool, compute, i == 0 ? at_sizesOf(self) : normalized_shape);
  if (at_numel(self) > 0) {
    at_lines_normalized lines = {.n = p.inner, .y = made[0] ? at_data(made[0]) : NULL};
    lines.x = elements_of(&pool, self, compute);
    lines.g = elements_of(&pool, grad_output, compute);
    lines.weight = elements_or(&pool, weight, compute, &p, 1);
    lines.mean = elements_of(&pool, mean, compute);
    lines.rstd = elements_of(&pool, rstd, compute);
    gradients(made, &lines, compute, &p);
  } else
    for (int i = 0; i < 3; i++)
      if (made[i])
        at_fillWith(made[i], at_scalar_long(0));
  for (int i = 0; i < 3; i++)
    made[i] = at_layerCast(&pool, made[i], i == 0 ? self->type : type);
  at_layerEndAll(&pool, 3, out, made);
}
