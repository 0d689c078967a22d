/* Random numbers.  TH draws them; those of Half and BFloat16 are drawn in Float. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/complex/complex.h"
#include "ATen/core/device.h"
#include "drawn.h"
#include "THRandom.h"

static const at_scalar none;

THGenerator *at_drawnFrom(const at_type *type, at_generator *generator)
{
  if (generator && generator->backend != type->backend)
    at_raise(AT_ERROR_TYPE, "the generator is of %s, and self is of %s",
             generator->backend == AT_BACKEND_CPU ? "the CPU" : "CUDA", at_type_toString(type));
  return (generator && generator->th ? generator : at_defaultGenerator(AT_BACKEND_CPU))->th;
}

static bool is_small(const at_type *type)
{
  return type->scalarType == AT_HALF || type->scalarType == AT_BFLOAT16;
}

/* --- filling ---------------------------------------------------------------------------------- */

/* A tensor that is being filled.  As in PyTorch, its elements take their draws in the order in which
 * they lie in memory. */
typedef struct Filling {
  at_pool pool;
  at_tensor *self, *ordered; /* ordered: a view in the order of memory, or self */
} Filling;

/* Whether that is the order of its dimensions.  On devices numbers depend on the element's index. */
static bool is_ordered(const at_tensor *self)
{
  return at_isContiguous(self) || !at_isOnHost(self->type);
}

static void order(Filling *f, at_tensor *self)
{
  at_checkWritable(self);
  at_pool_enter(&f->pool);
  f->self = self;
  f->ordered = is_ordered(self) ? self : at_hold(&f->pool, at_viewInOrder(self));
}

/* The tensor to fill: a view of self, or for a narrow self a tensor of type, which is converted to
 * self at the end. */
static at_tensor *begin(Filling *f, at_tensor *self, at_scalar_type type)
{
  order(f, self);
  return is_small(self->type) ? at_hold(&f->pool, at_newShape(at_toScalarType(self->type, type),
                                                              at_sizesOf(f->ordered)))
                              : f->ordered;
}

static at_tensor *end(Filling *f, at_tensor *filled)
{
  if (filled != f->ordered && at_numel(filled) > 0)
    at_convert(f->ordered, filled);
  at_pool_leave(&f->pool);
  return f->self;
}

/* Raises unless the parameters are valid for the distribution. */
static void check_parameters(at_draw draw, double a, double b)
{
  static const struct {
    const char *name, *needs;
  } rows[] = {[AT_DRAW_UNIFORM] = {"from and to", "finite, to not below from"},
              [AT_DRAW_NORMAL] = {"mean and std", "finite, std not below 0"},
              [AT_DRAW_LOG_NORMAL] = {"mean and std", "finite, std above 0"},
              [AT_DRAW_EXPONENTIAL] = {"lambd", "above 0"},
              [AT_DRAW_CAUCHY] = {"median and sigma", "finite, sigma above 0"},
              [AT_DRAW_GEOMETRIC] = {"p", "between 0 and 1"},
              [AT_DRAW_BERNOULLI] = {"p", "in [0, 1]"}};
  const bool finite = isfinite(a) && isfinite(b);
  bool fits = false;
  switch (draw) {
    case AT_DRAW_UNIFORM:
      fits = finite && a <= b;
      break;
    case AT_DRAW_NORMAL:
      fits = finite && b >= 0;
      break;
    case AT_DRAW_LOG_NORMAL:
    case AT_DRAW_CAUCHY:
      fits = finite && b > 0;
      break;
    case AT_DRAW_EXPONENTIAL:
      fits = finite && a > 0;
      break;
    case AT_DRAW_GEOMETRIC:
      fits = a > 0 && a < 1;
      break;
    case AT_DRAW_BERNOULLI:
      fits = a >= 0 && a <= 1;
      break;
  }
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "%s: %g and %g, and has to be %s", rows[draw].name, a, b,
             rows[draw].needs);
}

