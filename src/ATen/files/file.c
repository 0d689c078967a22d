/* A file that is read: mapped, so that nothing is read that is not looked at. */
#include "Files.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

void at_damaged_from(const char *source, int line, const at_file *file, at_error_code code,
                     const char *format, ...)
{
  char text[TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  at_raise_from(code, source, line, "%s: %s", file->path, text);
}

void at_file_open(at_file *file, const char *path, THGuard *guard)
{
  struct stat status;
  if (!path)
    at_raise(AT_ERROR_NULL, "path is NULL");
  *file = (at_file){.path = path};
  if (stat(path, &status))
    at_damaged(file, "cannot read it: %s", strerror(errno));
  if (!S_ISREG(status.st_mode))
    at_damaged(file, "this is no file");
  if (status.st_size == 0)
    at_damaged(file, "the file is empty");
  THGuard_enter(guard, (THUndo)THByteStorage_free);
  file->mapping = guard->what = THByteStorage_newWithMapping(path, 0, 0);
  file->bytes = file->mapping->data;
  file->size = (size_t)file->mapping->size;
}
