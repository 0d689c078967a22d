/* Checks of shapes of tensors of any type. */
#include "Check.h"

static THDescBuff text_of(THNNNamedShape t)
{
  return _THSizeDesc(t.size, t.dims);
}

void THNN_checkShapes(const char *file, int line, THNNNamedShape a, THNNNamedShape b)
{
  if (!THSize_isSameSizeAs(a.size, a.dims, b.size, b.dims))
    _THError(file, line, "%s and %s have different shapes: %s has %s, %s has %s", a.name, b.name,
             a.name, text_of(a).str, b.name, text_of(b).str);
}

/* The number of elements of a tensor.  The tensor exists, so the product does not overflow. */
static ptrdiff_t elements(THNNNamedShape t)
{
  ptrdiff_t count = t.dims > 0;
  for (int d = 0; d < t.dims; d++)
    count *= t.size[d];
  return count;
}

void THNN_checkCounts(const char *file, int line, THNNNamedShape a, THNNNamedShape b)
{
  if (elements(a) != elements(b))
    _THError(file, line,
             "%s and %s have different numbers of elements: %s has %td in %s, %s has %td in %s",
             a.name, b.name, a.name, elements(a), text_of(a).str, b.name, elements(b),
             text_of(b).str);
}
