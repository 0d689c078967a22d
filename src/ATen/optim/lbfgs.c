/* L-BFGS: the direction of a step is computed from the last changes of the gradient (Nocedal, 1980),
 * in the order of PyTorch's LBFGS. */
#include "Lbfgs.h"

#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "TH.h"

/* --- vectors ---------------------------------------------------------------------------------- */

static double dot(ptrdiff_t n, const double *x, const double *y)
{
  return THDoubleBlas_dot(n, (double *)x, 1, (double *)y, 1);
}

static void add(ptrdiff_t n, double *r, double a, const double *x)
{
  THDoubleBlas_axpy(n, a, (double *)x, 1, r, 1);
}

static double largest(ptrdiff_t n, const double *x)
{
  double most = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    most = x[i] != x[i] ? x[i] : fmax(most, fabs(x[i]));
  return most;
}

static double *new_vectors(ptrdiff_t n, int count)
{
  double *const made = THAlloc((n * count + 1) * (ptrdiff_t)sizeof *made);
  memset(made, 0, (size_t)(n * count) * sizeof *made);
  return made;
}

/* --- the parameters as a vector --------------------------------------------------------------- */

/* Copies between a tensor and the part of a vector; a vector is memory of doubles, two for a complex number. */
static void copy_part(at_tensor *t, double *part, bool toVector)
{
  const ptrdiff_t n = at_realsIn(t);
  THGuard guard;
  if (n == 0)
    return;
  at_guard(&guard);
  at_tensor *const line = guard.what =
      at_newShape(at_toScalarType(t->type, at_partsOf(t->type) > 1 ? AT_COMPLEX_DOUBLE : AT_DOUBLE),
                  at_sizesOf(t));
  if (toVector) {
    at_convert(line, t);
    memcpy(part, at_hostData(line), (size_t)n * sizeof *part);
  } else {
    memcpy(at_hostData(line), part, (size_t)n * sizeof *part);
    at_convert(t, line);
    at_countChange(t);
  }
  THGuard_leave(&guard);
}

static void gather(const at_optimizer *o, double *x, bool grads)
{
  for (int i = 0; i < o->paramCount; i++) {
    at_tensor *const t = o->params[i].t, *const from = grads ? at_grad(t) : t;
    const ptrdiff_t n = at_realsIn(t);
    if (from && at_realsIn(from) != n)
      at_raise(AT_ERROR_ARGUMENT, "parameter %d is of size (%s), and its gradient of size (%s)", i,
               at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(at_sizesOf(from)).str);
    if (from)
      copy_part(from, x, true);
    else
      memset(x, 0, (size_t)n * sizeof *x);
    x += n;
  }
}

static void scatter(const at_optimizer *o, double *x)
{
  for (int i = 0; i < o->paramCount; i++) {
    copy_part(o->params[i].t, x, false);
    x += at_realsIn(o->params[i].t);
  }
}

static double evaluate(at_objective *f, double *gradient)
{
  double loss = 0;
  f->evaluations++;
  if (!f->closure(f->context, &loss))
    THError("the closure has failed");
  gather(f->optimizer, gradient, true);
  if (f->optimizer->groups[0].options.lbfgs.maximize) {
    loss = -loss;
    for (ptrdiff_t i = 0; i < f->size; i++)
      gradient[i] = -gradient[i];
  }
  return loss;
}

double at_objective_at(at_objective *f, const double *x, double t, const double *d,
                       double *gradient)
{
  THGuard guard;
  THGuard_enter(&guard, THFree);
  double *const at = guard.what = new_vectors(f->size, 1);
  memcpy(at, x, (size_t)f->size * sizeof *at);
  add(f->size, at, t, d);
  scatter(f->optimizer, at);
  THGuard_leave(&guard);
  return evaluate(f, gradient);
}

/* --- the direction ---------------------------------------------------------------------------- */

void at_lbfgs_free(struct at_lbfgs *l)
{
  if (!l)
    return;
  for (int i = 0; i < l->count; i++)
    THFree(l->pairs[i].y);
  THFree(l->pairs);
  THFree(l->direction);
  THFree(l->gradient);
  THFree(l);
}

/* Remembers how the gradient changed in the last step, if the function is convex there. */
static void remember(struct at_lbfgs *l, const double *gradient, int most)
{
  const ptrdiff_t n = l->size;
  double *const y = new_vectors(n, 2), *const s = y + n;
  add(n, y, 1, gradient);
  add(n, y, -1, l->gradient);
  add(n, s, l->length, l->direction);
  const double ys = dot(n, y, s);
  if (!(ys > 1e-10)) {
    THFree(y);
    return;
  }
  while (l->count > 0 && l->count >= THMin(most, l->capacity)) {
    THFree(l->pairs[0].y);
    memmove(l->pairs, l->pairs + 1, (size_t)(--l->count) * sizeof *l->pairs);
  }
  l->pairs[l->count++] = (at_curvature){y, s, 1 / ys};
  l->diagonal = ys / dot(n, y, y);
}

/* d = -H g, where the pairs make H, the inverse of the second derivatives. */
static void direct(const struct at_lbfgs *l, const double *gradient, double *d, double *factors)
{
  const ptrdiff_t n = l->size;
  for (ptrdiff_t i = 0; i < n; i++)
    d[i] = -gradient[i];
  for (int k = l->count - 1; k >= 0; k--) {
    factors[k] = dot(n, l->pairs[k].s, d) * l->pairs[k].ro;
    add(n, d, -factors[k], l->pairs[k].y);
  }
  for (ptrdiff_t i = 0; i < n; i++)
    d[i] *= l->diagonal;
  for (int k = 0; k < l->count; k++)
    add(n, d, factors[k] - dot(n, l->pairs[k].y, d) * l->pairs[k].ro, l->pairs[k].s);
}

