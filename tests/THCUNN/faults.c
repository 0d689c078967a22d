/* Every acquisition of host and device memory fails once in each layer: results keep their shapes
 * and storages, and nothing is left behind. */
#include "THCUNN/THCUNN.h"
#include "../THC/thc_test.h"

#include "th_fail.h"

typedef struct Operands {
  THCudaTensor *x, *g, *r, *one, *total, *weight, *bias;
  THCudaLongTensor *target, *index;
  void (*run)(struct Operands *o);
  THCudaTensor before;
} Operands;

static THCudaTensor *ramp(int64_t a, int64_t b, int64_t c)
{
  THCState *state = thc_state();
  THFloatTensor *host = THFloatTensor_newWithSize3d(a, b, c);
  for (ptrdiff_t i = 0; i < a * b * c; i++)
    host->storage->data[i] = (float)(i % 13) / 8;
  THCudaTensor *t = THCudaTensor_newWithSize3d(state, a, b, c);
  THCudaTensor_copyFloat(state, t, host);
  THFloatTensor_free(host);
  return t;
}

static void set_up(void *context)
{
  Operands *o = context;
  THCState *state = thc_state();
  o->x = ramp(6, 5, 3);
  THCudaTensor_transpose(state, o->x, NULL, 0, 2); /* 3 x 5 x 6, to be copied */
  o->g = ramp(3, 5, 6);
  THCudaTensor_transpose(state, o->g, NULL, 1, 2);
  THCudaTensor_transpose(state, o->g, NULL, 1, 2);
  o->r = THCudaTensor_newWithSize1d(state, 2);
  o->one = ramp(1, 1, 1);
  o->total = ramp(1, 1, 1);
  o->weight = ramp(4, 3, 4);
  THCudaTensor_resize2d(state, o->weight, 4, 12);
  o->bias = ramp(4, 1, 1);
  o->target = THCudaLongTensor_newWithSize1d(state, 5);
  for (int i = 0; i < 5; i++)
    THCudaLongTensor_set1d(state, o->target, i, i % 3 + TH_INDEX_BASE);
  o->index = THCudaLongTensor_new(state);
  o->before = *o->r;
}

static void body(void *context)
{
  Operands *o = context;
  o->run(o);
}

static void check(void *context, int raised)
{
  Operands *o = context;
  if (!raised)
    return;
  CHECK_EQ(o->r->nDimension, 1);
  CHECK_EQ(o->r->size[0], 2);
  CHECK(o->r->storage == o->before.storage);
  CHECK_EQ(o->r->storage->size, 2);
  CHECK_EQ(o->index->nDimension, 0);
}

static void tear_down(void *context)
{
  Operands *o = context;
  THCState *state = thc_state();
  THCudaTensor *all[] = {o->x, o->g, o->r, o->one, o->total, o->weight, o->bias};
  for (int i = 0; i < 7; i++)
    THCudaTensor_free(state, all[i]);
  THCudaLongTensor_free(state, o->target);
  THCudaLongTensor_free(state, o->index);
}

static void activation(Operands *o)
{
  THNN_CudaTanh_updateOutput(thc_state(), o->x, o->r);
}

static void soft_max(Operands *o)
{
  THNN_CudaSoftMax_updateOutput(thc_state(), o->x, o->r, 1);
}

static void soft_max_back(Operands *o)
{
  THNN_CudaLogSoftMax_updateGradInput(thc_state(), o->x, o->g, o->r, o->x, 1);
}

static void loss(Operands *o)
{
  THNN_CudaMSECriterion_updateOutput(thc_state(), o->x, o->g, o->r, true, true);
}

static void classes(Operands *o)
{
  THCState *state = thc_state();
  THCudaTensor_resize2d(state, o->weight, 5, 9);
  THNN_CudaClassNLLCriterion_updateOutput(state, o->weight, o->target, o->r, true, NULL, o->total,
                                          -100, true);
}

static void classes_back(Operands *o)
{
  THCState *state = thc_state();
  THCudaTensor_resize2d(state, o->weight, 5, 9);
  THNN_CudaClassNLLCriterion_updateGradInput(state, o->weight, o->target, o->one, o->r, true, NULL,
                                             o->total, -100, true);
}

/* Sums of several blocks. */
static void many_classes(Operands *o)
{
  THCState *state = thc_state();
  THCudaLongTensor_resize1d(state, o->target, 2500);
  THCudaLongTensor_fill(state, o->target, TH_INDEX_BASE);
  THCudaTensor_resize2d(state, o->weight, 2500, 3);
  THNN_CudaClassNLLCriterion_updateOutput(state, o->weight, o->target, o->r, true, NULL, o->total,
                                          -100, true);
}

static void batch_norm(Operands *o)
{
  THCState *state = thc_state();
  THCudaTensor_resize3d(state, o->weight, 30, 4, 50);
  THCudaTensor_resize1d(state, o->one, 4);
  THCudaTensor_resize1d(state, o->total, 4);
  THNN_CudaBatchNormalization_updateOutput(state, o->weight, o->r, NULL, NULL, NULL, NULL, o->one,
                                           o->total, true, 0.1, 0.1);
}

/* One product for all images of a chunk, which takes memory for windows and for outputs. */
static void convolution_weights(Operands *o)
{
  THCState *state = thc_state();
  THCudaTensor_resize4d(state, o->x, 3, 3, 2, 5);
  THCudaTensor_resize4d(state, o->g, 3, 4, 1, 4);
  THNN_CudaSpatialConvolutionMM_accGradParameters(state, o->x, o->g, o->weight, o->bias, NULL, NULL,
                                                  2, 2, 1, 1, 0, 0, 1);
}

static void pooling(Operands *o)
{
  THNN_CudaSpatialMaxPooling_updateOutput(thc_state(), o->x, o->r, o->index, 2, 2, 1, 1, 0, 0,
                                          false);
}

#define WINDOWS NULL, NULL, 2, 2, 1, 1, 0, 0

static void convolution(Operands *o)
{
  THNN_CudaSpatialConvolutionMM_updateOutput(thc_state(), o->x, o->r, o->weight, o->bias, WINDOWS);
}

static const struct {
  const char *name;
  void (*run)(Operands *o);
} cases[] = {
    {"activation", activation},
    {"soft_max", soft_max},
    {"soft_max_back", soft_max_back},
    {"loss", loss},
    {"classes", classes},
    {"classes_back", classes_back},
    {"many_classes", many_classes},
    {"batch_norm", batch_norm},
    {"convolution_weights", convolution_weights},
    {"pooling", pooling},
    {"convolution", convolution},
};

static void faults(void **unused)
{
  thc_state();
  THCCachingAllocator_setCaching(0); /* what is kept would not be acquired */
  const THFailCase stages = {set_up, body, check, tear_down};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    th_note("%s", cases[k].name);
    Operands o = {.run = cases[k].run};
    CHECK_MSG(th_fail(&stages, &o) > 0, "%s acquires nothing", cases[k].name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
