/* Reading and writing safetensors files. */
#include "safetensors.h"

#include <inttypes.h>
#include <stdarg.h>

#include "fail.h"
#include "file.h"
#include "json.h"

enum {
  LENGTH_BYTES = 8,      /* the length of the header, lowest byte first */
  HEADER_LIMIT = 1 << 16 /* bytes; that of our eight tensors takes some 700 */
};

/* --- bytes: the format is little-endian whatever the machine is ----------------------------- */

static void put_bytes(unsigned char *at, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++)
    at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_bytes(const unsigned char *at, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

static void put_float(unsigned char *at, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_bytes(at, bits, 4);
}

static float get_float(const unsigned char *at)
{
  const uint32_t bits = (uint32_t)get_bytes(at, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static size_t data_size(int count, THFloatTensor *const tensors[])
{
  size_t size = 0;
  for (int i = 0; i < count; i++)
    size += 4 * (size_t)THFloatTensor_nElement(tensors[i]);
  return size;
}

static void check_contiguous(int count, THFloatTensor *const tensors[])
{
  for (int i = 0; i < count; i++)
    THArgCheck(THFloatTensor_isContiguous(tensors[i]), 4, "tensor %d is not contiguous", i);
}

/* --- saving ------------------------------------------------------------------------------- */

/* A text that grows up to the size of its buffer. */
typedef struct Text {
  char *start;
  size_t length, limit;
} Text;

static void append(Text *text, const char *format, ...) TH_PRINTF_LIKE(2, 3);

static void append(Text *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length =
      vsnprintf(text->start + text->length, text->limit - text->length, format, arguments);
  va_end(arguments);
  THAssert(length >= 0 && (size_t)length < text->limit - text->length);
  text->length += (size_t)length;
}

static void write_header(Text *text, int count, const char *const names[],
                         THFloatTensor *const tensors[])
{
  size_t offset = 0;
  append(text, "{\"__metadata__\":{\"format\":\"pt\"}");
  for (int i = 0; i < count; i++) {
    append(text, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", names[i]);
    for (int d = 0; d < tensors[i]->nDimension; d++)
      append(text, "%s%" PRId64, d ? "," : "", tensors[i]->size[d]);
    const size_t end = offset + data_size(1, &tensors[i]);
    append(text, "],\"data_offsets\":[%zu,%zu]}", offset, end);
    offset = end;
  }
  append(text, "}");
  while (text->length % 8) /* so that the numbers are aligned in memory that maps the file */
    append(text, " ");
}

void safetensors_save(const char *path, int count, const char *const names[],
                      THFloatTensor *const tensors[])
{
  check_contiguous(count, tensors);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  unsigned char *bytes = guard.what =
      THAlloc((ptrdiff_t)(LENGTH_BYTES + HEADER_LIMIT + data_size(count, tensors)));

  Text header = {.start = (char *)bytes + LENGTH_BYTES, .limit = HEADER_LIMIT};
  write_header(&header, count, names, tensors);
  put_bytes(bytes, header.length, LENGTH_BYTES);
  unsigned char *at = bytes + LENGTH_BYTES + header.length;
  for (int i = 0; i < count; i++) {
    const float *value = THFloatTensor_data(tensors[i]);
    for (ptrdiff_t k = THFloatTensor_nElement(tensors[i]); k > 0; k--, at += 4)
      put_float(at, *value++);
  }

  file_replace(path, bytes, (size_t)(at - bytes));
  THGuard_leave(&guard);
}

/* --- loading: the header ------------------------------------------------------------------ */

/* What is wanted and what was found of it. */
typedef struct Contents {
  const char *path;
  int count;
  const char *const *names;
  THFloatTensor *const *tensors;
  const unsigned char **starts; /* where each tensor's numbers are; NULL until it is found */
  const unsigned char *data;
  size_t size;
} Contents;

static void read_shape(Json *json, const Contents *contents, int i)
{
  const THFloatTensor *tensor = contents->tensors[i];
  int dimensions = 0, same = 1;
  json_expect(json, '[');
  if (!json_take(json, ']'))
    do {
      const int64_t size = json_number(json);
      same = same && dimensions < tensor->nDimension && size == tensor->size[dimensions];
      dimensions++;
    } while (same && json_more(json, ']'));
  if (!same || dimensions != tensor->nDimension)
    fail("%s: %s has another shape than %s", contents->path, contents->names[i],
         THFloatTensor_sizeDesc(tensor).str);
}

/* The numbers of one tensor: exactly as many as it takes, and inside of the data. */
static void read_offsets(Json *json, const Contents *contents, int i)
{
  json_expect(json, '[');
  const int64_t begin = json_number(json);
  json_expect(json, ',');
  const int64_t end = json_number(json);
  json_expect(json, ']');
  if (begin > end || (uint64_t)end > contents->size)
    fail("%s: %s lies from byte %" PRId64 " to byte %" PRId64 " of %zu", contents->path,
         contents->names[i], begin, end, contents->size);
  if ((uint64_t)(end - begin) != data_size(1, &contents->tensors[i]))
    fail("%s: %s takes %zu bytes and has %" PRId64, contents->path, contents->names[i],
         data_size(1, &contents->tensors[i]), end - begin);
  contents->starts[i] = contents->data + begin;
}

/* { "dtype": "F32", "shape": [...], "data_offsets": [begin, end] }, in any order, each once. */
static void read_tensor(Json *json, const Contents *contents, int i)
{
  static const char *const keys[] = {"dtype", "shape", "data_offsets"};
  int seen[] = {0, 0, 0}, members = 0;
  json_expect(json, '{');
  do {
    const JsonString key = json_string(json);
    int k = 0;
    while (k < 3 && !json_equal(key, keys[k]))
      k++;
    if (k == 3 || seen[k]++)
      fail("%s: %s is described with '%.*s' once too often", contents->path, contents->names[i],
           (int)(key.length < 40 ? key.length : 40), key.at);
    members++;
    json_expect(json, ':');
    if (k == 0 && !json_equal(json_string(json), "F32"))
      fail("%s: %s has another type than F32", contents->path, contents->names[i]);
    else if (k == 1)
      read_shape(json, contents, i);
    else if (k == 2)
      read_offsets(json, contents, i);
  } while (json_more(json, '}'));
  if (members != 3)
    fail("%s: the type, the shape or the offset of %s is missing", contents->path,
         contents->names[i]);
}

/* { "key": "value", ... }: anything goes, and nothing of it matters here. */
static void skip_metadata(Json *json)
{
  json_expect(json, '{');
  if (!json_take(json, '}'))
    do {
      json_string(json);
      json_expect(json, ':');
      json_string(json);
    } while (json_more(json, '}'));
}

static void read_header(Json *json, const Contents *contents)
{
  int metadata = 0;
  json_expect(json, '{');
  if (!json_take(json, '}'))
    do {
      const JsonString name = json_string(json);
      json_expect(json, ':');
      if (json_equal(name, "__metadata__") && !metadata++) {
        skip_metadata(json);
        continue;
      }
      int i = 0;
      while (i < contents->count && !json_equal(name, contents->names[i]))
        i++;
      if (i == contents->count || contents->starts[i])
        fail("%s: there is a tensor '%.*s' too many", contents->path,
             (int)(name.length < 40 ? name.length : 40), name.at);
      read_tensor(json, contents, i);
    } while (json_more(json, '}'));
  json_finish(json);

  for (int i = 0; i < contents->count; i++)
    if (!contents->starts[i])
      fail("%s: there is no tensor %s", contents->path, contents->names[i]);
}

/* --- loading: the numbers ----------------------------------------------------------------- */

/* Tensors that do not overlap and are as many bytes as the data leave no byte of it unused. */
static void check_places(const Contents *contents)
{
  if (data_size(contents->count, contents->tensors) != contents->size)
    fail("%s: there are %zu bytes of numbers instead of %zu", contents->path, contents->size,
         data_size(contents->count, contents->tensors));
  for (int i = 0; i < contents->count; i++)
    for (int j = 0; j < i; j++) {
      const unsigned char *a = contents->starts[i], *b = contents->starts[j];
      if (a < b + data_size(1, &contents->tensors[j]) &&
          b < a + data_size(1, &contents->tensors[i]))
        fail("%s: %s and %s overlap", contents->path, contents->names[j], contents->names[i]);
    }
}

static void check_numbers(const Contents *contents)
{
  for (int i = 0; i < contents->count; i++)
    for (ptrdiff_t k = 0; k < THFloatTensor_nElement(contents->tensors[i]); k++)
      if (!isfinite(get_float(contents->starts[i] + 4 * k)))
        fail("%s: number %td of %s is not finite", contents->path, k + 1, contents->names[i]);
}

void safetensors_load(const char *path, int count, const char *const names[],
                      THFloatTensor *const tensors[])
{
  check_contiguous(count, tensors);
  size_t size;
  unsigned char *bytes =
      file_read(path, LENGTH_BYTES + HEADER_LIMIT + data_size(count, tensors), &size);
  THGuard freeing, freeingStarts;
  THGuard_enter(&freeing, THFree);
  freeing.what = bytes;
  if (size < LENGTH_BYTES)
    fail("%s: the file ends too early: part of it is missing", path);
  const uint64_t length = get_bytes(bytes, LENGTH_BYTES);
  if (length > HEADER_LIMIT)
    fail("%s: the header would have %" PRIu64 " bytes: this is not a network saved here", path,
         length);
  if (length > size - LENGTH_BYTES)
    fail("%s: the file ends too early: part of it is missing", path);

  THGuard_enter(&freeingStarts, THFree);
  Contents contents = {.path = path, .count = count, .names = names, .tensors = tensors};
  contents.starts = freeingStarts.what = THAlloc((ptrdiff_t)sizeof *contents.starts * count);
  for (int i = 0; i < count; i++)
    contents.starts[i] = NULL;
  contents.data = bytes + LENGTH_BYTES + length;
  contents.size = size - LENGTH_BYTES - length;

  const char *header = (const char *)bytes + LENGTH_BYTES;
  if (length == 0 || header[0] != '{')
    fail("%s: there is no header: this is not a network saved here", path);
  Json json = {.start = header, .at = header, .end = header + length, .path = path};
  read_header(&json, &contents);
  check_places(&contents);
  check_numbers(&contents);

  /* Everything is as it should be, and from here on nothing can fail. */
  for (int i = 0; i < count; i++) {
    float *value = THFloatTensor_data(tensors[i]);
    for (ptrdiff_t k = 0; k < THFloatTensor_nElement(tensors[i]); k++)
      value[k] = get_float(contents.starts[i] + 4 * k);
  }
  THGuard_leave(&freeingStarts);
  THGuard_leave(&freeing);
}
