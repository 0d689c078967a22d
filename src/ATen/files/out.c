/* Writing files: a file appears complete or not at all. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "Files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "TH/core/THFormat.h"
#include "TH/core/THWrite.h"

/* --- growing memory --------------------------------------------------------------------------- */

void at_bytes_free(void *bytes)
{
  THFree(((at_bytes *)bytes)->start);
}

void at_bytes_add(at_bytes *bytes, const void *what, size_t length)
{
  if (length > bytes->capacity - bytes->length) {
    const size_t capacity = THMax(2 * bytes->capacity, bytes->length + length + 256);
    bytes->start = THRealloc(bytes->start, (ptrdiff_t)capacity);
    bytes->capacity = capacity;
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
  const int length = THFormat_v(text, sizeof text, format, arguments);
  va_end(arguments);
  THAssert(length >= 0 && (size_t)length < sizeof text);
  at_bytes_add(bytes, text, (size_t)length);
}

void *at_grown(at_file *file, void *array, int64_t count, int64_t *capacity, size_t elementSize)
{
  if (count < *capacity)
    return array;
  const int64_t larger = 2 * *capacity + 16;
  if (file)
    at_file_charge(file, (uint64_t)larger * elementSize);
  array = THRealloc(array, larger * (ptrdiff_t)elementSize);
  *capacity = larger;
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
  if (*out->temporary)
    unlinkat(out->folder, out->temporary, 0);
  if (out->folder >= 0)
    close(out->folder);
}

/* Determines the target: symbolic links are followed, and it is an error if the target is not a
 * regular file or is not writable.  Returns the permissions for the new file: those of the target,
 * or the default ones. */
static mode_t resolve(at_out *out)
{
  struct stat old;
  if (stat(out->path, &old) == 0) {
    if (!S_ISREG(old.st_mode))
      at_raise(AT_ERROR_RUNTIME, "%s: this is no file, so it is not replaced", out->path);
    if (!(old.st_mode & 0222)) /* root could write to it all the same */
      at_raise(AT_ERROR_RUNTIME, "%s: the file is read-only, so it is not replaced", out->path);
    const int probe = open(out->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (probe < 0)
      fail(out);
    close(probe);
    if (!realpath(out->path, out->target))
      fail(out);
    out->replaces = true;
    return old.st_mode & 07777;
  }
  if (errno != ENOENT)
    fail(out);
  if (lstat(out->path, &old) == 0)
    at_raise(AT_ERROR_RUNTIME, "%s: this is a symbolic link to a file that is not there",
             out->path);
  if (snprintf(out->target, sizeof out->target, "%s", out->path) >= (int)sizeof out->target)
    at_raise(AT_ERROR_RUNTIME, "%.40s...: this name is too long", out->path);
  return 0;
}

/* Opens the folder of the target, in which its name is out->name. */
static void open_folder(at_out *out)
{
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(out->target, '/');
  out->name = slash ? slash + 1 : out->target;
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - out->target + 1), out->target);
  out->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (out->folder < 0)
    fail(out);
}

/* The next temporary name.  It does not contain the name of the file, which might be too long for
 * an addition. */
static void next_temporary(at_out *out)
{
  static unsigned counter;
  const unsigned number = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  snprintf(out->temporary, sizeof out->temporary, ".aten-%ld-%u.tmp", (long)getpid(), number);
}

static void path_of_descriptor(const at_out *out, char path[32])
{
  snprintf(path, 32, "/proc/self/fd/%d", out->descriptor);
}

/* Opens a file without a name, which disappears with this process.  False where they are not
 * supported. */
static bool open_nameless(at_out *out)
{
  char path[32];
  out->descriptor = openat(out->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (out->descriptor < 0)
    return false;
  path_of_descriptor(out, path);
  if (access(path, F_OK) == 0) /* /proc is needed to name the file later */
    return true;
  close(out->descriptor);
  out->descriptor = -1;
  return false;
}

static void open_named(at_out *out)
{
  do {
    next_temporary(out);
    out->descriptor =
        openat(out->folder, out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (out->descriptor < 0 && errno == EEXIST);
  if (out->descriptor < 0) {
    *out->temporary = '\0';
    fail(out);
  }
}

void at_out_begin(at_out *out, const char *path, THGuard *guard)
{
  if (!path)
    at_raise(AT_ERROR_NULL, "path is NULL");
  out->path = path;
  out->folder = out->descriptor = -1;
  *out->temporary = '\0';
  out->replaces = false;
  out->length = 0;
  out->waiting = 0;
  THGuard_enter(guard, discard);
  guard->what = out;
  const mode_t mode = resolve(out);
  open_folder(out);
  if (!open_nameless(out))
    open_named(out);
  if (mode && fchmod(out->descriptor, mode))
    fail(out);
}

static void put(at_out *out, const uint8_t *bytes, size_t length)
{
  if (THWrite_all(out->descriptor, bytes, length) < length)
    fail(out);
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

/* Syncs the folder: only then is the new name on the disk. */
static void sync_folder(int folder)
{
  const int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(
        descriptor); /* not all file systems support this; the file itself is synced in any case */
    close(descriptor);
  }
}

static bool link_as(const at_out *out, const char *name)
{
  char path[32];
  path_of_descriptor(out, path);
  return linkat(AT_FDCWD, path, out->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives the complete file its name.  Only a rename replaces an existing file, so a file without a
 * name takes a temporary one first. */
static void name_file(at_out *out)
{
  if (!*out->temporary && !out->replaces) {
    if (link_as(out, out->name))
      return;
    if (errno != EEXIST) /* the target was created meanwhile */
      fail(out);
  }
  if (!*out->temporary) {
    bool linked;
    do {
      next_temporary(out);
      linked = link_as(out, out->temporary);
    } while (!linked && errno == EEXIST);
    if (!linked) {
      *out->temporary = '\0';
      fail(out);
    }
  }
  if (renameat(out->folder, out->temporary, out->folder, out->name) != 0)
    fail(out);
  *out->temporary = '\0';
}

void at_out_commit(at_out *out, THGuard *guard)
{
  flush(out);
  if (fsync(out->descriptor))
    fail(out);
  name_file(out);
  sync_folder(out->folder);
  THGuard_leave(guard);
}
