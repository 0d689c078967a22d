/* Tensors as text, compared with the output of PyTorch that tests/oracle/print.py recorded, and
 * single elements. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ATen.h"
#include "THMemory.h"
#include "th_fail.h"
#include "th_locale.h"
#include "th_test.h"

enum { MOST_DIMS = 64, MOST_VALUES = 32, MOST_TEXT = 1 << 16 };

static void check_text(const at_tensor *t, const char *want, const char *where)
{
  char *got = at_toString(t);
  CHECK_MSG(got != NULL, "%s: %s", where, at_error_message());
  CHECK_MSG(!strcmp(got, want), "%s:\n%s\nPyTorch:\n%s", where, got, want);
  at_string_free(got);
}

/* --- the stored cases ------------------------------------------------------------------------- */

typedef struct Case {
  const at_type *type;
  int dims, count; /* count values are repeated until the tensor is full */
  int64_t size[MOST_DIMS], integer[MOST_VALUES];
  double number[MOST_VALUES];
} Case;

static const at_type *type_named(const char *name)
{
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    char full[32];
    snprintf(full, sizeof full, "CPU%sType", name);
    if (!strcmp(full, at_type_toString(AT_CPU((at_scalar_type)i))))
      return AT_CPU((at_scalar_type)i);
  }
  fail_msg("there is no type %s", name);
  return NULL;
}

/* 2 Float 2 3 : 0x1p+0 inf; the number of lines printed is returned. */
static int read_case(Case *c, char *text)
{
  const int lines = atoi(strtok(text, " "));
  char *word;
  c->type = type_named(strtok(NULL, " "));
  c->dims = c->count = 0;
  while ((word = strtok(NULL, " ")) && strcmp(word, ":")) {
    CHECK(c->dims < MOST_DIMS);
    c->size[c->dims++] = atoll(word);
  }
  for (; (word = strtok(NULL, " ")); c->count++) {
    CHECK(c->count < MOST_VALUES);
    c->integer[c->count] = atoll(word);
    c->number[c->count] = strtod(word, NULL);
  }
  return lines;
}

