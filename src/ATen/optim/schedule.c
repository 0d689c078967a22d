/* Schedules are rows: what the rate of a group is at the first step, and what it becomes at others. */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "Schedule.h"

/* --- formulas --------------------------------------------------------------------------------- */

static double same(const at_schedule *s, double base, double lr)
{
  return lr;
}

static double scaled(const at_schedule *s, double base, double lr)
{
  return lr * s->factor;
}

static double next_step(const at_schedule *s, double base, double lr)
{
  return s->step % s->period ? lr : lr * s->factor;
}

static double next_multistep(const at_schedule *s, double base, double lr)
{
  for (int m = 0; m < s->milestoneCount; m++)
    if (s->milestones[m] == s->step)
      lr *= s->factor;
  return lr;
}

static double next_constant(const at_schedule *s, double base, double lr)
{
  return s->step == s->period ? lr / s->factor : lr;
}

static double next_linear(const at_schedule *s, double base, double lr)
{
  const double rise = s->end - s->factor, e = (double)s->step;
  if (s->step > s->period)
    return lr;
  return lr * (1 + rise / ((double)s->period * s->factor + (e - 1) * rise));
}

static double next_polynomial(const at_schedule *s, double base, double lr)
{
  const double e = (double)s->step, total = (double)s->period;
  if (s->step > s->period)
    return lr;
  return lr * pow((1 - e / total) / (1 - (e - 1) / total), s->power);
}

static double next_cosine(const at_schedule *s, double base, double lr)
{
  const double e = (double)s->step, half = (double)s->period, least = s->end;
  if ((s->step - 1 - s->period) % (2 * s->period) == 0)
    return lr + (base - least) * (1 - cos(M_PI / half)) / 2;
  return (1 + cos(M_PI * e / half)) / (1 + cos(M_PI * (e - 1) / half)) * (lr - least) + least;
}

static double restarting(const at_schedule *s, double base, double lr)
{
  const double part = (double)s->within / (double)s->length;
  return s->end + (base - s->end) * (1 + cos(M_PI * part)) / 2;
}

static void advance_restarts(at_schedule *s)
{
  if (++s->within < s->length)
    return;
  s->within -= s->length;
  s->length *= s->times;
}

static double by_function(const at_schedule *s, double base, double lr)
{
  return base * s->function(s->context, s->step);
}

/* --- one cycle -------------------------------------------------------------------------------- */

static double between(double a, double b, double part, bool isLinear)
{
  return isLinear ? a + (b - a) * part : b + (a - b) / 2 * (1 + cos(M_PI * part));
}

/* The value at a step of a cycle that goes from low to high, and to the end. */
static double in_cycle(const at_schedule *s, double low, double high, double end)
{
  const at_onecycle_lr_options *const o = &s->cycle;
  const double last = (double)s->period - 1;
  const double up = o->pct_start * (double)s->period - 1;
  const double down = o->three_phase ? 2 * up : last, e = (double)s->step;
  if (e <= up)
    return between(low, high, e / up, o->linear);
  if (!o->three_phase)
    return between(high, end, (e - up) / (last - up), o->linear);
  if (e <= down)
    return between(high, low, (e - up) / (down - up), o->linear);
  return between(low, end, (e - down) / (last - down), o->linear);
}

static double cycle_rate(const at_schedule *s, double base, double lr)
{
  return in_cycle(s, s->rates[1], s->rates[2], s->rates[0]);
}

static double cycle_momentum(const at_schedule *s)
{
  return in_cycle(s, s->momenta[1], s->momenta[0], s->momenta[1]);
}

/* --- cycles ----------------------------------------------------------------------------------- */

/* How high the rate is between the lowest one (0) and the highest one (1). */
static double height(const at_schedule *s)
{
  const double total = (double)(s->periods[0] + s->periods[1]);
  const double cycle = floor(1 + (double)s->step / total), e = (double)s->step;
  const double x = 1 + e / total - cycle, ratio = (double)s->periods[0] / total;
  const double scale = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
  return scale * (s->mode == AT_TRIANGULAR    ? 1
                  : s->mode == AT_TRIANGULAR2 ? exp2(1 - cycle)
                                              : pow(s->factor, e));
}

static double cyclic_rate(const at_schedule *s, double base, double lr)
{
  return s->rates[0] + (s->rates[1] - s->rates[0]) * height(s);
}

