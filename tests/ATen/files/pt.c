/* Files of PyTorch, in both formats. */
#include <unistd.h>

#include "files.h"

static void loaded(void **state)
{
  static const char *const names[] = {"torch-2.15.pt", "torch-2.15-legacy.pt", "torch-1.13.pt",
                                      "torch-1.13-legacy.pt"};
  for (int i = 0; i < 4; i++) {
    at_dict *d = load(sample(names[i]));
    check_every(names[i], d, AT_BFLOAT16, false);
    at_dict_free(d);
  }
  at_dict *d = load(sample("bare.pt")); /* written without checksums */
  CHECK(at_dict_count(d) == 1 && !strcmp(at_dict_name(d, 0), ""));
  check_values("bare.pt", at_dict_get(d, ""), AT_FLOAT, AT_SHAPE(2, 3));
  at_dict_free(d);
}

/* Dictionaries, lists and a module's state within each other; numbers, texts and the like between
 * them; tensors that share a storage. */
static void nested(void **state)
{
  static const char *const files[] = {"nested-2.15.pt", "nested-2.15-legacy.pt", "nested-1.13.pt",
                                      "nested-1.13-legacy.pt"};
  static const struct {
    const char *name;
    at_scalar_type type;
    int dims;
    int64_t size[2];
  } plain[] = {{"model.0.weight", AT_FLOAT, 2, {2, 3}},
               {"model.0.bias", AT_FLOAT, 1, {2}},
               {"model.1.weight", AT_FLOAT, 1, {2}},
               {"model.1.bias", AT_FLOAT, 1, {2}},
               {"model.1.running_mean", AT_FLOAT, 1, {2}},
               {"model.1.running_var", AT_FLOAT, 1, {2}},
               {"model.1.num_batches_tracked", AT_LONG, 0, {0}},
               {"parameter", AT_FLOAT, 2, {2, 2}},
               {"list.0", AT_INT, 1, {3}},
               {"list.1.1", AT_HALF, 1, {2}},
               {"7", AT_CHAR, 1, {1}},
               {"wide", AT_DOUBLE, 2, {4, 6}},
               {"default.a", AT_SHORT, 1, {2}}};
  enum { PLAIN = sizeof plain / sizeof *plain };
  for (int f = 0; f < 4; f++) {
    at_dict *d = load(sample(files[f]));
    for (int i = 0; i < PLAIN; i++)
      check_values(plain[i].name, at_dict_get(d, plain[i].name), plain[i].type,
                   (at_ints){plain[i].size, plain[i].dims});
    check_view("rows", at_dict_get(d, "rows"), AT_DOUBLE, AT_SHAPE(2, 6), 6, (int64_t[]){6, 1});
    check_view("column", at_dict_get(d, "column"), AT_DOUBLE, AT_SHAPE(4), 2, (int64_t[]){6});
    CHECK_EQ(at_dict_count(d), PLAIN + 2);
    double *wide = at_data(at_dict_get(d, "wide"));
    CHECK(at_data(at_dict_get(d, "rows")) == wide + 6);
    CHECK(at_data(at_dict_get(d, "column")) == wide + 2);
    at_dict_free(d);
  }
}

static void written(void **state)
{
  at_dict *d = make_every(AT_BFLOAT16, false);
  CHECK(at_save(scratch("x.pt"), d));
  at_dict_free(d);
  d = load(scratch("x.pt"));
  check_every("x.pt", d, AT_BFLOAT16, false);
  at_dict_free(d);

  /* Views of one storage share it after loading, and only the part that they use is saved. */
  at_tensor *wide = make_values(AT_DOUBLE, AT_SHAPE(40, 6)), *rows = at_narrow(wide, 0, 1, 2),
            *column = at_select(wide, 1, 2), *few = at_narrow(column, 0, 1, 3);
  at_tensor *transposed = at_transpose(rows, 0, 1), *repeated = at_expand(rows, AT_SHAPE(3, 2, 6));
  d = at_dict_new();
  CHECK(at_dict_set(d, "few", few) && at_dict_set(d, "transposed", transposed));
  CHECK(at_dict_set(d, "repeated", repeated));
  CHECK(at_save(scratch("x.pt"), d));
  at_dict_free(d);
  d = load(scratch("x.pt"));
  check_view("transposed", at_dict_get(d, "transposed"), AT_DOUBLE, AT_SHAPE(6, 2), 6,
             (int64_t[]){1, 6});
  check_view("few", at_dict_get(d, "few"), AT_DOUBLE, AT_SHAPE(3), 8, (int64_t[]){6});
  check_view("repeated", at_dict_get(d, "repeated"), AT_DOUBLE, AT_SHAPE(3, 2, 6), 6,
             (int64_t[]){0, 6, 1});
  CHECK((double *)at_data(at_dict_get(d, "few")) ==
        (double *)at_data(at_dict_get(d, "transposed")) + 2);
  at_dict_free(d);
  size_t size;
  free(read_file(scratch("x.pt"), &size));
  CHECK_MSG(size < 2000, "%zu bytes for 15 elements", size);

  d = at_dict_new();
  CHECK(at_dict_set(d, "", few) && at_save(scratch("x.pth"), d));
  at_dict_free(d);
  d = load(scratch("x.pth"));
  check_view("few", at_dict_get(d, ""), AT_DOUBLE, AT_SHAPE(3), 8, (int64_t[]){6});
  at_dict_free(d);
  at_release(wide);
  at_release(rows);
  at_release(column);
  at_release(few);
  at_release(transposed);
  at_release(repeated);
  unlink(scratch("x.pt"));
  unlink(scratch("x.pth"));
}

