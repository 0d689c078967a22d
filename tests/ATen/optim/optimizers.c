/* Optimizers against PyTorch: 20 steps of one problem, which tests/oracle/optimizers.py ran too.  With the argument
 * cuda, on CUDA. */
#include <math.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_golden.h"

enum { STEPS = 20, PARAMS = 5 };

static at_backend backend = AT_BACKEND_CPU;

/* --- the problem ------------------------------------------------------------------------------ */

static at_tensor *wave(const at_type *type, at_ints sizes, double start)
{
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  at_tensor *const steps = at_arange((double)count, .type = AT_CPU(AT_DOUBLE));
  return at_reshape(at_to(at_cos(at_add(at_mul(steps, 0.7), start)), type), sizes);
}

/* The values of t in a layout: 0 contiguous, 1 transposed, 2 with gaps. */
static at_tensor *placed(at_tensor *t, int layout)
{
  if (layout == 1 && at_dim(t) == 2)
    return at_t(at_contiguous(at_t(t)));
  if (layout == 2)
    return at_copy_(at_select(at_zeros_like(at_stack(AT_TENSORS(t, t), .dim = -1)), -1, 1), t);
  return at_clone(t);
}

typedef struct Problem {
  at_tensor *x, *y, *params[PARAMS];
} Problem;

static Problem problem(const at_type *type, int layout)
{
  Problem p = {
      wave(type, AT_SHAPE(8, 5), 1),
      wave(type, AT_SHAPE(8, 3), 2),
      {wave(type, AT_SHAPE(5, 4), 3), wave(type, AT_SHAPE(4), 4), wave(type, AT_SHAPE(4, 3), 5),
       wave(type, AT_SHAPE(3), 6), wave(type, AT_SHAPE(2), 7)}};
  for (int i = 0; i < PARAMS; i++)
    p.params[i] = at_requires_grad_(placed(p.params[i], layout));
  return p;
}

/* The loss of a step, whose gradients are computed. */
static at_tensor *loss_of(const Problem *p, int step)
{
  at_tensor *out = at_mm(at_tanh(at_add(at_mm(p->x, p->params[0]), p->params[1])), p->params[2]);
  if (step % 2)
    out = at_mul(out, p->params[3]);
  at_tensor *const loss = at_mean(at_square(at_sub(out, p->y)));
  CHECK(at_backward(loss));
  return loss;
}

/* --- the cases -------------------------------------------------------------------------------- */

