/* Optimizers: parameters in groups, and a step, which plans all updates and then runs them. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "Optimizer.h"

#include "ATen/complex/complex.h"
#include "ATen/core/ATenOperations.h"

/* --- options ---------------------------------------------------------------------------------- */

const at_option *at_optionOf(const at_rule *rule, const char *name)
{
  for (const at_option *option = rule->options; option->name; option++)
    if (!strcmp(option->name, name) && option->kind < AT_OPTION_NONE)
      return option;
  return NULL;
}

double at_option_get(const at_option *option, const at_optionsOfAny *options)
{
  const void *const at = (const char *)options + option->offset;
  return option->kind == AT_OPTION_BOOL      ? *(const bool *)at
         : option->kind == AT_OPTION_INTEGER ? (double)*(const int64_t *)at
         : option->kind == AT_OPTION_CHOICE  ? (double)*(const int *)at
                                             : *(const double *)at;
}

void at_option_set(const at_option *option, at_optionsOfAny *options, double value)
{
  void *const at = (char *)options + option->offset;
  if (option->kind == AT_OPTION_BOOL)
    *(bool *)at = value != 0;
  else if (option->kind == AT_OPTION_INTEGER)
    *(int64_t *)at = (int64_t)value;
  else if (option->kind == AT_OPTION_CHOICE)
    *(int *)at = (int)value;
  else
    *(double *)at = value;
}

void at_option_check(const at_option *option, double value)
{
  if (option->kind == AT_OPTION_MAYBE && isnan(value))
    return;
  if (!(value >= option->least && value <= option->most))
    at_raise(AT_ERROR_ARGUMENT, "%s is %g, and has to be from %g to %s%g", option->name, value,
             option->least, option->most < 1 ? "below " : "", option->most);
}

static void check_options(const at_rule *rule, const at_optionsOfAny *options)
{
  for (const at_option *option = rule->options; option->name; option++)
    if (option->kind < AT_OPTION_NONE)
      at_option_check(option, at_option_get(option, options));
  const char *const problem = rule->problem ? rule->problem(options) : NULL;
  if (problem)
    at_raise(AT_ERROR_ARGUMENT, "%s", problem);
}

/* --- parameters ------------------------------------------------------------------------------- */

static void check_param(const at_optimizer *o, at_tensors params, int index)
{
  at_tensor *const t = params.data[index];
  if (at_isComplex(t->type->scalarType) && (o->rule->direction || !at_isOnHost(t->type)))
    at_raise(AT_ERROR_TYPE, "params[%d] is of type %s, which %s does not take", index,
             t->type->name, at_isOnHost(t->type) ? o->rule->name : "an optimizer on a device");
  if (at_category(t->type->scalarType) < 2)
    at_raise(AT_ERROR_TYPE, "params[%d] is of type %s, and has to be of a floating type", index,
             t->type->name);
  if (o->rule->takesClosure && !at_isOnHost(t->type))
    at_raise(AT_ERROR_TYPE, "params[%d] is of type %s, and %s takes those of the CPU alone", index,
             t->type->name, o->rule->name);
  if (o->rule->forMatrices && at_dim(t) != 2)
    at_raise(AT_ERROR_ARGUMENT, "params[%d] is of size (%s), and %s is for matrices alone", index,
             at_sizeDesc(at_sizesOf(t)).str, o->rule->name);
  const at_tensor *const first = o->paramCount > 0 ? o->params[0].t : params.data[0];
  if (t->type->backend != first->type->backend || at_deviceOf(t) != at_deviceOf(first))
    at_raise(AT_ERROR_ARGUMENT, "params[%d] is not on the device of the first parameter", index);
  if (!at_isLeaf(t))
    at_raise(AT_ERROR_ARGUMENT, "params[%d] is no leaf: an operation made it", index);
  at_checkWritable(t);
  for (int i = 0; i < o->paramCount; i++)
    if (o->params[i].t == t)
      at_raise(AT_ERROR_ARGUMENT, "params[%d] is in a group already", index);
  for (int i = 0; i < index; i++)
    if (params.data[i] == t)
      at_raise(AT_ERROR_ARGUMENT, "params[%d] is params[%d] again", index, i);
}

