/* Calls every public function and every operation with each of its arguments missing: NULL, the
 * undefined tensor, the undefined type, no data.  nulls.py writes the calls from the headers, so
 * that no new function is forgotten. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ATen.h"
#include "th_test.h"

/* Functions that accept NULL without an error, as the headers say. */
static const char *const harmless[] = {
    /* functions that ignore NULL */
    "at_retain", "at_release", "at_list_release", "at_keep", "at_escape", "at_thisTensor",
    "at_storage_retain", "at_storage_release", "at_generator_free", "at_generator_manualSeed",
    "at_dict_free", "at_string_free", "at_cuda_stream_free", "at_cuda_graph_free", "at_scope_once",
    "at_scope_leave", "at_no_grad_once", "at_no_grad_leave", "at_autocast_once",
    "at_autocast_leave", "at_requiresGrad", "at_isLeaf", "at_grad", "at_device_once",
    "at_device_leave", "at_program_free", "at_optimizer_free", "at_schedule_free",
    "at_average_free", "at_dataset_free", "at_loader_free", "at_summary_free", "at_progress_free",
    "at_optimizer_groups", "at_module_retain", "at_module_free", "at_Sequential", "at_ModuleList",
    /* NULL stands for no elements */
    "at_fromArray",
    /* functions that return NULL, 0 or "" for no node */
    "at_node_release", "at_node_retain", "at_node_kind", "at_node_inputCount", "at_node_input",
    /* functions that return NULL, 0 or false for no module, as constructors do after an error */
    "at_module_own", "at_module_kindOf", "at_module_add", "at_module_append", "at_module_count",
    "at_module_child", "at_module_childAt", "at_module_childName", "at_module_training",
    /* functions that return the properties of the undefined tensor */
    "at_defined", "at_typeOf", "at_dim", "at_numel", "at_sizes", "at_strides", "at_storageOffset",
    "at_isContiguous", "at_data", "at_unsafeGetTH", "at_deviceOf", "at_storage_type",
    "at_storage_size", "at_storage_data", "at_storage_unsafeGetTH", "at_generator_seed",
    "at_generator_initialSeed", "at_dict_count", "at_dict_has", "at_dict_skipped", "at_dict_values",
    "at_dict_metadata", "at_type_backend", "at_type_scalarType", "at_type_elementSize",
    "at_type_toString", "at_type_defined", "at_op_find", "at_toString", "at_print",
    "at_program_inputCount", "at_program_outputCount", "at_program_parameters",
    "at_program_targetCount"};

static bool is_harmless(const char *function)
{
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (!strcmp(function, harmless[i]))
      return true;
  return false;
}

/* --- the operation behind a function of C --------------------------------------------------- */

/* The name in C: the overload precedes the suffix of the form. */
static void name_in_c(const at_op *op, char *name, size_t capacity)
{
  static const char *const endings[] = {"", "_", "_out"};
  const char *ending = endings[op->form];
  size_t length = strlen(op->name);
  if (length < strlen(ending) || strcmp(op->name + length - strlen(ending), ending))
    ending = "";
  length -= strlen(ending);
  if (!op->overload[0])
    snprintf(name, capacity, "at_%s", op->name);
  else
    snprintf(name, capacity, "at_%.*s_%s%s", (int)length, op->name, op->overload, ending);
}

static const at_op *op_behind(const char *function)
{
  char name[200], with[210];
  for (int i = 0; i < at_opCount; i++) {
    name_in_c(&at_ops[i], name, sizeof name);
    snprintf(with, sizeof with, "%s_with", name);
    if (!strcmp(function, name) || !strcmp(function, with))
      return &at_ops[i];
  }
  return NULL;
}

/* Whether the argument may be NULL. */
static bool is_optional(const char *function, const char *argument)
{
  const at_op *op = op_behind(function);
  if (!op)
    return is_harmless(function) || !strcmp(argument, "options");
  for (int i = 0; i < op->argumentCount; i++) {
    const at_kind kind = op->arguments[i].kind;
    if (!strcmp(op->arguments[i].name, argument))
      return kind == AT_KIND_OPTIONAL_TENSOR || kind == AT_KIND_OPTIONAL_TENSORS ||
             kind == AT_KIND_GENERATOR || op->arguments[i].defaults;
  }
  return is_harmless(function) || !strcmp(argument, "options");
}

