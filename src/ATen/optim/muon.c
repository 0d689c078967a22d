/* Muon's direction: the gradient's average, made orthogonal by a few steps of an iteration of Newton
 * and Schulz in BFloat16, as PyTorch computes it. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "Optimizer.h"

/* x * b + y * a for matrices that are not changed: the products of the iteration. */
static at_tensor *step_of(at_tensor *o, const at_muon_options *s)
{
  at_tensor *const gram = at_mm(o, at_t(o));
  at_tensor *const square =
      at_addmm(gram, gram, gram, .beta = (long double)s->ns_b, .alpha = (long double)s->ns_c);
  return at_addmm(o, square, o, .beta = (long double)s->ns_a);
}

/* The orthogonal matrix near to t. */
static at_tensor *orthogonal(at_tensor *t, const at_muon_options *s)
{
  const bool isTall = at_size(t, 0) > at_size(t, 1);
  at_tensor *o = at_to(t, at_toScalarType(t->type, AT_BFLOAT16));
  if (isTall)
    o = at_t(o);
  o = at_div(o, at_clamp_min(at_norm(o), (long double)s->eps));
  for (int64_t i = 0; i < s->ns_steps; i++)
    o = step_of(o, s);
  return at_to(isTall ? at_t(o) : o, at_typeOf(t));
}

at_tensor *at_muonDirection(const at_optionsOfAny *options, const at_param *param, at_tensor *grad,
                            at_tensor **states)
{
  const at_muon_options *const s = &options->muon;
  at_tensor *direction = NULL;
  AT_NO_GRAD AT_SCOPE
  {
    at_tensor *const before = param->state[0] ? param->state[0] : at_zeros_like(grad);
    at_tensor *const after = at_lerp(before, grad, 1 - (long double)s->momentum);
    at_tensor *const mixed = s->nesterov ? at_lerp(grad, after, (long double)s->momentum) : after;
    direction = orthogonal(mixed, s);
    if (at_defined(direction)) {
      at_keep(direction);
      states[0] = at_keep(after);
    }
  }
  if (!at_defined(direction))
    THError("the direction of a step cannot be computed");
  return direction;
}

void at_planMuon(const at_optionsOfAny *options, const at_param *param, at_plan *plan)
{
  const at_muon_options *const s = &options->muon;
  const double rows = (double)at_size(param->t, 0), columns = (double)at_size(param->t, 1);
  const double factor = s->adjust == AT_MUON_MATCH_RMS_ADAMW      ? 0.2 * sqrt(fmax(rows, columns))
                        : s->adjust == AT_MUON_SPECTRAL_UNCLAMPED ? sqrt(rows / columns)
                                                                  : sqrt(fmax(1, rows / columns));
  *plan = (at_plan){
      .name = AT_UPDATE_sgd,
      .numbers = {.sign = 1, .shrink = 1 - s->lr * s->weight_decay, .rate = s->lr * factor}};
}
