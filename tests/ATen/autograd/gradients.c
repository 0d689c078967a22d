/* Walks the table: each operation has a formula for its gradient, none by nature, or is listed in
 * no-grad.txt; and the formulas agree with central differences, in Double, on the calls of PyTorch's
 * cases; so do the gradients of the gradients, but for those that are listed in no-second.txt.
 *
 *     test_ATen_gradients NO_GRAD NO_SECOND CASES... */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../table/cases.h"
#include "th_test.h"

enum { MOST_OPS = 4096, CALLS = 12, ELEMENTS = 5, SECOND_CALLS = 4, SECOND_ELEMENTS = 3, SEED = 5 };

static char **arguments;
static int checked[MOST_OPS], tried[MOST_OPS], problems;
static uint32_t wanted[MOST_OPS], reached[MOST_OPS]; /* a bit for each argument */

/* --- a call with one operand that wants a gradient ------------------------------------------- */

typedef struct {
  const Case *one;
  at_value values[CASE_VALUES];
  at_tensor *lists[CASE_VALUES][CASE_TENSORS];
  int argument, entry; /* the operand; entry -1 if it is no list */
  unsigned used;       /* bit r: result r wants a gradient */
  at_tensor *leaf;
} Call;

static bool is_floating(const at_tensor *t)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  return type == AT_FLOAT || type == AT_DOUBLE || type == AT_HALF || type == AT_BFLOAT16;
}

/* A contiguous copy, in Double if it is floating, in ComplexDouble if it is complex. */
static at_tensor *copied(at_tensor *t)
{
  if (t && at_is_complex(t))
    return at_clone(at_to(t, AT_CPU(AT_COMPLEX_DOUBLE)));
  return !t ? NULL : is_floating(t) ? at_clone(at_to(t, AT_CPU(AT_DOUBLE))) : at_clone(t);
}

static at_tensor **operand(Call *call)
{
  at_value *v = &call->values[call->argument];
  return call->entry < 0 ? &v->tensor : &call->lists[call->argument][call->entry];
}

static bool is_pair(const at_type *type)
{
  const at_scalar_type t = at_type_scalarType(type);
  return t == AT_COMPLEX_FLOAT || t == AT_COMPLEX_DOUBLE;
}

/* Prepares the call; false if the operand is none that could want a gradient. */
static bool prepare(Call *call)
{
  case_values(call->one, call->values);
  for (int i = 0; i < call->one->op->argumentCount; i++) {
    at_value *v = &call->values[i];
    v->tensor = copied(v->tensor);
    for (int k = 0; k < v->tensors.count; k++)
      call->lists[i][k] = copied(v->tensors.data[k]);
    if (v->tensors.count > 0)
      v->tensors.data = call->lists[i];
    if (v->type && v->given)
      v->type = AT_CPU(is_pair(v->type) ? AT_COMPLEX_DOUBLE : AT_DOUBLE);
  }
  if (call->entry >= call->values[call->argument].tensors.count)
    return false;
  call->leaf = *operand(call);
  return call->leaf && (is_floating(call->leaf) || at_is_complex(call->leaf)) &&
         at_numel(call->leaf) > 0;
}

enum { MOST_RESULTS = 16 };

/* t contiguous; complex numbers as pairs. */
static at_tensor *numbers(at_tensor *t)
{
  at_tensor *const line = at_contiguous(t);
  return at_is_complex(line) ? at_view_as_real(line) : line;
}

/* Calls the operation; the results in Double, complex ones as pairs.  Returns their number, or -1 after an error. */
static int run(Call *call, at_tensor **results)
{
  const at_op *op = call->one->op;
  at_value made[CASE_VALUES] = {{0}};
  at_value values[CASE_VALUES];
  memcpy(values, call->values, sizeof values);
  for (int i = 0; i < op->argumentCount; i++)
    if (values[i].generator)
      at_generator_manualSeed(values[i].generator, SEED);
  if (op->form == AT_FORM_INPLACE) /* a leaf may not change, nor what the next call needs */
    values[0].tensor =
        values[0].tensor == call->leaf ? at_mul(call->leaf, 1) : at_clone(values[0].tensor);
  if (strstr(op->name, "ctc_loss")) /* its gradient is that of what log_softmax is made of */
    values[0].tensor = at_log_softmax(values[0].tensor, -1);
  if (!op->call(values, made))
    return -1;
  int count = 0;
  for (int i = 0; i < op->resultCount; i++) {
    const bool isList = op->results[i].kind == AT_KIND_TENSORS;
    const int entries = isList ? made[i].tensors.count : 1;
    for (int k = 0; k < entries && count < MOST_RESULTS; k++) {
      at_tensor *t = isList ? made[i].tensors.data[k] : made[i].tensor;
      CHECK_MSG(op->form == AT_FORM_INPLACE || t != call->leaf, "%s returns its operand", op->name);
      if (!strcmp(op->name, "gels") && i == 0) /* what is below the solution has no gradient */
        t = at_narrow(t, 0, 0, at_size(values[1].tensor, 1));
      if (at_defined(t) && at_typeOf(t) == AT_CPU(AT_DOUBLE))
        results[count++] = t;
      else if (at_defined(t) && at_typeOf(t) == AT_CPU(AT_COMPLEX_DOUBLE))
        results[count++] = at_view_as_real(t);
    }
  }
  return count;
}

