/* NumPy's .npy: a magic, a version, the length of a header, the header (a Python dictionary as
 * text), and the elements. */
#include "Files.h"

enum { MAGIC = 6, ALIGNMENT = 64, MOST_TYPE = 99 };
static const char magic[] = "\x93NUMPY";

bool at_isNpy(const at_file *file)
{
  return !memcmp(file->head, magic, MAGIC);
}

/* --- the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ---------------- */

typedef struct Header {
  at_file *file;
  const char *at, *end;
  const at_type *type; /* NULL if it is not supported */
  char dtype[MOST_TYPE + 1];
  bool bigEndian, byColumns;
  int dims;
  int64_t size[AT_MOST_DIMS];
} Header;

static void unexpected(const Header *h, const char *wanted) TH_NO_RETURN;
static void unexpected(const Header *h, const char *wanted)
{
  at_damaged(h->file, "the header of the array is damaged: %s should stand before '%.*s'", wanted,
             (int)THMin(h->end - h->at, 20), h->at);
}

static char next(Header *h)
{
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
    h->at++;
  return h->at < h->end ? *h->at : '\0';
}

static bool take(Header *h, char character)
{
  if (next(h) != character)
    return false;
  h->at++;
  return true;
}

static void expect(Header *h, char character)
{
  if (!take(h, character))
    unexpected(h, (char[]){character, '\0'});
}

/* Reads a text without escapes to text. */
static void read_text(Header *h, char *text, size_t capacity)
{
  const char quote = next(h);
  if (quote != '\'' && quote != '"')
    unexpected(h, "a quote");
  const char *start = ++h->at;
  while (h->at < h->end && *h->at != quote && *h->at != '\\')
    h->at++;
  const size_t length = (size_t)(h->at - start);
  if (h->at == h->end || *h->at != quote || length >= capacity)
    unexpected(h, "a short text");
  memcpy(text, start, length);
  text[length] = '\0';
  h->at++;
}

/* Skips a list of fields, the type of records, up to its closing bracket. */
static void read_records(Header *h)
{
  const char *start = h->at;
  int depth = 0;
  char quote = '\0';
  do {
    if (h->at == h->end)
      unexpected(h, "]");
    const char c = *h->at++;
    if (quote)
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else
      depth += (c == '[' || c == '(') - (c == ']' || c == ')');
  } while (depth > 0);
  snprintf(h->dtype, sizeof h->dtype, "%.*s", (int)THMin(h->at - start, MOST_TYPE), start);
}

/* Reads a type such as "<f4"; | and = stand for no byte order and for that of this machine. */
static void read_type(Header *h)
{
  if (next(h) == '[') {
    read_records(h);
    return;
  }
  read_text(h, h->dtype, sizeof h->dtype);
  const char *name = h->dtype;
  h->bigEndian = !THDiskFile_isLittleEndianCPU();
  if (strchr("<>|=", *name) && *name)
    h->bigEndian = *name == '<' ? false : *name == '>' ? true : h->bigEndian, name++;
  if (!strcmp(name, "?"))
    name = "b1";
  for (int i = 0; i < AT_SCALAR_TYPES; i++)
    if (at_elements[i].npy && !strcmp(name, at_elements[i].npy))
      h->type = at_cpuType((at_scalar_type)i);
}

static void read_order(Header *h)
{
  const bool yes = next(h) == 'T';
  const char *word = yes ? "True" : "False";
  const size_t length = strlen(word);
  if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0)
    unexpected(h, "True or False");
  h->at += length;
  h->byColumns = yes;
}

static int64_t read_size(Header *h)
{
  int64_t value = 0;
  if (next(h) < '0' || next(h) > '9')
    unexpected(h, "a number");
  for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *h->at - '0', &value))
      unexpected(h, "the end of a number, which is too large,");
  if (h->at < h->end && *h->at == 'L') /* Python 2 wrote it after long integers */
    h->at++;
  return value;
}

static void read_sizes(Header *h)
{
  expect(h, '(');
  h->dims = 0;
  while (!take(h, ')')) {
    if (h->dims == AT_MOST_DIMS)
      at_damaged(h->file, "the array has more than %d dimensions", AT_MOST_DIMS);
    h->size[h->dims++] = read_size(h);
    if (next(h) != ')')
      expect(h, ',');
  }
}

