/* Upsampling, padding and grid sampling of images. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../layer/layers.h"

#define GOLDEN .file = "pooling.txt"

/* An input with that many axes of at least that length, in a batch or not (batch < 0: either). */
static THTensor *random_image(Operands *o, int axes, int64_t least, int batch)
{
  int64_t size[5];
  if (batch < 0)
    batch = !one_in(o, 3);
  if (batch)
    size[0] = between(o, 1, 3);
  size[batch] = between(o, 1, 3);
  for (int d = 0; d < axes; d++)
    size[batch + 1 + d] = between(o, least, axes == 3 ? 4 : 6);
  return any(o, 1 + batch + axes, size);
}

/* --- nearest --------------------------------------------------------------------------------- */

/* args: scale_factor */
CALL(nearest1Forward,
     THNN_(TemporalUpSamplingNearest_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(nearest1Backward,
     THNN_(TemporalUpSamplingNearest_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      INT(0)))
static void nearest1Random(Operands *o)
{
  o->args[0] = (double)between(o, 1, 4);
  o->input = random_image(o, 1, 1, -1);
}
static void THTest_(TemporalUpSamplingNearest)(void)
{
  static const Layer layer = {"TemporalUpSamplingNearest", nearest1Forward, nearest1Backward,
                              .random = nearest1Random, GOLDEN};
  check_layer(&layer);
}

CALL(nearest2Forward,
     THNN_(SpatialUpSamplingNearest_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(nearest2Backward,
     THNN_(SpatialUpSamplingNearest_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                     INT(0)))
static void nearest2Random(Operands *o)
{
  o->args[0] = (double)between(o, 1, 3);
  o->input = random_image(o, 2, 1, -1);
}
static void THTest_(SpatialUpSamplingNearest)(void)
{
  static const Layer layer = {"SpatialUpSamplingNearest", nearest2Forward, nearest2Backward,
                              .random = nearest2Random, GOLDEN};
  check_layer(&layer);
}

CALL(nearest3Forward,
     THNN_(VolumetricUpSamplingNearest_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(nearest3Backward,
     THNN_(VolumetricUpSamplingNearest_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                        INT(0)))
static void nearest3Random(Operands *o)
{
  o->args[0] = (double)between(o, 1, 3);
  o->input = random_image(o, 3, 1, -1);
}
static void THTest_(VolumetricUpSamplingNearest)(void)
{
  static const Layer layer = {"VolumetricUpSamplingNearest", nearest3Forward, nearest3Backward,
                              .random = nearest3Random, GOLDEN};
  check_layer(&layer);
}

/* --- linear ---------------------------------------------------------------------------------- */

#define SIZE(D) ((int)o->input->size[D])

/* args: osizeW */
CALL(linear1Forward,
     THNN_(TemporalUpSamplingLinear_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(linear1Backward,
     THNN_(TemporalUpSamplingLinear_updateGradInput)(NULL, o->gradOutput, o->gradInput, SIZE(0),
                                                     SIZE(1), SIZE(2), INT(0)))
static void linear1Random(Operands *o)
{
  o->args[0] = (double)between(o, 1, 12);
  o->input = random_image(o, 1, 1, 1);
}
static void THTest_(TemporalUpSamplingLinear)(void)
{
  static const Layer layer = {"TemporalUpSamplingLinear", linear1Forward, linear1Backward,
                              .random = linear1Random, GOLDEN};
  check_layer(&layer);
}

/* args: osizeH, osizeW */
CALL(linear2Forward,
     THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, o->input, o->output, INT(0), INT(1)))
CALL(linear2Backward,
     THNN_(SpatialUpSamplingBilinear_updateGradInput)(NULL, o->gradOutput, o->gradInput, SIZE(0),
                                                      SIZE(1), SIZE(2), SIZE(3), INT(0), INT(1)))
static void linear2Random(Operands *o)
{
  for (int i = 0; i < 2; i++)
    o->args[i] = (double)between(o, 1, 8);
  o->input = random_image(o, 2, 1, 1);
}
static void THTest_(SpatialUpSamplingBilinear)(void)
{
  static const Layer layer = {"SpatialUpSamplingBilinear", linear2Forward, linear2Backward,
                              .random = linear2Random, GOLDEN};
  check_layer(&layer);
}

/* args: osizeT, osizeH, osizeW */
CALL(linear3Forward, THNN_(VolumetricUpSamplingTrilinear_updateOutput)(NULL, o->input, o->output,
                                                                       INT(0), INT(1), INT(2)))
CALL(linear3Backward,
     THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(NULL, o->gradOutput, o->gradInput,
                                                          SIZE(0), SIZE(1), SIZE(2), SIZE(3),
                                                          SIZE(4), INT(0), INT(1), INT(2)))
static void linear3Random(Operands *o)
{
  for (int i = 0; i < 3; i++)
    o->args[i] = (double)between(o, 1, 5);
  o->input = random_image(o, 3, 1, 1);
}
static void THTest_(VolumetricUpSamplingTrilinear)(void)
{
  static const Layer layer = {"VolumetricUpSamplingTrilinear", linear3Forward, linear3Backward,
                              .random = linear3Random, GOLDEN};
  check_layer(&layer);
}

/* --- grids ----------------------------------------------------------------------------------- */

/* args: padding_mode */
CALL(grid2Forward,
     THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, o->input, o->grid, o->output, INT(0)))
CALL(grid2Backward,
     THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, o->input, o->gradInput, o->grid,
                                                       o->gradGrid, o->gradOutput, INT(0)))
static void grid2Random(Operands *o)
{
  o->args[0] = (double)between(o, 0, 2);
  o->input = random_image(o, 2, 1, 1);
  o->grid = any(o, TH_SHAPE(SIZE(0), between(o, 1, 5), between(o, 1, 5), 2));
}
static void THTest_(SpatialGridSamplerBilinear)(void)
{
  static const Layer layer = {"SpatialGridSamplerBilinear", grid2Forward, grid2Backward,
                              .random = grid2Random, GOLDEN};
  check_layer(&layer);
}

CALL(grid3Forward,
     THNN_(VolumetricGridSamplerBilinear_updateOutput)(NULL, o->input, o->grid, o->output, INT(0)))
CALL(grid3Backward,
     THNN_(VolumetricGridSamplerBilinear_updateGradInput)(NULL, o->input, o->gradInput, o->grid,
                                                          o->gradGrid, o->gradOutput, INT(0)))
static void grid3Random(Operands *o)
{
  o->args[0] = (double)between(o, 0, 2);
  o->input = random_image(o, 3, 1, 1);
  o->grid = any(o, TH_SHAPE(SIZE(0), between(o, 1, 3), between(o, 1, 3), between(o, 1, 3), 3));
}
static void THTest_(VolumetricGridSamplerBilinear)(void)
{
  static const Layer layer = {"VolumetricGridSamplerBilinear", grid3Forward, grid3Backward,
                              .random = grid3Random, GOLDEN};
  check_layer(&layer);
}

/* Points at infinity or NaN read only zeros, the border, or the first element. */
static void THTest_(gridFarAway)(void)
{
  static const real far[] = {(real)INFINITY, -(real)INFINITY, (real)1e30, (real)NAN};
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(1, 2, 3, 4)), *y = THTensor_(new)();
  THTensor *grid = THTest_(tensor)(0, 2, TH_SHAPE(1, 1, 4, 2)), *g = THTensor_(new)();
  THTensor *dx = THTensor_(new)(), *dg = THTensor_(new)();
  for (int i = 0; i < 4; i++) {
    *THTest_(at)(grid, 2 * i) = far[i];
    *THTest_(at)(grid, 2 * i + 1) = -1; /* the first row */
  }
  for (int mode = 0; mode < 3; mode++) {
    THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, grid, y, mode);
    for (int i = 0; i < 8; i++) {
      const real *row = THTest_(at)(x, i / 4 * 12);
      if (mode == 0)
        CHECK_EQ(*THTest_(at)(y, i), 0);
      else if (mode == 1)
        CHECK_EQ(*THTest_(at)(y, i), row[far[i % 4] > 0 ? 3 : 0]);
      else if (i % 4 != 2)
        CHECK_EQ(*THTest_(at)(y, i), row[far[i % 4] > 0 ? 3 : 0]);
    }
    THTensor_(resizeAs)(g, y);
    THTensor_(fill)(g, 1);
    THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, dx, grid, dg, g, mode);
    for (int i = 0; i < 8; i += 2)
      if (i / 2 != 2)
        CHECK_EQ(*THTest_(at)(dg, i), 0);
  }
  THTensor *all[] = {x, y, grid, g, dx, dg};
  for (int i = 0; i < 6; i++)
    THTensor_(free)(all[i]);
}

static void grid_forward(THTensor *x, THTensor *grid, THTensor *y, int mode)
{
  if (x->nDimension == 4)
    THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, grid, y, mode);
  else
    THNN_(VolumetricGridSamplerBilinear_updateOutput)(NULL, x, grid, y, mode);
}

static void grid_backward(THTensor *x, THTensor *dx, THTensor *grid, THTensor *dg, THTensor *g,
                          int mode)
{
  if (x->nDimension == 4)
    THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, dx, grid, dg, g, mode);
  else
    THNN_(VolumetricGridSamplerBilinear_updateGradInput)(NULL, x, dx, grid, dg, g, mode);
}

