/* The convolution layers: PyTorch's values, gradients, failing allocations, the same bits for any
 * number of threads, and errors. */
#include "THNNGroups.h"
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../layer/layers.h"

#define GOLDEN .file = "convolution_layers.txt"

/* --- random windows -------------------------------------------------------------------------- */

/* Arguments are in the order of the layers': W, H of images, T, W, H of volumes. */
enum { KERNEL, STRIDE, PAD, DILATION, ADJUST, KINDS };

typedef struct Windows {
  int dims;
  int64_t of[KINDS][3]; /* the numbers of each kind, one per dimension, in the order of arguments */
  int64_t input[3];     /* the size of the input in each dimension */
} Windows;

/* Half of all are of 1 element or one step apart, which are computed in other ways. */
static Windows random_windows(Operands *o, int dims, int dilated, int full)
{
  Windows w = {.dims = dims};
  for (int d = 0; d < dims; d++) {
    const int64_t kernel = w.of[KERNEL][d] = one_in(o, 4) ? 1 : between(o, 1, dims == 3 ? 3 : 4);
    const int64_t step = w.of[STRIDE][d] = one_in(o, 3) ? 1 : between(o, 1, 3);
    const int64_t dilation = w.of[DILATION][d] = dilated ? between(o, 1, 3) : 1;
    const int64_t reach = dilation * (kernel - 1) + 1;
    if (full) {
      w.input[d] = between(o, 1, 4);
      w.of[ADJUST][d] = between(o, 0, (dilated && dilation > step ? dilation : step) - 1);
      const int64_t size = (w.input[d] - 1) * step + reach + w.of[ADJUST][d];
      w.of[PAD][d] = between(o, 0, (size - 1) / 2 < 3 ? (size - 1) / 2 : 3);
    } else {
      w.of[PAD][d] = between(o, 0, 3);
      const int64_t least = reach - 2 * w.of[PAD][d];
      w.input[d] = between(o, least > 1 ? least : 1, (least > 1 ? least : 1) + 4);
    }
  }
  return w;
}

/* Kinds as arguments, one after the other. */
static void give(Operands *o, const Windows *w, int kinds, const int *kind)
{
  int at = 0;
  for (int k = 0; k < kinds; k++)
    for (int d = 0; d < w->dims; d++)
      o->args[at++] = (double)w->of[kind[k]][d];
}
#define GIVE(O, W, ...) \
  give(O, W, sizeof(int[]){__VA_ARGS__} / sizeof(int), (const int[]){__VA_ARGS__})

/* The argument of dimension d of the tensors. */
static int argument(const Windows *w, int d)
{
  return w->dims == 3 ? (d == 0 ? 0 : d == 1 ? 2 : 1) : w->dims - 1 - d;
}

/* A random input, in a batch or not. */
static THTensor *random_input(Operands *o, const Windows *w, int64_t planes)
{
  int64_t size[5] = {between(o, 1, 3), planes};
  for (int d = 0; d < w->dims; d++)
    size[2 + d] = w->input[argument(w, d)];
  return one_in(o, 3) ? any(o, w->dims + 1, size + 1) : any(o, w->dims + 2, size);
}

/* The last dimensions as one, or not. */
static THTensor *random_weight(Operands *o, const Windows *w, int64_t first, int64_t second,
                               int mayBeFlat)
{
  int64_t size[5] = {first, second}, all = second;
  for (int d = 0; d < w->dims; d++)
    all *= size[2 + d] = w->of[KERNEL][argument(w, d)];
  if (mayBeFlat && one_in(o, 3))
    return any(o, TH_SHAPE(first, all));
  return any(o, w->dims + 2, size);
}

static void random_parameters(Operands *o, const Windows *w, int full)
{
  const int64_t planes = between(o, 1, 3), outputs = between(o, 1, one_in(o, 4) ? 8 : 3);
  o->input = random_input(o, w, planes);
  o->weight = random_weight(o, w, full ? planes : outputs, full ? outputs : planes, 1);
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(outputs));
}

/* --- images and volumes ---------------------------------------------------------------------- */

#define I2(AT) INT(AT), INT(AT + 1)
#define I3(AT) INT(AT), INT(AT + 1), INT(AT + 2)
#define I3A(A) (int)A[0], (int)A[2], (int)A[1]

CALL(dilatedForward,
     THNN_(SpatialDilatedConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                   o->buffer1, o->buffer2, I2(0), I2(2), I2(4),
                                                   I2(6)))
CALL(dilatedBackward,
     THNN_(SpatialDilatedConvolution_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      o->weight, o->buffer1, I2(0), I2(2), I2(4),
                                                      I2(6)))
CALL(dilatedAccumulate,
     THNN_(SpatialDilatedConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                        o->gradWeight, o->gradBias, o->buffer1,
                                                        o->buffer2, I2(0), I2(2), I2(4), I2(6),
                                                        o->scale))
static void dilatedRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 1, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD, DILATION);
  random_parameters(o, &w, 0);
}
static void THTest_(SpatialDilatedConvolution)(void)
{
  static const Layer layer = {"SpatialDilatedConvolution", dilatedForward,          dilatedBackward,
                              dilatedAccumulate,           .random = dilatedRandom, GOLDEN};
  check_layer(&layer);
}

CALL(fullForward,
     THNN_(SpatialFullConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                o->buffer1, o->buffer2, I2(0), I2(2), I2(4), I2(6)))
CALL(fullBackward,
     THNN_(SpatialFullConvolution_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                   o->weight, o->buffer1, I2(0), I2(2), I2(4),
                                                   I2(6)))
CALL(fullAccumulate,
     THNN_(SpatialFullConvolution_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                     o->gradBias, o->buffer1, o->buffer2, I2(0),
                                                     I2(2), I2(4), I2(6), o->scale))
static void fullRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 0, 1);
  GIVE(o, &w, KERNEL, STRIDE, PAD, ADJUST);
  random_parameters(o, &w, 1);
}
static void THTest_(SpatialFullConvolution)(void)
{
  static const Layer layer = {"SpatialFullConvolution", fullForward,          fullBackward,
                              fullAccumulate,           .random = fullRandom, GOLDEN};
  check_layer(&layer);
}

