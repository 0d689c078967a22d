/* The generators of a state. */
#include "THC/core/THCPrivate.h"

#include "THC/core/thc_kernels.h"

#include "THCRandomDraw.h"

/* The state of a generator as bytes. */
typedef struct Saved {
  uint64_t seed;
  int64_t offset;
} Saved;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* one thread at a time, for all states */

struct THCOwnGenerator {
  THCGenerator generator;
  int device;
};

static _Thread_local THCOwnGenerator *chosen;

/* The state's. */
static THCGenerator *own_generator_of(THCState *state)
{
  THC_enter(state);
  const int device = THC_currentDevice();
  if (!state->rngState || device >= state->rngState->num_devices)
    THError("device %d has no generator: THCudaInit makes them", device);
  return &state->rngState->gen[device];
}

static THCGenerator *generator_of(THCState *state)
{
  THC_enter(state);
  return chosen ? &chosen->generator : own_generator_of(state);
}

/* --- seeds ---------------------------------------------------------------------------------- */

static uint64_t new_seed(void)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THGenerator_free);
  THGenerator *source = guard.what = THGenerator_new(); /* seeds itself from the system's entropy */
  const uint64_t seed = THRandom_random64(source);
  THGuard_leave(&guard);
  return seed;
}

/* The MTGP32 states that programs' kernels use, and the seed that these states were made from. */
static void set_seed(THCGenerator *generator, uint64_t seed)
{
  pthread_mutex_lock(&mutex);
  struct curandStateMtgp32 *states = generator->gen_states;
  struct mtgp32_kernel_params *parameters = generator->kernel_params;
  *generator = (THCGenerator){.initf = 1, .initial_seed = seed};
  pthread_mutex_unlock(&mutex);
  if (states)
    THCudaCheckWarn(cudaFree(states));
  if (parameters)
    THCudaCheckWarn(cudaFree(parameters));
}

void THCRandom_manualSeed(THCState *state, uint64_t the_seed_)
{
  set_seed(generator_of(state), the_seed_);
}

void THCRandom_manualSeedAll(THCState *state, uint64_t the_seed_)
{
  own_generator_of(state);
  for (int d = 0; d < state->rngState->num_devices; d++)
    set_seed(&state->rngState->gen[d], the_seed_);
}

uint64_t THCRandom_seed(THCState *state)
{
  THCGenerator *generator = generator_of(state);
  const uint64_t seed = new_seed();
  set_seed(generator, seed);
  return seed;
}

uint64_t THCRandom_seedAll(THCState *state)
{
  own_generator_of(state);
  const uint64_t seed = new_seed();
  THCRandom_manualSeedAll(state, seed);
  return seed;
}

uint64_t THCRandom_initialSeed(THCState *state)
{
  return generator_of(state)->initial_seed;
}

/* --- generators of programs ------------------------------------------------------------------ */

THCOwnGenerator *THCRandom_newGenerator(THCState *state)
{
  const uint64_t seed = own_generator_of(state)->initial_seed;
  THCOwnGenerator *made = THAlloc(sizeof *made);
  *made = (THCOwnGenerator){{.initf = 1, .initial_seed = seed}, THC_currentDevice()};
  return made;
}

void THCRandom_freeGenerator(THCOwnGenerator *generator)
{
  if (generator)
    set_seed(&generator->generator, 0); /* frees what programs had asked for */
  THFree(generator);
}

THCOwnGenerator *THCRandom_chooseGenerator(THCOwnGenerator *generator)
{
  THCOwnGenerator *const before = chosen;
  chosen = generator;
  return before;
}

/* --- beginning and end ---------------------------------------------------------------------- */

static void free_generators(void *what)
{
  THCRNGState *generators = what;
  THFree(generators->gen);
  THFree(generators);
}

void THCRandom_init(THCState *state, int num_devices, int current_device)
{
  THC_enter(state);
  THArgCheck(num_devices > 0, 1, "num_devices is %d", num_devices);
  THArgCheck(current_device >= 0 && current_device < num_devices, 2,
             "there is no device %d: there are %d", current_device, num_devices);
  THGuard guard;
  THGuard_enter(&guard, free_generators);
  THCRNGState *generators = THAlloc(sizeof *generators);
  *generators = (THCRNGState){NULL, num_devices};
  guard.what = generators;
  generators->gen = THAlloc((ptrdiff_t)sizeof *generators->gen * num_devices);
  memset(generators->gen, 0, sizeof *generators->gen * (size_t)num_devices);
  const uint64_t seed = new_seed();
  for (int d = 0; d < num_devices; d++)
    set_seed(&generators->gen[d], seed);
  THGuard_keep(&guard);
  if (state->rngState)
    THCRandom_shutdown(state);
  state->rngState = generators;
}

