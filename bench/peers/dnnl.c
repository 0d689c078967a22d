/* Convolutions of TH compared with oneDNN's, in turn, on the same elements.
 *
 *     th_dnnl [--threads N] [--rounds N] [--seconds S] [--filter FAMILY] [--lines]
 *
 * prints a row of a table of bench/results for each; with --lines the lines of th_torch instead, of those
 * that are rows there, and of products of matrices (dnnl_products.c).  oneDNN computes each
 * convolution in several ways, and the fastest counts: from plain images to plain images, as TH
 * does, with what it takes to reorder them; and in layouts of its own, which a network may keep
 * from layer to layer.  What each way computes is compared with TH's result first. */
#include <getopt.h>
#include <math.h>

#include "../timing.h"
#include "dnnl.h"
#include "TH/TH.h"
#include "THNN/THNN.h"

typedef struct {
  int batch, planes, side, outputs, window, step, pad, groups;
  const char *row; /* of th_torch; NULL if there is none */
} Shape;

static const Shape shapes[] = {
    {32, 64, 56, 64, 3, 1, 1, 1, "3x3.64"},    {32, 256, 14, 256, 3, 1, 1, 1, "3x3.256"},
    {32, 512, 7, 512, 3, 1, 1, 1, NULL},       {32, 128, 56, 128, 3, 2, 1, 1, NULL},
    {32, 3, 224, 64, 7, 2, 3, 1, "7x7s2"},     {32, 256, 56, 64, 1, 1, 0, 1, "1x1"},
    {32, 512, 7, 2048, 1, 1, 0, 1, NULL},      {32, 256, 56, 512, 1, 2, 0, 1, NULL},
    {32, 128, 28, 128, 3, 1, 1, 128, "dw3x3"},
};

typedef enum { FORWARD, GRAD_INPUT, GRAD_WEIGHT, DIRECTIONS } Direction;

static const char *const suffixes[DIRECTIONS] = {"fwd", "bwd_in", "bwd_w"}; /* of rows */
static const char *const names[DIRECTIONS] = {"SpatialConvolutionMM", "its gradInput",
                                              "its gradWeight"};

dnnl_engine_t engine;
dnnl_stream_t stream;

void check_status(dnnl_status_t status, const char *what)
{
  if (status == dnnl_success)
    return;
  fprintf(stderr, "th_dnnl: %s: status %d\n", what, (int)status);
  exit(1);
}

/* --- TH -------------------------------------------------------------------------------------- */

typedef struct {
  const Shape *s;
  Direction direction;
  THFloatTensor *x, *weight, *y, *bias;               /* given */
  THFloatTensor *gradX, *gradWeight, *out, *gradBias; /* computed */
} Ours;

static THFloatTensor *new_random(int64_t a, int64_t b, int64_t c, int64_t d)
{
  static uint32_t state = 1;
  THFloatTensor *t = THFloatTensor_newWithSize4d(a, b, c, d);
  float *data = THFloatTensor_data(t);
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(t); i++) {
    state = state * 1664525 + 1013904223;
    data[i] = (float)(state >> 8) / (1 << 23) - 1;
  }
  return t;
}

static int64_t side_of_output(const Shape *s)
{
  return (s->side + 2 * s->pad - s->window) / s->step + 1;
}

static Ours new_ours(const Shape *s)
{
  const int64_t out = side_of_output(s);
  Ours o = {.s = s};
  o.x = new_random(s->batch, s->planes, s->side, s->side);
  o.y = new_random(s->batch, s->outputs, out, out);
  /* Depth-wise, TH has the outputs of a plane before the planes: here there is one. */
  const int64_t rows = s->groups > 1 ? 1 : s->outputs;
  const int64_t columns = s->groups > 1 ? s->groups : s->planes;
  o.weight = new_random(rows, columns, s->window, s->window);
  THFloatTensor *bias = new_random(1, 1, 1, s->outputs);
  o.bias = THFloatTensor_newWithStorage1d(bias->storage, 0, s->outputs, 1);
  THFloatTensor_free(bias);
  o.gradX = THFloatTensor_new();
  o.out = THFloatTensor_new();
  o.gradWeight = new_random(rows, columns, s->window, s->window);
  o.gradBias = THFloatTensor_newWithSize1d(s->outputs);
  return o;
}

