/* Kernels that fill planes of images with a bias, add a number to each plane, sum planes up, and look for numbers
 * outside [0, 1]. */
#include "thcunn_template.h"

__global__ static void fill(IndexSplit split, int64_t count, const element *bias, element *y)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t rest = i;
    next_coordinate(split, 0, &rest);
    y[i] = bias[next_coordinate(split, 1, &rest)];
  }
}

__global__ static void add(IndexSplit split, int64_t count, const element *x, real scale,
                           element *y)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t rest = i;
    next_coordinate(split, 0, &rest);
    const real term = scale * THC_LOAD(x[next_coordinate(split, 1, &rest)]);
    y[i] = THC_STORE(THC_LOAD(y[i]) + term);
  }
}

/* Sums up parts of planes, one block each.  With memory it writes the sum of each part; without memory a plane
 * has one part, whose sum is added to y. */
__global__ static void sums(IndexSplit split, int64_t batch, int64_t planes, int64_t n,
                            int64_t parts, const element *x, real scale, element *y, double *memory)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t block = blockIdx.x; block < planes * parts; block += gridDim.x) {
    const Part part = part_of(block, parts, batch * n);
    real sum = 0;
    for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
      int64_t image = j;
      const int64_t i = next_coordinate(split, 0, &image);
      sum += THC_LOAD(x[(image * planes + part.line) * n + i]);
    }
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0 && memory)
      memory[2 * block] = sum;
    else if (threadIdx.x == 0)
      y[part.line] = THC_STORE(THC_LOAD(y[part.line]) + scale * sum);
  }
}

__global__ static void add_sums(const double *memory, int64_t parts, real scale, element *y)
{
  __shared__ double shared[THC_BLOCK];
  const double sum = join_parts(memory + 2 * blockIdx.x * parts, parts, shared);
  if (threadIdx.x == 0)
    y[blockIdx.x] = THC_STORE(THC_LOAD(y[blockIdx.x]) + scale * (real)sum);
}

__global__ static void parts(const real *x, int count, real scale, element *y)
{
  __shared__ real shared[THC_BLOCK];
  real sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    sum += x[i];
  sum = block_reduce(sum, shared, 0);
  if (threadIdx.x == 0)
    *y = THC_STORE(scale * sum);
}

__global__ static void find_outside_unit(const element *x, int64_t count, THCReport report)
{
  THC_GRID_LOOP(i, count)
  {
    const double value = (double)THC_LOAD(x[i]);
    if (!(value >= 0 && value <= 1))
      THC_reportNumber(report, i, value);
  }
}

extern "C" void THCUNN_(findNonProbability)(const void *x, int64_t count, const THCReport *report,
                                            cudaStream_t stream)
{
  THC_LAUNCH(find_outside_unit, THC_blocks(count), THC_BLOCK, 0, stream, (const element *)x, count,
             *report);
}

extern "C" void THCUNN_(fillPlanes)(int64_t batch, int64_t planes, int64_t n, const void *bias,
                                    void *y, cudaStream_t stream)
{
  const int64_t count = batch * planes * n, size[] = {n, planes};
  THC_LAUNCH(fill, THC_blocks(count), THC_BLOCK, 0, stream, index_split(count, 2, size), count,
             (const element *)bias, (element *)y);
}

extern "C" void THCUNN_(addToPlanes)(int64_t batch, int64_t planes, int64_t n, const void *x,
                                     double scale, void *y, cudaStream_t stream)
{
  const int64_t count = batch * planes * n, size[] = {n, planes};
  THC_LAUNCH(add, THC_blocks(count), THC_BLOCK, 0, stream, index_split(count, 2, size), count,
             (const element *)x, (real)scale, (element *)y);
}

extern "C" void THCUNN_(addPlaneSums)(int64_t batch, int64_t planes, int64_t n, const void *x,
                                      double scale, void *y, void *memory, cudaStream_t stream)
{
  const int64_t parts = memory ? THCUNN_parts(planes, batch * n) : 1, blocks = planes * parts;
  THC_LAUNCH(sums, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), THC_BLOCK, 0, stream,
             index_split(batch * n, 1, &n), batch, planes, n, parts, (const element *)x,
             (real)scale, (element *)y, (double *)memory);
  if (memory)
    THC_LAUNCH(add_sums, (unsigned)planes, THC_BLOCK, 0, stream, (const double *)memory, parts,
               (real)scale, (element *)y);
}

extern "C" void THCUNN_(addParts)(const void *x, int count, double scale, void *y,
                                  cudaStream_t stream)
{
  THC_LAUNCH(parts, 1, THC_BLOCK, 0, stream, (const real *)x, count, (real)scale, (element *)y);
}
