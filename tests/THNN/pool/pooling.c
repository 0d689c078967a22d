/* Max, average and sum pooling of sequences, images and volumes. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../layer/layers.h"

#define GOLDEN .file = "pooling.txt"

/* --- random windows -------------------------------------------------------------------------- */

/* The arguments of a layer with windows, for axes dimensions: sizes, steps and padding, from
 * args[at] on, each for all axes, in the order T, W, H or W, H; then dilation.  Returns the
 * smallest sizes of images, in the tensors' order. */
static void random_windows(Operands *o, int axes, int pads, int dilates, int64_t least[3])
{
  for (int i = 0; i < axes; i++) {
    const int64_t size = between(o, 1, 3), dilation = dilates ? between(o, 1, 2) : 1;
    const int64_t pad = pads ? between(o, 0, size / 2) : 0;
    o->args[i] = (double)size;
    o->args[axes + i] = (double)between(o, 1, 3);
    o->args[2 * axes + i] = (double)pad;
    if (dilates)
      o->args[3 * axes + i] = (double)dilation;
    /* W, H are H, W in a tensor, and T comes first. */
    const int d = axes == 3 && i == 0 ? 0 : axes - 1 - i + (axes == 3);
    least[d] = (size - 1) * dilation + 1;
  }
}

/* At least so large, in a batch or not. */
static THTensor *random_image(Operands *o, int axes, const int64_t least[3])
{
  int64_t size[5];
  const int batch = !one_in(o, 3);
  if (batch)
    size[0] = between(o, 1, 3);
  size[batch] = between(o, 1, 3);
  for (int d = 0; d < axes; d++)
    size[batch + 1 + d] = least[d] + between(o, 0, axes == 3 ? 3 : 5);
  return any_apart(o, 1 + batch + axes, size);
}

static THTensor *random_small_image(Operands *o, int axes)
{
  return random_image(o, axes, (int64_t[]){1, 1, 1});
}

/* --- the largest ----------------------------------------------------------------------------- */

/* args: kW, kH, dW, dH, padW, padH, dilationW, dilationH, ceil_mode */
#define DILATED2 INT(0), INT(1), INT(2), INT(3), INT(4), INT(5), INT(6), INT(7), BOOL(8)
CALL(dilatedForward,
     THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, o->input, o->output, o->index, DILATED2))
CALL(dilatedBackward,
     THNN_(SpatialDilatedMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                     o->index, DILATED2))
static void dilatedRandom(Operands *o)
{
  int64_t least[3];
  random_windows(o, 2, 1, 1, least);
  o->args[8] = one_in(o, 2);
  o->input = random_image(o, 2, least);
}
static void THTest_(SpatialDilatedMaxPooling)(void)
{
  static const Layer layer = {
      "SpatialDilatedMaxPooling", dilatedForward, dilatedBackward, .givesIndex = 1,
      .random = dilatedRandom,    GOLDEN};
  check_layer(&layer);
}

/* args: kT, kW, kH, dT, dW, dH, pT, pW, pH, ceilMode */
#define WINDOW3 INT(0), INT(1), INT(2), INT(3), INT(4), INT(5), INT(6), INT(7), INT(8)
CALL(volumeForward, THNN_(VolumetricMaxPooling_updateOutput)(NULL, o->input, o->output, o->index,
                                                             WINDOW3, BOOL(9)))
CALL(volumeBackward,
     THNN_(VolumetricMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                 o->index, WINDOW3, BOOL(9)))
static void volumeRandom(Operands *o)
{
  int64_t least[3];
  random_windows(o, 3, 1, 0, least);
  o->args[9] = one_in(o, 2);
  o->input = random_image(o, 3, least);
}
static void THTest_(VolumetricMaxPooling)(void)
{
  static const Layer layer = {"VolumetricMaxPooling", volumeForward,          volumeBackward,
                              .givesIndex = 1,        .random = volumeRandom, GOLDEN};
  check_layer(&layer);
}

/* the same, dilationT, dilationW, dilationH, ceilMode */
CALL(dilatedVolumeForward,
     THNN_(VolumetricDilatedMaxPooling_updateOutput)(NULL, o->input, o->output, o->index, WINDOW3,
                                                     INT(9), INT(10), INT(11), BOOL(12)))
CALL(dilatedVolumeBackward,
     THNN_(VolumetricDilatedMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                        o->index, WINDOW3, INT(9), INT(10), INT(11),
                                                        BOOL(12)))
static void dilatedVolumeRandom(Operands *o)
{
  int64_t least[3];
  random_windows(o, 3, 1, 1, least);
  o->args[12] = one_in(o, 2);
  o->input = random_image(o, 3, least);
}
static void THTest_(VolumetricDilatedMaxPooling)(void)
{
  static const Layer layer = {"VolumetricDilatedMaxPooling", dilatedVolumeForward,
                              dilatedVolumeBackward,         .givesIndex = 1,
                              .random = dilatedVolumeRandom, GOLDEN};
  check_layer(&layer);
}

/* args: kW, dW */
CALL(framesForward,
     THNN_(TemporalMaxPooling_updateOutput)(NULL, o->input, o->output, o->index, INT(0), INT(1)))
