/* Device storages. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_test.h"

static void THTest_(checkStorage)(THCStorage *s, ptrdiff_t n, const real *expected)
{
  CHECK_CUDA(cudaDeviceSynchronize());
  real *actual = malloc((size_t)(n + 1) * sizeof(real));
  CHECK_CUDA(cudaMemcpy(actual, s->data, (size_t)n * sizeof(real), cudaMemcpyDeviceToHost));
  for (ptrdiff_t i = 0; i < n; i++)
    CHECK_EQ(actual[i], expected[i]);
  free(actual);
}

static void THTest_(making)(void)
{
  THCState *state = thc_state();
  const real v[4] = {THTest_(value)(1, 1), THTest_(value)(1, 2), THTest_(value)(1, 3),
                     THTest_(value)(1, 4)};
  THCStorage *made[] = {
      THCStorage_(newWithSize1)(state, v[0]),
      THCStorage_(newWithSize2)(state, v[0], v[1]),
      THCStorage_(newWithSize3)(state, v[0], v[1], v[2]),
      THCStorage_(newWithSize4)(state, v[0], v[1], v[2], v[3]),
  };
  for (int k = 0; k < 4; k++) {
    CHECK_EQ(THCStorage_(size)(state, made[k]), k + 1);
    CHECK_EQ(THCStorage_(getDevice)(state, made[k]), 0);
    THTest_(checkStorage)(made[k], k + 1, v);
    CHECK_EQ(THCStorage_(get)(state, made[k], k), v[k]);
    CHECK_RAISES(2, "out of range", THCStorage_(get)(state, made[k], k + 1));
    CHECK_RAISES(2, "out of range", THCStorage_(set)(state, made[k], -1, v[0]));
    THCStorage_(free)(state, made[k]);
  }
  CHECK_EQ(THCStorage_(elementSize)(state), (int)sizeof(real));
  THCStorage *empty = THCStorage_(new)(state);
  CHECK(THCStorage_(data)(state, empty) == NULL);
  CHECK_EQ(empty->size, 0);
  THCStorage_(retain)(state, empty);
  CHECK_EQ(empty->refcount, 2);
  THCStorage_(free)(state, empty);
  THCStorage_(free)(state, empty);
  THCStorage_(free)(state, NULL);
  CHECK_RAISES(0, "cannot have", THCStorage_(newWithSize)(state, -1));
  CHECK_RAISES(0, "cannot be mapped", THCStorage_(newWithMapping)(state, "file", 3, 0));
}

static void THTest_(contents)(void)
{
  THCState *state = thc_state();
  THCStorage *s = THCStorage_(newWithSize)(state, 3001);
  const real v = THTest_(value)(2, 2), w = THTest_(value)(3, 3);
  real *expected = malloc(3001 * sizeof(real));
  THCStorage_(fill)(state, s, v);
  THCStorage_(set)(state, s, 7, w);
  for (int i = 0; i < 3001; i++)
    expected[i] = i == 7 ? w : v;
  THTest_(checkStorage)(s, 3001, expected);
  THCStorage_(resize)(state, s, 6000);
  CHECK_EQ(s->size, 6000);
  THTest_(checkStorage)(s, 3001, expected);
  THCStorage_(resize)(state, s, 10);
  THTest_(checkStorage)(s, 10, expected);
  THCStorage *copy = THCStorage_(newWithSize)(state, 10);
  THCStorage_(rawCopy)(state, copy, s->data);
  THTest_(checkStorage)(copy, 10, expected);
  THCStorage_(resize)(state, s, 0);
  CHECK(s->data == NULL);
  THCStorage_(clearFlag)(state, copy, TH_STORAGE_RESIZABLE);
  CHECK_RAISES(1, "not resizable", THCStorage_(resize)(state, copy, 20));
  THCStorage_(setFlag)(state, copy, TH_STORAGE_RESIZABLE);
  CHECK_RAISES(0, "no device memory",
               THCStorage_(resize)(state, copy, PTRDIFF_MAX / 4 / (ptrdiff_t)sizeof(real)));
  THTest_(checkStorage)(copy, 10, expected);
  CHECK_EQ(copy->size, 10);
  THCStorage_(free)(state, copy);
  THCStorage_(free)(state, s);
  free(expected);
}

/* Memory that somebody else made, and a storage that looks into another one. */
static void THTest_(foreign)(void)
{
  THCState *state = thc_state();
  void *data;
  CHECK_CUDA(THCudaMalloc(state, &data, 8 * sizeof(real)));
  THCStorage *s = THCStorage_(newWithData)(state, data, 8);
  CHECK(s->data == data);
  THCStorage *view = THCStorage_(newWithData)(state, s->data + 2, 4);
  view->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_VIEW;
  view->view = s;
  THCStorage_(fill)(state, view, THTest_(value)(1, 5));
  CHECK_EQ(THCStorage_(get)(state, s, 2), THTest_(value)(1, 5));
  THCStorage_(free)(state, view); /* and s */

  THCDeviceAllocator *allocator = THCState_getDeviceAllocator(state);
  s = THCStorage_(newWithAllocator)(state, 5, allocator, NULL);
  CHECK_EQ(s->size, 5);
  THCStorage_(free)(state, s);
  CHECK_RAISES(0, "opened", THCStorage_(newWithAllocator)(state, 5, &THCIpcAllocator, NULL));
  CHECK_RAISES(3, "allocator is NULL",
               THCStorage_(newWithDataAndAllocator)(state, NULL, 0, NULL, NULL));
}

