/* Kernels that select the first elements of lines.  A block finds the last key that is wanted by
 * radix, digit by digit, and then collects. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

enum { MOST_THREADS = 1024 }; /* of a block */

THC_DEVICE Key select_key(const THCSelectWork &work, Key bits)
{
  return work.descending ? (Key)~key_of(bits) : key_of(bits);
}

/* What the threads of a block share. */
typedef struct Shared {
  uint32_t counts[DIGITS];
  Found found;
  uint32_t warps[2][MOST_THREADS / 32];
} Shared;

/* The key with rank k - 1; shared.found.rank becomes its rank among equal ones. */
THC_DEVICE Key find_key(const THCSelectWork &work, const Key *x, ptrdiff_t n, ptrdiff_t step,
                        Shared &shared)
{
  Key key = 0;
  if (threadIdx.x == 0)
    shared.found.rank = work.k - 1;
  for (int shift = BITS - DIGIT; shift >= 0; shift -= DIGIT) {
    for (unsigned digit = threadIdx.x; digit < DIGITS; digit += blockDim.x)
      shared.counts[digit] = 0;
    __syncthreads();
    for (ptrdiff_t i = threadIdx.x; i < n; i += blockDim.x) {
      const Key other = select_key(work, x[i * step]);
      if ((unsigned long long)(Key)(other ^ key) >> shift < DIGITS)
        atomicAdd(&shared.counts[(other >> shift) % DIGITS], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0)
      find_digit(shared.counts, &shared.found);
    __syncthreads();
    key |= (Key)((Key)shared.found.digit << shift);
  }
  return key;
}

/* How many threads of the block before this one have `is` set; *all is how many of all do. */
THC_DEVICE uint32_t count_before(bool is, uint32_t *warps, uint32_t *all)
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned lanes = __ballot_sync(0xFFFFFFFFu, is);
  if (lane == 0)
    warps[warp] = (uint32_t)__popc(lanes);
  __syncthreads();
  uint32_t before = (uint32_t)__popc(lanes & ((1u << lane) - 1)), sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; w++) {
    if (w == warp)
      before += sum;
    sum += warps[w];
  }
  *all = sum;
  return before;
}

/* Result number `to` of the line is element i. */
THC_DEVICE void take(const THCSelectWork &work, const THCLines &lines, ptrdiff_t line, ptrdiff_t to,
                     Key bits, ptrdiff_t i)
{
  if (work.numbers) {
    work.numbers[line * work.k + to] = (uint32_t)i;
    ((Key *)work.bits)[line * work.k + to] = bits;
    return;
  }
  ((Key *)work.values)[THCLines_at(&lines, 1, line) + to * lines.step[1]] = bits;
  work.indices[THCLines_at(&lines, 2, line) + to * lines.step[2]] = i + TH_INDEX_BASE;
}

__global__ static void select_kernel(THCSelectWork work, THCLines lines)
{
  __shared__ Shared shared;
  const ptrdiff_t line = blockIdx.x, n = lines.length, step = lines.step[0];
  const Key *x = (const Key *)work.from + THCLines_at(&lines, 0, line);
  const Key last = find_key(work, x, n, step, shared);
  const ptrdiff_t rank = shared.found.rank; /* of equal keys, those up to this one are taken */

  for (ptrdiff_t tile = 0, taken = 0, equals = 0; tile < n; tile += blockDim.x) {
    const ptrdiff_t i = tile + threadIdx.x;
    const Key bits = i < n ? x[i * step] : (Key)0, key = select_key(work, bits);
    const bool equal = i < n && key == last, less = i < n && key < last && !work.one;
    if (!__syncthreads_or(equal || less))
      continue;
    uint32_t allEqual, all;
    const ptrdiff_t position = equals + count_before(equal, shared.warps[0], &allEqual);
    const bool wanted = less || (equal && (work.one ? position == rank : position <= rank));
    const ptrdiff_t to = taken + count_before(wanted, shared.warps[1], &all);
    if (wanted)
      take(work, lines, line, to, bits, i);
    taken += all;
    equals += allEqual;
    if (taken == (work.one ? 1 : work.k))
      return;
  }
}

extern "C" void THC_NAME(THCSelect_)(const THCSelectWork *work, const THCLines *lines,
                                     cudaStream_t stream);
void THC_NAME(THCSelect_)(const THCSelectWork *work, const THCLines *lines, cudaStream_t stream)
{
  const int threads = lines->length <= 64 ? 32 : lines->length <= 4096 ? THC_BLOCK : MOST_THREADS;
  THC_LAUNCH(select_kernel, (unsigned)lines->count, threads, 0, stream, *work, *lines);
}
