/* Convolutions and pooling with all ways that ONNX has of padding: the input is padded first where the
 * ends of a dimension differ. */
#include <math.h>

#include "../Runs.h"
#include "Windows.h"

/* --- padding ---------------------------------------------------------------------------------- */

static void fill(at_onnxList *list, int count, int64_t value)
{
  if (list->count >= 0)
    return;
  list->count = count;
  for (int i = 0; i < count; i++)
    list->data[i] = value;
}

/* Windows that begin at each step of an input, as many as steps go into it. */
static void pad_same(Windows *w, int d, int64_t size, bool isLower)
{
  const int64_t outputs = (size + w->stride.data[d] - 1) / w->stride.data[d],
                reach = (w->kernel.data[d] - 1) * w->dilation.data[d] + 1,
                all = THMax((outputs - 1) * w->stride.data[d] + reach - size, 0);
  w->before[d] = isLower ? all - all / 2 : all / 2;
  w->after[d] = all - w->before[d];
}

static void check(const at_onnxCall *c, const Windows *w)
{
  const at_onnxList *const lists[] = {&w->kernel, &w->stride, &w->dilation};
  for (int k = 0; k < 3; k++) {
    if (lists[k]->count != w->dims)
      AT_ONNX_FAILS(c, "a list of %d numbers is given for %d dimensions", lists[k]->count, w->dims);
    for (int d = 0; d < w->dims; d++)
      if (lists[k]->data[d] < 1 || lists[k]->data[d] > INT32_MAX)
        AT_ONNX_FAILS(c, "a size, step or dilation of a window is %lld",
                      (long long)lists[k]->data[d]);
  }
  for (int d = 0; d < w->dims; d++)
    if (w->before[d] < 0 || w->after[d] < 0 || w->before[d] > INT32_MAX || w->after[d] > INT32_MAX)
      AT_ONNX_FAILS(c, "the padding is %lld and %lld", (long long)w->before[d],
                    (long long)w->after[d]);
}

Windows at_onnxWindows(const at_onnxCall *c, at_ints sizes, const at_tensor *filters)
{
  Windows w = {.dims = sizes.count - 2,
               .kernel = at_onnxInts(c, "kernel_shape"),
               .stride = at_onnxInts(c, "strides"),
               .dilation = at_onnxInts(c, "dilations")};
  const at_onnxList pads = at_onnxInts(c, "pads");
  const char *const automatic = at_onnxText(c, "auto_pad", "NOTSET");
  if (w.dims < 1 || w.dims > 3)
    AT_ONNX_FAILS(c, "the input has %d dimensions, and may have 3 to 5", sizes.count);
  if (filters && at_dim(filters) != sizes.count)
    AT_ONNX_FAILS(c, "the input has %d dimensions, the filters %d", sizes.count, at_dim(filters));
  for (int d = 0; filters && w.kernel.count < 0 && d < w.dims; d++)
    w.kernel.data[d] = at_size(filters, d + 2);
  if (filters && w.kernel.count < 0)
    w.kernel.count = w.dims;
  fill(&w.stride, w.dims, 1);
  fill(&w.dilation, w.dims, 1);
  w.isAutomatic = !strncmp(automatic, "SAME", 4);
  w.isLower = !strcmp(automatic, "SAME_LOWER");
  if (pads.count >= 0 && pads.count != 2 * w.dims)
    AT_ONNX_FAILS(c, "pads are %d numbers for %d dimensions", pads.count, w.dims);
  for (int d = 0; pads.count >= 0 && d < w.dims && !w.isAutomatic; d++) {
    w.before[d] = pads.data[d];
    w.after[d] = pads.data[d + w.dims];
  }
  check(c, &w);
  return w;
}

/* The windows of an input of that size. */
static void settle(Windows *w, at_ints sizes)
{
  for (int d = 0; d < w->dims && w->isAutomatic; d++)
    pad_same(w, d, sizes.data[d + 2], w->isLower);
}

static bool is_symmetric(const Windows *w)
{
  bool is = true;
  for (int d = 0; d < w->dims; d++)
    is &= w->before[d] == w->after[d];
  return is;
}

/* x with the padding around it, as elements of that value. */
static at_tensor *padded(at_tensor *x, const Windows *w, double value)
{
  int64_t pad[2 * MOST_WINDOWS];
  for (int d = 0; d < w->dims; d++) {
    pad[2 * (w->dims - 1 - d)] = w->before[d];
    pad[2 * (w->dims - 1 - d) + 1] = w->after[d];
  }
  return at_constant_pad_nd(x, ((at_ints){pad, 2 * w->dims}), .value = value);
}

/* --- convolutions ----------------------------------------------------------------------------- */

