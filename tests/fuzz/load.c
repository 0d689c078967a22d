/* Loading files of tensors. */
#include "load.h"

#include <string.h>

#include "TH.h"

static void read_elements(at_tensor *t)
{
  THFloatTensor *th = at_unsafeGetTH(t);
  int64_t last = th->storageOffset;
  bool none = at_numel(t) == 0;
  for (int d = 0; d < th->nDimension; d++)
    last += (th->size[d] - 1) * th->stride[d];
  MUST(none || last < th->storage->size);
  if (none || at_numel(t) > 1 << 16)
    return;
  at_tensor *line = at_contiguous(t);
  const size_t size = (size_t)at_numel(t) * at_type_elementSize(at_typeOf(t));
  volatile unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += ((uint8_t *)at_data(line))[i];
  (void)sum;
  if (at_type_scalarType(at_typeOf(t)) == AT_BOOL)
    for (size_t i = 0; i < size; i++)
      MUST(((uint8_t *)at_data(line))[i] <= 1);
  at_release(line);
}

void fuzz_load(const uint8_t *bytes, size_t size)
{
  at_dict *d = at_load(fuzz_file(bytes, size));
  MUST((d != NULL) == (at_error() == AT_OK));
  for (int64_t i = 0; i < at_dict_count(d); i++) {
    MUST(at_dict_get(d, at_dict_name(d, i)) == at_dict_at(d, i));
    read_elements(at_dict_at(d, i));
  }
  MUST(!d || at_error() == AT_OK);
  at_dict_free(d);
  at_error_clear();
}

/* --- archives --------------------------------------------------------------------------------- */

static void put(uint8_t *to, size_t *length, uint64_t value, int count)
{
  for (int i = 0; i < count; i++)
    to[(*length)++] = (uint8_t)(value >> 8 * i);
}

static void put_common(uint8_t *to, size_t *length, int method, size_t stored, size_t size,
                       size_t name)
{
  put(to, length, 20, 2);
  put(to, length, 0, 2);
  put(to, length, (uint64_t)method, 2);
  put(to, length, 0, 4);
  put(to, length, 0, 4);
  put(to, length, stored, 4);
  put(to, length, size, 4);
  put(to, length, name, 2);
  put(to, length, 0, 2);
}

static void add(FuzzZip *zip, const char *name, int method, const uint8_t *bytes, size_t stored,
                size_t size)
{
  const size_t length = strlen(name), offset = zip->length;
  memcpy(zip->bytes + zip->length, "PK\3\4", 4);
  zip->length += 4;
  put_common(zip->bytes, &zip->length, method, stored, size, length);
  memcpy(zip->bytes + zip->length, name, length);
  memcpy(zip->bytes + zip->length + length, bytes, stored);
  zip->length += length + stored;

  memcpy(zip->directory + zip->directoryLength, "PK\1\2\24\0", 6);
  zip->directoryLength += 6;
  put_common(zip->directory, &zip->directoryLength, method, stored, size, length);
  put(zip->directory, &zip->directoryLength, 0, 6);
  put(zip->directory, &zip->directoryLength, 0, 4);
  put(zip->directory, &zip->directoryLength, offset, 4);
  memcpy(zip->directory + zip->directoryLength, name, length);
  zip->directoryLength += length;
  zip->count++;
}

void fuzz_zip_add(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t size)
{
  add(zip, name, 0, bytes, size, size);
}

void fuzz_zip_addDeflated(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t stored,
                          size_t size)
{
  add(zip, name, 8, bytes, stored, size);
}

void fuzz_zip_finish(FuzzZip *zip)
{
  const size_t offset = zip->length;
  memcpy(zip->bytes + zip->length, zip->directory, zip->directoryLength);
  zip->length += zip->directoryLength;
  memcpy(zip->bytes + zip->length, "PK\5\6\0\0\0\0", 8);
  zip->length += 8;
  put(zip->bytes, &zip->length, (uint64_t)zip->count, 2);
  put(zip->bytes, &zip->length, (uint64_t)zip->count, 2);
  put(zip->bytes, &zip->length, zip->directoryLength, 4);
  put(zip->bytes, &zip->length, offset, 4);
  put(zip->bytes, &zip->length, 0, 2);
}
