/* Reading zip archives: stored and deflated members, also large ones (zip64).  (PKWARE's
 * APPNOTE.TXT 6.3) */
#include "Zip.h"

#include <zlib.h>

enum {
  END = 22,            /* bytes of the end record of the archive, without its comment */
  LOCATOR = 20,        /* of the record before it, which points to the end record of zip64 */
  LARGE_END = 56,      /* of the end record of zip64, at least */
  ENTRY = 46,          /* of an entry of the directory, without name, extra fields and comment */
  LOCAL = 30,          /* of the header before a member's data, without name and extra fields */
  MOST_DEFLATED = 1032 /* the largest ratio of inflated to deflated bytes */
};

static void bad_directory(const at_zip *zip, uint64_t offset) TH_NO_RETURN;
static void bad_directory(const at_zip *zip, uint64_t offset)
{
  at_damaged(zip->file, "the archive's directory is damaged at byte %llu",
             (unsigned long long)offset);
}

/* --- the directory ---------------------------------------------------------------------------- */

typedef struct Directory {
  uint64_t count, length, offset;
} Directory;

/* The index of the end record in the last bytes of the file. */
static size_t find_end(const at_zip *zip, const uint8_t *tail, size_t length)
{
  size_t at = length < END ? 0 : length - END;
  const size_t last = at > UINT16_MAX ? at - UINT16_MAX : 0;
#define IS_END(AT) \
  (!memcmp(tail + (AT), "PK\5\6", 4) && at_little(tail + (AT) + 20, 2) == length - END - (AT))
  while (at > last && !IS_END(at))
    at--;
  if (length < END || !IS_END(at))
    at_damaged(zip->file, "the end of the archive is missing");
  return at;
}

static Directory find_directory(const at_zip *zip)
{
  at_file *file = zip->file;
  const size_t length = THMin(file->size, (size_t)UINT16_MAX + END + LOCATOR);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  uint8_t *tail = guard.what = at_file_alloc(file, length);
  at_file_read(file, file->size - length, tail, length);
  const size_t at = find_end(zip, tail, length);
  Directory d = {at_little(tail + at + 10, 2), at_little(tail + at + 12, 4),
                 at_little(tail + at + 16, 4)};
  uint64_t end = file->size - length + at;
  if (at >= LOCATOR && !memcmp(tail + at - LOCATOR, "PK\6\7", 4)) {
    uint8_t large[LARGE_END];
    end = at_little(tail + at - LOCATOR + 8, 8);
    if (end > file->size || file->size - end < LARGE_END)
      bad_directory(zip, end);
    at_file_read(file, end, large, LARGE_END);
    if (memcmp(large, "PK\6\6", 4) != 0)
      bad_directory(zip, end);
    d = (Directory){at_little(large + 32, 8), at_little(large + 40, 8), at_little(large + 48, 8)};
  }
  THGuard_leave(&guard);
  if (d.offset > end || d.length > end - d.offset || d.count > d.length / ENTRY)
    at_damaged(file, "the archive's directory of %llu members does not fit in %llu bytes",
               (unsigned long long)d.count, (unsigned long long)d.length);
  return d;
}

