/* Kernels that select elements of lines: the last key that is wanted is found by radix, digit by
 * digit, and then the elements are collected.  A block does that for a line; of few long lines, blocks
 * count and collect a chunk each, and a launch for each digit orders them. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

enum {
  MOST_THREADS = 1024, /* of a block */
  PASSES = BITS / DIGIT,
  COUNTS = DIGITS + 1 /* the last one is that of NaN */
};
static_assert((int)DIGITS == (int)THC_SORT_DIGITS, "the host makes room for the counts");

#define ALL_LANES 0xFFFFFFFFu

THC_DEVICE Key select_key(const THCSelectWork &work, Key bits)
{
  const Key key = work.median ? median_key(bits) : key_of(bits);
  return work.descending ? (Key)~key : key;
}

/* What the threads of a block share. */
typedef struct Shared {
  uint32_t counts[COUNTS]; /* counts of this block's elements */
  uint64_t sums[COUNTS];   /* sums of the counts of all blocks */
  THCSelectState state;
  uint32_t warps[2][MOST_THREADS / 32];
} Shared;

/* --- digits ------------------------------------------------------------------------------------ */

/* Adds the elements begin ... end - 1 that have the state's digits to the counts of their next
 * digit, which are 0. */
THC_DEVICE void count_digits(const THCSelectWork &work, const Key *x, ptrdiff_t begin,
                             ptrdiff_t end, ptrdiff_t step, int pass, Shared &shared)
{
  const int shift = BITS - DIGIT * (pass + 1);
  const Key known = (Key)shared.state.key;
  for (ptrdiff_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const Key bits = x[i * step], key = select_key(work, bits);
    if ((unsigned long long)(Key)(key ^ known) >> shift < DIGITS)
      atomicAdd(&shared.counts[(key >> shift) % DIGITS], 1u);
    if (work.median && pass == 0 && is_nan(bits))
      atomicAdd(&shared.counts[DIGITS], 1u);
  }
}

/* The first warp adds the digit of the element with the state's rank to the state. */
template <class Count>
THC_DEVICE void find_digit(const THCSelectWork &work, const Count *counts, int pass,
                           THCSelectState &state)
{
  enum { EACH = DIGITS / 32 };
  const unsigned lane = threadIdx.x % 32;
  const int shift = BITS - DIGIT * (pass + 1);
  const Count *own = &counts[lane * EACH];
  int64_t sum = 0;
  for (int e = 0; e < EACH; e++)
    sum += (int64_t)own[e];
  int64_t up = sum;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int64_t other = __shfl_up_sync(ALL_LANES, up, (unsigned)offset);
    if ((int)lane >= offset)
      up += other;
  }
  const bool nan = work.median && pass == 0 && counts[DIGITS] > 0;
  int64_t rank = nan ? 0 : state.rank;
  __syncwarp();
  if (rank < up - sum || rank >= up)
    return;
  rank -= up - sum;
  unsigned digit = lane * EACH;
  while (rank >= (int64_t)counts[digit])
    rank -= (int64_t)counts[digit++];
  state.key |= (uint64_t)digit << shift;
  state.rank = rank;
}

/* --- elements ---------------------------------------------------------------------------------- */

/* How many threads of the block before this one have `is` set; *all is how many of all do. */
THC_DEVICE uint32_t count_before(bool is, uint32_t *warps, uint32_t *all)
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned lanes = __ballot_sync(ALL_LANES, is);
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

/* Takes those of elements begin ... end - 1 that are wanted; before them in the line, less elements come
 * before the state's key, and equals have it. */
