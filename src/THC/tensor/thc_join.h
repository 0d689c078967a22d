/* Interface of join.cu, which replaces TH's THJoin.h when its template is compiled for the device. */
#ifndef THC_JOIN_H
#define THC_JOIN_H

#include "THC/core/thc_kernels.h"

#define TH_JOIN_MOST PTRDIFF_MAX /* bytes of a part: any */

/* A source's part of each row: its elements are step bytes apart, its rows rowStride bytes. */
typedef struct THJoinPart {
  const char *from;
  ptrdiff_t rowStride, step;
  size_t bytes;
} THJoinPart;

#ifdef __cplusplus
extern "C" {
#endif

/* Writes contiguous rows of count parts each to to, in a launch for every THC_JOIN_PARTS of them. */
enum { THC_JOIN_PARTS = 32 };
void THCJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows, size_t itemSize,
                  cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
