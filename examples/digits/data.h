/* The handwritten digits. */
#ifndef DIGITS_DATA_H
#define DIGITS_DATA_H

#include <TH/TH.h>

enum {
  DIGIT_SIDE = 8, /* pixels */
  DIGIT_MAX = 16, /* the darkest pixel in the file */
  DIGIT_CLASSES = 10,
  TRAIN_ROWS = 1437, /* the first ones of the file, to learn from */
  TEST_ROWS = 360    /* the last ones, by writers of their own */
};

typedef struct Digits {
  THFloatTensor *images; /* rows x 1 x 8 x 8, from 0 (white) to 1 */
  THLongTensor *labels;  /* rows, from 0 to 9 */
} Digits;

/* Reads a gzip-compressed CSV file: a line a digit, 64 pixels from 0 to 16, row by row, and then
 * the digit that they show.  Raises an error that names the position of the first thing that is
 * wrong, also when there are fewer lines than least. */
Digits *digits_read(const char *path, int64_t least);
void digits_free(void *digits); /* NULL is nothing to free */

#endif