static void free_ours(Ours *o)
{
  THFloatTensor *all[] = {o->x,     o->weight,     o->y,   o->bias,
                          o->gradX, o->gradWeight, o->out, o->gradBias};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THFloatTensor_free(all[i]);
}

#define WINDOWS s->window, s->window, s->step, s->step, s->pad, s->pad

static void ours(void *context)
{
  const Ours *o = context;
  const Shape *s = o->s;
  const int deep = s->groups == 1;
  if (o->direction == FORWARD)
    (deep ? THNN_FloatSpatialConvolutionMM_updateOutput
          : THNN_FloatSpatialDepthWiseConvolution_updateOutput)(NULL, o->x, o->out, o->weight,
                                                                o->bias, NULL, NULL, WINDOWS);
  else if (o->direction == GRAD_INPUT)
    (deep ? THNN_FloatSpatialConvolutionMM_updateGradInput
          : THNN_FloatSpatialDepthWiseConvolution_updateGradInput)(NULL, o->x, o->y, o->gradX,
                                                                   o->weight, NULL, NULL, WINDOWS);
  else
    (deep ? THNN_FloatSpatialConvolutionMM_accGradParameters
          : THNN_FloatSpatialDepthWiseConvolution_accGradParameters)(NULL, o->x, o->y,
                                                                     o->gradWeight, o->gradBias,
                                                                     NULL, NULL, WINDOWS, 1);
}

static THFloatTensor *our_result(const Ours *o)
{
  return o->direction == FORWARD ? o->out : o->direction == GRAD_INPUT ? o->gradX : o->gradWeight;
}

/* --- oneDNN ---------------------------------------------------------------------------------- */

/* One way to compute a convolution.  The operands are x, weight, y and bias. */
enum { X, WEIGHT, Y, BIAS, OPERANDS };

typedef struct {
  dnnl_primitive_t primitive, reorder[OPERANDS];
  dnnl_memory_t plain[OPERANDS], own[OPERANDS]; /* the same ones where the layouts are */
  dnnl_exec_arg_t argument[OPERANDS], reorderArgument[OPERANDS][2];
  int arguments, result;
  int64_t workspace; /* bytes: scratch memory and reordered copies */
} Way;

static const int argumentOf[DIRECTIONS][OPERANDS] = {
    {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS},
    {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, 0},
    {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_BIAS}};

static void execute(void *context)
{
  const Way *w = context;
  CHECK(dnnl_primitive_execute(w->primitive, stream, w->arguments, w->argument));
  CHECK(dnnl_stream_wait(stream));
}

static void reorder_operand(const Way *w, int i)
{
  if (w->reorder[i])
    CHECK(dnnl_primitive_execute(w->reorder[i], stream, 2, w->reorderArgument[i]));
}

static void execute_from_plain(void *context)
{
  const Way *w = context;
  for (int i = 0; i < OPERANDS; i++)
    if (i != w->result)
      reorder_operand(w, i);
  CHECK(dnnl_primitive_execute(w->primitive, stream, w->arguments, w->argument));
  reorder_operand(w, w->result);
  CHECK(dnnl_stream_wait(stream));
}

static void plain_layouts(const Shape *s, dnnl_memory_desc_t *plain)
{
  const int64_t out = side_of_output(s), k = s->window, g = s->groups;
  CHECK(dnnl_memory_desc_init_by_tag(&plain[X], 4,
                                     (dnnl_dims_t){s->batch, s->planes, s->side, s->side}, dnnl_f32,
                                     dnnl_nchw));
  CHECK(dnnl_memory_desc_init_by_tag(&plain[Y], 4, (dnnl_dims_t){s->batch, s->outputs, out, out},
                                     dnnl_f32, dnnl_nchw));
  if (g > 1)
    CHECK(dnnl_memory_desc_init_by_tag(&plain[WEIGHT], 5,
                                       (dnnl_dims_t){g, s->outputs / g, s->planes / g, k, k},
                                       dnnl_f32, dnnl_goihw));
  else
    CHECK(dnnl_memory_desc_init_by_tag(&plain[WEIGHT], 4,
                                       (dnnl_dims_t){s->outputs, s->planes, k, k}, dnnl_f32,
                                       dnnl_oihw));
  CHECK(dnnl_memory_desc_init_by_tag(&plain[BIAS], 1, (dnnl_dims_t){s->outputs}, dnnl_f32, dnnl_a));
}

