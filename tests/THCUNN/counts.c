/* The launches, waits and products of calls of THCUNN's layers: a table with one call or more of each family. */
#include "THCUNN/THCUNN.h"
#include "th_counts.h"
#include "../THC/thc_test.h"

#define S       thc_state()
#define L(NAME) THNN_Cuda##NAME

typedef struct Operands {
  THCudaTensor *x, *g;                     /* 8 x 48 */
  THCudaTensor *y, *one;                   /* results */
  THCudaTensor *element, *weight;          /* 1 each */
  THCudaTensor *images, *outputs;          /* 5 x 3 x 8 x 8, 5 x 4 x 6 x 6 */
  THCudaTensor *large;                     /* 4 x 2 x 64 x 64 */
  THCudaTensor *kernels, *bias;            /* 4 x 27, 4 */
  THCudaTensor *columns, *ones;            /* buffers */
  THCudaTensor *channel, *mean, *variance; /* 2 each */
  THCudaTensor *frames, *framesOut, *taps; /* 3 x 7 x 4, 3 x 6 x 2, 2 x 8 */
  THCudaTensor *few, *scores;              /* 30 x 10, 3000 x 10 */
  THCudaTensor *grid;                      /* 5 x 4 x 4 x 2 */
  THCudaTensor *table, *rowGradients;      /* 20 x 6, 40 x 6 */
  THCudaTensor *gates, *gates2, *cell;     /* 8 x 48 twice, 8 x 12 */
  THCudaTensor *entries, *six, *spread;    /* 40, 6, 30 */
  THCudaLongTensor *indices;               /* results */
  THCudaLongTensor *targets, *fewTargets;  /* 3000 and 30 below 10 */
  THCudaLongTensor *rows;                  /* 40 below 20 */
  THCudaLongTensor *sizes;                 /* 4 of 10 */
} Operands;

#define WINDOW 3, 3, 1, 1, 0, 0

/* X(name, launches, blocks of the largest (0: any), waits, products, copies, statement) */
#define ACTIVATIONS(X)                                                                            \
  X(tanh, 1, 1, 0, 0, 0, L(Tanh_updateOutput)(S, o->x, o->y))                                     \
  X(tanh_backward, 1, 1, 0, 0, 0, L(Tanh_updateGradInput)(S, o->g, o->y, o->x))                   \
  X(threshold, 1, 1, 0, 0, 0, L(Threshold_updateOutput)(S, o->x, o->y, 0, 0, false))              \
  X(gated, 1, 1, 0, 0, 0, L(GatedLinear_updateOutput)(S, o->x, o->y, 1))                          \
  X(softmax, 1, 1, 0, 0, 0, L(SoftMax_updateOutput)(S, o->x, o->y, 1))                            \
  X(softmax_backward, 1, 1, 0, 0, 0, L(LogSoftMax_updateGradInput)(S, o->x, o->g, o->y, o->x, 1)) \
  X(prelu_weights, 4, 30, 0, 0, 0,                                                                \
    L(PReLU_accGradParameters)(S, o->scores, o->scores, o->y, o->one, o->weight, 1))              \
  X(lstm, 1, 1, 0, 0, 0,                                                                          \
    L(LSTMFused_updateOutput)(S, o->gates, o->gates2, NULL, NULL, o->cell, o->y, o->one))

