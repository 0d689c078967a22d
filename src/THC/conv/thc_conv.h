/* Interface of conv.cu: sums of convolutions of planes.
 *
 * Plane p * count[1] + q of the result is the sum over s, the summand, of the convolutions of input
 * plane p * input.p + q * input.q + s * input.summand with kernel plane p * kernel.p + q * kernel.q + s
 * * kernel.summand. */
#ifndef THC_CONV_H
#define THC_CONV_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum THCConvForm { THC_CONV_VALID, THC_CONV_FULL, THC_CONV_REVERSE } THCConvForm;

/* How the number of a plane follows from p, q and the summand. */
typedef struct THCConvPlane {
  int64_t p, q, summand;
} THCConvPlane;

/* All tensors are arrays [plane][row][column]. */
typedef struct THCConv {
  THCConvForm form;
  int flips;        /* the kernel is mirrored */
  int64_t count[2]; /* of p and q */
  int64_t summands;
  THCConvPlane input, kernel;
  const float
      *map; /* or NULL: map[k * mapWidth] is the number of the input plane for kernel plane k,
                     * counted from TH_INDEX_BASE */
  int64_t mapWidth; /* columns of the map */
  int64_t size[2], kernelSize[2], step[2], outSize[2];
  const float *from, *weight;
  float *to; /* the result, to whose old values times beta the sums times alpha are added */
  float alpha, beta;
} THCConv;

void THCKernel_convolve(const THCConv *conv, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
