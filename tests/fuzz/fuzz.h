/* For targets of libFuzzer: inputs as files, and checks. */
#ifndef TH_FUZZ_H
#define TH_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define MUST(CONDITION)                                                             \
  do {                                                                              \
    if (!(CONDITION)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #CONDITION); \
      abort();                                                                      \
    }                                                                               \
  } while (0)

/* The path of a file in memory, the same for all inputs, which now has these bytes. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

#endif
