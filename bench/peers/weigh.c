/* weigh PROGRAM [ARGUMENT...]: starts it nine times and prints the medians of seconds and of the
 * most memory that it had resident, in bytes.  A program inherits what its starter had resident as
 * the least of this number, so the starter is small. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "../timing.h"

enum { STARTS = 9 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
  extern char **environ;
  double seconds[STARTS], bytes[STARTS];
  if (argc < 2)
    return 2;
  for (int i = 0; i < STARTS; i++) {
    pid_t child;
    int status;
    struct rusage usage;
    const double start = now();
    if (posix_spawn(&child, argv[1], NULL, NULL, argv + 1, environ) ||
        wait4(child, &status, 0, &usage) != child || status)
      return 1;
    seconds[i] = now() - start;
    bytes[i] = (double)usage.ru_maxrss * 1024;
  }
  printf("%.6g %.6g\n", bench_median(seconds, STARTS), bench_median(bytes, STARTS));
  return 0;
}
