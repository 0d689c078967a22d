/* What recording costs: nanoseconds that the tape adds to an operation, and those of its gradient.
 *
 *     th_tape [--seconds S]
 *
 * Each line is an operation on tensors of a few elements: its call without recording, with recording
 * (the node is freed again), the difference, and a chain of such calls with a backward pass for
 * each call. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "ATen/ATen.h"
#include "timing.h"

enum { CHAIN = 64, ELEMENTS = 4 };

typedef at_tensor *(*Step)(at_tensor *x, at_tensor *y);

static at_tensor *add(at_tensor *x, at_tensor *y)
{
  return at_add(x, y);
}

static at_tensor *mul(at_tensor *x, at_tensor *y)
{
  return at_mul(x, y);
}

static at_tensor *relu(at_tensor *x, at_tensor *y)
{
  return at_relu(x);
}

static at_tensor *mm(at_tensor *x, at_tensor *y)
{
  return at_mm(x, y);
}

static at_tensor *linear(at_tensor *x, at_tensor *y)
{
  return at_linear(x, y, .bias = at_select(y, 0, 0));
}

static const struct {
  const char *name;
  Step step;
} steps[] = {{"add", add}, {"mul", mul}, {"relu", relu}, {"mm", mm}, {"select, linear", linear}};

typedef struct {
  Step step;
  at_tensor *x, *y;
  bool isBackward;
} Work;

/* A chain of calls, and perhaps the pass back. */
static void run(void *context)
{
  const Work *const work = context;
  AT_SCOPE
  {
    at_tensor *t = work->x;
    for (int i = 0; i < CHAIN; i++)
      t = work->step(t, work->y);
    if (work->isBackward && !at_backward(t, .gradient = work->y)) {
      fprintf(stderr, "%s\n", at_error_message());
      exit(1);
    }
  }
}

static double nanoseconds(Work work, double budget)
{
  return bench_time(run, &work, budget) / CHAIN * 1e9;
}

int main(int argc, char **argv)
{
  static const struct option options[] = {{"seconds", required_argument, NULL, 's'}, {0}};
  double budget = 0.2;
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (option != 's')
      return 2;
    budget = atof(optarg);
  }
  at_setNumThreads(1);
  printf("ns for an operation   call  recorded   tape  with backward\n");
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    AT_SCOPE
    {
      Work work = {.step = steps[i].step};
      work.x = at_full(AT_SHAPE(ELEMENTS, ELEMENTS), 0.25);
      work.y = at_full(AT_SHAPE(ELEMENTS, ELEMENTS), 0.25);
      const double plain = nanoseconds(work, budget);
      at_requires_grad_(work.x);
      const double recorded = nanoseconds(work, budget);
      work.isBackward = true;
      const double whole = nanoseconds(work, budget);
      printf("%-18s %7.0f %9.0f %6.0f %14.0f\n", steps[i].name, plain, recorded, recorded - plain,
             whole);
    }
  return 0;
}