/* Coordinates from about -1.2 to 1.2; some hit elements and borders exactly, one is NaN. */
static THTensor *grid_points(int dims, const int64_t *size)
{
  THTensor *grid = THTest_(tensor)(0, 1, dims, size);
  for (ptrdiff_t i = 0; i < THTest_(count)(grid); i++) {
    const double number = 1.2 * sin(3.7 * (double)i);
    *THTest_(at)(grid, i) = (real)(i % 7 == 3 ? (double)(i % 5) / 2 - 1 : number);
  }
  *THTest_(at)(grid, 4) = (real)NAN;
  return grid;
}

/* Planes computed together have the same bits as each plane by itself, and the gradient of the grid
 * is the sum of the planes' gradients. */
static void grid_planes(int dims, const int64_t *size, int gridDims, const int64_t *gridSize,
                        int mode, int special)
{
  const int64_t planes = size[1];
  int64_t outSize[5] = {size[0], planes};
  memcpy(outSize + 2, gridSize + 1, (size_t)(dims - 2) * sizeof *outSize);
  THTensor *x = THTest_(tensor)(0, 1, dims, size), *grid = grid_points(gridDims, gridSize);
  THTensor *g = THTest_(tensor)(0, 1, dims, outSize);
  for (ptrdiff_t i = 0; i < THTest_(count)(x); i++)
    *THTest_(at)(x, i) = (real)cos(1.3 * (double)i);
  for (ptrdiff_t i = 0; i < THTest_(count)(g); i++)
    *THTest_(at)(g, i) = (real)sin(2.1 * (double)i);
  if (special) {
    *THTest_(at)(x, 0) = (real)INFINITY;
    *THTest_(at)(x, THTest_(count)(x) / 2) = (real)NAN;
    *THTest_(at)(g, THTest_(count)(g) / 3) = -(real)INFINITY;
  }
  THTensor *y = THTensor_(new)(), *dx = THTensor_(new)(), *dg = THTensor_(new)();
  THTensor *y1 = THTensor_(new)(), *dx1 = THTensor_(new)(), *dg1 = THTensor_(new)();
  grid_forward(x, grid, y, mode);
  grid_backward(x, dx, grid, dg, g, mode);
  const ptrdiff_t numbers = THTest_(count)(grid);
  double *sum = calloc((size_t)numbers, sizeof *sum), *most = calloc((size_t)numbers, sizeof *most);
  for (int64_t plane = 0; plane < planes; plane++) {
    THTensor *xs = THTensor_(newNarrow)(x, 1, plane, 1), *gs = THTensor_(newNarrow)(g, 1, plane, 1);
    THTensor *ys = THTensor_(newNarrow)(y, 1, plane, 1);
    THTensor *dxs = THTensor_(newNarrow)(dx, 1, plane, 1);
    grid_forward(xs, grid, y1, mode);
    grid_backward(xs, dx1, grid, dg1, gs, mode);
    for (ptrdiff_t i = 0; i < THTest_(count)(y1); i++)
      CHECK_EQ(*THTest_(at)(ys, i), *THTest_(at)(y1, i));
    for (ptrdiff_t i = 0; i < THTest_(count)(dx1); i++)
      CHECK_EQ(*THTest_(at)(dxs, i), *THTest_(at)(dx1, i));
    for (ptrdiff_t i = 0; i < numbers; i++) {
      sum[i] += (double)*THTest_(at)(dg1, i);
      most[i] += fabs((double)*THTest_(at)(dg1, i));
    }
    THTensor *all[] = {xs, gs, ys, dxs};
    for (int i = 0; i < 4; i++)
      THTensor_(free)(all[i]);
  }
  const double unit = sizeof(real) == 4 ? 6e-8 : 1.2e-16;
  for (ptrdiff_t i = 0; i < numbers; i++) {
    const double got = (double)*THTest_(at)(dg, i);
    if (isfinite(sum[i]))
      CHECK(fabs(got - sum[i]) <= 40 * unit * most[i]);
    else
      CHECK(isnan(sum[i]) ? isnan(got) : got == sum[i]);
  }
  free(sum);
  free(most);
  THTensor *all[] = {x, grid, g, y, dx, dg, y1, dx1, dg1};
  for (int i = 0; i < 9; i++)
    THTensor_(free)(all[i]);
}

