/* Convolutions of images whose taps are moved by offsets (Dai and others, Deformable Convolutional
 * Networks, 2017).  A tap that lies between pixels is interpolated; outside of the image all is 0.
 * Everything is computed in Double. */
#include <math.h>

#include "../Runs.h"
#include "TH/core/THTeam.h"
#include "Windows.h"

typedef struct Deformed {
  Windows windows;
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
  const Windows *const w = &d->windows;
  const int64_t cells = d->rows * d->columns, group = k % d->channels / (d->channels / d->groups);
  const int64_t moved = (k / d->channels * d->groups + group) * d->taps + tap;
  const double *const plane = d->images + k * d->height * d->width,
                      *offset = d->offsets + 2 * moved * cells,
                      *const mask = d->mask ? d->mask + moved * cells : NULL;
  double *const to = d->cells + (k * d->taps + tap) * cells;
  const int64_t down = tap / w->kernel.data[1] * w->dilation.data[0] - w->before[0],
                across = tap % w->kernel.data[1] * w->dilation.data[1] - w->before[1];
  for (int64_t i = 0; i < cells; i++) {
    const int64_t row = i / d->columns * w->stride.data[0] + down,
                  column = i % d->columns * w->stride.data[1] + across;
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
static int64_t count_of(const Windows *w, int d, int64_t size)
{
  const int64_t reach = (w->kernel.data[d] - 1) * w->dilation.data[d] + 1,
                rest = size + w->before[d] + w->after[d] - reach;
  return rest < 0 ? 0 : rest / w->stride.data[d] + 1;
}

/* Raises unless the operands fit together. */
static void check_operands(const at_onnxCall *c, const Deformed *d, int64_t parts)
{
  const at_tensor *const x = at_onnxInput(c, 0), *const filters = at_onnxInput(c, 1),
                         *const offsets = at_onnxInput(c, 2), *const mask = at_onnxMaybe(c, 4);
  if (parts < 1 || d->groups < 1 || d->channels < 1 || d->channels % d->groups != 0 ||
      at_size(filters, 0) % parts != 0 || at_size(filters, 1) * parts != d->channels ||
      at_size(filters, 2) != d->windows.kernel.data[0] ||
      at_size(filters, 3) != d->windows.kernel.data[1])
    AT_ONNX_FAILS(c, "filters of size %s in %lld groups and %lld of offsets, for images of size %s",
                  at_sizeDesc(at_sizes(filters)).str, (long long)parts, (long long)d->groups,
                  at_sizeDesc(at_sizes(x)).str);
  if (d->rows < 1 || d->columns < 1)
    AT_ONNX_FAILS(c, "no window fits into images of size %s", at_sizeDesc(at_sizes(x)).str);
  const int64_t moved = d->groups * d->taps;
  if (!has_size(offsets, at_size(x, 0), 2 * moved, d) ||
      (mask && !has_size(mask, at_size(x, 0), moved, d)))
    AT_ONNX_FAILS(c, "offsets of size %s%s%s, of %lld taps for each of %lld x %lld results",
                  at_sizeDesc(at_sizes(offsets)).str, mask ? " and a mask of size " : "",
                  mask ? at_sizeDesc(at_sizes(mask)).str : "", (long long)moved, (long long)d->rows,
                  (long long)d->columns);
}

/* The products of filters and cells, and the bias. */
static void give_products(const at_onnxCall *c, const Deformed *d, at_tensor *cells, int64_t parts)
{
  at_tensor *const x = at_onnxInput(c, 0), *const filters = at_onnxInput(c, 1),
                   *bias = at_onnxMaybe(c, 3);
  const int64_t images = at_size(x, 0), outputs = at_size(filters, 0),
                terms = d->channels / parts * d->taps, all = d->rows * d->columns;
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *const weights =
      at_reshape(at_to(filters, wide), AT_SHAPE(1, parts, outputs / parts, terms));
  at_tensor *const made =
      at_reshape(at_matmul(weights, at_reshape(cells, AT_SHAPE(images, parts, terms, all))),
                 AT_SHAPE(images, outputs, d->rows, d->columns));
  if (bias)
    bias = at_reshape(at_to(bias, wide), AT_SHAPE(-1, 1, 1));
  at_onnxGive(c, 0, at_to(bias ? at_add(made, bias) : made, x->type));
}

void at_runDeformConv(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const mask = at_onnxMaybe(c, 4);
  const at_ints sizes = at_sizes(x);
  if (sizes.count != 4)
    AT_ONNX_FAILS(c, "the input has size %s, and has to be images", at_sizeDesc(sizes).str);
  const int64_t parts = at_onnxInt(c, "group", 1);
  Deformed d = {.windows = at_onnxWindows(c, sizes, at_onnxInput(c, 1)),
                .channels = sizes.data[1],
                .height = sizes.data[2],
                .width = sizes.data[3],
                .groups = at_onnxInt(c, "offset_group", 1)};
  d.rows = count_of(&d.windows, 0, d.height);
  d.columns = count_of(&d.windows, 1, d.width);
  d.taps = d.windows.kernel.data[0] * d.windows.kernel.data[1];
  check_operands(c, &d, parts);
  at_tensor *const cells = at_empty(AT_SHAPE(sizes.data[0], d.channels, d.taps, d.rows, d.columns),
                                    .type = at_cpuType(AT_DOUBLE));
  if (!at_defined(cells))
    AT_ONNX_FAILS(c, "it failed");
  d.images = at_hostData(at_onnxPlain(c, x, AT_DOUBLE));
  d.offsets = at_hostData(at_onnxPlain(c, at_onnxInput(c, 2), AT_DOUBLE));
  d.mask = mask ? at_hostData(at_onnxPlain(c, mask, AT_DOUBLE)) : NULL;
  d.cells = at_hostData(cells);
  if (at_numel(cells) > 0)
    THParallel_for(sizes.data[0] * d.channels, 1, fill_channels, &d);
  give_products(c, &d, cells, parts);
}
