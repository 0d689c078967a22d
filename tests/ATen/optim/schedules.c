/* Schedules, averages, clipping, scaled losses and Muon against PyTorch: tests/oracle/schedules.py. */
#include <math.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_golden.h"

enum { STEPS = 50, COLUMNS = 4 };

static double metric_of(int step)
{
  return 2 + cos(0.3 * step) - (step < 20 ? 0.02 * step : 0.4);
}

static double part(void *context, int64_t e)
{
  return 1 / (1 + (double)e);
}

static at_schedule *sequential(at_optimizer *o)
{
  at_schedule *const parts[] = {at_linear_lr(o, .start_factor = 0.1, .total_iters = 8),
                                at_cosine_lr(o, 20, .eta_min = 1e-3), at_exponential_lr(o, 0.9)};
  return at_sequential_lr(parts, 3, AT_INTS(8, 30));
}

static at_schedule *chained(at_optimizer *o)
{
  at_schedule *const parts[] = {at_constant_lr(o, .factor = 0.25, .total_iters = 6),
                                at_exponential_lr(o, 0.95)};
  return at_chained_lr(parts, 2);
}

#define SCHEDULES(X)                                                                               \
  X(step, at_step_lr(o, 7, .gamma = 0.5))                                                          \
  X(multistep, at_multistep_lr(o, AT_INTS(30, 5, 12, 12), .gamma = 0.3))                           \
  X(constant, at_constant_lr(o, .factor = 0.4, .total_iters = 9))                                  \
  X(linear, at_linear_lr(o, .start_factor = 0.2, .end_factor = 0.8, .total_iters = 11))            \
  X(exponential, at_exponential_lr(o, 0.93))                                                       \
  X(polynomial, at_polynomial_lr(o, .total_iters = 30, .power = 1.7))                              \
  X(cosine, at_cosine_lr(o, 15, .eta_min = 0.01))                                                  \
  X(restarts, at_cosine_restarts_lr(o, 6, .t_mult = 2, .eta_min = 0.02))                           \
  X(onecycle, at_onecycle_lr(o, 0.6, 51))                                                          \
  X(onecycle_linear, at_onecycle_lr(o, 0.6, 60, .linear = true, .three_phase = true,               \
                                    .pct_start = 0.2, .div_factor = 10))                           \
  X(cyclic, at_cyclic_lr(o, 0.1, 0.5, .step_size_up = 6, .step_size_down = 9))                     \
  X(cyclic2,                                                                                       \
    at_cyclic_lr(o, 0.1, 0.5, .step_size_up = 4, .mode = AT_TRIANGULAR2, .cycle_momentum = false)) \
  X(cyclic_range,                                                                                  \
    at_cyclic_lr(o, 0.1, 0.5, .step_size_up = 7, .mode = AT_EXP_RANGE, .gamma = 0.97))             \
  X(lambda, at_lambda_lr(o, part, NULL))                                                           \
  X(plateau, at_plateau_lr(o, .patience = 3, .factor = 0.5, .cooldown = 2, .min_lr = 0.02))        \
  X(plateau_max, at_plateau_lr(o, .maximize = true, .patience = 2, .threshold = 0.1,               \
                               .absolute = true, .factor = 0.7))                                   \
  X(sequential, sequential(o))                                                                     \
  X(chained, chained(o))

#define MAKER(NAME, CALL)                          \
  static at_schedule *make_##NAME(at_optimizer *o) \
  {                                                \
    return CALL;                                   \
  }
SCHEDULES(MAKER)

typedef struct Case {
  const char *name;
  at_schedule *(*make)(at_optimizer *o);
} Case;

#define ENTRY(NAME, CALL) {#NAME, make_##NAME},
static const Case cases[] = {SCHEDULES(ENTRY)};

static void look(at_optimizer *o, const THGolden *want, int step)
{
  const char *const momentum = isnan(at_optimizer_get(o, 0, "momentum")) ? "beta1" : "momentum";
  at_error_clear();
  for (int g = 0; g < 2; g++) {
    th_note("%s, step %d, group %d", want->name, step, g);
    CHECK_NEAR(at_optimizer_get(o, g, "lr"), th_golden_number(want, COLUMNS * step + 2 * g), 1e-14);
    CHECK_NEAR(at_optimizer_get(o, g, momentum), th_golden_number(want, COLUMNS * step + 2 * g + 1),
               1e-14);
  }
}

