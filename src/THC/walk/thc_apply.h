/* Kernels of one expression for each element: fills, copies, everything pointwise.
 *
 *     typedef struct Scale { float by; } Scale;                       the scalars: the same for all
 *
 *     THC_DEVICE float scale_element(const Scale *s, float x)         computes one element
 *     {
 *       return s->by * x;
 *     }
 *     THC_MAP1(scale, float, Scale, float)    name; types of the result, the scalars, the input
 *
 * defines the launcher `scale`, a THCKernel: operand 0 is the result, operand 1 the input.
 * THC_MAP0, THC_MAP2 and THC_MAP3 are for 0, 2 and 3 inputs.  A tensor that a kernel reads and
 * writes is passed as two operands, result and input.  THCNothing is the type of no scalars. */
#ifndef THC_APPLY_H
#define THC_APPLY_H

#include "THC/core/thc_cuda.h"
#include "THC/core/thc_kernels.h"

#define THC_APPLY_THREADS_PER_BLOCK 512
#define THC_APPLY_BLOCKS_PER_SM     4

typedef char THCNothing;

enum {
  THC_IN_FLIGHT = 2,        /* packs of elements that a thread loads before it computes */
  THC_STRIDED_IN_FLIGHT = 4 /* elements that a thread loads before it computes, without packs */
};

/* Elements of a pack: as many of the largest type as fill 16 bytes, but at least 4. */
#define THC_PACK_OF(SIZE)    ((SIZE) <= 4 ? 16 / (int)(SIZE) : 4)
#define THC_PACK_ALIGN(SIZE) ((SIZE) < 16 ? (SIZE) : 16)
#define THC_MAX(A, B)        ((A) > (B) ? (A) : (B))

/* The parts of the kernels, which differ with the number of inputs. */
#define THC_PACK_TYPE_(NAME, K, TYPE, N)                                      \
  typedef struct __align__(THC_PACK_ALIGN(N * sizeof(TYPE))) NAME##_pack##K { \
    TYPE v[N];                                                                \
  } NAME##_pack##K;

#define THC_LOAD_PACK_(NAME, K, U, I) x##K[U] = ((const NAME##_pack##K *)flat.data[K])[I];
#define THC_ELEMENT_(TYPE, K, I)      ((const TYPE *)flat.data[K])[I]
#define THC_LOAD_ONE_(TYPE, K, U)     x##K[U] = THC_ELEMENT_(TYPE, K, at[U][K]);

/* OUT: the result's type; PACK: elements of a pack; OPERANDS: their number; the rest, for the
 * inputs: declarations of their packs, loads of one pack, elements of packs (u, k), and of the end;
 * declarations of single elements, their loads, and they themselves (u). */
