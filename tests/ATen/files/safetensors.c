/* safetensors files. */
#include <unistd.h>

#include "files.h"

static void loaded(void **state)
{
  at_dict *d = load(sample("all.safetensors"));
  for (int i = 0; i < at_dict_count(d); i++)
    CHECK(at_dict_has(d, at_dict_name(d, i)));
  CHECK_EQ(at_dict_count(d), AT_BFLOAT16 + 1 + 2);
  check_values("Byte", at_dict_get(d, "Byte"), AT_BYTE, AT_SHAPE(2, 3));
  check_values("Long", at_dict_get(d, "Long"), AT_LONG, AT_SHAPE(2, 3));
  check_values("Half", at_dict_get(d, "Half"), AT_HALF, AT_SHAPE(2, 3));
  check_values("Bool", at_dict_get(d, "Bool"), AT_BOOL, AT_SHAPE(2, 3));
  check_values("BFloat16", at_dict_get(d, "BFloat16"), AT_BFLOAT16, AT_SHAPE(2, 3));
  check_values("scalar", at_dict_get(d, "scalar"), AT_FLOAT, AT_SCALAR_SHAPE);
  check_values("empty", at_dict_get(d, "empty"), AT_FLOAT, AT_SHAPE(0, 3));
  at_dict_free(d);
}

/* A tensor keeps the mapping; writes stay in this process; it cannot grow. */
static void mapped(void **state)
{
  at_dict *d = make_every(AT_BFLOAT16, false);
  CHECK(at_save(scratch("x.safetensors"), d));
  at_dict_free(d);
  size_t size, after;
  uint8_t *bytes = read_file(scratch("x.safetensors"), &size);
  d = load(scratch("x.safetensors"));
  check_every("x.safetensors", d, AT_BFLOAT16, false);
  at_tensor *first = at_retain(at_dict_get(d, "Double")), *second = at_dict_get(d, "Long");
  CHECK_EQ((char *)at_data(second) - (char *)at_data(first),
           -48); /* next to each other in the file */
  at_dict_free(d);
  check_values("Double", first, AT_DOUBLE, AT_SHAPE(2, 3));
  CHECK(at_add_(first, first) == first);
  CHECK_EQ(((double *)at_data(first))[1], 2 * value_at(AT_DOUBLE, 1));
  uint8_t *again = read_file(scratch("x.safetensors"), &after);
  CHECK(after == size && !memcmp(bytes, again, size));
  at_tensor *ten = at_ones(AT_SHAPE(10), .type = AT_CPU(AT_DOUBLE));
  CHECK(at_add_out(first, ten, ten) == at_undefined() && at_error() != AT_OK);
  at_error_clear();
  CHECK_EQ(((double *)at_data(first))[1], 2 * value_at(AT_DOUBLE, 1));
  at_release(ten);
  at_release(first);
  free(bytes);
  free(again);
  unlink(scratch("x.safetensors"));
}

/* A file with that header and dataBytes bytes of elements. */
static const char *file_of(const char *header, size_t dataBytes)
{
  uint8_t bytes[1024] = {0};
  const size_t length = strlen(header);
  bytes[0] = (uint8_t)length;
  bytes[1] = (uint8_t)(length >> 8);
  memcpy(bytes + 8, header, length);
  memset(bytes + 8 + length, 1, dataBytes);
  return write_file(scratch("own.safetensors"), bytes, 8 + length + dataBytes);
}

#define TENSOR(NAME, TYPE, SHAPE, FROM, TO) \
  "\"" NAME "\":{\"dtype\":\"" TYPE "\",\"shape\":" SHAPE ",\"data_offsets\":[" #FROM "," #TO "]}"

/* White space, escapes, any order, metadata, elements that are not aligned. */
static void headers(void **state)
{
  at_dict *d =
      load(file_of("{ \"a\\u00e9\\ud83d\\ude00\\n\\\"\" : { \"shape\" : [ ] , \"dtype\":\"F64\", "
                   "\"data_offsets\" : [ 3 , 11 ] } "
                   ",\"__metadata__\":{\"k\":\"v\",\"l\":\"\"}, " TENSOR("b", "I8", "[1,3]", 0,
                                                                         3) "\t}\r\n ",
                   11));
  CHECK_EQ(at_dict_count(d), 2);
  CHECK(!strcmp(at_dict_name(d, 0), "a\xc3\xa9\xf0\x9f\x98\x80\n\""));
  const double ones = *(double *)at_data(at_dict_at(d, 0));
  CHECK(at_dim(at_dict_at(d, 0)) == 0 && !memcmp(&ones, "\1\1\1\1\1\1\1\1", 8));
  CHECK(at_numel(at_dict_get(d, "b")) == 3 && at_dim(at_dict_get(d, "b")) == 2);
  CHECK(at_save(scratch("y.safetensors"), d));
  at_dict_free(d);
  d = load(scratch("y.safetensors"));
  CHECK(!strcmp(at_dict_name(d, 0), "a\xc3\xa9\xf0\x9f\x98\x80\n\""));
  CHECK_EQ((uintptr_t)at_data(at_dict_at(d, 0)) % 64, 0);
  at_dict_free(d);
  d = load(file_of("{}", 0));
  CHECK_EQ(at_dict_count(d), 0);
  at_dict_free(d);
  unlink(scratch("y.safetensors"));
  unlink(scratch("own.safetensors"));
}

