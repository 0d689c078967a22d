/* The state of a schedule, and of a scaler, as values in the layout of PyTorch's state_dict(). */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "Schedule.h"
#include "State.h"

/* --- fields ----------------------------------------------------------------------------------- */

typedef enum FieldKind {
  WHOLE,
  NUMBER,
  BOOL,
  ALIKE,     /* a list with the same number for each group */
  MOMENTA,   /* ALIKE, but only if momentum is changed too */
  GROUPS,    /* base: a list with a number for each group */
  LINEAR,    /* a boolean as one of two texts, "cos" and "linear" */
  GREATEST,  /* a boolean as "min" or "max" */
  ABSOLUTE,  /* a boolean as "rel" or "abs" */
  CYCLE,     /* mode */
  MILESTONES /* how often each step is one */
} FieldKind;

/* An entry of a state; the last of a list has no key. */
typedef struct Field {
  const char *key;
  FieldKind kind;
  size_t offset; /* in at_schedule */
} Field;

#define AT(MEMBER) offsetof(at_schedule, MEMBER)
/* clang-format off */
#define COUNTED {"base_lrs", GROUPS}, {"last_epoch", WHOLE, AT(step)}
#define ROW(KIND, ...) [KIND] = (const Field[]){__VA_ARGS__, {NULL}}
/* clang-format on */

static const Field *const fields[AT_SCHEDULE_KINDS] = {
    ROW(AT_STEP_LR, COUNTED, {"step_size", WHOLE, AT(period)}, {"gamma", NUMBER, AT(factor)}),
    ROW(AT_MULTISTEP_LR, COUNTED, {"milestones", MILESTONES}, {"gamma", NUMBER, AT(factor)}),
    ROW(AT_CONSTANT_LR, COUNTED, {"factor", NUMBER, AT(factor)},
        {"total_iters", WHOLE, AT(period)}),
    ROW(AT_LINEAR_LR, COUNTED, {"start_factor", NUMBER, AT(factor)},
        {"end_factor", NUMBER, AT(end)}, {"total_iters", WHOLE, AT(period)}),
    ROW(AT_EXPONENTIAL_LR, COUNTED, {"gamma", NUMBER, AT(factor)}),
    ROW(AT_POLYNOMIAL_LR, COUNTED, {"total_iters", WHOLE, AT(period)},
        {"power", NUMBER, AT(power)}),
    ROW(AT_COSINE_LR, COUNTED, {"T_max", WHOLE, AT(period)}, {"eta_min", NUMBER, AT(end)}),
    ROW(AT_RESTARTS_LR, COUNTED, {"T_0", WHOLE, AT(period)}, {"T_i", WHOLE, AT(length)},
        {"T_mult", WHOLE, AT(times)}, {"eta_min", NUMBER, AT(end)}, {"T_cur", WHOLE, AT(within)}),
    ROW(AT_ONECYCLE_LR, COUNTED, {"total_steps", WHOLE, AT(period)},
        {"_anneal_func_type", LINEAR, AT(cycle.linear)}, {"cycle_momentum", BOOL, AT(cycles)}),
    ROW(AT_CYCLIC_LR, COUNTED, {"max_lrs", ALIKE, AT(rates[1])}, {"mode", CYCLE, AT(mode)},
        {"gamma", NUMBER, AT(factor)}, {"cycle_momentum", BOOL, AT(cycles)},
        {"base_momentums", MOMENTA, AT(momenta[0])}, {"max_momentums", MOMENTA, AT(momenta[1])}),
    ROW(AT_LAMBDA_LR, COUNTED),
    ROW(AT_PLATEAU_LR, {"last_epoch", WHOLE, AT(step)}, {"factor", NUMBER, AT(plateau.factor)},
        {"default_min_lr", NUMBER, AT(plateau.min_lr)}, {"min_lrs", ALIKE, AT(plateau.min_lr)},
        {"patience", WHOLE, AT(plateau.patience)}, {"cooldown", WHOLE, AT(plateau.cooldown)},
        {"eps", NUMBER, AT(plateau.eps)}, {"mode", GREATEST, AT(plateau.maximize)},
        {"threshold", NUMBER, AT(plateau.threshold)},
        {"threshold_mode", ABSOLUTE, AT(plateau.absolute)}, {"best", NUMBER, AT(best)},
        {"cooldown_counter", WHOLE, AT(cooling)}, {"num_bad_epochs", WHOLE, AT(bad)}),
    ROW(AT_SEQUENTIAL_LR, {"last_epoch", WHOLE, AT(step)}),
    ROW(AT_CHAINED_LR, {NULL}),
};