CALL(framesBackward,
     THNN_(TemporalMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                               o->index, INT(0), INT(1)))
static void framesRandom(Operands *o)
{
  const int64_t width = between(o, 1, 4), frames = width + between(o, 0, 6);
  const int64_t features = between(o, 1, 4);
  o->args[0] = (double)width;
  o->args[1] = (double)between(o, 1, 3);
  o->input = one_in(o, 2) ? any_apart(o, TH_SHAPE(frames, features))
                          : any_apart(o, TH_SHAPE(between(o, 1, 3), frames, features));
}
/* The driver adds TH_INDEX_BASE to golden indices; these are offsets in a window. */
static void framesForwardFromBase(Operands *o)
{
  framesForward(o);
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(o->index); i++)
    o->index->storage->data[i] += TH_INDEX_BASE;
}
static void framesBackwardFromBase(Operands *o)
{
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(o->index); i++)
    o->index->storage->data[i] -= TH_INDEX_BASE;
  framesBackward(o);
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(o->index); i++)
    o->index->storage->data[i] += TH_INDEX_BASE;
}
static void THTest_(TemporalMaxPooling)(void)
{
  static const Layer layer = {"TemporalMaxPooling", framesForward,          framesBackward,
                              .givesIndex = 1,      .random = framesRandom, GOLDEN};
  static const Layer fromBase = {"TemporalMaxPooling", framesForwardFromBase,
                                 framesBackwardFromBase, .givesIndex = 1, GOLDEN};
  layer_golden(&fromBase);
  layer_gradients(&layer);
  layer_failures(&layer);
  th_golden_close(layer_file);
  layer_file = NULL;
}

/* args: osizeW, osizeH */
CALL(adaptiveMaxForward, THNN_(SpatialAdaptiveMaxPooling_updateOutput)(NULL, o->input, o->output,
                                                                       o->index, INT(0), INT(1)))
CALL(adaptiveMaxBackward,
     THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      o->index))
static void adaptiveRandom(Operands *o)
{
  for (int i = 0; i < 2; i++)
    o->args[i] = (double)between(o, 1, 6);
  o->input = random_small_image(o, 2);
}
static void THTest_(SpatialAdaptiveMaxPooling)(void)
{
  static const Layer layer = {"SpatialAdaptiveMaxPooling", adaptiveMaxForward,
                              adaptiveMaxBackward,         .givesIndex = 1,
                              .random = adaptiveRandom,    GOLDEN};
  check_layer(&layer);
}

/* args: osizeT, osizeW, osizeH */
CALL(adaptiveMax3Forward,
     THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(NULL, o->input, o->output, o->index, INT(0),
                                                      INT(1), INT(2)))
CALL(adaptiveMax3Backward,
     THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                         o->gradInput, o->index))
static void adaptive3Random(Operands *o)
{
  for (int i = 0; i < 3; i++)
    o->args[i] = (double)between(o, 1, 4);
  o->input = random_small_image(o, 3);
}
static void THTest_(VolumetricAdaptiveMaxPooling)(void)
{
  static const Layer layer = {"VolumetricAdaptiveMaxPooling", adaptiveMax3Forward,
                              adaptiveMax3Backward,           .givesIndex = 1,
                              .random = adaptive3Random,      GOLDEN};
  check_layer(&layer);
}

/* args: outputW, outputH, kW, kH.  Golden values have images, windows and outputs that are not
 * square: the order of these arguments, and of a plane's two samples (width first), is that of
 * PyTorch's fractional_max_pool2d, which takes samples too. */
CALL(fractionalForward,
     THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, o->input, o->output, INT(0), INT(1),
                                                     INT(2), INT(3), o->index, o->samples))
CALL(fractionalBackward,
     THNN_(SpatialFractionalMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                        INT(0), INT(1), INT(2), INT(3), o->index))
/* args: outputs and windows along axes dimensions, the last one first. */
static void random_fraction(Operands *o, int axes)
{
  int64_t least[3];
  for (int i = 0; i < axes; i++) {
    const int64_t outputs = between(o, 1, 4), size = between(o, 1, 3);
    o->args[i] = (double)outputs;
    o->args[axes + i] = (double)size;
    least[axes - 1 - i] = outputs + size - 1;
  }
  o->input = random_image(o, axes, least);
  const int batch = o->input->nDimension == axes + 2;
  o->samples =
      any_in(o, 0, 1, TH_SHAPE(batch ? o->input->size[0] : 1, o->input->size[batch], axes));
}
static void fractionalRandom(Operands *o)
{
  random_fraction(o, 2);
}
static void THTest_(SpatialFractionalMaxPooling)(void)
{
  static const Layer layer = {"SpatialFractionalMaxPooling",
                              fractionalForward,
                              fractionalBackward,
                              .givesIndex = 1,
                              .random = fractionalRandom,
                              GOLDEN};
  check_layer(&layer);
}

