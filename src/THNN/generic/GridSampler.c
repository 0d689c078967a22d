/* Images and volumes at the points of a grid, interpolated linearly.
 *
 * A point lies between 4 places of an image or 8 of a volume, its corners; what those are and what
 * they weigh is found for a block of points, and then used for every plane. */
#include "THNNTemplate.h"

enum { ZEROS, BORDER, REFLECTION };
enum { BLOCK = 64, CORNERS = 8 };

typedef struct {
  int axes;                      /* 2 or 3 */
  int padding;                   /* mode */
  int64_t batch, planes, points; /* points of one image's grid */
  int64_t in[3];                 /* depth, height and width of input */
  int64_t plane;                 /* elements of it */
  int dims;
  int64_t size[5]; /* of output */
  const real *x, *grid, *g;
  real *y, *gradInput, *gradGrid;
} THNN_(Sampler);

typedef struct {
  int64_t at[CORNERS][BLOCK]; /* in a plane; 0 where the corner is outside, which counts as 0 */
  real weight[CORNERS][BLOCK];
  int8_t inside[CORNERS][BLOCK];
  real part[3][2][BLOCK]; /* of both places along an axis, which multiply to the weight, */
  real slope[3][BLOCK];   /* and of the place by the grid's number */
} THNN_(Corners);

/* --- corners --------------------------------------------------------------------------------- */

/* The place of a grid's number along an axis, from 0 to last, and its derivative. */
static real THNN_(place)(real number, int64_t last, int padding, real *slope)
{
  const real scale = (real)last / 2;
  real at = (number + 1) * scale;
  *slope = scale;
  if (padding == REFLECTION && last > 0 && isfinite(at)) {
    const real times = floor(fabs(at) / (real)last); /* how often it was reflected, from 0 on */
    const real rest = fabs(at) - times * (real)last;
    if (at < 0)
      *slope = -*slope;
    if (fmod(times, 2) != 0)
      *slope = -*slope;
    at = fmod(times, 2) != 0 ? (real)last - rest : rest;
  }
  if (padding != ZEROS && !(at > 0 && at < (real)last)) {
    *slope = 0;
    at = at > 0 ? (real)last : 0; /* NaN is at 0 */
  }
  return at;
}

/* Of points first ... first + count of image n. */
static void THNN_(corners)(const THNN_(Sampler) * s, int64_t n, int64_t first, int count,
                           THNN_(Corners) * c)
{
  for (int i = 0; i < count; i++) {
    const real *number = s->grid + (n * s->points + first + i) * s->axes;
    int64_t low[3] = {0, 0, 0};
    for (int a = 3 - s->axes; a < 3; a++) {
      const int64_t last = s->in[a] - 1;
      const real at = THNN_(place)(number[2 - a], last, s->padding, &c->slope[a][i]);
      /* Both places are outside: any such place will do. */
      const int far = !(at > -1 && at < (real)last + 1);
      const real floored = far ? -2 : floor(at);
      low[a] = (int64_t)floored;
      c->part[a][1][i] = far ? 0 : at - floored;
      c->part[a][0][i] = 1 - c->part[a][1][i];
    }
    for (int k = 0; k < 1 << s->axes; k++) {
      real weight = 1;
      int64_t where = 0;
      int inside = 1;
      for (int a = 3 - s->axes; a < 3; a++) {
        const int second = k >> (2 - a) & 1;
        const int64_t place = low[a] + second;
        inside &= place >= 0 && place < s->in[a];
        where = where * s->in[a] + place;
        weight *= c->part[a][second][i];
      }
      c->inside[k][i] = (int8_t)inside;
      c->at[k][i] = inside ? where : 0;
      c->weight[k][i] = inside ? weight : 0;
    }
  }
}

/* --- forward --------------------------------------------------------------------------------- */

/* Blocks of points of all images. */
static void THNN_(sampleBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = context;
  const ptrdiff_t blocks = (s->points + BLOCK - 1) / BLOCK;
  THNN_(Corners) c;
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t n = b / blocks, first = b % blocks * BLOCK;
    const int count = (int)THMin(BLOCK, s->points - first);
    THNN_(corners)(s, n, first, count, &c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane;
      real *y = s->y + plane * s->points + first;
      for (int i = 0; i < count; i++)
        y[i] = 0;
      for (int k = 0; k < 1 << s->axes; k++)
        for (int i = 0; i < count; i++)
          y[i] += c.weight[k][i] != 0 ? c.weight[k][i] * x[c.at[k][i]] : 0;
    }
  }
}

/* --- backward -------------------------------------------------------------------------------- */

/* The gradient of planes of all images, each by one thread, points in order. */
static void THNN_(samplePlanesBack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = context;
  THNN_(Corners) c;
  memset(s->gradInput + begin * s->plane, 0,
         (size_t)((end - begin) * s->plane) * sizeof *s->gradInput);
  for (ptrdiff_t from = begin, to; from < end; from = to) {
    const int64_t n = from / s->planes;
    to = THMin(end, (n + 1) * s->planes);
    for (int64_t first = 0; first < s->points; first += BLOCK) {
      const int count = (int)THMin(BLOCK, s->points - first);
      THNN_(corners)(s, n, first, count, &c);
      for (int64_t plane = from; plane < to; plane++) {
        real *y = s->gradInput + plane * s->plane;
        const real *g = s->g + plane * s->points + first;
        for (int k = 0; k < 1 << s->axes; k++)
          for (int i = 0; i < count; i++)
            if (c.weight[k][i] != 0)
              y[c.at[k][i]] += c.weight[k][i] * g[i];
      }
    }
  }
}

