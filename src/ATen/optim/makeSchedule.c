/* The functions that make schedules: what is checked, and how each describes its row. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "Schedule.h"

/* Raises with the message if the condition does not hold. */
#define NEEDS(CONDITION, ...) \
  if (!(CONDITION))           \
  at_raise(AT_ERROR_ARGUMENT, __VA_ARGS__)

static void copy_milestones(at_schedule *s, at_ints given)
{
  s->milestones = THAlloc((given.count + 1) * (ptrdiff_t)sizeof *s->milestones);
  s->milestoneCount = given.count;
  for (int i = 0; i < given.count; i++) {
    int at = i;
    for (; at > 0 && s->milestones[at - 1] > given.data[i]; at--)
      s->milestones[at] = s->milestones[at - 1];
    s->milestones[at] = given.data[i];
  }
}

/* The rates before the first schedule, which groups remember. */
static void take_base(at_schedule *s)
{
  at_optimizer *const o = s->optimizer;
  s->groups = o->groupCount;
  s->base = THAlloc(s->groups * (ptrdiff_t)sizeof *s->base);
  for (int g = 0; g < s->groups; g++) {
    double *const initial = &o->groups[g].extras[AT_INITIAL_LR];
    s->base[g] = isnan(*initial) ? *at_schedule_rate(s, g) : *initial;
  }
}

static void remember(const at_schedule *s)
{
  for (int g = 0; g < s->groups; g++)
    s->optimizer->groups[g].extras[AT_INITIAL_LR] = s->base[g];
}

/* Checks and completes a copy of the schedule that a function describes, and makes its first step. */
static at_schedule *make(const at_schedule *like, at_optimizer *o, at_ints milestones,
                         void (*check)(const at_schedule *s, at_ints milestones))
{
  const char *const name = like->row->name;
  if (!at_acceptPointer(name, "optimizer", o) || !at_acceptInts(name, "milestones", milestones, 0))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_schedule *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    if (check)
      check(like, milestones);
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_schedule_free);
    at_schedule *const s = guard.what = THAlloc(sizeof *s);
    *s = *like;
    s->optimizer = o;
    copy_milestones(s, milestones);
    take_base(s);
    made = THGuard_keep(&guard);
  }
  if (at_failed(&call))
    return NULL;
  remember(made);
  if (made->row->first)
    at_schedule_apply(made);
  return made;
}

static const at_ints none = {NULL, 0};

static void check_period(const at_schedule *s, at_ints milestones)
{
  NEEDS(s->period > 0, "the number of steps is %lld, and has to be positive", (long long)s->period);
}

static void check_factor(const at_schedule *s, at_ints milestones)
{
  NEEDS(s->factor > 0 && s->factor <= 1, "the first factor is %g, and has to be from above 0 to 1",
        s->factor);
  NEEDS(s->end >= 0 && s->end <= 1, "the last factor is %g, and has to be from 0 to 1", s->end);
}

const at_step_lr_options at_step_lr_defaults = {.gamma = 0.1};
at_schedule *(at_step_lr)(at_optimizer *o, int64_t step_size, const at_step_lr_options *options)
{
  const at_step_lr_options *const s = options ? options : &at_step_lr_defaults;
  const at_schedule like = {
      .row = &at_scheduleRows[AT_STEP_LR], .period = step_size, .factor = s->gamma};
  return make(&like, o, none, check_period);
}

const at_multistep_lr_options at_multistep_lr_defaults = {.gamma = 0.1};
at_schedule *(at_multistep_lr)(at_optimizer *o, at_ints milestones,
                               const at_multistep_lr_options *options)
{
  const at_multistep_lr_options *const s = options ? options : &at_multistep_lr_defaults;
  const at_schedule like = {.row = &at_scheduleRows[AT_MULTISTEP_LR], .factor = s->gamma};
  return make(&like, o, milestones, NULL);
}

const at_constant_lr_options at_constant_lr_defaults = {.factor = 1.0 / 3, .total_iters = 5};
at_schedule *(at_constant_lr)(at_optimizer *o, const at_constant_lr_options *options)
{
  const at_constant_lr_options *const s = options ? options : &at_constant_lr_defaults;
  const at_schedule like = {
      .row = &at_scheduleRows[AT_CONSTANT_LR], .period = s->total_iters, .factor = s->factor};
  return make(&like, o, none, check_factor);
}

const at_linear_lr_options at_linear_lr_defaults = {
    .start_factor = 1.0 / 3, .end_factor = 1, .total_iters = 5};
at_schedule *(at_linear_lr)(at_optimizer *o, const at_linear_lr_options *options)
{
  const at_linear_lr_options *const s = options ? options : &at_linear_lr_defaults;
  const at_schedule like = {.row = &at_scheduleRows[AT_LINEAR_LR],
                            .period = s->total_iters,
                            .factor = s->start_factor,
                            .end = s->end_factor};
  return make(&like, o, none, check_factor);
}

