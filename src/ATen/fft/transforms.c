/* Fourier transforms made of operations, so that they have gradients. */
#include <string.h>

#include "ATen/autograd/Formulas.h"

static at_tensor *failed(const char *operation, const char *what, const char *given)
{
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s is %s", operation, what, given);
  return at_undefined();
}

/* The normalization of a transform (of _fft_c2c and its kind), or -1 with an error. */
static int64_t normalization_of(const char *norm, bool forward)
{
  if (!strcmp(norm, "ortho"))
    return 1;
  if (!strcmp(norm, "none") || !strcmp(norm, "backward"))
    return forward ? 0 : 2;
  if (!strcmp(norm, "forward"))
    return forward ? 2 : 0;
  failed("fft", "norm", norm);
  return -1;
}

/* t in a type that has transforms: Float for integers. */
static at_tensor *floating(at_tensor *t)
{
  const at_scalar_type type = t->type->scalarType;
  return at_category(type) >= 2 ? t : at_to(t, at_toScalarType(t->type, AT_FLOAT));
}

static at_tensor *as_complex(at_tensor *t)
{
  t = floating(t);
  return at_is_complex(t) ? t : at_to(t, at_complexType(t->type));
}

/* t cut or padded with zeros to n elements along dimension d; an undefined t stays so. */
static at_tensor *sized(at_tensor *t, int d, int64_t n)
{
  const int64_t own = at_defined(t) ? at_size(t, d) : n;
  if (own == n)
    return t;
  if (own > n)
    return at_narrow(t, d, 0, n);
  int64_t pad[2 * AT_MOST_DIMS] = {0};
  const int count = 2 * (at_dim(t) - d);
  pad[count - 1] = n - own;
  return at_constant_pad_nd(t, ((at_ints){pad, count}));
}

/* The dimensions and sizes of a transform. */
typedef struct {
  int count;
  int64_t dim[AT_MOST_DIMS], size[AT_MOST_DIMS]; /* of the result for C2R */
} Extent;

static at_tensor *transformed(at_tensor *t, const Extent *e, const char *norm, at_fft_way way,
                              bool forward)
{
  const int64_t how = normalization_of(norm, forward);
  const int last = e->count - 1;
  const at_ints dim = {e->dim, e->count};
  if (how < 0)
    return at_undefined();
  if (way == AT_FFT_R2C && at_is_complex(t))
    return failed("fft", "self, which has to be real,", "complex");
  t = way == AT_FFT_C2R ? as_complex(t) : floating(t);
  for (int i = 0; i < e->count; i++) {
    if (e->size[i] < 1)
      return failed("fft", "a size of the transform", "less than 1");
    t = sized(t, (int)e->dim[i], way == AT_FFT_C2R && i == last ? e->size[i] / 2 + 1 : e->size[i]);
  }
  if (way == AT_FFT_C2R)
    return at__fft_c2r(forward ? at_conj(t) : t, dim, how, e->size[last]);
  if (way == AT_FFT_C2C && at_is_complex(t))
    return at__fft_c2c(t, dim, how, forward);
  at_tensor *const made = at__fft_r2c(t, dim, how, way == AT_FFT_R2C);
  return forward ? made : at_conj(made);
}

/* The size by default: of C2R the even one. */
static int64_t default_size(at_tensor *t, int64_t d, at_fft_way way, bool isLast)
{
  const int64_t own = at_size(t, d);
  return way == AT_FFT_C2R && isLast ? 2 * (own - 1) : own;
}

at_tensor *at_fourierAlong(at_tensor *self, int64_t n, int64_t dim, const char *norm,
                           at_fft_way way, bool forward)
{
  if (at_size(self, dim) < 0) /* which is an error */
    return at_undefined();
  Extent e = {.count = 1, .dim = {dim < 0 ? dim + at_dim(self) : dim}};
  e.size[0] = n == AT_NONE ? default_size(self, e.dim[0], way, true) : n;
  return transformed(self, &e, norm, way, forward);
}

at_ints at_lastTwo(at_ints dim)
{
  static const int64_t last[] = {-2, -1};
  return dim.count > 0 ? dim : (at_ints){last, 2};
}

