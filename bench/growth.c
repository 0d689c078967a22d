/* How the cost of an element grows with their number, compared with that of copying.
 *
 *     th_growth [--threads N] [--seconds S]
 *
 * prints a row of a table of bench/results for each operation: nanoseconds for an element at 1e3, 1e5,
 * 1e7 and, where memory allows it, 1e8 elements; and how much more they rise from one size to the
 * next than those of a copy of as many bytes do. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATen/ATen.h"
#include "TH/TH.h"
#include "limits.h"
#include "timing.h"

enum { SIZES = 4, LARGEST = SIZES - 1, ROUNDS = 5 };

static const int64_t sizes[SIZES] = {1000, 100000, 10000000, 100000000};

/* What is worked on: n elements each. */
static struct {
  int64_t n;
  at_tensor *x, *y, *z, *r, *wide, *joined, *mask;
  at_tensor *order, *indices, *whole;   /* 0 to n - 1, in random order, and room for as many */
  at_tensor *few, *part;                /* results that are short */
  at_tensor *square, *across, *squared; /* as high and wide as n elements make */
} on;

/* A name, what the table calls it, whether it is measured at the largest size too, the call. */
#define OPERATIONS(OP)                                                                           \
  OP(fill, "fill", 1, at_fill_(on.r, at_scalar_double(2)))                                       \
  OP(copy, "copy", 1, at_copy_(on.r, on.x))                                                      \
  OP(add, "add", 1, at_add_out(on.r, on.x, on.y))                                                \
  OP(add_new, "add, a new result", 1, at_release(at_add(on.x, on.y)))                            \
  OP(mul, "mul by a number", 0, at_mul_scalar_out(on.r, on.x, at_scalar_double(1.5)))            \
  OP(addcmul, "addcmul", 0, at_addcmul_out(on.r, on.x, on.y, on.z))                              \
  OP(clamp_min, "clamp_min", 0, at_clamp_min_out(on.r, on.x, at_scalar_long(0)))                 \
  OP(sqrt, "sqrt", 0, at_sqrt_out(on.r, on.x))                                                   \
  OP(exp, "exp", 1, at_exp_out(on.r, on.x))                                                      \
  OP(log, "log", 0, at_log_out(on.r, on.x))                                                      \
  OP(tanh, "tanh", 0, at_tanh_out(on.r, on.x))                                                   \
  OP(sigmoid, "sigmoid", 0, at_sigmoid_out(on.r, on.x))                                          \
  OP(erf, "erf", 0, at_erf_out(on.r, on.x))                                                      \
  OP(pow, "pow", 0, at_pow_scalar_out(on.r, on.x, at_scalar_double(2.5)))                        \
  OP(lt, "lt", 0, at_lt_out(on.mask, on.x, on.y))                                                \
  OP(widen, "float to double", 0, at_copy_(on.wide, on.x))                                       \
  OP(transpose, "transposed copy", 0, at_copy_(on.squared, on.across))                           \
  OP(sum, "sum", 1, at_release(at_sum(on.x)))                                                    \
  OP(norm, "norm", 0, at_release(at_norm(on.x)))                                                 \
  OP(var, "var", 0, at_release(at_var(on.x)))                                                    \
  OP(argmax, "argmax", 0, at_release(at_argmax(on.x)))                                           \
  OP(cumsum, "cumsum", 0, at_cumsum_out(on.r, on.x, 0))                                          \
  OP(logsumexp, "logsumexp", 0, at_logsumexp_out(on.few, on.x, AT_SHAPE(0)))                     \
  OP(softmax, "softmax", 0, at_softmax_out(on.r, on.x, 0))                                       \
  OP(sort, "sort", 0, (void)at_sort_out(on.r, on.whole, on.x))                                   \
  OP(topk, "topk 10", 0, (void)at_topk_out(on.few, on.part, on.x, 10))                           \
  OP(kthvalue, "kthvalue", 0, (void)at_kthvalue_out(on.few, on.part, on.x, on.n / 2))            \
  OP(masked_select, "masked_select", 0, at_release(at_masked_select(on.x, on.mask)))             \
  OP(masked_fill, "masked_fill", 0, at_masked_fill_(on.r, on.mask, at_scalar_double(1.5)))       \
  OP(nonzero, "nonzero", 0, at_release(at_nonzero(on.x)))                                        \
  OP(select_in_order, "index_select, in order", 0, at_index_select_out(on.r, on.x, 0, on.order)) \
  OP(select_at_random, "index_select, at random", 0,                                             \
     at_index_select_out(on.r, on.x, 0, on.indices))                                             \
  OP(add_at_random, "index_add, at random", 0, at_index_add_(on.r, 0, on.indices, on.x))         \
  OP(cat, "cat", 0, at_cat_out(on.joined, AT_TENSORS(on.x, on.y)))                               \
  OP(uniform, "uniform", 0, at_uniform_(on.r))                                                   \
  OP(normal, "normal", 0, at_normal_(on.r))                                                      \
  OP(bernoulli, "bernoulli", 0, at_bernoulli_p_(on.r, .p = 0.3))                                 \
  OP(randperm, "randperm", 0, at_randperm_out(on.whole, on.n))

