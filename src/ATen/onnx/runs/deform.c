/* Convolutions of images whose taps are moved by offsets (Dai and others, Deformable Convolutional
 * Networks, 2017).  A tap that lies between pixels is interpolated; outside of the image all is 0.
 * Everything is computed in Double. */
#include <math.h>

#include "../Detection.h"
#include "../Runs.h"
#include "TH/core/THTeam.h"
#include "Windows.h"

typedef struct Deformed {
  const at_deformed *given;
  int64_t channels, height, width, rows, columns; /* rows, columns: of a result */
  int64_t groups, taps;                           /* groups of channels with their own offsets */
  const double *images, *offsets, *mask;          /* mask: NULL if there is none */
  double *cells; /* images x channels x taps x rows x columns: what filters are multiplied with */
} Deformed;

static double pixel(const Deformed *d, const double *plane, double row, double column)
{
  const bool isInside =
      row >= 0 && row < (double)d->height && column >= 0 && column < (double)d->width;
  return isInside ? plane[(int64_t)row * d->width + (int64_t)column] : 0;
}

static double value_at(const Deformed *d, const double *plane, double y, double x)
{
  if (!(y > -1 && y < (double)d->height && x > -1 && x < (double)d->width))
    return 0;
  const double top = floor(y), left = floor(x), down = y - top, across = x - left;
  return (1 - down) *
             ((1 - across) * pixel(d, plane, top, left) + across * pixel(d, plane, top, left + 1)) +
         down * ((1 - across) * pixel(d, plane, top + 1, left) +
                 across * pixel(d, plane, top + 1, left + 1));
}

/* The cells of a tap in a channel: k counts channels of all images. */
static void fill_tap(const Deformed *d, int64_t k, int64_t tap)
{
  const at_deformed *const w = d->given;
  const int64_t cells = d->rows * d->columns, group = k % d->channels / (d->channels / d->groups);
  const int64_t moved = (k / d->channels * d->groups + group) * d->taps + tap;
  const double *const plane = d->images + k * d->height * d->width,
                      *offset = d->offsets + 2 * moved * cells,
                      *const mask = d->mask ? d->mask + moved * cells : NULL;
  double *const to = d->cells + (k * d->taps + tap) * cells;
  const int64_t down = tap / w->kernel[1] * w->dilation[0] - w->before[0],
                across = tap % w->kernel[1] * w->dilation[1] - w->before[1];
  for (int64_t i = 0; i < cells; i++) {
    const int64_t row = i / d->columns * w->stride[0] + down,
                  column = i % d->columns * w->stride[1] + across;
    to[i] = value_at(d, plane, (double)row + offset[i], (double)column + offset[cells + i]) *
            (mask ? mask[i] : 1);
  }
}

static void fill_channels(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Deformed *const d = context;
  for (ptrdiff_t k = begin; k < end; k++)
    for (int64_t tap = 0; tap < d->taps; tap++)
      fill_tap(d, k, tap);
}

static bool has_size(const at_tensor *t, int64_t images, int64_t channels, const Deformed *d)
{
  return at_dim(t) == 4 && at_size(t, 0) == images && at_size(t, 1) == channels &&
         at_size(t, 2) == d->rows && at_size(t, 3) == d->columns;
}

/* Windows in a dimension; 0 if none fits. */
static int64_t count_of(const at_deformed *w, int d, int64_t size)
{
  const int64_t reach = (w->kernel[d] - 1) * w->dilation[d] + 1,
                rest = size + w->before[d] + w->after[d] - reach;
  return rest < 0 ? 0 : rest / w->stride[d] + 1;
}

/* Raises unless the operands fit together. */
static void check_operands(const at_graphNode *node, const Deformed *d)
{
  const at_deformed *const g = d->given;
  if (g->parts < 1 || d->groups < 1 || d->channels < 1 || d->channels % d->groups != 0 ||
      at_size(g->filters, 0) % g->parts != 0 || at_size(g->filters, 1) * g->parts != d->channels)
    at_nodeFails(node,
                 "filters of size %s in %lld groups and %lld of offsets, for images of size %s",
                 at_sizeDesc(at_sizes(g->filters)).str, (long long)g->parts, (long long)d->groups,
                 at_sizeDesc(at_sizes(g->x)).str);
  if (d->rows < 1 || d->columns < 1)
    at_nodeFails(node, "no window fits into images of size %s", at_sizeDesc(at_sizes(g->x)).str);
  const int64_t moved = d->groups * d->taps, images = at_size(g->x, 0);
  if (!has_size(g->offsets, images, 2 * moved, d) ||
      (g->mask && !has_size(g->mask, images, moved, d)))
    at_nodeFails(node, "offsets of size %s%s%s, of %lld taps for each of %lld x %lld results",
                 at_sizeDesc(at_sizes(g->offsets)).str, g->mask ? " and a mask of size " : "",
                 g->mask ? at_sizeDesc(at_sizes(g->mask)).str : "", (long long)moved,
                 (long long)d->rows, (long long)d->columns);
}

