/* The largest pixels of regions that are cut into cells of whole pixels (Girshick, Fast R-CNN, 2015). */
#include <math.h>

#include "../Runs.h"
#include "TH/core/THTeam.h"

typedef struct Pooling {
  int64_t images, channels, height, width, rows, columns;
  double scale;
  const double *pixels, *rois; /* a region: its image, then x and y of two corners */
  double *cells;
} Pooling;

/* A region along one axis: its first pixel, and pixels in a cell. */
typedef struct Span {
  double start, cell;
} Span;

static Span span_of(const Pooling *p, double first, double last, int64_t cells)
{
  const double start = round(first * p->scale), end = round(last * p->scale);
  return (Span){start, fmax(end - start + 1, 1) / (double)cells};
}

static int64_t inside(double at, int64_t size)
{
  return (int64_t)fmin(fmax(at, 0), (double)size);
}

/* The largest pixel of a cell, 0 if it has none. */
static double largest_in(const Pooling *p, const double *plane, Span down, Span across, int64_t i,
                         int64_t j)
{
  const int64_t top = inside(floor((double)i * down.cell) + down.start, p->height),
                bottom = inside(ceil((double)(i + 1) * down.cell) + down.start, p->height),
                left = inside(floor((double)j * across.cell) + across.start, p->width),
                right = inside(ceil((double)(j + 1) * across.cell) + across.start, p->width);
  double most = top < bottom && left < right ? -INFINITY : 0;
  for (int64_t y = top; y < bottom; y++)
    for (int64_t x = left; x < right; x++)
      most = fmax(most, plane[y * p->width + x]);
  return most;
}

static void fill_regions(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Pooling *const p = context;
  for (ptrdiff_t k = begin; k < end; k++) {
    const double *const roi = p->rois + 5 * k;
    const Span across = span_of(p, roi[1], roi[3], p->columns),
               down = span_of(p, roi[2], roi[4], p->rows);
    double *to = p->cells + k * p->channels * p->rows * p->columns;
    for (int64_t channel = 0; channel < p->channels; channel++) {
      const double *const plane =
          p->pixels + ((int64_t)roi[0] * p->channels + channel) * p->height * p->width;
      for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++)
          *to++ = largest_in(p, plane, down, across, i, j);
    }
  }
}

static void check_regions(const at_onnxCall *c, const Pooling *p, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    const double *const v = p->rois + 5 * k;
    if (!(v[0] >= 0 && v[0] < (double)p->images) || !isfinite(v[1] + v[2] + v[3] + v[4]))
      AT_ONNX_FAILS(c, "region %lld is (%g, %g) to (%g, %g) of image %g, of %lld", (long long)k,
                    v[1], v[2], v[3], v[4], v[0], (long long)p->images);
  }
}

void at_runMaxRoiPool(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const rois = at_onnxInput(c, 1);
  const at_onnxList cells = at_onnxInts(c, "pooled_shape");
  const int64_t count = at_dim(rois) == 2 && at_size(rois, 1) == 5 ? at_size(rois, 0) : -1;
  if (at_dim(x) != 4 || count < 0 || cells.count != 2 || cells.data[0] < 1 || cells.data[1] < 1)
    AT_ONNX_FAILS(c, "images of size %s, regions of size %s, and %d sizes of cells",
                  at_sizeDesc(at_sizes(x)).str, at_sizeDesc(at_sizes(rois)).str, cells.count);
  Pooling p = {.images = at_size(x, 0),
               .channels = at_size(x, 1),
               .height = at_size(x, 2),
               .width = at_size(x, 3),
               .rows = cells.data[0],
               .columns = cells.data[1],
               .scale = at_onnxFloat(c, "spatial_scale", 1)};
  at_tensor *const made =
      at_empty(AT_SHAPE(count, p.channels, p.rows, p.columns), .type = at_cpuType(AT_DOUBLE));
  if (!at_defined(made))
    AT_ONNX_FAILS(c, "it failed");
  p.pixels = at_hostData(at_onnxPlain(c, x, AT_DOUBLE));
  p.rois = at_hostData(at_onnxPlain(c, rois, AT_DOUBLE));
  p.cells = at_hostData(made);
  check_regions(c, &p, count);
  if (at_numel(made) > 0)
    THParallel_for(count, 1, fill_regions, &p);
  at_onnxGive(c, 0, at_to(made, x->type));
}