static void release_param(at_param *param)
{
  for (int s = 0; s < AT_STATES; s++)
    at_release(param->state[s]);
  at_release(param->t);
}

at_ints at_stateSizes(const at_rule *rule, const at_tensor *param, int state, int64_t *buffer)
{
  const at_ints sizes = at_sizesOf(param);
  return rule->sizes ? rule->sizes(sizes, state, buffer) : sizes;
}

at_tensor *at_newState(const at_rule *rule, const at_tensor *param, int state, at_tensor *t,
                       const char *name)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_stateSizes(rule, param, state, buffer);
  if (!at_sameSizes(at_sizesOf(t), sizes))
    at_raise(AT_ERROR_ARGUMENT, "%s is of size (%s), and has to be of (%s) for a parameter of (%s)",
             name, at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(sizes).str,
             at_sizeDesc(at_sizesOf(param)).str);
  THGuard guard;
  at_guard(&guard);
  guard.what = at_sameSizes(sizes, at_sizesOf(param)) ? at_newZerosLike(param)
                                                      : at_newShape(param->type, sizes);
  at_convert(guard.what, t);
  return THGuard_keep(&guard);
}

/* Fills with the number, of complex numbers both parts. */
static void fill_parts(at_tensor *t, double value)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_fillWith(at_partsOf(t->type) > 1 ? at_hold(&pool, at_viewPairs(t)) : t,
              at_scalar_double(value));
  at_pool_leave(&pool);
}

/* The states of new parameters, where they exist from the beginning: o->params from there on. */
static void fill_states(at_optimizer *o, int first, int count)
{
  const at_rule *const rule = o->rule;
  for (int i = first; i < first + count && rule->first; i++)
    for (int s = 0; s < AT_STATES && rule->states[s]; s++) {
      o->params[i].state[s] = at_newZerosLike(o->params[i].t);
      fill_parts(o->params[i].state[s], rule->first(&o->defaults));
    }
}

/* Grows an array to that many elements; the elements stay where this raises. */
static void *grown(void *array, int count, size_t size)
{
  return THRealloc(array, (ptrdiff_t)count * (ptrdiff_t)size);
}

typedef struct Added {
  at_optimizer *o;
  int first, count;
} Added;

static void release_added(void *what)
{
  const Added *const added = what;
  for (int i = 0; i < added->count; i++)
    release_param(&added->o->params[added->first + i]);
}

static void add_group(at_optimizer *o, at_tensors params)
{
  if (params.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "params is an empty list");
  for (int i = 0; i < params.count; i++)
    check_param(o, params, i);
  if (o->rule->takesClosure && o->groupCount > 0)
    at_raise(AT_ERROR_ARGUMENT, "%s has one group of parameters", o->rule->name);
  if (params.count > INT_MAX - o->paramCount)
    at_raise(AT_ERROR_ARGUMENT, "params has %d tensors, which are too many", params.count);
  o->groups = grown(o->groups, o->groupCount + 1, sizeof *o->groups);
  o->params = grown(o->params, o->paramCount + params.count, sizeof *o->params);
  Added added = {o, o->paramCount, params.count};
  for (int i = 0; i < params.count; i++)
    o->params[added.first + i] = at_newParam(o->rule, at_retain(params.data[i]));
  THGuard guard;
  THGuard_enter(&guard, release_added);
  guard.what = &added;
  fill_states(o, added.first, added.count);
  THGuard_keep(&guard);
  at_group *const group = &o->groups[o->groupCount++];
  *group = (at_group){.first = added.first, .count = added.count, .options = o->defaults};
  for (int e = 0; e < AT_GROUP_EXTRAS; e++)
    group->extras[e] = (double)NAN;
  o->paramCount += params.count;
}

