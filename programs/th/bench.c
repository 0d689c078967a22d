/* th bench: how long a program takes. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "file.h"
#include "inputs.h"
#include "progress.h"
#include "text.h"

enum { MOST_THREADS = 1024, MOST_COUNTS = 16, MOST_RUNS = 1000000, LEAST_RUNS = 3, TIMED_RUNS = 5 };
enum { RUNS = 256, TIME, THREADS, NODES, TRACE, WITHOUT, WEIGHTS };

typedef struct Options {
  const char *trace;
  ModelWords words;
  int64_t runs;   /* 0: as many as the time allows */
  double seconds; /* for each number of threads */
  int64_t threads[MOST_COUNTS];
  int threadCounts;         /* 0: as ATen chooses */
  unsigned passes, weights; /* weights: a pass of them */
  bool nodes;
  PictureOptions picture;
} Options;

static const struct argp_option list[] = {
    {"threads", THREADS, "N[,N...]", 0, "Measure with each of these numbers of threads", 0},
    {"time", TIME, "SECONDS", 0, "Measure for about so long each (2)", 0},
    {"runs", RUNS, "N", 0, "Measure N runs each instead", 0},
    {"without", WITHOUT, "PASS[,PASS...]", 0, "Load without these passes, or without all", 0},
    {"weights", WEIGHTS, "TYPE", 0, WEIGHTS_HELP, 0},
    {"nodes", NODES, NULL, 0, "Show the time of each kind of node, too", 1},
    {"trace", TRACE, "FILE", 0, "Write the nodes of one run for ui.perfetto.dev", 1},
    {0}};

/* The passes but for those in the list. */
static unsigned passes_without(struct argp_state *state, const char *list)
{
  unsigned left = AT_ALL_PASSES;
  for (const char *at = list; *at; at += *at == ',') {
    const size_t length = strcspn(at, ",");
    unsigned named = length == 3 && !strncmp(at, "all", 3) ? AT_ALL_PASSES : 0;
    for (int i = 0; i < AT_PASSES; i++) {
      const char *const name = at_program_passName((at_program_pass)i);
      if (strlen(name) == length && !strncmp(at, name, length))
        named = 1u << i;
    }
    if (named == 0)
      argp_error(state, "--without takes names of passes, as th info shows them, and not '%s'",
                 list);
    left &= ~named;
    at += length;
  }
  return left;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  Options *const options = state->input;
  switch (key) {
    case THREADS:
      options->threadCounts =
          option_integers(state, "threads", text, 1, MOST_THREADS, options->threads, MOST_COUNTS);
      return 0;
    case TIME:
      options->seconds = option_number(state, "time", text, 0, 1e6);
      return 0;
    case RUNS:
      options->runs = option_integer(state, "runs", text, 1, MOST_RUNS);
      return 0;
    case WITHOUT:
      options->passes = passes_without(state, text);
      return 0;
    case WEIGHTS:
      options->weights = option_weights(state, text);
      return 0;
    case NODES:
      options->nodes = true;
      return 0;
    case TRACE:
      options->trace = text;
      return 0;
    default:
      return model_parse(key, text, state, &options->words);
  }
}

static const struct argp argp = {
    .options = list,
    .parser = parse,
    .args_doc = "MODEL [INPUT...]",
    .doc =
        "Measures how long a program of torch.export (.pt2) or ONNX (.onnx) takes, with the inputs "
        "of "
        "th run, or with random ones: integers are 0 or 1 there, and sizes that may vary the "
        "smallest."};

/* --- measuring -------------------------------------------------------------------------------- */

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times of runs, in seconds. */
typedef struct Times {
  double *values;
  int64_t count, capacity;
} Times;

static bool add_time(Times *times, double value)
{
  if (times->count == times->capacity) {
    const int64_t capacity = times->capacity > 0 ? 2 * times->capacity : 64;
    double *const values = realloc(times->values, (size_t)capacity * sizeof *values);
    if (!values)
      return false;
    times->values = values;
    times->capacity = capacity;
  }
  times->values[times->count++] = value;
  return true;
}