/* --- pickles ---------------------------------------------------------------------------------- */

/* A file of the older format with that object; its storages have the keys "0", "1" ... and count
 * elements of Float each. */
static const char *file_of(const char *object, size_t length, int storages, int count)
{
  static const char head[] =
      "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3."
      "\x80\2}X\15\0\0\0little_endian\x88s.";
  static uint8_t bytes[1 << 17];
  size_t at = sizeof head - 1;
  memcpy(bytes, head, at);
  memcpy(bytes + at, object, length);
  at += length;
  memcpy(bytes + at, "\x80\2](", 4);
  at += 4;
  for (int i = 0; i < storages; i++, at += 6) {
    memcpy(bytes + at, "X\1\0\0\0", 5);
    bytes[at + 5] = (uint8_t)('0' + i);
  }
  memcpy(bytes + at, "e.", 2);
  at += 2;
  for (int i = 0; i < storages; i++, at += 8 + 4 * (size_t)count) {
    memset(bytes + at, 0, 8 + 4 * (size_t)count);
    bytes[at] = (uint8_t)count;
  }
  return write_file(scratch("own.pt"), bytes, at);
}
#define FILE_OF(OBJECT, STORAGES, COUNT) file_of(OBJECT, sizeof OBJECT - 1, STORAGES, COUNT)

#define STORAGE(COUNT)                   \
  "(U\7storagectorch\nFloatStorage\nU\1" \
  "0U\3cpuK" COUNT "NtQ"
#define TENSOR(COUNT, OFFSET, SIZES, STRIDES) \
  "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE(COUNT) OFFSET SIZES STRIDES "\x89NtR"
#define PLAIN                 TENSOR("\6", "K\0", "K\6\x85", "K\1\x85")
#define REFUSED(OBJECT, PART) check_refused(FILE_OF(OBJECT, 1, 6), AT_ERROR_RUNTIME, PART)

static void machine(void **state)
{
  at_dict *d = load(FILE_OF(PLAIN ".", 1, 6));
  CHECK_EQ(at_numel(at_dict_get(d, "")), 6);
  at_dict_free(d);
  /* All instructions for the memo, and discarded values. */
  d =
      load(FILE_OF("\x80\4\x95\1\0\0\0\0\0\0\0}(K\1K\2"
                   "1" PLAIN "p3\nq\4r\5\0\0\0\x94"
                   "0(K\5"
                   "0"
                   "0"
                   "(U\1ag3\nU\1bh\4U\1cj\6\0\0\0u"
                   "U\1d"
                   "h\5"
                   "s"
                   "K\x07h\3s"
                   "G\x3f\xf8\0\0\0\0\0\0h\3s"
                   "\x8a\1\xffh\3s"
                   "\x8b\0\0\0\0h\3s"
                   "J\xfe\xff\xff\xffh\3s"
                   "M\0\1h\3s"
                   "\x88"
                   "0"
                   "Nh\3s.",
                   1, 6));
  static const char *const wanted[] = {"a",  "b", "c",  "d",   "7",   "1.5",
                                       "-1", "0", "-2", "256", "None"};
  CHECK_EQ(at_dict_count(d), 11);
  for (int i = 0; i < 11; i++)
    CHECK(!strcmp(at_dict_name(d, i), wanted[i]) && at_dict_at(d, i) == at_dict_at(d, 0));
  at_dict_free(d);
}