static void THTest_(gridPlanes)(void)
{
  static const int64_t planes[] = {6, 16, 17, 37};
  for (int mode = 0; mode < 3; mode++) {
    for (int i = 0; i < 4; i++) {
      grid_planes(TH_SHAPE(2, planes[i], 7, 9), TH_SHAPE(2, 11, 13, 2), mode, 0);
      grid_planes(TH_SHAPE(2, planes[i], 3, 4, 5), TH_SHAPE(2, 3, 5, 7, 3), mode, 0);
    }
    grid_planes(TH_SHAPE(1, 18, 16, 16), TH_SHAPE(1, 20, 20, 2), mode, 1);
    grid_planes(TH_SHAPE(1, 18, 4, 4, 4), TH_SHAPE(1, 4, 4, 4, 3), mode, 1);
    grid_planes(TH_SHAPE(2, 16, 1, 1), TH_SHAPE(2, 3, 2, 2), mode, 0);
    grid_planes(TH_SHAPE(1, 9, 40, 40), TH_SHAPE(1, 2, 3, 2), mode, 0); /* few points */
  }
}

/* The value of an image at a point, by the definition; elements outside, or with weight 0, do not
 * count. */
static double value_at(const real *x, int64_t height, int64_t width, real across, real down)
{
  const real at[2] = {(down + 1) / 2 * (real)(height - 1), (across + 1) / 2 * (real)(width - 1)};
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    const double low[2] = {floor((double)at[0]), floor((double)at[1])};
    const double i = low[0] + k / 2, j = low[1] + k % 2;
    const double weight = (1 - fabs((double)at[0] - i)) * (1 - fabs((double)at[1] - j));
    if (weight != 0 && i >= 0 && j >= 0 && i < (double)height && j < (double)width)
      sum += weight * (double)x[(int64_t)i * width + (int64_t)j];
  }
  return sum;
}

