/* Gradients of PyTorch: tests/oracle/aten_gradients.py recorded them for some of the cases.
 *
 *     test_ATen_gradients_golden GRADIENTS CASES...
 *
 * With "second" before GRADIENTS, these are gradients of the weighted sum of all gradients.
 *
 * A line of GRADIENTS is: the name of the file of the case, the number of the case there, the number
 * of the argument (3.1 is tensor 1 of the list that is argument 3), the number of numbers, the gradient. A
 * complex element is two numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../table/cases.h"
#include "th_test.h"

enum { MOST_RESULTS = 16, MOST_OPERANDS = 32 };

static char **arguments;
static FILE *gradients;
static char line[1 << 16];
static const char *rest; /* of the line, behind the numbers */
static char wantedFile[64], file[64];
static int wantedCase, wantedArgument, wantedItem; /* the item is 0, unless in a list */
static int number, compared, operations, problems;
static bool hasLine, isSecond;

/* Reads the next line, in the order of the files and cases. */
static void next_line(void)
{
  int used = 0;
  do
    hasLine = fgets(line, sizeof line, gradients) != NULL;
  while (hasLine && line[0] == '#');
  if (hasLine)
    CHECK(sscanf(line, "%63s %d %d%n", wantedFile, &wantedCase, &wantedArgument, &used) == 3);
  rest = line + used;
  wantedItem = hasLine && *rest == '.' ? (int)strtol(rest + 1, (char **)&rest, 10) : 0;
}

static bool is_double(const at_tensor *t)
{
  return at_typeOf(t) == AT_CPU(AT_DOUBLE) || at_typeOf(t) == AT_CPU(AT_COMPLEX_DOUBLE);
}

static bool is_complex(const at_tensor *t)
{
  return at_typeOf(t) == AT_CPU(AT_COMPLEX_FLOAT) || at_typeOf(t) == AT_CPU(AT_COMPLEX_DOUBLE);
}

static bool is_wide(const at_tensor *t)
{
  return is_double(t) || is_complex(t) || at_typeOf(t) == AT_CPU(AT_FLOAT);
}

/* A complex tensor as pairs of numbers. */
static at_tensor *real(at_tensor *t)
{
  return is_complex(t) ? at_view_as_real(t) : t;
}

/* The gradients of the sum of all those results that are wide, each element with a weight; an empty list
 * after an error. */
static const at_tensors *gradients_of(at_tensors all, at_tensors leaves, bool creates)
{
  at_tensor *results[MOST_RESULTS], *weights[MOST_RESULTS];
  int count = 0, used = 0;
  for (int i = 0; i < all.count; i++) {
    at_tensor *const t = all.data[i];
    if (!t || !at_defined(t) || !is_wide(t))
      continue;
    /* The oracle numbers only those first gradients that have gradients, and are finite. */
    const bool isFirst = isSecond && !creates;
    if (isFirst && (!at_requiresGrad(t) || !at_item_long(at_all(at_isfinite(t)))))
      continue;
    const int result = count++;
    if (!at_requiresGrad(t) || used == MOST_RESULTS)
      continue;
    at_tensor *const numbers = real(t);
    at_tensor *const weight = at_empty(at_sizes(numbers), .type = AT_CPU(AT_DOUBLE));
    for (int64_t e = 0; e < at_numel(numbers); e++)
      ((double *)at_data(weight))[e] = cos(1 + 3 * result + 0.7 * (double)e);
    results[used] = numbers;
    weights[used++] = at_to(weight, at_typeOf(numbers));
  }
  return at_gradients(((at_tensors){results, used}), leaves, .allow_unused = true,
                      .create_graph = creates, .grad_outputs = ((at_tensors){weights, used}));
}

/* What becomes leaves: the operands of floating and complex types, or the one of the line alone. */
typedef struct {
  at_tensor *leaves[MOST_OPERANDS];
  int count, own; /* own: the number of the line's */
  at_tensor *items[MOST_OPERANDS];
  int itemCount; /* of all lists, whose tensors are copied there */
} Operands;

static void add_leaf(Operands *operands, at_tensor **t, int argument, int item)
{
  const bool isOwn = argument == wantedArgument && item == wantedItem;
  if (!*t || !at_defined(*t) || !is_wide(*t) || (!isSecond && !isOwn) ||
      operands->count == MOST_OPERANDS)
    return;
  operands->own = isOwn ? operands->count : operands->own;
  operands->leaves[operands->count++] = *t = at_requires_grad_(at_clone(*t));
}

