/* The state of an optimizer as values, in the layout of PyTorch's optimizer.state_dict(). */
#include <math.h>
#include <string.h>

#include "State.h"

#include "ATen/core/ATenOperations.h"

/* --- writing ---------------------------------------------------------------------------------- */

/* A number as PyTorch keeps it for a parameter: a tensor of Float without dimensions. */
static void put_number(const at_stateWriter *w, int32_t entry, int index, const char *key,
                       double value)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *const t = guard.what = at_newShape(at_cpuType(AT_FLOAT), AT_SCALAR_SHAPE);
  at_fillWith(t, at_scalar_double(value));
  at_nodes_put(w->nodes, entry, key,
               at_nodes_addNamed(w->nodes, w->dict, t, "state.%d.%s", index, key));
  THGuard_leave(&guard);
}

/* The state of a parameter; an optimizer that counts no steps has some only if there are states. */
static void write_param(const at_stateWriter *w, int32_t all, const at_optimizer *o, int index)
{
  const at_rule *const rule = o->rule;
  const at_param *const param = &o->params[index];
  bool has = rule->counts && (param->steps > 0 || rule->first);
  for (int s = 0; s < AT_STATES; s++)
    has |= param->state[s] != NULL;
  if (!has)
    return;
  const int32_t entry = at_nodes_add(w->nodes, AT_NODE_DICT);
  at_nodes_append(w->nodes, all, at_nodes_addInteger(w->nodes, index));
  at_nodes_append(w->nodes, all, entry);
  if (rule->counts)
    put_number(w, entry, index, "step", param->steps);
  for (int i = 0; i < AT_KEPT; i++)
    if (rule->numbers[i])
      put_number(w, entry, index, rule->numbers[i], param->kept[i]);
  for (int s = 0; s < AT_STATES; s++)
    if (param->state[s])
      at_nodes_put(w->nodes, entry, rule->states[s],
                   at_nodes_addNamed(w->nodes, w->dict, param->state[s], "state.%d.%s", index,
                                     rule->states[s]));
}

static int32_t text_of(at_nodes *nodes, const at_option *option, int choice)
{
  const char *const text = option->texts[choice];
  return choice == 0 ? at_nodes_add(nodes, AT_NODE_NOTHING)
                     : at_nodes_addText(nodes, AT_NODE_TEXT, text, strlen(text));
}

static int32_t value_of(at_nodes *nodes, const at_option *option, const at_optionsOfAny *options)
{
  switch (option->kind) {
    case AT_OPTION_CHOICE:
      return text_of(nodes, option, (int)at_option_get(option, options));
    case AT_OPTION_NONE:
      return at_nodes_add(nodes, AT_NODE_NOTHING);
    case AT_OPTION_FALSE:
      return at_nodes_addBool(nodes, false);
    case AT_OPTION_BOOL:
      return at_nodes_addBool(nodes, at_option_get(option, options) != 0);
    case AT_OPTION_INTEGER:
      return at_nodes_addInteger(nodes, (int64_t)at_option_get(option, options));
    case AT_OPTION_MAYBE:
      if (isnan(at_option_get(option, options)))
        return at_nodes_add(nodes, AT_NODE_NOTHING);
      return at_nodes_addNumber(nodes, at_option_get(option, options));
    default:
      return at_nodes_addNumber(nodes, at_option_get(option, options));
  }
}

static int32_t write_group(const at_stateWriter *w, const at_optimizer *o, const at_group *group)
{
  at_nodes *const nodes = w->nodes;
  const int32_t made = at_nodes_add(nodes, AT_NODE_DICT);
  for (const at_option *option = o->rule->options; option->name; option += option->parts) {
    int32_t value = value_of(nodes, option, &group->options);
    if (option->parts > 1) {
      const int32_t tuple = at_nodes_add(nodes, AT_NODE_LIST);
      at_node_of(nodes, tuple)->isTuple = true;
      for (int i = 0; i < option->parts; i++) {
        at_nodes_append(nodes, tuple, value);
        if (i + 1 < option->parts)
          value = value_of(nodes, option + i + 1, &group->options);
      }
      value = tuple;
    }
    at_nodes_put(nodes, made, option->key, value);
  }
  for (int e = 0; e < AT_GROUP_EXTRAS; e++)
    if (!isnan(group->extras[e]))
      at_nodes_put(nodes, made, at_groupExtras[e], at_nodes_addNumber(nodes, group->extras[e]));
  const int32_t list = at_nodes_put(nodes, made, "params", at_nodes_add(nodes, AT_NODE_LIST));
  for (int i = 0; i < group->count; i++)
    at_nodes_append(nodes, list, at_nodes_addInteger(nodes, group->first + i));
  return made;
}

