/* Copies from tensors of Source on devices (TH/tensor/THEachSource.h). */

void THCTensor_(TH_CONCAT_2(copyCuda, Source))(THCState *state, THCTensor *dst,
                                               struct THCSource_(Tensor) * src)
{
  const THCOperand from = THC_OPERAND(Source, src);
  THCTensor_(copyOperand)(state, dst, &from, 0);
}
