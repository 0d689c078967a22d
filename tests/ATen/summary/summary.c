/* Event files, read byte by byte as TensorBoard's formats are described. */
#include <dirent.h>
#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "../files/files.h"

/* Declared in src/ATen/summary/Record.h. */
uint32_t at_maskedChecksum(const void *data, size_t count);

/* --- reading ------------------------------------------------------------------------------------ */

enum { MOST = 1 << 16 };

typedef struct Text {
  const uint8_t *data;
  size_t count;
} Text;

/* The event file of a folder, which is removed with it. */
static size_t read_events(const char *folder, uint8_t *buffer)
{
  char path[600];
  DIR *const dir = opendir(folder);
  CHECK(dir);
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (entry->d_name[0] == '.')
      continue;
    CHECK(strstr(entry->d_name, "events.out.tfevents.") == entry->d_name);
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *const f = fopen(path, "rb");
    CHECK(f);
    count = fread(buffer, 1, MOST, f);
    fclose(f);
    unlink(path);
  }
  closedir(dir);
  rmdir(folder);
  return count;
}

/* The data of record number index, of which the checksums are right. */
static Text record_of(const uint8_t *file, size_t count, int index)
{
  for (size_t at = 0;; index--) {
    uint64_t length;
    uint32_t checksums[2];
    CHECK(at + 16 <= count);
    memcpy(&length, file + at, 8);
    memcpy(&checksums[0], file + at + 8, 4);
    CHECK(length <= count - at - 16);
    memcpy(&checksums[1], file + at + 12 + length, 4);
    CHECK(checksums[0] == at_maskedChecksum(file + at, 8));
    CHECK(checksums[1] == at_maskedChecksum(file + at + 12, length));
    if (index == 0)
      return (Text){file + at + 12, length};
    at += 16 + length;
  }
}

static uint64_t integer(Text *t)
{
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    CHECK(t->count > 0 && shift < 64);
    const uint8_t byte = *t->data++;
    t->count--;
    value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80)
      return value;
  }
}

/* The bytes of a field of a message; of a number its bytes, of a whole number those that are read. */
static Text field(Text message, int wanted)
{
  while (message.count > 0) {
    const uint64_t key = integer(&message);
    Text value = {message.data, 0};
    const int wire = key & 7;
    if (wire == 0)
      integer(&message), value.count = (size_t)(message.data - value.data);
    else if (wire == 2) {
      const size_t length = integer(&message);
      value = (Text){message.data, length};
    } else {
      value.count = wire == 1 ? 8 : 4;
    }
    if (wire != 0) {
      CHECK(message.count >= value.count);
      message.data += value.count;
      message.count -= value.count;
    }
    if ((int)(key >> 3) == wanted)
      return value;
  }
  th_fail_at(__FILE__, __LINE__, "there is no field %d", wanted);
}

static bool is(Text t, const char *text)
{
  return t.count == strlen(text) && !memcmp(t.data, text, t.count);
}

static double number(Text t)
{
  double value;
  CHECK(t.count == sizeof value);
  memcpy(&value, t.data, sizeof value);
  return value;
}

static uint64_t integer_of(Text t)
{
  return integer(&t);
}

/* The value of an event, after a look at step and tag. */
static Text value_of(const uint8_t *file, size_t count, int index, uint64_t step, const char *tag)
{
  const Text event = record_of(file, count, index);
  CHECK(number(field(event, 1)) > 1e9 && integer_of(field(event, 2)) == step);
  const Text value = field(field(event, 5), 1);
  CHECK(is(field(value, 1), tag));
  return value;
}

/* --- tests -------------------------------------------------------------------------------------- */

/* RFC 3720 has checksums of 32 bytes; the mask is undone. */
static void checksums(void **state)
{
  uint8_t bytes[32] = {0};
  const uint32_t masked = at_maskedChecksum(bytes, 32) - 0xA282EAD8;
  CHECK((masked >> 17 | masked << 15) == 0x8A9136AA);
  for (int i = 0; i < 32; i++)
    bytes[i] = (uint8_t)i;
  const uint32_t other = at_maskedChecksum(bytes, 32) - 0xA282EAD8;
  CHECK((other >> 17 | other << 15) == 0x46DD794E);
}

static void scalars_and_text(void **state)
{
  static uint8_t file[MOST];
  const char *const folder = scratch("runs");
  at_summary *const s = at_summary_new(folder);
  CHECK(s && at_summary_scalar(s, "loss/train", 0.25, 300) &&
        at_summary_text(s, "note", "a *b*", 1));
  at_summary_free(s);
  const size_t count = read_events(folder, file);
  CHECK(is(field(record_of(file, count, 0), 3), "brain.Event:2"));
  const Text value = field(value_of(file, count, 1, 300, "loss/train"), 2);
  float loss;
  CHECK(value.count == sizeof loss);
  memcpy(&loss, value.data, sizeof loss);
  CHECK_EQ(loss, 0.25f);
  const Text text = value_of(file, count, 2, 1, "note");
  CHECK(integer_of(field(field(text, 8), 1)) == 7 && is(field(field(text, 8), 8), "a *b*"));
  CHECK(is(field(field(field(text, 9), 1), 1), "text"));
  CHECK(integer_of(field(field(field(field(text, 8), 2), 2), 1)) == 1);
}