CALL(fullDilatedForward,
     THNN_(SpatialFullDilatedConvolution_updateOutput)(NULL, o->input, o->output, o->weight,
                                                       o->bias, o->buffer1, o->buffer2, I2(0),
                                                       I2(2), I2(4), I2(6), I2(8)))
CALL(fullDilatedBackward,
     THNN_(SpatialFullDilatedConvolution_updateGradInput)(NULL, o->input, o->gradOutput,
                                                          o->gradInput, o->weight, o->buffer1,
                                                          I2(0), I2(2), I2(4), I2(6), I2(8)))
CALL(fullDilatedAccumulate,
     THNN_(SpatialFullDilatedConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                            o->gradWeight, o->gradBias, o->buffer1,
                                                            o->buffer2, I2(0), I2(2), I2(4), I2(6),
                                                            I2(8), o->scale))
static void fullDilatedRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 1, 1);
  GIVE(o, &w, KERNEL, STRIDE, PAD, DILATION, ADJUST);
  random_parameters(o, &w, 1);
}
static void THTest_(SpatialFullDilatedConvolution)(void)
{
  static const Layer layer = {
      "SpatialFullDilatedConvolution", fullDilatedForward,          fullDilatedBackward,
      fullDilatedAccumulate,           .random = fullDilatedRandom, GOLDEN};
  check_layer(&layer);
}

CALL(volumeForward,
     THNN_(VolumetricConvolutionMM_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                 o->buffer1, o->buffer2, I3(0), I3(3), I3(6)))
CALL(volumeBackward,
     THNN_(VolumetricConvolutionMM_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                    o->weight, o->buffer1, o->buffer2, I3(0), I3(3),
                                                    I3(6)))
CALL(volumeAccumulate,
     THNN_(VolumetricConvolutionMM_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                      o->gradBias, o->buffer1, o->buffer2, I3(0),
                                                      I3(3), I3(6), o->scale))
static void volumeRandom(Operands *o)
{
  const Windows w = random_windows(o, 3, 0, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD);
  random_parameters(o, &w, 0);
}
static void THTest_(VolumetricConvolutionMM)(void)
{
  static const Layer layer = {"VolumetricConvolutionMM", volumeForward,          volumeBackward,
                              volumeAccumulate,          .random = volumeRandom, GOLDEN};
  check_layer(&layer);
}

CALL(legacyVolumeForward,
     THNN_(VolumetricConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                               o->buffer1, o->buffer2, I3(0), I3(3)))
CALL(legacyVolumeBackward,
     THNN_(VolumetricConvolution_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                  o->weight, o->buffer1, I3(0), I3(3)))
CALL(legacyVolumeAccumulate,
     THNN_(VolumetricConvolution_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                    o->gradBias, o->buffer1, o->buffer2, I3(0),
                                                    I3(3), o->scale))
static void legacyVolumeRandom(Operands *o)
{
  const Windows w = random_windows(o, 3, 0, 0);
  GIVE(o, &w, STRIDE, PAD);
  const int64_t planes = between(o, 1, 3), outputs = between(o, 1, 3);
  o->input = random_input(o, &w, planes);
  o->weight = random_weight(o, &w, outputs, planes, 0);
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(outputs));
}
static void THTest_(VolumetricConvolution)(void)
{
  static const Layer layer = {"VolumetricConvolution",      legacyVolumeForward,
                              legacyVolumeBackward,         legacyVolumeAccumulate,
                              .random = legacyVolumeRandom, GOLDEN};
  check_layer(&layer);
}

CALL(dilatedVolumeForward,
     THNN_(VolumetricDilatedConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                      o->buffer1, o->buffer2, I3(0), I3(3), I3(6),
                                                      I3(9)))
CALL(dilatedVolumeBackward,
     THNN_(VolumetricDilatedConvolution_updateGradInput)(NULL, o->input, o->gradOutput,
                                                         o->gradInput, o->weight, o->buffer1, I3(0),
                                                         I3(3), I3(6), I3(9)))
CALL(dilatedVolumeAccumulate,
     THNN_(VolumetricDilatedConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                           o->gradWeight, o->gradBias, o->buffer1,
                                                           o->buffer2, I3(0), I3(3), I3(6), I3(9),
                                                           o->scale))
static void dilatedVolumeRandom(Operands *o)
{
  const Windows w = random_windows(o, 3, 1, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD, DILATION);
  random_parameters(o, &w, 0);
}
static void THTest_(VolumetricDilatedConvolution)(void)
{
  static const Layer layer = {"VolumetricDilatedConvolution", dilatedVolumeForward,
                              dilatedVolumeBackward,          dilatedVolumeAccumulate,
                              .random = dilatedVolumeRandom,  GOLDEN};
  check_layer(&layer);
}

CALL(fullVolumeForward,
     THNN_(VolumetricFullConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                   o->buffer1, o->buffer2, I3(0), I3(3), I3(6),
                                                   I3(9)))
CALL(fullVolumeBackward,
     THNN_(VolumetricFullConvolution_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      o->weight, o->buffer1, o->buffer2, I3(0),
                                                      I3(3), I3(6), I3(9)))
CALL(fullVolumeAccumulate,
     THNN_(VolumetricFullConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                        o->gradWeight, o->gradBias, o->buffer1,
                                                        o->buffer2, I3(0), I3(3), I3(6), I3(9),
                                                        o->scale))
static void fullVolumeRandom(Operands *o)
{
  const Windows w = random_windows(o, 3, 0, 1);
  GIVE(o, &w, KERNEL, STRIDE, PAD, ADJUST);
  random_parameters(o, &w, 1);
}
static void THTest_(VolumetricFullConvolution)(void)
{
  static const Layer layer = {"VolumetricFullConvolution", fullVolumeForward,
                              fullVolumeBackward,          fullVolumeAccumulate,
                              .random = fullVolumeRandom,  GOLDEN};
  check_layer(&layer);
}

CALL(fullDilatedVolumeForward,
     THNN_(VolumetricFullDilatedConvolution_updateOutput)(NULL, o->input, o->output, o->weight,
                                                          o->bias, o->buffer1, o->buffer2, I3(0),
                                                          I3(3), I3(6), I3(9), I3(12)))
