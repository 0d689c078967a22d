/* Errors, memory and threads, on which everything else in TH is built. */
#ifndef TH_GENERAL_H
#define TH_GENERAL_H

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "THGuard.h"
#include "THMacros.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_PIf
#define M_PIf 3.14159265358979323846f
#endif

/* The version of the library that is running, such as "0.1.0"; TH_VERSION is that of the headers.
 */
TH_API const char *THVersion(void);

/* --- errors ---------------------------------------------------------------------------------- */

/* A handler is told the message and must not return: it leaves by longjmp or by a C++ exception. If
 * it does return, or where there is none, the process aborts with the message on stderr. */
typedef void (*THErrorHandlerFunction)(const char *msg, void *data);
typedef void (*THArgErrorHandlerFunction)(int argNumber, const char *msg, void *data);

/* The handlers of the calling thread; NULL goes back to the default ones. */
TH_API void THSetErrorHandler(THErrorHandlerFunction new_handler, void *data);
TH_API void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data);

/* The handlers of all threads that have none of their own. */
TH_API void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void *data);
TH_API void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data);

TH_API void _THError(const char *file, const int line, const char *fmt, ...) TH_NO_RETURN
    TH_PRINTF_LIKE(3, 4);
TH_API void _THAssertionFailed(const char *file, const int line, const char *exp, const char *fmt,
                               ...) TH_NO_RETURN TH_PRINTF_LIKE(4, 5);
TH_API void _THArgCheck(const char *file, int line, int condition, int argNumber, const char *fmt,
                        ...) TH_PRINTF_LIKE(5, 6);

/* Raises an error.  The text is formatted as by printf, cut at 2,048 bytes, and ends in " at
 * FILE:LINE". */
#define THError(...) _THError(__FILE__, __LINE__, __VA_ARGS__)

/* Raises an error about argument argNumber, counted from 1, unless COND holds. */
#define THArgCheck(COND, ARGNUMBER, ...)                          \
  do {                                                            \
    if (TH_UNLIKELY(!(COND)))                                     \
      _THArgCheck(__FILE__, __LINE__, 0, ARGNUMBER, __VA_ARGS__); \
  } while (0)

#define THArgError(ARGNUMBER, ...)                              \
  do {                                                          \
    _THArgCheck(__FILE__, __LINE__, 0, ARGNUMBER, __VA_ARGS__); \
    TH_UNREACHABLE                                              \
  } while (0)

/* THCleanup wraps statements, commas included, into one macro argument. */
#define THCleanup(...) __VA_ARGS__

#define THArgCheckWithCleanup(COND, CLEANUP, ARGNUMBER, ...)      \
  do {                                                            \
    if (TH_UNLIKELY(!(COND))) {                                   \
      CLEANUP                                                     \
      _THArgCheck(__FILE__, __LINE__, 0, ARGNUMBER, __VA_ARGS__); \
    }                                                             \
  } while (0)

/* Raises an error with the text of EXP unless it holds, in every build. */
#define THAssert(EXP)                                         \
  do {                                                        \
    if (TH_UNLIKELY(!(EXP)))                                  \
      _THAssertionFailed(__FILE__, __LINE__, #EXP, "%s", ""); \
  } while (0)

#define THAssertMsg(EXP, ...)                                    \
  do {                                                           \
    if (TH_UNLIKELY(!(EXP)))                                     \
      _THAssertionFailed(__FILE__, __LINE__, #EXP, __VA_ARGS__); \
  } while (0)

/* --- memory ---------------------------------------------------------------------------------- */

/* 64-byte aligned memory of size bytes, uninitialised; NULL for size 0.  Raises an error when size
 * is negative or there is no memory (after the collector of THSetGCHandler had its chance).  Blocks
 * are interchangeable with those of malloc: free() may release them, and THRealloc and THFree take
 * what malloc gave.  What is freed is kept for reuse within the limits of THMemory.h. */
TH_API void *THAlloc(ptrdiff_t size);

/* Resizes a block, keeping its contents; ptr NULL allocates, size 0 frees.  On failure ptr stays
 * valid; making a block smaller does not fail. */
TH_API void *THRealloc(void *ptr, ptrdiff_t size);
TH_API void THFree(void *ptr);

/* torchGCHandlerFunction(data) is called, from inside an allocation of this thread, when the heap
 * of all threads has grown by much or memory has run out; it may free tensors, and also allocate.
 * Each thread has its own; NULL turns it off. */
TH_API void THSetGCHandler(void (*torchGCHandlerFunction)(void *data), void *data);

/* Tells the collector's accounting that size more bytes (less, if negative) are in use which
 * THAlloc did not give, and calls the collector if that is too much. */
TH_API void THHeapUpdate(ptrdiff_t size);

/* --- threads --------------------------------------------------------------------------------- */

/* How many threads loops of the calling thread and BLAS may use: fewer where they cannot be
 * started, and one in a forked child.  Numbers below 1 leave it as it is. */
TH_API void THSetNumThreads(int num_threads);
TH_API int THGetNumThreads(void);

/* Processors that this process may run on. */
TH_API int THGetNumCores(void);

/* Does now what else is done when it is first needed: tries whether the calling thread's threads
 * can be started, and loads the library of BLAS, if there is one. */
TH_API void THInferNumThreads(void);

/* With on set, calls of BLAS and LAPACK too give the same bits for any number of threads, at the
 * price of running on one thread each.  What TH computes itself always does. */
TH_API void THSetDeterministic(int on);
TH_API int THGetDeterministic(void);

/* --- numbers --------------------------------------------------------------------------------- */

/* log(1 + x) and exp(x) - 1, accurate near 0. */
TH_API double THLog1p(const double x);
TH_API double THExpm1(const double x);

/* --- descriptions ---------------------------------------------------------------------------- */

#define TH_DESC_BUFF_LEN 64
typedef struct {
  char str[TH_DESC_BUFF_LEN];
} THDescBuff;

/* "[2 x 3]"; a text that is too long ends in "...". */
TH_API THDescBuff _THSizeDesc(const int64_t *size, const int64_t ndim);

#endif
