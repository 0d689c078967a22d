/* Every operation of the table, called by name, against what PyTorch returns: tests/oracle/aten.py
 * wrote the cases.  Each is called with contiguous operands and with operands that are not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

enum { MOST_ARGUMENTS = 8, MOST_DIMS = 8 };

typedef struct Reader {
  FILE *file;
  int line;
  char text[1 << 16];
  char name[64]; /* of the case */
} Reader;

static bool next_line(Reader *in)
{
  in->line++;
  if (!fgets(in->text, sizeof in->text, in->file))
    return false;
  in->text[strcspn(in->text, "\n")] = '\0';
  return true;
}

static int bad(const Reader *in, const char *what)
{
  fail_msg("aten.txt:%d: %s: %s", in->line, what, in->text);
  return 0;
}

/* --- values ----------------------------------------------------------------------------------- */

static const at_type *type_named(const Reader *in, const char *name)
{
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    char full[32];
    snprintf(full, sizeof full, "CPU%sType", name);
    if (!strcmp(full, at_type_toString(AT_CPU((at_scalar_type)i))))
      return AT_CPU((at_scalar_type)i);
  }
  bad(in, "no such type");
  return NULL;
}

/* The dimensions, sizes and values of text, behind the name of the type, as doubles or integers. */
typedef struct Array {
  const at_type *type;
  int dims;
  int64_t size[MOST_DIMS], count;
  double number[256];
  int64_t integer[256];
} Array;

static void read_array(const Reader *in, const char *text, Array *a)
{
  char name[32];
  int used;
  if (sscanf(text, "%31s %d%n", name, &a->dims, &used) != 2)
    bad(in, "no tensor");
  a->type = type_named(in, name);
  text += used;
  a->count = 1;
  for (int d = 0; d < a->dims; d++) {
    a->size[d] = strtoll(text, (char **)&text, 10);
    a->count *= a->size[d];
  }
  text = strchr(text, ':') + 1;
  for (int64_t i = 0; i < a->count; i++) {
    char *end;
    a->integer[i] = strtoll(text, &end, 10);
    a->number[i] = strtod(text, &end);
    text = end;
  }
}

/* Through Double or Long, which hold every value of the file. */
static at_tensor *tensor_of(const Array *a)
{
  const at_ints sizes = {a->size, a->dims};
  const bool floats = at_type_scalarType(a->type) >= AT_FLOAT;
  at_tensor *t = at_empty(sizes, .type = AT_CPU(floats ? AT_DOUBLE : AT_LONG));
  for (int64_t i = 0; i < a->count; i++)
    if (floats)
      ((double *)at_data(t))[i] = a->number[i];
    else
      ((int64_t *)at_data(t))[i] = a->integer[i];
  at_tensor *r = at_to(t, a->type);
  at_release(t);
  return r;
}

/* The same values with strides of twice the size, in a storage with other things between. */
static at_tensor *spread(at_tensor *t)
{
  if (at_dim(t) == 0 || at_numel(t) == 0)
    return t;
  int64_t size[MOST_DIMS + 1];
  const at_ints own = at_sizes(t);
  memcpy(size, own.data, (size_t)own.count * sizeof *size);
  size[own.count] = 2;
  const at_ints wide = {size, own.count + 1};
  at_tensor *room = at_full(wide, at_scalar(77), .type = at_typeOf(t));
  at_tensor *view = at_select(room, -1, 1);
  CHECK(at_copy_(view, t) == view);
  at_release(room);
  at_release(t);
  return view;
}

static at_value read_value(const Reader *in, int64_t *ints, bool apart)
{
  at_value v = {.given = true};
  Array array;
  const char *text = in->text;
  if (!strncmp(text, "tensor ", 7)) {
    read_array(in, text + 7, &array);
    v.tensor = tensor_of(&array);
    if (apart)
      v.tensor = spread(v.tensor);
  } else if (!strncmp(text, "scalar ", 7)) {
    v.scalar = strchr(text, 'x') ? at_scalar(strtod(text + 7, NULL))
                                 : at_scalar(strtoll(text + 7, NULL, 10));
  } else if (!strncmp(text, "long ", 5)) {
    v.integer = strtoll(text + 5, NULL, 10);
  } else if (!strncmp(text, "type ", 5)) {
    v.type = type_named(in, text + 5);
  } else if (!strncmp(text, "ints ", 5)) {
    char *rest;
    v.ints.count = (int)strtol(text + 5, &rest, 10);
    v.ints.data = ints;
    for (int i = 0; i < v.ints.count; i++)
      ints[i] = strtoll(rest, &rest, 10);
  } else if (!strcmp(text, "default")) {
    v.given = false;
  } else {
    bad(in, "no argument");
  }
  return v;
}

/* --- a case ----------------------------------------------------------------------------------- */

