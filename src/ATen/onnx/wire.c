/* Protobuf, read where it lies in the file: nothing is copied but texts and numbers, and messages
 * inside of messages are ranges of the file.  (protobuf.dev/programming-guides/encoding)
 *
 * A library would read the file into structures of its own, weights too; these stay mapped here. */
#include "Onnx.h"

#include <string.h>

static uint64_t read_varint(at_wire *wire)
{
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte;
    if (wire->at >= wire->end)
      at_damaged(wire->file, "a number ends behind its message, at byte %llu",
                 (unsigned long long)wire->at);
    at_file_read(wire->file, wire->at++, &byte, 1);
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return value;
  }
  at_damaged(wire->file, "a number before byte %llu has more than 64 bits",
             (unsigned long long)wire->at);
}

static uint64_t read_fixed(at_wire *wire, int count)
{
  uint8_t bytes[8];
  if (wire->end - wire->at < (uint64_t)count)
    at_damaged(wire->file, "a number ends behind its message, at byte %llu",
               (unsigned long long)wire->at);
  at_file_read(wire->file, wire->at, bytes, (size_t)count);
  wire->at += (uint64_t)count;
  return at_little(bytes, count);
}

static uint64_t read_number(at_wire *wire, at_wireKind kind)
{
  return kind == AT_WIRE_VARINT ? read_varint(wire)
                                : read_fixed(wire, kind == AT_WIRE_FIXED64 ? 8 : 4);
}

bool at_wire_next(at_wire *wire, at_field *field)
{
  if (wire->at >= wire->end)
    return false;
  const uint64_t start = wire->at, tag = read_varint(wire);
  *field = (at_field){.number = (int64_t)(tag >> 3), .kind = (at_wireKind)(tag & 7)};
  switch (field->kind) {
    case AT_WIRE_VARINT:
    case AT_WIRE_FIXED64:
    case AT_WIRE_FIXED32:
      field->value = read_number(wire, field->kind);
      return true;
    case AT_WIRE_BYTES: {
      const uint64_t length = read_varint(wire);
      if (length > wire->end - wire->at)
        at_damaged(wire->file, "a field of %llu bytes, at byte %llu, ends behind its message",
                   (unsigned long long)length, (unsigned long long)start);
      field->bytes = (at_wire){wire->file, wire->at, wire->at + length};
      wire->at += length;
      return true;
    }
    default:
      at_damaged(wire->file, "byte %llu begins no field", (unsigned long long)start);
  }
}

int64_t at_onnxField_integer(const at_field *field)
{
  if (field->kind != AT_WIRE_VARINT)
    return 0;
  return (int64_t)field->value;
}

double at_wire_float(at_wireKind kind, uint64_t value)
{
  const uint32_t bits = (uint32_t)value;
  float single;
  double number;
  if (kind == AT_WIRE_FIXED64) {
    memcpy(&number, &value, sizeof number);
    return number;
  }
  memcpy(&single, &bits, sizeof single);
  return single;
}

double at_onnxField_float(const at_field *field)
{
  return at_wire_float(field->kind, field->value);
}

at_wire at_onnxField_message(const at_field *field)
{
  return field->bytes; /* empty, if the field is a number */
}

const char *at_onnxField_text(at_arena *arena, const at_field *field)
{
  const at_wire *const bytes = &field->bytes;
  const uint64_t length = bytes->end - bytes->at;
  char *const text = at_arena_take(arena, length + 1, 1);
  if (length > 0)
    at_file_read(bytes->file, bytes->at, text, (size_t)length);
  if (memchr(text, '\0', (size_t)length) || !at_isUtf8(text, (size_t)length))
    at_damaged(bytes->file, "the text at byte %llu is no UTF-8", (unsigned long long)bytes->at);
  return text;
}

void at_onnxField_each(const at_field *field, at_wireKind kind, at_wireNumber *number,
                       void *context)
{
  at_wire wire = field->bytes;
  if (field->kind != AT_WIRE_BYTES)
    number(context, field->value);
  else
    while (wire.at < wire.end)
      number(context, read_number(&wire, kind));
}
