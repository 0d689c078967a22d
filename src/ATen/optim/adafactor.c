/* Adafactor's direction: the gradient over the root of its second moment, of which matrices keep the
 * means of rows and columns alone (Shazeer and Stern, 2018). */
#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "Optimizer.h"

enum { ROW_VAR, COL_VAR, VARIANCE };

at_ints at_adafactorSizes(at_ints param, int state, int64_t *buffer)
{
  if (state == VARIANCE || param.count < 2)
    return param;
  for (int d = 0; d < param.count; d++)
    buffer[d] = param.data[d];
  buffer[param.count - (state == ROW_VAR ? 1 : 2)] = 1;
  return (at_ints){buffer, param.count};
}

/* The distance of 1 from the next number of the type. */
static double epsilon_of(at_scalar_type type)
{
  return type == AT_DOUBLE     ? DBL_EPSILON
         : type == AT_BFLOAT16 ? 0x1p-7
         : type == AT_HALF     ? 0x1p-10
                               : (double)FLT_EPSILON;
}

/* The state, taken nearer to the mean of the squares of this step; zeros before the first. */
static at_tensor *joined(const at_param *param, int state, at_tensor *mean, double weight)
{
  at_tensor *const before = param->state[state];
  return before ? at_lerp(at_to(before, at_typeOf(mean)), mean, (long double)weight)
                : at_mul(mean, weight);
}

/* The second moment of g; made are the states after the step. */
static at_tensor *moment_of(const at_param *param, at_tensor *g, double weight, double least,
                            at_tensor **made)
{
  at_tensor *const square = at_square(g);
  if (at_dim(g) < 2)
    return made[VARIANCE] = joined(param, VARIANCE, square, weight);
  at_tensor *const rows = made[ROW_VAR] =
      joined(param, ROW_VAR, at_mean_dim(square, AT_INTS(-1), .keepdim = true), weight);
  at_tensor *const columns = made[COL_VAR] =
      joined(param, COL_VAR, at_mean_dim(square, AT_INTS(-2), .keepdim = true), weight);
  at_tensor *const mean = at_mean_dim(rows, AT_INTS(-2), .keepdim = true);
  return at_div(at_mul(rows, columns), at_clamp_min(mean, (long double)least));
}

/* The root of the mean of the squares; 0 of nothing. */
static double root_mean(at_tensor *t)
{
  const int64_t count = at_numel(t);
  return count > 0 ? at_item_double(at_norm(t)) / sqrt((double)count) : 0;
}

/* How far the step goes along g over the root of its second moment. */
static at_tensor *update_of(const at_adafactor_options *s, const at_param *param, at_tensor *g,
                            at_tensor **made)
{
  const at_type *const compute = at_typeOf(g);
  const double t = param->steps + 1;
  const double least = isnan(s->eps1) ? epsilon_of(param->t->type->scalarType) : s->eps1;
  at_tensor *const moment = moment_of(param, g, pow(t, s->beta2_decay), least, made);
  at_tensor *const update = at_mul(at_rsqrt(at_clamp_min(moment, (long double)(least * least))), g);
  const double size = root_mean(at_to(param->t, compute));
  const double rate = fmax(s->eps2, size) * fmin(s->lr, 1 / sqrt(t));
  return at_mul(update, rate / fmax(1, root_mean(update) / s->d));
}

at_tensor *at_adafactorDirection(const at_optionsOfAny *options, const at_param *param,
                                 at_tensor *grad, at_tensor **states)
{
  const at_type *const type = param->t->type;
  const bool isShort = type->scalarType == AT_HALF || type->scalarType == AT_BFLOAT16;
  at_tensor *direction = NULL;
  AT_NO_GRAD AT_SCOPE
  {
    at_tensor *made[AT_STATES] = {NULL};
    at_tensor *const g = isShort ? at_to(grad, at_toScalarType(type, AT_FLOAT)) : grad;
    at_tensor *const update = at_to(update_of(&options->adafactor, param, g, made), type);
    bool isWhole = at_defined(update);
    for (int s = 0; s < AT_STATES; s++) {
      made[s] = made[s] ? at_to(made[s], type) : NULL;
      isWhole = isWhole && (!made[s] || at_defined(made[s]));
    }
    if (isWhole) {
      for (int s = 0; s < AT_STATES; s++)
        states[s] = at_keep(made[s]);
      direction = at_keep(update);
    }
  }
  if (!direction)
    THError("the direction of a step cannot be computed");
  return direction;
}

void at_planAdafactor(const at_optionsOfAny *options, const at_param *param, at_plan *plan)
{
  const at_adafactor_options *const s = &options->adafactor;
  (void)param;
  *plan = (at_plan){
      .name = AT_UPDATE_sgd,
      .numbers = {.sign = s->maximize ? -1 : 1, .shrink = 1 - s->lr * s->weight_decay, .rate = 1}};
}
