/* Loops over the one-dimensional slices of one, two or three tensors along a dimension:
 *
 *     TH_TENSOR_DIM_APPLY(float, t, 1,
 *       for (int64_t i = 0; i < t_size; i++)
 *         t_data[i * t_stride] /= i + 1;)
 *
 * For a tensor t the code sees TYPE *t_data, the first element of the slice, t_size and t_stride.
 * Slices come in row-major order of the other dimensions.  break stops the loop, continue goes to
 * the next slice.  Nothing is allocated: the code may return or raise an error. */
#ifndef TH_TENSOR_DIM_APPLY_H
#define TH_TENSOR_DIM_APPLY_H

#include "THTensorApply.h"

#ifndef TH_NO_INLINE

/* The sizes agree in every dimension but the given one. */
static inline int THApply_sizesAgreeExcept(int dimension, int nDimension1, const int64_t *size1,
                                           int nDimension2, const int64_t *size2)
{
  int d;
  if (nDimension1 != nDimension2)
    return 0;
  for (d = 0; d < nDimension1; d++)
    if (d != dimension && size1[d] != size2[d])
      return 0;
  return 1;
}

#endif

/* --- the halves of every loop ------------------------------------------------------------- */

#define __TH_TENSOR_DIM_APPLYX_CHECK_DIM(TENSOR, DIMENSION)                                        \
  if ((DIMENSION) < 0 || (DIMENSION) >= TENSOR->nDimension)                                        \
    THError("invalid dimension %d: " #TENSOR " %s has %d dimensions", (DIMENSION) + TH_INDEX_BASE, \
            _THSizeDesc(TENSOR->size, TENSOR->nDimension).str, TENSOR->nDimension);

#define __TH_TENSOR_DIM_APPLYX_CHECK2(TENSOR1, TENSOR2, DIMENSION)               \
  if (!THApply_sizesAgreeExcept((DIMENSION), TENSOR1->nDimension, TENSOR1->size, \
                                TENSOR2->nDimension, TENSOR2->size))             \
    THError("inconsistent sizes: " #TENSOR1 " %s and " #TENSOR2                  \
            " %s differ not only in "                                            \
            "dimension %d",                                                      \
            _THSizeDesc(TENSOR1->size, TENSOR1->nDimension).str,                 \
            _THSizeDesc(TENSOR2->size, TENSOR2->nDimension).str, (DIMENSION) + TH_INDEX_BASE);

#define __TH_TENSOR_DIM_APPLYX_CHECK_RANK(TENSOR1, TENSOR2)                                 \
  if (TENSOR1->nDimension != TENSOR2->nDimension)                                           \
    THError("inconsistent sizes: " #TENSOR1 " %s and " #TENSOR2 " %s differ in dimensions", \
            _THSizeDesc(TENSOR1->size, TENSOR1->nDimension).str,                            \
            _THSizeDesc(TENSOR2->size, TENSOR2->nDimension).str);

/* Walks TENSOR by the sizes of LEADER, which decides how many slices there are. */
#define __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE, TENSOR, LEADER, DIMENSION)                \
  THApply TENSOR##_THApply;                                                             \
  THApply_init(&TENSOR##_THApply, LEADER->nDimension, LEADER->size, TENSOR->stride, -1, \
               (DIMENSION));                                                            \
  int64_t TENSOR##_THMoved = 0;                                                         \
  TH_UNUSED const int64_t TENSOR##_size = TENSOR->size[DIMENSION];                      \
  TH_UNUSED const int64_t TENSOR##_stride = TENSOR->stride[DIMENSION];                  \
  TH_UNUSED TYPE *TENSOR##_data =                                                       \
      TENSOR->storage ? TENSOR->storage->data + TENSOR->storageOffset : NULL;

