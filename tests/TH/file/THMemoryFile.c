/* Memory files: whose storage it is, how it grows and is cut, and what others may do to it. */
#include "files.h"

static THCharStorage *storage_of(const char *text, size_t n)
{
  THCharStorage *storage = THCharStorage_newWithSize((ptrdiff_t)n + 1);
  memcpy(storage->data, text, n);
  storage->data[n] = 0;
  return storage;
}

static void check_storage(const THCharStorage *storage, const char *text)
{
  CHECK_EQ(storage->size, strlen(text) + 1);
  CHECK(!strcmp((const char *)storage->data, text));
}

static void new_files(void **state)
{
  THFile *file = THMemoryFile_new("rw");
  THCharStorage *storage = THMemoryFile_storage(file);
  check_storage(storage, "");
  CHECK_EQ(storage->refcount, 1);
  THFile_writeIntScalar(file, 42);
  CHECK(THMemoryFile_storage(file) == storage);
  check_storage(storage, "42\n");
  THFile_free(file);

  file = THMemoryFile_new("r");
  CHECK_RAISES(0, "the file ends", THFile_readIntScalar(file));
  CHECK_RAISES(0, "memory file", THFile_readDoubleScalar(file));
  THFile_free(file);
  CHECK_RAISES(2, "not 'x'", THMemoryFile_new("x"));
  CHECK_RAISES(2, "not '(null)'", THMemoryFile_new(NULL));
}

static void given_storages(void **state)
{
  THCharStorage *storage = storage_of("12 34", 5);
  static const char *const modes[] = {"r", "w", "rw"};
  for (int m = 0; m < 3; m++) {
    THFile *file = THMemoryFile_newWithStorage(storage, modes[m]);
    CHECK_EQ(storage->refcount, 2);
    CHECK(THMemoryFile_storage(file) == storage);
    if (m != 1)
      CHECK_EQ(THFile_readIntScalar(file), m == 0 ? 12 : 72);
    else
      CHECK_EQ(THFile_writeStringRaw(file, "7", 1), 1); /* nothing else is gone */
    THFile_seekEnd(file);
    CHECK_EQ(THFile_position(file), 5);
    THFile_close(file);
    CHECK_EQ(storage->refcount, 1);
    THFile_free(file);
  }
  check_storage(storage, "72 34");

  THCharStorage_set(storage, 5, 'x');
  CHECK_RAISES(1, "terminated by 0", THMemoryFile_newWithStorage(storage, "w"));
  CHECK_EQ(storage->refcount, 1);
  THCharStorage_resize(storage, 0);
  CHECK_RAISES(1, "terminated by 0", THMemoryFile_newWithStorage(storage, "r"));
  THCharStorage_free(storage);
}

/* Two files and their owner see one storage. */
static void shared_storage(void **state)
{
  THCharStorage *storage = storage_of("", 0);
  THFile *writer = THMemoryFile_newWithStorage(storage, "w");
  for (int i = 0; i < 1000; i++)
    THFile_writeIntScalar(writer, i);
  THFile_synchronize(writer);
  CHECK_EQ(storage->size, 10 * 2 + 90 * 3 + 900 * 4 + 1);
  THFile *reader = THMemoryFile_newWithStorage(storage, "r");
  THCharStorage_free(storage); /* the files hold it */
  THFile_free(writer);
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(THFile_readIntScalar(reader), i);
  storage = THMemoryFile_storage(reader);
  THCharStorage_retain(storage);
  THFile_free(reader);
  CHECK_EQ(storage->refcount, 1);
  CHECK(!strncmp((char *)storage->data, "0\n1\n2\n", 6));
  THCharStorage_free(storage);
}

/* Closing cuts a storage that has grown; the NUL is there at every moment. */
static void cut_storage(void **state)
{
  THCharStorage *storage = storage_of("abc", 3);
  THFile *file = THMemoryFile_newWithStorage(storage, "rw");
  THFile_seekEnd(file);
  for (int i = 0; i < 500; i++) {
    THFile_writeStringRaw(file, "defg", 4);
    CHECK(storage->size > 3 + 4 * (i + 1));
    CHECK_EQ(storage->data[3 + 4 * (i + 1)], 0);
  }
  THFile_seek(file, 1);
  THFile_writeStringRaw(file, "X", 1); /* does not end the file */
  CHECK_EQ(storage->data[2], 'c');
  THFile_free(file);
  CHECK_EQ(storage->size, 2004);
  CHECK_EQ(strlen((char *)storage->data), 2003);
  THCharStorage_free(storage);
}

