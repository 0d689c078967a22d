/* THC compared with the card's own limit and with PyTorch.
 *
 *     th_bench_gpu [--elements N] [--seconds S] [--filter PREFIX] [--peer COMMAND]
 *
 * computes each row with few elements on the processor and on the GPU and compares the results,
 * then measures it with many, and with 1,000, and prints a row of the table gpu of bench/results.  The
 * limit is the time in which the card copies as many bytes.  COMMAND is torch_rows.py with its
 * Python; what it is asked, it answers with PyTorch's seconds.
 *
 *     th_bench_gpu --device      only prints the name of the card
 *     th_bench_gpu --check       only compares */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "THC/THC.h"
#include "THNN/THNN.h"
/* THNN.h names a class of its own by the same macro. */
#include "THCUNN/THCUNN.h"
#include "timing.h"

/* --- what is worked on ----------------------------------------------------------------------- */

typedef struct Sizes {
  int64_t n, side, rows, columns; /* elements, and as matrices */
  int64_t batch, planes, edge;    /* of images */
} Sizes;

static Sizes sizes_of(int64_t n)
{
  const int64_t columns = n >= 1000000 ? 1000 : 50;
  Sizes s = {.n = n, .columns = columns, .rows = n / columns, .batch = 2, .planes = 4, .edge = 6};
  while ((s.side + 1) * (s.side + 1) <= n)
    s.side++;
  if (n >= 1000000) {
    s.side = THMin(s.side, 8192);
    s.batch = 32;
    s.planes = 64;
    s.edge = 56;
  }
  return s;
}

enum { MOST_FACTORED = 1024 }; /* rows of a matrix that is factored */

/* The elements of all inputs, on the processor. */
typedef struct Elements {
  THFloatTensor *x, *y, *images, *kernels, *bias;
  THLongTensor *row, *indices, *labels;
  THByteTensor *mask;
} Elements;

static uint32_t scramble(int64_t i)
{
  return (uint32_t)i * 2654435761u >> 9;
}

static void fill_floats(THFloatTensor *t, int64_t period)
{
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(t); i++)
    THFloatTensor_data(t)[i] = (float)(scramble(i) % period) * 2 / (float)period - 1;
}

static void fill_longs(THLongTensor *t, int64_t below)
{
  for (ptrdiff_t i = 0; i < THLongTensor_nElement(t); i++)
    THLongTensor_data(t)[i] = scramble(i) % below + TH_INDEX_BASE;
}

static Elements elements_of(const Sizes *s)
{
  Elements e = {
      .x = THFloatTensor_newWithSize1d(s->n),
      .y = THFloatTensor_newWithSize1d(s->n),
      .images = THFloatTensor_newWithSize4d(s->batch, s->planes, s->edge, s->edge),
      .kernels = THFloatTensor_newWithSize2d(s->planes, s->planes * 9),
      .bias = THFloatTensor_newWithSize1d(s->planes),
      .row = THLongTensor_newWithSize1d(s->rows),
      .indices = THLongTensor_newWithSize2d(s->rows, s->columns),
      .labels = THLongTensor_newWithSize1d(s->rows),
      .mask = THByteTensor_newWithSize1d(s->n),
  };
  fill_floats(e.x, 9973);
  fill_floats(e.y, 997);
  fill_floats(e.images, 9973);
  fill_floats(e.kernels, 997);
  fill_floats(e.bias, 97);
  fill_longs(e.row, s->rows);
  fill_longs(e.labels, s->columns);
  /* Each index of a row once, so that scattering has one result. */
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t j = 0; j < s->columns; j++)
      THLongTensor_data(e.indices)[i * s->columns + j] =
          (j * 7 + i) % s->columns + TH_INDEX_BASE; /* 7 divides no number of columns */
  for (int64_t i = 0; i < s->n; i++)
    THByteTensor_data(e.mask)[i] = scramble(i) >> 3 & 1;
  return e;
}

static void free_elements(Elements *e)
{
  THFloatTensor *floats[] = {e->x, e->y, e->images, e->kernels, e->bias};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    THFloatTensor_free(floats[i]);
  THLongTensor *longs[] = {e->row, e->indices, e->labels};
  for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
    THLongTensor_free(longs[i]);
  THByteTensor_free(e->mask);
}

/* --- the rows on the processor -------------------------------------------------------------- */

static THGenerator *generator;