/* --- differences ------------------------------------------------------------------------------ */

static double weight(int result, int64_t i)
{
  return cos(1 + 3 * result + 0.7 * (double)i);
}

/* The sum of all results, each element with its weight; NaN after an error. */
static double value(Call *call)
{
  at_tensor *results[MOST_RESULTS];
  double sum = 0;
  AT_SCOPE
  {
    bool before = at_grad_setOn(false);
    const int count = run(call, results);
    at_grad_setOn(before);
    for (int r = 0; r < count; r++) {
      if (!(call->used >> r & 1))
        continue;
      const double *data = at_data(at_contiguous(results[r]));
      for (int64_t i = 0; i < at_numel(results[r]); i++)
        sum += weight(r, i) * data[i];
    }
    if (count < 0)
      sum = NAN;
  }
  at_error_clear();
  return sum;
}

/* Whether the operand is a symmetric or Hermitian matrix, of which the operation reads a triangle. */
static bool is_symmetric(const Call *call)
{
  static const char *const names[] = {
      "symeig",          "linalg_eigh", "linalg_eigvalsh",    "cholesky",
      "linalg_cholesky", "potrf",       "linalg_cholesky_ex", "linalg_matrix_sqrth"};
  bool isSymmetric = false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    isSymmetric |= !strcmp(call->one->op->name, names[k]);
  for (int k = 0; k < call->one->op->argumentCount; k++)
    isSymmetric |= !strcmp(call->one->op->arguments[k].name, "hermitian") && call->values[k].truth;
  return isSymmetric;
}

/* Number i, or of a symmetric operand that on the other side of the diagonal; elements of complex ones have
 * two numbers. */
static int64_t partner(const Call *call, int64_t i)
{
  if (!is_symmetric(call))
    return i;
  const int64_t n = at_size(call->leaf, -1), parts = at_is_complex(call->leaf) ? 2 : 1;
  const int64_t element = i / parts;
  const int64_t other = element - element % (n * n) + element % n * n + element / n % n;
  return other * parts + i % parts;
}

/* -1 for the imaginary parts of a Hermitian operand. */
static int partner_sign(const Call *call, int64_t i)
{
  return is_symmetric(call) && at_is_complex(call->leaf) && i % 2 == 1 ? -1 : 1;
}

/* The derivative for both. */
static double of_both(const Call *call, const double *gradient, int64_t i)
{
  const int64_t other = partner(call, i);
  return gradient[i] + (other == i ? 0 : partner_sign(call, i) * gradient[other]);
}

/* The derivative of a function of the call with respect to an element; NaN if there is none that
 * differences show. */
static double difference(double (*function)(Call *call), Call *call, int64_t i)
{
  double *const data = (double *)at_data(call->leaf);
  const int64_t other = partner(call, i);
  const int sign = partner_sign(call, i);
  if (other == i && sign < 0) /* which is 0 */
    return NAN;
  const double at = data[i], mirrored = data[other], step = 1e-5 * fmax(1, fabs(at));
  double f[5];
  for (int k = -2; k <= 2; k++) {
    data[other] = mirrored + sign * k * step;
    data[i] = at + k * step;
    f[k + 2] = function(call);
  }
  data[other] = mirrored;
  data[i] = at;
  const double near = (f[3] - f[1]) / (2 * step), far = (f[4] - f[0]) / (4 * step);
  const double left = (f[2] - f[1]) / step, right = (f[3] - f[2]) / step;
  const double size = fmax(1, fabs(near));
  const double noise = 0x1p-50 * fmax(fabs(f[1]), fabs(f[3])) / step; /* of rounding */
  if (!isfinite(near) || fabs(at) > 1e6 || noise > 1e-7 * size || fabs(near - far) > 1e-6 * size ||
      fabs(left - right) > 1e-2 * fmax(fabs(near), 1e-2))
    return NAN;
  return (4 * near - far) / 3;
}

