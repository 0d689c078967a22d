/* Convolutions of complex numbers: (a + bi) * (c + di), of convolutions of the parts. */
#include "complex.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/nn/convolution.h"

static const at_scalar one = {.value.integer = 1}, less = {.value.integer = -1};

/* The parts of t, which has to be of the type; of no tensor none. */
static void parts_of(at_pool *pool, at_tensor *t, const char *name, const at_type *type,
                     at_tensor *parts[2])
{
  if (t)
    at_checkType(t, name, type);
  for (int k = 0; k < 2; k++)
    parts[k] = t ? at_hold(pool, at_viewPart(t, k)) : NULL;
}

at_tensor *at_complexConvolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                              at_tensor *bias, at_conv_options how)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x[2], *w[2], *b[2], *made[2];
  parts_of(&pool, input, "input", input->type, x);
  parts_of(&pool, weight, "weight", input->type, w);
  parts_of(&pool, bias, "bias", input->type, b);
  for (int k = 0; k < 2; k++) {
    at_tensor *const first = at_hold(&pool, at_convolve(NULL, axes, x[0], w[k], b[k], how));
    at_tensor *const second = at_hold(&pool, at_convolve(NULL, axes, x[1], w[1 - k], NULL, how));
    made[k] = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, first, second, k ? one : less));
  }
  return at_finishOne(&pool, out, at_hold(&pool, at_complexFrom(NULL, made[0], made[1])));
}

void at_complexConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad,
                                at_tensor *input, at_tensor *weight, at_conv_options how,
                                at_ints mask)
{
  enum { BIAS = 2, RESULTS = 3 };
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *g[2], *x[2], *w[2], *back[2][2][RESULTS] = {{{NULL}}};
  parts_of(&pool, grad, "grad_output", grad->type, g);
  parts_of(&pool, input, "input", grad->type, x);
  parts_of(&pool, weight, "weight", grad->type, w);
  for (int k = 0; k < 4; k++) {
    at_tensor **const some = back[k / 2][k % 2];
    at_convolveBackward(some, wanted, g[k / 2], x[k % 2], w[k % 2], how, mask);
    for (int i = 0; i < RESULTS; i++)
      some[i] = some[i] ? at_hold(&pool, some[i]) : NULL;
  }
  for (int i = 0; i < RESULTS; i++) {
    at_tensor *re = back[0][0][i], *im = back[1][0][i];
    if (re && i != BIAS) {
      re = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, re, back[1][1][i], less));
      im = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, im, back[0][1][i], one));
    }
    back[0][0][i] = re ? at_hold(&pool, at_complexFrom(NULL, re, im)) : NULL;
  }
  for (int i = 0; i < RESULTS; i++)
    out[i] = back[0][0][i] ? at_retain(back[0][0][i]) : NULL;
  at_pool_leave(&pool);
}
