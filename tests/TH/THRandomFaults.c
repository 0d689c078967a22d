/* Random tensors when memory runs out: every allocation of every function fails in turn, and the
 * operands and the generator are as they were. */
#include "THTemplate.h"

#include "th_fail.h"
#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define REAL_IS_FLOATING
#endif

typedef struct Operands {
  THTensor *t;      /* 12 x 10, transposed */
  THTensor *across; /* the same memory as 10 x 12 */
  THTensor *r;      /* 2 x 2 */
  THLongTensor *indices, *J;
  THTensor *q, *p;
  THTensor *column;      /* of p */
  THTensor *overlapping; /* r, transposed */
  THFloatTensor *f;
  THDoubleTensor *d;
  THLongStorage *size;
  THGenerator *g;
  THGenerator start;
  real *values;
} Operands;

static Operands on;

static void set_up(void *unused)
{
  memset(&on, 0, sizeof on);
  on.t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(12, 10));
  on.p = THTensor_(newWithSize2d)(10, 12);
  on.f = THFloatTensor_newWithSize2d(12, 11);
  on.d = THDoubleTensor_newWithSize2d(12, 11);
  for (int i = 0; i < 120; i++) {
    on.t->storage->data[i] = (real)(i + 1);
    on.p->storage->data[i] = (real)(i % 5 + 1);
  }
  for (int i = 0; i < 132; i++) {
    on.f->storage->data[i] = (float)i / 132;
    on.d->storage->data[i] = (double)i / 132;
  }
  THFloatTensor_narrow(on.f, NULL, 1, 0, 10);
  THDoubleTensor_narrow(on.d, NULL, 1, 1, 10);
  THTensor_(transpose)(on.p, NULL, 0, 1);
  on.across = THTensor_(newTranspose)(on.t, 0, 1);
  on.r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  on.q = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  on.indices = THLongTensor_newWithSize2d(2, 2);
  on.J = THLongTensor_newWithSize2d(2, 2);
  on.size = THLongStorage_newWithSize3(3, 4, 5);
  on.column = THTensor_(newSelect)(on.p, 1, 1);
  on.overlapping = THTensor_(newTranspose)(on.r, 0, 1);
  for (int i = 0; i < 4; i++)
    on.r->storage->data[i] = (real)i / 4;
  on.values = THTest_(values)(on.t);
  on.g = THGenerator_new();
  THRandom_manualSeed(on.g, 3);
  THRandom_normal(on.g, 0, 1);
  on.start = *on.g;
}

static void tear_down(void *unused)
{
  THTensor_(free)(on.across);
  THTensor_(free)(on.t);
  THTensor_(free)(on.p);
  THTensor_(free)(on.column);
  THTensor_(free)(on.overlapping);
  THTensor_(free)(on.r);
  THTensor_(free)(on.q);
  THFloatTensor_free(on.f);
  THDoubleTensor_free(on.d);
  THLongTensor_free(on.indices);
  THLongTensor_free(on.J);
  THLongStorage_free(on.size);
  THGenerator_free(on.g);
  free(on.values);
}

static void check_operands(void *unused, int raised)
{
  if (!raised)
    return;
  CHECK(!memcmp(&on.start, on.g, sizeof on.start));
  CHECK_EQ(on.t->storage->refcount, 2);
  CHECK_VALUES(on.t, on.values);
  CHECK(on.r->nDimension == 2 && on.r->size[0] == 2 && on.r->storage->size == 4);
  CHECK(on.q->nDimension == 2 && on.q->size[0] == 2 && on.q->storage->size == 4);
  CHECK(on.J->nDimension == 2 && on.J->size[0] == 2 && on.J->storage->size == 4);
  CHECK(on.indices->nDimension == 2 && on.indices->size[0] == 2);
  CHECK_EQ(on.indices->storage->size, 4);
}

