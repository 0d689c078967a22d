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

/* A function of LAPACK for one m x n matrix by columns on a device. */
struct THCDeviceLapack;
typedef void at_factor_function(const struct THCDeviceLapack *lapack, int m, int n, void *a,
                                int *pivots, int *status);

/* Calls it for each matrix of columns, with its min(m, n) pivots, if there are some, and its status, and waits for
 * nothing; false after an error. */
bool at_queueFactors(const char *name, at_factor_function *factor, at_tensor *columns,
                     at_tensor *pivots, at_tensor *info);

/* Whether a status in info is not 0; then with check an error names the matrix. */
bool at_hasStatus(const char *name, at_tensor *info, bool check, const char *what);

#endif
