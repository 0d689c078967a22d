/* Modules as text, as PyTorch's repr shows them. */
#define _GNU_SOURCE /* strtod_l */
#include "Module.h"

#include <stdlib.h>
#include <string.h>

#include "TH/core/THFormat.h"

/* Text that grows; text is NULL once there was no memory. */
typedef struct Text {
  char *text;
  size_t length, capacity;
} Text;

static void append(Text *to, const char *bytes, size_t length)
{
  if (to->text && to->length + length + 1 > to->capacity) {
    const size_t capacity = 2 * (to->length + length + 1);
    char *const more = realloc(to->text, capacity);
    if (!more) {
      at_fail(AT_ERROR_RUNTIME, "module_toString",
              "module_toString: there is no memory for %zu bytes", capacity);
      free(to->text);
    }
    to->text = more;
    to->capacity = capacity;
  }
  if (!to->text)
    return;
  memcpy(to->text + to->length, bytes, length);
  to->length += length;
  to->text[to->length] = '\0';
}

static void append_string(Text *to, const char *string)
{
  append(to, string, strlen(string));
}

/* Appends text whose lines but the first are moved to the right. */
static void append_indented(Text *to, const char *text)
{
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    append(to, text, (size_t)(end + 1 - text));
    append_string(to, "  ");
  }
  append_string(to, text);
}

static Text new_text(void)
{
  Text text = {at_moduleAlloc("module_toString", 64, 1), 0, 64};
  return text;
}

/* --- values ----------------------------------------------------------------------------------- */

/* The shortest number that is read back as the same, as Python's repr. */
static void append_double(Text *to, double number)
{
  char text[400];
  int digits = 1;
  do
    THFormat(text, sizeof text, "%.*e", digits - 1, number);
  while (digits++ < 17 && strtod_l(text, NULL, THFormat_locale()) != number);
  const char *const e = strchr(text, 'e');
  const int exponent = e ? atoi(e + 1) : 0;
  if (number != number)
    append_string(to, "None");
  else if (!e)
    append_string(to, text);
  else if (exponent < -4 || exponent >= 16)
    append_string(to, text);
  else {
    THFormat(text, sizeof text, "%.*f", digits - 2 > exponent ? digits - 2 - exponent : 1, number);
    append_string(to, text);
  }
}

static void append_long(Text *to, int64_t number)
{
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  append_string(to, number == AT_NONE ? "None" : text);
}

/* A list is shown as a number if it is one, and has not to be a tuple. */
static void append_ints(Text *to, at_ints ints, int axes, bool isTuple)
{
  if (ints.count == 0) {
    append_string(to, isTuple ? "()" : "None");
    return;
  }
  if (ints.count == 1 && !isTuple) {
    append_long(to, ints.data[0]);
    return;
  }
  const int count = ints.count == 1 && axes > 1 ? axes : ints.count;
  append_string(to, "(");
  for (int i = 0; i < count; i++) {
    append_string(to, i ? ", " : "");
    append_long(to, ints.data[ints.count == 1 ? 0 : i]);
  }
  append_string(to, count == 1 ? ",)" : ")");
}

static void append_field(Text *to, const at_module_field *field, const void *value, bool isTuple)
{
  switch (field->kind) {
    case AT_FIELD_LONG:
      append_long(to, *(const int64_t *)value);
      break;
    case AT_FIELD_DOUBLE:
      append_double(to, *(const double *)value);
      break;
    case AT_FIELD_BOOL:
      append_string(to, *(const bool *)value ? "True" : "False");
      break;
    case AT_FIELD_INTS:
      append_ints(to, *(const at_ints *)value, field->axes, isTuple);
      break;
    case AT_FIELD_STRING:
      append_string(to, *(const char *const *)value);
      break;
    case AT_FIELD_TYPE:
      append_string(to, at_type_toString(*(const at_type *const *)value));
      break;
  }
}