/* The results that want a gradient, and the weights of their elements; returns their number. */
static int results_used(Call *call, at_tensor **results, at_tensor **weights)
{
  int used = 0;
  call->used = 0;
  const int count = run(call, results);
  for (int r = 0; r < count; r++) {
    if (!at_requiresGrad(results[r]))
      continue;
    call->used |= 1u << r;
    results[used] = results[r];
    weights[used] = at_empty(at_sizes(results[r]), .type = AT_CPU(AT_DOUBLE));
    for (int64_t i = 0; i < at_numel(results[r]); i++)
      ((double *)at_data(weights[used]))[i] = weight(r, i);
    used++;
  }
  return used;
}

/* The gradient of value by a backward pass; NULL if the operand has none. */
static at_tensor *gradient(Call *call, bool creates)
{
  at_tensor *results[MOST_RESULTS], *weights[MOST_RESULTS];
  const int used = results_used(call, results, weights);
  if (used == 0)
    return NULL;
  const at_tensors *made =
      at_gradients(((at_tensors){results, used}), AT_TENSORS(call->leaf), .allow_unused = true,
                   .grad_outputs = ((at_tensors){weights, used}), .create_graph = creates);
  return made->count == 1 ? numbers(made->data[0]) : NULL;
}

/* What qr says of modes in which PyTorch has no gradient either, and LU factors and eig. */
static bool is_other_mode(const char *text)
{
  return strstr(text, "in the mode reduced only") ||
         strstr(text, "of singular matrices have no gradient") ||
         strstr(text, "eigenvectors of complex eigenvalues have none");
}

static void report(const Case *one, const at_argument *argument, const char *text)
{
  problems++;
  print_error("%s:%d: %s, %s: %s\n", one->path, one->line, one->op->name, argument->name, text);
}

/* Operations whose formula differences do not show. */
static const char *exception_of(const at_op *op)
{
  static const struct {
    const char *name, *reason;
  } exceptions[] = {
      {"_standard_gamma",
       "the derivative is that of the distribution, whose numbers are drawn by "
       "rejection; _standard_gamma_grad has golden values"},
      {"binomial", "its numbers are drawn, and the gradient is 0"},
      {"pin_memory", "it needs CUDA"},
  };
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (!strcmp(op->name, exceptions[i].name))
      return exceptions[i].reason;
  return NULL;
}

/* Whether differences are not what PyTorch calls the gradient: of an operand that is written to indices
 * that may occur twice (which write is the last one is not defined, and the gradient is that of all of
 * them), of the row of padding of an embedding, which stays as it is, of rows that are divided by their
 * frequency, of singular vectors that are any basis of what is left, of complex eigenvectors, whose phase is
 * any, or of the number of a quantile, which lies between elements on one side only. */
static bool is_by_definition(const Call *call)
{
  if (!strcmp(call->one->op->name, "embedding") && call->values[2].given &&
      call->values[2].integer >= 0)
    return true;
  if (!strcmp(call->one->op->name, "embedding_bag") && call->values[3].given &&
      call->values[3].truth) /* scale_grad_by_freq */
    return true;
  const at_value *const how = &call->values[1];
  const char *const name = call->one->op->name;
  const bool isWhole = !strcmp(name, "svd")
                           ? how->given && !how->truth
                           : !strcmp(name, "linalg_svd") && (!how->given || how->truth);
  if (isWhole && at_size(call->leaf, -1) != at_size(call->leaf, -2))
    return true;
  if (!strcmp(name, "linalg_eig") &&
      at_item_long(at_any(at_ne(at_imag(at_linalg_eigvals(at_detach(call->leaf))), 0))))
    return true;
  static const char *const vectors[] = {"linalg_eig", "linalg_eigh", "linalg_svd", "svd"};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (at_is_complex(call->leaf) && !strcmp(name, vectors[i]))
      return true;
  const bool isQuantile = strstr(call->one->op->name, "quantile") != NULL;
  if (exception_of(call->one->op) || (isQuantile && call->argument == 1))
    return true;
  static const char *const stems[] = {"scatter", "index_copy", "index_put", "put", "_index_copy"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems && call->argument > 0; i++) {
    const size_t length = strlen(stems[i]);
    if (!strncmp(name, stems[i], length) && (!name[length] || !strcmp(name + length, "_")))
      return true;
  }
  return false;
}

