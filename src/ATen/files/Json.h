/* As much of JSON as the header of a safetensors file takes, read from left to right: no value is
 * built and nothing calls itself.
 *
 *     at_json json = {.file = file, .start = text, .at = text, .end = text + length};
 *     at_json_expect(&json, '{');
 *     do {
 *       at_json_string(&json, &key);
 *       at_json_expect(&json, ':');
 *       ...
 *     } while (at_json_more(&json, '}'));
 *
 * Where the text is something else an error says so and names the byte. */
#ifndef ATEN_JSON_H
#define ATEN_JSON_H

#include "Files.h"

typedef struct at_json {
  at_file *file;
  const char *start, *at, *end; /* errors count bytes from start on */
} at_json;

/* Takes a character, after white space. */
void at_json_expect(at_json *json, char character);

/* Takes the character if it is next, and tells whether it was. */
bool at_json_take(at_json *json, char character);

/* Between the members of a list: takes a comma and returns true, or takes close and returns false.
 */
bool at_json_more(at_json *json, char close);

/* A whole number from 0 to INT64_MAX. */
int64_t at_json_number(at_json *json);

/* Replaces text by a string's bytes, escapes resolved, and a 0 that does not count. */
void at_json_string(at_json *json, at_bytes *text);
bool at_json_equal(const at_bytes *text, const char *word);

/* Nothing but white space may follow. */
void at_json_finish(at_json *json);

/* Adds the name as a string with quotes; it is UTF-8. */
void at_json_quote(at_bytes *to, const char *name);

#endif
