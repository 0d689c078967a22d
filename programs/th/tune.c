/* th tune: measures what the machine is fast at, and keeps the numbers for all programs. */
#include <ATen/ATen.h>
#include <TH/THTuning.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "progress.h"
#include "text.h"

enum { SHOW = 256, RESET };

typedef struct Options {
  bool shows, resets;
} Options;

static const struct argp_option list[] = {
    {"show", SHOW, NULL, 0, "Measure nothing; show the values and where they come from", 0},
    {"reset", RESET, NULL, 0, "Measure nothing; remove the file", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
  Options *const options = state->input;
  switch (key) {
    case SHOW:
      options->shows = true;
      return 0;
    case RESET:
      options->resets = true;
      return 0;
    default:
      return words_parse(key, text, state, NULL, NULL, 0, 0);
  }
}

static const struct argp argp = {
    .options = list,
    .parser = parse,
    .doc =
        "Measures, in about a second, from which size on results are better written by non-"
        "temporal stores, how floats are added, and how much work pays for a thread. Programs that "
        "start "
        "later use the numbers."};

/* --- measuring -------------------------------------------------------------------------------- */

enum { ROUNDS = 7 };

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What is measured: the operands of a function that is called so often. */
typedef struct Work {
  at_tensor *from, *to;
  int calls;
  void (*function)(const struct Work *work);
} Work;

/* The fastest times with two values of a tunable, which take turns. */
static void compare(const Work *work, THTunable which, const int64_t *values, double *best)
{
  for (int i = 0; i < 2 * (ROUNDS + 1); i++) { /* the first of each does not count */
    THTuning_set(which, values[i % 2]);
    const double start = seconds();
    for (int k = 0; k < work->calls; k++)
      work->function(work);
    const double time = seconds() - start;
    if (i < 4 || time < best[i % 2])
      best[i % 2] = time;
  }
  THTuning_set(which, -1);
}

/* A copy, and the reader that comes after it. */
static void copy_and_read(const Work *work)
{
  AT_SCOPE
  {
    at_copy_(work->to, work->from);
    (void)at_item_double(at_sum(work->to));
  }
}

static void read_all(const Work *work)
{
  AT_SCOPE
  {
    (void)at_item_double(at_sum(work->from));
  }
}

static void scale(const Work *work)
{
  at_mul_(work->to, 1);
}

static at_tensor *floats(int64_t count)
{
  return at_ones(AT_SHAPE(count));
}

/* The least size from which on copies by non-temporal stores are faster, for them and their reader. */
static int64_t measure_stream(void)
{
  enum { LEAST = 1 << 20, MOST = 64 << 20 };
  static const int64_t values[] = {0, INT64_C(1) << 40};
  int64_t limit = INT64_C(1) << 40;
  for (int64_t bytes = MOST; bytes >= LEAST && at_error() == AT_OK; bytes /= 2)
    AT_SCOPE
    {
      const int64_t count = bytes / (int64_t)sizeof(float);
      const Work work = {floats(count), floats(count), 1, copy_and_read};
      double best[2];
      compare(&work, TH_TUNE_STREAM_BYTES, values, best);
      progress_show("measuring", 0.9 * (double)LEAST / (double)bytes);
      if (best[0] >= best[1])
        return limit;
      limit = bytes;
    }
  return limit;
}

static int64_t measure_sum(void)
{
  enum { COUNT = 1 << 14, CALLS = 100 };
  static const int64_t values[] = {4, 8};
  double best[2] = {0, 0};
  AT_SCOPE
  {
    const Work work = {floats(COUNT), NULL, CALLS, read_all};
    compare(&work, TH_TUNE_SUM_DOUBLES, values, best);
  }
  return best[0] <= best[1] ? 4 : 8;
}

/* Half of the least number of elements that two threads are faster with by a tenth; -1 if there is one
 * processor. */
static int64_t measure_threads(void)
{
  enum { LEAST = 1 << 12, MOST = 1 << 20, CALLS = 20, ONE = 1 << 24 };
  if (at_getNumThreads() < 2)
    return -1;
  const int before = at_getNumThreads();
  at_setNumThreads(2);
  int64_t count = LEAST;
  for (bool isFaster = false; count < MOST && !isFaster && at_error() == AT_OK; count *= 2)
    AT_SCOPE
    {
      const int64_t values[] = {count / 2 > 1024 ? count / 2 : 1024, ONE};
      const Work work = {NULL, floats(count), CALLS, scale};
      double best[2];
      compare(&work, TH_TUNE_THREAD_WORK, values, best);
      isFaster = best[0] < 0.9 * best[1];
    }
  at_setNumThreads(before);
  return count / 4;
}

static const struct {
  THTunable which;
  int64_t (*measure)(void);
} measurements[] = {{TH_TUNE_SUM_DOUBLES, measure_sum},
                    {TH_TUNE_THREAD_WORK, measure_threads},
                    {TH_TUNE_STREAM_BYTES, measure_stream}};
enum { MEASUREMENTS = sizeof measurements / sizeof *measurements };

/* --- the command ------------------------------------------------------------------------------ */

static void show(void)
{
  static const char *const sources[] = {"chosen by the library", "from the file",
                                        "from the environment", "measured"};
  const char *const path = THTuning_path();
  printf("%s\n", THTuning_machine());
  printf("file: %s\n", path ? path : "none: neither XDG_CACHE_HOME nor HOME is a folder");
  for (int i = 0; i < TH_TUNABLES; i++) {
    const THTunable which = (THTunable)i;
    if (THTuning_get(which) >= 0)
      printf("%-14s %14lld  ", THTuning_name(which), (long long)THTuning_get(which));
    else
      printf("%-14s %14s  ", THTuning_name(which), "");
    printf("%s\n", sources[THTuning_source(which)]);
  }
}

static int tune(void)
{
  int64_t values[MEASUREMENTS];
  for (int i = 0; i < TH_TUNABLES; i++)
    THTuning_set((THTunable)i, -1);
  for (int i = 0; i < MEASUREMENTS; i++)
    values[i] = measurements[i].measure();
  progress_end();
  if (at_error() != AT_OK)
    return fail_at();
  for (int i = 0; i < MEASUREMENTS; i++)
    THTuning_set(measurements[i].which, values[i]);
  show();
  if (!THTuning_save())
    return fail("the file cannot be written: %s", strerror(errno));
  return DONE;
}

static int reset(void)
{
  const char *const path = THTuning_path();
  if (path && unlink(path) != 0 && errno != ENOENT)
    return fail("%s: it cannot be removed: %s", path, strerror(errno));
  return DONE;
}

int tune_command(int count, char **arguments)
{
  Options options = {false, false};
  options_parse(&argp, count, arguments, &options);
  if (options.resets)
    return reset();
  if (!options.shows)
    return tune();
  show();
  return DONE;
}
