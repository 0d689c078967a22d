/* The operations by name. */
#include <string.h>

#include "ATenTable.h"

const at_op *at_op_find(const char *name)
{
  if (!name)
    return NULL;
  int first = 0, end = at_opCount;
  while (first < end) {
    const int middle = first + (end - first) / 2;
    if (strcmp(at_ops[middle].name, name) < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return first < at_opCount && strcmp(at_ops[first].name, name) == 0 ? &at_ops[first] : NULL;
}
