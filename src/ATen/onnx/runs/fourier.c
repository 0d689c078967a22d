/* Fourier transforms: of complex numbers as pairs in a last dimension of 2, or of reals with one of 1. */
#include <math.h>

#include "../Runs.h"

/* x (..., 1 or 2) as a real or complex tensor without the last dimension. */
static at_tensor *numbers_of(const at_onnxCall *c, at_tensor *x)
{
  const int64_t parts = at_dim(x) > 0 ? at_size(x, -1) : 0;
  if (parts != 1 && parts != 2)
    AT_ONNX_FAILS(c, "the input has size %s, and has to end in 1 or 2",
                  at_sizeDesc(at_sizes(x)).str);
  return parts == 1 ? at_select(x, -1, 0) : at_view_as_complex(at_contiguous(x));
}

/* The axis is input 2, or an attribute as before version 20. */
void at_runDft(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const axes = at_onnxMaybe(c, 2),
                   *const length = at_onnxMaybe(c, 1);
  at_tensor *const numbers = numbers_of(c, x);
  if (!at_defined(numbers))
    AT_ONNX_FAILS(c, "it failed");
  const bool isReal = !at_isComplex(numbers->type->scalarType),
             inverts = at_onnxInt(c, "inverse", 0) != 0,
             oneSided = at_onnxInt(c, "onesided", 0) != 0;
  const int64_t given = axes                    ? at_item_long(axes)
                        : at_onnxHas(c, "axis") ? at_onnxInt(c, "axis", 1)
                        : ((const at_onnxHow *)c->node->how)->row->since < 20 ? 1
                                                                              : -2;
  const int axis = at_onnxAxis(c, given, at_dim(x));
  if (axis == at_dim(x) - 1)
    AT_ONNX_FAILS(c, "the axis is %d, which has the parts of numbers", axis);
  const int64_t n = length ? at_item_long(length) : at_size(x, axis);
  if (inverts && oneSided) {
    const int64_t whole = length ? n : 2 * (n - 1);
    at_onnxGive(c, 0, at_unsqueeze(at_fft_irfft(numbers, .n = whole, .dim = axis), -1));
    return;
  }
  at_tensor *const made = isReal && oneSided ? at_fft_rfft(numbers, .n = n, .dim = axis)
                          : inverts          ? at_fft_ifft(numbers, .n = n, .dim = axis)
                                             : at_fft_fft(numbers, .n = n, .dim = axis);
  at_onnxGive(c, 0, at_view_as_real(made));
}

/* STFT: the transforms of the frames of a signal, which are multiplied by a window. */
void at_runStft(at_onnxCall *c)
{
  at_tensor *const signal = numbers_of(c, at_onnxInput(c, 0)), *const window = at_onnxMaybe(c, 2),
                   *const length = at_onnxMaybe(c, 3);
  const int64_t step = at_item_long(at_onnxInput(c, 1)), n = length   ? at_item_long(length)
                                                             : window ? at_size(window, 0)
                                                                      : 0;
  if (!at_defined(signal) || at_dim(signal) != 2 || n < 1 || step < 1 || n > at_size(signal, 1))
    AT_ONNX_FAILS(c, "frames of %lld elements begin every %lld, in a signal of size %s",
                  (long long)n, (long long)step, at_sizeDesc(at_sizes(at_onnxInput(c, 0))).str);
  at_tensor *frames = at_unfold(signal, 1, n, step);
  if (window)
    frames = at_mul(frames, window);
  const bool isReal = !at_isComplex(signal->type->scalarType);
  at_onnxGive(c, 0,
              at_view_as_real(isReal && at_onnxInt(c, "onesided", 1) ? at_fft_rfft(frames)
                                                                     : at_fft_fft(frames)));
}

/* Triangles over the bins of a transform, whose corners are at equal distances in mels: the bin of a
 * frequency is floor((length + 1) * frequency / rate).  (ONNX, MelWeightMatrix) */
void at_runMelWeights(at_onnxCall *c)
{
  const int64_t count = at_item_long(at_onnxInput(c, 0)), length = at_item_long(at_onnxInput(c, 1)),
                rate = at_item_long(at_onnxInput(c, 2));
  const double low = 2595 * log10(1 + at_item_double(at_onnxInput(c, 3)) / 700),
               high = 2595 * log10(1 + at_item_double(at_onnxInput(c, 4)) / 700);
  if (count < 1 || length < 1 || rate < 1 || !isfinite(low) || !isfinite(high))
    AT_ONNX_FAILS(c, "%lld mels of %lld bins at a rate of %lld, from %g to %g mels",
                  (long long)count, (long long)length, (long long)rate, low, high);
  const at_type *const wide = at_cpuType(AT_DOUBLE);
  at_tensor *const mels =
      at_add(at_mul(at_arange(count + 2, .type = wide), (high - low) / (double)(count + 2)), low);
  at_tensor *const hertz = at_mul(at_sub(at_pow_base(10, at_div(mels, 2595)), 1), 700);
  at_tensor *const bins = at_floor(at_div(at_mul(hertz, (double)(length + 1)), (double)rate));
  at_tensor *const from = at_narrow(bins, 0, 0, count), *const top = at_narrow(bins, 0, 1, count),
                   *const to = at_narrow(bins, 0, 2, count);
  at_tensor *const at = at_unsqueeze(at_arange(length / 2 + 1, .type = wide), -1);
  at_tensor *const rise = at_sub(top, from), *const fall = at_sub(to, top);
  at_tensor *const before = at_logical_and(at_ge(at, from), at_le(at, top)),
                   *const behind = at_logical_and(at_gt(at, top), at_lt(at, to));
  at_tensor *const up = at_where(at_eq(rise, 0), at_to(at_eq(at, top), wide),
                                 at_div(at_sub(at, from), at_clamp_min(rise, 1)));
  at_tensor *const down = at_div(at_sub(to, at), at_clamp_min(fall, 1));
  at_tensor *const weights = at_where(before, up, at_where_other_scalar(behind, down, 0));
  at_onnxGive(c, 0, at_to(weights, at_cpuType(at_onnxTypeOf(c, "output_datatype", AT_FLOAT))));
}
