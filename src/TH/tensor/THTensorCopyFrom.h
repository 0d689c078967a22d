/* Copies from tensors of Source (TH/tensor/THEachSource.h). */

static void THTensor_(TH_CONCAT_2(copyAside, Source))(THTensor *tensor, SourceTensor *src)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THSource_(free));
  guard.what = THSource_(newClone)(src);
  THTensor_(TH_CONCAT_2(copy, Source))(tensor, guard.what);
  THGuard_leave(&guard);
}

void THTensor_(TH_CONCAT_2(copy, Source))(THTensor *tensor, SourceTensor *src)
{
  THLoop loop;
  THTensor_(openCopy)(&loop, tensor, THSource_(nElement)(src), src->nDimension, src->size);
  THLoop_tensor(&loop, src);
  if (!THTensor_(copyLoop)(&loop, SOURCE_TYPE))
    THTensor_(TH_CONCAT_2(copyAside, Source))(tensor, src);
}