static void not_resizable(void **state)
{
  THCharStorage *storage = storage_of("abcdef", 6);
  THCharStorage_clearFlag(storage, TH_STORAGE_RESIZABLE);
  THFile *file = THMemoryFile_newWithStorage(storage, "rw");
  THFile_writeStringRaw(file, "ABC", 3);
  CHECK_RAISES(0, "wrote 3 blocks instead of 4", THFile_writeStringRaw(file, "DEFG", 4));
  THFile_quiet(file);
  THFile_clearError(file);
  CHECK_EQ(THFile_writeStringRaw(file, "G", 1), 0);
  CHECK(THFile_hasError(file));
  THFile_pedantic(file);
  CHECK_RAISES(0, "not resizable", THFile_writeIntScalar(file, 1));
  THFile_free(file);
  check_storage(storage, "ABCDEF");

  /* Memory that is not the storage's to release is replaced, not resized. */
  static TH_CHAR own[] = "xyz";
  THCharStorage *view = THCharStorage_newWithData(own, 4);
  THCharStorage_clearFlag(view, TH_STORAGE_FREEMEM);
  file = THMemoryFile_newWithStorage(view, "rw");
  THFile_seekEnd(file);
  THFile_writeStringRaw(file, "!!!", 3);
  check_storage(THMemoryFile_storage(file), "xyz!!!");
  THFile_free(file);
  CHECK(!strcmp((char *)own, "xyz"));
  THCharStorage_free(view);
  THCharStorage_free(storage);
}

/* The owner of the storage makes it smaller while the file is open: what is gone is gone. */
static void shrunk_storage(void **state)
{
  THCharStorage *storage = storage_of("1 2 3 4 5", 9);
  THFile *file = THMemoryFile_newWithStorage(storage, "rw");
  CHECK_EQ(THFile_readIntScalar(file), 1);
  THFile_seekEnd(file);
  THCharStorage_resize(storage, 4);
  CHECK_EQ(THFile_position(file), 3);
  CHECK_RAISES(0, "unable to seek at position 4", THFile_seek(file, 4));
  THFile_seek(file, 2);
  CHECK_EQ(THFile_readIntScalar(file), 2);
  THCharStorage_resize(storage, 0);
  CHECK_RAISES(0, "the file ends", THFile_readIntScalar(file));
  char *text;
  CHECK_RAISES(0, "the file ends", THFile_readStringRaw(file, "*a", &text));
  check_storage(THMemoryFile_storage(file), "");
  THCharStorage_resize(storage, 0);
  THFile_writeIntScalar(file, 8);
  check_storage(THMemoryFile_storage(file), "8\n");
  THCharStorage_resize(storage, 0);
  THFile_free(file);
  CHECK_EQ(storage->refcount, 1);
  THCharStorage_free(storage);
}

/* A file written to itself, while its storage moves. */
static void written_to_itself(void **state)
{
  THFile *file = THMemoryFile_new("rw");
  THFile_binary(file);
  THFile_writeStringRaw(file, "0123456789", 10);
  for (int i = 0; i < 16; i++) {
    THCharStorage *storage = THMemoryFile_storage(file);
    const size_t size = (size_t)storage->size - 1;
    CHECK_EQ(THFile_writeCharRaw(file, storage->data, size), size);
  }
  const THCharStorage *storage = THMemoryFile_storage(file);
  CHECK_EQ(storage->size, (10 << 16) + 1);
  for (int i = 0; i < 10 << 16; i++)
    CHECK(storage->data[i] == '0' + i % 10);
  THFile_free(file);
}

static void positions(void **state)
{
  THFile *file = THMemoryFile_new("rw");
  THFile_writeStringRaw(file, "abc", 3);
  THFile_seek(file, 3);
  CHECK_RAISES(0, "unable to seek at position 4 in the memory file", THFile_seek(file, 4));
  CHECK_RAISES(0, "unable to seek at position 18446744073709551615", THFile_seek(file, SIZE_MAX));
  CHECK_EQ(THFile_position(file), 3);
  THFile_quiet(file);
  THFile_clearError(file);
  THFile_seek(file, SIZE_MAX);
  CHECK(THFile_hasError(file));
  CHECK_EQ(THFile_position(file), 3);
  CHECK_RAISES(0, "more than", THFile_writeStringRaw(file, "", PTRDIFF_MAX - 1));
  CHECK_EQ(THFile_position(file), 3);
  THFile_free(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_files),         cmocka_unit_test(given_storages),
      cmocka_unit_test(shared_storage),    cmocka_unit_test(cut_storage),
      cmocka_unit_test(not_resizable),     cmocka_unit_test(shrunk_storage),
      cmocka_unit_test(written_to_itself), cmocka_unit_test(positions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