/* Many points, in few planes and in many, against the definition. */
static void THTest_(gridValues)(void)
{
  static const int64_t planes[] = {1, 3, 9, 37};
  enum { HEIGHT = 9, WIDTH = 70, POINTS = 75 * 61 };
  for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
    const int64_t count = 2 * planes[k], size = HEIGHT * WIDTH;
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, planes[k], HEIGHT, WIDTH));
    THTensor *grid = grid_points(TH_SHAPE(2, 75, 61, 2)), *y = THTensor_(new)();
    for (ptrdiff_t i = 0; i < count * size; i++)
      *THTest_(at)(x, i) = (real)cos(1.3 * (double)i);
    *THTest_(at)(x, (count - 1) * size + size / 2) = (real)INFINITY;
    THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, grid, y, 0);
    for (int64_t plane = 0; plane < count; plane++)
      for (int64_t i = 0; i < POINTS; i++) {
        const real *at = THTest_(at)(grid, 2 * (plane / planes[k] * POINTS + i));
        const double got = (double)*THTest_(at)(y, plane * POINTS + i);
        if (isnan(at[0]) || isnan(at[1]))
          CHECK_EQ(got, 0);
        else
          CHECK_NEAR(got, value_at(THTest_(at)(x, plane * size), HEIGHT, WIDTH, at[0], at[1]),
                     sizeof(real) == 4 ? 1e-5 : 1e-13);
      }
    THTensor *all[] = {x, grid, y};
    for (int i = 0; i < 3; i++)
      THTensor_(free)(all[i]);
  }
}

/* --- padding --------------------------------------------------------------------------------- */

/* args: pad_left, pad_right, and top and bottom, and front and back: of each axis, the last first.
 * Reflection is less than the size; negative replication leaves an element or more. */
