/* Products of groups of rows, or of groups of terms, whose ends are on the device. */
#include "at_kernel.h"

#include "ATen/ATenType.h"
#include "THHalf.h"

/* The CPU's functions, compiled for the device too. */
#define inline inline __host__ __device__
#include "ATen/core/conversions.h"
#undef inline

/* A block computes a tile of TILE x TILE elements, a thread EACH x EACH of them, from DEPTH terms at a time;
 * PITCH keeps the lines of a tile in different banks of shared memory. */
enum { TILE = 64, EACH = 4, DEPTH = 16, PITCH = TILE + 1, LANES = TILE / EACH };

static_assert(LANES * LANES == THC_BLOCK, "the threads of a block compute a tile");

namespace
{

/* The element in the type of sums, of which a value is given. */
template <class T, class Sum>
THC_DEVICE Sum load(T x, Sum)
{
  return (Sum)x;
}
THC_DEVICE float load(THHalf x, float)
{
  return THC_halfToFloat(x);
}
THC_DEVICE float load(at_bfloat16 x, float)
{
  return at_bfloat16_toFloat(x);
}
template <class T, class Sum>
THC_DEVICE void store(T *to, Sum x)
{
  *to = (T)x;
}
THC_DEVICE void store(THHalf *to, float x)
{
  *to = THC_floatToHalf(x);
}
THC_DEVICE void store(at_bfloat16 *to, float x)
{
  *to = at_bfloat16_fromFloat(x);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* What a tile is of: rows from row to before rowEnd, the sums of the terms from first to before last. */
struct Part {
  int64_t group, row, rowEnd, first, last;
};

THC_DEVICE int64_t divided(const at_grouped_work &w)
{
  return w.dividesDepth ? w.depth : w.rows;
}

/* The end of a group that begins at start, which is never before it. */
THC_DEVICE int64_t end_of(const at_grouped_work &w, int64_t group, int64_t start)
{
  const int64_t end = w.offs[group * w.next], most = divided(w);
  return end < start ? start : end < most ? end : most;
}

THC_DEVICE void check_ends(const at_grouped_work &w)
{
  int64_t start = 0;
  for (int64_t g = 0; g < w.groups; g++) {
    const int64_t end = end_of(w, g, start), given = w.offs[g * w.next];
    if (given != end)
      at_report(w.report, 3, start, divided(w), g, given);
    start = end;
  }
}

/* Tile number t of the rows of all groups, and of those behind them, which have no terms. */
THC_DEVICE Part rows_of(const at_grouped_work &w, int64_t t)
{
  int64_t start = 0;
  for (int64_t g = 0; g <= w.groups; g++) {
    const int64_t end = g < w.groups ? end_of(w, g, start) : w.rows;
    const int64_t tiles = (end - start + TILE - 1) / TILE;
    if (t < tiles)
      return {g, start + t * TILE, end, 0, g < w.groups ? w.depth : 0};
    t -= tiles;
    start = end;
  }
  return {0, 0, 0, 0, 0};
}

/* Tile number t of the results of all groups of terms. */
THC_DEVICE Part terms_of(const at_grouped_work &w, int64_t t)
{
  const int64_t down = (w.rows + TILE - 1) / TILE, group = t / down;
  int64_t start = 0;
  for (int64_t g = 0; g < group; g++)
    start = end_of(w, g, start);
  return {group, t % down * TILE, w.rows, start, end_of(w, group, start)};
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* A line and a term for element e of a tile: neighbours are those whose elements are adjacent in memory. */
struct Cell {
  int line, term;
};

THC_DEVICE Cell cell_of(int e, bool termsAreAdjacent)
{
  return termsAreAdjacent ? Cell{e / DEPTH, e % DEPTH} : Cell{e % TILE, e / TILE};
}

/* Loads DEPTH terms, from k on, of the tile's rows and columns: what is outside is 0. */
template <class T, class Sum>
THC_DEVICE void load_terms(const at_grouped_work &w, const Part &p, int64_t column, int64_t k,
                           Sum *left, Sum *right)
{
  const T *a = (const T *)w.a, *b = (const T *)w.b + p.group * w.groupB;
  for (int e = (int)threadIdx.x; e < TILE * DEPTH; e += THC_BLOCK) {
    const Cell of = cell_of(e, w.columnA == 1), to = cell_of(e, w.columnB != 1);
    const int64_t row = p.row + of.line, term = k + of.term;
    const int64_t across = column + to.line, down = k + to.term;
    Sum x = 0, y = 0;
    if (row < p.rowEnd && term < p.last)
      x = load(a[row * w.rowA + term * w.columnA], (Sum)0);
    if (across < w.columns && down < p.last)
      y = load(b[down * w.rowB + across * w.columnB], (Sum)0);
    left[of.term * PITCH + of.line] = x;
    right[to.term * PITCH + to.line] = y;
  }
}

/* Adds the products of the loaded terms to a thread's sums. */
template <class Sum>
THC_DEVICE void add_terms(const Sum *left, const Sum *right, Sum sum[EACH][EACH])
{
  const int x = (int)threadIdx.x % LANES, y = (int)threadIdx.x / LANES;
  for (int k = 0; k < DEPTH; k++) {
    THC_UNROLL
    for (int i = 0; i < EACH; i++) {
      const Sum factor = left[k * PITCH + y + i * LANES];
      THC_UNROLL
      for (int j = 0; j < EACH; j++)
        sum[i][j] += factor * right[k * PITCH + x + j * LANES];
    }
  }
}

template <class T, class Sum>
THC_DEVICE void compute_tile(const at_grouped_work &w, const Part &p, int64_t column, Sum *tiles)
{
  Sum *const left = tiles, *const right = tiles + DEPTH * PITCH, sum[EACH][EACH] = {};
  for (int64_t k = p.first; k < p.last; k += DEPTH) {
    load_terms<T>(w, p, column, k, left, right);
    __syncthreads();
    add_terms(left, right, sum);
    __syncthreads();
  }
  T *const c = (T *)w.c + (w.dividesDepth ? p.group * w.rows * w.columns : 0);
  THC_UNROLL
  for (int i = 0; i < EACH; i++)
    THC_UNROLL
  for (int j = 0; j < EACH; j++) {
    const int64_t y = p.row + (int)threadIdx.x / LANES + i * LANES;
    const int64_t x = column + (int)threadIdx.x % LANES + j * LANES;
    if (y < p.rowEnd && x < w.columns)
      store(c + y * w.columns + x, sum[i][j]);
  }
}

template <class T, class Sum>
__global__ void multiply_groups(at_grouped_work w, int64_t tiles)
{
  THC_DYNAMIC_SHARED(Sum, shared);
  const int64_t across = (w.columns + TILE - 1) / TILE;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    check_ends(w);
  THC_ROLL
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Part p = w.dividesDepth ? terms_of(w, t / across) : rows_of(w, t / across);
    compute_tile<T, Sum>(w, p, t % across * TILE, shared);
  }
}

template <class T, class Sum>
void launch(const at_grouped_work &w, cudaStream_t stream)
{
  const int64_t down = (w.rows + TILE - 1) / TILE, across = (w.columns + TILE - 1) / TILE;
  const int64_t tiles = (w.dividesDepth ? down * w.groups : down + w.groups) * across;
  const unsigned blocks = tiles < 1 ? 1 : tiles < INT32_MAX ? (unsigned)tiles : INT32_MAX;
  THC_LAUNCH((multiply_groups<T, Sum>), blocks, THC_BLOCK, 2 * DEPTH * PITCH * sizeof(Sum), stream,
             w, tiles);
}

}  // namespace

/* Integers wrap around, so that those of a size share a kernel. */
AT_LAUNCHER(groupedProduct, at_grouped_work)
{
#ifdef TH_REAL_IS_DOUBLE
  if (work->isFloating)
    launch<double, double>(*work, stream);
  else if (work->elementSize == 1)
    launch<uint8_t, uint32_t>(*work, stream);
  else if (work->elementSize == 2)
    launch<uint16_t, uint32_t>(*work, stream);
  else if (work->elementSize == 4)
    launch<uint32_t, uint32_t>(*work, stream);
  else
    launch<uint64_t, uint64_t>(*work, stream);
#else
  if (work->elementSize == sizeof(float))
    launch<float, float>(*work, stream);
  else if (work->isHalf)
    launch<THHalf, float>(*work, stream);
  else
    launch<at_bfloat16, float>(*work, stream);
#endif
}