CALL(fullDilatedVolumeBackward,
     THNN_(VolumetricFullDilatedConvolution_updateGradInput)(NULL, o->input, o->gradOutput,
                                                             o->gradInput, o->weight, o->buffer1,
                                                             o->buffer2, I3(0), I3(3), I3(6), I3(9),
                                                             I3(12)))
CALL(fullDilatedVolumeAccumulate,
     THNN_(VolumetricFullDilatedConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                               o->gradWeight, o->gradBias,
                                                               o->buffer1, o->buffer2, I3(0), I3(3),
                                                               I3(6), I3(9), I3(12), o->scale))
static void fullDilatedVolumeRandom(Operands *o)
{
  const Windows w = random_windows(o, 3, 1, 1);
  GIVE(o, &w, KERNEL, STRIDE, PAD, DILATION, ADJUST);
  random_parameters(o, &w, 1);
}
static void THTest_(VolumetricFullDilatedConvolution)(void)
{
  static const Layer layer = {"VolumetricFullDilatedConvolution", fullDilatedVolumeForward,
                              fullDilatedVolumeBackward,          fullDilatedVolumeAccumulate,
                              .random = fullDilatedVolumeRandom,  GOLDEN};
  check_layer(&layer);
}

/* Behind the windows: whether it is a full one, and how many groups there are. */
static THNNGroups groups_of(const Operands *o)
{
  THNNGroups how = {.axes = 2, .full = INT(10) != 0, .groups = INT(11)};
  how.size[0] = how.step[0] = how.dilation[0] = 1;
  for (int d = 0; d < 2; d++) { /* arguments name the columns first */
    how.size[2 - d] = INT(d);
    how.step[2 - d] = INT(2 + d);
    how.pad[2 - d] = INT(4 + d);
    how.dilation[2 - d] = INT(6 + d);
    how.adjust[2 - d] = INT(8 + d);
  }
  return how;
}
CALL(groupsForward, const THNNGroups how = groups_of(o);
     THNN_(Groups_updateOutput)(NULL, &how, o->input, o->output, o->weight, o->bias))
CALL(groupsBackward, const THNNGroups how = groups_of(o);
     THNN_(Groups_updateGradInput)(NULL, &how, o->input, o->gradOutput, o->gradInput, o->weight))
CALL(groupsAccumulate, const THNNGroups how = groups_of(o);
     THNN_(Groups_accGradParameters)(NULL, &how, o->input, o->gradOutput, o->gradWeight,
                                     o->gradBias, o->scale))
static void groupsRandom(Operands *o)
{
  const int full = one_in(o, 2);
  const Windows w = random_windows(o, 2, 1, full);
  const int64_t groups = between(o, 1, 4), planes = groups * between(o, 1, 3);
  const int64_t outputs = between(o, 1, 3); /* outputs of a group */
  GIVE(o, &w, KERNEL, STRIDE, PAD, DILATION, ADJUST);
  o->args[10] = full;
  o->args[11] = (double)groups;
  o->input = random_input(o, &w, planes);
  o->weight =
      random_weight(o, &w, full ? planes : groups * outputs, full ? outputs : planes / groups, 0);
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(groups * outputs));
}
static void THTest_(Groups)(void)
{
  static const Layer layer = {"Groups",         groupsForward,          groupsBackward,
                              groupsAccumulate, .random = groupsRandom, GOLDEN};
  check_layer(&layer);
}

CALL(depthWiseForward,
     THNN_(SpatialDepthWiseConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                     o->buffer1, o->buffer2, I2(0), I2(2), I2(4)))
CALL(depthWiseBackward,
     THNN_(SpatialDepthWiseConvolution_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                        o->weight, o->buffer1, o->buffer2, I2(0),
                                                        I2(2), I2(4)))
CALL(depthWiseAccumulate,
     THNN_(SpatialDepthWiseConvolution_accGradParameters)(NULL, o->input, o->gradOutput,
                                                          o->gradWeight, o->gradBias, o->buffer1,
                                                          o->buffer2, I2(0), I2(2), I2(4),
                                                          o->scale))
static void depthWiseRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 0, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD);
  const int64_t planes = between(o, 1, 4), multiplier = between(o, 1, 3);
  o->input = random_input(o, &w, planes);
  o->weight = random_weight(o, &w, multiplier, planes, 1);
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(multiplier, planes));
}
static void THTest_(SpatialDepthWiseConvolution)(void)
{
  static const Layer layer = {
      "SpatialDepthWiseConvolution", depthWiseForward,          depthWiseBackward,
      depthWiseAccumulate,           .random = depthWiseRandom, GOLDEN};
  check_layer(&layer);
}

CALL(localForward,
     THNN_(SpatialConvolutionLocal_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                 o->buffer1, o->buffer2, I2(0), I2(2), I2(4),
                                                 INT(6), INT(7), INT(8), INT(9)))
CALL(localBackward,
     THNN_(SpatialConvolutionLocal_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                    o->weight, o->buffer1, o->buffer2, I2(0), I2(2),
                                                    I2(4), INT(6), INT(7), INT(8), INT(9)))
CALL(localAccumulate,
     THNN_(SpatialConvolutionLocal_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                      o->gradBias, o->buffer1, o->buffer2, I2(0),
                                                      I2(2), I2(4), INT(6), INT(7), INT(8), INT(9),
                                                      o->scale))
