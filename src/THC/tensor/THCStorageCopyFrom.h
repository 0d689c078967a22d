/* Copies from and to storages of Source on the host, and from those on devices
 * (TH/tensor/THEachSource.h). */

void THCStorage_(TH_CONCAT_2(copy, Source))(THCState *state, THCStorage *storage,
                                            struct SourceStorage *src)
{
  THCTensor_(TH_CONCAT_2(copy, Source))(state, VIEW(THCTensor, storage, SIZE_OF(storage)),
                                        VIEW(SourceTensor, src, SIZE_OF(src)));
}

void THCStorage_(TH_CONCAT_2(copyCuda, Source))(THCState *state, THCStorage *storage,
                                                struct THCSource_(Storage) * src)
{
  THCTensor_(TH_CONCAT_2(copyCuda, Source))(state, VIEW(THCTensor, storage, SIZE_OF(storage)),
                                            VIEW(THCSource_(Tensor), src, SIZE_OF(src)));
}

void TH_CONCAT_4(TH, Source, Storage_copyCuda, Real)(THCState *state, SourceStorage *self,
                                                     struct THCStorage *src)
{
  THSource_(TH_CONCAT_2(copyCuda, Real))(state, VIEW(SourceTensor, self, SIZE_OF(self)),
                                         VIEW(THCTensor, src, SIZE_OF(src)));
}
