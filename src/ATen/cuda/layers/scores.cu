/* The softmax of lines of attention's scores, in place: a warp for each line, or a block for each
 * long one. */
#include "ATen/cuda/at_kernel.h"

/* Where the mask has the line of that matrix and query. */
THC_DEVICE ptrdiff_t mask_at(const at_scores_work &w, ptrdiff_t matrix, ptrdiff_t query)
{
  ptrdiff_t at = query * w.maskRow;
  THC_ROLL
  for (int d = w.maskDims - 1; d >= 0; d--) {
    at += matrix % w.maskSize[d] * w.maskStride[d];
    matrix /= w.maskSize[d];
  }
  return at;
}

/* A score with its mask. */
THC_DEVICE real masked(const at_scores_work &w, real score, ptrdiff_t at)
{
  if (!w.mask)
    return score;
  if (w.isBoolean)
    return ((const uint8_t *)w.mask)[at] ? score : -(real)INFINITY;
  return score + ((const real *)w.mask)[at];
}

template <int WIDTH>
THC_DEVICE void normalize(const at_scores_work &w, real *shared)
{
  const ptrdiff_t first = threadIdx.x % WIDTH;
  AT_EACH_LINE(line, w.matrices * w.rows)
  {
    const ptrdiff_t row = w.firstRow + line % w.rows;
    const ptrdiff_t matrix = (w.firstMatrix + line / w.rows) * w.group + row / w.queries;
    const ptrdiff_t query = row % w.queries;
    const ptrdiff_t seen = w.isCausal && query < w.keys ? query + 1 : w.keys;
    const ptrdiff_t mask = w.mask ? mask_at(w, matrix, query) : 0;
    real *score = (real *)w.scores + line * w.keys;
    real top = -(real)INFINITY, sum = 0;
    for (ptrdiff_t j = first; j < seen; j += WIDTH) {
      const real x = score[j] = masked(w, score[j], mask + j * w.maskColumn);
      top = x > top ? x : top;
    }
    top = at_line_reduce<WIDTH, true>(top, shared);
    const bool isEmpty = top == -(real)INFINITY; /* or all are NaN, which remain */
    for (ptrdiff_t j = first; j < seen; j += WIDTH) {
      if (isEmpty)
        score[j] = score[j] == score[j] ? 0 : score[j];
      else
        sum += score[j] = THMath_(exp)(score[j] - top);
    }
    sum = at_line_reduce<WIDTH, false>(sum, shared);
    if (w.logSums && first == 0)
      ((real *)w.logSums)[matrix * w.queries + query] = isEmpty ? top : top + THMath_(log)(sum);
    for (ptrdiff_t j = first; j < w.keys; j += WIDTH)
      score[j] = j >= seen ? 0 : isEmpty ? score[j] : score[j] / sum;
  }
}

__global__ static void scores_warps(at_scores_work w)
{
  normalize<32>(w, NULL);
}

__global__ static void scores_blocks(at_scores_work w)
{
  __shared__ real shared[AT_WARPS];
  normalize<THC_BLOCK>(w, shared);
}

AT_LAUNCHER(scores, at_scores_work)
{
  const unsigned blocks = at_line_blocks(work->matrices * work->rows, work->keys);
  if (work->keys <= AT_WARP_LINE)
    THC_LAUNCH(scores_warps, blocks, THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(scores_blocks, blocks, THC_BLOCK, 0, stream, *work);
}
