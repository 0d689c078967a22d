/* Histograms over one or several dimensions. */
#include <float.h>
#include <math.h>

#include "ATen/autograd/Formulas.h"
#include "ATen/core/device.h"
#include "ATen/random/drawn.h"

static bool is_float(const char *name, at_tensor *self)
{
  if (!at_defined(self))
    return false;
  const at_scalar_type type = at_type_scalarType(at_typeOf(self));
  if (type == AT_FLOAT || type == AT_DOUBLE)
    return true;
  at_fail(AT_ERROR_TYPE, name, "%s: self is of %s, and has to be of Float or Double", name,
          at_scalarTypeName(type));
  return false;
}

/* count + 1 numbers from low to high, which are numbers of Double. As those of linspace they are computed from the
 * nearer end. */
static at_tensor *spaced(at_tensor *low, at_tensor *high, int64_t count, const at_type *type)
{
  at_tensor *const i = at_arange(count + 1, .type = at_typeOf(low));
  at_tensor *const way = at_sub(high, low), *const bins = at_full_like(low, (double)count);
  at_tensor *const step =
      at_where(at_isinf(way), at_sub(at_div(high, bins), at_div(low, bins)), at_div(way, bins));
  at_tensor *const up = at_add(low, at_mul(step, i));
  at_tensor *const down = at_sub(high, at_mul(step, at_sub(bins, i)));
  return at_to(at_where(at_lt(i, (double)((count + 1) / 2)), up, down), type);
}

/* These of a device's numbers and the range around equal ones, by a kernel. */
static at_tensor *spaced_there(const char *name, at_tensor *low, at_tensor *high, int64_t count,
                               const at_type *type)
{
  at_tensor *const made = at_empty(AT_INTS(count + 1), .type = type);
  if (!at_defined(made))
    return made;
  const at_edges_work work = {count, at_data(low), at_data(high), at_data(made)};
  at_call call;
  at_begin(&call, name);
  at_onDeviceOf(&call, made);
  TH_TRY(call.attempt)
  {
    at_cuda()->launch(AT_KERNEL_edges, type->held, &work);
  }
  return at_failed(&call) ? at_undefined() : made;
}

/* The edges of bins between the smallest and the largest of values. */
static at_tensor *edges_around(const char *name, at_tensor *values, int64_t count)
{
  const at_draw_rule rule = {name, "the range has the end %g, and has to be finite", 1, -DBL_MAX,
                             DBL_MAX};
  const at_type *const type = at_typeOf(values), *const wide = at_toScalarType(type, AT_DOUBLE);
  at_tensor *const low = at_to(at_min(at_detach(values)), wide),
                   *const high = at_to(at_max(at_detach(values)), wide);
  if (!at_isWithin(&rule, low) || !at_isWithin(&rule, high))
    return at_undefined();
  if (!at_isOnHost(type))
    return spaced_there(name, low, high, count, type);
  at_tensor *const around = at_mul(at_to(at_eq(low, high), wide), 0.5);
  return spaced(at_sub(low, around), at_add(high, around), count, type);
}

static at_tensor *edges_of(const char *name, at_tensor *values, int64_t count, const double *range)
{
  double low = range ? range[0] : 0, high = range ? range[1] : 1;
  if (count < 1 || count == INT64_MAX) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: the number of bins is %lld, and has to be above 0", name,
            (long long)count);
    return at_undefined();
  }
  if (!range && at_numel(values) > 0)
    return edges_around(name, values, count);
  if (!isfinite(low) || !isfinite(high) || low > high) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: the range is from %g to %g", name, low, high);
    return at_undefined();
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  return at_linspace(low, high, .steps = count + 1, .type = at_typeOf(values));
}

/* The bin of each value, and in isIn whether it has one: all but the last are open at their end. */
static at_tensor *bins_of(at_tensor *values, at_tensor *edges, at_tensor **isIn)
{
  const int64_t count = at_size(edges, 0) - 1;
  at_tensor *const last = at_select(edges, 0, count);
  at_tensor *const isInside =
      at_logical_and(at_ge(values, at_select(edges, 0, 0)), at_le(values, last));
  at_tensor *const bins = at_sub(at_bucketize(at_contiguous(values), edges, .right = true), 1);
  *isIn = *isIn ? at_logical_and(*isIn, isInside) : isInside;
  return at_clamp(bins, .min = 0, .max = count - 1);
}

static bool are_edges(const char *name, at_tensor *points, at_tensors edges)
{
  if (edges.count != at_size(points, 1) || edges.count < 1) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are edges for %d dimensions, and points of %lld",
            name, edges.count, (long long)at_size(points, 1));
    return false;
  }
  for (int d = 0; d < edges.count; d++)
    if (!at_defined(edges.data[d]) || at_dim(edges.data[d]) != 1 || at_numel(edges.data[d]) < 2 ||
        at_typeOf(edges.data[d]) != at_typeOf(points)) {
      at_fail(AT_ERROR_ARGUMENT, name,
              "%s: the edges of dimension %d have to be a vector of two numbers or more, of self's "
              "type",
              name, d);
      return false;
    }
  return true;
}

