/* References, scopes, errors, types, and what a call leaves behind when memory runs out. */
#include <pthread.h>
#include <string.h>

#include "ATen.h"
#include "TH.h"
#include "THMemory.h"
#include "th_fail.h"
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
  at_tensor *view = at_select(returned, 0, 1);
  at_release(returned);
  CHECK_EQ(((float *)at_data(view))[0], 21); /* a view keeps the memory */
  at_release(view);
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

static void tables(void **state)
{
  const at_op *op = at_op_find("add");
  CHECK(op && !strcmp(op->overload, "") && op->count == 3);
  CHECK(!strcmp(op->arguments[2].name, "alpha") && op->arguments[2].kind == AT_KIND_SCALAR);
  CHECK(!strcmp(op->arguments[2].defaults, "1") && !op->arguments[0].defaults);
  CHECK(!strcmp(op[1].name, "add") && !strcmp(op[1].overload, "scalar"));
  CHECK(!at_op_find("ad") && !at_op_find("") && !at_op_find("zzz"));
  for (int i = 1; i < at_opCount; i++)
    CHECK(strcmp(at_ops[i - 1].name, at_ops[i].name) <= 0);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* A call of an operation with tensors that have to be converted, repeated and written through
 * views. */
typedef struct Call {
  const at_op *op;
  int attempt; /* which shapes to try: some operations take not all of them */
  at_value values[8];
  at_tensor *before[8]; /* copies of the tensors */
  at_tensor *result;
} Call;

static const int64_t shapes[][2] = {{3, 2}, {1, 0}, {2, 3}};

static void set_up(void *context)
{
  Call *call = context;
  for (int i = 0; i < call->op->count; i++) {
    at_value *v = &call->values[i];
    *v = (at_value){.given = !call->op->arguments[i].defaults,
                    .scalar = at_scalar(2),
                    .type = AT_CPU(AT_DOUBLE)};
    v->ints = (at_ints){shapes[call->attempt % 3], 2};
    if (call->op->arguments[i].kind == AT_KIND_TENSOR) {
      at_tensor *wide = at_full(AT_SHAPE(3, 2), at_scalar(i + 1), .type = AT_CPU(AT_FLOAT));
      at_tensor *view = at_transpose(wide, 0, 1), *row = at_select(view, 0, 0);
      at_tensor *other = at_to(call->attempt < 3 ? row : view, AT_CPU(AT_DOUBLE));
      v->tensor = i == 0 ? at_retain(view) : at_retain(other);
      call->before[i] = at_clone(v->tensor);
      at_release(other);
      at_release(row);
      at_release(view);
      at_release(wide);
    }
  }
  call->result = NULL;
  THMemory_emptyCache(); /* or what was freed here would serve */
}

static void body(void *context)
{
  Call *call = context;
  call->result = call->op->call(call->values);
  if (!at_defined(call->result)) {
    at_error_clear();
    THError("no result");
  }
}

static bool same(at_tensor *a, at_tensor *b)
{
  at_tensor *x = at_contiguous(a), *y = at_contiguous(b);
  const bool result =
      at_typeOf(a) == at_typeOf(b) && at_dim(a) == at_dim(b) && at_numel(a) == at_numel(b) &&
      !memcmp(at_data(x), at_data(y), (size_t)at_numel(a) * at_type_elementSize(at_typeOf(a)));
  at_release(x);
  at_release(y);
  return result;
}

static void check(void *context, int raised)
{
  Call *call = context;
  for (int i = 0; raised && i < call->op->count; i++)
    CHECK_MSG(!call->values[i].tensor || same(call->values[i].tensor, call->before[i]),
              "%s has changed %s", call->op->name, call->op->arguments[i].name);
}

static void tear_down(void *context)
{
  Call *call = context;
  bool isArgument = false;
  for (int i = 0; i < call->op->count; i++) {
    isArgument |= call->result == call->values[i].tensor;
    at_release(call->values[i].tensor);
    at_release(call->before[i]);
    call->before[i] = NULL;
  }
  if (!isArgument)
    at_release(call->result);
}

static void memory(void **state)
{
  const THFailCase stages = {set_up, body, check, tear_down};
  int allocations = 0;
  for (int i = 0; i < at_opCount; i++) {
    Call call = {.op = &at_ops[i]};
    for (; call.attempt < 6; call.attempt++) {
      set_up(&call);
      call.result = call.op->call(call.values);
      const bool works = at_defined(call.result);
      tear_down(&call);
      at_error_clear();
      if (works)
        break;
    }
    CHECK_MSG(call.attempt < 6, "%s has not been called right", call.op->schema);
    allocations += th_fail(&stages, &call);
  }
  printf("%d allocations of %d operations\n", allocations, at_opCount);
  CHECK(allocations > at_opCount); /* of those in place, some make nothing */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references), cmocka_unit_test(scopes),
      cmocka_unit_test(errors),     cmocka_unit_test(errors_of_threads),
      cmocka_unit_test(types),      cmocka_unit_test(around_th),
      cmocka_unit_test(tables),     cmocka_unit_test(memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