at_tensor *at_fourierOver(at_tensor *self, at_ints s, at_ints dim, const char *norm, at_fft_way way,
                          bool forward)
{
  const int own = at_dim(self);
  Extent e = {.count = dim.count ? dim.count : s.count ? s.count : own};
  if (e.count > own || e.count < 1 || (s.count > 0 && s.count != e.count))
    return failed("fft", "the number of dimensions in s or dim", "not that of self's");
  for (int i = 0; i < e.count; i++) {
    const int64_t d = dim.count ? dim.data[i] : own - e.count + i;
    if (at_size(self, d) < 0)
      return at_undefined();
    e.dim[i] = d < 0 ? d + own : d;
    const bool isGiven = s.count > 0 && s.data[i] != -1;
    e.size[i] = isGiven ? s.data[i] : default_size(self, e.dim[i], way, i == e.count - 1);
  }
  return transformed(self, &e, norm, way, forward);
}

at_tensor *at_shifted(at_tensor *self, at_ints dim, bool back)
{
  int64_t dims[AT_MOST_DIMS], shifts[AT_MOST_DIMS];
  const int count = dim.count ? dim.count : at_dim(self);
  if (count == 0)
    return at_clone(self);
  if (count > AT_MOST_DIMS)
    return failed("fftshift", "the number of dimensions in dim", "too large");
  for (int i = 0; i < count; i++) {
    dims[i] = dim.count ? dim.data[i] : i;
    const int64_t size = at_size(self, dims[i]);
    if (size < 0)
      return at_undefined();
    shifts[i] = back ? (size + 1) / 2 : size / 2;
  }
  const at_ints along = {dims, count};
  return at_roll(self, ((at_ints){shifts, count}), .dims = along);
}

/* --- gradients ------------------------------------------------------------------------------- */

/* The missing half of the gradient is 0, and the transform's inverse, without its factor, real. */
at_tensor *at_fourierOfRealGrad(at_tensor *grad, at_ints sizes, at_ints dim, int64_t normalization,
                                bool onesided)
{
  const int64_t last = dim.data[dim.count - 1];
  const int d = (int)(last < 0 ? last + sizes.count : last);
  if (onesided)
    grad = sized(grad, d, sizes.data[d]);
  return at_real(at__fft_c2c(grad, dim, normalization, false));
}

/* Elements that stand for two, themselves and a conjugate, have the gradients of both. */
at_tensor *at_fourierToRealGrad(at_tensor *grad, at_ints dim, int64_t normalization)
{
  const int64_t last = dim.data[dim.count - 1], size = at_size(grad, last);
  at_tensor *const made = at__fft_r2c(grad, dim, normalization, true);
  const int64_t twice = (size - 1) / 2;
  if (!at_defined(made) || twice < 1)
    return made;
  at_tensor *const middle = at_narrow(made, last, 1, twice);
  at_mul_(middle, at_scalar_long(2));
  return made;
}

/* --- frames ---------------------------------------------------------------------------------- */

/* The window, as long as a frame: its own elements stand in the middle.  NULL if there is none and
 * all elements count. */
static at_tensor *window_of(at_tensor *like, const at_frames *f, int64_t length)
{
  at_tensor *window = f->window;
  if (!window && length == f->size)
    return NULL;
  if (!window)
    window = at_ones(AT_INTS(length), .type = like->type);
  const int64_t before = (f->size - length) / 2;
  return at_constant_pad_nd(window, AT_INTS(before, f->size - length - before));
}

/* Completes the frames; false with an error. */
static bool complete(at_frames *f, const char *operation)
{
  if (f->hop == AT_NONE)
    f->hop = f->size / 4;
  if (f->length == AT_NONE)
    f->length = f->size;
  const bool fits = f->size > 0 && f->hop > 0 && f->length > 0 && f->length <= f->size;
  const bool isWindow =
      !f->window || (at_dim(f->window) == 1 && at_size(f->window, 0) == f->length);
  if (!fits || !isWindow)
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: n_fft is %lld, hop_length %lld, win_length %lld, and window has size %s",
            operation, (long long)f->size, (long long)f->hop, (long long)f->length,
            f->window ? at_sizeDesc(at_sizesOf(f->window)).str : "none");
  return fits && isWindow;
}

/* signals x elements with half a frame more on both sides. */
static at_tensor *padded(at_tensor *x, int64_t size, const char *mode)
{
  if (at_is_complex(x))
    return at_complex(padded(at_real(x), size, mode), padded(at_imag(x), size, mode));
  return at_squeeze_dim(at_pad(at_unsqueeze(x, 1), AT_INTS(size / 2, size / 2), .mode = mode), 1);
}