static void run_schedule(const THGoldenFile *file, const Case *one, bool isSgd)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_tensor *const q = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_optimizer *const o = isSgd ? at_sgd(AT_TENSORS(p), .lr = 0.3, .momentum = 0.7)
                                  : at_adam(AT_TENSORS(p), .lr = 0.3);
    CHECK_EQ(at_optimizer_add_group(o, AT_TENSORS(q)), 1);
    CHECK(at_optimizer_set(o, 1, "lr", 0.05));
    at_schedule *const s = one->make(o);
    CHECK_MSG(s, "%s", at_error_message());
    const THGolden *const want = th_golden(file, "%s/%s", one->name, isSgd ? "sgd" : "adam");
    look(o, want, 0);
    for (int i = 0; i < STEPS; i++) {
      CHECK(strncmp(one->name, "plateau", 7) ? at_schedule_step(s)
                                             : at_schedule_step_by(s, metric_of(i)));
      look(o, want, i + 1);
    }
    CHECK_EQ(at_schedule_steps(s), (int64_t)STEPS);
    at_schedule_free(s);
    at_optimizer_free(o);
  }
}

static void schedules(void **state)
{
  THGoldenFile *const file = th_golden_open("schedules.txt");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_schedule(file, &cases[i], true);
    if (strstr(cases[i].name, "cycl"))
      run_schedule(file, &cases[i], false);
  }
  th_golden_close(file);
}

/* --- states ------------------------------------------------------------------------------------ */

enum { SAVED = 20 };

/* The sequential schedule with other numbers, which a state replaces. */
static at_schedule *other_sequential(at_optimizer *o)
{
  at_schedule *const parts[] = {at_linear_lr(o), at_cosine_lr(o, 2), at_exponential_lr(o, 0.1)};
  return at_sequential_lr(parts, 3, AT_INTS(1, 2));
}

static at_schedule *other_chained(at_optimizer *o)
{
  at_schedule *const parts[] = {at_constant_lr(o), at_exponential_lr(o, 0.1)};
  return at_chained_lr(parts, 2);
}

#define OTHERS(X)                                                                               \
  X(step, at_step_lr(o, 1))                                                                     \
  X(multistep, at_multistep_lr(o, AT_INTS(1)))                                                  \
  X(constant, at_constant_lr(o))                                                                \
  X(linear, at_linear_lr(o))                                                                    \
  X(exponential, at_exponential_lr(o, 0.1))                                                     \
  X(polynomial, at_polynomial_lr(o))                                                            \
  X(cosine, at_cosine_lr(o, 1))                                                                 \
  X(restarts, at_cosine_restarts_lr(o, 1))                                                      \
  X(onecycle, at_onecycle_lr(o, 0.6, 7, .pct_start = 0.1, .linear = true, .three_phase = true)) \
  X(onecycle_linear, at_onecycle_lr(o, 0.6, 7, .div_factor = 10))                               \
  X(cyclic, at_cyclic_lr(o, 0.3, 0.4, .base_momentum = 0.1, .max_momentum = 0.2))               \
  X(cyclic2, at_cyclic_lr(o, 0.3, 0.4, .cycle_momentum = true))                                 \
  X(cyclic_range, at_cyclic_lr(o, 0.3, 0.4))                                                    \
  X(lambda, at_lambda_lr(o, part, NULL))                                                        \
  X(plateau, at_plateau_lr(o, .maximize = true, .absolute = true))                              \
  X(plateau_max, at_plateau_lr(o, .min_lr = 1, .cooldown = 3))                                  \
  X(sequential, other_sequential(o))                                                            \
  X(chained, other_chained(o))

#define OTHER_MAKER(NAME, CALL)                        \
  static at_schedule *other_##NAME##_(at_optimizer *o) \
  {                                                    \
    return CALL;                                       \
  }
OTHERS(OTHER_MAKER)

#define OTHER_ENTRY(NAME, CALL) {#NAME, other_##NAME##_},
static const Case others[] = {OTHERS(OTHER_ENTRY)};

static at_datum named(at_datum dict, const char *key)
{
  for (int64_t i = 0; i < at_datum_count(dict); i++)
    if (at_datum_kindOf(at_datum_key(dict, i)) == AT_DATUM_STRING &&
        !strcmp(at_datum_string(at_datum_key(dict, i), NULL), key))
      return at_datum_at(dict, i);
  fail_msg("there is no %s", key);
  return (at_datum){NULL, -1};
}

