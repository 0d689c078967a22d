/* How a training goes: a bar in the terminal, and the curve of its losses as text and as a picture.
 *
 *     at_progress *p = at_progress_new(1000, .out = STDOUT_FILENO);
 *     for (int step = 0; step < 1000; step++)
 *       at_progress_step(p, train());
 *     at_progress_save(p, "loss.png");
 *     at_progress_free(p);
 *
 * Nothing is written that is not asked for. */
#ifndef ATEN_PROGRESS_H
#define ATEN_PROGRESS_H

#include "ATenTensor.h"

/* One thread uses a progress at a time. */
typedef struct at_progress at_progress;

typedef struct at_progress_new_options {
  int out; /* 0: nothing is written; or a file descriptor: on a terminal one line with a bar, which is
            * drawn anew, up to 20 times a second, elsewhere a line every so many steps and at the end */
  int64_t every; /* 0: these steps; 0 is a tenth of all */
} at_progress_new_options;
AT_API const at_progress_new_options at_progress_new_defaults;

/* The progress of so many steps, at least one.  NULL after an error.
 *
 *     at_progress_new(int steps, *, int out=0, int every=0) -> at_progress */
AT_API at_progress *at_progress_new(int64_t steps,
                                    const at_progress_new_options *options) AT_MUST_USE;

/* A step was made, and that was its loss, which is kept.  More steps than were announced are an error.
 * False after an error; that of writing a line is none. */
AT_API bool at_progress_step(at_progress *progress, double loss);

/* The curve of the losses as text of that many rows (2 to 200) and columns (20 to 1000), with a newline
 * behind each row; to be freed by at_string_free.  Each column has the mean of its steps; losses that are
 * not finite are left out.  NULL after an error: no step was made. */
AT_API char *at_progress_curve(const at_progress *progress, int rows, int columns) AT_MUST_USE;

/* Writes the curve as a PNG file of 640 x 400 pixels, with the limits of both axes.  False after an
 * error; then a file that was there is unchanged. */
AT_API bool at_progress_save(const at_progress *progress, const char *path);

/* NULL is accepted. */
AT_API void at_progress_free(at_progress *progress);

#endif
