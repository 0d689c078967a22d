/* JSON of a program: parsed by jansson, whose memory is charged to the file before it is taken. */
#include "ATen/onnx/Onnx.h"
#include "Program.h"

/* What jansson takes for each character that begins or separates values, rounded up: the value, its
 * blocks and its slot in the list or object around it; a text has a copy too.  (Measured with
 * jansson 2.14.) */
enum { OBJECT_BYTES = 352, LIST_BYTES = 192, ITEM_BYTES = 128, DEEPEST = 100 };

/* Raises if the text is too deep or needs too much memory, before jansson reads it. */
static void check_text(at_file *file, const char *text, size_t length)
{
  bool inside = false;
  int depth = 0;
  uint64_t bytes = length;
  for (size_t i = 0; i < length; i++) {
    const char c = text[i];
    if (inside) {
      i += c == '\\';
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      bytes += c == '{' ? OBJECT_BYTES : LIST_BYTES;
      if (++depth > DEEPEST)
        at_damaged(file, "its values are nested deeper than %d", DEEPEST);
    } else if (c == '}' || c == ']') {
      depth--;
    } else if (c == ',' || c == ':') {
      bytes += ITEM_BYTES;
    }
  }
  at_file_charge(file, bytes);
}

static void free_json(void *what)
{
  json_decref(what);
}

json_t *at_doc_open(const at_zip *zip, const at_member *member, THGuard *guard)
{
  at_file *const file = zip->file;
  THGuard memory, data;
  at_memberStream s;
  THGuard_enter(guard, free_json);
  at_member_begin(&s, zip, member, &data);
  THGuard_enter(&memory, THFree);
  const size_t length = (size_t)member->size;
  char *const text = memory.what = at_file_alloc(file, member->size);
  at_stream_read(&s.stream, text, length);
  at_member_finish(&s);
  check_text(file, text, length);
  json_error_t error;
  json_t *const json = guard->what = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
  if (!json && json_error_code(&error) == json_error_out_of_memory)
    THError("there is no memory for the values of %s", file->path);
  if (!json)
    at_damaged(file, "line %d, column %d: %s", error.line, error.column, error.text);
  if (!json_is_object(json))
    at_damaged(file, "it is no JSON object");
  THGuard_leave(&memory);
  THGuard_leave(&data);
  return json;
}

static const char *type_name(json_type type)
{
  static const char *const names[] = {
      [JSON_OBJECT] = "object",   [JSON_ARRAY] = "list", [JSON_STRING] = "text",
      [JSON_INTEGER] = "integer", [JSON_REAL] = "float", [JSON_TRUE] = "bool",
      [JSON_FALSE] = "bool",      [JSON_NULL] = "null"};
  return names[type];
}

const json_t *at_doc_get(const at_file *file, const json_t *object, const char *key, json_type type)
{
  const json_t *const value = json_object_get(object, key);
  if (!value || json_typeof(value) != type)
    at_damaged(file, "'%s' is %s, and has to be of type %s", key,
               value ? type_name(json_typeof(value)) : "missing", type_name(type));
  return value;
}

const char *at_doc_text(const at_file *file, const json_t *object, const char *key)
{
  return json_string_value(at_doc_get(file, object, key, JSON_STRING));
}

const char *at_doc_union(const at_file *file, const json_t *object, const json_t **value)
{
  void *const member = json_object_iter((json_t *)object);
  if (!member || json_object_size(object) != 1)
    at_damaged(file, "a value is %s, and has to be an object with one member",
               json_is_object(object) ? "an object with another number of them" : "no object");
  *value = json_object_iter_value(member);
  return json_object_iter_key(member);
}

at_scalar_type at_doc_scalarType(const json_t *number)
{
  static const struct {
    json_int_t code;
    at_scalar_type type;
  } types[] = {{1, AT_BYTE},           {2, AT_CHAR},
               {3, AT_SHORT},          {4, AT_INT},
               {5, AT_LONG},           {6, AT_HALF},
               {7, AT_FLOAT},          {8, AT_DOUBLE},
               {10, AT_COMPLEX_FLOAT}, {11, AT_COMPLEX_DOUBLE},
               {12, AT_BOOL},          {13, AT_BFLOAT16},
               {28, AT_UINT16},        {34, AT_UINT32},
               {35, AT_UINT64}};
  const json_int_t code = json_integer_value(number); /* 0 if it is no integer */
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].code == code)
      return types[i].type;
  return AT_SCALAR_TYPES;
}

const struct at_packing *at_doc_packing(const json_t *number)
{
  static const int64_t numbers[][2] = {{29, 17}, {30, 19}, {31, 18}, {32, 20}, {33, 24}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i][0] == json_integer_value(number))
      return at_packingOf(numbers[i][1]);
  return NULL;
}

bool at_doc_size(const at_file *file, const json_t *size, int64_t *value)
{
  const json_t *held;
  const char *const key = at_doc_union(file, size, &held);
  *value = json_integer_value(held);
  if (!strcmp(key, "as_int") && json_is_integer(held))
    return true;
  if (strcmp(key, "as_expr"))
    at_damaged(file, "a size is neither an integer nor an expression");
  return false;
}
