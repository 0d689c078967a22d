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

double *at_schedule_momentum(at_optimizer *o, int group)
{
  double *const beta = option_at(o, group, "beta1");
  return beta ? beta : option_at(o, group, "momentum");
}

void at_schedule_apply(const at_schedule *s)
{
  for (int g = 0; g < s->groups; g++) {
    double *const lr = at_schedule_rate(s, g);
    *lr = (s->step > 0 ? s->row->next : s->row->first)(s, s->base[g], *lr);
    double *const momentum =
        s->row->momentum && s->cycles ? at_schedule_momentum(s->optimizer, g) : NULL;
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

void at_schedule_begin(at_schedule *s)
{
  for (int g = 0; g < s->groups; g++)
    *at_schedule_rate(s, g) = s->base[g];
  s->step = 0;
  if (s->row == &at_scheduleRows[AT_SEQUENTIAL_LR])
    at_schedule_begin(s->parts[0]);
  else if (s->row == &at_scheduleRows[AT_CHAINED_LR])
    for (int i = 0; i < s->partCount; i++)
      s->parts[i]->step = 0, at_schedule_apply(s->parts[i]);
  else if (s->row->first)
    at_schedule_apply(s);
}

static void advance(at_schedule *s)
{
  s->step++;
  if (s->row == &at_scheduleRows[AT_SEQUENTIAL_LR]) {
    const int part = at_schedule_partAt(s);
    if (part > 0 && s->milestones[part - 1] == s->step)
      at_schedule_begin(s->parts[part]);
    else
      advance(s->parts[part]);
    return;
  }
  for (int i = 0; i < s->partCount; i++)
    advance(s->parts[i]);
  if (s->row->advance)
    s->row->advance(s);
  if (s->row->next)
    at_schedule_apply(s);
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
