/* The thread's error, and the border that calls cross. */
#define _GNU_SOURCE /* secure_getenv */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATenCore.h"
#include "TH/THFormat.h"
#include "device.h"

/* The message has memory of its own from the thread's first error on.  A library that is loaded
 * late has some hundred bytes of static room for all that is a thread's (scope.c takes a pointer of
 * it), and all of its thread-local variables have to fit, or else dlopen fails. */
static _Thread_local struct {
  at_error_code code;
  const char *operation;
  char *room; /* NULL, or TH_MESSAGE_LENGTH bytes */
  const char *message;
} error;

/* The code that at_raise has chosen for what is under way. */
static _Thread_local at_error_code raised;

at_error_code at_error(void)
{
  return error.code;
}

const char *at_error_message(void)
{
  return error.code == AT_OK ? "" : error.message;
}

const char *at_error_operation(void)
{
  return error.code == AT_OK ? "" : error.operation;
}

void at_error_clear(void)
{
  error.code = AT_OK;
}

static pthread_key_t at_thread_exit;
static bool has_key;

static void thread_ends(void *room)
{
  error.room = NULL; /* a later destructor of the thread may still meet an error */
  error.code = AT_OK;
  free(room);
}

static bool aborts; /* atomic */

bool at_error_aborts(void)
{
  return __atomic_load_n(&aborts, __ATOMIC_RELAXED);
}

void at_error_setAbort(bool on)
{
  __atomic_store_n(&aborts, on, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void)
{
  const char *wish = secure_getenv("AT_ABORT_ON_ERROR");
  at_error_setAbort(wish && *wish && strcmp(wish, "0"));
  has_key = pthread_key_create(&at_thread_exit, thread_ends) == 0;
}

__attribute__((destructor)) static void end(void)
{
  if (has_key)
    pthread_key_delete(at_thread_exit);
  has_key = false;
  thread_ends(error.room);
}

static char *message_room(void)
{
  if (error.room || !has_key)
    return error.room;
  char *const room = malloc(TH_MESSAGE_LENGTH);
  if (room && pthread_setspecific(at_thread_exit, room)) {
    free(room);
    return NULL;
  }
  return error.room = room;
}

static _Thread_local unsigned failures;

unsigned at_failureCount(void)
{
  return failures;
}

void at_fail(at_error_code code, const char *operation, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  failures++;
  if (at_error_aborts()) {
    char text[TH_MESSAGE_LENGTH];
    THFormat_v(text, sizeof text, format, arguments);
    fprintf(stderr,
            "ATen: %s; AT_ABORT_ON_ERROR or at_error_setAbort wants the process to end here\n",
            text);
    abort();
  }
  if (error.code == AT_OK) {
    error.code = code;
    error.operation = operation;
    char *const room = message_room();
    error.message = room ? room : "there is no memory for what the error was";
    if (room)
      THFormat_v(room, TH_MESSAGE_LENGTH, format, arguments);
  }
  va_end(arguments);
}

void at_raise_from(at_error_code code, const char *file, int line, const char *format, ...)
{
  char message[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  THFormat_v(message, sizeof message, format, arguments);
  va_end(arguments);
  raised = code;
  _THError(file, line, "%s", message);
}

/* --- calls ----------------------------------------------------------------------------------- */

bool at_acceptNone(const char *operation, const char *argument, const at_tensor *t, bool optional)
{
  if (t == NULL && !optional)
    at_fail(AT_ERROR_NULL, operation, "%s: %s is NULL", operation, argument);
  return t == NULL && optional;
}

bool at_failed(at_call *call)
{
  if (call->back)
    at_cuda()->use(call->back - 1);
  if (!call->attempt.failed)
    return false;
  const at_error_code code = raised != AT_OK          ? raised
                             : call->attempt.argument ? AT_ERROR_ARGUMENT
                                                      : AT_ERROR_RUNTIME;
  raised = AT_OK;
  at_fail(code, call->operation, "%s: %s", call->operation, call->attempt.message);
  return true;
}

/* --- arguments ------------------------------------------------------------------------------- */

bool at_acceptInts(const char *operation, const char *argument, at_ints ints)
{
  if (ints.count >= 0 && (ints.count == 0 || ints.data))
    return true;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has %d numbers%s", operation, argument, ints.count,
          ints.data ? "" : " and no data");
  return false;
}

at_ints at_intsOr(const int64_t *given, int count, int64_t otherwise, int64_t *room)
{
  bool any = false;
  for (int i = 0; given && i < count; i++)
    any |= given[i] != 0;
  if (!any && otherwise == INT64_MIN)
    return (at_ints){NULL, 0};
  for (int i = 0; i < count; i++)
    room[i] = any ? given[i] : otherwise;
  return (at_ints){room, count};
}

bool at_takeInts(const char *operation, const char *argument, const at_value *value, int count,
                 int64_t *option)
{
  const bool isOne = value->ints.count == 1;
  if (value->given && value->ints.count != count && !isOne) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has %d numbers, and has to have 1 or %d",
            operation, argument, value->ints.count, count);
    return false;
  }
  if (value->given && !at_acceptInts(operation, argument, value->ints))
    return false;
  for (int i = 0; i < count; i++)
    option[i] = value->given ? value->ints.data[isOne ? 0 : i] : 0;
  return true;
}
