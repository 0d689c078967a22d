/* Connectionist temporal classification.  A target of n labels has 2 n + 1 states: blanks at even ones,
 * its labels at odd ones.  From a state a step leads to itself, to the next, or from a label over a blank
 * to another label.  All is computed in Double, on the CPU a sample by a thread. */
#include "ctc.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "TH/THParallel.h"

typedef struct {
  at_ctc_sizes of;
  const double *probs; /* steps x batch x classes */
  const int64_t *labels;
  double *alpha, *loss;    /* batch x steps x states, batch */
  double *beta, *gradient; /* batch x 2 x states, steps x batch x classes */
  const double *grad;      /* batch */
  bool zerosInfinity;
} Ctc;

static int64_t states_of(const Ctc *c)
{
  return 2 * c->of.longest + 1;
}

/* --- operands --------------------------------------------------------------------------------- */

/* t as contiguous elements of that type on the CPU; lengths may be on a device. */
static void *elements(at_pool *pool, at_tensor *t, at_scalar_type type)
{
  t = at_cast(pool, t, at_toScalarType(at_hostType(t->type), type));
  return at_hostData(at_hold(pool, at_makeContiguous(t)));
}

static void check_lengths(const char *name, at_ints list, const at_tensor *t, int64_t batch)
{
  const int64_t count = t ? at_numel(t) : list.count;
  if (t && (at_sizesOf(t).count > 1 || t->type->scalarType > AT_LONG))
    at_raise(AT_ERROR_ARGUMENT, "%s is of %s and size (%s), and has to be a vector of integers",
             name, at_scalarTypeName(t->type->scalarType), at_sizeDesc(at_sizesOf(t)).str);
  if (count != batch)
    at_raise(AT_ERROR_ARGUMENT, "%s has %lld numbers, for a batch of %lld", name, (long long)count,
             (long long)batch);
}

void at_ctcRaiseLength(const char *name, int64_t at, int64_t length, int64_t most)
{
  at_raise(AT_ERROR_ARGUMENT, "%s[%lld] is %lld, and has to be from 0 to %lld", name, (long long)at,
           (long long)length, (long long)most);
}

/* The lengths called name, batch of them, each from 0 to most. */
static const int64_t *lengths_of(at_pool *pool, const char *name, at_ints list, at_tensor *t,
                                 int64_t batch, int64_t most)
{
  const int64_t *const data = t ? elements(pool, t, AT_LONG) : list.data;
  for (int64_t i = 0; i < batch; i++)
    if (data[i] < 0 || data[i] > most)
      at_ctcRaiseLength(name, i, data[i], most);
  return data;
}

/* The lengths as a vector of Long where they are. */
static at_tensor *lengths_there(at_pool *pool, at_tensor *t)
{
  return at_hold(pool, at_makeContiguous(at_cast(pool, t, at_toScalarType(t->type, AT_LONG))));
}

void at_ctcRaiseLabel(int64_t at, int64_t sample, int64_t label, int64_t classes)
{
  at_raise(AT_ERROR_ARGUMENT, "label %lld of target %lld is %lld, and there are %lld classes",
           (long long)at, (long long)sample, (long long)label, (long long)classes);
}

static void check_labels(const Ctc *c)
{
  for (int64_t b = 0; b < c->of.batch; b++)
    for (int64_t i = 0; i < c->of.lengths[b]; i++) {
      const int64_t label = c->labels[c->of.starts[b] + i];
      if (label < 0 || label >= c->of.classes)
        at_ctcRaiseLabel(i, b, label, c->of.classes);
    }
}

/* Where the targets of the samples begin. */
static const int64_t *starts_of(at_pool *pool, const at_ctc_sizes *c, at_ints sizes)
{
  int64_t *const starts = at_hostData(at_layerNew(pool, AT_CPU(AT_LONG), (at_ints){&c->batch, 1}));
  int64_t sum = 0;
  for (int64_t b = 0; b < c->batch; b++) {
    starts[b] = sizes.count == 1 ? sum : b * sizes.data[1];
    if (sizes.count == 1 && c->lengths[b] > sizes.data[0] - sum)
      at_raise(AT_ERROR_ARGUMENT, "targets has %lld labels, and target_lengths more",
               (long long)sizes.data[0]);
    sum += c->lengths[b];
  }
  if (sizes.count == 1 && sum != sizes.data[0])
    at_raise(AT_ERROR_ARGUMENT, "targets has %lld labels, and the sum of target_lengths is %lld",
             (long long)sizes.data[0], (long long)sum);
  return starts;
}