static const char *const *texts_of(FieldKind kind)
{
  static const char *const texts[][3] = {[LINEAR] = {"cos", "linear"},
                                         [GREATEST] = {"min", "max"},
                                         [ABSOLUTE] = {"rel", "abs"},
                                         [CYCLE] = {"triangular", "triangular2", "exp_range"}};
  return texts[kind];
}

static at_schedule_kind kind_of(const at_schedule *s)
{
  return (at_schedule_kind)(s->row - at_scheduleRows);
}

static const void *member_of(const at_schedule *s, const Field *field)
{
  return (const char *)s + field->offset;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int32_t text_node(at_nodes *nodes, const char *text)
{
  return at_nodes_addText(nodes, AT_NODE_TEXT, text, strlen(text));
}

/* A list of the base rates, of the rates as they are now, or of one number for each group. */
typedef enum Which { BASE, NOW, ONE } Which;

static int32_t list_node(at_nodes *nodes, const at_schedule *s, Which which, double value)
{
  const int32_t list = at_nodes_add(nodes, AT_NODE_LIST);
  for (int g = 0; g < s->groups; g++)
    at_nodes_append(nodes, list,
                    at_nodes_addNumber(nodes, which == BASE  ? s->base[g]
                                              : which == NOW ? *at_schedule_rate(s, g)
                                                             : value));
  return list;
}

static int32_t milestones_node(at_nodes *nodes, const at_schedule *s)
{
  const int32_t counts = at_nodes_add(nodes, AT_NODE_DICT);
  for (int i = 0, next; i < s->milestoneCount; i = next) {
    for (next = i; next < s->milestoneCount && s->milestones[next] == s->milestones[i];)
      next++;
    at_nodes_append(nodes, counts, at_nodes_addInteger(nodes, s->milestones[i]));
    at_nodes_append(nodes, counts, at_nodes_addInteger(nodes, next - i));
  }
  return counts;
}

static int32_t field_node(at_nodes *nodes, const at_schedule *s, const Field *field)
{
  const void *const member = member_of(s, field);
  switch (field->kind) {
    case WHOLE:
      return at_nodes_addInteger(nodes, *(const int64_t *)member);
    case NUMBER:
      return at_nodes_addNumber(nodes, *(const double *)member);
    case BOOL:
      return at_nodes_addBool(nodes, *(const bool *)member);
    case ALIKE:
    case MOMENTA:
      return list_node(nodes, s, ONE, *(const double *)member);
    case GROUPS:
      return list_node(nodes, s, BASE, 0);
    case CYCLE:
      return text_node(nodes, texts_of(CYCLE)[*(const at_cycle *)member]);
    case MILESTONES:
      return milestones_node(nodes, s);
    default:
      return text_node(nodes, texts_of(field->kind)[*(const bool *)member]);
  }
}

/* What a part of a cycle goes from and to, as PyTorch names them. */
static void write_phase(at_nodes *nodes, int32_t list, double end, const char *const names[4])
{
  static const char *const keys[] = {"start_lr", "end_lr", "start_momentum", "end_momentum"};
  const int32_t phase = at_nodes_add(nodes, AT_NODE_DICT);
  at_nodes_append(nodes, list, phase);
  at_nodes_put(nodes, phase, "end_step", at_nodes_addNumber(nodes, end));
  for (int i = 0; i < 4; i++)
    at_nodes_put(nodes, phase, keys[i], text_node(nodes, names[i]));
}

static void write_phases(at_nodes *nodes, int32_t dict, const at_schedule *s)
{
  static const char *const up[] = {"initial_lr", "max_lr", "max_momentum", "base_momentum"};
  static const char *const down[] = {"max_lr", "min_lr", "base_momentum", "max_momentum"};
  static const char *const back[] = {"max_lr", "initial_lr", "base_momentum", "max_momentum"};
  static const char *const last[] = {"initial_lr", "min_lr", "max_momentum", "max_momentum"};
  const double rise = s->cycle.pct_start * (double)s->period - 1, end = (double)s->period - 1;
  const int32_t list =
      at_nodes_put(nodes, dict, "_schedule_phases", at_nodes_add(nodes, AT_NODE_LIST));
  write_phase(nodes, list, rise, up);
  if (s->cycle.three_phase)
    write_phase(nodes, list, 2 * rise, back);
  write_phase(nodes, list, end, s->cycle.three_phase ? last : down);
}

/* What PyTorch has besides the fields, and no schedule here reads. */
static void write_rest(at_nodes *nodes, int32_t dict, const at_schedule *s)
{
  const at_schedule_kind kind = kind_of(s);
  const bool isCounted = kind <= AT_LAMBDA_LR, hasBeta = at_optionOf(s->optimizer->rule, "beta1");
  const double infinity = s->plateau.maximize ? -(double)INFINITY : (double)INFINITY;
  at_nodes_put(nodes, dict, "_last_lr", list_node(nodes, s, NOW, 0));
  if (isCounted) {
    const int64_t steps = kind == AT_RESTARTS_LR ? 0 : THMax(s->step, 0) + 1;
    at_nodes_put(nodes, dict, "_step_count", at_nodes_addInteger(nodes, steps));
    at_nodes_put(nodes, dict, "_is_initial", at_nodes_addBool(nodes, false));
    at_nodes_put(nodes, dict, "_get_lr_called_within_step", at_nodes_addBool(nodes, false));
  }
  if (s->cycles)
    at_nodes_put(nodes, dict, "use_beta1", at_nodes_addBool(nodes, hasBeta));
  if (kind == AT_PLATEAU_LR)
    at_nodes_put(nodes, dict, "mode_worse", at_nodes_addNumber(nodes, infinity));
  if (kind == AT_LAMBDA_LR) {
    const int32_t none = at_nodes_put(nodes, dict, "lr_lambdas", at_nodes_add(nodes, AT_NODE_LIST));
    for (int g = 0; g < s->groups; g++)
      at_nodes_append(nodes, none, at_nodes_add(nodes, AT_NODE_NOTHING));
  }
  if (kind == AT_ONECYCLE_LR)
    write_phases(nodes, dict, s);
  if (kind == AT_CYCLIC_LR) {
    const double up = (double)s->periods[0], total = up + (double)s->periods[1];
    at_nodes_put(nodes, dict, "total_size", at_nodes_addNumber(nodes, total));
    at_nodes_put(nodes, dict, "step_ratio", at_nodes_addNumber(nodes, up / total));
    at_nodes_put(nodes, dict, "scale_mode",
                 text_node(nodes, s->mode == AT_EXP_RANGE ? "iterations" : "cycle"));
    at_nodes_put(nodes, dict, "_scale_fn_custom", at_nodes_add(nodes, AT_NODE_NOTHING));
  }
}

static void write_schedule(at_nodes *nodes, int32_t dict, const at_schedule *s)
{
  for (const Field *field = fields[kind_of(s)]; field->key; field++)
    if (field->kind != MOMENTA || s->cycles)
      at_nodes_put(nodes, dict, field->key, field_node(nodes, s, field));
  write_rest(nodes, dict, s);
  if (s->row == &at_scheduleRows[AT_SEQUENTIAL_LR]) {
    const int32_t list =
        at_nodes_put(nodes, dict, "_milestones", at_nodes_add(nodes, AT_NODE_LIST));
    for (int i = 0; i < s->milestoneCount; i++)
      at_nodes_append(nodes, list, at_nodes_addInteger(nodes, s->milestones[i]));
  }
  if (s->partCount == 0)
    return;
  const int32_t parts = at_nodes_put(nodes, dict, "_schedulers", at_nodes_add(nodes, AT_NODE_LIST));
  for (int i = 0; i < s->partCount; i++) {
    const int32_t part = at_nodes_add(nodes, AT_NODE_DICT);
    at_nodes_append(nodes, parts, part);
    at_schedule shown = *s->parts[i];
    if (s->milestoneCount > 0 && i > at_schedule_partAt(s)) /* this schedule has not begun */
      shown.step = -1;
    write_schedule(nodes, part, &shown);
  }
}

static void write_scaler(at_nodes *nodes, int32_t dict, const at_scaler *s)
{
  at_nodes_put(nodes, dict, "scale", at_nodes_addNumber(nodes, s->scale));
  at_nodes_put(nodes, dict, "growth_factor", at_nodes_addNumber(nodes, s->growth_factor));
  at_nodes_put(nodes, dict, "backoff_factor", at_nodes_addNumber(nodes, s->backoff_factor));
  at_nodes_put(nodes, dict, "growth_interval", at_nodes_addInteger(nodes, s->growth_interval));
  at_nodes_put(nodes, dict, "_growth_tracker", at_nodes_addInteger(nodes, s->growth_tracker));
}

/* A set with the values of a schedule, or of a scaler. */
static at_dict *written(const char *name, const at_schedule *schedule, const at_scaler *scaler)
{
  at_dict *const dict = at_dict_new();
  if (!dict)
    return NULL;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_file file;
    at_nodes *const nodes = at_nodes_make(dict, &file);
    if (schedule)
      write_schedule(nodes, nodes->root, schedule);
    else
      write_scaler(nodes, nodes->root, scaler);
    at_dict_settle(dict);
  }
  if (!at_failed(&call))
    return dict;
  at_dict_free(dict);
  return NULL;
}