#define THC_MAP_(NAME, OUT, SCALARS, PACK, OPERANDS, DECLARE, LOAD, OF_PACKS, FLAT, DECLARE_ONES, \
                 LOAD_ONES, OF_ONES)                                                              \
  __global__ static void NAME##_packed(THCFlat flat, SCALARS s)                                   \
  {                                                                                               \
    const ptrdiff_t packs = flat.count / (PACK);                                                  \
    const ptrdiff_t jump = (ptrdiff_t)gridDim.x * blockDim.x * THC_IN_FLIGHT;                     \
    NAME##_pack0 *r = (NAME##_pack0 *)flat.data[0];                                               \
    THC_ROLL                                                                                      \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x * THC_IN_FLIGHT + threadIdx.x;          \
         i < packs; i += jump) {                                                                  \
      DECLARE                                                                                     \
      THC_UNROLL                                                                                  \
      for (int u = 0; u < THC_IN_FLIGHT; u++) {                                                   \
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;                                        \
        if (j < packs) {                                                                          \
          LOAD                                                                                    \
        }                                                                                         \
      }                                                                                           \
      THC_UNROLL                                                                                  \
      for (int u = 0; u < THC_IN_FLIGHT; u++) {                                                   \
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;                                        \
        if (j < packs) {                                                                          \
          NAME##_pack0 y;                                                                         \
          THC_UNROLL                                                                              \
          for (int k = 0; k < (PACK); k++)                                                        \
            y.v[k] = NAME##_element OF_PACKS;                                                     \
          r[j] = y;                                                                               \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
    const ptrdiff_t i = packs * (PACK) + threadIdx.x; /* what no pack has, fewer than a block */  \
    if (blockIdx.x == 0 && i < flat.count)                                                        \
      ((OUT *)flat.data[0])[i] = NAME##_element FLAT;                                             \
  }                                                                                               \
                                                                                                  \
  __global__ static void NAME##_strided(THCWalk walk, SCALARS s)                                  \
  {                                                                                               \
    const THCFlat &flat = walk.flat;                                                              \
    const ptrdiff_t jump = (ptrdiff_t)gridDim.x * blockDim.x * THC_STRIDED_IN_FLIGHT;             \
    THC_ROLL                                                                                      \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x * THC_STRIDED_IN_FLIGHT + threadIdx.x;  \
         i < flat.count; i += jump) {                                                             \
      uint32_t at[THC_STRIDED_IN_FLIGHT][OPERANDS];                                               \
      DECLARE_ONES                                                                                \
      THC_UNROLL                                                                                  \
      for (int u = 0; u < THC_STRIDED_IN_FLIGHT; u++) {                                           \
        const ptrdiff_t j = i + (ptrdiff_t)u * blockDim.x;                                        \
        if (j < flat.count) {                                                                     \
          THCWalk_find(&walk, OPERANDS, (uint32_t)j, at[u]);                                      \
          LOAD_ONES                                                                               \
        }                                                                                         \
      }                                                                                           \
      THC_UNROLL                                                                                  \
      for (int u = 0; u < THC_STRIDED_IN_FLIGHT; u++)                                             \
        if (i + (ptrdiff_t)u * blockDim.x < flat.count)                                           \
          ((OUT *)flat.data[0])[at[u][0]] = NAME##_element OF_ONES;                               \
    }                                                                                             \
  }                                                                                               \
                                                                                                  \
  extern "C" void NAME(const THCWalk *walk, const void *scalars, cudaStream_t stream)             \
  {                                                                                               \
    const SCALARS s = *(const SCALARS *)scalars;                                                  \
    const ptrdiff_t each = walk->packed ? (PACK) * THC_IN_FLIGHT : THC_STRIDED_IN_FLIGHT;         \
    const unsigned blocks = THC_blocks((walk->flat.count + each - 1) / each);                     \
    if (walk->packed)                                                                             \
      THC_LAUNCH(NAME##_packed, blocks, THC_BLOCK, 0, stream, walk->flat, s);                     \
    else                                                                                          \
      THC_LAUNCH(NAME##_strided, blocks, THC_BLOCK, 0, stream, *walk, s);                         \
  }

#define THC_MAP0(NAME, OUT, SCALARS)            \
  enum { NAME##_n = THC_PACK_OF(sizeof(OUT)) }; \
  THC_PACK_TYPE_(NAME, 0, OUT, NAME##_n)        \
  THC_MAP_(NAME, OUT, SCALARS, NAME##_n, 1, , , (&s), (&s), , , (&s))

#define THC_MAP1(NAME, OUT, SCALARS, IN1)                                                    \
  enum { NAME##_n = THC_PACK_OF(THC_MAX(sizeof(OUT), sizeof(IN1))) };                        \
  THC_PACK_TYPE_(NAME, 0, OUT, NAME##_n)                                                     \
  THC_PACK_TYPE_(NAME, 1, IN1, NAME##_n)                                                     \
  THC_MAP_(NAME, OUT, SCALARS, NAME##_n, 2, NAME##_pack1 x1[THC_IN_FLIGHT];                  \
           , THC_LOAD_PACK_(NAME, 1, u, j), (&s, x1[u].v[k]), (&s, THC_ELEMENT_(IN1, 1, i)), \
           IN1 x1[THC_STRIDED_IN_FLIGHT];                                                    \
           , THC_LOAD_ONE_(IN1, 1, u), (&s, x1[u]))

#define THC_MAP2(NAME, OUT, SCALARS, IN1, IN2)                                                   \
  enum { NAME##_n = THC_PACK_OF(THC_MAX(sizeof(OUT), THC_MAX(sizeof(IN1), sizeof(IN2)))) };      \
  THC_PACK_TYPE_(NAME, 0, OUT, NAME##_n)                                                         \
  THC_PACK_TYPE_(NAME, 1, IN1, NAME##_n)                                                         \
  THC_PACK_TYPE_(NAME, 2, IN2, NAME##_n)                                                         \
  THC_MAP_(NAME, OUT, SCALARS, NAME##_n, 3, NAME##_pack1 x1[THC_IN_FLIGHT];                      \
           NAME##_pack2 x2[THC_IN_FLIGHT];                                                       \
           , THC_LOAD_PACK_(NAME, 1, u, j) THC_LOAD_PACK_(NAME, 2, u, j),                        \
           (&s, x1[u].v[k], x2[u].v[k]), (&s, THC_ELEMENT_(IN1, 1, i), THC_ELEMENT_(IN2, 2, i)), \
           IN1 x1[THC_STRIDED_IN_FLIGHT];                                                        \
           IN2 x2[THC_STRIDED_IN_FLIGHT];                                                        \
           , THC_LOAD_ONE_(IN1, 1, u) THC_LOAD_ONE_(IN2, 2, u), (&s, x1[u], x2[u]))

#define THC_MAP3(NAME, OUT, SCALARS, IN1, IN2, IN3)                                                \
  enum {                                                                                           \
    NAME##_n =                                                                                     \
        THC_PACK_OF(THC_MAX(THC_MAX(sizeof(OUT), sizeof(IN1)), THC_MAX(sizeof(IN2), sizeof(IN3)))) \
  };                                                                                               \
  THC_PACK_TYPE_(NAME, 0, OUT, NAME##_n)                                                           \
  THC_PACK_TYPE_(NAME, 1, IN1, NAME##_n)                                                           \
  THC_PACK_TYPE_(NAME, 2, IN2, NAME##_n)                                                           \
  THC_PACK_TYPE_(NAME, 3, IN3, NAME##_n)                                                           \
  THC_MAP_(NAME, OUT, SCALARS, NAME##_n, 4, NAME##_pack1 x1[THC_IN_FLIGHT];                        \
           NAME##_pack2 x2[THC_IN_FLIGHT]; NAME##_pack3 x3[THC_IN_FLIGHT];                         \
           ,                                                                                       \
           THC_LOAD_PACK_(NAME, 1, u, j) THC_LOAD_PACK_(NAME, 2, u, j)                             \
               THC_LOAD_PACK_(NAME, 3, u, j),                                                      \
           (&s, x1[u].v[k], x2[u].v[k], x3[u].v[k]),                                               \
           (&s, THC_ELEMENT_(IN1, 1, i), THC_ELEMENT_(IN2, 2, i), THC_ELEMENT_(IN3, 3, i)),        \
           IN1 x1[THC_STRIDED_IN_FLIGHT];                                                          \
           IN2 x2[THC_STRIDED_IN_FLIGHT]; IN3 x3[THC_STRIDED_IN_FLIGHT];                           \
           , THC_LOAD_ONE_(IN1, 1, u) THC_LOAD_ONE_(IN2, 2, u) THC_LOAD_ONE_(IN3, 3, u),           \
           (&s, x1[u], x2[u], x3[u]))

#endif