static void draw_into(at_tensor *t, at_draw draw, double a, double b, THGenerator *generator)
{
  const at_type *const moves = at_movesAs(t->type);
  switch (draw) {
    case AT_DRAW_UNIFORM:
      AT_OF(moves, uniform)(t->th, generator, a, b);
      break;
    case AT_DRAW_NORMAL:
      AT_OF(moves, normal)(t->th, generator, a, b);
      break;
    case AT_DRAW_LOG_NORMAL:
      AT_OF(moves, logNormal)(t->th, generator, a, b);
      break;
    case AT_DRAW_EXPONENTIAL:
      AT_OF(moves, exponential)(t->th, generator, a);
      break;
    case AT_DRAW_CAUCHY:
      AT_OF(moves, cauchy)(t->th, generator, a, b);
      break;
    case AT_DRAW_GEOMETRIC:
      AT_OF(moves, geometric)(t->th, generator, a);
      break;
    case AT_DRAW_BERNOULLI:
      AT_OF(moves, bernoulli)(t->th, generator, a);
      break;
  }
}

/* Draws normal numbers as PyTorch does for tensors that are not contiguous: in pairs, as doubles. */
static void draw_pairs(at_tensor *t, double mean, double std, THGenerator *generator)
{
  Filling f;
  const int64_t n = at_numel(t);
  order(&f, t);
  at_tensor *const wide =
      at_hold(&f.pool, at_newShape(at_toScalarType(t->type, AT_DOUBLE), at_sizesOf(f.ordered)));
  double *const x = at_hostData(wide);
  for (int64_t i = 0; i < n; i++)
    x[i] = THRandom_normal(generator, mean, std);
  end(&f, wide);
}

at_tensor *at_drawFill(at_tensor *self, at_draw draw, double a, double b, at_generator *generator)
{
  Filling f;
  if (draw != AT_DRAW_GEOMETRIC && draw != AT_DRAW_BERNOULLI)
    at_checkFloating(self, "self");
  if (draw == AT_DRAW_GEOMETRIC && self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "self is of Bool");
  check_parameters(draw, a, b);
  if (draw == AT_DRAW_NORMAL && !is_ordered(self)) {
    draw_pairs(self, a, b, at_drawnFrom(self->type, generator));
    return self;
  }
  at_tensor *filled = begin(&f, self, AT_FLOAT);
  if (at_numel(self) > 0)
    draw_into(filled, draw, a, b, at_drawnFrom(filled->type, generator));
  return end(&f, filled);
}

/* Real and imaginary parts have the mean, as in PyTorch, and half of the variance each. */
static at_tensor *fill_complex(at_tensor *self, double mean, double std, at_generator *generator)
{
  check_parameters(AT_DRAW_NORMAL, mean, std);
  at_pool pool;
  at_pool_enter(&pool);
  at_normalFill(at_hold(&pool, at_pairsOf(self)), mean, std / sqrt(2), generator);
  at_pool_leave(&pool);
  return self;
}

at_tensor *at_normalFill(at_tensor *self, double mean, double std, at_generator *generator)
{
  if (at_isComplex(self->type->scalarType))
    return fill_complex(self, mean, std, generator);
  if (std != 0)
    return at_drawFill(self, AT_DRAW_NORMAL, mean, std, generator);
  at_drawFill(self, AT_DRAW_NORMAL, mean, 1, generator); /* also draws a number per element */
  return at_fillWith(self, at_scalar_double(mean));
}

/* Raises unless the range from from to to, and its length, are within the numbers of type. */
static void check_within(const at_type *type, double from, double to)
{
  const at_scalar_type t = type->scalarType;
  const double most = t == AT_HALF       ? 65504
                      : t == AT_BFLOAT16 ? 0x1.fep127
                      : t == AT_FLOAT    ? FLT_MAX
                                         : DBL_MAX;
  if (!(fabs(from) <= most && fabs(to) <= most && to - from <= most))
    at_raise(AT_ERROR_ARGUMENT, "from and to are %g and %g, and their range is not within %s", from,
             to, at_scalarTypeName(t));
}

/* The numbers, of Float, with from for those that the narrow type of self rounds to the end of the range, as PyTorch
 * does. */