at_dict *(at_schedule_state_dict)(const at_schedule *schedule)
{
  const char *const name = "schedule_state_dict";
  return at_acceptPointer(name, "schedule", schedule) ? written(name, schedule, NULL) : NULL;
}

at_dict *(at_scaler_state_dict)(const at_scaler *scaler)
{
  const char *const name = "scaler_state_dict";
  return at_acceptPointer(name, "scaler", scaler) ? written(name, NULL, scaler) : NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

static double number_of(at_datum from, const char *key)
{
  return at_state_number(at_state_find(from, key), key);
}

static int64_t whole_of(at_datum value, const char *key)
{
  const double number = at_state_number(value, key), most = 9007199254740992.0; /* 2^53 */
  if (!(number >= 0 && number <= most && number == floor(number)))
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state is %g, and has to be a whole number from 0 on", key,
             number);
  return (int64_t)number;
}

static at_datum list_of(at_datum from, const char *key, int64_t count)
{
  const at_datum list = at_state_find(from, key);
  if (at_datum_kindOf(list) != AT_DATUM_LIST || at_datum_count(list) != count)
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no list of %lld", key, (long long)count);
  return list;
}

static int choice_of(at_datum value, const Field *field)
{
  const char *const *const texts = texts_of(field->kind);
  const char *const text =
      at_datum_kindOf(value) == AT_DATUM_STRING ? at_datum_string(value, NULL) : "";
  for (int i = 0; i < 3 && texts[i]; i++)
    if (!strcmp(text, texts[i]))
      return i;
  at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no text that is known", field->key);
}

