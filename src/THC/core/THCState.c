/* The state: resources of each device, made by THCudaInit and freed by THCudaShutdown. */
#define _GNU_SOURCE /* secure_getenv */
#include "THCPrivate.h"

#include "THCLibrary.h"

enum { LEAST_SCRATCH = 32768 * sizeof(float), SCRATCH_PER_PROCESSOR = 4 * sizeof(float) };
static const ptrdiff_t first_heap_softmax = (ptrdiff_t)300 << 20;

THCState *THCState_alloc(void)
{
  THCState *state = THAlloc(sizeof *state);
  memset(state, 0, sizeof *state);
  return state;
}

void THCState_free(THCState *state)
{
  THFree(state);
}

static void *new_zeroed(size_t count, size_t size)
{
  void *block = THAlloc((ptrdiff_t)(count * size));
  memset(block, 0, count * size);
  return block;
}

/* --- giving back ------------------------------------------------------------------------------ */

static void free_resources(THCCudaResourcesPerDevice *resources, int streams, int device)
{
  int before;
  cudaGetDevice(&before);
  cudaSetDevice(device);
  for (int i = 0; i < resources->numBlasHandles; i++)
    if (resources->blasHandles[i])
      cublasDestroy(resources->blasHandles[i]);
  for (int i = 0; i < resources->numSparseHandles; i++)
    THCSparse_destroy(resources->sparseHandles[i]);
  if (resources->streams)
    THCStream_freeHandles(resources->streams[0]);
  for (int i = 1; resources->streams && i <= streams; i++)
    THCStream_free(resources->streams[i]);
  cudaSetDevice(before);
  THFree(resources->blasHandles);
  THFree(resources->sparseHandles);
  THFree(resources->streams);
  THFree(resources->devScratchSpacePerStream);
}

/* A state that is being made or given back, and how many of its thread-local variables there are.
 */
typedef struct Whole {
  THCState state;
  int handleLocals, streamLocals;
} Whole;

/* Whatever there is goes. */
static void undo(void *what)
{
  Whole *whole = what;
  THCState *state = &whole->state;
  if (state->rngState)
    THCRandom_shutdown(state);
  for (int d = 0; state->resourcesPerDevice && d < state->numDevices; d++)
    free_resources(&state->resourcesPerDevice[d], state->numUserStreams, d);
  for (int d = 0; d < whole->streamLocals; d++) {
    THCStream_free(THCThreadLocal_get(state->currentStreams[d]));
    THCThreadLocal_free(state->currentStreams[d]);
  }
  if (whole->handleLocals > 0)
    THCThreadLocal_free(state->currentPerDeviceBlasHandle);
  if (whole->handleLocals > 1)
    THCThreadLocal_free(state->currentPerDeviceSparseHandle);
  if (state->p2pAccessEnabled)
    THFree(state->p2pAccessEnabled[0]);
  THFree(state->p2pAccessEnabled);
  THFree(state->currentStreams);
  THFree(state->resourcesPerDevice);
  THFree(state->deviceProperties);
}

/* --- making ----------------------------------------------------------------------------------- */

static int count_devices(void)
{
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    THError("there is no CUDA device that can be used: %s", THC_describe(status));
  }
  if (count < 1)
    THError("there is no CUDA device");
  return count;
}

/* A device may access its own memory; access to other devices is not known yet. */
static int **new_access_table(int count)
{
  int **rows = new_zeroed((size_t)count, sizeof *rows);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  guard.what = rows;
  int *entries = THAlloc((ptrdiff_t)sizeof *entries * count * count);
  THGuard_keep(&guard);
  for (int i = 0; i < count; i++) {
    rows[i] = entries + (ptrdiff_t)i * count;
    for (int j = 0; j < count; j++)
      rows[i][j] = i == j ? 1 : -1;
  }
  return rows;
}

static void fill_resources(THCCudaResourcesPerDevice *resources, int device,
                           const struct cudaDeviceProp *properties)
{
  const size_t bytes = (size_t)properties->multiProcessorCount * SCRATCH_PER_PROCESSOR;
  resources->scratchSpacePerStream = THMax(bytes, (size_t)LEAST_SCRATCH);
  resources->streams = new_zeroed(1, sizeof *resources->streams);
  resources->streams[0] = THCStream_defaultStream(device);
  resources->devScratchSpacePerStream = new_zeroed(1, sizeof(void *));
}

static int refuses_dnn(void)
{
  const char *text = secure_getenv("TH_CUDNN");
  return text && !strcmp(text, "0");
}

