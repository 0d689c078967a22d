/* Unique indices. */
#include "UniqueIndices.h"

ptrdiff_t THNN_uniqueIndices(int64_t *index, ptrdiff_t count, int64_t *seen)
{
  for (ptrdiff_t i = 0; i < count; i++)
    seen[index[i]] = 0;
  ptrdiff_t different = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const int64_t k = index[i];
    if (!seen[k])
      index[different++] = k;
    seen[k] = 1;
  }
  return different;
}
