/* Compares the operations in files of cases on CUDA with those on the CPU, for operands that are
 * alternately contiguous and with gaps; of random numbers, the shapes.
 *
 * With --bfloat16 or --half, the first case of each operation with operands of Float is called with
 * these in that type, and all of them have to compute.
 *
 *     test_ATen_cuda_operations_sim [--bfloat16 | --half] FILE... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../table/cases.h"
#include "th_test.h"

static char **paths;
static int pathCount;

typedef struct Run {
  bool spread; /* the operands have gaps: those of every other case */
  bool draws;  /* the case has a generator, and the device one of its own: values differ */
  int problems, compared, errors;
} Run;

static at_scalar_type as = AT_FLOAT; /* what operands of Float become */
static bool done[4096];              /* for each of at_ops: whether it computed */

/* Reports a failure and returns, so that the next case is tried. */
#define CASE_CHECK(CONDITION, FORMAT, ...)                                                      \
  do {                                                                                          \
    if (!(CONDITION)) {                                                                         \
      run->problems++;                                                                          \
      print_error("%s:%d: %s: " FORMAT "\n", one->path, one->line, one->op->name, __VA_ARGS__); \
      return;                                                                                   \
    }                                                                                           \
  } while (0)

/* --- operands --------------------------------------------------------------------------------- */

static at_tensor *on_device(at_tensor *t, bool spread)
{
  const at_type *type = AT_CUDA(at_type_scalarType(at_typeOf(t)));
  if (!spread || at_dim(t) == 0 || at_numel(t) == 0)
    return at_to(t, type);
  int64_t size[CASE_DIMS + 1];
  const at_ints own = at_sizes(t), wide = {size, own.count + 1};
  memcpy(size, own.data, (size_t)own.count * sizeof *size);
  size[own.count] = 2;
  at_tensor *whole = at_full(wide, at_scalar(77), .type = type), *view = at_select(whole, -1, 1);
  CHECK_MSG(at_copy_(view, t) == view, "%s", at_error_message());
  at_release(whole);
  return view;
}

static at_tensor *narrowed(at_tensor *t, bool *any)
{
  if (!t || at_type_scalarType(at_typeOf(t)) != AT_FLOAT)
    return t;
  *any = true;
  return at_to(t, AT_CPU(as));
}

/* Makes narrow ones of the operands of Float; false if there are none. */
static bool narrow(const Case *one, at_value *values)
{
  static at_tensor *lists[CASE_VALUES][CASE_TENSORS];
  bool any = false;
  for (int i = 0; i < one->op->argumentCount; i++) {
    at_value *const v = &values[i];
    v->tensor = narrowed(v->tensor, &any);
    for (int k = 0; k < v->tensors.count; k++)
      lists[i][k] = narrowed(v->tensors.data[k], &any);
    if (v->tensors.count > 0)
      v->tensors.data = lists[i];
  }
  return any;
}

typedef struct Operands {
  at_value values[CASE_VALUES];
  at_tensor *lists[CASE_VALUES][CASE_TENSORS];
} Operands;

/* Copies the operands to the device; false if the case has none. */
static bool to_device(const Case *one, const at_value *values, bool spread, Operands *to)
{
  bool any = false;
  for (int i = 0; i < one->op->argumentCount; i++)
    any |= values[i].tensor || values[i].type || values[i].tensors.count > 0;
  for (int i = 0; any && i < one->op->argumentCount; i++) {
    const at_value *v = &values[i];
    to->values[i] = *v;
    if (v->tensor)
      to->values[i].tensor = on_device(v->tensor, spread);
    if (v->type)
      to->values[i].type = AT_CUDA(at_type_scalarType(v->type));
    if (one->op->arguments[i].kind == AT_KIND_GENERATOR)
      to->values[i] = (at_value){0}; /* the default */
    for (int k = 0; k < v->tensors.count; k++)
      to->lists[i][k] = v->tensors.data[k] ? on_device(v->tensors.data[k], spread) : NULL;
    to->values[i].tensors.data = to->lists[i];
  }
  return any;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Devices sum Float in Float, and their functions are less accurate by some ulps. */
static double tolerance(const Case *one, const at_tensor *want)
{
  double units = 0x1p-43;
  for (int i = -1; i < one->op->argumentCount; i++) {
    const at_tensor *t = i < 0 ? want : one->arguments[i].value.tensor;
    const at_scalar_type type = t ? at_type_scalarType(at_typeOf(t)) : AT_DOUBLE;
    units = fmax(units, type == AT_BFLOAT16                              ? 0x1p-6
                        : type == AT_HALF                                ? 0x1p-8
                        : type == AT_DOUBLE || type == AT_COMPLEX_DOUBLE ? 0x1p-43
                                                                         : 0x1p-18);
  }
  return fmax(units, one->within);
}

static bool near(double a, double b, double units)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= units * fmax(1, fabs(b));
}

