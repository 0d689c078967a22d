/* What all kinds of files have in common, on each of them: arrays, scalars and storages as text and
 * in binary against bytes written down by hand, strings, errors, truncated files. */
#include "files.h"

#include <errno.h>

#include "th_fail.h"

/* --- bytes by hand ---------------------------------------------------------------------------- */

enum { NATIVE, LITTLE, BIG };

static void set_order(THFile *file, int order)
{
  void (*const set[])(THFile *) = {THDiskFile_nativeEndianEncoding, THDiskFile_littleEndianEncoding,
                                   THDiskFile_bigEndianEncoding};
  set[order](file);
}

static void set_long_size(FileKind kind, THFile *file, int size)
{
  if (kind == MEMORY)
    THMemoryFile_longSize(file, size);
  else
    THDiskFile_longSize(file, size);
}

/* Each value of the type, and its bytes, highest first. */
static const struct {
  THScalarType type;
  int longSize;
  union {
    uint8_t byte[2];
    TH_CHAR character[2];
    int16_t two[2];
    int32_t four[2];
    int64_t eight[2];
    float single[2];
    double twice[2];
    THHalf half[2];
  } values;
  const char *big; /* of both values */
} binary_cases[] = {
    {THScalarByte, 0, {.byte = {0x00, 0xfe}}, "\x00\xfe"},
    {THScalarChar, 0, {.character = {1, -2}}, "\x01\xfe"},
    {THScalarShort, 0, {.two = {0x1234, -2}}, "\x12\x34\xff\xfe"},
    {THScalarInt, 0, {.four = {0x12345678, -3}}, "\x12\x34\x56\x78\xff\xff\xff\xfd"},
    {THScalarLong,
     0,
     {.eight = {0x0102030405060708, -4}},
     "\x01\x02\x03\x04\x05\x06\x07\x08\xff\xff\xff\xff\xff\xff\xff\xfc"},
    {THScalarLong,
     8,
     {.eight = {0x0102030405060708, -4}},
     "\x01\x02\x03\x04\x05\x06\x07\x08\xff\xff\xff\xff\xff\xff\xff\xfc"},
    {THScalarLong, 4, {.eight = {0x7fffffff, -0x80000000LL}}, "\x7f\xff\xff\xff\x80\x00\x00\x00"},
    {THScalarFloat, 4, {.single = {1.5f, -0.1f}}, "\x3f\xc0\x00\x00\xbd\xcc\xcc\xcd"},
    {THScalarDouble,
     0,
     {.twice = {-1.5, 0.1}},
     "\xbf\xf8\x00\x00\x00\x00\x00\x00\x3f\xb9\x99\x99\x99\x99\x99\x9a"},
    {THScalarHalf, 0, {.half = {{0x3e00}, {0xfc01}}}, "\x3e\x00\xfc\x01"},
};

static void binary_bytes(void **state)
{
  for (size_t c = 0; c < sizeof binary_cases / sizeof *binary_cases; c++)
    for (FileKind kind = 0; kind < KINDS; kind++)
      for (int order = NATIVE; order <= (kind == MEMORY ? NATIVE : BIG); order++) {
        const FileType *type = &file_types[binary_cases[c].type];
        const int longSize = binary_cases[c].longSize;
        const size_t width =
            binary_cases[c].type == THScalarLong && longSize ? (size_t)longSize : type->size;
        th_note("%s, %s, longSize %d, order %d", kind_names[kind], type->name, longSize, order);
        char bytes[16];
        const int isBig = order == BIG || (order == NATIVE && THDiskFile_isBigEndianCPU());
        for (size_t i = 0; i < 2 * width; i++)
          bytes[i] = binary_cases[c].big[isBig ? i : i / width * width + width - 1 - i % width];

        THFile *file = open_file(kind, "w", "", 0);
        THFile_binary(file);
        if (kind != MEMORY)
          set_order(file, order);
        set_long_size(kind, file, longSize);
        char values[16];
        memcpy(values, &binary_cases[c].values, 2 * type->size);
        CHECK_EQ(type->writeRaw(file, values, 2), 2);
        check_bytes(kind, file, bytes, 2 * width);

        file = open_file(kind, "r", bytes, 2 * width);
        THFile_binary(file);
        if (kind != MEMORY)
          set_order(file, order);
        set_long_size(kind, file, longSize);
        char read[16] = {0};
        CHECK_EQ(type->readRaw(file, read, 2), 2);
        CHECK(memcmp(read, values, 2 * type->size) == 0);
        THFile_free(file);
      }
  CHECK_EQ(THDiskFile_isLittleEndianCPU() + THDiskFile_isBigEndianCPU(), 1);
  const union {
    uint16_t two;
    uint8_t first;
  } one = {1};
  CHECK_EQ(THDiskFile_isLittleEndianCPU(), one.first);
}

/* --- text by hand ----------------------------------------------------------------------------- */

