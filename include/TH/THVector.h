/* Functions of each element on plain arrays, which the tensor functions of the same names use for
 * contiguous elements; in the calling thread.
 *
 *     float x[100], y[100];
 *     THFloatVector_exp(y, x, 100);
 *     THFloatVector_cadd(y, y, x, 0.5f, 100);            y = y + 0.5 x
 *
 * The result may be one of the operands, but may not overlap them otherwise. */
#ifndef TH_VECTOR_H
#define TH_VECTOR_H

#include "THGeneral.h"
#include "THRandom.h"
#include "THTypes.h"

#define THVector_(NAME) TH_CONCAT_4(TH, Real, Vector_, NAME)

#define TH_GENERIC_FILE "generic/THVector.h"
#include "THGenerateAllTypes.h"

#endif
