/* Tensors as text, as PyTorch's print shows them.
 *
 * The text of an element depends on all elements that are shown: whether all are whole numbers, the
 * range of their values, the width of their texts.  So the elements are read three times: to choose
 * a style, to measure the width, and to write. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ATenCUDA.h"
#include "ATen/complex/complex.h"
#include "ATen/core/ATenCore.h"
#include "ATenPrint.h"
#include "TH/core/THFormat.h"

enum {
  LINE_WIDTH = 80,
  EDGE = 3,        /* elements shown at each end of a shortened dimension */
  THRESHOLD = 1000 /* tensors with more elements are shortened */
};

static const char opening[] = "tensor(";

/* --- text that grows ------------------------------------------------------------------------- */

typedef struct {
  char *data; /* held by guard */
  ptrdiff_t used, capacity;
  THGuard guard;
} Text;

static void reserve(Text *text, ptrdiff_t more)
{
  if (more <= text->capacity - text->used)
    return;
  if (more > PTRDIFF_MAX / 2 - text->used)
    THError("a text of %td characters is too long", text->used);
  text->capacity = THMax(256, 2 * (text->used + more));
  text->data = text->guard.what = THRealloc(text->data, text->capacity);
}

static void put(Text *text, const char *characters)
{
  const ptrdiff_t count = (ptrdiff_t)strlen(characters);
  reserve(text, count + 1);
  memcpy(text->data + text->used, characters, (size_t)count + 1);
  text->used += count;
}

static void put_many(Text *text, char c, ptrdiff_t count)
{
  reserve(text, count + 1);
  memset(text->data + text->used, c, (size_t)count);
  text->used += count;
  text->data[text->used] = '\0';
}

/* --- which elements are shown ---------------------------------------------------------------- */

typedef struct {
  const at_tensor *t;
  at_ints sizes;
  bool isCut;    /* whether long dimensions are shortened */
  int64_t count; /* of elements that are shown */
} Shown;

static bool is_cut(const Shown *shown, int dim)
{
  return shown->isCut && shown->sizes.data[dim] > 2 * EDGE;
}

/* The number of indices of a dimension that are shown. */
static int64_t along(const Shown *shown, int dim)
{
  return is_cut(shown, dim) ? 2 * EDGE : shown->sizes.data[dim];
}

static Shown shown_of(const at_tensor *t)
{
  Shown shown = {t, at_sizesOf(t), at_numel(t) > THRESHOLD, 1};
  for (int d = 0; d < shown.sizes.count; d++)
    shown.count *= along(&shown, d);
  return shown;
}

/* Element k, in row-major order, of those that are shown. */
static at_scalar element(const Shown *shown, int64_t k)
{
  ptrdiff_t offset = shown->t->th->storageOffset;
  for (int d = shown->sizes.count - 1; d >= 0; d--) {
    const int64_t n = along(shown, d);
    int64_t index = k % n;
    if (index >= EDGE)
      index += shown->sizes.data[d] - n; /* counted from the end */
    offset += index * shown->t->th->stride[d];
    k /= n;
  }
  if (shown->t->type->scalarType == AT_UINT64) /* all 64 bits */
    return at_scalar_long(((const int64_t *)shown->t->th->storage->data)[offset]);
  return at_elementAt(shown->t, offset);
}

/* --- one element ----------------------------------------------------------------------------- */

typedef enum { TRUTH, INTEGER, UNSIGNED, WHOLE, FIXED, SCIENTIFIC } Style;

/* Whether an element counts for style and width: zeros, infinities and NaNs do not. */
static bool has_a_say(at_scalar x)
{
  return !x.is_float || (isfinite(x.value.number) && x.value.number != 0);
}

static Style style_of(const Shown *shown)
{
  const at_scalar_type type = shown->t->type->scalarType;
  if (!at_isFloating(type))
    return type == AT_BOOL ? TRUTH : type == AT_UINT64 ? UNSIGNED : INTEGER;
  double least = INFINITY, most = 0;
  bool whole = true;
  for (int64_t k = 0; k < shown->count; k++) {
    const at_scalar x = element(shown, k);
    if (!has_a_say(x))
      continue;
    const double size = fabs(x.value.number);
    least = fmin(least, size);
    most = fmax(most, size);
    whole &= size == floor(size);
  }
  if (most / least > 1000 || most > 1e8 || least < 1e-4)
    return SCIENTIFIC;
  return whole ? WHOLE : FIXED;
}

typedef struct {
  char characters[32];
  int length;
} Number;

/* Formats a number.  The style is chosen so that FIXED and WHOLE numbers have at most nine digits
 * before the point. */