/* Lists and dictionaries made in every way; a dictionary of pairs, as Python 2 wrote it. */
static void machine_lists(void **state)
{
  at_dict *d = load(FILE_OF("]q\1(ccollections\nOrderedDict\n](U\1a" PLAIN "q\2\x86"
                            "U\1b]h\2ah\2a\x86"
                            "e\x85R}b"
                            "(h\2h\2l"
                            "(U\1xh\2d"
                            "(h\2t"
                            "h\2\x85"
                            "h\2h\2\x86"
                            "h\2h\2h\2\x87"
                            "e.",
                            1, 6));
  CHECK_EQ(at_dict_count(d), 13);
  CHECK(at_dict_has(d, "0.a") && at_dict_has(d, "0.b.1") && at_dict_has(d, "1.1"));
  CHECK(at_dict_has(d, "2.x") && at_dict_has(d, "3.0") && at_dict_has(d, "6.2"));
  at_dict_free(d);
}

/* Values that matter only to other programs. */
static void machine_others(void **state)
{
  at_dict *d =
      load(FILE_OF("}(U\1aU\1bU\1c\x8f(K\1\x90U\1d(K\1K\2\x91U\1eC\2xyU\1f\x8e\2\0\0\0\0\0\0\0xy"
                   "U\1gctorch\nfloat32\nU\1hctorch\nSize\n(K\1K\2t\x85RU\1i\x8d\1\0\0\0\0\0\0\0x"
                   "U\1jcbuiltins\nset\n]\x85RU\1k\x8c\5torch\x8c\6device\x93U\3cpu\x85R"
                   "U\1lccollections\nCounter\n)}\x92U\1mB\1\0\0\0xU\1nT\1\0\0\0xu.",
                   0, 0));
  CHECK_EQ(at_dict_count(d), 0);
  at_dict_free(d);
}

/* A view of a storage, and parameters and subclasses, which wrap tensors. */
static void machine_views(void **state)
{
  at_dict *d =
      load(FILE_OF("](ctorch._utils\n_rebuild_tensor\n((U\7storagectorch.cuda\nFloatStorage\nU\1"
                   "0U\6cuda:0K\6"
                   "(U\1vK\2K\4ttQK\1K\3\x85K\1\x85tR"
                   "ctorch._utils\n_rebuild_parameter\n" PLAIN "\x88}\x87R"
                   "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\n"
                   "ctorch\nTensor\n(" STORAGE("\6") "K\0K\6\x85K\1\x85\x89NtN"
                                                     "tRe.",
                   1, 6));
  CHECK_EQ(at_dict_count(d), 3);
  CHECK((char *)at_data(at_dict_at(d, 0)) - (char *)at_data(at_dict_at(d, 1)) == 12);
  CHECK(at_data(at_dict_at(d, 2)) == at_data(at_dict_at(d, 1)));
  at_dict_free(d);
}

/* Objects that contain themselves are read; objects that contain others too often are an early
 * error. */
static void bounded(void **state)
{
  at_dict *d = load(FILE_OF("]q\1(" PLAIN "h\1]h\1ae.", 1, 6));
  CHECK(at_dict_count(d) == 1 && at_dict_has(d, "0"));
  at_dict_free(d);

  char object[4096] = "\x80\2]q\1(" PLAIN;
  size_t length = 6 + sizeof PLAIN - 1;
  object[length++] = 'e';
  for (int i = 1; i < 60; i++, length += 10) /* each list contains the one before it twice */
    memcpy(object + length,
           (char[]){'0', ']', 'q', (char)(i + 1), '(', 'h', (char)i, 'h', (char)i, 'e'}, 10);
  object[length++] = '.';
  check_refused(file_of(object, length, 1, 6), AT_ERROR_RUNTIME,
                "too long for what is in the file");

  static char deep[40000];
  memset(deep, ']', 10000);
  memset(deep + 10000, 'a', 9999);
  deep[19999] = '.';
  d = load(file_of(deep, 20000, 0, 0));
  CHECK_EQ(at_dict_count(d), 0);
  at_dict_free(d);

  /* Dictionaries of one long list of pairs, over and over. */
  strcpy(deep, "ccollections\nOrderedDict\nq\1](");
  for (length = strlen(deep); length < 20000; length += 5)
    memcpy(deep + length, "K\1K\1\x86", 5);
  memcpy(deep + length, "e\x85q\2", 4);
  for (length += 4; length < 39000; length += 6)
    memcpy(deep + length, "h\1h\2R0", 6);
  deep[length++] = '.';
  check_refused(file_of(deep, length, 0, 0), AT_ERROR_RUNTIME, "pairs");
}