static void localRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 0, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD);
  const int64_t planes = between(o, 1, 3), outputs = between(o, 1, 3);
  int64_t count[2];
  o->input = random_input(o, &w, planes);
  for (int d = 0; d < 2; d++) {
    count[d] = (w.input[d] + 2 * w.of[PAD][d] - w.of[KERNEL][d]) / w.of[STRIDE][d] + 1;
    o->args[6 + d] = (double)w.input[d];
    o->args[8 + d] = (double)count[d];
  }
  if (one_in(o, 2))
    o->weight =
        any(o, TH_SHAPE(count[0] * count[1], outputs, planes * w.of[KERNEL][0] * w.of[KERNEL][1]));
  else
    o->weight =
        any(o, TH_SHAPE(count[1], count[0], outputs, planes, w.of[KERNEL][1], w.of[KERNEL][0]));
  o->bias = any(o, TH_SHAPE(outputs, count[1], count[0]));
}
static void THTest_(SpatialConvolutionLocal)(void)
{
  static const Layer layer = {"SpatialConvolutionLocal", localForward,          localBackward,
                              localAccumulate,           .random = localRandom, GOLDEN};
  check_layer(&layer);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* More planes of input than are connected, and outputs without a connection. */
static void random_map(Operands *o, int full)
{
  Windows w = random_windows(o, 2, 0, full);
  const int64_t inputs = between(o, 1, 4), outputs = between(o, 1, 4), rows = between(o, 1, 6);
  for (int d = 0; d < 2; d++)
    if (!full && w.input[d] < w.of[KERNEL][d]) /* there is no padding */
      w.input[d] = w.of[KERNEL][d];
  o->input = random_input(o, &w, inputs + between(o, 0, 1));
  o->weight = any(o, TH_SHAPE(rows, w.of[KERNEL][1], w.of[KERNEL][0]));
  o->bias = any(o, TH_SHAPE(outputs));
  o->table = any(o, TH_SHAPE(rows, 2));
  for (int64_t row = 0; row < rows; row++) {
    *THTest_(at)(o->table, 2 * row) = (real)(between(o, 0, inputs - 1) + TH_INDEX_BASE);
    *THTest_(at)(o->table, 2 * row + 1) = (real)(between(o, 0, outputs - 1) + TH_INDEX_BASE);
  }
  o->args[0] = (double)inputs;
  o->args[1] = (double)outputs;
  o->args[2] = (double)w.of[STRIDE][0];
  o->args[3] = (double)w.of[STRIDE][1];
}

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has no connection tables */

CALL(mapForward, THNN_(SpatialConvolutionMap_updateOutput)(NULL, o->input, o->output, o->weight,
                                                           o->bias, o->table, I2(0), I2(2)))
CALL(mapBackward,
     THNN_(SpatialConvolutionMap_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                  o->weight, o->bias, o->table, I2(0), I2(2)))
CALL(mapAccumulate,
     THNN_(SpatialConvolutionMap_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                    o->gradBias, o->table, I2(0), I2(2), o->scale))
static void mapRandom(Operands *o)
{
  random_map(o, 0);
}
static void THTest_(SpatialConvolutionMap)(void)
{
  static const Layer layer = {"SpatialConvolutionMap", mapForward,          mapBackward,
                              mapAccumulate,           .random = mapRandom, GOLDEN};
  check_layer(&layer);
}

CALL(fullMapForward,
     THNN_(SpatialFullConvolutionMap_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                   o->table, I2(0), I2(2)))
CALL(fullMapBackward,
     THNN_(SpatialFullConvolutionMap_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      o->weight, o->bias, o->table, I2(0), I2(2)))
CALL(fullMapAccumulate,
     THNN_(SpatialFullConvolutionMap_accGradParameters)(NULL, o->input, o->gradOutput,
                                                        o->gradWeight, o->gradBias, o->table, I2(0),
                                                        I2(2), o->scale))
static void fullMapRandom(Operands *o)
{
  random_map(o, 1);
}
static void THTest_(SpatialFullConvolutionMap)(void)
{
  static const Layer layer = {"SpatialFullConvolutionMap", fullMapForward,          fullMapBackward,
                              fullMapAccumulate,           .random = fullMapRandom, GOLDEN};
  check_layer(&layer);
}

#else
static void THTest_(SpatialConvolutionMap)(void)
{
}
static void THTest_(SpatialFullConvolutionMap)(void)
{
}
#endif

/* --- sequences ------------------------------------------------------------------------------- */

/* args: kW, dW, inputFrameSize, outputFrameSize */
CALL(temporalForward, THNN_(TemporalConvolution_updateOutput)(NULL, o->input, o->output, o->weight,
                                                              o->bias, I2(0), I2(2)))
CALL(temporalBackward, THNN_(TemporalConvolution_updateGradInput)(NULL, o->input, o->gradOutput,
                                                                  o->gradInput, o->weight, I2(0)))
CALL(temporalAccumulate,
     THNN_(TemporalConvolution_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                  o->gradBias, I2(0), o->scale))
static void temporalRandom(Operands *o)
{
  const int64_t kW = between(o, 1, 5), dW = between(o, 1, 6);
  const int64_t frame = one_in(o, 5) ? between(o, 31, 33) : between(o, 1, 4);
  const int64_t frames = between(o, kW, kW + 7), outputs = between(o, 1, one_in(o, 4) ? 20 : 4);
  o->args[0] = (double)kW;
  o->args[1] = (double)dW;
  o->args[2] = (double)frame;
  o->args[3] = (double)outputs;
  o->input = one_in(o, 3) ? any(o, TH_SHAPE(frames, frame))
                          : any(o, TH_SHAPE(between(o, 1, 3), frames, frame));
  o->weight = any(o, TH_SHAPE(outputs, kW * frame));
  o->bias = any(o, TH_SHAPE(outputs));
}
static void THTest_(TemporalConvolution)(void)
{
  static const Layer layer = {"TemporalConvolution", temporalForward,          temporalBackward,
                              temporalAccumulate,    .random = temporalRandom, GOLDEN};
  check_layer(&layer);
}

/* args: kW, dW, padW, featFirst */
CALL(rowForward,
     THNN_(TemporalRowConvolution_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                                o->buffer1, o->buffer2, I3(0), BOOL(3)))
CALL(rowBackward, THNN_(TemporalRowConvolution_updateGradInput)(NULL, o->input, o->gradOutput,
                                                                o->gradInput, o->weight, o->buffer1,
                                                                o->buffer2, I3(0), BOOL(3)))
CALL(rowAccumulate,
     THNN_(TemporalRowConvolution_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                     o->gradBias, o->buffer1, o->buffer2, I3(0),
                                                     BOOL(3), o->scale))
static void rowRandom(Operands *o)
{
  const Windows w = random_windows(o, 1, 0, 0);
  GIVE(o, &w, KERNEL, STRIDE, PAD);
  o->args[3] = one_in(o, 2);
  const int64_t features = between(o, 1, 4), k = w.of[KERNEL][0];
  const int64_t size[2] = {o->args[3] ? features : w.input[0], o->args[3] ? w.input[0] : features};
  o->input = one_in(o, 3) ? any(o, 2, size) : any(o, TH_SHAPE(between(o, 1, 3), size[0], size[1]));
  o->weight = one_in(o, 2) ? any(o, TH_SHAPE(features, k)) : any(o, TH_SHAPE(features, 1, k));
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(features));
}
static void THTest_(TemporalRowConvolution)(void)
{
  static const Layer layer = {"TemporalRowConvolution", rowForward, rowBackward, rowAccumulate,
                              .random = rowRandom,      GOLDEN};
  check_layer(&layer);
}

