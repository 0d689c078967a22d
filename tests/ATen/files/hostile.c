/* Files designed to fill the memory, and files that change while they are read. */
#define _GNU_SOURCE /* wait4 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "files.h"

/* --- memory ----------------------------------------------------------------------------------- */

static void put(uint8_t *to, size_t *length, uint64_t value, int count)
{
  for (int i = 0; i < count; i++)
    to[(*length)++] = (uint8_t)(value >> 8 * i);
}

static void put_common(uint8_t *to, size_t *length, size_t stored, size_t size, const char *name)
{
  put(to, length, 20, 2);
  put(to, length, 0, 2);
  put(to, length, 8, 2); /* deflated */
  put(to, length, 0, 8); /* no checksum */
  put(to, length, stored, 4);
  put(to, length, size, 4);
  put(to, length, strlen(name), 2);
  put(to, length, 0, 2);
}

static size_t deflate_to(uint8_t *to, size_t capacity, const uint8_t *bytes, size_t size)
{
  z_stream stream = {0};
  CHECK(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = (uint8_t *)bytes;
  stream.avail_in = (uInt)size;
  stream.next_out = to;
  stream.avail_out = (uInt)capacity;
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

/* An archive with a deflated member, and one more, "a/data/0", that is empty. */
static const char *archive_of(const char *file, const char *name, const uint8_t *bytes, size_t size,
                              size_t *length)
{
  const char *const names[] = {name, "a/data/0"};
  const size_t sizes[] = {size, 0}, capacity = compressBound(size) + 1000;
  const int count = strstr(name, ".pkl") ? 2 : 1;
  uint8_t *all = malloc(capacity);
  size_t at = 0, stored[2], starts[2];
  for (int i = 0; i < count; i++) {
    uint8_t *deflated = malloc(capacity);
    stored[i] = deflate_to(deflated, capacity, bytes, sizes[i]);
    starts[i] = at;
    put(all, &at, 0x04034b50, 4);
    put_common(all, &at, stored[i], sizes[i], names[i]);
    memcpy(all + at, names[i], strlen(names[i]));
    at += strlen(names[i]);
    memcpy(all + at, deflated, stored[i]);
    at += stored[i];
    free(deflated);
  }
  const size_t directory = at;
  for (int i = 0; i < count; i++) {
    put(all, &at, 0x02014b50, 4);
    put(all, &at, 20, 2);
    put_common(all, &at, stored[i], sizes[i], names[i]);
    put(all, &at, 0, 8);
    put(all, &at, 0, 2);
    put(all, &at, starts[i], 4);
    memcpy(all + at, names[i], strlen(names[i]));
    at += strlen(names[i]);
  }
  const size_t directoryLength = at - directory;
  put(all, &at, 0x06054b50, 4);
  put(all, &at, 0, 4);
  put(all, &at, (uint64_t)count, 2);
  put(all, &at, (uint64_t)count, 2);
  put(all, &at, directoryLength, 4);
  put(all, &at, directory, 4);
  put(all, &at, 0, 2);
  write_file(scratch(file), all, at);
  free(all);
  *length = at;
  return scratch(file);
}

/* The peak memory of a process that loads the file, minus that of one that loads nothing. */
static int64_t memory_of(const char *path, bool *loaded)
{
  int64_t most[2];
  for (int i = 0; i < 2; i++) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      at_dict *d = at_load(i == 0 ? "/no such file" : path);
      _exit(d != NULL);
    }
    int status;
    struct rusage usage;
    CHECK(wait4(child, &status, 0, &usage) == child && WIFEXITED(status));
    *loaded = WEXITSTATUS(status);
    most[i] = (int64_t)usage.ru_maxrss << 10;
  }
  return most[1] - most[0];
}

/* Checks that loading takes at most the memory that ATenFile.h states, plus some pages. */
static void check_memory(const char *what, const char *path, size_t length, bool loads)
{
  bool loaded;
  const int64_t memory = memory_of(path, &loaded);
  printf("%s: %zu bytes take %lld, %s\n", what, length, (long long)memory,
         loaded ? "loaded" : "refused");
  CHECK_EQ(loaded, loads);
#ifndef TH_SANITIZED /* sanitizers need memory of their own */
  CHECK_MSG(memory <= 64 * (int64_t)length + (4 << 20), "%s: %zu bytes take %lld", what, length,
            (long long)memory);
#endif
  unlink(path);
}

