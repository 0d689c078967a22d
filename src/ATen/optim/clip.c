/* Changes of gradients before a step: clipping, and the scale of losses of half precision. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "Optimizer.h"

/* --- gradients of a list ---------------------------------------------------------------------- */

typedef struct Grads {
  int count;
  at_job *jobs; /* of each gradient: x * rate */
} Grads;

static void free_grads(void *what)
{
  THFree(((Grads *)what)->jobs);
}

static void begin_grads(Grads *grads, int most, THGuard *guard)
{
  *grads = (Grads){0};
  THGuard_enter(guard, free_grads);
  guard->what = grads;
  grads->jobs = THAlloc((most + 1) * (ptrdiff_t)sizeof *grads->jobs);
}

static void add_grad(Grads *grads, at_tensor *param)
{
  at_tensor *const g = at_grad(param);
  if (!g)
    return;
  at_checkWritable(g);
  grads->jobs[grads->count++] = (at_job){.name = AT_UPDATE_scale,
                                         .numbers = {.sign = 1, .shrink = 1, .rate = 1},
                                         .operands = 2,
                                         .of = {g, g}};
}

static void scale(Grads *grads, double factor)
{
  for (int i = 0; i < grads->count; i++)
    grads->jobs[i].numbers.rate = factor;
  at_updateAll(grads->count, grads->jobs);
}

/* The norm of all elements of t; raises if it cannot be computed. */
static double norm_of(at_tensor *t, double order)
{
  bool isKnown = false;
  double value = 0;
  AT_SCOPE
  {
    at_tensor *const norm = at_linalg_vector_norm(t, .ord = (long double)order);
    isKnown = at_defined(norm);
    if (isKnown)
      value = at_item_double(norm);
  }
  if (!isKnown)
    THError("the norm of a gradient cannot be computed");
  return value;
}

/* The norm of the norms; those of devices are computed together. */
static double norm_of_all(const Grads *grads, double order)
{
  double total = at_powersOnDevice(grads->count, grads->jobs, order);
  for (int i = 0; i < grads->count; i++) {
    if (at_isPowerOnDevice(&grads->jobs[i]))
      continue;
    const double norm = norm_of(grads->jobs[i].of[0], order);
    if (isinf(order))
      total = norm != norm || norm > total ? norm : total;
    else
      total += pow(norm, order);
  }
  return isinf(order) ? total : pow(total, 1 / order);
}

/* --- clipping --------------------------------------------------------------------------------- */

const at_clip_grad_norm_options at_clip_grad_norm_defaults = {.norm_type = 2};

double(at_clip_grad_norm)(at_tensors params, double max_norm,
                          const at_clip_grad_norm_options *options)
{
  const at_clip_grad_norm_options *const o = options ? options : &at_clip_grad_norm_defaults;
  const char *const name = "clip_grad_norm";
  if (!at_acceptAll(name, "params", params, false))
    return (double)NAN;
  at_call call;
  at_begin(&call, name);
  volatile double total = (double)NAN;
  TH_TRY(call.attempt)
  {
    if (!(o->norm_type > 0))
      at_raise(AT_ERROR_ARGUMENT, "norm_type is %g, and has to be positive", o->norm_type);
    Grads grads;
    THGuard guard;
    begin_grads(&grads, params.count, &guard);
    for (int i = 0; i < params.count; i++)
      add_grad(&grads, params.data[i]);
    const double norm = norm_of_all(&grads, o->norm_type);
    if (o->error_if_nonfinite && !isfinite(norm))
      at_raise(AT_ERROR_ARGUMENT,
               "the total norm of order %g is %g: the gradients cannot be clipped", o->norm_type,
               norm);
    const double factor = max_norm / (norm + 1e-6);
    if (!(factor >= 1))
      scale(&grads, factor);
    THGuard_leave(&guard);
    total = norm;
  }
  return at_failed(&call) ? (double)NAN : total;
}

bool(at_clip_grad_value)(at_tensors params, double clip_value)
{
  const char *const name = "clip_grad_value";
  if (!at_acceptAll(name, "params", params, false))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    if (!(clip_value >= 0))
      at_raise(AT_ERROR_ARGUMENT, "clip_value is %g, and may not be negative", clip_value);
    Grads grads;
    THGuard guard;
    begin_grads(&grads, params.count, &guard);
    for (int i = 0; i < params.count; i++)
      add_grad(&grads, params.data[i]);
    for (int i = 0; i < grads.count; i++) {
      grads.jobs[i].name = AT_UPDATE_limit;
      grads.jobs[i].numbers.rate = clip_value;
    }
    at_updateAll(grads.count, grads.jobs);
    THGuard_leave(&guard);
  }
  return !at_failed(&call);
}

/* --- the scale of losses ---------------------------------------------------------------------- */

const at_scaler at_scaler_defaults = {
    .scale = 65536, .growth_factor = 2, .backoff_factor = 0.5, .growth_interval = 2000};

at_tensor *(at_scaler_scale)(const at_scaler *scaler, at_tensor *loss)
{
  if (!at_acceptPointer("scaler_scale", "scaler", scaler))
    return at_undefined();
  return (at_mul_scalar)(loss, at_scalar_double(scaler->scale));
}

static void unscale(at_scaler *scaler, at_optimizer *o)
{
  Grads grads;
  THGuard guard;
  begin_grads(&grads, o->paramCount, &guard);
  for (int i = 0; i < o->paramCount; i++)
    add_grad(&grads, o->params[i].t);
  const bool overflows = !isfinite(norm_of_all(&grads, (double)INFINITY));
  scale(&grads, 1 / scaler->scale);
  THGuard_leave(&guard);
  o->isUnscaled = true;
  o->overflows = overflows;
  scaler->found_inf |= overflows;
}

bool(at_scaler_unscale)(at_scaler *scaler, at_optimizer *optimizer)
{
  const char *const name = "scaler_unscale";
  if (!at_acceptPointer(name, "scaler", scaler) || !at_acceptPointer(name, "optimizer", optimizer))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    if (optimizer->isUnscaled)
      at_raise(AT_ERROR_ARGUMENT, "the gradients are unscaled already, since the last step");
    unscale(scaler, optimizer);
  }
  return !at_failed(&call);
}

bool(at_scaler_step)(at_scaler *scaler, at_optimizer *optimizer)
{
  const char *const name = "scaler_step";
  if (!at_acceptPointer(name, "scaler", scaler) || !at_acceptPointer(name, "optimizer", optimizer))
    return false;
  if (!optimizer->isUnscaled && !(at_scaler_unscale)(scaler, optimizer))
    return false;
  const bool done = optimizer->overflows || (at_optimizer_step)(optimizer);
  if (done)
    optimizer->isUnscaled = false;
  return done;
}

bool(at_scaler_update)(at_scaler *scaler)
{
  if (!at_acceptPointer("scaler_update", "scaler", scaler))
    return false;
  if (scaler->found_inf) {
    scaler->scale *= scaler->backoff_factor;
    scaler->growth_tracker = 0;
  } else if (++scaler->growth_tracker == scaler->growth_interval) {
    scaler->scale *= scaler->growth_factor;
    scaler->growth_tracker = 0;
  }
  scaler->found_inf = false;
  return true;
}
