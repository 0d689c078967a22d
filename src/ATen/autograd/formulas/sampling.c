/* The gradients of grid sampling, as a graph that can be differentiated again; and the short-time
 * Fourier transform. */
#include <math.h>

#include "ATen/autograd/Formulas.h"
#include "ATen/resample/resample.h"

/* t as an input of a graph of its own: with t's history, if it has one. */
static at_tensor *input_of(at_tensor *t)
{
  return at_requiresGrad(t) ? at_alias(t) : at_requires_grad_(at_detach(t));
}

at_grad_input_grad_grid at_gridBackwardOf(at_tensor *grad, at_tensor *input, at_tensor *grid,
                                          int64_t mode, int64_t padding, bool aligns, at_ints mask)
{
  const at_grad_input_grad_grid failed = {at_undefined(), at_undefined()};
  at_grad_input_grad_grid made = {NULL, NULL};
  if (!at_defined(grad) || !at_defined(input) || !at_defined(grid))
    return failed;
  const int axes = at_dim(input) - 2;
  if (axes < 2 || axes > 3 || at_dim(grid) != axes + 2 || at_size(grid, -1) != axes ||
      at_size(grid, 0) != at_size(input, 0) || mode < 0 || mode > 4 - axes || padding < 0 ||
      padding > 2) {
    at_fail(AT_ERROR_ARGUMENT, "grid_sampler_backward",
            "grid_sampler_backward: input has size (%s), grid (%s), interpolation_mode is %lld and "
            "padding_mode %lld",
            at_sizeDesc(at_sizes(input)).str, at_sizeDesc(at_sizes(grid)).str, (long long)mode,
            (long long)padding);
    return failed;
  }
  at_tensor *const of[] = {input_of(input), input_of(grid)};
  at_tensor *const r = at_gridSamples(axes, of[0], of[1], mode, padding, aligns);
  if (!at_defined(r))
    return failed;
  const at_gradients_options options = {
      .grad_outputs = AT_TENSORS(grad), .allow_unused = true, .create_graph = true};
  const at_tensors *const both = (at_gradients)(AT_TENSORS(r), (at_tensors){of, 2}, &options);
  if (both->count != 2)
    return failed;
  /* The list owns its tensors, the scope of the call these. */
  if (mask.data[0])
    made.grad_input = both->data[0] ? at_alias(both->data[0]) : at_zeros_like(input);
  if (mask.data[1])
    made.grad_grid = both->data[1] ? at_alias(both->data[1]) : at_zeros_like(grid);
  return made;
}

/* --- Fourier ---------------------------------------------------------------------------------- */

at_tensor *at_stftOf(at_tensor *self, int64_t length, int64_t hop, int64_t size, bool oneSided,
                     at_tensor *window, int64_t pad)
{
  at_tensor *const whole = at_constant_pad_nd(self, AT_INTS(0, pad));
  at_tensor *frames = at_unfold(whole, -1, length, hop);
  if (window)
    frames = at_mul(frames, window);
  const int64_t count = oneSided ? size / 2 + 1 : size;
  const at_type *const wide = at_toScalarType(at_typeOf(self), AT_DOUBLE);
  at_tensor *const times = at_unsqueeze(at_arange(length, .type = wide), -1);
  at_tensor *const turns = at_fmod(at_mul(times, at_arange(count, .type = wide)), (double)size);
  at_tensor *const angles = at_mul(turns, -2 * M_PI / (double)size);
  return at_stack(AT_TENSORS(at_matmul(frames, at_typed(at_cos(angles), self)),
                             at_matmul(frames, at_typed(at_sin(angles), self))),
                  .dim = -1);
}
