/* Torch7's forms of the functions that 2018 declares otherwise: the same values as the 2018 form
 * with what stands for the arguments that Torch7 does not have; and when memory runs out. */
#include "THNN/layer/THNN2018.h"

#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *x, *t, *g;      /* 2 x 3 x 4 x 5: input, target, gradOutput */
  THTensor *grid, *gGrid;   /* 2 x 4 x 5 x 2, in (-1, 1) */
  THTensor *slopes;         /* 3 */
  THTensor *volume, *small; /* 2 x 2 x 3 x 4 x 5, and 2 x 2 x 2 x 3 x 4 */
  THTensor *flat, *full;    /* 2 x 16 and 2 x 2 x 2 x 2 x 2: windows of 2 x 2 x 2 */
  THTensor *bias;           /* 2 */
  THTensor *scores;         /* 4 x 5 */
  THTensor *one, *isTarget, *isTarget2, *total, *total2, *buffer1, *buffer2, *buffer3;
  THTensor *gSlopes, *gSlopes2, *gFlat, *gFlat2, *gFull, *gFull2; /* sums */
  THTensor *r, *s, *r2, *s2;                /* results of the Torch7 form and of the other */
  THIndexTensor *classes, *pixels, *labels; /* 4; 2 x 4 x 5; 4 x 5, of which two are used */
} Operands;

static THTensor *between(THGenerator *g, double low, double high, const int64_t *size, int n)
{
  THTensor *t = THTensor_(new)();
  THTensor_(resizeNd)(t, n, (int64_t *)size, NULL);
  THTensor_(uniform)(t, g, low, high);
  return t;
}