static void compare(Call *call)
{
  const Case *const one = call->one;
  const at_op *const op = one->op;
  const at_argument *const argument = &op->arguments[call->argument];
  char text[512];
  at_requires_grad_(call->leaf);
  at_tensor *got = gradient(call, false);
  if (!got) {
    snprintf(text, sizeof text, "%s", at_error_message());
    if (at_error() != AT_OK && !strstr(text, "there is no formula for it") &&
        !strstr(text, "shares its memory") && !strstr(text, "not recorded") && !is_other_mode(text))
      report(one, argument, text);
    at_error_clear();
    return;
  }
  wanted[op - at_ops] |= (uint32_t)1 << call->argument;
  const int64_t count = at_numel(call->leaf) * (at_is_complex(call->leaf) ? 2 : 1);
  for (int64_t k = 0; k < count && k < ELEMENTS; k++) {
    const int64_t i = count <= ELEMENTS ? k : (k * 7919 + 3) % count;
    const double *const data = at_data(got);
    const double want = difference(value, call, i), is = of_both(call, data, i);
    if (isnan(want))
      continue;
    checked[op - at_ops]++;
    reached[op - at_ops] |= (uint32_t)1 << call->argument;
    if (fabs(is - want) <= 1e-6 * fmax(1, fabs(want)))
      continue;
    snprintf(text, sizeof text, "the gradient of element %d is %.12g, and the difference %.12g",
             (int)i, is, want);
    report(one, argument, text);
    return;
  }
}

typedef void (*Check)(Call *call);

/* Checks the call for each operand that may want a gradient; whether there is one. */
static bool check_operands(Case *one, Check check)
{
  const at_op *const op = one->op;
  bool isTried = false;
  for (int i = 0; i < op->argumentCount; i++)
    for (int entry = op->arguments[i].kind <= AT_KIND_OPTIONAL_TENSOR ? -1 : 0;
         entry < (op->arguments[i].kind <= AT_KIND_OPTIONAL_TENSOR ? 0 : 2); entry++)
      AT_SCOPE
      {
        static Call call;
        call = (Call){.one = one, .argument = i, .entry = entry};
        if (op->arguments[i].kind <= AT_KIND_OPTIONAL_TENSORS && prepare(&call) &&
            !is_by_definition(&call)) {
          check(&call);
          isTried = true;
        }
      }
  return isTried;
}

static void visit(Case *one, void *context)
{
  const at_op *const op = one->op;
  if (one->error || op->form == AT_FORM_OUT || op->gradient != AT_GRADIENT_FORMULA ||
      tried[op - at_ops] >= CALLS)
    return;
  tried[op - at_ops] += check_operands(one, compare);
}

/* The first row of the same schema and form: other names of an operation are checked with it. */
static int representative(int i)
{
  for (int k = 0; k < i; k++)
    if (at_ops[k].form == at_ops[i].form && !strcmp(at_ops[k].schema, at_ops[i].schema))
      return k;
  return i;
}

/* Reports formulas of which no element was checked. */
static int report_unchecked(void)
{
  int count = 0;
  for (int i = 0; i < at_opCount; i++) {
    const int first = representative(i);
    wanted[first] |= wanted[i];
    reached[first] |= reached[i];
  }
  for (int i = 0; i < at_opCount; i++) {
    const at_op *const op = &at_ops[i];
    if (op->form != AT_FORM_FUNCTION || op->gradient != AT_GRADIENT_FORMULA ||
        representative(i) != i)
      continue;
    if (!wanted[i] && !exception_of(op)) {
      print_error("%s.%s: no call reaches a formula\n", op->name, op->overload);
      count++;
    }
    for (int k = 0; k < op->argumentCount; k++)
      if (wanted[i] & ~reached[i] & (uint32_t)1 << k) {
        print_error("%s.%s: no element of the gradient of %s was checked\n", op->name, op->overload,
                    op->arguments[k].name);
        count++;
      }
  }
  return count;
}

static void differences(void **state)
{
  problems = 0;
  for (char **path = arguments + 3; *path; path++)
    cases_each(*path, false, visit, NULL);
  int operations = 0, elements = 0;
  for (int i = 0; i < at_opCount; i++) {
    operations += checked[i] > 0;
    elements += checked[i];
  }
  printf("%d elements of gradients of %d functions\n", elements, operations);
  problems += report_unchecked();
  CHECK_MSG(problems == 0, "%d problems", problems);
}

