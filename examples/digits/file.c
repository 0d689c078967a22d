/* Whole files, read into memory and written with nothing lost if the machine stops half-way. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

/* --- writing ------------------------------------------------------------------------------ */

typedef struct Temporary {
  char *name;
  int descriptor; /* -1 when it is not open */
} Temporary;

static void discard(void *what)
{
  Temporary *temporary = what;
  if (temporary->descriptor >= 0)
    close(temporary->descriptor);
  unlink(temporary->name);
}

static int write_all(int descriptor, const char *bytes, size_t size)
{
  while (size > 0) {
    const ssize_t written = write(descriptor, bytes, size);
    if (written < 0 && errno != EINTR)
      return -1;
    if (written > 0) {
      bytes += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

/* A rename is safe on the disk only when its directory is. */
static void sync_directory_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  char directory[PATH_MAX] = ".";
  if (slash)
    snprintf(directory, sizeof directory, "%.*s", (int)(slash - path + 1), path);
  const int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor); /* some file systems cannot; the file itself is complete in any case */
    close(descriptor);
  }
}

void file_replace(const char *path, const void *bytes, size_t size)
{
  struct stat old;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
    fail("%s: this is not a file, so it is not replaced", path);

  char name[PATH_MAX];
  if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name)
    fail("%.40s...: this name is too long", path);
  Temporary temporary = {.name = name, .descriptor = mkstemp(name)};
  if (temporary.descriptor < 0)
    fail("%s: cannot write it: %s", path, strerror(errno));
  THGuard guard;
  THGuard_enter(&guard, discard);
  guard.what = &temporary;

  const mode_t mask = umask(0); /* mkstemp makes files private; ours are like any other */
  umask(mask);
  if (write_all(temporary.descriptor, bytes, size) || fchmod(temporary.descriptor, 0666 & ~mask) ||
      fsync(temporary.descriptor))
    fail("%s: cannot write it: %s", path, strerror(errno));
  const int closed = close(temporary.descriptor);
  temporary.descriptor = -1;
  if (closed != 0 || rename(name, path) != 0)
    fail("%s: cannot write it: %s", path, strerror(errno));
  THGuard_keep(&guard);
  sync_directory_of(path);
}

/* --- reading ------------------------------------------------------------------------------ */

static void close_stream(void *stream)
{
  fclose(stream);
}

unsigned char *file_read(const char *path, size_t limit, size_t *size)
{
  FILE *stream = fopen(path, "rbe");
  if (!stream)
    fail("%s: cannot read it: %s", path, strerror(errno));
  THGuard closing, freeing;
  THGuard_enter(&closing, close_stream);
  closing.what = stream;
  THGuard_enter(&freeing, THFree);
  unsigned char *bytes = freeing.what = THAlloc((ptrdiff_t)limit + 1);

  *size = fread(bytes, 1, limit + 1, stream); /* one more, to see whether there is more */
  if (ferror(stream))
    fail("%s: cannot read it: %s", path, strerror(errno));
  if (*size > limit)
    fail("%s: this file is longer than the %zu bytes it may have", path, limit);
  THGuard_keep(&freeing);
  THGuard_leave(&closing);
  return bytes;
}
