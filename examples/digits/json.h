/* As much of JSON as the header of a safetensors file takes, read from left to right: no value is
 * built, nothing is allocated, and nothing calls itself.
 *
 *     Json json = {.at = text, .end = text + length, .path = "net.safetensors"};
 *     json_expect(&json, '{');
 *     do {
 *       const JsonString key = json_string(&json);
 *       json_expect(&json, ':');
 *       ...
 *     } while (json_more(&json, '}'));
 *
 * Where the text is something else an error says so and names the byte. */
#ifndef DIGITS_JSON_H
#define DIGITS_JSON_H

#include <stdint.h>
#include <stddef.h>

typedef struct Json {
  const char *start, *at, *end;
  const char *path; /* for messages */
} Json;

/* What stands between the quotes, escapes as they are. */
typedef struct JsonString {
  const char *at;
  size_t length;
} JsonString;

/* Takes a character, after white space. */
void json_expect(Json *json, char character);

/* Takes the character if it is next, and tells whether it was. */
int json_take(Json *json, char character);

/* Between the members of a list: takes a comma and returns 1, or takes close and returns 0. */
int json_more(Json *json, char close);

/* A whole number from 0 to INT64_MAX. */
int64_t json_number(Json *json);

JsonString json_string(Json *json);
int json_equal(JsonString string, const char *text);

/* Nothing but white space may follow. */
void json_finish(Json *json);

#endif
