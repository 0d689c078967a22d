/* Inputs as files. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
  static int descriptor = -1;
  static char path[40];
  if (descriptor < 0) {
    descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    MUST(descriptor >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  }
  MUST(ftruncate(descriptor, 0) == 0);
  MUST(pwrite(descriptor, bytes, size, 0) == (ssize_t)size);
  return path;
}