static void refused(void **state)
{
#define A                            TENSOR("a", "F32", "[2]", 0, 8)
#define REFUSED(HEADER, BYTES, PART) check_refused(file_of(HEADER, BYTES), AT_ERROR_RUNTIME, PART)
  check_refused(sample("float8.safetensors"), AT_ERROR_TYPE, "'z' is of type F8_E4M3");
  REFUSED("{" A "}", 7, "from byte 0 to byte 8 of 7");
  REFUSED("{" A "}", 9, "1 bytes of elements belong");
  REFUSED("{" A "," TENSOR("b", "U8", "[2]", 6, 8) "}", 8, "at byte 8");
  REFUSED("{" A "," TENSOR("b", "U8", "[1]", 9, 10) "}", 10, "at byte 8");
  REFUSED("{" A "," TENSOR("a", "U8", "[2]", 8, 10) "}", 10, "two tensors");
  REFUSED("{" TENSOR("a", "F32", "[3]", 0, 8) "}", 8, "from byte 0 to byte 8");
  REFUSED("{" TENSOR("a", "F32", "[9223372036854775807,9223372036854775807]", 0, 8) "}", 8,
          "from byte");
  REFUSED("{" TENSOR("a", "F32", "[9223372036854775808]", 0, 8) "}", 8, "too large");
  REFUSED("{" TENSOR("a", "F32", "[-2]", 0, 8) "}", 8, "a whole number");
  REFUSED("{" TENSOR("a", "F32", "[02]", 0, 8) "}", 8, "starts with 0");
  REFUSED("{" TENSOR("a", "F32", "[2]", 8, 0) "}", 8, "from byte 8 to byte 0");
  REFUSED("{" A "", 8, "} should");
  REFUSED("{" A "} x", 8, "end of the header");
  REFUSED("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "missing");
  REFUSED("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 8, "once too often");
  REFUSED("{\"a\":{\"dtype\":[2]}}", 8, "\" should");
  REFUSED("{" TENSOR("a\\u0000", "F32", "[2]", 0, 8) "}", 8, "byte of 0");
  REFUSED("{" TENSOR("a\\ud800", "F32", "[2]", 0, 8) "}", 8, "other half");
  REFUSED("{" TENSOR("\xff", "F32", "[2]", 0, 8) "}", 8, "UTF-8");
  REFUSED("{\"__metadata__\":{\"a\":1}}", 0, "\" should");
  uint8_t large[200] = "\377\340\365\5\0\0\0\0{}"; /* a header of 99,999,999 bytes */
  check_refused(write_file(scratch("own.safetensors"), large, sizeof large), AT_ERROR_RUNTIME,
                "within its header");
  unlink(scratch("own.safetensors"));

  at_dict *d = at_dict_new();
  at_tensor *t = at_ones(AT_SHAPE(2));
  CHECK(at_dict_set(d, "__metadata__", t));
  CHECK(!at_save(scratch("x.safetensors"), d) && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  at_dict_free(d);
  d = at_dict_new();
  CHECK(at_dict_set(d, "\xc0\x80", t));
  CHECK(!at_save(scratch("x.safetensors"), d) && at_error() == AT_ERROR_ARGUMENT);
  CHECK(strstr(at_error_message(), "UTF-8"));
  at_error_clear();
  at_dict_free(d);
  at_release(t);
  CHECK_EQ(scratch_count(), 0);
}

static void damaged(void **state)
{
  check_damaged("all.safetensors");
}

static void faults(void **state)
{
  check_faults("all.safetensors", ".safetensors");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loaded),  cmocka_unit_test(mapped),
                                     cmocka_unit_test(headers), cmocka_unit_test(refused),
                                     cmocka_unit_test(damaged), cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
