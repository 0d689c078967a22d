/* The rows of src/ops/updates.h on CUDA: one pass over many parameters, their gradients and their states, each in one
 * piece; or over one parameter that has gaps.  Half and BFloat16 are computed in float. */
#include <math.h>

#include "THC/core/thc_cuda.h"

#include "THC/core/thc_kernels.h"
#include "THC/walk/thc_pack.h"

#include "ATen/ATenType.h"
#include "ATen/optim/numbers.h"
#include "THHalf.h"

/* The CPU's functions, compiled for the device too. */
#define inline inline __host__ __device__
#include "ATen/core/conversions.h"
#undef inline

/* --- elements -------------------------------------------------------------------------------- */

THC_DEVICE float load(float x)
{
  return x;
}
THC_DEVICE double load(double x)
{
  return x;
}
THC_DEVICE float load(THHalf x)
{
  return THC_halfToFloat(x);
}
THC_DEVICE float load(at_bfloat16 x)
{
  return at_bfloat16_toFloat(x);
}
THC_DEVICE void store(float *to, float x)
{
  *to = x;
}
THC_DEVICE void store(double *to, double x)
{
  *to = x;
}
THC_DEVICE void store(THHalf *to, float x)
{
  *to = THC_floatToHalf(x);
}
THC_DEVICE void store(at_bfloat16 *to, float x)
{
  *to = at_bfloat16_fromFloat(x);
}

#define AT_SQRT(X) ((real)sqrt(X))
#define AT_ABS(X)  ((X) < 0 ? -(X) : (X))

/* --- rows ------------------------------------------------------------------------------------ */

namespace
{

/* The names that the assignments may use. */
#define NAMES                                                                      \
  TH_UNUSED const real rate = (real)k.rate, a = (real)k.a, b = (real)k.b;          \
  TH_UNUSED const real c = (real)k.c, d = (real)k.d, e = (real)k.e, f = (real)k.f; \
  TH_UNUSED real y = 0, s0 = s[0], s1 = s[1], s2 = s[2];

#define UPDATE(NAME, COUNT, ...)                                                    \
  struct NAME##_row {                                                               \
    enum { STATES = COUNT };                                                        \
    template <class real>                                                           \
    THC_DEVICE void change(real &x, TH_UNUSED real g, real *s, const at_numbers &k) \
    {                                                                               \
      NAMES __VA_ARGS__;                                                            \
      s[0] = s0, s[1] = s1, s[2] = s2;                                              \
    }                                                                               \
  };
#include "ops/updates.h"

/* Changes element k of the packs of a parameter, its gradient and its states. */
template <class Row, class real, class Pack>
THC_DEVICE void change_element(Pack *of, int k, const at_numbers &n)
{
  real x = (real)n.shrink * load(of[0].v[k]), s[3] = {};
  const real g = (real)n.sign * load(of[1].v[k]) + (n.decay != 0 ? (real)n.decay * x : (real)0);
  THC_UNROLL
  for (int j = 0; j < Row::STATES; j++)
    s[j] = load(of[2 + j].v[k]);
  Row::change(x, g, s, n);
  store(&of[0].v[k], x);
  THC_UNROLL
  for (int j = 0; j < Row::STATES; j++)
    store(&of[2 + j].v[k], s[j]);
}

/* Changes the N elements from i on. */
template <class Row, class element, class real, int N>
THC_DEVICE void change_pack(void *const *at, int64_t i, const at_numbers &n)
{
  THCPack<element, N> of[2 + Row::STATES];
  THC_UNROLL
  for (int j = 0; j < 2 + Row::STATES; j++)
    of[j] = THC_loadPack<N>((const element *)at[j] + i);
  THC_UNROLL
  for (int k = 0; k < N; k++)
    change_element<Row, real>(of, k, n);
  THC_UNROLL
  for (int j = 0; j < 2 + Row::STATES; j++)
    if (j != 1)
      THC_storePack<N>((element *)at[j] + i, of[j]);
}

/* What a block does: elements of a job. */
struct Chunk {
  int job;
  int64_t begin, end;
};

THC_DEVICE Chunk chunk_of(const at_update_many &many)
{
  int low = 0, high = many.jobs - 1; /* the first job that ends behind this block */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (many.end[middle] > (int)blockIdx.x)
      high = middle;
    else
      low = middle + 1;
  }
  const int64_t chunk = (int)blockIdx.x - (low > 0 ? many.end[low - 1] : 0);
  const int64_t begin = chunk * AT_MANY_CHUNK, after = begin + AT_MANY_CHUNK;
  return {low, begin, after < many.count[low] ? after : many.count[low]};
}