static void check_same(const char *where, at_datum got, at_datum want);

static void check_dicts(const char *where, at_datum got, at_datum want)
{
  CHECK_EQ(at_datum_count(got), at_datum_count(want));
  for (int64_t i = 0; i < at_datum_count(want); i++) {
    const at_datum key = at_datum_key(want, i);
    if (at_datum_kindOf(key) == AT_DATUM_STRING) {
      const char *const text = at_datum_string(key, NULL);
      if (!strcmp(where, "_schedulers") && !strcmp(text, "_last_lr"))
        continue; /* of a part: here the rates as they are now */
      check_same(text, named(got, text), at_datum_at(want, i));
      continue;
    }
    bool isThere = false; /* keys of a Counter */
    for (int64_t k = 0; k < at_datum_count(got); k++)
      if (at_datum_integer(at_datum_key(got, k)) == at_datum_integer(key)) {
        check_same(where, at_datum_at(got, k), at_datum_at(want, i));
        isThere = true;
      }
    CHECK(isThere);
  }
}

/* Compares values; a whole number may be either kind. */
static void check_same(const char *where, at_datum got, at_datum want)
{
  if (at_datum_kindOf(want) == AT_DATUM_OBJECT)
    want = at_datum_at(at_datum_at(want, 0), 0);
  const at_datum_kind kind = at_datum_kindOf(want);
  th_note("%s", where);
  switch (kind) {
    case AT_DATUM_INTEGER:
    case AT_DATUM_NUMBER:
      if (isinf(at_datum_number(want)))
        CHECK(at_datum_number(got) == at_datum_number(want));
      else
        CHECK_NEAR(at_datum_number(got), at_datum_number(want), 1e-13);
      break;
    case AT_DATUM_STRING:
      CHECK(!strcmp(at_datum_string(got, NULL), at_datum_string(want, NULL)));
      break;
    case AT_DATUM_LIST:
      CHECK_EQ(at_datum_count(got), at_datum_count(want));
      for (int64_t i = 0; i < at_datum_count(want); i++)
        check_same(where, at_datum_at(got, i), at_datum_at(want, i));
      break;
    case AT_DATUM_DICT:
      check_dicts(where, got, want);
      break;
    default:
      CHECK_EQ(at_datum_kindOf(got), kind);
      CHECK(kind != AT_DATUM_BOOL || at_datum_number(got) == at_datum_number(want));
  }
}

/* Loads PyTorch's state, compares it with what is written of it, and goes on from there. */
static void load_schedule(const THGoldenFile *file, at_datum states, size_t index)
{
  AT_SCOPE
  {
    const char *const name = cases[index].name;
    at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_tensor *const q = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_optimizer *const o = at_sgd(AT_TENSORS(p), .lr = 0.3, .momentum = 0.7);
    CHECK_EQ(at_optimizer_add_group(o, AT_TENSORS(q)), 1);
    at_schedule *const s = others[index].make(o);
    CHECK_MSG(s, "%s", at_error_message());
    CHECK_MSG(at_schedule_load(s, named(states, name)), "%s: %s", name, at_error_message());
    const THGolden *const want = th_golden(file, "%s/sgd", name);
    for (int g = 0; g < 2; g++) {
      CHECK(at_optimizer_set(o, g, "lr", th_golden_number(want, COLUMNS * SAVED + 2 * g)));
      CHECK(at_optimizer_set(o, g, "momentum",
                             th_golden_number(want, COLUMNS * SAVED + 2 * g + 1)));
    }
    at_dict *const d = at_schedule_state_dict(s);
    CHECK_MSG(d, "%s", at_error_message());
    check_same(name, at_dict_values(d), named(states, name));
    at_dict_free(d);
    for (int i = SAVED; i < STEPS; i++) {
      CHECK(strncmp(name, "plateau", 7) ? at_schedule_step(s)
                                        : at_schedule_step_by(s, metric_of(i)));
      look(o, want, i + 1);
    }
    at_schedule_free(s);
    at_optimizer_free(o);
  }
}

