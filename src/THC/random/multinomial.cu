/* Kernels of samples from given distributions. */
#include "THC/core/thc_cuda.h"

#include "THCRandomWords.h"
#include "thc_multinomial.h"

#include "TH.h"

__global__ static void check_unit(const void *p, int doubles, int64_t count, THCReport report)
{
  THC_GRID_LOOP(i, count)
  {
    const double x = doubles ? ((const double *)p)[i] : (double)((const float *)p)[i];
    if (!(x >= 0 && x <= 1))
      THC_reportNumber(report, i, x);
  }
}

void THCKernel_checkUnit(const void *p, int doubles, int64_t count, const THCReport *report,
                         cudaStream_t stream)
{
  THC_LAUNCH(check_unit, THC_blocks(count), THC_BLOCK, 0, stream, p, doubles, count, *report);
}

/* A block looks at a row. */
__global__ static void check_distributions(const double *p, int64_t columns, int64_t wanted,
                                           THCReport report)
{
  const double *row = p + (int64_t)blockIdx.x * columns;
  int64_t positive = 0;
  int odd = 0;
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
    const double x = row[i];
    odd |= !(x >= 0 && x - x == 0);
    positive += x > 0;
  }
  __shared__ unsigned long long all;
  if (threadIdx.x == 0)
    all = 0;
  __syncthreads();
  atomicAdd(&all, (unsigned long long)positive);
  const int any = __syncthreads_or(odd);
  if (threadIdx.x == 0 && any)
    THC_report(report, THC_FAULT_PROBABILITY, -1, 0);
  else if (threadIdx.x == 0 && (int64_t)all < wanted)
    THC_report(report, THC_FAULT_TOO_FEW, -1, wanted);
}

void THCKernel_checkDistributions(const double *p, int64_t rows, int64_t columns, int64_t wanted,
                                  const THCReport *report, cudaStream_t stream)
{
  THC_LAUNCH(check_distributions, (unsigned)rows, THC_BLOCK, 0, stream, p, columns, wanted,
             *report);
}

/* The first index whose sum is above the number.  Sums are rounded: where one of them grows without
 * a probability, or the last one does not reach the number, the nearest probability before it is
 * taken. */
static __device__ int64_t find_index(const double *p, const double *sums, int64_t columns, double x)
{
  int64_t low = 0, high = columns - 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sums[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  while (low > 0 && !(p[low] > 0))
    low--;
  while (low < columns - 1 && !(p[low] > 0))
    low++;
  return low;
}

__global__ static void draw_indices(const double *p, const double *sums, int64_t columns,
                                    int64_t samples, int64_t count, THCDraw draw, int64_t *indices)
{
  THC_GRID_LOOP(i, count)
  {
    uint32_t words[4];
    THPhilox_words(draw.seed, (uint64_t)(i / 4), draw.offset + (uint64_t)(i % 4 / 2), words);
    const int64_t row = i / samples * columns;
    const double unit = i % 2 ? THCRandom_unit53(words + 2) : THCRandom_unit53(words);
    const double x = unit * sums[row + columns - 1];
    indices[i] = find_index(p + row, sums + row, columns, x) + TH_INDEX_BASE;
  }
}

void THCKernel_drawIndices(const double *p, const double *sums, int64_t rows, int64_t columns,
                           int64_t samples, THCDraw draw, int64_t *indices, cudaStream_t stream)
{
  const int64_t count = rows * samples;
  THC_LAUNCH(draw_indices, THC_blocks((ptrdiff_t)count), THC_BLOCK, 0, stream, p, sums, columns,
             samples, count, draw, indices);
}
