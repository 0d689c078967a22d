/* Normalization: of channels over a batch, and of each input by itself. */
#include <math.h>

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

/* --- of each input by itself ----------------------------------------------------------------- */

/* A tensor as outer x inner elements, the latter normalized together. */
typedef struct {
  int64_t outer, inner;
  int64_t sizes[AT_MOST_DIMS]; /* of the statistics: 1 where dimensions are normalized */
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

/* t, in the type that computes and of as many elements, as a contiguous row of rows. */
static at_tensor *rows_of(at_pool *pool, at_tensor *t, const at_type *compute, const Parts *p)
{
  const int64_t sizes[] = {p->outer, p->inner};
  t = at_hold(pool, at_makeContiguous(at_cast(pool, t, compute)));
  return at_hold(pool, at_viewAs(t, (at_ints){sizes, 2}));
}

/* One for each row, or one for each column, to compute with rows. */
static void *across(at_pool *pool, at_tensor *t, const at_type *compute, const Parts *p,
                    bool ofColumn)
{
  const int64_t one[] = {ofColumn ? 1 : p->outer, ofColumn ? p->inner : 1};
  const int64_t all[] = {p->outer, p->inner};
  t = at_hold(pool, at_reshaped(at_cast(pool, t, compute), (at_ints){one, 2}));
  return at_hold(pool, at_newExpanded(t, (at_ints){all, 2}))->th;
}

/* The same rows as a batch of one, whose channels they are. */
static void *batch_of(at_pool *pool, at_tensor *rows)
{
  const int64_t sizes[] = {1, rows->th->size[0], rows->th->size[1]};
  return at_hold(pool, at_viewAs(rows, (at_ints){sizes, 3}))->th;
}

static void row_of_rows(const at_functions *f, at_row row, at_tensor *r, void *x, void *y)
{
  const at_scalar one = at_scalar_long(1);
  f->rows[row](r->th, x, y, NULL, one, one);
}

/* Some rows of x become those of y; what the first pass over them brings into the cache is there
 * for the others. */
static void normalize_rows(at_tensor *x, at_tensor *y, at_tensor *mean, at_tensor *std,
                           at_tensor *weight, at_tensor *bias, const Parts *p, double eps)
{
  const at_functions *f = x->type->functions;
  const at_scalar one = at_scalar_long(1);
  at_pool pool;
  at_pool_enter(&pool);
  f->BatchNormalization_updateOutput(batch_of(&pool, x), batch_of(&pool, y), NULL, NULL, NULL, NULL,
                                     mean->th, std->th, true, 0, eps);
  void *w = weight ? across(&pool, weight, x->type, p, true) : NULL;
  void *b = bias ? across(&pool, bias, x->type, p, true) : NULL;
  if (w && b)
    f->rows[AT_ROW_addcmul](y->th, b, y->th, w, one, one);
  else if (w)
    row_of_rows(f, AT_ROW_cmul, y, y->th, w);
  else if (b)
    row_of_rows(f, AT_ROW_cadd, y, y->th, b);
  at_pool_leave(&pool);
}

enum { TOGETHER = 1 << 15 }; /* elements of rows that stay in a thread's cache */

void at_nnLayerNorm(at_tensor **out, int results, at_tensor *self, at_ints normalized_shape,
                    at_tensor *weight, at_tensor *bias, double eps)
{
  static const char *const names[] = {"weight", "bias"};
  at_tensor *const given[] = {weight, bias};
  const at_type *compute = at_layerType(self), *type = channel_type(self, 2, given, names);
  const Parts p = parts_of(self, normalized_shape, weight, bias);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x = rows_of(&pool, self, compute, &p);
  at_tensor *made[3] = {at_layerNew(&pool, compute, at_sizesOf(self))};
  for (int i = 1; i < 3; i++)
    made[i] = at_layerNew(&pool, compute, (at_ints){p.sizes, p.dims});
  at_tensor *y = rows_of(&pool, made[0], compute, &p);
  if (p.inner == 0) {
    at_fillWith(made[1], at_scalar_double(0));
    at_fillWith(made[2], at_scalar_double((double)NAN));
  } else if (p.outer > 0) {
    const int64_t one[] = {p.outer};
    at_tensor *mean = at_hold(&pool, at_viewAs(made[1], (at_ints){one, 1}));
    at_tensor *std = at_hold(&pool, at_viewAs(made[2], (at_ints){one, 1}));
    weight = weight ? at_cast(&pool, weight, compute) : NULL;
    bias = bias ? at_cast(&pool, bias, compute) : NULL;
    const int64_t threads = THGetNumThreads();
    const int64_t few =
        at_isOnHost(compute) ? THMax(threads, threads * TOGETHER / p.inner) : p.outer;
    for (int64_t row = 0; row < p.outer; row += few) {
      Parts some = p;
      some.outer = THMin(few, p.outer - row);
      at_pool part;
      at_pool_enter(&part);
      at_tensor *rows[] = {x, y, mean, std};
      for (int i = 0; i < 4; i++)
        rows[i] = at_hold(&part, at_viewNarrow(rows[i], 0, row, some.outer));
      normalize_rows(rows[0], rows[1], rows[2], rows[3], weight, bias, &some, eps);
      at_pool_leave(&part);
    }
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

/* r, with an element for each column, becomes the sum of the rows. */
static void sum_of_rows(at_tensor *r, at_tensor *rows, const Parts *p)
{
  const int64_t one[] = {1, p->inner};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *sum = at_hold(&pool, at_viewAs(r, (at_ints){one, 2}));
  r->type->functions->sum(sum->th, rows->th, 0, 1);
  at_pool_leave(&pool);
}

/* room is for rows. */
static void weight_gradient(at_tensor *r, at_tensor *g, at_tensor *x, at_tensor *mean,
                            at_tensor *rstd, at_tensor *room, const Parts *p)
{
  const at_functions *f = r->type->functions;
  at_pool pool;
  at_pool_enter(&pool);
  row_of_rows(f, AT_ROW_csub, room, x->th, across(&pool, mean, r->type, p, false));
  row_of_rows(f, AT_ROW_cmul, room, room->th, across(&pool, rstd, r->type, p, false));
  row_of_rows(f, AT_ROW_cmul, room, room->th, g->th);
  sum_of_rows(r, room, p);
  at_pool_leave(&pool);
}

static void input_gradient(at_tensor *r, at_tensor *g, at_tensor *x, at_tensor *weight,
                           at_tensor *mean, at_tensor *rstd, at_tensor *room, const Parts *p)
{
  const at_functions *f = r->type->functions;
  const int64_t outer[] = {p->outer};
  at_pool pool;
  at_pool_enter(&pool);
  if (weight) {
    row_of_rows(f, AT_ROW_cmul, room, g->th, across(&pool, weight, r->type, p, true));
    g = room;
  }
  mean = at_hold(&pool, at_reshaped(at_cast(&pool, mean, r->type), (at_ints){outer, 1}));
  rstd = at_hold(&pool, at_reshaped(at_cast(&pool, rstd, r->type), (at_ints){outer, 1}));
  f->BatchNormalization_backward(batch_of(&pool, x), batch_of(&pool, g),
                                 batch_of(&pool, rows_of(&pool, r, r->type, p)), NULL, NULL, NULL,
                                 NULL, NULL, mean->th, rstd->th, true, 1, 0);
  at_pool_leave(&pool);
}

/* Of the input, and of weight and bias; those that are NULL are not wanted.  Some rows at a time:
 * what one pass over them leaves in the caches is there for the others.  How many does not depend
 * on the number of threads, and so neither do the sums. */
static void gradients_in_parts(at_tensor *const made[3], at_tensor *g, at_tensor *x,
                               at_tensor *weight, at_tensor *mean, at_tensor *rstd, const Parts *p)
{
  const bool near = at_isOnHost(x->type);
  const int64_t few = near ? THMax(1, 2 * TOGETHER / p->inner) : p->outer;
  const int64_t count = (p->outer + few - 1) / few, sizes[] = {count, p->inner};
  at_pool pool;
  at_pool_enter(&pool);
  enum { ROOM = 5, OPERANDS };
  const int64_t one[] = {p->outer}, together[] = {THMin(few, p->outer), p->inner};
  at_tensor *sums[2] = {NULL}, *rows[OPERANDS] = {g, x};
  rows[2] = at_hold(&pool, at_reshaped(mean, (at_ints){one, 1}));
  rows[3] = at_hold(&pool, at_reshaped(rstd, (at_ints){one, 1}));
  rows[4] = made[0] ? rows_of(&pool, made[0], x->type, p) : NULL;
  rows[ROOM] = at_layerNew(&pool, x->type, (at_ints){together, 2});
  for (int i = 0; i < 2; i++)
    if (made[1 + i])
      sums[i] = at_layerNew(&pool, x->type, (at_ints){sizes, 2});
  for (int64_t k = 0; k < count; k++) {
    Parts some = *p;
    some.outer = THMin(few, p->outer - k * few);
    at_pool part;
    at_pool_enter(&part);
    at_tensor *of[OPERANDS] = {NULL};
    for (int i = 0; i < OPERANDS; i++)
      if (rows[i])
        of[i] = at_hold(&part, at_viewNarrow(rows[i], 0, i == ROOM ? 0 : k * few, some.outer));
    if (made[0])
      input_gradient(of[4], of[0], of[1], weight, of[2], of[3], of[ROOM], &some);
    if (sums[0])
      weight_gradient(at_hold(&part, at_viewSelect(sums[0], 0, k)), of[0], of[1], of[2], of[3],
                      of[ROOM], &some);
    if (sums[1])
      sum_of_rows(at_hold(&part, at_viewSelect(sums[1], 0, k)), of[0], &some);
    at_pool_leave(&part);
  }
  const Parts all = {.outer = count, .inner = p->inner};
  for (int i = 0; i < 2; i++)
    if (sums[i])
      sum_of_rows(made[1 + i], sums[i], &all);
  at_pool_leave(&pool);
}

void at_nnLayerNormBack(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                        at_tensor *self, at_ints normalized_shape, at_tensor *mean, at_tensor *rstd,
                        at_tensor *weight, at_tensor *bias, at_ints mask)
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
  at_tensor *x = rows_of(&pool, self, compute, &p), *g = rows_of(&pool, grad_output, compute, &p);
  at_tensor *made[3] = {NULL};
  for (int i = 0; i < 3; i++)
    if (wanted[i] && mask.data[i])
      made[i] = at_layerNew(&pool, compute, i == 0 ? at_sizesOf(self) : normalized_shape);
  if (at_numel(self) > 0)
    gradients_in_parts(made, g, x, weight, mean, rstd, &p);
  else
    for (int i = 0; i < 3; i++)
      if (made[i])
        at_fillWith(made[i], at_scalar_long(0));
  for (int i = 0; i < 3; i++)
    made[i] = at_layerCast(&pool, made[i], i == 0 ? self->type : type);
  at_layerEndAll(&pool, 3, out, made);
}
