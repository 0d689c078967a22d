/* Trains a convolutional network to read handwritten digits.
 *
 * What happens in which order; the network itself stands in digits.c, written on ATen, and again in
 * digits_thnn.c, written on THNN: one program of each is built. */
#include <dlfcn.h>
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

static const char *const names[MODEL_PARAMETERS] = {
    "conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
    "full1.weight", "full1.bias", "full2.weight", "full2.bias",
};

/* A file next to the program, if there is one. */
static const char *next_to_program(const char *file)
{
  static char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0)
    return NULL;
  path[length] = '\0';
  char *const name = strrchr(path, '/') + 1;
  snprintf(name, sizeof path - (size_t)(name - path), "%s", file);
  return access(path, F_OK) == 0 ? path : NULL;
}

/* The source folder is the other folder to look for the data in. */
static const char *default_data(void)
{
  const char *path = next_to_program("digits.csv.gz");
  return path ? path : DIGITS_DATA;
}

/* This program's own engine, or that for a GPU, a library: the program itself needs no CUDA. */
static const Engine *engine_of(Device device)
{
  if (device == CPU)
    return &model_engine;
  const char *path = next_to_program("digits_cuda.so");
  if (!path)
    fail("--device cuda: this program was built without libTHC");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const Engine *engine = library ? dlsym(library, "model_engine") : NULL;
  if (!engine)
    fail("--device cuda: %s", dlerror());
  return engine;
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
  const Engine *engine;
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
  if (work->model)
    work->engine->free(work->model);
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
  const Engine *const engine = work.engine = engine_of(options->device);
  work.model = engine->start(options->seed);
  THFloatTensor *parameters[MODEL_PARAMETERS];

  if (options->load) {
    engine->parameters(work.model, parameters);
    safetensors_load(options->load, MODEL_PARAMETERS, names, parameters);
    engine->set(work.model);
  } else {
    const double start = seconds();
    choose_rows(&work, 0, options->train);
    work.losses = THAlloc((ptrdiff_t)sizeof(double) * options->epochs);
    engine->train(work.model, work.images, work.labels, options->epochs, work.losses);
    printf("trained on %d digits in %.1f s\n", options->train, seconds() - start);
  }

  choose_rows(&work, work.digits->labels->size[0] - TEST_ROWS, TEST_ROWS);
  const int64_t right = engine->test(work.model, work.images, work.labels, work.answers);
  confusion_print(work.labels, work.answers);
  printf("\n%lld of %d test digits read right: %.2f %%\n", (long long)right, TEST_ROWS,
         100.0 * (double)right / TEST_ROWS);

  if (options->save) {
    engine->parameters(work.model, parameters);
    safetensors_save(options->save, MODEL_PARAMETERS, names, parameters);
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
