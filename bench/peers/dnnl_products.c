/* Products of matrices of ATen compared with oneDNN's, in turn, on the same elements and from plain
 * layouts to plain layouts: rows of th_torch. */
#include <ATen/ATen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../timing.h"
#include "dnnl.h"

typedef struct {
  const char *row;
  int batch, side, transposed; /* batch: 0 for one product; transposed: the second operand */
  at_scalar_type type;
  dnnl_data_type_t theirs;
} Product;

static const Product products[] = {
    {"mm.f32.64", 0, 64, 0, AT_FLOAT, dnnl_f32},
    {"mm.f32.256", 0, 256, 0, AT_FLOAT, dnnl_f32},
    {"mm.f32.1024", 0, 1024, 0, AT_FLOAT, dnnl_f32},
    {"mm.f32.1024.bt", 0, 1024, 1, AT_FLOAT, dnnl_f32},
    {"mm.f32.2048", 0, 2048, 0, AT_FLOAT, dnnl_f32},
    {"bmm.f32.64x64", 64, 64, 0, AT_FLOAT, dnnl_f32},
    {"mm.bf16.1024", 0, 1024, 0, AT_BFLOAT16, dnnl_bf16},
};

typedef struct {
  const Product *p;
  at_tensor *a, *b, *right, *c; /* right: b, or its transpose */
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t argument[3];
} Pair;

static at_tensor *new_random(const Product *p)
{
  const int64_t n = p->side, sizes[] = {p->batch, n, n};
  const at_ints shape = {sizes + !p->batch, 2 + !!p->batch};
  at_tensor *numbers = at_rand(shape), *t = at_to(numbers, AT_CPU(p->type));
  at_release(numbers);
  return t;
}

static void ours(void *context)
{
  const Pair *pair = context;
  (pair->p->batch ? at_bmm_out : at_mm_out)(pair->c, pair->a, pair->right);
}

static void theirs(void *context)
{
  const Pair *pair = context;
  CHECK(dnnl_primitive_execute(pair->primitive, stream, 3, pair->argument));
  CHECK(dnnl_stream_wait(stream));
}

/* Whether oneDNN computes the product on this processor. */
static int describe(Pair *pair, at_tensor *result)
{
  const Product *p = pair->p;
  const int dims = 2 + !!p->batch;
  const dnnl_dims_t matrix = {p->side, p->side}, batch = {p->batch, p->side, p->side};
  const dnnl_format_tag_t plain = p->batch ? dnnl_abc : dnnl_ab;
  at_tensor *const tensors[] = {pair->a, pair->b, result};
  static const int arguments[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
  dnnl_memory_desc_t d[3];
  for (int i = 0; i < 3; i++)
    CHECK(dnnl_memory_desc_init_by_tag(&d[i], dims, p->batch ? batch : matrix, p->theirs,
                                       i == 1 && p->transposed ? dnnl_ba : plain));
  dnnl_matmul_desc_t product;
  dnnl_primitive_desc_t made;
  CHECK(dnnl_matmul_desc_init(&product, &d[0], &d[1], NULL, &d[2]));
  if (dnnl_primitive_desc_create(&made, &product, NULL, engine, NULL))
    return 0;
  CHECK(dnnl_primitive_create(&pair->primitive, made));
  dnnl_primitive_desc_destroy(made);
  for (int i = 0; i < 3; i++) {
    pair->argument[i].arg = arguments[i];
    CHECK(dnnl_memory_create(&pair->argument[i].memory, &d[i], engine, at_data(tensors[i])));
  }
  return 1;
}

static void compare(Pair *pair, at_tensor *result)
{
  ours(pair);
  theirs(pair);
  at_tensor *a = at_to(pair->c, AT_CPU(AT_FLOAT)), *b = at_to(result, AT_CPU(AT_FLOAT));
  const float *x = at_data(a), *y = at_data(b);
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < at_numel(a); i++) {
    difference += (double)(x[i] - y[i]) * (x[i] - y[i]);
    norm += (double)y[i] * y[i];
  }
  if (!(sqrt(difference / norm) <= (pair->p->theirs == dnnl_f32 ? 1e-5 : 1e-2))) {
    fprintf(stderr, "th_dnnl: %s: relative difference of %.1e\n", pair->p->row,
            sqrt(difference / norm));
    exit(1);
  }
  at_release(a);
  at_release(b);
}

static void measure(const Product *p, int threads, int rounds, double budget)
{
  Pair pair = {.p = p, .a = new_random(p), .b = new_random(p), .c = new_random(p)};
  at_tensor *result = new_random(p);
  pair.right = p->transposed ? at_t(pair.b) : at_retain(pair.b);
  if (describe(&pair, result)) {
    compare(&pair, result);
    double seconds[MOST_ROUNDS], ratios[MOST_ROUNDS];
    for (int k = 0; k < rounds; k++) {
      const double mine = bench_time(ours, &pair, budget);
      seconds[k] = bench_time(theirs, &pair, budget);
      ratios[k] = seconds[k] / mine;
    }
    printf("matrix\t%s\t\t%d\t1\toneDNN\t%.6g\t%.4g\n", p->row, threads,
           bench_median(seconds, rounds), bench_median(ratios, rounds));
    fflush(stdout);
    for (int i = 0; i < 3; i++)
      dnnl_memory_destroy(pair.argument[i].memory);
    dnnl_primitive_destroy(pair.primitive);
  }
  at_tensor *const all[] = {pair.a, pair.b, pair.right, pair.c, result};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    at_release(all[i]);
}

void compare_products(const char *filter, int threads, int rounds, double budget)
{
  for (size_t i = 0; i < sizeof products / sizeof *products; i++)
    if (is_wanted(filter, "matrix", products[i].row))
      measure(&products[i], threads, rounds, budget);
}
