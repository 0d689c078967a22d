/* The thread's error, and the end of calls, which turns raised errors into it. */
#define _GNU_SOURCE /* secure_getenv */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATenCore.h"
#include "TH/core/THFormat.h"
#include "device.h"

/* Memory for the message is allocated at the thread's first error.  A library that is loaded late
 * has only some hundred bytes of static space for thread-local variables (scope.c uses it for a
 * pointer), and dlopen fails if its variables do not fit. */
static _Thread_local struct {
  at_error_code code;
  const char *operation;
  char *buffer; /* NULL, or TH_MESSAGE_LENGTH bytes */
  const char *message;
  bool isFresh;          /* no call since then: at_error_locate refers to this error */
  bool hasPlace;         /* the message has file and line of a call */
  bool hasNode;          /* file and line are a program and its node */
  bool hasOwner;         /* the message has the module that the call was made in */
  uint16_t prefixLength; /* the bytes of the message that name file and line */
} error;

/* The code of the error that at_raise is raising. */
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

/* Puts file and line before the message, or exchanges those that it has. */
static void put_place(const char *file, int line)
{
  error.hasPlace = true;
  if (error.message != error.buffer)
    return;
  char prefix[TH_MESSAGE_LENGTH / 2];
  const int written = snprintf(prefix, sizeof prefix, "%s:%d: ", file, line);
  if (written < 0 || written >= (int)sizeof prefix)
    return;
  const size_t length = (size_t)written;
  const char *const text = error.buffer + error.prefixLength;
  const size_t kept = strnlen(text, TH_MESSAGE_LENGTH - 1 - length);
  memmove(error.buffer + length, text, kept);
  memcpy(error.buffer, prefix, length);
  error.buffer[length + kept] = '\0';
  error.prefixLength = (uint16_t)length;
}

void at_error_locate(const char *file, int line)
{
  if (error.code == AT_OK || !error.isFresh)
    return;
  error.isFresh = false;
  put_place(file, line);
}

void at_error_locateNode(const char *file, int number)
{
  if (error.code == AT_OK || error.hasNode)
    return;
  error.hasNode = true;
  error.isFresh = false;
  put_place(file, number);
}

void at_error_inside(const char *owner)
{
  if (error.code == AT_OK || error.hasOwner)
    return;
  error.hasOwner = true;
  error.isFresh = !error.hasPlace;
  if (error.message != error.buffer)
    return;
  const size_t length = strnlen(error.buffer, TH_MESSAGE_LENGTH - 1);
  snprintf(error.buffer + length, TH_MESSAGE_LENGTH - length, ", in %s", owner);
}

static pthread_key_t at_thread_exit;
static bool has_key;

static void thread_ends(void *buffer)
{
  error.buffer = NULL; /* later destructors of the thread may still fail */
  error.code = AT_OK;
  free(buffer);
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
  thread_ends(error.buffer);
}

static char *message_buffer(void)
{
  if (error.buffer || !has_key)
    return error.buffer;
  char *const buffer = malloc(TH_MESSAGE_LENGTH);
  if (buffer && pthread_setspecific(at_thread_exit, buffer)) {
    free(buffer);
    return NULL;
  }
  return error.buffer = buffer;
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
  error.isFresh = error.code == AT_OK;
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
    error.hasPlace = error.hasNode = error.hasOwner = false;
    error.prefixLength = 0;
    char *const buffer = message_buffer();
    error.message = buffer ? buffer : "there is no memory for what the error was";
    if (buffer)
      THFormat_v(buffer, TH_MESSAGE_LENGTH, format, arguments);
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
  else if (t)
    error.isFresh = false; /* t is the undefined tensor: the error is that of an earlier call */
  return t == NULL && optional;
}

/* Names of arguments in THNN and in operations, without the axis (T, H or W) that ends some of
 * THNN's names. */
static const struct {
  const char *theirs, *ours;
  bool hasAxis;
} names[] = {{"input", "self", false},           {"gradOutput", "grad_output", false},
             {"gradInput", "grad_input", false}, {"gradWeight", "grad_weight", false},
             {"gradBias", "grad_bias", false},   {"d", "stride", true},
             {"k", "kernel_size", true},         {"pad", "padding", true},
             {"dilation", "dilation", true}};

/* Weak, so that a static program without a call of at_op_find does not carry all operations: there,
 * messages have THNN's names. */