static void bombs(void **state)
{
  enum { BOMB_BYTES = 1 << 22 };
  uint8_t *bytes = malloc(BOMB_BYTES);
  size_t length;
  memset(bytes, ']', BOMB_BYTES);
  memcpy(bytes, "\x80\2(", 3);
  memcpy(bytes + BOMB_BYTES - 2, "l.", 2);
  const char *path = archive_of("lists.pt", "a/data.pkl", bytes, BOMB_BYTES, &length);
  check_memory("deflated lists", path, length, false);

  /* One tensor under very many names. */
  size_t at = 0;
#define ADD(TEXT) (memcpy(bytes + at, TEXT, sizeof TEXT - 1), at += sizeof TEXT - 1)
  ADD("\x80\2]ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
      "0X\3\0\0\0cpuK\0tQK\0K\0\x85K\1\x85\x89NtRq\1(");
  while (at < 800000)
    ADD("h\1");
  ADD("e.");
  path = archive_of("names.pt", "a/data.pkl", bytes, at, &length);
  check_memory("deflated names", path, length, false);

  /* The same names in the older layout, where nothing is deflated: the file may be loaded. */
  static const char head[] =
      "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3."
      "\x80\2}.";
  at = 0;
  ADD(head);
  ADD("\x80\2(");
  const size_t lists = 2000000;
  memset(bytes + at, ']', lists);
  at += lists;
  ADD("l.\x80\2].");
  path = write_file(scratch("legacy.pt"), bytes, at);
  check_memory("legacy lists", path, at, true);
  at = 0;
  ADD(head);
  ADD("\x80\2]");
  while (at < 2000000)
    ADD("\x85");
  ADD(".\x80\2].");
  path = write_file(scratch("legacy.pt"), bytes, at);
  check_memory("legacy tuples", path, at, false); /* names are too long */

  /* A text with a large length, and a large index in the memo. */
  at = 0;
  ADD("\x80\2K\1r\0\0\x3f\0X\0\0\x3f\0");
  memset(bytes + at, ' ', BOMB_BYTES - at);
  path = archive_of("text.pt", "a/data.pkl", bytes, BOMB_BYTES, &length);
  check_memory("deflated memo", path, length, false);

  /* A long header of a deflated array. */
  memset(bytes, ' ', BOMB_BYTES);
  memcpy(bytes, "\x93NUMPY\2\0\0\0\x3f\0", 12);
  path = archive_of("header.npz", "a.npy", bytes, BOMB_BYTES, &length);
  check_memory("deflated header", path, length, false);
  free(bytes);
}

/* Deflated zeros are loaded, unless they exceed at_load's limit. */
static void limited(void **state)
{
  enum { COUNT = 1 << 20 };
  static const char header[] =
      "\x93NUMPY\1\0\x3a\0{'descr': '|u1', 'fortran_order': False, 'shape': "
      "(1048576,)}";
  uint8_t *bytes = calloc(1, COUNT + sizeof header);
  memcpy(bytes, header, sizeof header - 1);
  bytes[8] = sizeof header - 1 - 10;
  size_t length;
  const char *path = archive_of("zeros.npz", "a.npy", bytes, COUNT + sizeof header - 1, &length);
  free(bytes);
  CHECK(length < 3000);
  at_dict *d = load(path);
  CHECK(at_numel(at_dict_get(d, "a")) == COUNT &&
        !((uint8_t *)at_data(at_dict_at(d, 0)))[COUNT - 1]);
  at_dict_free(d);
  d = at_load(path, .limit = COUNT);
  CHECK(d != NULL);
  at_dict_free(d);
  CHECK(at_load(path, .limit = COUNT - 1) == NULL && at_error() == AT_ERROR_RUNTIME);
  CHECK(strstr(at_error_message(), "limit of 1048575 bytes"));
  at_error_clear();
  CHECK(at_load(path, .limit = -1) == NULL && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  d = at_file_list(path);
  CHECK_EQ(at_dict_info(d, 0).sizes.data[0], COUNT);
  at_dict_free(d);
  unlink(path);
}

/* --- files that are cut short ----------------------------------------------------------------- */

/* The file that is truncated while it is read, or after it is mapped. */
static const char *victim;
static int pieces;

static void cut(void)
{
  if (victim && --pieces == 0)
    CHECK(truncate(victim, 20) == 0);
}

ssize_t __real_pread(int, void *, size_t, off_t);
ssize_t __wrap_pread(int, void *, size_t, off_t);
ssize_t __wrap_pread(int descriptor, void *to, size_t length, off_t offset)
{
  const ssize_t count = __real_pread(descriptor, to, length, offset);
  cut();
  return count;
}

ssize_t __real_pread64(int, void *, size_t, off_t);
ssize_t __wrap_pread64(int, void *, size_t, off_t);
ssize_t __wrap_pread64(int descriptor, void *to, size_t length, off_t offset)
{
  const ssize_t count = __real_pread64(descriptor, to, length, offset);
  cut();
  return count;
}

void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
  void *data = __real_mmap(at, length, protection, flags, descriptor, offset);
  if (descriptor >= 0)
    cut();
  return data;
}

