/* Fuzzes the reader of .npz files.  Input that is no archive becomes one: the first byte is the
 * length of what stands for a first member, deflated, behind the second and third, which say how
 * long it will be; the rest is a second member. */
#include <string.h>

#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size < 4 || size > 4096 || !memcmp(bytes, "PK", 2)) {
    fuzz_load(bytes, size);
    return 0;
  }
  static FuzzZip zip;
  const size_t first = bytes[0] < size - 3 ? bytes[0] : size - 3;
  zip.length = zip.directoryLength = 0;
  zip.count = 0;
  if (first > 0)
    fuzz_zip_addDeflated(&zip, "a.npy", bytes + 3, first, bytes[1] | (size_t)bytes[2] << 8);
  fuzz_zip_add(&zip, "b.npy", bytes + 3 + first, size - 3 - first);
  fuzz_zip_finish(&zip);
  fuzz_load(zip.bytes, zip.length);
  return 0;
}