#define ON(NAME) cpu_##NAME
#define TENSOR   THFloatTensor
#define DOUBLES  THDoubleTensor
#define LONGS    THLongTensor
#define BYTES    THByteTensor
#define T(NAME)  THFloatTensor_##NAME
#define D(NAME)  THDoubleTensor_##NAME
#define L(NAME)  THLongTensor_##NAME
#define B(NAME)  THByteTensor_##NAME
#define NN(NAME) THNN_Float##NAME
#define S
#define S_ALONE
#define STATE                 NULL
#define DRAW(TENSOR)          TENSOR, generator
#define THDoubleTensor_copyOf THDoubleTensor_copyFloat

static THFloatTensor *cpu_floats(THFloatTensor *t)
{
  return THFloatTensor_newClone(t);
}
static THLongTensor *cpu_longs(THLongTensor *t)
{
  return THLongTensor_newClone(t);
}
static THByteTensor *cpu_masks(THByteTensor *t)
{
  return THByteTensor_newClone(t);
}
#include "rows.h"

/* --- and on the GPU ------------------------------------------------------------------------- */

static THCState *state;

#undef ON
#undef TENSOR
#undef DOUBLES
#undef LONGS
#undef BYTES
#undef T
#undef D
#undef L
#undef B
#undef NN
#undef S
#undef S_ALONE
#undef STATE
#undef DRAW
#define ON(NAME)                  gpu_##NAME
#define TENSOR                    THCudaTensor
#define DOUBLES                   THCudaDoubleTensor
#define LONGS                     THCudaLongTensor
#define BYTES                     THCudaByteTensor
#define T(NAME)                   THCudaTensor_##NAME
#define D(NAME)                   THCudaDoubleTensor_##NAME
#define L(NAME)                   THCudaLongTensor_##NAME
#define B(NAME)                   THCudaByteTensor_##NAME
#define NN(NAME)                  THNN_Cuda##NAME
#define S                         state,
#define S_ALONE                   state
#define STATE                     state
#define DRAW(TENSOR)              state, TENSOR
#define THCudaDoubleTensor_copyOf THCudaDoubleTensor_copyCudaFloat

#define UPLOAD(NAME, TYPE, FROM, COPY)         \
  static TYPE *NAME(FROM *t)                   \
  {                                            \
    TYPE *d = TYPE##_new(state);               \
    THLongStorage *size = FROM##_newSizeOf(t); \
    TYPE##_resize(state, d, size, NULL);       \
    THLongStorage_free(size);                  \
    TYPE##_##COPY(state, d, t);                \
    return d;                                  \
  }
UPLOAD(gpu_floats, THCudaTensor, THFloatTensor, copyFloat)
UPLOAD(gpu_longs, THCudaLongTensor, THLongTensor, copyLong)
UPLOAD(gpu_masks, THCudaByteTensor, THByteTensor, copyByte)
#include "rows.h"

/* --- the rows as a table -------------------------------------------------------------------- */

/* Results as doubles in a line: what T is, is known where a row is expanded. */
static THDoubleTensor *of_floats(THFloatTensor *t)
{
  THDoubleTensor *d = THDoubleTensor_newWithSize1d(THFloatTensor_nElement(t));
  THDoubleTensor_copyFloat(d, t);
  return d;
}
static THDoubleTensor *of_doubles(THDoubleTensor *t)
{
  return THDoubleTensor_newContiguous(t);
}
static THDoubleTensor *of_bytes(THByteTensor *t)
{
  THDoubleTensor *d = THDoubleTensor_newWithSize1d(THByteTensor_nElement(t));
  THDoubleTensor_copyByte(d, t);
  return d;
}
static THDoubleTensor *of_value(double value)
{
  THDoubleTensor *d = THDoubleTensor_newWithSize1d(1);
  THDoubleTensor_set1d(d, 0, value);
  return d;
}
static THDoubleTensor *of_longs(THLongTensor *t)
{
  THDoubleTensor *d = THDoubleTensor_newWithSize1d(THLongTensor_nElement(t));
  THDoubleTensor_copyLong(d, t);
  return d;
}
#define OF_DEVICE(NAME, TYPE, HOST, OF)               \
  static THDoubleTensor *NAME(TYPE *t)                \
  {                                                   \
    HOST *h = HOST##_new();                           \
    HOST##_resizeNd(h, t->nDimension, t->size, NULL); \
    HOST##_copyCuda(state, h, t);                     \
    THDoubleTensor *d = OF(h);                        \
    HOST##_free(h);                                   \
    return d;                                         \
  }
OF_DEVICE(of_device_floats, THCudaTensor, THFloatTensor, of_floats)
OF_DEVICE(of_device_doubles, THCudaDoubleTensor, THDoubleTensor, of_doubles)
OF_DEVICE(of_device_bytes, THCudaByteTensor, THByteTensor, of_bytes)
OF_DEVICE(of_device_longs, THCudaLongTensor, THLongTensor, of_longs)

