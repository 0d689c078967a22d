/* Reads golden values. */
#include "th_golden.h"

#include <ctype.h>

#ifndef TH_GOLDEN_DIR
#define TH_GOLDEN_DIR "tests/golden"
#endif

/* The text that is read, and the position in it. */
typedef struct Text {
  const char *file;
  const char *at;
} Text;

/* The next word, as a copy in word; 0 at the end. */
static int next_word(Text *text, char *word, size_t capacity)
{
  for (;;) {
    while (isspace((unsigned char)*text->at))
      text->at++;
    if (*text->at != '#')
      break;
    text->at += strcspn(text->at, "\n");
  }
  const size_t length = strcspn(text->at, " \t\r\n#");
  if (length >= capacity)
    fail_msg("%s: '%.40s...' is too long", text->file, text->at);
  memcpy(word, text->at, length);
  word[length] = 0;
  text->at += length;
  return length > 0;
}

static int64_t next_integer(Text *text, const char *what)
{
  char word[64], *end = NULL;
  if (!next_word(text, word, sizeof word))
    fail_msg("%s ends where %s should be", text->file, what);
  const int64_t value = strtoll(word, &end, 10);
  if (*end)
    fail_msg("%s: %s is '%s', which is no integer", text->file, what, word);
  return value;
}

static double next_number(Text *text, const char *what)
{
  char word[64], *end = NULL;
  if (!next_word(text, word, sizeof word))
    fail_msg("%s ends where %s should be", text->file, what);
  const double value = strtod(word, &end);
  if (*end)
    fail_msg("%s: %s is '%s', which is no number", text->file, what, word);
  return value;
}

static const char *const type_names[] = {
#define TYPE_NAME(Real, real, accreal) #Real,
    TH_FOR_EACH_TYPE(TYPE_NAME)
#undef TYPE_NAME
};

static int is_floating(THScalarType type)
{
  return type == THScalarFloat || type == THScalarDouble || type == THScalarHalf;
}

/* Reads an entry; 0 at the end of the text. */
static int next_entry(Text *text, THGolden *golden)
{
  char type[16];
  *golden = (THGolden){.count = 1};
  if (!next_word(text, golden->name, sizeof golden->name))
    return 0;
  next_word(text, type, sizeof type);
  while (golden->type < THScalarTypes && strcmp(type, type_names[golden->type]))
    golden->type++;
  if (golden->type == THScalarTypes)
    fail_msg("%s: %s has the unknown type '%s'", text->file, golden->name, type);

  golden->nDimension = (int)next_integer(text, "a number of dimensions");
  if (golden->nDimension < 0 || golden->nDimension > 8)
    fail_msg("%s: %s has %d dimensions", text->file, golden->name, golden->nDimension);
  for (int d = 0; d < golden->nDimension; d++) {
    golden->size[d] = next_integer(text, "a size");
    if (golden->size[d] < 0 || golden->size[d] > 1 << 24)
      fail_msg("%s: %s has a size %lld", text->file, golden->name, (long long)golden->size[d]);
    golden->count *= golden->size[d];
  }
  golden->values = calloc((size_t)golden->count + 1, sizeof *golden->values);
  assert_non_null(golden->values);
  for (ptrdiff_t i = 0; i < golden->count; i++)
    if (is_floating(golden->type))
      golden->values[i].number = next_number(text, golden->name);
    else
      golden->values[i].integer = next_integer(text, golden->name);
  return 1;
}

static char *read_all(const char *path)
{
  FILE *stream = fopen(path, "rb");
  if (!stream)
    fail_msg("cannot open %s", path);
  fseek(stream, 0, SEEK_END);
  const long size = ftell(stream);
  rewind(stream);
  char *contents = malloc((size_t)size + 1);
  assert_non_null(contents);
  assert_int_equal(fread(contents, 1, (size_t)size, stream), size);
  contents[size] = 0;
  fclose(stream);
  return contents;
}

char *th_golden_text(const char *name)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", TH_GOLDEN_DIR, name);
  return read_all(path);
}