/* Lengths alone may be elsewhere than log_probs. */
static void check_device(const at_tensor *log_probs, const at_tensor *t, const char *name)
{
  const int own = at_deviceOf(log_probs), its = at_deviceOf(t);
  if (at_isOnHost(log_probs->type) != at_isOnHost(t->type) || own != its)
    at_raise(AT_ERROR_ARGUMENT,
             "%s is of %s on device %d, and log_probs of %s on device %d (-1 is the CPU)", name,
             t->type->name, its, log_probs->type->name, own);
}

static void check_operands(at_tensor *log_probs, at_tensor *targets, int64_t blank)
{
  const at_ints sizes = at_sizesOf(log_probs), own = at_sizesOf(targets);
  const at_scalar_type type = targets->type->scalarType;
  const at_scalar_type given = log_probs->type->scalarType;
  if (given != AT_FLOAT && given != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "log_probs is of %s, and has to be of Float or Double",
             at_scalarTypeName(given));
  if (sizes.count != 3 || at_numel(log_probs) == 0)
    at_raise(AT_ERROR_ARGUMENT, "log_probs has size (%s), and has to be steps x batch x classes",
             at_sizeDesc(sizes).str);
  if (type != AT_LONG && type != AT_INT)
    at_raise(AT_ERROR_TYPE, "targets is of %s, and has to be of Long or Int",
             at_scalarTypeName(type));
  if (own.count != 1 && (own.count != 2 || own.data[0] != sizes.data[1]))
    at_raise(AT_ERROR_ARGUMENT,
             "targets has size (%s): a row for each of %lld samples, or all labels is expected",
             at_sizeDesc(own).str, (long long)sizes.data[1]);
  if (blank < 0 || blank >= sizes.data[2])
    at_raise(AT_ERROR_ARGUMENT, "blank is %lld, and there are %lld classes", (long long)blank,
             (long long)sizes.data[2]);
  check_device(log_probs, targets, "targets");
}

static bool is_with(const at_tensor *log_probs, const at_tensor *t)
{
  return t && !at_isOnHost(t->type) && at_deviceOf(t) == at_deviceOf(log_probs);
}

/* Checks all that is not in the memory of a device. */
static at_ctc_sizes sizes_of(at_pool *pool, at_tensor *log_probs, at_tensor *targets,
                             at_ctc_lengths lengths, int64_t blank)
{
  check_operands(log_probs, targets, blank);
  const at_ints sizes = at_sizesOf(log_probs), own = at_sizesOf(targets);
  at_ctc_sizes c = {
      .steps = sizes.data[0], .batch = sizes.data[1], .classes = sizes.data[2], .blank = blank};
  c.width = own.data[own.count - 1];
  check_lengths("input_lengths", lengths.inputs, lengths.inputTensor, c.batch);
  check_lengths("target_lengths", lengths.targets, lengths.targetTensor, c.batch);
  if (own.count == 2 && is_with(log_probs, lengths.inputTensor) &&
      is_with(log_probs, lengths.targetTensor)) {
    c.there[0] = lengths_there(pool, lengths.inputTensor);
    c.there[1] = lengths_there(pool, lengths.targetTensor);
    c.longest = c.width;
    return c;
  }
  c.inputs =
      lengths_of(pool, "input_lengths", lengths.inputs, lengths.inputTensor, c.batch, c.steps);
  c.lengths =
      lengths_of(pool, "target_lengths", lengths.targets, lengths.targetTensor, c.batch, c.width);
  c.starts = starts_of(pool, &c, own);
  for (int64_t b = 0; b < c.batch; b++)
    c.longest = THMax(c.longest, c.lengths[b]);
  return c;
}

static Ctc opened(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                  at_tensor *targets)
{
  Ctc c = {.of = *sizes, .labels = elements(pool, targets, AT_LONG)};
  check_labels(&c);
  c.probs = elements(pool, log_probs, AT_DOUBLE);
  return c;
}

/* --- a sample --------------------------------------------------------------------------------- */

