/* Values of a run: references to them, and sequences of tensors. */
#include "Program.h"

at_cell at_cell_retain(at_cell cell)
{
  if (cell.kind == AT_CELL_TENSOR)
    at_retain(cell.is.tensor);
  else if (cell.kind == AT_CELL_SEQUENCE)
    cell.is.sequence->references++;
  return cell;
}

static void free_sequence(at_sequence *sequence)
{
  for (int32_t i = 0; i < sequence->count; i++)
    at_release(sequence->tensors[i]);
  THFree(sequence);
}

void at_cell_release(at_cell *cell)
{
  if (cell->kind == AT_CELL_TENSOR)
    at_release(cell->is.tensor);
  else if (cell->kind == AT_CELL_SEQUENCE && --cell->is.sequence->references == 0)
    free_sequence(cell->is.sequence);
  cell->kind = AT_CELL_NONE;
}

at_cell at_newSequence(at_tensors tensors)
{
  at_sequence *const made = THAlloc((ptrdiff_t)sizeof *made +
                                    (ptrdiff_t)tensors.count * (ptrdiff_t)sizeof *made->tensors);
  made->references = 1;
  made->count = tensors.count;
  for (int i = 0; i < tensors.count; i++)
    made->tensors[i] = at_retain(tensors.data[i]);
  return (at_cell){AT_CELL_SEQUENCE, {.sequence = made}};
}

bool at_isTrueCell(at_cell cell)
{
  if (cell.kind == AT_CELL_TENSOR) {
    const at_tensor *const t = cell.is.tensor;
    if (at_numel(t) != 1)
      at_raise(AT_ERROR_ARGUMENT, "a tensor of size %s is neither true nor false",
               at_sizeDesc(at_sizesOf(t)).str);
    return at_scalar_toDouble(at_elementAt(t, t->th->storageOffset)) != 0;
  }
  return cell.kind == AT_CELL_FLOAT
             ? cell.is.number != 0
             : (cell.kind == AT_CELL_INT || cell.kind == AT_CELL_BOOL) && cell.is.integer != 0;
}
