/* Memory that the layers of convolutions other than SpatialConvolutionMM take besides their
 * operands: never more than the largest of input, output and the columns of one image for each
 * thread. */
#include "THNNGroups.h"
#include "../layer/memory.h"

typedef struct Layer {
  const struct Row *row;
  THFloatTensor *input, *weight, *bias, *output, *gradOutput, *gradInput, *gradWeight, *gradBias;
  THFloatTensor *table; /* the table of connections, or NULL */
} Layer;

typedef void Call(const Layer *l);

typedef struct Row {
  const char *name;
  Call *forward, *backward, *accumulate;
  int64_t input[5], weight[6], bias[3]; /* sizes, up to the first 0 */
  ptrdiff_t window; /* elements of a window in all planes: a column, of which there is one for each
                     * position of output, or of input where the layer is full */
  int full, frames; /* frames: positions come before the planes of a sequence */
} Row;

#define FUNCTION(NAME, CALLED, ARGUMENTS) \
  static void NAME(const Layer *l)        \
  {                                       \
    THNN_Float##CALLED ARGUMENTS;         \
  }

/* The three functions of a layer, and the arguments that they end with. */
#define LAYER(NAME, FORWARD, BACKWARD, ACCUMULATE)            \
  FUNCTION(NAME##_forward, NAME##_updateOutput, FORWARD)      \
  FUNCTION(NAME##_backward, NAME##_updateGradInput, BACKWARD) \
  FUNCTION(NAME##_accumulate, NAME##_accGradParameters, ACCUMULATE)
#define CALLS(NAME) #NAME, NAME##_forward, NAME##_backward, NAME##_accumulate

#define GIVEN    NULL, l->input
#define OUTPUT   GIVEN, l->output, l->weight, l->bias
#define GRADIENT GIVEN, l->gradOutput, l->gradInput, l->weight
#define SUMS     GIVEN, l->gradOutput, l->gradWeight, l->gradBias

/* The calls of layers with two buffers in all functions; and (below) of layers with one buffer in the backward
 * functions. */
#define USUAL(NAME, ...)                                                              \
  LAYER(NAME, (OUTPUT, NULL, NULL, __VA_ARGS__), (GRADIENT, NULL, NULL, __VA_ARGS__), \
        (SUMS, NULL, NULL, __VA_ARGS__, 1))
#define COLUMNS(NAME, ...)                                                      \
  LAYER(NAME, (OUTPUT, NULL, NULL, __VA_ARGS__), (GRADIENT, NULL, __VA_ARGS__), \
        (SUMS, NULL, NULL, __VA_ARGS__, 1))

/* Sizes, steps and padding in the order of the arguments. */
COLUMNS(SpatialDilatedConvolution, 3, 3, 1, 1, 2, 2, 2, 2)
COLUMNS(SpatialFullConvolution, 4, 4, 2, 2, 1, 1, 0, 0)
COLUMNS(SpatialFullDilatedConvolution, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1)
USUAL(SpatialDepthWiseConvolution, 3, 3, 1, 1, 1, 1)
USUAL(SpatialConvolutionLocal, 3, 3, 1, 1, 1, 1, 28, 28, 28, 28)
USUAL(TemporalRowConvolution, 5, 1, 2, false)
USUAL(VolumetricConvolutionMM, 3, 3, 3, 1, 1, 1, 1, 1, 1)
COLUMNS(VolumetricDilatedConvolution, 3, 3, 3, 1, 1, 1, 2, 2, 2, 2, 2, 2)
COLUMNS(VolumetricConvolution, 1, 1, 1, 1, 1, 1)
USUAL(VolumetricFullConvolution, 4, 4, 4, 2, 2, 2, 1, 1, 1, 0, 0, 0)
USUAL(VolumetricFullDilatedConvolution, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1)
LAYER(TemporalConvolution, (OUTPUT, 5, 1, 256, 256), (GRADIENT, 5, 1), (SUMS, 5, 1, 1))
LAYER(SpatialConvolutionMap, (OUTPUT, l->table, 64, 64, 1, 1),
      (GRADIENT, l->bias, l->table, 64, 64, 1, 1), (SUMS, l->table, 64, 64, 1, 1, 1))
LAYER(SpatialFullConvolutionMap, (OUTPUT, l->table, 64, 64, 2, 2),
      (GRADIENT, l->bias, l->table, 64, 64, 2, 2), (SUMS, l->table, 64, 64, 2, 2, 1))

#define GROUPS(NAME, ...)                                                   \
  static const THNNGroups NAME = {__VA_ARGS__};                             \
  FUNCTION(NAME##_forward, Groups_updateOutput,                             \
           (NULL, &NAME, l->input, l->output, l->weight, l->bias))          \
  FUNCTION(NAME##_backward, Groups_updateGradInput,                         \
           (NULL, &NAME, l->input, l->gradOutput, l->gradInput, l->weight)) \
  FUNCTION(NAME##_accumulate, Groups_accGradParameters,                     \
           (NULL, &NAME, l->input, l->gradOutput, l->gradWeight, l->gradBias, 1))
#define EACH(T, H, W) {T, H, W}
GROUPS(GroupsOfImages, .axes = 2, .groups = 32, .size = EACH(1, 3, 3), .step = EACH(1, 1, 1),
       .pad = EACH(0, 1, 1), .dilation = EACH(1, 1, 1))
GROUPS(FullGroupsOfImages, .axes = 2, .full = true, .groups = 8, .size = EACH(1, 4, 4),
       .step = EACH(1, 2, 2), .pad = EACH(0, 1, 1), .dilation = EACH(1, 1, 1))
GROUPS(GroupsOfVolumes, .axes = 3, .groups = 4, .size = EACH(3, 3, 3), .step = EACH(1, 1, 1),
       .pad = EACH(1, 1, 1), .dilation = EACH(1, 1, 1))
GROUPS(EachPlaneOfVolumes, .axes = 3, .groups = 32, .size = EACH(3, 3, 3), .step = EACH(1, 1, 1),
       .pad = EACH(1, 1, 1), .dilation = EACH(1, 1, 1))
GROUPS(FullGroupsOfVolumes, .axes = 3, .full = true, .groups = 4, .size = EACH(4, 4, 4),
       .step = EACH(2, 2, 2), .pad = EACH(1, 1, 1), .dilation = EACH(1, 1, 1))

/* The layers.  A map connects four inputs with each output. */
static const Row rows[] = {
    {CALLS(SpatialDilatedConvolution), {8, 64, 56, 56}, {64, 64, 3, 3}, {64}, .window = 64 * 9},
    {CALLS(SpatialFullConvolution),
     {8, 64, 28, 28},
     {64, 32, 4, 4},
     {32},
     .window = 32 * 16,
     .full = 1},
    {CALLS(SpatialFullDilatedConvolution),
     {8, 64, 28, 28},
     {64, 32, 3, 3},
     {32},
     .window = 32 * 9,
     .full = 1},
    {CALLS(SpatialDepthWiseConvolution),
     {32, 128, 28, 28},
     {1, 128, 3, 3},
     {1, 128},
     .window = 128 * 9},
    {CALLS(SpatialConvolutionLocal),
     {8, 32, 28, 28},
     {28, 28, 32, 32, 3, 3},
     {32, 28, 28},
     .window = 32 * 9},
    {CALLS(SpatialConvolutionMap), {8, 64, 56, 56}, {256, 3, 3}, {64}, .window = 64 * 9},
    {CALLS(SpatialFullConvolutionMap),
     {8, 64, 28, 28},
     {256, 4, 4},
     {64},
     .window = 64 * 16,
     .full = 1},
    {CALLS(TemporalRowConvolution),
     {16, 256, 512},
     {512, 5},
     {512},
     .window = 512 * 5,
     .frames = 1},
    {CALLS(TemporalConvolution),
     {16, 256, 256},
     {256, 1280},
     {256},
     .window = 256 * 5,
     .frames = 1},
    {CALLS(VolumetricConvolutionMM),
     {2, 16, 16, 28, 28},
     {32, 16, 3, 3, 3},
     {32},
     .window = 16 * 27},
    {CALLS(VolumetricDilatedConvolution),
     {2, 16, 16, 28, 28},
     {32, 16, 3, 3, 3},
     {32},
     .window = 16 * 27},
    {CALLS(VolumetricFullConvolution),
     {2, 32, 8, 14, 14},
     {32, 16, 4, 4, 4},
     {16},
     .window = 16 * 64,
     .full = 1},
    {CALLS(VolumetricFullDilatedConvolution),
     {2, 32, 8, 14, 14},
     {32, 16, 3, 3, 3},
     {16},
     .window = 16 * 27,
     .full = 1},
    {CALLS(VolumetricConvolution), {2, 16, 16, 28, 28}, {32, 16, 3, 3, 3}, {32}, .window = 16 * 27},
    {CALLS(GroupsOfImages), {8, 128, 56, 56}, {128, 4, 3, 3}, {128}, .window = 128 * 9},
    {CALLS(FullGroupsOfImages), {8, 64, 28, 28}, {64, 4, 4, 4}, {32}, .window = 32 * 16, .full = 1},
    {CALLS(GroupsOfVolumes), {2, 32, 16, 28, 28}, {32, 8, 3, 3, 3}, {32}, .window = 32 * 27},
    {CALLS(EachPlaneOfVolumes), {2, 32, 16, 28, 28}, {32, 1, 3, 3, 3}, {32}, .window = 32 * 27},
    {CALLS(FullGroupsOfVolumes),
     {2, 32, 8, 14, 14},
     {32, 4, 4, 4, 4},
     {16},
     .window = 16 * 64,
     .full = 1},
};

static THFloatTensor *new_ones(const int64_t *size, int most)
{
  THFloatTensor *t = THFloatTensor_new();
  int dims = 0;
  while (dims < most && size[dims])
    dims++;
  THFloatTensor_resizeNd(t, dims, (int64_t *)size, NULL);
  THFloatTensor_fill(t, 1);
  return t;
}

static THFloatTensor *new_table(void)
{
  THFloatTensor *t = THFloatTensor_newWithSize2d(256, 2);
  for (int i = 0; i < 256; i++) {
    THFloatTensor_set2d(t, i, 0, (float)((i * 7 + i / 64) % 64 + TH_INDEX_BASE));
    THFloatTensor_set2d(t, i, 1, (float)(i % 64 + TH_INDEX_BASE));
  }
  return t;
}

typedef struct Job {
  Call *call;
  const Layer *layer;
} Job;

static void run(const void *context)
{
  const Job *job = context;
  job->call(job->layer);
}

static void check_row(const Row *row, int threads)
{
  static const char *const names[] = {"output", "gradInput", "gradParameters"};
  Layer l = {.row = row, .output = THFloatTensor_new(), .gradInput = THFloatTensor_new()};
  l.input = new_ones(row->input, 5);
  l.weight = new_ones(row->weight, 6);
  l.bias = new_ones(row->bias, 3);
  l.gradWeight = new_ones(row->weight, 6);
  l.gradBias = new_ones(row->bias, 3);
  l.table = new_table();
  row->forward(&l);
  l.gradOutput = THFloatTensor_newClone(l.output);
  const ptrdiff_t input = THFloatTensor_nElement(l.input);
  const ptrdiff_t output = THFloatTensor_nElement(l.output);
  const THFloatTensor *positions = row->full ? l.input : l.output;
  const ptrdiff_t image = THFloatTensor_nElement((THFloatTensor *)positions) / positions->size[0];
  const ptrdiff_t columns = row->window * (image / positions->size[row->frames ? 2 : 1]) * threads;
  const ptrdiff_t most = THMax(columns, THMax(input, output)) * (ptrdiff_t)sizeof(float);
  Call *const calls[] = {row->forward, row->backward, row->accumulate};
  for (int k = 0; k < 3; k++) {
    const Job job = {calls[k], &l};
    const ptrdiff_t bytes = temporaries(run, &job);
    print_message("%s, %d threads, %s: %td of %td KB\n", row->name, threads, names[k], bytes >> 10,
                  most >> 10);
    CHECK_MSG(bytes <= most, "%s, %s: %td bytes, %td are allowed", row->name, names[k], bytes,
              most);
  }
  THFloatTensor *all[] = {l.input,     l.weight,     l.bias,     l.output, l.gradOutput,
                          l.gradInput, l.gradWeight, l.gradBias, l.table};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THFloatTensor_free(all[i]);
}

static void memory(void **state)
{
  (void)state;
  const int before = THGetNumThreads();
  for (int threads = 1; threads <= 2; threads++) {
    THSetNumThreads(threads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      check_row(&rows[i], threads);
  }
  THSetNumThreads(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
