/* The state of one parameter as a set of tensors. */
#include <math.h>
#include <string.h>

#include "Optimizer.h"

#include "ATen/core/ATenOperations.h"

/* The parameter; raises if there is none, or if the rule keeps its state elsewhere. */
static at_param *param_of(const at_optimizer *o, int group, int index)
{
  if (o->rule->takesClosure)
    at_raise(AT_ERROR_ARGUMENT, "%s has one state for all parameters", o->rule->name);
  if (group < 0 || group >= o->groupCount)
    at_raise(AT_ERROR_ARGUMENT, "group is %d, the optimizer has %d", group, o->groupCount);
  if (index < 0 || index >= o->groups[group].count)
    at_raise(AT_ERROR_ARGUMENT, "index is %d, the group has %d parameters", index,
             o->groups[group].count);
  return &o->params[o->groups[group].first + index];
}

/* --- reading ---------------------------------------------------------------------------------- */

static void set_or_raise(at_dict *dict, const char *name, at_tensor *t)
{
  if (!(at_dict_set)(dict, name, t))
    THError("%s cannot be stored", name);
}

static void set_number(at_dict *dict, const char *name, double value)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *const t = guard.what = at_newShape(AT_CPU(AT_DOUBLE), AT_SCALAR_SHAPE);
  at_fillWith(t, at_scalar_double(value));
  set_or_raise(dict, name, t);
  THGuard_leave(&guard);
}

static void write_state(const at_rule *rule, const at_param *param, at_dict *dict)
{
  bool has = param->steps > 0;
  for (int s = 0; s < AT_STATES; s++)
    has = has || param->state[s];
  if (has && rule->counts)
    set_number(dict, "step", param->steps);
  for (int i = 0; i < AT_KEPT; i++)
    if (has && rule->numbers[i])
      set_number(dict, rule->numbers[i], param->kept[i]);
  for (int s = 0; s < AT_STATES; s++)
    if (param->state[s])
      set_or_raise(dict, rule->states[s], param->state[s]);
}

at_dict *(at_optimizer_param_state)(const at_optimizer *o, int group, int index)
{
  const char *const name = "optimizer_param_state";
  if (!at_acceptPointer(name, "optimizer", o))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_dict *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    const at_param *const param = param_of(o, group, index);
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_dict_free);
    at_dict *const dict = guard.what = (at_dict_new)();
    if (!dict)
      THError("there is no memory for a set");
    write_state(o->rule, param, dict);
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void release_states(void *given)
{
  at_param *const param = given;
  for (int s = 0; s < AT_STATES; s++)
    at_release(param->state[s]);
}

/* Takes one entry of the set. */
static void read_entry(const at_rule *rule, const at_tensor *like, const char *name, at_tensor *t,
                       at_param *param)
{
  const bool isStep = rule->counts && !strcmp(name, "step");
  int kept = 0;
  while (kept < AT_KEPT && (!rule->numbers[kept] || strcmp(name, rule->numbers[kept]) != 0))
    kept++;
  if (isStep || kept < AT_KEPT) {
    if (!at_isOnHost(t->type) || at_numel(t) != 1)
      at_raise(AT_ERROR_ARGUMENT, "'%s' in state is a tensor of size (%s), and no number", name,
               at_sizeDesc(at_sizesOf(t)).str);
    const double value = at_scalar_toDouble(at_elementAt(t, t->th->storageOffset));
    if (isStep && !(value >= 0 && value < 1e15))
      at_raise(AT_ERROR_ARGUMENT, "'step' in state is %g", value);
    *(isStep ? &param->steps : &param->kept[kept]) = value;
    return;
  }
  int s = 0;
  while (s < AT_STATES && rule->states[s] && strcmp(name, rule->states[s]))
    s++;
  if (s == AT_STATES || !rule->states[s])
    at_raise(AT_ERROR_ARGUMENT, "%s has no state '%.100s'", rule->name, name);
  char called[60];
  snprintf(called, sizeof called, "'%s' in state", rule->states[s]);
  param->state[s] = at_newState(rule, like, s, t, called);
}

bool(at_optimizer_set_param_state)(at_optimizer *o, int group, int index, const at_dict *state)
{
  const char *const name = "optimizer_set_param_state";
  if (!at_acceptPointer(name, "optimizer", o))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_param *const param = param_of(o, group, index);
    at_param made = at_newParam(o->rule, param->t);
    THGuard guard;
    THGuard_enter(&guard, release_states);
    guard.what = &made;
    for (int64_t i = 0; i < at_dict_count(state); i++) {
      at_tensor *const t = (at_dict_at)(state, i);
      if (!at_defined(t))
        THError("tensor %lld of state is not there", (long long)i);
      read_entry(o->rule, param->t, (at_dict_name)(state, i), t, &made);
    }
    const at_param before = *param;
    *param = made;
    made = before;
    THGuard_leave(&guard); /* releases the states of before */
  }
  return !at_failed(&call);
}
