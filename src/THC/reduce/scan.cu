/* Kernels of cumulative sums and products along a dimension. */
#include "THC/core/thc_template.h"

#include "THC/walk/thc_pack.h"
#include "thc_scan.h"

#if defined(TH_REAL_IS_HALF)
#define LOAD(x)  THC_halfToFloat(x)
#define STORE(x) THC_floatToHalf(x)
#else
#define LOAD(x)  ((accreal)(x))
#define STORE(x) ((real)(x))
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define SUM(a, b)     ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#else
#define SUM(a, b)     ((accreal)((uint64_t)(a) + (uint64_t)(b)))
#define PRODUCT(a, b) ((accreal)((uint64_t)(a) * (uint64_t)(b)))
#endif

enum { UNROLL = 4, WARPS = THC_BLOCK / 32 }; /* UNROLL: neighbouring elements of a thread */

/* Every type's templates have the same names: the namespace keeps them apart. */
namespace
{

struct sum_op {
  THC_DEVICE accreal start(void)
  {
    return 0;
  }
  THC_DEVICE accreal join(accreal a, accreal b)
  {
    return SUM(a, b);
  }
};

struct product_op {
  THC_DEVICE accreal start(void)
  {
    return 1;
  }
  THC_DEVICE accreal join(accreal a, accreal b)
  {
    return PRODUCT(a, b);
  }
};

/* The join of the values of all threads before this one; *all becomes the join of all. */
template <class Op>
THC_DEVICE accreal join_before(accreal own, accreal *all, accreal *warps)
{
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  accreal total = own;
  for (int offset = 1; offset < 32; offset *= 2) {
    const accreal other = __shfl_up_sync(0xFFFFFFFFu, total, (unsigned)offset);
    if (lane >= offset)
      total = Op::join(other, total);
  }
  const accreal left = __shfl_up_sync(0xFFFFFFFFu, total, 1);
  if (lane == 31)
    warps[warp] = total;
  __syncthreads();
  accreal before = Op::start(), sum = Op::start();
  for (int w = 0; w < WARPS; w++) {
    if (w == warp)
      before = sum;
    sum = Op::join(sum, warps[w]);
  }
  __syncthreads();
  *all = sum;
  return lane > 0 ? Op::join(before, left) : before;
}

/* The UNROLL elements of a thread from index k on, as far as they are of the chunk first ... end. */
template <class Op>
THC_DEVICE void load_some(const real *from, ptrdiff_t dx, ptrdiff_t k, ptrdiff_t first,
                          ptrdiff_t end, accreal *x)
{
  if (dx == 1 && k >= first && k + UNROLL <= end) {
    const THCPack<real, UNROLL> pack = THC_loadPack<UNROLL>(from + k);
    THC_UNROLL
    for (int i = 0; i < UNROLL; i++)
      x[i] = LOAD(pack.v[i]);
    return;
  }
  THC_UNROLL
  for (int i = 0; i < UNROLL; i++)
    x[i] = k + i >= first && k + i < end ? LOAD(from[(k + i) * dx]) : Op::start();
}

template <class Op>
THC_DEVICE void store_some(real *to, ptrdiff_t dr, ptrdiff_t k, ptrdiff_t first, ptrdiff_t end,
                           accreal before, const accreal *x)
{
  THCPack<real, UNROLL> pack;
  THC_UNROLL
  for (int i = 0; i < UNROLL; i++)
    pack.v[i] = STORE(Op::join(before, x[i]));
  if (dr == 1 && k >= first && k + UNROLL <= end) {
    THC_storePack<UNROLL>(to + k, pack);
    return;
  }
  THC_UNROLL
  for (int i = 0; i < UNROLL; i++)
    if (k + i >= first && k + i < end)
      to[(k + i) * dr] = pack.v[i];
}

/* A block scans a chunk of a line tile by tile: first the totals of threads, then their
 * prefixes.  Tiles of adjacent elements begin at aligned ones, so that the first tile may lack some. */
template <class Op>
THC_DEVICE void scan_chunk(const THCScanWork &work, const THCLines &lines, accreal *warps)
{
  const ptrdiff_t line = blockIdx.x, number = line * work.chunks + blockIdx.y;
  const ptrdiff_t first = (ptrdiff_t)blockIdx.y * work.chunk, last = first + work.chunk;
  const ptrdiff_t end = last < lines.length ? last : lines.length;
  const ptrdiff_t dx = lines.step[0], dr = lines.step[1];
  const real *from = (const real *)work.from + THCLines_at(&lines, 0, line);
  real *to = work.to ? (real *)work.to + THCLines_at(&lines, 1, line) : NULL;
  accreal *totals = (accreal *)work.totals;
  accreal done = totals && to ? totals[number] : Op::start();
  const ptrdiff_t head = dx == 1 ? THC_headOf<UNROLL>(from + first, UNROLL - 1) : 0;
  const ptrdiff_t begin = first - (head ? UNROLL - head : 0);
  for (ptrdiff_t tile = begin; tile < end; tile += UNROLL * THC_BLOCK) {
    const ptrdiff_t k = tile + (ptrdiff_t)threadIdx.x * UNROLL;
    accreal x[UNROLL], own = Op::start(), all;
    load_some<Op>(from, dx, k, first, end, x);
    THC_UNROLL
    for (int i = 0; i < UNROLL; i++)
      x[i] = own = Op::join(own, x[i]);
    const accreal before = Op::join(done, join_before<Op>(own, &all, warps));
    done = Op::join(done, all);
    if (to)
      store_some<Op>(to, dr, k, first, end, before, x);
  }
  if (!to && threadIdx.x == 0)
    totals[number] = done;
}

/* A thread replaces the totals of a line's chunks by the totals of all chunks before. */
template <class Op>
THC_DEVICE void scan_totals(const THCScanWork &work, ptrdiff_t line)
{
  accreal *totals = (accreal *)work.totals + line * work.chunks, before = Op::start();
  for (ptrdiff_t p = 0; p < work.chunks; p++) {
    const accreal total = totals[p];
    totals[p] = before;
    before = Op::join(before, total);
  }
}

/* A thread scans a line. */
template <class Op>
THC_DEVICE void scan_line(const THCScanWork &work, const THCLines &lines, ptrdiff_t line)
{
  const real *from = (const real *)work.from + THCLines_at(&lines, 0, line);
  real *to = (real *)work.to + THCLines_at(&lines, 1, line);
  accreal total = Op::start();
  for (ptrdiff_t k = 0; k < lines.length; k++) {
    total = Op::join(total, LOAD(from[k * lines.step[0]]));
    to[k * lines.step[1]] = STORE(total);
  }
}

/* --- kernels and launchers ------------------------------------------------------------------- */

template <class Op>
__global__ void along_kernel(THCScanWork work, THCLines lines)
{
  THC_DYNAMIC_SHARED(accreal, warps);
  scan_chunk<Op>(work, lines, warps);
}

template <class Op>
void along(const THCScanWork *work, const THCLines *lines, cudaStream_t stream)
{
  const dim3 grid((unsigned)lines->count, (unsigned)work->chunks);
  THC_LAUNCH(along_kernel<Op>, grid, THC_BLOCK, WARPS * sizeof(accreal), stream, *work, *lines);
}

template <class Op>
__global__ void between_kernel(THCScanWork work, ptrdiff_t lines)
{
  THC_GRID_LOOP(line, lines) scan_totals<Op>(work, line);
}

template <class Op>
void between(const THCScanWork *work, const THCLines *lines, cudaStream_t stream)
{
  THC_LAUNCH(between_kernel<Op>, THC_blocks(lines->count), THC_BLOCK, 0, stream, *work,
             lines->count);
}

template <class Op>
__global__ void across_kernel(THCScanWork work, THCLines lines)
{
  THC_GRID_LOOP(line, lines.count) scan_line<Op>(work, lines, line);
}

template <class Op>
void across(const THCScanWork *work, const THCLines *lines, cudaStream_t stream)
{
  THC_LAUNCH(across_kernel<Op>, THC_blocks(lines->count), THC_BLOCK, 0, stream, *work, *lines);
}

}  // namespace

/* The kernels, in the order of TH_SCAN_SUM and TH_SCAN_PRODUCT. */
extern "C" const THCScan THC_NAME(THCScans_)[2];
const THCScan THC_NAME(THCScans_)[2] = {
    {sizeof(accreal), along<sum_op>, between<sum_op>, across<sum_op>},
    {sizeof(accreal), along<product_op>, between<product_op>, across<product_op>}};