#define CASES(X)                                                                                   \
  X(sgd, at_sgd(params, .lr = 0.1))                                                                \
  X(sgd_decay, at_sgd(params, .lr = 0.1, .weight_decay = 0.1))                                     \
  X(sgd_momentum,                                                                                  \
    at_sgd(params, .lr = 0.05, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.01))           \
  X(sgd_nesterov, at_sgd(params, .lr = 0.05, .momentum = 0.8, .nesterov = true))                   \
  X(sgd_maximize,                                                                                  \
    at_sgd(params, .lr = 0.01, .momentum = 0.5, .maximize = true, .weight_decay = 0.1))            \
  X(adam, at_adam(params, .lr = 0.05))                                                             \
  X(adam_amsgrad,                                                                                  \
    at_adam(params, .lr = 0.1, .beta1 = 0.7, .beta2 = 0.9, .amsgrad = true, .weight_decay = 0.02)) \
  X(adam_maximize, at_adam(params, .lr = 0.01, .eps = 1e-3, .maximize = true))                     \
  X(adamw, at_adamw(params, .lr = 0.05, .weight_decay = 0.3))                                      \
  X(rmsprop, at_rmsprop(params, .lr = 0.02))                                                       \
  X(rmsprop_momentum,                                                                              \
    at_rmsprop(params, .lr = 0.01, .alpha = 0.9, .momentum = 0.6, .weight_decay = 0.1))            \
  X(rmsprop_centered, at_rmsprop(params, .lr = 0.01, .centered = true, .eps = 1e-4))               \
  X(rmsprop_both, at_rmsprop(params, .lr = 0.01, .centered = true, .momentum = 0.4, .eps = 1e-4))  \
  X(adagrad, at_adagrad(params, .lr = 0.1))                                                        \
  X(adagrad_decay, at_adagrad(params, .lr = 0.2, .lr_decay = 0.1, .weight_decay = 0.05,            \
                              .initial_accumulator_value = 0.3))                                   \
  X(adadelta, at_adadelta(params))                                                                 \
  X(adadelta_decay, at_adadelta(params, .lr = 3, .rho = 0.7, .eps = 1e-3, .weight_decay = 0.1))    \
  X(adamax, at_adamax(params, .lr = 0.05))                                                         \
  X(adamax_decay, at_adamax(params, .lr = 0.1, .beta1 = 0.5, .beta2 = 0.8, .weight_decay = 0.1))   \
  X(nadam, at_nadam(params, .lr = 0.05))                                                           \
  X(nadam_decoupled, at_nadam(params, .lr = 0.05, .weight_decay = 0.2, .momentum_decay = 0.02,     \
                              .decoupled_weight_decay = true))                                     \
  X(radam, at_radam(params, .lr = 0.05))                                                           \
  X(radam_decoupled, at_radam(params, .lr = 0.05, .beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.2, \
                              .decoupled_weight_decay = true))                                     \
  X(asgd, at_asgd(params, .lr = 0.1))                                                              \
  X(asgd_average,                                                                                  \
    at_asgd(params, .lr = 0.2, .lambd = 0.1, .alpha = 0.5, .t0 = 3, .weight_decay = 0.1))          \
  X(rprop, at_rprop(params))                                                                       \
  X(rprop_bounds, at_rprop(params, .lr = 0.1, .eta_minus = 0.4, .eta_plus = 1.5,                   \
                           .step_least = 0.03, .step_most = 0.2, .maximize = true))                \
  X(adafactor, at_adafactor(params, .lr = 0.1))                                                    \
  X(adafactor_all, at_adafactor(params, .lr = 0.02, .beta2_decay = -0.5, .eps1 = 0.05,             \
                                .eps2 = 0.2, .d = 1.5, .weight_decay = 0.1, .maximize = true))

#define MAKER(NAME, CALL)                             \
  static at_optimizer *make_##NAME(at_tensors params) \
  {                                                   \
    return CALL;                                      \
  }
CASES(MAKER)

typedef struct Case {
  const char *name;
  at_optimizer *(*make)(at_tensors params);
} Case;

#define ENTRY(NAME, CALL) {#NAME, make_##NAME},
static const Case cases[] = {CASES(ENTRY)};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

/* --- the golden values ------------------------------------------------------------------------ */