/* log(exp(a) + exp(b) + exp(c)) */
static double log_sum(double a, double b, double c)
{
  const double most = fmax(a, fmax(b, c));
  return most == -(double)INFINITY ? most
                                   : most + log(exp(a - most) + exp(b - most) + exp(c - most));
}

static int64_t label_of(const Ctc *c, int64_t b, int64_t state)
{
  return state % 2 == 0 ? c->of.blank : c->labels[c->of.starts[b] + state / 2];
}

/* Whether a step may lead from state - 2 to state: both are then labels, and they differ. */
static bool skips(const Ctc *c, int64_t b, int64_t state)
{
  return state % 2 == 1 && state >= 2 && label_of(c, b, state) != label_of(c, b, state - 2);
}

static const double *probs_at(const Ctc *c, int64_t b, int64_t t)
{
  return c->probs + (t * c->of.batch + b) * c->of.classes;
}

/* The forward variables of a sample, and its loss. */
static void forward(const Ctc *c, int64_t b)
{
  const double never = -(double)INFINITY;
  const int64_t states = states_of(c), used = 2 * c->of.lengths[b] + 1;
  double *alpha = c->alpha + b * c->of.steps * states;
  for (int64_t i = 0; i < c->of.steps * states; i++)
    alpha[i] = never;
  if (c->of.inputs[b] == 0) {
    c->loss[b] = used == 1 ? 0 : (double)INFINITY;
    return;
  }
  for (int64_t s = 0; s < THMin(2, used); s++)
    alpha[s] = probs_at(c, b, 0)[label_of(c, b, s)];
  for (int64_t t = 1; t < c->of.inputs[b]; t++) {
    const double *const p = probs_at(c, b, t), *const before = alpha;
    alpha += states;
    for (int64_t s = 0; s < used; s++)
      alpha[s] = p[label_of(c, b, s)] + log_sum(before[s], s > 0 ? before[s - 1] : never,
                                                skips(c, b, s) ? before[s - 2] : never);
  }
  c->loss[b] = -log_sum(alpha[used - 1], used > 1 ? alpha[used - 2] : never, never);
}

static void forward_samples(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  for (ptrdiff_t b = begin; b < end; b++)
    forward(context, b);
}

/* The backward variables of step t, which is the last if next is NULL. */
static void step_back(const Ctc *c, int64_t b, int64_t t, const double *next, double *beta)
{
  const double never = -(double)INFINITY, *const p = probs_at(c, b, t);
  const int64_t used = 2 * c->of.lengths[b] + 1;
  for (int64_t s = 0; s < used; s++) {
    const double paths = !next ? (s + 2 >= used ? 0 : never)
                               : log_sum(next[s], s + 1 < used ? next[s + 1] : never,
                                         s + 2 < used && skips(c, b, s + 2) ? next[s + 2] : never);
    beta[s] = paths + p[label_of(c, b, s)];
  }
}

/* The gradient at step t: the classes' probabilities, less those of them that the target leaves. */
static void gradient_at(const Ctc *c, int64_t b, int64_t t, const double *beta)
{
  const double *const p = probs_at(c, b, t);
  const double *const alpha = c->alpha + (b * c->of.steps + t) * states_of(c);
  double *const g = c->gradient + (t * c->of.batch + b) * c->of.classes;
  for (int64_t i = 0; i < c->of.classes; i++)
    g[i] = isinf(c->loss[b]) ? (double)NAN : exp(p[i]);
  for (int64_t s = 0; s < 2 * c->of.lengths[b] + 1; s++) {
    const double both = alpha[s] + beta[s];
    if (both != -(double)INFINITY)
      g[label_of(c, b, s)] -= exp(both + c->loss[b] - p[label_of(c, b, s)]);
  }
  for (int64_t i = 0; i < c->of.classes; i++)
    g[i] *= c->grad[b];
}

static void backward(const Ctc *c, int64_t b)
{
  const bool isZero = c->zerosInfinity && isinf(c->loss[b]);
  const int64_t states = states_of(c);
  double *const rows = c->beta + 2 * b * states;
  for (int64_t t = c->of.steps - 1; t >= 0; t--) {
    double *const g = c->gradient + (t * c->of.batch + b) * c->of.classes;
    if (isZero || t >= c->of.inputs[b]) {
      for (int64_t i = 0; i < c->of.classes; i++)
        g[i] = 0;
      continue;
    }
    double *const beta = rows + t % 2 * states;
    step_back(c, b, t, t + 1 < c->of.inputs[b] ? rows + (t + 1) % 2 * states : NULL, beta);
    gradient_at(c, b, t, beta);
  }
}