/* args: outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH */
#define FRACTION3 INT(0), INT(1), INT(2), INT(3), INT(4), INT(5)
CALL(fractional3Forward,
     THNN_(VolumetricFractionalMaxPooling_updateOutput)(NULL, o->input, o->output, FRACTION3,
                                                        o->index, o->samples))
CALL(fractional3Backward,
     THNN_(VolumetricFractionalMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                           o->gradInput, FRACTION3, o->index))
static void fractional3Random(Operands *o)
{
  random_fraction(o, 3);
}
static void THTest_(VolumetricFractionalMaxPooling)(void)
{
  static const Layer layer = {"VolumetricFractionalMaxPooling",
                              fractional3Forward,
                              fractional3Backward,
                              .givesIndex = 1,
                              .random = fractional3Random,
                              GOLDEN};
  check_layer(&layer);
}

/* --- unpooling ------------------------------------------------------------------------------- */

/* A distinct index below count for each element of an input plane. */
static THIndexTensor *random_places(Operands *o, int axes, int64_t count)
{
  const THTensor *x = o->input;
  THIndexTensor *index = THIndexTensor_(new)();
  THIndexTensor_(resizeNd)(index, x->nDimension, x->size, NULL);
  int64_t each = 1;
  for (int d = x->nDimension - axes; d < x->nDimension; d++)
    each *= x->size[d];
  int64_t *at = index->storage->data;
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(index); i++) {
    /* draws from the indices that are left, and leaves as many as later ones need */
    const int64_t k = i % each, first = k == 0 ? 0 : at[i - 1] - TH_INDEX_BASE + 1;
    at[i] = first + between(o, 0, (count - first - (each - k)) / (each - k)) + TH_INDEX_BASE;
  }
  return index;
}

/* args: owidth, oheight */
CALL(unpoolForward,
     THNN_(SpatialMaxUnpooling_updateOutput)(NULL, o->input, o->output, o->index, INT(0), INT(1)))
CALL(unpoolBackward,
     THNN_(SpatialMaxUnpooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                o->index, INT(0), INT(1)))
static void unpoolRandom(Operands *o)
{
  o->input = random_small_image(o, 2);
  const int64_t *size = o->input->size + o->input->nDimension - 2;
  o->args[0] = (double)(size[1] + between(o, 0, 5));
  o->args[1] = (double)(size[0] + between(o, 0, 5));
  o->index = random_places(o, 2, INT(0) * INT(1));
}
static void THTest_(SpatialMaxUnpooling)(void)
{
  static const Layer layer = {"SpatialMaxUnpooling", unpoolForward, unpoolBackward,
                              .random = unpoolRandom, GOLDEN};
  check_layer(&layer);
}

/* args: oT, oW, oH, dT, dW, dH, pT, pW, pH */
CALL(unpool3Forward,
     THNN_(VolumetricMaxUnpooling_updateOutput)(NULL, o->input, o->output, o->index, WINDOW3))
CALL(unpool3Backward,
     THNN_(VolumetricMaxUnpooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                   o->index, WINDOW3))
static void unpool3Random(Operands *o)
{
  o->input = random_small_image(o, 3);
  const int64_t *size = o->input->size + o->input->nDimension - 3;
  o->args[0] = (double)(size[0] + between(o, 0, 3));
  o->args[1] = (double)(size[2] + between(o, 0, 3));
  o->args[2] = (double)(size[1] + between(o, 0, 3));
  for (int i = 3; i < 6; i++)
    o->args[i] = 2;
  o->index = random_places(o, 3, INT(0) * INT(1) * INT(2));
}
static void THTest_(VolumetricMaxUnpooling)(void)
{
  static const Layer layer = {"VolumetricMaxUnpooling", unpool3Forward, unpool3Backward,
                              .random = unpool3Random, GOLDEN};
  check_layer(&layer);
}

/* --- the mean -------------------------------------------------------------------------------- */

/* args: kW, kH, dW, dH, padW, padH, ceil_mode, count_include_pad */
#define AVERAGE2 INT(0), INT(1), INT(2), INT(3), INT(4), INT(5), BOOL(6), BOOL(7)
CALL(averageForward, THNN_(SpatialAveragePooling_updateOutput)(NULL, o->input, o->output, AVERAGE2))
CALL(averageBackward, THNN_(SpatialAveragePooling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                                   o->gradInput, AVERAGE2))
static void averageRandom(Operands *o)
{
  int64_t least[3];
  random_windows(o, 2, 1, 0, least);
  o->args[6] = one_in(o, 2);
  o->args[7] = one_in(o, 2);
  o->input = random_image(o, 2, least);
}
static void THTest_(SpatialAveragePooling)(void)
{
  static const Layer layer = {"SpatialAveragePooling", averageForward, averageBackward,
                              .random = averageRandom, GOLDEN};
  check_layer(&layer);
}

/* args: kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, count_include_pad */
CALL(average3Forward, THNN_(VolumetricAveragePooling_updateOutput)(NULL, o->input, o->output,
                                                                   WINDOW3, BOOL(9), BOOL(10)))
CALL(average3Backward,
     THNN_(VolumetricAveragePooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                     WINDOW3, BOOL(9), BOOL(10)))
