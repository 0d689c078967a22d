/* Interface of conv.cu: sums of convolutions of planes. */
#ifndef THC_CONV_H
#define THC_CONV_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum THCConvForm { THC_CONV_VALID, THC_CONV_FULL, THC_CONV_REVERSE } THCConvForm;

/* The number of a plane is a sum over p and q, which the result's plane p * count[1] + q has, and
 * the number of the summand. */
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
  const float *map; /* or NULL: row k * mapWidth has the number of the input's plane that belongs to
                        plane k of the kernel, counted from TH_INDEX_BASE */
  int64_t mapWidth;
  int64_t size[2], kernelSize[2], step[2], outSize[2];
  const float *from, *weight;
  float *to; /* holds what is added, times beta */
  float alpha, beta;
} THCConv;

void THCKernel_convolve(const THCConv *conv, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