static at_tensor *without_end(at_pool *pool, at_tensor *numbers, const at_tensor *self, double from,
                              double to)
{
  const at_type *const narrow = at_toScalarType(numbers->type, self->type->scalarType);
  at_tensor *const end = at_hold(pool, at_newScalar(at_hostType(narrow), at_scalar_double(to)));
  at_tensor *const rounded = at_hold(pool, at_newCast(numbers, narrow));
  at_tensor *const isEnd =
      at_hold(pool, at_compareScalar(NULL, AT_ROW_eqValue, at_cast(pool, rounded, numbers->type),
                                     at_elementAt(end, 0)));
  return at_hold(pool, at_choose(NULL, isEnd, NULL, at_scalar_double(from), numbers, none));
}

at_tensor *at_uniformFill(at_tensor *self, double from, double to, at_generator *generator)
{
  Filling f;
  if (at_isComplex(self->type->scalarType)) {
    at_pool_enter(&f.pool);
    at_uniformFill(at_hold(&f.pool, at_pairsOf(self)), from, to, generator);
    at_pool_leave(&f.pool);
    return self;
  }
  check_within(self->type, from, to);
  if (!is_small(self->type) || at_numel(self) == 0)
    return at_drawFill(self, AT_DRAW_UNIFORM, from, to, generator);
  check_parameters(AT_DRAW_UNIFORM, from, to);
  at_tensor *const filled = begin(&f, self, AT_FLOAT);
  draw_into(filled, AT_DRAW_UNIFORM, from, to, at_drawnFrom(filled->type, generator));
  return end(&f, without_end(&f.pool, filled, self, from, to));
}

/* --- integers --------------------------------------------------------------------------------- */

/* How many bits a number of a floating type has. */
static int digits_of(at_scalar_type type)
{
  return type == AT_HALF       ? 11
         : type == AT_BFLOAT16 ? 8
         : type == AT_FLOAT    ? FLT_MANT_DIG
                               : DBL_MANT_DIG;
}

at_tensor *at_randomFill(at_tensor *self, at_generator *generator)
{
  Filling f;
  at_tensor *filled = begin(&f, self, AT_INT);
  const at_type *const moves = at_movesAs(filled->type);
  const at_scalar_type type = self->type->scalarType;
  if (at_numel(self) == 0)
    return end(&f, filled);
  if (type == AT_HALF || type == AT_BFLOAT16 || type == AT_BOOL)
    AT_OF(moves, clampedRandom)(filled->th, at_drawnFrom(self->type, generator), 0,
                                type == AT_BOOL ? 1 : 1 << digits_of(type));
  else
    AT_OF(moves, random)(filled->th, at_drawnFrom(self->type, generator));
  return end(&f, filled);
}

/* The smallest and largest integer of a type, limited to the range of Long. */
static void limits(const at_type *type, int64_t *least, int64_t *most)
{
  *least = INT64_MIN;
  *most = INT64_MAX;
  if (type->scalarType == AT_BOOL || type->scalarType == AT_BYTE) {
    *least = 0;
    *most = type->scalarType == AT_BOOL ? 1 : UINT8_MAX;
  } else if (type->scalarType == AT_HALF) {
    *most = 65504;
    *least = -*most;
  } else if (!at_isFloating(type->scalarType) && type->scalarType != AT_LONG) {
    *most = ((int64_t)1 << (8 * type->elementSize - 1)) - 1;
    *least = -*most - 1;
  }
}

/* By how many bits x is longer than digits; negative where it is shorter. */
static int excess_of(int64_t x, int digits)
{
  int bits = 0;
  for (uint64_t left = x < 0 ? 0 - (uint64_t)x : (uint64_t)x; left; left >>= 1)
    bits++;
  return bits - digits;
}

/* The nearest number of that many bits; of two, the even one. */
static int64_t rounded_to(int64_t x, int digits)
{
  const int excess = excess_of(x, digits);
  if (excess <= 0)
    return x;
  const uint64_t unit = UINT64_C(1) << excess, half = unit / 2;
  const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, rest = size & (unit - 1);
  uint64_t rounded = size - rest;
  if (rest > half || (rest == half && (rounded & unit)))
    rounded += unit;
  if (x < 0)
    return (int64_t)(0 - rounded);
  return rounded > INT64_MAX ? INT64_MAX : (int64_t)rounded;
}