static bool is_enough(const Options *options, const Times *times, double passed)
{
  if (options->runs > 0)
    return times->count >= options->runs;
  return times->count >= MOST_RUNS || (times->count >= LEAST_RUNS && passed >= options->seconds);
}

/* Runs the program until there are times enough, after a run that does not count. */
static bool measure(const Options *options, at_program *program, const Inputs *inputs, Times *times)
{
  times->count = 0;
  (void)inputs_run(inputs, program);
  const double start = seconds();
  double before = start;
  while (at_error() == AT_OK && !is_enough(options, times, before - start)) {
    (void)inputs_run(inputs, program);
    const double after = seconds();
    if (!add_time(times, after - before)) {
      progress_end();
      fail("there is no memory");
      return false;
    }
    const double part = options->runs > 0 ? (double)times->count / (double)options->runs
                                          : (after - start) / (options->seconds + 1e-9);
    progress_show("measuring", part);
    before = seconds();
  }
  progress_end();
  if (at_error() == AT_OK)
    return true;
  fail_at();
  return false;
}

static void print_times(Times *times)
{
  qsort(times->values, (size_t)times->count, sizeof *times->values, by_value);
  const double *const sorted = times->values;
  const int64_t half = times->count / 2;
  const double median = times->count % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  printf("%7d %8lld %11.3f %11.3f %11.3f\n", at_getNumThreads(), (long long)times->count,
         1e3 * median, 1e3 * sorted[0], 1e3 * sorted[times->count - 1]);
}

/* A few more runs, for what takes time itself. */
static int show_nodes(const Options *options, at_program *program, const Inputs *inputs)
{
  at_program_setTiming(program, true);
  for (int i = 0; i < TIMED_RUNS; i++)
    (void)inputs_run(inputs, program);
  char *const table = options->nodes ? at_program_timings(program) : NULL;
  if (table) {
    printf("\nof %d runs more\n", TIMED_RUNS);
    text_writeLines(stdout, table);
    putchar('\n');
  }
  at_string_free(table);
  if (options->trace && !at_program_saveTrace(program, options->trace))
    return fail_file(options->trace);
  return at_error() == AT_OK ? DONE : fail_at();
}

static int bench(const Options *options, at_program *program, Inputs *inputs)
{
  Times times = {0};
  const bool good = options->words.count > 0 ? inputs_read(inputs, program, options->words.inputs,
                                                           options->words.count, &options->picture)
                                             : inputs_draw(inputs, program);
  if (!good)
    return FAILED;
  printf("%7s %8s %11s %11s %11s\n", "threads", "runs", "median ms", "fastest ms", "slowest ms");
  int status = DONE;
  for (int i = 0; i < (options->threadCounts > 0 ? options->threadCounts : 1); i++) {
    if (options->threadCounts > 0)
      at_setNumThreads((int)options->threads[i]);
    if (!measure(options, program, inputs, &times)) {
      status = FAILED;
      break;
    }
    print_times(&times);
  }
  free(times.values);
  if (status == DONE && (options->nodes || options->trace))
    status = show_nodes(options, program, inputs);
  return status;
}

int bench_command(int count, char **arguments)
{
  Options options = {.seconds = 2, .passes = AT_ALL_PASSES, .picture = {.std = {1, 1, 1}}};
  Inputs inputs = {0};
  options_parse(&argp, count, arguments, &options);
  const double start = seconds();
  at_program *const program = file_program(options.words.model, options.passes | options.weights);
  int status = FAILED;
  if (program) {
    printf("loaded in %.1f ms\n", 1e3 * (seconds() - start));
    status = bench(&options, program, &inputs);
  }
  inputs_free(&inputs);
  at_program_free(program);
  return status;
}
