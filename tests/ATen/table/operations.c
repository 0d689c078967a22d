/* Compares the operations in a file of cases, called by name, with results of PyTorch, which
 * tests/oracle recorded.  Each case is called with contiguous operands and with operands that are
 * not, and the first successful case of each operation with every allocation failing in turn.
 *
 *     test_ATen_operations FILE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "THMemory.h"
#include "cases.h"
#include "th_fail.h"
#include "th_test.h"

static const char *path;
static bool spread; /* operands have gaps between elements and another order of dimensions */

/* --- results ---------------------------------------------------------------------------------- */

static bool is_floating(const at_tensor *t)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  return type == AT_FLOAT || type == AT_DOUBLE || type == AT_HALF || type == AT_BFLOAT16;
}

/* t in a type that holds every value: Double, Long, or pairs of Double. */
static at_tensor *widened(at_tensor *t)
{
  if (!at_is_complex(t))
    return at_to(t, AT_CPU(is_floating(t) ? AT_DOUBLE : AT_LONG));
  at_tensor *wide = at_to(t, AT_CPU(AT_COMPLEX_DOUBLE));
  at_tensor *pairs = at_view_as_real(wide);
  at_release(wide);
  return pairs;
}

/* The tolerance for a result. */
static double tolerance(const Case *one, const at_tensor *want)
{
  if (one->within > 0)
    return one->within;
  double units = 0x1p-49; /* unless a type narrower than Double is involved */
  for (int i = -1; i < one->op->argumentCount; i++) {
    const at_tensor *t = i < 0 ? want : one->arguments[i].value.tensor;
    const at_scalar_type type = t ? at_type_scalarType(at_typeOf(t)) : AT_DOUBLE;
    const double own = type == AT_DOUBLE || type == AT_COMPLEX_DOUBLE ? 0x1p-49
                       : type == AT_HALF                              ? 0x1p-10
                       : type == AT_BFLOAT16                          ? 0x1p-7
                                                                      : 0x1p-22;
    units = fmax(units, own);
  }
  return units;
}

static bool near(double a, double b, double units)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= units * fmax(1, fabs(b));
}

static int problems;

/* Reports a failure and returns, so that the next case is tried. */
#define CASE_CHECK(CONDITION, FORMAT, ...)                                                      \
  do {                                                                                          \
    if (!(CONDITION)) {                                                                         \
      problems++;                                                                               \
      print_error("%s:%d: %s: " FORMAT "\n", one->path, one->line, one->op->name, __VA_ARGS__); \
      return;                                                                                   \
    }                                                                                           \
  } while (0)

static void check_tensor(const Case *one, at_tensor *got, at_tensor *want)
{
  CASE_CHECK(at_typeOf(got) == at_typeOf(want), "a %s, PyTorch has a %s",
             at_type_toString(at_typeOf(got)), at_type_toString(at_typeOf(want)));
  CASE_CHECK(at_dim(got) == at_dim(want), "%d dimensions, PyTorch has %d", at_dim(got),
             at_dim(want));
  for (int d = 0; d < at_dim(want); d++)
    CASE_CHECK(at_size(got, d) == at_size(want, d), "size %d is %lld, PyTorch has %lld", d,
               (long long)at_size(got, d), (long long)at_size(want, d));
  const bool floats = is_floating(want) || at_is_complex(want);
  const double units = tolerance(one, want);
  at_tensor *is = widened(got), *wide = widened(want);
  at_tensor *line = at_contiguous(is);
  for (int64_t i = 0; i < at_numel(wide); i++)
    if (floats) {
      const double a = ((double *)at_data(line))[i], b = ((double *)at_data(wide))[i];
      CASE_CHECK(near(a, b, units), "element %lld is %.17g, PyTorch has %.17g", (long long)i, a, b);
    } else {
      const int64_t a = ((int64_t *)at_data(line))[i], b = ((int64_t *)at_data(wide))[i];
      CASE_CHECK(a == b, "element %lld is %lld, PyTorch has %lld", (long long)i, (long long)a,
                 (long long)b);
    }
  at_release(wide);
  at_release(line);
  at_release(is);
}

static void check_strides(const Case *one, at_tensor *got, const int64_t *want)
{
  for (int d = 0; d < at_dim(got); d++)
    CASE_CHECK(at_stride(got, d) == want[d], "stride %d is %lld, PyTorch has %lld", d,
               (long long)at_stride(got, d), (long long)want[d]);
}