/* Reads the values that do not fit their fields from the extra field of zip64, in this order. */
static void read_large(const at_zip *zip, const uint8_t *extra, size_t length, uint64_t *size,
                       uint64_t *stored, uint64_t *offset)
{
  while (length >= 4) {
    const size_t id = (size_t)at_little(extra, 2), own = (size_t)at_little(extra + 2, 2);
    if (own > length - 4)
      return; /* padding without structure */
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

/* Reads an entry of at most left bytes, and returns its length. */
static uint64_t read_entry(const at_zip *zip, const uint8_t *entry, uint64_t left,
                           uint64_t entryOffset, at_member *member)
{
  const at_file *file = zip->file;
  if (left < ENTRY || memcmp(entry, "PK\1\2", 4) != 0)
    bad_directory(zip, entryOffset);
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
                        .header = offset,
                        .stored = stored,
                        .size = size,
                        .crc = (uint32_t)at_little(entry + 16, 4),
                        .deflated = method == 8};
  if (flags & 1 || (method != 0 && method != 8))
    at_damaged(file, "member '%.*s' of the archive is encrypted or compressed by method %d",
               (int)THMin(name, 100), member->name, (int)method);
  if (stored > file->size || (member->deflated ? size / MOST_DEFLATED > stored : size != stored))
    at_damaged(file, "member '%.*s' of the archive cannot have %llu bytes in %llu",
               (int)THMin(name, 100), member->name, (unsigned long long)size,
               (unsigned long long)stored);
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
  THFree(zip->directory);
}

void at_zip_open(at_zip *zip, at_file *file, THGuard *guard)
{
  *zip = (at_zip){.file = file};
  const Directory d = find_directory(zip);
  THGuard_enter(guard, close_zip);
  guard->what = zip;
  zip->directory = at_file_alloc(file, d.length);
  at_file_read(file, d.offset, zip->directory, (size_t)d.length);
  zip->members = at_file_alloc(file, d.count * sizeof *zip->members);
  zip->byName = at_file_alloc(file, d.count * sizeof *zip->byName);
  uint64_t stored = 0, at = 0;
  for (; zip->count < (int64_t)d.count; zip->count++) {
    at_member *member = &zip->members[zip->count];
    at += read_entry(zip, zip->directory + at, d.length - at, d.offset + at, member);
    if (__builtin_add_overflow(stored, member->stored, &stored))
      stored = UINT64_MAX;
    zip->byName[zip->count] = member;
  }
  if (stored > file->size) /* members that overlap could make a small file inflate to any size */
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
  return length > 0 ? (uint32_t)crc32_z(crc, bytes, length)
                    : crc; /* crc32_z resets crc if bytes is NULL */
}

static void *take_block(void *unused, uInt count, uInt size)
{
  return calloc(count, size);
}

static void give_block(void *unused, void *block)
{
  free(block);
}

enum { INFLATE_BYTES = 1 << 16, MOST_OUT = 1 << 30 };

typedef struct at_inflater {
  z_stream z;
  bool ended;
  uint8_t input[INFLATE_BYTES];
} at_inflater;

static void end_inflating(void *what)
{
  at_memberStream *s = what;
  s->stream.file->member = NULL;
  if (s->inflater)
    inflateEnd(&s->inflater->z);
  THFree(s->inflater);
}

static void bad_member(const at_memberStream *s) TH_NO_RETURN;
static void bad_member(const at_memberStream *s)
{
  at_damaged(s->stream.file, "it is damaged");
}

/* Reads the next stored bytes. */
static void take_stored(at_memberStream *s, void *to, size_t length)
{
  at_file_read(s->stream.file, s->stream.at, to, length);
  s->stream.at += length;
  s->in -= length;
}

/* Reads stored bytes, and adds them to the checksum block by block while they are in the cache. */
static void read_stored(at_stream *stream, void *to, size_t length)
{
  enum { SUMMED = 1 << 18 };
  at_memberStream *s = (at_memberStream *)stream;
  for (uint8_t *at = to; length > 0;) {
    const size_t count = s->member->crc ? THMin(length, (size_t)SUMMED) : length;
    take_stored(s, at, count);
    if (s->member->crc)
      s->crc = at_crc(s->crc, at, count);
    at += count;
    length -= count;
  }
}

/* Inflates up to length bytes, or to the end; returns how many. */
static size_t inflate_some(at_memberStream *s, uint8_t *to, size_t length)
{
  z_stream *z = &s->inflater->z;
  z->next_out = to;
  z->avail_out = (uInt)THMin(length, (size_t)MOST_OUT);
  const size_t wanted = z->avail_out;
  while (z->avail_out > 0 && !s->inflater->ended) {
    if (z->avail_in == 0 && s->in > 0) {
      const size_t count = (size_t)THMin(s->in, (uint64_t)INFLATE_BYTES);
      take_stored(s, s->inflater->input, count);
      z->next_in = s->inflater->input;
      z->avail_in = (uInt)count;
    }
    const int status = inflate(z, Z_NO_FLUSH);
    s->inflater->ended = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END) /* also if the input ends too early */
      bad_member(s);
  }
  return wanted - z->avail_out;
}

