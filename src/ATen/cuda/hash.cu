/* The kernel of hashes: a warp for each chunk of a row. */
#include "at_kernel.h"

enum { WARP_ELEMENTS = 2048 }; /* of a row, that a warp combines */

__global__ static void hash(at_hash_work w)
{
  const ptrdiff_t chunks = (w.n + WARP_ELEMENTS - 1) / WARP_ELEMENTS, lane = threadIdx.x % 32;
  THC_ROLL
  for (ptrdiff_t i = ((ptrdiff_t)blockIdx.x * THC_BLOCK + threadIdx.x) / 32; i < w.rows * chunks;
       i += (ptrdiff_t)gridDim.x * AT_WARPS) {
    const ptrdiff_t row = i / chunks, begin = i % chunks * WARP_ELEMENTS;
    const ptrdiff_t end = begin + WARP_ELEMENTS < w.n ? begin + WARP_ELEMENTS : w.n;
    unsigned long long bits = 0;
    for (ptrdiff_t j = begin + lane; j < end; j += 32)
      bits ^= w.bits[row * w.n + j];
    for (int offset = 16; offset > 0; offset /= 2)
      bits ^= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
    if (lane == 0)
      atomicXor((unsigned long long *)w.to + row, bits);
  }
}

AT_LAUNCHER(hash, at_hash_work)
{
  const ptrdiff_t chunks = (work->n + WARP_ELEMENTS - 1) / WARP_ELEMENTS;
  THC_LAUNCH(hash, THC_blocks(work->rows * chunks * 32), THC_BLOCK, 0, stream, *work);
}
