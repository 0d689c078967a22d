/* References, scopes, errors, types, lists, storages, generators, the table. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    at_tensor *sum = at_add(x, at_mul(x, x), .alpha = 2);
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

/* A function whose result belongs to the scope of its caller, like that of any other function. */
static at_tensor *square_sum(at_tensor *a, at_tensor *b)
{
  AT_SCOPE_GUARD;
  at_tensor *sum = NULL;
  AT_SCOPE
  {
    sum = at_escape(at_add(at_mul(a, a), at_mul(b, b)));
  }
  return at_escape(sum);
}

/* A function that may return its argument. */
static at_tensor *larger(at_tensor *a, at_tensor *b)
{
  AT_SCOPE_GUARD;
  return at_escape(at_item_double(at_sum(a)) > at_item_double(at_sum(b)) ? a : b);
}

static int references_of(const at_tensor *t)
{
  return ((const THFloatTensor *)at_unsafeGetTH(t))->storage->refcount;
}

static void escapes(void **state)
{
  at_tensor *x = at_full(AT_SHAPE(2), at_scalar(3)), *view = at_select(x, 0, 0);
  CHECK_EQ(references_of(x), 2);
  AT_SCOPE
  {
    at_tensor *s = square_sum(x, x), *alias = NULL;
    CHECK_EQ(((float *)at_data(s))[1], 18);
    AT_SCOPE
    {
      alias = at_escape(at_view(x, AT_SHAPE(2, 1)));
      CHECK(at_escape(s) == s); /* s belongs to the outer scope, and stays there */
    }
    CHECK_EQ(references_of(x), 3);
    CHECK_EQ(((float *)at_data(s))[0], 18);
    CHECK(larger(s, x) == s && larger(alias, s) == s && larger(x, view) == x);
    CHECK_EQ(((float *)at_data(s))[0], 18);
  }
  CHECK_EQ(references_of(x), 2); /* the view has ended with the outer scope */
  CHECK(at_escape(x) == x && at_escape(NULL) == NULL &&
        at_escape(at_undefined()) == at_undefined());
  at_tensor *mine = square_sum(x, x); /* no scope: the caller's */
  CHECK_EQ(((float *)at_data(mine))[1], 18);
  at_release(mine);
  at_release(view);
  at_release(x);
}

/* break and continue leave the loop around a scope that is the rest of its block. */
static void scopes_of_blocks(void **state)
{
  at_tensor *x = at_ones(AT_SHAPE(2));
  int rounds = 0, ends = 0;
  for (int i = 0; i < 10; i++) {
    AT_SCOPE_GUARD;
    at_tensor *view = at_select(x, 0, 0);
    CHECK(at_defined(view) && references_of(x) == 2);
    rounds++;
    if (i < 2)
      continue;
    {
      AT_SCOPE_GUARD;
      CHECK(at_defined(at_select(x, 0, 1)));
      CHECK_EQ(references_of(x), 3);
      if (i == 4)
        break;
    }
    CHECK_EQ(references_of(x), 2);
    ends++;
  }
  CHECK(rounds == 5 && ends == 2);
  CHECK_EQ(references_of(x), 1);
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

  /* Undefined operands give undefined results; the first error is kept. */
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
  CHECK(at_getType(AT_BACKEND_CUDA, AT_FLOAT) == at_undefinedType());
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

/* --- a process that an error ends ----------------------------------------------------------- */

typedef struct Ended {
  int status;
  char text[500]; /* on stderr */
} Ended;

/* Runs the function in a process, and returns how that ends. */
static Ended end_of(void (*run)(void))
{
  Ended ended = {0};
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    run();
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; got > 0; length += (size_t)(got > 0 ? got : 0))
    got = read(ends[0], ended.text + length, sizeof ended.text - 1 - length);
  close(ends[0]);
  CHECK(waitpid(child, &ended.status, 0) == child);
  return ended;
}

static void fail_second(void)
{
  at_tensor *wrong = at_add(at_ones(AT_SHAPE(2)), at_ones(AT_SHAPE(3))); /* no abort yet */
  at_error_setAbort(true);
  wrong = at_neg(at_add(wrong, 1)); /* an undefined operand is no new error */
  at_size(at_ones(AT_SHAPE(2)), 7);
}

static void fail_and_go_on(void)
{
  at_error_setAbort(true);
  at_error_setAbort(false);
  at_size(at_ones(AT_SHAPE(2)), 7);
}

static void aborts(void **state)
{
  CHECK(!at_error_aborts());
  const Ended second = end_of(fail_second);
  CHECK(WIFSIGNALED(second.status) && WTERMSIG(second.status) == SIGABRT);
  CHECK_MSG(strstr(second.text, "size: dimension 7 is out of range"), "%s", second.text);
  const Ended none = end_of(fail_and_go_on);
  CHECK(WIFEXITED(none.status) && none.text[0] == '\0');
}

