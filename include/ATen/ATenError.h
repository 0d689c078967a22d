/* Errors as values: what went wrong first in this thread. */
#ifndef ATEN_ERROR_H
#define ATEN_ERROR_H

#include "ATenMacros.h"

typedef enum at_error_code {
  AT_OK,
  AT_ERROR_ARGUMENT, /* a shape, index, range or value that the operation does not take */
  AT_ERROR_TYPE,     /* an element type that is not there, or that the operation does not take */
  AT_ERROR_NULL,     /* NULL for a tensor that is not optional */
  AT_ERROR_RUNTIME   /* anything else: no memory, a file, a matrix that is singular */
} at_error_code;

/* AT_OK if nothing has gone wrong since the thread began or cleared its error. */
AT_API at_error_code at_error(void);

/* One sentence or more, with the shapes and values at fault; "" if nothing went wrong.  Valid until
 * at_error_clear.  It begins with the place of the call, such as "net.c:12: ", if the macro of an
 * operation's name was what called (ATenCall.h). */
AT_API const char *at_error_message(void);

/* The operation that failed, such as "add"; "" if nothing went wrong. */
AT_API const char *at_error_operation(void);

AT_API void at_error_clear(void);

/* --- for debugging ---------------------------------------------------------------------------- */

/* Whether the next error of any thread ends the process: its message goes to stderr, and abort()
 * leaves the stack of the failed call to the debugger.  At the start it is so if AT_ABORT_ON_ERROR
 * in the environment is neither empty nor 0. */
AT_API void at_error_setAbort(bool on);
AT_API bool at_error_aborts(void);

#endif
