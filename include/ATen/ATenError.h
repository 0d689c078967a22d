/* Errors as values: the first error of each thread is kept. */
#ifndef ATEN_ERROR_H
#define ATEN_ERROR_H

#include "ATenMacros.h"

typedef enum at_error_code {
  AT_OK,
  AT_ERROR_ARGUMENT, /* a shape, index, range or value that the operation does not take */
  AT_ERROR_TYPE,     /* an element type that does not exist, or that the operation does not take */
  AT_ERROR_NULL,     /* NULL for a tensor that is not optional */
  AT_ERROR_RUNTIME   /* anything else: no memory, a file, a matrix that is singular */
} at_error_code;

/* AT_OK if there was no error since the thread began or cleared its error. */
AT_API at_error_code at_error(void);

/* One or more sentences with the shapes and values at fault; "" if there is no error.  Valid until
 * at_error_clear. The message begins with file and line of the call, such as "net.c:12: ", if an
 * operation was called by its macro (ATenCall.h). */
AT_API const char *at_error_message(void);

/* The operation that failed, such as "add"; "" if there is no error. */
AT_API const char *at_error_operation(void);

AT_API void at_error_clear(void);

/* --- for debugging ---------------------------------------------------------------------------- */

/* Sets whether the next error of any thread ends the process: its message is written to stderr, and
 * abort() leaves the stack of the failed call to the debugger.  Initially on if the environment
 * variable AT_ABORT_ON_ERROR is neither empty nor 0. */
AT_API void at_error_setAbort(bool on);
AT_API bool at_error_aborts(void);

#endif
