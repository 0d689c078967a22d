/* The kernel of RReLU in training. */
#include "THCUNN/layer/thcunn_template.h"

#include "THPhilox.h"

/* The slope is 1 above 0, and elsewhere drawn by a subsequence for each element. */
__global__ static void rrelu(int64_t n, uint64_t seed, uint64_t offset, real lower, real upper,
                             const element *x, element *slopes, element *y)
{
  THC_GRID_LOOP(i, n)
  {
    uint32_t words[4];
    THPhilox_words(seed, (uint64_t)i, offset, words);
    const real share = (real)(words[0] >> 8) * (real)0x1p-24f, v = THC_LOAD(x[i]);
    const element slope = THC_STORE(v <= 0 ? lower + (upper - lower) * share : (real)1);
    slopes[i] = slope;
    y[i] = THC_STORE(v * THC_LOAD(slope));
  }
}

extern "C" void THCUNN_(rrelu)(int64_t n, uint64_t seed, uint64_t offset, double lower,
                               double upper, const void *x, void *slopes, void *y,
                               cudaStream_t stream)
{
  THC_LAUNCH(rrelu, THC_blocks(n), THC_BLOCK, 0, stream, n, seed, offset, (real)lower, (real)upper,
             (const element *)x, (element *)slopes, (element *)y);
}
