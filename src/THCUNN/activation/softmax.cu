/* Kernels of SoftMax and LogSoftMax.
 *
 * The maximum is subtracted first, so that exp does not overflow.  A NaN makes a whole sequence
 * NaN; so do only negative infinities. */
#include "THCUNN/layer/thcunn_template.h"

#include "THC/walk/thc_pack.h"

/* Every type's structs and templates have the same names: the namespace keeps them apart. */
namespace
{

/* The elements of a contiguous sequence that fall to a thread of a block. */
struct block_line {
  int64_t n;
  real *shared;

  THC_MEMBER real reduced(real value, int largest) const
  {
    return block_reduce(value, shared, largest);
  }
  template <class F, class... In>
  THC_MEMBER void each(F f, const In *...x) const
  {
    THC_eachOfLine(n, threadIdx.x, blockDim.x, f, x...);
  }
  template <class F, class... In>
  THC_MEMBER void map(element *y, F f, const In *...x) const
  {
    THC_mapLine(n, threadIdx.x, blockDim.x, y, f, x...);
  }
};

/* All elements of a sequence with gaps, for one thread. */
struct own_line {
  int64_t n, step;

  THC_MEMBER real reduced(real value, int) const
  {
    return value;
  }
  template <class F, class... In>
  THC_MEMBER void each(F f, const In *...x) const
  {
    for (int64_t i = 0; i < n; i++)
      f(i, x[i * step]...);
  }
  template <class F, class... In>
  THC_MEMBER void map(element *y, F f, const In *...x) const
  {
    for (int64_t i = 0; i < n; i++)
      y[i * step] = f(i, x[i * step]...);
  }
};

template <class Line>
THC_DEVICE void forward(int logarithm, const element *x, element *y, const Line &line)
{
  real most = -(real)INFINITY, sum = 0;
  line.each([&](ptrdiff_t, element xi) { most = THC_LOAD(xi) > most ? THC_LOAD(xi) : most; }, x);
  most = line.reduced(most, 1);
  line.each([&](ptrdiff_t, element xi) { sum += THMath_(exp)(THC_LOAD(xi) - most); }, x);
  sum = line.reduced(sum, 0);
  const real last = logarithm ? THMath_(log)(sum) : 1 / sum;
  const auto result = [&](ptrdiff_t, element xi) {
    const real z = THC_LOAD(xi) - most;
    return (element)THC_STORE(logarithm ? z - last : THMath_(exp)(z) * last);
  };
  line.map(y, result, x);
}

template <class Line>
THC_DEVICE void gradient(int logarithm, const element *g, const element *y, element *d,
                         const Line &line)
{
  real sum = 0;
  const auto add = [&](ptrdiff_t, element gi, element yi) {
    sum += logarithm ? THC_LOAD(gi) : THC_LOAD(gi) * THC_LOAD(yi);
  };
  line.each(add, g, y);
  sum = line.reduced(sum, 0);
  const auto result = [&](ptrdiff_t, element g_i, element y_i) {
    const real gi = THC_LOAD(g_i), yi = THC_LOAD(y_i);
    return (element)THC_STORE(logarithm ? gi - THMath_(exp)(yi) * sum : yi * (gi - sum));
  };
  line.map(d, result, g, y);
}

}  // namespace

/* A block for each contiguous sequence. */
__global__ static void rows(int logarithm, const element *g, const element *x, element *y,
                            int64_t count, int64_t n)
{
  __shared__ real shared[THC_BLOCK];
  const block_line line = {n, shared};
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x)
    if (g)
      gradient(logarithm, g + i * n, x + i * n, y + i * n, line);
    else
      forward(logarithm, x + i * n, y + i * n, line);
}

/* --- contiguous short sequences: some threads of a warp each, values in registers ------------ */

THC_DEVICE real joined(real value, int threads, int largest)
{
  for (int bits = threads / 2; bits > 0; bits /= 2) {
    const real other = __shfl_xor_sync(0xFFFFFFFFu, value, bits);
    value = !largest ? value + other : other > value ? other : value;
  }
  return value;
}

/* The index of a thread's element k: packs of all threads take turns. */
template <int PACK>
THC_DEVICE int index_of(int k, int first, int threads)
{
  return (k / PACK * threads + first) * PACK + k % PACK;
}

/* Loads a thread's elements of a row of whole packs.  Elements from `end` on become `others`. */
template <int EACH, int PACK>
THC_DEVICE void load_packs(const element *row, int first, int threads, int end, real others,
                           real *values)
{
  THC_UNROLL
  for (int k = 0; k < EACH; k += PACK) {
    const int i = index_of<PACK>(k, first, threads);
    THCPack<element, PACK> pack;
    if (i < end)
      pack = *(const THCPack<element, PACK> *)(row + i);
    THC_UNROLL
    for (int e = 0; e < PACK; e++)
      values[k + e] = i < end ? THC_LOAD(pack.v[e]) : others;
  }
}

