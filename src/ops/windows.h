/* What windows are, for the host and for kernels: which positions of an image they cover, and which
 * of them cover a position.  An axis at a time. */
#ifndef TH_OPS_WINDOWS_H
#define TH_OPS_WINDOWS_H

#include <stdint.h>

#ifdef __CUDACC__
#define TH_WINDOWS static __host__ __device__ __forceinline__
#else
#define TH_WINDOWS static inline
#endif

typedef enum THNNWindowKind {
  THNN_SLIDES,    /* windows are step apart */
  THNN_ADAPTS,    /* windows divide the input among the outputs; only input and output count */
  THNN_FRACTIONAL /* windows of that size, spread over the input by a random number */
} THNNWindowKind;

/* One dimension of an image. */
typedef struct THNNWindow {
  int64_t input, output; /* size of the image, and number of windows */
  int64_t size, step, pad, dilation;
  THNNWindowKind kind;
} THNNWindow;

/* What the sum over a window is divided by. */
typedef enum THNNDivide {
  THNN_BY_ONE,
  THNN_BY_INSIDE, /* the number of elements in the image */
  THNN_BY_PADDED  /* the number of elements in the image and its padding */
} THNNDivide;

/* The part of a window that lies in the image: positions begin, begin + dilation, ... before
 * end. */
typedef struct THNNSpan {
  int64_t begin, end;
  int64_t count; /* a sum over the window is divided by it */
} THNNSpan;

/* --- windows that slide ---------------------------------------------------------------------- */

/* The windows [first, end) whose element at offset from their beginning lies in the image. */
TH_WINDOWS void THNNWindow_inside(const THNNWindow *w, int64_t offset, int64_t *first, int64_t *end)
{
  const int64_t shift = offset - w->pad; /* the element's position in window 0 */
  const int64_t from = shift < 0 ? (-shift + w->step - 1) / w->step : 0;
  const int64_t to = shift >= w->input ? 0 : (w->input - 1 - shift) / w->step + 1;
  *first = from < w->output ? from : w->output;
  *end = to < w->output ? to : w->output;
  *end = *end > *first ? *end : *first;
}

TH_WINDOWS THNNSpan THNNWindow_span(const THNNWindow *w, int64_t window)
{
  const int64_t start = window * w->step - w->pad;
  const int64_t end = start + (w->size - 1) * w->dilation + 1;
  const int64_t begin =
      start < 0 ? start + (-start + w->dilation - 1) / w->dilation * w->dilation : start;
  const THNNSpan span = {begin, end < w->input ? end : w->input, 1};
  return span;
}

/* --- windows that divide the input ----------------------------------------------------------- */

/* i * input / output for i up to output; it does not overflow if output fits in 32 bits. */
TH_WINDOWS int64_t THNNWindow_share(int64_t i, int64_t input, int64_t output, int64_t *rest)
{
  const int64_t part = i * (input % output);
  *rest = part % output;
  return i * (input / output) + part / output;
}

TH_WINDOWS THNNSpan THNNWindow_adapted(const THNNWindow *w, int64_t window)
{
  int64_t rest;
  const int64_t begin = THNNWindow_share(window, w->input, w->output, &rest);
  int64_t end = THNNWindow_share(window + 1, w->input, w->output, &rest);
  end += rest > 0;
  const THNNSpan span = {begin, end, end - begin};
  return span;
}

/* --- windows spread by a random number, from 0 to 1 ------------------------------------------ */

/* Windows begin at multiples of alpha (rarely an integer), rounded down.  alpha is of the element's
 * type. */
#define THNN_FRACTION(NAME, TYPE)                                                           \
  TH_WINDOWS THNNSpan NAME(const THNNWindow *w, int64_t window, TYPE sample)                \
  {                                                                                         \
    const int64_t last = w->input - w->size;                                                \
    const TYPE alpha = w->output > 1 ? (TYPE)last / (TYPE)(w->output - 1) : 0;              \
    int64_t begin = (int64_t)(((TYPE)window + sample) * alpha) - (int64_t)(sample * alpha); \
    begin = window == w->output - 1 || begin > last ? last : begin;                         \
    const THNNSpan span = {begin, begin + w->size, 1};                                      \
    return span;                                                                            \
  }
THNN_FRACTION(THNNWindow_fractionFloat, float)
THNN_FRACTION(THNNWindow_fractionDouble, double)

/* --- of any kind ----------------------------------------------------------------------------- */

/* A window that slides or adapts, with its divisor. */
TH_WINDOWS THNNSpan THNNWindow_divided(const THNNWindow *w, THNNDivide divide, int64_t window)
{
  if (w->kind == THNN_ADAPTS)
    return THNNWindow_adapted(w, window);
  THNNSpan span = THNNWindow_span(w, window);
  const int64_t padded = w->input + 2 * w->pad - window * w->step; /* from its beginning on */
  if (divide == THNN_BY_INSIDE)
    span.count = span.end - span.begin;
  else if (divide == THNN_BY_PADDED)
    span.count = w->size < padded ? w->size : padded;
  return span;
}

/* The windows [first, end) that may cover a position: no others do. */
TH_WINDOWS void THNNWindow_covering(const THNNWindow *w, int64_t position, int64_t *first,
                                    int64_t *end)
{
  int64_t rest;
  if (w->kind == THNN_SLIDES) {
    const int64_t last = position + w->pad, begin = last - (w->size - 1) * w->dilation;
    *first = begin <= 0 ? 0 : (begin + w->step - 1) / w->step;
    *end = last / w->step + 1;
  } else if (w->kind == THNN_ADAPTS) {
    *first = THNNWindow_share(position, w->output, w->input, &rest);
    *end = THNNWindow_share(position + 1, w->output, w->input, &rest);
    *end += rest > 0;
  } else if (w->output == 1) {
    *first = 0;
    *end = 1;
  } else { /* window i begins less than 1 from i * alpha, and is 1 more off by rounding */
    const int64_t windows = w->output - 1, space = w->input - w->size;
    const int64_t before = position - w->size;
    *first = before <= 0 ? 0 : before * windows / space - 1;
    *first = *first < 0 ? 0 : *first;
    *end = (position + 1) * windows / space + 3;
  }
  *end = *end < w->output ? *end : w->output;
}

#endif