static void random_padding(Operands *o, int axes, int reflects)
{
  o->input = random_image(o, axes, reflects ? 1 : 3, -1);
  for (int i = 0; i < 2 * axes; i++) {
    const int64_t size = o->input->size[o->input->nDimension - 1 - i / 2];
    o->args[i] = (double)(reflects ? between(o, 0, size - 1) : between(o, -1, 4));
  }
}

CALL(reflect1Forward,
     THNN_(TemporalReflectionPadding_updateOutput)(NULL, o->input, o->output, INT(0), INT(1)))
CALL(reflect1Backward,
     THNN_(TemporalReflectionPadding_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      INT(0), INT(1)))
static void reflect1Random(Operands *o)
{
  random_padding(o, 1, 1);
}
static void THTest_(TemporalReflectionPadding)(void)
{
  static const Layer layer = {"TemporalReflectionPadding", reflect1Forward, reflect1Backward,
                              .random = reflect1Random, GOLDEN};
  check_layer(&layer);
}

#define PADDING2 INT(0), INT(1), INT(2), INT(3)
CALL(reflect2Forward,
     THNN_(SpatialReflectionPadding_updateOutput)(NULL, o->input, o->output, PADDING2))
CALL(reflect2Backward,
     THNN_(SpatialReflectionPadding_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                     PADDING2))
/* In Torch7, negative padding crops. */
static void reflect2Random(Operands *o)
{
  random_padding(o, 2, 1);
#ifdef TH_COMPAT_TORCH7
  for (int i = 0; i < 4; i += 2) {
    const int64_t size = o->input->size[o->input->nDimension - 1 - i / 2];
    if (between(o, 0, 1))
      o->args[i] = (double)between(o, 1 - size, 0);
    if (between(o, 0, 1)) /* leaves an element after the cut before */
      o->args[i + 1] = (double)between(o, 1 - size - THMin(INT(i), 0), 0);
  }
#endif
}
static void THTest_(SpatialReflectionPadding)(void)
{
  static const Layer layer = {"SpatialReflectionPadding", reflect2Forward, reflect2Backward,
                              .random = reflect2Random, GOLDEN};
  check_layer(&layer);
}

CALL(replicate1Forward,
     THNN_(TemporalReplicationPadding_updateOutput)(NULL, o->input, o->output, INT(0), INT(1)))
CALL(replicate1Backward,
     THNN_(TemporalReplicationPadding_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                       INT(0), INT(1)))
static void replicate1Random(Operands *o)
{
  random_padding(o, 1, 0);
}
static void THTest_(TemporalReplicationPadding)(void)
{
  static const Layer layer = {"TemporalReplicationPadding", replicate1Forward, replicate1Backward,
                              .random = replicate1Random, GOLDEN};
  check_layer(&layer);
}

CALL(replicate2Forward,
     THNN_(SpatialReplicationPadding_updateOutput)(NULL, o->input, o->output, PADDING2))
CALL(replicate2Backward,
     THNN_(SpatialReplicationPadding_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      PADDING2))
static void replicate2Random(Operands *o)
{
  random_padding(o, 2, 0);
}
static void THTest_(SpatialReplicationPadding)(void)
{
  static const Layer layer = {"SpatialReplicationPadding", replicate2Forward, replicate2Backward,
                              .random = replicate2Random, GOLDEN};
  check_layer(&layer);
}

#define PADDING3 INT(0), INT(1), INT(2), INT(3), INT(4), INT(5)
CALL(replicate3Forward,
     THNN_(VolumetricReplicationPadding_updateOutput)(NULL, o->input, o->output, PADDING3))
CALL(replicate3Backward,
     THNN_(VolumetricReplicationPadding_updateGradInput)(NULL, o->input, o->gradOutput,
                                                         o->gradInput, PADDING3))
