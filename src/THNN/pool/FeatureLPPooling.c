/* The norm of neighbouring features: (x1 ^ power + ... + xn ^ power) ^ (1 / power). */
#include "THNN/layer/Template.h"
#include "AvgPoolLayers.h"

/* A plane is features x positions of one image, which may have several dimensions.  argument and
 * power are the argument numbers of input and power. */
static THNNPlanes THNN_(features)(THTensor *input, int argument, int power, const THNNNorm *norm,
                                  bool batchMode)
{
  const int dims = input->nDimension;
  THArgCheck(dims >= 1 + batchMode && dims <= 3 + batchMode, argument,
             "input has size %s, and has to be %sfeatures and up to two dimensions more",
             THTensor_(sizeDesc)(input).str, batchMode ? "a batch, " : "");
  THArgCheck(norm->power > 0, power, "power is %g, and has to be positive", (double)norm->power);
  THArgCheck(norm->width > 0, power + 1, "width is %d, and has to be at least 1", norm->width);
  THArgCheck(norm->stride > 0, power + 2, "stride is %d, and has to be at least 1", norm->stride);
  THNNPlanes p = THNNPlanes_of(dims, input->size, dims - batchMode);
  const int64_t count = input->size[batchMode];
  THArgCheck(count >= norm->width, argument, "input has size %s, fewer features than width, %d",
             THTensor_(sizeDesc)(input).str, norm->width);
  p.in[2] = p.out[2] = p.input / count;
  p.in[1] = count;
  p.out[1] = (count - norm->width) / norm->stride + 1;
  p.in[0] = p.out[0] = 1;
  memcpy(p.outSize, p.inSize, sizeof p.inSize);
  p.outSize[batchMode] = p.out[1];
  p.output = p.out[1] * p.out[2];
  return p;
}

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

static accreal THNN_(raise)(accreal x, accreal power)
{
  return power == 1 ? x : power == 2 ? x * x : pow(x, power);
}

static void THNN_(normPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *row)
{
  const THNNPlanes *p = loop->planes;
  const THNNNorm *norm = loop->layer;
  const ptrdiff_t positions = p->in[2];
  accreal *sum = row;
  for (ptrdiff_t f = 0; f < p->out[1]; f++) {
    const real *x = loop->x + plane * p->input + f * norm->stride * positions;
    real *y = loop->y + plane * p->output + f * positions;
    for (ptrdiff_t i = 0; i < positions; i++)
      sum[i] = 0;
    for (ptrdiff_t k = 0; k < norm->width; k++, x += positions)
      for (ptrdiff_t i = 0; i < positions; i++)
        sum[i] += THNN_(raise)((accreal)x[i], norm->power);
    for (ptrdiff_t i = 0; i < positions; i++)
      y[i] = (real)(norm->power == 2 ? sqrt(sum[i]) : THNN_(raise)(sum[i], 1 / norm->power));
  }
}

/* The derivative by x is (x / output) ^ (power - 1).  The other sources are input and output. */
static void THNN_(normPlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  const THNNNorm *norm = loop->layer;
  const ptrdiff_t positions = p->in[2];
  real *gradInput = loop->y + plane * p->input;
  memset(gradInput, 0, (size_t)p->input * sizeof *gradInput);
  for (ptrdiff_t f = 0; f < p->out[1]; f++) {
    const real *g = loop->x + plane * p->output + f * positions;
    const real *y = loop->w[1] + plane * p->output + f * positions;
    for (ptrdiff_t k = 0; k < norm->width; k++) {
      const ptrdiff_t at = (f * norm->stride + k) * positions;
      const real *x = loop->w[0] + plane * p->input + at;
      for (ptrdiff_t i = 0; i < positions; i++) {
        const accreal slope = norm->power == 1 ? 1
                              : y[i] == 0
                                  ? 0
                                  : THNN_(raise)((accreal)x[i] / (accreal)y[i], norm->power - 1);
        gradInput[at + i] += (real)((accreal)g[i] * slope);
      }
    }
  }
}

void THNN_(normPlanes)(const THNNPlanes *p, const THNNNorm *norm, THTensor *input, THTensor *output)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(normPlane),
          .layer = norm,
          .source = input,
          .result = output,
          .cost = 8 * p->output * norm->width,
          .scratch = (size_t)p->in[2] * sizeof(accreal)};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(normPlanesBackward)(const THNNPlanes *p, const THNNNorm *norm, THTensor *gradOutput,
                               THTensor *gradInput, THTensor *input, THTensor *output)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(normPlaneBackward),
          .layer = norm,
          .backward = 1,
          .source = gradOutput,
          .result = gradInput,
          .with = {input, output},
          .cost = 8 * p->output * norm->width};
  THNN_(runPlanes)(p, &loop);
}

#endif

void THNN_(FeatureLPPooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                          accreal power, int width, int stride, bool batchMode)
{
  THNN_ENTER(state, input, output);
  const THNNNorm norm = {power, width, stride};
  const THNNPlanes p = THNN_(features)(input, 2, 4, &norm, batchMode);
  THNN_(normPlanes)(&p, &norm, input, output);
}

void THNN_(FeatureLPPooling_updateGradInput)(THNNState *state, THTensor *gradOutput,
                                             THTensor *input, THTensor *output, THTensor *gradInput,
                                             accreal power, int width, int stride, bool batchMode)
{
  THNN_ENTER(state, gradOutput, input, output, gradInput);
  const THNNNorm norm = {power, width, stride};
  const THNNPlanes p = THNN_(features)(input, 3, 6, &norm, batchMode);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_CHECK_SHAPE(gradOutput, output);
  THNN_(normPlanesBackward)(&p, &norm, gradOutput, gradInput, input, output);
}
