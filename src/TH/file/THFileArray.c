/* Arrays of any element type in files of any kind: as text, or as bytes of either order. */
#include "THFileKinds.h"

/* --- reading that can be taken back --------------------------------------------------------- */

static void undo_attempt(void *what)
{
  THFileAttempt *attempt = what;
  if (attempt->isSeekable)
    attempt->file->vtable->seek(attempt->file, attempt->start);
  THFree(attempt->block);
}

void THFileAttempt_enter(THFileAttempt *attempt, THFile *file)
{
  *attempt = (THFileAttempt){.file = file};
  attempt->isSeekable = file->vtable->position(file, &attempt->start) == 0;
  file->why = NULL;
  THGuard_enter(&attempt->guard, undo_attempt);
  attempt->guard.what = attempt;
}

/* --- binary --------------------------------------------------------------------------------- */

/* Bytes of an element in the file. */
static size_t width_of(const THFile *self, THScalarType type)
{
  return type == THScalarLong && self->longSize ? (size_t)self->longSize
                                                : THFile_numbers[type].size;
}

/* Reverses the bytes of each of n elements. */
static void swap(void *data, size_t width, size_t n)
{
  uint16_t *two = data;
  uint32_t *four = data;
  uint64_t *eight = data;
  switch (width) {
    case 2:
      for (size_t i = 0; i < n; i++)
        two[i] = __builtin_bswap16(two[i]);
      break;
    case 4:
      for (size_t i = 0; i < n; i++)
        four[i] = __builtin_bswap32(four[i]);
      break;
    case 8:
      for (size_t i = 0; i < n; i++)
        eight[i] = __builtin_bswap64(eight[i]);
      break;
    default:
      break;
  }
}

enum { CHUNK = 1024 }; /* elements */

/* The one conversion: a Long of 4 bytes. */
static size_t read_narrow(THFile *self, int64_t *data, size_t n)
{
  int32_t chunk[CHUNK];
  size_t done = 0;
  while (done < n) {
    const size_t wanted = THMin(n - done, (size_t)CHUNK);
    const size_t got = self->vtable->read(self, chunk, wanted * sizeof *chunk) / sizeof *chunk;
    if (!self->isNativeEncoding)
      swap(chunk, sizeof *chunk, got);
    for (size_t i = 0; i < got; i++)
      data[done + i] = chunk[i];
    done += got;
    if (got < wanted)
      break;
  }
  return done;
}

static size_t read_binary(THFile *self, THScalarType type, void *data, size_t n)
{
  /* If the file is certainly too short, nothing is read, and data and position stay as they are. */
  const size_t width = width_of(self, type);
  const size_t there = self->vtable->left(self, n * width) / width;
  if (there < n && !self->isQuiet)
    return there;
  n = there;

  if (width != THFile_numbers[type].size)
    return read_narrow(self, data, n);
  const size_t got = self->vtable->read(self, data, n * width) / width;
  if (!self->isNativeEncoding)
    swap(data, width, got);
  return got;
}

/* How many of the first elements fit in a Long of 4 bytes. */
static size_t count_narrow(const int64_t *data, size_t n)
{
  size_t i = 0;
  while (i < n && data[i] == (int32_t)data[i])
    i++;
  return i;
}

static size_t write_binary(THFile *self, THScalarType type, const void *data, size_t n)
{
  const size_t width = width_of(self, type), size = THFile_numbers[type].size;
  if (width == size && (self->isNativeEncoding || size == 1))
    return self->vtable->write(self, data, n * size) / size;

  uint64_t chunk[CHUNK];
  size_t done = 0;
  while (done < n) {
    const size_t wanted = THMin(n - done, (size_t)CHUNK);
    if (width == size)
      memcpy(chunk, (const char *)data + done * size, wanted * size);
    else
      for (size_t i = 0; i < wanted; i++)
        ((int32_t *)chunk)[i] = (int32_t)((const int64_t *)data)[done + i];
    if (!self->isNativeEncoding)
      swap(chunk, width, wanted);
    const size_t written = self->vtable->write(self, chunk, wanted * width) / width;
    done += written;
    if (written < wanted)
      break;
  }
  return done;
}

/* --- text ----------------------------------------------------------------------------------- */

static size_t read_numbers(THFile *self, const THFileNumber *number, char *data, size_t n)
{
  THFileText text;
  THFileText_begin(&text, self);
  size_t done = 0;
  while (done < n && number->parse(&text, data + done * number->size))
    done++;
  THFileText_end(&text);
  return done;
}

