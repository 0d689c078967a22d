/* .npy and .npz files. */
#include <unistd.h>

#include "files.h"

static void arrays(void **state)
{
  static const char *const names[] = {"Byte",  "Char",   "Short", "Int", "Long",
                                      "Float", "Double", "Half",  "Bool"};
  for (int i = 0; i <= AT_BOOL; i++) {
    char name[40];
    snprintf(name, sizeof name, "%s.npy", names[i]);
    at_tensor *t = at_load_npy(sample(name));
    check_values(name, t, (at_scalar_type)i, AT_SHAPE(2, 3));
    at_release(t);
    at_dict *d = load(sample(name));
    CHECK(at_dict_count(d) == 1 && !strcmp(at_dict_name(d, 0), ""));
    check_values(name, at_dict_get(d, ""), (at_scalar_type)i, AT_SHAPE(2, 3));
    at_dict_free(d);
  }
  at_tensor *big = at_load_npy(sample("big.npy")), *scalar = at_load_npy(sample("scalar.npy")),
            *empty = at_load_npy(sample("empty.npy")), *v2 = at_load_npy(sample("version2.npy")),
            *columns = at_load_npy(sample("columns.npy"));
  check_values("big", big, AT_FLOAT, AT_SHAPE(2, 3));
  check_values("scalar", scalar, AT_FLOAT, AT_SCALAR_SHAPE);
  check_values("empty", empty, AT_FLOAT, AT_SHAPE(0, 3));
  check_values("version 2", v2, AT_INT, AT_SHAPE(4));
  check_values("columns", columns, AT_DOUBLE, AT_SHAPE(2, 3, 2));
  CHECK(at_stride(columns, 0) == 1 && at_stride(columns, 2) == 6);
  at_release(big);
  at_release(scalar);
  at_release(empty);
  at_release(v2);
  at_release(columns);
}

static void archives(void **state)
{
  static const char *const names[] = {"stored.npz", "deflated.npz"};
  for (int i = 0; i < 2; i++) {
    at_dict *d = load(sample(names[i]));
    check_every(names[i], d, AT_BOOL, true);
    at_dict_free(d);
  }
}

/* Files are saved with the same bytes as by NumPy. */
static void written(void **state)
{
  static const char *const names[] = {"Byte.npy", "Short.npy", "Long.npy",   "Half.npy",
                                      "Bool.npy", "empty.npy", "scalar.npy", "columns.npy"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    at_tensor *t = at_load_npy(sample(names[i]));
    CHECK(at_save_npy(scratch("x.npy"), t));
    at_release(t);
    size_t size, wanted;
    uint8_t *is = read_file(scratch("x.npy"), &size), *was = read_file(sample(names[i]), &wanted);
    CHECK_EQ(size, wanted);
    CHECK_MSG(!memcmp(is, was, size), "%s is written otherwise than NumPy did", names[i]);
    free(is);
    free(was);
  }
  at_dict *d = make_every(AT_BOOL, true);
  CHECK(at_save(scratch("x.npz"), d));
  at_dict_free(d);
  d = load(scratch("x.npz"));
  check_every("x.npz", d, AT_BOOL, true);
  at_dict_free(d);
  unlink(scratch("x.npy"));
  unlink(scratch("x.npz"));
}

static const char *array_of(const char *header, size_t dataBytes)
{
  uint8_t bytes[512] = "\x93NUMPY\1\0";
  const size_t length = strlen(header);
  bytes[8] = (uint8_t)length;
  memcpy(bytes + 10, header, length);
  return write_file(scratch("own.npy"), bytes, 10 + length + dataBytes);
}

