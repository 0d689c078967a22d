/* Event files, which TensorBoard shows: numbers, distributions, pictures and text of a training.
 *
 *     at_summary *s = at_summary_new("runs/first");          tensorboard --logdir runs
 *     for (int64_t step = 0; step < 1000; step++)
 *       at_summary_scalar(s, "loss", train(), step);
 *     at_summary_free(s);
 *
 * What is added is in the file when a function returns.  Functions return false after an error: the file
 * system's, or an argument's, of which nothing is written. */
#ifndef ATEN_SUMMARY_H
#define ATEN_SUMMARY_H

#include "ATenTensor.h"

/* One thread uses a summary at a time. */
typedef struct at_summary at_summary;

/* Makes the folder, whose parent exists, unless it is there, and in it a new event file.  NULL after an
 * error. */
AT_API at_summary *at_summary_new(const char *folder) AT_MUST_USE;

/* A point of the curve of that name; curves with the same first part, as in "loss/train", are shown
 * together. */
AT_API bool at_summary_scalar(at_summary *summary, const char *tag, double value, int64_t step);

/* The distribution of the elements, in 30 intervals of one width.  They are finite, at least one, of any
 * type but the complex ones. */
AT_API bool at_summary_histogram(at_summary *summary, const char *tag, at_tensor *values,
                                 int64_t step);

/* A picture of 1 x height x width (grey) or 3 x height x width (red, green, blue): Bytes, or floating
 * numbers from 0 to 1, which are limited to that range. */
AT_API bool at_summary_image(at_summary *summary, const char *tag, at_tensor *image, int64_t step);

/* A text, in UTF-8; TensorBoard reads it as Markdown. */
AT_API bool at_summary_text(at_summary *summary, const char *tag, const char *text, int64_t step);

/* Closes the file.  NULL is accepted. */
AT_API void at_summary_free(at_summary *summary);

#endif