/* |a - b| relative to the largest of the expected values. */
static void check_close(at_tensor *t, const THGolden *want, double tolerance)
{
  at_tensor *const flat = at_reshape(at_to(t, AT_CPU(AT_DOUBLE)), AT_SHAPE(-1));
  double most = 1e-3;
  CHECK_EQ((ptrdiff_t)at_numel(flat), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    most = THMax(most, fabs(th_golden_number(want, i)));
  for (ptrdiff_t i = 0; i < want->count; i++) {
    const double got = at_item_double(at_select(flat, 0, i));
    CHECK_NEAR(got, th_golden_number(want, i), tolerance * most);
  }
}

/* The states are those of PyTorch, with the same names; and no others. */
static void check_states(const THGoldenFile *file, at_optimizer *o, const char *stem,
                         double tolerance)
{
  at_dict *const d = at_optimizer_state_dict(o);
  int64_t count = 0;
  CHECK(d);
  for (ptrdiff_t i = 0; i < file->count; i++) {
    const char *const name = file->entries[i].name;
    char state[80];
    if (strncmp(name, stem, strlen(stem)) || !strchr(name, '.'))
      continue;
    snprintf(state, sizeof state, "state.%s", name + strlen(stem));
    th_note("%s", name);
    check_close(at_dict_get(d, state), &file->entries[i], tolerance);
    count++;
  }
  CHECK_EQ(at_dict_count(d), count);
  at_dict_free(d);
}

static void run_case(const THGoldenFile *file, const Case *one, at_scalar_type type, int layout)
{
  const char *const typeName = type == AT_DOUBLE ? "Double" : "Float";
  const double tolerance = type == AT_DOUBLE ? 1e-10 : 2e-4;
  AT_SCOPE
  {
    const Problem p = problem(at_getType(backend, type), layout);
    at_optimizer *const o = one->make((at_tensors){p.params, PARAMS});
    at_tensor *losses[STEPS];
    CHECK(o);
    for (int step = 0; step < STEPS; step++) {
      CHECK(at_optimizer_zero_grad(o));
      losses[step] = at_detach(loss_of(&p, step));
      CHECK(at_optimizer_step(o));
    }
    th_note("%s in %s, layout %d", one->name, typeName, layout);
    const at_tensors all = {losses, STEPS};
    check_close(at_stack(all), th_golden(file, "%s/%s/losses", one->name, typeName), tolerance);
    for (int i = 0; i < PARAMS; i++)
      check_close(at_detach(p.params[i]), th_golden(file, "%s/%s/%d", one->name, typeName, i),
                  tolerance);
    char stem[64];
    snprintf(stem, sizeof stem, "%s/%s/", one->name, typeName);
    check_states(file, o, stem, tolerance);
    at_optimizer_free(o);
  }
}

static void golden(void **state)
{
  THGoldenFile *const file = th_golden_open("optimizers.txt");
  for (int i = 0; i < CASE_COUNT; i++)
    for (int layout = 0; layout < 3; layout++) {
      if (backend == AT_BACKEND_CPU || layout == i % 3) /* on the simulator, a third of them */
        run_case(file, &cases[i], AT_DOUBLE, layout);
      if (backend == AT_BACKEND_CPU || layout == (i + 1) % 3)
        run_case(file, &cases[i], AT_FLOAT, layout);
    }
  th_golden_close(file);
}

/* --- files ------------------------------------------------------------------------------------ */

static const Case *case_of(const char *name)
{
  for (int i = 0; i < CASE_COUNT; i++)
    if (!strcmp(cases[i].name, name))
      return &cases[i];
  CHECK_MSG(false, "there is no case %s", name);
  return NULL;
}

static bool is_number(at_datum_kind kind)
{
  return kind == AT_DATUM_INTEGER || kind == AT_DATUM_NUMBER;
}

/* What PyTorch's LBFGS computes anew before it reads it. */
static bool is_scratch(at_datum key)
{
  return at_datum_kindOf(key) == AT_DATUM_STRING && !strcmp(at_datum_string(key, NULL), "al");
}

/* Checks that both have the same values, keys and nesting; a number may be an integer in one of them. */
static void check_same(at_datum got, at_datum want, double tolerance)
{
  const at_datum_kind kind = at_datum_kindOf(want);
  if (is_number(kind)) {
    CHECK(is_number(at_datum_kindOf(got)));
    CHECK_CLOSE(at_datum_number(got), at_datum_number(want), tolerance);
    return;
  }
  CHECK_EQ((int)at_datum_kindOf(got), (int)kind);
  CHECK_EQ(at_datum_count(got), at_datum_count(want));
  if (kind == AT_DATUM_BOOL)
    CHECK_EQ(at_datum_integer(got), at_datum_integer(want));
  if (kind == AT_DATUM_STRING)
    CHECK(!strcmp(at_datum_string(got, NULL), at_datum_string(want, NULL)));
  if (kind == AT_DATUM_TENSOR) {
    at_tensor *const a = at_datum_tensor(got), *const b = at_datum_tensor(want);
    CHECK(at_typeOf(a) == at_typeOf(b));
    CHECK(at_allclose(a, b, .rtol = tolerance, .atol = tolerance / 100));
  }
  for (int64_t i = 0; i < at_datum_count(want); i++) {
    if (kind == AT_DATUM_DICT)
      check_same(at_datum_key(got, i), at_datum_key(want, i), tolerance);
    if (kind != AT_DATUM_DICT || !is_scratch(at_datum_key(want, i)))
      check_same(at_datum_at(got, i), at_datum_at(want, i), tolerance);
  }
}

static void steps(at_optimizer *o, const Problem *p, int begin, int end)
{
  for (int step = begin; step < end; step++)
    AT_SCOPE
    {
      CHECK(at_optimizer_zero_grad(o));
      loss_of(p, step);
      CHECK(at_optimizer_step(o));
    }
}

/* Half of the steps here give PyTorch's state; PyTorch's state and the rest give PyTorch's end. */
static void check_file(const THGoldenFile *file, const char *name, at_datum saved, const char *path)
{
  const Problem ours = problem(AT_CPU(AT_DOUBLE), 2), theirs = problem(AT_CPU(AT_DOUBLE), 1);
  at_optimizer *const o =
      case_of(name)->make((at_tensors){(at_tensor *const *)ours.params, PARAMS});
  at_optimizer *const p =
      case_of(name)->make((at_tensors){(at_tensor *const *)theirs.params, PARAMS});
  th_note("%s", name);
  steps(o, &ours, 0, STEPS / 2);
  at_dict *const d = at_optimizer_state_dict(o);
  CHECK(at_save(path, d));
  at_dict *const read = at_load(path);
  CHECK(read);
  check_same(at_dict_values(read), at_datum_get(saved, "optimizer"), 1e-10);
  check_same(at_dict_values(d), at_datum_get(saved, "optimizer"), 1e-10);
  for (int i = 0; i < PARAMS; i++)
    AT_NO_GRAD
    {
      at_copy_(theirs.params[i], at_datum_tensor(at_datum_at(at_datum_get(saved, "params"), i)));
    }
  CHECK(at_optimizer_load(p, at_datum_get(saved, "optimizer")));
  steps(p, &theirs, STEPS / 2, STEPS);
  for (int i = 0; i < PARAMS; i++)
    check_close(at_detach(theirs.params[i]), th_golden(file, "%s/Double/%d", name, i), 1e-10);
  at_dict_free(read);
  at_dict_free(d);
  at_optimizer_free(o);
  at_optimizer_free(p);
}

static void files(void **state)
{
  THGoldenFile *const file = th_golden_open("optimizers.txt");
  at_dict *const all = at_load(AT_GOLDEN_DIR "/optimizers.pt");
  CHECK(all);
  const at_datum saved = at_dict_values(all);
  CHECK(at_datum_count(saved) == 14);
  for (int64_t i = 0; i < 12; i++)
    AT_SCOPE
    {
      const char *const name = at_datum_string(at_datum_key(saved, i), NULL);
      char path[80];
      snprintf(path, sizeof path, "optimizer-%s.pt", name);
      check_file(file, name, at_datum_at(saved, i), path);
      CHECK(!remove(path));
    }
  at_dict_free(all);
  th_golden_close(file);
}

/* --- L-BFGS ----------------------------------------------------------------------------------- */

typedef struct Closure {
  const Problem *p;
  at_optimizer *o;
  int step, calls, failing; /* the call that fails, counted from 1; 0: none */
} Closure;

static bool closure(void *context, double *loss)
{
  Closure *const c = context;
  if (++c->calls == c->failing)
    return false;
  AT_SCOPE
  {
    CHECK(at_optimizer_zero_grad(c->o));
    *loss = at_item_double(loss_of(c->p, c->step));
  }
  return true;
}

static at_optimizer *lbfgs_of(const Problem *p, bool searches)
{
  const at_tensors all = {(at_tensor *const *)p->params, PARAMS};
  return searches ? at_lbfgs(all, .max_iter = 4, .history_size = 5, .line_search = AT_STRONG_WOLFE)
                  : at_lbfgs(all, .lr = 0.5, .max_iter = 4, .history_size = 3);
}

/* Half of the steps, the state to another optimizer through a file, and the other half. */
static void lbfgs_case(const THGoldenFile *file, const char *name, at_datum saved, int layout)
{
  enum { LBFGS_STEPS = 6 };
  const Problem p = problem(AT_CPU(AT_DOUBLE), layout);
  Closure c = {.p = &p, .o = lbfgs_of(&p, strstr(name, "wolfe") != NULL)};
  const THGolden *const losses = th_golden(file, "%s/Double/losses", name);
  for (c.step = 0; c.step < LBFGS_STEPS; c.step++) {
    double loss;
    if (c.step == LBFGS_STEPS / 2) {
      at_dict *const d = at_optimizer_state_dict(c.o);
      CHECK(at_save("lbfgs.pt", d));
      at_dict *const read = at_load("lbfgs.pt");
      check_same(at_dict_values(read), at_datum_get(saved, "optimizer"), 1e-6);
      at_optimizer_free(c.o);
      c.o = lbfgs_of(&p, false);
      CHECK_MSG(at_optimizer_load(c.o, at_dict_values(read)), "%s", at_error_message());
      at_dict_free(d);
      at_dict_free(read);
      CHECK(!remove("lbfgs.pt"));
    }
    CHECK(at_optimizer_step_by(c.o, closure, &c, &loss));
    th_note("%s, step %d", name, c.step);
    CHECK_NEAR(loss, th_golden_number(losses, c.step), 1e-8);
  }
  for (int i = 0; i < PARAMS; i++)
    check_close(at_detach(p.params[i]), th_golden(file, "%s/Double/%d", name, i), 1e-7);
  at_optimizer_free(c.o);
}

static void lbfgs(void **state)
{
  THGoldenFile *const file = th_golden_open("optimizers.txt");
  at_dict *const all = at_load(AT_GOLDEN_DIR "/optimizers.pt");
  for (int layout = 0; layout < 3; layout++)
    AT_SCOPE
    {
      lbfgs_case(file, "lbfgs", at_datum_get(at_dict_values(all), "lbfgs"), layout);
      lbfgs_case(file, "lbfgs_wolfe", at_datum_get(at_dict_values(all), "lbfgs_wolfe"), layout);
    }
  at_dict_free(all);
  th_golden_close(file);
}

/* A closure that fails in any call leaves the parameters as they were. */
static void failing_closure(void **state)
{
  for (int failing = 1; failing < 5; failing++)
    AT_SCOPE
    {
      const Problem p = problem(AT_CPU(AT_FLOAT), 0);
      at_tensor *const before = at_clone(at_detach(p.params[0]));
      Closure c = {.p = &p, .o = lbfgs_of(&p, true), .failing = failing};
      CHECK(!at_optimizer_step_by(c.o, closure, &c, NULL));
      CHECK(strstr(at_error_message(), "the closure has failed"));
      at_error_clear();
      CHECK(at_equal(before, at_detach(p.params[0])));
      CHECK(!at_optimizer_step(c.o));
      CHECK(strstr(at_error_message(), "at_optimizer_step_by takes a closure"));
      at_error_clear();
      CHECK(at_optimizer_add_group(c.o, AT_TENSORS(before)) == -1);
      at_error_clear();
      at_optimizer_free(c.o);
      c = (Closure){.p = &p, .o = at_sgd(AT_TENSORS(p.params[0]), .lr = 0.1), .failing = 2};
      CHECK(at_optimizer_step_by(c.o, closure, &c, NULL));
      CHECK(!at_equal(before, at_detach(p.params[0])));
      CHECK(!at_optimizer_step_by(c.o, closure, &c, NULL));
      at_error_clear();
      at_optimizer_free(c.o);
    }
}

/* --- half precision --------------------------------------------------------------------------- */

/* Parameters of 16 bits: computed in Float and rounded once, in any layout. */
static void half_step(at_scalar_type type, int layout)
{
  AT_SCOPE
  {
    enum { COUNT = 1500 };
    const at_type *const half = at_getType(backend, type), *const single =
                                                               at_getType(backend, AT_FLOAT);
    at_tensor *const start = wave(half, AT_SHAPE(COUNT / 2, 2), 1);
    at_tensor *const grad = wave(half, AT_SHAPE(COUNT / 2, 2), 2);
    at_tensor *const p = at_requires_grad_(placed(start, layout));
    at_tensor *const q = at_requires_grad_(at_to(start, single));
    CHECK(at_set_grad(p, grad) && at_set_grad(q, at_to(grad, single)));
    at_optimizer *const a = at_adamw(AT_TENSORS(p)), *const b = at_adamw(AT_TENSORS(q));
    CHECK(at_optimizer_step(a) && at_optimizer_step(b));
    CHECK(at_equal(at_detach(p), at_to(at_detach(q), half)));
    at_dict *const d = at_optimizer_state_dict(a), *const e = at_optimizer_state_dict(b);
    CHECK(at_equal(at_dict_get(d, "state.0.exp_avg"),
                   at_to(at_dict_get(e, "state.0.exp_avg"), half)));
    at_dict_free(d);
    at_dict_free(e);
    at_optimizer_free(a);
    at_optimizer_free(b);
  }
}

static void half(void **state)
{
  for (int layout = 0; layout < 3; layout++) {
    half_step(AT_HALF, layout);
    half_step(AT_BFLOAT16, layout);
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
    const at_tensors none = {NULL, 0};
    at_tensor *const p = at_requires_grad_(at_ones(AT_SHAPE(2))), *const made = at_mul(p, 2);
    FAILS("params is an empty list", at_sgd(none));
    FAILS("params[1] is params[0] again", at_sgd(AT_TENSORS(p, p)));
    FAILS("params[0] is no leaf", at_sgd(AT_TENSORS(made)));
    FAILS("floating type", at_sgd(AT_TENSORS(at_ones(AT_SHAPE(2), .type = AT_CPU(AT_LONG)))));
    FAILS("share memory", at_sgd(AT_TENSORS(at_expand(at_ones(AT_SHAPE(1)), AT_SHAPE(3)))));
    FAILS("lr is -1", at_sgd(AT_TENSORS(p), .lr = -1));
    FAILS("beta1 is 1, and has to be from 0 to below 1", at_adam(AT_TENSORS(p), .beta1 = 1));
    FAILS("beta2_decay is 0.5", at_adafactor(AT_TENSORS(p), .beta2_decay = 0.5));
    FAILS("eps1 is -1", at_adafactor(AT_TENSORS(p), .eps1 = -1));
    FAILS("d is 0.5, and has to be from 1", at_adafactor(AT_TENSORS(p), .d = 0.5));
    FAILS("nesterov needs", at_sgd(AT_TENSORS(p), .nesterov = true));
    at_optimizer *const o = at_adam(AT_TENSORS(p));
    FAILS("params[0] is in a group already", at_optimizer_add_group(o, AT_TENSORS(p)) >= 0);
    FAILS("has no option 'momentum'", at_optimizer_set(o, 0, "momentum", 1));
    FAILS("group is 1, the optimizer has 1", at_optimizer_set(o, 1, "lr", 1));
    FAILS("eps is -2", at_optimizer_set(o, 0, "eps", -2));
    CHECK(at_optimizer_get(o, 0, "eps") == 1e-8);
    FAILS("params[0] is of size ([2]), and muon is for matrices alone", at_muon(AT_TENSORS(p)));
    at_optimizer_free(o);
  }
}

/* On CUDA: other operations with the same parameters, and what is not there. */
static void refusals(void **state)
{
  const at_type *const cuda = AT_CUDA(AT_FLOAT);
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_full(AT_SHAPE(2), at_scalar(3), .type = cuda));
    FAILS("lbfgs takes those of the CPU alone", at_lbfgs(AT_TENSORS(p)));
    FAILS("params[1] is not on the device of the first parameter",
          at_sgd(AT_TENSORS(p, at_ones(AT_SHAPE(2)))));
    CHECK(at_set_grad(p, at_full(AT_SHAPE(2), at_scalar(8), .type = cuda)));
    CHECK_NEAR(at_clip_grad_norm(AT_TENSORS(p), 2), 8 * sqrt(2), 1e-5);
    CHECK_NEAR(at_item_double(at_select(at_grad(p), 0, 0)), sqrt(2), 1e-5);
    CHECK(at_clip_grad_value(AT_TENSORS(p), 1));
    CHECK_EQ(at_item_double(at_select(at_grad(p), 0, 1)), 1);
  }
}

