/* Copies from storages of Source (TH/tensor/THEachSource.h). */

void THStorage_(TH_CONCAT_2(copy, Source))(THStorage *storage, SourceStorage *src)
{
  if ((void *)storage != (void *)src)
    THStorage_(convert)(storage, src->data, src->size, sizeof(source), SOURCE_TYPE);
}
