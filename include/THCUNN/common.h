/* The macros of classic THCUNN, for programs that bring layers of their own: checks, and the loop
 * of their kernels.
 *
 *     THCUNN_assertSameGPU(state, 2, input, output);
 *     THCUNN_check_dim_size(state, gradOutput, 3, 0, planes);
 *
 * THCTensor is that of the current element type; tensors of indices are THCIndexTensor.  An error
 * says what the sizes are.  STATE is the state of THC. */
#ifndef THCUNN_COMMON_H
#define THCUNN_COMMON_H

#include <THCUNN/THCUNN.h>

/* An error unless kernels of the current device may use all N tensors. */
#define THCUNN_assertSameGPU(STATE, N, ...)                     \
  THAssertMsg(THCudaTensor_checkGPU((STATE), (N), __VA_ARGS__), \
              "tensors are on a device that the current one cannot use")

/* --- sizes ----------------------------------------------------------------------------------- */

/* The tensor of indices I1 takes the size of I2. */
#define THCUNN_resizeAs_indices(STATE, I1, I2) \
  THCIndexTensor_(resizeNd)((STATE), (I1), (I2)->nDimension, (I2)->size, NULL)

/* An error if CONDITION does not hold for I1 and I2, of which either may be NULL. */
#define THCUNN_checkBoth(I1, I2, CONDITION, WHAT)               \
  do {                                                          \
    if ((I1) && (I2) && !(CONDITION))                           \
      THError(#I1 " and " #I2 " differ in " WHAT ": %s and %s", \
              _THSizeDesc((I1)->size, (I1)->nDimension).str,    \
              _THSizeDesc((I2)->size, (I2)->nDimension).str);   \
  } while (0)

#define THCUNN_check_shape(STATE, I1, I2) \
  THCUNN_checkBoth(I1, I2, THCTensor_(isSameSizeAs)((STATE), (I1), (I2)), "size")
#define THCUNN_check_nElement(STATE, I1, I2)                                                   \
  THCUNN_checkBoth(I1, I2,                                                                     \
                   THCTensor_(nElement)((STATE), (I1)) == THCTensor_(nElement)((STATE), (I2)), \
                   "number of elements")

/* I1 is a tensor of indices. */
#define THCUNN_check_shape_indices(STATE, I1, I2)                                \
  THCUNN_checkBoth(I1, I2,                                                       \
                   THSize_isSameSizeAs((I1)->size, (I1)->nDimension, (I2)->size, \
                                       (I2)->nDimension),                        \
                   "size")

/* T has DIM dimensions, and SIZE elements along DIM_SIZE. */
#define THCUNN_check_dim_size(STATE, T, DIM, DIM_SIZE, SIZE)                                  \
  do {                                                                                        \
    if ((T)->nDimension != (DIM) || (T)->size[DIM_SIZE] != (SIZE))                            \
      THError(#T " has size %s, and has to have %d dimensions and size %lld in dimension %d", \
              _THSizeDesc((T)->size, (T)->nDimension).str, (int)(DIM), (long long)(SIZE),     \
              (int)(DIM_SIZE));                                                               \
  } while (0)
#define THCUNN_check_dim_size_indices THCUNN_check_dim_size

/* Argument ARG is wrong unless COND holds; FORMAT has a %s for the size of T. */
#define THCUNN_argCheck(STATE, COND, ARG, T, FORMAT) \
  THArgCheck((COND), (ARG), FORMAT, THCTensor_(sizeDesc)((STATE), (T)).str)

/* --- kernels --------------------------------------------------------------------------------- */

/* Grid-stride loop: i takes each index below n that belongs to this thread. */
#define CUDA_KERNEL_LOOP(i, n)                                             \
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < (int)(n); \
       i += (int)(blockDim.x * gridDim.x))

/* Threads of a block, and blocks for N elements. */
enum { CUDA_NUM_THREADS = 1024 };

static inline int GET_BLOCKS(const int N)
{
  return (N + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS;
}

#endif