static uint16_t upper_half(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static void set(void *data, at_scalar_type type, int64_t i, int64_t integer, double number)
{
  switch (type) {
    case AT_BYTE:
      ((uint8_t *)data)[i] = (uint8_t)integer;
      break;
    case AT_CHAR:
      ((int8_t *)data)[i] = (int8_t)integer;
      break;
    case AT_SHORT:
      ((int16_t *)data)[i] = (int16_t)integer;
      break;
    case AT_INT:
      ((int32_t *)data)[i] = (int32_t)integer;
      break;
    case AT_LONG:
      ((int64_t *)data)[i] = integer;
      break;
    case AT_FLOAT:
      ((float *)data)[i] = (float)number;
      break;
    case AT_DOUBLE:
      ((double *)data)[i] = number;
      break;
    case AT_HALF:
      ((THHalf *)data)[i] = TH_float2half((float)number);
      break;
    case AT_BOOL:
      ((uint8_t *)data)[i] = (uint8_t)integer;
      break;
    case AT_BFLOAT16:
      ((uint16_t *)data)[i] = upper_half((float)number);
      break;
    default:
      break;
  }
}

static at_tensor *row_major(const Case *c)
{
  const at_ints sizes = {c->size, c->dims};
  at_tensor *t = at_empty(sizes, .type = c->type);
  for (int64_t i = 0, n = at_numel(t); i < n; i++)
    set(at_data(t), at_type_scalarType(c->type), i, c->integer[i % c->count],
        c->number[i % c->count]);
  return t;
}

/* The first dimension is the one with the smallest strides. */
static at_tensor *column_major(const Case *c, at_tensor *t)
{
  int64_t size[MOST_DIMS], order[MOST_DIMS];
  for (int d = 0; d < c->dims; d++) {
    size[d] = c->size[c->dims - 1 - d];
    order[d] = c->dims - 1 - d;
  }
  const at_ints sizes = {size, c->dims}, dims = {order, c->dims};
  at_tensor *reversed = at_empty(sizes, .type = c->type), *view = at_permute(reversed, dims);
  CHECK(at_copy_(view, t) == view);
  at_release(reversed);
  return view;
}

/* Every second element of a storage, whose other elements have other values. */
static at_tensor *spread(const Case *c, at_tensor *t)
{
  int64_t size[MOST_DIMS + 1];
  memcpy(size, c->size, sizeof c->size);
  size[c->dims] = 2;
  const at_ints sizes = {size, c->dims + 1};
  at_tensor *whole = at_full(sizes, at_scalar(77), .type = c->type),
            *view = at_select(whole, -1, 1);
  CHECK(at_copy_(view, t) == view);
  at_release(whole);
  return view;
}

/* A single element, expanded. */
static at_tensor *expanded(const Case *c)
{
  const Case single = {
      .type = c->type, .count = 1, .integer = {c->integer[0]}, .number = {c->number[0]}};
  const at_ints sizes = {c->size, c->dims};
  at_tensor *one = row_major(&single), *view = at_expand(one, sizes);
  at_release(one);
  return view;
}

static void check_and_release(at_tensor *t, const char *want, const char *where)
{
  CHECK_MSG(at_defined(t), "%s: %s", where, at_error_message());
  check_text(t, want, where);
  at_release(t);
}

static void check_layouts(const Case *c, const char *want, int line)
{
  char where[64];
  snprintf(where, sizeof where, "print.txt:%d", line);
  at_tensor *t = row_major(c);
  if (c->dims < 64 && at_numel(t) > 0) { /* spread has one dimension more for a while */
    check_and_release(column_major(c, t), want, where);
    check_and_release(spread(c, t), want, where);
    if (c->count == 1)
      check_and_release(expanded(c), want, where);
  }
  check_and_release(t, want, where);
}

static void read_line(FILE *file, char *line, int *number)
{
  CHECK_MSG(fgets(line, MOST_TEXT, file), "print.txt ends at line %d", *number);
  ++*number;
}

static void as_pytorch(void **state)
{
  static char line[MOST_TEXT], want[MOST_TEXT];
  static Case c;
  FILE *file = fopen(AT_GOLDEN_DIR "/print.txt", "r");
  CHECK(file != NULL);
  int cases, number = 0;
  read_line(file, line, &number); /* who wrote it */
  read_line(file, line, &number);
  CHECK_EQ(sscanf(line, "%d cases", &cases), 1);
  CHECK(cases >= 2000);
  for (int i = 0; i < cases; i++) {
    read_line(file, line, &number);
    line[strcspn(line, "\n")] = '\0';
    const int lines = read_case(&c, line), first = number;
    char *end = want;
    for (int k = 0; k < lines; k++) {
      read_line(file, line, &number);
      CHECK(end + strlen(line) < want + sizeof want);
      end = stpcpy(end, line);
    }
    end[-1] = '\0'; /* instead of the last newline */
    check_layouts(&c, want, first);
  }
  CHECK(!fgets(line, sizeof line, file));
  fclose(file);
  printf("%d cases\n", cases);
}

/* --- by hand ---------------------------------------------------------------------------------- */

static void undefined(void **state)
{
  check_text(at_undefined(), "tensor(undefined)", "the undefined tensor");
  check_text(NULL, "tensor(undefined)", "NULL");
  CHECK_EQ(at_error(), AT_OK);
  CHECK(at_neg(NULL) == at_undefined() && at_error() == AT_ERROR_NULL);
  check_text(at_undefined(), "tensor(undefined)", "the undefined tensor after an error");
  CHECK_EQ(at_error(), AT_ERROR_NULL);
  at_error_clear();
  at_string_free(NULL);
}

/* 2^40 elements in the memory of three. */
static void huge(void **state)
{
  at_tensor *three = at_empty(AT_SHAPE(3, 1, 1));
  for (int i = 0; i < 3; i++)
    ((float *)at_data(three))[i] = (float)(i - 1);
  at_tensor *t = at_expand(three, AT_SHAPE(3, 1 << 20, 1 << 20));
#define NEXT    ",\n         "
#define LINE(x) "[" x ", " x ", " x ",  ..., " x ", " x ", " x "]"
#define LINES(x)       \
  LINE(x) NEXT LINE(x) \
  NEXT LINE(x)
#define PLANE(x) "[" LINES(x) NEXT "..." NEXT LINES(x) "]"
  check_text(t,
             "tensor([" PLANE("-1.") ",\n\n        " PLANE(" 0.") ",\n\n        " PLANE(" 1.") "])",
             "2^40 elements");
  at_release(t);
  at_release(three);
}

static void of_any_locale(void **state)
{
  char folder[] = "/tmp/print.XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  const int found = th_locale_comma(folder);
  if (found) {
    char number[8];
    snprintf(number, sizeof number, "%.1f", 1.5);
    CHECK(!strcmp(number, "1,5"));
    at_tensor *t = at_full(AT_SHAPE(2), at_scalar(1.5)), *tiny = at_mul_scalar(t, at_scalar(1e-9));
    check_text(t, "tensor([1.5000, 1.5000])", "with a comma");
    check_text(tiny, "tensor([1.5000e-09, 1.5000e-09])", "with a comma");
    at_tensor *one = at_full(AT_SHAPE(1), at_scalar(1.5)),
              *huge = at_mul_scalar(one, at_scalar(1e20));
    at_item_long(huge);
    CHECK(strstr(at_error_message(), "item_long: 1.5e+20 is not between -9.2") != NULL);
    at_error_clear();
    at_release(huge);
    at_release(one);
    at_release(tiny);
    at_release(t);
  }
  th_locale_plain(folder);
  CHECK_EQ(rmdir(folder), 0);
  if (!found)
    skip();
}

/* --- printing --------------------------------------------------------------------------------- */

/* Prints t while stdout is that file. */
static void print_to(FILE *file, const at_tensor *t)
{
  fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  at_print(t);
  fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  clearerr(stdout);
}

static void printing(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2, 1));
  FILE *file = tmpfile();
  print_to(file, t);
  const int live = th_fail_live();
  print_to(file, t);
  print_to(file, NULL);
  CHECK_EQ(th_fail_live(), live);
  CHECK_EQ(at_error(), AT_OK);
  char text[256];
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
#define ONES "tensor([[1.],\n        [1.]])\n"
  CHECK_MSG(!strcmp(text, ONES ONES "tensor(undefined)\n"), "%s", text);
  fclose(file);
  at_release(t);
}

