/* Experiments: for rows of the comparison with other systems that do not reach their bytes, a
 * sketch of the fastest thing that could be done for exactly that row: intrinsics, one size, one
 * processor, the same rules.
 *
 *     th_experiments [--rounds N] [--seconds S] [--filter PREFIX] [--threads N]
 *
 * prints a row of a table of bench/results for each: TH, the sketch, which has computed the same, and a
 * plain loop over the same bytes; rows of one thread, if not of N.  The sketches are next to this
 * file, by what they are of; another one is a function that prepares operands, one that sketches,
 * and a line of its file's table. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "../limits.h"
#include "experiments.h"

#if defined(__AVX512F__)

struct ExperimentOperands on;

float *floats(at_tensor *t)
{
  return at_data(t);
}

int64_t *longs(at_tensor *t)
{
  return at_data(t);
}

at_tensor *normal(at_ints size)
{
  at_tensor *t = at_empty(size, .type = AT_CPU(AT_FLOAT));
  at_normal_(t);
  return t;
}

void give_results(at_ints size, int indices)
{
  on.result = at_zeros(size, .type = AT_CPU(AT_FLOAT));
  on.sketched = at_zeros(size, .type = AT_CPU(AT_FLOAT));
  if (indices) {
    on.indices = at_zeros(size, .type = AT_CPU(AT_LONG));
    on.sketchedIndices = at_zeros(size, .type = AT_CPU(AT_LONG));
  }
}

static void put_away(void)
{
  at_tensor **const all = &on.x;
  for (size_t i = 0; i < sizeof on / sizeof *all; i++) {
    at_release(all[i]);
    all[i] = NULL;
  }
}

static const Experiment *const tables[] = {
    pooling_experiments,     softmax_experiments, places_experiments,     images_experiments,
    strided_experiments,     cell_experiments,    reductions_experiments, functions_experiments,
    convolution_experiments, norms_experiments,   winograd_experiments,   weights_experiments,
    scans_experiments,       products_experiments};

static void give_up(const Experiment *row, const char *why)
{
  fprintf(stderr, "th_experiments: %s: %s\n", row->name, why);
  exit(1);
}

/* Raises unless both have computed the same, but for rounding. */
static void compare(const Experiment *row)
{
  double difference = 0, norm = 0;
  row->ours(NULL);
  row->sketch(NULL);
  if (at_error())
    give_up(row, at_error_message());
  at_tensor *const results[] = {on.result, on.more}; /* which may be new ones */
  const float *b = floats(on.sketched);
  for (int k = 0; k < 2 && results[k]; k++, b += at_numel(on.result)) {
    const float *a = floats(results[k]);
    for (int64_t i = 0; i < at_numel(results[k]); i++) {
      difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
      norm += (double)a[i] * (double)a[i];
    }
  }
  if (!(sqrt(difference) <= 1e-5 * sqrt(norm)) ||
      (on.indices && memcmp(longs(on.indices), longs(on.sketchedIndices),
                            (size_t)at_numel(on.indices) * sizeof(int64_t)) != 0))
    give_up(row, "the sketch computes something else");
}

enum { MOST_ROUNDS = 99 };

static int can_run(const Experiment *row)
{
  const char *missing = row->missing ? row->missing() : NULL;
  if (missing)
    fprintf(stderr, "th_experiments: this machine has no %s: %s is left out\n", missing, row->name);
  return !missing;
}

static void measure(const Experiment *row, int rounds, double budget)
{
  double ours[MOST_ROUNDS], sketch[MOST_ROUNDS], limit[MOST_ROUNDS];
  double sketches[MOST_ROUNDS], limits[MOST_ROUNDS], reached[MOST_ROUNDS];
  row->prepare();
  if (at_error())
    give_up(row, at_error_message());
  compare(row);
  /* Every other round begins with the sketch: who comes after the plain loop may find less in the
   * caches. */
  for (int k = 0; k < rounds; k++) {
    if (k % 2 == 0)
      ours[k] = bench_time(row->ours, NULL, budget);
    sketch[k] = bench_time(row->sketch, NULL, budget);
    if (k % 2)
      ours[k] = bench_time(row->ours, NULL, budget);
    limit[k] = limit_of_moving(row->read, row->written, budget);
    sketches[k] = sketch[k] / ours[k];
    limits[k] = limit[k] / ours[k];
    reached[k] = limit[k] / sketch[k];
  }
  put_away();
  printf("| %s | %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", row->name, row->size,
         1e6 * bench_median(ours, rounds), 1e6 * bench_median(sketch, rounds),
         1e6 * bench_median(limit, rounds), bench_median(sketches, rounds),
         bench_median(limits, rounds), bench_median(reached, rounds));
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const struct option known[] = {{"rounds", required_argument, NULL, 'r'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {"filter", required_argument, NULL, 'f'},
                                        {"threads", required_argument, NULL, 't'},
                                        {NULL, 0, NULL, 0}};
  int rounds = 5, threads = 1;
  double budget = 0.05;
  const char *filter = "";
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'r')
      rounds = atoi(optarg);
    else if (c == 's')
      budget = atof(optarg);
    else if (c == 'f')
      filter = optarg;
    else if (c == 't')
      threads = atoi(optarg);
    else
      return 2;
  }
  if (rounds < 1 || rounds > MOST_ROUNDS || !(budget > 0)) {
    fprintf(stderr, "th_experiments: --rounds takes 1 to %d, --seconds more than 0\n", MOST_ROUNDS);
    return 2;
  }
  THSetNumThreads(threads);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const Experiment *row = tables[i]; row->name; row++)
      if (THMax(1, row->threads) == threads && !strncmp(row->name, filter, strlen(filter)) &&
          can_run(row))
        measure(row, rounds, budget);
  return 0;
}

#else

int main(void)
{
  fprintf(stderr, "th_experiments: the sketches are for AVX-512: left out\n");
  return 0;
}

#endif