template <class Row, class element, class real>
THC_DEVICE void change_chunk(const at_update_many &many)
{
  enum { N = 4 };
  const Chunk chunk = chunk_of(many);
  void *const *const at = many.at[chunk.job];
  const int64_t packed = chunk.end - (chunk.end - chunk.begin) % N;
  for (int64_t i = chunk.begin + (int)threadIdx.x * N; i < packed; i += THC_BLOCK * N)
    change_pack<Row, element, real, N>(at, i, many.numbers);
  if (packed + (int)threadIdx.x < chunk.end)
    change_pack<Row, element, real, 1>(at, packed + threadIdx.x, many.numbers);
}

/* --- powers ---------------------------------------------------------------------------------- */

THC_DEVICE double joined(double a, double b, double order)
{
  return isinf(order) ? AT_LARGER(a, b) : a + b;
}

/* |x|^order joined with what was found before. */
THC_DEVICE double with_power(double before, double x, double order)
{
  const double size = fabs(x);
  const double power = order == 2 ? x * x : order == 1 || isinf(order) ? size : pow(size, order);
  return joined(before, power, order);
}

template <class element>
THC_DEVICE void sum_powers(const at_powers &p, double *shared)
{
  const Chunk chunk = chunk_of(p.many);
  const element *const x = (const element *)p.many.at[chunk.job][0] + chunk.begin;
  double sum = 0;
  const auto add = [&](ptrdiff_t, element v) { sum = with_power(sum, (double)load(v), p.order); };
  THC_eachOfLine(chunk.end - chunk.begin, threadIdx.x, THC_BLOCK, add, x);
  shared[threadIdx.x] = sum;
  for (int half = THC_BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half)
      shared[threadIdx.x] = joined(shared[threadIdx.x], shared[threadIdx.x + half], p.order);
  }
  if (threadIdx.x == 0)
    p.to[blockIdx.x] = shared[0];
}

template <class Row, class element, class real>
THC_DEVICE void change_all(const THCWalk &walk, const at_numbers &k)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2 + Row::STATES];
    void *of[2 + Row::STATES];
    THCWalk_offsets(walk, i, at);
    THC_UNROLL
    for (int j = 0; j < 2 + Row::STATES; j++)
      of[j] = (element *)walk.flat.data[j] + at[j];
    change_pack<Row, element, real, 1>(of, 0, k);
  }
}

/* --- kernels --------------------------------------------------------------------------------- */

template <class Row, class element, class real>
__global__ void change_kernel(THCWalk walk, at_numbers k)
{
  change_all<Row, element, real>(walk, k);
}

template <class Row, class element, class real>
void change(const THCWalk *walk, const void *k, cudaStream_t stream)
{
  THC_LAUNCH((change_kernel<Row, element, real>), THC_blocks(walk->flat.count), THC_BLOCK, 0,
             stream, *walk, *(const at_numbers *)k);
}

template <class Row, class element, class real>
__global__ void change_many_kernel(at_update_many many)
{
  change_chunk<Row, element, real>(many);
}

template <class Row, class element, class real>
void change_many(const at_update_many *many, cudaStream_t stream)
{
  THC_LAUNCH((change_many_kernel<Row, element, real>), (unsigned)many->end[many->jobs - 1],
             THC_BLOCK, 0, stream, *many);
}

template <class element>
__global__ void powers_kernel(at_powers p)
{
  THC_DYNAMIC_SHARED(double, shared);
  sum_powers<element>(p, shared);
}

template <class element>
void powers(const at_powers *p, cudaStream_t stream)
{
  const unsigned blocks = (unsigned)p->many.end[p->many.jobs - 1];
  THC_LAUNCH(powers_kernel<element>, blocks, THC_BLOCK, THC_BLOCK * sizeof(double), stream, *p);
}

}  // namespace

/* --- tables: in the order of AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16 ------------------------- */

#define OF_TYPES(FUNCTION, ROW)                                                              \
  {FUNCTION<ROW, float, float>, FUNCTION<ROW, double, double>, FUNCTION<ROW, THHalf, float>, \
   FUNCTION<ROW, at_bfloat16, float>}

#define UPDATE(NAME, ...) OF_TYPES(change, NAME##_row),
extern "C" const THCKernel at_cudaUpdates[][4] = {
#include "ops/updates.h"
};

typedef void (*Many)(const at_update_many *many, cudaStream_t stream);
#define UPDATE(NAME, ...) OF_TYPES(change_many, NAME##_row),
extern "C" const Many at_cudaManyUpdates[][4] = {
#include "ops/updates.h"
};

typedef void (*Powers)(const at_powers *powers, cudaStream_t stream);
extern "C" const Powers at_cudaPowers[4];
const Powers at_cudaPowers[4] = {powers<float>, powers<double>, powers<THHalf>,
                                 powers<at_bfloat16>};
