/* Kernels with a mistake when wrong is 1, and without when it is 0. */
#ifndef CUSIM_PLANTED_H
#define CUSIM_PLANTED_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which mode the kernels were compiled for: "plain", "asan" or "race". */
const char *planted_mode(void);

/* All take 256 floats, or as many as said. */
void planted_global_bounds(int wrong, float *x, cudaStream_t stream);
void planted_shared_bounds(int wrong, float *x, cudaStream_t stream);
void planted_dynamic_bounds(int wrong, float *x, cudaStream_t stream);
void planted_barrier(int wrong, float *x, cudaStream_t stream);
void planted_warp_barrier(int wrong, float *x, cudaStream_t stream);
void planted_atomic(int wrong, float *x, cudaStream_t stream);
void planted_blocks(int wrong, float *x, cudaStream_t stream);
void planted_divergent(int wrong, float *x, cudaStream_t stream);
void planted_two_barriers(int wrong, float *x, cudaStream_t stream);
void planted_mask(int wrong, float *x, cudaStream_t stream);
void planted_lane(int wrong, float *x, cudaStream_t stream);
void planted_fill(float *x, float value, cudaStream_t stream);
void planted_copy(float *y, const float *x, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