static void states(void **state)
{
  THGoldenFile *const file = th_golden_open("schedules.txt");
  at_dict *const d = at_load(AT_GOLDEN_DIR "/schedules.pt");
  CHECK_MSG(d, "%s", at_error_message());
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    load_schedule(file, at_dict_values(d), i);
  at_scaler scaler = at_scaler_defaults;
  CHECK(at_scaler_load(&scaler, named(at_dict_values(d), "scaler")));
  CHECK(scaler.scale == 1024 && scaler.growth_factor == 3 && scaler.backoff_factor == 0.25);
  at_dict *const written = at_scaler_state_dict(&scaler);
  check_same("scaler", at_dict_values(written), named(at_dict_values(d), "scaler"));
  at_dict_free(written);
  at_dict_free(d);
  th_golden_close(file);
}

/* What is refused leaves the schedule as it was. */
static void bad_states(void **state)
{
  at_dict *const d = at_load(AT_GOLDEN_DIR "/schedules.pt");
  AT_SCOPE
  {
    const at_datum all = at_dict_values(d);
    at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_optimizer *const o = at_sgd(AT_TENSORS(p), .momentum = 0.9); /* one group */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      at_schedule *const s = others[i].make(o);
      at_dict *const before = at_schedule_state_dict(s);
      CHECK(!at_schedule_load(s, named(all, others[i].name)));
      CHECK_MSG(strstr(at_error_message(), "in state is no list of 1"), "%s", at_error_message());
      at_error_clear();
      CHECK(!at_schedule_load(s, named(named(all, "plateau"), "best")));
      CHECK(strstr(at_error_message(), "is no dictionary"));
      at_error_clear();
      at_dict *const after = at_schedule_state_dict(s);
      check_same(others[i].name, at_dict_values(after), at_dict_values(before));
      at_dict_free(before);
      at_dict_free(after);
      at_schedule_free(s);
    }
    at_scaler scaler = at_scaler_defaults;
    CHECK(!at_scaler_load(&scaler, named(all, "step")) && scaler.scale == 65536);
    at_error_clear();
    at_optimizer_free(o);
  }
  at_dict_free(d);
}

static void state_body(void *states_)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_tensor *const q = at_requires_grad_(at_zeros(AT_SHAPE(1)));
    at_optimizer *const o = at_defined(q) ? at_sgd(AT_TENSORS(p)) : NULL;
    const bool isWhole = o && at_optimizer_add_group(o, AT_TENSORS(q)) == 1;
    at_schedule *const s = isWhole ? at_step_lr(o, 2) : NULL;
    at_schedule *const many = s ? at_chained_lr(&s, 1) : NULL;
    at_dict *const d = s ? at_schedule_state_dict(many ? many : s) : NULL;
    if (d)
      (void)at_schedule_load(many ? many : s, at_dict_values(d));
    at_dict_free(d);
    at_schedule_free(many ? many : s);
    at_optimizer_free(o);
  }
  at_error_clear();
}

static void state_faults(void **state)
{
  CHECK(th_fail_each(state_body, NULL) > 20);
}

/* --- what else PyTorch computed --------------------------------------------------------------- */

static at_tensor *counted(int count)
{
  return at_arange(count, .type = AT_CPU(AT_DOUBLE));
}

static void check_close(at_tensor *t, const THGolden *want, ptrdiff_t first, double tolerance)
{
  at_tensor *const flat = at_reshape(at_detach(t), AT_SHAPE(-1));
  th_note("%s", want->name);
  for (ptrdiff_t i = 0; i < at_numel(flat); i++)
    CHECK_NEAR(at_item_double(at_select(flat, 0, i)), th_golden_number(want, first + i), tolerance);
}

static void averages(void **state)
{
  THGoldenFile *const file = th_golden_open("schedules.txt");
  for (int plain = 0; plain < 2; plain++)
    AT_SCOPE
    {
      at_tensor *const w = at_zeros(AT_SHAPE(3, 2), .type = AT_CPU(AT_DOUBLE));
      at_average *const a = plain ? at_swa(AT_TENSORS(w)) : at_ema(AT_TENSORS(w), 0.8);
      for (int i = 0; i < 6; i++) {
        at_copy_(w, at_reshape(at_cos(at_add(counted(6), i)), AT_SHAPE(3, 2)));
        CHECK(at_average_update(a));
      }
      check_close(at_average_param(a, 0), th_golden(file, plain ? "swa" : "ema"), 0, 1e-15);
      CHECK(!at_defined(at_average_param(a, 1)) && at_error() == AT_ERROR_ARGUMENT);
      at_error_clear();
      at_average_free(a);
    }
  th_golden_close(file);
}