at_tensor *at_onnxConvolved(const at_onnxCall *c, at_tensor *x, at_tensor *filters, at_tensor *bias)
{
  static const int64_t zeros[MOST_WINDOWS] = {0};
  Windows w = at_onnxWindows(c, at_sizes(x), filters);
  settle(&w, at_sizes(x));
  const bool isSymmetric = is_symmetric(&w);
  const at_ints none = {zeros, w.dims}, padding = {isSymmetric ? w.before : zeros, w.dims};
  return at_convolution(isSymmetric ? x : padded(x, &w, 0), filters, bias, at_listed(&w.stride),
                        padding, at_listed(&w.dilation), false, none, at_onnxInt(c, "group", 1));
}

void at_runConv(at_onnxCall *c)
{
  at_onnxGive(c, 0,
              at_onnxConvolved(c, at_onnxInput(c, 0), at_onnxInput(c, 1), at_onnxMaybe(c, 2)));
}

/* A convolution of each channel by itself, of what came before (past_state, else zeros) and the input. */
void at_runCausalConv(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const filters = at_onnxInput(c, 1),
                   *const bias = at_onnxMaybe(c, 2);
  at_tensor *past = at_onnxMaybe(c, 3);
  const char *const how = at_onnxText(c, "activation", "none");
  const bool isSilu = !strcmp(how, "silu") || !strcmp(how, "swish");
  if (at_dim(x) != 3 || at_dim(filters) != 3 || at_size(filters, 0) != at_size(x, 1) ||
      at_size(filters, 1) != 1 || at_size(filters, 2) < 1)
    AT_ONNX_FAILS(c, "filters of %s do not go with an input of %s",
                  at_sizeDesc(at_sizes(filters)).str, at_sizeDesc(at_sizes(x)).str);
  if (!isSilu && strcmp(how, "none"))
    AT_ONNX_FAILS(c, "activation is \"%.20s\"", how);
  const int64_t before = at_size(filters, 2) - 1, channels = at_size(x, 1);
  const at_type *const wide = x->type->scalarType == AT_DOUBLE ? x->type : at_cpuType(AT_FLOAT);
  if (!past)
    past = at_zeros(AT_SHAPE(at_size(x, 0), channels, before), .type = x->type);
  at_tensor *const all = at_cat(AT_TENSORS(past, x), .dim = 2);
  at_tensor *const y = at_conv1d(at_to(all, wide), at_to(filters, wide),
                                 .bias = bias ? at_to(bias, wide) : NULL, .groups = channels);
  at_onnxGive(c, 0, at_to(isSilu ? at_silu(y) : y, x->type));
  at_onnxGive(c, 1, at_narrow(all, 2, at_size(x, 2), before));
}

/* The whole transposed convolution, of which the padding is cut off. */
void at_runConvTranspose(at_onnxCall *c)
{
  static const int64_t zeros[MOST_WINDOWS] = {0};
  at_tensor *const x = at_onnxInput(c, 0), *const filters = at_onnxInput(c, 1);
  const at_ints sizes = at_sizes(x);
  Windows w = at_onnxWindows(c, sizes, filters);
  at_onnxList extra = at_onnxInts(c, "output_padding"), wanted = at_onnxInts(c, "output_shape");
  fill(&extra, w.dims, 0);
  if (extra.count != w.dims || (wanted.count >= 0 && wanted.count < w.dims))
    AT_ONNX_FAILS(c, "output_padding or output_shape is no list of %d numbers", w.dims);
  at_tensor *y = at_convolution(x, filters, NULL, at_listed(&w.stride), ((at_ints){zeros, w.dims}),
                                at_listed(&w.dilation), true, ((at_ints){zeros, w.dims}),
                                at_onnxInt(c, "group", 1));
  for (int d = 0; d < w.dims; d++) {
    const int64_t whole = at_size(y, d + 2), all = whole + extra.data[d];
    int64_t before = w.before[d], size = all - w.before[d] - w.after[d];
    if (wanted.count >= 0 || w.isAutomatic) {
      size = wanted.count >= 0 ? wanted.data[wanted.count - w.dims + d]
                               : sizes.data[d + 2] * w.stride.data[d];
      const int64_t cut = THMax(all - size, 0); /* what lacks is added at the end */
      before = w.isLower || !w.isAutomatic ? cut - cut / 2 : cut / 2;
    }
    int64_t pad[2 * MOST_WINDOWS] = {0};
    pad[2 * (w.dims - 1 - d)] = -before;
    pad[2 * (w.dims - 1 - d) + 1] = size + before - whole;
    y = at_constant_pad_nd(y, ((at_ints){pad, 2 * w.dims}));
  }
  at_tensor *bias = at_onnxMaybe(c, 2);
  for (int d = 0; bias && d < w.dims; d++)
    bias = at_unsqueeze(bias, -1);
  at_onnxGive(c, 0, bias ? at_add(y, bias) : y);
}