static double cyclic_momentum(const at_schedule *s)
{
  return s->momenta[1] - (s->momenta[1] - s->momenta[0]) * height(s);
}

/* --- rows ------------------------------------------------------------------------------------- */

const at_scheduleRow at_scheduleRows[AT_SCHEDULE_KINDS] = {
    [AT_STEP_LR] = {"step_lr", .first = same, .next = next_step},
    [AT_MULTISTEP_LR] = {"multistep_lr", .first = same, .next = next_multistep},
    [AT_CONSTANT_LR] = {"constant_lr", .first = scaled, .next = next_constant},
    [AT_LINEAR_LR] = {"linear_lr", .first = scaled, .next = next_linear},
    [AT_EXPONENTIAL_LR] = {"exponential_lr", .first = same, .next = scaled},
    [AT_POLYNOMIAL_LR] = {"polynomial_lr", .first = same, .next = next_polynomial},
    [AT_COSINE_LR] = {"cosine_lr", .first = same, .next = next_cosine},
    [AT_RESTARTS_LR] = {"cosine_restarts_lr", restarting, restarting, .advance = advance_restarts},
    [AT_ONECYCLE_LR] = {"onecycle_lr", cycle_rate, cycle_rate, .momentum = cycle_momentum},
    [AT_CYCLIC_LR] = {"cyclic_lr", cyclic_rate, cyclic_rate, .momentum = cyclic_momentum},
    [AT_LAMBDA_LR] = {"lambda_lr", by_function, by_function},
    [AT_PLATEAU_LR] = {"plateau_lr"},
    [AT_SEQUENTIAL_LR] = {"sequential_lr"},
    [AT_CHAINED_LR] = {"chained_lr"},
};

/* --- groups ----------------------------------------------------------------------------------- */

static double *option_at(at_optimizer *o, int group, const char *name)
{
  const at_option *const option = at_optionOf(o->rule, name);
  return option ? (double *)(void *)((char *)&o->groups[group].options + option->offset) : NULL;
}

double *at_schedule_rate(const at_schedule *s, int group)
{
  return option_at(s->optimizer, group, "lr");
}

/* What stands for the momentum of a group: beta1 where there is one; NULL if there is neither. */
static double *momentum_of(at_optimizer *o, int group)
{
  double *const beta = option_at(o, group, "beta1");
  return beta ? beta : option_at(o, group, "momentum");
}

/* Sets the rates of all groups for the step that the schedule is at. */
static void apply(const at_schedule *s)
{
  for (int g = 0; g < s->groups; g++) {
    double *const lr = at_schedule_rate(s, g);
    *lr = (s->step > 0 ? s->row->next : s->row->first)(s, s->base[g], *lr);
    double *const momentum = s->row->momentum && s->cycles ? momentum_of(s->optimizer, g) : NULL;
    if (momentum)
      *momentum = s->row->momentum(s);
  }
}

/* --- schedules of others ---------------------------------------------------------------------- */

int at_schedule_partAt(const at_schedule *s)
{
  int part = 0;
  while (part < s->milestoneCount && s->milestones[part] <= s->step)
    part++;
  return part;
}

static void begin(at_schedule *s)
{
  for (int g = 0; g < s->groups; g++)
    *at_schedule_rate(s, g) = s->base[g];
  s->step = 0;
  if (s->row == &at_scheduleRows[AT_SEQUENTIAL_LR])
    begin(s->parts[0]);
  else if (s->row == &at_scheduleRows[AT_CHAINED_LR])
    for (int i = 0; i < s->partCount; i++)
      s->parts[i]->step = 0, apply(s->parts[i]);
  else if (s->row->first)
    apply(s);
}

static void advance(at_schedule *s)
{
  s->step++;
  if (s->row == &at_scheduleRows[AT_SEQUENTIAL_LR]) {
    const int part = at_schedule_partAt(s);
    if (part > 0 && s->milestones[part - 1] == s->step)
      begin(s->parts[part]);
    else
      advance(s->parts[part]);
    return;
  }
  for (int i = 0; i < s->partCount; i++)
    advance(s->parts[i]);
  if (s->row->advance)
    s->row->advance(s);
  if (s->row->next)
    apply(s);
}