void THCudaInit(THCState *state)
{
  THC_enter(state);
  if (state->numDevices)
    THError("the state is initialised already");
  const int count = count_devices(), device = THC_currentDevice();

  Whole whole = {.state = *state};
  THCState *made = &whole.state;
  THGuard guard;
  THGuard_enter(&guard, undo);
  guard.what = &whole;
  made->numDevices = count;
  if (!made->cudaDeviceAllocator)
    made->cudaDeviceAllocator = THCCachingAllocator_get();
  if (!made->cudaHostAllocator)
    made->cudaHostAllocator = &THCCachingHostAllocator;
  if (!made->cudaUVAAllocator)
    made->cudaUVAAllocator = &THCUVAAllocator;

  made->deviceProperties = new_zeroed((size_t)count, sizeof *made->deviceProperties);
  made->resourcesPerDevice = new_zeroed((size_t)count, sizeof *made->resourcesPerDevice);
  for (int d = 0; d < count; d++) {
    THCudaCheck(cudaGetDeviceProperties(&made->deviceProperties[d], d));
    fill_resources(&made->resourcesPerDevice[d], d, &made->deviceProperties[d]);
  }
  made->p2pAccessEnabled = new_access_table(count);
  made->currentPerDeviceBlasHandle = THCThreadLocal_alloc();
  whole.handleLocals = 1;
  made->currentPerDeviceSparseHandle = THCThreadLocal_alloc();
  whole.handleLocals = 2;
  made->numUserBlasHandles = made->numUserSparseHandles = 1;
  made->currentStreams = new_zeroed((size_t)count, sizeof *made->currentStreams);
  for (int d = 0; d < count; d++) {
    made->currentStreams[d] = THC_newStreamLocal();
    whole.streamLocals++;
  }
  made->heapSoftmax = first_heap_softmax;
  made->allowsDnn = !refuses_dnn();
  THCRandom_init(made, count, device);

  THGuard_keep(&guard);
  *state = whole.state;
  THC_using = state;
}

void THCudaShutdown(THCState *state)
{
  THC_enter(state);
  if (!state->numDevices)
    return;
  Whole whole = {.state = *state, .handleLocals = 2, .streamLocals = state->numDevices};
  memset(state, 0, sizeof *state);
  undo(&whole);
  THC_using = state;
  THCCachingAllocator_get()->emptyCache(NULL);
  THCCachingHostAllocator_emptyCache();
}

/* --- devices ---------------------------------------------------------------------------------- */

void THC_checkDevice(THCState *state, int device, int arg)
{
  THC_enter(state);
  THArgCheck(device >= 0 && device < state->numDevices, arg, "there is no device %d: there are %d",
             device, state->numDevices);
}

int THCState_getNumDevices(THCState *state)
{
  THC_enter(state);
  return state->numDevices;
}

struct cudaDeviceProp *THCState_getDeviceProperties(THCState *state, int device)
{
  THC_checkDevice(state, device, 1);
  return &state->deviceProperties[device];
}

struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *state)
{
  return THCState_getDeviceProperties(state, THC_currentDevice());
}

struct THCRNGState *THCState_getRngState(THCState *state)
{
  THC_enter(state);
  return state->rngState;
}

/* --- from device to device ------------------------------------------------------------------ */

/* Returns whether dev has access to the other's memory now. */
static int set_access(int dev, int other, int enable)
{
  THCOnDevice on;
  THCOnDevice_enter(&on, dev);
  cudaError_t status =
      enable ? cudaDeviceEnablePeerAccess(other, 0) : cudaDeviceDisablePeerAccess(other);
  if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorPeerAccessNotEnabled) {
    cudaGetLastError();
    status = cudaSuccess;
  }
  THCudaCheck(status);
  THCOnDevice_leave(&on);
  return enable;
}

int THCState_getPeerToPeerAccess(THCState *state, int dev, int devToAccess)
{
  THC_checkDevice(state, dev, 1);
  THC_checkDevice(state, devToAccess, 2);
  int *access = &state->p2pAccessEnabled[dev][devToAccess];
  int known = __atomic_load_n(access, __ATOMIC_RELAXED);
  if (known < 0) {
    int can = 0;
    THCudaCheck(cudaDeviceCanAccessPeer(&can, dev, devToAccess));
    known = can ? set_access(dev, devToAccess, 1) : 0;
    __atomic_store_n(access, known, __ATOMIC_RELAXED);
  }
  return known;
}

void THCState_setPeerToPeerAccess(THCState *state, int dev, int devToAccess, int enable)
{
  enable = enable != 0;
  if (THCState_getPeerToPeerAccess(state, dev, devToAccess) == enable)
    return;
  THArgCheck(dev != devToAccess, 3, "a device always has access to its own memory");
  if (enable) {
    int can = 0;
    THCudaCheck(cudaDeviceCanAccessPeer(&can, dev, devToAccess));
    THArgCheck(can, 2, "device %d has no access to the memory of device %d", dev, devToAccess);
  }
  __atomic_store_n(&state->p2pAccessEnabled[dev][devToAccess], set_access(dev, devToAccess, enable),
                   __ATOMIC_RELAXED);
}

int THCState_getKernelPeerToPeerAccessEnabled(THCState *state)
{
  THC_enter(state);
  return state->p2pKernelAccessEnabled;
}

void THCState_setKernelPeerToPeerAccessEnabled(THCState *state, int val)
{
  THC_enter(state);
  state->p2pKernelAccessEnabled = val != 0;
}

/* --- settings --------------------------------------------------------------------------------- */

/* clang-format off */
#define GETTER(NAME, FIELD)                                                      \
  int THCState_get##NAME(THCState *state)                                        \
  { THC_enter(state); return __atomic_load_n(&state->FIELD, __ATOMIC_RELAXED); }
#define SETTER(NAME, FIELD)                                                            \
  void THCState_set##NAME(THCState *state, int value)                                  \
  { THC_enter(state); __atomic_store_n(&state->FIELD, value != 0, __ATOMIC_RELAXED); }
/* clang-format on */
#define SETTING(NAME, FIELD) GETTER(NAME, FIELD) SETTER(NAME, FIELD)
SETTING(AllowTF32, allowsTF32)
SETTING(Deterministic, isDeterministic)
SETTING(AllowDnn, allowsDnn)
SETTING(BenchmarkDnn, measuresDnn)