/* Runs this program again with AT_ABORT_ON_ERROR set; it makes a mistake and returns 0. */
static const char *program, *wish;

static void start_again(void)
{
  setenv("AT_ABORT_ON_ERROR", wish, 1);
  execl("/proc/self/exe", program, "fail", NULL);
}

static void aborts_by_the_environment(void **state)
{
  const char *const wishes[] = {"1", "yes", "0", ""};
  for (int i = 0; i < 4; i++) {
    wish = wishes[i];
    const Ended ended = end_of(start_again);
    CHECK_MSG(WIFSIGNALED(ended.status) == (i < 2) &&
                  WTERMSIG(ended.status) == (i < 2 ? SIGABRT : 0),
              "%s: %x", wish, ended.status);
    CHECK_MSG((strstr(ended.text, "neg: self is NULL") != NULL) == (i < 2), "%s", ended.text);
  }
}

/* --- types and TH ----------------------------------------------------------------------------- */

static void types(void **state)
{
  const at_type *type = AT_CPU(AT_SHORT);
  CHECK(at_type_backend(type) == AT_BACKEND_CPU && at_type_scalarType(type) == AT_SHORT);
  CHECK(at_type_elementSize(type) == 2 && !strcmp(at_type_toString(type), "CPUShortType"));
  CHECK(!at_hasCUDA());
  const at_scalar_type wrong[] = {AT_SCALAR_TYPES, (at_scalar_type)-1, (at_scalar_type)1000};
  for (int i = 0; i < 3; i++) {
    CHECK(!at_type_defined(AT_CPU(wrong[i])) && at_error() == AT_ERROR_TYPE);
    at_error_clear();
    CHECK_EQ(at_promoteTypes(wrong[i], AT_FLOAT), AT_SCALAR_TYPES);
    CHECK_EQ(at_promoteTypes(AT_BYTE, wrong[i]), AT_SCALAR_TYPES);
    CHECK_EQ(at_promoteTypes(wrong[i], wrong[i]), AT_SCALAR_TYPES);
  }
  CHECK_EQ(at_promoteTypes(AT_BYTE, AT_CHAR), AT_SHORT);
  CHECK_EQ(at_promoteTypes(AT_LONG, AT_HALF), AT_HALF);
  CHECK_EQ(at_promoteTypes(AT_HALF, AT_FLOAT), AT_FLOAT);
  CHECK_EQ(at_promoteTypes(AT_HALF, AT_BFLOAT16), AT_FLOAT);
  CHECK_EQ(at_promoteTypes(AT_BFLOAT16, AT_LONG), AT_BFLOAT16);
  CHECK_EQ(at_promoteTypes(AT_BOOL, AT_BYTE), AT_BYTE);
  CHECK_EQ(at_promoteTypes(AT_DOUBLE, AT_BFLOAT16), AT_DOUBLE);
}

static void refused(at_tensor *t, const char *part)
{
  CHECK(!at_defined(t));
  CHECK_MSG(strstr(at_error_message(), part), "%s", at_error_message());
  at_error_clear();
}

/* An undefined type does not count as not given. */
static void undefined_types(void **state)
{
  const at_type *const none = at_undefinedType();
  CHECK(at_type_defined(AT_CPU(AT_INT)) && !at_type_defined(none) && !at_type_defined(NULL));
  CHECK(at_type_backend(none) == AT_BACKENDS && at_type_scalarType(none) == AT_SCALAR_TYPES);
  CHECK(at_type_elementSize(none) == 0 && !strcmp(at_type_toString(none), "UndefinedType"));
  CHECK(at_typeOf(at_undefined()) == none && at_typeOf(NULL) == none);
  CHECK(at_storage_type(NULL) == none);

  at_tensor *t = at_ones(AT_SHAPE(2));
  refused(at_ones(AT_SHAPE(2), .type = AT_CUDA(AT_FLOAT)), "CUDAFloatType is not enabled");
  refused(at_ones(AT_SHAPE(2), .type = none), "ones: type is the undefined type");
  refused(at_zeros_like(t, .type = none), "zeros_like: type is the undefined type");
  refused(at_sum(t, .type = none), "sum: type is the undefined type");
  refused(at_rand(AT_SHAPE(2), .type = at_typeOf(at_undefined())), "rand: type is the undefined");
  refused(at_to(t, none), "to: type is the undefined type");
  refused(at_to(t, NULL), "to: type is NULL");
  refused(at_fromTH(none, at_unsafeGetTH(t)), "fromTH: type is the undefined type");
  CHECK(!at_storage_new(none, 2));
  CHECK_MSG(strstr(at_error_message(), "storage_new: type is the"), "%s", at_error_message());
  at_error_clear();

  /* In the table, a type that is given as NULL is an error. */
  at_value values[] = {{.given = true, .ints = AT_SHAPE(2)}, {.given = true}}, result;
  CHECK(!at_op_find("ones")->call(values, &result) && at_error() == AT_ERROR_NULL);
  at_error_clear();
  values[1].given = false;
  CHECK(at_op_find("ones")->call(values, &result));
  CHECK(at_typeOf(result.tensor) == AT_CPU(AT_FLOAT));
  at_release(result.tensor);
  at_release(t);
}

