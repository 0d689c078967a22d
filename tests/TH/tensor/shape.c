/* THSize and storages of int64_t as shapes: products, inference, broadcasting, expansion. */
#include "th_test.h"

#include "th_fail.h"

/* A shape as the two arguments (sizes, number of dimensions). */
#define SHAPE(...) \
  ((int64_t[]){__VA_ARGS__}), (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static THLongStorage *storage_of(const int64_t *values, int64_t count)
{
  THLongStorage *storage = THLongStorage_newWithSize(count);
  for (int64_t i = 0; i < count; i++)
    storage->data[i] = values[i];
  return storage;
}

static void check_shape(const THLongStorage *actual, const int64_t *expected, int64_t dims)
{
  CHECK_EQ(actual->size, dims);
  for (int64_t d = 0; d < dims; d++)
    CHECK_EQ(actual->data[d], expected[d]);
}

/* --- sizes -------------------------------------------------------------------------------- */

static void sizes(void **state)
{
  int64_t a[] = {7, 1, 5}, b[] = {7, 1, 6};
  CHECK(THSize_isSameSizeAs(a, 3, a, 3));
  CHECK(!THSize_isSameSizeAs(a, 3, b, 3));
  CHECK(THSize_isSameSizeAs(a, 2, b, 2));
  CHECK(!THSize_isSameSizeAs(a, 3, a, 2));
  CHECK(THSize_isSameSizeAs(NULL, 0, NULL, 0));

  CHECK_EQ(THSize_nElement(3, a), 35);
  CHECK_EQ(THSize_nElement(0, NULL), 0);
  int64_t largest[] = {INT64_MAX, 1}, beyond[] = {(int64_t)1 << 32, (int64_t)1 << 31};
  int64_t none[] = {(int64_t)1 << 40, (int64_t)1 << 40, 0}, negative[] = {3, -2, -2};
  CHECK_EQ(THSize_nElement(2, largest), INT64_MAX);
  CHECK_EQ(THSize_nElement(3, none), 0);
  CHECK_RAISES(0, "4294967296 x 2147483648", THSize_nElement(2, beyond));
  CHECK_RAISES(0, "-2", THSize_nElement(3, negative));

  ptrdiff_t product = 42;
  CHECK(!THSize_product(2, beyond, &product));
  CHECK(!THSize_product(3, negative, &product));
  CHECK_EQ(product, 42);
  CHECK(THSize_product(3, a, &product));
  CHECK_EQ(product, 35);
}

static void descriptions(void **state)
{
  THLongStorage *shape = storage_of(SHAPE(2, 3, 4, 2));
  assert_string_equal(THLongStorage_sizeDesc(shape).str, "[2 x 3 x 4 x 2]");
  THLongStorage_resize(shape, 1);
  assert_string_equal(THLongStorage_sizeDesc(shape).str, "[2]");
  THLongStorage_resize(shape, 0);
  assert_string_equal(THLongStorage_sizeDesc(shape).str, "[]");
  THLongStorage_resize(shape, 30);
  THLongStorage_fill(shape, 1000);
  const THDescBuff text = THLongStorage_sizeDesc(shape);
  assert_true(strlen(text.str) < TH_DESC_BUFF_LEN);
  assert_true(strncmp(text.str, "[1000 x 1000 x ", 15) == 0 && strstr(text.str, "..."));
  THLongStorage_free(shape);
}

/* --- one size of -1 ----------------------------------------------------------------------- */

static void infer(const int64_t *size, int64_t dims, ptrdiff_t count, const int64_t *expected)
{
  THLongStorage *given = storage_of(size, dims);
  THLongStorage *inferred = THLongStorage_newInferSize(given, count);
  check_shape(inferred, expected, dims);
  check_shape(given, size, dims);
  CHECK_EQ(inferred->refcount, 1);
  THLongStorage_free(inferred);
  THLongStorage_free(given);
}

static void infer_fails(const int64_t *size, int64_t dims, ptrdiff_t count, const char *text)
{
  THLongStorage *given = storage_of(size, dims);
  CHECK_RAISES(1, text, THLongStorage_newInferSize(given, count));
  check_shape(given, size, dims);
  THLongStorage_free(given);
}

static void inference(void **state)
{
  infer(SHAPE(-1, 2, 4), 24, (int64_t[]){3, 2, 4});
  infer(SHAPE(2, -1), 24, (int64_t[]){2, 12});
  infer(SHAPE(-1), 5, (int64_t[]){5});
  infer(SHAPE(4, 6), 24, (int64_t[]){4, 6});
  infer(SHAPE(-1, 3), 0, (int64_t[]){0, 3});
  infer(SHAPE(5, 0), 0, (int64_t[]){5, 0});
  infer(NULL, 0, 0, NULL);
  infer_fails(SHAPE(-1, 2, -1), 24, "more than one -1");
  infer_fails(SHAPE(-1, 5), 24, "[-1 x 5] does not fit 24 elements");
  infer_fails(SHAPE(4, 5), 24, "it has 20");
  infer_fails(SHAPE(-2, -12), 24, "negative");
  infer_fails(SHAPE(-1, 0), 0, "does not fit");
  infer_fails(SHAPE(-1, 4), -24, "does not fit");
  infer_fails(SHAPE((int64_t)1 << 32, (int64_t)1 << 32, -1), 24, "too many elements");
  infer_fails(NULL, 0, 1, "does not fit");
}

/* --- broadcasting ------------------------------------------------------------------------- */

static void broadcasts(int64_t *a, int64_t dimsA, int64_t *b, int64_t dimsB,
                       const int64_t *expected, int64_t dims)
{
  char text[100] = "untouched";
  for (int swapped = 0; swapped < 2; swapped++) {
    THLongStorage *output = storage_of(SHAPE(99, 98));
    CHECK_EQ(swapped ? THLongStorage_inferSize2(output, b, dimsB, a, dimsA, text, sizeof text)
                     : THLongStorage_inferSize2(output, a, dimsA, b, dimsB, text, sizeof text),
             0);
    check_shape(output, expected, dims);
    assert_string_equal(text, "untouched");
    THLongStorage_free(output);
  }
}

static void broadcast_fails(int64_t *a, int64_t dimsA, int64_t *b, int64_t dimsB, const char *part)
{
  char text[200] = "", cut[6] = "", none[1] = "x";
  THLongStorage *output = storage_of(SHAPE(99, 98));
  CHECK_EQ(THLongStorage_inferSize2(output, a, dimsA, b, dimsB, text, sizeof text), -1);
  CHECK_MSG(strstr(text, part), "\"%s\" does not say \"%s\"", text, part);
  CHECK_EQ(THLongStorage_inferSize2(output, a, dimsA, b, dimsB, cut, sizeof cut), -1);
  CHECK_MSG(strlen(cut) == 5 && !strncmp(cut, text, 5), "cut to \"%.6s\"", cut);
  CHECK_EQ(THLongStorage_inferSize2(output, a, dimsA, b, dimsB, none, 0), -1);
  CHECK_EQ(none[0], 'x');
  CHECK_EQ(THLongStorage_inferSize2(output, a, dimsA, b, dimsB, NULL, 0), -1);
  CHECK_EQ(THLongStorage_inferSize2(output, a, dimsA, b, dimsB, NULL, 200), -1);
  check_shape(output, SHAPE(99, 98));
  THLongStorage_free(output);
}

/* Shapes and results are those of torch.broadcast_shapes. */
static void broadcasting(void **state)
{
  broadcasts(SHAPE(2, 2, 4), SHAPE(3, 2, 2, 4), SHAPE(3, 2, 2, 4));
  broadcasts(SHAPE(2, 3, 4), SHAPE(2, 2, 1, 4), SHAPE(2, 2, 3, 4));
  broadcasts(SHAPE(5, 1, 3), SHAPE(4, 1), SHAPE(5, 4, 3));
  broadcasts(SHAPE(7), SHAPE(7), SHAPE(7));
  broadcasts(SHAPE(1), SHAPE(0), SHAPE(0));
  broadcast_fails(SHAPE(2, 3), SHAPE(4, 3),
                  "[2 x 3] and [4 x 3] do not broadcast: 2 differs from 4");
  broadcast_fails(SHAPE(3), SHAPE(0), "3 differs from 0");
  broadcast_fails(SHAPE(3, -1), SHAPE(3, 1), "negative");
  broadcast_fails(SHAPE(2), NULL, 0, "shape 2 is that of an empty tensor");
  broadcast_fails(NULL, 0, SHAPE(2), "shape 1 is that of an empty tensor");
  broadcast_fails(SHAPE((int64_t)1 << 40, 1), SHAPE(1, (int64_t)1 << 40), "too many elements");

  int64_t *shapes[] = {(int64_t[]){2, 1, 1}, (int64_t[]){3, 1}, (int64_t[]){4},
                       (int64_t[]){5, 1, 1, 1}};
  int64_t dims[] = {3, 2, 1, 4};
  char text[200];
  THLongStorage *output = THLongStorage_new();
  CHECK_EQ(THLongStorage_inferSizeN(output, 4, shapes, dims, text, sizeof text), 0);
  check_shape(output, SHAPE(5, 2, 3, 4));
  CHECK_EQ(THLongStorage_inferSizeN(output, 1, shapes, dims, text, sizeof text), 0);
  check_shape(output, SHAPE(2, 1, 1));
  CHECK_EQ(THLongStorage_inferSizeN(output, 0, shapes, dims, text, sizeof text), -1);
  assert_non_null(strstr(text, "no shapes"));
  shapes[1] = (int64_t[]){3, 7};
  CHECK_EQ(THLongStorage_inferSizeN(output, 4, shapes, dims, text, sizeof text), -1);
  assert_non_null(strstr(text, "[3 x 7] and [4] do not broadcast: 7 differs from 4"));
  check_shape(output, SHAPE(2, 1, 1));
  THLongStorage_free(output);
}

/* output may be one of the shapes, and grow at that. */
static void broadcasting_in_place(void **state)
{
  THLongStorage *output = storage_of(SHAPE(4, 1));
  CHECK_EQ(THLongStorage_inferSize2(output, output->data, 2, SHAPE(3, 5, 1, 6), NULL, 0), 0);
  check_shape(output, SHAPE(3, 5, 4, 6));
  CHECK_EQ(THLongStorage_inferSize2(output, SHAPE(6), output->data, 3, NULL, 0), -1);
  check_shape(output, SHAPE(3, 5, 4, 6));
  THLongStorage_free(output);
}

/* Random shapes that broadcast by construction: each has a part of the result, or 1 instead. */
static void broadcasting_random(void **state)
{
  th_random random = {th_seed()};
  for (int round = 0; round < 2000; round++) {
    enum { SHAPES = 5, DIMS = 7 };
    int64_t result[DIMS], data[SHAPES][DIMS], *shapes[SHAPES], dims[SHAPES];
    const int most = 1 + (int)th_random_below(&random, DIMS);
    for (int d = 0; d < most; d++)
      result[d] = th_random_below(&random, 6);
    for (int i = 0; i < SHAPES; i++) {
      dims[i] = i == 3 ? most : 1 + th_random_below(&random, most);
      shapes[i] = data[i];
      for (int64_t d = 0; d < dims[i]; d++) {
        const int64_t full = result[most - dims[i] + d];
        data[i][d] = i == 3 || th_random_below(&random, 2) ? full : 1;
      }
    }
    THLongStorage *output = THLongStorage_new();
    CHECK_EQ(THLongStorage_inferSizeN(output, SHAPES, shapes, dims, NULL, 0), 0);
    check_shape(output, result, most);

    const int d = (int)th_random_below(&random, most);
    if (result[d] != 1) { /* one size that is neither 1 nor right */
      data[3][d] += 1 + (result[d] == 0);
      const int other = (int)th_random_below(&random, 3);
      dims[other] = most;
      memcpy(data[other], result, sizeof result);
      CHECK_EQ(THLongStorage_inferSizeN(output, SHAPES, shapes, dims, NULL, 0), -1);
      check_shape(output, result, most);
    }
    THLongStorage_free(output);
  }
}

/* --- expansion ---------------------------------------------------------------------------- */

typedef struct {
  int64_t dims, size[3], stride[3];
  int64_t targetDims, target[4], expandedSize[4], expandedStride[4];
} Expansion;

/* Strides as torch.empty_strided(size, stride).expand(target) has them. */
static const Expansion expansions[] = {
    {2, {3, 1}, {1, 1}, 3, {2, 3, 4}, {2, 3, 4}, {0, 1, 0}},
    {1, {3}, {2}, 3, {1, 1, 3}, {1, 1, 3}, {6, 6, 2}},
    {2, {3, 4}, {4, 1}, 2, {-1, -1}, {3, 4}, {4, 1}},
    {2, {1, 3}, {9, 2}, 4, {2, 1, 5, 3}, {2, 1, 5, 3}, {0, 0, 0, 2}},
    {3, {2, 1, 3}, {3, 50, 1}, 3, {2, 7, -1}, {2, 7, 3}, {3, 0, 1}},
    {1, {1}, {1}, 1, {0}, {0}, {0}},
    {2, {2, 3}, {3, 1}, 3, {1, 2, 3}, {1, 2, 3}, {6, 3, 1}},
};

static void expansion(void **state)
{
  for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++) {
    Expansion e = expansions[i];
    th_note("expansion %d", (int)i);
    THLongStorage *target = storage_of(e.target, e.targetDims);
    int64_t *size, *stride;
    CHECK_EQ(THLongStorage_inferExpandGeometry(e.size, e.stride, e.dims, target, &size, &stride,
                                               NULL, 0),
             0);
    for (int64_t d = 0; d < e.targetDims; d++) {
      CHECK_EQ(size[d], e.expandedSize[d]);
      CHECK_EQ(stride[d], e.expandedStride[d]);
    }
    check_shape(target, e.target, e.targetDims);
    THFree(size);
    THFree(stride);
    THLongStorage_free(target);
  }
}

