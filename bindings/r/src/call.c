/* Describes operations, converts arguments and results, calls. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "thaten.h"

/* --- errors and objects ---------------------------------------------------------------------- */

static char failure[1024]; /* of a function of R, if it is not empty */

void th_keepFailure(const char *message)
{
  if (*failure)
    return;
  /* R writes "Error in f(x) : words", and from where f was called in a line behind. */
  if (strncmp(message, "Error: ", 7) == 0)
    message += 7;
  else if (strncmp(message, "Error in ", 9) == 0 && strstr(message, " : "))
    message = strstr(message, " : ") + 3;
  snprintf(failure, sizeof failure, "%s", message);
  char *const calls = strstr(failure, "\nCalls: ");
  size_t length = calls ? (size_t)(calls - failure) : strlen(failure);
  while (length > 0 && failure[length - 1] == '\n')
    length--;
  failure[length] = 0;
}

void th_raise(void)
{
  const char *message = *failure ? failure : at_error_message();
  const size_t length = strlen(message) + 1;
  char *copy = R_alloc(length, 1);
  memcpy(copy, message, length);
  *failure = 0;
  at_error_clear();
  Rf_error("%s", *copy ? copy : "no memory");
}

void *th_pointer(SEXP object, const char *class)
{
  if (TYPEOF(object) != EXTPTRSXP || !Rf_inherits(object, class))
    Rf_error("an argument has to be a %s, and is of type %s", class, Rf_type2char(TYPEOF(object)));
  void *pointer = R_ExternalPtrAddr(object);
  if (!pointer)
    Rf_error("a %s does not outlive the session that made it", class);
  return pointer;
}

SEXP th_object(const char *class, void (*release)(SEXP))
{
  SEXP object = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(object, release, FALSE);
  SEXP name = PROTECT(Rf_mkString(class));
  Rf_setAttrib(object, R_ClassSymbol, name);
  UNPROTECT(2);
  return object;
}

SEXP th_own(SEXP object, void *pointer)
{
  if (Rf_inherits(object, "th_tensor")) /* passes call R in a scope */
    at_keep(pointer);
  R_SetExternalPtrAddr(object, pointer);
  return object;
}

static void releaseTensor(SEXP object)
{
  at_release(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

/* R's collector does not see the memory of tensors: it is called whenever so many bytes were made. */
static void weigh(const at_tensor *t)
{
  static const double LIMIT = 64 << 20;
  static double made;
  made += 256 + (double)at_numel(t) * (double)at_type_elementSize(at_typeOf(t));
  if (made > LIMIT) {
    made = 0;
    R_gc();
  }
}

SEXP th_newTensor(void)
{
  return th_object("th_tensor", releaseTensor);
}

SEXP th_wrap(at_tensor *t)
{
  if (!at_defined(t))
    th_raise();
  SEXP object = PROTECT(th_own(th_newTensor(), t));
  weigh(t);
  UNPROTECT(1);
  return object;
}

at_tensor *th_tensor(SEXP object)
{
  return th_pointer(object, "th_tensor");
}

at_tensors th_tensors(SEXP list)
{
  const int count = (int)Rf_xlength(list);
  at_tensor **data = (at_tensor **)R_alloc((size_t)count + 1, sizeof *data);
  for (int i = 0; i < count; i++) {
    SEXP entry = VECTOR_ELT(list, i);
    data[i] = entry == R_NilValue ? NULL : th_tensor(entry);
  }
  return (at_tensors){data, count};
}

SEXP th_list(at_tensors tensors)
{
  SEXP list = PROTECT(Rf_allocVector(VECSXP, tensors.count));
  for (int i = 0; i < tensors.count; i++)
    if (at_defined(tensors.data[i]))
      SET_VECTOR_ELT(list, i, th_wrap(at_retain(tensors.data[i])));
  UNPROTECT(1);
  return list;
}

SEXP th_releasedList(const at_tensors *tensors)
{
  SEXP list = PROTECT(th_list(*tensors));
  at_list_release(tensors);
  UNPROTECT(1);
  return list;
}

/* --- descriptions ---------------------------------------------------------------------------- */

SEXP thr_names(void)
{
  SEXP names = PROTECT(Rf_allocVector(STRSXP, at_opCount));
  for (int i = 0; i < at_opCount; i++)
    SET_STRING_ELT(names, i, Rf_mkChar(at_ops[i].name));
  UNPROTECT(1);
  return names;
}

static SEXP describe(const at_op *op)
{
  static const char *const fields[] = {"index", "overload", "schema",   "doc", "names",
                                       "kinds", "required", "optional", ""};
  const int count = op->argumentCount;
  SEXP row = PROTECT(Rf_mkNamed(VECSXP, (const char **)fields));
  SET_VECTOR_ELT(row, 0, Rf_ScalarInteger((int)(op - at_ops)));
  SET_VECTOR_ELT(row, 1, Rf_mkString(op->overload));
  SET_VECTOR_ELT(row, 2, Rf_mkString(op->schema));
  SET_VECTOR_ELT(row, 3, Rf_mkString(op->doc));
  SEXP names = Rf_allocVector(STRSXP, count);
  SET_VECTOR_ELT(row, 4, names);
  SEXP kinds = Rf_allocVector(INTSXP, count);
  SET_VECTOR_ELT(row, 5, kinds);
  SEXP required = Rf_allocVector(LGLSXP, count);
  SET_VECTOR_ELT(row, 6, required);
  SEXP optional = Rf_allocVector(LGLSXP, count);
  SET_VECTOR_ELT(row, 7, optional);
  for (int i = 0; i < count; i++) {
    const at_argument *a = &op->arguments[i];
    SET_STRING_ELT(names, i, Rf_mkChar(a->name));
    INTEGER(kinds)[i] = (int)a->kind + 1;
    LOGICAL(optional)[i] = a->defaults || a->kind == AT_KIND_OPTIONAL_TENSOR;
    LOGICAL(required)[i] = !LOGICAL(optional)[i];
  }
  UNPROTECT(1);
  return row;
}

/* The overloads of a name, in the table's order. */
SEXP thr_describe(SEXP name)
{
  const char *text = CHAR(STRING_ELT(name, 0));
  const at_op *first = at_op_find(text), *const end = at_ops + at_opCount, *last = first;
  while (last && last < end && strcmp(last->name, text) == 0)
    last++;
  SEXP rows = PROTECT(Rf_allocVector(VECSXP, last - first));
  for (const at_op *op = first; op < last; op++)
    SET_VECTOR_ELT(rows, op - first, describe(op));
  UNPROTECT(1);
  return rows;
}

/* --- arguments ------------------------------------------------------------------------------- */

static int64_t toInteger(double number)
{
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0))
    Rf_error("%g is no integer of 64 bits", number);
  return (int64_t)number;
}

