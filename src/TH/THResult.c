/* What is checked about results. */
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

int THView_sharesStorage(THView a, THView b)
{
  const uintptr_t of_a = (uintptr_t)a.memory, of_b = (uintptr_t)b.memory;
  return of_a && of_b && of_a < of_b + b.bytes && of_b < of_a + a.bytes;
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

THOverlap THResult_overlap(THView result, const THShape *shape, THView operand)
{
  if (!THView_sharesStorage(result, operand))
    return TH_OVERLAP_NONE;
  if (!THResult_hasShape(result, shape))
    return TH_OVERLAP_MIXED; /* resizing moves it within the memory, or moves the memory */
  return THView_overlap(result, operand);
}

void THResult_check(THView result, const THShape *shape, int arg)
{
  if (THResult_hasShape(result, shape))
    THView_checkWritable(result, arg);
}

void THResult_checkBoth(THView result, THView other, const THShape *shape, int arg)
{
  THArgCheck(THResult_overlap(result, shape, other) == TH_OVERLAP_NONE &&
                 THResult_overlap(other, shape, result) == TH_OVERLAP_NONE,
             arg, "the results share memory with each other");
}
