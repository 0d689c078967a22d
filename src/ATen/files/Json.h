/* A reader of the subset of JSON in headers of safetensors files.  It reads from left to right,
 * builds no values and is not recursive.
 *
 *     at_json json = {.file = file, .start = text, .at = text, .end = text + length};
 *     at_json_expect(&json, '{');
 *     do {
 *       at_json_string(&json, &key);
 *       at_json_expect(&json, ':');
 *       ...
 *     } while (at_json_more(&json, '}'));
 *
 * Raises, with the index of the byte, if the text is something else. */
#ifndef ATEN_JSON_H
#define ATEN_JSON_H

#include "Files.h"

typedef struct at_json {
  at_file *file;
  const char *start, *at, *end; /* errors count bytes from start on */
} at_json;

/* Takes a character, after white space. */
void at_json_expect(at_json *json, char character);

/* Whether the character is next; if so, takes it. */
bool at_json_take(at_json *json, char character);

/* Between the members of a list: takes a comma and returns true, or takes close and returns false.
 */
bool at_json_more(at_json *json, char close);

/* A whole number from 0 to INT64_MAX. */
int64_t at_json_number(at_json *json);

/* Reads a string to text, with escapes resolved, and appends a 0 that is not counted. */
void at_json_string(at_json *json, at_bytes *text);
bool at_json_equal(const at_bytes *text, const char *word);

/* Raises if anything but white space follows. */
void at_json_finish(at_json *json);

/* Appends the name, which is UTF-8, as a string with quotes. */
void at_json_quote(at_bytes *to, const char *name);

#endif
