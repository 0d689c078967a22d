/* CUDA: loads libATenCUDA, and tells on which device tensors are. */
#define _GNU_SOURCE /* dladdr1, secure_getenv */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ATen/core/ATenCore.h"
#include "ATen/files/beside.h"
#include "TH/core/THEnvironment.h"
#include "ATen/core/device.h"

/* --- loading --------------------------------------------------------------------------------- */

/* Defined if the program is linked with libATenCUDA; else its address is NULL. */
#pragma weak at_cudaDevice

static const at_device *loaded; /* atomic */

const at_device *at_cuda(void)
{
  return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
}

/* Opens the library that AT_CUDA_LIBRARY names, or else the one in the folder of libATen, or else
 * the one that the loader finds. */
static void *open_library(char *message, size_t size)
{
  const char *name;
  *message = 0;
  if (!THEnvironment_library("AT_CUDA_LIBRARY", &name, message, size)) {
    memmove(message, message + 2, strlen(message + 2) + 1); /* without "; " */
    return NULL;
  }
  void *library = name ? NULL : at_openBeside(&loaded, AT_CUDA_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen(name ? name : AT_CUDA_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    snprintf(message, size, "%s", dlerror());
  return library;
}

/* Whether the table is of this build and uses the same TH; else message says why not. */
static bool fits(const at_device *device, char *message, size_t size)
{
  if (!device)
    snprintf(message, size, "the library has no at_cudaDevice");
  else if (device->size != sizeof(at_device) + sizeof(at_memory) + sizeof(at_functions))
    snprintf(message, size, "the library is of another version");
  else if (device->version != THVersion)
    snprintf(message, size,
             "the program and the library have a TH each: a program that is linked statically is "
             "linked with libATenCUDA, too");
  else
    return true;
  return false;
}

static bool starts(const at_device *device, char *message, size_t size)
{
  THTry attempt;
  TH_TRY(attempt)
  {
    device->start();
  }
  if (attempt.failed)
    snprintf(message, size, "%s", attempt.message);
  return !attempt.failed;
}

/* A library that does not start stays loaded, because its own libraries may have started
 * threads. */
static const at_device *load(char *message, size_t size)
{
  if (&at_cudaDevice)
    return fits(&at_cudaDevice, message, size) && starts(&at_cudaDevice, message, size)
               ? &at_cudaDevice
               : NULL;
  void *const library = open_library(message, size);
  if (!library)
    return NULL;
  const at_device *device = dlsym(library, "at_cudaDevice");
  return fits(device, message, size) && starts(device, message, size) ? device : NULL;
}

bool at_loadCUDA(char *message, size_t size)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (at_cuda())
    return true;
  pthread_mutex_lock(&mutex);
  if (!loaded) {
    const at_device *device = load(message, size);
    if (device) {
      at_setCUDATypes(device);
      device->seed(at_generator_initialSeed(at_defaultGenerator(AT_BACKEND_CPU)));
    }
    __atomic_store_n(&loaded, device, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mutex);
  return at_cuda() != NULL;
}

bool at_hasCUDA(void)
{
  char why[TH_MESSAGE_LENGTH];
  return at_loadCUDA(why, sizeof why);
}

/* The table, or NULL and an error. */
static const at_device *loaded_for(const char *operation)
{
  char why[TH_MESSAGE_LENGTH];
  if (at_loadCUDA(why, sizeof why))
    return at_cuda();
  at_fail(AT_ERROR_TYPE, operation, "%s: there is no CUDA: %s", operation, why);
  return NULL;
}

bool at_lazyInitCUDA(void)
{
  return loaded_for("lazyInitCUDA") != NULL;
}

/* --- devices --------------------------------------------------------------------------------- */

int at_cuda_deviceCount(void)
{
  return at_hasCUDA() ? at_cuda()->count() : 0;
}

int at_cuda_currentDevice(void)
{
  const at_device *device = loaded_for("cuda_currentDevice");
  return device ? device->current() : -1;
}

/* Makes a device current.  Returns the one that was current, or -1 and an error. */
static int exchange_device(const char *operation, int to)
{
  const at_device *device = loaded_for(operation);
  if (!device)
    return -1;
  if (to < 0 || to >= device->count()) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: there is no device %d, there are %d", operation, to,
            device->count());
    return -1;
  }
  const int before = device->current();
  device->use(to);
  return before;
}

