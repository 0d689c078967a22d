/* Trains a convolutional network to read handwritten digits.
 *
 * What happens in which order; the network itself stands in digits.c, written on ATen, and again in
 * digits_thnn.c, written on THNN: one program of each is built. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "confusion.h"
#include "data.h"
#include "fail.h"
#include "model.h"
#include "options.h"
#include "picture.h"
#include "safetensors.h"

/* The data beside the program, else where the sources are. */
static const char *default_data(void)
{
  static char beside[4096];
  const ssize_t length = readlink("/proc/self/exe", beside, sizeof beside - 1);
  if (length > 0) {
    beside[length] = '\0';
    char *const name = strrchr(beside, '/') + 1;
    snprintf(name, sizeof beside - (size_t)(name - beside), "digits.csv.gz");
    if (access(beside, F_OK) == 0)
      return beside;
  }
  return DIGITS_DATA;
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What run() works with, so that one guard frees all of it. */
typedef struct Work {
  Digits *digits;
  THFloatTensor *images; /* a part of the digits: to learn from, or to be tested with */
  THLongTensor *labels;
  THLongTensor *answers;
  Model *model;
  double *losses; /* of each epoch */
} Work;

static void work_free(void *what)
{
  Work *work = what;
  digits_free(work->digits);
  THFloatTensor_free(work->images);
  THLongTensor_free(work->labels);
  THLongTensor_free(work->answers);
  model_free(work->model);
  THFree(work->losses);
}

static void choose_rows(Work *work, int64_t first, int64_t count)
{
  THFloatTensor_narrow(work->images, work->digits->images, 0, first, count);
  THLongTensor_narrow(work->labels, work->digits->labels, 0, first, count);
}

static void run(const Options *options)
{
  Work work = {NULL};
  THGuard guard;
  THGuard_enter(&guard, work_free);
  guard.what = &work;

  THSetNumThreads(options->threads);
  THSetDeterministic(1); /* the same bits on any number of threads */
  work.digits = digits_read(options->data ? options->data : default_data(), TRAIN_ROWS + TEST_ROWS);
  work.images = THFloatTensor_new();
  work.labels = THLongTensor_new();
  work.answers = THLongTensor_new();
  work.model = model_new(options->seed);
  THFloatTensor *parameters[MODEL_PARAMETERS];
  model_parameters(work.model, parameters);

  if (options->load) {
    safetensors_load(options->load, MODEL_PARAMETERS, model_names, parameters);
  } else {
    const double start = seconds();
    choose_rows(&work, 0, TRAIN_ROWS);
    work.losses = THAlloc((ptrdiff_t)sizeof(double) * options->epochs);
    model_train(work.model, work.images, work.labels, options->epochs, work.losses);
    printf("trained on %d digits in %.1f s\n", TRAIN_ROWS, seconds() - start);
  }

  choose_rows(&work, work.digits->labels->size[0] - TEST_ROWS, TEST_ROWS);
  const int64_t right = model_test(work.model, work.images, work.labels, work.answers);
  confusion_print(work.labels, work.answers);
  printf("\n%lld of %d test digits read right: %.2f %%\n", (long long)right, TEST_ROWS,
         100.0 * (double)right / TEST_ROWS);

  if (options->save) {
    safetensors_save(options->save, MODEL_PARAMETERS, model_names, parameters);
    printf("saved the network to %s\n", options->save);
  }
  picture_draw(options->picture, work.losses, work.losses ? options->epochs : 0, work.images,
               work.labels, work.answers);
  printf("drew %s\n", options->picture);
  THGuard_leave(&guard);
}

int main(int argc, char **argv)
{
  THTry attempt; /* every error, of the library too, ends here */
  TH_TRY(attempt)
  {
    const Options options = options_read(argc, argv);
    if (options.help)
      options_help();
    else
      run(&options);
    if (fflush(stdout) || ferror(stdout))
      fail("standard output: cannot write it: %s", strerror(errno));
  }
  if (!attempt.failed)
    return 0;
  fflush(stdout);
  fail_print(attempt.message);
  return 2;
}
