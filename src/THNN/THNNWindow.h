/* Windows that slide over images: how many there are, and which of their places lie in the image.
 */
#ifndef THNN_WINDOW_H
#define THNN_WINDOW_H

#include "THNN.h"

/* One dimension of an image. */
typedef struct {
  int64_t input, output; /* places of the image, and windows */
  int64_t size, step, pad, dilation;
} THNNWindow;

/* Raises unless the window is at least one wide, steps forward, and pads with 0 or more; name is
 * "H" or "W". */
void THNNWindow_check(const THNNWindow *window, const char *name);

/* Counts the windows into window->output: those that fit, or with ceil also a last one that begins
 * in the image or its padding.  0 or less if the image is too small. */
void THNNWindow_count(THNNWindow *window, int ceil);

/* The windows [first, end) whose place at offset from their beginning lies in the image. */
static inline void THNNWindow_inside(const THNNWindow *w, int64_t offset, int64_t *first,
                                     int64_t *end)
{
  const int64_t shift = offset - w->pad; /* of the place in window 0 */
  *first = shift < 0 ? (-shift + w->step - 1) / w->step : 0;
  *end = shift >= w->input ? 0 : (w->input - 1 - shift) / w->step + 1;
  *first = THMin(*first, w->output);
  *end = THMax(*first, THMin(*end, w->output));
}

#endif
