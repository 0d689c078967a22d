/* Pooling layers that take more than one operation, or return indices, and unpooling. */
#include "THGeneral.h"

#include "ATenLayerFields.h"

at_tensor *at_poolPowers(at_tensor *input, double power, at_ints kernel, at_ints stride, int axes,
                         bool ceils)
{
  at_tensor *const x = at_pow(input, power);
  at_tensor *const mean = axes == 1 ? at_avg_pool1d(x, kernel, .stride = stride, .ceil_mode = ceils)
                          : axes == 2
                              ? at_avg_pool2d(x, kernel, .stride = stride, .ceil_mode = ceils)
                              : at_avg_pool3d(x, kernel, .stride = stride, .ceil_mode = ceils);
  double count = 1;
  for (int i = 0; i < axes; i++)
    count *= (double)at_along(kernel, i);
  at_tensor *const sum = at_mul(at_mul(at_sign(mean), at_relu(at_abs(mean))), count);
  return at_pow(sum, 1 / power);
}

/* --- unpooling -------------------------------------------------------------------------------- */

/* The sizes of the result along each axis, behind which there is room for one more; false and an
 * error for a size that max pooling cannot have come from. */
static bool unpooled_sizes(at_tensor *input, at_ints kernel, at_ints stride, at_ints padding,
                           int axes, at_ints size, int64_t *sizes)
{
  for (int i = 0; i < axes; i++) {
    const int64_t step = at_along(stride, i), count = at_size(input, i - axes);
    const int64_t smallest = (count - 1) * step - 2 * at_along(padding, i) + at_along(kernel, i);
    sizes[i] = size.count ? size.data[size.count - axes + i] : smallest;
    if (sizes[i] <= smallest - step || sizes[i] >= smallest + step) {
      at_fail(AT_ERROR_ARGUMENT, "MaxUnpool",
              "MaxUnpool%dd: output_size has %lld for axis %d, and has to be between %lld and %lld",
              axes, (long long)sizes[i], i, (long long)(smallest - step),
              (long long)(smallest + step));
      return false;
    }
  }
  return true;
}

at_tensor *at_unpooled(at_tensor *input, at_tensor *indices, at_ints kernel, at_ints stride,
                       at_ints padding, int axes, at_ints size)
{
  int64_t sizes[AT_LAYER_DIMS], steps[3], frame[3];
  if (at_dim(input) < axes + 1 || (size.count && size.count != axes && size.count != axes + 2)) {
    at_fail(AT_ERROR_ARGUMENT, "MaxUnpool",
            "MaxUnpool%dd: input is of size %s, and output_size has %d numbers", axes,
            at_sizeDesc(at_sizesOf(input)).str, size.count);
    return at_undefined();
  }
  if (!unpooled_sizes(input, kernel, stride, padding, axes, size, sizes))
    return at_undefined();
  for (int i = 0; i < axes; i++) {
    steps[i] = at_along(stride, i);
    frame[i] = at_along(padding, i);
  }
  if (axes == 3)
    return at_max_unpool3d(input, indices, AT_INTS(sizes[0], sizes[1], sizes[2]),
                           ((at_ints){steps, 3}), ((at_ints){frame, 3}));
  if (axes == 2)
    return at_max_unpool2d(input, indices, AT_INTS(sizes[0], sizes[1]));
  return at_squeeze_dim(at_max_unpool2d(at_unsqueeze(input, -1), at_unsqueeze(indices, -1),
                                        AT_INTS(sizes[0], 1)),
                        -1);
}

/* The unpooled input, for tensors that a caller gave. */
static at_tensor *unpooled_by(at_tensor *input, at_tensor *indices, at_ints kernel, at_ints stride,
                              at_ints padding, int axes, at_ints size)
{
  if (!at_accept("MaxUnpool", "input", input, false) ||
      !at_accept("MaxUnpool", "indices", indices, false) ||
      !at_acceptInts("MaxUnpool", "output_size", size, 0))
    return at_undefined();
  AT_SCOPE_GUARD;
  return at_escape(at_unpooled(input, indices, kernel, stride, padding, axes, size));
}

/* --- maxima and their indices ----------------------------------------------------------------- */

at_output_indices at_fractionallyPooled(at_tensor *input, int axes, at_ints kernel, at_ints size,
                                        double ratio)
{
  const int dims = at_dim(input);
  if (dims != axes + 1 && dims != axes + 2) {
    at_fail(AT_ERROR_ARGUMENT, "FractionalMaxPool",
            "FractionalMaxPool%dd: input is of size %s, and has to have %d or %d dimensions", axes,
            at_sizeDesc(at_sizesOf(input)).str, axes + 1, axes + 2);
    return (at_output_indices){at_undefined(), at_undefined()};
  }
  int64_t sizes[3], windows[3];
  for (int i = 0; i < axes; i++) {
    windows[i] = at_along(kernel, i);
    sizes[i] = size.count ? at_along(size, i) : (int64_t)((double)at_size(input, i - axes) * ratio);
  }
  const int64_t batch = dims == axes + 2 ? at_size(input, 0) : 1;
  at_tensor *const samples =
      at_rand(AT_SHAPE(batch, at_size(input, -axes - 1), axes), .type = at_typeOf(input));
  const at_ints window = {windows, axes}, to = {sizes, axes};
  return axes == 2 ? (at_fractional_max_pool2d)(input, window, to, samples)
                   : (at_fractional_max_pool3d)(input, window, to, samples);
}

/* Whether self is a layer of that kind, and input a tensor. */
static bool is_call(const char *name, at_module *self, const at_module_kind *kind, at_tensor *input)
{
  return at_isKind(name, self, kind) && at_accept(name, "input", input, false);
}

/* The end of a call that has made these: they outlive its scope. */
static at_output_indices escaped(at_output_indices made)
{
  return (at_output_indices){at_escape(made.output), at_escape(made.indices)};
}

#define N 1
#include "poolingAxes.h"
#define N 2
#include "poolingAxes.h"
#define N 3
#include "poolingAxes.h"