/* A kernel looks for targets that are no classes, or inputs that are no probabilities. */
#define LOSSES(X)                                                                               \
  X(mse, 2, 1, 0, 0, 0, L(MSECriterion_updateOutput)(S, o->x, o->g, o->y, true, true))          \
  X(mse_many, 2, 30, 0, 0, 0,                                                                   \
    L(MSECriterion_updateOutput)(S, o->scores, o->scores, o->y, true, true))                    \
  X(mse_backward, 1, 0, 0, 0, 0,                                                                \
    L(MSECriterion_updateGradInput)(S, o->x, o->g, o->element, o->y, true, true))               \
  X(nll, 2, 1, 0, 0, 0,                                                                         \
    L(ClassNLLCriterion_updateOutput)(S, o->few, o->fewTargets, o->y, true, NULL, o->one, -100, \
                                      true))                                                    \
  X(nll_many, 3, 12, 0, 0, 0,                                                                   \
    L(ClassNLLCriterion_updateOutput)(S, o->scores, o->targets, o->y, true, NULL, o->one, -100, \
                                      true))                                                    \
  X(bce, 3, 2, 0, 0, 0, L(BCECriterion_updateOutput)(S, o->x, o->g, o->y, true, NULL, true))    \
  X(margin_many, 3, 30, 0, 0, 0,                                                                \
    L(MultiMarginCriterion_updateOutput)(S, o->scores, o->targets, o->y, true, 1, NULL, 1, true))

/* Resampling copies its lists of sources. */
#define WINDOWS(X)                                                                                 \
  X(max_pool, 1, 0, 0, 0, 0,                                                                       \
    L(SpatialMaxPooling_updateOutput)(S, o->images, o->y, o->indices, 2, 2, 2, 2, 0, 0, false))    \
  X(fractional, 2, 0, 0, 0, 0,                                                                     \
    L(SpatialFractionalMaxPooling_updateOutput)(S, o->images, o->y, 3, 3, 2, 2, o->indices,        \
                                                o->spread))                                        \
  X(average, 1, 0, 0, 0, 0,                                                                        \
    L(SpatialAveragePooling_updateOutput)(S, o->images, o->y, 2, 2, 2, 2, 0, 0, false, true))      \
  X(bilinear, 1, 0, 0, 0, 1, L(SpatialUpSamplingBilinear_updateOutput)(S, o->images, o->y, 12, 9)) \
  X(replication, 1, 0, 0, 0, 1,                                                                    \
    L(SpatialReplicationPadding_updateOutput)(S, o->images, o->y, 1, 2, 1, 1))                     \
  X(grid_sampler, 1, 0, 0, 0, 0,                                                                   \
    L(SpatialGridSamplerBilinear_updateOutput)(S, o->images, o->grid, o->y, 0))

/* A product for all images, also of the gradients of weights. */
#define CONVOLUTIONS(X)                                                                          \
  X(convolution, 2, 0, 0, 1, 0,                                                                  \
    L(SpatialConvolutionMM_updateOutput)(S, o->images, o->y, o->kernels, o->bias, o->columns,    \
                                         o->ones, WINDOW))                                       \
  X(convolution_data, 1, 0, 0, 1, 0,                                                             \
    L(SpatialConvolutionMM_updateGradInput)(S, o->images, o->outputs, o->y, o->kernels,          \
                                            o->columns, o->ones, WINDOW))                        \
  X(convolution_weights, 2, 0, 0, 1, 0,                                                          \
    L(SpatialConvolutionMM_accGradParameters)(S, o->images, o->outputs, o->kernels, NULL,        \
                                              o->columns, o->ones, WINDOW, 1))                   \
  X(sequence, 1, 0, 0, 2, 0,                                                                     \
    L(TemporalConvolution_updateOutput)(S, o->frames, o->y, o->taps, o->channel, 2, 1, 4, 2))    \
  X(sequence_weights, 2, 0, 0, 1, 0,                                                             \
    L(TemporalConvolution_accGradParameters)(S, o->frames, o->framesOut, o->taps, o->channel, 2, \
                                             1, 1))

#define NORMS(X)                                                                              \
  X(batch_norm, 1, 3, 0, 0, 0,                                                                \
    L(BatchNormalization_updateOutput)(S, o->images, o->y, NULL, NULL, NULL, NULL, o->one,    \
                                       o->element, true, 0.1, 0.001))                         \
  X(batch_norm_large, 3, 32, 0, 0, 0,                                                         \
    L(BatchNormalization_updateOutput)(S, o->large, o->y, NULL, NULL, NULL, NULL, o->mean,    \
                                       o->variance, true, 0.1, 0.001))                        \
  X(batch_norm_backward, 2, 32, 0, 0, 0,                                                      \
    L(BatchNormalization_backward)(S, o->large, o->large, o->y, NULL, NULL, NULL, NULL, NULL, \
                                   o->mean, o->variance, true, 1, 0.001))

