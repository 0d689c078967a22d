/* The context: backends, their generators, and threads. */
#include <pthread.h>

#include "ATen/random/drawn.h"
#include "ATenCore.h"
#include "device.h"

struct at_context {
  THGenerator numbers;
  at_generator generators[AT_BACKENDS];
};

static at_context context;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
  static const uint64_t seed = 67280421310721; /* PyTorch's default seed */
  context.generators[AT_BACKEND_CPU] = (at_generator){AT_BACKEND_CPU, &context.numbers, NULL};
  context.generators[AT_BACKEND_CUDA] = (at_generator){AT_BACKEND_CUDA, NULL, NULL};
  THRandom_manualSeed(&context.numbers, seed);
}

at_context *at_globalContext(void)
{
  pthread_once(&once, fill);
  return &context;
}

/* --- generators ------------------------------------------------------------------------------ */

/* The generator of this thread alone, instead of the default one; or NULL. */
static _Thread_local at_generator *own;

at_generator *at_drawFrom(at_generator *generator)
{
  at_generator *const before = own;
  own = generator;
  return before;
}

at_generator *at_defaultGenerator(at_backend backend)
{
  if (backend == AT_BACKEND_CPU && own)
    return own;
  if (backend == AT_BACKEND_CPU || (backend == AT_BACKEND_CUDA && at_hasCUDA()))
    return &at_globalContext()->generators[backend];
  at_fail(AT_ERROR_TYPE, "defaultGenerator",
          "defaultGenerator: there is no generator of backend %d", (int)backend);
  return NULL;
}

static void free_generator(void *what)
{
  at_generator *const generator = what;
  if (generator->th)
    THGenerator_free(generator->th);
  if (generator->ofDevice)
    at_cuda()->freeGenerator(generator->ofDevice);
  THFree(generator);
}

at_generator *at_generator_new(at_backend backend)
{
  at_call call;
  at_begin(&call, "generator_new");
  at_generator *volatile generator = NULL;
  at_generator *const like = at_defaultGenerator(backend);
  if (!like)
    return NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, free_generator);
    at_generator *made = THAlloc(sizeof *made);
    *made = (at_generator){.backend = backend};
    guard.what = made;
    if (like->th) {
      made->th = THGenerator_new();
      THRandom_manualSeed(made->th, THRandom_initialSeed(like->th));
    } else {
      made->ofDevice = at_cuda()->newGenerator();
    }
    generator = THGuard_keep(&guard);
  }
  return at_failed(&call) ? NULL : generator;
}

void at_generator_free(at_generator *generator)
{
  if (generator && generator != &context.generators[generator->backend])
    free_generator(generator);
}

void *at_generatorOnDevice(void *ofDevice)
{
  return at_cuda()->chooseGenerator(ofDevice);
}

typedef enum SeedCall { SET, DRAW, GET } SeedCall;

/* Calls of a generator of a device, which may fail. */
static uint64_t seed_of_device(const at_generator *generator, SeedCall how, uint64_t seed)
{
  at_call call;
  at_begin(&call, "generator_seed");
  volatile uint64_t result = seed;
  void *const before = at_generatorOnDevice(generator->ofDevice);
  TH_TRY(call.attempt)
  {
    if (how == SET)
      at_cuda()->manualSeed(seed);
    else
      result = how == DRAW ? at_cuda()->randomSeed() : at_cuda()->initialSeed();
  }
  at_generatorOnDevice(before);
  return at_failed(&call) ? 0 : result;
}

void at_generator_manualSeed(at_generator *generator, uint64_t seed)
{
  if (generator && generator->th)
    THRandom_manualSeed(generator->th, seed);
  else if (generator)
    seed_of_device(generator, SET, seed);
}

uint64_t at_generator_seed(at_generator *generator)
{
  if (generator && generator->th)
    return THRandom_seed(generator->th);
  return generator ? seed_of_device(generator, DRAW, 0) : 0;
}

uint64_t at_generator_initialSeed(const at_generator *generator)
{
  if (generator && generator->th)
    return THRandom_initialSeed(generator->th);
  return generator ? seed_of_device(generator, GET, 0) : 0;
}

void at_manualSeed(uint64_t seed)
{
  at_generator_manualSeed(at_defaultGenerator(AT_BACKEND_CPU), seed);
  if (at_cuda())
    at_cuda()->seed(seed);
}

/* --- threads ---------------------------------------------------------------------------------- */

bool at_setNumThreads(int count)
{
  if (count >= 1) {
    THSetNumThreads(count);
    return true;
  }
  at_fail(AT_ERROR_ARGUMENT, "setNumThreads", "setNumThreads: count is %d, and has to be 1 or more",
          count);
  return false;
}

int at_getNumThreads(void)
{
  return THGetNumThreads();
}
