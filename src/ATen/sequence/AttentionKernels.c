/* The kernel of attention.h: the scores of a block of queries stay in the cache, from the product
 * that makes them to the product that uses them. */
#include "THVectorMath.h"

#include "THTemplate.h"

#include "attention.h"

/* Adds the mask to a line of n scores. */
static void add_mask(const at_attention *how, const void *mask, int64_t n, real *score)
{
  const int64_t step = how->maskColumn;
  if (how->isBoolean) {
    const uint8_t *keep = mask;
    for (int64_t j = 0; j < n; j++)
      score[j] = keep[j * step] ? score[j] : -(real)INFINITY;
  } else {
    const real *bias = mask;
    for (int64_t j = 0; j < n; j++)
      score[j] += bias[j * step];
  }
}

/* The largest of n scores, in lanes that do not wait for each other; NaN need not be found, as it
 * reaches the sum. */
static real largest(int64_t n, const real *score)
{
  enum { LANES = 64 / sizeof(real) };
  real lane[LANES], top = -(real)INFINITY;
  int64_t j = 0;
  for (int l = 0; l < LANES; l++)
    lane[l] = top;
  for (; j + LANES <= n; j += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] = score[j + l] > lane[l] ? score[j + l] : lane[l];
  for (; j < n; j++)
    top = score[j] > top ? score[j] : top;
  for (int l = 0; l < LANES; l++)
    top = lane[l] > top ? lane[l] : top;
  return top;
}

/* score = exp(score - top); returns the sum. */
static accreal exponentials(int64_t n, real top, real *score)
{
  accreal sum = 0;
#pragma omp simd
  for (int64_t j = 0; j < n; j++)
    score[j] = THMath_(exp)(score[j] - top);
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; j++)
    sum += (accreal)score[j];
  return sum;
}

/* The softmax of a line of n scores, of which the first seen count and the others become 0.  A line
 * without any key becomes 0.  Returns the logarithm of the sum of exponentials of those that count. */
static real normalize(int64_t n, int64_t seen, real *score)
{
  const real top = largest(seen, score);
  const bool isEmpty = top == -(real)INFINITY;
  const accreal sum = isEmpty ? 1 : exponentials(seen, top, score);
  const real factor = (real)(1 / sum);
  for (int64_t j = 0; j < seen; j++)
    score[j] = isEmpty && score[j] == score[j] ? 0 : score[j] * factor;
  for (int64_t j = seen; j < n; j++)
    score[j] = 0;
  return isEmpty ? top : top + (real)log((double)sum);
}

static void attend(const at_attention *how, const at_attention_block *block)
{
  const int64_t last = block->first + block->count;
  const int64_t n = how->isCausal ? THMin(how->keys, last) : how->keys;
  real *const scores = block->scores;
  const size_t maskSize = how->isBoolean ? 1 : sizeof(real);
  const real *query = (const real *)block->query + block->first * how->queryStride;
  THBlas_(gemm)('t', 'n', n, block->count, how->depth, (real)how->scale, (real *)block->key,
                how->keyStride, (real *)query, how->queryStride, 0, scores, n);
  for (int64_t i = 0; i < block->count; i++) {
    real *const line = scores + i * n;
    const int64_t row = block->first + i, seen = how->isCausal ? THMin(n, row + 1) : n;
    if (block->mask)
      add_mask(how, (const char *)block->mask + row * how->maskRow * (ptrdiff_t)maskSize, seen,
               line);
    const real logSum = normalize(n, seen, line);
    if (block->logSums)
      ((real *)block->logSums)[row] = logSum;
  }
  THBlas_(gemm)('n', 'n', how->width, block->count, n, 1, (real *)block->value, how->valueStride,
                scores, n, 0, (real *)block->result + block->first * how->resultStride,
                how->resultStride);
}

const at_attention_kernel TH_LEVEL_(TH_CONCAT_2(at_attention, Real))[] = {attend};
