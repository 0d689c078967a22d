/* Targets and indices out of range that no layer waits to see: nothing follows them, and the next wait for the
 * stream raises the error. */
#include "THCUNN/THCUNN.h"
#include "../THC/thc_test.h"

#define S       thc_state()
#define B       TH_INDEX_BASE
#define L(NAME) THNN_Cuda##NAME
#define MOST    12

typedef struct Operands {
  THCudaTensor *x;                   /* 3 x 4: 0, 1 ... 11 */
  THCudaTensor *image;               /* 1 x 2 x 2: 1, 2, 3, 4 */
  THCudaTensor *ones;                /* 3 x 4 */
  THCudaTensor *one, *three, *four;  /* so many, of 1, 1 and 0 */
  THCudaTensor *entries;             /* (1, 2, 5), (1, 9, 7), (9, 1, 7): of columns 1 ... 4 */
  THCudaTensor *samples;             /* 2 of 1e30 */
  THCudaTensor *r, *s;               /* results: r without elements, s of 3 */
  THCudaLongTensor *target;          /* classes 1, 9, 2 */
  THCudaLongTensor *labels;          /* 3 x 4: lists 1; 9; 2, 9, 3 */
  THCudaLongTensor *cells;           /* 1 x 2 x 2: cells 0, 5, 77, -3 of a plane */
  THCudaLongTensor *offsets, *sizes; /* bags of target: from 0, 2 and 50; one list of 3 */
  THCudaLongTensor *order;           /* 0, 1, 2 */
  THCudaLongTensor *large, *small;   /* lists of 0, 2 and 50; of 0, 2 and 0 */
  THCudaLongTensor *found, *bags;    /* results; bags 0, 1, 8 of 3 */
} Operands;

static THCudaTensor *floats(int64_t a, int64_t b, int64_t c, float first, float step)
{
  float values[MOST];
  THCudaTensor *t = THCudaTensor_newWithSize3d(S, a, b, c);
  for (int64_t i = 0; i < a * b * c; i++)
    values[i] = first + step * (float)i;
  CHECK_CUDA(cudaMemcpy(t->storage->data, values, (size_t)(a * b * c) * sizeof *values,
                        cudaMemcpyHostToDevice));
  if (a == 1 && b == 1)
    THCudaTensor_resize1d(S, t, c);
  else if (a == 1 && c != 2)
    THCudaTensor_resize2d(S, t, b, c);
  return t;
}

static THCudaLongTensor *longs(int64_t count, const int64_t *values)
{
  int64_t moved[MOST];
  THCudaLongTensor *t = THCudaLongTensor_newWithSize1d(S, count);
  for (int64_t i = 0; i < count; i++)
    moved[i] = values[i] + B;
  CHECK_CUDA(cudaMemcpy(t->storage->data, moved, (size_t)count * sizeof *moved,
                        cudaMemcpyHostToDevice));
  return t;
}

static void set_up(Operands *o)
{
  const float entries[] = {1, 2, 5, 1, 9, 7, 9, 1, 7};
  *o = (Operands){.x = floats(1, 3, 4, 0, 1),
                  .image = floats(1, 2, 2, 1, 1),
                  .ones = floats(1, 3, 4, 1, 0),
                  .one = floats(1, 1, 1, 1, 0),
                  .three = floats(1, 1, 3, 1, 0),
                  .four = floats(1, 1, 4, 0, 0),
                  .entries = floats(1, 3, 3, 0, 0),
                  .samples = floats(1, 1, 2, 1e30F, 0),
                  .r = THCudaTensor_new(S),
                  .s = floats(1, 1, 3, 0, 0),
                  .target = longs(3, (int64_t[]){1, 9, 2}),
                  .labels = longs(12, (int64_t[]){1, -1, 0, 0, 9, 0, 0, 0, 2, 9, 3, -1}),
                  .cells = longs(4, (int64_t[]){0, 5, 77, -3}),
                  .offsets = longs(3, (int64_t[]){0, 2, 50}),
                  .sizes = longs(1, (int64_t[]){3 - B}),
                  .order = longs(3, (int64_t[]){0, 1, 2}),
                  .large = longs(3, (int64_t[]){-B, 2 - B, 50 - B}),
                  .small = longs(3, (int64_t[]){-B, 2 - B, -B}),
                  .found = THCudaLongTensor_new(S),
                  .bags = longs(3, (int64_t[]){0, 1, 8})};
  CHECK_CUDA(cudaMemcpy(o->entries->storage->data, entries, sizeof entries,
                        cudaMemcpyHostToDevice));
  THCudaTensor_resize2d(S, o->s, 1, 3);
  THCudaLongTensor_resize2d(S, o->labels, 3, 4);
  THCudaLongTensor_resize3d(S, o->cells, 1, 2, 2);
}