/* --- columns --------------------------------------------------------------------------------- */

static int64_t size_from_end(const THTensor *t, int d)
{
  return t->size[t->nDimension - d];
}

/* args: kH, kW, dH, dW, padH, padW, sH, sW */
CALL(toColumns, THNN_(Im2Col_updateOutput)(NULL, o->input, o->output, I2(0), I2(2), I2(4), I2(6)))
CALL(toColumnsBackward,
     THNN_(Im2Col_updateGradInput)(NULL, o->gradOutput, o->gradInput,
                                   (int)size_from_end(o->input, 2), (int)size_from_end(o->input, 1),
                                   I2(0), I2(2), I2(4), I2(6)))
static void toColumnsRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 1, 0);
  const int kinds[] = {KERNEL, DILATION, PAD, STRIDE};
  for (int k = 0; k < 8; k++)
    o->args[k] = (double)w.of[kinds[k / 2]][1 - k % 2];
  o->input = random_input(o, &w, between(o, 1, 3));
}
static void THTest_(Im2Col)(void)
{
  static const Layer layer = {"Im2Col", toColumns, toColumnsBackward, .random = toColumnsRandom,
                              GOLDEN};
  check_layer(&layer);
}

/* args: outputHeight, outputWidth, then as above */
CALL(fromColumns,
     THNN_(Col2Im_updateOutput)(NULL, o->input, o->output, I2(0), I2(2), I2(4), I2(6), I2(8)))
CALL(fromColumnsBackward,
     THNN_(Col2Im_updateGradInput)(NULL, o->gradOutput, o->gradInput, I2(2), I2(4), I2(6), I2(8)))
static void fromColumnsRandom(Operands *o)
{
  const Windows w = random_windows(o, 2, 1, 0);
  const int kinds[] = {KERNEL, DILATION, PAD, STRIDE};
  int64_t count = 1;
  for (int d = 0; d < 2; d++) {
    const int64_t reach = w.of[DILATION][d] * (w.of[KERNEL][d] - 1) + 1;
    count *= (w.input[d] + 2 * w.of[PAD][d] - reach) / w.of[STRIDE][d] + 1;
    o->args[d] = (double)w.input[1 - d];
  }
  for (int k = 0; k < 8; k++)
    o->args[2 + k] = (double)w.of[kinds[k / 2]][1 - k % 2];
  const int64_t depth = between(o, 1, 3) * w.of[KERNEL][0] * w.of[KERNEL][1];
  o->input = one_in(o, 3) ? any(o, TH_SHAPE(depth, count))
                          : any(o, TH_SHAPE(between(o, 1, 3), depth, count));
}
static void THTest_(Col2Im)(void)
{
  static const Layer layer = {"Col2Im", fromColumns, fromColumnsBackward,
                              .random = fromColumnsRandom, GOLDEN};
  check_layer(&layer);
}

/* --- larger ones ----------------------------------------------------------------------------- */

/* A convolution of volumes; sizes along T, H, W. */
typedef struct {
  int64_t batch, planes, outputs, in[3], out[3], k[3], step[3], pad[3], dilation[3], adjust[3];
} Volume;

/* The operands of a convolution of volumes, and the gradients that the obvious loops find. */
typedef struct {
  const real *xs, *vs, *gs;
  double *wantX, *wantV;
} VolumeValues;

/* Sizes from arguments in the order T, W, H. */
static void THTest_(setVolume)(Volume *v, Operands *o, const Windows *w)
{
  for (int d = 0; d < 3; d++) { /* T, H, W from arguments T, W, H */
    const int a = argument(w, d);
    v->in[d] = w->input[a] + (d == 2 ? between(o, 0, 20) : 0);
    v->k[d] = w->of[KERNEL][a], v->step[d] = w->of[STRIDE][a], v->pad[d] = w->of[PAD][a];
    v->dilation[d] = w->of[DILATION][a];
    const int64_t space = v->in[d] + 2 * v->pad[d] - v->dilation[d] * (v->k[d] - 1) - 1;
    v->out[d] = space / v->step[d] + 1;
    v->adjust[d] = space % v->step[d];
  }
}

/* The obvious loops: checks the output and adds up the gradients. */
static void THTest_(naiveVolume)(const Volume *v, const VolumeValues *w, THTensor *y, THTensor *b,
                                 double unit)
{
  for (ptrdiff_t at = 0; at < THTest_(count)(y); at++) {
    ptrdiff_t rest = at;
    int64_t p[3];
    for (int d = 2; d >= 0; d--) {
      p[d] = rest % v->out[d];
      rest /= v->out[d];
    }
    const int64_t output = rest % v->outputs, image = rest / v->outputs;
    double sum = *THTest_(at)(b, output);
    for (ptrdiff_t l = 0; l < v->planes * v->k[0] * v->k[1] * v->k[2]; l++) {
      const int64_t e[3] = {l / (v->k[1] * v->k[2]) % v->k[0], l / v->k[2] % v->k[1], l % v->k[2]};
      ptrdiff_t ix = image * v->planes + l / (v->k[0] * v->k[1] * v->k[2]);
      int inside = 1;
      for (int d = 0; d < 3; d++) {
        const int64_t position = p[d] * v->step[d] + e[d] * v->dilation[d] - v->pad[d];
        inside &= position >= 0 && position < v->in[d];
        ix = ix * v->in[d] + position;
      }
      if (!inside)
        continue;
      const ptrdiff_t iv = output * v->planes * v->k[0] * v->k[1] * v->k[2] + l;
      sum += (double)w->vs[iv] * (double)w->xs[ix];
      w->wantX[ix] += (double)w->vs[iv] * (double)w->gs[at];
      w->wantV[iv] += (double)w->xs[ix] * (double)w->gs[at];
    }
    CHECK_NEAR(*THTest_(at)(y, at), sum, unit * (10 + fabs(sum)));
  }
}