at_tensor *at_framesTransformed(at_tensor *self, const at_frames *frames, const char *pad_mode,
                                bool return_complex)
{
  at_frames f = *frames;
  if (!complete(&f, "stft"))
    return at_undefined();
  const at_scalar_type type = self->type->scalarType;
  if (type != AT_FLOAT && type != AT_DOUBLE && !at_isComplex(type))
    return failed("stft", "self, which has to be of Float, Double or complex,", self->type->name);
  f.onesided = f.onesided && !at_isComplex(type);
  if (at_dim(self) != 1 && at_dim(self) != 2)
    return failed("stft", "self", "neither a signal nor a batch of signals");
  const bool single = at_dim(self) == 1;
  at_tensor *x = single ? at_unsqueeze(self, 0) : self;
  if (f.center)
    x = padded(x, f.size, pad_mode);
  x = at_unfold(x, -1, f.size, f.hop); /* signals x frames x elements */
  at_tensor *const window = window_of(self, &f, f.length);
  if (window)
    x = at_mul(x, window);
  x = at_fourierAlong(x, AT_NONE, -1, f.normalized ? "ortho" : "none",
                      f.onesided ? AT_FFT_R2C : AT_FFT_C2C, true);
  x = at_transpose(x, 1, 2);
  if (single)
    x = at_squeeze_dim(x, 0);
  return return_complex ? x : at_view_as_real(x);
}

/* Adds the frames (signals x frames x elements) where they overlap. */
static at_tensor *overlapped(at_tensor *frames, int64_t hop)
{
  if (!at_defined(frames))
    return frames;
  if (at_is_complex(frames))
    return at_complex(overlapped(at_real(frames), hop), overlapped(at_imag(frames), hop));
  const int64_t count = at_size(frames, 1), size = at_size(frames, 2);
  at_tensor *const columns = at_transpose(frames, 1, 2);
  const int64_t length = (count - 1) * hop + size;
  at_tensor *const image = at_col2im(columns, AT_INTS(1, length), AT_INTS(1, size), AT_INTS(1, 1),
                                     AT_INTS(0, 0), AT_INTS(1, hop));
  return at_reshape(image, AT_INTS(at_size(frames, 0), length));
}

at_tensor *at_framesJoined(at_tensor *self, const at_frames *frames, int64_t length,
                           bool return_complex)
{
  at_frames f = *frames;
  if (!complete(&f, "istft"))
    return at_undefined();
  if (!at_is_complex(self))
    return failed("istft", "self, which has to be complex,", self->type->name);
  if (at_dim(self) != 2 && at_dim(self) != 3)
    return failed("istft", "self", "neither frequencies x frames nor a batch of them");
  const bool single = at_dim(self) == 2;
  if (return_complex && f.onesided && at_size(self, -2) != f.size)
    return failed("istft", "return_complex", "true, and self has one half of the frequencies");
  at_tensor *x = at_transpose(single ? at_unsqueeze(self, 0) : self, 1, 2);
  if (!f.onesided && !return_complex) /* the other half is taken as that of a real signal */
    x = at_narrow(x, -1, 0, f.size / 2 + 1);
  x = at_fourierAlong(x, f.size, -1, f.normalized ? "ortho" : "none",
                      return_complex ? AT_FFT_C2C : AT_FFT_C2R, false);
  if (!at_defined(x))
    return x;
  at_tensor *const part = at_real(x);
  at_tensor *window = window_of(part, &f, f.length);
  if (!window)
    window = at_ones(AT_INTS(f.size), .type = part->type);
  const int64_t count = at_size(x, 1);
  at_tensor *const squares = at_expand(at_reshape(at_mul(window, window), AT_INTS(1, 1, f.size)),
                                       AT_INTS(1, count, f.size));
  at_tensor *y = overlapped(at_mul(x, window), f.hop), *weight = overlapped(squares, f.hop);
  if (!at_defined(y) || !at_defined(weight))
    return at_undefined();
  const int64_t start = f.center ? f.size / 2 : 0;
  const int64_t all = at_size(y, 1), end = f.center ? all - f.size / 2 : all;
  const int64_t wanted = length == AT_NONE ? end - start : length;
  const int64_t there = THMin(wanted, all - start);
  y = at_div(at_narrow(y, 1, start, there), at_narrow(weight, 1, start, there));
  y = sized(y, 1, wanted);
  return single ? at_squeeze_dim(y, 0) : y;
}