static void refused(void **state)
{
  check_refused(sample("longdouble.npy"), AT_ERROR_TYPE, "of type <f16");
  check_refused(sample("records.npy"), AT_ERROR_TYPE, "[('a', '<i4')");
#define REST "'fortran_order': False, 'shape': "
  check_refused(array_of("{'descr': '<f4', " REST "(3,)}", 11), AT_ERROR_RUNTIME, "11 bytes");
  check_refused(array_of("{'descr': '<f4', " REST "(3,)}", 13), AT_ERROR_RUNTIME, "13 bytes");
  check_refused(array_of("{'descr': '<f4', " REST "(-3,)}", 12), AT_ERROR_RUNTIME, "a number");
  check_refused(array_of("{'descr': '<f8', " REST "(2305843009213693952, 8)}", 0), AT_ERROR_RUNTIME,
                "does not take");
  check_refused(array_of("{'descr': '<f8', " REST "(99999999999999999999,)}", 0), AT_ERROR_RUNTIME,
                "too large");
  check_refused(array_of("{'descr': '<f8', 'fortran_order': False}", 0), AT_ERROR_RUNTIME, "lacks");
  check_refused(array_of("{'descr': '<f8', 'descr': '<f8', " REST "(1,)}", 8), AT_ERROR_RUNTIME,
                "once too often");
  check_refused(array_of("{'descr': '<f8', 'more': 1, " REST "(1,)}", 8), AT_ERROR_RUNTIME,
                "once too often");
  check_refused(array_of("{'descr': 'f8' " REST "(1,)}", 8), AT_ERROR_RUNTIME, ", should");
  check_refused(array_of("{'descr': '<f8', " REST "(1,)} x", 8), AT_ERROR_RUNTIME, "end of the");
  at_tensor *t =
      at_load_npy(array_of("{'shape': (1L, 2), 'fortran_order': False, 'descr': \"i1\"}", 2));
  CHECK(at_typeOf(t) == AT_CPU(AT_CHAR) && at_dim(t) == 2 && at_numel(t) == 2);
  at_release(t);
  t = at_load_npy(array_of("{'descr': '|b1', " REST "(3,), }", 3));
  CHECK(at_defined(t));
  at_release(t);
  unlink(scratch("own.npy"));

  /* Any byte but 0 is true. */
  size_t size;
  uint8_t *bytes = read_file(sample("Bool.npy"), &size);
  memcpy(bytes + size - 6, "\0\1\2\3\200\377", 6);
  t = at_load_npy(write_file(scratch("own.npy"), bytes, size));
  for (int i = 0; i < 6; i++)
    CHECK_EQ(((uint8_t *)at_data(t))[i], i > 0);
  at_release(t);
  free(bytes);

  at_dict *d = load(sample("all.safetensors"));
  CHECK(!at_save(scratch("x.npz"), d) && at_error() == AT_ERROR_TYPE);
  CHECK_MSG(strstr(at_error_message(), "BFloat16"), "%s", at_error_message());
  at_error_clear();
  CHECK(!at_save(scratch("x.npy"), d) && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  at_tensor *brain = at_dict_get(d, "BFloat16");
  CHECK(!at_save_npy(scratch("x.npy"), brain) && at_error() == AT_ERROR_TYPE);
  at_error_clear();
  at_dict_free(d);
  CHECK(!at_defined(at_load_npy(sample("stored.npz"))) && at_error() == AT_ERROR_RUNTIME);
  at_error_clear();
  CHECK(!at_defined(at_load_npy(NULL)) && at_error() == AT_ERROR_NULL);
  at_error_clear();
  CHECK(!at_save_npy(scratch("x.npy"), at_undefined()) && at_error() == AT_OK);
}

/* Files of NumPy, truncated at every byte or with one byte changed. */
static void damaged(void **state)
{
  check_damaged("columns.npy");
  check_damaged("stored.npz");
  check_damaged("deflated.npz");
}

/* The offset of the next record with that signature, from at on; size if there is none. */
static size_t next_record(const uint8_t *bytes, size_t size, size_t at, const char *signature)
{
  const size_t length = strlen(signature);
  while (at + length <= size && memcmp(bytes + at, signature, length) != 0)
    at++;
  return at + length <= size ? at : size;
}

/* Changed elements are detected, and a wrong number of deflated elements too, also without a
 * checksum; saved members are aligned so that others can map them. */
static void members(void **state)
{
  size_t size;
  uint8_t *bytes = read_file(sample("stored.npz"), &size);
  const size_t element = next_record(bytes, size, 0, "\x93NUMPY") + 128;
  bytes[element] ^= 1;
  check_refused(write_file(scratch("own.npz"), bytes, size), AT_ERROR_RUNTIME, "Byte.npy");
  free(bytes);
  bytes = read_file(sample("deflated.npz"), &size);
  const size_t entry = next_record(bytes, size, 0, "PK\1\2");
  memset(bytes + entry + 16, 0, 4);
  for (int more = -1; more <= 1; more++) {
    bytes[entry + 24] = (uint8_t)(bytes[entry + 24] + more);
    write_file(scratch("own.npz"), bytes, size);
    if (more == 0)
      at_dict_free(load(scratch("own.npz")));
    else
      check_refused(scratch("own.npz"), AT_ERROR_RUNTIME, "Byte.npy");
    bytes[entry + 24] = (uint8_t)(bytes[entry + 24] - more);
  }
  free(bytes);

  at_dict *d = make_every(AT_BOOL, true);
  CHECK(at_save(scratch("own.npz"), d));
  at_dict_free(d);
  bytes = read_file(scratch("own.npz"), &size);
  int arrays = 0;
  for (size_t at = 0; (at = next_record(bytes, size, at, "\x93NUMPY")) < size; at++, arrays++)
    CHECK_EQ(at % 64, 0);
  CHECK_EQ(arrays, 11);
  free(bytes);
  unlink(scratch("own.npz"));
}

/* A small archive cannot inflate to a large set by members that share their deflated bytes. */
static void overlapping(void **state)
{
  size_t size;
  uint8_t *bytes = read_file(sample("stored.npz"), &size);
  const size_t end = size - 22, directory = bytes[end + 16] | (size_t)bytes[end + 17] << 8,
               length = end - directory;
  enum { TIMES = 12 };
  uint8_t *larger = malloc(size + TIMES * length);
  memcpy(larger, bytes, directory);
  for (int i = 0; i < TIMES; i++) {
    memcpy(larger + directory + i * length, bytes + directory, length);
    for (size_t at = directory + i * length; at < directory + (i + 1) * length;) {
      larger[at + 46] = (uint8_t)('a' + i); /* a name of its own */
      at += 46u + larger[at + 28] + larger[at + 30] + larger[at + 32];
    }
  }
  uint8_t *last = larger + directory + TIMES * length;
  memcpy(last, bytes + end, 22);
  last[8] = last[10] = (uint8_t)(TIMES * bytes[end + 8]);
  const size_t whole = TIMES * length;
  last[12] = (uint8_t)whole;
  last[13] = (uint8_t)(whole >> 8);
  check_refused(write_file(scratch("own.npz"), larger, directory + whole + 22), AT_ERROR_RUNTIME,
                "overlap");
  unlink(scratch("own.npz"));
  free(larger);
  free(bytes);
}

static void save_one(void *context)
{
  if (!at_save_npy(scratch("faults.npy"), context)) {
    at_error_clear();
    THError("not saved");
  }
}

static void load_one(void *context)
{
  at_tensor *t = at_load_npy(sample("columns.npy"));
  if (!at_defined(t)) {
    at_error_clear();
    THError("not loaded");
  }
  at_release(t);
}

static void faults(void **state)
{
  check_faults("columns.npy", ".npy");
  check_faults("deflated.npz", ".npz");
  CHECK(th_fail_each(load_one, NULL) > 4);
  at_tensor *t = make_values(AT_INT, AT_SHAPE(3, 4)), *view = at_narrow(t, 1, 1, 2);
  CHECK(th_fail_each(save_one, view) > 4);
  at_release(view);
  at_release(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays),      cmocka_unit_test(archives),
                                     cmocka_unit_test(written),     cmocka_unit_test(refused),
                                     cmocka_unit_test(damaged),     cmocka_unit_test(faults),
                                     cmocka_unit_test(overlapping), cmocka_unit_test(members)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
