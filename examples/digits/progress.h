/* How training goes: a bar where a person watches, else a line per epoch. */
#ifndef DIGITS_PROGRESS_H
#define DIGITS_PROGRESS_H

#include <stdint.h>

/* After each batch: the part of this epoch that is done, the mean loss over it, and the part of its
 * images that were read right. */
void progress_batch(int64_t epoch, int64_t epochs, double part, double loss, double right);

/* After each epoch. */
void progress_epoch(int64_t epoch, int64_t epochs, double loss, double right);

#endif
