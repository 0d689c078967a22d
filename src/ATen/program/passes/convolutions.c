#include "convolutions.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/functions/functions.h"
#include "ATen/ops/compare.h"

const char *const at_convolvingNames[AT_CONVOLVING_INPUTS] = {"input", "weight", "bias",
                                                              "transformed"};

/* --- a run ------------------------------------------------------------------------------------ */

/* Computes in place what no algorithm has computed with the results. */
static void activate(at_tensor *t, const THNNActivation *activation)
{
  if (activation->isDone)
    return;
  if (activation->kind == THNN_CLAMP)
    at_clamped(t, t, at_scalar_double(activation->low), at_scalar_double(activation->high));
  else
    at_floatingOf(t, AT_FUNCTION_hardswish, t);
}

void at_computeConvolution(at_frame *frame, const at_graphNode *node)
{
  const at_convolving *const own = node->how;
  at_conv_options how = own->how;
  THNNActivation activation = own->activation;
  at_tensor *t[AT_CONVOLVING_INPUTS] = {NULL};
  for (int32_t i = 0; i < node->inputCount; i++)
    for (int k = 0; k < AT_CONVOLVING_INPUTS; k++)
      if (!strcmp(node->inputs[i].name, at_convolvingNames[k]))
        t[k] = at_inputTensor(frame, node, at_convolvingNames[k], i);
  how.transformed = t[AT_TRANSFORMED];
  how.activation = own->isActivated ? &activation : NULL;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r =
      at_hold(&pool, at_convolve(NULL, 2, t[AT_CONVOLVED], t[AT_WEIGHT], t[AT_BIAS], how));
  if (own->isActivated)
    activate(r, &activation);
  at_giveTensor(frame, node, at_pool_keep(&pool, r));
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Whether all numbers of a list are constants, one or two; they become those of both axes.  A list that is
 * not given has the number otherwise. */
static bool read_axes(const at_given *given, int64_t otherwise, int64_t *axes)
{
  axes[0] = axes[1] = otherwise;
  if (!given)
    return true;
  if (given->kind != AT_GIVEN_NUMBERS || given->count < 1 || given->count > 2)
    return false;
  for (int32_t i = 0; i < given->count; i++) {
    const at_part *const part = &given->parts[i];
    if (part->slot != AT_NO_SLOT || part->constant.kind != AT_CELL_INT)
      return false;
    axes[i] = part->constant.is.integer;
    if (given->count == 1)
      axes[1] = axes[0];
  }
  return true;
}

static bool read_number(const at_given *given, double otherwise, double *number)
{
  *number = otherwise;
  return !given || at_isConstantNumber(given, number);
}

/* Whether the list has 0 for both axes. */
static bool is_zero(const at_given *given)
{
  int64_t axes[2];
  return read_axes(given, 0, axes) && axes[0] == 0 && axes[1] == 0;
}

/* Whether the node is a convolution of images: the strides of convolution, which has one for each axis, say so. */
static bool is_ofImages(const at_graphNode *node)
{
  if (at_isRemoved(node) || !node->op || *node->op->overload || node->outputCount != 1)
    return false;
  const at_given *const stride = at_argumentOf(node, "stride");
  return !strcmp(node->op->name, "conv2d") ||
         (!strcmp(node->op->name, "convolution") && stride && stride->count == 2);
}

at_convolving *at_convolvingOf(at_arena *arena, const at_graphNode *node)
{
  double groups, transposed;
  at_convolving read = {.how.groups = 1};
  if (!is_ofImages(node) || !read_axes(at_argumentOf(node, "stride"), 1, read.stride) ||
      !read_axes(at_argumentOf(node, "dilation"), 1, read.dilation) ||
      !read_axes(at_argumentOf(node, "padding"), 0, read.padding) ||
      !is_zero(at_argumentOf(node, "output_padding")) ||
      !read_number(at_argumentOf(node, "transposed"), 0, &transposed) || transposed != 0 ||
      !read_number(at_argumentOf(node, "groups"), 1, &groups) || !(groups >= 1 && groups < 0x1p31))
    return NULL;
  at_convolving *const made = at_arena_take(arena, 1, sizeof *made);
  *made = read;
  made->how.groups = (int64_t)groups;
  made->how.stride = (at_ints){made->stride, 2};
  made->how.padding = (at_ints){made->padding, 2};
  made->how.dilation = (at_ints){made->dilation, 2};
  return made;
}

void at_replaceConvolution(at_rewrite *rewrite, at_graphNode *node, const char *target,
                           const at_convolving *how, int32_t transformed)
{
  at_arena *const arena = rewrite->reading->arena;
  at_given *const inputs = at_arena_take(arena, AT_CONVOLVING_INPUTS, sizeof *inputs);
  int32_t count = 0;
  for (int k = 0; k < AT_TRANSFORMED; k++) {
    const at_given *const given = at_argumentOf(node, at_convolvingNames[k]);
    if (given) {
      inputs[count] = *given;
      inputs[count++].name = at_convolvingNames[k];
    }
  }
  if (transformed != AT_NO_SLOT)
    inputs[count++] = at_tensorIn(arena, at_convolvingNames[AT_TRANSFORMED], transformed);
  node->target = target;
  node->inputs = inputs;
  node->inputCount = count;
  node->op = NULL;
  node->from = NULL;
  node->compute = at_computeConvolution;
  node->how = how;
  rewrite->changes++;
}
