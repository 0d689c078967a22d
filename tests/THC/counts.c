/* What THC's functions do for a call on a device: a table with one or more of each family. */
#include "th_counts.h"
#include "thc_test.h"

#define S       thc_state()
#define T(NAME) THCudaTensor_##NAME

typedef struct Operands {
  THCudaTensor *x, *y;                    /* 8 x 48 */
  THCudaTensor *gaps;                     /* 8 x 48 with the strides of its transpose */
  THCudaTensor *wide;                     /* 2 x 40000 */
  THCudaTensor *line, *m;                 /* 48, 48 x 16 */
  THCudaTensor *batch, *across;           /* 4 x 8 x 48, 4 x 48 x 8 */
  THCudaTensor *images, *kernels;         /* 2 x 3 x 6 x 7, 4 x 3 x 2 x 2 */
  THCudaTensor *product, *vector;         /* 8 x 16, 8 */
  THCudaTensor *outer, *products;         /* 48 x 48, 4 x 8 x 8 */
  THCudaTensor *r[4];                     /* results */
  THCudaLongTensor *found, *index, *each; /* results; 8 indices below 8; 8 x 48 below 8 */
  THCudaByteTensor *mask, *marks;         /* results; 8 x 48 */
  THCudaDoubleTensor *d;                  /* 8 x 48 */
  THFloatTensor *host;                    /* 8 x 48 */
} Operands;

/* X(name, launches, blocks of the largest (0: any), waits, products, copies, statement) */
#define POINTWISE(X)                                                     \
  X(fill, 1, 1, 0, 0, 0, T(fill)(S, o->r[0], 2))                         \
  X(cadd, 1, 1, 0, 0, 0, T(cadd)(S, o->r[0], o->x, 2, o->y))             \
  X(gaps, 1, 1, 0, 0, 0, T(cmul)(S, o->r[0], o->x, o->gaps))             \
  X(exp, 1, 1, 0, 0, 0, T(exp)(S, o->r[0], o->x))                        \
  X(clamp, 1, 1, 0, 0, 0, T(clamp)(S, o->r[0], o->x, 0, 1))              \
  X(compare, 1, 1, 0, 0, 0, T(ltTensor)(S, o->mask, o->x, o->y))         \
  X(lerp, 1, 1, 0, 0, 0, T(lerp)(S, o->r[0], o->x, o->y, 0.5F))          \
  X(copy, 1, 1, 0, 0, 0, T(copy)(S, o->r[0], o->gaps))                   \
  X(convert, 1, 1, 0, 0, 0, T(copyCudaDouble)(S, o->r[0], o->d))         \
  X(cross, 1, 1, 0, 0, 0, T(cross)(S, o->r[1], o->images, o->images, 1)) \
  X(tril, 1, 0, 0, 0, 0, T(tril)(S, o->r[0], o->x, 0))                   \
  X(arange, 1, 1, 0, 0, 0, T(arange)(S, o->r[2], 0, 48, 1))              \
  X(cat, 1, 0, 0, 0, 0, T(cat)(S, o->r[3], o->x, o->y, 0))               \
  X(to_host, 0, 0, 1, 0, 1, THFloatTensor_copyCuda(S, o->host, o->x))    \
  X(to_device, 0, 0, 0, 0, 1, T(copyFloat)(S, o->x, o->host))            \
  X(get, 0, 0, 1, 0, 1, T(get2d)(S, o->x, 1, 2))                         \
  X(equal, 1, 1, 1, 0, 1, T(equal)(S, o->x, o->y))

