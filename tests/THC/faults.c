/* Every acquisition of host memory, device memory, streams and events fails once: what was there is
 * as it was, and nothing is left behind. */
#include "thc_test.h"

#include "th_fail.h"

typedef struct Operands {
  THFloatTensor *host;
  THCudaTensor *t, *turned;
  THCudaDoubleTensor *doubles;
  THCudaTensor *there; /* on the second device, if there is one */
  void (*run)(struct Operands *o);
  THCudaTensor t_before;
  ptrdiff_t size_before;
} Operands;

static void set_up(void *context)
{
  Operands *o = context;
  THCState *state = thc_state();
  o->host = THFloatTensor_newWithSize2d(5, 4);
  for (int i = 0; i < 20; i++)
    o->host->storage->data[i] = (float)i + 0.5f;
  THFloatTensor_transpose(o->host, NULL, 0, 1);
  o->t = THCudaTensor_newWithSize2d(state, 4, 5);
  THCudaTensor_copyFloat(state, o->t, o->host);
  o->turned = THCudaTensor_newTranspose(state, o->t, 0, 1);
  o->doubles = THCudaDoubleTensor_newWithSize2d(state, 5, 4);
  THCudaDoubleTensor_copyCudaFloat(state, o->doubles, o->turned);
  if (thc_devices() > 1)
    CHECK_CUDA(cudaSetDevice(1));
  o->there = THCudaTensor_newWithSize2d(state, 5, 4);
  THCudaTensor_transpose(state, o->there, NULL, 0, 1);
  CHECK_CUDA(cudaSetDevice(0));
  o->t_before = *o->t;
  o->size_before = o->t->storage->size;
}

static void body(void *context)
{
  Operands *o = context;
  o->run(o);
}

/* Sizes, strides, the storage and the device are as they were after an error. */
static void check(void *context, int raised)
{
  Operands *o = context;
  int device;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_EQ(device, 0);
  if (!raised)
    return;
  CHECK_EQ(o->t->nDimension, 2);
  CHECK(o->t->storage == o->t_before.storage);
  CHECK_EQ(o->t->storage->size, o->size_before);
  CHECK_EQ(o->t->size[0], 4);
  CHECK_EQ(o->t->stride[0], 5);
  CHECK_EQ(o->turned->storage == o->t->storage, 1);
}

static void tear_down(void *context)
{
  Operands *o = context;
  THCState *state = thc_state();
  THFloatTensor_free(o->host);
  THCudaTensor_free(state, o->t);
  THCudaTensor_free(state, o->turned);
  THCudaDoubleTensor_free(state, o->doubles);
  THCudaTensor_free(state, o->there);
}

static void making(Operands *o)
{
  THCudaTensor_free(thc_state(), THCudaTensor_newWithSize3d(thc_state(), 20, 30, 40));
}

static void values(Operands *o)
{
  THCudaStorage_free(thc_state(), THCudaStorage_newWithSize3(thc_state(), 1, 2, 3));
}

static void cloning(Operands *o)
{
  THCudaTensor_free(thc_state(), THCudaTensor_newClone(thc_state(), o->turned));
}

static void growing(Operands *o)
{
  THCudaTensor_resize3d(thc_state(), o->t, 30, 40, 50);
}

static void ranks(Operands *o)
{
  int64_t size[] = {2, 1, 2, 1, 1, 1, 5};
  THCudaTensor_resizeNd(thc_state(), o->t, 7, size, NULL);
}

static void upload(Operands *o)
{
  THCudaTensor_copyFloat(thc_state(), o->turned, o->host);
}

static void download(Operands *o)
{
  THFloatTensor_copyCudaDouble(thc_state(), o->host, o->doubles);
}

static void convert(Operands *o)
{
  THCudaTensor_copyCudaDouble(thc_state(), o->turned, o->doubles);
}

static void overlap(Operands *o)
{
  THCudaTensor_copy(thc_state(), o->t, o->turned);
}

static void over(Operands *o)
{
  THCudaTensor_copyCudaDouble(thc_state(), o->there, o->doubles);
  THCudaTensor_copy(thc_state(), o->turned, o->there);
}