void at_optimizer_free(at_optimizer *o)
{
  if (!o)
    return;
  for (int i = 0; i < o->paramCount; i++)
    release_param(&o->params[i]);
  at_lbfgs_free(o->lbfgs);
  THFree(o->params);
  THFree(o->groups);
  THFree(o);
}

static at_optimizer *new_optimizer(at_rule_name name, at_tensors params, const void *options)
{
  const at_rule *const rule = &at_rules[name];
  if (!at_acceptAll(rule->name, "params", params, false))
    return NULL;
  at_call call;
  at_begin(&call, rule->name);
  at_optimizer *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_optimizer_free);
    at_optimizer *const o = guard.what = THAlloc(sizeof *o);
    *o = (at_optimizer){.rule = rule};
    memcpy(&o->defaults, options, rule->optionBytes);
    check_options(rule, &o->defaults);
    if (rule->takesClosure && o->defaults.lbfgs.max_eval == 0)
      o->defaults.lbfgs.max_eval = o->defaults.lbfgs.max_iter * 5 / 4;
    add_group(o, params);
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

/* clang-format off */
#define MAKER(NAME)                                                                            \
  at_optimizer *(at_##NAME)(at_tensors params, const at_##NAME##_options *options)             \
  { return new_optimizer(AT_RULE_##NAME, params, options ? options : &at_##NAME##_defaults); }
/* clang-format on */
AT_FOR_EACH_RULE(MAKER)

/* --- groups ----------------------------------------------------------------------------------- */

int(at_optimizer_add_group)(at_optimizer *o, at_tensors params)
{
  const char *const name = "optimizer_add_group";
  if (!at_acceptPointer(name, "optimizer", o) || !at_acceptAll(name, "params", params, false))
    return -1;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    add_group(o, params);
  }
  return at_failed(&call) ? -1 : o->groupCount - 1;
}

int at_optimizer_groups(const at_optimizer *o)
{
  return o ? o->groupCount : 0;
}

/* The group, or NULL and an error. */
static at_group *group_of(const char *operation, const at_optimizer *o, int group)
{
  if (!at_acceptPointer(operation, "optimizer", o))
    return NULL;
  if (group >= 0 && group < o->groupCount)
    return &o->groups[group];
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: group is %d, the optimizer has %d", operation, group,
          o->groupCount);
  return NULL;
}

/* The option of that name, or NULL and an error. */
static const at_option *option_of(const char *operation, const at_optimizer *o, const char *name)
{
  if (!at_acceptPointer(operation, "option", name))
    return NULL;
  const at_option *const option = at_optionOf(o->rule, name);
  if (!option)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has no option '%.100s'", operation, o->rule->name,
            name);
  return option;
}

int at_optimizer_group_count(const at_optimizer *o, int group)
{
  const at_group *const g = group_of("optimizer_group_count", o, group);
  return g ? g->count : -1;
}

at_tensor *(at_optimizer_param)(const at_optimizer *o, int group, int index)
{
  const char *const name = "optimizer_param";
  const at_group *const g = group_of(name, o, group);
  if (g && index >= 0 && index < g->count)
    return o->params[g->first + index].t;
  if (g)
    at_fail(AT_ERROR_ARGUMENT, name, "%s: index is %d, the group has %d parameters", name, index,
            g->count);
  return at_undefined();
}

double(at_optimizer_get)(const at_optimizer *o, int group, const char *option)
{
  const char *const name = "optimizer_get";
  const at_group *const g = group_of(name, o, group);
  const at_option *const found = g ? option_of(name, o, option) : NULL;
  return found ? at_option_get(found, &g->options) : (double)NAN;
}

