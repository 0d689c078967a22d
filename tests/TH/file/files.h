/* For tests of files: the kinds that one test runs on, and every element type through pointers. */
#ifndef TH_TEST_FILES_H
#define TH_TEST_FILES_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "th_test.h"

/* --- kinds: made with given contents, and read as a whole ------------------------------------- */

typedef enum { DISK, UNBUFFERED, MEMORY, PIPE, KINDS } FileKind;
static const char *const kind_names[] = {"disk", "unbuffered disk", "memory", "pipe"};

TH_UNUSED static char file_folder[64], file_path[96];
static THCharStorage *file_storage; /* of the newest memory file */

TH_UNUSED static int files_setup(void **state)
{
  strcpy(file_folder, "/tmp/th-file-XXXXXX");
  if (!mkdtemp(file_folder))
    return -1;
  snprintf(file_path, sizeof file_path, "%s/file", file_folder);
  return 0;
}

TH_UNUSED static int files_teardown(void **state)
{
  unlink(file_path);
  THCharStorage_free(file_storage);
  file_storage = NULL;
  return rmdir(file_folder);
}

TH_UNUSED static void put_file(const void *bytes, size_t n)
{
  FILE *f = fopen(file_path, "wb");
  CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

/* The bytes of the file at file_path, which the caller frees. */
TH_UNUSED static char *get_file(size_t *n)
{
  struct stat status;
  FILE *f = fopen(file_path, "rb");
  CHECK(f && fstat(fileno(f), &status) == 0);
  char *bytes = malloc((size_t)status.st_size + 1);
  *n = fread(bytes, 1, (size_t)status.st_size, f);
  fclose(f);
  CHECK_EQ(*n, (size_t)status.st_size);
  return bytes;
}

/* A file of that kind with these bytes, at its beginning.  A pipe is for reading or writing. */
TH_UNUSED static THFile *open_file(FileKind kind, const char *mode, const void *bytes, size_t n)
{
  char command[128];
  THFile *file;
  switch (kind) {
    case MEMORY:
      THCharStorage_free(file_storage);
      file_storage = THCharStorage_newWithSize((ptrdiff_t)n + 1);
      memcpy(file_storage->data, bytes, n);
      file_storage->data[n] = 0;
      return THMemoryFile_newWithStorage(file_storage, mode);
    case PIPE:
      put_file(bytes, n);
      snprintf(command, sizeof command, mode[0] == 'r' ? "cat %s" : "cat > %s", file_path);
      return THPipeFile_new(command, mode, 0);
    default:
      put_file(bytes, n);
      file = THDiskFile_new(file_path, mode, 0);
      if (kind == UNBUFFERED)
        THDiskFile_noBuffer(file);
      return file;
  }
}

/* Closes and frees the file, and returns its bytes, which the caller frees. */
TH_UNUSED static char *close_file(FileKind kind, THFile *file, size_t *n)
{
  THFile_close(file);
  THFile_free(file);
  if (kind != MEMORY)
    return get_file(n);
  *n = (size_t)file_storage->size - 1;
  CHECK_EQ(file_storage->data[*n], 0);
  char *bytes = malloc(*n + 1);
  memcpy(bytes, file_storage->data, *n);
  return bytes;
}

/* Closes and frees the file, and checks its bytes. */
TH_UNUSED static void check_bytes(FileKind kind, THFile *file, const void *expected, size_t size)
{
  size_t n;
  char *bytes = close_file(kind, file, &n);
  CHECK_MSG(n == size && memcmp(bytes, expected, n) == 0,
            "the file has %zu bytes, '%.*s', instead of %zu, '%.*s'", n, (int)THMin(n, 200), bytes,
            size, (int)THMin(size, 200), (const char *)expected);
  free(bytes);
}

/* --- types ------------------------------------------------------------------------------------ */

typedef struct FileType {
  const char *name;
  size_t size;
  int isFloating;
  size_t (*readRaw)(THFile *, void *, size_t);
  size_t (*writeRaw)(THFile *, void *, size_t);
  size_t (*readStorage)(THFile *, void *, size_t);
  size_t (*writeStorage)(THFile *, void *, size_t);
  void (*readScalar)(THFile *, void *);
  void (*writeScalar)(THFile *, void *);
} FileType;

#define FILE_RAW(Real, real, accreal)                              \
  static size_t readRaw##Real(THFile *file, void *data, size_t n)  \
  {                                                                \
    return THFile_read##Real##Raw(file, data, n);                  \
  }                                                                \
  static size_t writeRaw##Real(THFile *file, void *data, size_t n) \
  {                                                                \
    return THFile_write##Real##Raw(file, data, n);                 \
  }
TH_FOR_EACH_TYPE(FILE_RAW)

/* Calls a function with a storage of that memory. */
#define FILE_THROUGH(Real, real, accreal)                                                  \
  static size_t through##Real(size_t (*call)(THFile *, TH##Real##Storage *), THFile *file, \
                              void *data, size_t n)                                        \
  {                                                                                        \
    TH##Real##Storage *storage = TH##Real##Storage_newWithData(data, (ptrdiff_t)n);        \
    TH##Real##Storage_clearFlag(storage, TH_STORAGE_FREEMEM);                              \
    const size_t done = call(file, storage);                                               \
    TH##Real##Storage_free(storage);                                                       \
    return done;                                                                           \
  }
TH_FOR_EACH_TYPE(FILE_THROUGH)

#define FILE_STORAGE(Real, real, accreal)                              \
  static size_t readStorage##Real(THFile *file, void *data, size_t n)  \
  {                                                                    \
    return through##Real(THFile_read##Real, file, data, n);            \
  }                                                                    \
  static size_t writeStorage##Real(THFile *file, void *data, size_t n) \
  {                                                                    \
    return through##Real(THFile_write##Real, file, data, n);           \
  }
TH_FOR_EACH_TYPE(FILE_STORAGE)

#define FILE_SCALAR(Real, real, accreal)                  \
  static void readScalar##Real(THFile *file, void *data)  \
  {                                                       \
    *(real *)data = THFile_read##Real##Scalar(file);      \
  }                                                       \
  static void writeScalar##Real(THFile *file, void *data) \
  {                                                       \
    THFile_write##Real##Scalar(file, *(real *)data);      \
  }
TH_FOR_EACH_TYPE(FILE_SCALAR)
TH_UNUSED static const FileType file_types[] = {
#define FILE_TYPE_ROW(Real, real, accreal) \
  {#Real,                                  \
   sizeof(real),                           \
   THScalar##Real >= THScalarFloat,        \
   readRaw##Real,                          \
   writeRaw##Real,                         \
   readStorage##Real,                      \
   writeStorage##Real,                     \
   readScalar##Real,                       \
   writeScalar##Real},
    TH_FOR_EACH_TYPE(FILE_TYPE_ROW)};

#endif