/* --- every function ------------------------------------------------------------------------- */

/* The result of a call. */
typedef struct Got {
  at_tensor *tensor;
  const at_type *type;
  double number; /* NaN if the function returns none */
  int count;     /* of a list */
} Got;

static Got got;

static struct Sound {
  at_tensor *tensor, *null, *undefined;
  at_generator *generator;
  at_storage *storage;
  at_dict *dict;
  int64_t number;
  double real;
} sound;

static int count_of(const at_tensors *list)
{
  return list ? list->count : 0;
}

static char current[300]; /* the current call */

/* Reports the call that caused a segmentation fault. */
static void fault(int signal)
{
  static const char what[] = "ended by a signal: ";
  if (write(STDERR_FILENO, what, sizeof what - 1) < 0 ||
      write(STDERR_FILENO, current, strlen(current)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
    _exit(2);
  _exit(1);
}

static void check(const char *function, const char *argument, const char *missing)
{
  /* The undefined tensor gives undefined results, without another error. */
  const bool isError = !strstr(missing, "undefined") || !strcmp(missing, "at_undefinedType()");
  if (!is_optional(function, argument)) {
    CHECK_MSG(at_error() != AT_OK || !isError, "%s is no error", current);
    CHECK_MSG(!at_defined(got.tensor), "%s: a result", current);
    CHECK_MSG(!at_type_defined(got.type), "%s: a type", current);
    CHECK_MSG(isnan(got.number), "%s: %g", current, got.number);
    CHECK_MSG(got.count == 0, "%s: a list", current);
  }
  CHECK_MSG(at_error() == AT_OK || (at_error_message()[0] && at_error_operation()[0]),
            "%s: no message", current);
}

static at_scope scope;
static int calls;

static void begin(const char *function, const char *argument, const char *missing)
{
  snprintf(current, sizeof current, "%s with %s = %s", function, argument, missing);
  at_error_clear();
  got = (Got){.number = NAN};
  scope = (at_scope){.running = false};
  at_scope_once(&scope);
  sound.tensor = at_ones(AT_SHAPE(2, 2));
}

static void end(const char *function, const char *argument, const char *missing)
{
  check(function, argument, missing);
  at_scope_leave(&scope);
  calls++;
}

#define CALL(FUNCTION, ARGUMENT, MISSING, ...) \
  {                                            \
    begin(FUNCTION, ARGUMENT, MISSING);        \
    __VA_ARGS__;                               \
    end(FUNCTION, ARGUMENT, MISSING);          \
  }
#include "nulls.h"

static void say_where(void)
{
  signal(SIGSEGV, fault);
  signal(SIGBUS, fault);
}

static void functions(void **state)
{
  say_where();
  sound = (struct Sound){.undefined = at_undefined(),
                         .generator = at_generator_new(AT_BACKEND_CPU),
                         .storage = at_storage_new(AT_CPU(AT_FLOAT), 4),
                         .dict = at_dict_new()};
  for (size_t i = 0; i < sizeof calls_of / sizeof *calls_of; i++)
    calls_of[i]();
  CHECK_MSG(calls > 4000, "%d", calls);
  at_error_clear();
  at_dict_free(sound.dict);
  at_storage_release(sound.storage);
  at_generator_free(sound.generator);
}

/* --- the table ------------------------------------------------------------------------------ */

static at_value sound_value(at_kind kind)
{
  at_value v = {.given = true, .integer = 1, .number = 1, .scalar = at_scalar(1)};
  v.type = kind == AT_KIND_TYPE ? AT_CPU(AT_FLOAT) : NULL;
  v.generator = sound.generator;
  v.storage = sound.storage;
  v.string = "none";
  v.doubles = (at_doubles){&sound.real, 1};
  v.ints = (at_ints){&sound.number, 1};
  if (kind == AT_KIND_TENSOR || kind == AT_KIND_OPTIONAL_TENSOR)
    v.tensor = sound.tensor;
  if (kind == AT_KIND_TENSORS || kind == AT_KIND_OPTIONAL_TENSORS)
    v.tensors = (at_tensors){&sound.tensor, 1};
  return v;
}

/* Sets v to a missing value of that kind; false if there is no such choice. */
static bool take_away(at_value *v, at_kind kind, int choice)
{
  const at_tensors lists[] = {
      {NULL, 1}, {&sound.null, 1}, {&sound.undefined, 1}, {&sound.tensor, -1}};
  const at_ints ints[] = {{NULL, 1}, {&sound.number, -1}};
  switch (kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      v->tensor = choice == 0 ? NULL : at_undefined();
      return choice < 2;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      v->tensors = lists[choice & 3];
      return choice < 4;
    case AT_KIND_INTS:
      v->ints = ints[choice & 1];
      return choice < 2;
    case AT_KIND_TYPE:
      v->type = choice == 0 ? NULL : at_undefinedType();
      return choice < 2;
    case AT_KIND_GENERATOR:
      v->generator = NULL;
      return choice < 1;
    case AT_KIND_STORAGE:
      v->storage = NULL;
      return choice < 1;
    case AT_KIND_STRING:
      v->string = NULL;
      return choice < 1;
    case AT_KIND_DOUBLES:
      v->doubles = (at_doubles){choice == 0 ? NULL : &sound.real, choice == 0 ? 1 : -1};
      return choice < 2;
    default:
      return false;
  }
}

static bool may_be_missing(at_kind kind, int choice)
{
  return kind == AT_KIND_GENERATOR || (kind == AT_KIND_OPTIONAL_TENSOR && choice == 0) ||
         (kind == AT_KIND_OPTIONAL_TENSORS && choice == 1);
}

/* Whether the choice is the undefined tensor, which causes no new error. */
static bool is_undefined_tensor(at_kind kind, int choice)
{
  const bool one = kind == AT_KIND_TENSOR || kind == AT_KIND_OPTIONAL_TENSOR;
  const bool list = kind == AT_KIND_TENSORS || kind == AT_KIND_OPTIONAL_TENSORS;
  return (one && choice == 1) || (list && choice == 2);
}

static int failed; /* calls */

static void call_without(const at_op *op, int missing, int choice)
{
  enum { ARGUMENTS = 32, RESULTS = 8 };
  at_value values[ARGUMENTS], results[RESULTS] = {{0}};
  const at_kind kind = op->arguments[missing].kind;
  for (int i = 0; i < op->argumentCount; i++)
    values[i] = sound_value(op->arguments[i].kind);
  if (!take_away(&values[missing], kind, choice))
    return;
  snprintf(current, sizeof current, "%s.%s of the table without %s (%d)", op->name, op->overload,
           op->arguments[missing].name, choice);
  at_error_clear();
  const bool succeeded = op->call(values, results);
  failed += !succeeded;
  char name[200];
  name_in_c(op, name, sizeof name);
  if (may_be_missing(kind, choice) || is_harmless(name))
    return;
  if (!is_undefined_tensor(kind, choice))
    CHECK_MSG(!succeeded && at_error() != AT_OK, "%s succeeds", current);
  for (int i = 0; i < op->resultCount; i++)
    CHECK_MSG(!at_defined(results[i].tensor) && results[i].tensors.count == 0, "%s: a result",
              current);
}

static void table(void **state)
{
  say_where();
  sound.generator = at_generator_new(AT_BACKEND_CPU);
  sound.storage = at_storage_new(AT_CPU(AT_FLOAT), 4);
  for (int i = 0; i < at_opCount; i++)
    for (int k = 0; k < at_ops[i].argumentCount; k++)
      for (int choice = 0; choice < 4; choice++)
        AT_SCOPE
        {
          sound.tensor = at_ones(AT_SHAPE(2, 2));
          call_without(&at_ops[i], k, choice);
        }
  CHECK_MSG(failed > 1000, "%d", failed);
  at_error_clear();
  at_storage_release(sound.storage);
  at_generator_free(sound.generator);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
