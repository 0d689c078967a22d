/* Windows that slide over images: how many there are, and which of their elements lie in the image.
 */
#ifndef THNN_WINDOW_H
#define THNN_WINDOW_H

#include "THNN.h"

/* One dimension of an image. */
typedef struct {
  int64_t input, output; /* size of the image, and number of windows */
  int64_t size, step, pad, dilation;
} THNNWindow;

static inline THNNWindow THNNWindow_of(int64_t size, int64_t step, int64_t pad, int64_t dilation)
{
  return (THNNWindow){.size = size, .step = step, .pad = pad, .dilation = dilation};
}

/* Raises unless the window is at least one wide, steps forward, and pads with 0 or more; name is
 * "T", "H" or "W". */
void THNNWindow_check(const THNNWindow *window, const char *name);

/* Counts the windows into window->output: those that fit, or with ceil also a last one that begins
 * in the image or its padding.  0 or less if the image is too small. */
void THNNWindow_count(THNNWindow *window, int ceil);

/* The windows [first, end) whose element at offset from their beginning lies in the image. */
static inline void THNNWindow_inside(const THNNWindow *w, int64_t offset, int64_t *first,
                                     int64_t *end)
{
  const int64_t shift = offset - w->pad; /* the element's position in window 0 */
  *first = shift < 0 ? (-shift + w->step - 1) / w->step : 0;
  *end = shift >= w->input ? 0 : (w->input - 1 - shift) / w->step + 1;
  *first = THMin(*first, w->output);
  *end = THMax(*first, THMin(*end, w->output));
}

/* The part of a window that lies in the image: positions begin, begin + dilation, ... before
 * end. */
typedef struct {
  int64_t begin, end;
  int64_t count; /* a sum over the window is divided by it */
} THNNSpan;

static inline THNNSpan THNNWindow_span(const THNNWindow *w, int64_t window)
{
  const int64_t start = window * w->step - w->pad;
  const int64_t end = start + (w->size - 1) * w->dilation + 1;
  const int64_t begin =
      start < 0 ? start + (-start + w->dilation - 1) / w->dilation * w->dilation : start;
  return (THNNSpan){begin, THMin(end, w->input), 1};
}

/* The windows of three axes. */
typedef struct {
  THNNSpan *of[3];
  int64_t dilation[3];
  THNNWindow
      width; /* the window of of[2] if that slides, and the creator set it; else its size is 0 */
} THNNSpans;

/* Allocates count windows along each axis, with dilation 1; the guard, which is entered here, frees
 * them. */
void THNNSpans_reserve(THNNSpans *spans, THGuard *guard, const int64_t count[3]);

/* The windows that divide input positions among output windows, as evenly as possible. */
void THNNSpan_adapt(THNNSpan *span, int64_t input, int64_t output);

#endif