/* A dictionary of counts, or a Counter around one. */
static void read_milestones(at_schedule *s, at_datum value)
{
  enum { MOST = 1 << 20 };
  if (at_datum_kindOf(value) == AT_DATUM_OBJECT)
    value = at_datum_at(at_datum_at(value, 0), 0); /* the only argument */
  if (at_datum_kindOf(value) != AT_DATUM_DICT)
    at_raise(AT_ERROR_ARGUMENT, "'milestones' in state is no dictionary of counts");
  int64_t count = 0;
  for (int64_t i = 0; i < at_datum_count(value) && count <= MOST; i++)
    count += THMin(whole_of(at_datum_at(value, i), "milestones"), MOST);
  if (count > MOST)
    at_raise(AT_ERROR_ARGUMENT, "'milestones' in state are more than %d", MOST);
  THFree(s->milestones);
  s->milestones = NULL;
  s->milestones = THAlloc((ptrdiff_t)(count + 1) * (ptrdiff_t)sizeof *s->milestones);
  s->milestoneCount = 0;
  for (int64_t i = 0; i < at_datum_count(value); i++) {
    const int64_t at = whole_of(at_datum_key(value, i), "milestones");
    for (int64_t k = whole_of(at_datum_at(value, i), "milestones"); k > 0; k--)
      s->milestones[s->milestoneCount++] = at;
  }
}