static void text_written(void **state)
{
  for (FileKind kind = 0; kind < KINDS; kind++) {
    th_note("%s", kind_names[kind]);
    THFile *file = open_file(kind, "w", "", 0);
    CHECK_EQ(THFile_writeByteRaw(file, (uint8_t *)"AB", 2), 2);
    CHECK_EQ(THFile_writeCharRaw(file, (TH_CHAR *)"c", 1), 1);
    CHECK_EQ(THFile_writeShortRaw(file, (int16_t[]){1, -2, 32767}, 3), 3);
    CHECK_EQ(THFile_writeIntRaw(file, (int32_t[]){INT32_MIN, 0}, 2), 2);
    CHECK_EQ(THFile_writeLongRaw(file, (int64_t[]){INT64_MIN, INT64_MAX}, 2), 2);
    CHECK_EQ(THFile_writeFloatRaw(file, (float[]){0.1f, 1e20f, -INFINITY, NAN, -0.f}, 5), 5);
    CHECK_EQ(THFile_writeDoubleRaw(file, (double[]){0.1, 3, 5e-324, INFINITY, -NAN}, 5), 5);
    CHECK_EQ(THFile_writeHalfRaw(file, (THHalf[]){{0x3e00}, {0x7bff}, {0x0001}}, 3), 3);
    THFile_writeIntScalar(file, 7);
    THFile_noAutoSpacing(file);
    CHECK_EQ(THFile_writeIntRaw(file, (int32_t[]){1, -2, 3}, 3), 3);
    CHECK_EQ(THFile_writeStringRaw(file, "xy\0z", 4), 4);
    CHECK_EQ(THFile_writeByteRaw(file, (uint8_t *)"Q", 1), 1);
    THFile_writeFloatScalar(file, 2.5f);
    static const char expected[] =
        "AB\nc\n1 -2 32767\n-2147483648 0\n"
        "-9223372036854775808 9223372036854775807\n"
        "0.100000001 1.00000002e+20 -inf nan -0\n"
        "0.10000000000000001 3 4.9406564584124654e-324 inf -nan\n"
        "1.5 65504 5.96046448e-08\n7\n1-23xy\0zQ2.5";
    check_bytes(kind, file, expected, sizeof expected - 1);
  }
}

/* What is read of text, element by element, by a quiet file; then the position. */
typedef struct {
  THScalarType type;
  const char *text;
  size_t count;
  double value[3];
  size_t position;
} TextCase;

static const TextCase text_cases[] = {
    /* white space, signs, and what ends a number */
    {THScalarInt, " \t\r\n\v\f12 +7\n-0012\n\nx", 3, {12, 7, -12}, 18},
    {THScalarInt, "1,2", 1, {1}, 1},
    {THScalarInt, "1-2", 2, {1, -2}, 3},
    {THScalarInt, "1.5", 1, {1}, 1},
    {THScalarInt, "0x10", 1, {0}, 1},
    {THScalarInt, "1\r\n2", 2, {1, 2}, 4},
    {THScalarInt, "- 1", 0, {0}, 1},
    {THScalarInt, "+", 0, {0}, 1},
    {THScalarInt, "", 0, {0}, 0},
    {THScalarInt, "  \n ", 0, {0}, 4},
    {THScalarInt, "1 two", 1, {1}, 2},

    /* the limits of integers; 2^64 + 5 */
    {THScalarShort, "32767 -32768 32768", 2, {32767, -32768}, 18},
    {THScalarShort, "-32769 1", 0, {0}, 6},
    {THScalarShort, "18446744073709551621", 0, {0}, 20},
    {THScalarInt, "2147483647 -2147483648 -2147483649", 2, {2147483647, -2147483648.0}, 34},
    {THScalarInt, "2147483648", 0, {0}, 10},
    {THScalarLong, "-9223372036854775808 4611686018427387904", 2, {-0x1p63, 0x1p62}, 40},
    {THScalarLong, "9223372036854775808", 0, {0}, 19},
    {THScalarLong, "-9223372036854775809", 0, {0}, 20},
    {THScalarLong, "18446744073709551621", 0, {0}, 20},
    {THScalarLong, "00000000000000000000000000000000012", 1, {12}, 35},

    /* floating point */
    {THScalarDouble, "1.5 -.5e1 +2.E-1", 3, {1.5, -5, 0.2}, 16},
    {THScalarDouble, "0x1p-3 0X.8 0x1F", 3, {0.125, 0.5, 31}, 16},
    {THScalarDouble, "inf -Infinity NAN", 3, {INFINITY, -INFINITY, NAN}, 17},
    {THScalarDouble, "nan(0x_Z)1 nan()", 3, {NAN, 1, NAN}, 16},
    {THScalarDouble, "1e400 -1e400 1e-400", 3, {INFINITY, -INFINITY, 0}, 19},
    {THScalarDouble, "1.2.3", 2, {1.2, .3}, 5},
    {THScalarDouble, "1,5", 1, {1}, 1},
    {THScalarDouble, "1e", 0, {0}, 2},
    {THScalarDouble, "1e+ 2", 0, {0}, 3},
    {THScalarDouble, "0x", 0, {0}, 2},
    {THScalarDouble, "0xg", 0, {0}, 2},
    {THScalarDouble, "0x1p", 0, {0}, 4},
    {THScalarDouble, "infi", 0, {0}, 4},
    {THScalarDouble, "in 1", 0, {0}, 2},
    {THScalarDouble, "nan(1", 0, {0}, 5},
    {THScalarDouble, "nan(-)", 0, {0}, 4},
    {THScalarDouble, "na", 0, {0}, 2},
    {THScalarDouble, ".", 0, {0}, 1},
    {THScalarDouble, "-", 0, {0}, 1},
    {THScalarDouble, ".e1", 0, {0}, 1},
    {THScalarDouble, "e1", 0, {0}, 0},
    {THScalarFloat, "1e39 -3.5e38 16777217", 3, {INFINITY, -INFINITY, 16777216}, 21},
    {THScalarFloat, "0.1 1e-46", 2, {0.1f, 0}, 9},
    {THScalarHalf, "65520 1.0009765625 -inf", 3, {INFINITY, 1.0009765625, -INFINITY}, 23},

    /* raw bytes; the line end behind the last one is taken, one before is a byte as others */
    {THScalarByte, "ab\n", 3, {'a', 'b', '\n'}, 3},
    {THScalarChar, "300", 3, {'3', '0', '0'}, 3},
    {THScalarChar, "12\xff\n", 3, {'1', '2', -1}, 4},
    {THScalarByte, "a", 1, {'a'}, 1},
};

