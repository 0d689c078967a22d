/* What an operation says of tensors that are not of the usual kind; the written functions call it. */
#include "ATenCore.h"

static bool is_tensor(const at_argument *row)
{
  return row->kind == AT_KIND_TENSOR || row->kind == AT_KIND_OPTIONAL_TENSOR;
}

/* The next row of a tensor, from row on. */
static const at_argument *tensor_row(const at_argument *row)
{
  while (!is_tensor(row))
    row++;
  return row;
}

bool at_admits(const char *operation, const at_argument *arguments, unsigned further, int count,
               const at_tensor *const *tensors)
{
  const at_argument *row = arguments;
  for (int i = 0; i < count; i++, row++) {
    row = tensor_row(row);
    if (!at_accept(operation, row->name, tensors[i], row->kind == AT_KIND_OPTIONAL_TENSOR))
      return false;
  }
  row = arguments;
  for (int i = 0; i < count; i++, row++) {
    row = tensor_row(row);
    if (!at_takes(operation, row->name, tensors[i], further))
      return false;
  }
  if (further & AT_ANY_DEVICE)
    return true;
  const at_argument *const first = row = tensor_row(arguments);
  for (int i = 1; i < count; i++) {
    row = tensor_row(row + 1);
    if (!at_sameDevice(operation, first->name, tensors[0], row->name, tensors[i]))
      return false;
  }
  return true;
}
