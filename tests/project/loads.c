/* A program that makes ATen look for libraries, for the test `loading`.
 *
 *     loads blas           computes a product
 *     loads cuda           asks for CUDA
 *     loads secure         fails unless the program has more rights than who started it
 *     loads as NAME WAY    the same as `loads WAY`, by a caller who says that the program is called
 * NAME */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ATen.h"

int main(int count, char **arguments)
{
  const char *const way = count > 1 ? arguments[1] : "";
  if (!strcmp(way, "as") && count == 4) {
    execl("/proc/self/exe", arguments[2], arguments[3], (char *)NULL);
    return 3;
  }
  if (!strcmp(way, "secure"))
    return getauxval(AT_SECURE) ? 0 : 1;
  if (!strcmp(way, "blas"))
    AT_SCOPE
    {
      at_tensor *const x = at_ones(AT_SHAPE(100, 100), .type = AT_CPU(AT_DOUBLE));
      if (at_defined(at_mm(x, x)))
        printf("computed\n");
    }
  else if (!strcmp(way, "cuda"))
    at_lazyInitCUDA();
  else
    return 2;
  if (at_error() != AT_OK)
    printf("%s\n", at_error_message());
  return 0;
}