static double value_at(THScalarType type, const void *data, size_t i)
{
  switch (type) {
#define VALUE_CASE(Real, real, accreal) \
  case THScalar##Real:                  \
    return ((const real *)data)[i];
    TH_FOR_EACH_TYPE_BUT_HALF(VALUE_CASE)
    default:
      return TH_half2float(((const THHalf *)data)[i]);
  }
}

static void text_read(void **state)
{
  for (size_t c = 0; c < sizeof text_cases / sizeof *text_cases; c++)
    for (FileKind kind = 0; kind < KINDS; kind++) {
      const TextCase *this = &text_cases[c];
      const FileType *type = &file_types[this->type];
      const size_t length = strlen(this->text);
      th_note("%s, %s, '%s'", kind_names[kind], type->name, this->text);
      char data[24], before[24];
      memset(before, 0x55, sizeof before);
      memcpy(data, before, sizeof data);

      THFile *file = open_file(kind, "r", this->text, length);
      THFile_quiet(file);
      CHECK_EQ(type->readRaw(file, data, 3), this->count);
      for (size_t i = 0; i < this->count; i++)
        CHECK_EQ(value_at(this->type, data, i), this->value[i]);
      CHECK_EQ(THFile_hasError(file), this->count < 3);
      if (kind != PIPE)
        CHECK_EQ(THFile_position(file), this->position);
      THFile_free(file);

      /* Pedantic: an error, and everything as before. */
      file = open_file(kind, "r", this->text, length);
      memcpy(data, before, sizeof data);
      if (this->count == 3) {
        CHECK_EQ(type->readRaw(file, data, 3), 3);
        for (size_t i = 0; i < this->count; i++)
          CHECK_EQ(value_at(this->type, data, i), this->value[i]);
        CHECK_EQ(THFile_hasError(file), 0);
      } else {
        char part[64];
        snprintf(part, sizeof part, "read error: read %zu blocks instead of 3 (%s", this->count,
                 type->name);
        CHECK_RAISES(0, part, type->readRaw(file, data, 3));
        CHECK_EQ(THFile_hasError(file), 1);
        if (kind != PIPE) {
          CHECK_EQ(THFile_position(file), 0);
          CHECK(memcmp(data, before, sizeof data) == 0);
        }
      }
      THFile_free(file);
    }
}

/* The reason that messages give, and the name of the file. */
static void reasons(void **state)
{
  THFile *file = open_file(DISK, "r", "x 99999 1e999", 13);
  CHECK_RAISES(0, "there is no whole number", THFile_readIntScalar(file));
  CHECK_RAISES(0, "there is no number", THFile_readHalfScalar(file));
  CHECK_RAISES(0, file_path, THFile_readDoubleScalar(file));
  THFile_seek(file, 1);
  CHECK_RAISES(0, "a number is too large", THFile_readShortScalar(file));
  THFile_seekEnd(file);
  CHECK_RAISES(0, "the file ends", THFile_readShortScalar(file));
  CHECK_RAISES(0, "read error: read 0 blocks instead of 1 (Byte from the disk file",
               THFile_readByteScalar(file));
  THFile_free(file);

  char digits[2048];
  memset(digits, '7', sizeof digits);
  digits[0] = '.';
  for (FileKind kind = 0; kind < KINDS; kind++) {
    file = open_file(kind, "r", digits, 2047);
    CHECK_EQ(THFile_readFloatScalar(file), 0.7777777777777f);
    THFile_free(file);
    file = open_file(kind, "r", digits, 2048);
    CHECK_RAISES(0, "a number is too long", THFile_readDoubleScalar(file));
    THFile_free(file);
  }
}

/* --- all types, all settings, random values --------------------------------------------------- */

static int is_nan(THScalarType type, const void *data, size_t i)
{
  const double value = value_at(type, data, i);
  return type >= THScalarFloat && value != value;
}

/* Checks that both have the same bits; in text, a NaN is a NaN of the same sign. */
static void check_same(THScalarType type, int isBinary, const char *actual, const char *expected,
                       size_t n)
{
  const size_t size = file_types[type].size;
  for (size_t i = 0; i < n; i++)
    if (!isBinary && is_nan(type, expected, i))
      CHECK(is_nan(type, actual, i) &&
            !signbit(value_at(type, actual, i)) == !signbit(value_at(type, expected, i)));
    else
      CHECK_MSG(memcmp(actual + i * size, expected + i * size, size) == 0,
                "element %zu: %.17g instead of %.17g", i, value_at(type, actual, i),
                value_at(type, expected, i));
}

