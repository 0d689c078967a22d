/* The table that libATen reads (../device.h), and the state of THC. */
#include "state.h"

#include "ATen/complex/complex.h"
#include "ATen/core/device.h"
#include "ATen/ops/elementwise.h"
#include "THC/THC.h"
#include "THC/conv/THCDnn.h"
#include "THC/core/THCFault.h"
#include "THC/core/THCGraph.h"
#include "THC/core/thc_kernels.h"
#include "THC/linear/THCBiased.h"
#include "THC/linear/THCDeviceLapack.h"
#include "THC/random/THCRandomDraw.h"

THCState *at_cudaState;

extern const at_nccl at_cudaNccl; /* nccl.c */

void at_missing(const char *function, const char *type)
{
  at_raise(AT_ERROR_TYPE, "THC has no %s for CUDA%sType", function, type);
}

static void start(void)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THCState_free);
  THCState *state = guard.what = THCState_alloc();
  THCudaInit(state);
  at_cudaState = THGuard_keep(&guard);
}

static int count(void)
{
  return THCState_getNumDevices(at_cudaState);
}

static int current(void)
{
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

static void use(int device)
{
  THCudaCheckWarn(cudaSetDevice(device));
}

static int device_of(const void *storage)
{
  return ((const THCudaStorage *)storage)->device; /* all storages have the same fields */
}

/* --- memory of others ------------------------------------------------------------------------- */

typedef struct Adopted {
  void (*release)(void *);
  void *context;
  int device;
} Adopted;

static cudaError_t never_allocate(void *adopted, void **data, size_t size, cudaStream_t stream)
{
  return cudaErrorMemoryAllocation;
}

/* Work that uses the memory may still be queued. */
static cudaError_t release(void *what, void *data)
{
  Adopted *const adopted = what;
  const int before = current();
  use(adopted->device);
  const cudaError_t status = cudaDeviceSynchronize();
  use(before);
  adopted->release(adopted->context);
  THFree(adopted);
  return status;
}

static void *adopt(void *data, int device, int64_t count, size_t element, void (*free)(void *),
                   void *context)
{
  static THCDeviceAllocator allocator = {.malloc = never_allocate, .free = release};
  THGuard guard;
  THGuard_enter(&guard, THFree);
  Adopted *const adopted = guard.what = THAlloc(sizeof *adopted);
  *adopted = (Adopted){free, context, device};
  THCudaByteStorage *const storage =
      THCudaByteStorage_newWithDataAndAllocator(at_cudaState, data, count * (int64_t)element,
                                                &allocator, adopted);
  storage->size = count;
  storage->device = device;
  storage->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_FREEMEM;
  THGuard_keep(&guard);
  return storage;
}

/* --- settings --------------------------------------------------------------------------------- */

static const struct {
  int (*get)(THCState *state);
  void (*set)(THCState *state, int value);
} settings[AT_CUDA_FLAGS] = {
    [AT_CUDA_TF32] = {THCState_getAllowTF32, THCState_setAllowTF32},
    [AT_CUDA_DETERMINISTIC] = {THCState_getDeterministic, THCState_setDeterministic},
    [AT_CUDA_DNN] = {THCState_getAllowDnn, THCState_setAllowDnn},
    [AT_CUDA_BENCHMARK_DNN] = {THCState_getBenchmarkDnn, THCState_setBenchmarkDnn},
};

static void set_flag(at_cuda_flag flag, bool value)
{
  settings[flag].set(at_cudaState, value);
}

static bool get_flag(at_cuda_flag flag)
{
  return settings[flag].get(at_cudaState);
}

/* --- random numbers --------------------------------------------------------------------------- */

static void seed(uint64_t seed)
{
  THCRandom_manualSeedAll(at_cudaState, seed);
}

static void *new_generator(void)
{
  return THCRandom_newGenerator(at_cudaState);
}

static void free_generator(void *generator)
{
  THCRandom_freeGenerator(generator);
}

static void *choose_generator(void *generator)
{
  return THCRandom_chooseGenerator(generator);
}

static void manual_seed(uint64_t seed)
{
  THCRandom_manualSeed(at_cudaState, seed);
}

static uint64_t random_seed(void)
{
  return THCRandom_seed(at_cudaState);
}

static uint64_t initial_seed(void)
{
  return THCRandom_initialSeed(at_cudaState);
}

static void get_state(void *bytes)
{
  THCRandom_getRNGState(at_cudaState, bytes);
}

static void set_state(void *bytes)
{
  THCRandom_setRNGState(at_cudaState, bytes);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Entries are NULL where CUDA has no kernel. */
extern const THCKernel at_cudaElementwise[AT_ELEMENTWISE];

static void elementwise(int name, const THLoop *loop, const void *scalars)
{
  static const char nothing;
  if (!at_cudaElementwise[name])
    at_missing("such function of elements", "Double");
  THCWalk_run(loop, at_cudaElementwise[name], scalars ? scalars : &nothing,
              THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

extern const THCKernel at_cudaFunctionKernelsFloat[], at_cudaFunctionKernelsDouble[];

static void function(int name, THScalarType type, const THLoop *loop, const void *scalars)
{
  const bool isDouble = type == THScalarDouble;
  THCWalk_run(loop, (isDouble ? at_cudaFunctionKernelsDouble : at_cudaFunctionKernelsFloat)[name],
              scalars, THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

extern const THCKernel at_cudaComplexRows[AT_COMPLEX_NAMES][2];

static void complex_row(int name, THScalarType type, const THLoop *loop, const void *scalars)
{
  THCWalk_run(loop, at_cudaComplexRows[name][type == THScalarDouble], scalars,
              THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

/* The conversions from each type up to Bool to BFloat16, and back. */
extern const THCKernel at_cudaConversions[][2];

static bool convert(at_scalar_type to, at_scalar_type from, const THLoop *loop)
{
  const bool back = from == AT_BFLOAT16;
  const int done = THCWalk_run(loop, at_cudaConversions[back ? to : from][back], NULL,
                               THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
  return done != 0;
}

extern const THCKernel at_cudaUpdates[][4];

static bool check(at_kernel kernel, THScalarType type, const void *work, THCReport *report,
                  THCFault *fault)
{
  THCCheck check;
  if (!THCCheck_open(&check, at_cudaState, report->fault.function, 0, 0, 0))
    return false;
  *report = check.report;
  at_cudaLaunch(kernel, type, work);
  return THCCheck_close(&check, fault);
}

extern void (*const at_cudaManyUpdates[][4])(const at_update_many *many, cudaStream_t stream);

/* The column of a type in these tables. */
static int column_of(at_scalar_type type)
{
  return type == AT_FLOAT ? 0 : type == AT_DOUBLE ? 1 : type == AT_HALF ? 2 : 3;
}

static void update(int name, at_scalar_type type, const THLoop *loop, const void *numbers)
{
  THCWalk_run(loop, at_cudaUpdates[name][column_of(type)], numbers,
              THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

extern void (*const at_cudaPowers[4])(const at_powers *powers, cudaStream_t stream);

static void queue_powers(at_scalar_type type, const at_powers *p)
{
  at_cudaPowers[column_of(type)](p, THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

static void update_many(int name, at_scalar_type type, const at_update_many *many)
{
  at_cudaManyUpdates[name][column_of(type)](many, THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}

static void draw(uint64_t words, uint64_t *seed, uint64_t *offset)
{
  const THCDraw part = THCRandom_draw(at_cudaState, words);
  *seed = part.seed;
  *offset = part.offset;
}

static void draw_from(uint64_t seed, uint64_t offset)
{
  THCRandom_manualSeed(at_cudaState, seed);
  THCRandom_draw(at_cudaState, 4 * offset);
}

static bool find_outside(void *index, int64_t least, int64_t last, int64_t *outside)
{
  return THCIndex_findOutside(at_cudaState, index, least, last, outside);
}

static bool multiply_biased(const THCBiased *product)
{
  return THC_multiplyBiased(at_cudaState, product) != 0;
}

static bool convolve(const THCDnnConvolution *c, void *x, void *weight, void *y)
{
  THCDnn dnn;
  if (!THCDnn_open(&dnn, at_cudaState, c))
    return false;
  THCDnn_run(&dnn, x, weight, y);
  THCDnn_close(&dnn);
  return true;
}

static int64_t version_of_dnn(void)
{
  return THCDnn_version(at_cudaState);
}

static const THCDeviceLapack *lapack_of(at_scalar_type type)
{
  THCState_getNumDevices(at_cudaState); /* this thread's calls are of that state */
  return THCDeviceLapack_of(type == AT_DOUBLE || type == AT_COMPLEX_DOUBLE,
                            type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE);
}

static void synchronize(void)
{
  THCState_synchronize(at_cudaState);
}

static void empty_cache(void)
{
  THCDeviceAllocator *const allocator = THCState_getDeviceAllocator(at_cudaState);
  if (allocator->emptyCache)
    THCudaCheck(allocator->emptyCache(allocator->state));
}

/* --- streams --------------------------------------------------------------------------------- */

static at_cuda_stream *new_stream(int priority)
{
  return (at_cuda_stream *)THCStream_newWithPriority(cudaStreamNonBlocking, priority);
}

static void free_stream(at_cuda_stream *stream)
{
  THCStream_free((THCStream *)stream);
}

static at_cuda_stream *current_stream(void)
{
  THCStream *const stream = THCState_getStream(at_cudaState);
  THCStream_retain(stream);
  return (at_cuda_stream *)stream;
}

static void use_stream(at_cuda_stream *stream)
{
  THCState_setStream(at_cudaState, (THCStream *)stream);
}

static void wait_for(at_cuda_stream *stream)
{
  THC_waitFor((THCStream *)stream);
}

/* --- graphs ---------------------------------------------------------------------------------- */

static at_cuda_graph *begin_graph(void)
{
  return (at_cuda_graph *)THCGraph_begin(at_cudaState);
}

static void end_graph(at_cuda_graph *graph)
{
  THCGraph_end(at_cudaState, (THCGraph *)graph);
}

static void replay_graph(at_cuda_graph *graph)
{
  THCGraph_replay(at_cudaState, (THCGraph *)graph);
}

static void free_graph(at_cuda_graph *graph)
{
  THCGraph_free(at_cudaState, (THCGraph *)graph);
}

const at_device at_cudaDevice = {
    .size = sizeof(at_device) + sizeof(at_memory) + sizeof(at_functions),
    .version = THVersion,
    .memory =
        {
#define ENTRY(Real, real, accreal) [THScalar##Real] = &at_cudaMemory_##Real,
            TH_FOR_EACH_TYPE(ENTRY)
#undef ENTRY
        },
    .functions =
        {
#define ENTRY(Real, real, accreal) [THScalar##Real] = &at_cudaFunctions_##Real,
            TH_FOR_EACH_TYPE(ENTRY)
#undef ENTRY
        },
    .start = start,
    .count = count,
    .current = current,
    .use = use,
    .of = device_of,
    .adopt = adopt,
    .multiplyBiased = multiply_biased,
    .convolve = convolve,
    .versionDnn = version_of_dnn,
    .lapack = lapack_of,
    .setFlag = set_flag,
    .flag = get_flag,
    .seed = seed,
    .newGenerator = new_generator,
    .freeGenerator = free_generator,
    .chooseGenerator = choose_generator,
    .manualSeed = manual_seed,
    .randomSeed = random_seed,
    .initialSeed = initial_seed,
    .getState = get_state,
    .setState = set_state,
    .elementwise = elementwise,
    .function = function,
    .complexRow = complex_row,
    .convert = convert,
    .launch = at_cudaLaunch,
    .check = check,
    .update = update,
    .updateMany = update_many,
    .powers = queue_powers,
    .draw = draw,
    .drawFrom = draw_from,
    .findOutside = find_outside,
    .synchronize = synchronize,
    .emptyCache = empty_cache,
    .newStream = new_stream,
    .freeStream = free_stream,
    .currentStream = current_stream,
    .useStream = use_stream,
    .waitFor = wait_for,
    .beginGraph = begin_graph,
    .endGraph = end_graph,
    .replayGraph = replay_graph,
    .freeGraph = free_graph,
    .nccl = &at_cudaNccl,
};
