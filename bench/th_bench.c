/* TH compared with the machine's limits, measured in the same run.
 *
 *     th_bench [--threads N] [--rounds N] [--seconds S] [--filter PREFIX]
 *
 * prints a row of a table of bench/results for each operation. */
#include <getopt.h>

#include "TH/TH.h"
#include "THNN/THNN.h"
#include "aten.h"
#include "digits/net.h"
#include "limits.h"
#include "timing.h"

/* --- what is worked on ----------------------------------------------------------------------- */

enum {
  ELEMENTS = 10000000,
  SIDE = 4096,
  GEMM = 1024,
  SOLVE = 512,
  SVD = 256,
  BATCH = 64,
  ROWS = 10000,
  COLUMNS = 1000
};

static struct {
  THFloatTensor *x, *y, *r;            /* ELEMENTS floats */
  THDoubleTensor *wide;                /* ELEMENTS doubles */
  THFloatTensor *square, *across, *r2; /* SIDE x SIDE, and one of them transposed */
  THFloatTensor *nchw, *nhwc,
      *images;              /* 32 images of 64 x 56 x 56; their channels last; a result */
  THFloatTensor *a, *b, *c; /* GEMM x GEMM */
  THFloatTensor *planes, *windows, *sums, *products; /* of convolutions: 4 x 32 x 64 x 64 ... */
  THFloatTensor *general, *definite, *part;          /* SOLVE x SOLVE, two of them; SVD x SVD */
  THFloatTensor *u, *s, *v;                          /* what LAPACK makes of them */
  THGenerator *generator;
  Network *network;      /* of examples/digits */
  THFloatTensor *digits; /* BATCH images of 8 x 8 */
  THLongTensor *labels;
  THFloatTensor *one, *two, *three;       /* one element each */
  THFloatTensor *rows, *rows2, *selected; /* x and r as ROWS x COLUMNS */
  THLongTensor *row, *indices;            /* each row once; for each element, one of its row */
  THLongTensor *subscripts;
  THByteTensor *bytes;
  THFloatTensor *joined;              /* general next to definite */
  THCharStorage *memory;              /* of a file */
  THByteTensor *mask;                 /* half of it 1 */
  THFloatTensor *normal, *mean, *std; /* nchw, normalized; of its channels */
  THFloatTensor *kernels, *bias;      /* 64 windows of 64 x 3 x 3 */
  THFloatTensor *filtered;            /* what they make of nchw */
  THFloatTensor *gradients, *gradKernels, *buffer1, *buffer2;
  THFloatTensor *pooled;
  THLongTensor *pooledFrom;
} on;

static THFloatTensor *new_filled(THLongStorage *size)
{
  THFloatTensor *t = THFloatTensor_newWithSize(size, NULL);
  float *data = THFloatTensor_data(t);
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(t); i++)
    data[i] = (float)(i % 997) / 499 - 1;
  THLongStorage_free(size);
  return t;
}