/* The gradient of blocks of points of all images. */
static void THNN_(sampleBlocksBack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = context;
  const ptrdiff_t blocks = (s->points + BLOCK - 1) / BLOCK;
  THNN_(Corners) c;
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t n = b / blocks, first = b % blocks * BLOCK;
    const int count = (int)THMin(BLOCK, s->points - first);
    accreal sum[3][BLOCK] = {{0}};
    THNN_(corners)(s, n, first, count, &c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane, *g = s->g + plane * s->points + first;
      for (int k = 0; k < 1 << s->axes; k++)
        for (int i = 0; i < count; i++) {
          if (!c.inside[k][i])
            continue;
          const accreal value = (accreal)x[c.at[k][i]] * (accreal)g[i];
          for (int a = 3 - s->axes; a < 3; a++) {
            accreal others = k >> (2 - a) & 1 ? 1 : -1;
            for (int other = 3 - s->axes; other < 3; other++)
              if (other != a)
                others *= (accreal)c.part[other][k >> (2 - other) & 1][i];
            sum[a][i] += value * others;
          }
        }
    }
    for (int i = 0; i < count; i++)
      for (int a = 3 - s->axes; a < 3; a++)
        s->gradGrid[(n * s->points + first + i) * s->axes + 2 - a] =
            (real)(sum[a][i] * (accreal)c.slope[a][i]);
  }
}

/* --- the layers ------------------------------------------------------------------------------ */

static THNN_(Sampler) THNN_(sampler)(THTensor *input, THTensor *grid, int gridArgument, int axes,
                                     int padding_mode, int modeArgument)
{
  const int dims = axes + 2;
  THArgCheck(input->nDimension == dims, 2,
             "input has size %s, and has to be batch x planes x %sheight x width",
             THTensor_(sizeDesc)(input).str, axes == 3 ? "depth x " : "");
  THArgCheck(
      grid->nDimension == dims && grid->size[0] == input->size[0] && grid->size[dims - 1] == axes,
      gridArgument,
      "grid has size %s, for input of %s it has to be %lld x ... x %d, of %d dimensions",
      THTensor_(sizeDesc)(grid).str, THTensor_(sizeDesc)(input).str, (long long)input->size[0],
      axes, dims);
  THArgCheck(padding_mode >= ZEROS && padding_mode <= REFLECTION, modeArgument,
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
       .dims = dims,
       .size = {input->size[0], input->size[1]}};
  for (int a = 0; a < axes; a++) {
    s.size[2 + a] = grid->size[1 + a];
    s.points *= grid->size[1 + a];
  }
  THArgCheck(p.input > 0, 2, "input has size %s, images without elements",
             THTensor_(sizeDesc)(input).str);
  return s;
}

static ptrdiff_t THNN_(sampleCost)(const THNN_(Sampler) * s)
{
  return (ptrdiff_t)8 * BLOCK * (s->planes + 4);
}

static void THNN_(sample)(THTensor *input, THTensor *grid, THTensor *output, int axes,
                          int padding_mode)
{
  THNN_(Sampler) s = THNN_(sampler)(input, grid, 3, axes, padding_mode, 5);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  grid = THNN_(source)(&call, grid);
  THTensor *y = THNN_(result)(&call, output, s.dims, s.size);
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.grid = THTensor_(data)(grid);
  s.y = THTensor_(data)(y);
  THParallel_for(s.batch * ((s.points + BLOCK - 1) / BLOCK),
                 THMax(1, TH_LOOP_GRAIN / THNN_(sampleCost)(&s)), THNN_(sampleBlocks), &s);
  THNN_(finish)(&call);
}

static void THNN_(sampleBack)(THTensor *input, THTensor *gradInput, THTensor *grid,
                              THTensor *gradGrid, THTensor *gradOutput, int axes, int padding_mode)
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
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.grid = THTensor_(data)(grid);
  s.g = THTensor_(data)(gradOutput);
  s.gradInput = THTensor_(data)(x);
  s.gradGrid = THTensor_(data)(p);
  THParallel_for(s.batch * s.planes, THMax(1, TH_LOOP_GRAIN / THMax(1, s.plane + 8 * s.points)),
                 THNN_(samplePlanesBack), &s);
  THParallel_for(s.batch * ((s.points + BLOCK - 1) / BLOCK),
                 THMax(1, TH_LOOP_GRAIN / THNN_(sampleCost)(&s)), THNN_(sampleBlocksBack), &s);
  THNN_(finish)(&call);
}

void THNN_(SpatialGridSamplerBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                    THTensor *grid, THTensor *output,
                                                    int padding_mode)
{
  THNN_(sample)(input, grid, output, 2, padding_mode);
}

void THNN_(SpatialGridSamplerBilinear_updateGradInput)(THNNState *state, THTensor *input,
                                                       THTensor *gradInput, THTensor *grid,
                                                       THTensor *gradGrid, THTensor *gradOutput,
                                                       int padding_mode)
{
  THNN_(sampleBack)(input, gradInput, grid, gradGrid, gradOutput, 2, padding_mode);
}

void THNN_(VolumetricGridSamplerBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                       THTensor *grid, THTensor *output,
                                                       int padding_mode)
{
  THNN_(sample)(input, grid, output, 3, padding_mode);
}

void THNN_(VolumetricGridSamplerBilinear_updateGradInput)(THNNState *state, THTensor *input,
                                                          THTensor *gradInput, THTensor *grid,
                                                          THTensor *gradGrid, THTensor *gradOutput,
                                                          int padding_mode)
{
  THNN_(sampleBack)(input, gradInput, grid, gradGrid, gradOutput, 3, padding_mode);
}
