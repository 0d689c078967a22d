/* The kernels of thc_integers.h.
 *
 * Integers wrap around, so that signs make no difference to a product: elements of a size share a
 * kernel. */
#include "THC/core/thc_cuda.h"

#include "thc_integers.h"

/* A block computes a tile of TILE x TILE elements, a thread one of them; PITCH keeps the columns of
 * a tile in different banks of shared memory. */
enum { TILE = 16, PITCH = TILE + 1 };

static_assert(TILE * TILE == THC_BLOCK, "a thread computes one element");

namespace
{

/* The element of a row and column, or 0 outside of the matrix. */
template <class T>
THC_DEVICE T element_of(const T *t, int64_t row, int64_t column, int64_t rows, int64_t columns,
                        int64_t rowStep, int64_t columnStep)
{
  return row < rows && column < columns ? t[row * rowStep + column * columnStep] : (T)0;
}

/* The sum of products for an element of the tile at (row, column) of product i. */
template <class T, class Sum>
THC_DEVICE Sum tile_sum(const THCIntegerProduct &p, int64_t i, int64_t row, int64_t column,
                        T *tiles)
{
  const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
  const T *a = (const T *)p.a + i * p.strideA, *b = (const T *)p.b + i * p.strideB;
  T *left = tiles, *right = tiles + TILE * PITCH;
  Sum sum = 0;
  for (int64_t l = 0; l < p.k; l += TILE) {
    left[y * PITCH + x] = element_of(a, row + y, l + x, p.m, p.k, p.rowA, p.columnA);
    right[y * PITCH + x] = element_of(b, l + y, column + x, p.k, p.n, p.rowB, p.columnB);
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += (Sum)left[y * PITCH + k] * (Sum)right[k * PITCH + x];
    __syncthreads();
  }
  return sum;
}

template <class T, class Sum>
THC_DEVICE void multiply(const THCIntegerProduct &p)
{
  THC_DYNAMIC_SHARED(T, tiles);
  const int64_t down = (p.m + TILE - 1) / TILE, across = (p.n + TILE - 1) / TILE;
  THC_ROLL
  for (int64_t tile = blockIdx.x; tile < down * across * p.count; tile += gridDim.x) {
    const int64_t i = tile / (down * across);
    const int64_t row = tile / across % down * TILE, column = tile % across * TILE;
    const Sum sum = tile_sum<T, Sum>(p, i, row, column, tiles);
    const int64_t y = row + threadIdx.x / TILE, x = column + threadIdx.x % TILE;
    if (y < p.m && x < p.n) {
      T *c = (T *)p.c + i * p.strideC + y * p.rowC + x * p.columnC;
      *c = (T)((Sum)p.alpha * sum + (p.beta ? (Sum)p.beta * (Sum)*c : (Sum)0));
    }
  }
}

template <class T>
THC_DEVICE void dot(ptrdiff_t n, const T *x, int64_t incx, const T *y, int64_t incy,
                    unsigned long long *all)
{
  unsigned long long sum = 0;
  THC_GRID_LOOP(i, n)
  sum += (unsigned long long)((int64_t)x[i * incx]) * (unsigned long long)((int64_t)y[i * incy]);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFu, sum, (unsigned)offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(all, sum);
}

}  // namespace

/* --- kernels and launchers ------------------------------------------------------------------- */

namespace
{

template <class T, class Sum>
__global__ void multiply_integers(THCIntegerProduct p)
{
  multiply<T, Sum>(p);
}

template <class T, class Sum>
void launch(const THCIntegerProduct *p, unsigned blocks, cudaStream_t stream)
{
  THC_LAUNCH((multiply_integers<T, Sum>), blocks, THC_BLOCK, 2 * TILE * PITCH * sizeof(T), stream,
             *p);
}

template <class T>
__global__ void dot_kernel(ptrdiff_t n, const T *x, int64_t incx, const T *y, int64_t incy,
                           unsigned long long *sum)
{
  dot(n, x, incx, y, incy, sum);
}

}  // namespace

extern "C" void THCKernel_multiplyIntegers(const THCIntegerProduct *p, size_t elementSize,
                                           cudaStream_t stream)
{
  const int64_t tiles = (p->m + TILE - 1) / TILE * ((p->n + TILE - 1) / TILE) * p->count;
  const unsigned blocks = THC_blocks((ptrdiff_t)tiles * THC_BLOCK);
  if (tiles == 0)
    return;
  if (elementSize == 1)
    launch<uint8_t, uint32_t>(p, blocks, stream);
  else if (elementSize == 2)
    launch<uint16_t, uint32_t>(p, blocks, stream);
  else if (elementSize == 4)
    launch<uint32_t, uint32_t>(p, blocks, stream);
  else
    launch<uint64_t, uint64_t>(p, blocks, stream);
}

/* Blocks of a dot product: each ends with an atomic addition for a warp. */
enum { DOT_BLOCKS = 512 };

extern "C" void THCKernel_dotIntegers(THScalarType type, ptrdiff_t n, const void *x, int64_t incx,
                                      const void *y, int64_t incy, int64_t *all,
                                      cudaStream_t stream)
{
  const unsigned most = THC_blocks(n), blocks = most < DOT_BLOCKS ? most : (unsigned)DOT_BLOCKS;
  unsigned long long *sum = (unsigned long long *)all;
  /* clang-format off */
#define CASE(TYPE, T)                                                                                                 \
  case TYPE: THC_LAUNCH(dot_kernel<T>, blocks, THC_BLOCK, 0, stream, n, (const T *)x, incx, (const T *)y, incy, sum); \
    break;
  /* clang-format on */
  switch (type) {
    CASE(THScalarByte, uint8_t)
    CASE(THScalarChar, int8_t)
    CASE(THScalarShort, int16_t)
    CASE(THScalarInt, int32_t)
    CASE(THScalarLong, int64_t)
    default:
      break;
  }
#undef CASE
}