/* --- gradients of gradients ------------------------------------------------------------------- */

static int triedTwice[MOST_OPS], elementsTwice, functionsTwice;
static bool hasNoSecond[MOST_OPS];

/* The sum of the gradient, each element with its weight. */
static double slope(Call *call)
{
  double sum = NAN;
  AT_SCOPE
  {
    at_tensor *const made = gradient(call, false);
    sum = made ? 0 : NAN;
    for (int64_t i = 0; made && i < at_numel(made); i++)
      sum += weight(1, i) * ((double *)at_data(made))[i];
  }
  at_error_clear();
  return sum;
}

static at_tensor *second(Call *call, at_tensor *first)
{
  at_tensor *const weights = at_empty(at_sizes(first), .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(first); i++)
    ((double *)at_data(weights))[i] = weight(1, i);
  const at_tensors *made = at_gradients(AT_TENSORS(first), AT_TENSORS(call->leaf),
                                        .allow_unused = true, .grad_outputs = AT_TENSORS(weights));
  return made->count == 1 ? numbers(made->data[0]) : NULL;
}

static int along, failsAlong;

/* The sum of the elements' products. */
static double product(at_tensor *a, at_tensor *b)
{
  return at_item_double(at_sum(at_mul(numbers(a), numbers(b))));
}

/* Compares the results' derivatives along a direction with the gradient along it. */
static void compare_along(Call *call, at_tensor *first)
{
  at_tensor *results[MOST_RESULTS], *weight_of[MOST_RESULTS];
  const int count = results_used(call, results, weight_of);
  at_tensor *const tangent = at_empty_like(call->leaf);
  double *const data = (double *)at_data(tangent), got = 0;
  for (int64_t i = 0; i < at_numel(first); i++)
    data[i] = weight(2, i);
  const at_tensors *const made =
      at_jvp(((at_tensors){results, count}), AT_TENSORS(call->leaf), AT_TENSORS(tangent), false);
  if (made->count != count) { /* no-second.txt has these */
    failsAlong++;
    at_error_clear();
    return;
  }
  for (int r = 0; r < count; r++)
    got += product(made->data[r], weight_of[r]);
  const double want = product(at_detach(first), tangent);
  along++;
  if (fabs(got - want) <= 1e-10 * fmax(1, fabs(want)) || !isfinite(want))
    return;
  char text[512];
  snprintf(text, sizeof text,
           "along a direction the derivative is %.12g, and by the gradient %.12g", got, want);
  report(call->one, &call->one->op->arguments[call->argument], text);
}

static void compare_twice(Call *call)
{
  const at_op *const op = call->one->op;
  const at_argument *const argument = &op->arguments[call->argument];
  char text[512];
  at_requires_grad_(call->leaf);
  at_tensor *const first = gradient(call, true);
  const bool hasFirst = first != NULL || strstr(at_error_message(), "the gradient of");
  at_tensor *const twice = first && at_requiresGrad(first) ? second(call, first) : NULL;
  if (first && at_error() == AT_OK)
    compare_along(call, first);
  if (!twice) {
    if (hasFirst && at_error() != AT_OK && !is_other_mode(at_error_message()) &&
        !hasNoSecond[op - at_ops]) {
      hasNoSecond[op - at_ops] = true;
      snprintf(text, sizeof text, "%s", at_error_message());
      print_error("%s.%s, %s: %s\n", op->name, op->overload, argument->name, text);
    }
    at_error_clear();
    return;
  }
  const int64_t count = at_numel(call->leaf) * (at_is_complex(call->leaf) ? 2 : 1);
  bool any = false;
  for (int64_t k = 0; k < count && k < SECOND_ELEMENTS; k++) {
    const int64_t i = count <= SECOND_ELEMENTS ? k : (k * 7919 + 3) % count;
    const double *const data = at_data(twice);
    const double want = difference(slope, call, i), is = of_both(call, data, i);
    if (isnan(want))
      continue;
    elementsTwice++;
    any = true;
    if (fabs(is - want) <= 1e-5 * fmax(1, fabs(want)))
      continue;
    snprintf(text, sizeof text,
             "the second derivative of element %d is %.12g, and the difference %.12g", (int)i, is,
             want);
    report(call->one, argument, text);
    return;
  }
  functionsTwice += any && triedTwice[op - at_ops] == 0;
}

