/* Elements, scalars and storages of Source in files (TH/tensor/THEachSource.h). */

size_t TH_CONCAT_3(THFile_read, Source, Raw)(THFile *self, source *data, size_t n)
{
  return THFile_readArray(self, SOURCE_TYPE, data, n);
}

size_t TH_CONCAT_3(THFile_write, Source, Raw)(THFile *self, source *data, size_t n)
{
  return THFile_writeArray(self, SOURCE_TYPE, data, n);
}

source TH_CONCAT_3(THFile_read, Source, Scalar)(THFile *self)
{
  source scalar = {0};
  THFile_readArray(self, SOURCE_TYPE, &scalar, 1);
  return scalar;
}

void TH_CONCAT_3(THFile_write, Source, Scalar)(THFile *self, source scalar)
{
  THFile_writeArray(self, SOURCE_TYPE, &scalar, 1);
}

size_t TH_CONCAT_2(THFile_read, Source)(THFile *self, SourceStorage *storage)
{
  return TH_CONCAT_3(THFile_read, Source, Raw)(self, storage->data, (size_t)storage->size);
}

size_t TH_CONCAT_2(THFile_write, Source)(THFile *self, SourceStorage *storage)
{
  return TH_CONCAT_3(THFile_write, Source, Raw)(self, storage->data, (size_t)storage->size);
}