#define BETWEEN(LOW, HIGH, ...)                         \
  between(g, LOW, HIGH, (const int64_t[]){__VA_ARGS__}, \
          (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static void set_up(Operands *o)
{
  THGenerator *g = THGenerator_new();
  THRandom_manualSeed(g, 2016);
  o->x = BETWEEN(0.1, 0.9, 2, 3, 4, 5);
  o->t = BETWEEN(0.1, 0.9, 2, 3, 4, 5);
  o->g = BETWEEN(-1, 1, 2, 3, 4, 5);
  o->grid = BETWEEN(-0.9, 0.9, 2, 4, 5, 2);
  o->slopes = BETWEEN(0, 1, 3);
  o->volume = BETWEEN(-1, 1, 2, 2, 3, 4, 5);
  o->small = BETWEEN(-1, 1, 2, 2, 2, 3, 4);
  o->flat = BETWEEN(-1, 1, 2, 16);
  o->full = BETWEEN(-1, 1, 2, 2, 2, 2, 2);
  o->bias = BETWEEN(-1, 1, 2);
  o->scores = BETWEEN(-1, 1, 4, 5);
  o->one = BETWEEN(1, 1, 1);
  THTensor_(fill)(o->one, 1);
  o->classes = THIndexTensor_(newWithSize1d)(4);
  o->pixels = THIndexTensor_(newWithSize3d)(2, 4, 5);
  o->labels = THIndexTensor_(newWithSize2d)(4, 5);
  for (int i = 0; i < 4; i++)
    THIndexTensor_(data)(o->classes)[i] = i + TH_INDEX_BASE;
  for (int i = 0; i < 40; i++)
    THIndexTensor_(data)(o->pixels)[i] = i % 3 + TH_INDEX_BASE;
  for (int i = 0; i < 20; i++)
    THIndexTensor_(data)(o->labels)[i] = i % 5 < 2 ? i % 5 + TH_INDEX_BASE : TH_INDEX_BASE - 1;
  THTensor **const made[] = {&o->isTarget, &o->isTarget2, &o->total,   &o->total2,
                             &o->buffer1,  &o->buffer2,   &o->buffer3, &o->r,
                             &o->s,        &o->r2,        &o->s2,      &o->gGrid};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    *made[i] = THTensor_(new)();
  THTensor_(resize1d)(o->total, 1);
  THTensor_(fill)(o->total, 20);
  THTensor_(resize1d)(o->total2, 1);
  THTensor_(resize2d)(o->isTarget, 4, 5);
  THTensor_(zero)(o->isTarget);
  o->gSlopes = THTensor_(newClone)(o->slopes);
  o->gSlopes2 = THTensor_(newClone)(o->slopes);
  o->gFlat = THTensor_(newClone)(o->flat);
  o->gFlat2 = THTensor_(newClone)(o->flat);
  o->gFull = THTensor_(newClone)(o->full);
  o->gFull2 = THTensor_(newClone)(o->full);
  THGenerator_free(g);
  WATCH(o->x);
  WATCH(o->t);
  WATCH(o->g);
  WATCH(o->r);
  WATCH(o->s);
  WATCH(o->volume);
  WATCH(o->gSlopes);
  WATCH(o->gFlat);
  WATCH(o->gFull);
}

static void tear_down(Operands *o)
{
  THTensor *const all[] = {o->x,       o->t,         o->g,     o->grid,   o->gGrid,   o->slopes,
                           o->volume,  o->small,     o->flat,  o->full,   o->bias,    o->scores,
                           o->one,     o->isTarget,  o->total, o->total2, o->buffer1, o->buffer2,
                           o->buffer3, o->isTarget2, o->r,     o->s,      o->r2,      o->s2,
                           o->gSlopes, o->gSlopes2,  o->gFlat, o->gFlat2, o->gFull,   o->gFull2};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
  THIndexTensor_(free)(o->classes);
  THIndexTensor_(free)(o->pixels);
  THIndexTensor_(free)(o->labels);
}

/* --- both forms ------------------------------------------------------------------------------- */

typedef void (*Form)(Operands *o);

typedef struct Pair {
  const char *name;
  Form torch7, aten;
  struct Pair *next;
} Pair;
static Pair *pairs;

#define FORM(NAME, CALL)        \
  static void NAME(Operands *o) \
  {                             \
    CALL;                       \
  }

/* The first form is called with results r and s, the second with r2 and s2. */
#define PAIR(NAME, TORCH7, ATEN)                                  \
  FAULT(NAME, TORCH7)                                             \
  FORM(torch7_##NAME, TORCH7)                                     \
  FORM(aten_##NAME, ATEN)                                         \
  __attribute__((constructor)) static void add_pair_##NAME(void)  \
  {                                                               \
    static Pair pair = {#NAME, torch7_##NAME, aten_##NAME, NULL}; \
    pair.next = pairs;                                            \
    pairs = &pair;                                                \
  }

#define OLD(NAME, ...) THNN_(NAME)(NULL, __VA_ARGS__)
#define NEW(NAME, ...) THNN_(NAME##_2018)(NULL, __VA_ARGS__)

#define LOSS(NAME)                                                           \
  PAIR(NAME##Forward, OLD(NAME##_updateOutput, o->x, o->t, o->r, true),      \
       NEW(NAME##_updateOutput, o->x, o->t, o->r2, true, true))              \
  PAIR(NAME##Backward, OLD(NAME##_updateGradInput, o->x, o->t, o->r, false), \
       NEW(NAME##_updateGradInput, o->x, o->t, o->one, o->r2, false, true))
LOSS(AbsCriterion)
LOSS(DistKLDivCriterion)
LOSS(MSECriterion)
LOSS(SmoothL1Criterion)
LOSS(SoftMarginCriterion)
PAIR(bceForward, OLD(BCECriterion_updateOutput, o->x, o->t, o->r, true, o->t),
     NEW(BCECriterion_updateOutput, o->x, o->t, o->r2, true, o->t, true))
PAIR(bceBackward, OLD(BCECriterion_updateGradInput, o->x, o->t, o->r, true, NULL),
     NEW(BCECriterion_updateGradInput, o->x, o->t, o->one, o->r2, true, NULL, true))
PAIR(nllForward,
     OLD(ClassNLLCriterion_updateOutput, o->scores, o->classes, o->r, true, NULL, o->total, -100),
     NEW(ClassNLLCriterion_updateOutput, o->scores, o->classes, o->r2, true, NULL, o->total2, -100,
         true))
PAIR(nllBackward,
     OLD(ClassNLLCriterion_updateGradInput, o->scores, o->classes, o->r, true, NULL, o->total,
         -100),
     NEW(ClassNLLCriterion_updateGradInput, o->scores, o->classes, o->one, o->r2, true, NULL,
         o->total, -100, true))
PAIR(pixelForward,
     OLD(SpatialClassNLLCriterion_updateOutput, o->x, o->pixels, o->r, true, o->slopes, o->total),
     NEW(SpatialClassNLLCriterion_updateOutput, o->x, o->pixels, o->r2, true, o->slopes, o->total2,
         -100, true))
PAIR(pixelBackward,
     OLD(SpatialClassNLLCriterion_updateGradInput, o->x, o->pixels, o->r, true, NULL, o->total),
     NEW(SpatialClassNLLCriterion_updateGradInput, o->x, o->pixels, o->one, o->r2, true, NULL,
         o->total, -100, true))
PAIR(labelForward,
     OLD(MultiLabelMarginCriterion_updateOutput, o->scores, o->labels, o->r, o->isTarget, true),
     NEW(MultiLabelMarginCriterion_updateOutput, o->scores, o->labels, o->r2, o->isTarget2, true,
         true))
PAIR(labelBackward,
     OLD(MultiLabelMarginCriterion_updateGradInput, o->scores, o->labels, o->r, o->isTarget, true),
     NEW(MultiLabelMarginCriterion_updateGradInput, o->scores, o->labels, o->one, o->r2,
         o->isTarget, true, true))
PAIR(marginForward,
     OLD(MultiMarginCriterion_updateOutput, o->scores, o->classes, o->r, true, 2, NULL, 1),
     NEW(MultiMarginCriterion_updateOutput, o->scores, o->classes, o->r2, true, 2, NULL, 1, true))
PAIR(marginBackward,
     OLD(MultiMarginCriterion_updateGradInput, o->scores, o->classes, o->r, false, 1, NULL, 1),
     NEW(MultiMarginCriterion_updateGradInput, o->scores, o->classes, o->one, o->r2, false, 1, NULL,
         1, true))

PAIR(eluForward, OLD(ELU_updateOutput, o->g, o->r, 0.5, false),
     NEW(ELU_updateOutput, o->g, o->r2, 0.5, 1, false))
PAIR(eluBackward, OLD(ELU_updateGradInput, o->g, o->t, o->r, o->g, 0.5, false),
     NEW(ELU_updateGradInput, o->t, o->r2, o->g, 0.5, 1))
PAIR(sigmoidBackward, OLD(Sigmoid_updateGradInput, NULL, o->g, o->r, o->x),
     NEW(Sigmoid_updateGradInput, o->g, o->r2, o->x))
PAIR(tanhBackward, OLD(Tanh_updateGradInput, NULL, o->g, o->r, o->x),
     NEW(Tanh_updateGradInput, o->g, o->r2, o->x))
PAIR(softMaxForward, OLD(SoftMax_updateOutput, o->x, o->r),
     NEW(SoftMax_updateOutput, o->x, o->r2, 1))
PAIR(softMaxBackward, OLD(SoftMax_updateGradInput, o->scores, o->scores, o->r, o->scores),
     NEW(SoftMax_updateGradInput, o->scores, o->scores, o->r2, o->scores, 1))
PAIR(logSoftMaxForward, OLD(LogSoftMax_updateOutput, o->slopes, o->r),
     NEW(LogSoftMax_updateOutput, o->slopes, o->r2, 0))
PAIR(logSoftMaxBackward, OLD(LogSoftMax_updateGradInput, o->x, o->g, o->r, o->t),
     NEW(LogSoftMax_updateGradInput, o->x, o->g, o->r2, o->t, 1))
PAIR(preluForward, OLD(PReLU_updateOutput, o->g, o->r, o->slopes, 3),
     NEW(PReLU_updateOutput, o->g, o->r2, o->slopes))
PAIR(preluBackward, OLD(PReLU_updateGradInput, o->g, o->t, o->r, o->slopes, 3),
     NEW(PReLU_updateGradInput, o->g, o->t, o->r2, o->slopes))
PAIR(preluWeights,
     OLD(PReLU_accGradParameters, o->g, o->t, o->x, o->slopes, o->gSlopes, NULL, NULL, 3, 2),
     NEW(PReLU_accGradParameters, o->g, o->t, o->x, o->slopes, o->gSlopes2, 2))
PAIR(gridForward, OLD(SpatialGridSamplerBilinear_updateOutput, o->x, o->grid, o->r),
     NEW(SpatialGridSamplerBilinear_updateOutput, o->x, o->grid, o->r2, 0))
PAIR(gridBackward, OLD(SpatialGridSamplerBilinear_updateGradInput, o->x, o->r, o->grid, o->s, o->g),
     NEW(SpatialGridSamplerBilinear_updateGradInput, o->x, o->r2, o->grid, o->s2, o->g, 0))

/* --- volumes ---------------------------------------------------------------------------------- */

#define STEPS 2, 2, 2, 1, 1, 1, 0, 0, 0 /* windows, steps, paddings */
PAIR(volumeForward,
     OLD(VolumetricConvolutionMM_updateOutput, o->volume, o->r, o->flat, o->bias, o->buffer1,
         STEPS),
     NEW(VolumetricConvolutionMM_updateOutput, o->volume, o->r2, o->flat, o->bias, o->buffer2,
         o->buffer3, STEPS))
PAIR(volumeWeights,
     OLD(VolumetricConvolutionMM_accGradParameters, o->volume, o->small, o->gFlat, NULL, o->buffer1,
         STEPS, 2),
     NEW(VolumetricConvolutionMM_accGradParameters, o->volume, o->small, o->gFlat2, NULL,
         o->buffer2, o->buffer3, STEPS, 2))

/* Torch7 reads the window from the weights. */
#define FULL(NAME, ...)                                                                            \
  PAIR(NAME##Forward,                                                                              \
       OLD(NAME##_updateOutput, o->small, o->r, o->full, o->bias, o->buffer1, o->buffer2, 1, 1, 1, \
           0, 0, 0, __VA_ARGS__ 0, 0, 0),                                                          \
       NEW(NAME##_updateOutput, o->small, o->r2, o->full, o->bias, o->buffer1, o->buffer2, 2, 2,   \
           2, 1, 1, 1, 0, 0, 0, __VA_ARGS__ 0, 0, 0))                                              \
  PAIR(NAME##Backward,                                                                             \
       OLD(NAME##_updateGradInput, o->small, o->volume, o->r, o->full, o->buffer1, o->buffer2, 1,  \
           1, 1, 0, 0, 0, __VA_ARGS__ 0, 0, 0),                                                    \
       NEW(NAME##_updateGradInput, o->small, o->volume, o->r2, o->full, o->buffer1, o->buffer2, 2, \
           2, 2, 1, 1, 1, 0, 0, 0, __VA_ARGS__ 0, 0, 0))                                           \
  PAIR(NAME##Weights,                                                                              \
       OLD(NAME##_accGradParameters, o->small, o->volume, o->gFull, NULL, o->buffer1, o->buffer2,  \
           1, 1, 1, 0, 0, 0, __VA_ARGS__ 0, 0, 0, 2),                                              \
       NEW(NAME##_accGradParameters, o->small, o->volume, o->gFull2, NULL, o->buffer1, o->buffer2, \
           2, 2, 2, 1, 1, 1, 0, 0, 0, __VA_ARGS__ 0, 0, 0, 2))
#define AND_DILATIONS 1, 1, 1,
FULL(VolumetricFullConvolution, )
FULL(VolumetricFullDilatedConvolution, AND_DILATIONS)

/* --- the tests -------------------------------------------------------------------------------- */

static void check_same(const char *name, THTensor *torch7, THTensor *aten)
{
  CHECK_MSG(THTensor_(isSameSizeAs)(torch7, aten), "%s: %s and %s", name,
            THTensor_(sizeDesc)(torch7).str, THTensor_(sizeDesc)(aten).str);
  CHECK_MSG(THTensor_(equal)(torch7, aten), "%s: other values", name);
}

static void THTest_(torch7Pairs)(void)
{
  for (Pair *pair = pairs; pair; pair = pair->next) {
    Operands o;
    set_up(&o);
    th_watch_forget();
    pair->torch7(&o);
    CHECK_MSG(THTensor_(nElement)(o.r) > 0 || !THTensor_(equal)(o.gSlopes, o.gSlopes2) ||
                  !THTensor_(equal)(o.gFlat, o.gFlat2) || !THTensor_(equal)(o.gFull, o.gFull2),
              "%s has no result", pair->name);
    pair->aten(&o);
    check_same(pair->name, o.r, o.r2);
    check_same(pair->name, o.s, o.s2);
    check_same(pair->name, o.gSlopes, o.gSlopes2);
    check_same(pair->name, o.gFlat, o.gFlat2);
    check_same(pair->name, o.gFull, o.gFull2);
    tear_down(&o);
  }
}

TH_FAULT_TABLE
static void THTest_(torch7Faults)(void)
{
  th_faults_run(&th_faults);
}

/* One column is cut off in front, two rows below; what is left is mirrored behind and above. */
static void THTest_(reflectionCuts)(void)
{
  static const int rows[] = {1, 0, 1}, columns[] = {1, 2, 3, 4, 3, 2};
  THTensor *x = THTensor_(newWithSize3d)(2, 4, 5), *y = THTensor_(new)();
  for (int i = 0; i < 40; i++)
    x->storage->data[i] = (real)(i * i % 41);
  THNN_(SpatialReflectionPadding_updateOutput)(NULL, x, y, -1, 2, 1, -2);
  CHECK(y->nDimension == 3 && y->size[0] == 2 && y->size[1] == 3 && y->size[2] == 6);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 6; j++)
        CHECK_EQ(THTensor_(get3d)(y, k, i, j), THTensor_(get3d)(x, k, rows[i], columns[j]));
  THTensor_(free)(x);
  THTensor_(free)(y);
}

TH_TESTS(THTest_(torch7Pairs), THTest_(torch7Faults), THTest_(reflectionCuts))
