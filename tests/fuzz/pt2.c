/* Fuzzes the reader of programs.  Checksums of an archive are given up first; input that is none
 * becomes the graph of one. */
#include <string.h>

#include "load.h"

enum { MOST = 4096 };

static void clear_checksums(uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i + 46 <= size; i++)
    if (!memcmp(bytes + i, "PK\1\2", 4))
      memset(bytes + i + 16, 0, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static uint8_t copy[MOST];
  static const char none[] = "{\"config\": {}}";
  static FuzzZip zip;
  if (size < 4 || size > MOST)
    return 0;
  if (!memcmp(bytes, "PK", 2)) {
    memcpy(copy, bytes, size);
    clear_checksums(copy, size);
    fuzz_program(copy, size);
    return 0;
  }
  zip.length = zip.directoryLength = 0;
  zip.count = 0;
  fuzz_zip_add(&zip, "a/archive_format", (const uint8_t *)"pt2", 3);
  fuzz_zip_add(&zip, "a/data/weights/model_weights_config.json", (const uint8_t *)none,
               strlen(none));
  fuzz_zip_add(&zip, "a/data/constants/model_constants_config.json", (const uint8_t *)none,
               strlen(none));
  fuzz_zip_add(&zip, "a/models/model.json", bytes, size);
  fuzz_zip_finish(&zip);
  fuzz_program(zip.bytes, zip.length);
  return 0;
}