/* The description of the convolution, with layouts of oneDNN's choice unless it is asked for plain
 * ones; NULL if it cannot. */
static dnnl_primitive_desc_t describe(const Shape *s, Direction direction,
                                      dnnl_alg_kind_t algorithm, int keepsPlain,
                                      const dnnl_memory_desc_t *plain)
{
  dnnl_memory_desc_t d[OPERANDS];
  for (int i = 0; i < OPERANDS; i++) {
    d[i] = plain[i];
    if (!keepsPlain && i != BIAS)
      CHECK(dnnl_memory_desc_init_by_tag(&d[i], plain[i].ndims, plain[i].dims, dnnl_f32,
                                         dnnl_format_tag_any));
  }
  const dnnl_dims_t step = {s->step, s->step}, pad = {s->pad, s->pad};
  dnnl_convolution_desc_t forward, other;
  dnnl_primitive_desc_t hint, made;
  if (dnnl_convolution_forward_desc_init(&forward, dnnl_forward_training, algorithm, &d[X],
                                         &d[WEIGHT], &d[BIAS], &d[Y], step, pad, pad) ||
      dnnl_primitive_desc_create(&hint, &forward, NULL, engine, NULL))
    return NULL;
  if (direction == FORWARD)
    return hint;
  const dnnl_status_t status =
      direction == GRAD_INPUT
          ? dnnl_convolution_backward_data_desc_init(&other, algorithm, &d[X], &d[WEIGHT], &d[Y],
                                                     step, pad, pad)
          : dnnl_convolution_backward_weights_desc_init(&other, algorithm, &d[X], &d[WEIGHT],
                                                        &d[BIAS], &d[Y], step, pad, pad);
  if (status || dnnl_primitive_desc_create(&made, &other, NULL, engine, hint))
    made = NULL;
  dnnl_primitive_desc_destroy(hint);
  return made;
}

/* Whether there is such a way; plain holds the elements of the operands in plain layouts. */
static int way_of(Way *w, const Shape *s, Direction direction, dnnl_alg_kind_t algorithm,
                  int keepsPlain, float *const *elements)
{
  *w = (Way){.result = direction == FORWARD ? Y : direction == GRAD_INPUT ? X : WEIGHT};
  dnnl_memory_desc_t plain[OPERANDS];
  plain_layouts(s, plain);
  dnnl_primitive_desc_t d = describe(s, direction, algorithm, keepsPlain, plain);
  if (!d)
    return 0;
  CHECK(dnnl_primitive_create(&w->primitive, d));
  const dnnl_query_t what[] = {dnnl_query_src_md,          dnnl_query_weights_md,
                               dnnl_query_dst_md,          dnnl_query_diff_src_md,
                               dnnl_query_diff_weights_md, dnnl_query_diff_dst_md};
  CHECK(dnnl_primitive_desc_query(d, dnnl_query_memory_consumption_s64, 0, &w->workspace));
  for (int i = 0; i < OPERANDS; i++) {
    if (!argumentOf[direction][i])
      continue;
    const int differs = direction != FORWARD && (i == Y || i == w->result);
    const dnnl_memory_desc_t *own =
        i == BIAS ? &plain[i] : dnnl_primitive_desc_query_md(d, what[i + 3 * differs], 0);
    CHECK(dnnl_memory_create(&w->plain[i], &plain[i], engine, elements[i]));
    w->own[i] = w->plain[i];
    if (!dnnl_memory_desc_equal(own, &plain[i])) {
      CHECK(dnnl_memory_create(&w->own[i], own, engine, DNNL_MEMORY_ALLOCATE));
      w->workspace += (int64_t)dnnl_memory_desc_get_size(own);
      const dnnl_memory_desc_t *from = i == w->result ? own : &plain[i];
      const dnnl_memory_desc_t *to = i == w->result ? &plain[i] : own;
      dnnl_primitive_desc_t r;
      CHECK(dnnl_reorder_primitive_desc_create(&r, from, engine, to, engine, NULL));
      CHECK(dnnl_primitive_create(&w->reorder[i], r));
      dnnl_primitive_desc_destroy(r);
      w->reorderArgument[i][0] =
          (dnnl_exec_arg_t){DNNL_ARG_FROM, i == w->result ? w->own[i] : w->plain[i]};
      w->reorderArgument[i][1] =
          (dnnl_exec_arg_t){DNNL_ARG_TO, i == w->result ? w->plain[i] : w->own[i]};
    }
    w->argument[w->arguments++] = (dnnl_exec_arg_t){argumentOf[direction][i], w->own[i]};
  }
  dnnl_primitive_desc_destroy(d);
  return 1;
}

