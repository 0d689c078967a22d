/* Fuzzes the digits example's reader of gzipped tables.  The first byte of the input decides
 * whether the rest is the file as it is, or is compressed in front of lines that are right, or
 * behind them.
 */
#include "fuzz.h"

#include <zlib.h>

#include "data.h"

/* Few rows, as more of them would only take time. */
enum { ROWS = 3, LINE = 2 * 65, MOST = 4096 };

/* text, compressed with little effort; returns its length.  Such pieces can follow each other. */
static size_t compress_text(const char *text, size_t size, uint8_t *to, size_t room)
{
  z_stream stream = {
      .next_in = (Bytef *)text, .avail_in = (uInt)size, .next_out = to, .avail_out = (uInt)room};
  MUST(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  MUST(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

static size_t compress_rows(uint8_t *to, size_t room)
{
  static char text[ROWS * LINE];
  size_t length = 0;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < 65; column++) {
      text[length++] = (char)('0' + (row + column) % 10);
      text[length++] = column < 64 ? ',' : '\n';
    }
  return compress_text(text, length, to, room);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static uint8_t rows[ROWS * LINE], whole[3 * MOST + sizeof rows];
  static size_t rowsLength;
  if (!rowsLength)
    rowsLength = compress_rows(rows, sizeof rows);
  if (size < 1 || size > MOST)
    return 0;

  const int kind = bytes[0] % 8;
  const char *text = (const char *)bytes + 1;
  const char *path;
  size_t length = 0;
  if (kind < 3) {
    path = fuzz_file(bytes + 1, size - 1);
  } else {
    if (kind < 7)
      length = compress_text(text, size - 1, whole, sizeof whole);
    memcpy(whole + length, rows, rowsLength);
    length += rowsLength;
    if (kind == 7)
      length += compress_text(text, size - 1, whole + length, sizeof whole - length);
    path = fuzz_file(whole, length);
  }

  THTry attempt;
  TH_TRY(attempt)
  {
    Digits *digits = digits_read(path, ROWS);
    const int64_t rows = THFloatTensor_size(digits->images, 0);
    MUST(rows >= ROWS && THLongTensor_size(digits->labels, 0) == rows);
    for (int64_t i = 0; i < 64 * rows; i++)
      MUST(THFloatTensor_data(digits->images)[i] >= 0 &&
           THFloatTensor_data(digits->images)[i] <= 1);
    for (int64_t i = 0; i < rows; i++)
      MUST(THLongTensor_data(digits->labels)[i] >= 0 && THLongTensor_data(digits->labels)[i] < 10);
    digits_free(digits);
  }
  return 0;
}