/* A kernel looks for indices out of range, and one for wrong sizes, which it sums up. */
#define TABLES(X)                                                                             \
  X(lookup, 2, 0, 0, 0, 0,                                                                    \
    L(LookupTable_accGradParameters)(S, o->rows, o->rowGradients, o->table, NULL, NULL, NULL, \
                                     false, 0, 1))                                            \
  X(keys, 3, 0, 0, 0, 0,                                                                      \
    L(IndexLinear_updateOutput)(S, o->rows, -TH_INDEX_BASE, o->entries, o->sizes, o->indices, \
                                o->y, o->table, o->six, o->one, 0))                           \
  X(renorm, 2, 0, 0, 0, 0, L(LookupTable_renorm)(S, o->rows, o->table, 1, 2))

#define FOR_EACH(X) ACTIVATIONS(X) LOSSES(X) WINDOWS(X) CONVOLUTIONS(X) NORMS(X) TABLES(X)

FOR_EACH(COUNTS_FUNCTION)
static const CountsRow rows[] = {FOR_EACH(COUNTS_ENTRY)};

static THCudaTensor *made(int dims, int64_t *size)
{
  THCudaTensor *t = THCudaTensor_new(S);
  THCudaTensor_resizeNd(S, t, dims, size, NULL);
  THCudaTensor_uniform(S, t, 0.25, 0.75);
  return t;
}
#define MADE(...) \
  made((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})

static THCudaLongTensor *below(int64_t count, int64_t limit)
{
  THLongTensor *host = THLongTensor_newWithSize1d(count);
  for (int64_t i = 0; i < count; i++)
    THLongTensor_set1d(host, i, i * 7 % limit + TH_INDEX_BASE);
  THCudaLongTensor *there = THCudaLongTensor_newWithSize1d(S, count);
  THCudaLongTensor_copyLong(S, there, host);
  THLongTensor_free(host);
  return there;
}

static void table(void **state)
{
  Operands o = {.x = MADE(8, 48),
                .g = MADE(8, 48),
                .y = MADE(1),
                .one = MADE(1),
                .element = MADE(1),
                .weight = MADE(1),
                .images = MADE(5, 3, 8, 8),
                .outputs = MADE(5, 4, 6, 6),
                .large = MADE(4, 2, 64, 64),
                .kernels = MADE(4, 27),
                .bias = MADE(4),
                .columns = MADE(1),
                .ones = MADE(1),
                .channel = MADE(2),
                .mean = MADE(2),
                .variance = MADE(2),
                .frames = MADE(3, 7, 4),
                .framesOut = MADE(3, 6, 2),
                .taps = MADE(2, 8),
                .few = MADE(30, 10),
                .scores = MADE(3000, 10),
                .grid = MADE(5, 4, 4, 2),
                .table = MADE(20, 6),
                .rowGradients = MADE(40, 6),
                .gates = MADE(8, 48),
                .gates2 = MADE(8, 48),
                .cell = MADE(8, 12),
                .entries = MADE(40),
                .six = MADE(6),
                .spread = MADE(30),
                .indices = THCudaLongTensor_new(S),
                .targets = below(3000, 10),
                .fewTargets = below(30, 10),
                .rows = below(40, 20),
                .sizes = THCudaLongTensor_newWithSize1d(S, 4)};
  THCudaLongTensor_fill(S, o.sizes, 10);
  CHECK_EQ(counts_differ(rows, sizeof rows / sizeof *rows, &o), 0);
  for (THCudaTensor **t = &o.x; t <= &o.spread; t++)
    THCudaTensor_free(S, *t);
  for (THCudaLongTensor **t = &o.indices; t <= &o.sizes; t++)
    THCudaLongTensor_free(S, *t);
}

int main(void)
{
  setenv("TH_CUDA_CHECK_INDICES", "", 1); /* the default, without waits; other tests set 1 */
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