/* To the next slice; false after the last one. */
#define __TH_TENSOR_DIM_APPLYX_NEXT(TENSOR)                                      \
  (THApply_carry(&TENSOR##_THApply, TENSOR##_THApply.dim - 1, &TENSOR##_THMoved) \
       ? (TENSOR##_data += TENSOR##_THMoved, 1)                                  \
       : 0)

/* Runs the code on each slice until NEXT is false. */
#define __TH_TENSOR_DIM_APPLYX_SLICES(TENSOR, NEXT, ...)                               \
  int TH_TENSOR_DIM_APPLY_hasFinished = TENSOR##_THApply.n == 0;                       \
  for (; !TH_TENSOR_DIM_APPLY_hasFinished;                                             \
       TH_TENSOR_DIM_APPLY_hasFinished = TH_TENSOR_DIM_APPLY_hasFinished || !(NEXT)) { \
    __VA_ARGS__                                                                        \
  }

#define __TH_TENSOR_DIM_APPLYX_NEXT2(TENSOR1, TENSOR2) \
  (__TH_TENSOR_DIM_APPLYX_NEXT(TENSOR1) && __TH_TENSOR_DIM_APPLYX_NEXT(TENSOR2))

#define __TH_TENSOR_DIM_APPLYX_NEXT3(TENSOR1, TENSOR2, TENSOR3) \
  (__TH_TENSOR_DIM_APPLYX_NEXT2(TENSOR1, TENSOR2) && __TH_TENSOR_DIM_APPLYX_NEXT(TENSOR3))

/* --- the loops ---------------------------------------------------------------------------- */

#define TH_TENSOR_DIM_APPLY(TYPE, TENSOR, DIMENSION, ...)                             \
  {__TH_TENSOR_DIM_APPLYX_CHECK_DIM(TENSOR, DIMENSION)                                \
       __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE, TENSOR, TENSOR, DIMENSION)               \
           __TH_TENSOR_DIM_APPLYX_SLICES(TENSOR, __TH_TENSOR_DIM_APPLYX_NEXT(TENSOR), \
                                         __VA_ARGS__)}
/* The tensors agree in every size but that of DIMENSION, or it is an error. */
#define TH_TENSOR_DIM_APPLY2(TYPE1, TENSOR1, TYPE2, TENSOR2, DIMENSION, ...)                     \
  {__TH_TENSOR_DIM_APPLYX_CHECK_DIM(TENSOR1, DIMENSION)                                          \
       __TH_TENSOR_DIM_APPLYX_CHECK2(TENSOR1, TENSOR2, DIMENSION)                                \
           __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE1, TENSOR1, TENSOR1, DIMENSION)                   \
               __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE2, TENSOR2, TENSOR1, DIMENSION)               \
                   __TH_TENSOR_DIM_APPLYX_SLICES(TENSOR1,                                        \
                                                 __TH_TENSOR_DIM_APPLYX_NEXT2(TENSOR1, TENSOR2), \
                                                 __VA_ARGS__)}
/* A SIZE_CHECK: the tensors agree in every size but that of DIMENSION. */
#define TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM(TENSOR1, TENSOR2, TENSOR3, DIMENSION) \
  {__TH_TENSOR_DIM_APPLYX_CHECK2(TENSOR1, TENSOR2, DIMENSION)                         \
       __TH_TENSOR_DIM_APPLYX_CHECK2(TENSOR1, TENSOR3, DIMENSION)}

/* SIZE_CHECK(TENSOR1, TENSOR2, TENSOR3, DIMENSION) raises an error if it does not like the sizes.
 * Those of TENSOR1 decide which slices there are: where others differ, they must be larger. */
#define __TH_TENSOR_DIM_APPLYX_CHECK3(TENSOR1, TENSOR2, TENSOR3, DIMENSION, SIZE_CHECK) \
  TH_UNUSED int TH_TENSOR_DIM_APPLY_i = 0; /* for checks that loop */                   \
  __TH_TENSOR_DIM_APPLYX_CHECK_DIM(TENSOR1, DIMENSION)                                  \
  __TH_TENSOR_DIM_APPLYX_CHECK_RANK(TENSOR1, TENSOR2)                                   \
  __TH_TENSOR_DIM_APPLYX_CHECK_RANK(TENSOR1, TENSOR3)                                   \
  SIZE_CHECK(TENSOR1, TENSOR2, TENSOR3, DIMENSION);

#define __TH_TENSOR_DIM_APPLYX_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION, \
                                      SIZE_CHECK, ...)                                           \
  {__TH_TENSOR_DIM_APPLYX_CHECK3(TENSOR1, TENSOR2, TENSOR3, DIMENSION, SIZE_CHECK)               \
       __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE1, TENSOR1, TENSOR1, DIMENSION)                       \
           __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE2, TENSOR2, TENSOR1, DIMENSION)                   \
               __TH_TENSOR_DIM_APPLYX_PREAMBLE(TYPE3, TENSOR3, TENSOR1, DIMENSION)               \
                   __TH_TENSOR_DIM_APPLYX_SLICES(TENSOR1,                                        \
                                                 __TH_TENSOR_DIM_APPLYX_NEXT3(TENSOR1, TENSOR2,  \
                                                                              TENSOR3),          \
                                                 __VA_ARGS__)}
#ifdef TH_COMPAT_TORCH7
#define TH_TENSOR_DIM_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION, ...) \
  __TH_TENSOR_DIM_APPLYX_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION,   \
                                TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, __VA_ARGS__)
#else
#define TH_TENSOR_DIM_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION,    \
                             SIZE_CHECK, ...)                                              \
  __TH_TENSOR_DIM_APPLYX_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION, \
                                SIZE_CHECK, __VA_ARGS__)
#endif

#endif
