/* A file that is written: there as a whole or not at all. */
#include "Files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- growing memory --------------------------------------------------------------------------- */

void at_bytes_free(void *bytes)
{
  THFree(((at_bytes *)bytes)->start);
}

void at_bytes_add(at_bytes *bytes, const void *what, size_t length)
{
  if (length > bytes->room - bytes->length) {
    const size_t room = THMax(2 * bytes->room, bytes->length + length + 256);
    bytes->start = THRealloc(bytes->start, (ptrdiff_t)room);
    bytes->room = room;
  }
  if (length > 0)
    memcpy(bytes->start + bytes->length, what, length);
  bytes->length += length;
}

void at_bytes_addText(at_bytes *bytes, const char *text)
{
  at_bytes_add(bytes, text, strlen(text));
}

void at_bytes_addLittle(at_bytes *bytes, uint64_t value, int count)
{
  uint8_t little[8];
  for (int i = 0; i < count; i++)
    little[i] = (uint8_t)(value >> 8 * i);
  at_bytes_add(bytes, little, (size_t)count);
}

void at_bytes_print(at_bytes *bytes, const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  THAssert(length >= 0 && (size_t)length < sizeof text);
  at_bytes_add(bytes, text, (size_t)length);
}

void *at_grown(void *array, int64_t count, int64_t *room, size_t elementSize)
{
  if (count < *room)
    return array;
  const int64_t larger = 2 * *room + 16;
  array = THRealloc(array, larger * (ptrdiff_t)elementSize);
  *room = larger;
  return array;
}

/* --- the file --------------------------------------------------------------------------------- */

static void fail(const at_out *out)
{
  at_raise(AT_ERROR_RUNTIME, "%s: cannot write it: %s", out->path, strerror(errno));
}

static void discard(void *what)
{
  at_out *out = what;
  if (out->descriptor >= 0)
    close(out->descriptor);
  unlink(out->name);
}

/* Where the file goes: to what a symbolic link points to, and never into the place of something
 * that is no file.  Its permissions stay; those of a new file are the usual ones. */
static mode_t resolve(at_out *out)
{
  struct stat old;
  if (stat(out->path, &old) == 0) {
    if (!S_ISREG(old.st_mode))
      at_raise(AT_ERROR_RUNTIME, "%s: this is no file, so it is not replaced", out->path);
    if (!realpath(out->path, out->place))
      fail(out);
    return old.st_mode & 07777;
  }
  if (errno != ENOENT)
    fail(out);
  if (snprintf(out->place, sizeof out->place, "%s", out->path) >= (int)sizeof out->place)
    at_raise(AT_ERROR_RUNTIME, "%.40s...: this name is too long", out->path);
  return 0;
}

void at_out_begin(at_out *out, const char *path, THGuard *guard)
{
  static unsigned counter;
  if (!path)
    at_raise(AT_ERROR_NULL, "path is NULL");
  out->path = path;
  out->descriptor = -1;
  out->length = 0;
  out->waiting = 0;
  const mode_t mode = resolve(out);
  do {
    const unsigned number = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
    if (snprintf(out->name, sizeof out->name, "%s.%ld-%u.tmp", out->place, (long)getpid(),
                 number) >= (int)sizeof out->name)
      at_raise(AT_ERROR_RUNTIME, "%.40s...: this name is too long", path);
    out->descriptor = open(out->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (out->descriptor < 0 && errno == EEXIST);
  if (out->descriptor < 0)
    fail(out);
  THGuard_enter(guard, discard);
  guard->what = out;
  if (mode && fchmod(out->descriptor, mode))
    fail(out);
}

static void put(at_out *out, const uint8_t *bytes, size_t length)
{
  while (length > 0) {
    const ssize_t written = write(out->descriptor, bytes, length);
    if (written < 0 && errno != EINTR)
      fail(out);
    if (written > 0) {
      bytes += written;
      length -= (size_t)written;
    }
  }
}

static void flush(at_out *out)
{
  put(out, out->buffer, out->waiting);
  out->waiting = 0;
}

void at_out_write(at_out *out, const void *bytes, size_t length)
{
  out->length += length;
  if (length > sizeof out->buffer - out->waiting)
    flush(out);
  if (length > sizeof out->buffer) {
    put(out, bytes, length);
  } else if (length > 0) {
    memcpy(out->buffer + out->waiting, bytes, length);
    out->waiting += length;
  }
}

void at_out_writeBytes(at_out *out, const at_bytes *bytes)
{
  at_out_write(out, bytes->start, bytes->length);
}

void at_out_little(at_out *out, uint64_t value, int count)
{
  uint8_t little[8];
  for (int i = 0; i < count; i++)
    little[i] = (uint8_t)(value >> 8 * i);
  at_out_write(out, little, (size_t)count);
}

void at_out_fill(at_out *out, uint8_t value, size_t count)
{
  for (; count > 0; count--)
    at_out_write(out, &value, 1);
}

/* A rename is safe on the disk only when its folder is. */
static void sync_folder_of(const char *place)
{
  const char *slash = strrchr(place, '/');
  char folder[PATH_MAX] = ".";
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - place + 1), place);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor); /* some file systems cannot; the file itself is complete in any case */
    close(descriptor);
  }
}

void at_out_commit(at_out *out, THGuard *guard)
{
  flush(out);
  if (fsync(out->descriptor))
    fail(out);
  const int closed = close(out->descriptor);
  out->descriptor = -1;
  if (closed != 0 || rename(out->name, out->place) != 0)
    fail(out);
  THGuard_keep(guard);
  sync_folder_of(out->place);
}