static void items(void **state)
{
  at_tensor *three = at_full(AT_SHAPE(1, 1), at_scalar(3), .type = AT_CPU(AT_INT));
  CHECK(at_item_double(three) == 3 && at_item_long(three) == 3 && !at_item(three).is_float);
  CHECK(isnan(at_item_double(at_undefined())) && at_error() == AT_OK);
  CHECK(isnan(at_scalar_toDouble(at_item(at_undefined()))) && at_error() == AT_OK);
  CHECK(at_item_long(at_undefined()) == 0 && at_error() == AT_OK);
  CHECK(isnan(at_item_double(NULL)) && at_error() == AT_ERROR_NULL);
  at_error_clear();
  at_tensor *two = at_ones(AT_SHAPE(2));
  CHECK(isnan(at_item_double(two)) && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(at_item_long(two) == 0 && at_error() == AT_ERROR_ARGUMENT);
  CHECK_MSG(strstr(at_error_message(), "has to have one element"), "%s", at_error_message());
  at_error_clear();
  at_release(two);
  at_release(three);
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

static void from_arrays(void **state)
{
  const int64_t given[] = {5, -1, INT64_MAX};
  at_tensor *const t = at_fromArray(AT_CPU(AT_LONG), given, AT_SHAPE(3, 1));
  CHECK(at_dim(t) == 2 && !memcmp(at_data(t), given, sizeof given) && at_data(t) != given);
  at_tensor *const one = at_fromArray(AT_CPU(AT_DOUBLE), &(double){0.1}, AT_SCALAR_SHAPE);
  CHECK(at_dim(one) == 0 && at_item_double(one) == 0.1);
  at_tensor *const none = at_fromArray(AT_CPU(AT_FLOAT), NULL, AT_SHAPE(0, 2));
  CHECK(at_dim(none) == 2 && at_numel(none) == 0);
  refused(at_fromArray(AT_CPU(AT_FLOAT), NULL, AT_SHAPE(2)), "fromArray: elements is NULL");
  refused(at_fromArray(AT_CPU(AT_LONG), given, AT_SHAPE(-3)), "-3");
  refused(at_fromArray(AT_CPU(AT_LONG), given, ((at_ints){NULL, 1})), "no data");
  refused(at_fromArray(at_undefinedType(), given, AT_SHAPE(3)), "undefined type");
  at_release(t);
  at_release(one);
  at_release(none);
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

/* A tensor without elements needs no memory, whatever its strides are. */
static void empty_views(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(0, 3)), *view = at_view(t, AT_SHAPE(2, 0, 300));
  CHECK(at_dim(view) == 3);
  const THFloatTensor *th = at_unsafeGetTH(view);
  CHECK(!th->storage || th->storage->size == 0);
  at_release(view);
  at_release(t);
}

/* The second result cannot be written, so the first is unchanged. */
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
  at_generator_free(standard); /* ignored for the default generator */
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

int main(int argc, char **argv)
{
  program = argv[0];
  if (argc > 1)
    _exit(at_defined(at_neg(NULL)));
  const struct CMUnitTest tests[] = {cmocka_unit_test(references),
                                     cmocka_unit_test(scopes),
                                     cmocka_unit_test(escapes),
                                     cmocka_unit_test(scopes_of_blocks),
                                     cmocka_unit_test(scopes_and_errors_of_th),
                                     cmocka_unit_test(errors),
                                     cmocka_unit_test(errors_of_threads),
                                     cmocka_unit_test(aborts),
                                     cmocka_unit_test(aborts_by_the_environment),
                                     cmocka_unit_test(types),
                                     cmocka_unit_test(undefined_types),
                                     cmocka_unit_test(items),
                                     cmocka_unit_test(around_th),
                                     cmocka_unit_test(from_arrays),
                                     cmocka_unit_test(limits),
                                     cmocka_unit_test(empty_views),
                                     cmocka_unit_test(results_together),
                                     cmocka_unit_test(storages),
                                     cmocka_unit_test(generators),
                                     cmocka_unit_test(tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
