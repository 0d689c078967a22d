/* How libATen finds CUDA, in a program that is linked with the shared libraries only.
 *
 *     test_ATen_cuda_loading there | missing | none | wrong
 *
 * AT_CUDA_LIBRARY names the library for `there`, a file that is not one for `missing`, the library
 * where no device is for `none`, and another library for `wrong`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATen.h"

#define CHECK(CONDITION)                                                                      \
  do {                                                                                        \
    if (!(CONDITION)) {                                                                       \
      fprintf(stderr, "%s:%d: " #CONDITION ": %s\n", __FILE__, __LINE__, at_error_message()); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

/* Each function for CUDA reports why CUDA is not available, and everything else works. */
static void check_without(const char *why)
{
  for (int again = 0; again < 2; again++) {
    CHECK(!at_hasCUDA() && at_cuda_deviceCount() == 0 && at_error() == AT_OK);
    CHECK(!at_lazyInitCUDA() && at_error() == AT_ERROR_TYPE && strstr(at_error_message(), why));
    at_error_clear();
    CHECK(!at_type_defined(AT_CUDA(AT_FLOAT)) &&
          strstr(at_error_message(), "CUDAFloatType is not enabled") &&
          strstr(at_error_message(), why));
    at_error_clear();
    CHECK(at_cuda_currentDevice() == -1 && at_error() == AT_ERROR_TYPE);
    at_error_clear();
    CHECK(!at_cuda_setDevice(0) && !at_cuda_currentStream() && !at_cuda_stream_new(0) &&
          !at_cuda_synchronize());
    at_error_clear();
    AT_ON_DEVICE(0)
    {
      CHECK(false);
    }
    at_error_clear();
    at_cuda_emptyCache();
    at_manualSeed(1);
    AT_SCOPE
    {
      CHECK(!at_defined(at_to(at_ones(AT_SHAPE(2)), AT_CUDA(AT_FLOAT))));
    }
    at_error_clear();
  }
  AT_SCOPE
  {
    CHECK(at_item_double(at_sum(at_add(at_ones(AT_SHAPE(2, 3)), 1))) == 12);
  }
}

static void check_there(void)
{
  CHECK(at_hasCUDA() && at_lazyInitCUDA() && at_cuda_deviceCount() > 0);
  AT_SCOPE
  {
    at_tensor *t = at_full(AT_SHAPE(2, 3), at_scalar(3), .type = AT_CUDA(AT_FLOAT));
    CHECK(at_item_double(at_sum(at_mul(t, t))) == 54);
    CHECK(!at_defined(at_add(t, at_ones(AT_SHAPE(2, 3)))) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_sub(t, at_ones(AT_SHAPE(5), .type = AT_CUDA(AT_FLOAT)))));
    CHECK(at_error() == AT_ERROR_ARGUMENT); /* raised by the one library, caught by the other */
    at_error_clear();
    CHECK(!at_defined(at_mm(t, t)));
    at_error_clear();
    CHECK(at_defined(at_fft_fft(t)));
  }
}

int main(int argc, char **argv)
{
  const char *const way = argc > 1 ? argv[1] : "";
  if (!strcmp(way, "there"))
    check_there();
  else if (!strcmp(way, "missing"))
    check_without("cannot open shared object file");
  else if (!strcmp(way, "none"))
    check_without("no CUDA-capable device");
  else if (!strcmp(way, "wrong"))
    check_without("has no at_cudaDevice");
  else
    return 2;
  return 0;
}
