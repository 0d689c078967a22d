/* Reads the cases that cases.h describes. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

#include "th_test.h"

typedef struct Reader {
  FILE *file;
  const char *path;
  int line;
  bool apart;
  char *text;
  size_t capacity;
} Reader;

static bool next_line(Reader *in)
{
  in->line++;
  if (getline(&in->text, &in->capacity, in->file) < 0)
    return false;
  in->text[strcspn(in->text, "\n")] = '\0';
  return true;
}

static void bad(const Reader *in, const char *what)
{
  fail_msg("%s:%d: %s: %.200s", in->path, in->line, what, in->text);
}

/* The text after the word, or NULL if the text does not begin with it. */
static const char *behind(const char *text, const char *word)
{
  const size_t length = strlen(word);
  if (strncmp(text, word, length) || (text[length] != ' ' && text[length] != '\0'))
    return NULL;
  return text + length + (text[length] == ' ');
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

static bool is_floating(const at_type *type)
{
  const at_scalar_type t = at_type_scalarType(type);
  return t == AT_FLOAT || t == AT_DOUBLE || t == AT_HALF || t == AT_BFLOAT16;
}

static bool is_complex(const at_type *type)
{
  const at_scalar_type t = at_type_scalarType(type);
  return t == AT_COMPLEX_FLOAT || t == AT_COMPLEX_DOUBLE;
}

/* Reads an integer; those of UInt64 keep all bits. */
static int64_t read_long(const at_type *type, const char **text)
{
  if (at_type_scalarType(type) == AT_UINT64)
    return (int64_t)strtoull(*text, (char **)text, 10);
  return strtoll(*text, (char **)text, 10);
}

/* Reads a tensor as Double or Long, which hold every value of the file, and converts it. */
static at_tensor *read_tensor(const Reader *in, const char *text)
{
  char name[32];
  int dims, used;
  int64_t size[CASE_DIMS + 1];
  if (sscanf(text, "%31s %d%n", name, &dims, &used) != 2)
    bad(in, "no tensor");
  text += used;
  for (int d = 0; d < dims; d++)
    size[d] = strtoll(text, (char **)&text, 10);
  text = strchr(text, ':') + 1;
  const at_type *type = type_named(in, name);
  const bool pairs = is_complex(type), floats = is_floating(type) || pairs;
  if (pairs)
    size[dims++] = 2;
  at_tensor *t = at_empty(((at_ints){size, dims}), .type = AT_CPU(floats ? AT_DOUBLE : AT_LONG));
  const int64_t count = at_numel(t);
  for (int64_t i = 0; i < count; i++)
    if (floats)
      ((double *)at_data(t))[i] = strtod(text, (char **)&text);
    else
      ((int64_t *)at_data(t))[i] = read_long(type, &text);
  if (pairs) {
    at_tensor *whole = at_view_as_complex(t);
    at_release(t);
    t = whole;
  }
  at_tensor *r = at_to(t, type);
  CHECK_MSG(at_defined(r), "%s:%d: %s", in->path, in->line, at_error_message());
  at_release(t);
  return r;
}

/* The values of t with the dimensions in the opposite order of memory and twice the strides, in a
 * storage with other values in the gaps. */
static at_tensor *spread(at_tensor *t)
{
  if (at_dim(t) == 0 || at_numel(t) == 0)
    return t;
  int64_t size[CASE_DIMS + 1], order[CASE_DIMS];
  const at_ints own = at_sizes(t);
  for (int d = 0; d < own.count; d++) {
    order[d] = own.count - 1 - d;
    size[d] = own.data[order[d]];
  }
  size[own.count] = 2;
  const at_ints wide = {size, own.count + 1};
  at_tensor *whole = at_full(wide, at_scalar(77), .type = at_typeOf(t));
  at_tensor *part = at_select(whole, -1, 1);
  at_tensor *view = at_permute(part, ((at_ints){order, own.count}));
  CHECK(at_copy_(view, t) == view);
  at_release(part);
  at_release(whole);
  at_release(t);
  return view;
}

static at_tensor *given_tensor(const Reader *in, const char *text)
{
  at_tensor *t = read_tensor(in, text);
  return in->apart ? spread(t) : t;
}

static at_scalar read_scalar(const char *text)
{
  const bool whole = !text[strcspn(text, "xni.")];
  return whole ? at_scalar(strtoll(text, NULL, 10)) : at_scalar(strtod(text, NULL));
}

/* Reads a word with a number after it; false if there is none. */
static bool read_number(CaseValue *v, const char *text)
{
  const char *rest;
  if ((rest = behind(text, "long")))
    v->kind = AT_KIND_LONG, v->value.integer = strtoll(rest, NULL, 10);
  else if ((rest = behind(text, "double")))
    v->kind = AT_KIND_DOUBLE, v->value.number = strtod(rest, NULL);
  else if ((rest = behind(text, "bool")))
    v->kind = AT_KIND_BOOL, v->value.truth = *rest == '1';
  else if ((rest = behind(text, "scalar")))
    v->kind = AT_KIND_SCALAR, v->value.scalar = read_scalar(rest);
  else
    return false;
  return true;
}

static void read_list(Reader *in, CaseValue *v, int count, bool apart)
{
  v->kind = AT_KIND_TENSORS;
  v->value.tensors = (at_tensors){v->tensors, count};
  const bool before = in->apart;
  in->apart = apart;
  for (int i = 0; i < count && next_line(in); i++) {
    const char *rest = behind(in->text, "tensor");
    v->tensors[i] = rest ? given_tensor(in, rest) : NULL;
    if (!rest && strcmp(in->text, "none"))
      bad(in, "no tensor");
  }
  in->apart = before;
}

/* The word, in memory that is never freed. */
static const char *kept_word(const char *word)
{
  enum { WORDS = 256, LENGTH = 64 };
  static char words[WORDS][LENGTH];
  static int count;
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i], word))
      return words[i];
  CHECK(count < WORDS && strlen(word) < LENGTH);
  return strcpy(words[count++], word);
}

