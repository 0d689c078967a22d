/* Kernels of reductions by indices.  Several elements may meet in one: each is reduced to it by compare and
 * exchange, in any order, which shows in the last bits of sums and products of Double; or in the order of the
 * indices, which are sorted by position before. */
#include "at_kernel.h"

typedef unsigned long long Bits;

/* Elements that something is reduced to begin with what leaves it as it is. */
__global__ static void begin_by_index(at_index_reduce_work w)
{
  const double floating = at_firstDouble(w.how);
  const int64_t integer = at_firstLong(w.how);
  const Bits first = w.floats ? (Bits)__double_as_longlong(floating) : (Bits)integer;
  THC_GRID_LOOP(i, w.count)
  {
    int64_t to, from;
    if (at_positionsOf(&w, i, &to, &from))
      atomicExch((Bits *)w.self + to, first);
  }
}

__global__ static void reduce_by_index(at_index_reduce_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    int64_t to, from;
    if (!at_positionsOf(&w, i, &to, &from))
      continue;
    atomicAdd((Bits *)w.counts + to, 1ull);
    Bits *const at = (Bits *)w.self + to;
    Bits old = atomicAdd(at, 0ull), seen;
    do {
      seen = old;
      const Bits made =
          w.floats
              ? (Bits)__double_as_longlong(at_reducedDouble(w.how,
                                                            __longlong_as_double((long long)seen),
                                                            ((const double *)w.src)[from]))
              : (Bits)at_reducedLong(w.how, (int64_t)seen, ((const int64_t *)w.src)[from]);
      old = atomicCAS(at, seen, made);
    } while (old != seen);
  }
}

/* Where each element goes. */
__global__ static void positions_by_index(at_index_reduce_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    int64_t to, from;
    w.keys[i] = at_positionsOf(&w, i, &to, &from) ? to : INT64_MAX;
  }
}

/* The first of those that go to the same element reduces them all. */
__global__ static void reduce_in_order(at_index_reduce_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    const int64_t to = w.sorted[i];
    if (to == INT64_MAX || (i > 0 && w.sorted[i - 1] == to))
      continue;
    double *const at = (double *)w.self + to;
    double sum = w.includes ? *at : at_firstDouble(w.how);
    int64_t j = i, unused, from;
    for (; j < w.count && w.sorted[j] == to; j++) {
      at_positionsOf(&w, w.order[j], &unused, &from);
      sum = at_reducedDouble(w.how, sum, ((const double *)w.src)[from]);
    }
    *at = sum;
    w.counts[to] = j - i;
  }
}

__global__ static void divide_by_counts(at_index_reduce_work w)
{
  THC_GRID_LOOP(i, w.elements)
  if (w.counts[i] > 0)
    at_makeMean(&w, i);
}

AT_LAUNCHER(reduceByIndex, at_index_reduce_work)
{
  const unsigned blocks = THC_blocks(work->count);
  if (!work->includes)
    THC_LAUNCH(begin_by_index, blocks, THC_BLOCK, 0, stream, *work);
  THC_LAUNCH(reduce_by_index, blocks, THC_BLOCK, 0, stream, *work);
  if (work->how == AT_INDEX_MEAN)
    THC_LAUNCH(divide_by_counts, THC_blocks(work->elements), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(positionsByIndex, at_index_reduce_work)
{
  THC_LAUNCH(positions_by_index, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(reduceInOrder, at_index_reduce_work)
{
  THC_LAUNCH(reduce_in_order, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
  if (work->how == AT_INDEX_MEAN)
    THC_LAUNCH(divide_by_counts, THC_blocks(work->elements), THC_BLOCK, 0, stream, *work);
}