extern __typeof__(at_op_find) at_op_find __attribute__((weak));
extern __typeof__(at_ops) at_ops __attribute__((weak));
extern __typeof__(at_opCount) at_opCount __attribute__((weak));

static bool takes(const char *operation, const char *argument)
{
  if (!at_op_find)
    return false;
  for (const at_op *op = at_op_find(operation);
       op && op < at_ops + at_opCount && !strcmp(op->name, operation); op++)
    for (int i = 0; i < op->argumentCount + op->resultCount; i++) {
      const at_argument *const one =
          i < op->argumentCount ? &op->arguments[i] : &op->results[i - op->argumentCount];
      if (!strcmp(one->name, argument))
        return true;
    }
  return false;
}

/* The operation's name for the argument that THNN calls word; NULL if word is no argument. */
static const char *renamed(const char *operation, const char *word, size_t length)
{
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t known = strlen(names[i].theirs);
    if (length != known + names[i].hasAxis || strncmp(word, names[i].theirs, known) ||
        (names[i].hasAxis && !strchr("THW", word[known])))
      continue;
    const bool isKernel = names[i].theirs[0] == 'k' && takes(operation, "weight");
    const bool isFree = names[i].hasAxis || !takes(operation, names[i].theirs);
    if (isKernel || (takes(operation, names[i].ours) && isFree))
      return names[i].ours;
  }
  return NULL;
}

/* Copies the message of an error in THNN to buffer, with THNN's names of arguments replaced by those
 * of the operation. */
static void rename_arguments(const char *operation, const char *message, char *buffer, size_t size)
{
  size_t made = 0;
  while (*message && made + 1 < size) {
    size_t length = 0;
    while (isalnum((unsigned char)message[length]) || message[length] == '_')
      length++;
    const char *const ours = renamed(operation, message, length);
    const int written =
        ours ? snprintf(buffer + made, size - made, "%s", ours)
             : snprintf(buffer + made, size - made, "%.*s", (int)THMax(length, 1), message);
    made = THMin(made + (size_t)written, size - 1);
    message += THMax(length, 1);
  }
  buffer[made] = '\0';
}

static __attribute__((cold, noinline)) void fail_as_raised(const at_call *call)
{
  const at_error_code code = raised != AT_OK          ? raised
                             : call->attempt.argument ? AT_ERROR_ARGUMENT
                                                      : AT_ERROR_RUNTIME;
  char message[TH_MESSAGE_LENGTH];
  raised = AT_OK;
  rename_arguments(call->operation, call->attempt.message, message, sizeof message);
  at_fail(code, call->operation, "%s: %s", call->operation, message);
}

bool at_failed(at_call *call)
{
  if (call->back)
    at_cuda()->use(call->back - 1);
  if (call->attempt.failed)
    fail_as_raised(call);
  return call->attempt.failed;
}

/* --- arguments ------------------------------------------------------------------------------- */

bool at_acceptInts(const char *operation, const char *argument, at_ints ints, int axes)
{
  if (ints.count < 0 || (ints.count > 0 && !ints.data))
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has %d numbers%s", operation, argument,
            ints.count, ints.data ? "" : " and no data");
  else if (axes > 0 && ints.count > 1 && ints.count != axes)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has %d numbers, and has to have 1 or %d",
            operation, argument, ints.count, axes);
  else
    return true;
  return false;
}

bool at_acceptDoubles(const char *operation, const char *argument, at_doubles doubles)
{
  if (doubles.count >= 0 && (doubles.data || doubles.count == 0))
    return true;
  at_fail(doubles.count < 0 ? AT_ERROR_ARGUMENT : AT_ERROR_NULL, operation,
          "%s: %s has %d numbers%s", operation, argument, doubles.count,
          doubles.count < 0 ? "" : " at NULL");
  return false;
}

at_ints at_intsOr(at_ints given, int axes, int64_t otherwise, int64_t *buffer)
{
  if (given.count == 0 && otherwise == AT_NONE)
    return given;
  for (int i = 0; i < axes; i++)
    buffer[i] = given.count == 0 ? otherwise : given.data[given.count == 1 ? 0 : i];
  return (at_ints){buffer, axes};
}

bool at_acceptPointer(const char *operation, const char *argument, const void *given)
{
  if (!given)
    at_fail(AT_ERROR_NULL, operation, "%s: %s is NULL", operation, argument);
  return given != NULL;
}
