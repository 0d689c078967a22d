/* What inputs a run may get: as many as the program has, of its element types, of its sizes, and
 * with sizes that symbols allow. */
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
  at_bytes_addText(text, "]");
}

/* Raises that an input has to be something else. */
static void wrong_input(const at_program *program, const at_port *port,
                        const at_tensor *t) TH_NO_RETURN;
static void wrong_input(const at_program *program, const at_port *port, const at_tensor *t)
{
  char wanted[512];
  THGuard guard;
  at_bytes text = {0};
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &text;
  at_describePort(&text, program, port);
  snprintf(wanted, sizeof wanted, "%.*s", (int)THMin(text.length, sizeof wanted - 1),
           (const char *)text.start);
  THGuard_leave(&guard);
  at_raise(AT_ERROR_ARGUMENT, "input %d, %.100s, is %s %s, and has to be %s",
           (int)(port - program->inputs), port->name, t->type->name, at_sizeDesc(at_sizesOf(t)).str,
           wanted);
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

void at_checkInputs(const at_program *program, at_tensors inputs)
{
  if (inputs.count != program->inputCount)
    at_raise(AT_ERROR_ARGUMENT, "%d inputs are given, and the program has %d", inputs.count,
             (int)program->inputCount);
  for (int32_t i = 0; i < program->symbolCount; i++)
    program->bound[i] = -1;
  for (int i = 0; i < inputs.count; i++) {
    const at_port *const port = &program->inputs[i];
    const at_tensor *const t = inputs.data[i];
    if (!at_isOnHost(t->type) ||
        !(port->kind == AT_CELL_TENSOR ? takes_tensor(program, port, t) : takes_number(port, t)))
      wrong_input(program, port, t);
  }
}