static void write_all(const at_stateWriter *w, const at_optimizer *o)
{
  at_nodes *const nodes = w->nodes;
  const int32_t all = at_nodes_put(nodes, nodes->root, "state", at_nodes_add(nodes, AT_NODE_DICT));
  for (int i = 0; i < o->paramCount && !o->rule->takesClosure; i++)
    write_param(w, all, o, i);
  if (o->lbfgs)
    at_lbfgs_write(w, all, o);
  const int32_t list =
      at_nodes_put(nodes, nodes->root, "param_groups", at_nodes_add(nodes, AT_NODE_LIST));
  for (int g = 0; g < o->groupCount; g++)
    at_nodes_append(nodes, list, write_group(w, o, &o->groups[g]));
}

at_dict *(at_optimizer_state_dict)(const at_optimizer *o)
{
  const char *const name = "optimizer_state_dict";
  if (!at_acceptPointer(name, "optimizer", o))
    return NULL;
  at_dict *const dict = at_dict_new();
  if (!dict)
    return NULL;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_file file;
    const at_stateWriter w = {dict, at_nodes_make(dict, &file)};
    write_all(&w, o);
    at_dict_settle(dict);
  }
  if (!at_failed(&call))
    return dict;
  at_dict_free(dict);
  return NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* What a state is read to; the optimizer takes it over when all is there. */
typedef struct Reader {
  at_optimizer *o;
  at_param *params; /* with references to states alone */
  at_group *groups;
  struct at_lbfgs *lbfgs;
} Reader;

static void end_reader(void *what)
{
  Reader *const r = what;
  at_lbfgs_free(r->lbfgs);
  for (int i = 0; r->params && i < r->o->paramCount; i++)
    for (int s = 0; s < AT_STATES; s++)
      at_release(r->params[i].state[s]);
  THFree(r->params);
  THFree(r->groups);
}

/* The value under that key, or nothing. */
at_datum at_state_find(at_datum dict, const char *key)
{
  if (at_datum_kindOf(dict) == AT_DATUM_DICT)
    for (int64_t i = 0; i < at_datum_count(dict); i++) {
      const at_datum at = at_datum_key(dict, i);
      if (at_datum_kindOf(at) == AT_DATUM_STRING && !strcmp(at_datum_string(at, NULL), key))
        return at_datum_at(dict, i);
    }
  return (at_datum){NULL, -1};
}

static at_datum need(at_datum dict, const char *key, at_datum_kind kind)
{
  const at_datum value = at_state_find(dict, key);
  if (at_datum_kindOf(value) != kind)
    at_raise(AT_ERROR_ARGUMENT, "state has no %s '%s'",
             kind == AT_DATUM_LIST ? "list" : "dictionary", key);
  return value;
}

/* The tensor; raises for one that is of a type that is not here. */
at_tensor *at_state_tensor(at_datum value, const char *key)
{
  const at_tensor *t = at_datum_kindOf(value) == AT_DATUM_TENSOR ? at_datum_tensor(value) : NULL;
  if (!at_defined(t) || !at_isOnHost(t->type))
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no tensor that can be read", key);
  return at_datum_tensor(value);
}

/* A number, boolean, or tensor of one element. */
double at_state_number(at_datum value, const char *key)
{
  const at_datum_kind kind = at_datum_kindOf(value);
  if (kind == AT_DATUM_BOOL || kind == AT_DATUM_INTEGER || kind == AT_DATUM_NUMBER)
    return at_datum_number(value);
  at_tensor *const t = at_state_tensor(value, key);
  if (at_numel(t) != 1)
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no number, but a tensor of size (%s)", key,
             at_sizeDesc(at_sizesOf(t)).str);
  return at_scalar_toDouble(at_elementAt(t, t->th->storageOffset));
}

/* The number of the text, or 0 for None. */
static double choice_of(at_datum value, const at_option *option)
{
  if (at_datum_kindOf(value) == AT_DATUM_NOTHING)
    return 0;
  for (int i = 0; at_datum_kindOf(value) == AT_DATUM_STRING && i <= option->most; i++)
    if (!strcmp(at_datum_string(value, NULL), option->texts[i]))
      return i;
  at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no text that is known", option->key);
}

static void read_option(const at_option *option, at_datum value, at_optionsOfAny *options)
{
  if (option->kind >= AT_OPTION_NONE)
    return;
  const bool isNone = at_datum_kindOf(value) == AT_DATUM_NOTHING;
  const double number = option->kind == AT_OPTION_CHOICE ? choice_of(value, option)
                        : option->kind == AT_OPTION_MAYBE && isNone
                            ? (double)NAN
                            : at_state_number(value, option->key);
  at_option_check(option, number);
  at_option_set(option, options, number);
}

/* Options that an older file lacks stay as they are. */
static void read_options(const at_rule *rule, at_datum from, at_group *group)
{
  for (const at_option *option = rule->options; option->name; option += option->parts) {
    const at_datum value = at_state_find(from, option->key);
    if (!value.dict)
      continue;
    if (option->parts == 1) {
      read_option(option, value, &group->options);
      continue;
    }
    if (at_datum_kindOf(value) != AT_DATUM_LIST || at_datum_count(value) != option->parts)
      at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no tuple of %d", option->key, option->parts);
    for (int i = 0; i < option->parts; i++)
      read_option(option + i, at_datum_at(value, i), &group->options);
  }
  for (int e = 0; e < AT_GROUP_EXTRAS; e++) {
    const at_datum value = at_state_find(from, at_groupExtras[e]);
    group->extras[e] = value.dict ? at_state_number(value, at_groupExtras[e]) : (double)NAN;
  }
}