static void replicate3Random(Operands *o)
{
  random_padding(o, 3, 0);
}
static void THTest_(VolumetricReplicationPadding)(void)
{
  static const Layer layer = {"VolumetricReplicationPadding", replicate3Forward, replicate3Backward,
                              .random = replicate3Random, GOLDEN};
  check_layer(&layer);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Upsampling. */
static void THTest_(wrongUpSampling)(THTensor *x, THTensor *one, THTensor *two, THTensor *v,
                                     THTensor *y)
{
  CHECK_RAISES(2, "[5 x 4]", THNN_(SpatialUpSamplingNearest_updateOutput)(NULL, two, y, 2));
  CHECK_RAISES(2, "[7]", THNN_(TemporalUpSamplingNearest_updateOutput)(NULL, one, y, 2));
  CHECK_RAISES(4, "scale_factor is 0", THNN_(SpatialUpSamplingNearest_updateOutput)(NULL, x, y, 0));
  CHECK_RAISES(5, "scale_factor is -1",
               THNN_(VolumetricUpSamplingNearest_updateGradInput)(NULL, x, x, y, -1));
  CHECK_RAISES(0, "[2 x 3 x 8 x 10]",
               THNN_(SpatialUpSamplingNearest_updateGradInput)(NULL, x, x, y, 2));
  CHECK_RAISES(2, "[3 x 4 x 5]", THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, v, y, 6, 6));
  CHECK_RAISES(0, "[2 x 3 x 0 x 6]",
               THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, x, y, 0, 6));
  CHECK_RAISES(0, "[2 x 3 x 4 x 5]",
               THNN_(SpatialUpSamplingBilinear_updateGradInput)(NULL, x, y, 2, 3, 2, 2, 4, 6));
  CHECK_RAISES(0, "[2 x 3 x 0]",
               THNN_(TemporalUpSamplingLinear_updateGradInput)(NULL, v, y, 2, 3, 0, 5));
  CHECK_RAISES(0, "[3 x -1 x 4]",
               THNN_(TemporalUpSamplingLinear_updateGradInput)(NULL, v, y, 3, -1, 4, 5));
}

/* Grid sampling. */
static void THTest_(wrongGrids)(THTensor *x, THTensor *two, THTensor *v, THTensor *grid,
                                THTensor *y, THTensor *z)
{
  CHECK_RAISES(2, "[3 x 4 x 5]",
               THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, v, grid, y, 0));
  CHECK_RAISES(3, "[5 x 4]", THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, two, y, 0));
  CHECK_RAISES(3, "[2 x 3 x 4 x 5]",
               THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, x, y, 0));
  CHECK_RAISES(5, "padding_mode is 3",
               THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, grid, y, 3));
  CHECK_RAISES(4, "[5 x 4]",
               THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, y, two, z, x, 0));
  CHECK_RAISES(6, "[2 x 3 x 4 x 5]",
               THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, y, grid, z, x, 0));
  CHECK_RAISES(7, "padding_mode is -1",
               THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, y, grid, z, x, -1));
  CHECK_RAISES(2, "[2 x 3 x 4 x 5]",
               THNN_(VolumetricGridSamplerBilinear_updateOutput)(NULL, x, grid, y, 0));
}

/* Padding. */
static void THTest_(wrongPadding)(THTensor *x, THTensor *two, THTensor *y)
{
  CHECK_RAISES(2, "[5 x 4]",
               THNN_(SpatialReflectionPadding_updateOutput)(NULL, two, y, 1, 1, 1, 1));
  CHECK_RAISES(0, "5 of 5", THNN_(SpatialReflectionPadding_updateOutput)(NULL, x, y, 5, 0, 0, 0));
  CHECK_RAISES(0, "4 of 4", THNN_(SpatialReflectionPadding_updateOutput)(NULL, x, y, 0, 0, 0, 4));
#ifdef TH_COMPAT_TORCH7
  CHECK_RAISES(0, "nothing is left",
               THNN_(SpatialReflectionPadding_updateOutput)(NULL, x, y, 3, -5, 0, 0));
#else
  CHECK_RAISES(0, "-1 of 5", THNN_(SpatialReflectionPadding_updateOutput)(NULL, x, y, 0, -1, 0, 0));
#endif
  CHECK_RAISES(0, "4 of 4",
               THNN_(TemporalReflectionPadding_updateGradInput)(NULL, two, two, y, 4, 0));
  CHECK_RAISES(0, "[2 x 3 x 4 x 5]",
               THNN_(SpatialReplicationPadding_updateOutput)(NULL, x, y, -3, -2, 0, 0));
  CHECK_RAISES(0, "nothing is left",
               THNN_(TemporalReplicationPadding_updateOutput)(NULL, two, y, -4, 7));
  CHECK_RAISES(0, "[2 x 3 x 6 x 7]",
               THNN_(SpatialReplicationPadding_updateGradInput)(NULL, x, x, y, 1, 1, 1, 1));
  CHECK_RAISES(0, "[2 x 5 x 6 x 5]",
               THNN_(VolumetricReplicationPadding_updateGradInput)(NULL, x, x, y, 0, 0, 1, 1, 1,
                                                                   1));
}

