/* The digits program's readers of files: what a header may say, and files damaged at random. */
#include "th_test.h"

#include <unistd.h>
#include <zlib.h>

#include "data.h"
#include "file.h"
#include "safetensors.h"

static char path[64]; /* of the file that is tried */

/* Writes a file without the syncs of file_replace, which are slow; a file that is overwritten may be synced too.
 */
static void put(const unsigned char *bytes, size_t size)
{
  unlink(path);
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_true(fwrite(bytes, 1, size, stream) == size);
  assert_int_equal(fclose(stream), 0);
}

/* --- two small tensors: a of size 2, b of size 1 x 2 ---------------------------------------- */

static const char *const names[] = {"a", "b"};
static THFloatTensor *tensors[2];

static int make(void **unused)
{
  snprintf(path, sizeof path, "/tmp/digits-test-%d", (int)getpid());
  tensors[0] = THFloatTensor_newWithSize1d(2);
  tensors[1] = THFloatTensor_newWithSize2d(1, 2);
  return 0;
}

static int drop(void **unused)
{
  THFloatTensor_free(tensors[0]);
  THFloatTensor_free(tensors[1]);
  unlink(path);
  return 0;
}

static void set_all(float value)
{
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      THFloatTensor_data(tensors[i])[k] = value;
}

/* Loads the file; if it is refused the tensors must be as before.  The message, NULL for none. */
static const char *load(void)
{
  static THTry attempt;
  set_all(-5);
  TH_TRY(attempt)
  {
    safetensors_load(path, 2, names, tensors);
  }
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const float value = THFloatTensor_data(tensors[i])[k];
      if (attempt.failed)
        assert_true(value == -5);
      else
        assert_true(isfinite(value));
    }
  return attempt.failed ? attempt.message : NULL;
}

/* --- headers ------------------------------------------------------------------------------ */

#define A       "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define B       "\"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}"
#define A_IS(T) "{\"a\":{" T "}," B "}"
#define SHAPE   "\"dtype\":\"F32\",\"data_offsets\":[0,8],\"shape\":"
#define OFFSETS "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"