static void set_up(void)
{
  on.x = new_filled(THLongStorage_newWithSize1(ELEMENTS));
  on.y = new_filled(THLongStorage_newWithSize1(ELEMENTS));
  on.r = new_filled(THLongStorage_newWithSize1(ELEMENTS));
  on.wide = THDoubleTensor_newWithSize1d(ELEMENTS);
  on.square = new_filled(THLongStorage_newWithSize2(SIDE, SIDE));
  on.across = THFloatTensor_newTranspose(on.square, 0, 1);
  on.r2 = new_filled(THLongStorage_newWithSize2(SIDE, SIDE));
  on.nchw = new_filled(THLongStorage_newWithSize4(32, 64, 56, 56));
  THFloatTensor *chw = THFloatTensor_newTranspose(on.nchw, 1, 2);
  on.nhwc = THFloatTensor_newTranspose(chw, 2, 3);
  THFloatTensor_free(chw);
  on.normal = THFloatTensor_new();
  on.mean = THFloatTensor_new();
  on.std = THFloatTensor_new();
  on.kernels = new_filled(THLongStorage_newWithSize2(64, 64 * 9));
  on.gradKernels = new_filled(THLongStorage_newWithSize2(64, 64 * 9));
  on.bias = new_filled(THLongStorage_newWithSize1(64));
  on.filtered = new_filled(THLongStorage_newWithSize4(32, 64, 56, 56));
  on.gradients = THFloatTensor_new();
  on.buffer1 = THFloatTensor_new();
  on.buffer2 = THFloatTensor_new();
  on.pooled = THFloatTensor_new();
  on.pooledFrom = THLongTensor_new();
  on.images = new_filled(THLongStorage_newWithSize4(32, 56, 56, 64));
  on.a = new_filled(THLongStorage_newWithSize2(GEMM, GEMM));
  on.b = new_filled(THLongStorage_newWithSize2(GEMM, GEMM));
  on.c = new_filled(THLongStorage_newWithSize2(GEMM, GEMM));
  on.one = new_filled(THLongStorage_newWithSize1(1));
  on.two = new_filled(THLongStorage_newWithSize1(1));
  on.three = new_filled(THLongStorage_newWithSize1(1));
  on.planes = new_filled(THLongStorage_newWithSize4(4, 32, 64, 64));
  on.windows = new_filled(THLongStorage_newWithSize4(32, 32, 3, 3));
  on.sums = new_filled(THLongStorage_newWithSize4(4, 32, 62, 62));
  on.products = new_filled(THLongStorage_newWithSize4(32, 32, 3, 3));
  THDoubleTensor_copyFloat(on.wide, on.x);
  on.generator = THGenerator_new();
  THRandom_manualSeed(on.generator, 0);
  on.general = THFloatTensor_newWithSize2d(SOLVE, SOLVE);
  THFloatTensor_uniform(on.general, on.generator, -1, 1);
  on.definite = THFloatTensor_newWithSize2d(SOLVE, SOLVE);
  THFloatTensor_eye(on.definite, SOLVE, SOLVE);
  THFloatTensor *transposed = THFloatTensor_newTranspose(on.general, 0, 1);
  THFloatTensor_addmm(on.definite, 1, on.definite, 1, on.general, transposed);
  THFloatTensor_free(transposed);
  on.part = THFloatTensor_newWithSize2d(SVD, SVD);
  THFloatTensor_uniform(on.part, on.generator, -1, 1);
  on.u = THFloatTensor_new();
  on.s = THFloatTensor_new();
  on.v = THFloatTensor_new();
#ifdef TH_BENCH_ATEN
  aten_start();
#endif
  on.network = network_new(on.generator, 0.5);
  on.digits = new_filled(THLongStorage_newWithSize4(BATCH, 1, 8, 8));
  on.labels = THLongTensor_newWithSize1d(BATCH);
  for (int i = 0; i < BATCH; i++)
    THLongTensor_set1d(on.labels, i, i % 10);
}

/* What is indexed and masked, where the processor cannot guess. */
static void set_up_indices(void)
{
  on.rows = THFloatTensor_newWithStorage2d(on.x->storage, 0, ROWS, COLUMNS, COLUMNS, 1);
  on.rows2 = THFloatTensor_newWithStorage2d(on.r->storage, 0, ROWS, COLUMNS, COLUMNS, 1);
  on.row = THLongTensor_newWithSize1d(ROWS);
  on.indices = THLongTensor_newWithSize2d(ROWS, COLUMNS);
  on.mask = THByteTensor_newWithSize1d(ELEMENTS);
  on.subscripts = THLongTensor_new();
  on.bytes = THByteTensor_new();
  on.joined = THFloatTensor_new();
  on.memory = THCharStorage_newWithSize(GEMM * GEMM * sizeof(float) + 1);
  on.selected = THFloatTensor_new();
  THLongTensor_randperm(on.row, on.generator, ROWS);
  for (int64_t i = 0; i < ELEMENTS; i++) {
    const uint32_t random = (uint32_t)i * 2654435761u >> 12;
    THLongTensor_data(on.indices)[i] = random % COLUMNS + TH_INDEX_BASE;
    THByteTensor_data(on.mask)[i] = random >> 9 & 1;
  }
  if (TH_INDEX_BASE)
    THLongTensor_add(on.row, on.row, TH_INDEX_BASE);
}

static float *data(THFloatTensor *t)
{
  return THFloatTensor_data(t);
}

/* --- ours ------------------------------------------------------------------------------------ */

static void fill(void *unused)
{
  THFloatTensor_fill(on.r, 2.5f);
}

