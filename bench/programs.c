/* Times an exported program on recorded inputs.
 *
 *     th_programs NETWORK.pt2 NETWORK.npz [SECONDS]     measures for about SECONDS (default 1)
 *     th_programs NETWORK.pt2 NETWORK.npz nodes         prints the time of each kind of node
 *
 * NETWORK.npz has the inputs as input0, input1, ... and the first result as output0.  One line is
 * printed: seconds of a run, seconds of loading, the most resident memory in bytes, and the norm of
 * the difference from output0 over output0's norm (over 1 if that is 0). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ATen/ATen.h"
#include "ATenProgram.h"
#include "timing.h"

enum { MOST_INPUTS = 64 };

typedef struct {
  at_program *program;
  at_tensors inputs;
} Run;

static void run(void *context)
{
  const Run *const r = context;
  at_program_run(r->program, r->inputs);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double difference(const at_tensors *results, at_tensor *wanted)
{
  double relative = -1;
  AT_SCOPE
  {
    at_tensor *const x = at_to(results->data[0], AT_CPU(AT_DOUBLE));
    at_tensor *const y = at_to(wanted, AT_CPU(AT_DOUBLE));
    const double norm = at_item_double(at_norm(y));
    relative = at_item_double(at_norm(at_sub(x, y))) / (norm > 0 ? norm : 1);
  }
  return relative;
}

static int fail(void)
{
  fprintf(stderr, "th_programs: %s\n", at_error_message());
  return 1;
}

static int measure(Run r, at_tensor *wanted, double loading, const char *how)
{
  if (how && !strcmp(how, "nodes")) {
    at_program_setTiming(r.program, true);
    for (int i = 0; i < 5; i++)
      run(&r);
    char *const table = at_program_timings(r.program);
    printf("%s\n", table ? table : "");
    at_string_free(table);
    return at_error() == AT_OK ? 0 : fail();
  }
  const at_tensors *const results = at_program_run(r.program, r.inputs);
  if (results->count == 0)
    return fail();
  const double relative = difference(results, wanted);
  const double seconds = bench_time(run, &r, how ? atof(how) : 1);
  printf("%.9f %.9f %lld %.3g\n", seconds, loading, bench_mostResident(), relative);
  return at_error() == AT_OK ? 0 : fail();
}

int main(int count, char **arguments)
{
  if (count < 3) {
    fprintf(stderr, "usage: th_programs NETWORK.pt2 NETWORK.npz [SECONDS | nodes]\n");
    return 2;
  }
  const double start = now();
  Run r = {.program = at_program_load(arguments[1])};
  const double loading = now() - start;
  at_dict *const recorded = at_load(arguments[2]);
  if (!r.program || !recorded)
    return fail();
  at_tensor *inputs[MOST_INPUTS];
  char name[32];
  for (int i = 0; i < MOST_INPUTS; i++) {
    snprintf(name, sizeof name, "input%d", i);
    if (!at_dict_has(recorded, name))
      break;
    inputs[r.inputs.count++] = at_dict_get(recorded, name);
  }
  r.inputs.data = inputs;
  const int status =
      measure(r, at_dict_get(recorded, "output0"), loading, count > 3 ? arguments[3] : NULL);
  at_dict_free(recorded);
  at_program_free(r.program);
  return status;
}