static void free_way(Way *w)
{
  for (int i = 0; i < OPERANDS; i++) {
    if (w->reorder[i])
      dnnl_primitive_destroy(w->reorder[i]);
    if (w->own[i] != w->plain[i])
      dnnl_memory_destroy(w->own[i]);
    if (w->plain[i])
      dnnl_memory_destroy(w->plain[i]);
  }
  dnnl_primitive_destroy(w->primitive);
}

/* --- side by side ---------------------------------------------------------------------------- */

enum { WAYS = 3 };

static const struct {
  const char *name;
  dnnl_alg_kind_t algorithm;
  int keepsPlain;
} ways[WAYS] = {{"plain", dnnl_convolution_direct, 1},
                {"direct", dnnl_convolution_direct, 0},
                {"Winograd", dnnl_convolution_winograd, 0}};

static void compare(Ours *o, Way *w, const char *name, float *const *elements)
{
  THFloatTensor *result = our_result(o);
  THFloatTensor_zero(o->gradWeight);
  ours(o);
  execute_from_plain(w);
  double difference = 0, norm = 0;
  const float *a = THFloatTensor_data(result), *b = elements[w->result];
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(result); i++) {
    difference += (double)(a[i] - b[i]) * (a[i] - b[i]);
    norm += (double)b[i] * b[i];
  }
  if (!(sqrt(difference) <= 1e-4 * sqrt(norm))) {
    fprintf(stderr, "th_dnnl: %s, %s: relative difference of %.1e\n", names[o->direction], name,
            sqrt(difference / norm));
    exit(1);
  }
}

/* Times of each round, and which ways were the fastest. */
typedef struct {
  double mine[MOST_ROUNDS], plain[MOST_ROUNDS], own[MOST_ROUNDS];
  double overPlain[MOST_ROUNDS], overOwn[MOST_ROUNDS];
  int bestPlain, bestOwn;
} Times;

static void time_rounds(Times *t, Ours *o, Way *all, const int *there, int rounds, double budget)
{
  for (int k = 0; k < rounds; k++) {
    t->mine[k] = bench_time(ours, o, budget);
    t->plain[k] = t->own[k] = INFINITY;
    for (int i = 0; i < WAYS; i++) {
      if (!there[i])
        continue;
      const double whole = bench_time(execute_from_plain, &all[i], budget);
      const double alone = bench_time(execute, &all[i], budget);
      if (whole < t->plain[k])
        t->plain[k] = whole, t->bestPlain = i;
      if (alone < t->own[k])
        t->own[k] = alone, t->bestOwn = i;
    }
    t->overPlain[k] = t->plain[k] / t->mine[k];
    t->overOwn[k] = t->own[k] / t->mine[k];
  }
}

