/* A reader of JSON that takes tokens one by one. */
#include "json.h"

#include <ctype.h>

#include "fail.h"

static void unexpected(const Json *json, const char *wanted) TH_NO_RETURN;

static void unexpected(const Json *json, const char *wanted)
{
  fail("%s: the header is damaged: byte %td should be %s", json->path, json->at - json->start + 1,
       wanted);
}

/* The next character, 0 at the end; one of 0 in the text is as wrong there as the end is. */
static char next(const Json *json)
{
  return json->at < json->end ? *json->at : '\0';
}

static void skip_space(Json *json)
{
  while (next(json) == ' ' || next(json) == '\t' || next(json) == '\n' || next(json) == '\r')
    json->at++;
}

int json_take(Json *json, char character)
{
  skip_space(json);
  if (next(json) != character)
    return 0;
  json->at++;
  return 1;
}

void json_expect(Json *json, char character)
{
  if (!json_take(json, character))
    unexpected(json, (char[]){'\'', character, '\'', '\0'});
}

int json_more(Json *json, char close)
{
  if (json_take(json, ','))
    return 1;
  if (json_take(json, close))
    return 0;
  unexpected(json, (char[]){'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', close, '\'', '\0'});
}

int64_t json_number(Json *json)
{
  skip_space(json);
  if (!isdigit((unsigned char)next(json)))
    unexpected(json, "a whole number");
  const int zero = next(json) == '0';
  int64_t value = 0;
  for (; isdigit((unsigned char)next(json)); json->at++) {
    const int digit = next(json) - '0';
    if (value > (INT64_MAX - digit) / 10)
      unexpected(json, "the end of a number, which is too large");
    value = value * 10 + digit;
    if (zero && value > 0)
      unexpected(json, "the end of a number that starts with 0");
  }
  return value;
}

JsonString json_string(Json *json)
{
  json_expect(json, '"');
  const char *start = json->at;
  for (; next(json) != '"'; json->at++) {
    if ((unsigned char)next(json) < ' ') /* the end, too */
      unexpected(json, "part of a string");
    if (next(json) != '\\')
      continue;
    json->at++;
    if (next(json) == '\0' || !strchr("\"\\/bfnrtu", next(json)))
      unexpected(json, "an escape that JSON knows");
    for (int hex = next(json) == 'u' ? 4 : 0; hex > 0; hex--) {
      json->at++;
      if (!isxdigit((unsigned char)next(json)))
        unexpected(json, "a hexadecimal digit");
    }
  }
  const JsonString string = {start, (size_t)(json->at - start)};
  json->at++;
  return string;
}

int json_equal(JsonString string, const char *text)
{
  return string.length == strlen(text) && memcmp(string.at, text, string.length) == 0;
}

void json_finish(Json *json)
{
  skip_space(json);
  if (json->at < json->end)
    unexpected(json, "the end of the header");
}