/* Moves the ends of the range so far inwards that no number is rounded to one outside, as PyTorch does. */
static void narrow_range(at_scalar_type type, int64_t *from, int64_t *to)
{
  const int digits = digits_of(type);
  const int64_t first = rounded_to(*from + 1, digits), last = rounded_to(*to - 1, digits);
  if (first < *from)
    *from = first + (INT64_C(1) << excess_of(*from + 1, digits));
  if (last >= *to)
    *to = last - (INT64_C(1) << excess_of(*to - 1, digits));
  if (*from >= *to)
    at_raise(AT_ERROR_ARGUMENT, "there is no number of %s from %lld to below %lld",
             at_scalarTypeName(type), (long long)*from, (long long)*to);
}

at_tensor *at_randomBetween(at_tensor *self, int64_t from, int64_t to, at_generator *generator)
{
  int64_t least, most;
  Filling f;
  limits(self->type, &least, &most);
  if (from >= to)
    at_raise(AT_ERROR_ARGUMENT, "from is %lld, and has to be below to, which is %lld",
             (long long)from, (long long)to);
  if (from < least || to - 1 > most)
    at_raise(AT_ERROR_ARGUMENT, "from is %lld and to %lld, tensors of %s hold %lld to %lld",
             (long long)from, (long long)to, at_scalarTypeName(self->type->scalarType),
             (long long)least, (long long)most);
  if (at_isFloating(self->type->scalarType))
    narrow_range(self->type->scalarType, &from, &to);
  at_tensor *filled = begin(&f, self, AT_FLOAT);
  if (at_numel(self) > 0)
    AT_OF(at_movesAs(filled->type), clampedRandom)(filled->th, at_drawnFrom(self->type, generator),
                                                   from, to - 1);
  return end(&f, filled);
}