at_schedule *(at_exponential_lr)(at_optimizer *o, double gamma)
{
  const at_schedule like = {.row = &at_scheduleRows[AT_EXPONENTIAL_LR], .factor = gamma};
  return make(&like, o, none, NULL);
}

const at_polynomial_lr_options at_polynomial_lr_defaults = {.total_iters = 5, .power = 1};
at_schedule *(at_polynomial_lr)(at_optimizer *o, const at_polynomial_lr_options *options)
{
  const at_polynomial_lr_options *const s = options ? options : &at_polynomial_lr_defaults;
  const at_schedule like = {
      .row = &at_scheduleRows[AT_POLYNOMIAL_LR], .period = s->total_iters, .power = s->power};
  return make(&like, o, none, check_period);
}

const at_cosine_lr_options at_cosine_lr_defaults = {.eta_min = 0};
at_schedule *(at_cosine_lr)(at_optimizer *o, int64_t t_max, const at_cosine_lr_options *options)
{
  const at_cosine_lr_options *const s = options ? options : &at_cosine_lr_defaults;
  const at_schedule like = {
      .row = &at_scheduleRows[AT_COSINE_LR], .period = t_max, .end = s->eta_min};
  return make(&like, o, none, check_period);
}

static void check_restarts(const at_schedule *s, at_ints milestones)
{
  NEEDS(s->length > 0, "t_0 is %lld, and has to be positive", (long long)s->length);
  NEEDS(s->times > 0, "t_mult is %lld, and has to be positive", (long long)s->times);
}

const at_cosine_restarts_lr_options at_cosine_restarts_lr_defaults = {.t_mult = 1};
at_schedule *(at_cosine_restarts_lr)(at_optimizer *o, int64_t t_0,
                                     const at_cosine_restarts_lr_options *options)
{
  const at_cosine_restarts_lr_options *const s =
      options ? options : &at_cosine_restarts_lr_defaults;
  const at_schedule like = {.row = &at_scheduleRows[AT_RESTARTS_LR],
                            .period = t_0,
                            .length = t_0,
                            .times = s->t_mult,
                            .end = s->eta_min};
  return make(&like, o, none, check_restarts);
}

at_schedule *(at_lambda_lr)(at_optimizer *o, at_factor factor, void *context)
{
  const at_schedule like = {
      .row = &at_scheduleRows[AT_LAMBDA_LR], .function = factor, .context = context};
  if (!at_acceptPointer("lambda_lr", "factor", (const void *)factor))
    return NULL;
  return make(&like, o, none, NULL);
}

/* --- cycles ----------------------------------------------------------------------------------- */

static void check_cycle(const at_schedule *s, at_ints milestones)
{
  check_period(s, milestones);
  NEEDS(s->cycle.pct_start >= 0 && s->cycle.pct_start <= 1,
        "pct_start is %g, and has to be from 0 to 1", s->cycle.pct_start);
}

/* Raises if momentum is to be changed, and the optimizer has none; an error of the call. */
static bool has_momentum(const char *name, at_optimizer *o, bool isWanted)
{
  if (!o || !isWanted || at_schedule_momentum(o, 0))
    return true;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: %s has no momentum to change (.cycle_momentum = false)",
          name, o->rule->name);
  return false;
}

const at_onecycle_lr_options at_onecycle_lr_defaults = {.pct_start = 0.3,
                                                        .cycle_momentum = true,
                                                        .base_momentum = 0.85,
                                                        .max_momentum = 0.95,
                                                        .div_factor = 25,
                                                        .final_div_factor = 1e4};
at_schedule *(at_onecycle_lr)(at_optimizer *o, double max_lr, int64_t total_steps,
                              const at_onecycle_lr_options *options)
{
  const at_onecycle_lr_options *const s = options ? options : &at_onecycle_lr_defaults;
  const double initial = max_lr / s->div_factor;
  const at_schedule like = {.row = &at_scheduleRows[AT_ONECYCLE_LR],
                            .period = total_steps,
                            .rates = {initial / s->final_div_factor, initial, max_lr},
                            .momenta = {s->base_momentum, s->max_momentum},
                            .cycles = s->cycle_momentum,
                            .cycle = *s};
  if (!has_momentum("onecycle_lr", o, s->cycle_momentum))
    return NULL;
  at_schedule *const made = make(&like, o, none, check_cycle);
  for (int g = 0; made && g < made->groups; g++) {
    double *const extras = o->groups[g].extras;
    made->base[g] = extras[AT_INITIAL_LR] = initial;
    extras[AT_MAX_LR] = max_lr;
    extras[AT_MIN_LR] = like.rates[0];
    if (s->cycle_momentum) {
      extras[AT_BASE_MOMENTUM] = s->base_momentum;
      extras[AT_MAX_MOMENTUM] = s->max_momentum;
    }
  }
  return made;
}

