/* THC_MAP: kernels of one expression for each element, such as fills, copies and pointwise operations.
 *
 *     typedef struct Scale { float by; } Scale;                       the scalars: the same for all
 *
 *     THC_DEVICE float scale_element(const Scale *s, float x)         computes one element
 *     {
 *       return s->by * x;
 *     }
 *     THC_MAP(scale, float, Scale, float)     name; types of the result, the scalars, the inputs
 *
 * defines the launcher `scale`, a THCKernel: operand 0 is the result, operands from 1 on the
 * inputs, of which there may be none.  A tensor that a kernel reads and
 * writes is passed as two operands, result and input.  THCNothing is the type of no scalars. */
#ifndef THC_MAP_H
#define THC_MAP_H

#include "THC/core/thc_cuda.h"
#include "THC/core/thc_kernels.h"
#include "thc_pack.h"

#define THC_MAP_THREADS_PER_BLOCK 512
#define THC_MAP_BLOCKS_PER_SM     4

typedef char THCNothing;

enum {
  THC_IN_FLIGHT = 2,        /* packs of elements that a thread loads before it computes */
  THC_STRIDED_IN_FLIGHT = 4 /* elements that a thread loads before it computes, without packs */
};

/* An anonymous namespace: some files are compiled with the simulator's race checks and some without, and
 * the linker must not merge their instances of a template. */
namespace
{

template <class T, int N>
THC_DEVICE T THC_element(const THCPack<T, N> &pack, int k)
{
  return pack.v[k];
}

template <class T>
THC_DEVICE T THC_element(const T &x, int)
{
  return x;
}

/* The inputs of a kernel: U elements, or packs, of each of the operands K, K + 1, ... */
template <int K, int U, class... In>
struct THCInputs {
  THC_MEMBER void load(int, const THCFlat &, ptrdiff_t)
  {
  }
  THC_MEMBER void load_at(int, const THCFlat &, const uint32_t *)
  {
  }

  /* element(s, elements...) of elements k of the packs u. */
  template <class Function, class Scalars, class... Elements>
  THC_MEMBER auto compute(Function *element, const Scalars *s, int, int, Elements... elements) const
  {
    return element(s, elements...);
  }
};

template <int K, int U, class First, class... Rest>
struct THCInputs<K, U, First, Rest...> {
  First x[U];
  THCInputs<K + 1, U, Rest...> rest;

  THC_MEMBER void load(int u, const THCFlat &flat, ptrdiff_t i)
  {
    x[u] = ((const First *)flat.data[K])[i];
    rest.load(u, flat, i);
  }
  THC_MEMBER void load_at(int u, const THCFlat &flat, const uint32_t *at)
  {
    x[u] = ((const First *)flat.data[K])[at[K]];
    rest.load_at(u, flat, at);
  }
  template <class Function, class Scalars, class... Elements>
  THC_MEMBER auto compute(Function *element, const Scalars *s, int u, int k,
                          Elements... elements) const
  {
    return rest.compute(element, s, u, k, elements..., THC_element(x[u], k));
  }
};

template <class Out, class Scalars, class... In>
struct THCMap {
  typedef Scalars Numbers;
  typedef Out Element(const Scalars *, In...);
  enum { PACK = THC_packOf<Out, In...>(), OPERANDS = 1 + sizeof...(In) };

  template <Element *element>
  THC_DEVICE void packed(const THCFlat &flat, const Scalars &s)
  {
    typedef THCPack<Out, PACK> Result;
    const ptrdiff_t packs = flat.count / PACK;
    const ptrdiff_t jump = (ptrdiff_t)gridDim.x * blockDim.x * THC_IN_FLIGHT;
    Result *r = (Result *)flat.data[0];
    THC_ROLL
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x * THC_IN_FLIGHT + threadIdx.x; i < packs;
         i += jump) {
      THCInputs<1, THC_IN_FLIGHT, THCPack<In, PACK>...> in;
      THC_UNROLL
      for (int u = 0; u < THC_IN_FLIGHT; u++) {
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;
        if (j < packs)
          in.load(u, flat, j);
      }
      THC_UNROLL
      for (int u = 0; u < THC_IN_FLIGHT; u++) {
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;
        if (j < packs) {
          Result y;
          THC_UNROLL
          for (int k = 0; k < PACK; k++)
            y.v[k] = in.compute(element, &s, u, k);
          r[j] = y;
        }
      }
    }
    const ptrdiff_t i = packs * PACK + threadIdx.x; /* the rest, fewer elements than a block */
    if (blockIdx.x == 0 && i < flat.count) {
      THCInputs<1, 1, In...> in;
      in.load(0, flat, i);
      ((Out *)flat.data[0])[i] = in.compute(element, &s, 0, 0);
    }
  }

  template <Element *element>
  THC_DEVICE void strided(const THCWalk &walk, const Scalars &s)
  {
    const THCFlat &flat = walk.flat;
    const ptrdiff_t jump = (ptrdiff_t)gridDim.x * blockDim.x * THC_STRIDED_IN_FLIGHT;
    THC_ROLL
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x * THC_STRIDED_IN_FLIGHT + threadIdx.x;
         i < flat.count; i += jump) {
      uint32_t at[THC_STRIDED_IN_FLIGHT][OPERANDS];
      THCInputs<1, THC_STRIDED_IN_FLIGHT, In...> in;
      THC_UNROLL
      for (int u = 0; u < THC_STRIDED_IN_FLIGHT; u++) {
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;
        if (j < flat.count) {
          THCWalk_find(&walk, OPERANDS, (uint32_t)j, at[u]);
          in.load_at(u, flat, at[u]);
        }
      }
      THC_UNROLL
      for (int u = 0; u < THC_STRIDED_IN_FLIGHT; u++)
        if (i + (ptrdiff_t)u * blockDim.x < flat.count)
          ((Out *)flat.data[0])[at[u][0]] = in.compute(element, &s, u, 0);
    }
  }

  static unsigned blocks(const THCWalk *walk)
  {
    const ptrdiff_t each = walk->packed ? PACK * THC_IN_FLIGHT : THC_STRIDED_IN_FLIGHT;
    return THC_blocks((walk->flat.count + each - 1) / each);
  }
};

template <class Map, typename Map::Element *element>
__global__ void THC_mapPacked(THCFlat flat, typename Map::Numbers s)
{
  Map::template packed<element>(flat, s);
}

template <class Map, typename Map::Element *element>
__global__ void THC_mapStrided(THCWalk walk, typename Map::Numbers s)
{
  Map::template strided<element>(walk, s);
}

template <class Map, typename Map::Element *element>
void THC_map(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  const typename Map::Numbers s = *(const typename Map::Numbers *)scalars;
  const unsigned blocks = Map::blocks(walk);
  if (walk->packed)
    THC_LAUNCH((THC_mapPacked<Map, element>), blocks, THC_BLOCK, 0, stream, walk->flat, s);
  else
    THC_LAUNCH((THC_mapStrided<Map, element>), blocks, THC_BLOCK, 0, stream, *walk, s);
}

}  // namespace

#define THC_MAP(NAME, OUT, ...) THC_MAP_OF(NAME, NAME##_element, OUT, __VA_ARGS__)

/* THC_MAP with the function ELEMENT instead of NAME_element: an instance of a template, for example. */
/* clang-format off */
#define THC_MAP_OF(NAME, ELEMENT, OUT, ...)                                           \
  extern "C" void NAME(const THCWalk *walk, const void *scalars, cudaStream_t stream) \
  { THC_map<THCMap<OUT, __VA_ARGS__>, ELEMENT>(walk, scalars, stream); }
/* clang-format on */

#endif
