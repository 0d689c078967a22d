/* Streams, handles and scratch space of a state. */
#include "THCPrivate.h"

#include "THCLibrary.h"

/* Held, for all states, while streams and handles are reserved or made on demand. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* --- locks ---------------------------------------------------------------------------------- */

static void unlock(void *what)
{
  pthread_mutex_unlock(what);
}

void THC_lock(THGuard *guard, pthread_mutex_t *lock)
{
  THGuard_enter(guard, unlock);
  pthread_mutex_lock(lock);
  guard->what = lock;
}

/* --- current streams ------------------------------------------------------------------------ */

THCStream *THC_streamOn(THCState *state, int device)
{
  THCStream *stream = THCThreadLocal_get(state->currentStreams[device]);
  return stream ? stream : state->resourcesPerDevice[device].streams[0];
}

cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device)
{
  THC_checkDevice(state, device, 1);
  return THC_streamOn(state, device)->stream;
}

cudaStream_t THCState_getCurrentStream(THCState *state)
{
  return THCState_getCurrentStreamOnDevice(state, THC_currentDevice());
}

THCStream *THCState_getStream(THCState *state)
{
  const int device = THC_currentDevice();
  THC_checkDevice(state, device, 1);
  return THC_streamOn(state, device);
}

void THCState_setStream(THCState *state, THCStream *stream)
{
  THC_enter(state);
  THArgCheck(stream, 1, "stream is NULL: THCStream_defaultStream gives the default one");
  THC_checkDevice(state, stream->device, 1);
  const THCThreadLocal local = state->currentStreams[stream->device];
  THCStream *before = THCThreadLocal_get(local);
  THCThreadLocal_set(local, stream);
  THCStream_retain(stream);
  THCStream_free(before);
}

/* --- streams by index ----------------------------------------------------------------------- */

int THCState_getNumStreams(THCState *state)
{
  THC_enter(state);
  return state->numUserStreams;
}

/* Arrays of streams that are being made, for one device after the other. */
typedef struct Reserved {
  THCStream **streams;
  ptrdiff_t count;
} Reserved;

static void free_reserved(void *what)
{
  Reserved *reserved = what;
  for (ptrdiff_t i = 0; i < reserved->count; i++)
    THCStream_free(reserved->streams[i]);
  THFree(reserved->streams);
}

static void free_lists(void *what)
{
  for (void **list = what; *list; list++)
    THFree(*list);
  THFree(what);
}

/* All streams and arrays are made before the first device gets them, so that an error changes
 * nothing. */
void THCState_reserveStreams(THCState *state, int numStreams, int nonBlocking)
{
  THC_enter(state);
  THArgCheck(numStreams >= 0 && numStreams < INT_MAX / 2, 1, "numStreams is %d", numStreams);
  THGuard locked, streams, arrays;
  THC_lock(&locked, &mutex);
  const int had = state->numUserStreams, devices = state->numDevices, more = numStreams - had;
  if (more <= 0) {
    THGuard_leave(&locked);
    return;
  }

  Reserved reserved = {NULL, 0};
  THGuard_enter(&streams, free_reserved);
  reserved.streams = THAlloc((ptrdiff_t)sizeof *reserved.streams * devices * more);
  streams.what = &reserved;
  for (int d = 0; d < devices; d++) {
    THCOnDevice on;
    THCOnDevice_enter(&on, d);
    for (int i = 0; i < more; i++) {
      reserved.streams[reserved.count] =
          THCStream_new(nonBlocking ? cudaStreamNonBlocking : cudaStreamDefault);
      reserved.count++;
    }
    THCOnDevice_leave(&on);
  }

  THGuard_enter(&arrays, free_lists);
  const ptrdiff_t listBytes = (ptrdiff_t)sizeof(void *) * (2 * devices + 1);
  void **lists = THAlloc(listBytes);
  memset(lists, 0, (size_t)listBytes);
  arrays.what = lists;
  for (int i = 0; i < 2 * devices; i++)
    lists[i] = THAlloc((ptrdiff_t)sizeof(void *) * (numStreams + 1));

  /* Nothing fails from here on. */
  for (int d = 0; d < devices; d++) {
    THCCudaResourcesPerDevice *resources = &state->resourcesPerDevice[d];
    THCStream **own = lists[2 * d];
    void **scratch = lists[2 * d + 1];
    memcpy(own, resources->streams, sizeof *own * (size_t)(had + 1));
    memcpy(own + had + 1, reserved.streams + (ptrdiff_t)d * more, sizeof *own * (size_t)more);
    memcpy(scratch, resources->devScratchSpacePerStream, sizeof *scratch * (size_t)(had + 1));
    memset(scratch + had + 1, 0, sizeof *scratch * (size_t)more);
    lists[2 * d] = resources->streams;
    lists[2 * d + 1] = resources->devScratchSpacePerStream;
    resources->streams = own;
    resources->devScratchSpacePerStream = scratch;
  }
  state->numUserStreams = numStreams;
  reserved.count = 0;
  THGuard_leave(&arrays); /* the arrays from before */
  THGuard_leave(&streams);
  THGuard_leave(&locked);
}