/* FAULT(name, statement, whether it may allocate) */
#define FAULTS(FAULT)                                                            \
  FAULT(random, THTensor_(random)(on.t, on.g), 0)                                \
  FAULT(clamped, THTensor_(clampedRandom)(on.t, on.g, 2, 9), 0)                  \
  FAULT(capped, THTensor_(cappedRandom)(on.t, on.g, 9), 0)                       \
  FAULT(geometric, THTensor_(geometric)(on.t, on.g, 0.3), 0)                     \
  FAULT(bernoulli, THTensor_(bernoulli)(on.t, on.g, 0.3), 0)                     \
  FAULT(bernoulliFloat, THTensor_(bernoulli_FloatTensor)(on.t, on.g, on.f), 0)   \
  FAULT(bernoulliDouble, THTensor_(bernoulli_DoubleTensor)(on.t, on.g, on.d), 0) \
  FAULT(randperm, THTensor_(randperm)(on.r, on.g, 120), 1)

#define FLOATING_FAULTS(FAULT)                                                       \
  FAULT(uniform, THTensor_(uniform)(on.t, on.g, 1, 2), 0)                            \
  FAULT(normal, THTensor_(normal)(on.t, on.g, 1, 2), 0)                              \
  FAULT(exponential, THTensor_(exponential)(on.t, on.g, 2), 0)                       \
  FAULT(cauchy, THTensor_(cauchy)(on.t, on.g, 1, 2), 0)                              \
  FAULT(logNormal, THTensor_(logNormal)(on.t, on.g, 1, 2), 0)                        \
  FAULT(rand, THTensor_(rand)(on.r, on.g, on.size), 1)                               \
  FAULT(randn, THTensor_(randn)(on.r, on.g, on.size), 1)                             \
  FAULT(means, THTensor_(normal_means)(on.r, on.g, on.t, 2), 1)                      \
  FAULT(meansAcross, THTensor_(normal_means)(on.across, on.g, on.t, 2), 1)           \
  FAULT(stddevs, THTensor_(normal_stddevs)(on.r, on.g, 1, on.p), 1)                  \
  FAULT(stddevsSame, THTensor_(normal_stddevs)(on.t, on.g, 1, on.t), 1)              \
  FAULT(both, THTensor_(normal_means_stddevs)(on.t, on.g, on.t, on.across), 1)       \
  FAULT(gamma, THTensor_(standard_gamma)(on.r, on.g, on.p), 1)                       \
  FAULT(gammaAcross, THTensor_(standard_gamma)(on.across, on.g, on.t), 1)            \
  FAULT(bernoulliTensor, THTensor_(bernoulli_Tensor)(on.r, on.g, on.overlapping), 1) \
  FAULT(multinomial, THTensor_(multinomial)(on.indices, on.g, on.p, 30, 1), 1)       \
  FAULT(multinomialOnce, THTensor_(multinomial)(on.indices, on.g, on.p, 10, 0), 1)   \
  FAULT(aliasSetup, THTensor_(multinomialAliasSetup)(on.column, on.J, on.q), 1)      \
  FAULT(aliasDraw, THTensor_(multinomialAliasDraw)(on.indices, on.g, on.J, on.q), 0) \
  FAULT(aliasDrawSame, THTensor_(multinomialAliasDraw)(on.J, on.g, on.J, on.q), 1)

#define BODY(NAME, STATEMENT, ALLOCATES) \
  static void body_##NAME(void *unused)  \
  {                                      \
    STATEMENT;                           \
  }
FAULTS(BODY)
#ifdef REAL_IS_FLOATING
FLOATING_FAULTS(BODY)
#endif

static void run(const char *name, void (*body)(void *), int allocates)
{
  th_note("%s", name);
  const THFailCase stages = {set_up, body, check_operands, tear_down};
  const int acquired = th_fail(&stages, NULL);
  /* A small result may find room in the block that it has. */
  CHECK(acquired == 0 || allocates);
  CHECK(acquired > 0 || !allocates || sizeof(real) < sizeof(float));
}

static void THTest_(randomFaults)(void)
{
#define RUN(NAME, STATEMENT, ALLOCATES) run(#NAME, body_##NAME, ALLOCATES);
  FAULTS(RUN)
#ifdef REAL_IS_FLOATING
  FLOATING_FAULTS(RUN)
#endif
}

TH_TESTS(THTest_(randomFaults))