static void read_field(at_schedule *s, at_datum from, const Field *field)
{
  const at_datum value = at_state_find(from, field->key);
  void *const member = (char *)s + field->offset;
  if (!value.dict) /* an older file lacks some */
    return;
  switch (field->kind) {
    case WHOLE:
      *(int64_t *)member = field->offset == AT(step) && at_state_number(value, field->key) == -1
                               ? 0
                               : whole_of(value, field->key);
      break;
    case NUMBER:
      *(double *)member = at_state_number(value, field->key);
      break;
    case BOOL:
      *(bool *)member = at_state_number(value, field->key) != 0;
      break;
    case ALIKE:
    case MOMENTA:
      *(double *)member =
          at_state_number(at_datum_at(list_of(from, field->key, s->groups), 0), field->key);
      break;
    case GROUPS:
      for (int g = 0; g < s->groups; g++)
        s->base[g] =
            at_state_number(at_datum_at(list_of(from, field->key, s->groups), g), field->key);
      break;
    case CYCLE:
      *(at_cycle *)member = (at_cycle)choice_of(value, field);
      break;
    case MILESTONES:
      read_milestones(s, value);
      break;
    default:
      *(bool *)member = choice_of(value, field) == 1;
  }
}

/* Numbers that the formulas divide by. */
static void check_read(const at_schedule *s)
{
  const at_schedule_kind kind = kind_of(s);
  const bool isPeriodic = kind == AT_STEP_LR || kind == AT_POLYNOMIAL_LR || kind == AT_COSINE_LR ||
                          kind == AT_RESTARTS_LR || kind == AT_ONECYCLE_LR;
  if ((isPeriodic && s->period < 1) ||
      (kind == AT_RESTARTS_LR && (s->length < 1 || s->times < 1)) ||
      (kind == AT_CYCLIC_LR && (s->periods[0] < 1 || s->periods[1] < 1)))
    at_raise(AT_ERROR_ARGUMENT, "state has a period of %s without steps", s->row->name);
}

static void read_cycles(at_schedule *s, at_datum from)
{
  if (s->row == &at_scheduleRows[AT_CYCLIC_LR] && at_state_find(from, "total_size").dict) {
    const double total = number_of(from, "total_size"), ratio = number_of(from, "step_ratio");
    if (!(total >= 0 && total <= 1e15 && ratio >= 0 && ratio <= 1))
      at_raise(AT_ERROR_ARGUMENT, "state has a cycle of %g steps, which rises for %g of it", total,
               ratio);
    s->periods[0] = llround(total * ratio);
    s->periods[1] = llround(total) - s->periods[0];
    s->rates[0] = s->base[0];
  }
  const at_datum phases = at_state_find(from, "_schedule_phases");
  if (s->row != &at_scheduleRows[AT_ONECYCLE_LR] || !phases.dict || s->period < 1)
    return;
  const int64_t count = at_datum_kindOf(phases) == AT_DATUM_LIST ? at_datum_count(phases) : 0;
  if (count != 2 && count != 3)
    at_raise(AT_ERROR_ARGUMENT, "'_schedule_phases' in state is no list of 2 or 3");
  s->cycle.three_phase = count == 3;
  s->cycle.pct_start = (number_of(at_datum_at(phases, 0), "end_step") + 1) / (double)s->period;
}