static THCStream *stream_at(THCState *state, int device, int stream, int arg)
{
  THC_checkDevice(state, device, arg);
  THArgCheck(stream >= 0 && stream <= state->numUserStreams, arg + 1,
             "there is no stream %d: %d are reserved", stream, state->numUserStreams);
  return state->resourcesPerDevice[device].streams[stream];
}

cudaStream_t THCState_getDeviceStream(THCState *state, int device, int stream)
{
  return stream_at(state, device, stream, 1)->stream;
}

int THCState_getCurrentStreamIndex(THCState *state)
{
  const THCStream *current = THCState_getStream(state);
  for (int i = 0; i <= state->numUserStreams; i++)
    if (state->resourcesPerDevice[current->device].streams[i]->stream == current->stream)
      return i;
  return -1;
}

void THCState_setCurrentStreamIndex(THCState *state, int stream)
{
  THC_enter(state);
  THArgCheck(stream >= 0 && stream <= state->numUserStreams, 1,
             "there is no stream %d: %d are reserved", stream, state->numUserStreams);
  for (int d = 0; d < state->numDevices; d++)
    THCState_setStream(state, state->resourcesPerDevice[d].streams[stream]);
}

/* --- scratch space -------------------------------------------------------------------------- */

size_t THCState_getDeviceScratchSpaceSize(THCState *state, int device)
{
  THC_checkDevice(state, device, 1);
  return state->resourcesPerDevice[device].scratchSpacePerStream;
}

size_t THCState_getCurrentDeviceScratchSpaceSize(THCState *state)
{
  return THCState_getDeviceScratchSpaceSize(state, THC_currentDevice());
}

/* The scratch space belongs to the stream; programs that read the state's fields find its address
 * in the array. */
void *THCState_getDeviceScratchSpace(THCState *state, int device, int stream)
{
  THCStream *owner = stream_at(state, device, stream, 1);
  THCCudaResourcesPerDevice *resources = &state->resourcesPerDevice[device];
  void *scratch = THCStream_memory(owner, THC_STREAM_SCRATCH, resources->scratchSpacePerStream);
  resources->devScratchSpacePerStream[stream] = scratch;
  return scratch;
}

void *THCState_getCurrentDeviceScratchSpace(THCState *state)
{
  THCStream *stream = THCState_getStream(state);
  const size_t bytes = state->resourcesPerDevice[stream->device].scratchSpacePerStream;
  return THCStream_memory(stream, THC_STREAM_SCRATCH, bytes);
}

/* --- handles -------------------------------------------------------------------------------- */

/* Both libraries' handles are pointers, kept in arrays that grow on demand. */
typedef void *Handle;

typedef struct Library {
  const char *name;
  Handle (*make)(void);
} Library;

static Handle make_blas(void)
{
  cublasHandle_t handle;
  THCublasCheck(cublasCreate(&handle));
  return handle;
}

static const Library blas = {"cuBLAS", make_blas}, sparse = {"cuSPARSE", THCSparse_create};