bool at_cuda_setDevice(int device)
{
  return exchange_device("cuda_setDevice", device) >= 0;
}

at_device_block at_device_enter(int device)
{
  const int before = exchange_device("device_enter", device);
  return (at_device_block){before, before >= 0};
}

void at_device_leave(at_device_block *block)
{
  if (block && block->before >= 0)
    at_cuda()->use(block->before);
}

int at_deviceOf(const at_tensor *t)
{
  if (!at_defined(t) || at_isOnHost(t->type) || !t->th->storage)
    return -1;
  return at_cuda()->of(t->th->storage);
}

void at_useDevice(at_call *call, const at_tensor *t)
{
  const int device = at_deviceOf(t), before = at_cuda()->current();
  if (device < 0 || device == before)
    return;
  at_cuda()->use(device);
  call->back = 1 + before;
}

/* --- operands on different devices ----------------------------------------------------------- */

static const char *device_name(const at_type *type, int device, char *buffer, size_t size)
{
  if (at_isOnHost(type))
    return "the CPU";
  snprintf(buffer, size, device < 0 ? "CUDA" : "CUDA device %d", device);
  return buffer;
}

bool at_wrongDevice(const char *operation, const char *name, const at_tensor *t,
                    const char *argument, const at_tensor *other)
{
  const int own = at_deviceOf(t), its = at_deviceOf(other);
  if (t->type->backend == other->type->backend && (own == its || own < 0 || its < 0))
    return false;
  char here[32], there[32];
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s is on %s, and %s on %s", operation, argument,
          device_name(other->type, its, there, sizeof there), name,
          device_name(t->type, own, here, sizeof here));
  return true;
}

bool at_sameDeviceType(const char *operation, const char *name, const at_tensor *t,
                       const char *argument, const at_type *type)
{
  if (!t || !type || t->type->backend == type->backend)
    return true;
  char here[32];
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s is %s, and %s is on %s", operation, argument,
          type->name, name, device_name(t->type, at_deviceOf(t), here, sizeof here));
  return false;
}

bool at_sameDeviceAll(const char *operation, const char *name, const at_tensor *t,
                      const char *argument, at_tensors list)
{
  int first = -1; /* index of t in the list, if t was NULL */
  for (int i = 0; i < list.count; i++) {
    const at_tensor *other = list.data[i];
    if (t && other && !(at_isOnHost(t->type) && at_isOnHost(other->type))) {
      char name_of_entry[64], its[64];
      snprintf(name_of_entry, sizeof name_of_entry, "%s[%d]", argument, i);
      snprintf(its, sizeof its, "%s[%d]", argument, first);
      if (!at_sameDevice(operation, first < 0 ? name : its, t, name_of_entry, other))
        return false;
    } else if (!t && other) {
      t = other;
      first = i;
    }
  }
  return true;
}

/* --- settings -------------------------------------------------------------------------------- */

static bool set_flag(const char *operation, at_cuda_flag flag, bool value)
{
  const at_device *const device = loaded_for(operation);
  if (device)
    device->setFlag(flag, value);
  return device != NULL;
}

bool at_cuda_setAllowTF32(bool allow)
{
  return set_flag("cuda_setAllowTF32", AT_CUDA_TF32, allow);
}

bool at_cuda_getAllowTF32(void)
{
  return at_cuda() && at_cuda()->flag(AT_CUDA_TF32);
}

bool at_cuda_setDeterministic(bool deterministic)
{
  return set_flag("cuda_setDeterministic", AT_CUDA_DETERMINISTIC, deterministic);
}

bool at_cuda_getDeterministic(void)
{
  return at_cuda() && at_cuda()->flag(AT_CUDA_DETERMINISTIC);
}

bool at_cuda_setUseCuDNN(bool use)
{
  return set_flag("cuda_setUseCuDNN", AT_CUDA_DNN, use);
}

bool at_cuda_getUseCuDNN(void)
{
  return at_cuda() && at_cuda()->flag(AT_CUDA_DNN);
}

