/* Grid sampling of images and volumes, with linear interpolation. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "GridSamplerLayers.h"

static THNN_(Sampler) THNN_(sampler)(THTensor *input, THTensor *grid, int gridArgument, int axes,
                                     int padding_mode, int modeArgument)
{
  const int dims = axes + 2;
  THArgCheck(input->nDimension == dims, 2,
             "input has size %s, and has to be batch x planes x %sheight x width",
             THTensor_(sizeDesc)(input).str, axes == 3 ? "depth x " : "");
  THArgCheck(grid->nDimension == dims && grid->size[0] == input->size[0] &&
                 grid->size[dims - 1] == axes,
             gridArgument,
             "grid has size %s, for input of %s it has to be %lld x ... x %d, of %d dimensions",
             THTensor_(sizeDesc)(grid).str, THTensor_(sizeDesc)(input).str,
             (long long)input->size[0], axes, dims);
  THArgCheck(padding_mode >= THNN_ZEROS && padding_mode <= THNN_REFLECTION, modeArgument,
             "padding_mode is %d, and has to be 0 (zeros), 1 (border) or 2 (reflection)",
             padding_mode);
  const THNNPlanes p = THNNPlanes_of(dims, input->size, axes);
  THNN_(Sampler)
  s = {.axes = axes,
       .padding = padding_mode,
       .batch = input->size[0],
       .planes = input->size[1],
       .points = 1,
       .in = {p.in[0], p.in[1], p.in[2]},
       .plane = p.input,
       .wide = p.input > INT32_MAX / 4, /* so that indices beyond the image fit as well */
       .dims = dims,
       .size = {input->size[0], input->size[1]}};
  for (int a = 0; a < axes; a++) {
    s.size[2 + a] = grid->size[1 + a];
    s.points *= grid->size[1 + a];
  }
  s.blocks = (s.points + THNN_GRID_BLOCK - 1) / THNN_GRID_BLOCK;
  s.groups = (s.planes + THNN_GRID_GROUP - 1) / THNN_GRID_GROUP;
  THArgCheck(p.input > 0, 2, "input has size %s, images without elements",
             THTensor_(sizeDesc)(input).str);
  return s;
}

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

TH_DISPATCH(THNN_(GridKernel), THNN_(gridSampler))

/* Runs a kernel over count blocks or planes, each of which is worth cost elements. */
static void THNN_(runSampler)(int kernel, THNN_(Sampler) * s, ptrdiff_t count, ptrdiff_t cost)
{
  THParallel_for(count, THMax(1, TH_LOOP_GRAIN / THMax(1, cost)),
                 TH_DISPATCHED(THNN_(gridSampler))[kernel], s);
}

/* The transpose of a plane costs about as much as sampling a quarter as many points. */
static int THNN_(worthTransposing)(const THNN_(Sampler) * s)
{
  return s->planes >= THNN_GRID_MIN_PLANES && s->points >= s->plane / 4;
}

/* Scratch for each split: times transposed groups of planes, and tiles. */
static void THNN_(makeScratch)(THNN_(Sampler) * s, THNN_(Call) * call, int times)
{
  ptrdiff_t all;
  const ptrdiff_t cost = THNN_GRID_GROUP * (s->plane + 8 * s->points);
  s->splits = THParallel_threads(s->batch * s->groups, THMax(1, TH_LOOP_GRAIN / THMax(1, cost)));
  s->scratch = times * (s->plane + THNN_GRID_TILE) + 4 * THNN_GRID_TILE;
  if (__builtin_mul_overflow(s->scratch, THNN_GRID_GROUP, &s->scratch) ||
      __builtin_mul_overflow(s->scratch, s->splits, &all))
    THError("%lld planes of %lld elements are too many", (long long)s->planes, (long long)s->plane);
  s->buffers = THNN_(scratch)(call, all);
}

static void THNN_(makeParts)(THNN_(Sampler) * s, THNN_(Call) * call)
{
  ptrdiff_t all = s->batch * s->groups;
  if (__builtin_mul_overflow(all, s->points * s->axes, &all) ||
      __builtin_mul_overflow(all, (ptrdiff_t)(sizeof(accreal) / sizeof(real)), &all))
    THError("%lld planes at %lld points are too many", (long long)s->planes, (long long)s->points);
  s->parts = (accreal *)THNN_(scratch)(call, all);
}

/* Adds up the groups' parts in the order of the groups, whichever threads computed them; BLOCK
 * elements at a time, in vectors. */
static void THNN_(addParts)(const THNN_(Sampler) * s)
{
  enum { BLOCK = 64 };
  const ptrdiff_t count = s->points * s->axes;
  TH_PARALLEL_FOR (n, s->batch, THMax(1, TH_LOOP_GRAIN / THMax(1, count * s->groups)))
    for (ptrdiff_t from = 0; from < count; from += BLOCK) {
      const ptrdiff_t some = THMin(BLOCK, count - from);
      const accreal *part = s->parts + n * s->groups * count + from;
      real *to = s->gradGrid + n * count + from;
      accreal sum[BLOCK] = {0};
      for (int64_t group = 0; group < s->groups; group++, part += count)
#pragma omp simd
        for (ptrdiff_t i = 0; i < some; i++)
          sum[i] += part[i];
#pragma omp simd
      for (ptrdiff_t i = 0; i < some; i++)
        to[i] = (real)sum[i];
    }
}