static Handle handle_at(THCState *state, const Library *library, int device, int handle,
                        int reserved, Handle **handles, int *count)
{
  THArgCheck(handle >= 1 && handle <= reserved, 2, "there is no %s handle %d: %d are reserved",
             library->name, handle, reserved);
  THGuard locked;
  THC_lock(&locked, &mutex);
  if (handle > *count) {
    *handles = THRealloc(*handles, (ptrdiff_t)sizeof **handles * handle);
    memset(*handles + *count, 0, sizeof **handles * (size_t)(handle - *count));
    *count = handle;
  }
  if (!(*handles)[handle - 1]) {
    THCOnDevice on;
    THCOnDevice_enter(&on, device);
    (*handles)[handle - 1] = library->make();
    THCOnDevice_leave(&on);
  }
  Handle made = (*handles)[handle - 1];
  THGuard_leave(&locked);
  return made;
}

static void reserve(THCState *state, const Library *library, int numHandles, int *reserved)
{
  THC_enter(state);
  THArgCheck(numHandles >= 0, 1, "%d handles of %s cannot be reserved", numHandles, library->name);
  THGuard locked;
  THC_lock(&locked, &mutex);
  *reserved = THMax(*reserved, numHandles);
  THGuard_leave(&locked);
}

static int current_index(THCThreadLocal local)
{
  const int index = (int)(intptr_t)THCThreadLocal_get(local);
  return index ? index : 1;
}

static void set_current_index(const Library *library, THCThreadLocal local, int handle,
                              int reserved)
{
  THArgCheck(handle >= 1 && handle <= reserved, 1, "there is no %s handle %d: %d are reserved",
             library->name, handle, reserved);
  THCThreadLocal_set(local, (void *)(intptr_t)handle);
}

void THCState_reserveBlasHandles(THCState *state, int numHandles)
{
  reserve(state, &blas, numHandles, &state->numUserBlasHandles);
}

int THCState_getNumBlasHandles(THCState *state)
{
  THC_enter(state);
  return state->numUserBlasHandles;
}

cublasHandle_t THCState_getDeviceBlasHandle(THCState *state, int device, int handle)
{
  THC_checkDevice(state, device, 1);
  THCCudaResourcesPerDevice *resources = &state->resourcesPerDevice[device];
  return handle_at(state, &blas, device, handle, state->numUserBlasHandles,
                   (Handle **)&resources->blasHandles, &resources->numBlasHandles);
}

cublasHandle_t THCState_getCurrentBlasHandle(THCState *state)
{
  THC_enter(state);
  return THCState_getDeviceBlasHandle(state, THC_currentDevice(),
                                      current_index(state->currentPerDeviceBlasHandle));
}

int THCState_getCurrentBlasHandleIndex(THCState *state)
{
  THC_enter(state);
  return current_index(state->currentPerDeviceBlasHandle);
}

void THCState_setCurrentBlasHandleIndex(THCState *state, int handle)
{
  THC_enter(state);
  set_current_index(&blas, state->currentPerDeviceBlasHandle, handle, state->numUserBlasHandles);
}

void THCState_reserveSparseHandles(THCState *state, int numHandles)
{
  reserve(state, &sparse, numHandles, &state->numUserSparseHandles);
}

int THCState_getNumSparseHandles(THCState *state)
{
  THC_enter(state);
  return state->numUserSparseHandles;
}

cusparseHandle_t THCState_getDeviceSparseHandle(THCState *state, int device, int handle)
{
  THC_checkDevice(state, device, 1);
  THCCudaResourcesPerDevice *resources = &state->resourcesPerDevice[device];
  return handle_at(state, &sparse, device, handle, state->numUserSparseHandles,
                   (Handle **)&resources->sparseHandles, &resources->numSparseHandles);
}

cusparseHandle_t THCState_getCurrentSparseHandle(THCState *state)
{
  THC_enter(state);
  return THCState_getDeviceSparseHandle(state, THC_currentDevice(),
                                        current_index(state->currentPerDeviceSparseHandle));
}

int THCState_getCurrentSparseHandleIndex(THCState *state)
{
  THC_enter(state);
  return current_index(state->currentPerDeviceSparseHandle);
}

void THCState_setCurrentSparseHandleIndex(THCState *state, int handle)
{
  THC_enter(state);
  set_current_index(&sparse, state->currentPerDeviceSparseHandle, handle,
                    state->numUserSparseHandles);
}