/* --- a step ----------------------------------------------------------------------------------- */

typedef struct Step {
  at_objective f;
  const at_lbfgs_options *o;
  struct at_lbfgs *l;
  double *memory; /* of the vectors */
  double *x, *gradient, *factors, *buffer;
  at_tensor **start; /* copies of the parameters, as far as they were made */
  bool isDone;
} Step;

/* After an error, parameters are what they were, and the next step is a first one. */
static void end_step(void *what)
{
  Step *const s = what;
  at_optimizer *const o = s->f.optimizer;
  for (int i = 0; s->start && i < o->paramCount && s->start[i]; i++) {
    if (!s->isDone && at_sameSizes(at_sizesOf(o->params[i].t), at_sizesOf(s->start[i])))
      at_convert(o->params[i].t, s->start[i]);
    at_release(s->start[i]);
  }
  if (!s->isDone) {
    at_lbfgs_free(o->lbfgs);
    o->lbfgs = NULL;
  }
  THFree(s->start);
  THFree(s->memory);
}

static void keep_start(Step *s, const at_optimizer *o)
{
  const size_t bytes = (size_t)o->paramCount * sizeof *s->start;
  at_tensor **const start = THAlloc((ptrdiff_t)bytes);
  memset(start, 0, bytes);
  s->start = start;
  for (int i = 0; i < o->paramCount; i++)
    start[i] = at_newCast(o->params[i].t, o->params[i].t->type);
}

/* An optimizer's state before its first step. */
struct at_lbfgs *at_lbfgs_new(ptrdiff_t size, int capacity)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_lbfgs_free);
  struct at_lbfgs *const l = THAlloc(sizeof *l);
  *l = (struct at_lbfgs){.size = size, .diagonal = 1, .capacity = capacity};
  guard.what = l;
  l->direction = new_vectors(size, 1);
  l->gradient = new_vectors(size, 1);
  l->pairs = THAlloc((capacity + 1) * (ptrdiff_t)sizeof *l->pairs);
  THGuard_keep(&guard);
  return l;
}

ptrdiff_t at_lbfgs_size(const at_optimizer *o)
{
  ptrdiff_t size = 0;
  for (int i = 0; i < o->paramCount; i++)
    size += at_realsIn(o->params[i].t);
  return size;
}

static void begin_step(Step *s, at_optimizer *o)
{
  const ptrdiff_t n = s->f.size;
  const int most = (int)s->o->history_size;
  keep_start(s, o);
  if (o->lbfgs && o->lbfgs->size != n)
    at_raise(AT_ERROR_ARGUMENT, "the parameters have %td elements, and had %td", n, o->lbfgs->size);
  if (!o->lbfgs)
    o->lbfgs = at_lbfgs_new(n, most);
  s->l = o->lbfgs;
  s->memory = new_vectors(n, 6);
  s->x = s->memory;
  s->gradient = s->memory + n;
  s->buffer = s->memory + 2 * n;
}

/* One iteration; false if it is the last one. */
static bool iterate(Step *s, double *loss, int iteration)
{
  struct at_lbfgs *const l = s->l;
  const ptrdiff_t n = l->size;
  const double change = s->o->tolerance_change;
  if (l->iterations++ > 0)
    remember(l, s->gradient, (int)s->o->history_size);
  direct(l, s->gradient, l->direction, s->factors);
  memcpy(l->gradient, s->gradient, (size_t)n * sizeof *l->gradient);
  l->loss = *loss;
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    sum += fabs(s->gradient[i]);
  l->length = l->iterations == 1 ? fmin(1, 1 / sum) * s->o->lr : s->o->lr;
  const double slope = dot(n, s->gradient, l->direction);
  if (slope > -change)
    return false;
  gather(s->f.optimizer, s->x, false);
  if (s->o->line_search == AT_STRONG_WOLFE) {
    const at_point from = {0, *loss, slope, s->gradient};
    const at_point to = at_strongWolfe(&s->f, s->x, l->direction, l->length, from, s->buffer);
    l->length = to.t;
    *loss = to.loss;
    memcpy(s->gradient, to.gradient, (size_t)n * sizeof *s->gradient);
    add(n, s->x, to.t, l->direction);
    scatter(s->f.optimizer, s->x);
  } else if (iteration < s->o->max_iter) {
    *loss = at_objective_at(&s->f, s->x, l->length, l->direction, s->gradient);
  } else {
    add(n, s->x, l->length, l->direction);
    scatter(s->f.optimizer, s->x);
  }
  return iteration < s->o->max_iter && s->f.evaluations < s->o->max_eval &&
         !(largest(n, s->gradient) <= s->o->tolerance_grad) &&
         !(largest(n, l->direction) * fabs(l->length) <= change) &&
         !(fabs(*loss - l->loss) < change);
}

double at_lbfgsStep(at_optimizer *o, at_closure closure, void *context)
{
  Step s = {.f = {.optimizer = o, .closure = closure, .context = context},
            .o = &o->groups[0].options.lbfgs};
  s.f.size = at_lbfgs_size(o);
  THGuard guard, factors;
  THGuard_enter(&guard, end_step);
  guard.what = &s;
  begin_step(&s, o);
  THGuard_enter(&factors, THFree);
  s.factors = factors.what = new_vectors(s.l->capacity, 1);
  const double first = evaluate(&s.f, s.gradient);
  double loss = first;
  if (!(largest(s.f.size, s.gradient) <= s.o->tolerance_grad))
    for (int i = 1; iterate(&s, &loss, i); i++)
      ;
  s.l->evaluations += s.f.evaluations;
  s.isDone = true;
  THGuard_leave(&factors);
  THGuard_leave(&guard);
  return s.o->maximize ? -first : first;
}
