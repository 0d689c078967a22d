/* Fuzzes the reader of programs.  Checksums of an archive are given up first; input that is none
 * becomes the graph of one. */
#include <string.h>

#include "load.h"

enum { MOST = 4096 };

/* --- programs --------------------------------------------------------------------------------- */

static void load(const uint8_t *bytes, size_t size)
{
  const char *const path = fuzz_file(bytes, size);
  fuzz_count_memory();
  at_program *const program = at_program_load(path);
  MUST(fuzz_most_memory() <= 64 * size + (2 << 20)); /* what ATenProgram.h says */
  MUST((program != NULL) == (at_error() == AT_OK));
  for (int i = 0; i < at_program_inputCount(program); i++)
    MUST(at_program_input(program, i).name);
  for (int i = 0; i < at_program_outputCount(program); i++)
    MUST(at_program_output(program, i).name);
  if (program) {
    char *const text = at_program_toString(program);
    MUST(text);
    at_string_free(text);
  }
  at_program_free(program);
  at_error_clear();
}

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
    load(copy, size);
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
  load(zip.bytes, zip.length);
  return 0;
}