/* A whole number is an integer unless its class says that it is not. */
static at_scalar toScalar(SEXP value)
{
  if (TYPEOF(value) == EXTPTRSXP) {
    const at_scalar scalar = at_item(th_tensor(value));
    if (at_error() != AT_OK)
      th_raise();
    return scalar;
  }
  const double number = Rf_asReal(value);
  if (number > -9e18 && number < 9e18 && number == (double)(int64_t)number &&
      !(number == 0 && signbit(number)) && !Rf_inherits(value, "th_number"))
    return at_scalar_long((int64_t)number);
  return at_scalar_double(number);
}

at_ints th_toInts(SEXP value, const char *name)
{
  if (!Rf_isNumeric(value))
    Rf_error("%s is to be whole numbers", name);
  SEXP numbers = PROTECT(Rf_coerceVector(value, REALSXP));
  const int count = (int)Rf_xlength(numbers);
  int64_t *data = (int64_t *)R_alloc((size_t)count + 1, sizeof *data);
  for (int i = 0; i < count; i++)
    data[i] = toInteger(REAL(numbers)[i]);
  UNPROTECT(1);
  return (at_ints){data, count};
}

static at_doubles toDoubles(SEXP value)
{
  SEXP numbers = PROTECT(Rf_coerceVector(value, REALSXP));
  const int count = (int)Rf_xlength(numbers);
  double *data = (double *)R_alloc((size_t)count + 1, sizeof *data);
  for (int i = 0; i < count; i++)
    data[i] = REAL(numbers)[i];
  UNPROTECT(1);
  return (at_doubles){data, count};
}

static bool isWord(SEXP value)
{
  return TYPEOF(value) == STRSXP && Rf_xlength(value) == 1;
}

/* "float" and so on, in the order of at_scalar_type. */
static const char *const typeNames[AT_SCALAR_TYPES] = {
    "uint8", "int8",     "int16",     "int32",      "int64",  "float32", "float64", "float16",
    "bool",  "bfloat16", "complex64", "complex128", "uint16", "uint32",  "uint64"};

const char *th_typeName(at_scalar_type type)
{
  return typeNames[type];
}

const at_type *th_toType(SEXP value, const char *name)
{
  for (int i = 0; i < AT_SCALAR_TYPES && isWord(value); i++)
    if (strcmp(CHAR(STRING_ELT(value, 0)), typeNames[i]) == 0)
      return at_getType(AT_BACKEND_CPU, (at_scalar_type)i);
  Rf_error("%s is to be the name of a type, such as float32", name);
}

int64_t th_toLong(SEXP value, const char *name)
{
  const double number = th_toDouble(value, name);
  if (number != floor(number))
    Rf_error("%s is to be a whole number, and is %g", name, number);
  return toInteger(number);
}

double th_toDouble(SEXP value, const char *name)
{
  if (!Rf_isNumeric(value) || Rf_xlength(value) != 1)
    Rf_error("%s is to be a number", name);
  return Rf_asReal(value);
}

bool th_toTruth(SEXP value, const char *name)
{
  if (!Rf_isLogical(value) || Rf_xlength(value) != 1 || Rf_asLogical(value) == NA_LOGICAL)
    Rf_error("%s is to be TRUE or FALSE", name);
  return Rf_asLogical(value) == TRUE;
}

const char *th_toWord(SEXP value, const char *name)
{
  if (!isWord(value))
    Rf_error("%s is to be a string", name);
  return CHAR(STRING_ELT(value, 0));
}

