/* What the rows of src/ops/updates.h read, on both devices. */
#ifndef ATEN_OPTIM_NUMBERS_H
#define ATEN_OPTIM_NUMBERS_H

/* First x is multiplied by shrink; then g = sign * g + decay * x. */
typedef struct at_numbers {
  double sign, shrink, decay, rate, a, b, c, d, e, f;
} at_numbers;

#define AT_LARGER(X, Y) ((((X) >= (Y)) | ((X) != (X))) ? (X) : (Y)) /* NaN if one is */

#endif