at_tensor *at_permutation(at_tensor *out, const at_type *type, int64_t n, at_generator *generator)
{
  type = type ? type : out ? out->type : at_getType(AT_BACKEND_CPU, AT_LONG);
  const at_scalar_type name = type->scalarType;
  int64_t least, most;
  limits(type, &least, &most);
  if (at_isFloating(name)) /* the largest integer up to which all are representable */
    most = ((int64_t)1 << digits_of(name)) + 1;
  if (name == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there are no permutations of Bool");
  if (n < 0 || n > most)
    at_raise(AT_ERROR_ARGUMENT, "n is %lld, and for %s has to be between 0 and %lld", (long long)n,
             at_scalarTypeName(name), (long long)most);
  if (out)
    at_checkType(out, "result", type);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *const held = at_addsAs(type);
  at_tensor *made = at_resultOf(&pool, held == type ? out : NULL, held, (at_ints){&n, 1});
  if (n > 0)
    AT_OF(made->type, randperm)(made->th, at_drawnFrom(type, generator), n);
  if (made->type != type)
    made = at_hold(&pool, at_newCast(made, type));
  return at_finishOne(&pool, out, made);
}

/* --- new tensors ------------------------------------------------------------------------------ */

static void fill_standard(at_tensor *t, at_generator *generator, bool normal)
{
  if (normal)
    at_normalFill(t, 0, 1, generator);
  else
    at_uniformFill(t, 0, 1, generator);
}

at_tensor *at_randSized(at_tensor *out, const at_type *type, at_ints sizes, at_generator *generator,
                        bool normal)
{
  at_pool pool;
  at_pool_enter(&pool);
  if (!type)
    type = out ? out->type : at_getType(AT_BACKEND_CPU, at_defaultType());
  const bool direct = out && out->type == type && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *made = direct ? out : at_resultOf(&pool, out, type, sizes);
  fill_standard(made, generator, normal);
  return at_finishOne(&pool, out, made);
}

at_tensor *at_randLike(at_tensor *self, const at_type *type, at_generator *generator, bool normal)
{
  THGuard guard;
  at_guard(&guard);
  fill_standard(guard.what = at_makeLike(self, type), generator, normal);
  return THGuard_keep(&guard);
}

void at_checkDrawn(at_pool *pool, at_tensor *parameters, const at_draw_rule *rule)
{
  THCFault fault;
  at_tensor *const from = at_hold(pool, at_makeContiguous(parameters));
  at_draw_work work = {.count = at_numel(from),
                       .parameters = at_data(from),
                       .least = rule->least,
                       .most = rule->most};
  work.arg = rule->arg;
  work.report.fault.function = rule->function;
  if (!at_cuda()->check(AT_KERNEL_drawCheck, from->type->held, &work, &work.report, &fault))
    return;
  double number;
  memcpy(&number, &fault.value, sizeof number);
  at_raise(AT_ERROR_ARGUMENT, rule->message, number);
}

bool at_isWithin(const at_draw_rule *rule, at_tensor *numbers)
{
  if (!at_defined(numbers) || at_numel(numbers) == 0)
    return at_defined(numbers);
  at_call call;
  at_begin(&call, rule->function);
  at_onDeviceOf(&call, numbers);
  TH_TRY(call.attempt)
  {
    at_pool pool;
    at_pool_enter(&pool);
    at_tensor *const wide = at_cast(&pool, numbers, at_toScalarType(numbers->type, AT_DOUBLE));
    at_tensor *const all = at_hold(&pool, at_makeContiguous(wide));
    const bool isHost = at_isOnHost(all->type);
    const double *const x = isHost ? at_hostData(all) : NULL;
    if (!isHost)
      at_checkDrawn(&pool, all, rule);
    for (int64_t i = 0; isHost && i < at_numel(all); i++)
      if (!(x[i] >= rule->least && x[i] <= rule->most))
        at_raise(AT_ERROR_ARGUMENT, rule->message, x[i]);
    at_pool_leave(&pool);
  }
  return !at_failed(&call);
}

void at_deviceDraws(at_pool *pool, at_tensor *r, at_tensor *parameters, at_tensor *second,
                    const at_draw_rule *rule, at_kernel kernel)
{
  at_draw_work work = {.count = at_numel(r), .least = rule->least, .most = rule->most};
  at_tensor *const from = at_hold(pool, at_makeContiguous(parameters));
  at_checkDrawn(pool, from, rule);
  if (second)
    work.second = at_data(at_hold(pool, at_makeContiguous(second)));
  at_tensor *const to = at_isContiguous(r) ? r : at_hold(pool, at_newShape(r->type, at_sizesOf(r)));
  work.parameters = at_data(from);
  work.to = at_data(to);
  at_cuda()->draw(AT_DRAW_WORDS, &work.seed, &work.offset);
  at_cuda()->launch(kernel, r->type->held, &work);
  if (to != r)
    at_copyFrom(r, to);
}

static void check_deviations(at_pool *pool, at_tensor *std)
{
  static const at_draw_rule rule = {"normal", "std has the element %g, and has to be 0 or more", 2,
                                    0, (double)INFINITY};
  at_checkFloating(std, "std");
  if (at_numel(std) == 0)
    return;
  at_tensor *const all = at_hold(pool, at_newCast(std, at_toScalarType(std->type, AT_DOUBLE)));
  if (!at_isOnHost(std->type)) {
    at_checkDrawn(pool, all, &rule);
    return;
  }
  const double least = AT_OF(all->type, minall)((void *)all->th).value.number;
  if (!(least >= 0))
    at_raise(AT_ERROR_ARGUMENT, rule.message, least);
}

at_tensor *at_normalOf(at_tensor *out, at_tensor *means, at_tensor *stds, double mean, double std,
                       at_generator *generator)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {means ? means : stds, stds ? stds : means};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_type *type = in[0]->type;
  at_pool pool;
  at_pool_enter(&pool);
  if (!means || !at_isComplex(type->scalarType))
    at_checkFloating(in[0], means ? "mean" : "std");
  if (stds)
    check_deviations(&pool, stds);
  if (out)
    at_checkResult(out, NULL, sizes, type->scalarType);
  /* Half and BFloat16 are rounded once, at the end. */
  const at_type *compute = at_addsAs(type);
  at_tensor *made = at_hold(&pool, at_newShape(compute, sizes));
  at_normalFill(made, 0, std, generator);
  if (stds)
    at_binary(made, AT_ROW_cmul, made, at_hold(&pool, at_newCast(stds, compute)),
              at_scalar_long(1));
  if (means)
    at_binary(made, AT_ROW_cadd, made, at_hold(&pool, at_newCast(means, compute)),
              at_scalar_long(1));
  else
    at_binaryScalar(made, AT_ROW_add_scaled, made, at_scalar_double(mean), at_scalar_long(1));
  if (compute != type)
    made = at_hold(&pool, at_newCast(made, type));
  return at_finishOne(&pool, out, made);
}

