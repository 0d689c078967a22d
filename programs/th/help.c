/* th help: an operation of ATen, as the library's own table describes it. */
#include <string.h>

#include "command.h"
#include "text.h"

enum { WIDTH = 80, MOST_FOUND = 12 };

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const names[] = {"NAME"};
  return words_parse(key, text, state, state->input, names, 1, 1);
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "NAME",
    .doc =
        "Says what an operation computes, which arguments, types and forms it has, and how it is "
        "called in C and C++."};

/* The name behind "at_", "at::" or "torch.". */
static const char *bare(const char *name)
{
  static const char *const prefixes[] = {"at_", "at::", "torch.", "torch::"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(name, prefixes[i], strlen(prefixes[i])) && !at_op_find(name))
      return name + strlen(prefixes[i]);
  return name;
}

/* Writes a paragraph below a heading. */
static void paragraph(const char *heading, const char *text)
{
  int column = printf("  %-9s", heading);
  const int margin = column;
  while (*text) {
    const int length = (int)strcspn(text, " ");
    if (column > margin && column + length >= WIDTH) {
      printf("\n%*s", margin, "");
      column = margin;
    }
    column += printf("%s%.*s", column > margin ? " " : "", length, text);
    text += length + (text[length] == ' ');
  }
  putchar('\n');
}

/* The value of an option in an example. */
static const char *example(const at_argument *argument)
{
  switch (argument->kind) {
    case AT_KIND_INTS:
      return "AT_INTS(1)";
    case AT_KIND_DOUBLES:
      return "AT_DOUBLES(0.5)";
    case AT_KIND_TYPE:
      return "AT_CPU(AT_DOUBLE)";
    case AT_KIND_STRING:
    case AT_KIND_BOOL:
    case AT_KIND_SCALAR:
    case AT_KIND_LONG:
    case AT_KIND_DOUBLE:
      return argument->defaults && strcmp(argument->defaults, "{}") ? argument->defaults : "1";
    default:
      return argument->name;
  }
}

/* A call in C, or in C++: arguments, and in C options by their names. */
static void write_call(const at_op *op, bool isCpp)
{
  char text[2048];
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < op->argumentCount; i++) {
    const at_argument *const a = &op->arguments[i];
    const bool isOption = a->defaults && !isCpp, isString = isOption && a->kind == AT_KIND_STRING;
    const int written =
        snprintf(text + length, sizeof text - length, "%s%s%s%s%s%s%s", i ? ", " : "",
                 isOption ? "." : "", isOption ? a->name : "", isOption ? " = " : "",
                 isString ? "\"" : "", isOption ? example(a) : a->name, isString ? "\"" : "");
    length += written > 0 && (size_t)written < sizeof text - length ? (size_t)written : 0;
  }
  char call[sizeof text + 256];
  snprintf(call, sizeof call, "%s%s(%s)", isCpp ? "at::" : "", isCpp ? op->name : op->symbol, text);
  paragraph(isCpp ? "in C++" : "in C", call);
}

static void write_types(const at_op *op)
{
  char text[256] = "";
  size_t length = 0;
  for (int type = 0; type < AT_SCALAR_TYPES; type++)
    if (op->elementTypes >> type & 1)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? " " : "",
                                 type_name(AT_CPU((at_scalar_type)type)));
  paragraph("types", text);
}

static void write_operation(const at_op *op)
{
  static const char *const gradients[] = {"yes", "none, by nature", "missing"};
  printf("%s\n", op->schema);
  paragraph("", op->doc);
  write_call(op, false);
  write_call(op, true);
  write_types(op);
  paragraph("gradient", gradients[op->gradient]);
}

/* The error about a name that is not there, with those that contain it. */
static int fail_similar(const char *name)
{
  char text[1024] = "";
  size_t length = 0;
  int found = 0;
  for (int i = 0; i < at_opCount; i++) {
    const char *const one = at_ops[i].name;
    const bool isNew = i == 0 || strcmp(one, at_ops[i - 1].name) != 0;
    if (at_ops[i].form != AT_FORM_FUNCTION || !isNew || !*name || !strstr(one, name) ||
        ++found > MOST_FOUND || length + strlen(one) + 3 > sizeof text)
      continue;
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "", one);
  }
  return fail("there is no operation '%s'%s%s%s%s", name, found ? " (but " : "", text,
              found > MOST_FOUND ? " ..." : "", found ? ")" : "");
}

int help_command(int count, char **arguments)
{
  const char *name = NULL;
  options_parse(&argp, count, arguments, &name);
  const char *const word = bare(name);
  const at_op *op = at_op_find(word);
  if (!op)
    return fail_similar(word);
  for (const at_op *const first = op; op < at_ops + at_opCount && !strcmp(op->name, first->name);
       op++) {
    if (op != first)
      putchar('\n');
    write_operation(op);
  }
  return DONE;
}