/* Reads into a buffer, which grows with what the file has, and copies it only if all n were
 * read. */
static size_t read_numbers_aside(THFile *self, const THFileNumber *number, char *data, size_t n,
                                 THFileAttempt *attempt)
{
  double onStack[64];
  char *values = (char *)onStack;
  size_t capacity = sizeof onStack / number->size, done = 0;
  for (;;) {
    const size_t wanted = THMin(capacity, n) - done;
    const size_t got = read_numbers(self, number, values + done * number->size, wanted);
    done += got;
    if (got < wanted || done == n)
      break;
    capacity = THMin(2 * capacity, n);
    char *larger = THRealloc(attempt->block, (ptrdiff_t)(capacity * number->size));
    if (!attempt->block)
      memcpy(larger, onStack, done * number->size);
    values = attempt->block = larger;
  }
  if (done == n)
    memcpy(data, values, n * number->size);
  return done;
}

/* Skips the line end after the last element, if there is one. */
static void skip_line_end(THFile *self)
{
  THFileText text;
  THFileText_begin(&text, self);
  if (THFileText_peek(&text) == '\n')
    text.at++;
  THFileText_end(&text);
}

static size_t write_numbers(THFile *self, const THFileNumber *number, const char *data, size_t n)
{
  for (size_t done = 0; done < n; done++) {
    char text[TH_FILE_NUMBER_LENGTH + 1];
    size_t length = (size_t)number->format(text, data + done * number->size);
    if (self->isAutoSpacing && done + 1 < n)
      text[length++] = ' ';
    if (self->vtable->write(self, text, length) < length)
      return done;
  }
  return n;
}

/* --- binary or text -------------------------------------------------------------------------- */

static void check_array(THScalarType type, const void *data, size_t n)
{
  THArgCheck(n <= PTRDIFF_MAX / THFile_numbers[type].size, 3, "there cannot be %zu elements", n);
  THArgCheck(data || n == 0, 2, "data is NULL, but there are %zu elements", n);
}

static const char *reason(const THFile *self)
{
  return self->why ? self->why : "the file ends";
}

size_t THFile_readArray(THFile *self, THScalarType type, void *data, size_t n)
{
  const THFileNumber *number = &THFile_numbers[type];
  THFile_checkOpened(self);
  THArgCheck(self->isReadable, 1, "attempt to read in a write-only file (%s %s)",
             self->vtable->kind, self->name);
  check_array(type, data, n);
  if (n == 0)
    return 0;

  THFileAttempt attempt;
  THFileAttempt_enter(&attempt, self);
  size_t got;
  if (self->isBinary || !number->parse)
    got = read_binary(self, type, data, n);
  else if (self->isQuiet || !attempt.isSeekable)
    got = read_numbers(self, number, data, n);
  else
    got = read_numbers_aside(self, number, data, n, &attempt);
  if (got < n)
    THFile_fail(self, "read error: read %zu blocks instead of %zu (%s from the %s %s: %s)", got, n,
                number->name, self->vtable->kind, self->name, reason(self));
  else if (!self->isBinary && self->isAutoSpacing)
    skip_line_end(self);
  THGuard_keep(&attempt.guard);
  THFree(attempt.block);
  return got;
}

size_t THFile_writeArray(THFile *self, THScalarType type, const void *data, size_t n)
{
  const THFileNumber *number = &THFile_numbers[type];
  THFile_checkOpened(self);
  THArgCheck(self->isWritable, 1, "attempt to write in a read-only file (%s %s)",
             self->vtable->kind, self->name);
  check_array(type, data, n);
  if (n == 0)
    return 0;

  self->why = NULL;
  const int isText = !self->isBinary, isNarrow = !isText && width_of(self, type) < number->size;
  const size_t fit = isNarrow ? count_narrow(data, n) : n;
  size_t written = 0;
  if (fit < n && !self->isQuiet)
    self->why = "a value does not fit in 4 bytes";
  else if (isText && number->format)
    written = write_numbers(self, number, data, n);
  else
    written = write_binary(self, type, data, fit);
  if (fit < n && !self->why)
    self->why = "a value does not fit in 4 bytes";

  if (isText && self->isAutoSpacing && written == n && self->vtable->write(self, "\n", 1) < 1)
    written = n - 1; /* the last element is incomplete */
  if (written < n)
    THFile_fail(self, "write error: wrote %zu blocks instead of %zu (%s to the %s %s: %s)", written,
                n, number->name, self->vtable->kind, self->name, reason(self));
  return written;
}
