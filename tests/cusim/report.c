/* Complaints, settings, and the order in which things run. */
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

long cusim_setting(const char *name, long otherwise)
{
  const char *text = getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 0);
  if (*end || errno || value < 0) {
    fprintf(stderr, "cusim: %s=%s is no number\n", name, text);
    abort();
  }
  return value;
}

/* --- the seed ----------------------------------------------------------------------------- */

static uint64_t seed, state;

/* xorshift64*; a seed of 0 would stay 0. */
uint32_t cusim_random(uint32_t n)
{
  if (!state) {
    const char *text = getenv("CUSIM_SEED");
    if (text && !strcmp(text, "random")) {
      seed = (uint64_t)time(NULL) % 1000000;
      fprintf(stderr, "cusim: CUSIM_SEED=%llu\n", (unsigned long long)seed);
    } else
      seed = (uint64_t)cusim_setting("CUSIM_SEED", 1);
    state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
  }
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)((state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

/* --- complaints --------------------------------------------------------------------------- */

static void say_who(void)
{
  if (cusim_kernel)
    fprintf(stderr,
            "cusim:   kernel %s<<<(%u,%u,%u), (%u,%u,%u)>>>, block (%u,%u,%u), thread (%u,%u,%u)\n",
            cusim_kernel->name, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z,
            blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  fprintf(stderr, "cusim:   CUSIM_SEED=%llu\n", (unsigned long long)seed);
}

void cusim_complain(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("cusim: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  say_who();
  abort();
}

#ifdef __SANITIZE_ADDRESS__

/* After what AddressSanitizer says. */
static void say_more(const char *report)
{
  (void)report;
  say_who();
}

__attribute__((constructor)) static void listen(void)
{
  __asan_set_error_report_callback(say_more);
}

#endif
