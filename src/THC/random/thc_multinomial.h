/* Interface of multinomial.cu.  Distributions are rows x columns doubles without gaps. */
#ifndef THC_MULTINOMIAL_H
#define THC_MULTINOMIAL_H

#include <cuda_runtime_api.h>

#include "THCRandomDraw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with a row, the gravest first. */
typedef enum THCDistributionFault {
  THC_DISTRIBUTION_FINE,
  THC_DISTRIBUTION_FEW, /* fewer positive probabilities than `wanted` */
  THC_DISTRIBUTION_ODD  /* a negative probability, an infinite one, NaN */
} THCDistributionFault;

/* *fault becomes the worst of all rows; it is 0 before. */
void THCKernel_checkDistributions(const double *p, int64_t rows, int64_t columns, int64_t wanted,
                                  int *fault, cudaStream_t stream);

/* Sample j of row i takes two words, as the element i * samples + j of random.cu; sums are the
 * cumulative sums of p. */
void THCKernel_drawIndices(const double *p, const double *sums, int64_t rows, int64_t columns,
                           int64_t samples, THCDraw draw, int64_t *indices, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
