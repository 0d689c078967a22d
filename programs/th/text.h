/* What th writes: text that no file can make move a terminal's cursor, and errors. */
#ifndef TH_TEXT_H
#define TH_TEXT_H

#include <ATen/ATen.h>
#include <stdio.h>

/* Writes text that comes from a file or a command line, with "?" for each control character. */
void text_write(FILE *to, const char *text);

/* Writes several lines so; their ends are kept. */
void text_writeLines(FILE *to, const char *text);

/* Makes errors begin with that name, which stays as it is. */
void fail_name(const char *command);

/* Prints an error as one line, "th COMMAND: ...", to stderr; returns FAILED. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error of ATen, or the one about a file; returns FAILED. */
int fail_at(void);
int fail_file(const char *path);

/* "Float" for CPUFloatType, "?" for NULL and the undefined type. */
const char *type_name(const at_type *type);

/* Writes sizes, "[2 x 3]", from least to most where these differ: "[1..64 x 3 x 8..]". */
void sizes_write(FILE *to, at_ints least, at_ints most);

/* Writes a number of bytes, as in "44.7 MB". */
void bytes_write(FILE *to, uint64_t bytes);

#endif
