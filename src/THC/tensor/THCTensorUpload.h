/* Copies from tensors of Source on the host (TH/tensor/THEachSource.h). */

/* Copies src to a contiguous tensor of self's type first. */
static void THCTensor_(TH_CONCAT_2(upload, Source))(THCState *state, THCTensor *self,
                                                    struct SourceTensor *src, ptrdiff_t n)
{
  THGuard guard;
  THTensor *straight = THTensor_(newForDevice)(&guard, src->nDimension, src->size);
  THTensor_(TH_CONCAT_2(copy, Source))(straight, src);
  THCTensor_(upload)(state, self, straight, n);
  THGuard_leave(&guard);
}

void THCTensor_(TH_CONCAT_2(copy, Source))(THCState *state, THCTensor *self,
                                           struct SourceTensor *src)
{
  const ptrdiff_t n =
      THCTensor_(openUpload)(state, self, THSource_(nElement)(src), src->nDimension, src->size);
  if (n > 0 && SOURCE_TYPE == SAME_TYPE && THSource_(isContiguous)(src))
    THCTensor_(upload)(state, self, (THTensor *)src, n);
  else if (n > 0)
    THCTensor_(TH_CONCAT_2(upload, Source))(state, self, src, n);
}
