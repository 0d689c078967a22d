/* Interface of multinomial.cu.  Distributions are rows x columns doubles without gaps. */
#ifndef THC_MULTINOMIAL_H
#define THC_MULTINOMIAL_H

#include <cuda_runtime_api.h>

#include "THC/core/thc_fault.h"
#include "THCRandomDraw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reports an element of p, of doubles or floats, that is not from 0 to 1. */
void THCKernel_checkUnit(const void *p, int doubles, int64_t count, const THCReport *report,
                         cudaStream_t stream);

/* Reports a row that has what is no probability, or fewer positive probabilities than `wanted`.  Indices drawn
 * from such a row are any of its columns. */
void THCKernel_checkDistributions(const double *p, int64_t rows, int64_t columns, int64_t wanted,
                                  const THCReport *report, cudaStream_t stream);

/* Sample j of row i takes two words, as the element i * samples + j of random.cu; sums are the
 * cumulative sums of p. */
void THCKernel_drawIndices(const double *p, const double *sums, int64_t rows, int64_t columns,
                           int64_t samples, THCDraw draw, int64_t *indices, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
