/* Kernels that sort lines.  Short lines are sorted in shared memory, several to a block; longer ones
 * by radix, from the lowest digit on, which keeps equal elements in order. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

enum {
  WARPS = THC_BLOCK / 32,
  ROUNDS = THC_SORT_TILE / THC_BLOCK, /* elements of a thread */
  PASSES = BITS / DIGIT
};
static_assert((int)DIGITS == THC_BLOCK && (int)DIGITS == (int)THC_SORT_DIGITS,
              "a thread for each digit");

#define ALL_LANES 0xFFFFFFFFu

THC_DEVICE Key sort_key(const THCSortWork &work, Key bits)
{
  return work.descending ? (Key)~key_of(bits) : key_of(bits);
}

THC_DEVICE Key element_at(const THCSortWork &work, const THCLines &lines, ptrdiff_t line,
                          ptrdiff_t i)
{
  return ((const Key *)work.from)[THCLines_at(&lines, 0, line) + i * lines.step[0]];
}

THC_DEVICE uint32_t number_at(const THCSortWork &work, const THCLines &lines, ptrdiff_t line,
                              ptrdiff_t i)
{
  return work.numbers ? work.numbers[line * lines.length + i] : (uint32_t)i;
}

THC_DEVICE void put(const THCSortWork &work, const THCLines &lines, ptrdiff_t line, ptrdiff_t i,
                    Key bits, uint32_t number)
{
  ((Key *)work.values)[THCLines_at(&lines, 1, line) + i * lines.step[1]] = bits;
  if (work.indices)
    work.indices[THCLines_at(&lines, 2, line) + i * lines.step[2]] =
        (int64_t)number + TH_INDEX_BASE;
}

/* --- short lines ------------------------------------------------------------------------------- */

/* Whether the element at slot a of a line comes before the one at slot b.  Slots from length on hold
 * nothing, and their ranks are not below length. */
THC_DEVICE bool comes_before(const Key *keys, const uint32_t *ranks, uint32_t length, int a, int b)
{
  const bool hole = ranks[a] >= length;
  if (hole != (ranks[b] >= length))
    return !hole;
  return keys[a] != keys[b] ? keys[a] < keys[b] : ranks[a] < ranks[b];
}

/* A bitonic network for lines of `width` slots each, a power of 2.  Ranks are numbers of elements as
 * they are read: equal keys stay in that order. */
__global__ static void sort_short(THCSortWork work, THCLines lines, int width)
{
  __shared__ Key keys[THC_SORT_SHORT];
  __shared__ uint32_t ranks[THC_SORT_SHORT];
  const ptrdiff_t first = (ptrdiff_t)blockIdx.x * (THC_SORT_SHORT / width);
  const uint32_t length = (uint32_t)lines.length;
  for (int i = (int)threadIdx.x; i < THC_SORT_SHORT; i += THC_BLOCK) {
    const ptrdiff_t line = first + i / width;
    const uint32_t k = (uint32_t)(i % width);
    keys[i] =
        line < lines.count && k < length ? sort_key(work, element_at(work, lines, line, k)) : 0;
    ranks[i] = k;
  }
  for (int size = 2; size <= width; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int p = (int)threadIdx.x; p < THC_SORT_SHORT / 2; p += THC_BLOCK) {
        const int low = 2 * p - (p & (distance - 1)), high = low + distance;
        const bool upwards = ((low & (width - 1)) & size) == 0;
        if (comes_before(keys, ranks, length, high, low) == upwards) {
          const Key key = keys[low];
          const uint32_t rank = ranks[low];
          keys[low] = keys[high];
          ranks[low] = ranks[high];
          keys[high] = key;
          ranks[high] = rank;
        }
      }
    }
  __syncthreads();
  /* Bits are read again by rank: zeros of either sign have one key.  All are read before any is
   * written, as the results may be the operand. */
  Key bits[THC_SORT_SHORT / THC_BLOCK];
  THC_UNROLL
  for (int r = 0; r < THC_SORT_SHORT / THC_BLOCK; r++) {
    const int i = (int)threadIdx.x + r * THC_BLOCK;
    const ptrdiff_t line = first + i / width;
    if (line < lines.count && (uint32_t)(i % width) < length)
      bits[r] = element_at(work, lines, line, ranks[i]);
  }
  __syncthreads();
  THC_UNROLL
  for (int r = 0; r < THC_SORT_SHORT / THC_BLOCK; r++) {
    const int i = (int)threadIdx.x + r * THC_BLOCK;
    const ptrdiff_t line = first + i / width;
    if (line < lines.count && (uint32_t)(i % width) < length)
      put(work, lines, line, i % width, bits[r], number_at(work, lines, line, ranks[i]));
  }
}

/* --- longer lines ------------------------------------------------------------------------------ */

/* One digit: elements move from source to target.  The first pass reads the operand, the last one
 * writes the results. */
