/* Windows that slide over images: how many there are, and tables of them. */
#ifndef THNN_WINDOW_H
#define THNN_WINDOW_H

#include "THNN.h"
#include "ops/windows.h"

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

/* Windows that divide the input among the outputs, as evenly as possible. */
static inline THNNWindow THNNWindow_adaptive(int64_t input, int64_t output)
{
  return (THNNWindow){input, output, .kind = THNN_ADAPTS};
}

/* Reserves and fills the windows of three axes, which slide or adapt. */
void THNNSpans_divided(THNNSpans *spans, THGuard *guard, const THNNWindow axis[3],
                       THNNDivide divide);

#endif