static void check_result(const Case *one, const at_value *got, const CaseValue *want)
{
  switch (want->kind) {
    case AT_KIND_LONG:
      CASE_CHECK(got->integer == want->value.integer, "%lld, PyTorch has %lld",
                 (long long)got->integer, (long long)want->value.integer);
      break;
    case AT_KIND_DOUBLE:
      CASE_CHECK(near(got->number, want->value.number, tolerance(one, NULL)),
                 "%.17g, PyTorch has %.17g", got->number, want->value.number);
      break;
    case AT_KIND_BOOL:
      CASE_CHECK(got->truth == want->value.truth, "%d, PyTorch has %d", got->truth,
                 want->value.truth);
      break;
    case AT_KIND_SCALAR: {
      const double a = at_scalar_toDouble(got->scalar), b = at_scalar_toDouble(want->value.scalar);
      CASE_CHECK(got->scalar.is_float == want->value.scalar.is_float &&
                     near(a, b, tolerance(one, NULL)),
                 "%.17g, PyTorch has %.17g", a, b);
      break;
    }
    case AT_KIND_TENSORS:
      CASE_CHECK(got->tensors.count == want->value.tensors.count, "%d tensors, PyTorch has %d",
                 got->tensors.count, want->value.tensors.count);
      for (int i = 0; i < got->tensors.count; i++)
        check_tensor(one, got->tensors.data[i], want->tensors[i]);
      break;
    default:
      if (want->undefined) {
        CASE_CHECK(!at_defined(got->tensor), "a result, and PyTorch has %s", "none");
        break;
      }
      check_tensor(one, got->tensor, want->value.tensor);
      if (want->hasStrides && !spread)
        check_strides(one, got->tensor, want->strides);
  }
}

static bool is_list(const at_op *op)
{
  return op->results[0].kind == AT_KIND_TENSORS;
}

/* Releases results, unless the form returns its arguments. */
static void release_results(const at_op *op, at_value *results)
{
  if (is_list(op))
    at_list_release(results->list);
  for (int i = 0; i < op->resultCount && op->form == AT_FORM_FUNCTION && !is_list(op); i++)
    if (op->results[i].kind == AT_KIND_TENSOR || op->results[i].kind == AT_KIND_OPTIONAL_TENSOR)
      at_release(results[i].tensor);
}

/* --- cases ------------------------------------------------------------------------------------ */

typedef struct Count {
  int cases, errors;
} Count;

/* Operations whose results depend on where the elements of their operands lie; elements of those that
 * draw take their numbers in the order of memory. */
static bool reads_storage(const at_op *op)
{
  static const char *const names[] = {
      "as_strided", "as_strided_", "as_strided_out", "as_strided_copy", "as_strided_copy_out",
      "reshape_",   "resize_",     "resize_as_",     "view_as_complex", "view",
      "view_as",    "view_copy",   "view_copy_out",  "_unsafe_view"};
  for (int i = 0; i < op->argumentCount; i++)
    if (op->arguments[i].kind == AT_KIND_GENERATOR)
      return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(op->name, names[i]))
      return true;
  return false;
}

static void run_case(Case *one, void *context)
{
  Count *count = context;
  if (spread && reads_storage(one->op))
    return;
  at_value values[CASE_VALUES], results[CASE_VALUES] = {{0}};
  case_values(one, values);
  const bool succeeds = one->op->call(values, results);
  count->cases++;
  if (one->error) {
    CASE_CHECK(!succeeds, "succeeds, PyTorch raises an %s", "error");
    CHECK(at_error() != AT_OK && at_error_message()[0] != '\0' && at_error_operation()[0] != '\0');
    at_error_clear();
    count->errors++;
    return;
  }
  char message[512];
  snprintf(message, sizeof message, "%s", at_error_message());
  at_error_clear();
  CASE_CHECK(succeeds, "%s", message);
  for (int i = 0; i < one->op->resultCount; i++) {
    check_result(one, &results[i], &one->wanted[i]);
    if (one->op->form != AT_FORM_FUNCTION && !one->wanted[i].undefined)
      CASE_CHECK(results[i].tensor == values[i].tensor, "result %d is not the given tensor", i);
  }
  release_results(one->op, results);
}