static void histograms(void **state)
{
  static uint8_t file[MOST];
  const char *const folder = scratch("runs");
  at_summary *const s = at_summary_new(folder);
  AT_SCOPE
  {
    CHECK(at_summary_histogram(s, "h", at_t(at_view(at_arange(60), AT_INTS(6, 10))), 2));
    CHECK(at_summary_histogram(s, "one", at_full(AT_SHAPE(4), 3, .type = AT_CPU(AT_INT)), 2));
  }
  at_summary_free(s);
  const size_t count = read_events(folder, file);
  const Text h = field(value_of(file, count, 1, 2, "h"), 5);
  const double found[] = {number(field(h, 1)), number(field(h, 2)), number(field(h, 3)),
                          number(field(h, 4)), number(field(h, 5))};
  const double wanted[] = {0, 59, 60, 59 * 60 / 2, 59 * 60 * 119 / 6};
  for (int i = 0; i < 5; i++)
    CHECK_EQ(found[i], wanted[i]);
  CHECK(field(h, 6).count == 240 && field(h, 7).count == 240);
  double buckets[30], limits[30];
  memcpy(buckets, field(h, 7).data, 240);
  memcpy(limits, field(h, 6).data, 240);
  for (int b = 0; b < 30; b++)
    CHECK_EQ(buckets[b], 2.0); /* two of 60 numbers in each interval of 59 / 30 */
  CHECK_NEAR(limits[0], 59 / 30.0, 1e-12);
  CHECK_EQ(limits[29], 59.0);
  CHECK_EQ(number(field(field(value_of(file, count, 2, 2, "one"), 5), 3)), 4.0);
}

/* The lines of a PNG, each behind its filter. */
static void inflate_png(Text png, uint8_t *lines, uLongf size)
{
  CHECK(!memcmp(png.data, "\x89PNG\r\n\x1A\n", 8) && !memcmp(png.data + 12, "IHDR", 4));
  const uint8_t *const at = png.data + 33;
  CHECK(!memcmp(at + 4, "IDAT", 4));
  const uint32_t length = (uint32_t)at[2] << 8 | at[3];
  const uint8_t *const crc = at + 8 + length;
  CHECK(crc32(0, at + 4, length + 4) ==
        ((uLong)crc[0] << 24 | crc[1] << 16 | crc[2] << 8 | crc[3]));
  CHECK(uncompress(lines, &size, at + 8, length) == Z_OK);
}

static void images(void **state)
{
  static uint8_t file[MOST];
  const char *const folder = scratch("runs");
  at_summary *const s = at_summary_new(folder);
  AT_SCOPE
  {
    at_tensor *const bytes = at_to(at_view(at_arange(18), AT_INTS(3, 2, 3)), AT_CPU(AT_BYTE));
    CHECK(at_summary_image(s, "color", bytes, 0));
    at_tensor *const grey = at_view(at_linspace(-0.5, 1.5, .steps = 5), AT_INTS(1, 1, 5));
    CHECK(at_summary_image(s, "grey", grey, 0));
  }
  at_summary_free(s);
  const size_t count = read_events(folder, file);
  const Text color = field(value_of(file, count, 1, 0, "color"), 4);
  CHECK(integer_of(field(color, 1)) == 2 && integer_of(field(color, 2)) == 3);
  CHECK(integer_of(field(color, 3)) == 3);
  uint8_t lines[2][10], line[6];
  inflate_png(field(color, 4), lines[0], sizeof lines);
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 3; x++)
      for (int c = 0; c < 3; c++)
        CHECK_EQ(lines[y][1 + 3 * x + c], c * 6 + y * 3 + x);
  inflate_png(field(field(value_of(file, count, 2, 0, "grey"), 4), 4), line, sizeof line);
  const uint8_t wanted[] = {0, 0, 0, 128, 255, 255};
  CHECK(!memcmp(line, wanted, 6));
}

static void errors(void **state)
{
  static uint8_t file[MOST];
  CHECK(!at_summary_new("/nowhere/at/all") && strstr(at_error_message(), "cannot be made"));
  at_error_clear();
  const char *const folder = scratch("runs");
  at_summary *const s = at_summary_new(folder);
  AT_SCOPE
  {
    CHECK(!at_summary_histogram(s, "h", at_full(AT_SHAPE(2), NAN), 0));
    CHECK(strstr(at_error_message(), "element 0 of values is nan"));
    at_error_clear();
    CHECK(!at_summary_histogram(s, "h", at_zeros(AT_SHAPE(0)), 0));
    at_error_clear();
    CHECK(!at_summary_image(s, "i", at_zeros(AT_SHAPE(2, 3, 3)), 0));
    CHECK(strstr(at_error_message(), "has to be 1 or 3 x height x width"));
    at_error_clear();
    CHECK(!at_summary_image(s, "i", at_zeros(AT_SHAPE(1, 3, 3), .type = AT_CPU(AT_LONG)), 0));
    at_error_clear();
    CHECK(!at_summary_text(s, NULL, "text", 0) && at_error() == AT_ERROR_NULL);
    at_error_clear();
  }
  at_summary_free(s);
  const size_t count = read_events(folder, file);
  CHECK(count == 16 + record_of(file, count, 0).count); /* nothing but the version */
}

static void all_calls(void *context)
{
  AT_SCOPE
  {
    at_summary *const s = at_summary_new(scratch("faults"));
    if (s) {
      const bool done = at_summary_scalar(s, "a", 1, 0) && at_summary_text(s, "b", "c", 0) &&
                        at_summary_histogram(s, "h", at_ones(AT_SHAPE(5)), 0) &&
                        at_summary_image(s, "i", at_ones(AT_SHAPE(1, 4, 4)), 0);
      CHECK(done || at_error() != AT_OK);
    }
    at_summary_free(s);
  }
  at_error_clear();
}

static void faults(void **state)
{
  static uint8_t file[MOST];
  CHECK(th_fail_each(all_calls, NULL) > 10);
  read_events(scratch("faults"), file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checksums), cmocka_unit_test(scalars_and_text), cmocka_unit_test(histograms),
      cmocka_unit_test(images),    cmocka_unit_test(errors),           cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
