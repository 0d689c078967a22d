/* The short-time Fourier transform, as the product of a matrix of frames and a matrix of waves. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "ATen/nn/layerCall.h"

typedef struct {
  int64_t length, hop, size; /* of a frame; distance between frames; of the transform */
  int64_t batch, signal, frames, frequencies;
} Frames;

static Frames frames_of(at_tensor *self, int64_t frame_length, int64_t hop, int64_t fft_size,
                        bool return_onesided, int64_t pad_end)
{
  const at_ints sizes = at_sizesOf(self);
  if (sizes.count != 1 && sizes.count != 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be a signal or a batch of signals",
             at_sizeDesc(sizes).str);
  const int64_t given = sizes.data[sizes.count - 1];
  if (hop < 1 || fft_size < 1 || pad_end < 0 || pad_end > INT64_MAX - given)
    at_raise(AT_ERROR_ARGUMENT, "hop is %lld, fft_size %lld and pad_end %lld", (long long)hop,
             (long long)fft_size, (long long)pad_end);
  const int64_t signal = given + pad_end;
  if (frame_length < 1 || frame_length > signal)
    at_raise(AT_ERROR_ARGUMENT, "frame_length is %lld, in a signal of %lld elements",
             (long long)frame_length, (long long)signal);
  return (Frames){frame_length,
                  hop,
                  fft_size,
                  sizes.count == 2 ? sizes.data[0] : 1,
                  signal,
                  (signal - frame_length) / hop + 1,
                  return_onesided ? fft_size / 2 + 1 : fft_size};
}

/* The frames as the rows of a matrix. */
static at_tensor *matrix(at_pool *pool, const Frames *f, at_tensor *self, const at_type *compute)
{
  const at_ints whole = {(int64_t[]){f->batch, f->signal}, 2};
  at_tensor *padded = at_hold(pool, at_makeFilled(compute, whole, at_scalar_long(0)));
  const int64_t given = at_sizesOf(self).data[at_sizesOf(self).count - 1];
  if (given > 0)
    at_copyFrom(at_hold(pool, at_viewNarrow(padded, 1, 0, given)), self);
  const at_ints sizes = {(int64_t[]){f->batch, f->frames, f->length}, 3};
  const int64_t strides[] = {f->signal, f->hop, 1};
  at_tensor *view = at_hold(pool, at_newView(padded, 0, sizes, strides));
  at_tensor *copy = at_hold(pool, at_newCast(view, compute));
  const at_ints flat = {(int64_t[]){f->batch * f->frames, f->length}, 2};
  return at_hold(pool, at_viewAs(copy, flat));
}

/* The waves: cosine and negative sine of each frequency at each element of a frame, times the
 * window.  Angles are reduced as integers, which is exact. */
static at_tensor *waves(at_pool *pool, const Frames *f, at_tensor *window, const at_type *compute)
{
  const at_type *real = at_toScalarType(compute, AT_DOUBLE);
  const at_ints sizes = {(int64_t[]){f->length, f->frequencies, 2}, 3};
  const at_ints flat = {(int64_t[]){f->length, f->frequencies * 2}, 2};
  at_tensor *made = at_hold(pool, at_newShape(real, sizes));
  at_tensor *factors = window ? at_hold(pool, at_newCast(window, real)) : NULL;
  if (!at_isOnHost(compute)) {
    const at_waves_work work = {f->length, f->frequencies, f->size,
                                factors ? at_data(factors) : NULL, at_data(made)};
    at_cuda()->launch(AT_KERNEL_waves, real->held, &work);
    return at_hold(pool, at_viewAs(at_cast(pool, made, compute), flat));
  }
  double *to = at_hostData(made);
  const double *factor = at_hostData(factors);
  for (int64_t k = 0; k < f->length; k++) {
    int64_t at = 0;
    for (int64_t w = 0; w < f->frequencies; w++, to += 2) {
      const double angle = 2 * M_PI * (double)at / (double)f->size;
      to[0] = cos(angle) * (factor ? factor[k] : 1);
      to[1] = -sin(angle) * (factor ? factor[k] : 1);
      at = (at + k % f->size) % f->size;
    }
  }
  return at_hold(pool, at_viewAs(at_hold(pool, at_newCast(made, compute)), flat));
}

at_tensor *at_shortTimeFourier(at_tensor *self, int64_t frame_length, int64_t hop, int64_t fft_size,
                               bool return_onesided, at_tensor *window, int64_t pad_end)
{
  const Frames f = frames_of(self, frame_length, hop, fft_size, return_onesided, pad_end);
  const at_type *compute = at_layerType(self);
  at_layerSame(self, window, "window");
  if (window && (at_sizesOf(window).count != 1 || at_sizesOf(window).data[0] != frame_length))
    at_raise(AT_ERROR_ARGUMENT, "window has size (%s), and has to have %lld elements",
             at_sizeDesc(at_sizesOf(window)).str, (long long)frame_length);
  const bool batched = at_sizesOf(self).count == 2;
  const int64_t size[] = {f.batch, f.frames, f.frequencies, 2};
  const at_ints wanted = {size + !batched, 3 + batched};
  const at_ints flat = {(int64_t[]){f.batch * f.frames, f.frequencies * 2}, 2};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_hold(&pool, at_newShape(compute, flat));
  if (f.batch > 0) {
    at_tensor *x = matrix(&pool, &f, self, compute), *y = waves(&pool, &f, window, compute);
    AT_OF(compute, addmm)(made->th, at_scalar_long(0), made->th, at_scalar_long(1), x->th, y->th);
  }
  made = at_hold(&pool, at_viewAs(made, wanted));
  return at_finishOne(&pool, NULL, at_layerCast(&pool, made, self->type));
}