static void set_all(FileKind kind, THFile *file, int isBinary, int order, int longSize, int spaced)
{
  if (isBinary)
    THFile_binary(file);
  if (!spaced)
    THFile_noAutoSpacing(file);
  if (kind != MEMORY)
    set_order(file, order);
  set_long_size(kind, file, longSize);
}

/* Raw, storage and scalars, one behind the other. */
static void roundtrip(FileKind kind, THScalarType t, int isBinary, int order, int longSize,
                      int spaced, th_random *random, size_t n)
{
  const FileType *type = &file_types[t];
  th_note("%s, %s, binary %d, order %d, longSize %d, %zu elements", kind_names[kind], type->name,
          isBinary, order, longSize, n);
  const size_t bytes = (2 * n + 1) * type->size;
  char *values = malloc(bytes), *read = malloc(bytes);
  for (size_t i = 0; i < bytes; i++)
    values[i] = (char)th_random_next(random);
  if (t == THScalarLong && longSize == 4)
    for (size_t i = 0; i <= 2 * n; i++)
      ((int64_t *)values)[i] = (int32_t)((int64_t *)values)[i];
  memset(read, 0, bytes);

  THFile *file = open_file(kind, "w", "", 0);
  set_all(kind, file, isBinary, order, longSize, spaced);
  CHECK_EQ(type->writeRaw(file, values, n), n);
  CHECK_EQ(type->writeStorage(file, values + n * type->size, n), n);
  type->writeScalar(file, values + 2 * n * type->size);
  size_t written;
  char *contents = close_file(kind, file, &written);

  file = open_file(kind, "r", contents, written);
  set_all(kind, file, isBinary, order, longSize, spaced);
  CHECK_EQ(type->readRaw(file, read, n), n);
  CHECK_EQ(type->readStorage(file, read + n * type->size, n), n);
  type->readScalar(file, read + 2 * n * type->size);
  check_same(t, isBinary, read, values, 2 * n + 1);
  if (kind != PIPE)
    CHECK_EQ(THFile_position(file), written);
  THFile_quiet(file);
  type->readScalar(file, read);
  CHECK_EQ(value_at(t, read, 0), 0); /* and not what was there */
  CHECK(THFile_hasError(file));
  THFile_free(file);
  free(contents);
  free(values);
  free(read);
}

static void roundtrips(void **state)
{
  th_random random = {th_seed()};
  for (THScalarType t = 0; t < THScalarTypes; t++)
    for (FileKind kind = 0; kind < KINDS; kind++)
      for (int isBinary = 0; isBinary < 2; isBinary++)
        for (int order = NATIVE; order <= (isBinary && kind != MEMORY ? BIG : NATIVE); order++)
          for (int longSize = 0; longSize <= (t == THScalarLong ? 8 : 0); longSize += 4) {
            roundtrip(kind, t, isBinary, order, longSize, 1, &random, 100);
            if (t <= THScalarChar || isBinary)
              roundtrip(kind, t, isBinary, order, longSize, 0, &random, 100);
          }
  /* Larger than any buffer; not a multiple of anything. */
  for (THScalarType t = 0; t < THScalarTypes; t++)
    for (FileKind kind = 0; kind < KINDS; kind++)
      if (kind != UNBUFFERED)
        for (int isBinary = 0; isBinary < 2; isBinary++)
          roundtrip(kind, t, isBinary, kind == MEMORY ? NATIVE : BIG, 4, 1, &random, 40009);
}

/* Every half and the neighbours of every power of two survive text. */
static void exact_text(void **state)
{
  enum { HALFS = 1 << 16, POWERS = 2098 };
  THHalfStorage *half = THHalfStorage_newWithSize(HALFS),
                *halfRead = THHalfStorage_newWithSize(HALFS);
  for (int i = 0; i < HALFS; i++)
    half->data[i].x = (unsigned short)i;
  THDoubleStorage *twice = THDoubleStorage_newWithSize(3 * POWERS);
  THDoubleStorage *twiceRead = THDoubleStorage_newWithSize(3 * POWERS);
  THFloatStorage *single = THFloatStorage_newWithSize(3 * POWERS);
  THFloatStorage *singleRead = THFloatStorage_newWithSize(3 * POWERS);
  for (int i = 0; i < POWERS; i++) {
    const double power = ldexp(1, i - 1074);
    twice->data[3 * i] = nextafter(power, 0);
    twice->data[3 * i + 1] = -power;
    twice->data[3 * i + 2] = nextafter(power, INFINITY);
    single->data[3 * i] = nextafterf((float)power, 0);
    single->data[3 * i + 1] = -(float)power;
    single->data[3 * i + 2] = nextafterf((float)power, INFINITY);
  }
  THFile *file = THMemoryFile_new("rw");
  THFile_writeHalf(file, half);
  THFile_writeDouble(file, twice);
  THFile_writeFloat(file, single);
  THFile_seek(file, 0);
  THFile_readHalf(file, halfRead);
  THFile_readDouble(file, twiceRead);
  THFile_readFloat(file, singleRead);
  check_same(THScalarHalf, 0, (char *)halfRead->data, (char *)half->data, HALFS);
  check_same(THScalarDouble, 0, (char *)twiceRead->data, (char *)twice->data, 3 * POWERS);
  check_same(THScalarFloat, 0, (char *)singleRead->data, (char *)single->data, 3 * POWERS);
  THFile_free(file);
  THHalfStorage_free(half);
  THHalfStorage_free(halfRead);
  THDoubleStorage_free(twice);
  THDoubleStorage_free(twiceRead);
  THFloatStorage_free(single);
  THFloatStorage_free(singleRead);
}

