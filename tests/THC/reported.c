/* Indices out of range that no call waits to see: nothing follows them, and the next wait for the stream raises
 * the error.  What counts.c has of these calls says that they do not wait. */
#include "thc_test.h"

#define S       thc_state()
#define T(NAME) THCudaTensor_##NAME

typedef struct Operands {
  THCudaTensor *x, *y, *r;       /* 3 x 4, counting from 0; 2 x 4 of 100; a result */
  THCudaLongTensor *two, *each;  /* indices 1 and 7 of rows; 2 x 4 of -3, but for one 2 */
  THCudaLongTensor *flat, *draw; /* 11, 12, -12, -13; a result */
  THCudaTensor *odd, *few;       /* probabilities: one of them NaN; a row of zeros */
  THCudaByteTensor *mask;        /* 3 x 4 of 2 */
} Operands;

static THCudaTensor *uploaded(int64_t rows, int64_t columns, const float *values)
{
  THCudaTensor *t = T(newWithSize2d)(S, rows, columns);
  CHECK_CUDA(cudaMemcpy(t->storage->data, values, (size_t)(rows * columns) * sizeof *values,
                        cudaMemcpyHostToDevice));
  return t;
}

static THCudaLongTensor *indices(int64_t count, const int64_t *values)
{
  THCudaLongTensor *t = THCudaLongTensor_newWithSize1d(S, count);
  int64_t moved[16];
  for (int64_t i = 0; i < count; i++)
    moved[i] = values[i] >= 0 ? values[i] + TH_INDEX_BASE : values[i];
  CHECK_CUDA(cudaMemcpy(t->storage->data, moved, (size_t)count * sizeof *moved,
                        cudaMemcpyHostToDevice));
  return t;
}

static void set_up(Operands *o)
{
  const float x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const float y[] = {100, 100, 100, 100, 100, 100, 100, 100};
  *o = (Operands){
      .x = uploaded(3, 4, x),
      .y = uploaded(2, 4, y),
      .r = T(new)(S),
      .two = indices(2, (int64_t[]){1, 7}),
      .each = indices(8, (int64_t[]){-3, -3, -3, -3, -3, 2, -3, -3}),
      .flat = indices(4, (int64_t[]){11, 12, -12, -13}),
      .draw = THCudaLongTensor_new(S),
      .odd = uploaded(2, 2, (float[]){1, NAN, 1, 1}),
      .few = uploaded(2, 2, (float[]){1, 1, 0, 0}),
      .mask = THCudaByteTensor_newWithSize2d(S, 3, 4),
  };
  THCudaLongTensor_resize2d(S, o->each, 2, 4);
  THCudaByteTensor_fill(S, o->mask, 2);
}

static void tear_down(Operands *o)
{
  THCudaTensor *const floats[] = {o->x, o->y, o->r, o->odd, o->few};
  THCudaLongTensor *const longs[] = {o->two, o->each, o->flat, o->draw};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    T(free)(S, floats[i]);
  for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
    THCudaLongTensor_free(S, longs[i]);
  THCudaByteTensor_free(S, o->mask);
}

