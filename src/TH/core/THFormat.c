/* Text in the C locale. */
#define _GNU_SOURCE /* uselocale */
#include "THFormat.h"

#include <pthread.h>

static locale_t c_locale;

static void make_c_locale(void)
{
  c_locale = newlocale(LC_ALL_MASK, "C", NULL);
}

locale_t THFormat_locale(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  return c_locale;
}

int THFormat_v(char *to, size_t capacity, const char *format, va_list arguments)
{
  const locale_t locale = THFormat_locale();
  const locale_t before = locale ? uselocale(locale) : (locale_t)0;
  const int length = vsnprintf(to, capacity, format, arguments);
  if (before)
    uselocale(before);
  return length;
}

int THFormat(char *to, size_t capacity, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = THFormat_v(to, capacity, format, arguments);
  va_end(arguments);
  return length;
}
