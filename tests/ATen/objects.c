/* References, scopes, errors, types, lists, storages, generators, the table. */
#include <pthread.h>
#include <string.h>

#include "ATen.h"
#include "TH.h"
#include "th_test.h"

/* --- references and scopes -------------------------------------------------------------------- */

static void references(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2, 3));
  CHECK(at_defined(t) && at_dim(t) == 2 && at_numel(t) == 6);
  CHECK(at_retain(t) == t);
  at_release(t);
  CHECK_EQ(((float *)at_data(t))[5], 1);
  at_release(t);
  at_release(NULL);
  at_release(at_undefined());
  CHECK(at_retain(at_undefined()) == at_undefined());
  CHECK(at_storageOffset(at_undefined()) == 0 && at_storageOffset(NULL) == 0);
}

static at_tensor *returns_from_a_scope(at_tensor *x)
{
  AT_SCOPE
  {
    at_tensor *sum = at_add(x, at_mul(x, x), .alpha = at_opt(2));
    return at_keep(sum); /* the scope ends here too */
  }
  return NULL;
}

static void scopes(void **state)
{
  at_tensor *kept = NULL, *x = at_full(AT_SHAPE(3), at_scalar(3));
  AT_SCOPE
  {
    at_tensor *a = at_add(x, x);
    AT_SCOPE
    {
      at_tensor *b = at_mul(a, a);
      CHECK_EQ(((float *)at_data(b))[0], 36);
      kept = at_keep(at_neg(b));
      at_release(b); /* early */
      at_retain(a);
      at_release(a);
    }
    CHECK_EQ(((float *)at_data(a))[2], 6);
    for (int i = 0; i < 3; i++)
      AT_SCOPE
      {
        at_tensor *unused = at_clone(a);
        if (unused)
          break;
      }
  }
  CHECK_EQ(((float *)at_data(kept))[1], -36);
  at_tensor *returned = returns_from_a_scope(x);
  CHECK_EQ(((float *)at_data(returned))[1], 21);
  at_tensor *view = at_select(returned, 0, 2);
  CHECK(at_storageOffset(view) == 2 && at_storageOffset(returned) == 0);
  at_release(returned);
  CHECK_EQ(((float *)at_data(view))[0], 21); /* a view keeps the memory */
  at_release(view);
  at_release(kept);
  at_release(x);
}