static void read_inflated(at_stream *stream, void *to, size_t length)
{
  at_memberStream *s = (at_memberStream *)stream;
  for (uint8_t *at = to; length > 0;) {
    const size_t count = inflate_some(s, at, length);
    if (count == 0)
      bad_member(s);
    if (s->member->crc)
      s->crc = at_crc(s->crc, at, count);
    at += count;
    length -= count;
  }
}

void at_member_begin(at_memberStream *s, const at_zip *zip, const at_member *member, THGuard *guard)
{
  at_file *file = zip->file;
  uint8_t local[LOCAL];
  if (member->header > file->size || file->size - member->header < LOCAL)
    bad_directory(zip, member->header);
  at_file_read(file, member->header, local, LOCAL);
  if (memcmp(local, "PK\3\4", 4) != 0)
    bad_directory(zip, member->header);
  const uint64_t start =
      member->header + LOCAL + at_little(local + 26, 2) + at_little(local + 28, 2);
  if (start > file->size || member->stored > file->size - start)
    at_damaged(file, "member '%.*s' of the archive cannot have %llu bytes from byte %llu on",
               (int)THMin(member->nameLength, 100), member->name,
               (unsigned long long)member->stored, (unsigned long long)start);
  *s = (at_memberStream){
      .stream = {file, start, member->size, member->deflated ? read_inflated : read_stored},
      .member = member,
      .in = member->stored};
  THGuard_enter(guard, end_inflating);
  guard->what = s;
  file->member = member->name;
  file->memberLength = member->nameLength;
  if (!member->deflated)
    return;
  at_inflater *inflater = THAlloc(sizeof *inflater);
  inflater->z = (z_stream){.zalloc = take_block, .zfree = give_block};
  inflater->ended = false;
  s->inflater = inflater;
  if (inflateInit2(&inflater->z, -15) != Z_OK)
    THError("there is no memory to inflate an archive");
}

void at_member_finish(at_memberStream *s)
{
  uint8_t none;
  if (s->inflater && (inflate_some(s, &none, 1) > 0 || s->inflater->z.avail_in > 0))
    bad_member(s);
  if (s->stream.left > 0 || s->in > 0 || (s->member->crc && s->crc != s->member->crc))
    bad_member(s);
}

/* --- which archive it is -------------------------------------------------------------------- */

bool at_isZip(const at_file *file)
{
  return !memcmp(file->head, "PK\3\4", 4) || !memcmp(file->head, "PK\5\6", 4);
}

static bool ends_in(const at_member *member, const char *end)
{
  const size_t length = strlen(end);
  return member->nameLength >= length &&
         !memcmp(member->name + member->nameLength - length, end, length);
}

/* Raises for archives of other programs, recognized by the name of a member. */
static void check_other(const at_zip *zip)
{
  static const struct {
    const char *end, *what;
  } others[] = {
      {"/constants.pkl",
       "this is a TorchScript program: save the tensors alone in Python, with "
       "torch.save(torch.jit.load(path).state_dict(), \"weights.pt\")"},
      {"archive_format",
       "this is a program that torch.export saved: at_program_load reads it, and "
       "at_program_parameters has its tensors"},
      {"model.weights.h5",
       "this is a model of Keras, whose weights are in HDF5: save them in Python with "
       "numpy.savez(\"weights.npz\", *model.get_weights())"},
      {"[Content_Types].xml", "this is a document of an office program"},
      {"META-INF/MANIFEST.MF", "this is an archive of Java classes"},
  };
  for (int64_t i = 0; i < zip->count; i++)
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      if (ends_in(&zip->members[i], others[k].end))
        at_damaged(zip->file, "%s", others[k].what);
}

void at_readZip(at_file *file, at_dict *dict)
{
  static const char object[] = "/data.pkl";
  at_zip zip;
  THGuard guard;
  at_zip_open(&zip, file, &guard);
  check_other(&zip);
  const at_member *pickle = NULL;
  for (int64_t i = 0; i < zip.count && !pickle; i++)
    if (zip.members[i].nameLength >= sizeof object && ends_in(&zip.members[i], object))
      pickle = &zip.members[i];
  if (pickle)
    at_readPt(&zip, pickle, dict);
  else
    at_readNpz(&zip, dict);
  THGuard_leave(&guard);
}
