/* Records, messages and pictures as bytes.  All are little-endian but for PNG. */
#include <string.h>
#include <zlib.h>

#include "Record.h"

void at_bytes_enter(THGuard *guard, at_bytes *bytes)
{
  *bytes = (at_bytes){NULL, 0, 0};
  THGuard_enter(guard, at_bytes_free);
  guard->what = bytes;
}

/* --- messages ----------------------------------------------------------------------------------- */

/* The kinds of fields on the wire. */
enum { WIRE_INTEGER, WIRE_EIGHT_BYTES, WIRE_BYTES, WIRE_FOUR_BYTES = 5 };

/* Seven bits a byte, the lowest first; the eighth says whether more follow. */
static void add_integer(at_bytes *message, uint64_t value)
{
  do {
    const uint8_t byte = (uint8_t)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
    at_bytes_add(message, &byte, 1);
    value >>= 7;
  } while (value);
}

static void add_key(at_bytes *message, int field, int wire)
{
  add_integer(message, (uint64_t)field << 3 | (uint64_t)wire);
}

void at_field_integer(at_bytes *message, int field, uint64_t value)
{
  add_key(message, field, WIRE_INTEGER);
  add_integer(message, value);
}

void at_field_double(at_bytes *message, int field, double value)
{
  add_key(message, field, WIRE_EIGHT_BYTES);
  at_bytes_add(message, &value, sizeof value);
}

void at_field_float(at_bytes *message, int field, float value)
{
  add_key(message, field, WIRE_FOUR_BYTES);
  at_bytes_add(message, &value, sizeof value);
}

void at_field_bytes(at_bytes *message, int field, const void *data, size_t count)
{
  add_key(message, field, WIRE_BYTES);
  add_integer(message, count);
  at_bytes_add(message, data, count);
}

/* --- records ------------------------------------------------------------------------------------ */

static uint32_t checksum(const uint8_t *data, size_t count)
{
  enum { POLYNOMIAL_BITS = 8 };
  const uint32_t polynomial = 0x82F63B78; /* Castagnoli's, reflected */
  uint32_t crc = ~0u;
  for (size_t i = 0; i < count; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < POLYNOMIAL_BITS; bit++)
      crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
  }
  return ~crc;
}

uint32_t at_maskedChecksum(const void *data, size_t count)
{
  const uint32_t crc = checksum(data, count);
  return (crc >> 15 | crc << 17) + 0xA282EAD8;
}

void at_addRecord(at_bytes *file, const at_bytes *data)
{
  const uint64_t length = data->length;
  const uint32_t ofLength = at_maskedChecksum(&length, sizeof length);
  const uint32_t ofData = at_maskedChecksum(data->start, data->length);
  at_bytes_add(file, &length, sizeof length);
  at_bytes_add(file, &ofLength, sizeof ofLength);
  at_bytes_add(file, data->start, data->length);
  at_bytes_add(file, &ofData, sizeof ofData);
}

/* --- pictures ----------------------------------------------------------------------------------- */

static void put_big_endian(uint8_t *at, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (uint8_t)(value >> 8 * (3 - i));
}

static void add_chunk(at_bytes *file, const char *name, const uint8_t *data, size_t count)
{
  uint8_t head[8], tail[4];
  put_big_endian(head, (uint32_t)count);
  memcpy(head + 4, name, 4);
  uLong crc = crc32(0, head + 4, 4);
  crc = count > 0 ? crc32(crc, data, (uInt)count) : crc;
  put_big_endian(tail, (uint32_t)crc);
  at_bytes_add(file, head, sizeof head);
  at_bytes_add(file, data, count);
  at_bytes_add(file, tail, sizeof tail);
}

void at_addPng(at_bytes *file, const uint8_t *pixels, int64_t rows, int64_t columns, int channels)
{
  const size_t line = (size_t)columns * (size_t)channels;
  THGuard guards[2];
  at_bytes raw;
  at_bytes_enter(&guards[0], &raw);
  THGuard_enter(&guards[1], THFree);
  for (int64_t i = 0; i < rows; i++) { /* each line begins with its filter: none */
    at_bytes_add(&raw, "", 1);
    at_bytes_add(&raw, pixels + (size_t)i * line, line);
  }
  uLongf length = compressBound((uLong)raw.length);
  uint8_t *const packed = guards[1].what = THAlloc((ptrdiff_t)length);
  if (compress2(packed, &length, raw.start, (uLong)raw.length, Z_DEFAULT_COMPRESSION) != Z_OK)
    THError("the picture could not be compressed");
  uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, channels == 3 ? 2 : 0};
  put_big_endian(header, (uint32_t)columns);
  put_big_endian(header + 4, (uint32_t)rows);
  at_bytes_add(file, "\x89PNG\r\n\x1A\n", 8);
  add_chunk(file, "IHDR", header, sizeof header);
  add_chunk(file, "IDAT", packed, length);
  add_chunk(file, "IEND", NULL, 0);
  THGuard_leave(&guards[1]);
  THGuard_leave(&guards[0]);
}
