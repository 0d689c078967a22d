/* Reads digits.csv.gz: all of it is unpacked into memory, and then read number by number. */
#include "data.h"

#include <errno.h>
#include <zlib.h>

#include "fail.h"

enum {
  PIXELS = DIGIT_SIDE * DIGIT_SIDE,
  TEXT_FIRST = 1 << 16,  /* bytes to begin with */
  TEXT_LIMIT = 16 << 20, /* bytes; a small damaged file could unpack to a very large one */
};

/* --- unpacking ---------------------------------------------------------------------------- */

static void close_gzip(void *file)
{
  gzclose(file);
}

/* The unpacked text, in memory that THFree releases: no more than what is unpacked needs. */
static char *unpack(const char *path, size_t *length)
{
  errno = 0;
  gzFile file = gzopen(path, "rbe");
  if (!file)
    fail("%s: cannot read it: %s", path, strerror(errno ? errno : ENOMEM));
  THGuard closing, freeing;
  THGuard_enter(&closing, close_gzip);
  closing.what = file;
  THGuard_enter(&freeing, THFree);

  errno = 0;
  int capacity = 0, total = 0, got = 0;
  do {
    capacity = capacity ? 2 * capacity : TEXT_FIRST;
    char *text = freeing.what = THRealloc(freeing.what, capacity);
    got = gzread(file, text + total, (unsigned)(capacity - total));
    total += got;
  } while (got >= 0 && total == capacity && capacity < TEXT_LIMIT);
  int status;
  gzerror(file, &status);
  if (got < 0 && status == Z_ERRNO)
    fail("%s: cannot read it: %s", path, strerror(errno));
  if (got < 0 && status != Z_BUF_ERROR)
    fail("%s: the compressed data is damaged", path);
  if (gzdirect(file)) /* zlib hands files of other kinds through as they are */
    fail("%s: this is not a gzip file", path);
  if (status == Z_BUF_ERROR)
    fail("%s: the file ends too early: part of it is missing", path);
  if (total == TEXT_LIMIT)
    fail("%s: unpacked, this is more than %d bytes", path, TEXT_LIMIT);

  *length = (size_t)total;
  THGuard_keep(&freeing);
  THGuard_leave(&closing);
  return freeing.what;
}

/* --- reading the numbers ------------------------------------------------------------------ */

typedef struct Reader {
  const char *path;
  const char *at, *end;
  int64_t line;
} Reader;

/* Reads one field, a whole number from 0 to high, and the comma or line end behind it. */
static int read_field(Reader *reader, int column, int high)
{
  const char *start = reader->at;
  int value = 0;
  while (reader->at < reader->end && *reader->at != ',' && *reader->at != '\n') {
    const char c = *reader->at++;
    if (value >= 0)
      value = c >= '0' && c <= '9' ? value * 10 + (c - '0') : -1;
    if (value > high)
      value = -1;
  }

  const int length = (int)(reader->at - start < 20 ? reader->at - start : 20);
  if (value < 0 || length == 0)
    fail("%s, line %lld, column %d: '%.*s' is not a whole number from 0 to %d", reader->path,
         (long long)reader->line, column, length, start, high);

  const int ends = reader->at == reader->end || *reader->at == '\n';
  if (ends && column <= PIXELS)
    fail("%s, line %lld: there are %d columns instead of %d", reader->path, (long long)reader->line,
         column, PIXELS + 1);
  if (!ends && column > PIXELS)
    fail("%s, line %lld: there are more than %d columns", reader->path, (long long)reader->line,
         PIXELS + 1);
  if (reader->at < reader->end)
    reader->at++;
  return value;
}

static int64_t count_lines(const char *text, size_t length)
{
  int64_t lines = length > 0 && text[length - 1] != '\n';
  for (size_t i = 0; i < length; i++)
    lines += text[i] == '\n';
  return lines;
}

Digits *digits_read(const char *path, int64_t least)
{
  size_t length;
  char *text = unpack(path, &length);
  THGuard freeingText, freeingDigits;
  THGuard_enter(&freeingText, THFree);
  freeingText.what = text;

  const int64_t rows = count_lines(text, length);
  if (rows < least)
    fail("%s: there are %lld digits, and %lld are needed", path, (long long)rows, (long long)least);

  THGuard_enter(&freeingDigits, digits_free);
  Digits *digits = freeingDigits.what = THAlloc(sizeof *digits);
  *digits = (Digits){NULL, NULL};
  digits->images = THFloatTensor_newWithSize4d(rows, 1, DIGIT_SIDE, DIGIT_SIDE);
  digits->labels = THLongTensor_newWithSize1d(rows);

  /* Both tensors are new, and so their elements lie one behind the other. */
  float *pixel = THFloatTensor_data(digits->images);
  int64_t *label = THLongTensor_data(digits->labels);
  Reader reader = {.path = path, .at = text, .end = text + length};
  for (reader.line = 1; reader.line <= rows; reader.line++) {
    for (int column = 1; column <= PIXELS; column++)
      *pixel++ = (float)read_field(&reader, column, DIGIT_MAX) / DIGIT_MAX;
    *label++ = read_field(&reader, PIXELS + 1, DIGIT_CLASSES - 1);
  }

  THGuard_keep(&freeingDigits);
  THGuard_leave(&freeingText);
  return digits;
}

void digits_free(void *what)
{
  Digits *digits = what;
  if (!digits)
    return;
  THFloatTensor_free(digits->images);
  THLongTensor_free(digits->labels);
  THFree(digits);
}
