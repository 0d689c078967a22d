/* What a program costs that adds 1,000 floats: to be started, measured and weighed from outside. */
#include "ATen/ATen.h"

int main(void)
{
  at_tensor *x = at_ones(AT_SHAPE(1000)), *y = at_add(x, x);
  const double first = at_defined(y) ? *(const float *)at_data(y) : 0;
  at_release(x);
  at_release(y);
  return first != 2;
}