static void tear_down(Operands *o)
{
  for (THCudaTensor **t = &o->x; t <= &o->s; t++)
    THCudaTensor_free(S, *t);
  for (THCudaLongTensor **t = &o->target; t <= &o->bags; t++)
    THCudaLongTensor_free(S, *t);
}

static void check_elements(const THCudaTensor *t, int count, const float *want)
{
  float got[MOST];
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(got, t->storage->data + t->storageOffset, (size_t)count * sizeof *got,
                        cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    CHECK_NEAR(got[i], want[i], 1e-6);
}

/* Losses: a target that is no class counts as ignored, and a label that is none ends its list. */
#define LOSSES(X)                                                                                  \
  X(nll, "argument 3 of an earlier call of THNN_CudaClassNLLCriterion_updateOutput has the value", \
    L(ClassNLLCriterion_updateOutput)(S, o->x, o->target, o->r, false, NULL, o->s, -100, true), r, \
    -11)                                                                                           \
  X(nll_backward, "ClassNLLCriterion_updateGradInput",                                             \
    L(ClassNLLCriterion_updateGradInput)(S, o->x, o->target, o->one, o->r, false, NULL, o->one,    \
                                         -100, true),                                              \
    r, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0)                                                       \
  X(margin, "MultiMarginCriterion_updateOutput",                                                   \
    L(MultiMarginCriterion_updateOutput)(S, o->x, o->target, o->r, false, 1, NULL, 1, false), r,   \
    1.25F, 0, 0.5F)                                                                                \
  X(margin_backward, "MultiMarginCriterion_updateGradInput",                                       \
    L(MultiMarginCriterion_updateGradInput)(S, o->x, o->target, o->three, o->r, false, 1, NULL, 1, \
                                            false),                                                \
    r, 0, -0.5F, 0.25F, 0.25F, 0, 0, 0, 0, 0, 0, -0.25F, 0.25F)                                    \
  X(labels, "MultiLabelMarginCriterion_updateOutput",                                              \
    L(MultiLabelMarginCriterion_updateOutput)(S, o->x, o->labels, o->r, o->s, false, false), r,    \
    1.25F, 0, 0.5F)

/* Calls with an index out of range: an element that it would read counts as 0, and an element that it would
 * change stays as it is. */
#define INDICES(X)                                                                                 \
  X(unpool, "an index of an earlier call of THNN_CudaSpatialMaxUnpooling_updateOutput",            \
    L(SpatialMaxUnpooling_updateOutput)(S, o->image, o->r, o->cells, 3, 2), r, 1, 0, 0, 0, 0, 2)   \
  X(rows, "argument 2 of an earlier call of THNN_CudaLookupTable_accGradParameters",               \
    L(LookupTable_accGradParameters)(S, o->target, o->ones, o->x, NULL, NULL, NULL, false, -1, 1), \
    x, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12)                                                      \
  X(renorm, "LookupTable_renorm", L(LookupTable_renorm)(S, o->target, o->ones, 1, 1), ones, 1, 1,  \
    1, 1, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F)                                  \
  X(bags, "LookupTableBag_updateOutput",                                                           \
    L(LookupTableBag_updateOutput)(S, o->target, o->offsets, o->x, o->r, o->found, 0, NULL), r, 4, \
    5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0)                                                             \
  X(bag_rows, "LookupTableBag_accGradParameters",                                                  \
    L(LookupTableBag_accGradParameters)(S, o->target, o->ones, o->x, o->bags, NULL, NULL, NULL,    \
                                        false, 0, NULL, 1),                                        \
    x, 0, 1, 2, 3, 5, 6, 7, 8, 8, 9, 10, 11)                                                       \
  X(sparse, "argument 2 of an earlier call of THNN_CudaSparseLinear_updateOutput",                 \
    L(SparseLinear_updateOutput)(S, o->entries, o->s, o->x, o->three), s, 6, 26, 46)

/* Lists of keys get what is left of them; a sample out of range is 0. */
#define SIZES(X)                                                                                  \
  X(keys, "argument 2 of an earlier call of THNN_CudaIndexLinear_updateOutput",                   \
    L(IndexLinear_updateOutput)(S, o->target, -B, o->three, o->sizes, o->found, o->r, o->x,       \
                                o->four, o->s, 0),                                                \
    r, 12, 14, 16, 18)                                                                            \
  X(sizes, "argument 5 of an earlier call of THNN_CudaIndexLinear_updateOutput has the value 50", \
    L(IndexLinear_updateOutput)(S, o->order, -B, o->three, o->large, o->found, o->r, o->x,        \
                                o->four, o->s, 0),                                                \
    r, 0, 0, 0, 0, 4, 6, 8, 10, 8, 9, 10, 11)                                                     \
  X(sums, "has sizes that sum up to 2 instead of 3",                                              \
    L(IndexLinear_updateOutput)(S, o->order, -B, o->three, o->small, o->found, o->r, o->x,        \
                                o->four, o->s, 0),                                                \
    r, 0, 0, 0, 0, 4, 6, 8, 10, 0, 0, 0, 0)                                                       \
  X(probabilities,                                                                                \
    "argument 2 of an earlier call of THNN_CudaBCECriterion_updateOutput has the element",        \
    L(BCECriterion_updateOutput)(S, o->x, o->ones, o->r, false, NULL, true), ones, 1, 1, 1)       \
  X(samples, "has the element 1e+30, which is not from 0 to 1",                                   \
    L(SpatialFractionalMaxPooling_updateOutput)(S, o->image, o->r, 2, 2, 1, 1, o->found,          \
                                                o->samples),                                      \
    r, 1, 2, 3, 4)

#define FOR_EACH(X) LOSSES(X) INDICES(X) SIZES(X)

/* The elements of the result; then the error, once. */
static void check_reported(Operands *o, const THCudaTensor *result, int count, const float *want,
                           const char *text)
{
  check_elements(result, count, want);
  CHECK_RAISES(0, text, THCState_synchronize(S));
  THCState_synchronize(S);
  tear_down(o);
}

#define ROW(NAME, TEXT, STATEMENT, RESULT, ...)                                  \
  static void NAME##_is_reported(void **unused)                                  \
  {                                                                              \
    Operands own, *o = &own;                                                     \
    const float want[] = {__VA_ARGS__};                                          \
    set_up(o);                                                                   \
    STATEMENT;                                                                   \
    check_reported(o, o->RESULT, (int)(sizeof want / sizeof *want), want, TEXT); \
  }
FOR_EACH(ROW)

#define TEST(NAME, TEXT, STATEMENT, RESULT, ...) cmocka_unit_test(NAME##_is_reported),

int main(void)
{
  setenv("TH_CUDA_CHECK_INDICES", "", 1);
  const struct CMUnitTest tests[] = {FOR_EACH(TEST)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