static const struct {
  const char *header;
  int bytes;           /* of data */
  const char *message; /* a part of it; NULL where the file is good */
} cases[] = {
    /* good */
    {"{" A "," B "}", 16, NULL},
    {"{" A "," B "}      ", 16, NULL},
    {"{ \"b\" : { \"data_offsets\" : [ 0 , 8 ] , \"shape\" : [ 1 , 2 ] , \"dtype\" : \"F32\" } "
     ",\n\t"
     "\"a\":{\"shape\":[2],\"dtype\":\"F32\",\"data_offsets\":[8,16]}}",
     16, NULL},
    {"{\"__metadata__\":{}," A "," B "}", 16, NULL},
    {"{" A ",\"__metadata__\":{\"x\":\"\\\"}\\\\\\u00e9\\n\",\"\":\"\"}," B "}", 16, NULL},

    /* what there is */
    {"", 16, "there is no header"},
    {" {" A "," B "}", 16, "there is no header"},
    {"[]", 16, "there is no header"},
    {"{}", 16, "there is no tensor a"},
    {"{" A "}", 16, "there is no tensor b"},
    {"{" A "}", 8, "there is no tensor b"},
    {"{" A "," B "," A "}", 16, "a tensor 'a' too many"},
    {"{" A "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[16,16]}}", 16,
     "a tensor 'c' too many"},
    {"{\"__metadata__\":{},\"__metadata__\":{}," A "," B "}", 16, "'__metadata__' too many"},

    /* types and shapes */
    {A_IS("\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,8]"), 16,
     "a has another type than F32"},
    {A_IS("\"dtype\":\"\",\"shape\":[2],\"data_offsets\":[0,8]"), 16, "a has another type"},
    {A_IS("\"dtype\":7,\"shape\":[2],\"data_offsets\":[0,8]"), 16, "should be '\"'"},
    {A_IS(SHAPE "[3]"), 16, "a has another shape than [2]"},
    {A_IS(SHAPE "[2,1]"), 16, "a has another shape"},
    {A_IS(SHAPE "[]"), 16, "a has another shape"},
    {A_IS(SHAPE "[2,]"), 16, "should be a whole number"},
    {A_IS(SHAPE "[-2]"), 16, "should be a whole number"},
    {A_IS(SHAPE "[2.0]"), 16, "should be ',' or ']'"},
    {A_IS(SHAPE "[02]"), 16, "a number that starts with 0"},
    {A_IS(SHAPE "[9223372036854775807]"), 16, "a has another shape"},
    {A_IS(SHAPE "[9223372036854775808]"), 16, "which is too large"},
    {A_IS(SHAPE "[18446744073709551618]"), 16, "which is too large"},
    {A_IS(SHAPE "2"), 16, "should be '['"},
    {"{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16,
     "b has another shape than [1 x 2]"},

    /* offsets */
    {A_IS(OFFSETS "[8,16]"), 16, "a and b overlap"},
    {A_IS(OFFSETS "[4,12]"), 16, "a and b overlap"},
    {A_IS(OFFSETS "[8,0]"), 16, "a lies from byte 8 to byte 0 of 16"},
    {A_IS(OFFSETS "[16,24]"), 16, "a lies from byte 16 to byte 24 of 16"},
    {A_IS(OFFSETS "[0,4]"), 16, "a takes 8 bytes and has 4"},
    {A_IS(OFFSETS "[0,16]"), 16, "a takes 8 bytes and has 16"},
    {A_IS(OFFSETS "[9223372036854775800,9223372036854775807]"), 16, "a lies from byte"},
    {A_IS(OFFSETS "[0]"), 16, "should be ','"},
    {A_IS(OFFSETS "[0,8,16]"), 16, "should be ']'"},
    {A_IS(OFFSETS "[0,8e0]"), 16, "should be ']'"},
    {A_IS(OFFSETS "[\"0\",8]"), 16, "should be a whole number"},
    {"{" A "," B "}", 15, "b lies from byte 8 to byte 16 of 15"},
    {"{" A "," B "}", 17, "there are 17 bytes of numbers instead of 16"},

    /* descriptions */
    {A_IS("\"dtype\":\"F32\",\"shape\":[2]"), 16, "the offset of a is missing"},
    {A_IS(OFFSETS "[0,8],\"dtype\":\"F32\""), 16, "a is described with 'dtype' once too often"},
    {A_IS(OFFSETS "[0,8],\"color\":\"red\""), 16, "a is described with 'color' once too often"},
    {"{\"a\":{}," B "}", 16, "should be '\"'"},
    {"{\"a\":[]," B "}", 16, "should be '{'"},
    {"{\"__metadata__\":{\"x\":{\"y\":{}}}," A "," B "}", 16, "should be '\"'"},
    {"{\"__metadata__\":[]," A "," B "}", 16, "should be '{'"},

    /* JSON */
    {"{" A "," B, 16, "should be ',' or '}'"},
    {"{" A "," B "}}", 16, "should be the end of the header"},
    {"{" A "," B "} x", 16, "should be the end of the header"},
    {"{" A "," B ",}", 16, "should be '\"'"},
    {"{," A "," B "}", 16, "should be '\"'"},
    {"{" A " " B "}", 16, "should be ',' or '}'"},
    {"{\"a", 16, "part of a string"},
    {"{\"a\n\":1}", 16, "part of a string"},
    {"{\"__metadata__\":{\"\\x\":\"\"}," A "," B "}", 16, "an escape that JSON knows"},
    {"{\"__metadata__\":{\"\\", 16, "an escape that JSON knows"},
    {"{\"__metadata__\":{\"\\u12g4\":\"\"}," A "," B "}", 16, "a hexadecimal digit"},
    {"{\"__metadata__\":{\"\\u12", 16, "a hexadecimal digit"},
};

/* A file of this header and data in place of whatever is there, the length as claimed. */
static size_t compose(unsigned char *file, const char *header, uint64_t claimed, int bytes)
{
  static const unsigned char data[20] = {0, 0, 0x80, 0x3f, 0, 0, 0,    0x40,  /* 1, 2 */
                                         0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}; /* 3, 4 */
  for (int i = 0; i < 8; i++)
    file[i] = (unsigned char)(claimed >> 8 * i);
  memcpy(file + 8, header, strlen(header));
  memcpy(file + 8 + strlen(header), data, (size_t)bytes);
  return 8 + strlen(header) + (size_t)bytes;
}

static void headers(void **unused)
{
  unsigned char file[1024];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t size = compose(file, cases[i].header, strlen(cases[i].header), cases[i].bytes);
    put(file, size);
    const char *message = load();
    if (!message != !cases[i].message || (message && !strstr(message, cases[i].message)))
      fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].header, message ? message : "good",
               cases[i].message ? cases[i].message : "good");
  }
}

static void lengths(void **unused)
{
  static const char good[] = "{" A "," B "}";
  static const uint64_t wrong[] = {0,
                                   1,
                                   sizeof good,
                                   sizeof good + 15,
                                   sizeof good + 16,
                                   65537,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX,
                                   UINT64_MAX - 7};
  unsigned char file[1024];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    put(file, compose(file, good, wrong[i], 16));
    assert_non_null(load());
  }
  put(file, compose(file, good, sizeof good - 1, 16));
  assert_null(load());
  assert_true(THFloatTensor_data(tensors[0])[1] == 2 && THFloatTensor_data(tensors[1])[0] == 3);
}

static void numbers(void **unused)
{
  static const char good[] = "{" A "," B "}";
  static const uint32_t wrong[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001}; /* inf, NaN */
  unsigned char file[1024];
  for (int i = 0; i < 4; i++) {
    const size_t size = compose(file, good, sizeof good - 1, 16);
    memcpy(file + size - 4, &wrong[i], 4); /* tests run on little-endian machines */
    put(file, size);
    const char *message = load();
    assert_non_null(message);
    assert_non_null(strstr(message, "number 2 of b is not finite"));
  }
}

