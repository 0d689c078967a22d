/* Fuzzes the reader of safetensors files.  Of input that is none, the first byte tells the bytes of
 * elements; in front of the others comes a length that is right. */
#include <string.h>

#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size < 10 || size > 4096 || bytes[8] == '{') {
    fuzz_load(bytes, size);
    return 0;
  }
  uint8_t whole[4096 + 8] = {0};
  const size_t rest = size - 1, elements = bytes[0] < rest ? bytes[0] : rest;
  for (int i = 0; i < 2; i++)
    whole[i] = (uint8_t)((rest - elements) >> 8 * i);
  memcpy(whole + 8, bytes + 1, rest);
  fuzz_load(whole, rest + 8);
  return 0;
}
