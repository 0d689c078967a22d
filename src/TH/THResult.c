/* What is checked about results. */
#include "THResult.h"

int THResult_hasShape(THView result, const THShape *shape)
{
  return result.nDimension == shape->nDimension &&
         !memcmp(result.size, shape->size, (size_t)shape->nDimension * sizeof *shape->size);
}

static void add_view(THLoop *loop, THView view)
{
  THLoop_operand(loop, view.data, view.itemSize, view.nDimension, view.size, view.stride);
}

THOverlap THResult_overlap(THView result, const THShape *shape, THView operand)
{
  const uintptr_t a = (uintptr_t)result.memory, b = (uintptr_t)operand.memory;
  if (!a || !b || a >= b + operand.bytes || b >= a + result.bytes)
    return TH_OVERLAP_NONE;
  if (!THResult_hasShape(result, shape))
    return TH_OVERLAP_MIXED; /* resizing moves it within the memory, or moves the memory */
  THLoop loop;
  THLoop_init(&loop);
  add_view(&loop, result);
  add_view(&loop, operand);
  return THLoop_overlap(&loop, 0, 1);
}

void THResult_check(THView result, const THShape *shape, int arg)
{
  THLoop loop;
  THLoop_init(&loop);
  add_view(&loop, result);
  THArgCheck(!THResult_hasShape(result, shape) || !THLoop_overlapsItself(&loop, 0), arg,
             "a result of size %s has elements that share memory with each other",
             _THSizeDesc(result.size, result.nDimension).str);
}

void THResult_checkBoth(THView result, THView other, const THShape *shape, int arg)
{
  THArgCheck(THResult_overlap(result, shape, other) == TH_OVERLAP_NONE &&
                 THResult_overlap(other, shape, result) == TH_OVERLAP_NONE,
             arg, "the results share memory with each other");
}