static void expand_fails(int64_t *size, int64_t dims, const int64_t *target, int64_t targetDims,
                         const char *part)
{
  int64_t strides[] = {100, 10, 1}, mark, *expandedSize = &mark, *expandedStride = &mark;
  char text[256] = "";
  THLongStorage *to = storage_of(target, targetDims);
  CHECK_EQ(THLongStorage_inferExpandGeometry(size, strides, dims, to, &expandedSize,
                                             &expandedStride, text, sizeof text),
           -1);
  CHECK_MSG(strstr(text, part), "\"%s\" does not say \"%s\"", text, part);
  CHECK(expandedSize == &mark && expandedStride == &mark);
  CHECK_EQ(THLongStorage_inferExpandGeometry(size, strides, dims, to, &expandedSize,
                                             &expandedStride, NULL, 7),
           -1);
  THLongStorage_free(to);
}

static void expansion_errors(void **state)
{
  expand_fails(SHAPE(2, 3), SHAPE(2, 4), "[2 x 3] cannot be expanded to [2 x 4]");
  expand_fails(SHAPE(2, 3), SHAPE(3), "fewer dimensions");
  expand_fails(SHAPE(2, 3), SHAPE(-1, 2, 3), "cannot have size -1");
  expand_fails(SHAPE(2, 3), SHAPE(2, -3), "cannot have size -3");
  expand_fails(SHAPE(1, 1), SHAPE((int64_t)1 << 40, (int64_t)1 << 40), "too many elements");
  expand_fails(NULL, 0, SHAPE(2), "empty tensor");

  int64_t *size, *stride; /* no dimensions to no dimensions */
  THLongStorage *none = THLongStorage_new();
  CHECK_EQ(THLongStorage_inferExpandGeometry(NULL, NULL, 0, none, &size, &stride, NULL, 0), 0);
  CHECK(!size && !stride);
  THLongStorage_free(none);
}