at_tensors th_toTensors(SEXP value, const char *name)
{
  if (TYPEOF(value) != VECSXP)
    Rf_error("%s is to be a list of tensors", name);
  return th_tensors(value);
}

const at_tensors *th_toTensorLists(SEXP value, const char *name)
{
  if (TYPEOF(value) != VECSXP)
    Rf_error("%s is to be a list of lists of tensors", name);
  const R_xlen_t count = Rf_xlength(value);
  at_tensors *lists = (at_tensors *)R_alloc((size_t)count + 1, sizeof *lists);
  for (R_xlen_t i = 0; i < count; i++)
    lists[i] = th_toTensors(VECTOR_ELT(value, i), name);
  return lists;
}

SEXP thr_type(SEXP t)
{
  return Rf_mkString(typeNames[at_type_scalarType(at_typeOf(th_tensor(t)))]);
}

static void convert(const at_argument *a, SEXP value, at_value *v)
{
  v->given = true;
  switch (a->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      v->tensor = th_tensor(value);
      break;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      v->tensors = th_tensors(value);
      break;
    case AT_KIND_SCALAR:
      v->scalar = toScalar(value);
      break;
    case AT_KIND_LONG:
      v->integer = toInteger(Rf_asReal(value));
      break;
    case AT_KIND_DOUBLE:
      v->number = Rf_asReal(value);
      break;
    case AT_KIND_BOOL:
      v->truth = Rf_asLogical(value) == TRUE;
      break;
    case AT_KIND_INTS:
      v->ints = th_toInts(value, a->name);
      break;
    case AT_KIND_TYPE:
      v->type = th_toType(value, a->name);
      break;
    case AT_KIND_GENERATOR:
      v->generator = th_pointer(value, "th_generator");
      break;
    case AT_KIND_STORAGE:
      v->storage = th_pointer(value, "th_storage");
      break;
    case AT_KIND_STRING:
      v->string = CHAR(STRING_ELT(value, 0));
      break;
    case AT_KIND_DOUBLES:
      v->doubles = toDoubles(value);
      break;
  }
}

/* --- calls ----------------------------------------------------------------------------------- */

static SEXP several(const at_op *op, const at_value *results, SEXP objects)
{
  SEXP names = PROTECT(Rf_allocVector(STRSXP, op->resultCount));
  for (int i = 0; i < op->resultCount; i++) {
    SET_STRING_ELT(names, i, Rf_mkChar(op->results[i].name));
    if (op->form == AT_FORM_FUNCTION && !at_defined(results[i].tensor))
      SET_VECTOR_ELT(objects, i, R_NilValue);
  }
  Rf_setAttrib(objects, R_NamesSymbol, names);
  UNPROTECT(1);
  return objects;
}

static SEXP resultOf(const at_op *op, const at_value *results, SEXP objects)
{
  switch (op->results[0].kind) {
    case AT_KIND_LONG:
      return Rf_ScalarReal((double)results->integer);
    case AT_KIND_BOOL:
      return Rf_ScalarLogical(results->truth);
    case AT_KIND_TENSORS: {
      SEXP list = PROTECT(th_list(results->tensors));
      at_list_release(results->list);
      UNPROTECT(1);
      return list;
    }
    default:
      if (op->resultCount > 1)
        return several(op, results, objects);
      return R_ExternalPtrAddr(VECTOR_ELT(objects, 0)) ? VECTOR_ELT(objects, 0) : R_NilValue;
  }
}

/* Calls the operation at an index of the table; NULL among the arguments stands for the default. */
SEXP thr_call(SEXP index, SEXP arguments)
{
  const at_op *op = &at_ops[Rf_asInteger(index)];
  at_value *values = (at_value *)R_alloc((size_t)op->argumentCount + 1, sizeof *values);
  memset(values, 0, (size_t)op->argumentCount * sizeof *values);
  for (int i = 0; i < op->argumentCount; i++)
    if (VECTOR_ELT(arguments, i) != R_NilValue)
      convert(&op->arguments[i], VECTOR_ELT(arguments, i), &values[i]);
  at_value *results = (at_value *)R_alloc((size_t)op->resultCount, sizeof *results);
  memset(results, 0, (size_t)op->resultCount * sizeof *results);
  /* What may fail in R is done before the call. */
  SEXP objects = PROTECT(Rf_allocVector(VECSXP, op->resultCount));
  for (int i = 0; i < op->resultCount; i++)
    SET_VECTOR_ELT(objects, i,
                   op->form == AT_FORM_FUNCTION ? th_newTensor() : VECTOR_ELT(arguments, i));
  if (!op->call(values, results) && at_error() != AT_OK)
    th_raise();
  for (int i = 0; op->form == AT_FORM_FUNCTION && i < op->resultCount; i++)
    if (at_defined(results[i].tensor)) {
      th_own(VECTOR_ELT(objects, i), results[i].tensor);
      weigh(results[i].tensor);
    }
  SEXP result = resultOf(op, results, objects);
  UNPROTECT(1);
  return result;
}
