/* Text as printf makes it, in the C locale: numbers in messages and names have a point, whatever
 * the locale of the program or the thread is. */
#ifndef TH_FORMAT_H
#define TH_FORMAT_H

#include <locale.h>
#include <stdarg.h>

#include "THGeneral.h"

/* The C locale, or 0 where there is no memory for it. */
TH_API locale_t THFormat_locale(void);

/* As snprintf and vsnprintf. */
TH_PRINTF_LIKE(3, 4) TH_API int THFormat(char *to, size_t capacity, const char *format, ...);
TH_API int THFormat_v(char *to, size_t capacity, const char *format, va_list arguments);

#endif