static void visit_twice(Case *one, void *context)
{
  const at_op *const op = one->op;
  if (one->error || op->form != AT_FORM_FUNCTION || op->gradient != AT_GRADIENT_FORMULA ||
      triedTwice[op - at_ops] >= SECOND_CALLS)
    return;
  triedTwice[op - at_ops] += check_operands(one, compare_twice);
}

/* no-second.txt has a line for each operation whose gradient has none, "name.overload reason". */
static int check_no_second(void)
{
  FILE *file = fopen(arguments[2], "r");
  CHECK_MSG(file != NULL, "%s cannot be read", arguments[2]);
  char line[512], name[128], text[128];
  static bool isListed[MOST_OPS];
  int wrong = 0;
  while (fgets(line, sizeof line, file)) {
    CHECK(sscanf(line, "%127s", name) == 1);
    CHECK_MSG(strlen(line) > strlen(name) + 2, "%s is listed without a reason", name);
    bool any = false;
    for (int i = 0; i < at_opCount; i++) {
      const at_op *const op = &at_ops[i];
      snprintf(text, sizeof text, "%s%s%s", op->name, *op->overload ? "." : "", op->overload);
      if (op->form == AT_FORM_FUNCTION && !strcmp(text, name) && hasNoSecond[i])
        isListed[i] = any = true;
    }
    if (!any) {
      print_error("%s is listed in no-second.txt, and has a second derivative\n", name);
      wrong++;
    }
  }
  fclose(file);
  for (int i = 0; i < at_opCount; i++)
    if (hasNoSecond[i] && !isListed[i]) {
      print_error("%s.%s is not listed in no-second.txt\n", at_ops[i].name, at_ops[i].overload);
      wrong++;
    }
  return wrong;
}

static void twice(void **state)
{
  problems = 0;
  for (char **path = arguments + 3; *path; path++)
    cases_each(*path, false, visit_twice, NULL);
  printf(
      "%d elements of second derivatives of %d functions, %d calls along a direction, %d without\n",
      elementsTwice, functionsTwice, along, failsAlong);
  problems += check_no_second();
  CHECK_MSG(problems == 0, "%d problems", problems);
}

/* --- the list of gaps ------------------------------------------------------------------------- */

static bool returns_tensors(const at_op *op)
{
  return op->resultCount > 0 && op->results[0].kind <= AT_KIND_OPTIONAL_TENSORS;
}

static bool takes_tensors(const at_op *op)
{
  for (int i = 0; i < op->argumentCount; i++)
    if (op->arguments[i].kind <= AT_KIND_OPTIONAL_TENSORS)
      return true;
  return false;
}

/* no-grad.txt has a line for each gap, "name.overload reason", in the order of the table. */
static void gaps(void **state)
{
  FILE *file = fopen(arguments[1], "r");
  CHECK_MSG(file != NULL, "%s cannot be read", arguments[1]);
  char line[512], name[128], text[128];
  int missing = 0, wrong = 0;
  bool has = fgets(line, sizeof line, file) != NULL;
  for (int i = 0; i < at_opCount; i++) {
    const at_op *const op = &at_ops[i];
    if (op->form != AT_FORM_FUNCTION || op->gradient != AT_GRADIENT_MISSING ||
        !returns_tensors(op) || !takes_tensors(op))
      continue;
    snprintf(name, sizeof name, "%s%s%s", op->name, *op->overload ? "." : "", op->overload);
    missing++;
    while (has && sscanf(line, "%127s", text) == 1 && strcmp(text, name) < 0) {
      print_error("%s is listed in no-grad.txt and has a formula, or no row\n", text);
      wrong++;
      has = fgets(line, sizeof line, file) != NULL;
    }
    if (!has || sscanf(line, "%127s", text) != 1 || strcmp(text, name)) {
      print_error("%s has no formula, and is not listed in no-grad.txt\n", name);
      wrong++;
      continue;
    }
    CHECK_MSG(strlen(line) > strlen(name) + 2, "%s is listed without a reason", name);
    has = fgets(line, sizeof line, file) != NULL;
  }
  for (; has; has = fgets(line, sizeof line, file) != NULL, wrong++)
    print_error("listed in no-grad.txt, with a formula or without a row: %s", line);
  fclose(file);
  printf("%d functions without a formula\n", missing);
  CHECK_MSG(wrong == 0, "%d lines of no-grad.txt", wrong);
}

int main(int argc, char **argv)
{
  CHECK(argc >= 3 && at_opCount <= MOST_OPS);
  arguments = argv;
  const struct CMUnitTest tests[] = {cmocka_unit_test(gaps), cmocka_unit_test(differences),
                                     cmocka_unit_test(twice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
