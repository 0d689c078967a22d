/* The macros of classic THCUNN: accepted arguments, and errors. */
#include "THCUNN/common.h"

#include "../THC/thc_test.h"

#include "THC/THCTemplate.h"

static void checks(void **unused)
{
  THCState *state = thc_state();
  THCudaTensor *a = THCudaTensor_newWithSize2d(state, 3, 4);
  THCudaTensor *same = THCudaTensor_newWithSize2d(state, 3, 4);
  THCudaTensor *turned = THCudaTensor_newWithSize2d(state, 4, 3);
  THCudaTensor *other = THCudaTensor_newWithSize1d(state, 5), *none = NULL;
  THCudaLongTensor *index = THCudaLongTensor_new(state);

  THCUNN_resizeAs_indices(state, index, turned);
  CHECK_EQ(index->size[0], 4);
  CHECK_EQ(index->size[1], 3);

  THCUNN_assertSameGPU(state, 3, a, same, index);
  THCUNN_check_shape(state, a, same);
  THCUNN_check_shape(state, a, none);
  THCUNN_check_shape_indices(state, index, turned);
  THCUNN_check_nElement(state, a, turned);
  THCUNN_check_dim_size(state, a, 2, 1, 4);
  THCUNN_check_dim_size_indices(state, index, 2, 1, 3);
  THCUNN_argCheck(state, a->nDimension == 2, 2, a, "a matrix is expected, not %s");

  CHECK_RAISES(0, "a and turned differ in size: [3 x 4] and [4 x 3]",
               THCUNN_check_shape(state, a, turned));
  CHECK_RAISES(0, "index and a differ in size: [4 x 3] and [3 x 4]",
               THCUNN_check_shape_indices(state, index, a));
  CHECK_RAISES(0, "a and other differ in number of elements: [3 x 4] and [5]",
               THCUNN_check_nElement(state, a, other));
  CHECK_RAISES(0, "a has size [3 x 4], and has to have 2 dimensions and size 5 in dimension 1",
               THCUNN_check_dim_size(state, a, 2, 1, 5));
  CHECK_RAISES(0, "other has size [5], and has to have 2 dimensions",
               THCUNN_check_dim_size(state, other, 2, 0, 5));
  CHECK_RAISES(2, "a matrix is expected, not [5]",
               THCUNN_argCheck(state, other->nDimension == 2, 2, other,
                               "a matrix is expected, not %s"));
  if (thc_devices() > 1) {
    CHECK_CUDA(cudaSetDevice(1));
    CHECK_RAISES(0, "device", THCUNN_assertSameGPU(state, 2, a, same));
    CHECK_CUDA(cudaSetDevice(0));
  }
  THCudaLongTensor_free(state, index);
  THCudaTensor_free(state, other);
  THCudaTensor_free(state, turned);
  THCudaTensor_free(state, same);
  THCudaTensor_free(state, a);
}

/* blockIdx and its like, for a host loop over threads. */
typedef struct Index {
  unsigned x;
} Index;

static void loop(void **unused)
{
  const Index blockDim = {32}, gridDim = {3};
  int seen[200] = {0};
  for (Index blockIdx = {0}; blockIdx.x < gridDim.x; blockIdx.x++)
    for (Index threadIdx = {0}; threadIdx.x < blockDim.x; threadIdx.x++)
      CUDA_KERNEL_LOOP(i, 199)
  seen[i]++;
  for (int i = 0; i < 200; i++)
    CHECK_EQ(seen[i], i < 199);
  CHECK_EQ(GET_BLOCKS(1), 1);
  CHECK_EQ(GET_BLOCKS(1024), 1);
  CHECK_EQ(GET_BLOCKS(1025), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(checks), cmocka_unit_test(loop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