static void average3Random(Operands *o)
{
  int64_t least[3];
  random_windows(o, 3, 1, 0, least);
  o->args[9] = one_in(o, 2);
  o->args[10] = one_in(o, 2);
  o->input = random_image(o, 3, least);
}
static void THTest_(VolumetricAveragePooling)(void)
{
  static const Layer layer = {"VolumetricAveragePooling", average3Forward, average3Backward,
                              .random = average3Random, GOLDEN};
  check_layer(&layer);
}

CALL(adaptiveMeanForward,
     THNN_(SpatialAdaptiveAveragePooling_updateOutput)(NULL, o->input, o->output, INT(0), INT(1)))
CALL(adaptiveMeanBackward,
     THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                          o->gradInput))
static void THTest_(SpatialAdaptiveAveragePooling)(void)
{
  static const Layer layer = {"SpatialAdaptiveAveragePooling", adaptiveMeanForward,
                              adaptiveMeanBackward, .random = adaptiveRandom, GOLDEN};
  check_layer(&layer);
}

CALL(adaptiveMean3Forward,
     THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(NULL, o->input, o->output, INT(0), INT(1),
                                                          INT(2)))
CALL(adaptiveMean3Backward,
     THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                             o->gradInput))
static void THTest_(VolumetricAdaptiveAveragePooling)(void)
{
  static const Layer layer = {"VolumetricAdaptiveAveragePooling", adaptiveMean3Forward,
                              adaptiveMean3Backward, .random = adaptive3Random, GOLDEN};
  check_layer(&layer);
}

/* --- weighted sums --------------------------------------------------------------------------- */

/* args: kW, kH, dW, dH */
#define SAMPLING2 INT(0), INT(1), INT(2), INT(3)
CALL(sampleForward, THNN_(SpatialSubSampling_updateOutput)(NULL, o->input, o->output, o->weight,
                                                           o->bias, SAMPLING2))
CALL(sampleBackward, THNN_(SpatialSubSampling_updateGradInput)(NULL, o->input, o->gradOutput,
                                                               o->gradInput, o->weight, SAMPLING2))
CALL(sampleAccumulate,
     THNN_(SpatialSubSampling_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                 o->gradBias, SAMPLING2, o->scale))
static void sampleRandom(Operands *o)
{
  int64_t least[3];
  random_windows(o, 2, 0, 0, least);
  o->input = random_image(o, 2, least);
  const int64_t planes = o->input->size[o->input->nDimension - 3];
  o->weight = any(o, TH_SHAPE(planes));
  o->bias = any(o, TH_SHAPE(planes));
}
static void THTest_(SpatialSubSampling)(void)
{
  static const Layer layer = {"SpatialSubSampling", sampleForward,          sampleBackward,
                              sampleAccumulate,     .random = sampleRandom, GOLDEN};
  check_layer(&layer);
}

/* args: kW, dW */
CALL(sampleFramesForward,
     THNN_(TemporalSubSampling_updateOutput)(NULL, o->input, o->output, o->weight, o->bias, INT(0),
                                             INT(1), (int)o->weight->size[0]))
CALL(sampleFramesBackward,
     THNN_(TemporalSubSampling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                o->weight, INT(0), INT(1)))
CALL(sampleFramesAccumulate,
     THNN_(TemporalSubSampling_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                  o->gradBias, INT(0), INT(1), o->scale))
static void sampleFramesRandom(Operands *o)
{
  framesRandom(o);
  const int64_t features = o->input->size[o->input->nDimension - 1];
  o->weight = any(o, TH_SHAPE(features));
  o->bias = any(o, TH_SHAPE(features));
}
static void THTest_(TemporalSubSampling)(void)
{
  static const Layer layer = {"TemporalSubSampling",        sampleFramesForward,
                              sampleFramesBackward,         sampleFramesAccumulate,
                              .random = sampleFramesRandom, GOLDEN};
  check_layer(&layer);
}

/* --- norms ----------------------------------------------------------------------------------- */

/* args: power, width, stride, batchMode */
#define NORM o->args[0], INT(1), INT(2), BOOL(3)
CALL(normForward, THNN_(FeatureLPPooling_updateOutput)(NULL, o->input, o->output, NORM))
CALL(normBackward, THNN_(FeatureLPPooling_updateGradInput)(NULL, o->gradOutput, o->input, o->output,
                                                           o->gradInput, NORM))
static void normRandom(Operands *o)
{
  static const double powers[] = {1, 2, 3, 1.5, 4};
  int64_t size[4];
  const int batch = one_in(o, 2), dims = (int)between(o, 1, 3) + batch;
  o->args[0] = powers[between(o, 0, 4)];
  o->args[1] = (double)between(o, 1, 4);
  o->args[2] = (double)between(o, 1, 3);
  o->args[3] = batch;
  for (int d = 0; d < dims; d++)
    size[d] = between(o, 1, 4);
  size[batch] += INT(1);
  /* Roots of negative sums are NaN. */
  o->input = any_in(o, o->args[0] == 1 ? -2 : 0.25, 2, dims, size);
}
static void THTest_(FeatureLPPooling)(void)
{
  static const Layer layer = {"FeatureLPPooling", normForward, normBackward, .random = normRandom,
                              GOLDEN};
  check_layer(&layer);
}