/* Steps with one allocation after the other failing: parameters have changed, or nothing has. */
typedef struct Faulty {
  at_tensor *p, *q;
  at_optimizer *o;
  bool isFactored, done;
} Faulty;

static void set_up(void *context)
{
  Faulty *const f = context;
  f->p = at_requires_grad_(at_ones(AT_SHAPE(3)));
  f->q = at_requires_grad_(at_ones(AT_SHAPE(2, 2)));
  CHECK(at_set_grad(f->p, f->p) && at_set_grad(f->q, f->q));
  f->o = f->isFactored ? at_adafactor(AT_TENSORS(f->p, f->q))
                       : at_rmsprop(AT_TENSORS(f->p, f->q), .centered = true, .momentum = 0.5);
}

static void step_body(void *context)
{
  Faulty *const f = context;
  f->done = at_optimizer_step(f->o);
}

static void look_after(void *context, int raised)
{
  Faulty *const f = context;
  at_error_clear();
  const float x = ((float *)at_data(f->p))[2], y = ((float *)at_data(f->q))[3];
  CHECK(f->done == (x != 1) && f->done == (y != 1));
  at_dict *const d = at_optimizer_state_dict(f->o);
  /* 3 states and the number of steps; of Adafactor 1 or 2 */
  const int64_t whole = f->isFactored ? 5 : 8;
  CHECK_EQ(at_dict_count(d), f->done ? whole : INT64_C(0));
  at_dict_free(d);
}

