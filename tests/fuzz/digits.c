/* Fuzzes the digits example's reader of gzipped tables.  By the first byte of the input, the rest is
 * the file itself, or is compressed before valid lines, or behind them, or is inserted among them at
 * the offset that the next two bytes give. */
#include "fuzz.h"

#include <zlib.h>

#include "data.h"

/* Few rows, as more of them would only take time. */
enum { ROWS = 3, LINE = 2 * 65, MOST = 4096 };

/* text, compressed with little effort; returns its length.  Such pieces can follow each other. */
static size_t compress_text(const char *text, size_t size, uint8_t *to, size_t capacity)
{
  z_stream stream = {.next_in = (Bytef *)text,
                     .avail_in = (uInt)size,
                     .next_out = to,
                     .avail_out = (uInt)capacity};
  MUST(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  MUST(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

static char rows[ROWS * LINE]; /* rows that are right */

static void make_rows(void)
{
  for (int i = 0; i < ROWS * 65; i++) {
    rows[2 * i] = (char)('0' + i % 10);
    rows[2 * i + 1] = i % 65 < 64 ? ',' : '\n';
  }
}

/* The compressed file that an input of some kind stands for. */
static size_t compose(int kind, const char *text, size_t size, uint8_t *to, size_t capacity)
{
  static char among[MOST + sizeof rows];
  if (kind < 5) {
    const size_t length = compress_text(text, size, to, capacity);
    return length + compress_text(rows, sizeof rows, to + length, capacity - length);
  }
  if (kind == 5) {
    const size_t length = compress_text(rows, sizeof rows, to, capacity);
    return length + compress_text(text, size, to + length, capacity - length);
  }
  const size_t skipped = size < 2 ? size : 2;
  const size_t offset =
      skipped < 2 ? 0 : ((uint8_t)text[0] + 256u * (uint8_t)text[1]) % (sizeof rows + 1);
  memcpy(among, rows, offset);
  memcpy(among + offset, text + skipped, size - skipped);
  memcpy(among + offset + size - skipped, rows + offset, sizeof rows - offset);
  return compress_text(among, sizeof rows + size - skipped, to, capacity);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static uint8_t whole[3 * (MOST + sizeof rows)];
  if (!rows[0])
    make_rows();
  if (size < 1 || size > MOST)
    return 0;

  const int kind = bytes[0] % 8;
  const char *path;
  if (kind < 3)
    path = fuzz_file(bytes + 1, size - 1);
  else
    path = fuzz_file(whole, compose(kind, (const char *)bytes + 1, size - 1, whole, sizeof whole));

  THTry attempt;
  TH_TRY(attempt)
  {
    Digits *digits = digits_read(path, ROWS);
    const int64_t count = THFloatTensor_size(digits->images, 0);
    MUST(count >= ROWS && THLongTensor_size(digits->labels, 0) == count);
    for (int64_t i = 0; i < 64 * count; i++)
      MUST(THFloatTensor_data(digits->images)[i] >= 0 &&
           THFloatTensor_data(digits->images)[i] <= 1);
    for (int64_t i = 0; i < count; i++)
      MUST(THLongTensor_data(digits->labels)[i] >= 0 && THLongTensor_data(digits->labels)[i] < 10);
    digits_free(digits);
  }
  return 0;
}