bool(at_optimizer_set)(at_optimizer *o, int group, const char *option, double value)
{
  const char *const name = "optimizer_set";
  at_group *const g = group_of(name, o, group);
  const at_option *const found = g ? option_of(name, o, option) : NULL;
  if (!found)
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_optionsOfAny changed = g->options;
    at_option_set(found, &changed, value);
    at_option_check(found, value);
    check_options(o->rule, &changed);
    g->options = changed;
  }
  return !at_failed(&call);
}

/* --- a step ----------------------------------------------------------------------------------- */

/* A parameter with a gradient, and what a step will do to it. */
typedef struct Planned {
  at_param *param;
  at_plan plan;
  bool isNew[AT_STATES];                   /* the state is the job's alone so far */
  at_tensor *direction, *state[AT_STATES]; /* instead of the gradient, and its states; or NULL */
} Planned;

typedef struct Step {
  int count;
  Planned *planned;
  at_job *jobs;
} Step;

static void end_step(void *what)
{
  Step *const step = what;
  for (int j = 0; j < step->count; j++) {
    at_release(step->planned[j].direction);
    for (int s = 0; s < AT_STATES; s++) {
      at_release(step->planned[j].state[s]);
      if (step->planned[j].isNew[s])
        at_release(step->jobs[j].of[2 + s]);
    }
  }
  THFree(step->planned);
  THFree(step->jobs);
}

/* The job of a plan, whose states are made where the parameter has none. */
static void make_job(at_job *job, Planned *planned, at_tensor *grad)
{
  const at_plan *const plan = &planned->plan;
  at_param *const param = planned->param;
  *job = (at_job){.name = plan->name,
                  .numbers = plan->numbers,
                  .operands = 2 + plan->count,
                  .of = {param->t, grad}};
  for (int s = 0; s < plan->count; s++) {
    at_tensor *const state = param->state[plan->states[s]];
    job->of[2 + s] = state ? state : at_newZerosLike(param->t);
    planned->isNew[s] = !state;
  }
}

/* States of a parameter that has become one of another type, as at_module_to makes it, follow it. */
static void convert_states(const at_rule *rule, at_param *param)
{
  for (int s = 0; s < AT_STATES; s++) {
    at_tensor *const state = param->state[s];
    if (!state || state->type == param->t->type)
      continue;
    param->state[s] = at_newState(rule, param->t, s, state, rule->states[s]);
    at_release(state);
  }
}

/* Raises if the parameter is on another device than the first one. */
static void check_device(const at_optimizer *o, const at_param *param)
{
  const at_tensor *const first = o->params[0].t, *const t = param->t;
  if (t->type->backend != first->type->backend || at_deviceOf(t) != at_deviceOf(first))
    at_raise(AT_ERROR_ARGUMENT, "parameter %d is a %s, on another device than the first, a %s",
             (int)(param - o->params), t->type->name, first->type->name);
  if (o->rule->takesClosure && !at_isOnHost(t->type))
    at_raise(AT_ERROR_TYPE, "parameter %d is a %s, and %s takes those of the CPU alone",
             (int)(param - o->params), t->type->name, o->rule->name);
}

/* Raises if the parameter, its gradient and its states are not alike any more. */
static void check_sizes(const at_optimizer *o, const at_param *param, const at_tensor *grad)
{
  int64_t buffer[AT_MOST_DIMS];
  for (int s = -1; s < AT_STATES; s++) {
    const at_tensor *const other = s < 0 ? grad : param->state[s];
    const at_ints sizes =
        s < 0 ? at_sizesOf(param->t) : at_stateSizes(o->rule, param->t, s, buffer);
    if (other && (other->type != param->t->type || !at_sameSizes(at_sizesOf(other), sizes)))
      at_raise(AT_ERROR_ARGUMENT, "a parameter is a %s of size (%s), and its %s a %s of size (%s)",
               param->t->type->name, at_sizeDesc(at_sizesOf(param->t)).str,
               s < 0 ? "gradient" : o->rule->states[s], other->type->name,
               at_sizeDesc(at_sizesOf(other)).str);
  }
}

