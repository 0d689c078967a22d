/* Fuzzes the readers of PyTorch's files.  Of input that is none, the first byte chooses the layout
 * and the second tells the bytes of a storage "0" at the end; the others are the pickle (and, in
 * the older layout, what follows). */
#include <string.h>

#include "load.h"

static const uint8_t older[] =
    "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
    "\x80\2M\xe9\3."
    "\x80\2}.";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size < 3 || size > 4096 || !memcmp(bytes, "PK", 2) || bytes[0] == 0x80) {
    fuzz_load(bytes, size);
    return 0;
  }
  const size_t rest = size - 2, storage = bytes[1] < rest ? bytes[1] : rest;
  if (bytes[0] & 1) {
    uint8_t whole[4096 + sizeof older];
    memcpy(whole, older, sizeof older - 1);
    memcpy(whole + sizeof older - 1, bytes + 2, rest);
    fuzz_load(whole, sizeof older - 1 + rest);
    return 0;
  }
  static FuzzZip zip;
  zip.length = zip.directoryLength = 0;
  zip.count = 0;
  fuzz_zip_add(&zip, "a/data.pkl", bytes + 2, rest - storage);
  fuzz_zip_add(&zip, "a/data/0", bytes + 2 + rest - storage, storage);
  if (bytes[0] & 2)
    fuzz_zip_add(&zip, "a/byteorder", (const uint8_t *)"big", 3);
  fuzz_zip_finish(&zip);
  fuzz_load(zip.bytes, zip.length);
  return 0;
}