/* Reads the keys, each once, in any order. */
static void read_header(Header *h)
{
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  static void (*const readers[])(Header *h) = {read_type, read_order, read_sizes};
  bool seen[] = {false, false, false};
  int count = 0;
  expect(h, '{');
  while (!take(h, '}')) {
    char key[24];
    read_text(h, key, sizeof key);
    expect(h, ':');
    int i = 0;
    while (i < 3 && strcmp(key, keys[i]) != 0)
      i++;
    if (i == 3 || seen[i])
      at_damaged(h->file, "the header of the array has the key '%s' once too often", key);
    seen[i] = true;
    count++;
    readers[i](h);
    if (next(h) != '}')
      expect(h, ',');
  }
  if (next(h) != '\0' || h->at != h->end)
    unexpected(h, "the end of the header");
  if (count != 3)
    at_damaged(h->file, "the header of the array lacks its type, order or shape");
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A view with the dimensions in reverse order. */
static at_tensor *reversed(at_tensor *t)
{
  int64_t dims[AT_MOST_DIMS];
  const int count = at_dim(t);
  for (int d = 0; d < count; d++)
    dims[d] = count - 1 - d;
  const at_ints order = {dims, count};
  return at_viewPermute(t, order);
}

/* Reads everything before the elements. */
static void read_start(Header *h, at_stream *stream)
{
  uint8_t start[MAGIC + 6];
  if (stream->left < MAGIC + 4)
    at_damaged(h->file, "an array does not begin as one");
  at_stream_read(stream, start, MAGIC + 4);
  if (memcmp(start, magic, MAGIC) != 0)
    at_damaged(h->file, "an array does not begin as one");
  const int version = start[MAGIC], digits = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    at_damaged(h->file, "the array is of version %d of the format; 1 to 3 are known", version);
  if (digits == 4 && stream->left >= 2)
    at_stream_read(stream, start + MAGIC + 4, 2);
  else if (digits == 4)
    at_damaged(h->file, "the file ends within the header of the array");
  const uint64_t length = at_little(start + MAGIC + 2, digits);
  if (length > stream->left)
    at_damaged(h->file, "the file ends within the header of the array");
  THGuard guard;
  THGuard_enter(&guard, THFree);
  char *text = guard.what = at_file_alloc(h->file, length);
  at_stream_read(stream, text, (size_t)length);
  h->at = text;
  h->end = text + length;
  read_header(h);
  THGuard_leave(&guard);
}

static void swap_sizes(Header *h)
{
  for (int d = 0; d < h->dims / 2; d++) {
    const int64_t first = h->size[d];
    h->size[d] = h->size[h->dims - 1 - d];
    h->size[h->dims - 1 - d] = first;
  }
}

bool at_readArray(at_stream *stream, const char *name, size_t length, at_dict *dict)
{
  Header h = {.file = stream->file};
  read_start(&h, stream);
  const at_ints sizes = {h.size, h.dims};
  const at_found found = {.name = name,
                          .length = length,
                          .type = h.type,
                          .dtype = h.type ? NULL : h.dtype,
                          .sizes = sizes};
  uint64_t wanted;
  if (h.type && (!at_bytesOf(h.type, sizes, &wanted) || wanted != stream->left))
    at_damaged(h.file, "an array of size (%s) of %s does not take the %llu bytes that there are",
               at_sizeDesc(sizes).str, at_scalarTypeName(h.type->scalarType),
               (unsigned long long)stream->left);
  if (!at_dict_wants(dict, h.file, &found))
    return false;
  if (h.byColumns)
    swap_sizes(&h);
  THGuard guard, view;
  at_guard(&guard);
  at_tensor *t = guard.what = at_newFromStream(stream, h.type, sizes, h.bigEndian);
  at_guard(&view);
  if (h.byColumns)
    t = view.what = reversed(t);
  at_dict_add(dict, h.file, &found, t);
  THGuard_leave(&view);
  THGuard_leave(&guard);
  return true;
}

void at_readNpy(at_file *file, at_dict *dict)
{
  at_stream stream = at_file_stream(file, 0);
  at_readArray(&stream, "", 0, dict);
}

/* --- writing ---------------------------------------------------------------------------------- */

at_tensor *at_newArray(at_tensor *t, at_bytes *header)
{
  const char *name = at_elements[t->type->scalarType].npy;
  if (!name)
    at_raise(AT_ERROR_TYPE, "a .npy file holds no %s", at_scalarTypeName(t->type->scalarType));
  THGuard view, result;
  at_guard(&view);
  at_guard(&result);
  at_tensor *reversedView = view.what = reversed(t);
  const bool byColumns = !at_isContiguous(t) && at_isContiguous(reversedView);
  at_tensor *elements = result.what = at_newLittle(byColumns ? reversedView : t);

  at_bytes_add(header, magic, MAGIC);
  at_bytes_add(header, "\1\0\0\0", 4); /* version 1.0, and two bytes for the length, set below */
  at_bytes_print(header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                 t->type->elementSize == 1 ? '|' : '<', name, byColumns ? "True" : "False");
  for (int d = 0; d < at_dim(t); d++)
    at_bytes_print(header, "%lld%s", (long long)at_size(t, d),
                   d + 1 < at_dim(t) ? ", "
                   : d == 0          ? ","
                                     : "");
  at_bytes_addText(header, "), }");
  while ((header->length + 1) % ALIGNMENT != 0)
    at_bytes_addText(header, " ");
  at_bytes_addText(header, "\n");
  const size_t length = header->length - MAGIC - 4;
  header->start[MAGIC + 2] = (uint8_t)length;
  header->start[MAGIC + 3] = (uint8_t)(length >> 8);
  THGuard_keep(&result);
  THGuard_leave(&view);
  return elements;
}

void at_writeArray(at_out *out, at_tensor *t)
{
  THGuard text, array;
  at_bytes header = {0};
  THGuard_enter(&text, at_bytes_free);
  text.what = &header;
  at_guard(&array);
  at_tensor *elements = array.what = at_newArray(t, &header);
  at_out_writeBytes(out, &header);
  at_out_write(out, at_hostData(elements), at_sizeInBytes(elements));
  THGuard_leave(&array);
  THGuard_leave(&text);
}

void at_writeNpy(at_out *out, const at_dict *dict)
{
  if (at_dict_count(dict) != 1)
    at_raise(AT_ERROR_ARGUMENT, "a .npy file holds one tensor, not %lld",
             (long long)at_dict_count(dict));
  at_writeArray(out, at_dict_at(dict, 0));
}