static void backward_samples(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  for (ptrdiff_t b = begin; b < end; b++)
    backward(context, b);
}

/* --- batches ---------------------------------------------------------------------------------- */

static at_tensor *new_doubles(at_pool *pool, int64_t a, int64_t b, int64_t c)
{
  const int64_t sizes[] = {a, b, c};
  return at_layerNew(pool, AT_CPU(AT_DOUBLE), (at_ints){sizes, c ? 3 : 1});
}

void at_ctc(at_tensor **out, at_tensor *log_probs, at_tensor *targets, at_ctc_lengths lengths,
            int64_t blank)
{
  at_pool pool;
  at_pool_enter(&pool);
  const at_ctc_sizes sizes = sizes_of(&pool, log_probs, targets, lengths, blank);
  if (!at_isOnHost(log_probs->type)) {
    at_tensor *made[2];
    at_ctcDevice(&pool, &sizes, log_probs, targets, made);
    at_finish(&pool, 2, out, made);
    return;
  }
  Ctc c = opened(&pool, &sizes, log_probs, targets);
  at_tensor *const loss = new_doubles(&pool, c.of.batch, 0, 0);
  at_tensor *const alpha = new_doubles(&pool, c.of.batch, c.of.steps, states_of(&c));
  c.loss = at_hostData(loss);
  c.alpha = at_hostData(alpha);
  THParallel_for(c.of.batch, 1, forward_samples, &c);
  at_tensor *const made[] = {at_cast(&pool, loss, log_probs->type),
                             at_cast(&pool, alpha, log_probs->type)};
  at_finish(&pool, 2, out, made);
}

static void check_result(const at_tensor *log_probs, const at_tensor *t, const char *name,
                         at_ints sizes)
{
  check_device(log_probs, t, name);
  at_checkType(t, name, log_probs->type);
  if (!at_sameSizes(at_sizesOf(t), sizes))
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have (%s)", name,
             at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(sizes).str);
}

at_tensor *at_ctcBackward(at_tensor *grad, at_tensor *log_probs, at_tensor *targets,
                          at_ctc_lengths lengths, at_tensor *neg_log_likelihood,
                          at_tensor *log_alpha, int64_t blank, bool zero_infinity)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_ctc_sizes of = sizes_of(&pool, log_probs, targets, lengths, blank);
  const at_ints given = at_sizesOf(log_alpha);
  if (of.there[0] && given.count == 3) /* its width says how long targets may be */
    of.longest = THMin(of.width, given.data[2] / 2);
  const int64_t sizes[] = {of.batch, of.steps, 2 * of.longest + 1};
  check_result(log_probs, grad, "grad", (at_ints){sizes, 1});
  check_result(log_probs, neg_log_likelihood, "neg_log_likelihood", (at_ints){sizes, 1});
  check_result(log_probs, log_alpha, "log_alpha", (at_ints){sizes, 3});
  if (!at_isOnHost(log_probs->type))
    return at_finishOne(&pool, NULL,
                        at_ctcDeviceBackward(&pool, &of, log_probs, targets, grad,
                                             neg_log_likelihood, log_alpha, zero_infinity));
  Ctc c = opened(&pool, &of, log_probs, targets);
  at_tensor *const made = new_doubles(&pool, of.steps, of.batch, of.classes);
  c.zerosInfinity = zero_infinity;
  c.grad = elements(&pool, grad, AT_DOUBLE);
  c.loss = elements(&pool, neg_log_likelihood, AT_DOUBLE);
  c.alpha = elements(&pool, log_alpha, AT_DOUBLE);
  c.beta = at_hostData(new_doubles(&pool, c.of.batch, 2, states_of(&c)));
  c.gradient = at_hostData(made);
  THParallel_for(c.of.batch, 1, backward_samples, &c);
  return at_finishOne(&pool, NULL, at_cast(&pool, made, log_probs->type));
}