/* An error of TH jumps over the ends of scopes; they end all the same. */
static void scopes_and_errors_of_th(void **state)
{
  at_tensor *x = at_ones(AT_SHAPE(3)), *volatile kept = NULL;
  THTry attempt;
  TH_TRY(attempt)
  {
    AT_SCOPE
    {
      at_tensor *y = at_retain(at_add(x, 1));
      kept = y;
      AT_SCOPE
      {
        if (at_defined(at_add(y, y)))
          THError("stop");
      }
    }
  }
  CHECK(attempt.failed && !strcmp(at_type_toString(at_typeOf(kept)), "CPUFloatType"));
  at_tensor *z = at_add(x, 2); /* belongs to no scope */
  CHECK_EQ(((float *)at_data(z))[0], 3);
  at_release(z);
  at_release(kept);
  at_release(x);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void errors(void **state)
{
  at_tensor *a = at_zeros(AT_SHAPE(2, 3)), *b = at_zeros(AT_SHAPE(4));
  CHECK(at_error() == AT_OK && !strcmp(at_error_message(), "") &&
        !strcmp(at_error_operation(), ""));
  at_tensor *wrong = at_add(a, b);
  CHECK(wrong == at_undefined());
  CHECK_EQ(at_error(), AT_ERROR_ARGUMENT);
  CHECK(!strcmp(at_error_operation(), "add"));
  CHECK_MSG(strstr(at_error_message(), "2 x 3") && strstr(at_error_message(), "4"), "%s",
            at_error_message());

  /* Undefined in, undefined out; the first error stays. */
  CHECK(at_mul(wrong, a) == at_undefined());
  CHECK(at_neg(NULL) == at_undefined());
  CHECK(!strcmp(at_error_operation(), "add"));
  at_error_clear();
  CHECK(at_mul(a, wrong) == at_undefined());
  CHECK_EQ(at_error(), AT_OK);

  CHECK(at_add(a, NULL) == at_undefined());
  CHECK_EQ(at_error(), AT_ERROR_NULL);
  CHECK_MSG(strstr(at_error_message(), "other"), "%s", at_error_message());
  at_error_clear();
  CHECK(at_add_(a, wrong) == at_undefined());
  CHECK(at_size(a, 2) == -1 && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK_EQ(at_size(a, -1), 3);

  at_tensor *integers = at_zeros(AT_SHAPE(2), .type = AT_CPU(AT_INT));
  CHECK(at_add_scalar_(integers, at_scalar(0.5)) == at_undefined());
  CHECK_EQ(at_error(), AT_ERROR_TYPE);
  at_error_clear();
  const int64_t huge[] = {INT64_MAX / 2, 16};
  const at_ints sizes = {huge, 2};
  CHECK(at_zeros(sizes) == at_undefined() && at_error() != AT_OK);
  at_error_clear();
  CHECK(at_getType(AT_BACKEND_CUDA, AT_FLOAT) == NULL);
  CHECK_MSG(strstr(at_error_message(), "CUDAFloatType is not enabled"), "%s", at_error_message());
  at_error_clear();
  at_release(integers);
  at_release(a);
  at_release(b);
}

static void *fails_elsewhere(void *unused)
{
  CHECK_EQ(at_error(), AT_OK);
  CHECK(at_neg(NULL) == at_undefined());
  return (void *)at_error_operation();
}

static void errors_of_threads(void **state)
{
  pthread_t thread;
  void *operation;
  pthread_create(&thread, NULL, fails_elsewhere, NULL);
  pthread_join(thread, &operation);
  CHECK(!strcmp(operation, "neg"));
  CHECK_EQ(at_error(), AT_OK);
}

/* --- types and TH ----------------------------------------------------------------------------- */

static void types(void **state)
{
  const at_type *type = AT_CPU(AT_SHORT);
  CHECK(at_type_backend(type) == AT_BACKEND_CPU && at_type_scalarType(type) == AT_SHORT);
  CHECK(at_type_elementSize(type) == 2 && !strcmp(at_type_toString(type), "CPUShortType"));
  CHECK(!at_hasCUDA());
  CHECK(at_getType(AT_BACKEND_CPU, AT_SCALAR_TYPES) == NULL && at_error() == AT_ERROR_TYPE);
  at_error_clear();
  CHECK_EQ(at_promoteTypes(AT_BYTE, AT_CHAR), AT_SHORT);
  CHECK_EQ(at_promoteTypes(AT_LONG, AT_HALF), AT_HALF);
  CHECK_EQ(at_promoteTypes(AT_HALF, AT_FLOAT), AT_FLOAT);
  CHECK_EQ(at_promoteTypes(AT_HALF, AT_BFLOAT16), AT_FLOAT);
  CHECK_EQ(at_promoteTypes(AT_BFLOAT16, AT_LONG), AT_BFLOAT16);
  CHECK_EQ(at_promoteTypes(AT_BOOL, AT_BYTE), AT_BYTE);
  CHECK_EQ(at_promoteTypes(AT_DOUBLE, AT_BFLOAT16), AT_DOUBLE);
}

static void around_th(void **state)
{
  THIntTensor *th = THIntTensor_newWithSize2d(2, 2);
  THIntTensor_fill(th, 9);
  at_tensor *t = at_fromTH(AT_CPU(AT_INT), th);
  CHECK(at_unsafeGetTH(t) == th && at_numel(t) == 4);
  at_tensor *half = at_to(t, AT_CPU(AT_HALF)), *sum = at_add(half, half);
  CHECK(at_typeOf(sum) == AT_CPU(AT_HALF));
  CHECK_EQ(TH_half2float(((THHalf *)at_data(sum))[3]), 18);
  at_tensor *filled = at_full(AT_SCALAR_SHAPE, at_scalar(1.5), .type = AT_CPU(AT_HALF));
  CHECK(at_dim(filled) == 0 && at_numel(filled) == 1);
  CHECK_EQ(TH_half2float(*(THHalf *)at_data(filled)), 1.5);
  at_release(filled);
  at_release(half);
  at_release(sum);
  at_release(t);
}

static void refused(at_tensor *t, const char *part)
{
  CHECK(!at_defined(t));
  CHECK_MSG(strstr(at_error_message(), part), "%s", at_error_message());
  at_error_clear();
}

static void limits(void **state)
{
  int64_t ones[65];
  for (int d = 0; d < 65; d++)
    ones[d] = 1;
  at_tensor *most = at_ones(((at_ints){ones, 64}));
  CHECK(at_dim(most) == 64 && at_numel(most) == 1);
  refused(at_ones(((at_ints){ones, 65})), "at most 64 dimensions, not 65");
  refused(at_unsqueeze(most, 0), "64");
  refused(at_expand(most, ((at_ints){ones, 65})), "65");
  refused(at_ones(((at_ints){NULL, 2})), "sizes has 2 numbers and no data");
  refused(at_view(most, ((at_ints){ones, -1})), "sizes has -1 numbers");
  at_release(most);

  THLongStorage *size = THLongStorage_newWithSize(65);
  THLongStorage_fill(size, 1);
  refused(at_fromTH(AT_CPU(AT_FLOAT), THFloatTensor_newWithSize(size, NULL)), "at most 64");
  THLongStorage_free(size);
  refused(at_fromTH(AT_CPU(AT_FLOAT), NULL), "th is NULL");
  at_tensor *empty = at_fromTH(AT_CPU(AT_FLOAT), THFloatTensor_new());
  CHECK(at_dim(empty) == 1 && at_size(empty, 0) == 0);
  at_release(empty);
}

/* A tensor without elements needs no memory, wherever its strides lead. */
static void empty_views(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(0, 3)), *view = at_view(t, AT_SHAPE(2, 0, 300));
  CHECK(at_dim(view) == 3);
  const THFloatTensor *th = at_unsafeGetTH(view);
  CHECK(!th->storage || th->storage->size == 0);
  at_release(view);
  at_release(t);
}

/* The second result cannot be written, so the first is as it was. */
static void results_together(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2)), *output = at_full(AT_SHAPE(2), at_scalar(7));
  at_tensor *one = at_zeros(AT_SHAPE(1)), *buffer = at_expand(one, AT_SHAPE(2));
  const at_output_buffer r = at_log_sigmoid_forward_out(output, buffer, t);
  CHECK(!at_defined(r.output) && !at_defined(r.buffer));
  CHECK_MSG(strstr(at_error_message(), "share memory"), "%s", at_error_message());
  at_error_clear();
  CHECK_EQ(((float *)at_data(output))[0], 7);
  at_release(buffer);
  at_release(one);
  at_release(output);
  at_release(t);
}