THC_DEVICE void collect(const THCSelectWork &work, const THCLines &lines, ptrdiff_t line,
                        ptrdiff_t begin, ptrdiff_t end, ptrdiff_t less, ptrdiff_t equals,
                        Shared &shared)
{
  const ptrdiff_t step = lines.step[0];
  const Key *x = (const Key *)work.from + THCLines_at(&lines, 0, line);
  const Key last = (Key)shared.state.key;
  const ptrdiff_t rank = shared.state.rank; /* of equal keys, those up to this one are taken */
  ptrdiff_t taken = work.one ? equals > rank : less + (equals <= rank ? equals : rank + 1);
  const ptrdiff_t wantedOfAll = work.one ? 1 : work.k;
  for (ptrdiff_t tile = begin; tile < end && taken < wantedOfAll; tile += blockDim.x) {
    const ptrdiff_t i = tile + threadIdx.x;
    const Key bits = i < end ? x[i * step] : (Key)0, key = select_key(work, bits);
    const bool equal = i < end && key == last, before = i < end && key < last && !work.one;
    if (!__syncthreads_or(equal || before))
      continue;
    uint32_t allEqual, all;
    const ptrdiff_t position = equals + count_before(equal, shared.warps[0], &allEqual);
    const bool wanted = before || (equal && (work.one ? position == rank : position <= rank));
    const ptrdiff_t to = taken + count_before(wanted, shared.warps[1], &all);
    if (wanted)
      take(work, lines, line, to, bits, i);
    taken += all;
    equals += allEqual;
  }
}

/* --- a block for each line --------------------------------------------------------------------- */

__global__ static void select_kernel(THCSelectWork work, THCLines lines)
{
  __shared__ Shared shared;
  const ptrdiff_t line = blockIdx.x, n = lines.length;
  const Key *x = (const Key *)work.from + THCLines_at(&lines, 0, line);
  if (threadIdx.x == 0) {
    shared.state.key = 0;
    shared.state.rank = work.k - 1;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (unsigned d = threadIdx.x; d < COUNTS; d += blockDim.x)
      shared.counts[d] = 0;
    __syncthreads();
    count_digits(work, x, 0, n, lines.step[0], pass, shared);
    __syncthreads();
    if (threadIdx.x < 32)
      find_digit(work, shared.counts, pass, shared.state);
    __syncthreads();
  }
  collect(work, lines, line, 0, n, 0, 0, shared);
}

/* --- a block for each chunk of a line ---------------------------------------------------------- */

/* The first elements of this block's chunk, and of the next. */
THC_DEVICE ptrdiff_t chunk_of(const THCSelectWork &work, const THCLines &lines, ptrdiff_t *end)
{
  const ptrdiff_t begin = blockIdx.x % work.chunks * work.chunk;
  *end = begin + work.chunk < lines.length ? begin + work.chunk : lines.length;
  return begin;
}

THC_DEVICE uint64_t *counts_of(const THCSelectWork &work, const THCLines &lines, int pass,
                               ptrdiff_t line)
{
  return work.counts + (pass * lines.count + line) * COUNTS;
}

/* Every block finds the state after the passes so far from the state before the last one and its
 * counts; one of them writes it down. */
THC_DEVICE void find_state(const THCSelectWork &work, const THCLines &lines, int pass,
                           Shared &shared)
{
  const ptrdiff_t line = blockIdx.x / work.chunks;
  if (pass > 0) {
    const uint64_t *counts = counts_of(work, lines, pass - 1, line);
    for (unsigned d = threadIdx.x; d < COUNTS; d += blockDim.x)
      shared.sums[d] = counts[d];
  }
  if (threadIdx.x == 0 && pass < 2) {
    shared.state.key = 0;
    shared.state.rank = work.k - 1;
  } else if (threadIdx.x == 0) {
    shared.state = work.states[(pass - 1) * lines.count + line];
  }
  __syncthreads();
  if (pass > 0 && threadIdx.x < 32)
    find_digit(work, shared.sums, pass - 1, shared.state);
  __syncthreads();
  if (pass > 0 && threadIdx.x == 0 && blockIdx.x % work.chunks == 0)
    work.states[pass * lines.count + line] = shared.state;
}

