/* Regions of images, each cut into cells that are sampled (He, Mask R-CNN, 2017).  Everything is computed
 * in Double. */
#include <math.h>

#include "../Runs.h"
#include "../Detection.h"
#include "TH/core/THTeam.h"

/* So many points of a cell along one axis are no region that a network means. */
enum { MOST_POINTS = 1 << 12 };

typedef struct Regions {
  int64_t channels, made, height, width, rows, columns, ratio; /* channels of images, of cells */
  double scale, offset;
  bool isMax, isPositionSensitive;
  const double *images, *corners;
  const int64_t *which; /* image of each region */
  double *cells;
} Regions;

/* A region along one axis: its first point, the size of a cell, and points in a cell. */
typedef struct Span {
  double start, cell;
  int64_t points;
} Span;

static Span span_of(const Regions *r, double first, double last, int64_t cells)
{
  const double start = first * r->scale - r->offset;
  double size = last * r->scale - r->offset - start;
  if (r->offset == 0)
    size = fmax(size, 1);
  const double cell = size / (double)cells;
  return (Span){start, cell, r->ratio > 0 ? r->ratio : (int64_t)fmax(0, fmin(ceil(cell), 1e9))};
}

/* The two neighbours of a position along an axis and the weight of the second; false outside. */
static bool neighbours(double at, int64_t size, int64_t *low, int64_t *high, double *weight)
{
  if (!(at >= -1 && at <= (double)size))
    return false;
  at = fmax(at, 0);
  *low = THMin((int64_t)at, size - 1);
  *high = THMin(*low + 1, size - 1);
  *weight = *low == size - 1 ? 0 : at - (double)*low;
  return true;
}

/* Adds a point to the value of a cell, or keeps the largest of its weighted pixels. */
static double with_point(const Regions *r, const double *plane, double y, double x, double value)
{
  int64_t top, bottom, left, right;
  double down, across;
  if (!neighbours(y, r->height, &top, &bottom, &down) ||
      !neighbours(x, r->width, &left, &right, &across))
    return r->isMax ? fmax(value, 0) : value;
  const double parts[] = {(1 - down) * (1 - across) * plane[top * r->width + left],
                          (1 - down) * across * plane[top * r->width + right],
                          down * (1 - across) * plane[bottom * r->width + left],
                          down * across * plane[bottom * r->width + right]};
  if (!r->isMax)
    return value + parts[0] + parts[1] + parts[2] + parts[3];
  return fmax(value, fmax(fmax(parts[0], parts[1]), fmax(parts[2], parts[3])));
}

static double cell_at(const Regions *r, const double *plane, Span down, Span across, int64_t row,
                      int64_t column)
{
  const int64_t count = down.points * across.points;
  double value = r->isMax && count > 0 ? -INFINITY : 0;
  for (int64_t i = 0; i < down.points; i++)
    for (int64_t j = 0; j < across.points; j++) {
      const double y = ((double)i + 0.5) / (double)down.points + (double)row,
                   x = ((double)j + 0.5) / (double)across.points + (double)column;
      value =
          with_point(r, plane, down.start + y * down.cell, across.start + x * across.cell, value);
    }
  return r->isMax ? value : value / (double)(r->isPositionSensitive ? count : THMax(count, 1));
}

static void fill_regions(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Regions *const r = context;
  for (ptrdiff_t k = begin; k < end; k++) {
    const double *const c = r->corners + 4 * k;
    const Span across = span_of(r, c[0], c[2], r->columns), down = span_of(r, c[1], c[3], r->rows);
    const double *const image = r->images + r->which[k] * r->channels * r->height * r->width;
    double *to = r->cells + k * r->made * r->rows * r->columns;
    for (int64_t channel = 0; channel < r->made; channel++)
      for (int64_t row = 0; row < r->rows; row++)
        for (int64_t column = 0; column < r->columns; column++) {
          const int64_t from =
              r->isPositionSensitive ? (channel * r->rows + row) * r->columns + column : channel;
          *to++ = cell_at(r, image + from * r->height * r->width, down, across, row, column);
        }
  }
}

/* Raises unless the regions are of images that there are, and of sizes that can be sampled. */
static void check_regions(const at_graphNode *node, const Regions *r, int64_t count, int64_t images)
{
  for (int64_t k = 0; k < count; k++) {
    const double *const v = r->corners + 4 * k;
    const Span across = span_of(r, v[0], v[2], r->columns), down = span_of(r, v[1], v[3], r->rows);
    if (r->which[k] < 0 || r->which[k] >= images)
      at_nodeFails(node, "region %lld is of image %lld, of %lld", (long long)k,
                   (long long)r->which[k], (long long)images);
    if (!isfinite(across.start + across.cell + down.start + down.cell) ||
        across.points > MOST_POINTS || down.points > MOST_POINTS)
      at_nodeFails(node, "region %lld, (%g, %g) to (%g, %g), is too large", (long long)k, v[0],
                   v[1], v[2], v[3]);
  }
}