/* The elements of a contiguous tensor, read by the runtime, which knows nothing of errors. */
static void check_elements(const THCudaTensor *t, int count, const float *want)
{
  float got[12];
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(got, t->storage->data + t->storageOffset, (size_t)count * sizeof *got,
                        cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    CHECK_EQ(got[i], want[i]);
}

/* X(name, text of the error, statement, result, its elements). */
#define FOR_EACH(X)                                                                               \
  X(indexSelect, "argument 4 of an earlier call of THCudaTensor_indexSelect has the value",       \
    T(indexSelect)(S, o->r, o->x, 0, o->two), r, 4, 5, 6, 7, 0, 0, 0, 0)                          \
  X(indexCopy, "THCudaTensor_indexCopy", T(indexCopy)(S, o->x, 0, o->two, o->y), x, 0, 1, 2, 3,   \
    100, 100, 100, 100, 8, 9, 10, 11)                                                             \
  X(indexAdd, "THCudaTensor_indexAdd", T(indexAdd)(S, o->x, 0, o->two, o->y), x, 0, 1, 2, 3, 104, \
    105, 106, 107, 8, 9, 10, 11)                                                                  \
  X(indexFill, "THCudaTensor_indexFill", T(indexFill)(S, o->x, 0, o->two, 50), x, 0, 1, 2, 3, 50, \
    50, 50, 50, 8, 9, 10, 11)                                                                     \
  X(gather, "-3, out of range", T(gather)(S, o->r, o->x, 0, o->each), r, 0, 0, 0, 0, 0, 9, 0, 0)  \
  X(scatter, "THCudaTensor_scatter", T(scatter)(S, o->x, 0, o->each, o->y), x, 0, 1, 2, 3, 4, 5,  \
    6, 7, 8, 100, 10, 11)                                                                         \
  X(scatterAdd, "THCudaTensor_scatterAdd", T(scatterAdd)(S, o->x, 0, o->each, o->y), x, 0, 1, 2,  \
    3, 4, 5, 6, 7, 8, 109, 10, 11)                                                                \
  X(scatterFill, "THCudaTensor_scatterFill", T(scatterFill)(S, o->x, 0, o->each, 50), x, 0, 1, 2, \
    3, 4, 5, 6, 7, 8, 50, 10, 11)                                                                 \
  X(take, "THCudaTensor_take", T(take)(S, o->r, o->x, o->flat), r, 11, 0, 0, 0)                   \
  X(maskedFill, "the value 2, out of range of 0 ... 1", T(maskedFill)(S, o->x, o->mask, 1), x, 1, \
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)                                                              \
  X(unit, "argument 2 of an earlier call of bernoulli has the element nan",                       \
    T(bernoulli_FloatTensor)(S, o->few, o->odd), few, 1, 0, 1, 1)                                 \
  X(odd, "what is no probability", T(multinomial)(S, o->draw, o->odd, 1, 1), y, 100)              \
  X(few, "a row with fewer than 1 positive", T(multinomial)(S, o->draw, o->few, 1, 1), y, 100)

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

/* Whatever waits for the stream raises, and nothing else. */
static void waits(void **unused)
{
  Operands o;
  set_up(&o);
  THFloatTensor *host = THFloatTensor_newWithSize2d(3, 4);
#define REPORT T(indexFill)(S, o.x, 0, o.two, 1)
  REPORT;
  REPORT; /* the first of two is kept */
  T(cadd)(S, o.r, o.x, 1, o.x);
  CHECK_RAISES(0, "THCudaTensor_indexFill", T(get2d)(S, o.x, 0, 0));
  CHECK_EQ(T(get2d)(S, o.x, 0, 0), 0);
  REPORT;
  CHECK_RAISES(0, "THCudaTensor_indexFill", T(sumall)(S, o.x));
  REPORT;
  CHECK_RAISES(0, "THCudaTensor_indexFill", THFloatTensor_copyCuda(S, host, o.x));
  REPORT;
  T(copyFloat)(S, o.x, host); /* from memory that is not page-locked: waits for nothing */
  CHECK_RAISES(0, "THCudaTensor_indexFill", T(dot)(S, o.x, o.x));
  THFloatTensor_free(host);
  tear_down(&o);
}

/* Each stream has an error word. */
static void streams(void **unused)
{
  Operands o;
  set_up(&o);
  CHECK_CUDA(cudaDeviceSynchronize());
  THCStream *before = THCState_getStream(S), *other = THCStream_new(cudaStreamNonBlocking);
  THCState_setStream(S, other);
  T(indexFill)(S, o.x, 0, o.two, 1);
  THCState_setStream(S, before);
  CHECK_EQ(T(get2d)(S, o.y, 0, 0), 100); /* waits for the other stream */
  CHECK_RAISES(0, "THCudaTensor_indexFill", THCState_synchronize(S));
  THCState_setStream(S, other);
  T(indexFill)(S, o.x, 0, o.two, 1);
  CHECK_RAISES(0, "THCudaTensor_indexFill", T(get2d)(S, o.x, 0, 0));
  T(indexFill)(S, o.x, 0, o.two, 1); /* an error of a stream that ends is lost */
  THCState_setStream(S, before);
  THCStream_free(other);
  THCState_synchronize(S);
  tear_down(&o);
}

/* What lies on the host is checked by the call itself, before anything is written. */
static void host(void **unused)
{
  Operands o;
  set_up(&o);
  THLongTensor *const two = THLongTensor_newWithSize1d(2);
  THLongTensor_set1d(two, 0, TH_INDEX_BASE);
  THLongTensor_set1d(two, 1, 3 + TH_INDEX_BASE);
  CHECK_RAISES(3, "out of range", T(indexFill_long)(S, o.x, 0, two, 1));
  CHECK_RAISES(3, "out of range", T(indexCopy_long)(S, o.x, 0, two, o.y));
  CHECK_RAISES(3, "out of range", T(indexAdd_long)(S, o.x, 0, two, o.y));
  CHECK_RAISES(4, "out of range", T(indexSelect_long)(S, o.r, o.x, 0, two));
  THLongTensor_free(two);
  THByteTensor *const mask = THByteTensor_newWithSize2d(3, 4);
  THByteTensor_fill(mask, 2);
  CHECK_RAISES(2, "2", T(maskedFillByte)(S, o.x, mask, 1));
  CHECK_RAISES(2, "2", T(maskedCopyByte)(S, o.x, mask, o.x));
  CHECK_RAISES(3, "2", T(maskedSelectByte)(S, o.r, o.x, mask));
  THByteTensor_free(mask);
  CHECK_EQ(T(nElement)(S, o.r), 0);
  for (int i = 0; i < 12; i++)
    CHECK_EQ(T(get2d)(S, o.x, i / 4, i % 4), i);
  tear_down(&o);
}

/* A pivot that is no row exchanges nothing; a zero on the diagonal is divided by. */
static void factors(void **unused)
{
  const float four[] = {2, 0, 0, 2}, two[] = {4, 6}, want[] = {2, 3};
  THCudaTensor *a = uploaded(2, 2, four), *b = uploaded(1, 2, two), *r = T(new)(S);
  THCudaIntTensor *pivots = THCudaIntTensor_newWithSize2d(S, 1, 2);
  T(resize3d)(S, a, 1, 2, 2);
  THCudaIntTensor_set2d(S, pivots, 0, 0, 1);
  THCudaIntTensor_set2d(S, pivots, 0, 1, 7);
  T(btrisolve)(S, r, b, a, pivots);
  check_elements(r, 2, want);
  CHECK_RAISES(0,
               "argument 4 of an earlier call of THCudaTensor_btrisolve has the value 7, out of "
               "range of 1 ... 2",
               THCState_synchronize(S));
  CHECK_EQ(THCudaIntTensor_get2d(S, pivots, 0, 1), 7);
  THCudaIntTensor_set2d(S, pivots, 0, 1, 2);
  T(set3d)(S, a, 0, 1, 1, 0);
  T(btrisolve)(S, r, b, a, pivots);
  CHECK_RAISES(0, "argument 3 of an earlier call of THCudaTensor_btrisolve has the element 0",
               THCState_synchronize(S));
  T(free)(S, a);
  T(free)(S, b);
  T(free)(S, r);
  THCudaIntTensor_free(S, pivots);
}

#define TEST(NAME, TEXT, STATEMENT, RESULT, ...) cmocka_unit_test(NAME##_is_reported),

int main(void)
{
  setenv("TH_CUDA_CHECK_INDICES", "", 1);
  const struct CMUnitTest tests[] = {FOR_EACH(TEST) cmocka_unit_test(waits),
                                     cmocka_unit_test(streams), cmocka_unit_test(host),
                                     cmocka_unit_test(factors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
