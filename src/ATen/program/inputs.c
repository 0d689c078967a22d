/* What inputs a run may get: tensors and lists of them, as many as the program has, of its element
 * types, of its sizes, and with sizes that symbols allow. */
#include "Program.h"

void at_describePort(at_bytes *text, const at_program *program, const at_port *port)
{
  static const char *const numbers[] = {[AT_CELL_NONE] = "None",
                                        [AT_CELL_TENSOR] = "",
                                        [AT_CELL_INT] = "one integer",
                                        [AT_CELL_FLOAT] = "one floating number",
                                        [AT_CELL_BOOL] = "one Bool"};
  at_bytes_addText(text, numbers[port->kind]);
  if (port->kind != AT_CELL_TENSOR)
    return;
  at_bytes_addText(text, port->isSequence ? "list of " : "");
  at_bytes_print(text, "%s [", port->type == AT_SCALAR_TYPES ? "?" : at_scalarTypeName(port->type));
  if (port->dims == AT_ANY_DIMS)
    at_bytes_addText(text, "...");
  for (int32_t d = 0; d < port->dims; d++) {
    const at_dimension *const size = &port->sizes[d];
    at_bytes_addText(text, d > 0 ? " x " : "");
    if (size->symbol >= 0)
      at_bytes_addText(text, program->symbols[size->symbol].name);
    else if (size->least == size->most)
      at_bytes_print(text, "%lld", (long long)size->least);
    else
      at_bytes_addText(text, "?");
  }
  at_bytes_addText(text, port->mayMiss ? "] or None" : "]");
}

/* Raises that tensor i of an input has to be something else. */
static void wrong_input(const at_program *program, const at_port *port, int i) TH_NO_RETURN;
static void wrong_input(const at_program *program, const at_port *port, int i)
{
  const int index = (int)(port - program->inputs);
  const at_tensor *const t = program->given[index].data[i];
  char wanted[512], entry[24] = "";
  THGuard guard;
  at_bytes text = {0};
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &text;
  at_describePort(&text, program, port);
  snprintf(wanted, sizeof wanted, "%.*s", (int)THMin(text.length, sizeof wanted - 1),
           (const char *)text.start);
  THGuard_leave(&guard);
  if (port->isSequence)
    snprintf(entry, sizeof entry, "[%d]", i);
  if (!t)
    at_raise(AT_ERROR_NULL, "input %d, %.100s%s, is NULL, and has to be %s", index, port->name,
             entry, wanted);
  at_raise(AT_ERROR_ARGUMENT, "input %d, %.100s%s, is %s %s, and has to be %s", index, port->name,
           entry, t->type->name, at_sizeDesc(at_sizesOf(t)).str, wanted);
}

/* Whether a size is one that the dimension may have; its symbol stands for that size from now on.  As in
 * PyTorch, sizes that vary from 1 or 2 on may be 0 or 1, too: files say so of all sizes that vary. */
static bool takes_size(const at_program *program, const at_dimension *dimension, int64_t size)
{
  enum { SMALL = 2 };
  const bool isOpen = dimension->symbol >= 0 && dimension->least <= SMALL;
  if (size < (isOpen ? 0 : dimension->least) || size > dimension->most)
    return false;
  if (dimension->symbol < 0)
    return true;
  int64_t *const bound = &program->bound[dimension->symbol];
  if (*bound < 0)
    *bound = size;
  return *bound == size;
}

static bool takes_tensor(const at_program *program, const at_port *port, const at_tensor *t)
{
  const at_ints sizes = at_sizesOf(t);
  bool takes =
      t->type->scalarType == port->type && (sizes.count == port->dims || port->dims == AT_ANY_DIMS);
  for (int32_t d = 0; takes && d < port->dims; d++)
    takes = takes_size(program, &port->sizes[d], sizes.data[d]);
  return takes;
}

static bool takes_number(const at_port *port, const at_tensor *t)
{
  const at_scalar_type type = t->type->scalarType;
  return at_numel(t) == 1 && (port->kind == AT_CELL_FLOAT  ? at_isFloating(type)
                              : port->kind == AT_CELL_BOOL ? type == AT_BOOL
                                                           : !at_isFloating(type));
}

void at_dealInputs(const at_program *program, at_tensors inputs)
{
  int sequences = 0;
  for (int32_t i = 0; i < program->inputCount; i++)
    sequences += program->inputs[i].isSequence;
  const int rest = inputs.count - ((int)program->inputCount - sequences);
  if (sequences > 1)
    at_raise(AT_ERROR_ARGUMENT,
             "%d inputs of the program are lists: at_program_runLists takes them", sequences);
  if (rest < 0 || (rest > 0 && sequences == 0))
    at_raise(AT_ERROR_ARGUMENT, "%d inputs are given, and the program has %d", inputs.count,
             (int)program->inputCount);
  for (int32_t i = 0, at = 0; i < program->inputCount; i++) {
    const int count = program->inputs[i].isSequence ? rest : 1;
    program->given[i] = (at_tensors){count > 0 ? inputs.data + at : NULL, count};
    at += count;
  }
}

static bool is_missing(at_tensors given)
{
  return given.count == 1 && !at_defined(given.data[0]);
}

static void check_input(const at_program *program, const at_port *port)
{
  const at_tensors given = program->given[port - program->inputs];
  if (port->mayMiss && is_missing(given))
    return;
  if (!port->isSequence && given.count != 1)
    at_raise(AT_ERROR_ARGUMENT, "input %d, %.100s, is a list of %d tensors, and has to be one",
             (int)(port - program->inputs), port->name, given.count);
  for (int i = 0; i < given.count; i++) {
    const at_tensor *const t = given.data[i];
    if (!at_defined(t) || !at_isOnHost(t->type) ||
        !(port->kind == AT_CELL_TENSOR ? takes_tensor(program, port, t) : takes_number(port, t)))
      wrong_input(program, port, i);
  }
}

void at_checkInputs(const at_program *program)
{
  for (int32_t i = 0; i < program->symbolCount; i++)
    program->bound[i] = -1;
  for (int32_t i = 0; i < program->inputCount; i++)
    check_input(program, &program->inputs[i]);
}