/* The slot of that name: the one that has it, or the empty one where it belongs.  The hash is FNV-1a. */
static size_t slot_of(const THGoldenFile *file, const char *name)
{
  uint64_t hash = 14695981039346656037U;
  for (const char *at = name; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 1099511628211U;
  size_t slot = hash & (file->slotCount - 1);
  while (file->slots[slot] >= 0 && strcmp(file->entries[file->slots[slot]].name, name))
    slot = (slot + 1) & (file->slotCount - 1);
  return slot;
}

static void index_entries(THGoldenFile *file)
{
  for (file->slotCount = 16; file->slotCount < 2 * (size_t)file->count;)
    file->slotCount *= 2;
  file->slots = malloc(file->slotCount * sizeof *file->slots);
  assert_non_null(file->slots);
  for (size_t i = 0; i < file->slotCount; i++)
    file->slots[i] = -1;
  for (ptrdiff_t i = file->count - 1; i >= 0; i--) /* the first of a name wins */
    file->slots[slot_of(file, file->entries[i].name)] = i;
}

THGoldenFile *th_golden_open(const char *name)
{
  THGoldenFile *file = calloc(1, sizeof *file);
  assert_non_null(file);
  snprintf(file->name, sizeof file->name, "%s/%s", TH_GOLDEN_DIR, name);
  char *contents = read_all(file->name);
  Text text = {file->name, contents};
  THGolden golden;
  while (next_entry(&text, &golden)) {
    file->entries = realloc(file->entries, ((size_t)file->count + 1) * sizeof golden);
    assert_non_null(file->entries);
    file->entries[file->count++] = golden;
  }
  free(contents);
  index_entries(file);
  return file;
}

void th_golden_close(THGoldenFile *file)
{
  for (ptrdiff_t i = 0; i < file->count; i++)
    free(file->entries[i].values);
  free(file->entries);
  free(file->slots);
  free(file);
}

const THGolden *th_golden_find(const THGoldenFile *file, const char *name)
{
  const ptrdiff_t at = file->slots[slot_of(file, name)];
  return at < 0 ? NULL : &file->entries[at];
}

const THGolden *th_golden(const THGoldenFile *file, const char *format, ...)
{
  char name[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  const THGolden *const found = th_golden_find(file, name);
  if (!found)
    fail_msg("%s has no entry %s", file->name, name);
  return found;
}

double th_golden_number(const THGolden *golden, ptrdiff_t i)
{
  return is_floating(golden->type) ? golden->values[i].number : (double)golden->values[i].integer;
}

/* The size of a tensor of that type; a scalar becomes a vector of one element. */
static int64_t *size_of(const THGolden *golden, THScalarType type)
{
  static int64_t one = 1;
  if (golden->type != type)
    fail_msg("%s is of type %s, not %s", golden->name, type_names[golden->type], type_names[type]);
  return golden->nDimension ? (int64_t *)golden->size : &one;
}

/* Element i as a type. */
#define VALUE(REAL, GOLDEN, I)                                    \
  (is_floating((GOLDEN)->type) ? (REAL)(GOLDEN)->values[I].number \
                               : (REAL)(GOLDEN)->values[I].integer)

#define TH_GOLDEN_NEW(Real, real, accreal)                                         \
  TH##Real##Tensor *th_golden_new##Real(const THGolden *golden)                    \
  {                                                                                \
    int64_t *size = size_of(golden, THScalar##Real);                               \
    TH##Real##Tensor *tensor = TH##Real##Tensor_new();                             \
    if (golden->count > 0)                                                         \
      TH##Real##Tensor_resizeNd(tensor, THMax(golden->nDimension, 1), size, NULL); \
    for (ptrdiff_t i = 0; i < golden->count; i++)                                  \
      TH##Real##Tensor_data(tensor)[i] = VALUE(real, golden, i);                   \
    return tensor;                                                                 \
  }
TH_FOR_EACH_TYPE_BUT_HALF(TH_GOLDEN_NEW)
