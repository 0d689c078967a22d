/* The distinct rows of a matrix on a device. */
#ifndef AT_UNIQUE_DEVICE_H
#define AT_UNIQUE_DEVICE_H

#include "ATen/core/ATenCore.h"

/* made[0] gets the distinct rows, in ascending order if sorted, else the first of each run of equal
 * rows; made[1], if inverse, the number in made[0] of each row, and made[2], if counts, how many rows
 * each stands for.  The type has no complex numbers and is one that sorts.  The pool holds them. */
void at_uniqueOnDevice(at_pool *pool, at_tensor *rows, bool sorted, bool inverse, bool counts,
                       at_tensor **made);

#endif