/* The states of a parameter, converted to its type. */
static void read_param(const Reader *r, int index, at_datum from)
{
  const at_rule *const rule = r->o->rule;
  at_param *const param = &r->params[index];
  const at_tensor *const like = r->o->params[index].t;
  const at_datum step = at_state_find(from, "step");
  if (rule->counts && step.dict)
    param->steps = at_state_number(step, "step");
  for (int i = 0; i < AT_KEPT && rule->numbers[i]; i++) {
    const at_datum number = at_state_find(from, rule->numbers[i]);
    if (number.dict)
      param->kept[i] = at_state_number(number, rule->numbers[i]);
  }
  for (int s = 0; s < AT_STATES && rule->states[s]; s++) {
    const at_datum value = at_state_find(from, rule->states[s]);
    if (!value.dict || at_datum_kindOf(value) == AT_DATUM_NOTHING || param->state[s])
      continue;
    at_tensor *const t = at_state_tensor(value, rule->states[s]);
    char called[60];
    snprintf(called, sizeof called, "'%s' of parameter %d", rule->states[s], index);
    param->state[s] = at_newState(rule, like, s, t, called);
  }
}

/* Which parameter has that number in the file, or -1. */
static int param_of(at_datum groups, const at_optimizer *o, at_datum id)
{
  for (int g = 0; g < o->groupCount; g++) {
    const at_datum list = at_state_find(at_datum_at(groups, g), "params");
    for (int i = 0; i < o->groups[g].count; i++)
      if (at_state_number(at_datum_at(list, i), "params") == at_state_number(id, "state"))
        return o->groups[g].first + i;
  }
  return -1;
}

static void read_all(Reader *r, at_datum from)
{
  const at_optimizer *const o = r->o;
  const at_datum groups = need(from, "param_groups", AT_DATUM_LIST);
  const at_datum states = need(from, "state", AT_DATUM_DICT);
  if (at_datum_count(groups) != o->groupCount)
    at_raise(AT_ERROR_ARGUMENT, "state has %lld groups, and the optimizer %d",
             (long long)at_datum_count(groups), o->groupCount);
  for (int g = 0; g < o->groupCount; g++) {
    const at_datum group = at_datum_at(groups, g);
    const int64_t count = at_datum_count(need(group, "params", AT_DATUM_LIST));
    if (count != o->groups[g].count)
      at_raise(AT_ERROR_ARGUMENT, "group %d has %lld parameters in state, and %d in the optimizer",
               g, (long long)count, o->groups[g].count);
    read_options(o->rule, group, &r->groups[g]);
  }
  for (int64_t i = 0; i < at_datum_count(states); i++) {
    const int index = param_of(groups, o, at_datum_key(states, i));
    if (index == 0 && o->rule->takesClosure && !r->lbfgs)
      r->lbfgs =
          at_lbfgs_read(o, (int)r->groups[0].options.lbfgs.history_size, at_datum_at(states, i));
    else if (index >= 0)
      read_param(r, index, at_datum_at(states, i));
  }
}

/* Gives what was read to the optimizer, and its own states to the reader. */
static void take_over(Reader *r)
{
  at_optimizer *const o = r->o;
  struct at_lbfgs *const lbfgs = o->lbfgs;
  o->lbfgs = r->lbfgs;
  r->lbfgs = lbfgs;
  for (int i = 0; i < o->paramCount; i++) {
    at_param *const mine = &o->params[i], *const read = &r->params[i], before = *mine;
    *mine = *read;
    mine->t = before.t;
    *read = before;
  }
  memcpy(o->groups, r->groups, (size_t)o->groupCount * sizeof *o->groups);
}

bool(at_optimizer_load)(at_optimizer *o, at_datum state)
{
  const char *const name = "optimizer_load";
  if (!at_acceptPointer(name, "optimizer", o))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    Reader r = {.o = o};
    THGuard guard;
    THGuard_enter(&guard, end_reader);
    guard.what = &r;
    r.groups = THAlloc(o->groupCount * (ptrdiff_t)sizeof *r.groups);
    memcpy(r.groups, o->groups, (size_t)o->groupCount * sizeof *r.groups);
    at_param *const params = THAlloc(o->paramCount * (ptrdiff_t)sizeof *params);
    for (int i = 0; i < o->paramCount; i++)
      params[i] = at_newParam(o->rule, NULL);
    r.params = params;
    read_all(&r, state);
    take_over(&r);
    THGuard_leave(&guard);
  }
  return !at_failed(&call);
}