static void copy(void *unused)
{
  THFloatTensor_copy(on.r, on.x);
}

static void widen(void *unused)
{
  THDoubleTensor_copyFloat(on.wide, on.x);
}

static void add(void *unused)
{
  THFloatTensor_cadd(on.r, on.x, 1, on.y);
}

static void mul(void *unused)
{
  THFloatTensor_mul(on.r, on.x, 1.5f);
}

static void exponential(void *unused)
{
  THFloatTensor_exp(on.r, on.x);
}

static volatile double sink;

static void sum(void *unused)
{
  sink = THFloatTensor_sumall(on.x);
}

static void copy_transposed(void *unused)
{
  THFloatTensor_copy(on.r2, on.across);
}

static void copy_nhwc(void *unused)
{
  THFloatTensor_copy(on.images, on.nhwc);
}

static void sum_columns(void *unused)
{
  THFloatTensor_sum(on.selected, on.rows, 0, 0);
}

static void sum_rows(void *unused)
{
  THFloatTensor_sum(on.selected, on.rows, 1, 0);
}

static void variance(void *unused)
{
  THFloatTensor_var(on.selected, on.rows, 1, 0, 0);
}

static void cumulate(void *unused)
{
  THFloatTensor_cumsum(on.rows2, on.rows, 1);
}

static void sort(void *unused)
{
  THFloatTensor_sort(on.r, on.subscripts, on.x, 0, 0);
}

static void sort_rows(void *unused)
{
  THFloatTensor_sort(on.rows2, on.subscripts, on.rows, 1, 0);
}

static void topk(void *unused)
{
  THFloatTensor_topk(on.selected, on.subscripts, on.rows, 10, 1, 1, 1);
}

static void compare(void *unused)
{
  THFloatTensor_ltTensor(on.bytes, on.x, on.y);
}

static void uniform(void *unused)
{
  THFloatTensor_uniform(on.r, on.generator, 0, 1);
}

static void normal(void *unused)
{
  THFloatTensor_normal(on.r, on.generator, 0, 1);
}

static void cat(void *unused)
{
  THFloatTensor_cat(on.joined, on.general, on.definite, 1);
}

static void write_and_read(void *unused)
{
  THFile *file = THMemoryFile_newWithStorage(on.memory, "rw");
  THFile_binary(file);
  THFile_writeFloatRaw(file, data(on.a), GEMM * GEMM);
  THFile_seek(file, 0);
  THFile_readFloatRaw(file, data(on.c), GEMM * GEMM);
  THFile_free(file);
}

static void gemm(void *unused)
{
  THFloatTensor_addmm(on.c, 0, on.c, 1, on.a, on.b);
}

static void convolve(void *unused)
{
  THFloatTensor_conv2Dmm(on.sums, 0, 1, on.planes, on.windows, 1, 1, "V", "X");
}

static void convolve_reverse(void *unused)
{
  THFloatTensor_conv2DRevgerm(on.products, 0, 1, on.planes, on.sums, 1, 1);
}

static void gesv(void *unused)
{
  THFloatTensor_gesv(on.u, on.v, on.definite, on.general);
}

static void potrf(void *unused)
{
  THFloatTensor_potrf(on.u, on.definite, "L");
}

static void gesvd(void *unused)
{
  THFloatTensor_gesvd(on.u, on.s, on.v, on.part, "S");
}

static void index_select(void *unused)
{
  THFloatTensor_indexSelect(on.rows2, on.rows, 0, on.row);
}

static void index_add(void *unused)
{
  THFloatTensor_indexAdd(on.rows2, 0, on.row, on.rows);
}

static void gather(void *unused)
{
  THFloatTensor_gather(on.rows2, on.rows, 1, on.indices);
}

static void scatter_add(void *unused)
{
  THFloatTensor_scatterAdd(on.rows2, 1, on.indices, on.rows);
}

static void masked_fill(void *unused)
{
  THFloatTensor_maskedFill(on.r, on.mask, 1);
}

static void masked_select(void *unused)
{
  THFloatTensor_maskedSelect(on.selected, on.x, on.mask);
}

static void nonzero(void *unused)
{
  THByteTensor_nonzero(on.subscripts, on.mask);
}

