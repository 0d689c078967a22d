/* What the rows of src/ops/updates.h read, on both devices. */
#ifndef ATEN_OPTIM_NUMBERS_H
#define ATEN_OPTIM_NUMBERS_H

#include <stdint.h>

/* First x is multiplied by shrink; then g = sign * g + decay * x. */
typedef struct at_numbers {
  double sign, shrink, decay, rate, a, b, c, d, e, f;
} at_numbers;

/* Many parameters of one type that a launch on a device changes by the same numbers, each with its gradient and states
 * in one piece.  Blocks share a job in chunks.  This is an argument of a kernel, which may have 4 KB. */
enum { AT_MANY = 72, AT_MANY_OPERANDS = 5, AT_MANY_CHUNK = 4096 };
typedef struct at_update_many {
  at_numbers numbers;
  int jobs;
  int end[AT_MANY]; /* the blocks of all jobs up to this one */
  int64_t count[AT_MANY];
  void *at[AT_MANY][AT_MANY_OPERANDS];
} at_update_many;

/* The sum of |x|^order over each chunk of the first operands of many jobs, or the largest |x| for infinity. */
typedef struct at_powers {
  at_update_many many;
  double order;
  double *to; /* a number for each block */
} at_powers;

#define AT_LARGER(X, Y) ((((X) >= (Y)) | ((X) != (X))) ? (X) : (Y)) /* NaN if one is */

#endif