static void check_cyclic(const at_schedule *s, at_ints milestones)
{
  NEEDS(s->periods[0] > 0, "step_size_up is %lld, and has to be positive",
        (long long)s->periods[0]);
  NEEDS(s->periods[1] > 0, "step_size_down is %lld, and has to be positive",
        (long long)s->periods[1]);
}

const at_cyclic_lr_options at_cyclic_lr_defaults = {.step_size_up = 2000,
                                                    .gamma = 1,
                                                    .cycle_momentum = true,
                                                    .base_momentum = 0.8,
                                                    .max_momentum = 0.9};
at_schedule *(at_cyclic_lr)(at_optimizer *o, double base_lr, double max_lr,
                            const at_cyclic_lr_options *options)
{
  const at_cyclic_lr_options *const s = options ? options : &at_cyclic_lr_defaults;
  const at_schedule like = {
      .row = &at_scheduleRows[AT_CYCLIC_LR],
      .periods = {s->step_size_up, s->step_size_down ? s->step_size_down : s->step_size_up},
      .rates = {base_lr, max_lr},
      .momenta = {s->base_momentum, s->max_momentum},
      .cycles = s->cycle_momentum,
      .mode = s->mode,
      .factor = s->gamma};
  if (!has_momentum("cyclic_lr", o, s->cycle_momentum))
    return NULL;
  at_schedule *const made = make(&like, o, none, check_cyclic);
  for (int g = 0; made && g < made->groups; g++)
    made->base[g] = o->groups[g].extras[AT_INITIAL_LR] = base_lr;
  return made;
}

const at_plateau_lr_options at_plateau_lr_defaults = {
    .factor = 0.1, .patience = 10, .threshold = 1e-4, .eps = 1e-8};
static void check_plateau(const at_schedule *s, at_ints milestones)
{
  NEEDS(s->plateau.factor < 1, "factor is %g, and has to be below 1", s->plateau.factor);
}

at_schedule *(at_plateau_lr)(at_optimizer *o, const at_plateau_lr_options *options)
{
  const at_plateau_lr_options *const s = options ? options : &at_plateau_lr_defaults;
  const double infinity = (double)INFINITY;
  const at_schedule like = {.row = &at_scheduleRows[AT_PLATEAU_LR],
                            .best = s->maximize ? -infinity : infinity,
                            .plateau = *s};
  return make(&like, o, none, check_plateau);
}

/* --- schedules of others ---------------------------------------------------------------------- */

static at_schedule **copied(const char *name, at_schedule *const *schedules, int count)
{
  const ptrdiff_t bytes = count * (ptrdiff_t)sizeof *schedules;
  at_schedule **volatile copy = NULL;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    copy = THAlloc(bytes);
    memcpy(copy, schedules, (size_t)bytes);
  }
  at_failed(&call);
  return copy;
}

/* A schedule of others, which are all of one optimizer. */
static at_schedule *make_of(at_schedule_kind kind, at_schedule *const *schedules, int count,
                            at_ints milestones)
{
  const at_schedule like = {.row = &at_scheduleRows[kind]};
  const char *const name = like.row->name;
  if (!at_acceptPointer(name, "schedules", schedules))
    return NULL;
  for (int i = 0; i < count; i++)
    if (!at_acceptPointer(name, "schedules", schedules[i]))
      return NULL;
  for (int i = 0; i < count; i++)
    if (schedules[i]->optimizer != schedules[0]->optimizer) {
      at_fail(AT_ERROR_ARGUMENT, name, "%s: schedule %d is of another optimizer than the first",
              name, i);
      return NULL;
    }
  if (count < 1 || (kind == AT_SEQUENTIAL_LR && milestones.count != count - 1)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are %d schedules and %d milestones", name, count,
            milestones.count);
    return NULL;
  }
  at_schedule *const made = make(&like, schedules[0]->optimizer, milestones, NULL);
  at_schedule **const parts = made ? copied(name, schedules, count) : NULL;
  if (!parts) {
    at_schedule_free(made);
    return NULL;
  }
  made->parts = parts;
  made->partCount = count;
  return made;
}

at_schedule *(at_sequential_lr)(at_schedule *const *schedules, int count, at_ints milestones)
{
  at_schedule *const made = make_of(AT_SEQUENTIAL_LR, schedules, count, milestones);
  if (made)
    at_schedule_begin(made);
  return made;
}

at_schedule *(at_chained_lr)(at_schedule *const *schedules, int count)
{
  return make_of(AT_CHAINED_LR, schedules, count, none);
}