static void full_disk(void **state)
{
  FILE *file = fopen("/dev/full", "w");
  if (!file)
    skip();
  at_tensor *t = at_ones(AT_SHAPE(1000)); /* larger than the buffer of stdout */
  at_tensor *wide = at_mul_scalar(t, at_scalar(-1e-9));
  print_to(file, wide);
  CHECK_EQ(at_error(), AT_ERROR_RUNTIME);
  CHECK(!strcmp(at_error_operation(), "print"));
  CHECK_MSG(strstr(at_error_message(), "No space left"), "%s", at_error_message());
  at_error_clear();
  fclose(file);
  at_release(wide);
  at_release(t);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void make_text(void *t)
{
  THMemory_emptyCache(); /* otherwise cached memory would be reused */
  char *text = at_toString(t);
  if (text) {
    CHECK_EQ(at_error(), AT_OK);
    at_string_free(text);
    return;
  }
  CHECK_EQ(at_error(), AT_ERROR_RUNTIME);
  CHECK(!strcmp(at_error_operation(), "toString"));
  at_error_clear();
  THError("no text");
}

static void memory(void **state)
{
  at_tensor *empty = at_empty(AT_SHAPE(0, 3)), *t = at_ones(AT_SHAPE(10, 100));
  CHECK(th_fail_each(make_text, empty) >= 2); /* the text, and the size */
  CHECK(th_fail_each(make_text, t) > 2);      /* the text grows */
  at_release(t);
  at_release(empty);
}

/* --- single elements -------------------------------------------------------------------------- */

static void check_items(at_scalar_type type, bool isFloat, double low, double high)
{
  const double values[] = {low, high, 0, 1};
  for (int i = 0; i < 4; i++) {
    const Case c = {.type = AT_CPU(type),
                    .count = 1,
                    .dims = i,
                    .size = {1, 1, 1},
                    .integer = {(int64_t)values[i]},
                    .number = {values[i]}};
    at_tensor *t = row_major(&c), *apart = i > 0 ? spread(&c, t) : at_retain(t);
    const at_scalar item = at_item(apart);
    CHECK(item.is_float == isFloat);
    CHECK_EQ(at_scalar_toDouble(item), values[i]);
    CHECK_EQ(at_item_double(apart), values[i]);
    CHECK_EQ(at_item_long(apart), (int64_t)values[i]);
    at_release(apart);
    at_release(t);
  }
}

static void items(void **state)
{
  check_items(AT_BYTE, false, 0, 255);
  check_items(AT_CHAR, false, -128, 127);
  check_items(AT_SHORT, false, -32768, 32767);
  check_items(AT_INT, false, INT32_MIN, INT32_MAX);
  check_items(AT_LONG, false, -0x1p63, 0x1p62);
  check_items(AT_FLOAT, true, -0x1.8p40, 2.5);
  check_items(AT_DOUBLE, true, -0x1p63, 0x1.fffffffffffffp62);
  check_items(AT_HALF, true, -65504, 0x1p-24);
  check_items(AT_BFLOAT16, true, -0x1.fep60, 0x1p-100);
  check_items(AT_BOOL, false, 0, 1);
  const Case most = {.type = AT_CPU(AT_LONG), .count = 1, .integer = {INT64_MAX}};
  at_tensor *t = row_major(&most);
  CHECK(at_item(t).value.integer == INT64_MAX && at_item_long(t) == INT64_MAX);
  at_release(t);
}

static void check_refusal(const at_tensor *t, at_error_code code, const char *text)
{
  CHECK(isnan(at_scalar_toDouble(at_item(t))) && at_error() == code);
  CHECK_MSG(strstr(at_error_message(), text), "%s", at_error_message());
  at_error_clear();
  CHECK(isnan(at_item_double(t)) && at_error() == code);
  at_error_clear();
  CHECK(at_item_long(t) == 0 && at_error() == code);
  at_error_clear();
}

static void refused_items(void **state)
{
  at_tensor *many = at_ones(AT_SHAPE(2, 3)), *none = at_ones(AT_SHAPE(0));
  check_refusal(many, AT_ERROR_ARGUMENT, "2 x 3");
  check_refusal(none, AT_ERROR_ARGUMENT, "0");
  check_refusal(NULL, AT_ERROR_NULL, "item: t is NULL");
  CHECK(isnan(at_item_double(at_undefined())) && at_error() == AT_OK);
  at_release(none);
  at_release(many);

  const double large[] = {0x1p63, -0x1.0000000000001p63, INFINITY, NAN};
  for (int i = 0; i < 4; i++) {
    at_tensor *t = at_full(AT_SCALAR_SHAPE, at_scalar(large[i]), .type = AT_CPU(AT_DOUBLE));
    CHECK(at_item_long(t) == 0 && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    at_release(t);
  }
}

/* Complex numbers and wide unsigned integers, as PyTorch prints them. */
static void of_parts(void **state)
{
  static const double numbers[][2] = {{1, 2}, {3.5, -4}, {0, 0}};
  static const struct {
    at_scalar_type type;
    const char *text;
  } cases[] = {
      {AT_COMPLEX_FLOAT, "tensor([1.0000+2.j, 3.5000-4.j, 0.0000+0.j])"},
      {AT_COMPLEX_DOUBLE, "tensor([1.0000+2.j, 3.5000-4.j, 0.0000+0.j], dtype=torch.complex128)"}};
  for (int i = 0; i < 2; i++) {
    at_tensor *pairs = at_empty(AT_SHAPE(3, 2), .type = AT_CPU(AT_DOUBLE));
    memcpy(at_data(pairs), numbers, sizeof numbers);
    at_tensor *z = at_view_as_complex(pairs), *t = at_to(z, AT_CPU(cases[i].type));
    char *text = at_toString(t);
    CHECK_MSG(!strcmp(text, cases[i].text), "%s", text);
    at_string_free(text);
    at_release(t);
    at_release(z);
    at_release(pairs);
  }
  at_tensor *most = at_full(AT_SHAPE(2), at_scalar(-1), .type = AT_CPU(AT_UINT64));
  at_tensor *none = at_empty(AT_SHAPE(0), .type = AT_CPU(AT_COMPLEX_FLOAT));
  char *text = at_toString(most), *empty = at_toString(none);
  CHECK_MSG(!strcmp(text,
                    "tensor([18446744073709551615, 18446744073709551615], dtype=torch.uint64)"),
            "%s", text);
  CHECK_MSG(!strcmp(empty, "tensor([], dtype=torch.complex64)"), "%s", empty);
  at_string_free(text);
  at_string_free(empty);
  at_release(most);
  at_release(none);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_pytorch),    cmocka_unit_test(undefined), cmocka_unit_test(huge),
      cmocka_unit_test(of_any_locale), cmocka_unit_test(printing),  cmocka_unit_test(full_disk),
      cmocka_unit_test(memory),        cmocka_unit_test(items),     cmocka_unit_test(refused_items),
      cmocka_unit_test(of_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