/* Forward, backward and a step of descent, too small to change anything. */
static void train_digits(void *unused)
{
  network_forward(on.network, on.digits, 1);
  sink = network_loss(on.network, on.labels);
  network_backward(on.network);
  network_step(on.network, 1e-9, 0.9);
}

static void view(void *unused)
{
  THFloatTensor_free(THFloatTensor_newSelect(on.a, 0, 7));
}

static void add_one(void *unused)
{
  THFloatTensor_cadd(on.one, on.two, 1, on.three);
}

/* --- the machine's --------------------------------------------------------------------------- */

/* around is 1 where context points at something: stores that pass the caches by. */
static void limit_of_fill(void *around)
{
  limit_fill(data(on.r), ELEMENTS, around != NULL);
}

static void limit_of_copy(void *around)
{
  limit_copy(data(on.r), data(on.x), ELEMENTS, around != NULL);
}

static void limit_of_add(void *around)
{
  limit_add(data(on.r), data(on.x), data(on.y), ELEMENTS, around != NULL);
}

static void limit_of_widening(void *around)
{
  limit_widen(THDoubleTensor_data(on.wide), data(on.x), ELEMENTS, around != NULL);
}

static void limit_of_reading(void *unused)
{
  sink = limit_read(data(on.x), ELEMENTS);
}

static void limit_of_square(void *around)
{
  limit_copy(data(on.r2), data(on.square), (ptrdiff_t)SIDE * SIDE, around != NULL);
}

static void limit_of_images(void *around)
{
  limit_copy(data(on.images), data(on.nchw), 32 * 64 * 56 * 56, around != NULL);
}

static void limit_of_joined(void *around)
{
  limit_copy(data(on.r), data(on.x), 2 * SOLVE * SOLVE, around != NULL);
}

/* Into the file and out of it. */
static void limit_of_file(void *around)
{
  limit_copy(data(on.b), data(on.a), GEMM * GEMM, around != NULL);
  limit_copy(data(on.c), data(on.b), GEMM * GEMM, around != NULL);
}

static double flops_done;

static void limit_of_flops(void *unused)
{
  flops_done = limit_flops();
}

static void limit_of_malloc(void *unused)
{
  limit_malloc();
}

/* Multiplications and additions of the network for one image: two convolutions and two full layers
 * forward; backward the same for the weights, and again for the inputs of all but the first. */
#define DIGITS_CONV1  (2.0 * 32 * 9 * 64)
#define DIGITS_OTHERS (2.0 * (64 * 288 * 16 + 256 * 128 + 128 * 10))
#define DIGITS_FLOPS  (BATCH * (2 * DIGITS_CONV1 + 3 * DIGITS_OTHERS))

#define CONV_FLOPS  (2.0 * 4 * 32 * 32 * 62 * 62 * 9)
#define LAYER_FLOPS (2.0 * 32 * 64 * 64 * 56 * 56 * 9)

static void tanh_layer(void *unused)
{
  THNN_FloatTanh_updateOutput(NULL, on.x, on.r);
}

static void log_soft_max(void *unused)
{
  THNN_FloatLogSoftMax_updateOutput(NULL, on.rows, on.rows2, 1);
}

static void batch_norm(void *unused)
{
  THNN_FloatBatchNormalization_updateOutput(NULL, on.nchw, on.normal, NULL, NULL, NULL, NULL,
                                            on.mean, on.std, true, 0.1, 1e-5);
}

static void lookup_table(void *unused)
{
  THNN_FloatLookupTable_accGradParameters(NULL, on.row, on.rows, on.rows2, NULL, NULL, NULL, false,
                                          -1, 1);
}

static void layer_forward(void *unused)
{
  THNN_FloatSpatialConvolutionMM_updateOutput(NULL, on.nchw, on.filtered, on.kernels, on.bias,
                                              on.buffer1, on.buffer2, 3, 3, 1, 1, 1, 1);
}

static void layer_backward(void *unused)
{
  THNN_FloatSpatialConvolutionMM_updateGradInput(NULL, on.nchw, on.filtered, on.gradients,
                                                 on.kernels, on.buffer1, on.buffer2, 3, 3, 1, 1, 1,
                                                 1);
}

static void layer_weights(void *unused)
{
  THNN_FloatSpatialConvolutionMM_accGradParameters(NULL, on.nchw, on.filtered, on.gradKernels, NULL,
                                                   on.buffer1, on.buffer2, 3, 3, 1, 1, 1, 1, 1e-9);
}