typedef struct Pass {
  int shift, first, last, source, target;
  ptrdiff_t tiles; /* of a line */
} Pass;

/* The buffers of a pass: chosen without an index into the argument, which would go to local memory. */
THC_DEVICE Key *bits_of(const THCSortWork &work, int buffer)
{
  return (Key *)(buffer ? work.bits[1] : work.bits[0]);
}

THC_DEVICE uint32_t *number_of(const THCSortWork &work, int buffer)
{
  return buffer ? work.number[1] : work.number[0];
}

THC_DEVICE Key bits_at(const THCSortWork &work, const THCLines &lines, const Pass &pass,
                       ptrdiff_t line, ptrdiff_t i)
{
  return pass.first ? element_at(work, lines, line, i)
                    : bits_of(work, pass.source)[line * lines.length + i];
}

THC_DEVICE unsigned digit_of(const THCSortWork &work, const Pass &pass, Key bits)
{
  return (unsigned)(sort_key(work, bits) >> pass.shift) % DIGITS;
}

/* The row of counts of a line's digit. */
THC_DEVICE uint32_t *counts_of(const THCSortWork &work, const Pass &pass, ptrdiff_t line,
                               unsigned digit)
{
  return work.counts + (line * DIGITS + digit) * pass.tiles;
}

/* The sum of all of a line's digits; behind the rows of all lines. */
THC_DEVICE uint32_t *totals_of(const THCSortWork &work, const THCLines &lines, const Pass &pass,
                               ptrdiff_t line)
{
  return work.counts + lines.count * DIGITS * pass.tiles + line * DIGITS;
}

/* Counts the digits of a tile. */
__global__ static void count_digits(THCSortWork work, THCLines lines, Pass pass)
{
  __shared__ uint32_t counts[DIGITS];
  const ptrdiff_t line = blockIdx.x / pass.tiles, tile = blockIdx.x % pass.tiles;
  counts[threadIdx.x] = 0;
  __syncthreads();
  THC_UNROLL
  for (int r = 0; r < ROUNDS; r++) {
    const ptrdiff_t i = tile * THC_SORT_TILE + r * THC_BLOCK + threadIdx.x;
    if (i < lines.length)
      atomicAdd(&counts[digit_of(work, pass, bits_at(work, lines, pass, line, i))], 1u);
  }
  __syncthreads();
  counts_of(work, pass, line, threadIdx.x)[tile] = counts[threadIdx.x];
}

/* The sum over the lanes up to this one. */
THC_DEVICE uint32_t sum_up(uint32_t value)
{
  const int lane = (int)threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const uint32_t other = __shfl_up_sync(ALL_LANES, value, (unsigned)distance);
    if (lane >= distance)
      value += other;
  }
  return value;
}

/* A warp replaces the counts of a digit by the sums over the tiles before. */
__global__ static void scan_counts(THCSortWork work, THCLines lines, Pass pass)
{
  const ptrdiff_t row = (ptrdiff_t)blockIdx.x * WARPS + threadIdx.x / 32, line = row / DIGITS;
  const unsigned digit = (unsigned)(row % DIGITS);
  uint32_t *counts = counts_of(work, pass, line, digit), before = 0;
  for (ptrdiff_t first = 0; first < pass.tiles; first += 32) {
    const ptrdiff_t tile = first + threadIdx.x % 32;
    const uint32_t own = tile < pass.tiles ? counts[tile] : 0, sum = sum_up(own);
    if (tile < pass.tiles)
      counts[tile] = before + sum - own;
    before += __shfl_sync(ALL_LANES, sum, 31);
  }
  if (threadIdx.x % 32 == 0)
    totals_of(work, lines, pass, line)[digit] = before;
}

/* The sum over the threads before this one. */
THC_DEVICE uint32_t sum_before(uint32_t own, uint32_t *warps)
{
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  const uint32_t sum = sum_up(own);
  __syncthreads();
  if (lane == 31)
    warps[warp] = sum;
  __syncthreads();
  uint32_t before = sum - own;
  for (int w = 0; w < warp; w++)
    before += warps[w];
  return before;
}

/* What the threads of a block share as they move a tile. */
typedef struct Tile {
  uint32_t counters[WARPS][DIGITS]; /* elements of each digit; then those of the warps before */
  uint32_t begins[DIGITS];          /* where each digit begins in the sorted tile */
  uint32_t targets[DIGITS];         /* where this tile's elements of each digit go to in the line */
  uint32_t warps[WARPS];
  Key bits[THC_SORT_TILE]; /* the sorted tile */
  uint32_t numbers[THC_SORT_TILE];
} Tile;

/* Counts an element of each lane; returns how many of its digit there were before in the warp. */
THC_DEVICE uint32_t count_in_warp(uint32_t *counters, unsigned digit, bool is)
{
  const unsigned lane = threadIdx.x % 32;
  const unsigned peers = __match_any_sync(ALL_LANES, is ? digit : (unsigned)DIGITS);
  const uint32_t before = is ? counters[digit] : 0;
  const unsigned rank = (unsigned)__popc(peers & ((1u << lane) - 1));
  __syncwarp();
  if (is && rank == 0)
    counters[digit] = before + (uint32_t)__popc(peers);
  __syncwarp();
  return before + rank;
}

