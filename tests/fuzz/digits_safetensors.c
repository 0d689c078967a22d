/* Fuzzes the digits example's reader of safetensors files.  The first byte of the input decides
 * whether the rest is the file as it is, or the header and the numbers that follow it; then the
 * second tells the numbers' bytes, and the length in front is right. */
#include "fuzz.h"

#include "safetensors.h"

static const char *const names[] = {"a", "b"};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static THFloatTensor *tensors[2];
  if (!tensors[0]) {
    tensors[0] = THFloatTensor_newWithSize1d(2);
    tensors[1] = THFloatTensor_newWithSize2d(1, 2);
  }
  if (size < 2)
    return 0;
  uint8_t *whole = malloc(size + 6);
  const size_t length = size - 2, numbers = THMin(bytes[1], length);
  for (int i = 0; i < 8; i++)
    whole[i] = (uint8_t)((uint64_t)(length - numbers) >> 8 * i);
  memcpy(whole + 8, bytes + 2, length);
  const char *path = bytes[0] & 1 ? fuzz_file(whole, length + 8) : fuzz_file(bytes + 1, size - 1);
  free(whole);

  for (int i = 0; i < 2; i++)
    THFloatTensor_fill(tensors[i], -5);
  THTry attempt;
  TH_TRY(attempt)
  {
    safetensors_load(path, 2, names, tensors);
  }
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const float value = THFloatTensor_data(tensors[i])[k];
      MUST(attempt.failed ? value == -5 : isfinite(value));
    }
  return 0;
}
