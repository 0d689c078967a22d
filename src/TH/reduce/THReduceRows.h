/* For the reduction ROW: reduces a block of elements in any order in memory.  Included once for each
 * reduction. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)
#define State      ROW_(State)

#define NAME_ ROW_
#include "THReduceColumns.h"
#undef NAME_

static void ROW_(rows)(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (sizeof(State) >= 4 && are_vectors(block, ROW_(least))) {
    ROW_(lines)(states, AT(block), block->lanes, block->stride, block->rows, scalars);
    return;
  }
  if (is_transposed(block)) {
    transposed_rows(ROW_(rows), sizeof(State), states, block, scalars);
    return;
  }
  const ptrdiff_t lanes = block->lanes, step = block->stride;
  const ptrdiff_t rows = block->rows, rowStride = block->rowStride;
  State *restrict a = states;
  const double p = scalars->p;
  if (step == 1) {
    ROW_(columns)(a, block, p);
  } else if (step < rowStride && lanes > 1) {
    for (ptrdiff_t i = 0; i < rows; i++)
      for (ptrdiff_t j = 0; j < lanes; j++)
        a[j] = ROW_(take)(a[j], (State)AT(block)[i * rowStride + j * step], p);
  } else {
    for (ptrdiff_t j = 0; j < lanes; j++) {
      State b = a[j];
      for (ptrdiff_t i = 0; i < rows; i++)
        b = ROW_(take)(b, (State)AT(block)[i * rowStride + j * step], p);
      a[j] = b;
    }
  }
}

#undef ROW_
#undef State