static void print_times(const Times *t, const Ours *o, const Way *all, int rounds, int threads,
                        int lines)
{
  const Shape *s = o->s;
  char step[16] = "";
  if (s->step > 1)
    snprintf(step, sizeof step, " by %d", s->step);
  if (lines)
    printf("convolution\tconv.%s.%s\t\t%d\t1\toneDNN\t%.6g\t%.4g\n", s->row, suffixes[o->direction],
           threads, bench_median(t->plain, rounds), bench_median(t->overPlain, rounds));
  else
    printf(
        "| %s | %d x %d x %d x %d, %d of %d x %d%s | %d | %.2f ms | %.2f ms (%s) | %.2f "
        "| %.2f ms (%s) | %.2f | %.1f MB |\n",
        s->groups > 1 && o->direction == FORWARD ? "SpatialDepthWiseConvolution"
                                                 : names[o->direction],
        s->batch, s->planes, s->side, s->side, s->outputs, s->window, s->window, step, threads,
        1e3 * bench_median(t->mine, rounds), 1e3 * bench_median(t->plain, rounds),
        ways[t->bestPlain].name, bench_median(t->overPlain, rounds),
        1e3 * bench_median(t->own, rounds), ways[t->bestOwn].name, bench_median(t->overOwn, rounds),
        (double)all[t->bestPlain].workspace / 1e6);
}

static void measure(Ours *o, int rounds, double budget, int threads, int lines)
{
  /* oneDNN writes into memory of its own, so that ours stays as it is. */
  THFloatTensor *results[] = {THFloatTensor_newClone(o->x), THFloatTensor_newClone(o->weight),
                              THFloatTensor_newClone(o->y), THFloatTensor_newClone(o->bias)};
  THFloatTensor *given[] = {o->x, o->weight, o->y, o->bias};
  const int result = o->direction == FORWARD ? Y : o->direction == GRAD_INPUT ? X : WEIGHT;
  float *elements[OPERANDS];
  for (int i = 0; i < OPERANDS; i++)
    elements[i] =
        THFloatTensor_data(i == result || (i == BIAS && o->direction == GRAD_WEIGHT) ? results[i]
                                                                                     : given[i]);

  Way all[WAYS];
  int there[WAYS];
  for (int i = 0; i < WAYS; i++) {
    there[i] = way_of(&all[i], o->s, o->direction, ways[i].algorithm, ways[i].keepsPlain, elements);
    if (there[i])
      compare(o, &all[i], ways[i].name, elements);
  }
  Times t = {0};
  time_rounds(&t, o, all, there, rounds, budget);
  print_times(&t, o, all, rounds, threads, lines);
  fflush(stdout);
  for (int i = 0; i < WAYS; i++)
    if (there[i])
      free_way(&all[i]);
  for (int i = 0; i < OPERANDS; i++)
    THFloatTensor_free(results[i]);
}

static int begins_alike(const char *a, const char *b)
{
  const size_t n = strlen(a), m = strlen(b);
  return !strncmp(a, b, n < m ? n : m);
}

int is_wanted(const char *filter, const char *family, const char *row)
{
  return !strcmp(filter, family) || begins_alike(filter, row);
}

int main(int argc, char **argv)
{
  int rounds = 5, threads = 1, lines = 0;
  double seconds = 0.1;
  const char *filter = "";
  static const struct option options[] = {
      {"threads", required_argument, NULL, 't'}, {"rounds", required_argument, NULL, 'r'},
      {"seconds", required_argument, NULL, 's'}, {"filter", required_argument, NULL, 'f'},
      {"lines", no_argument, NULL, 'l'},         {0}};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    switch (option) {
      case 't':
        threads = atoi(optarg);
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
      case 'l':
        lines = 1;
        break;
      default:
        return 2;
    }
  }
  if (threads < 1 || rounds < 1 || rounds > MOST_ROUNDS || !(seconds > 0)) {
    fprintf(stderr, "th_dnnl: --rounds takes 1 to %d, the others more than 0\n", MOST_ROUNDS);
    return 2;
  }
  if (!lines && strncmp("convolution", filter, strlen(filter)))
    return 0;
  THSetNumThreads(threads);
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char row[32];
    snprintf(row, sizeof row, "conv.%s", shapes[i].row ? shapes[i].row : "");
    if (lines && (!shapes[i].row || !is_wanted(filter, "convolution", row)))
      continue;
    Ours o = new_ours(&shapes[i]);
    for (o.direction = FORWARD; o.direction < DIRECTIONS; o.direction++)
      measure(&o, rounds, seconds, threads, lines);
    free_ours(&o);
  }
#ifdef TH_BENCH_ATEN
  if (lines)
    compare_products(filter, threads, rounds, seconds);
#endif
  dnnl_stream_destroy(stream);
  dnnl_engine_destroy(engine);
  return 0;
}
