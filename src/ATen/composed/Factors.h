/* What functions on the factors of batches of matrices share. */
#ifndef ATEN_FACTORS_H
#define ATEN_FACTORS_H

#include "ATen/core/ATenCore.h"

/* Whether t is matrices that LAPACK can count, of one of its types, else an error says so. */
bool at_areMatrices(const char *name, const char *argument, at_tensor *t, bool isSquare);

/* t's sizes with count others, of which there are at most two, instead of the last two; in buffer. */
at_ints at_withSizes(at_tensor *t, int64_t *buffer, int count, int64_t first, int64_t second);

static inline bool at_isDouble(const at_tensor *t)
{
  return at_type_scalarType(at_typeOf(t)) == AT_DOUBLE;
}

/* The number of matrices. */
int64_t at_batchOf(at_tensor *t);

/* Whether a status in info is not 0; then with check an error names the matrix. */
bool at_hasStatus(const char *name, at_tensor *info, bool check, const char *what);

#endif