static void plan_step(at_optimizer *o, Step *step)
{
  const ptrdiff_t count = o->paramCount;
  step->planned = THAlloc(count * (ptrdiff_t)sizeof *step->planned);
  step->jobs = THAlloc(count * (ptrdiff_t)sizeof *step->jobs);
  for (int g = 0; g < o->groupCount; g++)
    for (int i = 0; i < o->groups[g].count; i++) {
      at_param *const param = &o->params[o->groups[g].first + i];
      at_tensor *const grad = at_grad(param->t);
      if (!grad)
        continue;
      check_device(o, param);
      convert_states(o->rule, param);
      check_sizes(o, param, grad);
      Planned *const planned = &step->planned[step->count];
      *planned = (Planned){.param = param};
      step->count++;
      const at_optionsOfAny *const options = &o->groups[g].options;
      if (o->rule->direction)
        planned->direction = o->rule->direction(options, param, grad, planned->state);
      o->rule->plan(options, param, &planned->plan);
      make_job(&step->jobs[step->count - 1], planned,
               planned->direction ? planned->direction : grad);
    }
}

/* Counts the step, and gives new states to their parameters. */
static void finish_step(Step *step)
{
  for (int j = 0; j < step->count; j++) {
    Planned *const planned = &step->planned[j];
    planned->param->steps++;
    memcpy(planned->param->kept, planned->plan.kept, sizeof planned->plan.kept);
    for (int s = 0; s < AT_STATES; s++)
      if (planned->state[s]) {
        at_release(planned->param->state[s]);
        planned->param->state[s] = planned->state[s];
        planned->state[s] = NULL;
      }
    for (int s = 0; s < planned->plan.count; s++) {
      planned->param->state[planned->plan.states[s]] = step->jobs[j].of[2 + s];
      planned->isNew[s] = false;
    }
  }
}

/* The parameters' device becomes the current one for the call. */
static void use_device(at_call *call, const at_optimizer *o)
{
  if (o->paramCount > 0 && !at_isOnHost(o->params[0].t->type))
    at_useDevice(call, o->params[0].t);
}

static void run_step(at_optimizer *o)
{
  Step step = {0};
  THGuard guard;
  THGuard_enter(&guard, end_step);
  guard.what = &step;
  plan_step(o, &step);
  at_updateAll(step.count, step.jobs);
  finish_step(&step);
  THGuard_leave(&guard);
}

bool(at_optimizer_step)(at_optimizer *o)
{
  const char *const name = "optimizer_step";
  if (!at_acceptPointer(name, "optimizer", o))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    if (o->rule->takesClosure)
      at_raise(AT_ERROR_ARGUMENT, "%s computes losses itself: at_optimizer_step_by takes a closure",
               o->rule->name);
    use_device(&call, o);
    run_step(o);
  }
  return !at_failed(&call);
}

bool(at_optimizer_step_by)(at_optimizer *o, at_closure closure, void *context, double *loss)
{
  const char *const name = "optimizer_step_by";
  if (!at_acceptPointer(name, "optimizer", o) ||
      !at_acceptPointer(name, "closure", (const void *)closure))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    double first = 0;
    use_device(&call, o);
    for (int i = 0; i < o->paramCount; i++)
      check_device(o, &o->params[i]);
    if (o->rule->takesClosure)
      first = at_lbfgsStep(o, closure, context);
    else if (closure(context, &first))
      run_step(o);
    else
      THError("the closure has failed");
    if (loss)
      *loss = first;
  }
  return !at_failed(&call);
}

bool(at_optimizer_zero_grad)(at_optimizer *o)
{
  if (!at_acceptPointer("optimizer_zero_grad", "optimizer", o))
    return false;
  for (int i = 0; i < o->paramCount; i++)
    if (at_grad(o->params[i].t))
      (at_set_grad)(o->params[i].t, NULL);
  return true;
}
