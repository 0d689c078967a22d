/* The median of many samples. */
#define _GNU_SOURCE
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_SAMPLES = 2000, MIN_SAMPLES = 5 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long preemptions(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

static double sample(BenchBody body, void *context, long calls)
{
  const double start = now();
  for (long i = 0; i < calls; i++)
    body(context);
  return now() - start;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double bench_time(BenchBody body, void *context, double budget)
{
  static double clean[MOST_SAMPLES], disturbed[MOST_SAMPLES];
  body(context);
  long calls = 1;
  while (sample(body, context, calls) < 20e-6 && calls < 1L << 24)
    calls *= 2;

  int nclean = 0, ndisturbed = 0;
  const double start = now();
  while (nclean < MOST_SAMPLES && ndisturbed < MOST_SAMPLES) {
    const double elapsed = now() - start;
    if (elapsed > budget && nclean >= MIN_SAMPLES)
      break;
    if (elapsed > 6 * budget && nclean + ndisturbed >= MIN_SAMPLES)
      break;
    const long before = preemptions();
    const double seconds = sample(body, context, calls);
    if (preemptions() == before)
      clean[nclean++] = seconds / (double)calls;
    else
      disturbed[ndisturbed++] = seconds / (double)calls;
  }
  return nclean ? bench_median(clean, nclean) : bench_median(disturbed, ndisturbed);
}

long long bench_mostResident(void)
{
  long long kilobytes = 0;
  char line[128];
  FILE *const status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, "VmHWM:", 6))
      kilobytes = strtoll(line + 6, NULL, 10);
  if (status)
    fclose(status);
  return 1024 * kilobytes;
}