/* --- files that end too early ----------------------------------------------------------------- */

enum { TRUNCATED = 5 }; /* elements */

/* How many elements the first bytes of a file have: in text, half a number is a number, too. */
static size_t whole_elements(const FileType *type, int isBinary, int isNumber, const char *bytes,
                             size_t cut)
{
  if (!isNumber)
    return cut / (isBinary ? type->size : 1);
  size_t whole = 0;
  for (size_t i = 0; i < cut; i++)
    whole += bytes[i] != ' ' && (i + 1 == cut || bytes[i + 1] == ' ');
  return whole - (cut > 0 && strchr("e+-.", bytes[cut - 1]) && bytes[cut - 1] != '.');
}

static THFile *open_cut(FileKind kind, int isBinary, const char *bytes, size_t cut)
{
  THFile *file = open_file(kind, "r", bytes, cut);
  if (isBinary)
    THFile_binary(file);
  return file;
}

/* Reads a file of which only the first bytes are there, as a quiet file and as another. */
static void check_cut(THScalarType t, FileKind kind, int isBinary, const char *values,
                      const char *bytes, size_t cut)
{
  const FileType *type = &file_types[t];
  char read[TRUNCATED * 8], before[TRUNCATED * 8];
  memset(before, 0x33, sizeof before);
  memcpy(read, before, sizeof read);
  THFile *file = open_cut(kind, isBinary, bytes, cut);
  THFile_quiet(file);
  const size_t got = type->readRaw(file, read, TRUNCATED);
  const int isNumber = !isBinary && t > THScalarChar;
  CHECK_EQ(got, whole_elements(type, isBinary, isNumber, bytes, cut));
  CHECK_EQ(THFile_hasError(file), got < TRUNCATED);
  check_same(t, isBinary, read, values, got - (isNumber && got > 0));
  CHECK(memcmp(read + got * type->size, before, (TRUNCATED - got) * type->size) == 0 ||
        kind == PIPE);
  if (isBinary && kind != PIPE)
    CHECK_EQ(THFile_position(file), got * type->size);
  THFile_free(file);
  if (got == TRUNCATED)
    return;

  file = open_cut(kind, isBinary, bytes, cut);
  memcpy(read, before, sizeof read);
  CHECK_RAISES(0, "instead of 5", type->readRaw(file, read, TRUNCATED));
  if (kind != PIPE) {
    CHECK_EQ(THFile_position(file), 0);
    CHECK(memcmp(read, before, sizeof read) == 0);
  }
  THFile_free(file);
}

static void truncated(void **state)
{
  for (THScalarType t = 0; t < THScalarTypes; t++)
    for (FileKind kind = 0; kind < KINDS; kind++)
      for (int isBinary = 0; isBinary < 2; isBinary++) {
        char values[TRUNCATED * 8];
        memset(values, '1', sizeof values); /* no number is 0, or a NaN */
        THFile *file = open_file(MEMORY, "w", "", 0);
        if (isBinary)
          THFile_binary(file);
        CHECK_EQ(file_types[t].writeRaw(file, values, TRUNCATED), TRUNCATED);
        size_t n;
        char bytes[256], *contents = close_file(MEMORY, file, &n);
        CHECK(n <= sizeof bytes);
        memcpy(bytes, contents, n);
        free(contents);
        for (size_t cut = 0; cut < n; cut++) {
          th_note("%s, %s, binary %d: %zu of %zu bytes", kind_names[kind], file_types[t].name,
                  isBinary, cut, n);
          check_cut(t, kind, isBinary, values, bytes, cut);
        }
      }
}

/* More than the file has: as many elements as there can be, and nothing is allocated for them. */
static void oversized(void **state)
{
  for (FileKind kind = 0; kind < KINDS; kind++)
    for (int isBinary = 0; isBinary < 2; isBinary++) {
      THFile *file = open_file(kind, "r", "1 2 3 4 5 6 7 8 ", 16);
      if (isBinary)
        THFile_binary(file);
      static double huge[100]; /* nothing writes beyond what is read */
      CHECK_RAISES(0, "instead of 1000000000000000000",
                   THFile_readDoubleRaw(file, huge, 1000000000000000000));
      CHECK_RAISES(3, "cannot be", THFile_readDoubleRaw(file, huge, SIZE_MAX / 8 + 2));
      CHECK_RAISES(3, "cannot be", THFile_readByteRaw(file, (uint8_t *)huge, SIZE_MAX));
      CHECK_RAISES(2, "data is NULL", THFile_readDoubleRaw(file, NULL, 1));
      CHECK_EQ(THFile_readDoubleRaw(file, NULL, 0), 0);
      THFile_free(file);
    }
}