static void add_list(Operands *operands, at_tensors *list, int argument)
{
  at_tensor **const items = operands->items + operands->itemCount;
  CHECK(list->count <= MOST_OPERANDS - operands->itemCount);
  operands->itemCount += list->count;
  for (int k = 0; k < list->count; k++) {
    items[k] = list->data[k];
    add_leaf(operands, &items[k], argument, k);
  }
  list->data = items;
}

static void find_operands(const at_op *op, at_value *values, Operands *operands)
{
  *operands = (Operands){.own = -1};
  for (int i = 0; i < op->argumentCount; i++)
    if (op->arguments[i].kind <= AT_KIND_OPTIONAL_TENSOR)
      add_leaf(operands, &values[i].tensor, i, 0);
    else if (op->arguments[i].kind == AT_KIND_TENSORS)
      add_list(operands, &values[i].tensors, i);
}

/* The gradient that the line is about; NULL if there is none, or after an error. */
static at_tensor *gradient(const at_op *op, at_value *values)
{
  at_value made[CASE_VALUES] = {{0}};
  at_tensor *results[MOST_RESULTS];
  int count = 0;
  Operands operands;
  find_operands(op, values, &operands);
  const at_tensors of = {operands.leaves, operands.count};
  if (operands.own < 0 || !op->call(values, made))
    return NULL;
  for (int i = 0; i < op->resultCount; i++) {
    const bool isList = op->results[i].kind == AT_KIND_TENSORS;
    for (int k = 0; k < (isList ? made[i].tensors.count : 1) && count < MOST_RESULTS; k++)
      results[count++] = isList ? made[i].tensors.data[k] : made[i].tensor;
  }
  const at_tensors *grads = gradients_of((at_tensors){results, count}, of, isSecond);
  if (isSecond)
    grads = gradients_of(*grads, of, false);
  at_tensor *const grad = grads->count == of.count ? grads->data[operands.own] : NULL;
  return grad ? at_contiguous(at_to(real(grad), AT_CPU(AT_DOUBLE))) : NULL;
}

static void report(const Case *one, const char *text)
{
  problems++;
  print_error("%s:%d: %s, %s: %s\n", one->path, one->line, one->op->name,
              one->op->arguments[wantedArgument].name, text);
}

static void compare(const Case *one)
{
  at_value values[CASE_VALUES];
  case_values(one, values);
  const bool isList = one->op->arguments[wantedArgument].kind == AT_KIND_TENSORS;
  const at_tensor *const operand =
      isList ? values[wantedArgument].tensors.data[wantedItem] : values[wantedArgument].tensor;
  const double units = operand && is_double(operand) ? 1e-7 : 2e-4;
  char text[512];
  at_tensor *const got = gradient(one->op, values);
  char *at = (char *)rest;
  const int64_t count = strtoll(at, &at, 10);
  if (!got || at_numel(got) != count) {
    snprintf(text, sizeof text, "%s", at_error_message());
    if (one->op->gradient == AT_GRADIENT_FORMULA && !strstr(text, "there is no formula for it"))
      report(one, text);
    at_error_clear();
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    const double want = strtod(at, &at), is = ((double *)at_data(got))[i];
    if (fabs(is - want) <= units * fmax(1, fabs(want)))
      continue;
    snprintf(text, sizeof text, "element %d is %.12g, PyTorch has %.12g", (int)i, is, want);
    report(one, text);
    return;
  }
  compared++;
}

static void visit(Case *one, void *context)
{
  const int own = number++;
  bool any = false;
  while (hasLine && !strcmp(wantedFile, file) && wantedCase == own) {
    if (!one->error && one->op->form == AT_FORM_FUNCTION &&
        one->op->gradient != AT_GRADIENT_MISSING)
      AT_SCOPE
      {
        compare(one);
        any = true;
      }
    next_line();
  }
  operations += any;
}

static void golden(void **state)
{
  gradients = fopen(arguments[1], "r");
  CHECK_MSG(gradients != NULL, "%s cannot be read", arguments[1]);
  next_line();
  for (char **path = arguments + 2; *path && hasLine; path++) {
    const char *const slash = strrchr(*path, '/');
    snprintf(file, sizeof file, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    number = 0;
    cases_each(*path, false, visit, NULL);
  }
  fclose(gradients);
  printf("%d gradients of %d calls\n", compared, operations);
  CHECK_MSG(!hasLine, "no case for %s %d", wantedFile, wantedCase);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

int main(int argc, char **argv)
{
  CHECK(argc >= 2);
  isSecond = !strcmp(argv[1], "second");
  arguments = argv + isSecond;
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
