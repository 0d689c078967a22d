/* cuSOLVER and cuSPARSE are loaded when they are first needed, and only from where an absolute path, or the system,
 * has them. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "thc_test.h"

static void loading(void **unused)
{
  THCState *state = thc_state();
  THCudaTensor *a = THCudaTensor_newWithSize2d(state, 2, 2), *r = THCudaTensor_new(state);
  THCudaTensor_fill(state, a, 1);
  THCudaTensor_set2d(state, a, 0, 0, 3);
  setenv("TH_CUSOLVER_LIBRARY", "./libcusolver.so", 1);
  CHECK_RAISES(0, "neither an absolute path", THCudaTensor_getri(state, r, a));
  setenv("TH_CUSOLVER_LIBRARY", "/nowhere/libcusolver.so", 1);
  CHECK_RAISES(0, "/nowhere/libcusolver.so", THCudaTensor_getri(state, r, a));
  setenv("TH_CUSOLVER_LIBRARY", "libm.so.6", 1);
  CHECK_RAISES(0, "libm.so.6 has no function cusolverDnCreate", THCudaTensor_getri(state, r, a));
  CHECK_EQ(r->nDimension, 0);
  unsetenv("TH_CUSOLVER_LIBRARY");
  THCudaTensor_getri(state, r, a);
  CHECK_NEAR(THCudaTensor_get2d(state, r, 0, 0), 0.5, 1e-6);
  THCudaTensor_free(state, r);
  THCudaTensor_free(state, a);
}

static void sparse(void **unused)
{
  THCState *state = thc_state();
  setenv("TH_CUSPARSE_LIBRARY", "./libcusparse.so", 1);
  CHECK_RAISES(0, "neither an absolute path", THCState_getCurrentSparseHandle(state));
  setenv("TH_CUSPARSE_LIBRARY", "/nowhere/libcusparse.so", 1);
  CHECK_RAISES(0, "there is no cuSPARSE", THCState_getCurrentSparseHandle(state));
  setenv("TH_CUSPARSE_LIBRARY", "libm.so.6", 1);
  CHECK_RAISES(0, "libm.so.6 has no function cusparseCreate",
               THCState_getCurrentSparseHandle(state));
  unsetenv("TH_CUSPARSE_LIBRARY");
  CHECK(THCState_getCurrentSparseHandle(state) != NULL);
}

/* Threads on streams of their own multiply and factor at the same time.  Returns NULL where a result is wrong. */
static void *multiply(void *matrix)
{
  THCState *state = thc_state();
  THCStream *stream = THCStream_new(cudaStreamNonBlocking);
  THCState_setStream(state, stream);
  THCStream_free(stream);
  int good = 1;
  for (int i = 0; i < 50; i++) {
    THCudaTensor *r = THCudaTensor_newWithSize2d(state, 2, 2);
    THCudaTensor_addmm(state, r, 0, r, 1, matrix, matrix);
    good &= THCudaTensor_get2d(state, r, 0, 1) == 2;
    THCudaTensor_getri(state, r, matrix);
    good &= fabsf(THCudaTensor_get2d(state, r, 0, 1) + 1) < 1e-6F;
    THCudaTensor_free(state, r);
  }
  THCState_setStream(state, THCStream_defaultStream(0));
  return good ? matrix : NULL;
}

static void threads(void **unused)
{
  THCState *state = thc_state();
  THCudaTensor *a = THCudaTensor_newWithSize2d(state, 2, 2);
  THCudaTensor_fill(state, a, 1); /* 1 1, 0 1 */
  THCudaTensor_set2d(state, a, 1, 0, 0);
  pthread_t others[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&others[i], NULL, multiply, a), 0);
  for (int i = 0; i < 4; i++) {
    void *good = NULL;
    assert_int_equal(pthread_join(others[i], &good), 0);
    CHECK(good);
  }
  THCudaTensor_free(state, a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loading), cmocka_unit_test(sparse),
                                     cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