static void clipping(void **state)
{
  THGoldenFile *const file = th_golden_open("schedules.txt");
  static const double orders[] = {2, 1, 3, (double)INFINITY};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      const at_type *const type = AT_CPU(AT_DOUBLE);
      at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(4), .type = type));
      at_tensor *const q = at_requires_grad_(at_zeros(AT_SHAPE(2, 3), .type = type));
      CHECK(at_set_grad(p, at_cos(counted(4))));
      CHECK(at_set_grad(q, at_mul(at_reshape(at_sin(counted(6)), AT_SHAPE(2, 3)), 2)));
      const THGolden *const want = th_golden(file, "clip/%g", orders[i]);
      CHECK_NEAR(at_clip_grad_norm(AT_TENSORS(p, q), 0.75, .norm_type = orders[i]),
                 th_golden_number(want, 0), 1e-14);
      check_close(at_grad(p), want, 1, 1e-14);
      check_close(at_grad(q), want, 5, 1e-14);
      CHECK(at_clip_grad_value(AT_TENSORS(p, q), 0.1));
      CHECK(at_item_double(at_max(at_abs(at_grad(q)))) == 0.1);
    }
  th_golden_close(file);
}

static void not_finite(void **state)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_zeros(AT_SHAPE(2)));
    CHECK(at_set_grad(p, at_full(AT_SHAPE(2), (double)INFINITY)));
    CHECK(isnan(at_clip_grad_norm(AT_TENSORS(p), 1, .error_if_nonfinite = true)));
    CHECK(strstr(at_error_message(), "the total norm of order 2 is inf"));
    at_error_clear();
    CHECK(isnan(at_clip_grad_norm(AT_TENSORS(p), 1, .norm_type = 0)));
    at_error_clear();
    CHECK(isinf(at_clip_grad_norm(AT_TENSORS(p), 1)));
    CHECK(isnan(at_item_double(at_select(at_grad(p), 0, 0)))); /* inf * 0, as in PyTorch */
  }
}

static void muon_case(const THGoldenFile *file, const char *name, at_tensor *w, at_tensor *v,
                      at_optimizer *o)
{
  CHECK(o);
  for (int i = 0; i < 3; i++) {
    CHECK(at_set_grad(w, at_reshape(at_sin(at_mul(counted(24), i + 1)), AT_SHAPE(6, 4))));
    CHECK(at_set_grad(v, at_reshape(at_sin(at_mul(counted(24), i + 2)), AT_SHAPE(4, 6))));
    CHECK_MSG(at_optimizer_step(o), "%s", at_error_message());
  }
  /* Products in BFloat16 are rounded in another order than PyTorch's: 2^-8 of a step of 0.1. */
  const THGolden *const want = th_golden(file, "muon/%s", name);
  check_close(w, want, 0, 3e-3);
  check_close(v, want, 24, 3e-3);
  at_dict *const d = at_optimizer_state_dict(o);
  check_close(at_dict_get(d, "state.0.momentum_buffer"),
              th_golden(file, "muon/%s/momentum_buffer", name), 0, 1e-14);
  CHECK(at_optimizer_load(o, at_dict_values(d)));
  at_dict_free(d);
  at_optimizer_free(o);
}

static void muon(void **state)
{
  THGoldenFile *const file = th_golden_open("schedules.txt");
  for (int i = 0; i < 3; i++)
    AT_SCOPE
    {
      static const char *const names[] = {"original", "match", "spectral"};
      at_tensor *ts[2];
      for (int k = 0; k < 2; k++)
        ts[k] = at_requires_grad_(at_reshape(at_cos(at_add(at_mul(counted(24), 0.7), k + 1)),
                                             k ? AT_SHAPE(4, 6) : AT_SHAPE(6, 4)));
      const at_tensors p = {ts, 2};
      at_optimizer *const o = i == 0   ? at_muon(p, .lr = 0.1)
                              : i == 1 ? at_muon(p, .lr = 0.1, .adjust = AT_MUON_MATCH_RMS_ADAMW,
                                                 .nesterov = false, .weight_decay = 0.3)
                                       : at_muon(p, .lr = 0.1, .adjust = AT_MUON_SPECTRAL_UNCLAMPED,
                                                 .momentum = 0.6, .ns_steps = 4);
      muon_case(file, names[i], ts[0], ts[1], o);
    }
  th_golden_close(file);
}

