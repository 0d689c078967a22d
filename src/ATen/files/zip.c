/* Reading zip archives: stored and deflated members, also large ones (zip64).  (PKWARE's
 * APPNOTE.TXT 6.3) */
#include "Zip.h"

#include <zlib.h>

enum {
  END = 22,            /* bytes of the record at the end of the archive, without its comment */
  LOCATOR = 20,        /* of the one before it, which leads to the large archive's */
  LARGE_END = 56,      /* of that, at least */
  ENTRY = 46,          /* of an entry of the directory, without name, extra fields and comment */
  LOCAL = 30,          /* of the header before a member's data, without name and extra fields */
  MOST_DEFLATED = 1032 /* times a deflated byte can grow */
};

static const uint8_t *at_place(const at_zip *zip, uint64_t offset, uint64_t length,
                               const char *signature)
{
  const at_file *file = zip->file;
  if (offset > file->size || length > file->size - offset ||
      memcmp(file->bytes + offset, signature, 4) != 0)
    at_damaged(file, "the archive's directory is damaged at byte %llu", (unsigned long long)offset);
  return file->bytes + offset;
}

/* --- the directory ---------------------------------------------------------------------------- */

typedef struct Directory {
  uint64_t count, length, offset;
} Directory;

static Directory find_directory(const at_zip *zip)
{
  const at_file *file = zip->file;
  const uint8_t *const first = file->bytes;
  size_t at = file->size < END ? 0 : file->size - END;
  const size_t last = at > UINT16_MAX ? at - UINT16_MAX : 0;
  while (at > last && (memcmp(first + at, "PK\5\6", 4) != 0 ||
                       at_little(first + at + 20, 2) != file->size - END - at))
    at--;
  if (file->size < END || memcmp(first + at, "PK\5\6", 4) != 0 ||
      at_little(first + at + 20, 2) != file->size - END - at)
    at_damaged(file, "the end of the archive is missing");
  Directory d = {at_little(first + at + 10, 2), at_little(first + at + 12, 4),
                 at_little(first + at + 16, 4)};
  uint64_t end = at;
  if (at >= LOCATOR && !memcmp(first + at - LOCATOR, "PK\6\7", 4)) {
    end = at_little(first + at - LOCATOR + 8, 8);
    const uint8_t *large = at_place(zip, end, LARGE_END, "PK\6\6");
    d = (Directory){at_little(large + 32, 8), at_little(large + 40, 8), at_little(large + 48, 8)};
  }
  if (d.offset > end || d.length > end - d.offset || d.count > d.length / ENTRY)
    at_damaged(file, "the archive's directory of %llu members does not fit in %llu bytes",
               (unsigned long long)d.count, (unsigned long long)d.length);
  return d;
}

/* The numbers that were too large for their fields stand in an extra field, in this order. */
static void read_large(const at_zip *zip, const uint8_t *extra, size_t length, uint64_t *size,
                       uint64_t *stored, uint64_t *offset)
{
  while (length >= 4) {
    const size_t id = (size_t)at_little(extra, 2), own = (size_t)at_little(extra + 2, 2);
    if (own > length - 4)
      return; /* padding that has no form */
    if (id == 1) {
      uint64_t *const fields[] = {size, stored, offset};
      size_t used = 0;
      for (int i = 0; i < 3; i++)
        if (*fields[i] == UINT32_MAX) {
          if (used + 8 > own)
            at_damaged(zip->file, "a large member of the archive lacks its size");
          *fields[i] = at_little(extra + 4 + used, 8);
          used += 8;
        }
      return;
    }
    extra += 4 + own;
    length -= 4 + own;
  }
}

/* Reads the entry at that byte, and returns how long it is. */
static uint64_t read_entry(const at_zip *zip, uint64_t at, uint64_t left, at_member *member)
{
  const at_file *file = zip->file;
  const uint8_t *entry = at_place(zip, at, ENTRY, "PK\1\2");
  const uint64_t name = at_little(entry + 28, 2), extra = at_little(entry + 30, 2),
                 whole = ENTRY + name + extra + at_little(entry + 32, 2);
  if (whole > left)
    at_damaged(file, "the archive's directory ends within an entry");
  uint64_t stored = at_little(entry + 20, 4), size = at_little(entry + 24, 4),
           offset = at_little(entry + 42, 4);
  read_large(zip, entry + ENTRY + name, (size_t)extra, &size, &stored, &offset);
  const uint64_t method = at_little(entry + 10, 2), flags = at_little(entry + 8, 2);
  *member = (at_member){.name = (const char *)entry + ENTRY,
                        .nameLength = (size_t)name,
                        .crc = (uint32_t)at_little(entry + 16, 4),
                        .deflated = method == 8};
  if (flags & 1 || (method != 0 && method != 8))
    at_damaged(file, "member '%.*s' of the archive is encrypted or compressed by method %d",
               (int)THMin(name, 100), member->name, (int)method);

  const uint8_t *local = at_place(zip, offset, LOCAL, "PK\3\4");
  const uint64_t start = offset + LOCAL + at_little(local + 26, 2) + at_little(local + 28, 2);
  if (start > file->size || stored > file->size - start ||
      (member->deflated ? size / MOST_DEFLATED > stored : size != stored))
    at_damaged(file, "member '%.*s' of the archive cannot have %llu bytes in %llu",
               (int)THMin(name, 100), member->name, (unsigned long long)size,
               (unsigned long long)stored);
  member->data = file->bytes + start;
  member->stored = (size_t)stored;
  member->size = (size_t)size;
  return whole;
}

