/* NumPy's .npz: a zip archive of .npy files. */
#include "Zip.h"

static const char suffix[] = ".npy";
enum { SUFFIX = sizeof suffix - 1 };

void at_readNpz(const at_zip *zip, at_dict *dict)
{
  for (int64_t i = 0; i < zip->count; i++) {
    const at_member *member = &zip->members[i];
    if (member->nameLength < SUFFIX ||
        memcmp(member->name + member->nameLength - SUFFIX, suffix, SUFFIX) != 0) {
      at_dict_wants(dict, zip->file,
                    &(at_found){.name = member->name,
                                .length = member->nameLength,
                                .problem = "is no array, but another member of the archive"});
      continue;
    }
    at_memberStream s;
    THGuard guard;
    at_member_begin(&s, zip, member, &guard);
    const bool whole = at_readArray(&s.stream, member->name, member->nameLength - SUFFIX, dict);
    if (whole)
      at_member_finish(&s);
    THGuard_leave(&guard);
  }
}

static void write_array(at_zipOut *zip, const char *name, at_tensor *t)
{
  THGuard text, file, array;
  at_bytes header = {0}, member = {0};
  THGuard_enter(&text, at_bytes_free);
  text.what = &header;
  THGuard_enter(&file, at_bytes_free);
  file.what = &member;
  at_bytes_addText(&member, name);
  at_bytes_add(&member, suffix, sizeof suffix);
  at_guard(&array);
  at_tensor *elements = array.what = at_newArray(t, &header);
  const size_t size = at_sizeInBytes(elements);
  const uint32_t crc = at_crc(at_crc(0, header.start, header.length), at_hostData(elements), size);
  at_zipOut_member(zip, (const char *)member.start, header.length + size, crc);
  at_out_writeBytes(zip->out, &header);
  at_out_write(zip->out, at_hostData(elements), size);
  THGuard_leave(&array);
  THGuard_leave(&file);
  THGuard_leave(&text);
}

void at_writeNpz(at_out *out, const at_dict *dict)
{
  AT_DICT_CHECK(dict, npy);
  THGuard guard;
  at_zipOut zip;
  at_zipOut_begin(&zip, out, &guard);
  for (int64_t i = 0; i < at_dict_count(dict); i++)
    write_array(&zip, at_dict_name(dict, i), at_dict_at(dict, i));
  at_zipOut_finish(&zip);
  THGuard_leave(&guard);
}
