/* Copies between tensors of any types on one device. */
#include "THC/core/THCPrivate.h"

#include "THC/core/thc_kernels.h"

ptrdiff_t THCOperand_count(const THCOperand *operand)
{
  ptrdiff_t count = operand->nDimension > 0;
  for (int d = 0; d < operand->nDimension; d++)
    count *= operand->size[d];
  return count;
}

int THCOperand_isContiguous(const THCOperand *operand)
{
  int64_t count = 1;
  for (int d = operand->nDimension - 1; d >= 0; d--) {
    if (operand->size[d] != 1 && operand->stride[d] != count)
      return 0;
    count *= operand->size[d];
  }
  return 1;
}

static void add(THLoop *loop, const THCOperand *operand)
{
  THLoop_operand(loop, operand->data, operand->itemSize, operand->nDimension, operand->size,
                 operand->stride);
}

int THCOperand_copy(THCState *state, const THCOperand *to, const THCOperand *from, int device)
{
  int done = 1;
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  const cudaStream_t stream = THC_streamOn(state, device)->stream;
  if (to->type == from->type && THCOperand_isContiguous(to) && THCOperand_isContiguous(from)) {
    THCudaCheck(cudaMemcpyAsync(to->data, from->data, (size_t)THCOperand_count(to) * to->itemSize,
                                cudaMemcpyDeviceToDevice, stream));
  } else {
    THLoop loop;
    THLoop_init(&loop);
    add(&loop, to);
    add(&loop, from);
    done = THCWalk_run(&loop, THC_converters[to->type][from->type], NULL, stream);
  }
  THCOnDevice_leave(&on);
  return done;
}