/* --- no memory ---------------------------------------------------------------------------- */

static THLongStorage *shape;

static void setup(void *context)
{
  shape = storage_of(SHAPE(2, -1, 3));
}

static void body_infer(void *context)
{
  THLongStorage_free(THLongStorage_newInferSize(shape, 24));
}

static void body_expand(void *context)
{
  int64_t *size, *stride;
  CHECK_EQ(THLongStorage_inferExpandGeometry((int64_t[]){2, 1, 3}, (int64_t[]){3, 3, 1}, 3, shape,
                                             &size, &stride, NULL, 0),
           0);
  THFree(size);
  THFree(stride);
}

static void body_broadcast(void *context)
{
  CHECK_EQ(THLongStorage_inferSize2(shape, SHAPE(9, 9, 1, 2, 1), SHAPE(7), NULL, 0), 0);
}

static void is_as_before(void *context, int raised)
{
  check_shape(shape, SHAPE(2, -1, 3));
}

static void is_broadcast_or_as_before(void *context, int raised)
{
  if (raised)
    is_as_before(context, raised);
  else
    check_shape(shape, SHAPE(9, 9, 1, 2, 7));
}

static void teardown(void *context)
{
  THLongStorage_free(shape);
}

static void faults(void **state)
{
  CHECK(th_fail(&(THFailCase){setup, body_infer, is_as_before, teardown}, NULL) >= 2);
  CHECK(th_fail(&(THFailCase){setup, body_expand, is_as_before, teardown}, NULL) >= 2);
  CHECK(th_fail(&(THFailCase){setup, body_broadcast, is_broadcast_or_as_before, teardown}, NULL) >=
        1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes),
      cmocka_unit_test(descriptions),
      cmocka_unit_test(inference),
      cmocka_unit_test(broadcasting),
      cmocka_unit_test(broadcasting_in_place),
      cmocka_unit_test(broadcasting_random),
      cmocka_unit_test(expansion),
      cmocka_unit_test(expansion_errors),
      cmocka_unit_test(faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