/* --- damage at random --------------------------------------------------------------------- */

static uint32_t state;

static uint32_t draw(uint32_t below)
{
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

static void seed(uint32_t fallback)
{
  const char *given = getenv("TH_TEST_SEED");
  state = given ? (uint32_t)strtoul(given, NULL, 10) : fallback;
  print_message("TH_TEST_SEED=%u\n", state);
}

/* Changes, inserts, removes or repeats some bytes, or cuts the end off.  There is room for 64 more.
 */
static size_t damage(unsigned char *bytes, size_t size)
{
  static const char telling[] = "{}[]\",:\\0123456789-.eEuF \n";
  for (uint32_t times = 1 + draw(3); times > 0; times--) {
    const size_t at = draw((uint32_t)size + 1), length = 1 + draw(8);
    switch (draw(6)) {
      case 0:
        if (at < size)
          bytes[at] ^= (unsigned char)(1u << draw(8));
        break;
      case 1:
        if (at < size)
          bytes[at] = (unsigned char)telling[draw(sizeof telling - 1)];
        break;
      case 2:
        if (at + length <= size) {
          memmove(bytes + at, bytes + at + length, size - at - length);
          size -= length;
        }
        break;
      case 3:
        memmove(bytes + at + length, bytes + at, size - at);
        for (size_t i = 0; i < length; i++)
          bytes[at + i] = (unsigned char)draw(256);
        size += length;
        break;
      case 4:
        if (at + length <= size) {
          memmove(bytes + at + length, bytes + at, size - at);
          size += length;
        }
        break;
      default:
        if (draw(4) == 0)
          size = at;
    }
  }
  return size;
}

static void damaged_networks(void **unused)
{
  unsigned char file[1024];
  int refused = 0;
  seed(1);
  for (int i = 0; i < 3000; i++) {
    static const char good[] = "{" A "," B "}";
    const size_t size = damage(file, compose(file, good, sizeof good - 1, 16));
    put(file, size);
    refused += load() != NULL;
  }
  print_message("%d of 3000 refused\n", refused);
  assert_in_range(refused, 1500, 2999);
}

/* Loads the digits and looks at every number. */
static int digits_are_refused(void)
{
  static THTry attempt;
  TH_TRY(attempt)
  {
    Digits *digits = digits_read(path, TRAIN_ROWS + TEST_ROWS);
    for (ptrdiff_t i = THFloatTensor_nElement(digits->images); i-- > 0;)
      assert_true(THFloatTensor_data(digits->images)[i] >= 0 &&
                  THFloatTensor_data(digits->images)[i] <= 1);
    for (ptrdiff_t i = THLongTensor_nElement(digits->labels); i-- > 0;)
      assert_in_range(THLongTensor_data(digits->labels)[i], 0, 9);
    digits_free(digits);
  }
  return attempt.failed;
}

/* The compressed file, damaged. */
static void damaged_gzip(void **unused)
{
  size_t size;
  unsigned char *good = file_read(DIGITS_DATA, 1 << 20, &size), *bad = THAlloc(size + 64);
  int refused = 0;
  seed(2);
  for (int i = 0; i < 300; i++) {
    memcpy(bad, good, size);
    put(bad, damage(bad, size));
    refused += digits_are_refused();
  }
  print_message("%d of 300 refused\n", refused);
  assert_in_range(refused, 200, 300);
  THFree(good);
  THFree(bad);
}

/* The text, damaged and then compressed. */
static void damaged_text(void **unused)
{
  enum { LIMIT = 1 << 20 };
  unsigned char *good = THAlloc(LIMIT), *bad = THAlloc(LIMIT + 64);
  gzFile file = gzopen(DIGITS_DATA, "rb");
  const int length = gzread(file, good, LIMIT);
  gzclose(file);
  assert_in_range(length, 1000, LIMIT - 1);

  int refused = 0;
  seed(3);
  for (int i = 0; i < 100; i++) {
    memcpy(bad, good, (size_t)length);
    const size_t size = damage(bad, (size_t)length);
    unlink(path);
    file = gzopen(path, "wb1");
    assert_int_equal(gzwrite(file, bad, (unsigned)size), (int)size);
    gzclose(file);
    refused += digits_are_refused();
  }
  print_message("%d of 100 refused\n", refused);
  assert_in_range(refused, 50, 99);
  THFree(good);
  THFree(bad);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers),      cmocka_unit_test(lengths),
      cmocka_unit_test(numbers),      cmocka_unit_test(damaged_networks),
      cmocka_unit_test(damaged_gzip), cmocka_unit_test(damaged_text),
  };
  return cmocka_run_group_tests(tests, make, drop);
}
