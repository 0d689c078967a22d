/* Convolutions of layers: the checks of operands, and the functions that all layers call. */
#include "THNN/layer/Template.h"

/* --- checks ---------------------------------------------------------------------------------- */

static int64_t THNN_(groupsOf)(const THNNLayer *l)
{
  return THMax(1, l->groups);
}

/* Whether weight has the size outputs x inputs of a group x kernel, or for a transposed convolution inputs x
 * outputs of a group x kernel.  A weight of two dimensions has the last of these as one dimension. */
static int THNN_(weightFits)(const THNNLayer *l, THTensor *weight, int64_t inputs, int64_t taps)
{
  const int64_t *size = weight->size, groups = THNN_(groupsOf)(l);
  if (weight->nDimension == 2)
    return l->transposed ? size[0] == inputs && size[1] % taps == 0
                         : size[0] % groups == 0 && size[1] == inputs / groups * taps;
  if (weight->nDimension != l->spatial + 2 ||
      size[!l->transposed] != (l->transposed ? inputs : inputs / groups))
    return 0;
  if (!l->transposed && size[0] % groups != 0)
    return 0;
  for (int d = 0; d < l->spatial; d++)
    if (size[2 + d] != l->at[3 - l->spatial + d].size)
      return 0;
  return 1;
}

/* The number of output planes, from the size of weight.  Raises unless weight fits. */
static int64_t THNN_(outputsOf)(const THNNLayer *l, THTensor *input, THTensor *weight,
                                int64_t inputs)
{
  const THNNWindow *w = l->at;
  int64_t taps = w[0].size * w[1].size * w[2].size, all;
  if (__builtin_mul_overflow(taps, inputs, &all) || !THNN_(weightFits)(l, weight, inputs, taps))
    THError(
        "weight has size %s, which does not fit input of size %s and windows of %lld x %lld x "
        "%lld",
        THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, (long long)w[0].size,
        (long long)w[1].size, (long long)w[2].size);
  if (l->depthWise)
    return weight->size[0] * inputs;
  if (l->transposed)
    return THNN_(groupsOf)(l) *
           (weight->nDimension == 2 ? weight->size[1] / taps : weight->size[1]);
  return weight->size[0];
}

THNNConvolution THNN_(convolutionOf)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                     THTensor *weight, THTensor *bias)
{
  const int dims = input->nDimension, batched = dims == layer.spatial + 2;
  THArgCheck(batched || dims == layer.spatial + 1, 2,
             "input has size %s, and has to be planes x %sheight x width, or a batch of that",
             THTensor_(sizeDesc)(input).str, layer.spatial == 3 ? "time x " : "");
  THNNLayer_count(&layer, input->size + batched + 1, THTensor_(sizeDesc)(input).str);
  const int64_t inputs = input->size[batched];
  int64_t outputs = gradOutput && gradOutput->nDimension == dims ? gradOutput->size[batched] : 0;
  if (weight)
    outputs = THNN_(outputsOf)(&layer, input, weight, inputs);
  if (bias && THTensor_(nElement)(bias) != outputs)
    THError("bias has size %s, which does not fit %lld planes of output",
            THTensor_(sizeDesc)(bias).str, (long long)outputs);

  THNNConvolution c = {.batch = batched ? input->size[0] : 1,
                       .groups = layer.depthWise ? inputs : THNN_(groupsOf)(&layer),
                       .planes = layer.transposed ? outputs : inputs,
                       .outputs = layer.transposed ? inputs : outputs,
                       .dims = dims,
                       .batched = batched};
  if (c.groups > 0 && (c.planes % c.groups != 0 || c.outputs % c.groups != 0))
    THError("input of size %s and %lld planes of output do not divide into %lld groups",
            THTensor_(sizeDesc)(input).str, (long long)outputs, (long long)c.groups);
  if (batched)
    c.xSize[0] = c.ySize[0] = c.batch;
  c.xSize[batched] = c.planes;
  c.ySize[batched] = c.outputs;
  for (int d = 0; d < 3; d++) {
    c.at[d] = layer.at[d];
    if (layer.transposed) {
      c.at[d].input = layer.at[d].output;
      c.at[d].output = layer.at[d].input;
    }
    const int at = batched + 1 + d - (3 - layer.spatial);
    if (d >= 3 - layer.spatial) {
      c.xSize[at] = c.at[d].input;
      c.ySize[at] = c.at[d].output;
    }
  }
  const int64_t *size = layer.transposed ? c.xSize : c.ySize;
  if (gradOutput && !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, size, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(size, dims).str);
  THNNConvolution_complete(&c);
  return c;
}

