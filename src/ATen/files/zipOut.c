/* Writing zip archives.  Members are stored without compression, and aligned so that readers can
 * map them.  Sizes and offsets of more than 32 bits are written as zip64. */
#include "Zip.h"

enum { ALIGNMENT = 64, LOCAL = 30, DATE = 1 << 5 | 1 /* 1 January 1980 */, UTF8 = 1 << 11 };

void at_zipOut_begin(at_zipOut *zip, at_out *out, THGuard *guard)
{
  *zip = (at_zipOut){.out = out};
  THGuard_enter(guard, at_bytes_free);
  guard->what = &zip->directory;
}

/* Appends the fields that directory entries and headers of members have in common. */
static void add_common(at_bytes *bytes, bool large, uint64_t size, uint32_t crc, size_t name,
                       size_t extra)
{
  const uint64_t shown = large ? UINT32_MAX : size;
  at_bytes_addLittle(bytes, large ? 45 : 20, 2); /* the required version of the format */
  at_bytes_addLittle(bytes, UTF8, 2);
  at_bytes_addLittle(bytes, 0, 2); /* method: stored */
  at_bytes_addLittle(bytes, 0, 2); /* time: midnight */
  at_bytes_addLittle(bytes, DATE, 2);
  at_bytes_addLittle(bytes, crc, 4);
  at_bytes_addLittle(bytes, shown, 4);
  at_bytes_addLittle(bytes, shown, 4);
  at_bytes_addLittle(bytes, name, 2);
  at_bytes_addLittle(bytes, extra, 2);
}

void at_zipOut_member(at_zipOut *zip, const char *name, uint64_t size, uint32_t crc)
{
  const size_t length = strlen(name);
  const uint64_t offset = zip->out->length;
  const bool large = size >= UINT32_MAX, far = offset >= UINT32_MAX;
  const size_t sizes = large ? 20 : 0;
  if (length > UINT16_MAX)
    at_raise(AT_ERROR_ARGUMENT, "the name '%.40s...' is too long for an archive", name);

  /* The extra field that pads to the alignment has at least 4 bytes, its header. */
  const uint64_t least = offset + LOCAL + length + sizes + 4;
  const size_t filling = (size_t)((ALIGNMENT - least % ALIGNMENT) % ALIGNMENT);
  THGuard guard;
  at_bytes local = {0};
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &local;
  at_bytes_add(&local, "PK\3\4", 4);
  add_common(&local, large, size, crc, length, sizes + 4 + filling);
  at_bytes_add(&local, name, length);
  if (large) {
    at_bytes_addLittle(&local, 1, 2);
    at_bytes_addLittle(&local, 16, 2);
    at_bytes_addLittle(&local, size, 8);
    at_bytes_addLittle(&local, size, 8);
  }
  at_bytes_add(&local, "FB", 2);
  at_bytes_addLittle(&local, filling, 2);
  at_out_writeBytes(zip->out, &local);
  at_out_fill(zip->out, 'Z', filling);
  THGuard_leave(&guard);

  const size_t extra = (large ? 16 : 0) + (far ? 8 : 0);
  at_bytes *d = &zip->directory;
  at_bytes_add(d, "PK\1\2", 4);
  at_bytes_addLittle(d, 45, 2);
  add_common(d, large, size, crc, length, extra ? 4 + extra : 0);
  at_bytes_addLittle(d, 0, 2); /* no comment */
  at_bytes_addLittle(d, 0, 2); /* disk number */
  at_bytes_addLittle(d, 0, 2);
  at_bytes_addLittle(d, 0, 4);
  at_bytes_addLittle(d, far ? UINT32_MAX : offset, 4);
  at_bytes_add(d, name, length);
  if (extra) {
    at_bytes_addLittle(d, 1, 2);
    at_bytes_addLittle(d, extra, 2);
  }
  if (large) {
    at_bytes_addLittle(d, size, 8);
    at_bytes_addLittle(d, size, 8);
  }
  if (far)
    at_bytes_addLittle(d, offset, 8);
  zip->count++;
}

void at_zipOut_add(at_zipOut *zip, const char *name, const void *bytes, size_t size)
{
  at_zipOut_member(zip, name, size, at_crc(0, bytes, size));
  at_out_write(zip->out, bytes, size);
}

void at_zipOut_finish(at_zipOut *zip)
{
  at_out *out = zip->out;
  const uint64_t offset = out->length, length = zip->directory.length;
  const uint64_t count = (uint64_t)zip->count;
  at_out_writeBytes(out, &zip->directory);
  const bool large = count >= UINT16_MAX || offset >= UINT32_MAX || length >= UINT32_MAX;
  if (large) {
    at_out_write(out, "PK\6\6", 4);
    at_out_little(out, 44, 8); /* the number of bytes that follow */
    at_out_little(out, 45, 2);
    at_out_little(out, 45, 2);
    at_out_little(out, 0, 8);
    at_out_little(out, count, 8);
    at_out_little(out, count, 8);
    at_out_little(out, length, 8);
    at_out_little(out, offset, 8);
    at_out_write(out, "PK\6\7", 4);
    at_out_little(out, 0, 4);
    at_out_little(out, offset + length, 8);
    at_out_little(out, 1, 4);
  }
  at_out_write(out, "PK\5\6", 4);
  at_out_little(out, 0, 4);
  at_out_little(out, large ? UINT16_MAX : count, 2);
  at_out_little(out, large ? UINT16_MAX : count, 2);
  at_out_little(out, large ? UINT32_MAX : length, 4);
  at_out_little(out, large ? UINT32_MAX : offset, 4);
  at_out_little(out, 0, 2);
}