void THNN_(prepareSampler)(THNN_(Sampler) * s, int backward, THNN_(Call) * call)
{
  if (!THNN_(worthTransposing)(s))
    return;
  THNN_(makeScratch)(s, call, backward ? 2 : 1);
  if (backward)
    THNN_(makeParts)(s, call);
}

void THNN_(sampleGrid)(THNN_(Sampler) * s)
{
  if (s->buffers)
    THNN_(runSampler)(THNN_GRID_GROUPS, s, s->splits, TH_LOOP_GRAIN);
  else
    THNN_(runSampler)(THNN_GRID_SAMPLE, s, s->batch * s->blocks, 8 * THNN_GRID_BLOCK * s->planes);
}

void THNN_(sampleGridBackward)(THNN_(Sampler) * s)
{
  if (s->buffers) {
    THNN_(runSampler)(THNN_GRID_GROUPS_BACKWARD, s, s->splits, TH_LOOP_GRAIN);
    THNN_(addParts)(s);
  } else {
    THNN_(runSampler)(THNN_GRID_INPUT, s, s->batch * s->planes, s->plane + 8 * s->points);
    THNN_(runSampler)(THNN_GRID_POINTS, s, s->batch * s->blocks, 8 * THNN_GRID_BLOCK * s->planes);
  }
}

#endif

static void THNN_(sample)(THTensor *input, THTensor *grid, THTensor *output, int axes,
                          int padding_mode)
{
  THNN_(Sampler) s = THNN_(sampler)(input, grid, 3, axes, padding_mode, 5);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  grid = THNN_(source)(&call, grid);
  THTensor *y = THNN_(result)(&call, output, s.dims, s.size);
  THNN_(prepareSampler)(&s, 0, &call);
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.grid = THTensor_(data)(grid);
  s.y = THTensor_(data)(y);
  THNN_(sampleGrid)(&s);
  THNN_(finish)(&call);
}

static void THNN_(sampleBackward)(THTensor *input, THTensor *gradInput, THTensor *grid,
                                  THTensor *gradGrid, THTensor *gradOutput, int axes,
                                  int padding_mode)
{
  THNN_(Sampler) s = THNN_(sampler)(input, grid, 4, axes, padding_mode, 7);
  int64_t inputSize[5], gridSize[5];
  memcpy(inputSize, input->size, (size_t)s.dims * sizeof *inputSize);
  memcpy(gridSize, grid->size, (size_t)s.dims * sizeof *gridSize);
  THArgCheck(THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, s.size, s.dims), 6,
             "gradOutput has size %s, for input of %s it has to be %s",
             THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
             _THSizeDesc(s.size, s.dims).str);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  grid = THNN_(source)(&call, grid);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *x = THNN_(result)(&call, gradInput, s.dims, inputSize);
  THTensor *p = THNN_(result)(&call, gradGrid, s.dims, gridSize);
  THNN_(prepareSampler)(&s, 1, &call);
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.grid = THTensor_(data)(grid);
  s.g = THTensor_(data)(gradOutput);
  s.gradInput = THTensor_(data)(x);
  s.gradGrid = THTensor_(data)(p);
  THNN_(sampleGridBackward)(&s);
  THNN_(finish)(&call);
}

void THNN_(SpatialGridSamplerBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                    THTensor *grid, THTensor *output,
                                                    int padding_mode)
{
  THNN_ENTER(state, input, grid, output);
  THNN_(sample)(input, grid, output, 2, padding_mode);
}

void THNN_(SpatialGridSamplerBilinear_updateGradInput)(THNNState *state, THTensor *input,
                                                       THTensor *gradInput, THTensor *grid,
                                                       THTensor *gradGrid, THTensor *gradOutput,
                                                       int padding_mode)
{
  THNN_ENTER(state, input, gradInput, grid, gradGrid, gradOutput);
  THNN_(sampleBackward)(input, gradInput, grid, gradGrid, gradOutput, 2, padding_mode);
}

void THNN_(VolumetricGridSamplerBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                       THTensor *grid, THTensor *output,
                                                       int padding_mode)
{
  THNN_ENTER(state, input, grid, output);
  THNN_(sample)(input, grid, output, 3, padding_mode);
}

void THNN_(VolumetricGridSamplerBilinear_updateGradInput)(THNNState *state, THTensor *input,
                                                          THTensor *gradInput, THTensor *grid,
                                                          THTensor *gradGrid, THTensor *gradOutput,
                                                          int padding_mode)
{
  THNN_ENTER(state, input, gradInput, grid, gradGrid, gradOutput);
  THNN_(sampleBackward)(input, gradInput, grid, gradGrid, gradOutput, 3, padding_mode);
}