/* 1 where mean and deviation of the numbers are those of their distribution, within 6 deviations of
 * what so many numbers have, and NaN where they are not; frees numbers. */
static THDoubleTensor *as_distributed(THDoubleTensor *numbers, double mean, double deviation)
{
  const double n = (double)THDoubleTensor_nElement(numbers),
               drawn = THDoubleTensor_meanall(numbers);
  const double variance = THDoubleTensor_varall(numbers, 0), expected = deviation * deviation;
  THDoubleTensor_free(numbers);
  const int same = fabs(drawn - mean) <= 6 * deviation / sqrt(n) &&
                   fabs(variance - expected) <= 6 * expected * sqrt(2 / n);
  return of_value(same ? 1 : (double)NAN);
}
static THDoubleTensor *of_draws(cpu_Draws d)
{
  return as_distributed(d.numbers ? of_floats(d.numbers) : of_longs(d.indices), d.mean,
                        d.deviation);
}
static THDoubleTensor *of_device_draws(gpu_Draws d)
{
  return as_distributed(d.numbers ? of_device_floats(d.numbers) : of_device_longs(d.indices),
                        d.mean, d.deviation);
}

#define AS_DOUBLES(RESULT)                     \
  _Generic((RESULT),                           \
      THFloatTensor *: of_floats,              \
      THDoubleTensor *: of_doubles,            \
      THByteTensor *: of_bytes,                \
      THCudaTensor *: of_device_floats,        \
      THCudaDoubleTensor *: of_device_doubles, \
      THCudaByteTensor *: of_device_bytes,     \
      cpu_Draws: of_draws,                     \
      gpu_Draws: of_device_draws,              \
      double: of_value)(RESULT)

#define CPU_RESULT(ID, NAME, MOVED, FLOPS, RESULT, ...) \
  static THDoubleTensor *cpu_result_##ID(void *context) \
  {                                                     \
    cpu_Tensors *on = context;                          \
    return AS_DOUBLES(on->RESULT);                      \
  }
BENCH_ROWS(CPU_RESULT)

#define GPU_RESULT(ID, NAME, MOVED, FLOPS, RESULT, ...) \
  static THDoubleTensor *gpu_result_##ID(void *context) \
  {                                                     \
    gpu_Tensors *on = context;                          \
    return AS_DOUBLES(on->RESULT);                      \
  }
BENCH_ROWS(GPU_RESULT)

/* What a row counts, of sizes by their names in the table. */
#define COUNT(NAME, EXPRESSION)                                                                \
  static double NAME(const Sizes *s)                                                           \
  {                                                                                            \
    TH_UNUSED const double n = (double)s->n, side = (double)s->side, batch = (double)s->batch; \
    TH_UNUSED const double planes = (double)s->planes, edge = (double)s->edge;                 \
    return EXPRESSION;                                                                         \
  }
#define MOVES(ID, NAME, MOVED, FLOPS, RESULT, ...)    COUNT(moved_##ID, MOVED)
#define COMPUTES(ID, NAME, MOVED, FLOPS, RESULT, ...) COUNT(flops_##ID, FLOPS)
BENCH_ROWS(MOVES)
BENCH_ROWS(COMPUTES)

typedef struct Row {
  const char *id, *name;
  BenchBody cpu, gpu;
  THDoubleTensor *(*cpuResult)(void *), *(*gpuResult)(void *);
  double (*moved)(const Sizes *), (*flops)(const Sizes *);
} Row;