static int compare_names(const char *a, size_t lengthA, const char *b, size_t lengthB)
{
  const int order = memcmp(a, b, THMin(lengthA, lengthB));
  return order ? order : (lengthA > lengthB) - (lengthA < lengthB);
}

static int compare_members(const void *a, const void *b)
{
  const at_member *x = *(const at_member *const *)a, *y = *(const at_member *const *)b;
  return compare_names(x->name, x->nameLength, y->name, y->nameLength);
}

static void close_zip(void *what)
{
  at_zip *zip = what;
  THFree(zip->members);
  THFree(zip->byName);
}

void at_zip_open(at_zip *zip, const at_file *file, THGuard *guard)
{
  *zip = (at_zip){.file = file};
  Directory d = find_directory(zip);
  THGuard_enter(guard, close_zip);
  guard->what = zip;
  zip->members = THAlloc((ptrdiff_t)(d.count * sizeof *zip->members));
  zip->byName = THAlloc((ptrdiff_t)(d.count * sizeof *zip->byName));
  uint64_t stored = 0;
  for (; zip->count < (int64_t)d.count; zip->count++) {
    at_member *member = &zip->members[zip->count];
    const uint64_t length = read_entry(zip, d.offset, d.length, member);
    d.offset += length;
    d.length -= length;
    stored += member->stored;
    zip->byName[zip->count] = member;
  }
  if (stored > file->size) /* or a small file could be a very large one */
    at_damaged(file, "members of the archive overlap");
  if (zip->count > 0)
    qsort(zip->byName, (size_t)zip->count, sizeof *zip->byName, compare_members);
  for (int64_t i = 1; i < zip->count; i++)
    if (!compare_members(&zip->byName[i - 1], &zip->byName[i]))
      at_damaged(file, "the archive has two members '%.*s'",
                 (int)THMin(zip->byName[i]->nameLength, 100), zip->byName[i]->name);
}

const at_member *at_zip_find(const at_zip *zip, const void *name, size_t length)
{
  int64_t low = 0, high = zip->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const at_member *member = zip->byName[middle];
    const int order = compare_names(name, length, member->name, member->nameLength);
    if (order == 0)
      return member;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* --- members ---------------------------------------------------------------------------------- */

uint32_t at_crc(uint32_t crc, const void *bytes, size_t length)
{
  return length > 0 ? (uint32_t)crc32_z(crc, bytes, length) : crc; /* zlib forgets crc for NULL */
}

static void end_inflating(void *stream)
{
  inflateEnd(stream);
}

static void *take_block(void *unused, uInt count, uInt size)
{
  return calloc(count, size);
}

static void give_block(void *unused, void *block)
{
  free(block);
}

/* The member is damaged unless it inflates to exactly its size. */
static bool inflate_to(const at_member *member, uint8_t *to)
{
  enum { PIECE = 1 << 30 };
  z_stream stream = {.zalloc = take_block, .zfree = give_block};
  if (inflateInit2(&stream, -15) != Z_OK)
    THError("there is no memory to inflate an archive");
  THGuard guard;
  THGuard_enter(&guard, end_inflating);
  guard.what = &stream;
  size_t in = member->stored, out = member->size;
  stream.next_in = (uint8_t *)member->data;
  stream.next_out = to;
  int status;
  do {
    if (stream.avail_in == 0) {
      stream.avail_in = (uInt)THMin(in, PIECE);
      in -= stream.avail_in;
    }
    if (stream.avail_out == 0) {
      stream.avail_out = (uInt)THMin(out, PIECE);
      out -= stream.avail_out;
    }
    status = inflate(&stream, Z_NO_FLUSH);
  } while (status == Z_OK && (stream.avail_in > 0 || in > 0 || stream.avail_out > 0 || out > 0));
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0 && in == 0 &&
                     stream.avail_out == 0 && out == 0;
  THGuard_leave(&guard);
  return whole;
}

const uint8_t *at_zip_bytes(const at_zip *zip, const at_member *member, THGuard *guard)
{
  const uint8_t *bytes = member->data;
  bool whole = true;
  THGuard_enter(guard, THFree);
  if (member->deflated) {
    uint8_t *room = guard->what = THAlloc((ptrdiff_t)member->size + 1);
    whole = inflate_to(member, room);
    bytes = room;
  }
  if (!whole || (member->crc && at_crc(0, bytes, member->size) != member->crc))
    at_damaged(zip->file, "member '%.*s' of the archive is damaged",
               (int)THMin(member->nameLength, 100), member->name);
  return bytes;
}

/* --- which archive it is -----------------------------------------------------------------------
 */

bool at_isZip(const at_file *file)
{
  return file->size >= 4 &&
         (!memcmp(file->bytes, "PK\3\4", 4) || !memcmp(file->bytes, "PK\5\6", 4));
}

void at_readZip(const at_file *file, at_dict *dict)
{
  static const char object[] = "/data.pkl";
  at_zip zip;
  THGuard guard;
  at_zip_open(&zip, file, &guard);
  const at_member *pickle = NULL;
  for (int64_t i = 0; i < zip.count && !pickle; i++) {
    const at_member *member = &zip.members[i];
    const size_t length = sizeof object - 1;
    if (member->nameLength > length &&
        !memcmp(member->name + member->nameLength - length, object, length))
      pickle = member;
  }
  if (pickle)
    at_readPt(&zip, pickle, dict);
  else
    at_readNpz(&zip, dict);
  THGuard_leave(&guard);
}
