/* A picture of what happened. */
#ifndef DIGITS_PICTURE_H
#define DIGITS_PICTURE_H

#include <TH/TH.h>

/* Draws a PNG file: on the left the loss of each epoch (if there are epochs), on the right the
 * images whose answer is not their label, each with both. */
void picture_draw(const char *path, const double *losses, int64_t epochs, THFloatTensor *images,
                  THLongTensor *labels, THLongTensor *answers);

#endif