/* If all elements are 0, the gradient is 0 too, not 0 / 0. */
static void THTest_(normOfZeros)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(4, 3)), *y = THTensor_(new)(), *d = THTensor_(new)();
  for (ptrdiff_t i = 0; i < 6; i++)
    *THTest_(at)(x, i) = 0;
  static const accreal powers[] = {2, 1.5};
  for (int k = 0; k < 2; k++) {
    THNN_(FeatureLPPooling_updateOutput)(NULL, x, y, powers[k], 2, 2, false);
    CHECK_EQ(*THTest_(at)(y, 0), 0);
    THNN_(FeatureLPPooling_updateGradInput)(NULL, y, x, y, d, powers[k], 2, 2, false);
    for (ptrdiff_t i = 0; i < 6; i++)
      CHECK_EQ(*THTest_(at)(d, i), 0);
  }
  THTensor_(free)(x);
  THTensor_(free)(y);
  THTensor_(free)(d);
}

/* --- indices --------------------------------------------------------------------------------- */

/* Indices may have any strides, as results and as operands, and count from TH_INDEX_BASE. */
static void THTest_(poolingIndexStrides)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4, 6)), *y = THTensor_(new)();
  THTensor *g = THTest_(tensor)(0, 2, TH_SHAPE(2, 3, 2, 2)), *d[2], *u[2];
  THIndexTensor *plain = THIndexTensor_(new)();
  THIndexTensor *wide = THIndexTensor_(newWithSize4d)(2, 3, 2, 6), *strided;
  for (ptrdiff_t i = 0; i < 72; i++)
    wide->storage->data[i] = -77;
  strided = THIndexTensor_(newUnfold)(wide, 3, 1, 3); /* every third */
  THIndexTensor_(select)(strided, NULL, 4, 0);
  THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, plain, 3, 2, 3, 2, 0, 0, false);
  THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, strided, 3, 2, 3, 2, 0, 0, false);
  for (ptrdiff_t i = 0; i < 24; i++) {
    CHECK_EQ(wide->storage->data[3 * i], plain->storage->data[i]);
    CHECK_EQ(wide->storage->data[3 * i + 1], -77);
    CHECK_EQ(wide->storage->data[3 * i + 2], -77);
    /* the element at each index is the largest */
    const ptrdiff_t at = i / 4 * 24 + plain->storage->data[i] - TH_INDEX_BASE;
    CHECK_EQ(*THTest_(at)(x, at), *THTest_(at)(y, i));
  }
  for (int k = 0; k < 2; k++) {
    THIndexTensor *index = k ? strided : plain;
    d[k] = THTensor_(new)();
    u[k] = THTensor_(new)();
    THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, g, d[k], index, 3, 2, 3, 2, 0, 0, false);
    THNN_(SpatialMaxUnpooling_updateOutput)(NULL, g, u[k], index, 6, 4);
  }
  /* Windows do not overlap: the gradient of pooling is unpooling. */
  for (ptrdiff_t i = 0; i < 144; i++) {
    CHECK_EQ(*THTest_(at)(d[0], i), *THTest_(at)(d[1], i));
    CHECK_EQ(*THTest_(at)(d[0], i), *THTest_(at)(u[0], i));
    CHECK_EQ(*THTest_(at)(d[0], i), *THTest_(at)(u[1], i));
  }
  THIndexTensor_(free)(plain);
  THIndexTensor_(free)(wide);
  THIndexTensor_(free)(strided);
  THTensor *all[] = {x, y, g, d[0], d[1], u[0], u[1]};
  for (int i = 0; i < 7; i++)
    THTensor_(free)(all[i]);
}

/* The output may be the input itself. */
static void THTest_(poolingInPlace)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 5, 6)), *y = THTensor_(new)();
  THNN_(SpatialAveragePooling_updateOutput)(NULL, x, y, 2, 2, 1, 1, 0, 0, false, true);
  THNN_(SpatialAveragePooling_updateOutput)(NULL, x, x, 2, 2, 1, 1, 0, 0, false, true);
  CHECK(THTensor_(isSameSizeAs)(x, y));
  for (ptrdiff_t i = 0; i < 40; i++)
    CHECK_EQ(*THTest_(at)(x, i), *THTest_(at)(y, i));
  THNN_(SpatialReplicationPadding_updateOutput)(NULL, y, x, 1, 2, 3, 4);
  THNN_(SpatialReplicationPadding_updateOutput)(NULL, y, y, 1, 2, 3, 4);
  CHECK(THTensor_(isSameSizeAs)(x, y));
  for (ptrdiff_t i = 0; i < 2 * 11 * 8; i++)
    CHECK_EQ(*THTest_(at)(x, i), *THTest_(at)(y, i));
  THTensor_(free)(x);
  THTensor_(free)(y);
}

/* Windows of minus infinity only, or with several NaN: indices are those of PyTorch, the first
 * element or the last NaN. */
