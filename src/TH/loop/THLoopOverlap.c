/* Whether the operands of a loop share memory. */
#include "THPlan.h"
#include "THResult.h"

/* The bytes that operand i spans: [first, end).  Empty for no elements. */
static void span(const THLoop *loop, int i, uintptr_t *first, uintptr_t *end)
{
  ptrdiff_t reach = loop->nDimension[i] > 0 ? loop->itemSize[i] : 0;
  for (int d = 0; d < loop->nDimension[i]; d++) {
    if (loop->size[i][d] == 0) {
      reach = 0;
      break;
    }
    reach += (loop->size[i][d] - 1) * loop->stride[i][d] * loop->itemSize[i];
  }
  *first = (uintptr_t)loop->data[i];
  *end = *first + (uintptr_t)reach;
}

static uintptr_t common_divisor(uintptr_t a, int dims, const ptrdiff_t *stride)
{
  for (int d = 0; d < dims; d++)
    for (uintptr_t b = (uintptr_t)stride[d]; b != 0;) {
      const uintptr_t rest = a % b;
      a = b;
      b = rest;
    }
  return a;
}

/* Whether a and b interleave without overlap, like columns of a matrix: the elements of both are
 * multiples of one distance apart, and within this distance each has bytes of its own. */
static int interleave(const THLoop *loop, int a, int b, int dims_a, const ptrdiff_t *stride_a,
                      int dims_b, const ptrdiff_t *stride_b)
{
  const uintptr_t at_a = (uintptr_t)loop->data[a], at_b = (uintptr_t)loop->data[b];
  const uintptr_t step = common_divisor(common_divisor(0, dims_a, stride_a), dims_b, stride_b);
  if (step == 0)
    return 0;
  const uintptr_t apart =
      at_a >= at_b ? (at_a - at_b) % step : (step - (at_b - at_a) % step) % step;
  return apart >= (uintptr_t)loop->itemSize[b] && apart + (uintptr_t)loop->itemSize[a] <= step;
}

THOverlap THLoop_overlap(const THLoop *loop, int a, int b)
{
  uintptr_t first_a, end_a, first_b, end_b;
  span(loop, a, &first_a, &end_a);
  span(loop, b, &first_b, &end_b);
  if (first_a >= end_b || first_b >= end_a || first_a == end_a || first_b == end_b)
    return TH_OVERLAP_NONE;

  ptrdiff_t size_a[TH_LOOP_DIMS], size_b[TH_LOOP_DIMS];
  ptrdiff_t stride_a[TH_LOOP_DIMS], stride_b[TH_LOOP_DIMS];
  const int dims = THPlan_squeeze(loop, a, size_a, stride_a);
  const int dims_b = THPlan_squeeze(loop, b, size_b, stride_b);
  const size_t bytes = (size_t)dims * sizeof *size_a;
  if (loop->data[a] == loop->data[b] && loop->itemSize[a] == loop->itemSize[b] && dims_b == dims &&
      !memcmp(size_a, size_b, bytes) && !memcmp(stride_a, stride_b, bytes))
    return TH_OVERLAP_SAME;
  return interleave(loop, a, b, dims, stride_a, dims_b, stride_b) ? TH_OVERLAP_NONE
                                                                  : TH_OVERLAP_MIXED;
}

/* Marks each element's offset in a bit map; true if an offset occurs twice. */
static int any_offset_twice(int dims, const ptrdiff_t *size, const ptrdiff_t *stride)
{
  ptrdiff_t reach = 1, at[TH_LOOP_DIMS] = {0}, offset = 0;
  for (int d = 0; d < dims; d++)
    reach += (size[d] - 1) * stride[d];

  THGuard guard;
  THGuard_enter(&guard, THFree);
  unsigned char *map = guard.what = THAlloc(reach / 8 + 1);
  memset(map, 0, (size_t)(reach / 8 + 1));
  int twice = 0, d = 0;
  while (!twice && d < dims) {
    twice = map[offset / 8] >> (offset % 8) & 1;
    map[offset / 8] |= (unsigned char)(1 << (offset % 8));
    for (d = 0; d < dims; d++) {
      offset += stride[d];
      if (++at[d] < size[d])
        break;
      offset -= size[d] * stride[d];
      at[d] = 0;
    }
  }
  THGuard_leave(&guard);
  return twice;
}

/* Whether the operand's elements certainly do not overlap: ordered by stride, each dimension's
 * stride exceeds the extent of all dimensions inside it.  For rare interleaved tensors the answer
 * is 0.  Also returns the dimensions and their strides in elements. */
static int has_no_overlap(const THLoop *loop, int a, int *count, ptrdiff_t *size, ptrdiff_t *stride)
{
  int contiguous;
  if (THLoop_countOf(loop, a, &contiguous) == 0 || contiguous)
    return 1;

  const int dims = *count = THPlan_squeeze(loop, a, size, stride);
  for (int d = 0; d < dims; d++)
    stride[d] /= loop->itemSize[a];
  for (int d = 1; d < dims; d++)
    for (int e = d; e > 0 && stride[e] < stride[e - 1]; e--) {
      const ptrdiff_t s = stride[e], n = size[e];
      stride[e] = stride[e - 1];
      size[e] = size[e - 1];
      stride[e - 1] = s;
      size[e - 1] = n;
    }
  ptrdiff_t reach = 0;
  int d = 0;
  while (d < dims && stride[d] > reach) {
    reach += (size[d] - 1) * stride[d];
    d++;
  }
  return d == dims;
}

int THLoop_overlapsItself(const THLoop *loop, int a)
{
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
  int dims;
  if (has_no_overlap(loop, a, &dims, size, stride))
    return 0;
  return stride[0] == 0 || any_offset_twice(dims, size, stride);
}

int THLoop_order(THLoop *loop, int a)
{
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
  int dims;
  const int apart = has_no_overlap(loop, a, &dims, size, stride);
  if (!apart)
    loop->inOrder = TH_ONE_BY_ONE;
  return !apart;
}