/* --- the scale of losses ---------------------------------------------------------------------- */

/* An infinity halves the scale and changes no parameter; growth_interval steps without one double
 * it. */
static void scaler(void **state)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_ones(AT_SHAPE(2)));
    at_optimizer *const o = at_sgd(AT_TENSORS(p), .lr = 0.5);
    at_scaler s = at_scaler_defaults;
    s.scale = 8;
    s.growth_interval = 2;
    CHECK(at_set_grad(p, at_full(AT_SHAPE(2), (double)INFINITY)));
    CHECK(at_scaler_step(&s, o) && s.found_inf && at_scaler_update(&s));
    CHECK(s.scale == 4 && !s.found_inf && at_item_double(at_sum(at_detach(p))) == 2);
    for (int i = 0; i < 2; i++) {
      CHECK(at_optimizer_zero_grad(o));
      CHECK(at_backward(at_scaler_scale(&s, at_sum(p))));
      CHECK(at_item_double(at_max(at_grad(p))) == 4);
      CHECK(i == 0 || at_scaler_unscale(&s, o));
      CHECK(at_scaler_step(&s, o) && at_scaler_update(&s));
      CHECK(at_item_double(at_max(at_grad(p))) == 1);
    }
    CHECK(s.scale == 8 && s.growth_tracker == 0);
    CHECK(at_item_double(at_sum(at_detach(p))) == 0);
    CHECK(at_scaler_unscale(&s, o) && !at_scaler_unscale(&s, o));
    CHECK(strstr(at_error_message(), "unscaled already"));
    at_error_clear();
    at_optimizer_free(o);
  }
}

/* --- errors ----------------------------------------------------------------------------------- */

#define FAILS(PART, CALL)                                                          \
  {                                                                                \
    CHECK(!(CALL));                                                                \
    CHECK_MSG(strstr(at_error_message(), PART), "it says %s", at_error_message()); \
    at_error_clear();                                                              \
  }

static void errors(void **state)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_ones(AT_SHAPE(2)));
    at_optimizer *const o = at_adagrad(AT_TENSORS(p)), *const other = at_sgd(AT_TENSORS(p));
    FAILS("step_lr: the number of steps is 0", at_step_lr(o, 0));
    FAILS("t_mult is 0", at_cosine_restarts_lr(o, 3, .t_mult = 0));
    FAILS("the first factor is 0", at_constant_lr(o, .factor = 0));
    FAILS("pct_start is 2", at_onecycle_lr(other, 1, 10, .pct_start = 2));
    FAILS("adagrad has no momentum", at_onecycle_lr(o, 1, 10));
    FAILS("step_size_up is -1", at_cyclic_lr(other, 0, 1, .step_size_up = -1));
    FAILS("factor is 1", at_plateau_lr(o, .factor = 1));
    at_schedule *const a = at_plateau_lr(o), *const b = at_onecycle_lr(other, 1, 2);
    at_schedule *const both[] = {a, b};
    FAILS("stepped by a metric", at_schedule_step(a));
    FAILS("takes no metric", at_schedule_step_by(b, 1));
    FAILS("of another optimizer", at_chained_lr(both, 2));
    FAILS("1 schedules and 1 milestones", at_sequential_lr(both, 1, AT_INTS(1)));
    CHECK(at_schedule_step(b) && at_schedule_step(b)); /* a loop of 2 steps ends with a call */
    FAILS("2 steps, and all were made", at_schedule_step(b));
    at_tensor *const q = at_requires_grad_(at_ones(AT_SHAPE(2)));
    CHECK(at_optimizer_add_group(o, AT_TENSORS(q)) == 1);
    FAILS("other groups", at_schedule_step_by(a, 1));
    FAILS("decay is 2", at_ema(AT_TENSORS(p), 2));
    FAILS("may not be negative", at_clip_grad_value(AT_TENSORS(p), -1));
    at_schedule_free(a);
    at_schedule_free(b);
    at_optimizer_free(o);
    at_optimizer_free(other);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(schedules),  cmocka_unit_test(averages),
                                     cmocka_unit_test(clipping),   cmocka_unit_test(not_finite),
                                     cmocka_unit_test(muon),       cmocka_unit_test(scaler),
                                     cmocka_unit_test(errors),     cmocka_unit_test(states),
                                     cmocka_unit_test(bad_states), cmocka_unit_test(state_faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
