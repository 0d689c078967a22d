/* A program outside the repository on ATen, valid as C and as C++. */
#include <ATen/ATen.h>

#include <stdio.h>

int main(void)
{
  const int64_t size[] = {2, 3};
  const at_ints sizes = {size, 2};
  double last = 0;
  AT_SCOPE
  {
    at_tensor *x = at_ones(sizes);
    at_tensor *y = at_add(x, at_reshape(x, AT_SHAPE(2, -1)), .alpha = 2);
    if (at_defined(y))
      last = ((const float *)at_data(y))[5];
  }
  puts(last == 3 ? "good" : at_error_message());
  return last != 3;
}