/* Volumes of more planes, positions and images than are computed together, against the obvious
 * loop; the full convolution of the same is the gradient. */
static void THTest_(volumeShapes)(void)
{
  th_random random = {th_seed()};
  Operands o = {.random = &random};
  for (int round = 0; round < 12; round++) {
    const Windows w = random_windows(&o, 3, 1, 0);
    GIVE(&o, &w, KERNEL, STRIDE, PAD, DILATION);
    const int64_t batch = between(&o, 1, 19), planes = between(&o, 1, 9),
                  outputs = between(&o, 1, 14);
    Volume u = {.batch = batch, .planes = planes, .outputs = outputs};
    THTest_(setVolume)(&u, &o, &w);
    const int64_t *in = u.in, *out = u.out, *k = u.k;
    THTensor *x = any(&o, TH_SHAPE(batch, planes, in[0], in[1], in[2]));
    THTensor *v = any(&o, TH_SHAPE(outputs, planes, k[0], k[1], k[2]));
    THTensor *g = any(&o, TH_SHAPE(batch, outputs, out[0], out[1], out[2]));
    THTensor *b = any(&o, TH_SHAPE(outputs));
    THTensor *y = THTensor_(new)(), *dx = THTensor_(new)(), *full = THTensor_(new)();
    THTensor *dv = THTensor_(newClone)(v);
    real *xs = THTest_(values)(x), *vs = THTest_(values)(v), *gs = THTest_(values)(g);
    const ptrdiff_t nx = THTest_(count)(x), nv = THTest_(count)(v);
    double *wantX = calloc((size_t)nx, sizeof(double)), *wantV = calloc((size_t)nv, sizeof(double));
    th_note("[%lld x %lld x %lld x %lld x %lld] to %lld, round %d, seed %llu", (long long)batch,
            (long long)planes, (long long)in[0], (long long)in[1], (long long)in[2],
            (long long)outputs, round, (unsigned long long)th_seed());
    o.input = x, o.weight = v, o.bias = b, o.output = y, o.gradOutput = g, o.gradInput = dx;
    o.gradWeight = dv, o.gradBias = NULL, o.scale = 1;
    dilatedVolumeForward(&o);
    dilatedVolumeBackward(&o);
    dilatedVolumeAccumulate(&o);
    THNN_(VolumetricFullDilatedConvolution_updateOutput)(NULL, g, full, v, NULL, NULL, NULL, I3A(k),
                                                         I3A(u.step), I3A(u.pad), I3A(u.dilation),
                                                         I3A(u.adjust));
    const double unit = sizeof(real) == 4 ? 1e-4 : 1e-12;
    const VolumeValues values = {xs, vs, gs, wantX, wantV};
    THTest_(naiveVolume)(&u, &values, y, b, unit);
    for (ptrdiff_t i = 0; i < nx; i++) {
      CHECK_NEAR(*THTest_(at)(dx, i), wantX[i], unit * (10 + fabs(wantX[i])));
      CHECK_NEAR(*THTest_(at)(full, i), wantX[i], unit * (10 + fabs(wantX[i])));
    }
    for (ptrdiff_t i = 0; i < nv; i++)
      CHECK_NEAR(*THTest_(at)(dv, i), vs[i] + wantV[i], 10 * unit * (10 + fabs(wantV[i])));
    free(xs), free(vs), free(gs), free(wantX), free(wantV);
    THTensor *all[] = {x, v, g, b, y, dx, full, dv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      THTensor_(free)(all[i]);
  }
}

/* --- the same bits for any number of threads ------------------------------------------------- */

/* Operands of a random function, whose batches grow with the seed alone. */
static void check_threads(const Layer *layer, uint64_t seed)
{
  const int threads = THGetNumThreads();
  real *first[4] = {NULL};
  for (int n = 1; n <= 4; n++) {
    th_random random = {seed};
    Operands o = {.random = &random, .scale = 0.5};
    layer->random(&o);
    o.output = THTensor_(new)();
    o.gradInput = THTensor_(new)();
    THSetNumThreads(n);
    layer->forward(&o);
    o.gradOutput = any(&o, o.output->nDimension, o.output->size);
    layer->backward(&o);
    if (layer->accumulate) {
      o.gradWeight = THTensor_(newClone)(o.weight);
      o.gradBias = o.bias ? THTensor_(newClone)(o.bias) : NULL;
      layer->accumulate(&o);
    }
    THTensor *results[] = {o.output, o.gradInput, o.gradWeight, o.gradBias};
    for (int i = 0; i < 4; i++)
      if (results[i]) {
        real *values = THTest_(values)(results[i]);
        if (n == 1)
          first[i] = values;
        else {
          CHECK(!memcmp(first[i], values, (size_t)THTest_(count)(results[i]) * sizeof(real)));
          free(values);
        }
      }
    layer_close(&o);
  }
  for (int i = 0; i < 4; i++)
    free(first[i]);
  THSetNumThreads(threads);
}

static const Layer threaded[] = {
    {"dilated", dilatedForward, dilatedBackward, dilatedAccumulate, .random = dilatedRandom},
    {"full", fullForward, fullBackward, fullAccumulate, .random = fullRandom},
    {"volume", volumeForward, volumeBackward, volumeAccumulate, .random = volumeRandom},
    {"depthWise", depthWiseForward, depthWiseBackward, depthWiseAccumulate,
     .random = depthWiseRandom},
    {"local", localForward, localBackward, localAccumulate, .random = localRandom},
#ifndef TH_TEMPLATE_DEVICE
    {"map", mapForward, mapBackward, mapAccumulate, .random = mapRandom},
    {"fullMap", fullMapForward, fullMapBackward, fullMapAccumulate, .random = fullMapRandom},
#endif
    {"temporal", temporalForward, temporalBackward, temporalAccumulate, .random = temporalRandom},
    {"row", rowForward, rowBackward, rowAccumulate, .random = rowRandom},
    {"fromColumns", fromColumns, fromColumnsBackward, .random = fromColumnsRandom},
};

static void THTest_(convolutionThreads)(void)
{
  THSetDeterministic(1);
  for (size_t i = 0; i < sizeof threaded / sizeof *threaded; i++)
    for (uint64_t round = 0; round < 5; round++) {
      th_note("%s, round %llu, seed %llu", threaded[i].name, (unsigned long long)round,
              (unsigned long long)th_seed());
      check_threads(&threaded[i], th_seed() + round);
    }
  THSetDeterministic(0);
}

/* --- errors ---------------------------------------------------------------------------------- */

#define DILATED(X, W, B, ...) \
  THNN_(SpatialDilatedConvolution_updateOutput)(NULL, X, y, W, B, NULL, NULL, __VA_ARGS__)
#define FULL(W, B, ...) \
  THNN_(SpatialFullConvolution_updateOutput)(NULL, x, y, W, B, NULL, NULL, __VA_ARGS__)
#define VOLUME(X, W, B, ...) \
  THNN_(VolumetricConvolutionMM_updateOutput)(NULL, X, y, W, B, NULL, NULL, __VA_ARGS__)
#define LOCAL(W, B, ...)                                                                      \
  THNN_(SpatialConvolutionLocal_updateOutput)(NULL, x, y, W, B, NULL, NULL, 2, 2, 1, 1, 0, 0, \
                                              __VA_ARGS__)
#define MAP(M, T, ...) \
  THNN_(SpatialConvolutionMap_updateOutput)(NULL, x, y, M, four, T, __VA_ARGS__)
#define TEMPORAL(X, W, B, ...) \
  THNN_(TemporalConvolution_updateOutput)(NULL, X, y, W, B, __VA_ARGS__)
#define ROW(X, W, B, ...) \
  THNN_(TemporalRowConvolution_updateOutput)(NULL, X, y, W, B, NULL, NULL, __VA_ARGS__)

/* Dilated and full convolutions of images. */
static void THTest_(wrongImages)(THTensor *x, THTensor *y, THTensor *w, THTensor *w3,
                                 THTensor *four, THTensor *five)
{
  CHECK_RAISES(2, "[4 x 3 x 2 x 2 x 2]", DILATED(w3, w, four, 2, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(0, "dilationW is 0", DILATED(x, w, four, 2, 2, 1, 1, 0, 0, 0, 1));
  CHECK_RAISES(0, "kH is 0", DILATED(x, w, four, 2, 0, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(0, "[2 x 3 x 6 x 5] is too small", DILATED(x, w, four, 2, 2, 1, 1, 0, 0, 5, 1));
  CHECK_RAISES(0, "[4 x 3 x 2 x 2]", DILATED(x, w, four, 3, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(0, "[5]", DILATED(x, w, five, 2, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(0, "[2 x 4 x 5 x 4]",
               THNN_(SpatialDilatedConvolution_updateGradInput)(NULL, x, x, y, w, NULL, 2, 2, 1, 1,
                                                                0, 0, 1, 1));
  CHECK_RAISES(0, "[2 x 4 x 5 x 4]",
               THNN_(SpatialDilatedConvolution_accGradParameters)(NULL, x, x, w, NULL, NULL, NULL,
                                                                  2, 2, 1, 1, 0, 0, 1, 1, 1));
  CHECK_RAISES(0, "[4 x 3 x 2 x 2]", FULL(w, NULL, 2, 2, 1, 1, 0, 0, 0, 0));
  CHECK_RAISES(0, "adjustment W is 2", FULL(w, NULL, 2, 2, 2, 2, 0, 0, 2, 0));
  CHECK_RAISES(0, "adjustment H is -1", FULL(w, NULL, 2, 2, 2, 2, 0, 0, 0, -1));
  CHECK_RAISES(0, "too small", FULL(w, NULL, 2, 2, 1, 1, 9, 9, 0, 0));
}

/* Wrong operands of convolutions of volumes, and of those whose weights differ from position to position. */
static void THTest_(wrongVolumes)(THTensor *x, THTensor *y, THTensor *v, THTensor *s, THTensor *w,
                                  THTensor *w3, THTensor *four, THTensor *five, THTensor *l)
{
  CHECK_RAISES(2, "[2 x 6 x 3]", VOLUME(s, w3, four, 2, 2, 2, 1, 1, 1, 0, 0, 0));
  CHECK_RAISES(0, "padT is -1", VOLUME(v, w3, four, 2, 2, 2, 1, 1, 1, -1, 0, 0));
  CHECK_RAISES(0, "dT is 0", VOLUME(v, w3, four, 2, 2, 2, 0, 1, 1, 0, 0, 0));
  CHECK_RAISES(0, "[4 x 3 x 2 x 2]", VOLUME(v, w, four, 2, 2, 2, 1, 1, 1, 0, 0, 0));
  CHECK_RAISES(4, "[4 x 3 x 2 x 2]",
               THNN_(VolumetricConvolution_updateOutput)(NULL, v, y, w, four, NULL, NULL, 1, 1, 1,
                                                         0, 0, 0));
  CHECK_RAISES(0, "[2 x 3 x 6 x 5]", LOCAL(l, NULL, 5, 6, 4, 6));
  CHECK_RAISES(0, "[4 x 3 x 2 x 2]", LOCAL(w, NULL, 5, 6, 4, 5));
  CHECK_RAISES(0, "[5]", LOCAL(l, five, 5, 6, 4, 5));
  CHECK_RAISES(0, "[2 x 2 x 5 x 4]",
               THNN_(SpatialConvolutionLocal_updateGradInput)(NULL, x, x, y, l, NULL, NULL, 2, 2, 1,
                                                              1, 0, 0, 5, 6, 4, 5));
}

/* Wrong operands of convolutions with a table of connections. */
#ifndef TH_TEMPLATE_DEVICE
static void THTest_(wrongMaps)(THTensor *x, THTensor *y, THTensor *w, THTensor *four,
                               THTensor *five, THTensor *m, THTensor *table)
{
  for (ptrdiff_t i = 0; i < 4; i++)
    *THTest_(at)(table, i) = TH_INDEX_BASE + 1;
  CHECK_RAISES(2, "4 planes", MAP(m, table, 4, 4, 1, 1));
  CHECK_RAISES(4, "[4 x 3 x 2 x 2]", MAP(w, table, 3, 4, 1, 1));
  CHECK_RAISES(0, "[5]", MAP(m, five, 3, 4, 1, 1));
  CHECK_RAISES(0, "dW is 0", MAP(m, table, 3, 4, 0, 1));
  CHECK_RAISES(0, "[4]", MAP(m, table, 3, 3, 1, 1));
  const double bad[] = {TH_INDEX_BASE - 1, TH_INDEX_BASE + 3, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    *THTest_(at)(table, 2) = (real)bad[i];
    CHECK_RAISES(0, "connTable connects plane", MAP(m, table, 3, 4, 1, 1));
    CHECK_RAISES(0, "connTable connects plane",
                 THNN_(SpatialFullConvolutionMap_updateOutput)(NULL, x, y, m, four, table, 3, 4, 1,
                                                               1));
  }
}
#endif

/* Wrong operands of convolutions of sequences. */
static void THTest_(wrongSequences)(THTensor *x, THTensor *y, THTensor *s, THTensor *four,
                                    THTensor *five, THTensor *m, THTensor *table, THTensor *ws)
{
  CHECK_RAISES(2, "[2 x 3 x 6 x 5]", TEMPORAL(x, ws, four, 3, 1, 3, 4));
  CHECK_RAISES(0, "[4 x 9]", TEMPORAL(s, ws, four, 2, 1, 3, 4));
  CHECK_RAISES(0, "[4 x 9]", TEMPORAL(s, ws, four, 3, 1, 3, 5));
  CHECK_RAISES(0, "[5]", TEMPORAL(s, ws, five, 3, 1, 3, 4));
  CHECK_RAISES(0, "shorter", TEMPORAL(s, ws, four, 7, 1, 3, 4));
  CHECK_RAISES(0, "dW is 0", TEMPORAL(s, ws, four, 3, 0, 3, 4));
  CHECK_RAISES(0, "[2 x 4 x 4]",
               THNN_(TemporalConvolution_updateGradInput)(NULL, s, s, y, ws, 3, 1));
  CHECK_RAISES(0, "[2 x 4 x 4]",
               THNN_(TemporalConvolution_accGradParameters)(NULL, s, m, ws, NULL, 3, 1, 1));
  CHECK_RAISES(2, "[2 x 3 x 6 x 5]", ROW(x, ws, NULL, 3, 1, 0, true));
  CHECK_RAISES(0, "[4 x 9]", ROW(s, ws, NULL, 3, 1, 0, false));
  CHECK_RAISES(0, "[2 x 6 x 3]",
               THNN_(TemporalRowConvolution_updateGradInput)(NULL, s, m, y, table, NULL, NULL, 2, 1,
                                                             0, false));
}

static void THTest_(convolutionErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 6, 5)),
           *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2));
  THTensor *v = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4, 6, 5)),
           *s = THTest_(tensor)(0, 2, TH_SHAPE(2, 6, 3));
  THTensor *w = THTest_(tensor)(0, 2, TH_SHAPE(4, 3, 2, 2)),
           *w3 = THTest_(tensor)(0, 2, TH_SHAPE(4, 3, 2, 2, 2));
  THTensor *four = THTest_(tensor)(0, 3, TH_SHAPE(4)), *five = THTest_(tensor)(0, 3, TH_SHAPE(5));
  THTensor *m = THTest_(tensor)(0, 3, TH_SHAPE(2, 2, 2)),
           *table = THTest_(tensor)(0, 3, TH_SHAPE(2, 2));
  THTensor *l = THTest_(tensor)(0, 3, TH_SHAPE(5, 4, 2, 3, 2, 2)),
           *ws = THTest_(tensor)(0, 3, TH_SHAPE(4, 9));
  WATCH(y);
  WATCH(w);
  WATCH(w3);
  WATCH(l);
  WATCH(ws);
  WATCH(m);
  THTest_(wrongImages)(x, y, w, w3, four, five);
  THTest_(wrongVolumes)(x, y, v, s, w, w3, four, five, l);
#ifndef TH_TEMPLATE_DEVICE
  THTest_(wrongMaps)(x, y, w, four, five, m, table);
#endif
  THTest_(wrongSequences)(x, y, s, four, five, m, table, ws);
  CHECK_RAISES(2, "[5]", THNN_(Im2Col_updateOutput)(NULL, five, y, 2, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(0, "too small", THNN_(Im2Col_updateOutput)(NULL, x, y, 7, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(2, "[2 x 6 x 3]",
               THNN_(Col2Im_updateOutput)(NULL, s, y, 4, 4, 2, 2, 1, 1, 0, 0, 1, 1));
  CHECK_RAISES(2, "[2 x 6 x 3]",
               THNN_(Im2Col_updateGradInput)(NULL, s, y, 4, 4, 3, 2, 1, 1, 0, 0, 1, 1));
  th_watch_check(1);
  th_watch_forget();
  THTensor *all[] = {x, y, v, s, w, w3, four, five, m, table, l, ws};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

TH_TESTS(THTest_(SpatialDilatedConvolution), THTest_(SpatialFullConvolution),
         THTest_(SpatialFullDilatedConvolution), THTest_(VolumetricConvolutionMM),
         THTest_(VolumetricConvolution), THTest_(VolumetricDilatedConvolution),
         THTest_(VolumetricFullConvolution), THTest_(VolumetricFullDilatedConvolution),
         THTest_(Groups), THTest_(SpatialDepthWiseConvolution), THTest_(SpatialConvolutionLocal),
         THTest_(SpatialConvolutionMap), THTest_(SpatialFullConvolutionMap),
         THTest_(TemporalConvolution), THTest_(TemporalRowConvolution), THTest_(Im2Col),
         THTest_(Col2Im), THTest_(volumeShapes), THTest_(convolutionThreads),
         THTest_(convolutionErrors))
