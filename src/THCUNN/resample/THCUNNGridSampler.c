/* The CUDA side of THNN's grid samplers. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/resample/GridSamplerLayers.h"

static THCUNNGrid THNN_(gridOf)(const THNN_(Sampler) * s)
{
  return (THCUNNGrid){.axes = s->axes,
                      .padding = s->padding,
                      .batch = s->batch,
                      .planes = s->planes,
                      .points = s->points,
                      .in = {s->in[0], s->in[1], s->in[2]},
                      .x = s->x,
                      .grid = s->grid,
                      .g = s->g,
                      .y = s->y,
                      .gradInput = s->gradInput,
                      .gradGrid = s->gradGrid,
                      .sums = s->buffers ? s->buffers : s->gradInput};
}

/* The gradients of input are sums, which are kept in float for Half. */
void THNN_(prepareSampler)(THNN_(Sampler) * s, int backward, THNN_(Call) * call)
{
  enum { WIDER = sizeof(accreal) / sizeof(real) };
  ptrdiff_t elements;
  if (!backward || WIDER == 1)
    return;
  if (__builtin_mul_overflow(s->batch * s->planes, s->plane * WIDER, &elements))
    THError("%lld planes of %lld elements are too many", (long long)s->planes, (long long)s->plane);
  s->buffers = THNN_(scratch)(call, elements);
}

void THNN_(sampleGrid)(THNN_(Sampler) * s)
{
  const THCUNNGrid grid = THNN_(gridOf)(s);
  TH_CONCAT_2(THCUNN_sampleGrid_, Real)(&grid, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(sampleGridBackward)(THNN_(Sampler) * s)
{
  const THCUNNGrid grid = THNN_(gridOf)(s);
  TH_CONCAT_2(THCUNN_sampleGridBackward_, Real)(&grid, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}
