/* Where errors go: guards, TH_TRY frames, handlers, and the panic. */
#include "THGuard.h"

#include <stdio.h>
#include <stdlib.h>

#include "THFormat.h"

/* Two pointers, for which even a library loaded late finds static TLS space; so reading them takes
 * one instruction instead of a call. */
static _Thread_local THGuard *newest_guard __attribute__((tls_model("initial-exec")));
static _Thread_local THTry *innermost_try __attribute__((tls_model("initial-exec")));

/* --- guards ---------------------------------------------------------------------------------- */

void THGuard_enter(THGuard *guard, THUndo undo)
{
  guard->undo = undo;
  guard->what = NULL;
  guard->below = newest_guard;
  newest_guard = guard;
}

/* A guard entered before a TH_TRY may be left inside it; then the attempt undoes guards down to the
 * one below. */
void *THGuard_keep(THGuard *guard)
{
  assert(newest_guard == guard);
  newest_guard = guard->below;
  for (THTry *attempt = innermost_try; attempt && attempt->guards == guard;
       attempt = attempt->outer)
    attempt->guards = guard->below;
  return guard->what;
}

void THGuard_leave(THGuard *guard)
{
  void *what = THGuard_keep(guard);
  if (what)
    guard->undo(what);
}

/* Each guard is removed before it is undone: an undo that raises must not run again. */
static void undo_guards_above(THGuard *floor)
{
  while (newest_guard != floor)
    THGuard_leave(newest_guard);
}

/* --- TH_TRY ---------------------------------------------------------------------------------- */

void THTry_enter(THTry *attempt)
{
  attempt->outer = innermost_try;
  attempt->guards = newest_guard;
  attempt->running = 1;
  attempt->failed = 0;
  attempt->argument = 0;
  attempt->message[0] = 0;
  innermost_try = attempt;
}

void THTry_leave(THTry *attempt)
{
  assert(innermost_try == attempt);
  innermost_try = attempt->outer;
  attempt->running = 0;
}

/* --- handlers -------------------------------------------------------------------------------- */

typedef struct {
  THErrorHandlerFunction call;
  void *data;
} ErrorHandler;

typedef struct {
  THArgErrorHandlerFunction call;
  void *data;
} ArgErrorHandler;

static ErrorHandler default_handler;
static ArgErrorHandler default_arg_handler;
static _Thread_local ErrorHandler thread_handler;
static _Thread_local ArgErrorHandler thread_arg_handler;

void THSetErrorHandler(THErrorHandlerFunction new_handler, void *data)
{
  thread_handler = (ErrorHandler){new_handler, data};
}

void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data)
{
  thread_arg_handler = (ArgErrorHandler){new_handler, data};
}

void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void *data)
{
  default_handler = (ErrorHandler){new_handler, data};
}

void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data)
{
  default_arg_handler = (ArgErrorHandler){new_handler, data};
}

/* --- raising --------------------------------------------------------------------------------- */

TH_NO_RETURN static void panic(int argument, const char *message)
{
  if (argument)
    fprintf(stderr, "TH: invalid argument %d: %s\n", argument, message);
  else
    fprintf(stderr, "TH: %s\n", message);
  abort();
}

/* message is on the caller's stack, which is still there when a handler reads it. */
TH_NO_RETURN static void raise_error(int argument, const char *message)
{
  THTry *home = innermost_try;
  undo_guards_above(home ? home->guards : NULL);

  if (home) {
    home->argument = argument;
    snprintf(home->message, sizeof home->message, "%s", message);
    THTry_leave(home);
    home->failed = 1;
    longjmp(home->home, 1);
  }

  if (argument) {
    const ArgErrorHandler handler =
        thread_arg_handler.call ? thread_arg_handler : default_arg_handler;
    if (handler.call)
      handler.call(argument, message, handler.data);
  } else {
    const ErrorHandler handler = thread_handler.call ? thread_handler : default_handler;
    if (handler.call)
      handler.call(message, handler.data);
  }
  panic(argument, message);
}

/* Writes the formatted text and where it was raised; a text that is too long loses its end, not the
 * location; a path that is too long loses its beginning, not the line. */
static void compose(char *message, const char *file, int line, const char *fmt, va_list arguments)
{
  char location[256];
  const size_t path = strlen(file), most = sizeof location - sizeof " at :-2147483648";
  if (path > most)
    file += path - most;
  const int tail = snprintf(location, sizeof location, " at %s:%d", file, line);
  const int capacity = TH_MESSAGE_LENGTH - 1 - tail;

  int length = THFormat_v(message, (size_t)capacity + 1, fmt, arguments);
  if (length < 0)
    length = 0;
  if (length > capacity)
    length = capacity;
  snprintf(message + length, (size_t)(TH_MESSAGE_LENGTH - length), "%s", location);
}

void _THError(const char *file, const int line, const char *fmt, ...)
{
  char message[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, fmt);
  compose(message, file, line, fmt, arguments);
  va_end(arguments);
  raise_error(0, message);
}

void _THArgCheck(const char *file, int line, int condition, int argNumber, const char *fmt, ...)
{
  if (condition)
    return;
  char message[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, fmt);
  compose(message, file, line, fmt, arguments);
  va_end(arguments);
  raise_error(argNumber, message);
}

void _THAssertionFailed(const char *file, const int line, const char *exp, const char *fmt, ...)
{
  char detail[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, fmt);
  THFormat_v(detail, sizeof detail, fmt, arguments);
  va_end(arguments);
  _THError(file, line, "assertion `%s' failed%s%.1024s", exp, detail[0] ? ": " : "", detail);
}