static void max_pool(void *unused)
{
  THNN_FloatSpatialMaxPooling_updateOutput(NULL, on.nchw, on.pooled, on.pooledFrom, 3, 3, 2, 2, 1,
                                           1, false);
}

/* --- the table ------------------------------------------------------------------------------- */

typedef struct Row {
  const char *name, *shape;
  BenchBody ours;
  const char *limit_name;
  BenchBody limit;
  double flops; /* of ours, where the limit is arithmetic */
} Row;

static const Row rows[] = {
    {"fill", "1e7", fill, "fill", limit_of_fill, 0},
    {"copy", "1e7", copy, "copy", limit_of_copy, 0},
    {"copy transposed", "4096 x 4096", copy_transposed, "copy", limit_of_square, 0},
    {"copy NCHW to NHWC", "32 x 64 x 56 x 56", copy_nhwc, "copy", limit_of_images, 0},
    {"convert float to double", "1e7", widen, "convert", limit_of_widening, 0},
    {"cadd", "1e7", add, "add", limit_of_add, 0},
    {"mul", "1e7", mul, "copy", limit_of_copy, 0},
    {"exp", "1e7", exponential, "copy", limit_of_copy, 0},
    {"sumall", "1e7", sum, "read", limit_of_reading, 0},
    {"sum", "10000 x 1000, dim 0", sum_columns, "read", limit_of_reading, 0},
    {"sum", "10000 x 1000, dim 1", sum_rows, "read", limit_of_reading, 0},
    {"var", "10000 x 1000, dim 1", variance, "read", limit_of_reading, 0},
    {"cumsum", "10000 x 1000, dim 1", cumulate, "copy", limit_of_copy, 0},
    {"sort", "1e7", sort, "copy", limit_of_copy, 0},
    {"sort", "10000 x 1000, dim 1", sort_rows, "copy", limit_of_copy, 0},
    {"topk 10", "10000 x 1000, dim 1", topk, "read", limit_of_reading, 0},
    {"ltTensor", "1e7", compare, "add", limit_of_add, 0},
    {"uniform", "1e7", uniform, "fill", limit_of_fill, 0},
    {"normal", "1e7", normal, "fill", limit_of_fill, 0},
    {"cat", "512 x 512 twice, dim 1", cat, "copy", limit_of_joined, 0},
    {"memory file", "4 MB written, read", write_and_read, "copy", limit_of_file, 0},
    {"addmm", "1024 x 1024 x 1024", gemm, "FMA peak", limit_of_flops, 2.0 * GEMM *GEMM *GEMM},
    {"conv2Dmm", "4 x 32 x 64 x 64, 32 x 3 x 3", convolve, "FMA peak", limit_of_flops, CONV_FLOPS},
    {"conv2DRevgerm", "4 x 32 x 64 x 64, 32 x 62 x 62", convolve_reverse, "FMA peak",
     limit_of_flops, CONV_FLOPS},
    {"gesv", "512 x 512, 512 right sides", gesv, "FMA peak", limit_of_flops,
     (2 / 3.0 + 2) * SOLVE *SOLVE *SOLVE},
    {"potrf", "512 x 512", potrf, "FMA peak", limit_of_flops, 1 / 3.0 * SOLVE *SOLVE *SOLVE},
    {"gesvd", "256 x 256", gesvd, "FMA peak", limit_of_flops, 22.0 * SVD *SVD *SVD},
    {"indexSelect", "10000 x 1000, dim 0", index_select, "copy", limit_of_copy, 0},
    {"indexAdd", "10000 x 1000, dim 0", index_add, "add", limit_of_add, 0},
    {"gather", "10000 x 1000, dim 1", gather, "copy", limit_of_copy, 0},
    {"scatterAdd", "10000 x 1000, dim 1", scatter_add, "add", limit_of_add, 0},
    {"maskedFill", "1e7, half", masked_fill, "copy", limit_of_copy, 0},
    {"maskedSelect", "1e7, half", masked_select, "copy", limit_of_copy, 0},
    {"nonzero", "1e7 bytes, half", nonzero, "copy", limit_of_copy, 0},
    {"Tanh", "1e7", tanh_layer, "copy", limit_of_copy, 0},
    {"LogSoftMax", "10000 x 1000, dim 1", log_soft_max, "copy", limit_of_copy, 0},
    {"SpatialConvolutionMM", "32 x 64 x 56 x 56, 64 of 3 x 3", layer_forward, "FMA peak",
     limit_of_flops, LAYER_FLOPS},
    {"its gradInput", "32 x 64 x 56 x 56, 64 of 3 x 3", layer_backward, "FMA peak", limit_of_flops,
     LAYER_FLOPS},
    {"its gradWeight", "32 x 64 x 56 x 56, 64 of 3 x 3", layer_weights, "FMA peak", limit_of_flops,
     LAYER_FLOPS},
    {"SpatialMaxPooling", "32 x 64 x 56 x 56, 3 x 3 by 2", max_pool, "copy", limit_of_images, 0},
    {"BatchNormalization", "32 x 64 x 56 x 56", batch_norm, "copy", limit_of_images, 0},
    {"LookupTable gradient", "10000 x 1000", lookup_table, "add", limit_of_add, 0},
    {"digits training step", "batch of 64", train_digits, "FMA peak", limit_of_flops, DIGITS_FLOPS},
    {"view made and freed", "1024 of 1024 x 1024", view, "malloc + free 64 B", limit_of_malloc, 0},
    {"cadd", "1", add_one, "malloc + free 64 B", limit_of_malloc, 0},
#ifdef TH_BENCH_ATEN
    {"at_select, at_release", "1024 of 1024 x 1024", aten_view, "malloc + free 64 B",
     limit_of_malloc, 0},
    {"at_add_out", "1", aten_add, "malloc + free 64 B", limit_of_malloc, 0},
    {"at_add, at_release", "1", aten_sum, "malloc + free 64 B", limit_of_malloc, 0},
#endif
};

