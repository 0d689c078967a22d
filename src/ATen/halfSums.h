/* Sums of elements of two bytes as they are (see THReduceSource). */
#ifndef ATEN_HALF_SUMS_H
#define ATEN_HALF_SUMS_H

#include <stdbool.h>

#include "TH.h"
#include "TH/THReduce.h"

typedef int (*at_taking)(void *states, const THRows *block);

/* By AT_HALF_SUMS(whether BFloat16, and not Half; whether of squares); NULL where there are none.
 */
#define AT_HALF_SUMS(BFLOAT, SQUARES) (2 * (BFLOAT) + (SQUARES))
extern const at_taking *at_halfSums;

#endif
