/* Products with a bias in one call, by cuBLASLt, which is loaded when it is first needed. */
#ifndef THC_BIASED_H
#define THC_BIASED_H

#include "THGeneral.h"

struct THCState;

/* r = x y + bias for rows x depth and depth x columns, by rows: element (i, j) of a matrix lies at i * ld + j, or if
 * it is transposed at j * ld + i.  bias has columns elements.  Float, or Half. */
typedef struct THCBiased {
  int isHalf, transposesX, transposesY;
  int64_t rows, columns, depth;
  const void *x, *y, *bias;
  void *r;
  int64_t ldx, ldy, ldr;
} THCBiased;

/* Queues it; returns 0, and queues nothing, where cuBLASLt is not there or does not take it. */
TH_API int THC_multiplyBiased(struct THCState *state, const THCBiased *p);

#endif
