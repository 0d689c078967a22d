/* Random tensors when memory runs out: every allocation of every function fails in turn, and the
 * operands and the generator are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *t;      /* 12 x 10, transposed */
  THTensor *across; /* the memory of t as 10 x 12 */
  THTensor *r;      /* 2 x 2 */
  THLongTensor *indices, *J;
  THTensor *q, *p;
  THTensor *column;      /* of p */
  THTensor *overlapping; /* r, transposed */
  THFloatTensor *f;
  THDoubleTensor *d;
  THLongStorage *size;
  THGenerator *g;
  THByteTensor *generatorState;
} Operands;

static void set_up(Operands *o)
{
  o->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(12, 10));
  o->p = THTensor_(newWithSize2d)(10, 12);
  o->f = THFloatTensor_newWithSize2d(12, 11);
  o->d = THDoubleTensor_newWithSize2d(12, 11);
  for (int i = 0; i < 120; i++) {
    o->t->storage->data[i] = (real)(i + 1);
    o->p->storage->data[i] = (real)(i % 5 + 1);
  }
  for (int i = 0; i < 132; i++) {
    o->f->storage->data[i] = (float)i / 132;
    o->d->storage->data[i] = (double)i / 132;
  }
  THFloatTensor_narrow(o->f, NULL, 1, 0, 10);
  THDoubleTensor_narrow(o->d, NULL, 1, 1, 10);
  THTensor_(transpose)(o->p, NULL, 0, 1);
  o->across = THTensor_(newTranspose)(o->t, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  o->q = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  o->indices = THLongTensor_newWithSize2d(2, 2);
  o->J = THLongTensor_newWithSize2d(2, 2);
  o->size = THLongStorage_newWithSize3(3, 4, 5);
  o->column = THTensor_(newSelect)(o->p, 1, 1);
  o->overlapping = THTensor_(newTranspose)(o->r, 0, 1);
  for (int i = 0; i < 4; i++)
    o->r->storage->data[i] = (real)i / 4;
  o->g = THGenerator_new();
  THRandom_manualSeed(o->g, 3);
  THRandom_normal(o->g, 0, 1);
  o->generatorState = THByteTensor_new();
  THByteTensor_getRNGState(o->g, o->generatorState);
  WATCH(o->t);
  WATCH(o->p);
  WATCH(o->r);
  WATCH(o->q);
  WATCH(o->J);
  WATCH(o->indices);
  WATCH_BYTES(o->g, sizeof *o->g);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->across);
  THTensor_(free)(o->t);
  THTensor_(free)(o->p);
  THTensor_(free)(o->column);
  THTensor_(free)(o->overlapping);
  THTensor_(free)(o->r);
  THTensor_(free)(o->q);
  THFloatTensor_free(o->f);
  THDoubleTensor_free(o->d);
  THLongTensor_free(o->indices);
  THLongTensor_free(o->J);
  THLongStorage_free(o->size);
  THGenerator_free(o->g);
  THByteTensor_free(o->generatorState);
}

CALM(random, THTensor_(random)(o->t, o->g))
CALM(clamped, THTensor_(clampedRandom)(o->t, o->g, 2, 9))
CALM(capped, THTensor_(cappedRandom)(o->t, o->g, 9))
CALM(geometric, THTensor_(geometric)(o->t, o->g, 0.3))
CALM(bernoulli, THTensor_(bernoulli)(o->t, o->g, 0.3))
CALM(bernoulliFloat, THTensor_(bernoulli_FloatTensor)(o->t, o->g, o->f))
CALM(bernoulliDouble, THTensor_(bernoulli_DoubleTensor)(o->t, o->g, o->d))
FAULT(randperm, THTensor_(randperm)(o->r, o->g, 120))

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

CALM(uniform, THTensor_(uniform)(o->t, o->g, 1, 2))
CALM(normal, THTensor_(normal)(o->t, o->g, 1, 2))
CALM(exponential, THTensor_(exponential)(o->t, o->g, 2))
CALM(cauchy, THTensor_(cauchy)(o->t, o->g, 1, 2))
CALM(logNormal, THTensor_(logNormal)(o->t, o->g, 1, 2))
FAULT(rand, THTensor_(rand)(o->r, o->g, o->size))
FAULT(randn, THTensor_(randn)(o->r, o->g, o->size))
FAULT(means, THTensor_(normal_means)(o->r, o->g, o->t, 2))
FAULT(meansAcross, THTensor_(normal_means)(o->across, o->g, o->t, 2))
FAULT(stddevs, THTensor_(normal_stddevs)(o->r, o->g, 1, o->p))
FAULT(stddevsSame, THTensor_(normal_stddevs)(o->t, o->g, 1, o->t))
FAULT(both, THTensor_(normal_means_stddevs)(o->t, o->g, o->t, o->across))
FAULT(gamma, THTensor_(standard_gamma)(o->r, o->g, o->p))
FAULT(gammaAcross, THTensor_(standard_gamma)(o->across, o->g, o->t))
FAULT(bernoulliTensor, THTensor_(bernoulli_Tensor)(o->r, o->g, o->overlapping))
FAULT(multinomial, THTensor_(multinomial)(o->indices, o->g, o->p, 30, 1))
FAULT(multinomialOnce, THTensor_(multinomial)(o->indices, o->g, o->p, 10, 0))
FAULT(aliasSetup, THTensor_(multinomialAliasSetup)(o->column, o->J, o->q))
CALM(aliasDraw, THTensor_(multinomialAliasDraw)(o->indices, o->g, o->J, o->q))
FAULT(aliasDrawSame, THTensor_(multinomialAliasDraw)(o->J, o->g, o->J, o->q))

#endif

#if defined(TH_REAL_IS_BYTE)

FAULT(getRNGState, THTensor_(getRNGState)(o->g, o->r))
CALM(setRNGState, THTensor_(setRNGState)(o->g, o->generatorState))
RAISES(setRNGStateOther, THTensor_(setRNGState)(o->g, o->r))

#endif

TH_FAULT_TESTS(randomFaults)
