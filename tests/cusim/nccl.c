/* Stands for NCCL among processes that each have the simulator: libnccl_sim.so, which AT_NCCL_LIBRARY names.  A call
 * is done when it returns.  The ranks of a communicator share a file in memory, with a chunk for each. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "half.h"

enum { MOST_RANKS = 16, CHUNK = 1 << 16, ID_BYTES = 128, PATIENCE = 20000000, PAUSE = 20 };
enum {
  SUCCESS,
  CUDA_ERROR,
  SYSTEM_ERROR,
  INTERNAL_ERROR,
  INVALID_ARGUMENT,
  INVALID_USAGE,
  REMOTE_ERROR
};

typedef struct {
  char path[ID_BYTES];
} ncclUniqueId;

typedef struct {
  atomic_uint arrived, round;
  char chunk[MOST_RANKS][CHUNK];
} Shared;

typedef struct {
  Shared *shared;
  int rank, count;
} Comm;

#define API __attribute__((visibility("default")))

API const char *ncclGetErrorString(int result)
{
  static const char *const texts[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error"};
  return result >= 0 && result <= REMOTE_ERROR ? texts[result] : "unknown result code";
}

/* --- communicators ----------------------------------------------------------------------------- */

/* Waits for all ranks. */
static int meet(const Comm *c)
{
  Shared *const s = c->shared;
  const unsigned round = atomic_load(&s->round);
  if (atomic_fetch_add(&s->arrived, 1) + 1 == (unsigned)c->count) {
    atomic_store(&s->arrived, 0);
    atomic_fetch_add(&s->round, 1);
    return SUCCESS;
  }
  for (int waited = 0; atomic_load(&s->round) == round; waited += PAUSE) {
    if (waited > PATIENCE)
      return REMOTE_ERROR;
    usleep(PAUSE);
  }
  return SUCCESS;
}

API int ncclGetUniqueId(ncclUniqueId *id)
{
  static int made;
  memset(id, 0, sizeof *id);
  snprintf(id->path, sizeof id->path, "/nccl-sim-%d-%d", (int)getpid(), made++);
  const int file = shm_open(id->path, O_CREAT | O_EXCL | O_RDWR, 0600);
  const int problem = file < 0 || ftruncate(file, sizeof(Shared));
  if (file >= 0)
    close(file);
  return problem ? SYSTEM_ERROR : SUCCESS;
}

API int ncclCommInitRank(void **comm, int count, ncclUniqueId id, int rank)
{
  if (count < 1 || count > MOST_RANKS || rank < 0 || rank >= count)
    return INVALID_ARGUMENT;
  const int file = shm_open(id.path, O_RDWR, 0);
  Comm *const c = calloc(1, sizeof *c);
  void *const memory =
      file < 0 ? MAP_FAILED
               : mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    close(file);
  if (!c || memory == MAP_FAILED) {
    free(c);
    return SYSTEM_ERROR;
  }
  *c = (Comm){memory, rank, count};
  *comm = c;
  const int result = meet(c);
  if (rank == 0)
    shm_unlink(id.path);
  return result;
}

API int ncclCommDestroy(void *comm)
{
  munmap(((Comm *)comm)->shared, sizeof(Shared));
  free(comm);
  return SUCCESS;
}

API int ncclCommAbort(void *comm)
{
  return ncclCommDestroy(comm);
}

API int ncclCommGetAsyncError(void *comm, int *result)
{
  (void)comm;
  *result = SUCCESS;
  return SUCCESS;
}

/* --- elements ---------------------------------------------------------------------------------- */

static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2}; /* of ncclDataType_t */

#define SAME(x) (x)
#define COMBINE(NAME, TYPE, WIDE, READ, WRITE)                                 \
  static void combine_##NAME(int op, size_t count, TYPE *to, const TYPE *from) \
  {                                                                            \
    for (size_t i = 0; i < count; i++) {                                       \
      const WIDE a = READ(to[i]), b = READ(from[i]);                           \
      to[i] = (TYPE)WRITE(COMBINATION(op, a, b));                              \
    }                                                                          \
  }                                                                            \
  DIVIDE(NAME, TYPE, WIDE, READ, WRITE)
#define DIVIDE(NAME, TYPE, WIDE, READ, WRITE)                  \
  static void divide_##NAME(int ranks, size_t count, TYPE *to) \
  {                                                            \
    for (size_t i = 0; i < count; i++)                         \
      to[i] = (TYPE)WRITE(READ(to[i]) / (WIDE)ranks);          \
  }
/* ncclProd, ncclMax, ncclMin; sums and averages. */
#define COMBINATION(OP, A, B)            \
  ((OP) == 1   ? (A) * (B)               \
   : (OP) == 2 ? ((B) > (A) ? (B) : (A)) \
   : (OP) == 3 ? ((B) < (A) ? (B) : (A)) \
               : (A) + (B))