static bool has_generator(const Case *one)
{
  for (int i = 0; i < one->op->argumentCount; i++)
    if (one->op->arguments[i].kind == AT_KIND_GENERATOR)
      return true;
  return false;
}

static void check_tensor(Run *run, const Case *one, at_tensor *got, at_tensor *want)
{
  CASE_CHECK(at_defined(got) == at_defined(want), "%s", "one of both is undefined");
  if (!at_defined(want))
    return;
  const at_type *type = at_typeOf(want);
  CASE_CHECK(at_type_backend(at_typeOf(got)) == AT_BACKEND_CUDA &&
                 at_type_scalarType(at_typeOf(got)) == at_type_scalarType(type),
             "a %s, and on the CPU a %s", at_type_toString(at_typeOf(got)), at_type_toString(type));
  CASE_CHECK(at_dim(got) == at_dim(want), "%d dimensions, and on the CPU %d", at_dim(got),
             at_dim(want));
  for (int d = 0; d < at_dim(want); d++)
    CASE_CHECK(at_size(got, d) == at_size(want, d), "size %d is %lld, and on the CPU %lld", d,
               (long long)at_size(got, d), (long long)at_size(want, d));
  if (run->draws)
    return;
  const at_scalar_type scalar = at_type_scalarType(type);
  const bool isComplex = scalar == AT_COMPLEX_FLOAT || scalar == AT_COMPLEX_DOUBLE;
  const bool floats = isComplex || scalar == AT_FLOAT || scalar == AT_DOUBLE || scalar == AT_HALF ||
                      scalar == AT_BFLOAT16;
  const double units = tolerance(one, want);
  at_tensor *is = at_to(at_contiguous(got), type);
  if (isComplex) {
    is = at_view_as_real(is);
    want = at_view_as_real(want);
  }
  at_tensor *wide = at_to(is, AT_CPU(floats ? AT_DOUBLE : AT_LONG));
  at_tensor *ought = at_to(want, at_typeOf(wide)), *line = at_contiguous(ought);
  for (int64_t i = 0; i < at_numel(want); i++)
    if (floats) {
      const double a = ((double *)at_data(wide))[i], b = ((double *)at_data(line))[i];
      CASE_CHECK(near(a, b, units), "element %lld is %.17g, and on the CPU %.17g", (long long)i, a,
                 b);
    } else {
      const int64_t a = ((int64_t *)at_data(wide))[i], b = ((int64_t *)at_data(line))[i];
      CASE_CHECK(a == b, "element %lld is %lld, and on the CPU %lld", (long long)i, (long long)a,
                 (long long)b);
    }
}

/* Singular vectors are given up to a sign: the device's become the CPU's, those of U and V together. */
static void turn_vectors(const Case *one, at_value *got, const at_value *want)
{
  if (strncmp(one->op->name, "svd", 3) || at_dim(got->tensor) != 2 ||
      !at_is_same_size(got->tensor, at_to(want->tensor, at_typeOf(got->tensor))))
    return;
  at_tensor *const u = got[0].tensor, *const v = got[2].tensor;
  at_tensor *const both = at_mul(u, at_to(want->tensor, at_typeOf(u)));
  at_tensor *const signs = at_sign(at_sum_dim(both, AT_INTS(0), .keepdim = true));
  const int64_t count = at_size(v, 1) < at_size(signs, 1) ? at_size(v, 1) : at_size(signs, 1);
  got[0].tensor = at_mul(u, signs);
  at_mul_(at_narrow(v, 1, 0, count), at_narrow(signs, 1, 0, count));
}

