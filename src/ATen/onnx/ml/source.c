/* What is read of a node of ai.onnx.ml when the program is loaded. */
#include "Ml.h"

void at_mlFails(const at_mlSource *s, const char *format, ...)
{
  enum { MOST_TEXT = 200 };
  char text[MOST_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  at_damaged(s->names->building->onnx->file, "'%.100s', a node of %.100s: %s", s->item->name,
             s->item->type, text);
}

void *at_mlTake(const at_mlSource *s, int64_t count, size_t size)
{
  return at_arena_take(s->names->building->onnx->arena, (uint64_t)count, size);
}

/* --- one value --------------------------------------------------------------------------------- */

static const at_attribute *attribute_of(const at_mlSource *s, const char *name, int64_t type,
                                        const char *what)
{
  const at_attribute *const a = at_attributeOf(s->item, name);
  if (a && a->type != type)
    at_mlFails(s, "%s is no %s", name, what);
  return a;
}

bool at_mlHas(const at_mlSource *s, const char *name)
{
  return at_attributeOf(s->item, name) != NULL;
}

int64_t at_mlInt(const at_mlSource *s, const char *name, int64_t otherwise)
{
  const at_attribute *const a = attribute_of(s, name, AT_ATTRIBUTE_INT, "integer");
  return a ? a->integer : otherwise;
}

double at_mlFloat(const at_mlSource *s, const char *name, double otherwise)
{
  const at_attribute *const a = attribute_of(s, name, AT_ATTRIBUTE_FLOAT, "floating number");
  return a ? a->number : otherwise;
}

int at_mlChoice(const at_mlSource *s, const char *name, const char *otherwise,
                const char *const *names, int count)
{
  const at_attribute *const a = attribute_of(s, name, AT_ATTRIBUTE_TEXT, "text");
  const char *const text = a ? a->text : otherwise;
  for (int i = 0; i < count; i++)
    if (!strcmp(text, names[i]))
      return i;
  at_mlFails(s, "%s is '%.40s', which is none of the standard", name, text);
}

/* --- lists ------------------------------------------------------------------------------------- */

/* The attribute of that name, or of that name with _as_tensor behind it. */
static const at_attribute *list_of(const at_mlSource *s, const char *name)
{
  enum { MOST_NAME = 64 };
  char other[MOST_NAME];
  const at_attribute *const a = at_attributeOf(s->item, name);
  snprintf(other, sizeof other, "%s_as_tensor", name);
  return a ? a : at_attributeOf(s->item, other);
}

static const at_cell *cells_of(const at_mlSource *s, const char *name, int64_t wanted,
                               int64_t *count)
{
  const at_attribute *const a = list_of(s, name);
  const at_cell *cells = a ? a->list : NULL;
  *count = a ? a->count : 0;
  if (a && a->type == AT_ATTRIBUTE_TENSOR)
    cells = at_cellsOf(s->names->building->onnx, a->message, count);
  else if (a && a->type != AT_ATTRIBUTE_FLOATS && a->type != AT_ATTRIBUTE_INTS)
    at_mlFails(s, "%s is no list of numbers", name);
  if (wanted >= 0 && *count != wanted)
    at_mlFails(s, "%s has %lld numbers, and has to have %lld", name, (long long)*count,
               (long long)wanted);
  return cells;
}

at_mlFloats at_mlFloatsOf(const at_mlSource *s, const char *name, int64_t count)
{
  int64_t n;
  const at_cell *const cells = cells_of(s, name, count, &n);
  double *const data = at_mlTake(s, n, sizeof *data);
  for (int64_t i = 0; i < n; i++)
    data[i] = cells[i].kind == AT_CELL_FLOAT ? cells[i].is.number : (double)cells[i].is.integer;
  return (at_mlFloats){n, data};
}

at_mlInts at_mlIntsOf(const at_mlSource *s, const char *name, int64_t count)
{
  int64_t n;
  const at_cell *const cells = cells_of(s, name, count, &n);
  int64_t *const data = at_mlTake(s, n, sizeof *data);
  for (int64_t i = 0; i < n; i++) {
    if (cells[i].kind == AT_CELL_FLOAT)
      at_mlFails(s, "%s is no list of integers", name);
    data[i] = cells[i].is.integer;
  }
  return (at_mlInts){n, data};
}

at_onnxTexts at_mlTextsOf(const at_mlSource *s, const char *name)
{
  const at_attribute *const a = attribute_of(s, name, AT_ATTRIBUTE_TEXTS, "list of texts");
  return a ? (at_onnxTexts){a->count, a->texts} : (at_onnxTexts){0, NULL};
}

at_scalar_type at_mlTypeOf(const at_mlSource *s, const char *name)
{
  const at_attribute *const a = at_attributeOf(s->item, name);
  return a && a->type == AT_ATTRIBUTE_TENSOR ? at_typeOfTensor(s->names->building->onnx, a->message)
                                             : AT_SCALAR_TYPES;
}

/* --- keys -------------------------------------------------------------------------------------- */

static int compare(const at_mlKey *a, int64_t first, int64_t second)
{
  if (a->first != first)
    return a->first < first ? -1 : 1;
  return a->second < second ? -1 : a->second > second;
}

static int compare_keys(const at_mlKey *a, const at_mlKey *b)
{
  const int order = compare(a, b->first, b->second);
  return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static void sift(at_mlKey *keys, int64_t from, int64_t end)
{
  for (int64_t child; (child = 2 * from + 1) < end; from = child) {
    if (child + 1 < end && compare_keys(&keys[child], &keys[child + 1]) < 0)
      child++;
    if (compare_keys(&keys[from], &keys[child]) >= 0)
      return;
    const at_mlKey moved = keys[from];
    keys[from] = keys[child];
    keys[child] = moved;
  }
}

/* Sorts by heaps: files are not trusted to be far from the worst case of a faster sort. */
void at_mlSort(at_mlKey *keys, int64_t count)
{
  bool isSorted = true;
  for (int64_t i = 1; i < count && isSorted; i++)
    isSorted = compare_keys(&keys[i - 1], &keys[i]) < 0;
  if (isSorted)
    return;
  for (int64_t i = count / 2; i-- > 0;)
    sift(keys, i, count);
  for (int64_t end = count - 1; end > 0; end--) {
    const at_mlKey last = keys[end];
    keys[end] = keys[0];
    keys[0] = last;
    sift(keys, 0, end);
  }
}

int64_t at_mlFind(const at_mlKey *keys, int64_t count, int64_t first, int64_t second)
{
  int64_t low = 0;
  while (count > 0) {
    const int64_t half = count / 2;
    const bool isLess = compare(&keys[low + half], first, second) < 0;
    low = isLess ? low + half + 1 : low;
    count = isLess ? count - half - 1 : half;
  }
  return low;
}
