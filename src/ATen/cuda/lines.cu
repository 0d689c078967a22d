/* Kernels of searches, quantiles and distances: a thread for each result; and of scans: a block for each line,
 * which goes through it a block of elements at a time.  Elements are Double or Long. */
#define AT_LINE static __device__ inline
#include "at_kernel.h"

#include "ATen/statistics/lineElements.h"

/* --- searches and quantiles ------------------------------------------------------------------- */

__global__ static void search(at_search_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    at_sequence s = w.sequence;
    s.data = (const char *)s.data + i / w.line * s.n * (ptrdiff_t)sizeof(int64_t);
    s.order = s.order ? s.order + i / w.line * s.n : NULL;
    const char *value = (const char *)w.values + i * (ptrdiff_t)sizeof(int64_t);
    if (w.found)
      w.found[i] = at_isIn(&s, value) != w.inverts;
    else
      w.indices[i] = at_placeIn(&s, value, w.right);
  }
}

AT_LAUNCHER(search, at_search_work)
{
  THC_LAUNCH(search, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

__global__ static void quantile_check(at_quantiles_work w)
{
  w.report.fault.arg = 2;
  w.report.fault.last = 1;
  THC_GRID_LOOP(i, w.points)
  {
    if (!(w.point[i] >= 0 && w.point[i] <= 1))
      THC_reportNumber(w.report, i, w.point[i]);
  }
}

AT_LAUNCHER(quantileCheck, at_quantiles_work)
{
  THC_LAUNCH(quantile_check, THC_blocks(work->points), THC_BLOCK, 0, stream, *work);
}

__global__ static void quantiles(at_quantiles_work w)
{
  THC_GRID_LOOP(i, w.points * w.lines)
  {
    w.to[i] = at_quantileIn(w.from + i % w.lines * w.n, w.n, w.point[i / w.lines],
                            (at_quantile_kind)w.interpolation, w.ignoresNaN);
  }
}

AT_LAUNCHER(quantiles, at_quantiles_work)
{
  THC_LAUNCH(quantiles, THC_blocks(work->points * work->lines), THC_BLOCK, 0, stream, *work);
}

/* --- distances -------------------------------------------------------------------------------- */

__global__ static void distances(at_distances_work w)
{
  THC_GRID_LOOP(i, w.lines * w.columns)
  {
    const int64_t line = i / w.columns, column = line / w.rows * w.columns + i % w.columns;
    w.to[i] = at_lineDistance(w.x + line * w.n, w.y + column * w.n, w.n, w.p);
  }
}

AT_LAUNCHER(distances, at_distances_work)
{
  THC_LAUNCH(distances, THC_blocks(work->lines * work->columns), THC_BLOCK, 0, stream, *work);
}

/* How many pairs of rows there are whose first row is before row. */
THC_DEVICE int64_t pairs_before(int64_t row, int64_t rows)
{
  return row * (2 * rows - row - 1) / 2;
}

__global__ static void distances_within(at_distances_work w)
{
  THC_GRID_LOOP(i, pairs_before(w.rows, w.rows))
  {
    const double both = 2 * (double)w.rows - 1;
    int64_t row = (int64_t)((both - sqrt(both * both - 8 * (double)i)) / 2); /* or a neighbour */
    while (row > 0 && pairs_before(row, w.rows) > i)
      row--;
    while (pairs_before(row + 1, w.rows) <= i)
      row++;
    const int64_t other = row + 1 + i - pairs_before(row, w.rows);
    w.to[i] = at_lineDistance(w.x + row * w.n, w.x + other * w.n, w.n, w.p);
  }
}

AT_LAUNCHER(distancesWithin, at_distances_work)
{
  THC_LAUNCH(distances_within, THC_blocks(work->rows * (work->rows - 1) / 2), THC_BLOCK, 0, stream,
             *work);
}

/* --- scans ------------------------------------------------------------------------------------ */

/* The state of a scan after some elements: how it is loaded and stored, how a lane takes that of the lane by
 * offset below it, and how it is joined with the state of the elements before. */
template <class T, bool SMALLEST>
struct Extreme {
  T value;
  int64_t index;

  THC_DEVICE Extreme load(const at_scan_work &w, ptrdiff_t at, int64_t i)
  {
    return {((const T *)w.from)[at], i};
  }
  THC_DEVICE void store(const Extreme &s, const at_scan_work &w, ptrdiff_t at)
  {
    ((T *)w.to)[at] = s.value;
    w.index[at] = s.index;
  }
  THC_DEVICE Extreme below(const Extreme &s, int offset)
  {
    return {__shfl_up_sync(0xFFFFFFFFu, s.value, offset),
            __shfl_up_sync(0xFFFFFFFFu, s.index, offset)};
  }
  /* The last of several extremes stays, and NaN remains. */
  THC_DEVICE Extreme joined(const Extreme &before, const Extreme &s)
  {
    const bool replaces =
        s.value != s.value || (SMALLEST ? s.value <= before.value : s.value >= before.value);
    return replaces ? s : before;
  }
};

struct LogSum {
  double value;

  THC_DEVICE LogSum load(const at_scan_work &w, ptrdiff_t at, int64_t)
  {
    return {((const double *)w.from)[at]};
  }
  THC_DEVICE void store(const LogSum &s, const at_scan_work &w, ptrdiff_t at)
  {
    ((double *)w.to)[at] = s.value;
  }
  THC_DEVICE LogSum below(const LogSum &s, int offset)
  {
    return {__shfl_up_sync(0xFFFFFFFFu, s.value, offset)};
  }
  THC_DEVICE LogSum joined(const LogSum &before, const LogSum &s)
  {
    const double a = before.value, b = s.value, top = a > b ? a : b;
    return {a != a || b != b ? (double)NAN
            : a == b         ? a + log(2.0)
                             : top + log1p(exp(-fabs(a - b)))};
  }
};

/* The thread's state, joined with those of the threads of its warp before it. */
template <class State>
THC_DEVICE State scan_warp(State s)
{
  for (int offset = 1; offset < 32; offset *= 2) {
    const State before = State::below(s, offset);
    if ((int)threadIdx.x % 32 >= offset)
      s = State::joined(before, s);
  }
  return s;
}

/* A block scans a chunk after the other.  With stores, what comes before a chunk is in totals; without,
 * only the last state of each chunk is kept there. */
template <class State>
__global__ static void scan(at_scan_work w, bool stores)
{
  THC_DYNAMIC_SHARED(State, last); /* of each warp, and behind them of the whole block */
  const int warp = (int)threadIdx.x / 32;
  for (ptrdiff_t block = blockIdx.x; block < w.lines * w.chunks; block += gridDim.x) {
    const ptrdiff_t line = block / w.chunks, part = block % w.chunks;
    const int64_t after = (part + 1) * w.chunk, end = after < w.n ? after : w.n;
    for (int64_t begin = part * w.chunk; begin < end; begin += THC_BLOCK) {
      const int64_t i = begin + threadIdx.x;
      const bool isHead = begin == part * w.chunk; /* of the chunk */
      const bool isFirst = isHead && (part == 0 || !stores);
      State before = {};
      State s = scan_warp(State::load(w, line * w.n + (i < end ? i : end - 1), i));
      __syncthreads(); /* the states of the elements before are there, and those of the warps free */
      if (!isFirst)
        before = isHead ? ((const State *)w.totals)[block] : last[AT_WARPS];
      if (threadIdx.x % 32 == 31)
        last[warp] = s;
      __syncthreads();
      for (int k = 0; k < warp; k++)
        before = k == 0 && isFirst ? last[k] : State::joined(before, last[k]);
      if (warp > 0 || !isFirst)
        s = State::joined(before, s);
      if (threadIdx.x == THC_BLOCK - 1)
        last[AT_WARPS] = s;
      if (i < end && stores)
        State::store(s, w, line * w.n + i);
      else if (i == end - 1)
        ((State *)w.totals)[block] = s;
    }
  }
}

/* The state of each chunk of a line becomes that of all chunks before; the first one has none. */
template <class State>
__global__ static void scan_totals(at_scan_work w)
{
  THC_GRID_LOOP(line, w.lines)
  {
    State *const totals = (State *)w.totals + line * w.chunks;
    State before = totals[0];
    for (int64_t p = 1; p < w.chunks; p++) {
      const State own = totals[p];
      totals[p] = before;
      before = State::joined(before, own);
    }
  }
}

template <class State>
static void scan_launch(const at_scan_work *work, cudaStream_t stream)
{
  const unsigned blocks = THC_blocks(work->lines * work->chunks * THC_BLOCK);
  const size_t shared = (AT_WARPS + 1) * sizeof(State);
  if (work->chunks > 1) {
    THC_LAUNCH(scan<State>, blocks, THC_BLOCK, shared, stream, *work, false);
    THC_LAUNCH(scan_totals<State>, THC_blocks(work->lines), THC_BLOCK, 0, stream, *work);
  }
  THC_LAUNCH(scan<State>, blocks, THC_BLOCK, shared, stream, *work, true);
}

AT_LAUNCHER(extremes, at_scan_work)
{
  if (work->floats)
    (work->smallest ? scan_launch<Extreme<double, true>>
                    : scan_launch<Extreme<double, false>>)(work, stream);
  else
    (work->smallest ? scan_launch<Extreme<int64_t, true>>
                    : scan_launch<Extreme<int64_t, false>>)(work, stream);
}

AT_LAUNCHER(logSums, at_scan_work)
{
  scan_launch<LogSum>(work, stream);
}
