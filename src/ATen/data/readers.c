/* Files of data sets: IDX, CIFAR's binary files, and tables of numbers as text. */
#define _GNU_SOURCE /* strtod_l */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "ATenData.h"

#include "ATen/files/Files.h"
#include "TH/core/THFormat.h"

/* Ends a file of which all bytes before that offset were used. */
static void check_end(const at_file *file, uint64_t end)
{
  if (end != file->size)
    at_damaged(file, "%llu bytes follow its elements", (unsigned long long)(file->size - end));
}

/* --- IDX -------------------------------------------------------------------------------------- */

static uint64_t big_endian(const uint8_t *bytes, int count)
{
  uint64_t value = 0;
  for (int i = 0; i < count; i++)
    value = value << 8 | bytes[i];
  return value;
}

static const at_type *idx_type(uint8_t code)
{
  static const at_scalar_type types[] = {[8] = AT_BYTE, [9] = AT_CHAR,   [11] = AT_SHORT,
                                         [12] = AT_INT, [13] = AT_FLOAT, [14] = AT_DOUBLE};
  const bool isKnown = code >= 8 && code <= 14 && code != 10;
  return isKnown ? at_cpuType(types[code]) : NULL;
}

static at_tensor *read_idx(at_file *file)
{
  enum { MAGIC = 4 };
  uint8_t bytes[4];
  int64_t buffer[UINT8_MAX];
  uint64_t length;
  at_file_read(file, 0, bytes, MAGIC);
  const at_type *const type = idx_type(bytes[2]);
  const at_ints sizes = {buffer, bytes[3]};
  if (bytes[0] || bytes[1] || !type)
    at_damaged(file, "it is no IDX file: it begins with the bytes %02x %02x %02x %02x", bytes[0],
               bytes[1], bytes[2], bytes[3]);
  for (int d = 0; d < sizes.count; d++) {
    at_file_read(file, MAGIC + 4 * (uint64_t)d, bytes, sizeof bytes);
    buffer[d] = (int64_t)big_endian(bytes, sizeof bytes);
  }
  const uint64_t begin = MAGIC + 4 * (uint64_t)sizes.count;
  if (!at_bytesOf(type, sizes, &length) || length > file->size - begin)
    at_damaged(file, "the file ends before its elements, which are of size (%s)",
               at_sizeDesc(sizes).str);
  check_end(file, begin + length);
  at_stream stream = at_file_stream(file, begin);
  return at_newFromStream(&stream, type, sizes, true);
}

at_tensor *(at_load_idx)(const char *path)
{
  at_call call = {.operation = "load_idx"};
  at_tensor *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open;
    at_file_open(&file, path, &open);
    made = read_idx(&file);
    THGuard_leave(&open);
  }
  return at_return(&call, made, true);
}

/* --- CIFAR ------------------------------------------------------------------------------------ */

enum { IMAGE = 3 * 32 * 32 };

static void read_cifar(at_file *file, int classes, at_tensor **results)
{
  const int labels = classes == 10 ? 1 : 2;
  const int64_t count = (int64_t)(file->size / (size_t)(IMAGE + labels));
  const int64_t imageSizes[] = {count, 3, 32, 32}, labelSizes[] = {count, labels};
  if (file->size % (size_t)(IMAGE + labels) != 0)
    at_damaged(file, "it has %zu bytes, which are no whole number of images of %d bytes",
               file->size, IMAGE + labels);
  results[0] = at_newElements(file, at_cpuType(AT_BYTE), (at_ints){imageSizes, 4});
  results[1] = at_newElements(file, at_cpuType(AT_LONG), (at_ints){labelSizes, labels});
  uint8_t *const image = at_hostData(results[0]);
  int64_t *const label = at_hostData(results[1]);
  for (int64_t i = 0; i < count; i++) {
    const uint64_t at = (uint64_t)i * (uint64_t)(IMAGE + labels);
    uint8_t read[2];
    at_file_read(file, at, read, (size_t)labels);
    for (int k = 0; k < labels; k++)
      label[i * labels + k] = read[k];
    const int most = labels == 1 ? 10 : 100;
    if (read[labels - 1] >= most || (labels == 2 && read[0] >= 20))
      at_damaged(file, "image %lld has the label %d", (long long)i, read[labels - 1]);
    at_file_read(file, at + (uint64_t)labels, image + i * IMAGE, IMAGE);
  }
}

const at_tensors *(at_load_cifar)(const char *path, int classes)
{
  at_call call = {.operation = "load_cifar"};
  const at_tensors *volatile list = NULL;
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open, guard;
    if (classes != 10 && classes != 100)
      at_raise(AT_ERROR_ARGUMENT, "classes is %d, and has to be 10 or 100", classes);
    at_file_open(&file, path, &open);
    THGuard_enter(&guard, (THUndo)at_list_release);
    at_tensors *const made = guard.what = at_newList(2);
    read_cifar(&file, classes, (at_tensor **)made->data);
    list = THGuard_keep(&guard);
    THGuard_leave(&open);
  }
  return at_returnList(&call, list);
}