static void THTest_(poolingExtremes)(void)
{
  THTensor *x = THTensor_(newWithSize4d)(1, 2, 2, 2), *y = THTensor_(new)();
  THIndexTensor *index = THIndexTensor_(new)();
  THTensor_(fill)(x, -(real)INFINITY);
  *THTest_(at)(x, 4) = *THTest_(at)(x, 6) = NAN;
  for (int layer = 0; layer < 3; layer++) {
    if (layer == 0)
      THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, index, 2, 2, 1, 1, 0, 0, false);
    else if (layer == 1)
      THNN_(SpatialAdaptiveMaxPooling_updateOutput)(NULL, x, y, index, 1, 1);
    else
      THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, x, y, index, 2, 2, 1, 1, 0, 0, 1, 1, true);
    CHECK_EQ(*THTest_(at)(y, 0), -(real)INFINITY);
    CHECK_EQ(*THTest_(at)(y, 1), (real)NAN);
    CHECK_EQ(index->storage->data[0], 0 + TH_INDEX_BASE);
    CHECK_EQ(index->storage->data[1], 2 + TH_INDEX_BASE);
  }
  THIndexTensor_(free)(index);
  THTensor_(free)(x);
  THTensor_(free)(y);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Shapes of inputs. */
static void THTest_(wrongInputs)(THTensor *x, THTensor *two, THTensor *one, THTensor *six,
                                 THTensor *y, THTensor *w, THTensor *empty, THIndexTensor *other)
{
  CHECK_RAISES(2, "[5 x 4]",
               THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, two, y, other, 1, 1, 1, 1, 0, 0,
                                                            1, 1, false));
  CHECK_RAISES(2, "[1 x 1 x 1 x 2 x 3 x 4]",
               THNN_(VolumetricMaxPooling_updateOutput)(NULL, six, y, other, 1, 1, 1, 1, 1, 1, 0, 0,
                                                        0, false));
  CHECK_RAISES(2, "[7]", THNN_(TemporalMaxPooling_updateOutput)(NULL, one, y, other, 1, 1));
  CHECK_RAISES(2, "[]",
               THNN_(SpatialAveragePooling_updateOutput)(NULL, empty, y, 1, 1, 1, 1, 0, 0, false,
                                                         false));
  CHECK_RAISES(2, "[7]", THNN_(SpatialAdaptiveAveragePooling_updateOutput)(NULL, one, y, 1, 1));
  CHECK_RAISES(2, "[7]", THNN_(SpatialSubSampling_updateOutput)(NULL, one, y, w, w, 1, 1, 1, 1));
  CHECK_RAISES(2, "[7]", THNN_(FeatureLPPooling_updateOutput)(NULL, one, y, 2, 1, 1, true));
  CHECK_RAISES(2, "[2 x 3 x 6 x 6]",
               THNN_(FeatureLPPooling_updateOutput)(NULL, x, y, 2, 1, 1, false));
}

/* Windows. */
static void THTest_(wrongWindows)(THTensor *x, THTensor *v, THTensor *two, THTensor *one,
                                  THTensor *y, THTensor *w, THIndexTensor *other)
{
  CHECK_RAISES(0, "kW is 0",
               THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, other, 0, 1, 1, 1, 0, 0, false));
  CHECK_RAISES(0, "dH is 0", THNN_(SpatialSubSampling_updateOutput)(NULL, x, y, w, w, 1, 1, 1, 0));
  CHECK_RAISES(0, "dT is -1",
               THNN_(VolumetricAveragePooling_updateOutput)(NULL, v, y, 1, 1, 1, -1, 1, 1, 0, 0, 0,
                                                            false, false));
  CHECK_RAISES(0, "padW is -1",
               THNN_(SpatialAveragePooling_updateOutput)(NULL, x, y, 2, 2, 1, 1, -1, 0, false,
                                                         false));
  CHECK_RAISES(0, "padH is 2",
               THNN_(SpatialAveragePooling_updateOutput)(NULL, x, y, 2, 2, 1, 1, 0, 2, false,
                                                         false));
  CHECK_RAISES(0, "dilationW is 0",
               THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, x, y, other, 2, 2, 1, 1, 0, 0, 0,
                                                            1, false));
  CHECK_RAISES(0, "[2 x 3 x 6 x 6]",
               THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, other, 7, 1, 1, 1, 0, 0, false));
  CHECK_RAISES(0, "[5 x 4]", THNN_(TemporalMaxPooling_updateOutput)(NULL, two, y, other, 6, 1));
  CHECK_RAISES(2, "[7]", THNN_(FeatureLPPooling_updateOutput)(NULL, one, y, 2, 8, 1, false));
  CHECK_RAISES(4, "power", THNN_(FeatureLPPooling_updateOutput)(NULL, one, y, 0, 2, 1, false));
  CHECK_RAISES(5, "width", THNN_(FeatureLPPooling_updateOutput)(NULL, one, y, 2, 0, 1, false));
  CHECK_RAISES(6, "stride", THNN_(FeatureLPPooling_updateOutput)(NULL, one, y, 2, 2, 0, false));
  /* a window of which no element lies in the image, but in the padding on both sides of it */
  CHECK_RAISES(0, "no element in window",
               THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, x, y, other, 2, 2, 1, 1, 1, 1, 7,
                                                            1, false));
}

