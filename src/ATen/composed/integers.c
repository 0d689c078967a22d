/* Convolutions of integers and average pooling of Long, modulo 2^64 or what the type holds: floating layers
 * compute with parts of the elements of so few bits that their sums are exact. */
#include <math.h>

#include "Composed.h"
#include "ATen/core/ATenOperations.h"

enum {
  LONG_BITS = 64,
  EXACT_BITS =
      44,        /* of sums: Double has 53, and fast algorithms lose some before sums are rounded */
  MOST_BITS = 16 /* of a part */
};

/* How many bits a part of an element may have if sums have count terms, each of which is a product of so many
 * parts. */
static int bits_for(double count, int factors, int elementBits)
{
  int bits = THMin(MOST_BITS, elementBits);
  while (bits > 0 && ldexp(count, factors * bits) > ldexp(1, EXACT_BITS))
    bits--;
  if (bits == 0)
    at_raise(AT_ERROR_ARGUMENT, "windows of %g elements are too large for integers", count);
  return bits;
}

/* Bits of t from first on, as numbers of Double that are not negative. */
static at_tensor *part_of(at_tensor *t, int first, int bits, const at_type *like)
{
  at_tensor *const moved = first == 0 ? t : at_bitwise_right_shift(t, first);
  return at_to(at_bitwise_and(moved, (INT64_C(1) << bits) - 1), at_toScalarType(like, AT_DOUBLE));
}

/* sum + numbers * 2^first; numbers are integers of Double, but for errors of the computation. */
static at_tensor *added(at_tensor *sum, at_tensor *numbers, int first, const at_type *like)
{
  at_tensor *const whole = at_to(at_round(numbers), at_toScalarType(like, AT_LONG));
  at_tensor *const moved = first == 0 ? whole : at_bitwise_left_shift(whole, first);
  return sum ? at_add(sum, moved) : moved;
}

/* --- convolutions ------------------------------------------------------------------------------ */

static at_tensor *convolved(at_tensor *input, at_tensor *weight, at_tensor *bias,
                            at_conv_options how)
{
  const at_ints sizes = at_sizes(weight);
  const int64_t outputs = sizes.count > 1 ? sizes.data[how.transposed ? 1 : 0] : 1;
  const int whole = 8 * (int)input->type->elementSize;
  const int bits =
      bits_for(THMax(1, (double)at_numel(weight) / (double)THMax(1, outputs)), 2, whole);
  const at_type *const wide = at_toScalarType(input->type, AT_LONG);
  at_tensor *const x = at_to(input, wide), *const w = at_to(weight, wide);
  at_tensor *const zeros =
      bias ? at_zeros_like(bias, .type = at_toScalarType(bias->type, AT_DOUBLE)) : NULL;
  at_tensor *sum = NULL;
  for (int i = 0; i < whole; i += bits)
    for (int k = 0; i + k < whole; k += bits) {
      at_tensor *const products =
          at_convolution(part_of(x, i, bits, wide), part_of(w, k, bits, wide), zeros, how.stride,
                         how.padding, how.dilation, how.transposed, how.output_padding, how.groups);
      if (!at_defined(products))
        return products;
      sum = added(sum, products, i + k, wide);
    }
  for (int d = 2; bias && d < sizes.count; d++)
    bias = at_unsqueeze(bias, -1);
  return at_to(bias ? at_add(sum, bias) : sum, input->type);
}

at_tensor *at_integerConvolution(at_tensor *input, at_tensor *weight, at_tensor *bias,
                                 at_conv_options how)
{
  return at_composed(convolved(input, weight, bias, how));
}

/* --- average pooling --------------------------------------------------------------------------- */

static int64_t number_of(at_ints numbers, int axis, int64_t otherwise)
{
  return numbers.count == 0 ? otherwise : numbers.data[numbers.count == 1 ? 0 : axis];
}

/* How many elements each window counts. */
static at_tensor *counts_of(at_tensor *self, at_tensor *means, int axes, at_windows w,
                            bool includesPadding)
{
  at_tensor *counts = NULL;
  for (int a = 0; a < axes; a++) {
    const int64_t size = number_of(w.size, a, 1), stride = number_of(w.stride, a, size),
                  padding = number_of(w.padding, a, 0), in = at_size(self, a - axes);
    at_tensor *const begin =
        at_sub(at_mul(at_arange(at_size(means, a - axes), .type = self->type), stride), padding);
    at_tensor *const end = at_clamp_max(at_add(begin, size), in + padding);
    at_tensor *const own = includesPadding ? at_sub(end, begin)
                                           : at_sub(at_clamp_max(end, in), at_clamp_min(begin, 0));
    counts = counts ? at_mul(at_unsqueeze(counts, -1), own) : own;
  }
  return counts;
}

static at_tensor *means_of(at_tensor *self, int axes, at_windows w, bool includesPadding)
{
  if (axes == 1)
    return at_avg_pool1d(self, w.size, .stride = w.stride, .padding = w.padding,
                         .ceil_mode = w.ceil, .count_include_pad = includesPadding);
  if (axes == 2)
    return at_avg_pool2d(self, w.size, .stride = w.stride, .padding = w.padding,
                         .ceil_mode = w.ceil, .count_include_pad = includesPadding);
  return at_avg_pool3d(self, w.size, .stride = w.stride, .padding = w.padding, .ceil_mode = w.ceil,
                       .count_include_pad = includesPadding);
}

static at_tensor *averaged(at_tensor *self, int axes, at_windows w, bool includesPadding,
                           int64_t divisor)
{
  double elements = 1;
  for (int a = 0; a < axes && w.size.count > 0; a++)
    elements *= (double)THMax(1, number_of(w.size, w.size.count == axes ? a : 0, 1));
  const int bits = bits_for(elements, 1, LONG_BITS);
  at_tensor *sum = NULL, *counts = NULL;
  for (int i = 0; i < LONG_BITS; i += bits) {
    at_tensor *const means = means_of(part_of(self, i, bits, self->type), axes, w, includesPadding);
    if (!at_defined(means))
      return means;
    counts = counts ? counts : counts_of(self, means, axes, w, includesPadding);
    sum = added(sum, at_mul(means, counts), i, self->type);
  }
  return divisor == AT_NONE ? at_div_mode(sum, counts, .rounding_mode = "trunc")
                            : at_div_scalar_mode(sum, divisor, .rounding_mode = "trunc");
}

at_tensor *at_integerAverage(at_tensor *out, at_tensor *self, int axes, at_windows w,
                             bool includesPadding, int64_t divisor)
{
  return at_finishComposed(out, at_composed(averaged(self, axes, w, includesPadding, divisor)));
}