static void THTest_(resamplingErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4, 5)),
           *one = THTest_(tensor)(0, 1, TH_SHAPE(7));
  THTensor *two = THTest_(tensor)(0, 1, TH_SHAPE(5, 4)),
           *v = THTest_(tensor)(0, 1, TH_SHAPE(3, 4, 5));
  THTensor *grid = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 3, 2));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2)), *z = THTensor_(newClone)(y);
  WATCH(y);
  WATCH(z);

  THTest_(wrongUpSampling)(x, one, two, v, y);
  THTest_(wrongGrids)(x, two, v, grid, y, z);
  THTest_(wrongPadding)(x, two, y);
  th_watch_check(1);
  th_watch_forget();
  THTensor *all[] = {x, one, two, v, grid, y, z};
  for (int i = 0; i < 7; i++)
    THTensor_(free)(all[i]);
}

/* --- the same bits for any number of threads ------------------------------------------------- */

static void THTest_(resamplingThreads)(void)
{
  enum { RESULTS = 11 };
  const int threads = THGetNumThreads();
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(5, 3, 40, 41));
  THTensor *many = THTest_(tensor)(0, 1, TH_SHAPE(2, 40, 20, 21));
  THTensor *grid = THTest_(tensor)(0, 2, TH_SHAPE(5, 30, 33, 2));
  THTensor *points = THTensor_(newNarrow)(grid, 0, 0, 2);
  THTensor *g = THTest_(tensor)(0, 3, TH_SHAPE(5, 3, 30, 33));
  THTensor *gs = THTest_(tensor)(0, 4, TH_SHAPE(2, 40, 30, 33));
  THIndexTensor *index = THIndexTensor_(new)();
  real *first[RESULTS];
  for (ptrdiff_t i = 0; i < THTest_(count)(grid); i++)
    *THTest_(at)(grid, i) = (real)sin((double)i);
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    THTensor *r[RESULTS];
    for (int i = 0; i < RESULTS; i++)
      r[i] = THTensor_(new)();
    THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, x, grid, r[0], 0);
    THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, x, r[1], grid, r[2], g, 0);
    THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, x, r[3], 63, 70);
    THNN_(SpatialUpSamplingBilinear_updateGradInput)(NULL, g, r[4], 5, 3, 11, 17, 30, 33);
    THNN_(SpatialAveragePooling_updateOutput)(NULL, x, r[5], 3, 3, 1, 1, 1, 1, false, true);
    THNN_(SpatialMaxPooling_updateOutput)(NULL, x, r[6], index, 3, 3, 1, 1, 1, 1, false);
    THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, x, r[7], index, 3, 3, 1, 1, 1, 1, false);
    THNN_(SpatialGridSamplerBilinear_updateOutput)(NULL, many, points, r[8], 0);
    THNN_(SpatialGridSamplerBilinear_updateGradInput)(NULL, many, r[9], points, r[10], gs, 0);
    for (int i = 0; i < RESULTS; i++) {
      if (n == 1)
        first[i] = THTest_(storageValues)(r[i]);
      CHECK(!memcmp(first[i], r[i]->storage->data, (size_t)THTest_(count)(r[i]) * sizeof(real)));
      THTensor_(free)(r[i]);
    }
  }
  for (int i = 0; i < RESULTS; i++)
    free(first[i]);
  THSetNumThreads(threads);
  THIndexTensor_(free)(index);
  THTensor *all[] = {x, many, grid, points, g, gs};
  for (int i = 0; i < 6; i++)
    THTensor_(free)(all[i]);
}

TH_TESTS(THTest_(TemporalUpSamplingNearest), THTest_(SpatialUpSamplingNearest),
         THTest_(VolumetricUpSamplingNearest), THTest_(TemporalUpSamplingLinear),
         THTest_(SpatialUpSamplingBilinear), THTest_(VolumetricUpSamplingTrilinear),
         THTest_(SpatialGridSamplerBilinear), THTest_(VolumetricGridSamplerBilinear),
         THTest_(gridFarAway), THTest_(gridPlanes), THTest_(gridValues),
         THTest_(TemporalReflectionPadding), THTest_(SpatialReflectionPadding),
         THTest_(TemporalReplicationPadding), THTest_(SpatialReplicationPadding),
         THTest_(VolumetricReplicationPadding), THTest_(resamplingErrors),
         THTest_(resamplingThreads))
