/* Copies to tensors of Source on the host (TH/tensor/THEachSource.h; here it is the target's type). */

static void THCTensor_(TH_CONCAT_2(download, Source))(THCState *state, SourceTensor *self,
                                                      THCTensor *src, ptrdiff_t nsrc)
{
  THCTensor_(checkTarget)(THSource_(data)(self), sizeof(source), self->nDimension, self->size,
                          self->stride);
  THGuard guard;
  THTensor *straight = THCTensor_(newDownloaded)(state, &guard, src, nsrc);
  THSource_(TH_CONCAT_2(copy, Real))(self, straight);
  THGuard_leave(&guard);
}

void THSource_(TH_CONCAT_2(copyCuda, Real))(THCState *state, SourceTensor *self,
                                            struct THCTensor *src)
{
  const ptrdiff_t n =
      THCTensor_(openDownload)(state, src, THSource_(nElement)(self), self->nDimension, self->size);
  if (n > 0 && SOURCE_TYPE == SAME_TYPE && THSource_(isContiguous)(self))
    THCTensor_(download)(state, (THTensor *)self, src, n);
  else if (n > 0)
    THCTensor_(TH_CONCAT_2(download, Source))(state, self, src, n);
}
