/* A program with memory errors for valgrind to find: mistakes none, tensor, data, element, scope or
 * list. */
#include <stdio.h>
#include <string.h>

#include "ATen.h"

int main(int argc, char **argv)
{
  const char *const mistake = argc > 1 ? argv[1] : "none";
  at_tensor *t = at_ones(AT_SHAPE(2, 3)), *inner = NULL;
  const at_tensors *list = NULL;
  volatile float *data = at_data(t), sum = data[5];
  AT_SCOPE
  {
    inner = at_add(t, 1);
    list = at_split(t, 1);
    sum += (float)at_item_double(at_sum(inner)) + (float)list->count;
  }
  if (!strcmp(mistake, "element"))
    data[6] = 1;
  if (!strcmp(mistake, "scope"))
    sum += (float)at_dim(inner);
  if (!strcmp(mistake, "list"))
    sum += (float)list->count;
  at_release(t);
  if (!strcmp(mistake, "tensor"))
    sum += (float)at_dim(t);
  if (!strcmp(mistake, "data"))
    sum += data[1];
  printf("%g\n", (double)sum);
  return 0;
}