/* --- storages and generators ------------------------------------------------------------------ */

static void storages(void **state)
{
  at_tensor *t = at_full(AT_SHAPE(2, 3), at_scalar(4), .type = AT_CPU(AT_BOOL));
  at_storage *storage = at_storageOf(t);
  at_release(t);
  CHECK(at_storage_type(storage) == AT_CPU(AT_BOOL) && at_storage_size(storage) == 6);
  CHECK_EQ(((uint8_t *)at_storage_data(storage))[5], 1); /* the storage outlives its tensor */
  CHECK(at_storage_retain(storage) == storage);
  at_storage_release(storage);
  CHECK_EQ(THByteStorage_size(at_storage_unsafeGetTH(storage)), 6);
  at_storage_release(storage);

  storage = at_storage_new(AT_CPU(AT_BFLOAT16), 7);
  CHECK(at_storage_size(storage) == 7 && at_storage_data(storage));
  at_storage_release(storage);
  CHECK(!at_storage_new(AT_CPU(AT_FLOAT), -1) && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(!at_storage_new(AT_CPU(AT_FLOAT), INT64_MAX) && at_error() != AT_OK);
  at_error_clear();
  CHECK(!at_storageOf(at_undefined()) && at_error() == AT_OK);
  CHECK(!at_storage_data(NULL) && at_storage_size(NULL) == 0);
  at_storage_release(NULL);
}

static void generators(void **state)
{
  at_generator *standard = at_defaultGenerator(AT_BACKEND_CPU);
  CHECK(standard && at_globalContext());
  at_manualSeed(5);
  CHECK_EQ(at_generator_initialSeed(standard), 5);
  at_generator *own = at_generator_new(AT_BACKEND_CPU);
  CHECK(own != standard);
  CHECK_EQ(at_generator_initialSeed(own), 5);
  const uint64_t seed = at_generator_seed(own);
  CHECK(seed == at_generator_initialSeed(own));
  at_generator_manualSeed(own, 6);
  CHECK_EQ(at_generator_initialSeed(standard), 5);
  at_generator_free(own);
  at_generator_free(standard); /* there is always one */
  CHECK_EQ(at_generator_initialSeed(standard), 5);
  CHECK(!at_defaultGenerator(AT_BACKEND_CUDA) && at_error() == AT_ERROR_TYPE);
  at_error_clear();
  CHECK(!at_generator_new(AT_BACKEND_CUDA) && !at_lazyInitCUDA());
  at_error_clear();
}

static void tables(void **state)
{
  const at_op *op = at_op_find("add");
  CHECK(op && !strcmp(op->overload, "") && op->argumentCount == 3);
  CHECK(!strcmp(op->arguments[2].name, "alpha") && op->arguments[2].kind == AT_KIND_SCALAR);
  CHECK(!strcmp(op->arguments[2].defaults, "1") && !op->arguments[0].defaults);
  CHECK(!strcmp(op[1].name, "add") && !strcmp(op[1].overload, "scalar"));
  CHECK(!at_op_find("ad") && !at_op_find("") && !at_op_find("zzz"));
  for (int i = 1; i < at_opCount; i++)
    CHECK(strcmp(at_ops[i - 1].name, at_ops[i].name) <= 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(references),
                                     cmocka_unit_test(scopes),
                                     cmocka_unit_test(scopes_and_errors_of_th),
                                     cmocka_unit_test(errors),
                                     cmocka_unit_test(errors_of_threads),
                                     cmocka_unit_test(types),
                                     cmocka_unit_test(around_th),
                                     cmocka_unit_test(limits),
                                     cmocka_unit_test(empty_views),
                                     cmocka_unit_test(results_together),
                                     cmocka_unit_test(storages),
                                     cmocka_unit_test(generators),
                                     cmocka_unit_test(tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