/* Reads what is there into a schedule that is made as s is, its parts too. */
static void read_schedule(at_schedule *s, at_datum from)
{
  if (at_datum_kindOf(from) != AT_DATUM_DICT)
    at_raise(AT_ERROR_ARGUMENT, "state of %s is no dictionary", s->row->name);
  for (const Field *field = fields[kind_of(s)]; field->key; field++)
    read_field(s, from, field);
  read_cycles(s, from);
  check_read(s);
  const at_datum parts =
      s->partCount > 0 ? list_of(from, "_schedulers", s->partCount) : (at_datum){NULL, -1};
  for (int i = 0; i < s->partCount; i++)
    read_schedule(s->parts[i], at_datum_at(parts, i));
  if (s->row == &at_scheduleRows[AT_CHAINED_LR])
    s->step = s->parts[0]->step;
  if (s->row != &at_scheduleRows[AT_SEQUENTIAL_LR])
    return;
  const at_datum milestones = list_of(from, "_milestones", s->milestoneCount);
  for (int i = 0; i < s->milestoneCount; i++)
    s->milestones[i] = whole_of(at_datum_at(milestones, i), "_milestones");
}

static void *duplicate(const void *from, ptrdiff_t bytes)
{
  void *const made = THAlloc(bytes);
  memcpy(made, from, (size_t)bytes);
  return made;
}

/* A copy to read into; *to owns what is made so far, at any time. */
static void copy_schedule(at_schedule **to, const at_schedule *s)
{
  at_schedule *const made = *to = THAlloc(sizeof *made);
  *made = *s;
  made->base = NULL;
  made->milestones = NULL;
  made->parts = NULL;
  made->partCount = 0;
  made->base = duplicate(s->base, s->groups * (ptrdiff_t)sizeof *s->base);
  made->milestones =
      duplicate(s->milestones, (s->milestoneCount + 1) * (ptrdiff_t)sizeof *s->milestones);
  if (s->partCount == 0)
    return;
  made->parts = THAlloc(s->partCount * (ptrdiff_t)sizeof *s->parts);
  memset(made->parts, 0, (size_t)s->partCount * sizeof *s->parts);
  made->partCount = s->partCount;
  for (int i = 0; i < s->partCount; i++)
    copy_schedule(&made->parts[i], s->parts[i]);
}

/* Gives what was read to s, and what s had to the copy; the parts stay whose they are. */
static void take_over(at_schedule *s, at_schedule *read)
{
  for (int i = 0; i < s->partCount; i++)
    take_over(s->parts[i], read->parts[i]);
  at_schedule **const mine = s->parts, **const others = read->parts;
  const at_schedule before = *s;
  *s = *read;
  *read = before;
  s->parts = mine;
  read->parts = others;
}

static void end_copy(void *what)
{
  at_schedule_free(*(at_schedule **)what);
}

bool(at_schedule_load)(at_schedule *s, at_datum state)
{
  const char *const name = "schedule_load";
  if (!at_acceptPointer(name, "schedule", s))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_schedule *copy = NULL;
    THGuard guard;
    THGuard_enter(&guard, end_copy);
    guard.what = &copy;
    copy_schedule(&copy, s);
    read_schedule(copy, state);
    take_over(s, copy);
    THGuard_leave(&guard);
  }
  return !at_failed(&call);
}

bool(at_scaler_load)(at_scaler *scaler, at_datum state)
{
  const char *const name = "scaler_load";
  if (!at_acceptPointer(name, "scaler", scaler))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_scaler read = *scaler;
    read.scale = number_of(state, "scale");
    read.growth_factor = number_of(state, "growth_factor");
    read.backoff_factor = number_of(state, "backoff_factor");
    read.growth_interval = whole_of(at_state_find(state, "growth_interval"), "growth_interval");
    read.growth_tracker = whole_of(at_state_find(state, "_growth_tracker"), "_growth_tracker");
    *scaler = read;
  }
  return !at_failed(&call);
}
