/* Sparse tensors that programs make of indices and values: they are dense ones here. */
#include "../Program.h"
#include "ATenOps.h"

/* sparse_coo_tensor(indices, values, size): values at indices, of which one column is for each value; those with
 * the same index are added up. */
void at_computeSparse(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  int64_t sizes[AT_MOST_DIMS];
  at_tensor *const indices = at_inputTensor(frame, node, "indices", -1);
  at_tensor *const values = at_inputTensor(frame, node, "values", -1);
  const at_ints whole = at_inputSizes(frame, node, sizes);
  const at_type *const type = at_inputType(node, "dtype", values->type->scalarType);
  if (at_dim(indices) != 2 || at_dim(values) < 1 ||
      at_size(indices, 0) + at_dim(values) - 1 != whole.count ||
      at_size(indices, 1) != at_size(values, 0))
    at_nodeFails(node, "indices of size %s and values of size %s make no sparse tensor of size %s",
                 at_sizeDesc(at_sizesOf(indices)).str, at_sizeDesc(at_sizesOf(values)).str,
                 at_sizeDesc(whole).str);
  at_tensor *const dense = at_zeros(whole, .type = type);
  const at_tensors *const rows = at_unbind(indices);
  if (!at_defined(dense) || (rows->count == 0 && at_size(indices, 0) > 0))
    at_giveOutput(frame, node, 0, NULL);
  else if (rows->count == 0)
    at_giveOutput(frame, node, 0, at_add(dense, at_sum_dim(at_to(values, type), AT_INTS(0))));
  else
    at_giveOutput(frame, node, 0,
                  at_index_put(dense, *rows, at_to(values, type), .accumulate = true));
}
