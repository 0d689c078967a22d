/* Reading a file: parts on demand, with a limit on the memory that readers allocate. */
#include "Files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "TH/core/THFormat.h"

void at_damaged_from(const char *source, int line, const at_file *file, at_error_code code,
                     const char *format, ...)
{
  char text[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  THFormat_v(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!file->member)
    at_raise_from(code, source, line, "%s: %s", file->path, text);
  at_raise_from(code, source, line, "%s: member '%.*s' of the archive: %s", file->path,
                (int)THMin(file->memberLength, 100), file->member, text);
}

void at_file_close(at_file *file)
{
  if (file->descriptor >= 0)
    close(file->descriptor);
  if (file->mapping)
    THByteStorage_free(file->mapping);
}

static void close_file(void *what)
{
  at_file_close(what);
}

void at_file_open(at_file *file, const char *path, THGuard *guard)
{
  struct stat status;
  if (!path)
    at_raise(AT_ERROR_NULL, "path is NULL");
  memset(file, 0, sizeof *file);
  file->path = path;
  file->descriptor = -1;
  file->elementCapacity = UINT64_MAX;
  THGuard_enter(guard, close_file);
  guard->what = file;
  file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file->descriptor < 0 || fstat(file->descriptor, &status))
    at_damaged(file, "cannot read it: %s", strerror(errno));
  if (!S_ISREG(status.st_mode))
    at_damaged(file, "this is no file");
  if (status.st_size == 0)
    at_damaged(file, "the file is empty");
  file->size = (size_t)status.st_size;
  file->capacity = AT_CAPACITY_BASE + AT_CAPACITY_TIMES * (uint64_t)file->size;
  at_file_read(file, 0, file->head, THMin(file->size, sizeof file->head));
}

void at_file_enter(at_file *part, const at_file *file, uint64_t offset, size_t size)
{
  THAssert(offset <= file->size && size <= file->size - offset);
  *part = *file;
  part->begin = file->begin + offset;
  part->size = size;
  part->windowLength = 0;
  part->mapping = NULL;
  memset(part->head, 0, sizeof part->head);
  at_file_read(part, 0, part->head, THMin(size, sizeof part->head));
}

void at_file_leave(at_file *part, at_file *file)
{
  THAssert(!part->mapping);
  file->capacity = part->capacity;
  file->elementCapacity = part->elementCapacity;
}

static void read_bytes(at_file *file, uint64_t offset, void *to, size_t length)
{
  for (uint8_t *at = to; length > 0;) {
    const ssize_t count =
        pread(file->descriptor, at, THMin(length, (size_t)1 << 30), (off_t)(file->begin + offset));
    if (count < 0 && errno != EINTR)
      at_damaged(file, "cannot read it: %s", strerror(errno));
    if (count == 0)
      at_damaged(file, "the file became shorter while it was read: it ends before byte %llu",
                 (unsigned long long)offset);
    if (count > 0) {
      at += count;
      offset += (uint64_t)count;
      length -= (size_t)count;
    }
  }
}

void at_file_read(at_file *file, uint64_t offset, void *to, size_t length)
{
  if (offset > file->size || length > file->size - offset)
    at_damaged(file, "the file has no %zu bytes from byte %llu on", length,
               (unsigned long long)offset);
  if (length > AT_WINDOW) {
    read_bytes(file, offset, to, length);
    return;
  }
  if (offset < file->windowAt || offset + length > file->windowAt + file->windowLength) {
    const size_t window = THMin((size_t)AT_WINDOW, file->size - offset);
    file->windowLength = 0; /* invalid until the read succeeds */
    read_bytes(file, offset, file->window, window);
    file->windowAt = offset;
    file->windowLength = window;
  }
  if (length > 0)
    memcpy(to, file->window + (offset - file->windowAt), length);
}

/* --- the mapping ------------------------------------------------------------------------------ */

static void close_descriptor(void *what)
{
  close(*(int *)what);
}

static void free_context(void *what)
{
  THMapAllocatorContext_free(what);
}

void at_file_map(at_file *file)
{
  if (file->mapping)
    return;
  int descriptor = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0)
    at_damaged(file, "cannot map it: %s", strerror(errno));
  THGuard open, unused;
  THGuard_enter(&open, close_descriptor);
  open.what = &descriptor;
  THGuard_enter(&unused, free_context);
  THMapAllocatorContext *context = unused.what =
      THMapAllocatorContext_newWithFd(file->path, descriptor, TH_ALLOCATOR_MAPPED_FROMFD);
  THByteStorage *mapping = THByteStorage_newWithAllocator(0, &THMapAllocator, context);
  THGuard_keep(&unused);
  THGuard_keep(&open); /* the allocator closes the file that it maps */
  mapping->size = THMapAllocatorContext_size(context);
  THByteStorage_clearFlag(mapping, TH_STORAGE_RESIZABLE);
  file->mapping = mapping;
  if ((size_t)mapping->size < file->size)
    at_damaged(file, "the file became shorter while it was read");
}

/* --- memory ----------------------------------------------------------------------------------- */

void at_file_charge(at_file *file, uint64_t bytes)
{
  if (bytes > file->capacity)
    at_damaged(file,
               "what is not elements of tensors in it would take more than %d times the %zu bytes "
               "of the file",
               AT_CAPACITY_TIMES, file->size);
  file->capacity -= bytes;
}

void *at_file_alloc(at_file *file, uint64_t bytes)
{
  enum { OVERHEAD = 16 }; /* bytes of malloc per block */
  at_file_charge(file, bytes);
  at_file_charge(file, OVERHEAD);
  return THAlloc((ptrdiff_t)THMax(bytes, (uint64_t)1));
}

/* --- streams ---------------------------------------------------------------------------------- */

static void read_file(at_stream *stream, void *to, size_t length)
{
  at_file_read(stream->file, stream->at, to, length);
  stream->at += length;
}

at_stream at_file_stream(at_file *file, uint64_t offset)
{
  return (at_stream){file, offset, file->size - offset, read_file};
}

void at_stream_read(at_stream *stream, void *to, size_t length)
{
  if (length > stream->left)
    at_damaged(stream->file, "%zu bytes are missing at its end", length - (size_t)stream->left);
  stream->read(stream, to, length);
  stream->left -= length;
}