/* --- pooling ---------------------------------------------------------------------------------- */

/* The number of windows, which is rounded up if wanted; a last one that lies beyond the input and its
 * padding in front is left out. */
static int64_t count_windows(const at_onnxCall *c, const Windows *w, int d, int64_t size)
{
  const int64_t reach = (w->kernel.data[d] - 1) * w->dilation.data[d] + 1,
                rest = size + w->before[d] + w->after[d] - reach;
  if (rest < 0)
    AT_ONNX_FAILS(c, "a window of %lld does not fit in %lld elements", (long long)reach,
                  (long long)size);
  int64_t count = rest / w->stride.data[d] + 1;
  if (w->isCeil && rest % w->stride.data[d] != 0 && count * w->stride.data[d] < size + w->before[d])
    count++;
  return count;
}

/* All windows of the input, as a tensor with a dimension more for each axis of them: N x C x outputs
 * x kernel; beyond the border is value. */
static at_tensor *unfolded(const at_onnxCall *c, at_tensor *x, Windows *w, double value)
{
  at_ints sizes = at_sizes(x);
  Windows around = *w;
  int64_t count[MOST_WINDOWS], size[2 + 2 * MOST_WINDOWS], stride[2 + 2 * MOST_WINDOWS];
  for (int d = 0; d < w->dims; d++) {
    const int64_t reach = (w->kernel.data[d] - 1) * w->dilation.data[d] + 1;
    count[d] = count_windows(c, w, d, sizes.data[d + 2]);
    around.after[d] =
        THMax((count[d] - 1) * w->stride.data[d] + reach - sizes.data[d + 2] - w->before[d], 0);
  }
  at_tensor *const whole = at_contiguous(padded(x, &around, value));
  if (!at_defined(whole))
    AT_ONNX_FAILS(c, "it failed");
  const at_ints strides = at_strides(whole);
  for (int d = 0; d < 2; d++) {
    size[d] = at_size(whole, d);
    stride[d] = strides.data[d];
  }
  for (int d = 0; d < w->dims; d++) {
    size[2 + d] = count[d];
    stride[2 + d] = strides.data[2 + d] * w->stride.data[d];
    size[2 + w->dims + d] = w->kernel.data[d];
    stride[2 + w->dims + d] = strides.data[2 + d] * w->dilation.data[d];
  }
  return at_as_strided(whole, ((at_ints){size, 2 + 2 * w->dims}),
                       ((at_ints){stride, 2 + 2 * w->dims}));
}

/* The windows with their elements in one dimension, the last. */
static at_tensor *flattened(at_tensor *windows, int dims)
{
  return at_flatten(at_contiguous(windows), .start_dim = 2 + dims);
}

static Windows windows_of(const at_onnxCall *c, const at_tensor *x)
{
  Windows w = at_onnxWindows(c, at_sizes(x), NULL);
  settle(&w, at_sizes(x));
  w.isCeil = at_onnxInt(c, "ceil_mode", 0) != 0;
  return w;
}

/* The index of the largest element of each window in the whole input; with storage_order 1 in the
 * input with columns first. */
static at_tensor *indices_of(const at_onnxCall *c, at_tensor *x, Windows *w, at_tensor *which)
{
  const at_ints sizes = at_sizes(x);
  const int dims = w->dims;
  const bool isColumns = at_onnxInt(c, "storage_order", 0) != 0;
  int64_t order[AT_MOST_DIMS];
  order[0] = 0;
  order[1] = 1;
  for (int d = 0; d < dims; d++)
    order[2 + d] = isColumns ? 1 + dims - d : 2 + d;
  int64_t turned[AT_MOST_DIMS];
  for (int d = 0; d < dims + 2; d++)
    turned[d] = sizes.data[order[d]];
  at_tensor *const numbers = at_reshape(at_arange(at_numel(x), .type = at_cpuType(AT_LONG)),
                                        ((at_ints){turned, dims + 2}));
  at_tensor *const inOrder = at_permute(numbers, ((at_ints){order, dims + 2}));
  at_tensor *const windows = flattened(unfolded(c, inOrder, w, 0), dims);
  return at_squeeze_dim(at_gather(windows, -1, at_unsqueeze(which, -1)), -1);
}

