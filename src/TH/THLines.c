/* Tensors as bundles of lines. */
#include "THLines.h"

void THLines_init(THLines *lines, int nDimension, const int64_t *size, int dim)
{
  lines->operands = 0;
  lines->dim = dim;
  lines->length = size[dim];
  lines->count = 1;
  lines->dims = 0;
  for (int d = nDimension - 1; d >= 0; d--)
    if (d != dim && size[d] != 1) {
      lines->from[lines->dims] = d;
      lines->size[lines->dims++] = size[d];
      lines->count *= size[d];
    }
}

void THLines_operand(THLines *lines, const int64_t *stride, int squeezed)
{
  const int i = lines->operands++;
  lines->step[i] = squeezed ? 0 : stride[lines->dim];
  for (int d = 0; d < lines->dims; d++)
    lines->stride[i][d] = stride[lines->from[d] - (squeezed && lines->from[d] > lines->dim)];
}

static void swap_dims(THLines *lines, int a, int b)
{
  const ptrdiff_t size = lines->size[a];
  lines->size[a] = lines->size[b];
  lines->size[b] = size;
  for (int i = 0; i < lines->operands; i++) {
    const ptrdiff_t stride = lines->stride[i][a];
    lines->stride[i][a] = lines->stride[i][b];
    lines->stride[i][b] = stride;
  }
}

/* Dimension a belongs inside b: the first operand with an opinion decides.  Broadcast ones have
 * none. */
static int belongs_inside(const THLines *lines, int a, int b)
{
  for (int i = 0; i < lines->operands; i++) {
    const ptrdiff_t sa = lines->stride[i][a], sb = lines->stride[i][b];
    if (sa && sb && sa != sb)
      return sa < sb;
  }
  return 0;
}

static int continues(const THLines *lines, int inner, int outer)
{
  for (int i = 0; i < lines->operands; i++)
    if (lines->stride[i][outer] != lines->stride[i][inner] * lines->size[inner])
      return 0;
  return 1;
}

void THLines_merge(THLines *lines)
{
  for (int d = 1; d < lines->dims; d++)
    for (int e = d; e > 0 && belongs_inside(lines, e, e - 1); e--)
      swap_dims(lines, e, e - 1);

  int last = 0;
  for (int d = 1; d < lines->dims; d++) {
    if (continues(lines, last, d))
      lines->size[last] *= lines->size[d];
    else if (++last != d)
      swap_dims(lines, last, d);
  }
  if (lines->dims) {
    lines->dims = last + 1;
  } else {
    lines->dims = 1;
    lines->size[0] = 1;
    for (int i = 0; i < lines->operands; i++)
      lines->stride[i][0] = 0;
  }
}