static void run(bool apart)
{
  Count count = {0, 0};
  spread = apart;
  problems = 0;
  cases_each(path, apart, run_case, &count);
  printf("%d cases, %d of them errors\n", count.cases, count.errors);
  CHECK(count.cases > count.errors);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

static void contiguous(void **state)
{
  run(false);
}

static void apart(void **state)
{
  run(true);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* A contiguous copy: some operations take no other layout. */
static at_tensor *copied(at_tensor *t)
{
  if (!t)
    return NULL;
  at_tensor *copy = at_clone(t), *line = at_contiguous(copy);
  at_release(copy);
  return line;
}

/* A call that is repeated with new tensors. */
typedef struct Call {
  const Case *one;
  at_value values[CASE_VALUES], results[CASE_VALUES];
  at_tensor *lists[CASE_VALUES][CASE_TENSORS];
} Call;

static void set_up(void *context)
{
  Call *call = context;
  case_values(call->one, call->values);
  for (int i = 0; i < call->one->op->argumentCount; i++) {
    at_value *v = &call->values[i];
    v->tensor = copied(v->tensor);
    for (int k = 0; k < v->tensors.count; k++)
      call->lists[i][k] = copied(v->tensors.data[k]);
    v->tensors.data = call->lists[i];
  }
  memset(call->results, 0, sizeof call->results);
  THMemory_emptyCache(); /* otherwise cached memory would be reused */
}

static void body(void *context)
{
  Call *call = context;
  if (!call->one->op->call(call->values, call->results)) {
    at_error_clear();
    memset(call->results, 0, sizeof call->results);
    THError("no result");
  }
}

static bool same(at_tensor *a, at_tensor *b)
{
  at_tensor *x = at_contiguous(a), *y = at_contiguous(b);
  const bool result =
      at_typeOf(a) == at_typeOf(b) && at_dim(a) == at_dim(b) && at_numel(a) == at_numel(b) &&
      (at_numel(a) == 0 ||
       !memcmp(at_data(x), at_data(y), (size_t)at_numel(a) * at_type_elementSize(at_typeOf(a))));
  at_release(x);
  at_release(y);
  return result;
}

static void check(void *context, int raised)
{
  Call *call = context;
  const at_op *op = call->one->op;
  for (int i = 0; raised && i < op->argumentCount; i++)
    CHECK_MSG(!call->values[i].tensor ||
                  same(call->values[i].tensor, call->one->arguments[i].value.tensor),
              "%s:%d: %s has changed %s", call->one->path, call->one->line, op->name,
              op->arguments[i].name);
}

static void tear_down(void *context)
{
  Call *call = context;
  if (call->results[0].tensor || call->results[0].list)
    release_results(call->one->op, call->results);
  for (int i = 0; i < call->one->op->argumentCount; i++) {
    at_release(call->values[i].tensor);
    for (int k = 0; k < call->values[i].tensors.count; k++)
      at_release(call->values[i].tensors.data[k]);
  }
}

typedef struct Memory {
  int operations, allocations;
  bool done[4096]; /* of at_ops */
} Memory;

static void fail_case(Case *one, void *context)
{
  static const THFailCase stages = {set_up, body, check, tear_down};
  Memory *memory = context;
  bool *done = &memory->done[one->op - at_ops];
  if (one->error || *done)
    return;
  *done = true;
  static Call call;
  call = (Call){.one = one};
  memory->allocations += th_fail(&stages, &call);
  memory->operations++;
}

static void memory(void **state)
{
  static Memory seen;
  CHECK(at_opCount <= (int)(sizeof seen.done / sizeof *seen.done));
  cases_each(path, true, fail_case, &seen);
  printf("%d allocations of %d operations\n", seen.allocations, seen.operations);
  CHECK(seen.allocations > 0);
}

/* --- results whose elements share memory ------------------------------------------------------ */

/* Operations that make self another view, whatever its elements are. */
static bool makes_view(const at_op *op)
{
  static const char *const names[] = {"as_strided_", "as_strided_out", "detach_",   "reshape_",
                                      "resize_",     "resize_as_",     "set_",      "squeeze_",
                                      "t_",          "unsqueeze_",     "transpose_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(op->name, names[i]))
      return true;
  return false;
}

/* A tensor of t's type and size with stride 0, or NULL if t has a single element. */
static at_tensor *repeated(at_tensor *t)
{
  int64_t sizes[64], ones[64];
  const int dims = at_dim(t);
  for (int d = 0; d < dims; d++) {
    sizes[d] = at_size(t, d);
    ones[d] = 1;
  }
  if (at_numel(t) < 2)
    return NULL;
  const at_ints unit = {ones, dims}, all = {sizes, dims};
  at_tensor *one = at_zeros(unit, .type = at_typeOf(t));
  at_tensor *result = at_expand(one, all);
  at_release(one);
  return result;
}

static void refuse_case(Case *one, void *context)
{
  int *tried = context;
  const at_op *op = one->op;
  if (one->error || op->form == AT_FORM_FUNCTION || makes_view(op))
    return;
  for (int i = 0; i < op->resultCount; i++) {
    at_value values[CASE_VALUES], results[CASE_VALUES] = {{0}};
    case_values(one, values);
    if (one->wanted[i].undefined || !values[i].tensor || !one->wanted[i].value.tensor)
      continue;
    at_tensor *like = at_to(one->wanted[i].value.tensor, at_typeOf(values[i].tensor));
    at_tensor *given = repeated(like);
    at_release(like);
    if (!given)
      continue;
    values[i].tensor = given;
    const bool succeeds = op->call(values, results);
    const char *message = succeeds ? "" : at_error_message();
    const bool refused = !succeeds && strstr(message, "share memory");
    char said[512];
    snprintf(said, sizeof said, "%s", message);
    at_error_clear();
    ++*tried;
    at_release(given);
    CASE_CHECK(refused, "writes to elements that share memory, or says: %s", said);
  }
}

static void repeated_results(void **state)
{
  int tried = 0;
  problems = 0;
  cases_each(path, false, refuse_case, &tried);
  printf("%d results whose elements share memory\n", tried);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  path = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(contiguous), cmocka_unit_test(apart),
                                     cmocka_unit_test(memory), cmocka_unit_test(repeated_results)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
