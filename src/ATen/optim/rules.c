/* The rules of optimizers: their options as in PyTorch's files, their states, their formulas. */
#include <math.h>

#include "Optimizer.h"

const char *const at_groupExtras[AT_GROUP_EXTRAS] = {"initial_lr", "max_lr", "min_lr",
                                                     "base_momentum", "max_momentum"};

/* --- options ---------------------------------------------------------------------------------- */

#define BELOW_1 0x1.fffffffffffffp-1
#define ANY     ((double)INFINITY)

/* A number from LEAST to MOST, a boolean, betas, and what only files have.  M is the member of
 * at_optionsOfAny. */
#define OPTION(M, NAME, KEY, PARTS, KIND, LEAST, MOST, TEXTS) \
  {#NAME, KEY, PARTS, AT_OPTION_##KIND, offsetof(at_optionsOfAny, M.NAME), LEAST, MOST, TEXTS}
#define PART(M, NAME, KEY, PARTS, LEAST, MOST) \
  OPTION(M, NAME, KEY, PARTS, NUMBER, LEAST, MOST, NULL)
#define RANGE(M, NAME, LEAST, MOST) PART(M, NAME, #NAME, 1, LEAST, MOST)
#define NUMBER(M, NAME)             RANGE(M, NAME, 0, ANY)
#define BETAS(M)                    PART(M, beta1, "betas", 2, 0, BELOW_1), PART(M, beta2, "betas", 0, 0, BELOW_1)
#define BOOLEAN(M, NAME)            {#NAME, #NAME, 1, AT_OPTION_BOOL, offsetof(at_optionsOfAny, M.NAME), 0, 1}
#define ALWAYS(NAME, WHAT)          {#NAME, #NAME, 1, AT_OPTION_##WHAT, 0, 0, 0, NULL}
#define END                         {NULL, NULL, 0, AT_OPTION_NONE, 0, 0, 0, NULL}

/* clang-format off */
static const at_option sgd_options[] = {
  NUMBER(sgd, lr), NUMBER(sgd, momentum), RANGE(sgd, dampening, -ANY, ANY),
  NUMBER(sgd, weight_decay), BOOLEAN(sgd, nesterov), BOOLEAN(sgd, maximize),
  ALWAYS(foreach, NONE), ALWAYS(differentiable, FALSE), ALWAYS(fused, NONE), END};
static const at_option adam_options[] = {
  NUMBER(adam, lr), BETAS(adam), NUMBER(adam, eps), NUMBER(adam, weight_decay),
  BOOLEAN(adam, amsgrad), BOOLEAN(adam, maximize), ALWAYS(foreach, NONE),
  ALWAYS(capturable, FALSE), ALWAYS(differentiable, FALSE), ALWAYS(fused, NONE),
  BOOLEAN(adam, decoupled_weight_decay), END};
static const at_option rmsprop_options[] = {
  NUMBER(rmsprop, lr), NUMBER(rmsprop, momentum), NUMBER(rmsprop, alpha), NUMBER(rmsprop, eps),
  BOOLEAN(rmsprop, centered), NUMBER(rmsprop, weight_decay), ALWAYS(capturable, FALSE),
  ALWAYS(foreach, NONE), BOOLEAN(rmsprop, maximize), ALWAYS(differentiable, FALSE), END};
static const at_option adagrad_options[] = {
  NUMBER(adagrad, lr), NUMBER(adagrad, lr_decay), NUMBER(adagrad, eps),
  NUMBER(adagrad, weight_decay), NUMBER(adagrad, initial_accumulator_value),
  ALWAYS(foreach, NONE), BOOLEAN(adagrad, maximize), ALWAYS(differentiable, FALSE),
  ALWAYS(fused, NONE), END};
static const at_option adadelta_options[] = {
  NUMBER(adadelta, lr), RANGE(adadelta, rho, 0, 1), NUMBER(adadelta, eps),
  NUMBER(adadelta, weight_decay), BOOLEAN(adadelta, maximize), ALWAYS(capturable, FALSE),
  ALWAYS(foreach, NONE), ALWAYS(differentiable, FALSE), END};
static const at_option adamax_options[] = {
  NUMBER(adamax, lr), BETAS(adamax), NUMBER(adamax, eps), NUMBER(adamax, weight_decay),
  ALWAYS(foreach, NONE), BOOLEAN(adamax, maximize), ALWAYS(differentiable, FALSE),
  ALWAYS(capturable, FALSE), END};
static const at_option nadam_options[] = {
  NUMBER(nadam, lr), BETAS(nadam), NUMBER(nadam, eps), NUMBER(nadam, weight_decay),
  NUMBER(nadam, momentum_decay), BOOLEAN(nadam, decoupled_weight_decay), BOOLEAN(nadam, maximize),
  ALWAYS(foreach, NONE), ALWAYS(capturable, FALSE), ALWAYS(differentiable, FALSE), END};
static const at_option radam_options[] = {
  NUMBER(radam, lr), BETAS(radam), NUMBER(radam, eps), NUMBER(radam, weight_decay),
  BOOLEAN(radam, maximize), ALWAYS(foreach, NONE), ALWAYS(capturable, FALSE),
  BOOLEAN(radam, decoupled_weight_decay), ALWAYS(differentiable, FALSE), END};
static const at_option asgd_options[] = {
  NUMBER(asgd, lr), RANGE(asgd, lambd, -ANY, ANY), RANGE(asgd, alpha, -ANY, ANY),
  RANGE(asgd, t0, -ANY, ANY), NUMBER(asgd, weight_decay), ALWAYS(foreach, NONE),
  BOOLEAN(asgd, maximize), ALWAYS(differentiable, FALSE), ALWAYS(capturable, FALSE), END};
static const at_option rprop_options[] = {
  NUMBER(rprop, lr), PART(rprop, eta_minus, "etas", 2, 0, BELOW_1),
  PART(rprop, eta_plus, "etas", 0, 1, ANY), PART(rprop, step_least, "step_sizes", 2, 0, ANY),
  PART(rprop, step_most, "step_sizes", 0, 0, ANY), ALWAYS(foreach, NONE),
  BOOLEAN(rprop, maximize), ALWAYS(differentiable, FALSE), ALWAYS(capturable, FALSE), END};
static const at_option adafactor_options[] = {
  NUMBER(adafactor, lr), RANGE(adafactor, beta2_decay, -ANY, 0),
  OPTION(adafactor, eps1, "eps", 2, MAYBE, 0, ANY, NULL), PART(adafactor, eps2, "eps", 0, 0, ANY),
  RANGE(adafactor, d, 1, ANY), NUMBER(adafactor, weight_decay), ALWAYS(foreach, NONE),
  BOOLEAN(adafactor, maximize), END};
static const char *const muon_adjusts[] = {"original", "match_rms_adamw", "spectral_unclamped"};
static const at_option muon_options[] = {
  NUMBER(muon, lr), NUMBER(muon, weight_decay), NUMBER(muon, momentum), BOOLEAN(muon, nesterov),
  PART(muon, ns_a, "ns_coefficients", 3, -ANY, ANY), PART(muon, ns_b, "ns_coefficients", 0, -ANY, ANY),
  PART(muon, ns_c, "ns_coefficients", 0, -ANY, ANY), NUMBER(muon, eps),
  OPTION(muon, ns_steps, "ns_steps", 1, INTEGER, 0, 99, NULL),
  OPTION(muon, adjust, "adjust_lr_fn", 1, CHOICE, 0, 2, muon_adjusts), END};
static const char *const searches[] = {"", "strong_wolfe"};
static const at_option lbfgs_options[] = {
  NUMBER(lbfgs, lr), OPTION(lbfgs, max_iter, "max_iter", 1, INTEGER, 1, 1e9, NULL),
  OPTION(lbfgs, max_eval, "max_eval", 1, INTEGER, 0, 1e9, NULL), NUMBER(lbfgs, tolerance_grad),
  NUMBER(lbfgs, tolerance_change),
  OPTION(lbfgs, history_size, "history_size", 1, INTEGER, 1, 1e6, NULL),
  OPTION(lbfgs, line_search, "line_search_fn", 1, CHOICE, 0, 1, searches),
  BOOLEAN(lbfgs, maximize), END};
/* clang-format on */

const at_sgd_options at_sgd_defaults = {.lr = 1e-3};
const at_adam_options at_adam_defaults = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
const at_adamw_options at_adamw_defaults = {.lr = 1e-3,
                                            .beta1 = 0.9,
                                            .beta2 = 0.999,
                                            .eps = 1e-8,
                                            .weight_decay = 0.01,
                                            .decoupled_weight_decay = true};
const at_rmsprop_options at_rmsprop_defaults = {.lr = 0.01, .alpha = 0.99, .eps = 1e-8};
const at_adagrad_options at_adagrad_defaults = {.lr = 0.01, .eps = 1e-10};
const at_adadelta_options at_adadelta_defaults = {.lr = 1, .rho = 0.9, .eps = 1e-6};
const at_adamax_options at_adamax_defaults = {
    .lr = 2e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
const at_nadam_options at_nadam_defaults = {
    .lr = 2e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .momentum_decay = 4e-3};
const at_radam_options at_radam_defaults = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
const at_asgd_options at_asgd_defaults = {.lr = 0.01, .lambd = 1e-4, .alpha = 0.75, .t0 = 1e6};
const at_rprop_options at_rprop_defaults = {
    .lr = 0.01, .eta_minus = 0.5, .eta_plus = 1.2, .step_least = 1e-6, .step_most = 50};
const at_adafactor_options at_adafactor_defaults = {
    .lr = 0.01, .beta2_decay = -0.8, .eps1 = (double)NAN, .eps2 = 1e-3, .d = 1};
const at_muon_options at_muon_defaults = {.lr = 1e-3,
                                          .weight_decay = 0.1,
                                          .momentum = 0.95,
                                          .nesterov = true,
                                          .ns_a = 3.4445,
                                          .ns_b = -4.775,
                                          .ns_c = 2.0315,
                                          .eps = 1e-7,
                                          .ns_steps = 5};
const at_lbfgs_options at_lbfgs_defaults = {
    .lr = 1, .max_iter = 20, .tolerance_grad = 1e-7, .tolerance_change = 1e-9, .history_size = 100};

/* --- formulas --------------------------------------------------------------------------------- */

/* The plan of an update with the first count states in their order.  decoupled: the weight decay
 * does not go through the gradient. */
static void begin_plan(at_plan *plan, at_update_name name, int count, double lr, double decay,
                       bool decoupled, bool maximize)
{
  *plan = (at_plan){.name = name, .count = count, .states = {0, 1, 2}};
  plan->numbers = (at_numbers){.sign = maximize ? -1 : 1,
                               .shrink = decoupled ? 1 - lr * decay : 1,
                               .decay = decoupled ? 0 : decay,
                               .rate = lr};
}

/* The numbers of averages of the gradient and of its square. */
static void set_averages(at_numbers *k, double beta1, double beta2, double eps)
{
  k->a = 1 - beta1;
  k->b = beta2;
  k->c = 1 - beta2;
  k->e = eps;
}

static const char *sgd_problem(const at_optionsOfAny *o)
{
  const bool isSound = !o->sgd.nesterov || (o->sgd.momentum > 0 && o->sgd.dampening == 0);
  return isSound ? NULL : "nesterov needs a momentum, and a dampening of 0";
}

static void plan_sgd(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_sgd_options *const s = &o->sgd;
  const bool has = s->momentum != 0, isFirst = !param->state[0];
  begin_plan(plan, has ? AT_UPDATE_sgd_momentum : AT_UPDATE_sgd, has, s->lr, s->weight_decay, false,
             s->maximize);
  plan->numbers.a = isFirst ? 0 : s->momentum;
  plan->numbers.b = isFirst ? 1 : 1 - s->dampening;
  plan->numbers.c = s->nesterov ? s->momentum : 0;
}

static void plan_adam(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_adam_options *const s = &o->adam;
  const double t = param->steps + 1;
  begin_plan(plan, s->amsgrad ? AT_UPDATE_adam_amsgrad : AT_UPDATE_adam, s->amsgrad ? 3 : 2, s->lr,
             s->weight_decay, s->decoupled_weight_decay, s->maximize);
  set_averages(&plan->numbers, s->beta1, s->beta2, s->eps);
  plan->numbers.rate = s->lr / (1 - pow(s->beta1, t));
  plan->numbers.d = 1 / sqrt(1 - pow(s->beta2, t));
}

static void plan_rmsprop(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  static const at_update_name names[2][2] = {
      {AT_UPDATE_rmsprop, AT_UPDATE_rmsprop_momentum},
      {AT_UPDATE_rmsprop_centered, AT_UPDATE_rmsprop_centered_momentum}};
  const at_rmsprop_options *const s = &o->rmsprop;
  const bool moves = s->momentum > 0;
  (void)param;
  begin_plan(plan, names[s->centered][moves], 1 + moves + s->centered, s->lr, s->weight_decay,
             false, s->maximize);
  if (s->centered && !moves)
    plan->states[1] = 2;
  plan->numbers.a = s->alpha;
  plan->numbers.b = 1 - s->alpha;
  plan->numbers.c = s->momentum;
  plan->numbers.e = s->eps;
}

static double adagrad_first(const at_optionsOfAny *o)
{
  return o->adagrad.initial_accumulator_value;
}

static void plan_adagrad(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_adagrad_options *const s = &o->adagrad;
  begin_plan(plan, AT_UPDATE_adagrad, 1, s->lr / (1 + param->steps * s->lr_decay), s->weight_decay,
             false, s->maximize);
  plan->numbers.e = s->eps;
}

static void plan_adadelta(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_adadelta_options *const s = &o->adadelta;
  (void)param;
  begin_plan(plan, AT_UPDATE_adadelta, 2, s->lr, s->weight_decay, false, s->maximize);
  plan->numbers.a = s->rho;
  plan->numbers.b = 1 - s->rho;
  plan->numbers.e = s->eps;
}

static void plan_adamax(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_adamax_options *const s = &o->adamax;
  begin_plan(plan, AT_UPDATE_adamax, 2, s->lr, s->weight_decay, false, s->maximize);
  set_averages(&plan->numbers, s->beta1, s->beta2, s->eps);
  plan->numbers.rate = s->lr / (1 - pow(s->beta1, param->steps + 1));
}

static void plan_nadam(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_nadam_options *const s = &o->nadam;
  const double t = param->steps + 1;
  const double mu = s->beta1 * (1 - 0.5 * pow(0.96, t * s->momentum_decay));
  const double next = s->beta1 * (1 - 0.5 * pow(0.96, (t + 1) * s->momentum_decay));
  const double product = (double)((float)param->kept[0] * (float)mu);
  begin_plan(plan, AT_UPDATE_nadam, 2, s->lr, s->weight_decay, s->decoupled_weight_decay,
             s->maximize);
  set_averages(&plan->numbers, s->beta1, s->beta2, s->eps);
  plan->numbers.d = 1 / sqrt(1 - pow(s->beta2, t));
  plan->numbers.f = s->lr * (1 - mu) / (1 - product);
  plan->numbers.rate = s->lr * next / (1 - product * next);
  plan->kept[0] = product;
}

static void plan_radam(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_radam_options *const s = &o->radam;
  const double t = param->steps + 1, power = pow(s->beta2, t), bias = 1 - power;
  const double most = 2 / (1 - s->beta2) - 1, length = most - 2 * t * power / bias;
  begin_plan(plan, AT_UPDATE_radam, 2, s->lr, s->weight_decay, s->decoupled_weight_decay,
             s->maximize);
  set_averages(&plan->numbers, s->beta1, s->beta2, s->eps);
  plan->numbers.rate = s->lr / (1 - pow(s->beta1, t));
  if (length > 5)
    plan->numbers.rate *=
        sqrt(bias * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length));
  plan->numbers.f = length > 5 ? 0 : 1;
}

static void plan_asgd(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_asgd_options *const s = &o->asgd;
  const double t = param->steps + 1, eta = param->steps > 0 ? param->kept[0] : (double)(float)s->lr;
  const double shrink = 1 - s->lambd * eta;
  begin_plan(plan, AT_UPDATE_asgd, 1, eta, shrink != 0 ? s->weight_decay / shrink : 0, false,
             s->maximize);
  plan->numbers.shrink = shrink;
  plan->numbers.a = param->steps > 0 ? param->kept[1] : 1;
  plan->kept[0] = (double)(float)(s->lr / pow(1 + s->lambd * s->lr * t, s->alpha));
  plan->kept[1] = (double)(float)(1 / fmax(1, t - s->t0));
}

static void plan_rprop(const at_optionsOfAny *o, const at_param *param, at_plan *plan)
{
  const at_rprop_options *const s = &o->rprop;
  begin_plan(plan, AT_UPDATE_rprop, 2, s->lr, 0, false, s->maximize);
  plan->numbers.a = s->eta_plus;
  plan->numbers.b = s->eta_minus;
  plan->numbers.c = s->step_least;
  plan->numbers.d = s->step_most;
  plan->numbers.f = param->steps > 0 ? 0 : 1;
}

/* --- rules ------------------------------------------------------------------------------------ */

#define RULE(NAME, ...) \
  [AT_RULE_##NAME] = {.name = #NAME, .optionBytes = sizeof(at_##NAME##_options), __VA_ARGS__}

const at_rule at_rules[AT_RULE_COUNT] = {
    RULE(sgd, .options = sgd_options, .states = {"momentum_buffer"}, .problem = sgd_problem,
         .plan = plan_sgd),
    RULE(adam, .options = adam_options, .states = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
         .counts = true, .plan = plan_adam),
    RULE(adamw, .options = adam_options, .states = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
         .counts = true, .plan = plan_adam),
    RULE(rmsprop, .options = rmsprop_options,
         .states = {"square_avg", "momentum_buffer", "grad_avg"}, .counts = true,
         .plan = plan_rmsprop),
    RULE(adagrad, .options = adagrad_options, .states = {"sum"}, .counts = true,
         .first = adagrad_first, .plan = plan_adagrad),
    RULE(adadelta, .options = adadelta_options, .states = {"square_avg", "acc_delta"},
         .counts = true, .plan = plan_adadelta),
    RULE(adamax, .options = adamax_options, .states = {"exp_avg", "exp_inf"}, .counts = true,
         .plan = plan_adamax),
    RULE(nadam, .options = nadam_options, .states = {"exp_avg", "exp_avg_sq"},
         .numbers = {"mu_product"}, .kept = {1}, .counts = true, .plan = plan_nadam),
    RULE(radam, .options = radam_options, .states = {"exp_avg", "exp_avg_sq"}, .counts = true,
         .plan = plan_radam),
    RULE(asgd, .options = asgd_options, .states = {"ax"}, .numbers = {"eta", "mu"}, .kept = {0, 1},
         .counts = true, .plan = plan_asgd),
    RULE(rprop, .options = rprop_options, .states = {"prev", "step_size"}, .counts = true,
         .plan = plan_rprop),
    RULE(adafactor, .options = adafactor_options, .states = {"row_var", "col_var", "variance"},
         .counts = true, .plan = at_planAdafactor, .direction = at_adafactorDirection,
         .sizes = at_adafactorSizes),
    RULE(muon, .options = muon_options, .states = {"momentum_buffer"}, .plan = at_planMuon,
         .direction = at_muonDirection, .forMatrices = true),
    RULE(lbfgs, .options = lbfgs_options, .takesClosure = true),
};
