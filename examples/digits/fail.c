/* Errors, raised and printed. */
#include "fail.h"

#include <ctype.h>
#include <stdarg.h>

void fail(const char *format, ...)
{
  char sentence[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  THError("%s", sentence);
}

void fail_print(const char *message)
{
  /* TH ends a message with the file and line that raised it.  Where the user is at fault that is
   * always fail(), which tells nobody anything; errors of the library itself keep theirs. */
  const char *end = strstr(message, " at " __FILE__);
  const size_t length = end ? (size_t)(end - message) : strlen(message);

  fputs("digits: ", stderr);
  for (size_t i = 0; i < length; i++) /* file names may contain anything, line ends too */
    putc(iscntrl((unsigned char)message[i]) ? '?' : message[i], stderr);
  putc('\n', stderr);
}