static void tear_down(void *context)
{
  Faulty *const f = context;
  at_optimizer_free(f->o);
  CHECK(at_set_grad(f->p, NULL) && at_set_grad(f->q, NULL));
  at_release(f->p);
  at_release(f->q);
}

static void faults(void **state)
{
  static const THFailCase stages = {set_up, step_body, look_after, tear_down};
  Faulty f = {.isFactored = false};
  CHECK(th_fail(&stages, &f) > 5);
  f.isFactored = true;
  CHECK(th_fail(&stages, &f) > 20);
}

static void make_body(void *unused)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_ones(AT_SHAPE(3)));
    at_optimizer *const o = at_defined(p) ? at_adagrad(AT_TENSORS(p)) : NULL;
    at_dict *const d = o ? at_optimizer_state_dict(o) : NULL;
    if (d)
      (void)at_optimizer_load(o, at_dict_values(d));
    at_dict_free(d);
    at_optimizer_free(o);
  }
  at_error_clear();
}

static void make_faults(void **state)
{
  CHECK(th_fail_each(make_body, NULL) > 10);
}

/* --- states that do not fit ------------------------------------------------------------------- */

static void bad_states(void **state)
{
  AT_SCOPE
  {
    at_tensor *const p = at_requires_grad_(at_ones(AT_SHAPE(2)));
    at_tensor *const q = at_requires_grad_(at_ones(AT_SHAPE(3)));
    at_optimizer *const a = at_adam(AT_TENSORS(p), .lr = 0.5), *const b = at_adam(AT_TENSORS(q)),
                        *const c = at_adam(AT_TENSORS(p, q)), *const e = at_adam(AT_TENSORS(p));
    CHECK(at_optimizer_add_group(e, AT_TENSORS(q)) == 1);
    CHECK(at_set_grad(p, at_ones(AT_SHAPE(2))) && at_optimizer_step(a));
    at_dict *const d = at_optimizer_state_dict(a);
    FAILS("'exp_avg' of parameter 0 is of size", at_optimizer_load(b, at_dict_values(d)));
    CHECK(at_optimizer_get(b, 0, "lr") == 1e-3); /* nothing has changed */
    FAILS("group 0 has 1 parameters in state, and 2", at_optimizer_load(c, at_dict_values(d)));
    FAILS("state has 1 groups, and the optimizer 2", at_optimizer_load(e, at_dict_values(d)));
    FAILS("state has no list 'param_groups'", at_optimizer_load(a, at_dict_values(NULL)));
    at_dict_free(d);
    at_optimizer_free(a);
    at_optimizer_free(b);
    at_optimizer_free(c);
    at_optimizer_free(e);
  }
}