__global__ static void count_chunks(THCSelectWork work, THCLines lines, int pass)
{
  __shared__ Shared shared;
  const ptrdiff_t line = blockIdx.x / work.chunks;
  ptrdiff_t end;
  const ptrdiff_t begin = chunk_of(work, lines, &end);
  find_state(work, lines, pass, shared);
  for (unsigned d = threadIdx.x; d < COUNTS; d += blockDim.x)
    shared.counts[d] = 0;
  __syncthreads();
  count_digits(work, (const Key *)work.from + THCLines_at(&lines, 0, line), begin, end,
               lines.step[0], pass, shared);
  __syncthreads();
  uint64_t *counts = counts_of(work, lines, pass, line);
  for (unsigned d = threadIdx.x; d < COUNTS; d += blockDim.x)
    if (shared.counts[d] > 0)
      atomicAdd((unsigned long long *)&counts[d], (unsigned long long)shared.counts[d]);
}

/* How many elements of each chunk come before the key, and how many have it. */
__global__ static void count_kept(THCSelectWork work, THCLines lines)
{
  __shared__ Shared shared;
  const ptrdiff_t line = blockIdx.x / work.chunks, step = lines.step[0];
  const Key *x = (const Key *)work.from + THCLines_at(&lines, 0, line);
  ptrdiff_t end;
  const ptrdiff_t begin = chunk_of(work, lines, &end);
  find_state(work, lines, PASSES, shared);
  const Key last = (Key)shared.state.key;
  uint32_t less = 0, equals = 0;
  for (ptrdiff_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const Key key = select_key(work, x[i * step]);
    less += key < last;
    equals += key == last;
  }
  if (threadIdx.x < 2)
    shared.counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&shared.counts[0], less);
  atomicAdd(&shared.counts[1], equals);
  __syncthreads();
  if (threadIdx.x < 2)
    work.kept[blockIdx.x * (ptrdiff_t)2 + threadIdx.x] = shared.counts[threadIdx.x];
}

__global__ static void collect_chunks(THCSelectWork work, THCLines lines)
{
  __shared__ Shared shared;
  const ptrdiff_t line = blockIdx.x / work.chunks, own = blockIdx.x % work.chunks;
  const uint64_t *kept = work.kept + line * work.chunks * 2;
  ptrdiff_t end;
  const ptrdiff_t begin = chunk_of(work, lines, &end);
  if (threadIdx.x < 2)
    shared.sums[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    shared.state = work.states[PASSES * lines.count + line];
  __syncthreads();
  for (ptrdiff_t p = threadIdx.x; p < 2 * own; p += blockDim.x)
    atomicAdd((unsigned long long *)&shared.sums[p % 2], (unsigned long long)kept[p]);
  __syncthreads();
  collect(work, lines, line, begin, end, (ptrdiff_t)shared.sums[0], (ptrdiff_t)shared.sums[1],
          shared);
}

/* --- the launcher ------------------------------------------------------------------------------ */

static void select_by_chunks(const THCSelectWork *work, const THCLines *lines, cudaStream_t stream)
{
  const unsigned blocks = (unsigned)(lines->count * work->chunks);
  cudaMemsetAsync(work->counts, 0, (size_t)(PASSES * lines->count * COUNTS) * sizeof(uint64_t),
                  stream);
  for (int pass = 0; pass < PASSES; pass++)
    THC_LAUNCH(count_chunks, blocks, THC_BLOCK, 0, stream, *work, *lines, pass);
  THC_LAUNCH(count_kept, blocks, THC_BLOCK, 0, stream, *work, *lines);
  THC_LAUNCH(collect_chunks, blocks, THC_BLOCK, 0, stream, *work, *lines);
}

extern "C" void THC_NAME(THCSelect_)(const THCSelectWork *work, const THCLines *lines,
                                     cudaStream_t stream);
void THC_NAME(THCSelect_)(const THCSelectWork *work, const THCLines *lines, cudaStream_t stream)
{
  const int threads = lines->length <= 64 ? 32 : lines->length <= 4096 ? THC_BLOCK : MOST_THREADS;
  if (work->chunks > 1)
    select_by_chunks(work, lines, stream);
  else
    THC_LAUNCH(select_kernel, (unsigned)lines->count, threads, 0, stream, *work, *lines);
}