COMBINE(char, int8_t, int64_t, SAME, SAME)
COMBINE(byte, uint8_t, int64_t, SAME, SAME)
COMBINE(int, int32_t, int64_t, SAME, SAME)
COMBINE(uint, uint32_t, int64_t, SAME, SAME)
COMBINE(long, int64_t, int64_t, SAME, SAME)
COMBINE(ulong, uint64_t, uint64_t, SAME, SAME)
COMBINE(half, uint16_t, float, cusim_from_half, cusim_to_half)
COMBINE(float, float, float, SAME, SAME)
COMBINE(double, double, double, SAME, SAME)
COMBINE(bfloat, uint16_t, float, cusim_from_bfloat, cusim_to_bfloat)

typedef void (*Combine)(int op, size_t count, void *to, const void *from);
typedef void (*Divide)(int ranks, size_t count, void *to);
#define EACH(TYPE, WHAT)                                                           \
  {(TYPE)WHAT##_char,   (TYPE)WHAT##_byte,  (TYPE)WHAT##_int,  (TYPE)WHAT##_uint,  \
   (TYPE)WHAT##_long,   (TYPE)WHAT##_ulong, (TYPE)WHAT##_half, (TYPE)WHAT##_float, \
   (TYPE)WHAT##_double, (TYPE)WHAT##_bfloat}
static const Combine combines[] = EACH(Combine, combine);
static const Divide divides[] = EACH(Divide, divide);

/* --- calls ------------------------------------------------------------------------------------- */

/* Each rank shows bytes of in, unless it is NULL; then what the ranks from first to last - 1 show is combined,
 * and goes to out, unless that is NULL. */
static int step(const Comm *c, const char *in, char *out, size_t bytes, int type, int op, int first,
                int last)
{
  char own[CHUNK];
  if (in && cudaMemcpy(c->shared->chunk[c->rank], in, bytes, cudaMemcpyDeviceToHost))
    return CUDA_ERROR;
  int result = meet(c);
  if (result == SUCCESS && out) {
    memcpy(own, c->shared->chunk[first], bytes);
    for (int r = first + 1; r < last; r++)
      combines[type](op, bytes / sizes[type], own, c->shared->chunk[r]);
    if (op == 4)
      divides[type](c->count, bytes / sizes[type], own);
    if (cudaMemcpy(out, own, bytes, cudaMemcpyHostToDevice))
      result = CUDA_ERROR;
  }
  return result == SUCCESS ? meet(c) : result;
}

/* step of any number of bytes, a chunk at a time. */
static int steps(const Comm *c, const void *in, void *out, size_t bytes, int type, int op,
                 int first, int last)
{
  int result = SUCCESS;
  for (size_t at = 0; at < bytes && result == SUCCESS; at += CHUNK)
    result = step(c, in ? (const char *)in + at : NULL, out ? (char *)out + at : NULL,
                  bytes - at < CHUNK ? bytes - at : CHUNK, type, op, first, last);
  return result;
}

/* Counts calls, so that a test sees that this library was called. */
API int ncclSimCalls;

static int is_wrong(const Comm *c, int type, int op, int root, cudaStream_t stream)
{
  if (type < 0 || type >= (int)(sizeof sizes / sizeof *sizes) || op < 0 || op > 4 || root < 0 ||
      root >= c->count)
    return INVALID_ARGUMENT;
  ncclSimCalls++;
  return cudaStreamSynchronize(stream) == cudaSuccess ? SUCCESS : CUDA_ERROR;
}

API int ncclAllReduce(const void *in, void *out, size_t count, int type, int op, void *comm,
                      cudaStream_t stream)
{
  const Comm *const c = comm;
  const int wrong = is_wrong(c, type, op, 0, stream);
  return wrong ? wrong : steps(c, in, out, count * sizes[type], type, op, 0, c->count);
}

API int ncclReduce(const void *in, void *out, size_t count, int type, int op, int root, void *comm,
                   cudaStream_t stream)
{
  const Comm *const c = comm;
  const int wrong = is_wrong(c, type, op, root, stream);
  return wrong ? wrong
               : steps(c, in, c->rank == root ? out : NULL, count * sizes[type], type, op, 0,
                       c->count);
}

API int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, void *comm,
                      cudaStream_t stream)
{
  const Comm *const c = comm;
  const int wrong = is_wrong(c, type, 0, root, stream);
  return wrong ? wrong
               : steps(c, c->rank == root ? in : NULL, out, count * sizes[type], type, 0, root,
                       root + 1);
}

API int ncclAllGather(const void *in, void *out, size_t count, int type, void *comm,
                      cudaStream_t stream)
{
  const Comm *const c = comm;
  int result = is_wrong(c, type, 0, 0, stream);
  for (int r = 0; r < c->count && result == SUCCESS; r++)
    result = steps(c, c->rank == r ? in : NULL, (char *)out + (size_t)r * count * sizes[type],
                   count * sizes[type], type, 0, r, r + 1);
  return result;
}

API int ncclReduceScatter(const void *in, void *out, size_t count, int type, int op, void *comm,
                          cudaStream_t stream)
{
  const Comm *const c = comm;
  int result = is_wrong(c, type, op, 0, stream);
  for (int r = 0; r < c->count && result == SUCCESS; r++)
    result = steps(c, (const char *)in + (size_t)r * count * sizes[type], c->rank == r ? out : NULL,
                   count * sizes[type], type, op, 0, c->count);
  return result;
}
