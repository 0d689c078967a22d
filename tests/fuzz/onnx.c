/* Fuzzes the reader of ONNX files. */
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size < 4)
    return 0;
  const char *const path = fuzz_file(bytes, size);
  fuzz_count_memory();
  at_program *const program = at_program_load(path);
  MUST(fuzz_most_memory() <= 64 * size + (2 << 20)); /* what ATenProgram.h says */
  MUST((program != NULL) == (at_error() == AT_OK));
  for (int i = 0; i < at_program_inputCount(program); i++)
    MUST(at_program_input(program, i).name);
  if (program) {
    char *const text = at_program_toString(program);
    MUST(text);
    at_string_free(text);
  }
  at_program_free(program);
  at_error_clear();
  return 0;
}