/* --- longs of 4 bytes ------------------------------------------------------------------------- */

static void long_sizes(void **state)
{
  for (FileKind kind = 0; kind < KINDS; kind++) {
    th_note("%s", kind_names[kind]);
    int64_t values[3] = {1, INT32_MIN, INT64_C(0x80000000)};
    THFile *file = open_file(kind, "w", "", 0);
    CHECK_RAISES(2, "4 or 8", set_long_size(kind, file, 5));
    CHECK_RAISES(2, "4 or 8", set_long_size(kind, file, -4));
    set_long_size(kind, file, 4);
    THFile_binary(file);
    CHECK_RAISES(0, "a value does not fit in 4 bytes", THFile_writeLongRaw(file, values, 3));
    CHECK_RAISES(0, "wrote 0 blocks instead of 1", THFile_writeLongScalar(file, INT64_MIN));
    THFile_quiet(file);
    THFile_clearError(file);
    CHECK_EQ(THFile_writeLongRaw(file, values, 3), 2);
    CHECK(THFile_hasError(file));
    THFile_ascii(file); /* text has no such limit */
    CHECK_EQ(THFile_writeLongRaw(file, values + 2, 1), 1);
    char expected[19];
    memcpy(expected, (int32_t[]){1, INT32_MIN}, 8);
    memcpy(expected + 8, "2147483648\n", 11);
    check_bytes(kind, file, expected, sizeof expected);
  }
}

/* --- strings ---------------------------------------------------------------------------------- */

static void check_string(THFile *file, const char *format, const char *expected, size_t size)
{
  char *string = (char *)1;
  const size_t n = THFile_readStringRaw(file, format, &string);
  CHECK_EQ(n, size);
  CHECK(string && memcmp(string, expected, size) == 0 && string[size] == 0);
  THFree(string);
}

static void strings(void **state)
{
  for (FileKind kind = 0; kind < KINDS; kind++)
    for (int isBinary = 0; isBinary < 2; isBinary++) {
      th_note("%s", kind_names[kind]);
      THFile *file = open_file(kind, "r", "first\n\n th\0ird\r\nlast", 20);
      if (isBinary)
        THFile_binary(file);
      check_string(file, "*l", "first", 5);
      check_string(file, "*line", "", 0);
      check_string(file, "*l", " th\0ird\r", 8);
      char *string = (char *)1;
      CHECK_RAISES(2, "'*a' or '*l', not '*n'", THFile_readStringRaw(file, "*n", &string));
      CHECK_RAISES(2, "'*a' or '*l'", THFile_readStringRaw(file, "a", &string));
      CHECK_RAISES(2, "'*a' or '*l'", THFile_readStringRaw(file, "*", &string));
      CHECK_RAISES(2, "'*a' or '*l'", THFile_readStringRaw(file, "", &string));
      CHECK_RAISES(2, "'*a' or '*l'", THFile_readStringRaw(file, NULL, &string));
      check_string(file, "*l", "last", 4);
      CHECK_RAISES(0, "the file ends", THFile_readStringRaw(file, "*l", &string));
      CHECK_RAISES(0, "the file ends", THFile_readStringRaw(file, "*a", &string));
      CHECK(string == (char *)1);
      THFile_quiet(file);
      THFile_clearError(file);
      CHECK_EQ(THFile_readStringRaw(file, "*a", &string), 0);
      CHECK(string == NULL && THFile_hasError(file));
      THFile_free(file);

      /* Longer than buffers: 200,000 bytes, lines of 70,000. */
      static char text[200000];
      for (size_t i = 0; i < 200000; i++)
        text[i] = (char)(i % 70000 == 69999 ? '\n' : 'a' + i % 26);
      file = open_file(kind, "w", "", 0);
      CHECK_EQ(THFile_writeStringRaw(file, text, 0), 0);
      CHECK_EQ(THFile_writeStringRaw(file, NULL, 0), 0);
      CHECK_RAISES(2, "no string", THFile_writeStringRaw(file, NULL, 1));
      CHECK_RAISES(3, "cannot have", THFile_writeStringRaw(file, text, SIZE_MAX));
      CHECK_EQ(THFile_writeStringRaw(file, text, 3), 3);
      CHECK_EQ(THFile_writeStringRaw(file, text + 3, 199997), 199997);
      check_bytes(kind, file, text, 200000);
      file = open_file(kind, "r", text, 200000);
      check_string(file, "*l", text, 69999);
      check_string(file, "*all", text + 70000, 130000);
      THFile_free(file);
    }
}

