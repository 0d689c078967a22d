/* Copies between tensors of any element types: TH's own, or a kernel for Bool and BFloat16. */
#include "ATenCore.h"
#include "conversions.h"

TH_DISPATCH(THKernel, at_conversions)

void at_addOperand(THLoop *loop, const at_tensor *t)
{
  const THFloatTensor *th = t->th;
  char *data = th->storage ? (char *)th->storage->data : NULL;
  THLoop_operand(loop, data ? data + (size_t)th->storageOffset * t->type->elementSize : NULL,
                 t->type->elementSize, th->nDimension, th->size, th->stride);
}

void at_checkWritable(const at_tensor *t)
{
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, t);
  if (THLoop_overlapsItself(&loop, 0))
    at_raise(AT_ERROR_ARGUMENT, "a tensor of size (%s) has elements that share memory",
             at_sizeDesc(at_sizesOf(t)).str);
}

void at_convert(at_tensor *to, at_tensor *from)
{
  const THKernel kernel =
      at_conversions[AT_CONVERSION(to->type->scalarType, from->type->scalarType)];
  if (!kernel) {
    to->type->functions->copyFrom[from->type->held](to->th, from->th);
    return;
  }
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, to);
  at_addOperand(&loop, from);
  if (THLoop_overlapsItself(&loop, 0))
    at_raise(AT_ERROR_ARGUMENT, "a tensor of size %s has elements that share memory",
             at_sizeDesc(at_sizesOf(to)).str);
  if (THLoop_overlap(&loop, 0, 1) == TH_OVERLAP_NONE) {
    THLoop_run(&loop, kernel, NULL);
    return;
  }
  THGuard guard; /* elements of two sizes in one memory: read all before writing any */
  at_guard(&guard);
  at_convert(to, guard.what = at_newCast(from, from->type));
  THGuard_leave(&guard);
}