/* --- modules that move ------------------------------------------------------------------------ */

static void one_step(at_module *net, at_optimizer *o, const at_type *type)
{
  at_tensor *const x = at_reshape(at_add(at_arange(12, .type = type), 1), AT_SHAPE(4, 3));
  at_module_zero_grad(net);
  CHECK(at_backward(at_mean(at_square(at_forward(net, x)))));
  CHECK_MSG(at_optimizer_step(o), "%s", at_error_message());
}

/* An optimizer goes on with a module of another type as one does that was made for it, and that read the
 * state of the first. */
static void module_moves(at_optimizer *(*make)(at_tensors params))
{
  AT_SCOPE
  {
    at_manualSeed(1);
    at_module *const net = at_Linear(3, 2, .bias = false);
    at_optimizer *const o = make(*at_module_parameters(net));
    at_tensor *const weight = at_module_get(net, "weight");
    one_step(net, o, AT_CPU(AT_FLOAT));
    one_step(net, o, AT_CPU(AT_FLOAT));
    at_dict *const d = at_optimizer_state_dict(o);
    CHECK(at_module_to(net, AT_CPU(AT_DOUBLE)));
    CHECK(at_module_get(net, "weight") == weight && at_typeOf(weight) == AT_CPU(AT_DOUBLE));
    at_module *const other = at_module_clone(net);
    at_optimizer *const p = make(*at_module_parameters(other));
    CHECK_MSG(at_optimizer_load(p, at_dict_values(d)), "%s", at_error_message());
    for (int step = 0; step < 3; step++) {
      one_step(net, o, AT_CPU(AT_DOUBLE));
      one_step(other, p, AT_CPU(AT_DOUBLE));
    }
    CHECK(at_equal(weight, at_module_get(other, "weight")));
    at_dict_free(d);
    at_optimizer_free(o);
    at_optimizer_free(p);
    at_module_free(net);
    at_module_free(other);
  }
}