static void dotting(Operands *o)
{
  THCudaTensor_dot(thc_state(), o->t, o->turned);
}

static void free_tensor(void *tensor)
{
  THCudaTensor_free(thc_state(), tensor);
}

/* The result is part of what is multiplied. */
static void multiplying(Operands *o)
{
  THCState *state = thc_state();
  THGuard guard;
  THGuard_enter(&guard, free_tensor);
  THCudaTensor *square = guard.what =
      THCudaTensor_newWithStorage2d(state, o->t->storage, 0, 4, 5, 4, 1);
  THCudaTensor_addmm(state, square, 1, square, 1, o->t, o->turned);
  THGuard_leave(&guard);
}

static void stream(Operands *o)
{
  THCStream_free(THCStream_new(cudaStreamNonBlocking));
}

static void folding(Operands *o)
{
  THCudaTensor_free(thc_state(), THCudaTensor_newFoldBatchDim(thc_state(), o->t));
}

static void saving(Operands *o)
{
  THByteTensor *bytes = THByteTensor_new();
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteTensor_free);
  guard.what = bytes;
  THCRandom_getRNGState(thc_state(), bytes);
  THGuard_leave(&guard);
}

static void pinned(Operands *o)
{
  THCudaHostFree(thc_state(), THCudaHostAlloc(thc_state(), 1000));
}

static void adding(Operands *o) /* an input is in the way of the result */
{
  THCudaTensor_cadd(thc_state(), o->t, o->turned, 2, o->t);
}

static void comparing(Operands *o)
{
  THCudaTensor_ltTensorT(thc_state(), o->t, o->turned, o->turned);
}

static void joining(Operands *o)
{
  THCudaTensor_cat(thc_state(), o->t, o->turned, o->turned, 1);
}

static void diagonal(Operands *o)
{
  THCudaTensor_diag(thc_state(), o->t, o->turned, 1);
}

static void answers(Operands *o)
{
  CHECK_EQ(THCudaTensor_equal(thc_state(), o->t, o->t), 1);
  THCudaTensor_trace(thc_state(), o->t);
}

static void initialise(Operands *o)
{
  THCState state;
  memset(&state, 0, sizeof state);
  state.cudaDeviceAllocator = THCCachingAllocator_get();
  THCudaInit(&state);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THCudaShutdown);
  guard.what = &state;
  THCState_reserveStreams(&state, 2, 1);
  THGuard_leave(&guard);
}

static const struct {
  const char *name;
  void (*run)(Operands *o);
} cases[] = {
    {"making", making},         {"values", values},
    {"cloning", cloning},       {"growing", growing},
    {"ranks", ranks},           {"upload", upload},
    {"download", download},     {"convert", convert},
    {"overlap", overlap},       {"over", over},
    {"stream", stream},         {"folding", folding},
    {"dotting", dotting},       {"multiplying", multiplying},
    {"saving", saving},         {"pinned", pinned},
    {"initialise", initialise}, {"adding", adding},
    {"comparing", comparing},   {"joining", joining},
    {"diagonal", diagonal},     {"answers", answers},
};

static void faults(int access)
{
  THCState *state = thc_state();
  int can = 0;
  if (thc_devices() > 1)
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can) {
    THCState_setPeerToPeerAccess(state, 0, 1, access);
    THCState_setPeerToPeerAccess(state, 1, 0, access);
  }
  THCCachingAllocator_setCaching(0); /* what is kept would not be acquired */
  const THFailCase stages = {set_up, body, check, tear_down};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    th_note("%s", cases[k].name);
    Operands o = {.run = cases[k].run};
    const int acquired = th_fail(&stages, &o);
    if (cases[k].run != convert && cases[k].run != answers) /* launches, and memory of the stream */
      CHECK_MSG(acquired > 0, "%s acquires nothing", cases[k].name);
  }
}

static void with_access(void **unused)
{
  faults(1);
}

static void without_access(void **unused)
{
  faults(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(with_access),
                                     cmocka_unit_test(without_access)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