/* --- tables of numbers ------------------------------------------------------------------------ */

const at_load_csv_options at_load_csv_defaults = {.delimiter = ','};

/* A position in the text, which ends with a 0. */
typedef struct Text {
  const at_file *file;
  const char *at, *end;
  char delimiter;
  int64_t line;
} Text;

static void skip_blanks(Text *t)
{
  while (t->at < t->end && *t->at != t->delimiter && (*t->at == ' ' || *t->at == '\t'))
    t->at++;
}

static bool ends_line(const Text *t)
{
  return t->at == t->end || *t->at == '\n' || *t->at == '\r';
}

/* Behind \n, \r, or both. */
static void next_line(Text *t)
{
  while (!ends_line(t))
    t->at++;
  t->at += t->at + 1 < t->end && t->at[0] == '\r' && t->at[1] == '\n';
  t->at += t->at < t->end;
  t->line++;
}

/* Reads a field, and what follows it up to the next one; field is its number in the line. */
static double read_field(Text *t, int64_t field)
{
  skip_blanks(t);
  const bool isQuoted = t->at < t->end && *t->at == '"';
  t->at += isQuoted;
  char *end = (char *)t->at;
  const bool isEmpty = ends_line(t) || *t->at == t->delimiter || *t->at == '"';
  const double value = isEmpty ? (double)NAN : strtod_l(t->at, &end, THFormat_locale());
  const bool isNumber =
      isEmpty || (end > t->at && end <= t->end && !isspace((unsigned char)*t->at));
  t->at = end;
  const bool isClosed = !isQuoted || (t->at < t->end && *t->at == '"');
  t->at += isQuoted && isClosed;
  skip_blanks(t);
  if (!isNumber || !isClosed || !(ends_line(t) || *t->at == t->delimiter))
    at_damaged(t->file, "line %lld: field %lld is no number", (long long)t->line, (long long)field);
  return value;
}

/* Reads all lines into values, or counts them if values is NULL; returns the number of lines. */
static int64_t read_lines(Text t, int64_t skip, int64_t *columns, double *values)
{
  int64_t rows = 0;
  for (; skip > 0 && t.at < t.end; skip--)
    next_line(&t);
  for (; t.at < t.end; next_line(&t)) {
    skip_blanks(&t);
    if (ends_line(&t))
      continue;
    int64_t count = 0;
    for (bool more = true; more; count++) {
      const double value = read_field(&t, count + 1);
      if (values)
        values[rows * *columns + count] = value;
      more = !ends_line(&t);
      t.at += more;
    }
    if (rows > 0 && count != *columns)
      at_damaged(t.file, "line %lld has %lld fields, and the first %lld", (long long)t.line,
                 (long long)count, (long long)*columns);
    *columns = count;
    rows++;
  }
  return rows;
}

static at_tensor *read_csv(at_file *file, const at_load_csv_options *options)
{
  THGuard memory, guard;
  THGuard_enter(&memory, THFree);
  char *const text = memory.what = at_file_alloc(file, (uint64_t)file->size + 1);
  at_file_read(file, 0, text, file->size);
  text[file->size] = '\0';
  const Text t = {file, text, text + file->size, options->delimiter, 1};
  int64_t sizes[2] = {0, 0};
  sizes[0] = read_lines(t, options->skip, &sizes[1], NULL);
  at_guard(&guard);
  at_tensor *const made = guard.what =
      at_newElements(file, at_cpuType(AT_DOUBLE), (at_ints){sizes, 2});
  if (sizes[0] > 0)
    read_lines(t, options->skip, &sizes[1], at_hostData(made));
  const at_type *const type = at_typeGiven(options->type);
  at_tensor *const result = at_newCast(made, type ? type : at_cpuType(AT_FLOAT));
  THGuard_leave(&guard);
  THGuard_leave(&memory);
  return result;
}

at_tensor *(at_load_csv)(const char *path, const at_load_csv_options *options)
{
  const at_load_csv_options *const o = options ? options : &at_load_csv_defaults;
  at_call call = {.operation = "load_csv"};
  at_tensor *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    const at_type *const type = at_typeGiven(o->type);
    if (type && (!at_isOnHost(type) || !at_isFloating(type->scalarType)))
      at_raise(AT_ERROR_TYPE, "type is %s, and has to be a floating type of the CPU", type->name);
    if (!o->delimiter || isalnum((unsigned char)o->delimiter) || strchr(".+-\"\n\r", o->delimiter))
      at_raise(AT_ERROR_ARGUMENT, "delimiter is the character %d, which may be in a field",
               o->delimiter);
    if (o->skip < 0)
      at_raise(AT_ERROR_ARGUMENT, "skip is %lld, and may not be negative", (long long)o->skip);
    at_file file;
    THGuard open;
    at_file_open(&file, path, &open);
    made = read_csv(&file, o);
    THGuard_leave(&open);
  }
  return at_return(&call, made, true);
}
