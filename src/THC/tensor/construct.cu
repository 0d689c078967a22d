/* Kernels that fill tensors by a rule, compare tensors, and compute traces and cross products. */
#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"

/* --- sequences: the offset in operand 1 is the element's row-major index -------------------- */

/* r[i] = Rule::at(&sequence, i). */
template <class Rule>
__global__ static void sequence_kernel(THCWalk walk, typename Rule::Sequence sequence)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THCWalk_offsets(walk, i, at);
    const ptrdiff_t number = (ptrdiff_t)(uintptr_t)walk.flat.data[1] + at[1];
    ((element *)walk.flat.data[0])[at[0]] = Rule::at(&sequence, number);
  }
}

template <class Rule>
static void fill_sequence(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  typedef typename Rule::Sequence Sequence;
  THC_LAUNCH(sequence_kernel<Rule>, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk,
             *(const Sequence *)scalars);
}

#ifdef ureal

struct arithmetic {
  typedef THCWholeSequence Sequence;
  THC_DEVICE element at(const Sequence *s, ptrdiff_t i)
  {
    return (element)((uint64_t)s->first + (uint64_t)s->step * (uint64_t)i);
  }
};

#else

#define FROM_DOUBLE(X) THC_STORE((real)(X))

struct arithmetic {
  typedef THCSequence Sequence;
  THC_DEVICE element at(const Sequence *s, ptrdiff_t i)
  {
    return FROM_DOUBLE(s->first + s->step * (double)i);
  }
};

/* Both ends are exact: the second half is computed from the last element. */
THC_DEVICE double between(const THCSequence *s, ptrdiff_t i)
{
  return i < s->count / 2 ? s->first + s->step * (double)i
                          : s->last - s->step * (double)(s->count - 1 - i);
}

struct even {
  typedef THCSequence Sequence;
  THC_DEVICE element at(const Sequence *s, ptrdiff_t i)
  {
    return FROM_DOUBLE(between(s, i));
  }
};

struct powers_of_ten {
  typedef THCSequence Sequence;
  THC_DEVICE element at(const Sequence *s, ptrdiff_t i)
  {
    return FROM_DOUBLE(pow(10., between(s, i)));
  }
};

extern "C" void THC_NAME(THCEven_)(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  fill_sequence<even>(walk, scalars, stream);
}

extern "C" void THC_NAME(THCPowersOfTen_)(const THCWalk *walk, const void *scalars,
                                          cudaStream_t stream)
{
  fill_sequence<powers_of_ten>(walk, scalars, stream);
}

#endif

extern "C" void THC_NAME(THCArithmetic_)(const THCWalk *walk, const void *scalars,
                                         cudaStream_t stream)
{
  fill_sequence<arithmetic>(walk, scalars, stream);
}

/* --- triangles ------------------------------------------------------------------------------ */

#define Triangle THC_NAME(THCTriangle_)

__global__ static void TH_CONCAT_2(Triangle, _kernel)(THCTriangle t)
{
  element *r = (element *)t.r;
  const element *from = (const element *)t.from;
  for (int64_t i = blockIdx.y; i < t.rows; i += gridDim.y)
    THC_GRID_LOOP(j, t.columns)
    {
      const int keeps = t.upper ? j - i >= t.k : j - i <= t.k;
      r[i * t.step[0] + j * t.step[1]] =
          keeps ? from[i * t.fromStep[0] + j * t.fromStep[1]] : THC_STORE((real)0);
    }
}

extern "C" void Triangle(const THCTriangle *triangle, cudaStream_t stream)
{
  const dim3 blocks(THC_blocks(triangle->columns),
                    (unsigned)(triangle->rows < 65535 ? triangle->rows : 65535));
  THC_LAUNCH(TH_CONCAT_2(Triangle, _kernel), blocks, THC_BLOCK, 0, stream, *triangle);
}

/* --- comparison of whole tensors ------------------------------------------------------------ */

#define Differ THC_NAME(THCDiffer_)

__global__ static void TH_CONCAT_2(Differ, _kernel)(THCWalk walk, int *differ)
{
  int found = 0;
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THCWalk_offsets(walk, i, at);
    found |= THC_LOAD(((const element *)walk.flat.data[0])[at[0]]) !=
             THC_LOAD(((const element *)walk.flat.data[1])[at[1]]);
  }
  if (found)
    atomicOr(differ, 1);
}

extern "C" void Differ(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  THC_LAUNCH(TH_CONCAT_2(Differ, _kernel), THC_blocks((walk->flat.count + 3) / 4), THC_BLOCK, 0,
             stream, *walk, *(int *const *)scalars);
}

/* --- the trace, by one block ---------------------------------------------------------------- */

#ifdef ureal
typedef int64_t Sum;
#else
typedef double Sum;
#endif

#define Trace THC_NAME(THCTrace_)

__global__ static void TH_CONCAT_2(Trace, _kernel)(const element *x, int64_t n, int64_t step,
                                                   Sum *result)
{
  __shared__ Sum sums[THC_BLOCK];
  Sum sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += THC_BLOCK)
    sum += (Sum)THC_LOAD(x[i * step]);
  sums[threadIdx.x] = sum;
  for (unsigned half = THC_BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    *result = sums[0];
}

extern "C" void Trace(const void *x, int64_t n, int64_t step, void *result, cudaStream_t stream)
{
  THC_LAUNCH(TH_CONCAT_2(Trace, _kernel), 1, THC_BLOCK, 0, stream, (const element *)x, n, step,
             (Sum *)result);
}

/* --- vector products ------------------------------------------------------------------------ */

#define Cross THC_NAME(THCCross_)

/* One thread per vector reads all elements before it writes: the result may be an input. */
__global__ static void TH_CONCAT_2(Cross, _kernel)(THCWalk walk, THCCross step)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[3];
    THCWalk_offsets(walk, i, at);
    element *r = (element *)walk.flat.data[0] + at[0];
    const element *a = (const element *)walk.flat.data[1] + at[1];
    const element *b = (const element *)walk.flat.data[2] + at[2];
    real x[3], y[3];
    for (int k = 0; k < 3; k++) {
      x[k] = THC_LOAD(a[k * step.a]);
      y[k] = THC_LOAD(b[k * step.b]);
    }
    r[0] = THC_STORE((real)(x[1] * y[2] - x[2] * y[1]));
    r[step.r] = THC_STORE((real)(x[2] * y[0] - x[0] * y[2]));
    r[2 * step.r] = THC_STORE((real)(x[0] * y[1] - x[1] * y[0]));
  }
}

extern "C" void Cross(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  THC_LAUNCH(TH_CONCAT_2(Cross, _kernel), THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk,
             *(const THCCross *)scalars);
}
