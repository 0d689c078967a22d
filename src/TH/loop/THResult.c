/* Checks of results. */
#include "THResult.h"

int THResult_hasShape(THView result, const THShape *shape)
{
  return THSize_isSameSizeAs(result.size, result.nDimension, shape->size, shape->nDimension);
}

static void add_view(THLoop *loop, THView view)
{
  THLoop_operand(loop, view.data, view.itemSize, view.nDimension, view.size, view.stride);
}

THOverlap THView_overlap(THView a, THView b)
{
  THLoop loop;
  THLoop_init(&loop);
  add_view(&loop, a);
  add_view(&loop, b);
  return THLoop_overlap(&loop, 0, 1);
}

/* Visits the bytes of a view's elements in [first, first + count): marks them in a map, or returns
 * whether one of them is marked. */
static int visit_bytes(const THView *view, uintptr_t first, size_t count, unsigned char *map,
                       int marks)
{
  int64_t at[TH_LOOP_DIMS] = {0};
  uintptr_t element = (uintptr_t)view->data;
  for (int d = 0; d >= 0;) {
    for (size_t k = 0; k < view->itemSize; k++) {
      const uintptr_t byte = element + k - first; /* wraps around, below first */
      if (byte >= count)
        continue;
      if (marks)
        map[byte / 8] |= (unsigned char)(1 << (byte % 8));
      else if (map[byte / 8] >> (byte % 8) & 1)
        return 1;
    }
    for (d = view->nDimension - 1; d >= 0; d--) {
      const uintptr_t step = (uintptr_t)view->stride[d] * view->itemSize;
      element += step;
      if (++at[d] < view->size[d])
        break;
      element -= step * (uintptr_t)view->size[d];
      at[d] = 0;
    }
  }
  return 0;
}

/* The end of the memory of the view's elements; there has to be one. */
static uintptr_t end_of(const THView *view)
{
  uintptr_t end = (uintptr_t)view->data + view->itemSize;
  for (int d = 0; d < view->nDimension; d++)
    end += (uintptr_t)(view->size[d] - 1) * (uintptr_t)view->stride[d] * view->itemSize;
  return end;
}

int THView_touch(THView a, THView b)
{
  const THOverlap overlap = THView_overlap(a, b);
  if (overlap != TH_OVERLAP_MIXED || THMax(a.nDimension, b.nDimension) > TH_LOOP_DIMS)
    return overlap != TH_OVERLAP_NONE;
  const uintptr_t first = THMax((uintptr_t)a.data, (uintptr_t)b.data);
  const uintptr_t end = THMin(end_of(&a), end_of(&b));
  if (first >= end)
    return 0;
  THGuard guard;
  THGuard_enter(&guard, THFree);
  unsigned char *map = guard.what = THAlloc((ptrdiff_t)((end - first) / 8 + 1));
  memset(map, 0, (end - first) / 8 + 1);
  visit_bytes(&a, first, end - first, map, 1);
  const int touch = visit_bytes(&b, first, end - first, map, 0);
  THGuard_leave(&guard);
  return touch;
}

void THView_checkWritable(THView view, int arg)
{
  THLoop loop;
  THLoop_init(&loop);
  add_view(&loop, view);
  THArgCheck(!THLoop_overlapsItself(&loop, 0), arg,
             "a result of size %s has elements that share memory with each other",
             _THSizeDesc(view.size, view.nDimension).str);
}

THOverlap THResult_overlapInStorage(THView result, int nDimension, const int64_t *size,
                                    THView operand)
{
  if (!THSize_isSameSizeAs(result.size, result.nDimension, size, nDimension))
    return TH_OVERLAP_MIXED; /* resizing moves elements within the memory, or moves the memory */
  return THView_overlap(result, operand);
}

void THResult_check(THView result, const THShape *shape, int arg)
{
  if (THResult_hasShape(result, shape))
    THView_checkWritable(result, arg);
}

void THResult_checkBoth(THView result, THView other, const THShape *shape, int arg)
{
  if (THResult_hasShape(result, shape) && THResult_hasShape(other, shape))
    THArgCheck(!THView_touch(result, other), arg, "the results share memory with each other");
  else
    THArgCheck(!THView_sharesStorage(result, other), arg,
               "the results share memory with each other");
}