/* --- the functions of a layer ---------------------------------------------------------------- */

/* The weights of a depth-wise layer are outputs of a plane x planes x ...; the operations want
 * planes first.  NULL for NULL. */
static THTensor *THNN_(planesFirst)(const THNNLayer *l, THGuard *guard, THTensor *t, int64_t planes)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!l->depthWise || !t)
    return t;
  THTensor *view = guard->what = THTensor_(new)();
  const int64_t step = t->nDimension == 2 && t->size[1] != planes ? t->size[1] / planes : 0;
  if (step) { /* outputs x (planes * window): planes become a dimension */
    int64_t size[3] = {t->size[0], planes, step};
    int64_t stride[3] = {t->stride[0], step * t->stride[1], t->stride[1]};
    THTensor_(setStorageNd)(view, t->storage, t->storageOffset, 3, size, stride);
    THTensor_(transpose)(view, NULL, 0, 1);
  } else if (t->nDimension > 1) {
    THTensor_(transpose)(view, t, 0, 1);
  } else {
    THTensor_(set)(view, t);
  }
  return view;
}

void THNN_(layerOutput)(THNNLayer layer, THTensor *input, THTensor *output, THTensor *weight,
                        THTensor *bias)
{
  THNNConvolution c = THNN_(convolutionOf)(layer, input, NULL, weight, bias);
#ifndef TH_TEMPLATE_DEVICE
  c.transformed = THNN_(transformedOf)(&layer, &c);
  c.activation = layer.transposed ? NULL : layer.activation;
#endif
  THGuard guard[2];
  weight = THNN_(planesFirst)(&layer, &guard[0], weight, c.groups);
  bias = THNN_(planesFirst)(&layer, &guard[1], bias, c.groups);
  if (layer.transposed)
    THNN_(convolveBackwardData)(&c, input, weight, bias, output);
  else
    THNN_(convolve)(&c, input, weight, bias, output);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

void THNN_(layerGradInput)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                           THTensor *gradInput, THTensor *weight)
{
  const THNNConvolution c = THNN_(convolutionOf)(layer, input, gradOutput, weight, NULL);
  THGuard guard;
  weight = THNN_(planesFirst)(&layer, &guard, weight, c.groups);
  if (layer.transposed)
    THNN_(convolve)(&c, gradOutput, weight, NULL, gradInput);
  else
    THNN_(convolveBackwardData)(&c, gradOutput, weight, NULL, gradInput);
  THGuard_leave(&guard);
}

void THNN_(layerGradParameters)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                THTensor *gradWeight, THTensor *gradBias, accreal scale)
{
  const THNNConvolution c = THNN_(convolutionOf)(layer, input, gradOutput, gradWeight, gradBias);
  THGuard guard[2];
  gradWeight = THNN_(planesFirst)(&layer, &guard[0], gradWeight, c.groups);
  gradBias = THNN_(planesFirst)(&layer, &guard[1], gradBias, c.groups);
  if (layer.transposed)
    THNN_(convolveBackwardWeights)(&c, gradOutput, input, gradWeight, gradBias, 1, scale);
  else
    THNN_(convolveBackwardWeights)(&c, input, gradOutput, gradWeight, gradBias, 0, scale);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}