/* Numbers, bytes, lines and strings in one text, as programs mix them. */
static void mixed_text(void **state)
{
  for (FileKind kind = 0; kind < KINDS; kind++) {
    th_note("%s", kind_names[kind]);
    const char *text = "3\nabc\n1 2 3 rest\n\nx4.5;\n6\n";
    THFile *file = open_file(kind, "r", text, strlen(text));
    char bytes[4] = {0};
    int32_t numbers[3];
    const int n = THFile_readIntScalar(file); /* and the line end */
    CHECK_EQ(n, 3);
    CHECK_EQ(THFile_readCharRaw(file, (TH_CHAR *)bytes, (size_t)n), 3);
    CHECK(!strcmp(bytes, "abc"));
    CHECK_EQ(THFile_readIntRaw(file, numbers, 3), 3);
    CHECK_EQ(numbers[2], 3);
    check_string(file, "*l", " rest", 5);
    check_string(file, "*l", "", 0);
    CHECK_EQ(THFile_readByteScalar(file), 'x');
    CHECK_EQ(THFile_readFloatScalar(file), 4.5);
    CHECK_EQ(THFile_readCharScalar(file), ';'); /* and the line end */
    THFile_noAutoSpacing(file);
    CHECK_EQ(THFile_readShortScalar(file), 6);
    CHECK_EQ(THFile_readByteScalar(file), '\n');
    THFile_free(file);
  }
}

/* --- states ----------------------------------------------------------------------------------- */

/* Closes a file; nothing but freeing is permitted then. */
static void check_closed(FileKind kind, THFile *file)
{
  char *string;
  THFile_close(file);
  CHECK_EQ(THFile_isOpened(file), 0);
  CHECK_RAISES(1, "closed", THFile_close(file));
  CHECK_RAISES(1, "closed", THFile_readIntScalar(file));
  CHECK_RAISES(1, "closed", THFile_writeIntScalar(file, 1));
  CHECK_RAISES(1, "closed", THFile_readStringRaw(file, "*a", &string));
  CHECK_RAISES(1, "closed", THFile_writeStringRaw(file, "a", 1));
  CHECK_RAISES(1, "closed", THFile_seek(file, 0));
  CHECK_RAISES(1, "closed", THFile_seekEnd(file));
  CHECK_RAISES(1, "closed", THFile_position(file));
  CHECK_RAISES(1, "closed", THFile_synchronize(file));
  CHECK_RAISES(1, "closed", set_long_size(kind, file, 4));
  if (kind == MEMORY)
    CHECK_RAISES(1, "closed", THMemoryFile_storage(file));
  else {
    CHECK_RAISES(1, "closed", THDiskFile_bigEndianEncoding(file));
    CHECK_RAISES(1, "closed", THDiskFile_noBuffer(file));
  }
}

static void flags(void **state)
{
  static const char *const modes[] = {"r", "w", "rw"};
  for (FileKind kind = 0; kind < KINDS; kind++)
    for (int m = 0; m < (kind == PIPE ? 2 : 3); m++) {
      th_note("%s, %s", kind_names[kind], modes[m]);
      THFile *file = open_file(kind, modes[m], "", 0);
      CHECK_EQ(THFile_isOpened(file), 1);
      CHECK_EQ(THFile_isQuiet(file), 0);
      CHECK_EQ(THFile_isReadable(file), m != 1);
      CHECK_EQ(THFile_isWritable(file), m != 0);
      CHECK_EQ(THFile_isBinary(file), 0);
      CHECK_EQ(THFile_isAutoSpacing(file), 1);
      CHECK_EQ(THFile_hasError(file), 0);
      THFile_binary(file);
      THFile_noAutoSpacing(file);
      THFile_quiet(file);
      CHECK(THFile_isBinary(file) && !THFile_isAutoSpacing(file) && THFile_isQuiet(file));
      THFile_ascii(file);
      THFile_autoSpacing(file);
      THFile_pedantic(file);
      CHECK(!THFile_isBinary(file) && THFile_isAutoSpacing(file) && !THFile_isQuiet(file));

      /* What is not permitted is an error of a quiet file, too. */
      char *string;
      THFile_quiet(file);
      if (m == 0) {
        CHECK_RAISES(1, "read-only", THFile_writeIntScalar(file, 1));
        CHECK_RAISES(1, "read-only", THFile_writeStringRaw(file, "a", 1));
      } else if (m == 1) {
        CHECK_RAISES(1, "write-only", THFile_readIntScalar(file));
        CHECK_RAISES(1, "write-only", THFile_readStringRaw(file, "*a", &string));
      } else {
        CHECK_EQ(THFile_readIntScalar(file), 0);
        CHECK(THFile_hasError(file));
        THFile_clearError(file);
      }
      CHECK_EQ(THFile_hasError(file), 0);
      if (kind == MEMORY)
        CHECK_RAISES(1, "not a disk file", THDiskFile_name(file));
      else
        CHECK_RAISES(1, "not a memory file", THMemoryFile_storage(file));
      check_closed(kind, file);
      THFile_free(file);
    }
  THFile_free(NULL);
}

/* --- random calls against an array of bytes --------------------------------------------------- */

typedef struct {
  unsigned char bytes[1 << 20];
  size_t size, position;
} Model;

