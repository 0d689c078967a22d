/* What goes wrong is raised as an error of TH, so that guards clean up; main catches it. */
#ifndef DIGITS_FAIL_H
#define DIGITS_FAIL_H

#include <TH/TH.h>

/* Raises an error that tells the user, in one sentence, what is wrong. */
void fail(const char *format, ...) TH_NO_RETURN TH_PRINTF_LIKE(1, 2);

/* Prints the message of a caught error to stderr, as one line "digits: ...". */
void fail_print(const char *message);

#endif