#define PAIRS(X)      \
  X(Byte, CudaByte)   \
  X(Char, CudaChar)   \
  X(Short, CudaShort) \
  X(Int, CudaInt) X(Long, CudaLong) X(Float, Cuda) X(Double, CudaDouble) X(Half, CudaHalf)

/* What comes back to the host of d, and of a converted on the way, is h. */
#define CHECK_DOWN(Source, CudaSource)                                          \
  static void THTest_(checkDown##Source)(TH##Source##Storage *h, THCStorage *a, \
                                         TH##CudaSource##Storage *d)            \
  {                                                                             \
    TH##Source##Storage *r = TH##Source##Storage_newWithSize(100);              \
    TH##Source##Storage_copyCuda##Source(thc_state(), r, d);                    \
    CHECK(!memcmp(h->data, r->data, 100 * sizeof *h->data));                    \
    TH_CONCAT_2(TH##Source##Storage_copyCuda, Real)(thc_state(), r, a);         \
    CHECK(!memcmp(h->data, r->data, 100 * sizeof *h->data));                    \
    TH##Source##Storage_free(r);                                                \
  }
PAIRS(CHECK_DOWN)

/* What b receives of d, and of h, is what TH makes of h. */
#define CHECK_UP(Source, CudaSource)                                                           \
  static void THTest_(checkUp##Source)(TH##Source##Storage *h, THStorage *back, THCStorage *b, \
                                       TH##CudaSource##Storage *d)                             \
  {                                                                                            \
    THStorage_(copy##Source)(back, h);                                                         \
    THCStorage_(copyCuda##Source)(thc_state(), b, d);                                          \
    THTest_(checkStorage)(b, 100, back->data);                                                 \
    THCStorage_(fill)(thc_state(), b, back->data[0]);                                          \
    THCStorage_(copy##Source)(thc_state(), b, h);                                              \
    THTest_(checkStorage)(b, 100, back->data);                                                 \
  }
PAIRS(CHECK_UP)

/* One pair of types for each kind: the rest are tensors' copies. */
static void THTest_(copies)(void)
{
  THCState *state = thc_state();
  THStorage *host = THStorage_(newWithSize)(100), *back = THStorage_(newWithSize)(100);
  for (int i = 0; i < 100; i++)
    host->data[i] = THTest_(value)(6, i);
  THCStorage *a = THCStorage_(newWithSize)(state, 100), *b = THCStorage_(newWithSize)(state, 100);
  THCStorage_(copyCPU)(state, a, host);
  THTest_(checkStorage)(a, 100, host->data);
  THCStorage_(copyCuda)(state, b, a);
  THTest_(checkStorage)(b, 100, host->data);
  THStorage_(copyCuda)(state, back, b);
  CHECK(!memcmp(back->data, host->data, 100 * sizeof(real)));

#define THROUGH(Source, CudaSource)                                               \
  {                                                                               \
    TH##Source##Storage *h = TH##Source##Storage_newWithSize(100);                \
    TH##CudaSource##Storage *d = TH##CudaSource##Storage_newWithSize(state, 100); \
    TH_CONCAT_2(TH##Source##Storage_copy, Real)(h, host);                         \
    TH_CONCAT_2(TH##CudaSource##Storage_copyCuda, Real)(state, d, a);             \
    THTest_(checkDown##Source)(h, a, d);                                          \
    THTest_(checkUp##Source)(h, back, b, d);                                      \
    TH##CudaSource##Storage_free(state, d);                                       \
    TH##Source##Storage_free(h);                                                  \
  }
  PAIRS(THROUGH)

  THCStorage *few = THCStorage_(newWithSize)(state, 3);
  CHECK_RAISES(2, "3 elements", THCStorage_(copy)(state, a, few));
  THCStorage_(copy)(state, a, a);
  THCStorage_(free)(state, few);
  THCStorage_(free)(state, a);
  THCStorage_(free)(state, b);
  THStorage_(free)(host);
  THStorage_(free)(back);
}

TH_TESTS(THTest_(making), THTest_(contents), THTest_(foreign), THTest_(copies))