static const at_op *find(const Reader *in, const char *name)
{
  char stem[64];
  snprintf(stem, sizeof stem, "%s", name);
  char *overload = strchr(stem, '.');
  if (overload)
    *overload++ = '\0';
  const at_op *op = at_op_find(stem);
  while (op && !strcmp(op->name, stem) && strcmp(op->overload, overload ? overload : ""))
    op++;
  if (!op || strcmp(op->name, stem))
    bad(in, "no such operation");
  return op;
}

static void check_array(const Reader *in, at_tensor *got, const Array *want, double units)
{
  CHECK_MSG(at_defined(got), "%s (line %d): %s", in->name, in->line, at_error_message());
  CHECK_MSG(at_typeOf(got) == want->type, "%s (line %d) is a %s, PyTorch has a %s", in->name,
            in->line, at_type_toString(at_typeOf(got)), at_type_toString(want->type));
  CHECK_MSG(at_dim(got) == want->dims, "%s (line %d) has %d dimensions, PyTorch %d", in->name,
            in->line, at_dim(got), want->dims);
  for (int d = 0; d < want->dims; d++)
    CHECK_MSG(at_size(got, d) == want->size[d], "%s (line %d): size %d is %lld, PyTorch has %lld",
              in->name, in->line, d, (long long)at_size(got, d), (long long)want->size[d]);
  const bool floats = at_type_scalarType(want->type) >= AT_FLOAT;
  at_tensor *wide = at_to(got, AT_CPU(floats ? AT_DOUBLE : AT_LONG));
  at_tensor *line = at_contiguous(wide);
  for (int64_t i = 0; i < want->count; i++) {
    if (floats) {
      const double is = ((double *)at_data(line))[i], number = want->number[i];
      CHECK_MSG(is == number || (isnan(is) && isnan(number)) ||
                    fabs(is - number) <= units * THMax(1, fabs(number)),
                "%s (line %d): element %lld is %.17g, PyTorch has %.17g", in->name, in->line,
                (long long)i, is, number);
    } else {
      CHECK_MSG(((int64_t *)at_data(line))[i] == want->integer[i],
                "%s (line %d): element %lld is %lld, PyTorch has %lld", in->name, in->line,
                (long long)i, (long long)((int64_t *)at_data(line))[i],
                (long long)want->integer[i]);
    }
  }
  at_release(line);
  at_release(wide);
}

static void check_strides(const Reader *in, at_tensor *got)
{
  const char *rest = in->text + strlen("strides");
  for (int d = 0; d < at_dim(got); d++) {
    const int64_t want = strtoll(rest, (char **)&rest, 10);
    CHECK_MSG(at_stride(got, d) == want, "%s (line %d): stride %d is %lld, PyTorch has %lld",
              in->name, in->line, d, (long long)at_stride(got, d), (long long)want);
  }
}

/* The arguments stand behind the line that names the case. */
static void run_cases(bool apart)
{
  static Reader in;
  static Array want;
  int64_t ints[MOST_ARGUMENTS][MOST_DIMS];
  in = (Reader){.file = fopen(AT_GOLDEN_DIR "/aten.txt", "r")};
  CHECK(in.file != NULL);
  at_tensor *result = NULL;
  int cases = 0, errors = 0;
  while (next_line(&in)) {
    if (!strncmp(in.text, "strides", 7)) {
      if (!apart)
        check_strides(&in, result);
      continue;
    }
    if (strncmp(in.text, "case ", 5))
      continue;
    at_release(result);
    snprintf(in.name, sizeof in.name, "%.63s", in.text + 5);
    const at_op *op = find(&in, in.name);
    at_value values[MOST_ARGUMENTS];
    bool precise = true; /* whether it is computed in Double */
    for (int i = 0; i < op->count && next_line(&in); i++) {
      values[i] = read_value(&in, ints[i], apart);
      precise &= !values[i].tensor || at_typeOf(values[i].tensor) == AT_CPU(AT_DOUBLE);
    }
    next_line(&in);
    result = op->call(values);
    cases++;
    if (!strcmp(in.text, "error")) {
      CHECK_MSG(!at_defined(result) && at_error() != AT_OK,
                "%s (line %d) succeeds, PyTorch raises an error", in.name, in.line);
      CHECK(at_error_message()[0] != '\0' && at_error_operation()[0] != '\0');
      at_error_clear();
      errors++;
    } else {
      read_array(&in, in.text + strlen("want "), &want);
      check_array(&in, result, &want, precise ? 0x1p-49 : 0x1p-22);
    }
    for (int i = 0; i < op->count; i++)
      if (values[i].tensor != result)
        at_release(values[i].tensor);
  }
  at_release(result);
  fclose(in.file);
  printf("%d cases, %d of them errors\n", cases, errors);
}

static void contiguous(void **state)
{
  run_cases(false);
}

static void apart(void **state)
{
  run_cases(true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(contiguous), cmocka_unit_test(apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