at_tensor *at_onnxPlain(const at_onnxCall *c, at_tensor *t, at_scalar_type type)
{
  at_tensor *const made = at_contiguous(at_to(t, at_cpuType(type)));
  if (!at_defined(made))
    AT_ONNX_FAILS(c, "it failed");
  return made;
}

int64_t at_cellChannels(const at_graphNode *node, const at_tensor *x, int64_t rows, int64_t columns)
{
  const int64_t channels = at_dim(x) == 4 ? at_size(x, 1) : 0;
  if (rows < 1 || columns < 1 || channels < 1 || rows > channels || columns > channels / rows ||
      channels % (rows * columns) != 0)
    at_nodeFails(node, "images of size %s have no channels for each of %lld x %lld cells",
                 at_sizeDesc(at_sizes(x)).str, (long long)rows, (long long)columns);
  return channels / (rows * columns);
}

at_tensor *at_sampledRegions(const at_graphNode *node, at_tensor *x, at_tensor *corners,
                             at_tensor *which, const at_cellsWanted *wanted)
{
  Regions r = {.rows = wanted->rows,
               .columns = wanted->columns,
               .ratio = wanted->ratio,
               .scale = wanted->scale,
               .offset = wanted->offset,
               .isMax = wanted->isMax,
               .isPositionSensitive = wanted->isPositionSensitive};
  const int64_t count = at_dim(corners) == 2 ? at_size(corners, 0) : -1;
  if (at_dim(x) != 4 || count < 0 || at_size(corners, 1) != 4 || at_numel(which) != count ||
      at_size(x, 2) < 1 || at_size(x, 3) < 1 || r.rows < 1 || r.columns < 1 ||
      r.ratio > MOST_POINTS)
    at_nodeFails(node,
                 "images of size %s, regions of %s and %lld of their images, %lld x %lld cells",
                 at_sizeDesc(at_sizes(x)).str, at_sizeDesc(at_sizes(corners)).str,
                 (long long)at_numel(which), (long long)r.rows, (long long)r.columns);
  r.channels = r.made = at_size(x, 1);
  if (r.isPositionSensitive)
    r.made = at_cellChannels(node, x, r.rows, r.columns);
  r.height = at_size(x, 2);
  r.width = at_size(x, 3);
  at_tensor *const made =
      at_empty(AT_SHAPE(count, r.made, r.rows, r.columns), .type = at_cpuType(AT_DOUBLE));
  at_tensor *const pixels = at_contiguous(at_to(x, at_cpuType(AT_DOUBLE))),
                   *const points = at_contiguous(at_to(corners, at_cpuType(AT_DOUBLE))),
                   *const images = at_contiguous(at_to(which, at_cpuType(AT_LONG)));
  if (!at_defined(made) || !at_defined(pixels) || !at_defined(points) || !at_defined(images))
    return at_undefined();
  r.images = at_hostData(pixels);
  r.corners = at_hostData(points);
  r.which = at_hostData(images);
  r.cells = at_hostData(made);
  check_regions(node, &r, count, at_size(x, 0));
  if (at_numel(made) > 0)
    THParallel_for(count, 1, fill_regions, &r);
  return at_to(made, x->type);
}

/* Before version 16 of the operators there was no half pixel. */
void at_runRoiAlign(at_onnxCall *c)
{
  const bool isOld = ((const at_onnxHow *)c->node->how)->row->since < 16;
  const char *const how =
      at_onnxText(c, "coordinate_transformation_mode", isOld ? "output_half_pixel" : "half_pixel");
  const at_cellsWanted wanted = {.rows = at_onnxInt(c, "output_height", 1),
                                 .columns = at_onnxInt(c, "output_width", 1),
                                 .ratio = at_onnxInt(c, "sampling_ratio", 0),
                                 .scale = at_onnxFloat(c, "spatial_scale", 1),
                                 .offset = strcmp(how, "half_pixel") ? 0 : 0.5,
                                 .isMax = !strcmp(at_onnxText(c, "mode", "avg"), "max")};
  at_onnxGive(c, 0,
              at_sampledRegions(c->node, at_onnxInput(c, 0), at_onnxInput(c, 1), at_onnxInput(c, 2),
                                &wanted));
}
