/* Gradients of PyTorch: tests/oracle/aten_gradients.py recorded them for some of the cases.
 *
 *     test_ATen_gradients_golden GRADIENTS CASES...
 *
 * A line of GRADIENTS is: the name of the file of the case, the number of the case there, the number
 * of the argument, the number of elements, the gradient. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../table/cases.h"
#include "th_test.h"

enum { MOST_RESULTS = 16 };

static char **arguments;
static FILE *gradients;
static char line[1 << 16];
static const char *rest; /* of the line, behind the numbers */
static char wantedFile[64], file[64];
static int wantedCase, wantedArgument, number, compared, operations, problems;
static bool hasLine;

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
}

static bool is_wide(const at_tensor *t)
{
  return at_typeOf(t) == AT_CPU(AT_DOUBLE) || at_typeOf(t) == AT_CPU(AT_FLOAT);
}

/* The gradient of the weighted sum of all results; NULL if there is none, or after an error. */
static at_tensor *gradient(const at_op *op, at_value *values, at_tensor *leaf)
{
  at_value made[CASE_VALUES] = {{0}};
  at_tensor *results[MOST_RESULTS], *weights[MOST_RESULTS];
  int count = 0, used = 0;
  if (!op->call(values, made))
    return NULL;
  for (int i = 0; i < op->resultCount; i++) {
    const bool isList = op->results[i].kind == AT_KIND_TENSORS;
    for (int k = 0; k < (isList ? made[i].tensors.count : 1); k++) {
      at_tensor *t = isList ? made[i].tensors.data[k] : made[i].tensor;
      if (!at_defined(t) || !is_wide(t))
        continue;
      const int result = count++;
      if (!at_requiresGrad(t) || used == MOST_RESULTS)
        continue;
      at_tensor *weight = at_empty(at_sizes(t), .type = AT_CPU(AT_DOUBLE));
      for (int64_t e = 0; e < at_numel(t); e++)
        ((double *)at_data(weight))[e] = cos(1 + 3 * result + 0.7 * (double)e);
      results[used] = t;
      weights[used++] = at_to(weight, at_typeOf(t));
    }
  }
  const at_tensors *grads =
      at_gradients(((at_tensors){results, used}), AT_TENSORS(leaf), .allow_unused = true,
                   .grad_outputs = ((at_tensors){weights, used}));
  return grads->count == 1 ? at_contiguous(at_to(grads->data[0], AT_CPU(AT_DOUBLE))) : NULL;
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
  at_tensor **const operand = &values[wantedArgument].tensor;
  const double units = *operand && at_typeOf(*operand) == AT_CPU(AT_DOUBLE) ? 1e-7 : 2e-4;
  char text[512];
  *operand = at_requires_grad_(at_clone(*operand));
  at_tensor *got = gradient(one->op, values, *operand);
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
  arguments = argv;
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