/* --- booleans --------------------------------------------------------------------------------- */

at_tensor *at_bernoulliWith(at_tensor *out, at_tensor *self, double p, at_generator *generator)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = out ? out : at_hold(&pool, at_newShape(self->type, at_sizesOf(self)));
  at_drawFill(made, AT_DRAW_BERNOULLI, p, 0, generator);
  return at_finishOne(&pool, out, made);
}

/* Fills self with 1 with the probabilities p, else 0. */
static void fill_by(at_tensor *self, at_tensor *p, at_generator *generator)
{
  Filling f;
  at_pool probabilities;
  int64_t buffer[AT_MOST_DIMS];
  at_checkFloating(p, "p");
  at_checkBroadcast(p, at_sizesOf(self));
  at_pool_enter(&probabilities);
  if (is_small(p->type))
    p = at_hold(&probabilities, at_newCast(p, at_toScalarType(p->type, AT_FLOAT)));
  p = at_hold(&probabilities, at_newExpanded(p, at_sizesOf(self)));
  if (!is_ordered(self))
    p = at_hold(&probabilities,
                at_viewPermute(p, at_memoryOrder(at_sizesOf(self), 1, &self, buffer)));
  at_tensor *filled = begin(&f, self, AT_FLOAT);
  const at_type *const moves = at_movesAs(filled->type);
  if (at_numel(self) > 0 && p->type->scalarType == AT_DOUBLE)
    AT_OF(moves, bernoulli_DoubleTensor)(filled->th, at_drawnFrom(self->type, generator),
                                         (void *)p->th);
  else if (at_numel(self) > 0)
    AT_OF(moves, bernoulli_FloatTensor)(filled->th, at_drawnFrom(self->type, generator), p->th);
  end(&f, filled);
  at_pool_leave(&probabilities);
}

at_tensor *at_bernoulliBy(at_tensor *out, at_tensor *self, at_tensor *p, at_generator *generator)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = out ? out : at_hold(&pool, at_newShape(self->type, at_sizesOf(self)));
  fill_by(made, p, generator);
  return at_finishOne(&pool, out, made);
}

at_tensor *at_bernoulliOf(at_tensor *out, at_tensor *self, at_generator *generator)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_checkFloating(self, "self");
  const at_type *type = out ? out->type : self->type;
  at_tensor *made = at_hold(&pool, at_newShape(type, at_sizesOf(self)));
  fill_by(made, self, generator);
  return at_finishOne(&pool, out, made);
}

at_tensor *at_multinomialOf(at_tensor *out, at_tensor *self, int64_t samples, bool replacement,
                            at_generator *generator)
{
  const at_ints own = at_sizesOf(self);
  const at_type *type = at_toScalarType(self->type, AT_LONG);
  at_checkFloating(self, "self");
  if (own.count < 1 || own.count > 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have 1 or 2 dimensions",
             at_sizeDesc(own).str);
  const int64_t count = own.data[own.count - 1];
  if (samples < 1 || samples > INT32_MAX || count == 0 || (!replacement && samples > count))
    at_raise(AT_ERROR_ARGUMENT, "num_samples is %lld, of %lld probabilities", (long long)samples,
             (long long)count);
  if (out)
    at_checkType(out, "result", type);
  at_pool pool;
  at_pool_enter(&pool);
  if (is_small(self->type))
    self = at_hold(&pool, at_newCast(self, at_toScalarType(self->type, AT_FLOAT)));
  const int64_t buffer[] = {own.count == 1 ? samples : own.data[0], samples};
  at_tensor *made = at_hold(&pool, at_newShape(type, (at_ints){buffer, own.count}));
  if (at_numel(made) > 0)
    /* One sample is drawn as PyTorch draws it: as those without replacement. */
    AT_OF(self->type, multinomial)((void *)made->th, at_drawnFrom(self->type, generator), self->th,
                                   (int)samples, replacement && samples > 1);
  return at_finishOne(&pool, out, made);
}