bool at_cuda_setBenchmarkCuDNN(bool measure)
{
  return set_flag("cuda_setBenchmarkCuDNN", AT_CUDA_BENCHMARK_DNN, measure);
}

bool at_cuda_getBenchmarkCuDNN(void)
{
  return at_cuda() && at_cuda()->flag(AT_CUDA_BENCHMARK_DNN);
}

int64_t at_cuda_versionCuDNN(void)
{
  return at_cuda() ? at_cuda()->versionDnn() : 0;
}

/* --- streams --------------------------------------------------------------------------------- */

/* Calls a function of the table that may raise. */
#define CUDA_CALL(OPERATION, FAILED, ...)                \
  const at_device *const device = loaded_for(OPERATION); \
  if (!device)                                           \
    return FAILED;                                       \
  at_call call;                                          \
  at_begin(&call, OPERATION);                            \
  TH_TRY(call.attempt)                                   \
  {                                                      \
    __VA_ARGS__;                                         \
  }

bool at_cuda_synchronize(void)
{
  CUDA_CALL("cuda_synchronize", false, device->synchronize())
  return !at_failed(&call);
}

void at_cuda_emptyCache(void)
{
  if (!at_cuda())
    return;
  at_call call;
  at_begin(&call, "cuda_emptyCache");
  TH_TRY(call.attempt)
  {
    at_cuda()->emptyCache();
  }
  at_failed(&call);
}

at_cuda_stream *at_cuda_stream_new(int priority)
{
  at_cuda_stream *volatile stream = NULL;
  CUDA_CALL("cuda_stream_new", NULL, stream = device->newStream(priority))
  return at_failed(&call) ? NULL : stream;
}

void at_cuda_stream_free(at_cuda_stream *stream)
{
  if (stream)
    at_cuda()->freeStream(stream);
}

at_cuda_stream *at_cuda_currentStream(void)
{
  at_cuda_stream *volatile stream = NULL;
  CUDA_CALL("cuda_currentStream", NULL, stream = device->currentStream())
  return at_failed(&call) ? NULL : stream;
}

/* Whether there is a stream, and an error if not. */
static bool accept_stream(const char *operation, const at_cuda_stream *stream)
{
  if (!stream)
    at_fail(AT_ERROR_NULL, operation, "%s: stream is NULL", operation);
  return stream != NULL;
}

bool at_cuda_setStream(at_cuda_stream *stream)
{
  if (!accept_stream("cuda_setStream", stream))
    return false;
  CUDA_CALL("cuda_setStream", false, device->useStream(stream))
  return !at_failed(&call);
}

bool at_cuda_stream_synchronize(at_cuda_stream *stream)
{
  if (!accept_stream("cuda_stream_synchronize", stream))
    return false;
  CUDA_CALL("cuda_stream_synchronize", false, device->waitFor(stream))
  return !at_failed(&call);
}

/* --- graphs ----------------------------------------------------------------------------------- */

at_cuda_graph *at_cuda_graph_begin(void)
{
  at_cuda_graph *volatile graph = NULL;
  CUDA_CALL("cuda_graph_begin", NULL, graph = device->beginGraph())
  return at_failed(&call) ? NULL : graph;
}

/* Whether there is a graph, and an error if not. */
static bool accept_graph(const char *operation, const at_cuda_graph *graph)
{
  if (!graph)
    at_fail(AT_ERROR_NULL, operation, "%s: graph is NULL", operation);
  return graph != NULL;
}

bool at_cuda_graph_end(at_cuda_graph *graph)
{
  if (!accept_graph("cuda_graph_end", graph))
    return false;
  CUDA_CALL("cuda_graph_end", false, device->endGraph(graph))
  return !at_failed(&call);
}

bool at_cuda_graph_replay(at_cuda_graph *graph)
{
  if (!accept_graph("cuda_graph_replay", graph))
    return false;
  CUDA_CALL("cuda_graph_replay", false, device->replayGraph(graph))
  return !at_failed(&call);
}

void at_cuda_graph_free(at_cuda_graph *graph)
{
  if (graph)
    at_cuda()->freeGraph(graph);
}