static void read_argument(Reader *in, CaseValue *v)
{
  const char *text = in->text, *rest;
  v->value.given = true;
  if (read_number(v, text)) {
  } else if ((rest = behind(text, "tensor"))) {
    v->kind = AT_KIND_TENSOR;
    v->value.tensor = given_tensor(in, rest);
  } else if ((rest = behind(text, "tensors"))) {
    read_list(in, v, atoi(rest), in->apart);
  } else if (behind(text, "none")) {
    v->kind = AT_KIND_TENSOR;
  } else if ((rest = behind(text, "type"))) {
    v->kind = AT_KIND_TYPE;
    v->value.type = type_named(in, rest);
  } else if ((rest = behind(text, "seed"))) {
    v->kind = AT_KIND_GENERATOR;
    v->value.generator = at_generator_new(AT_BACKEND_CPU);
    at_generator_manualSeed(v->value.generator, strtoull(rest, NULL, 10));
  } else if ((rest = behind(text, "ints"))) {
    v->kind = AT_KIND_INTS;
    v->value.ints = (at_ints){v->ints, (int)strtol(rest, (char **)&rest, 10)};
    for (int i = 0; i < v->value.ints.count; i++)
      v->ints[i] = strtoll(rest, (char **)&rest, 10);
  } else if ((rest = behind(text, "text"))) {
    v->kind = AT_KIND_STRING;
    v->value.string = kept_word(rest);
  } else if ((rest = behind(text, "doubles"))) {
    v->kind = AT_KIND_DOUBLES;
    v->value.doubles = (at_doubles){v->doubles, (int)strtol(rest, (char **)&rest, 10)};
    for (int i = 0; i < v->value.doubles.count; i++)
      v->doubles[i] = strtod(rest, (char **)&rest);
  } else if (behind(text, "default")) {
    v->value.given = false;
  } else {
    bad(in, "no argument");
  }
}

static void read_wanted(Reader *in, CaseValue *v)
{
  const char *text = behind(in->text, "want"), *rest;
  if (!text)
    bad(in, "no result");
  if (read_number(v, text))
    return;
  v->kind = AT_KIND_TENSOR;
  if (behind(text, "undefined"))
    v->undefined = true;
  else if ((rest = behind(text, "list")))
    read_list(in, v, atoi(rest), false);
  else
    v->value.tensor = read_tensor(in, text);
}

/* --- cases ------------------------------------------------------------------------------------ */

static const at_op *find(const Reader *in, const char *name)
{
  char stem[64];
  snprintf(stem, sizeof stem, "%s", name);
  char *overload = strchr(stem, '.');
  if (overload)
    *overload++ = '\0';
  const at_op *op = at_op_find(stem), *const end = at_ops + at_opCount;
  while (op && op < end && !strcmp(op->name, stem) &&
         strcmp(op->overload, overload ? overload : ""))
    op++;
  if (!op || op == end || strcmp(op->name, stem))
    bad(in, "no such operation");
  return op;
}

static void free_value(CaseValue *v)
{
  at_release(v->value.tensor);
  at_generator_free(v->value.generator);
  for (int i = 0; i < CASE_TENSORS; i++)
    at_release(v->tensors[i]);
}

static void read_case(Reader *in, Case *one, const char *name)
{
  one->op = find(in, name);
  one->path = in->path;
  one->line = in->line;
  for (int i = 0; i < one->op->argumentCount && next_line(in); i++)
    read_argument(in, &one->arguments[i]);
  next_line(in);
  const char *rest = behind(in->text, "within");
  if (rest) {
    one->within = strtod(rest, NULL);
    next_line(in);
  }
  one->error = behind(in->text, "error") != NULL;
  for (int i = 0; i < one->op->resultCount && !one->error; i++) {
    if (i > 0)
      next_line(in);
    read_wanted(in, &one->wanted[i]);
    int next = getc(in->file);
    ungetc(next, in->file);
    if (next != 's')
      continue;
    next_line(in);
    one->wanted[i].hasStrides = true;
    rest = behind(in->text, "strides");
    for (int d = 0; d < at_dim(one->wanted[i].value.tensor); d++)
      one->wanted[i].strides[d] = strtoll(rest, (char **)&rest, 10);
  }
}

void cases_each(const char *path, bool apart, void (*visit)(Case *one, void *context),
                void *context)
{
  static Case one;
  Reader in = {.file = fopen(path, "r"), .path = path, .apart = apart};
  CHECK_MSG(in.file != NULL, "%s cannot be read", path);
  while (next_line(&in)) {
    const char *name = behind(in.text, "case");
    if (!name)
      continue;
    memset(&one, 0, sizeof one);
    read_case(&in, &one, name);
    visit(&one, context);
    for (int i = 0; i < CASE_VALUES; i++) {
      free_value(&one.arguments[i]);
      free_value(&one.wanted[i]);
    }
  }
  free(in.text);
  fclose(in.file);
}

void case_values(const Case *one, at_value *values)
{
  for (int i = 0; i < one->op->argumentCount; i++)
    values[i] = one->arguments[i].value;
}