static void check_results(Run *run, const Case *one, const at_value *got, const at_value *want)
{
  for (int i = 0; i < one->op->resultCount; i++) {
    const at_kind kind = one->op->results[i].kind;
    if (kind == AT_KIND_TENSORS) {
      CASE_CHECK(got->tensors.count == want->tensors.count, "%d tensors, and on the CPU %d",
                 got->tensors.count, want->tensors.count);
      for (int k = 0; k < got->tensors.count; k++)
        check_tensor(run, one, got->tensors.data[k], want->tensors.data[k]);
    } else if (kind == AT_KIND_TENSOR || kind == AT_KIND_OPTIONAL_TENSOR) {
      check_tensor(run, one, got[i].tensor, want[i].tensor);
    } else if (kind == AT_KIND_LONG || kind == AT_KIND_BOOL) {
      const int64_t a = kind == AT_KIND_LONG ? got[i].integer : got[i].truth;
      const int64_t b = kind == AT_KIND_LONG ? want[i].integer : want[i].truth;
      CASE_CHECK(a == b, "%lld, and on the CPU %lld", (long long)a, (long long)b);
    } else if (kind == AT_KIND_DOUBLE || kind == AT_KIND_SCALAR) {
      const double a = kind == AT_KIND_DOUBLE ? got[i].number : at_scalar_toDouble(got[i].scalar);
      const double b = kind == AT_KIND_DOUBLE ? want[i].number : at_scalar_toDouble(want[i].scalar);
      CASE_CHECK(near(a, b, tolerance(one, NULL)), "%.17g, and on the CPU %.17g", a, b);
    }
  }
}

/* --- cases ------------------------------------------------------------------------------------ */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

/* Operations whose results depend on the CPU's memory. */
static bool is_left_out(const at_op *op)
{
  static const char *const names[] = {"storage_offset", "data_ptr", "is_cuda", "get_device"};
  return is_one_of(op->name, names, sizeof names / sizeof *names);
}

/* Operations whose results depend on gaps between elements. */
static bool sees_gaps(const at_op *op)
{
  static const char *const names[] = {
      "as_strided", "as_strided_", "as_strided_out", "as_strided_copy", "as_strided_copy_out",
      "reshape_",   "resize_",     "resize_as_",     "is_contiguous",   "view_as_complex"};
  return is_one_of(op->name, names, sizeof names / sizeof *names);
}

/* Operations that raise on the CPU only: integers divided by 0. */
static bool computes_more(const at_op *op)
{
  return strstr(op->name, "div") || strstr(op->name, "mod") || strstr(op->name, "remainder") ||
         !strcmp(op->name, "btrifact"); /* also factors without pivoting */
}

static void run_case(Case *one, void *context)
{
  Run *run = context;
  run->spread = !run->spread && !sees_gaps(one->op);
  run->draws = has_generator(one);
  if (is_left_out(one->op))
    return;
  AT_SCOPE
  {
    at_value values[CASE_VALUES], want[CASE_VALUES] = {{0}}, got[CASE_VALUES] = {{0}};
    static Operands operands;
    memset(&operands, 0, sizeof operands);
    case_values(one, values);
    if (as != AT_FLOAT && (done[one->op - at_ops] || !narrow(one, values)))
      break;
    if (!to_device(one, values, run->spread, &operands))
      break;
    const bool succeeds = one->op->call(values, want);
    char host[512], device[512];
    snprintf(host, sizeof host, "%s", at_error_message());
    at_error_clear();
    const bool computes = one->op->call(operands.values, got);
    snprintf(device, sizeof device, "%s", at_error_message());
    at_error_clear();
    if (!succeeds) {
      CASE_CHECK(!computes || computes_more(one->op), "succeeds, and on the CPU: %s", host);
      run->errors++;
    } else {
      CASE_CHECK(computes, "%s", device);
      done[one->op - at_ops] = true;
      run->compared++;
      turn_vectors(one, got, want);
      check_results(run, one, got, want);
    }
  }
  CHECK_EQ(at_error(), AT_OK);
}

static void cases(void **state)
{
  Run run = {0};
  for (int i = 0; i < pathCount; i++)
    cases_each(paths[i], false, run_case, &run);
  printf("%d cases compared, %d errors\n", run.compared, run.errors);
  CHECK_MSG(run.problems == 0, "%d problems", run.problems);
  CHECK(run.compared > 0);
}

int main(int argc, char **argv)
{
  setenv("TH_CUDA_CHECK_INDICES", "1", 1); /* each call raises its own errors, as on the CPU */
  CHECK(argc > 1 && at_opCount <= (int)(sizeof done / sizeof *done));
  as = !strcmp(argv[1], "--bfloat16") ? AT_BFLOAT16
       : !strcmp(argv[1], "--half")   ? AT_HALF
                                      : AT_FLOAT;
  paths = argv + 1 + (as != AT_FLOAT);
  pathCount = argc - 1 - (as != AT_FLOAT);
  const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
