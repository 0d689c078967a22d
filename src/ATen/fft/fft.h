/* Fourier transforms of lines of complex or real numbers.
 *
 * A plan knows how to transform a length: as passes of small radices, or where the length has a prime
 * factor above AT_FFT_RADIX, as a convolution (Bluestein) by transforms of a longer one.  Several lines
 * are transformed at once, side by side ("lanes"), so that vector instructions work on lines of any
 * length.  Real lines are transformed in twos, as the parts of complex ones. */
#ifndef ATEN_FFT_H
#define ATEN_FFT_H

#include "ATen/core/ATenCore.h"
#include "fftKind.h"

enum { AT_FFT_RADIX = 13, AT_FFT_PASSES = 64 };

/* --- plans ----------------------------------------------------------------------------------- */

/* Pairs of reals of the type that computes. */
typedef struct at_fft_plan {
  int64_t length;
  size_t realSize; /* of Float or Double */
  int passes, radix[AT_FFT_PASSES];
  /* For each pass the factors of its butterflies: of each group those of outputs 1 to radix - 1. */
  void *factors;
  void *roots; /* of each pass the roots of unity of its radix */
  /* Of a convolution, or NULL: its plan, the chirp, and the transform of the chirp's conjugate. */
  struct at_fft_plan *longer;
  void *chirp, *spectrum;
} at_fft_plan;

/* A plan, to be freed; raises if the length is below 1 or too large. */
at_fft_plan *at_fft_newPlan(int64_t length, size_t realSize);
void at_fft_freePlan(at_fft_plan *plan);

/* Sets the length and its radices, fours first; false if a prime factor is too large.  The next length
 * that passes of 2, 3 and 5 transform. */
bool at_fft_factorise(at_fft_plan *plan, int64_t length);
int64_t at_fft_goodLength(int64_t least);

/* The reals of work space that transforming so many lanes takes, besides the lanes themselves. */
int64_t at_fft_scratch(const at_fft_plan *plan, int64_t lanes);

/* --- kernels --------------------------------------------------------------------------------- */

/* Lines to transform.  Strides and offsets count reals. */
typedef struct at_fft_job {
  const at_fft_plan *plan;
  at_fft_kind kind;
  bool inverse; /* of complex lines */
  double scale;
  const void *from;
  void *to;
  int64_t given, wanted; /* elements of a line of from, behind which zeros are, and of to */
  int64_t fromStep, toStep;
  int dims; /* the dimensions that number the lines */
  const int64_t *size, *fromStride, *toStride;
} at_fft_job;

/* What each element type and instruction set has. */
typedef struct at_fft_kernels {
  /* Transforms lanes that lie side by side: element k of lane l is at k * lanes + l. */
  void (*transform)(const at_fft_plan *plan, void *re, void *im, void *work, int64_t lanes);
  /* Transforms lines first to last - 1; the buffer holds the lanes and their work space. */
  void (*lines)(const at_fft_job *job, int64_t first, int64_t last, int64_t lanes, void *buffer);
} at_fft_kernels;

extern const at_fft_kernels *const at_fftFloat[];
extern const at_fft_kernels *const at_fftDouble[];

/* Transforms all lines of a job, on several threads if it is worth it. */
void at_fft_run(const at_fft_job *job, int64_t lines);

/* at_fft_run on the current device; the job has no plan, but a length. */
void at_fft_runOnDevice(const at_fft_job *job, const at_type *real, int64_t length, int64_t lines);

/* --- operations ------------------------------------------------------------------------------ */

/* Over the dimensions dim, the last of which is halved where the numbers are real. */
at_tensor *at_fourier(at_tensor *out, at_tensor *self, at_ints dim, int64_t normalization,
                      bool forward);

at_tensor *at_frequencies(const at_type *type, int64_t n, double d, bool halved);

/* --- operations made of others ---------------------------------------------------------------- */

/* The following functions are called as operations are: what fails is reported, and the undefined tensor returned.
 * Temporaries belong to the innermost scope. */

/* The result of an expression of such functions, as the one of an operation. */
/* clang-format off */
#define at_composed(EXPRESSION) __extension__({ AT_SCOPE_GUARD; at_escape(EXPRESSION); })
/* clang-format on */

/* The kinds of fft_ operations; hfft is C2R forward and ihfft R2C backward. */
typedef enum at_fft_way { AT_FFT_C2C, AT_FFT_R2C, AT_FFT_C2R } at_fft_way;

at_tensor *at_fourierAlong(at_tensor *self, int64_t n, int64_t dim, const char *norm,
                           at_fft_way way, bool forward);
at_tensor *at_fourierOver(at_tensor *self, at_ints s, at_ints dim, const char *norm, at_fft_way way,
                          bool forward);
at_ints at_lastTwo(at_ints dim); /* dim, or if it is empty the last two dimensions */
at_tensor *at_shifted(at_tensor *self, at_ints dim, bool back);

typedef struct at_frames {
  int64_t size, hop,
      length;        /* of the transform; between frames; of the window; AT_NONE by default */
  at_tensor *window; /* or NULL */
  bool center, normalized, onesided;
} at_frames;

at_tensor *at_framesTransformed(at_tensor *self, const at_frames *frames, const char *pad_mode,
                                bool return_complex);
at_tensor *at_framesJoined(at_tensor *self, const at_frames *frames, int64_t length,
                           bool return_complex);

/* Gradients of _fft_r2c, whose operand has those sizes, and of _fft_c2r. */
at_tensor *at_fourierOfRealGrad(at_tensor *grad, at_ints sizes, at_ints dim, int64_t normalization,
                                bool onesided);
at_tensor *at_fourierToRealGrad(at_tensor *grad, at_ints dim, int64_t normalization);

#endif