/* The counts of the rows of points in the bins between the edges of each column. */
static at_tensor *counted(const char *name, at_tensor *points, at_tensors edges, at_tensor *weight,
                          bool isDensity)
{
  int64_t sizes[AT_MOST_DIMS];
  if (!at_defined(points) || edges.count > AT_MOST_DIMS || !are_edges(name, points, edges))
    return at_undefined();
  if (weight &&
      (at_typeOf(weight) != at_typeOf(points) || at_numel(weight) != at_size(points, 0))) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: weight has %lld elements, and has to have one of self's type for each of %lld "
            "points",
            name, (long long)at_numel(weight), (long long)at_size(points, 0));
    return at_undefined();
  }
  for (int d = 0; d < edges.count; d++)
    sizes[d] = at_size(edges.data[d], 0) - 1;
  at_tensor *const bins = at_zeros(((at_ints){sizes, edges.count}), .type = at_typeOf(points));
  if (!at_defined(bins))
    return bins;
  at_tensor *isIn = NULL, *index = NULL;
  for (int d = 0; d < edges.count; d++) {
    at_tensor *const own = bins_of(at_select(points, 1, d), edges.data[d], &isIn);
    index = index ? at_add(at_mul(index, sizes[d]), own) : own;
  }
  at_tensor *const counts =
      weight ? at_where_other_scalar(isIn, at_reshape(weight, AT_INTS(-1)), at_scalar_long(0))
             : at_to(isIn, at_typeOf(points));
  at_tensor *hist = at_index_add(at_reshape(bins, AT_INTS(at_numel(bins))), 0, index, counts);
  hist = at_reshape(hist, ((at_ints){sizes, edges.count}));
  if (!isDensity)
    return hist;
  hist = at_div(hist, at_sum(hist));
  for (int d = 0; d < edges.count; d++) {
    at_tensor *width = at_diff(edges.data[d]);
    for (int after = d + 1; after < edges.count; after++)
      width = at_unsqueeze(width, -1);
    hist = at_div(hist, width);
  }
  return hist;
}

at_hist_bin_edges at_histogramWith(at_tensor *self, at_tensor *edges, int64_t count,
                                   at_doubles range, at_tensor *weight, bool isDensity)
{
  static const char name[] = "histogram";
  const at_hist_bin_edges none = {at_undefined(), at_undefined()};
  if (!is_float(name, self))
    return none;
  if (range.count != 0 && range.count != 2) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: range has %d numbers, and has to have 2", name,
            range.count);
    return none;
  }
  at_tensor *const values = at_reshape(self, AT_INTS(at_numel(self)));
  at_tensor *const own =
      edges ? at_clone(edges) : edges_of(name, values, count, range.count ? range.data : NULL);
  if (!at_defined(own))
    return none;
  at_tensor *const hist =
      counted(name, at_unsqueeze(values, 1), AT_TENSORS(own), weight, isDensity);
  return at_defined(hist) ? (at_hist_bin_edges){hist, own} : none;
}

/* self as rows of its last dimension. */
static at_tensor *points_of(const char *name, at_tensor *self)
{
  if (!is_float(name, self))
    return at_undefined();
  if (at_dim(self) < 2) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: self is of size %s, and has to have 2 dimensions or more",
            name, at_sizeDesc(at_sizes(self)).str);
    return at_undefined();
  }
  const int64_t width = at_size(self, -1);
  return at_reshape(self, AT_INTS(width ? at_numel(self) / width : 0, width));
}

const at_tensors *at_histogramEdges(at_tensor *self, at_ints bins, at_doubles range)
{
  static const char name[] = "_histogramdd_bin_edges";
  at_tensor *const points = points_of(name, self);
  if (!at_defined(points))
    return &at_noTensors;
  if (bins.count != at_size(points, 1) || (range.count != 0 && range.count / 2 != bins.count) ||
      range.count % 2) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: there are %d numbers of bins and %d of ranges for points of %lld dimensions", name,
            bins.count, range.count, (long long)at_size(points, 1));
    return &at_noTensors;
  }
  const at_tensors *const made = at_listOf(bins.count);
  for (int d = 0; d < made->count; d++) {
    at_tensor *const edges = edges_of(name, at_select(points, 1, d), bins.data[d],
                                      range.count ? range.data + 2 * d : NULL);
    ((at_tensor **)made->data)[d] = at_retain(edges);
  }
  return made;
}

at_tensor *at_histogramOver(at_tensor *self, at_tensors edges, at_tensor *weight, bool isDensity)
{
  static const char name[] = "histogramdd";
  return counted(name, points_of(name, self), edges, weight, isDensity);
}