static bool is_usual(const at_module_field *field, const void *value)
{
  const at_ints *const ints = value;
  bool same = true;
  switch (field->kind) {
    case AT_FIELD_LONG:
      return *(const int64_t *)value == field->usual.integer;
    case AT_FIELD_DOUBLE:
      return *(const double *)value == field->usual.number ||
             (*(const double *)value != *(const double *)value &&
              field->usual.number != field->usual.number);
    case AT_FIELD_BOOL:
      return *(const bool *)value == (field->usual.integer != 0);
    case AT_FIELD_INTS:
      for (int i = 0; i < ints->count; i++)
        same = same && ints->data[i] == field->usual.integer;
      return same;
    case AT_FIELD_STRING:
      return !strcmp(*(const char *const *)value, field->usual.string);
    case AT_FIELD_TYPE:
      break;
  }
  return true;
}

/* --- the line of a layer ---------------------------------------------------------------------- */

/* The field that begins a pattern "NAME}" or "NAME:tuple}"; NULL if there is none. */
static const at_module_field *field_of(const at_module_kind *kind, const char *pattern)
{
  const size_t length = strcspn(pattern, ":}");
  for (int i = 0; i < kind->fieldCount; i++)
    if (!strncmp(kind->fields[i].name, pattern, length) && !kind->fields[i].name[length])
      return &kind->fields[i];
  return NULL;
}

/* Whether the part that begins behind "[" is left out. */
static bool is_hidden(const at_module *self, const char *part)
{
  const char *const brace = part + strcspn(part, "{]");
  const at_module_field *const field = *brace == '{' ? field_of(self->kind, brace + 1) : NULL;
  return field && is_usual(field, self->own + field->offset);
}

static void append_line(Text *to, const at_module *self)
{
  for (const char *at = self->kind->repr ? self->kind->repr : ""; *at; at++) {
    if (*at == '[' && is_hidden(self, at + 1))
      at += strcspn(at, "]");
    else if (*at == '{') {
      const at_module_field *const field = field_of(self->kind, at + 1);
      const size_t length = strcspn(at, "}");
      const char *const colon = memchr(at, ':', length);
      if (field)
        append_field(to, field, self->own + field->offset, colon != NULL);
      at += length;
    } else if (*at != '[' && *at != ']')
      append(to, at, 1);
    if (!*at)
      break;
  }
}

/* --- the tree --------------------------------------------------------------------------------- */

/* "(0-5): 6 x " before equal modules of a list, else "(NAME): ". */
static void append_names(Text *to, const at_module *self, int64_t first, int64_t last)
{
  append_string(to, "(");
  append_string(to, self->children.data[first].name);
  if (last > first) {
    append_string(to, "-");
    append_string(to, self->children.data[last].name);
  }
  append_string(to, "): ");
  if (last > first) {
    append_long(to, last - first + 1);
    append_string(to, " x ");
  }
}

static void append_children(Text *to, const at_module *self)
{
  const bool joins = !strcmp(self->kind->name, "ModuleList");
  char *next = NULL;
  for (int64_t i = 0, first = 0; i < self->children.count; i++) {
    char *const text = next ? next : at_module_toString(self->children.data[i].module);
    next = joins && i + 1 < self->children.count && text
               ? at_module_toString(self->children.data[i + 1].module)
               : NULL;
    if (!next || strcmp(text, next) != 0) {
      append_string(to, "\n  ");
      append_names(to, self, first, i);
      if (text)
        append_indented(to, text);
      first = i + 1;
    }
    free(text);
  }
}

char *at_module_toString(const at_module *self)
{
  if (!at_acceptModule("module_toString", self))
    return NULL;
  const unsigned before = at_failureCount();
  Text text = new_text();
  if (at_module_child(self, "parametrizations"))
    append_string(&text, "Parametrized");
  append_string(&text, self->kind->name);
  append_string(&text, "(");
  const bool hasLine = self->kind->repr && *self->kind->repr;
  if (hasLine && self->children.count)
    append_string(&text, "\n  ");
  append_line(&text, self);
  append_children(&text, self);
  append_string(&text, self->children.count ? "\n)" : ")");
  if (at_failureCount() == before)
    return text.text;
  free(text.text);
  return NULL;
}

void at_module_print(const at_module *self)
{
  char *const text = at_module_toString(self);
  if (text && printf("%s\n%lld parameters\n", text, (long long)at_module_numel(self)) < 0)
    at_fail(AT_ERROR_RUNTIME, "module_print", "module_print: standard output cannot be written to");
  at_string_free(text);
}
