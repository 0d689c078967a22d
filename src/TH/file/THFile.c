/* Files: their properties, errors, strings and positions; arrays are in THFileArray.c. */
#include "THFile.h"

#include "THFileKinds.h"
#include "TH/core/THFormat.h"

/* --- common to all kinds --------------------------------------------------------------------- */

int THFile_parseMode(const char *mode, int *readable, int *writable)
{
  if (!mode)
    return 0;
  *readable = mode[0] == 'r';
  *writable = !strcmp(mode, "w") || !strcmp(mode, "rw");
  return *writable || !strcmp(mode, "r");
}

THFile THFile_make(const THFileVTable *vtable, int readable, int writable, int isQuiet)
{
  return (THFile){
      .vtable = vtable,
      .isQuiet = isQuiet,
      .isReadable = readable,
      .isWritable = writable,
      .isAutoSpacing = 1,
      .isNativeEncoding = 1,
  };
}

void THFile_checkOpened(THFile *self)
{
  THArgCheck(self->vtable->isOpened(self), 1, "attempt to use a closed file (%s %s)",
             self->vtable->kind, self->name);
}

void THFile_setLongSize(THFile *self, int size)
{
  THArgCheck(size == 0 || size == 4 || size == 8, 2, "a long takes 4 or 8 bytes (or 0), not %d",
             size);
  THFile_checkOpened(self);
  self->longSize = size;
}

void THFile_fail(THFile *self, const char *fmt, ...)
{
  self->hasError = 1;
  if (self->isQuiet)
    return;
  char message[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, fmt);
  THFormat_v(message, sizeof message, fmt, arguments);
  va_end(arguments);
  THError("%s", message);
}

/* Raises an error if an operation's result is not 0. */
static void check_done(THFile *self, int result, const char *what)
{
  if (result)
    THFile_fail(self, "unable to %s the %s %s: %s", what, self->vtable->kind, self->name,
                self->why);
}

/* --- properties ------------------------------------------------------------------------------ */

int THFile_isOpened(THFile *self)
{
  return self->vtable->isOpened(self);
}

/* clang-format off */
#define FLAG(name) int THFile_##name(THFile *self) { return self->name; }
/* clang-format on */
FLAG(isQuiet)
FLAG(isReadable)
FLAG(isWritable)
FLAG(isBinary)
FLAG(isAutoSpacing)
FLAG(hasError)

/* clang-format off */
#define SETTER(name, field, value) void THFile_##name(THFile *self) { self->field = value; }
/* clang-format on */
SETTER(binary, isBinary, 1)
SETTER(ascii, isBinary, 0)
SETTER(autoSpacing, isAutoSpacing, 1)
SETTER(noAutoSpacing, isAutoSpacing, 0)
SETTER(quiet, isQuiet, 1)
SETTER(pedantic, isQuiet, 0)
SETTER(clearError, hasError, 0)

/* --- elements of each type ------------------------------------------------------------------ */

#define TH_SOURCE_FILE "TH/file/THFileType.h"
#include "TH/tensor/THEachSource.h"

/* --- strings -------------------------------------------------------------------------------- */

/* Appends n bytes, and keeps room for a NUL after them. */
static void append(THFileAttempt *attempt, size_t *size, size_t *capacity, const char *bytes,
                   size_t n)
{
  size_t needed;
  if (__builtin_add_overflow(*size + 1, n, &needed) || needed > PTRDIFF_MAX)
    THError("a string of more than %zu bytes cannot be read", *size);
  if (needed > *capacity) {
    *capacity = THMax(needed, *capacity + *capacity / 2);
    attempt->block = THRealloc(attempt->block, (ptrdiff_t)*capacity);
  }
  memcpy(attempt->block + *size, bytes, n);
  *size += n;
}

size_t THFile_readStringRaw(THFile *self, const char *format, char **str_)
{
  THFile_checkOpened(self);
  THArgCheck(self->isReadable, 1, "attempt to read in a write-only file (%s %s)",
             self->vtable->kind, self->name);
  THArgCheck(format && format[0] == '*' && (format[1] == 'a' || format[1] == 'l'), 2,
             "format must be '*a' or '*l', not '%s'", format ? format : "(null)");
  const int isLine = format[1] == 'l';

  THFileAttempt attempt;
  THFileAttempt_enter(&attempt, self);
  size_t size = 0, capacity = 0;
  for (int ended = 0; !ended;) {
    size_t n;
    const char *bytes = self->vtable->ahead(self, &n);
    if (n == 0)
      break;
    const char *end = isLine ? memchr(bytes, '\n', n) : NULL;
    ended = end != NULL;
    if (ended)
      n = (size_t)(end - bytes);
    append(&attempt, &size, &capacity, bytes, n);
    self->vtable->skip(self, n + (size_t)ended);
  }

  if (!attempt.block || self->why)
    THFile_fail(self, "read error: read %zu bytes of a string (from the %s %s: %s)", size,
                self->vtable->kind, self->name, self->why ? self->why : "the file ends");
  THGuard_keep(&attempt.guard);
  if (attempt.block)
    attempt.block[size] = 0;
  *str_ = attempt.block;
  return size;
}

size_t THFile_writeStringRaw(THFile *self, const char *str, size_t size)
{
  THFile_checkOpened(self);
  THArgCheck(self->isWritable, 1, "attempt to write in a read-only file (%s %s)",
             self->vtable->kind, self->name);
  THArgCheck(str || size == 0, 2, "there is no string of %zu bytes", size);
  THArgCheck(size <= PTRDIFF_MAX, 3, "a string cannot have %zu bytes", size);
  self->why = NULL;
  const size_t written = size ? self->vtable->write(self, str, size) : 0;
  if (written < size)
    THFile_fail(self, "write error: wrote %zu blocks instead of %zu (a string to the %s %s: %s)",
                written, size, self->vtable->kind, self->name, self->why);
  return written;
}

/* --- positions, and the end ------------------------------------------------------------------ */

void THFile_synchronize(THFile *self)
{
  THFile_checkOpened(self);
  check_done(self, self->vtable->synchronize(self), "synchronize");
}

void THFile_seek(THFile *self, size_t position)
{
  THFile_checkOpened(self);
  if (self->vtable->seek(self, position))
    THFile_fail(self, "unable to seek at position %zu in the %s %s: %s", position,
                self->vtable->kind, self->name, self->why);
}

void THFile_seekEnd(THFile *self)
{
  THFile_checkOpened(self);
  check_done(self, self->vtable->seekEnd(self), "seek at the end of");
}

size_t THFile_position(THFile *self)
{
  THFile_checkOpened(self);
  size_t position = 0;
  check_done(self, self->vtable->position(self, &position), "tell the position in");
  return position;
}

void THFile_close(THFile *self)
{
  THFile_checkOpened(self);
  check_done(self, self->vtable->close(self), "close");
}

void THFile_free(THFile *self)
{
  if (!self)
    return;
  if (self->vtable->isOpened(self))
    self->vtable->close(self);
  self->vtable->free(self);
}
