/* NCCL: collective calls on the memory of devices.  The library is loaded when it is first asked for. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "state.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "ATen/core/device.h"
#include "TH/core/THEnvironment.h"

/* --- the library ------------------------------------------------------------------------------- */

/* What nccl.h says, which need not be there; values and signatures are part of NCCL 2's ABI. */
typedef struct {
  char bytes[AT_NCCL_ID];
} UniqueId;
typedef void *Communicator;
typedef int Result;
enum { SUCCESS, IN_PROGRESS = 7 };

#define FUNCTIONS(X)                                                                         \
  X(const char *, GetErrorString, (Result))                                                  \
  X(Result, GetUniqueId, (UniqueId *))                                                       \
  X(Result, CommInitRank, (Communicator *, int, UniqueId, int))                              \
  X(Result, CommDestroy, (Communicator))                                                     \
  X(Result, CommAbort, (Communicator))                                                       \
  X(Result, CommGetAsyncError, (Communicator, Result *))                                     \
  X(Result, AllReduce, (const void *, void *, size_t, int, int, Communicator, cudaStream_t)) \
  X(Result, Reduce, (const void *, void *, size_t, int, int, int, Communicator, cudaStream_t))

#define MORE_FUNCTIONS(X)                                                                    \
  X(Result, Broadcast, (const void *, void *, size_t, int, int, Communicator, cudaStream_t)) \
  X(Result, AllGather, (const void *, void *, size_t, int, Communicator, cudaStream_t))      \
  X(Result, ReduceScatter, (const void *, void *, size_t, int, int, Communicator, cudaStream_t))

static struct {
#define FIELD(RESULT, NAME, PARAMETERS) RESULT(*NAME) PARAMETERS;
  FUNCTIONS(FIELD)
  MORE_FUNCTIONS(FIELD)
#undef FIELD
} nccl;

static bool failed(char *message, size_t size, const char *function, Result result)
{
  if (result == SUCCESS || result == IN_PROGRESS)
    return false;
  snprintf(message, size, "NCCL%s%s: %.200s", *function ? " " : "", function,
           nccl.GetErrorString(result));
  return true;
}
#define FAILED(NAME, ...) failed(message, size, #NAME, nccl.NAME(__VA_ARGS__))

/* Loads NCCL; only the thread of libATenDistributed calls it. */
static bool load(char *message, size_t size)
{
  static bool isThere;
  const char *chosen;
  if (isThere)
    return true;
  *message = 0;
  if (!THEnvironment_library("AT_NCCL_LIBRARY", &chosen, message, size))
    return false;
  void *const library = dlopen(chosen ? chosen : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(message, size, "there is no NCCL: %.300s", dlerror());
    return false;
  }
  const char *missing = NULL;
#define FIND(RESULT, NAME, PARAMETERS)                             \
  nccl.NAME = (__typeof__(nccl.NAME))dlsym(library, "nccl" #NAME); \
  missing = nccl.NAME ? missing : "nccl" #NAME;
  FUNCTIONS(FIND)
  MORE_FUNCTIONS(FIND)
#undef FIND
  if (missing)
    snprintf(message, size, "NCCL has no function %s", missing);
  return isThere = !missing;
}

static bool new_id(char *id, char *message, size_t size)
{
  UniqueId made;
  if (!load(message, size) || (id && FAILED(GetUniqueId, &made)))
    return false;
  if (id)
    memcpy(id, &made, sizeof made);
  return true;
}

/* --- communicators ----------------------------------------------------------------------------- */

typedef struct {
  Communicator of;
  cudaEvent_t done; /* of the call */
} Comm;

static void close_comm(void *comm, bool orderly)
{
  Comm *const c = comm;
  if (!c)
    return;
  if (c->of)
    (orderly ? nccl.CommDestroy : nccl.CommAbort)(c->of);
  if (c->done)
    cudaEventDestroy(c->done);
  free(c);
}

static void *open_comm(const char *id, int rank, int count, char *message, size_t size)
{
  UniqueId given;
  Comm *const c = calloc(1, sizeof *c);
  memcpy(&given, id, sizeof given);
  if (!c)
    snprintf(message, size, "there is no memory for a communicator");
  else if (cudaEventCreateWithFlags(&c->done, cudaEventDisableTiming) != cudaSuccess)
    snprintf(message, size, "%s", cudaGetErrorString(cudaGetLastError()));
  else if (!FAILED(CommInitRank, &c->of, count, given, rank))
    return c;
  close_comm(c, false);
  return NULL;
}

/* ncclDataType_t and ncclRedOp_t. */
static const int types[] = {
    [AT_BYTE] = 1,  [AT_CHAR] = 0,   [AT_SHORT] = -1, [AT_INT] = 2,   [AT_LONG] = 4,
    [AT_FLOAT] = 7, [AT_DOUBLE] = 8, [AT_HALF] = 6,   [AT_BOOL] = -1, [AT_BFLOAT16] = 9};
static const int ops[] = {[AT_NCCL_SUM] = 0,
                          [AT_NCCL_PRODUCT] = 1,
                          [AT_NCCL_MIN] = 3,
                          [AT_NCCL_MAX] = 2,
                          [AT_NCCL_AVG] = 4};

static bool takes(at_scalar_type type, int op)
{
  return type < sizeof types / sizeof *types && types[type] >= 0 && op <= AT_NCCL_AVG;
}

/* What is only moved are bytes. */
static Result queue(const Comm *c, const at_nccl_call *call, cudaStream_t stream)
{
  const size_t count = (size_t)call->count, bytes = count * call->element;
  const int type = types[call->type], op = ops[call->op];
  switch (call->kind) {
    case AT_NCCL_BROADCAST:
      return nccl.Broadcast(call->in, call->out, bytes, types[AT_BYTE], call->root, c->of, stream);
    case AT_NCCL_ALL_GATHER:
      return nccl.AllGather(call->in, call->out, bytes, types[AT_BYTE], c->of, stream);
    case AT_NCCL_ALL_REDUCE:
      return nccl.AllReduce(call->in, call->out, count, type, op, c->of, stream);
    case AT_NCCL_REDUCE:
      return nccl.Reduce(call->in, call->out, count, type, op, call->root, c->of, stream);
    case AT_NCCL_REDUCE_SCATTER:
      return nccl.ReduceScatter(call->in, call->out, count, type, op, c->of, stream);
  }
  return SUCCESS;
}

static bool run(void *comm, const at_nccl_call *call, char *message, size_t size)
{
  Comm *const c = comm;
  const cudaStream_t stream = THCState_getCurrentStream(at_cudaState);
  if (failed(message, size, "", queue(c, call, stream)))
    return false;
  const cudaError_t problem = cudaEventRecord(c->done, stream);
  if (problem != cudaSuccess)
    snprintf(message, size, "%s", cudaGetErrorString(problem));
  return problem == cudaSuccess;
}

static int poll(void *comm, char *message, size_t size)
{
  Comm *const c = comm;
  Result state = SUCCESS;
  const cudaError_t problem = cudaEventQuery(c->done);
  if (problem == cudaSuccess)
    return 1;
  if (problem != cudaErrorNotReady) {
    snprintf(message, size, "%s", cudaGetErrorString(problem));
    return -1;
  }
  cudaGetLastError();
  return FAILED(CommGetAsyncError, c->of, &state) || failed(message, size, "", state) ? -1 : 0;
}

extern const at_nccl at_cudaNccl;
const at_nccl at_cudaNccl = {.newId = new_id,
                             .takes = takes,
                             .open = open_comm,
                             .run = run,
                             .poll = poll,
                             .close = close_comm};