static void random_step(THFile *file, FileKind kind, Model *model, th_random *random)
{
  static unsigned char data[300000], read[300000];
  const int isLarge = th_random_below(random, 20) == 0;
  size_t n = (size_t)th_random_below(random, isLarge ? sizeof data : 40);
  const int what = (int)th_random_below(random, 10);
  th_note("%s, seed %llu: step %d, %zu bytes at %zu of %zu", kind_names[kind],
          (unsigned long long)th_seed(), what, n, model->position, model->size);
  if (what < 4 && model->position + n <= sizeof model->bytes) {
    for (size_t i = 0; i < n; i++)
      data[i] = (unsigned char)th_random_next(random);
    CHECK_EQ(THFile_writeByteRaw(file, data, n), n);
    memcpy(model->bytes + model->position, data, n);
    model->position += n;
    model->size = THMax(model->size, model->position);
  } else if (what < 7) {
    const size_t there = THMin(n, model->size - model->position);
    CHECK_EQ(THFile_readByteRaw(file, read, n), there);
    CHECK(memcmp(read, model->bytes + model->position, there) == 0);
    CHECK_EQ(THFile_hasError(file), there < n);
    THFile_clearError(file);
    model->position += there;
  } else if (what < 9) {
    model->position = (size_t)th_random_below(random, (int64_t)model->size + 1);
    THFile_seek(file, model->position);
  } else if (isLarge) {
    THFile_seekEnd(file);
    model->position = model->size;
  } else {
    THFile_synchronize(file);
  }
  CHECK_EQ(THFile_position(file), model->position);
}

static void random_calls(void **state)
{
  static Model model;
  th_random random = {th_seed()};
  for (FileKind kind = 0; kind < PIPE; kind++)
    for (int round = 0; round < 10; round++) {
      model.size = model.position = 0;
      THFile *file = open_file(kind, "rw", "", 0);
      THFile_binary(file);
      THFile_quiet(file);
      for (int step = 0; step < 400; step++)
        random_step(file, kind, &model, &random);
      check_bytes(kind, file, model.bytes, model.size);
    }
}

/* --- memory that runs out --------------------------------------------------------------------- */

enum { NUMBERS = 1000 };

static struct {
  FileKind kind;
  THFile *file; /* the numbers 100, 101 ..., of which one has been read */
  THIntStorage *numbers;
  char *string;
} few;

static void start_reading(void *unused)
{
  static char text[8 * NUMBERS];
  size_t length = 0;
  for (int i = 0; i <= NUMBERS; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d ", 100 + i);
  few.file = open_file(few.kind, "rw", text, length);
  CHECK_EQ(THFile_readIntScalar(few.file), 100);
  few.numbers = THIntStorage_newWithSize(NUMBERS);
  THIntStorage_fill(few.numbers, -1);
  few.string = NULL;
}

static void read_numbers(void *unused)
{
  THFile_readInt(few.file, few.numbers);
}

static void read_line(void *unused)
{
  THFile_readStringRaw(few.file, "*l", &few.string);
}

static void check_reading(void *unused, int raised)
{
  if (!raised)
    return;
  CHECK(few.string == NULL);
  CHECK_EQ(THFile_position(few.file), 3);
  for (int i = 0; i < NUMBERS; i++)
    CHECK_EQ(few.numbers->data[i], -1);
  CHECK_EQ(THFile_readInt(few.file, few.numbers), NUMBERS);
  CHECK_EQ(few.numbers->data[NUMBERS - 1], 100 + NUMBERS);
}

static void end_reading(void *unused)
{
  THFree(few.string);
  THFile_free(few.file);
  THIntStorage_free(few.numbers);
  THCharStorage_free(file_storage);
  file_storage = NULL;
}

/* The file can be read on, from where it was. */
static void no_memory(void **state)
{
  for (few.kind = 0; few.kind < PIPE; few.kind++) {
    th_note("%s", kind_names[few.kind]);
    const THFailCase numbers = {start_reading, read_numbers, check_reading, end_reading};
    const THFailCase line = {start_reading, read_line, check_reading, end_reading};
    CHECK(th_fail(&numbers, NULL) > 1);
    CHECK(th_fail(&line, NULL) > 0);
  }
}

static void start_growing(void *unused)
{
  few.file = THMemoryFile_new("rw");
  THFile_writeStringRaw(few.file, "abc", 3);
}

static void write_more(void *unused)
{
  for (int i = 0; i < 100; i++)
    THFile_writeStringRaw(few.file, "0123456789", 10);
}

static void check_grown(void *unused, int raised)
{
  const size_t size = THFile_position(few.file);
  CHECK(raised ? size < 1003 && size % 10 == 3 : size == 1003);
  const THCharStorage *storage = THMemoryFile_storage(few.file);
  CHECK_EQ(storage->size, size + 1);
  CHECK_EQ(storage->data[size], 0);
  for (size_t i = 3; i < size; i++)
    CHECK_EQ(storage->data[i], '0' + (int)(i - 3) % 10);
}

static void end_growing(void *unused)
{
  THFile_free(few.file);
}

/* A memory file that cannot grow keeps what it has. */
static void no_memory_to_write(void **state)
{
  const THFailCase stages = {start_growing, write_more, check_grown, end_growing};
  CHECK(th_fail(&stages, NULL) > 2);
}

int main(void)
{
#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      FILE_TEST(binary_bytes), FILE_TEST(text_written), FILE_TEST(text_read),
      FILE_TEST(reasons),      FILE_TEST(roundtrips),   FILE_TEST(exact_text),
      FILE_TEST(truncated),    FILE_TEST(oversized),    FILE_TEST(long_sizes),
      FILE_TEST(strings),      FILE_TEST(mixed_text),   FILE_TEST(flags),
      FILE_TEST(random_calls), FILE_TEST(no_memory),    FILE_TEST(no_memory_to_write)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