static double limit_time(const Row *row, double budget)
{
  double best = bench_time(row->limit, NULL, budget / 2);
  const double other = bench_time(row->limit, &best, budget / 2);
  best = THMin(best, other);
  return row->flops ? best * row->flops / flops_done : best;
}

static const char *in_units(double seconds)
{
  static char text[2][32];
  static int turn;
  char *t = text[turn = !turn];
  if (seconds < 1e-6)
    snprintf(t, sizeof text[0], "%.0f ns", seconds * 1e9);
  else if (seconds < 1e-3)
    snprintf(t, sizeof text[0], "%.1f us", seconds * 1e6);
  else
    snprintf(t, sizeof text[0], "%.2f ms", seconds * 1e3);
  return t;
}

enum { MOST_ROUNDS = 99 };

static void measure(const Row *row, int rounds, double budget)
{
  double ours[MOST_ROUNDS], limit[MOST_ROUNDS], ratio[MOST_ROUNDS];
  for (int k = 0; k < rounds; k++) {
    ours[k] = bench_time(row->ours, NULL, budget);
    limit[k] = limit_time(row, budget);
    ratio[k] = limit[k] / ours[k];
  }
  printf("| %s | %s | %d | %s | %s %s | %.2f |\n", row->name, row->shape, THGetNumThreads(),
         in_units(bench_median(ours, rounds)), row->limit_name,
         in_units(bench_median(limit, rounds)), bench_median(ratio, rounds));
  fflush(stdout);
}

int main(int argc, char **argv)
{
  int rounds = 5;
  double seconds = 0.1;
  const char *filter = "";
  static const struct option options[] = {{"threads", required_argument, NULL, 't'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"filter", required_argument, NULL, 'f'},
                                          {0}};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    switch (option) {
      case 't':
        THSetNumThreads(atoi(optarg));
        break;
      case 'r':
        rounds = atoi(optarg);
        break;
      case 's':
        seconds = atof(optarg);
        break;
      case 'f':
        filter = optarg;
        break;
      default:
        return 2;
    }
  }
  if (rounds < 1 || rounds > MOST_ROUNDS || !(seconds > 0)) {
    fprintf(stderr, "th_bench: --rounds takes 1 to %d, --seconds more than 0\n", MOST_ROUNDS);
    return 2;
  }
  set_up();
  set_up_indices();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strncmp(rows[i].name, filter, strlen(filter)))
      measure(&rows[i], rounds, seconds);
  return 0;
}