/* An average is converted, and stays the same object: 0.5 * 1 + 0.5 * 3 = 2. */
static void average_moves(void)
{
  AT_SCOPE
  {
    at_module *const net = at_Linear(3, 2, .bias = false);
    at_tensor *const weight = at_module_get(net, "weight");
    AT_NO_GRAD at_fill_(weight, 1);
    at_average *const a = at_ema(*at_module_parameters(net), 0.5);
    at_tensor *const average = at_average_param(a, 0);
    CHECK(at_average_update(a) && at_module_to(net, AT_CPU(AT_DOUBLE)));
    AT_NO_GRAD at_fill_(weight, 3);
    CHECK_MSG(at_average_update(a), "%s", at_error_message());
    CHECK(at_average_param(a, 0) == average && at_typeOf(average) == AT_CPU(AT_DOUBLE));
    CHECK(at_equal(average, at_full(AT_SHAPE(2, 3), 2, .type = AT_CPU(AT_DOUBLE))));
    at_average_free(a);
    at_module_free(net);
  }
}

static void moves(void **state)
{
  for (int i = 0; i < CASE_COUNT; i++)
    module_moves(cases[i].make);
  average_moves();
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "cuda")) {
    const struct CMUnitTest some[] = {cmocka_unit_test(golden), cmocka_unit_test(half),
                                      cmocka_unit_test(refusals)};
    backend = AT_BACKEND_CUDA;
    return cmocka_run_group_tests(some, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden),     cmocka_unit_test(files),
      cmocka_unit_test(lbfgs),      cmocka_unit_test(failing_closure),
      cmocka_unit_test(half),       cmocka_unit_test(errors),
      cmocka_unit_test(faults),     cmocka_unit_test(make_faults),
      cmocka_unit_test(bad_states), cmocka_unit_test(moves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
