/* cuDNN: the library, a handle with plans for each stream, and calls. */
#include "THCDnn.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "THC/core/THCLibrary.h"
#include "THC/core/THCPrivate.h"

#include "THCDnnPlan.h"

/* --- the library ------------------------------------------------------------------------------ */

enum { VERSION = 90000 }; /* the first with these numbers of errors */

static THCDnnLibrary functions;

static int find(void *library)
{
  int all = 1;
#define FIND(RESULT, NAME, PARAMETERS)                                        \
  functions.NAME = (__typeof__(functions.NAME))dlsym(library, "cudnn" #NAME); \
  all &= functions.NAME != NULL;
  THC_FOR_EACH_DNN(FIND)
#undef FIND
  return all && functions.GetVersion() >= VERSION;
}

static THCOptionalLibrary library = {
    .which = {"cuDNN", "libcudnn.so.9", "TH_CUDNN_LIBRARY", "cudnnCreate"},
    .find = find,
    .mutex = PTHREAD_MUTEX_INITIALIZER};

static const THCDnnLibrary *get_library(void)
{
  return THCLibrary_isThere(&library) ? &functions : NULL;
}

int64_t THCDnn_version(THCState *state)
{
  THC_enter(state);
  const THCDnnLibrary *dnn = get_library();
  return dnn ? (int64_t)dnn->GetVersion() : 0;
}

/* --- handles ---------------------------------------------------------------------------------- */

enum { LISTS = 64, PLANS_OF_LIST = 16 };

/* cuDNN's handle, and the plans that were made with it. */
typedef struct THCDnnHandle {
  void *cudnn; /* NULL: cuDNN could not make one */
  THCDnnPlan *lists[LISTS];
} THCDnnHandle;

/* NULL if memory runs out: the next call tries again. */
static void *make_handle(THCStream *stream)
{
  THCDnnHandle *handle = calloc(1, sizeof *handle);
  if (!handle || functions.Create(&handle->cudnn))
    return handle;
  if (functions.SetStream(handle->cudnn, stream->stream)) {
    functions.Destroy(handle->cudnn);
    handle->cudnn = NULL;
  }
  return handle;
}

void THCDnn_destroy(void *what)
{
  THCDnnHandle *handle = what;
  if (!handle)
    return;
  for (int i = 0; i < LISTS; i++)
    while (handle->lists[i]) {
      THCDnnPlan *plan = handle->lists[i];
      handle->lists[i] = plan->next;
      THCDnnPlan_free(&functions, plan);
    }
  if (handle->cudnn)
    functions.Destroy(handle->cudnn);
  free(handle);
}

void THCDnn_needHandle(THCState *state)
{
  THGuard locked;
  if (!THCState_getAllowDnn(state) || !THCLibrary_isLoaded(&library))
    return;
  THCStream_handle(&locked, THCState_getStream(state), THC_STREAM_CUDNN, make_handle);
  THGuard_leave(&locked);
}

/* --- plans ------------------------------------------------------------------------------------ */

static int list_of(const THCDnnKey *key)
{
  const uint64_t *words = (const uint64_t *)(const void *)key;
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof *key / sizeof *words; i++)
    hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
  return (int)(hash >> 58);
}

/* Frees the plans of a list beyond PLANS_OF_LIST, those that were used longest ago.  While a graph is
 * captured none is freed, since the graph may use them. */
static void forget(THCDnnPlan **at, int captures)
{
  for (int i = 0; *at && i < PLANS_OF_LIST; i++)
    at = &(*at)->next;
  while (*at && !captures) {
    THCDnnPlan *plan = *at;
    *at = plan->next;
    THCDnnPlan_free(&functions, plan);
  }
}

/* The plan for a key, which is made if the list has none, and becomes the first of the list;
 * NULL if memory runs out. */
static THCDnnPlan *plan_of(THCDnnHandle *handle, const THCDnnKey *key)
{
  THCDnnPlan **first = &handle->lists[list_of(key)], **at = first;
  while (*at && memcmp(&(*at)->key, key, sizeof *key))
    at = &(*at)->next;
  THCDnnPlan *plan = *at;
  if (plan) {
    *at = plan->next;
  } else {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaStream_t stream = THCState_getCurrentStream(THC_using);
    if (stream)
      THCudaCheck(cudaStreamIsCapturing(stream, &status));
    const int captures = status != cudaStreamCaptureStatusNone;
    plan = THCDnnPlan_new(&functions, handle->cudnn, key, key->measures && !captures);
    if (!plan)
      return NULL;
    forget(first, captures);
  }
  plan->next = *first;
  *first = plan;
  return plan;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Whether there is something to compute, and no number of elements or bytes is too large. */
static int has_sizes(const THCDnnConvolution *c)
{
  int64_t x = 16, weight = 16, y = 16;
  int fits =
      c->batch > 0 && c->groups > 0 && c->planes > 0 && c->outputs > 0 &&
      c->planes % c->groups == 0 && c->outputs % c->groups == 0 &&
      !__builtin_mul_overflow(x, c->batch, &x) && !__builtin_mul_overflow(x, c->planes, &x) &&
      !__builtin_mul_overflow(y, c->batch, &y) && !__builtin_mul_overflow(y, c->outputs, &y) &&
      !__builtin_mul_overflow(weight, c->outputs, &weight) &&
      !__builtin_mul_overflow(weight, c->planes / c->groups, &weight);
  for (int a = 0; fits && a < 3; a++)
    fits = c->at[a].input > 0 && c->at[a].output > 0 && c->at[a].size > 0 &&
           !__builtin_mul_overflow(x, c->at[a].input, &x) &&
           !__builtin_mul_overflow(y, c->at[a].output, &y) &&
           !__builtin_mul_overflow(weight, c->at[a].size, &weight);
  return fits;
}

/* Allocates the plan's workspace; returns 0 if there is no memory for it. */
static int reserve(THCDnn *dnn)
{
  THTry attempt;
  TH_TRY(attempt)
  {
    dnn->workspace = THC_scratch(&dnn->memory, (size_t)dnn->plan->workspace);
  }
  return !attempt.failed;
}

int THCDnn_open(THCDnn *dnn, THCState *state, const THCDnnConvolution *c)
{
  THC_enter(state);
  if (!THCState_getAllowDnn(state) || !has_sizes(c) || !get_library())
    return 0;
  const THCDnnKey key = {.c = *c,
                         .rounds = THCState_getAllowTF32(state),
                         .isDeterministic = THCState_getDeterministic(state),
                         .measures = THCState_getBenchmarkDnn(state)};
  dnn->handle =
      THCStream_handle(&dnn->locked, THCState_getStream(state), THC_STREAM_CUDNN, make_handle);
  dnn->plan = dnn->handle && dnn->handle->cudnn ? plan_of(dnn->handle, &key) : NULL;
  if (dnn->plan && dnn->plan->execution && reserve(dnn))
    return 1;
  THGuard_leave(&dnn->locked);
  return 0;
}

void THCDnn_run(THCDnn *dnn, void *x, void *weight, void *y)
{
  void *const operands[] = {x, weight, y};
  const int status = THCDnnPlan_execute(&functions, dnn->handle->cudnn, dnn->plan->execution,
                                        operands, dnn->workspace);
  if (status != DNN_STATUS_SUCCESS)
    THError("cuDNN error %d in a convolution: %s", status, functions.GetErrorString(status));
}

void THCDnn_close(THCDnn *dnn)
{
  THGuard_leave(&dnn->memory);
  THGuard_leave(&dnn->locked);
}
