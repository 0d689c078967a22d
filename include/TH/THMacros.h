/* The vocabulary of every declaration: linkage, attributes and token pasting. */
#ifndef TH_MACROS_H
#define TH_MACROS_H

#include "THConfig.h"

/* --- linkage --------------------------------------------------------------------------------- */

#ifdef __cplusplus
#define TH_EXTERNC extern "C"
#else
#define TH_EXTERNC extern
#endif

/* Everything public is declared TH_API; everything else is hidden from programs. */
#define TH_API TH_EXTERNC __attribute__((visibility("default")))

/* Parsers of declarations, such as those of foreign-function interfaces, define TH_NO_INLINE: then
 * the headers contain no function bodies. */

/* --- attributes ------------------------------------------------------------------------------ */

#define TH_NO_RETURN                  __attribute__((noreturn))
#define TH_UNREACHABLE                __builtin_unreachable();
#define TH_UNUSED                     __attribute__((unused))
#define TH_PRINTF_LIKE(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))
#define TH_LIKELY(X)                  __builtin_expect(!!(X), 1)
#define TH_UNLIKELY(X)                __builtin_expect(!!(X), 0)

/* --- types ----------------------------------------------------------------------------------- */

/* The elements of Char: C's own char in Torch7. */
#ifdef TH_COMPAT_TORCH7
#define TH_CHAR char
#else
#define TH_CHAR int8_t
#endif

/* --- token pasting: each argument is expanded first ------------------------------------------ */

#define TH_CONCAT_2_EXPAND(x, y) x##y
#define TH_CONCAT_2(x, y)        TH_CONCAT_2_EXPAND(x, y)

#define TH_CONCAT_3_EXPAND(x, y, z) x##y##z
#define TH_CONCAT_3(x, y, z)        TH_CONCAT_3_EXPAND(x, y, z)

#define TH_CONCAT_4_EXPAND(x, y, z, w) x##y##z##w
#define TH_CONCAT_4(x, y, z, w)        TH_CONCAT_4_EXPAND(x, y, z, w)

#define TH_STRING_OF_EXPAND(x)         #x
#define TH_STRING_OF(x)                TH_STRING_OF_EXPAND(x)
#define TH_CONCAT_STRING_2(x, y)       TH_STRING_OF(x) TH_STRING_OF(y)
#define TH_CONCAT_STRING_3(x, y, z)    TH_CONCAT_STRING_2(x, y) TH_STRING_OF(z)
#define TH_CONCAT_STRING_4(x, y, z, w) TH_CONCAT_STRING_3(x, y, z) TH_STRING_OF(w)

/* Both arguments are evaluated twice. */
#define THMin(X, Y) ((X) < (Y) ? (X) : (Y))
#define THMax(X, Y) ((X) > (Y) ? (X) : (Y))

#endif
