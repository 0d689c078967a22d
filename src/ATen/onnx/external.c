/* Weights in files beside the model.  The location of such a file is a relative path, which has to
 * lead to a file below the folder of the model, also after symbolic links. */
#include "Onnx.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Raises unless the path is relative and has no part that is "..". */
static void check_location(const at_onnx *onnx, const char *location)
{
  bool isFine = *location && *location != '/' && !strchr(location, '\\');
  for (const char *part = location; isFine && *part; part += strspn(part, "/")) {
    const size_t length = strcspn(part, "/");
    isFine = !(length == 2 && !memcmp(part, "..", 2));
    part += length;
  }
  if (!isFine)
    at_damaged(onnx->file, "its weights are in '%.200s', which is no path below its folder",
               location);
}

/* The path of the folder that the model is in, with a slash at its end, and without links. */
static size_t find_folder(const at_onnx *onnx, char *folder)
{
  char path[PATH_MAX];
  const char *const slash = strrchr(onnx->file->path, '/');
  const size_t length = slash ? (size_t)(slash - onnx->file->path) + 1 : 0;
  if (length >= sizeof path)
    at_damaged(onnx->file, "its path is too long");
  memcpy(path, onnx->file->path, length);
  memcpy(path + length, slash ? "" : ".", slash ? 1 : 2);
  if (!realpath(path, folder))
    at_damaged(onnx->file, "cannot find its folder: %s", strerror(errno));
  const size_t found = strlen(folder);
  if (found > 0 && folder[found - 1] != '/' && found + 1 < PATH_MAX)
    memcpy(folder + found, "/", 2);
  return strlen(folder);
}

/* The path of the file, which has to be below the folder. */
static const char *resolve(const at_onnx *onnx, const char *location)
{
  char *const folder = at_arena_take(onnx->arena, PATH_MAX, 1),
              *const found = at_arena_take(onnx->arena, PATH_MAX, 1),
              *const path = at_arena_take(onnx->arena, 2 * PATH_MAX, 1);
  const size_t length = find_folder(onnx, folder);
  if (snprintf(path, 2 * PATH_MAX, "%s%s", folder, location) >= 2 * PATH_MAX)
    at_damaged(onnx->file, "the path of its weights is too long");
  if (!realpath(path, found))
    at_damaged(onnx->file, "cannot find its weights in '%.200s': %s", location, strerror(errno));
  if (strncmp(found, folder, length) != 0)
    at_damaged(onnx->file, "its weights are in '%.200s', which is not below its folder", location);
  return found;
}

at_file *at_externalFile(at_onnx *onnx, const char *location)
{
  for (at_external *e = onnx->externals; e; e = e->next)
    if (!strcmp(e->location, location))
      return &e->file;
  check_location(onnx, location);
  at_external *const made = at_arena_take(onnx->arena, 1, sizeof *made);
  THGuard open;
  made->location = location;
  at_file_open(&made->file, resolve(onnx, location), &open);
  made->next = onnx->externals;
  onnx->externals = made;
  THGuard_keep(&open); /* at_closeExternals closes it */
  return &made->file;
}

void at_closeExternals(at_onnx *onnx)
{
  for (at_external *e = onnx->externals; e; e = e->next)
    at_file_close(&e->file);
  onnx->externals = NULL;
}

/* --- entries ---------------------------------------------------------------------------------- */

static uint64_t number_in(const at_onnx *onnx, const char *text)
{
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno)
    at_damaged(onnx->file, "'%.40s' is no offset or length in a file of weights", text);
  return value;
}

/* Reads an entry: a key and a value. */
static void read_entry(at_onnx *onnx, at_wire message, const char **key, const char **value)
{
  at_field field;
  *key = *value = "";
  while (at_wire_next(&message, &field)) {
    if (field.number == 1)
      *key = at_onnxField_text(onnx->arena, &field);
    else if (field.number == 2)
      *value = at_onnxField_text(onnx->arena, &field);
  }
}

at_wire at_externalBytes(at_onnx *onnx, at_wire tensor, uint64_t *offset, uint64_t *length)
{
  enum { ENTRIES = 13 };
  const char *location = "", *key, *value;
  bool hasLength = false;
  at_field field;
  *offset = *length = 0;
  while (at_wire_next(&tensor, &field)) {
    if (field.number != ENTRIES)
      continue;
    read_entry(onnx, at_onnxField_message(&field), &key, &value);
    if (!strcmp(key, "location"))
      location = value;
    else if (!strcmp(key, "offset"))
      *offset = number_in(onnx, value);
    else if (!strcmp(key, "length")) {
      *length = number_in(onnx, value);
      hasLength = true;
    }
  }
  at_file *const file = at_externalFile(onnx, location);
  if (*offset > file->size || (hasLength && *length > file->size - *offset))
    at_damaged(file, "the model has weights of %llu bytes at byte %llu, and the file %zu bytes",
               (unsigned long long)*length, (unsigned long long)*offset, file->size);
  if (!hasLength)
    *length = file->size - *offset;
  return (at_wire){file, *offset, *offset + *length};
}