static void refused(void **state)
{
  check_refused(sample("float8.pt"), AT_ERROR_TYPE, "'z' is of type torch.float8_e5m2");
  check_refused(sample("sparse.pt"), AT_ERROR_TYPE, "_rebuild_sparse_tensor");
  check_refused(sample("runs.pt"), AT_ERROR_RUNTIME, "posix.system");
  CHECK(access("/tmp/a-pickle-was-run", F_OK) != 0);

  REFUSED(TENSOR("\6", "K\0", "K\7\x85", "K\1\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\1", "K\6\x85", "K\1\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\0", "K\4\x85", "K\2\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\0", "J\xff\xff\xff\xff\x85", "K\1\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\0", "K\2\x85", "J\xff\xff\xff\xff\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\0", "K\2K\3\x86", "K\1\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", "J\xff\xff\xff\xff", "K\2\x85", "K\1\x85") ".", "begins at");
#define LARGE "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"
  REFUSED(TENSOR("\6", "K\0", LARGE LARGE "\x86", "K\1K\1\x86") ".", "does not fit");
  REFUSED(TENSOR("\6", "K\0", LARGE "\x85", LARGE "\x85") ".", "does not fit");
  REFUSED(TENSOR("\6", LARGE, "K\1\x85", "K\1\x85") ".", "does not fit");
  REFUSED(TENSOR("\7", "K\0", "K\6\x85", "K\1\x85") ".", "24 bytes, which are not 7");
  REFUSED(TENSOR("\6", "K\0", "U\1a\x85", "K\1\x85") ".", "no integer");
  REFUSED("](" PLAIN TENSOR("\5", "K\0", "K\2\x85", "K\1\x85") "e.", "two sizes");
  REFUSED(TENSOR("\6", "K\0", "N", "K\1\x85") ".", "of another kind");
  REFUSED("ctorch._utils\n_rebuild_tensor_v2\n)R.", "missing");
  REFUSED("cos\nsystem\nU\4true\x85R.", "os.system");
  REFUSED("c__builtin__\neval\n.", "__builtin__.eval");
  REFUSED("\x8c\5torch\x8c\5_load\x93.", "torch._load");
  REFUSED("U\1a)R.", "no function");
  REFUSED("ios\nsystem\n.", "instruction 0x69");
  REFUSED("}U\1as.", "not there");
  REFUSED("](K\1.", "leaves 2 values");
  REFUSED("K\1e.", "lacks a mark");
  REFUSED("K\1(K\1e.", "takes nothing");
  REFUSED("}(K\1u.", "takes nothing");
  REFUSED("h\1.", "nothing at index 1");
  REFUSED("K\1j\xff\xff\xff\xff.", "nothing at index");
  REFUSED("K\1r\xff\xff\xff\xff.", "an index");
  REFUSED("\x80\6.", "protocol");
  REFUSED(
      "X\xff\xff\xff\xff"
      "a.",
      "too early");
  REFUSED(
      "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
      "a.",
      "too early");
  REFUSED(".", "not there");
  check_refused(FILE_OF(PLAIN ".", 0, 0), AT_ERROR_RUNTIME, "a storage is missing");
  check_refused(FILE_OF(PLAIN ".", 2, 6), AT_ERROR_RUNTIME, "belongs to no tensor");
  REFUSED("}(U\3a.b" PLAIN "q\1U\1a}U\1bh\1su.", "two tensors with the name 'a.b'");
  REFUSED("}U\2a\0" PLAIN "s.", "byte of 0");
  unlink(scratch("own.pt"));
}

static void damaged(void **state)
{
  check_damaged("torch-1.13.pt");
  check_damaged("nested-2.15-legacy.pt");
}

static void faults(void **state)
{
  check_faults("nested-1.13.pt", ".pt");
  check_faults("torch-2.15-legacy.pt", ".pth");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded),        cmocka_unit_test(nested),
      cmocka_unit_test(written),       cmocka_unit_test(machine),
      cmocka_unit_test(machine_lists), cmocka_unit_test(machine_others),
      cmocka_unit_test(machine_views), cmocka_unit_test(bounded),
      cmocka_unit_test(refused),       cmocka_unit_test(damaged),
      cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
