/* A reader of JSON that takes tokens one by one.  (RFC 8259) */
#include "Json.h"

static void unexpected(const at_json *json, const char *wanted) TH_NO_RETURN;
static void unexpected(const at_json *json, const char *wanted)
{
  at_damaged(json->file, "the header is damaged: %s should stand at byte %td", wanted,
             json->at - json->start);
}

/* The next character; 0 at the end.  A 0 in the text is as invalid as the end is. */
static char next(const at_json *json)
{
  return json->at < json->end ? *json->at : '\0';
}

static void skip_space(at_json *json)
{
  while (next(json) == ' ' || next(json) == '\t' || next(json) == '\n' || next(json) == '\r')
    json->at++;
}

bool at_json_take(at_json *json, char character)
{
  skip_space(json);
  if (next(json) != character)
    return false;
  json->at++;
  return true;
}

void at_json_expect(at_json *json, char character)
{
  if (!at_json_take(json, character))
    unexpected(json, (char[]){character, '\0'});
}

bool at_json_more(at_json *json, char close)
{
  if (at_json_take(json, ','))
    return true;
  at_json_expect(json, close);
  return false;
}

static bool is_digit(char character)
{
  return character >= '0' && character <= '9';
}

int64_t at_json_number(at_json *json)
{
  skip_space(json);
  if (!is_digit(next(json)))
    unexpected(json, "a whole number");
  const bool zero = next(json) == '0';
  int64_t value = 0;
  for (; is_digit(next(json)); json->at++) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, next(json) - '0', &value))
      unexpected(json, "the end of a number, which is too large,");
    if (zero && value > 0)
      unexpected(json, "the end of a number that starts with 0");
  }
  return value;
}

/* --- strings ---------------------------------------------------------------------------------- */

/* Reads the four digits after \u. */
static uint32_t read_unit(at_json *json)
{
  uint32_t unit = 0;
  for (int i = 0; i < 4; i++, json->at++) {
    const char c = next(json), small = c | 0x20;
    if (!is_digit(c) && (small < 'a' || small > 'f'))
      unexpected(json, "a hexadecimal digit");
    unit = unit << 4 | (uint32_t)(is_digit(c) ? c - '0' : small - 'a' + 10);
  }
  return unit;
}

/* Reads an escaped character; code points from U+10000 on are two units. */
static void read_character(at_json *json, at_bytes *text)
{
  uint32_t c = read_unit(json);
  if (c >= 0xd800 && c < 0xdc00 && json->end - json->at >= 2 && json->at[0] == '\\' &&
      json->at[1] == 'u') {
    json->at += 2;
    const uint32_t low = read_unit(json);
    if (low < 0xdc00 || low > 0xdfff)
      unexpected(json, "the second half of a character, just before,");
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  } else if (c >= 0xd800 && c < 0xe000) {
    unexpected(json, "the other half of a character");
  }
  uint8_t utf8[4];
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
  utf8[0] = (uint8_t)(leads[more] | c >> 6 * more);
  for (int i = 1; i <= more; i++)
    utf8[i] = (uint8_t)(0x80 | (c >> 6 * (more - i) & 0x3f));
  at_bytes_add(text, utf8, (size_t)more + 1);
}

void at_json_string(at_json *json, at_bytes *text)
{
  static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  text->length = 0;
  at_json_expect(json, '"');
  while (next(json) != '"') {
    const char *start = json->at;
    while ((unsigned char)next(json) >= ' ' && next(json) != '"' && next(json) != '\\')
      json->at++;
    at_bytes_add(text, start, (size_t)(json->at - start));
    if (next(json) == '"')
      break;
    if (next(json) != '\\') /* the end or a control character: an error */
      unexpected(json, "part of a string");
    json->at++;
    const char *escape = next(json) ? strchr(escapes, next(json)) : NULL;
    if (!escape && next(json) != 'u')
      unexpected(json, "an escape that JSON knows");
    json->at++;
    if (escape)
      at_bytes_add(text, &meant[escape - escapes], 1);
    else
      read_character(json, text);
  }
  json->at++;
  at_bytes_add(text, "", 1);
  text->length--;
  if (!at_isUtf8((const char *)text->start, text->length))
    unexpected(json, "UTF-8, before,");
}

bool at_json_equal(const at_bytes *text, const char *word)
{
  return text->length == strlen(word) && !memcmp(text->start, word, text->length);
}

void at_json_finish(at_json *json)
{
  skip_space(json);
  if (json->at < json->end)
    unexpected(json, "the end of the header");
}

void at_json_quote(at_bytes *to, const char *name)
{
  at_bytes_addText(to, "\"");
  for (; *name; name++)
    if (*name == '"' || *name == '\\')
      at_bytes_print(to, "\\%c", *name);
    else if ((unsigned char)*name < ' ')
      at_bytes_print(to, "\\u%04x", (unsigned)*name);
    else
      at_bytes_add(to, name, 1);
  at_bytes_addText(to, "\"");
}
