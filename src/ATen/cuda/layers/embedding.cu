/* Kernels of embeddings: gradients of tables, and bags of rows. */
#include "ATen/cuda/at_kernel.h"

/* --- gradients ------------------------------------------------------------------------------- */

/* A block sums the rows of g of one row of the table, at its first index; the other blocks have
 * nothing to do. */
__global__ static void embedding_sums(at_embedding_sums_work w)
{
  THC_ROLL
  for (ptrdiff_t first = blockIdx.x; first < w.count; first += gridDim.x) {
    const int64_t row = w.row[first];
    if ((first > 0 && w.row[first - 1] == row) || row == w.padding || row < 0 || row >= w.rows)
      continue;
    ptrdiff_t end = first + 1;
    while (end < w.count && w.row[end] == row)
      end++;
    const real factor = w.means ? 1 / (real)(end - first) : (real)1;
    for (ptrdiff_t c = threadIdx.x; c < w.columns; c += THC_BLOCK) {
      real sum = 0;
      for (ptrdiff_t i = first; i < end; i++)
        sum += ((const real *)w.g)[w.from[i] * w.columns + c];
      ((real *)w.table)[row * w.columns + c] = sum * factor;
    }
  }
}

AT_LAUNCHER(embeddingSums, at_embedding_sums_work)
{
  THC_LAUNCH(embedding_sums, THC_blocks(work->count * THC_BLOCK), THC_BLOCK, 0, stream, *work);
}

/* --- bags ------------------------------------------------------------------------------------ */

__global__ static void embedding_bag_check(at_embedding_bag_work w)
{
  THC_GRID_LOOP(b, w.bags + w.endsWithCount)
  {
    const int64_t least = b > 0 && w.offsets[b - 1] > 0 ? w.offsets[b - 1] : 0;
    const int64_t first = b == w.bags ? (int64_t)w.count : least;
    const int64_t last = b > 0 ? (int64_t)w.count : 0;
    if (w.offsets[b] < first || w.offsets[b] > last)
      at_report(w.report, 3, first, last, b, w.offsets[b]);
  }
}

AT_LAUNCHER(embeddingBagCheck, at_embedding_bag_work)
{
  THC_LAUNCH(embedding_bag_check, THC_blocks(work->bags + 1), THC_BLOCK, 0, stream, *work);
}

/* Where the indices of a bag begin and end, for any offsets between 0 and count. */
THC_DEVICE int64_t begin_of(const at_embedding_bag_work &w, ptrdiff_t bag)
{
  const int64_t at = bag < w.bags ? w.offsets[bag] : w.count;
  return at < 0 ? 0 : at > w.count ? (int64_t)w.count : at;
}

THC_DEVICE int64_t end_of(const at_embedding_bag_work &w, ptrdiff_t bag)
{
  return begin_of(w, bag + 1);
}

/* Whether the row of index i counts. */
THC_DEVICE bool is_kept(const at_embedding_bag_work &w, ptrdiff_t i)
{
  return w.index[i] != w.padding && w.index[i] >= 0 && w.index[i] < w.rows;
}

/* The last bag that begins at that index or before, or -1. */
THC_DEVICE int64_t bag_of(const at_embedding_bag_work &w, ptrdiff_t i)
{
  ptrdiff_t low = 0, high = w.bags;
  while (low < high) {
    const ptrdiff_t middle = low + (high - low) / 2;
    if (w.offsets[middle] <= i)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

__global__ static void embedding_bag_lists(at_embedding_bag_work w)
{
  THC_GRID_LOOP(i, w.count)
  w.bag[i] = bag_of(w, i);
  THC_GRID_LOOP(b, w.bags)
  {
    int64_t size = 0;
    for (int64_t i = begin_of(w, b); i < end_of(w, b); i++)
      size += is_kept(w, i);
    w.size[b] = size;
  }
}

/* A thread reduces a column of a bag. */
__global__ static void embedding_bag(at_embedding_bag_work w, int maximum)
{
  THC_GRID_LOOP(k, w.bags * w.columns)
  {
    const ptrdiff_t bag = k / w.columns, column = k - bag * w.columns;
    const real *table = (const real *)w.table + column, *weights = (const real *)w.weights;
    real result = 0;
    int64_t kept = 0, from = 0;
    for (int64_t i = begin_of(w, bag); i < end_of(w, bag); i++) {
      if (!is_kept(w, i))
        continue;
      real x = table[(w.isGathered ? i : w.index[i]) * w.columns];
      x = weights ? x * weights[i] : x;
      if (!maximum)
        result += x;
      else if (kept == 0 || x > result || (x != x && result == result)) {
        result = x;
        from = w.index[i];
      }
      kept++;
    }
    ((real *)w.y)[k] = w.mode == 1 && kept > 0 ? result / (real)kept : result;
    if (w.from)
      w.from[k] = from;
  }
}

AT_LAUNCHER(embeddingBag, at_embedding_bag_work)
{
  const ptrdiff_t most = work->count > work->bags ? work->count : work->bags;
  const ptrdiff_t elements = work->bags * work->columns;
  if (most > 0)
    THC_LAUNCH(embedding_bag_lists, THC_blocks(most), THC_BLOCK, 0, stream, *work);
  if (elements > 0)
    THC_LAUNCH(embedding_bag, THC_blocks(elements), THC_BLOCK, 0, stream, *work, work->mode == 2);
}