void *__real_mmap64(void *, size_t, int, int, int, off_t);
void *__wrap_mmap64(void *, size_t, int, int, int, off_t);
void *__wrap_mmap64(void *at, size_t length, int protection, int flags, int descriptor,
                    off_t offset)
{
  void *data = __real_mmap64(at, length, protection, flags, descriptor, offset);
  if (descriptor >= 0)
    cut();
  return data;
}

static void cut_short(void **state)
{
  static const char *const suffixes[] = {"npy", "npz", "pt", "t7"};
  static char path[512];
  snprintf(path, sizeof path, "%s", scratch("x.deflated"));
  for (int i = 0; i < 7; i++) {
    size_t size = 0;
    uint8_t *bytes = NULL;
    if (i < 4) { /* the file has several pages, of which the first one remains */
      at_tensor *t = make_values(AT_FLOAT, AT_SHAPE(5000));
      at_dict *d = at_dict_new();
      char name[20];
      snprintf(name, sizeof name, "x.%s", suffixes[i]);
      CHECK(at_dict_set(d, i == 0 ? "" : "a", t));
      CHECK_MSG(at_save(scratch(name), d), "%s", at_error_message());
      at_release(t);
      at_dict_free(d);
      bytes = read_file(scratch(name), &size);
      unlink(scratch(name));
    } else {
      bytes = read_file(sample(i == 4   ? "deflated.npz"
                               : i == 5 ? "nested-2.15-legacy.pt"
                                        : "all-text.t7"),
                        &size);
    }
    int after = 0;
    for (bool whole = false; !whole;) {
      write_file(path, bytes, size);
      pieces = ++after;
      victim = path;
      at_dict *d = at_load(path);
      victim = NULL;
      whole = pieces > 0;
      CHECK((d != NULL) == (at_error() == AT_OK) && (d || !whole));
      at_error_clear();
      at_dict_free(d);
    }
    printf("file %d is read in %d pieces\n", i, after - 1);
    CHECK(after > 1);
    free(bytes);
  }
  unlink(path);
}

/* A safetensors file may be larger than memory. */
static void large(void **state)
{
  int overcommit = 0;
  FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
  if (file && fscanf(file, "%d", &overcommit) != 1)
    overcommit = 0;
  if (file)
    fclose(file);
  char start[200] = "";
  const int length = snprintf(start + 8, sizeof start - 8, "%s",
                              "{\"a\":{\"dtype\":\"U8\",\"shape\":[274877906944],"
                              "\"data_offsets\":[0,274877906944]}}");
  start[0] = (char)length;
  const off_t size = 8 + length + ((off_t)1 << 38);
  write_file(scratch("large.safetensors"), start, 8 + (size_t)length);
  if (overcommit == 2 || truncate(scratch("large.safetensors"), size)) {
    unlink(scratch("large.safetensors"));
    skip(); /* no overcommit of mappings, or a limit on file sizes */
  }
  at_dict *d = at_load(scratch("large.safetensors"));
  CHECK_MSG(d != NULL, "%s", at_error_message());
  CHECK_EQ(((uint8_t *)at_data(at_dict_get(d, "a")))[(int64_t)1 << 37], 0);
  at_dict_free(d);
  unlink(scratch("large.safetensors"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bombs), cmocka_unit_test(limited),
                                     cmocka_unit_test(cut_short), cmocka_unit_test(large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
