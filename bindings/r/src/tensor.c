/* Tensors from and to arrays of R, and what they are.
 *
 * R's arrays are column-major: the elements of one are those of the row-major tensor with the sizes in
 * the opposite order. */
#include <string.h>

#include "thaten.h"

static const at_op *operation(const char *name)
{
  const at_op *op = at_op_find(name);
  if (!op)
    Rf_error("libATen has no operation %s", name);
  return op;
}

/* The tensor with its dimensions in the opposite order, row-major in memory, a new reference. */
static at_tensor *reversed(at_tensor *t)
{
  const int dims = at_dim(t);
  int64_t *order = (int64_t *)R_alloc((size_t)dims + 1, sizeof *order);
  for (int d = 0; d < dims; d++)
    order[d] = dims - 1 - d;
  const at_value arguments[] = {{.given = true, .tensor = t},
                                {.given = true, .ints = {order, dims}}};
  at_value view, made;
  if (!operation("permute")->call(arguments, &view))
    th_raise();
  const at_value taken = {.given = true, .tensor = view.tensor};
  const bool done = operation("contiguous")->call(&taken, &made);
  at_release(view.tensor);
  if (!done)
    th_raise();
  return made.tensor;
}

static at_tensor *empty(at_ints sizes, at_scalar_type type)
{
  const at_value arguments[] = {{.given = true, .ints = sizes},
                                {.given = true, .type = at_getType(AT_BACKEND_CPU, type)}};
  at_value made;
  if (!operation("empty")->call(arguments, &made))
    th_raise();
  return made.tensor;
}

static void copyElements(SEXP values, at_tensor *t, R_xlen_t count)
{
  if (TYPEOF(values) == LGLSXP) {
    bool *data = at_data(t);
    for (R_xlen_t i = 0; i < count; i++)
      data[i] = LOGICAL(values)[i] != 0;
  } else if (TYPEOF(values) == CPLXSXP) {
    if (count > 0)
      memcpy(at_data(t), COMPLEX(values), (size_t)count * sizeof(Rcomplex));
  } else if (count > 0) {
    memcpy(at_data(t), REAL(values), (size_t)count * sizeof(double));
  }
}

static at_scalar_type typeOfValues(SEXP values)
{
  switch (TYPEOF(values)) {
    case LGLSXP:
      return AT_BOOL;
    case CPLXSXP:
      return AT_COMPLEX_DOUBLE;
    default:
      return AT_DOUBLE;
  }
}

/* A tensor of Double, of ComplexDouble for complex or of Bool for logical values. */
SEXP thr_fromArray(SEXP values, SEXP sizes)
{
  const int dims = (int)Rf_xlength(sizes);
  const R_xlen_t count = Rf_xlength(values);
  int64_t *backwards = (int64_t *)R_alloc((size_t)dims + 1, sizeof *backwards);
  for (int d = 0; d < dims; d++)
    backwards[d] = (int64_t)REAL(sizes)[dims - 1 - d];
  SEXP object = PROTECT(th_newTensor());
  at_tensor *t = empty((at_ints){backwards, dims}, typeOfValues(values));
  th_own(object, t);
  if (at_numel(t) != count)
    Rf_error("%lld values for %lld elements", (long long)count, (long long)at_numel(t));
  copyElements(values, t, count);
  SEXP result = th_wrap(reversed(t));
  UNPROTECT(1);
  return result;
}

static SEXP valuesOf(const void *data, at_scalar_type type, R_xlen_t count)
{
  const SEXPTYPE kind = type == AT_BOOL ? LGLSXP : type == AT_COMPLEX_DOUBLE ? CPLXSXP : REALSXP;
  SEXP values = PROTECT(Rf_allocVector(kind, count));
  for (R_xlen_t i = 0; type == AT_BOOL && i < count; i++)
    LOGICAL(values)[i] = ((const uint8_t *)data)[i] != 0;
  for (R_xlen_t i = 0; type == AT_LONG && i < count; i++)
    REAL(values)[i] = (double)((const int64_t *)data)[i];
  if (type == AT_DOUBLE && count > 0)
    memcpy(REAL(values), data, (size_t)count * sizeof(double));
  if (type == AT_COMPLEX_DOUBLE && count > 0)
    memcpy(COMPLEX(values), data, (size_t)count * sizeof(Rcomplex));
  UNPROTECT(1);
  return values;
}

/* The values of a tensor of Double, ComplexDouble, Bool or Long, and their dimensions. */
SEXP thr_toArray(SEXP object)
{
  at_tensor *t = th_tensor(object);
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  SEXP kept = PROTECT(th_newTensor());
  th_own(kept, reversed(t));
  SEXP values = PROTECT(valuesOf(at_data(th_tensor(kept)), type, (R_xlen_t)at_numel(t)));
  if (at_dim(t) > 0)
    Rf_setAttrib(values, R_DimSymbol, thr_dim(object));
  UNPROTECT(2);
  return values;
}

SEXP thr_dim(SEXP t)
{
  const at_ints sizes = at_sizes(th_tensor(t));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, sizes.count));
  for (int d = 0; d < sizes.count; d++) {
    if (sizes.data[d] > INT32_MAX)
      Rf_error("dimension %d has %lld elements, more than an array of R", d,
               (long long)sizes.data[d]);
    INTEGER(dim)[d] = (int)sizes.data[d];
  }
  UNPROTECT(1);
  return dim;
}

SEXP thr_text(SEXP t)
{
  char *text = at_toString(th_tensor(t));
  if (!text)
    th_raise();
  SEXP string = Rf_mkString(text);
  at_string_free(text);
  return string;
}

static void freeGenerator(SEXP object)
{
  at_generator_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

SEXP thr_generator(SEXP seed)
{
  SEXP object = PROTECT(th_object("th_generator", freeGenerator));
  at_generator *generator = at_generator_new(AT_BACKEND_CPU);
  if (!generator)
    th_raise();
  at_generator_manualSeed(generator, (uint64_t)Rf_asReal(seed));
  UNPROTECT(1);
  return th_own(object, generator);
}

static void releaseStorage(SEXP object)
{
  at_storage_release(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

SEXP thr_storage(SEXP t)
{
  SEXP object = PROTECT(th_object("th_storage", releaseStorage));
  at_storage *storage = at_storageOf(th_tensor(t));
  if (!storage)
    th_raise();
  UNPROTECT(1);
  return th_own(object, storage);
}

SEXP thr_seed(SEXP seed)
{
  at_manualSeed((uint64_t)Rf_asReal(seed));
  return R_NilValue;
}