void at_runMaxPool(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  Windows w = windows_of(c, x);
  const bool isInteger = !at_isFloating(x->type->scalarType);
  at_tensor *const values = isInteger ? at_to(x, at_cpuType(AT_DOUBLE)) : x;
  at_tensor *const windows = flattened(unfolded(c, values, &w, -(double)INFINITY), w.dims);
  const at_values_indices most = at_max_dim(windows, -1);
  at_onnxGive(c, 0, at_to(most.values, x->type));
  if (at_onnxWants(c, 1))
    at_onnxGive(c, 1, indices_of(c, x, &w, most.indices));
}

/* Elements of each window that count: those in the input, or also those of its padding. */
static at_tensor *counts_of(const at_onnxCall *c, at_tensor *x, Windows *w)
{
  const bool isAll = at_onnxInt(c, "count_include_pad", 0) != 0;
  at_tensor *const one = at_ones_like(at_slice(at_slice(x, .end = 1), .dim = 1, .end = 1));
  if (!isAll)
    return at_sum_dim(flattened(unfolded(c, one, w, 0), w->dims), AT_INTS(-1));
  Windows rest = *w;
  at_tensor *const whole = padded(one, w, 1);
  for (int d = 0; d < w->dims; d++)
    rest.before[d] = rest.after[d] = 0;
  Windows same = rest;
  for (int d = 0; d < w->dims; d++) {
    const int64_t size = at_size(x, d + 2),
                  reach = (w->kernel.data[d] - 1) * w->dilation.data[d] + 1,
                  count = count_windows(c, w, d, size);
    same.after[d] = THMax((count - 1) * w->stride.data[d] + reach - at_size(whole, d + 2), 0);
  }
  same.isCeil = false;
  return at_sum_dim(flattened(unfolded(c, whole, &same, 0), w->dims), AT_INTS(-1));
}

at_tensor *at_onnxAveraged(const at_onnxCall *c, at_tensor *x)
{
  Windows w = windows_of(c, x);
  at_tensor *const sums = at_sum_dim(flattened(unfolded(c, x, &w, 0), w.dims), AT_INTS(-1));
  return at_div(sums, counts_of(c, x, &w));
}

void at_runAveragePool(at_onnxCall *c)
{
  at_onnxGive(c, 0, at_onnxAveraged(c, at_onnxInput(c, 0)));
}

void at_runLpPool(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  Windows w = windows_of(c, x);
  at_tensor *const windows = flattened(unfolded(c, x, &w, 0), w.dims);
  at_onnxGive(c, 0, at_norm_dim(windows, (double)at_onnxInt(c, "p", 2), AT_INTS(-1)));
}

void at_runGlobal(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const char *const name = strchr(c->node->target, '.') + 1;
  at_onnxList axes = {.count = THMax(at_dim(x) - 2, 0)};
  for (int d = 0; d < axes.count; d++)
    axes.data[d] = d + 2;
  at_onnxGive(c, 0,
              !strcmp(name, "GlobalAveragePool") ? at_mean_dim(x, at_listed(&axes), .keepdim = true)
              : !strcmp(name, "GlobalMaxPool")
                  ? at_amax(x, .dim = at_listed(&axes), .keepdim = true)
                  : at_norm_dim(x, (double)at_onnxInt(c, "p", 2), at_listed(&axes),
                                .keepdim = true));
}

/* Indices count elements of the output that follows from the windows; what is wanted beyond that is
 * zeros at the ends. */
void at_runMaxUnpool(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const Windows w = at_onnxWindows(c, at_sizes(x), NULL);
  const at_ints sizes = at_sizes(x);
  const at_onnxList wanted = at_onnxIntsIn(c, 2);
  at_onnxList made = {.count = sizes.count}, pad = {.count = 2 * sizes.count};
  if (wanted.count >= 0 && wanted.count != sizes.count)
    AT_ONNX_FAILS(c, "%d sizes are wanted of %d dimensions", wanted.count, sizes.count);
  for (int d = 0; d < sizes.count; d++) {
    made.data[d] = d < 2 ? sizes.data[d]
                         : (sizes.data[d] - 1) * w.stride.data[d - 2] - w.before[d - 2] -
                               w.after[d - 2] + w.kernel.data[d - 2];
    pad.data[2 * (sizes.count - 1 - d)] = 0;
    pad.data[2 * (sizes.count - 1 - d) + 1] = wanted.count < 0 ? 0 : wanted.data[d] - made.data[d];
  }
  at_tensor *const zeros = at_reshape(at_zeros(at_listed(&made), .type = x->type), AT_INTS(-1));
  at_tensor *const filled =
      at_reshape(at_scatter(zeros, 0, at_reshape(at_onnxInput(c, 1), AT_INTS(-1)),
                            at_reshape(x, AT_INTS(-1))),
                 at_listed(&made));
  at_onnxGive(c, 0, wanted.count < 0 ? filled : at_constant_pad_nd(filled, at_listed(&pad)));
}
