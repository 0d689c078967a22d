/* cuSOLVER is loaded when it is first needed, and only from where an absolute path, or the system,
 * has it. */
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loading)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