#define DEFINED(NAME, TEXT, LARGEST, CALL) \
  static void NAME##_call(void *unused)    \
  {                                        \
    (void)unused;                          \
    CALL;                                  \
  }
OPERATIONS(DEFINED)

static const struct {
  const char *name;
  int largest;
  BenchBody call;
} operations[] = {
#define DESCRIBED(NAME, TEXT, LARGEST, CALL) {TEXT, LARGEST, NAME##_call},
    OPERATIONS(DESCRIBED)};

enum { COUNT = sizeof operations / sizeof *operations };

/* --- sizes ----------------------------------------------------------------------------------- */

static at_tensor *uniform(at_ints size)
{
  at_tensor *t = at_empty(size, .type = AT_CPU(AT_FLOAT));
  at_uniform_(t, .from = 0.01, .to = 1);
  return t;
}

static void set_up(int size)
{
  const int64_t n = sizes[size];
  on.n = n;
  on.x = uniform(AT_SHAPE(n));
  on.y = uniform(AT_SHAPE(n));
  on.r = uniform(AT_SHAPE(n));
  if (size == LARGEST)
    return; /* which would not fit */
  int64_t side = 1;
  while ((side + 1) * (side + 1) <= n)
    side++;
  on.z = uniform(AT_SHAPE(n));
  on.wide = at_zeros(AT_SHAPE(n), .type = AT_CPU(AT_DOUBLE));
  on.joined = uniform(AT_SHAPE(2 * n));
  on.order = at_arange(at_scalar_long(n), .type = AT_CPU(AT_LONG));
  on.indices = at_randperm(n);
  on.whole = at_randperm(n);
  on.mask = at_lt(on.x, on.y);
  on.few = uniform(AT_SHAPE(1));
  on.part = at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_LONG));
  on.square = uniform(AT_SHAPE(side, side));
  on.across = at_t(on.square);
  on.squared = uniform(AT_SHAPE(side, side));
  if (at_error()) {
    fprintf(stderr, "th_growth: %s\n", at_error_message());
    exit(1);
  }
}

static void tear_down(void)
{
  at_tensor **const all = &on.x;
  for (size_t i = 0; i < (sizeof on - sizeof on.n) / sizeof *all; i++) {
    at_release(all[i]);
    all[i] = NULL;
  }
}

/* The fastest of three copies: the C library's, which one thread makes, and loops through the
 * caches and around them. */
static void copy_by_library(void *unused)
{
  (void)unused;
  memcpy(at_data(on.r), at_data(on.x), (size_t)on.n * sizeof(float));
}

static void copy_through(void *unused)
{
  (void)unused;
  limit_copy(at_data(on.r), at_data(on.x), on.n, 0);
}

static void copy_around(void *unused)
{
  (void)unused;
  limit_copy(at_data(on.r), at_data(on.x), on.n, 1);
}

static double copy_seconds(double budget)
{
  const BenchBody copies[] = {copy_by_library, copy_through, copy_around};
  double least = bench_time(copies[0], NULL, budget);
  for (int k = 1; k < 3; k++) {
    const double seconds = bench_time(copies[k], NULL, budget);
    if (seconds < least)
      least = seconds;
  }
  return least;
}

/* --- the table ------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
  static const struct option known[] = {{"threads", required_argument, NULL, 't'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {NULL, 0, NULL, 0}};
  int threads = 1;
  double budget = 0.02;
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 't')
      threads = atoi(optarg);
    else if (c == 's')
      budget = atof(optarg);
    else
      return 2;
  }
  THSetNumThreads(threads);

  static double ours[COUNT][SIZES], copies[COUNT][SIZES]; /* ns for an element */
  for (int size = 0; size < SIZES; size++) {
    set_up(size);
    for (int k = 0; k < COUNT; k++) {
      double seconds[ROUNDS], copied[ROUNDS];
      if (size == LARGEST && !operations[k].largest)
        continue;
      for (int round = 0; round < ROUNDS; round++) {
        seconds[round] = bench_time(operations[k].call, NULL, budget);
        copied[round] = copy_seconds(budget / 2);
      }
      if (at_error()) {
        fprintf(stderr, "th_growth: %s: %s\n", operations[k].name, at_error_message());
        return 1;
      }
      ours[k][size] = 1e9 * bench_median(seconds, ROUNDS) / (double)on.n;
      copies[k][size] = 1e9 * bench_median(copied, ROUNDS) / (double)on.n;
    }
    tear_down();
  }

  for (int k = 0; k < COUNT; k++) {
    printf("| %s | %d |", operations[k].name, threads);
    for (int size = 0; size < SIZES; size++)
      if (ours[k][size] > 0)
        printf(" %.3f |", ours[k][size]);
      else
        printf(" |");
    for (int size = 1; size < SIZES; size++)
      if (ours[k][size] > 0)
        printf(" %.2f |",
               ours[k][size] / ours[k][size - 1] / (copies[k][size] / copies[k][size - 1]));
      else
        printf(" |");
    printf("\n");
  }
  return 0;
}
