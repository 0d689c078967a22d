/* Operations of users, for the programs that they load afterwards. */
#include <pthread.h>

#include "Program.h"

typedef struct Registered {
  const at_op *op;
  struct Registered *next;
} Registered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Registered *newest; /* entries are never freed: programs keep their operations */

/* Whether target, such as "mylib.scale.default", is the operation "mylib::scale". */
static bool names(const char *target, const at_op *op)
{
  const char *const colons = strstr(op->name, "::");
  const size_t library = (size_t)(colons - op->name), name = strlen(colons + 2);
  const char *const overload = *op->overload ? op->overload : "default";
  return !strncmp(target, op->name, library) && target[library] == '.' &&
         !strncmp(target + library + 1, colons + 2, name) && target[library + 1 + name] == '.' &&
         !strcmp(target + library + 2 + name, overload);
}

const at_op *at_registeredOp(const char *target)
{
  const at_op *found = NULL;
  pthread_mutex_lock(&lock);
  for (const Registered *entry = newest; entry && !found; entry = entry->next)
    if (names(target, entry->op))
      found = entry->op;
  pthread_mutex_unlock(&lock);
  return found;
}

/* Raises unless the description is complete. */
static void check(const at_op *op)
{
  if (!op)
    at_raise(AT_ERROR_NULL, "op is NULL");
  if (!op->name || !op->overload || !op->call || (op->argumentCount > 0 && !op->arguments) ||
      (op->resultCount > 0 && !op->results))
    at_raise(AT_ERROR_NULL, "the name, overload, call, arguments or results of op are NULL");
  const char *const colons = strstr(op->name, "::");
  if (!colons || colons == op->name || !colons[2])
    at_raise(AT_ERROR_ARGUMENT, "the name '%.100s' is not of the form library::name", op->name);
  if (op->argumentCount < 0 || op->argumentCount > AT_MOST_ARGUMENTS || op->resultCount < 0 ||
      op->resultCount > AT_RESULTS)
    at_raise(AT_ERROR_ARGUMENT, "op has %d arguments and %d results, and may have %d and %d",
             op->argumentCount, op->resultCount, AT_MOST_ARGUMENTS, AT_RESULTS);
}

bool at_op_register(const at_op *op)
{
  at_call call;
  at_begin(&call, "op_register");
  TH_TRY(call.attempt)
  {
    check(op);
    Registered *const entry = THAlloc(sizeof *entry);
    entry->op = op;
    pthread_mutex_lock(&lock);
    entry->next = newest;
    newest = entry;
    pthread_mutex_unlock(&lock);
  }
  return !at_failed(&call);
}
