/* What a plain test program includes: cmocka, and checks that a call raises. */
#ifndef TH_TEST_H
#define TH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "TH.h"

/* Runs one statement, which must raise an error whose text contains TEXT and which blames argument
 * ARGUMENT (0: none). */
#define CHECK_RAISES(ARGUMENT, TEXT, ...)                                               \
  do {                                                                                  \
    THTry attempt_;                                                                     \
    TH_TRY(attempt_)                                                                    \
    {                                                                                   \
      __VA_ARGS__;                                                                      \
    }                                                                                   \
    if (!attempt_.failed)                                                               \
      fail_msg("no error from %s", #__VA_ARGS__);                                       \
    if (!strstr(attempt_.message, TEXT) || attempt_.argument != (ARGUMENT))             \
      fail_msg("%s raised \"%s\" about argument %d, not \"%s\" about %d", #__VA_ARGS__, \
               attempt_.message, attempt_.argument, TEXT, ARGUMENT);                    \
  } while (0)

#endif