/* Sizes of outputs, and samples. */
static void THTest_(wrongOutputs)(THTensor *x, THTensor *y, THTensor *samples, THTensor *w,
                                  THIndexTensor *other)
{
  CHECK_RAISES(0, "[2 x 3 x 0 x 2]",
               THNN_(SpatialAdaptiveMaxPooling_updateOutput)(NULL, x, y, other, 2, 0));
  CHECK_RAISES(0, "[2 x 3 x 2 x -1]",
               THNN_(SpatialAdaptiveAveragePooling_updateOutput)(NULL, x, y, -1, 2));
  CHECK_RAISES(0, "too small",
               THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, x, y, 5, 5, 3, 2, other,
                                                               samples));
  CHECK_RAISES(0, "too small",
               THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, x, y, 5, 5, 2, 0, other,
                                                               samples));
  CHECK_RAISES(9, "[3]",
               THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, x, y, 2, 2, 2, 2, other, w));
  THTensor_(fill)(samples, (real)0.5);
  *THTest_(at)(samples, 4) = (real)1.5;
  CHECK_RAISES(9, "1.5",
               THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, x, y, 2, 2, 2, 2, other,
                                                               samples));
  *THTest_(at)(samples, 4) = NAN;
  CHECK_RAISES(9, "nan",
               THNN_(SpatialFractionalMaxPooling_updateOutput)(NULL, x, y, 2, 2, 2, 2, other,
                                                               samples));
}

/* Gradients and indices that do not fit. */
static void THTest_(wrongGradients)(THTensor *x, THTensor *v, THTensor *two, THTensor *y,
                                    THTensor *g, THTensor *single, THIndexTensor *index,
                                    THIndexTensor *other)
{
  CHECK_RAISES(0, "[2 x 3 x 6 x 6]",
               THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, x, y, index, 2, 2, 2, 2, 0, 0,
                                                        false));
  CHECK_RAISES(0, "[3 x 3]",
               THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, g, y, other, 2, 2, 2, 2, 0, 0,
                                                        false));
  CHECK_RAISES(0, "[5 x 4]",
               THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(NULL, x, two, y, index));
  CHECK_RAISES(0, "[3 x 3]",
               THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(NULL, x, g, y, other));
  CHECK_RAISES(0, "[2 x 3 x 4 x 5]",
               THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(NULL, v, two, y));
  CHECK_RAISES(0, "[1 x 3 x 3 x 3]",
               THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(NULL, x, single, y));
  CHECK_RAISES(0, "[5 x 4]",
               THNN_(SpatialAveragePooling_updateGradInput)(NULL, x, two, y, 2, 2, 2, 2, 0, 0,
                                                            false, false));
}

/* Wrong operands of subsampling, unpooling and pooling of features. */
static void THTest_(wrongSubSampling)(THTensor *x, THTensor *two, THTensor *one, THTensor *y,
                                      THTensor *g, THTensor *w, THIndexTensor *index,
                                      THIndexTensor *other)
{
  CHECK_RAISES(0, "[7]",
               THNN_(FeatureLPPooling_updateGradInput)(NULL, one, two, one, y, 2, 2, 1, false));
  CHECK_RAISES(0, "[2 x 3 x 6 x 6]",
               THNN_(SpatialSubSampling_updateGradInput)(NULL, x, x, y, w, 2, 2, 2, 2));
  CHECK_RAISES(5, "[5 x 4]",
               THNN_(SpatialSubSampling_updateGradInput)(NULL, x, g, y, two, 2, 2, 2, 2));
  CHECK_RAISES(4, "[5 x 4]",
               THNN_(SpatialSubSampling_updateOutput)(NULL, x, y, two, w, 2, 2, 2, 2));
  CHECK_RAISES(5, "[5 x 4]",
               THNN_(SpatialSubSampling_updateOutput)(NULL, x, y, w, two, 2, 2, 2, 2));
  CHECK_RAISES(4, "[5 x 4]",
               THNN_(SpatialSubSampling_accGradParameters)(NULL, x, g, two, w, 2, 2, 2, 2, 1));
  CHECK_RAISES(5, "[5 x 4]",
               THNN_(SpatialSubSampling_accGradParameters)(NULL, x, g, w, two, 2, 2, 2, 2, 1));
  CHECK_RAISES(8, "[5 x 4]", THNN_(TemporalSubSampling_updateOutput)(NULL, two, y, w, w, 2, 2, 3));
  CHECK_RAISES(0, "[3 x 3]", THNN_(SpatialMaxUnpooling_updateOutput)(NULL, g, y, other, 6, 6));
  CHECK_RAISES(0, "[2 x 3 x 0 x 6]",
               THNN_(SpatialMaxUnpooling_updateOutput)(NULL, g, y, index, 6, 0));
  CHECK_RAISES(0, "[2 x 3 x 6 x 6]",
               THNN_(SpatialMaxUnpooling_updateGradInput)(NULL, g, x, y, index, 5, 5));
  CHECK_RAISES(0, "dT",
               THNN_(VolumetricMaxUnpooling_updateOutput)(NULL, g, y, index, 4, 4, 4, 0, 1, 1, 0, 0,
                                                          0));
}