#define REDUCE(X)                                                  \
  X(sum, 1, 1, 0, 0, 0, T(sum)(S, o->r[2], o->x, 1, 0))            \
  X(sum_first, 1, 0, 0, 0, 0, T(sum)(S, o->r[2], o->x, 0, 0))      \
  X(sum_wide, 2, 0, 0, 0, 0, T(sum)(S, o->r[2], o->wide, 1, 0))    \
  X(sumall, 1, 1, 1, 0, 1, T(sumall)(S, o->x))                     \
  X(max, 1, 1, 0, 0, 0, T(max)(S, o->r[2], o->found, o->x, 1, 0))  \
  X(norm, 1, 1, 0, 0, 0, T(norm)(S, o->r[2], o->x, 3, 1, 0))       \
  X(std, 1, 1, 0, 0, 0, T(std)(S, o->r[2], o->x, 1, 0, 0))         \
  X(renorm, 2, 0, 0, 0, 0, T(renorm)(S, o->r[0], o->x, 2, 0, 1))   \
  X(dist, 2, 0, 1, 0, 1, T(dist)(S, o->x, o->y, 2))                \
  X(trace, 1, 1, 1, 0, 1, T(trace)(S, o->x))                       \
  X(cumsum, 1, 8, 0, 0, 0, T(cumsum)(S, o->r[0], o->x, 1))         \
  X(cumsum_wide, 3, 0, 0, 0, 0, T(cumsum)(S, o->r[3], o->wide, 1)) \
  X(cumprod, 1, 1, 0, 0, 0, T(cumprod)(S, o->r[0], o->x, 0))

/* Radix sort: three launches for each byte of a key.  Selection from pieces: a launch for each byte, and
 * two that collect. */
#define SORT(X)                                                                         \
  X(sort, 1, 1, 0, 0, 0, T(sort)(S, o->r[0], o->found, o->x, 1, 0))                     \
  X(sort_wide, 12, 0, 0, 0, 0, T(sort)(S, o->r[3], o->found, o->wide, 1, 0))            \
  X(topk, 2, 8, 0, 0, 0, T(topk)(S, o->r[2], o->found, o->x, 5, 1, 0, 1))               \
  X(topk_wide, 7, 10, 0, 0, 0, T(topk)(S, o->r[2], o->found, o->wide, 5, 1, 0, 1))      \
  X(kthvalue, 1, 8, 0, 0, 0, T(kthvalue)(S, o->r[2], o->found, o->x, 5, 1, 0))          \
  X(kthvalue_wide, 6, 10, 0, 0, 0, T(kthvalue)(S, o->r[2], o->found, o->wide, 9, 1, 0)) \
  X(median, 1, 8, 0, 0, 0, T(median)(S, o->r[2], o->found, o->x, 1, 0))                 \
  X(median_short, 1, 1, 0, 0, 0, T(median)(S, o->r[2], o->found, o->x, 0, 0))           \
  X(median_wide, 6, 10, 0, 0, 0, T(median)(S, o->r[2], o->found, o->wide, 1, 0))        \
  X(medianall, 6, 10, 1, 0, 1, T(medianall)(S, o->wide))                                \
  X(mode, 2, 8, 0, 0, 0, T(mode)(S, o->r[2], o->found, o->x, 1, 0))                     \
  X(mode_wide, 14, 0, 0, 0, 0, T(mode)(S, o->r[2], o->found, o->wide, 1, 0))

/* A kernel looks for indices out of range; the sizes of selections depend on values. */
#define INDEX(X)                                                               \
  X(indexSelect, 2, 0, 0, 0, 0, T(indexSelect)(S, o->r[0], o->x, 0, o->index)) \
  X(indexAdd, 2, 0, 0, 0, 0, T(indexAdd)(S, o->y, 0, o->index, o->x))          \
  X(gather, 2, 0, 0, 0, 0, T(gather)(S, o->r[0], o->x, 0, o->each))            \
  X(scatterFill, 2, 0, 0, 0, 0, T(scatterFill)(S, o->y, 0, o->each, 3))        \
  X(take, 2, 1, 0, 0, 0, T(take)(S, o->r[2], o->x, o->index))                  \
  X(maskedFill, 2, 0, 0, 0, 0, T(maskedFill)(S, o->y, o->marks, 1))            \
  X(maskedSelect, 3, 1, 1, 0, 1, T(maskedSelect)(S, o->r[2], o->x, o->marks))  \
  X(nonzero, 3, 1, 1, 0, 2, T(nonzero)(S, o->found, o->x))

#define RANDOM(X)                                                              \
  X(uniform, 1, 2, 0, 0, 0, T(uniform)(S, o->r[0], 0, 1))                      \
  X(normal, 1, 2, 0, 0, 0, T(normal)(S, o->r[0], 0, 1))                        \
  X(bernoulli, 1, 2, 0, 0, 0, T(bernoulli)(S, o->r[0], 0.5))                   \
  X(bernoulli_each, 2, 2, 0, 0, 1, T(bernoulli_FloatTensor)(S, o->r[0], o->x)) \
  X(randperm, 3 + TH_INDEX_BASE, 1, 0, 0, 0, T(randperm)(S, o->r[2], 100))     \
  X(multinomial, 4, 8, 0, 0, 1, T(multinomial)(S, o->found, o->x, 3, 1))

