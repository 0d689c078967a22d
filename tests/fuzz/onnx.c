/* Fuzzes the reader of ONNX files. */
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size >= 4)
    fuzz_program(bytes, size);
  return 0;
}