/* Each of `threads` threads, a power of two, has EACH elements at most, PACK of them side by side. */
template <int EACH, int PACK>
__global__ static void short_rows(int logarithm, const element *g, const element *x, element *y,
                                  int64_t count, int n, int threads)
{
  const int64_t row = ((int64_t)blockIdx.x * THC_BLOCK + threadIdx.x) / threads;
  const int first = (int)threadIdx.x % threads, end = row < count ? n : 0;
  const int64_t at = row * n;
  real v[EACH], w[EACH], sum = 0;
  load_packs<EACH, PACK>(x + at, first, threads, end, -(real)INFINITY, v);
  load_packs<EACH, PACK>(g ? g + at : g, first, threads, g ? end : 0, 0, w);
  if (g) {
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      if (index_of<PACK>(k, first, threads) < end)
        sum += logarithm ? w[k] : w[k] * v[k];
    sum = joined(sum, threads, 0);
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      w[k] = logarithm ? w[k] - THMath_(exp)(v[k]) * sum : v[k] * (w[k] - sum);
  } else {
    real most = -(real)INFINITY;
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      most = v[k] > most ? v[k] : most;
    most = joined(most, threads, 1);
    THC_UNROLL
    for (int k = 0; k < EACH; k++) {
      w[k] = THMath_(exp)(v[k] - most);
      if (index_of<PACK>(k, first, threads) < end)
        sum += w[k];
    }
    sum = joined(sum, threads, 0);
    const real last = logarithm ? THMath_(log)(sum) : 1 / sum;
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      w[k] = logarithm ? v[k] - most - last : w[k] * last;
  }
  THC_UNROLL
  for (int k = 0; k < EACH; k += PACK) {
    const int i = index_of<PACK>(k, first, threads);
    THCPack<element, PACK> pack;
    THC_UNROLL
    for (int e = 0; e < PACK; e++)
      pack.v[e] = THC_STORE(w[k + e]);
    if (i < end)
      *(THCPack<element, PACK> *)(y + at + i) = pack;
  }
}

/* --- strided sequences ---------------------------------------------------------------------- */

/* A thread for each sequence. */
__global__ static void lanes(int logarithm, const element *g, const element *x, element *y,
                             int64_t count, int64_t n, int64_t inner)
{
  THC_GRID_LOOP(i, count)
  {
    const int64_t at = i / inner * inner * n + i % inner;
    const own_line line = {n, inner};
    if (g)
      gradient(logarithm, g + at, x + at, y + at, line);
    else
      forward(logarithm, x + at, y + at, line);
  }
}

extern "C" void THCUNN_(softMax)(int logarithm, const void *g, const void *x, void *y,
                                 int64_t outer, int64_t count, int64_t inner, cudaStream_t stream)
{
  const int64_t sequences = outer * inner;
  int threads = 1;
  while (threads < 32 && 4 * threads < count)
    threads *= 2;
  const int64_t blocks = (sequences + THC_BLOCK / threads - 1) / (THC_BLOCK / threads);
  /* Rows of whole packs are aligned if the first one is, which tensors that are no views are. */
  const uintptr_t addresses = (uintptr_t)g | (uintptr_t)x | (uintptr_t)y;
  const bool isPacked = count % 4 == 0 && addresses % sizeof(THCPack<element, 4>) == 0;
#define LAUNCH(EACH)                    \
  if (isPacked)                         \
    LAUNCH_ROWS((short_rows<EACH, 4>)); \
  else                                  \
    LAUNCH_ROWS((short_rows<EACH, 1>))
#define LAUNCH_ROWS(NAME)                                                                 \
  THC_LAUNCH(NAME, (unsigned)blocks, THC_BLOCK, 0, stream, logarithm, (const element *)g, \
             (const element *)x, (element *)y, sequences, (int)count, threads)
  if (inner == 1 && count <= 4 * threads && blocks <= INT32_MAX) {
    LAUNCH(4);
  } else if (inner == 1 && count <= 8 * threads && blocks <= INT32_MAX) {
    LAUNCH(8);
  } else if (inner == 1 && count <= 32 * threads && blocks <= INT32_MAX) {
    LAUNCH(32);
  } else if (inner == 1)
    THC_LAUNCH(rows, (unsigned)(sequences < INT32_MAX ? sequences : INT32_MAX), THC_BLOCK, 0,
               stream, logarithm, (const element *)g, (const element *)x, (element *)y, sequences,
               count);
  else
    THC_LAUNCH(lanes, THC_blocks(sequences), THC_BLOCK, 0, stream, logarithm, (const element *)g,
               (const element *)x, (element *)y, sequences, count, inner);
}