/* Raises unless the windows are such: kernels and steps of at least 1. */
static void check_windows(const at_graphNode *node, const at_deformed *g)
{
  const int64_t most = INT32_MAX;
  if (at_dim(g->x) != 4 || at_dim(g->filters) != 4)
    at_nodeFails(node, "the input has size %s and filters %s, and both have to have 4 dimensions",
                 at_sizeDesc(at_sizes(g->x)).str, at_sizeDesc(at_sizes(g->filters)).str);
  for (int i = 0; i < 2; i++)
    if (g->kernel[i] < 1 || g->kernel[i] > most || g->stride[i] < 1 || g->stride[i] > most ||
        g->dilation[i] < 1 || g->dilation[i] > most || g->before[i] < -most ||
        g->before[i] > most || g->after[i] < -most || g->after[i] > most ||
        at_size(g->filters, 2 + i) != g->kernel[i])
      at_nodeFails(node, "windows of %lld by %lld, stride %lld, dilation %lld and padding %lld",
                   (long long)g->kernel[0], (long long)g->kernel[1], (long long)g->stride[i],
                   (long long)g->dilation[i], (long long)g->before[i]);
}

/* The products of filters and cells, and the bias. */
static at_tensor *products(const Deformed *d, at_tensor *cells)
{
  const at_deformed *const g = d->given;
  const int64_t images = at_size(g->x, 0), outputs = at_size(g->filters, 0),
                terms = d->channels / g->parts * d->taps, all = d->rows * d->columns;
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *const weights =
      at_reshape(at_to(g->filters, wide), AT_SHAPE(1, g->parts, outputs / g->parts, terms));
  at_tensor *made =
      at_reshape(at_matmul(weights, at_reshape(cells, AT_SHAPE(images, g->parts, terms, all))),
                 AT_SHAPE(images, outputs, d->rows, d->columns));
  if (g->bias)
    made = at_add(made, at_reshape(at_to(g->bias, wide), AT_SHAPE(-1, 1, 1)));
  return at_to(made, g->x->type);
}

/* t in row-major order, as Double. */
static at_tensor *plain(const at_graphNode *node, at_tensor *t)
{
  at_tensor *const r = at_contiguous(at_to(t, at_cpuType(AT_DOUBLE)));
  if (!at_defined(r))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  return r;
}

at_tensor *at_deformedConvolution(const at_graphNode *node, const at_deformed *given)
{
  check_windows(node, given);
  const at_ints sizes = at_sizes(given->x);
  Deformed d = {.given = given,
                .channels = sizes.data[1],
                .height = sizes.data[2],
                .width = sizes.data[3],
                .groups = given->groups};
  d.rows = count_of(given, 0, d.height);
  d.columns = count_of(given, 1, d.width);
  d.taps = given->kernel[0] * given->kernel[1];
  check_operands(node, &d);
  at_tensor *const cells = at_empty(AT_SHAPE(sizes.data[0], d.channels, d.taps, d.rows, d.columns),
                                    .type = at_cpuType(AT_DOUBLE));
  if (!at_defined(cells))
    at_nodeFails(node, "it failed");
  d.images = at_hostData(plain(node, given->x));
  d.offsets = at_hostData(plain(node, given->offsets));
  d.mask = given->mask ? at_hostData(plain(node, given->mask)) : NULL;
  d.cells = at_hostData(cells);
  if (at_numel(cells) > 0)
    THParallel_for(sizes.data[0] * d.channels, 1, fill_channels, &d);
  return products(&d, cells);
}

void at_runDeformConv(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  if (at_dim(x) != 4)
    AT_ONNX_FAILS(c, "the input has size %s, and has to be images", at_sizeDesc(at_sizes(x)).str);
  const Windows w = at_onnxWindows(c, at_sizes(x), at_onnxInput(c, 1));
  const at_deformed given = {.x = x,
                             .filters = at_onnxInput(c, 1),
                             .offsets = at_onnxInput(c, 2),
                             .bias = at_onnxMaybe(c, 3),
                             .mask = at_onnxMaybe(c, 4),
                             .kernel = {w.kernel.data[0], w.kernel.data[1]},
                             .stride = {w.stride.data[0], w.stride.data[1]},
                             .dilation = {w.dilation.data[0], w.dilation.data[1]},
                             .before = {w.before[0], w.before[1]},
                             .after = {w.after[0], w.after[1]},
                             .parts = at_onnxInt(c, "group", 1),
                             .groups = at_onnxInt(c, "offset_group", 1)};
  at_onnxGive(c, 0, at_deformedConvolution(c->node, &given));
}