/* Thread d turns the counters of digit d into the sums over the warps before, and finds where the
 * digit begins. */
THC_DEVICE void place_digits(const THCSortWork &work, const THCLines &lines, const Pass &pass,
                             ptrdiff_t line, ptrdiff_t tile, Tile &t)
{
  const unsigned d = threadIdx.x;
  uint32_t sum = 0;
  THC_UNROLL
  for (int w = 0; w < WARPS; w++) {
    const uint32_t count = t.counters[w][d];
    t.counters[w][d] = sum;
    sum += count;
  }
  t.begins[d] = sum_before(sum, t.warps);
  t.targets[d] = sum_before(totals_of(work, lines, pass, line)[d], t.warps) +
                 counts_of(work, pass, line, d)[tile];
}

/* Moves the elements of a tile to their positions: first, sorted, to shared memory, so that neighbours
 * are written together. */
__global__ static void move_digits(THCSortWork work, THCLines lines, Pass pass)
{
  __shared__ Tile t;
  const ptrdiff_t line = blockIdx.x / pass.tiles, tile = blockIdx.x % pass.tiles;
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  const ptrdiff_t begin = tile * THC_SORT_TILE;
  for (int w = 0; w < WARPS; w++)
    t.counters[w][threadIdx.x] = 0;
  __syncthreads();

  Key bits[ROUNDS];
  uint32_t before[ROUNDS];
  THC_UNROLL
  for (int r = 0; r < ROUNDS; r++) {
    const ptrdiff_t i = begin + (warp * ROUNDS + r) * 32 + lane;
    bits[r] = i < lines.length ? bits_at(work, lines, pass, line, i) : (Key)0;
    before[r] = count_in_warp(t.counters[warp], digit_of(work, pass, bits[r]), i < lines.length);
  }
  __syncthreads();
  place_digits(work, lines, pass, line, tile, t);
  __syncthreads();
  THC_UNROLL
  for (int r = 0; r < ROUNDS; r++) {
    const ptrdiff_t i = begin + (warp * ROUNDS + r) * 32 + lane;
    const unsigned digit = digit_of(work, pass, bits[r]);
    if (i >= lines.length)
      continue;
    const uint32_t at = t.begins[digit] + t.counters[warp][digit] + before[r];
    t.bits[at] = bits[r];
    t.numbers[at] = pass.first ? number_at(work, lines, line, i)
                               : number_of(work, pass.source)[line * lines.length + i];
  }
  __syncthreads();
  for (ptrdiff_t i = threadIdx.x; i < THC_SORT_TILE && begin + i < lines.length; i += THC_BLOCK) {
    const unsigned digit = digit_of(work, pass, t.bits[i]);
    const ptrdiff_t to = (ptrdiff_t)t.targets[digit] + (i - (ptrdiff_t)t.begins[digit]);
    if (pass.last) {
      put(work, lines, line, to, t.bits[i], t.numbers[i]);
    } else {
      bits_of(work, pass.target)[line * lines.length + to] = t.bits[i];
      number_of(work, pass.target)[line * lines.length + to] = t.numbers[i];
    }
  }
}

/* --- the launcher ------------------------------------------------------------------------------ */

extern "C" void THC_NAME(THCSort_)(const THCSortWork *work, const THCLines *lines,
                                   cudaStream_t stream);
void THC_NAME(THCSort_)(const THCSortWork *work, const THCLines *lines, cudaStream_t stream)
{
  if (lines->length <= THC_SORT_SHORT) {
    int width = 1;
    while (width < lines->length)
      width *= 2;
    const ptrdiff_t each = THC_SORT_SHORT / width;
    THC_LAUNCH(sort_short, (unsigned)((lines->count + each - 1) / each), THC_BLOCK, 0, stream,
               *work, *lines, width);
    return;
  }
  Pass pass = {};
  pass.tiles = THCSort_tiles(lines->length);
  const unsigned tiles = (unsigned)(lines->count * pass.tiles);
  const unsigned rows = (unsigned)(lines->count * (DIGITS / WARPS));
  for (int p = 0; p < PASSES; p++) {
    pass.shift = p * DIGIT;
    pass.first = p == 0;
    pass.last = p == PASSES - 1;
    pass.target = p % 2;
    pass.source = 1 - pass.target;
    THC_LAUNCH(count_digits, tiles, THC_BLOCK, 0, stream, *work, *lines, pass);
    THC_LAUNCH(scan_counts, rows, THC_BLOCK, 0, stream, *work, *lines, pass);
    THC_LAUNCH(move_digits, tiles, THC_BLOCK, 0, stream, *work, *lines, pass);
  }
}