static Number number_of(at_scalar x, Style style)
{
  Number n;
  const size_t capacity = sizeof n.characters;
  if (style == TRUTH)
    snprintf(n.characters, capacity, "%s", x.value.integer ? "True" : "False");
  else if (style == UNSIGNED)
    snprintf(n.characters, capacity, "%llu", (unsigned long long)x.value.integer);
  else if (style == INTEGER)
    snprintf(n.characters, capacity, "%lld", (long long)x.value.integer);
  else if (isnan(x.value.number)) /* printf would show the sign of a NaN */
    snprintf(n.characters, capacity, "nan");
  else if (isinf(x.value.number))
    snprintf(n.characters, capacity, "%sinf", x.value.number < 0 ? "-" : "");
  else if (style == WHOLE)
    THFormat(n.characters, capacity, "%.0f.", x.value.number);
  else
    THFormat(n.characters, capacity, style == FIXED ? "%.4f" : "%.4e", x.value.number);
  n.length = (int)strlen(n.characters);
  return n;
}

static int width_of(const Shown *shown, Style style)
{
  int width = 1;
  for (int64_t k = 0; k < shown->count; k++) {
    const at_scalar x = element(shown, k);
    if (has_a_say(x))
      width = THMax(width, number_of(x, style).length);
  }
  return width;
}

/* --- all of them ----------------------------------------------------------------------------- */

typedef struct {
  Text *text;
  int dims;
  int perLine; /* elements that fit a line */
  int inLine;  /* elements in the current line */
} Rows;

/* The column of the brackets of a dimension. */
static int indent_of(int dim)
{
  return (int)strlen(opening) + dim;
}

/* Writes an item of a row: an element or dots. */
static void put_item(Rows *rows, const char *item, int width)
{
  if (rows->inLine == rows->perLine) {
    put(rows->text, ",\n");
    put_many(rows->text, ' ', indent_of(rows->dims));
    rows->inLine = 0;
  } else if (rows->inLine > 0) {
    put(rows->text, ", ");
  }
  put_many(rows->text, ' ', THMax(0, width - (int)strlen(item)));
  put(rows->text, item);
  rows->inLine++;
}

/* Writes the break before the next slice along dim. */
static void put_break(Rows *rows, int dim)
{
  put(rows->text, ",");
  put_many(rows->text, '\n', rows->dims - 1 - dim);
  put_many(rows->text, ' ', indent_of(dim + 1));
}

/* Writes what separates element k > 0 from the one before: the ends and beginnings of slices, and
 * dots for elements that are left out. */
static void put_between(Rows *rows, const Shown *shown, int64_t k)
{
  int dim = rows->dims - 1; /* the outermost dimension in which the index changes at element k */
  for (; k % along(shown, dim) == 0; dim--)
    k /= along(shown, dim);
  const bool skips = is_cut(shown, dim) && k % along(shown, dim) == EDGE;
  const int within = rows->dims - 1 - dim;
  if (within == 0) {
    if (skips)
      put_item(rows, " ...", 0);
    return;
  }
  put_many(rows->text, ']', within);
  put_break(rows, dim);
  if (skips) {
    put(rows->text, "...");
    put_break(rows, dim);
  }
  put_many(rows->text, '[', within);
  rows->inLine = 0;
}

/* What is shown of each element: the element, or its real and its imaginary part. */
typedef struct {
  Shown shown;
  Style style;
  int width;
} Part;

static Part part_of(const at_tensor *t)
{
  Part part = {.shown = shown_of(t)};
  part.style = style_of(&part.shown);
  part.width = width_of(&part.shown, part.style);
  return part;
}

static Number text_of(const Part *part, int64_t k)
{
  return number_of(element(&part->shown, k), part->style);
}

/* Writes element k; im is NULL unless it is complex. */
static void put_element(Rows *rows, const Part *re, const Part *im, int64_t k)
{
  const Number number = text_of(re, k);
  put_item(rows, number.characters, re->width);
  if (im) {
    const Number imaginary = text_of(im, k);
    put(rows->text, imaginary.characters[0] == '-' ? "" : "+");
    put(rows->text, imaginary.characters);
    put(rows->text, "j");
  }
}

static void put_parts(Text *text, const Part *re, const Part *im)
{
  const int dims = re->shown.sizes.count, width = re->width + (im ? im->width + 1 : 0);
  const int perLine = (LINE_WIDTH - indent_of(dims - 1)) / (width + 2);
  Rows rows = {text, dims, THMax(1, perLine), 0};
  put_many(text, '[', dims);
  for (int64_t k = 0; k < re->shown.count; k++) {
    if (k > 0)
      put_between(&rows, &re->shown, k);
    put_element(&rows, re, im, k);
  }
  put_many(text, ']', dims);
}