void THCRandom_shutdown(THCState *state)
{
  THC_enter(state);
  if (!state->rngState)
    return;
  for (int d = 0; d < state->rngState->num_devices; d++)
    set_seed(&state->rngState->gen[d], 0); /* frees what programs had asked for */
  free_generators(state->rngState);
  state->rngState = NULL;
}

/* --- the state as bytes --------------------------------------------------------------------- */

void THCRandom_getRNGState(THCState *state, THByteTensor *rng_state)
{
  const THCGenerator *generator = generator_of(state);
  THByteTensor_resize1d(rng_state, sizeof(Saved));
  THArgCheck(THByteTensor_isContiguous(rng_state), 1, "rng_state is not contiguous");
  pthread_mutex_lock(&mutex);
  const Saved saved = {generator->initial_seed, generator->philox_seed_offset};
  pthread_mutex_unlock(&mutex);
  memcpy(THByteTensor_data(rng_state), &saved, sizeof saved);
}

void THCRandom_setRNGState(THCState *state, THByteTensor *rng_state)
{
  THCGenerator *generator = generator_of(state);
  THArgCheck(THByteTensor_nElement(rng_state) == sizeof(Saved), 1,
             "rng_state has %td bytes, a state has %zu", THByteTensor_nElement(rng_state),
             sizeof(Saved));
  THArgCheck(THByteTensor_isContiguous(rng_state), 1, "rng_state is not contiguous");
  Saved saved;
  memcpy(&saved, THByteTensor_data(rng_state), sizeof saved);
  THArgCheck(saved.offset >= 0 && saved.offset % 4 == 0, 1,
             "rng_state is no state: its offset is %lld", (long long)saved.offset);
  set_seed(generator, saved.seed);
  generator->philox_seed_offset = saved.offset;
}

/* --- drawing -------------------------------------------------------------------------------- */

THCDraw THCRandom_draw(THCState *state, uint64_t words)
{
  THCGenerator *generator = generator_of(state);
  if (chosen && chosen->device != THC_currentDevice())
    THError("the generator is of device %d, and device %d draws", chosen->device,
            THC_currentDevice());
  const int64_t used = (int64_t)((words + 3) / 4 * 4);
  pthread_mutex_lock(&mutex);
  const THCDraw draw = {generator->initial_seed, (uint64_t)generator->philox_seed_offset / 4};
  generator->philox_seed_offset += used;
  pthread_mutex_unlock(&mutex);
  return draw;
}

/* --- states of MTGP32 ----------------------------------------------------------------------- */

static void free_device(void *what)
{
  THCudaCheckWarn(cudaFree(what));
}

struct curandStateMtgp32 *THCRandom_generatorStates(THCState *state)
{
  THCGenerator *generator = generator_of(state);
  if (generator->gen_states)
    return generator->gen_states;
  const size_t stateBytes = THCKernel_mtgp32StateBytes();
  if (!stateBytes)
    THError("THC was built without cuRAND's headers: there are no states of MTGP32");
  THGuard states_guard, parameters_guard;
  void *states, *parameters;
  THGuard_enter(&states_guard, free_device);
  THCudaCheck(cudaMalloc(&states, stateBytes));
  states_guard.what = states;
  THGuard_enter(&parameters_guard, free_device);
  THCudaCheck(cudaMalloc(&parameters, THCKernel_mtgp32ParameterBytes()));
  parameters_guard.what = parameters;
  if (!THCKernel_mtgp32Parameters(parameters) ||
      !THCKernel_mtgp32States(states, parameters, generator->initial_seed))
    THError("cuRAND cannot make states of MTGP32");
  THGuard_keep(&parameters_guard);
  THGuard_keep(&states_guard);
  generator->kernel_params = parameters;
  generator->gen_states = states;
  return states;
}