/* Indices out of range, in the middle of others. */
static void THTest_(wrongIndices)(THTensor *x, THTensor *y, THTensor *g, THIndexTensor *index,
                                  THIndexTensor *other)
{
  static const int64_t indices[] = {-1, 36, INT64_MAX - TH_INDEX_BASE, INT64_MIN};
  for (int i = 0; i < 4; i++) {
    index->storage->data[40] = indices[i] + (i < 3 ? TH_INDEX_BASE : 0);
    th_watch_forget();
    WATCH(y);
#ifndef TH_TEMPLATE_DEVICE /* a device gathers gradients, and does not use an index that is wrong */
    CHECK_RAISES(0, "not an index",
                 THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, g, y, index, 2, 2, 2, 2, 0, 0,
                                                          false));
#endif
    CHECK_RAISES(0, "not an index",
                 THNN_(SpatialMaxUnpooling_updateOutput)(NULL, g, y, index, 6, 6));
    CHECK_RAISES(0, "not an index",
                 THNN_(SpatialMaxUnpooling_updateGradInput)(NULL, g, x, y, index, 6, 6));
    th_watch_check(1);
  }
  other->storage->data[4] = 2; /* frame 2 of a window of two frames */
  THTensor *frames = THTest_(tensor)(0, 2, TH_SHAPE(6, 3)), *gf = THTensor_(new)();
  THTensor_(resize2d)(gf, 3, 3);
#ifndef TH_TEMPLATE_DEVICE
  CHECK_RAISES(0, "not an index",
               THNN_(TemporalMaxPooling_updateGradInput)(NULL, frames, gf, y, other, 2, 2));
  th_watch_check(1);
#endif
  th_watch_forget();
  THTensor_(free)(frames);
  THTensor_(free)(gf);
}

static void THTest_(poolingErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 6, 6));
  THTensor *v = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4, 5));
  THTensor *two = THTest_(tensor)(0, 1, TH_SHAPE(5, 4)), *one = THTest_(tensor)(0, 1, TH_SHAPE(7));
  THTensor *six = THTest_(tensor)(0, 1, TH_SHAPE(1, 1, 1, 2, 3, 4));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2));
  THTensor *g = THTest_(tensor)(0, 2, TH_SHAPE(2, 3, 3, 3));
  THTensor *samples = THTest_(tensor)(0, 3, TH_SHAPE(2, 3, 2));
  THTensor *w = THTest_(tensor)(0, 3, TH_SHAPE(3)), *empty = THTensor_(new)();
  THTensor *single = THTest_(tensor)(0, 2, TH_SHAPE(1, 3, 3, 3));
  THIndexTensor *index = THIndexTensor_(newWithSize4d)(2, 3, 3, 3);
  THIndexTensor *other = THIndexTensor_(newWithSize2d)(3, 3);
  THIndexTensor_(fill)(index, TH_INDEX_BASE);
  THIndexTensor_(fill)(other, TH_INDEX_BASE);
  WATCH(y);
  WATCH(index);
  WATCH(other);

  THTest_(wrongInputs)(x, two, one, six, y, w, empty, other);
  THTest_(wrongWindows)(x, v, two, one, y, w, other);
  THTest_(wrongOutputs)(x, y, samples, w, other);
  THTest_(wrongGradients)(x, v, two, y, g, single, index, other);
  THTest_(wrongSubSampling)(x, two, one, y, g, w, index, other);
  THTest_(wrongIndices)(x, y, g, index, other);
  THIndexTensor_(free)(index);
  THIndexTensor_(free)(other);
  THTensor *all[] = {x, v, two, one, six, y, g, samples, w, empty, single};
  for (int i = 0; i < 11; i++)
    THTensor_(free)(all[i]);
}

TH_TESTS(THTest_(SpatialDilatedMaxPooling), THTest_(VolumetricMaxPooling),
         THTest_(VolumetricDilatedMaxPooling), THTest_(TemporalMaxPooling),
         THTest_(SpatialAdaptiveMaxPooling), THTest_(VolumetricAdaptiveMaxPooling),
         THTest_(SpatialFractionalMaxPooling), THTest_(VolumetricFractionalMaxPooling),
         THTest_(SpatialMaxUnpooling), THTest_(VolumetricMaxUnpooling),
         THTest_(SpatialAveragePooling), THTest_(VolumetricAveragePooling),
         THTest_(SpatialAdaptiveAveragePooling), THTest_(VolumetricAdaptiveAveragePooling),
         THTest_(SpatialSubSampling), THTest_(TemporalSubSampling), THTest_(FeatureLPPooling),
         THTest_(normOfZeros), THTest_(poolingIndexStrides), THTest_(poolingInPlace),
         THTest_(poolingExtremes), THTest_(poolingErrors))