/* --- by a metric ------------------------------------------------------------------------------ */

static bool is_better(const at_schedule *s, double metric)
{
  const at_plateau_lr_options *const o = &s->plateau;
  const double threshold = o->maximize ? -o->threshold : o->threshold;
  const double limit = o->absolute ? s->best - threshold : s->best * (1 - threshold);
  return o->maximize ? metric > limit : metric < limit;
}

static void observe(at_schedule *s, double metric)
{
  const at_plateau_lr_options *const o = &s->plateau;
  s->step++;
  if (is_better(s, metric)) {
    s->best = metric;
    s->bad = 0;
  } else {
    s->bad++;
  }
  if (s->cooling > 0) {
    s->cooling--;
    s->bad = 0;
  }
  if (s->bad <= o->patience)
    return;
  for (int g = 0; g < s->groups; g++) {
    double *const lr = at_schedule_rate(s, g);
    const double reduced = THMax(*lr * o->factor, o->min_lr);
    if (*lr - reduced > o->eps)
      *lr = reduced;
  }
  s->cooling = o->cooldown;
  s->bad = 0;
}

/* --- stepping --------------------------------------------------------------------------------- */

/* Raises unless one more step is possible, in no part too. */
static void check_step(const at_schedule *s)
{
  if (s->row == &at_scheduleRows[AT_PLATEAU_LR])
    at_raise(AT_ERROR_ARGUMENT, "plateau_lr is stepped by a metric, with at_schedule_step_by");
  if (s->row == &at_scheduleRows[AT_ONECYCLE_LR] && s->step + 1 > s->period)
    at_raise(AT_ERROR_ARGUMENT, "onecycle_lr has %lld steps, and all were made",
             (long long)s->period);
  if (s->groups != s->optimizer->groupCount)
    at_raise(AT_ERROR_ARGUMENT, "the optimizer has %d groups, and had %d when %s was made",
             s->optimizer->groupCount, s->groups, s->row->name);
  for (int i = 0; i < s->partCount; i++)
    check_step(s->parts[i]);
}

bool(at_schedule_step)(at_schedule *s)
{
  const char *const name = "schedule_step";
  if (!at_acceptPointer(name, "schedule", s))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    check_step(s);
    advance(s);
  }
  return !at_failed(&call);
}

bool(at_schedule_step_by)(at_schedule *s, double metric)
{
  const char *const name = "schedule_step_by";
  if (!at_acceptPointer(name, "schedule", s))
    return false;
  if (s->row == &at_scheduleRows[AT_PLATEAU_LR] && s->groups == s->optimizer->groupCount) {
    observe(s, metric);
    return true;
  }
  at_fail(AT_ERROR_ARGUMENT, name, "%s: %s takes no metric, or its optimizer has other groups now",
          name, s->row->name);
  return false;
}

int64_t(at_schedule_steps)(const at_schedule *s)
{
  return at_acceptPointer("schedule_steps", "schedule", s) ? s->step : -1;
}

void at_schedule_free(at_schedule *s)
{
  if (!s)
    return;
  for (int i = 0; i < s->partCount; i++)
    at_schedule_free(s->parts[i]);
  THFree(s->parts);
  THFree(s->milestones);
  THFree(s->base);
  THFree(s);
}

/* --- making ----------------------------------------------------------------------------------- */

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
    s->base[g] = isnan(*initial) ? *option_at(o, g, "lr") : *initial;
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
    apply(made);
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

/* --- cycles, made ----------------------------------------------------------------------------- */

static void check_cycle(const at_schedule *s, at_ints milestones)
{
  check_period(s, milestones);
  NEEDS(s->cycle.pct_start >= 0 && s->cycle.pct_start <= 1,
        "pct_start is %g, and has to be from 0 to 1", s->cycle.pct_start);
}

/* Raises if momentum is to be changed, and the optimizer has none; an error of the call. */
static bool has_momentum(const char *name, at_optimizer *o, bool isWanted)
{
  if (!o || !isWanted || momentum_of(o, 0))
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

/* --- others, made ----------------------------------------------------------------------------- */

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
    begin(made);
  return made;
}

at_schedule *(at_chained_lr)(at_schedule *const *schedules, int count)
{
  return make_of(AT_CHAINED_LR, schedules, count, none);
}