static void put_elements(Text *text, const at_tensor *t)
{
  at_pool pool;
  at_pool_enter(&pool);
  const bool isComplex = at_isComplex(t->type->scalarType);
  const Part re = part_of(isComplex ? at_hold(&pool, at_viewPart((at_tensor *)t, 0)) : t);
  if (isComplex) {
    const Part im = part_of(at_hold(&pool, at_viewPart((at_tensor *)t, 1)));
    put_parts(text, &re, &im);
  } else {
    put_parts(text, &re, NULL);
  }
  at_pool_leave(&pool);
}

/* --- size and type --------------------------------------------------------------------------- */

/* Writes a suffix such as the type, on the same line if it fits. */
static void put_suffix(Text *text, const char *suffix)
{
  const char *line = strrchr(text->data, '\n');
  const size_t used = strlen(line ? line + 1 : text->data);
  if (used + strlen(suffix) + 4 <= LINE_WIDTH) {
    put(text, ", ");
  } else {
    put(text, ",\n");
    put_many(text, ' ', indent_of(0));
  }
  put(text, suffix);
}

static void put_size(Text *text, at_ints sizes)
{
  Text size = {0};
  THGuard_enter(&size.guard, THFree);
  put(&size, "size=(");
  for (int d = 0; d < sizes.count; d++) {
    char number[32];
    snprintf(number, sizeof number, "%s%lld", d > 0 ? ", " : "", (long long)sizes.data[d]);
    put(&size, number);
  }
  put(&size, ")");
  put_suffix(text, size.data);
  THGuard_leave(&size.guard);
}

static const char *const types[AT_SCALAR_TYPES] = {
    [AT_BYTE] = "dtype=torch.uint8",
    [AT_CHAR] = "dtype=torch.int8",
    [AT_SHORT] = "dtype=torch.int16",
    [AT_INT] = "dtype=torch.int32",
    [AT_LONG] = "dtype=torch.int64",
    [AT_FLOAT] = "dtype=torch.float32",
    [AT_DOUBLE] = "dtype=torch.float64",
    [AT_HALF] = "dtype=torch.float16",
    [AT_BOOL] = "dtype=torch.bool",
    [AT_BFLOAT16] = "dtype=torch.bfloat16",
    [AT_COMPLEX_FLOAT] = "dtype=torch.complex64",
    [AT_COMPLEX_DOUBLE] = "dtype=torch.complex128",
    [AT_UINT16] = "dtype=torch.uint16",
    [AT_UINT32] = "dtype=torch.uint32",
    [AT_UINT64] = "dtype=torch.uint64",
};

/* Whether the type is shown: the elements alone do not determine it. */
static bool shows_type(at_scalar_type type, bool hasElements)
{
  const at_scalar_type usual = at_defaultType();
  const bool isUsualComplex = type == (usual == AT_DOUBLE ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT);
  if (type == AT_LONG || type == AT_BOOL || isUsualComplex)
    return !hasElements;
  return type != usual;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* device: the CUDA device that t was copied from, or -1. */
static void put_tensor(Text *text, const at_tensor *t, int device)
{
  char deviceSuffix[32];
  const bool hasElements = at_numel(t) > 0;
  put(text, opening);
  if (hasElements) {
    put_elements(text, t);
  } else {
    put(text, "[]");
  }
  if (device >= 0) {
    snprintf(deviceSuffix, sizeof deviceSuffix, "device='cuda:%d'", device);
    put_suffix(text, deviceSuffix);
  }
  if (!hasElements && at_dim(t) != 1)
    put_size(text, at_sizesOf(t));
  if (shows_type(t->type->scalarType, hasElements))
    put_suffix(text, types[t->type->scalarType]);
  put(text, ")");
}

static char *new_string(const at_tensor *t, int device)
{
  Text text = {0};
  THGuard_enter(&text.guard, THFree);
  if (at_defined(t))
    put_tensor(&text, t, device);
  else
    put(&text, "tensor(undefined)");
  return THGuard_keep(&text.guard);
}

char *at_toString(const at_tensor *t)
{
  at_call call;
  at_begin(&call, "toString");
  at_onDeviceOf(&call, t);
  char *volatile string = NULL;
  TH_TRY(call.attempt)
  {
    if (at_defined(t)) {
      THGuard copy;
      string = new_string(at_onHost(&copy, t), at_deviceOf(t));
      THGuard_leave(&copy);
    } else {
      string = new_string(NULL, -1);
    }
  }
  return at_failed(&call) ? NULL : string;
}

void at_string_free(char *string)
{
  THFree(string);
}

void at_print(const at_tensor *t)
{
  char *string = at_toString(t);
  if (string && puts(string) < 0)
    at_fail(AT_ERROR_RUNTIME, "print", "print: stdout: %s", strerror(errno));
  at_string_free(string);
}
