/* Writes trees of values. */
#include "values.h"

#include <inttypes.h>

#include "text.h"

enum { MOST_DEPTH = 16, MOST_LINES = 10000 };

static void write_string(at_datum value)
{
  size_t length;
  const char *const text = at_datum_string(value, &length);
  if (text && at_datum_kindOf(value) == AT_DATUM_BYTES)
    printf("%zu bytes", length);
  else if (text)
    text_write(stdout, text);
}

static void write_tensor(at_datum value)
{
  const at_tensor *const t = at_datum_tensor(value);
  if (!at_defined(t)) {
    at_error_clear();
    printf("a tensor of a type that is not supported");
    return;
  }
  const at_ints sizes = at_sizes(t);
  printf("tensor, %s ", type_name(at_typeOf(t)));
  sizes_write(stdout, sizes, sizes);
}

/* What fits on the line of its name. */
static void write_one(at_datum value)
{
  const at_datum_kind kind = at_datum_kindOf(value);
  if (kind == AT_DATUM_NOTHING)
    printf("nothing");
  else if (kind == AT_DATUM_BOOL)
    printf("%s", at_datum_number(value) != 0 ? "true" : "false");
  else if (kind == AT_DATUM_INTEGER)
    printf("%" PRId64, at_datum_integer(value));
  else if (kind == AT_DATUM_NUMBER)
    printf("%.9g", at_datum_number(value));
  else if (kind == AT_DATUM_TENSOR)
    write_tensor(value);
  else if (kind == AT_DATUM_LIST || kind == AT_DATUM_DICT)
    printf("%" PRId64 " item%s", at_datum_count(value), at_datum_count(value) == 1 ? "" : "s");
  else
    write_string(value);
}

static void write_key(at_datum value, int64_t index)
{
  if (at_datum_kindOf(value) == AT_DATUM_DICT) {
    write_one(at_datum_key(value, index));
  } else if (at_datum_kindOf(value) == AT_DATUM_OBJECT) {
    static const char *const parts[] = {"arguments", "items", "fields"};
    printf("%s", index < 3 ? parts[index] : "?");
  } else {
    printf("%" PRId64, index);
  }
}

static void write_items(at_datum value, int depth, int *lines)
{
  for (int64_t i = 0; i < at_datum_count(value); i++) {
    if (*lines == MOST_LINES || depth == MOST_DEPTH) {
      printf("%*s...\n", 2 * depth, "");
      return;
    }
    (*lines)++;
    const at_datum item = at_datum_at(value, i);
    printf("%*s", 2 * depth, "");
    write_key(value, i);
    printf(": ");
    write_one(item);
    putchar('\n');
    write_items(item, depth + 1, lines);
  }
}

void values_write(at_datum value)
{
  int lines = 0;
  const at_datum_kind kind = at_datum_kindOf(value);
  if (kind == AT_DATUM_NOTHING)
    return;
  if (kind != AT_DATUM_LIST && kind != AT_DATUM_DICT) {
    write_one(value);
    putchar('\n');
  }
  write_items(value, 0, &lines);
}