#define ENTRY(ID, NAME, MOVED, FLOPS, RESULT, ...) \
  {#ID, NAME, cpu_##ID, gpu_##ID, cpu_result_##ID, gpu_result_##ID, moved_##ID, flops_##ID},
static const Row rows[] = {BENCH_ROWS(ENTRY)};
enum { ROWS = sizeof rows / sizeof *rows };

/* --- comparing ------------------------------------------------------------------------------ */

/* |a - b| / |b|; products of matrices are added up in another order. */
static double difference(THDoubleTensor *a, THDoubleTensor *b)
{
  const double whole = THDoubleTensor_normall(b, 2);
  return whole > 0 ? THDoubleTensor_dist(a, b, 2) / whole : THDoubleTensor_normall(a, 2);
}

static int compare(const Row *row, cpu_Tensors *cpu, gpu_Tensors *gpu)
{
  row->cpu(cpu);
  row->gpu(gpu);
  THDoubleTensor *expected = row->cpuResult(cpu), *result = row->gpuResult(gpu);
  int same = THDoubleTensor_nElement(result) == THDoubleTensor_nElement(expected) &&
             THDoubleTensor_nElement(expected) > 0;
  const double apart = same ? difference(result, expected) : INFINITY;
  same &= apart <= 1e-5;
  if (!same)
    fprintf(stderr, "th_bench_gpu: %s: %td elements differ from %td by %g of their norm\n",
            row->name, THDoubleTensor_nElement(result), THDoubleTensor_nElement(expected), apart);
  THDoubleTensor_free(expected);
  THDoubleTensor_free(result);
  return same;
}

/* How many rows differ.  Rows that change their operands come to the same on both devices. */
static int compare_all(const char *filter)
{
  const Sizes s = sizes_of(5000);
  Elements e = elements_of(&s);
  cpu_Tensors cpu = cpu_make(&s, &e);
  gpu_Tensors gpu = gpu_make(&s, &e);
  int wrong = 0;
  for (int i = 0; i < ROWS; i++)
    if (!strncmp(rows[i].id, filter, strlen(filter)))
      wrong += !compare(&rows[i], &cpu, &gpu);
  gpu_free(&gpu);
  cpu_free(&cpu);
  free_elements(&e);
  return wrong;
}

/* --- measuring ------------------------------------------------------------------------------ */

enum { MOST_SAMPLES = 200 };

/* Seconds of the stream for that many calls: whichever takes longer, to queue or to compute them.
 */
static double sample(BenchBody body, void *context, long calls)
{
  static cudaEvent_t begin, end;
  if (!begin) {
    THCudaCheck(cudaEventCreate(&begin));
    THCudaCheck(cudaEventCreate(&end));
  }
  THCudaCheck(cudaDeviceSynchronize());
  THCudaCheck(cudaEventRecord(begin, NULL));
  for (long i = 0; i < calls; i++)
    body(context);
  THCudaCheck(cudaEventRecord(end, NULL));
  THCudaCheck(cudaEventSynchronize(end));
  float milliseconds;
  THCudaCheck(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds * 1e-3;
}

/* As bench_time, by the clock of the stream. */
static double stream_time(BenchBody body, void *context, double budget)
{
  double samples[MOST_SAMPLES], spent = 0;
  long calls = 1;
  int n = 0;
  while (sample(body, context, calls) < budget / 20 && calls < 10000)
    calls *= 2;
  while (n < 3 || (n < MOST_SAMPLES && spent < budget)) {
    const double seconds = sample(body, context, calls);
    spent += seconds;
    samples[n++] = seconds / (double)calls;
  }
  return bench_median(samples, n);
}

typedef struct Block {
  void *to, *from;
  size_t bytes;
} Block;

static void copy_block(void *context)
{
  const Block *b = context;
  THCudaCheck(cudaMemcpyAsync(b->to, b->from, b->bytes, cudaMemcpyDeviceToDevice, NULL));
}

/* Bytes read and written in a second. */
static double copy_bandwidth(size_t bytes, double budget)
{
  Block b = {.bytes = bytes};
  THCudaCheck(cudaMalloc(&b.to, bytes));
  THCudaCheck(cudaMalloc(&b.from, bytes));
  THCudaCheck(cudaMemset(b.from, 0, bytes));
  const double seconds = stream_time(copy_block, &b, budget);
  THCudaCheck(cudaFree(b.to));
  THCudaCheck(cudaFree(b.from));
  return 2 * (double)bytes / seconds;
}

/* --- PyTorch -------------------------------------------------------------------------------- */

static FILE *to_peer, *from_peer;
static char peer_name[200];

/* The answer to a line, without its end; "" where there is none. */
static const char *ask(const char *format, ...)
{
  static char answer[1000];
  va_list arguments;
  answer[0] = '\0';
  if (!to_peer)
    return answer;
  va_start(arguments, format);
  vfprintf(to_peer, format, arguments);
  va_end(arguments);
  fputc('\n', to_peer);
  fflush(to_peer);
  if (!fgets(answer, sizeof answer, from_peer))
    answer[0] = '\0';
  answer[strcspn(answer, "\n")] = '\0';
  return answer;
}

static void start_peer(const char *command)
{
  int to[2], from[2];
  if (!command || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
    return;
  if (fork() == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_peer = fdopen(to[1], "w");
  from_peer = fdopen(from[0], "r");
  snprintf(peer_name, sizeof peer_name, "%s", ask("version"));
  if (!peer_name[0])
    to_peer = NULL;
}

/* PyTorch's seconds, or 0. */
static double peer_seconds(const Row *row, const Sizes *s, double budget)
{
  const char *answer = ask("%s %lld %lld %lld %lld %lld %lld %lld %g", row->id, (long long)s->n,
                           (long long)s->side, (long long)s->rows, (long long)s->columns,
                           (long long)s->batch, (long long)s->planes, (long long)s->edge, budget);
  if (!strncmp(answer, "error", 5))
    fprintf(stderr, "th_bench_gpu: PyTorch, %s: %s\n", row->id, answer);
  return atof(answer);
}

/* --- the table ------------------------------------------------------------------------------ */

static void print_time(double seconds)
{
  if (seconds <= 0)
    printf(" |");
  else if (seconds < 1e-3)
    printf(" %.1f us |", seconds * 1e6);
  else
    printf(" %.2f ms |", seconds * 1e3);
}

static void print_ratio(double of, double to)
{
  if (of > 0)
    printf(" %.2f |", of / to);
  else
    printf(" |");
}

static void measure(const char *filter, const Sizes *s, double bandwidth, double budget)
{
  Elements e = elements_of(s);
  gpu_Tensors gpu = gpu_make(s, &e);
  for (int i = 0; i < ROWS; i++) {
    const Row *row = &rows[i];
    if (strncmp(row->id, filter, strlen(filter)))
      continue;
    const double ours = stream_time(row->gpu, &gpu, budget);
    const double theirs = peer_seconds(row, s, budget);
    const double limit = bandwidth > 0 ? row->moved(s) / bandwidth : 0, flops = row->flops(s);
    printf("| %s | %lld |", row->name, (long long)s->n);
    print_time(ours);
    print_time(limit);
    print_ratio(limit, ours);
    print_time(theirs);
    print_ratio(theirs, ours);
    if (flops > 0)
      printf(" %.1f |\n", flops / ours * 1e-12);
    else
      printf(" |\n");
    fflush(stdout);
  }
  gpu_free(&gpu);
  free_elements(&e);
}

typedef struct Options {
  int64_t elements;
  double budget;
  const char *filter, *peer;
  int only_device, only_check;
} Options;

/* Whether the command line has nothing else. */
static int read_options(int argc, char **argv, Options *o)
{
  static const struct option known[] = {{"elements", required_argument, NULL, 'e'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {"filter", required_argument, NULL, 'f'},
                                        {"peer", required_argument, NULL, 'p'},
                                        {"device", no_argument, NULL, 'd'},
                                        {"check", no_argument, NULL, 'c'},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'e')
      o->elements = atoll(optarg);
    else if (c == 's')
      o->budget = atof(optarg);
    else if (c == 'f')
      o->filter = optarg;
    else if (c == 'p')
      o->peer = optarg;
    else if (c == 'd')
      o->only_device = 1;
    else if (c == 'c')
      o->only_check = 1;
    else
      return 0;
  }
  if (o->elements < 500)
    fprintf(stderr, "th_bench_gpu: at least 500 elements are measured\n");
  return o->elements >= 500;
}

static void measure_all(const Options *o, const char *card)
{
  const double bandwidth = copy_bandwidth((size_t)o->elements * sizeof(float), o->budget);
  start_peer(o->peer);
  printf("Card: %s; it copies %.0f GB/s (read and written). Beside %s.\n\n", card, bandwidth * 1e-9,
         peer_name[0] ? peer_name : "nothing: no PyTorch was found");
  printf(
      "| operation | elements | THC | limit | limit / THC | PyTorch | PyTorch / THC | TFLOP/s |\n"
      "|---|---|---|---|---|---|---|---|\n");
  const Sizes many = sizes_of(o->elements), few = sizes_of(1000);
  measure(o->filter, &many, bandwidth, o->budget);
  measure(o->filter, &few, 0, o->budget);
}

int main(int argc, char **argv)
{
  Options o = {.elements = 1 << 26, .budget = 0.2, .filter = ""};
  if (!read_options(argc, argv, &o))
    return 2;
  state = THCState_alloc();
  THTry attempt;
  TH_TRY(attempt)
  {
    THCudaInit(state);
  }
  if (attempt.failed) {
    fprintf(stderr, "th_bench_gpu: %s\n", attempt.message);
    return 1;
  }
  const char *card = THCState_getCurrentDeviceProperties(state)->name;
  if (o.only_device) {
    printf("%s\n", card);
    return 0;
  }
  generator = THGenerator_new();
  const int wrong = compare_all(o.filter);
  fprintf(stderr, "th_bench_gpu: %d rows differ from the processor's\n", wrong);
  if (!o.only_check && !wrong)
    measure_all(&o, card);
  THGenerator_free(generator);
  THCudaShutdown(state);
  THCState_free(state);
  return wrong > 0;
}
