/* Files of tensors by name, and programs. */
#include "thaten.h"

const char *th_path(SEXP path)
{
  return R_ExpandFileName(CHAR(STRING_ELT(path, 0)));
}

static void freeDict(SEXP object)
{
  at_dict_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static SEXP entries(const at_dict *dict)
{
  const R_xlen_t count = (R_xlen_t)at_dict_count(dict);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    SET_STRING_ELT(names, i, Rf_mkChar(at_dict_name(dict, i)));
    SET_VECTOR_ELT(list, i, th_wrap(at_retain(at_dict_at(dict, i))));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(2);
  return list;
}

SEXP th_entries(at_dict *dict)
{
  if (!dict)
    th_raise();
  SEXP kept = PROTECT(th_object("th_dict", freeDict)); /* frees the set whatever happens */
  th_own(kept, dict);
  SEXP list = entries(dict);
  UNPROTECT(1);
  return list;
}

SEXP thr_load(SEXP path)
{
  return th_entries(at_load(th_path(path), NULL));
}

SEXP th_dictObject(SEXP tensors)
{
  SEXP kept = PROTECT(th_object("th_dict", freeDict));
  at_dict *dict = at_dict_new();
  if (!dict)
    th_raise();
  th_own(kept, dict);
  SEXP names = Rf_getAttrib(tensors, R_NamesSymbol);
  if (TYPEOF(tensors) != VECSXP || (Rf_xlength(tensors) > 0 && names == R_NilValue))
    Rf_error("tensors are a list with names");
  for (R_xlen_t i = 0; i < Rf_xlength(tensors); i++)
    if (!at_dict_set(dict, CHAR(STRING_ELT(names, i)), th_tensor(VECTOR_ELT(tensors, i))))
      th_raise();
  UNPROTECT(1);
  return kept;
}

SEXP thr_save(SEXP path, SEXP tensors)
{
  SEXP kept = PROTECT(th_dictObject(tensors));
  if (!at_save(th_path(path), R_ExternalPtrAddr(kept)))
    th_raise();
  UNPROTECT(1);
  return R_NilValue;
}

static void freeProgram(SEXP object)
{
  at_program_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static at_program *programOf(SEXP object)
{
  return th_pointer(object, "th_program");
}

SEXP thr_program(SEXP path)
{
  SEXP object = PROTECT(th_object("th_program", freeProgram));
  at_program *program = at_program_load(th_path(path));
  if (!program)
    th_raise();
  UNPROTECT(1);
  return th_own(object, program);
}

SEXP thr_programRun(SEXP program, SEXP inputs)
{
  const at_tensors *outputs = at_program_run(programOf(program), th_tensors(inputs));
  if (outputs->count == 0 && at_error() != AT_OK)
    th_raise();
  return th_list(*outputs);
}

/* Whether the inputs, or the outputs, are lists, by their names. */
SEXP thr_programPorts(SEXP object, SEXP ofOutputs)
{
  const at_program *program = programOf(object);
  const bool outputs = Rf_asLogical(ofOutputs) == TRUE;
  const int count = outputs ? at_program_outputCount(program) : at_program_inputCount(program);
  SEXP ports = PROTECT(Rf_allocVector(LGLSXP, count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; i++) {
    const at_program_info info =
        outputs ? at_program_output(program, i) : at_program_input(program, i);
    LOGICAL(ports)[i] = info.isList;
    SET_STRING_ELT(names, i, Rf_mkChar(info.name));
  }
  Rf_setAttrib(ports, R_NamesSymbol, names);
  UNPROTECT(2);
  return ports;
}

SEXP thr_programText(SEXP program)
{
  char *text = at_program_toString(programOf(program));
  if (!text)
    th_raise();
  SEXP string = Rf_mkString(text);
  at_string_free(text);
  return string;
}
