/* Fuzzes the reader of .npy files. */
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  fuzz_load(bytes, size);
  return 0;
}
