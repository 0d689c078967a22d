/* Arithmetic of shapes. */
#include "THSize.h"

int THSize_isSameSizeAs(const int64_t *sizeA, int64_t dimsA, const int64_t *sizeB, int64_t dimsB)
{
  if (dimsA != dimsB)
    return 0;
  for (int64_t d = 0; d < dimsA; d++)
    if (sizeA[d] != sizeB[d])
      return 0;
  return 1;
}

int THSize_product(int64_t dims, const int64_t *size, ptrdiff_t *product)
{
  ptrdiff_t n = dims > 0;
  int overflow = 0, empty = 0;
  for (int64_t d = 0; d < dims; d++) {
    if (size[d] < 0)
      return 0;
    empty |= size[d] == 0;
    overflow |= __builtin_mul_overflow(n, size[d], &n);
  }
  if (overflow && !empty)
    return 0;
  *product = empty ? 0 : n;
  return 1;
}

ptrdiff_t THSize_nElement(int64_t dims, int64_t *size)
{
  ptrdiff_t n;
  if (!THSize_product(dims, size, &n))
    THError("there is no tensor of size %s: its number of elements is negative or too large",
            _THSizeDesc(size, dims).str);
  return n;
}