#define LINEAR(X)                                                                               \
  X(addmm, 0, 0, 0, 1, 0, T(addmm)(S, o->product, 0, o->product, 1, o->x, o->m))                \
  X(addmv, 0, 0, 0, 1, 0, T(addmv)(S, o->vector, 0, o->vector, 1, o->x, o->line))               \
  X(addr, 0, 0, 0, 1, 0, T(addr)(S, o->outer, 0, o->outer, 1, o->line, o->line))                \
  X(baddbmm, 0, 0, 0, 1, 0, T(baddbmm)(S, o->products, 0, o->products, 1, o->batch, o->across)) \
  X(dot, 0, 0, 1, 1, 1, T(dot)(S, o->line, o->line))                                            \
  X(conv2Dmm, 1, 0, 0, 0, 1, T(conv2Dmm)(S, o->r[1], 0, o->images, o->kernels, 1, 1, "v"))

#define FOR_EACH(X) POINTWISE(X) REDUCE(X) SORT(X) INDEX(X) RANDOM(X) LINEAR(X)

FOR_EACH(COUNTS_FUNCTION)
static const CountsRow rows[] = {FOR_EACH(COUNTS_ENTRY)};

static THCudaTensor *made(int dims, int64_t *size)
{
  THCudaTensor *t = THCudaTensor_new(S);
  THCudaTensor_resizeNd(S, t, dims, size, NULL);
  THCudaTensor_uniform(S, t, 0.25, 0.75);
  return t;
}
#define MADE(...) made((int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]){__VA_ARGS__})

static void set_up(Operands *o)
{
  *o = (Operands){.x = MADE(8, 48),
                  .y = MADE(8, 48),
                  .gaps = MADE(48, 8),
                  .wide = MADE(2, 40000),
                  .line = MADE(48),
                  .m = MADE(48, 16),
                  .batch = MADE(4, 8, 48),
                  .across = MADE(4, 48, 8),
                  .images = MADE(2, 3, 6, 7),
                  .kernels = MADE(4, 3, 2, 2),
                  .product = MADE(8, 16),
                  .vector = MADE(8),
                  .outer = MADE(48, 48),
                  .products = MADE(4, 8, 8),
                  .r = {MADE(8, 48), MADE(1), MADE(1), MADE(1)},
                  .found = THCudaLongTensor_new(S),
                  .index = THCudaLongTensor_newWithSize1d(S, 8),
                  .each = THCudaLongTensor_newWithSize2d(S, 8, 48),
                  .mask = THCudaByteTensor_new(S),
                  .marks = THCudaByteTensor_new(S),
                  .d = THCudaDoubleTensor_newWithSize2d(S, 8, 48),
                  .host = THFloatTensor_newWithSize2d(8, 48)};
  THCudaTensor_transpose(S, o->gaps, NULL, 0, 1);
  THCudaLongTensor_fill(S, o->index, 3);
  THCudaLongTensor_fill(S, o->each, 3);
  THCudaDoubleTensor_fill(S, o->d, 1);
  THFloatTensor_fill(o->host, 1);
  THCudaTensor_gtValue(S, o->marks, o->x, 0.5F);
}

static void tear_down(Operands *o)
{
  THCudaLongTensor *const longs[] = {o->found, o->index, o->each};
  for (THCudaTensor **t = &o->x; t <= &o->r[3]; t++)
    THCudaTensor_free(S, *t);
  for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
    THCudaLongTensor_free(S, longs[i]);
  THCudaByteTensor_free(S, o->mask);
  THCudaByteTensor_free(S, o->marks);
  THCudaDoubleTensor_free(S, o->d);
  THFloatTensor_free(o->host);
}

static void table(void **state)
{
  Operands o;
  set_up(&o);
  CHECK_EQ(counts_differ(rows, sizeof rows / sizeof *rows, &o), 0);
  tear_down(&o);
}

int main(void)
{
  setenv("TH_CUDA_CHECK_INDICES", "", 1); /* in another case than in other tests */
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
