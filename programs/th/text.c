/* Text, errors, types and sizes. */
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* Whether the bytes are a control character: those below a blank, DEL, and U+0080 to U+009F. */
static int control_length(const unsigned char *at)
{
  if (*at < ' ' || *at == 0x7f)
    return 1;
  return *at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f ? 2 : 0;
}

static void write_but(FILE *to, const char *text, char kept)
{
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    const int length = *at == (unsigned char)kept ? 0 : control_length(at);
    putc(length > 0 ? '?' : *at, to);
    at += length > 0 ? length : 1;
  }
}

void text_write(FILE *to, const char *text)
{
  write_but(to, text, ' ');
}

void text_writeLines(FILE *to, const char *text)
{
  write_but(to, text, '\n');
}

/* --- errors ----------------------------------------------------------------------------------- */

static const char *failing = "th";

void fail_name(const char *command)
{
  failing = command;
}

int fail(const char *format, ...)
{
  char *sentence = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&sentence, format, arguments);
  va_end(arguments);
  fflush(stdout); /* what came before the error is seen before it */
  fprintf(stderr, "%s: ", failing);
  text_write(stderr, length < 0 ? "there is no memory" : sentence);
  putc('\n', stderr);
  if (length >= 0)
    free(sentence);
  return FAILED;
}

/* The length of a message without " at src/ATen/files/zip.c:12", where the library raised it. */
static int length_of(const char *message)
{
  const char *end = NULL;
  for (const char *at = strstr(message, " at src/"); at; at = strstr(at + 1, " at src/"))
    end = at;
  return (int)(end && !strchr(end + 4, ' ') ? (size_t)(end - message) : strlen(message));
}

/* The error of ATen; which function failed, and where it was called, tells users of a command
 * nothing. */
static const char *at_problem(void)
{
  const char *const message = at_error_message(), *const operation = at_error_operation();
  const char *begin = strstr(message, operation);
  begin = begin ? begin + strlen(operation) : message;
  return begin + (!strncmp(begin, ": ", 2) ? 2 : 0);
}

int fail_at(void)
{
  const char *const problem = at_problem();
  return fail("%.*s", length_of(problem), problem);
}

int fail_file(const char *path)
{
  const char *problem = at_problem();
  const size_t length = strlen(path);
  if (!strncmp(problem, path, length) && !strncmp(problem + length, ": ", 2))
    problem += length + 2;
  return fail("%s: %.*s", path, length_of(problem), problem);
}

/* --- types, sizes ----------------------------------------------------------------------------- */

const char *type_name(const at_type *type)
{
  static const char *const names[AT_SCALAR_TYPES] = {[AT_BYTE] = "Byte",
                                                     [AT_CHAR] = "Char",
                                                     [AT_SHORT] = "Short",
                                                     [AT_INT] = "Int",
                                                     [AT_LONG] = "Long",
                                                     [AT_FLOAT] = "Float",
                                                     [AT_DOUBLE] = "Double",
                                                     [AT_HALF] = "Half",
                                                     [AT_BOOL] = "Bool",
                                                     [AT_BFLOAT16] = "BFloat16",
                                                     [AT_COMPLEX_FLOAT] = "ComplexFloat",
                                                     [AT_COMPLEX_DOUBLE] = "ComplexDouble",
                                                     [AT_UINT16] = "UInt16",
                                                     [AT_UINT32] = "UInt32",
                                                     [AT_UINT64] = "UInt64"};
  const at_scalar_type scalar = at_type_scalarType(type);
  return scalar < AT_SCALAR_TYPES && names[scalar] ? names[scalar] : "?";
}

void sizes_write(FILE *to, at_ints least, at_ints most)
{
  putc('[', to);
  for (int d = 0; d < least.count; d++) {
    fprintf(to, d > 0 ? " x %lld" : "%lld", (long long)least.data[d]);
    if (most.data[d] == INT64_MAX)
      fputs("..", to);
    else if (most.data[d] != least.data[d])
      fprintf(to, "..%lld", (long long)most.data[d]);
  }
  putc(']', to);
}

void bytes_write(FILE *to, uint64_t bytes)
{
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) {
    fprintf(to, "%d bytes", (int)bytes);
    return;
  }
  double value = (double)bytes / 1000;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
    value /= 1000;
  fprintf(to, value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}
