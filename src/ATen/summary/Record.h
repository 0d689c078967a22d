/* What event files are made of: records with checksums, which hold messages of
 * Protocol Buffers. */
#ifndef ATEN_RECORD_H
#define ATEN_RECORD_H

#include "ATen/files/Files.h"

/* Empties the bytes, and enters the guard that frees them. */
void at_bytes_enter(THGuard *guard, at_bytes *bytes);

/* Fields of a message: a whole number (of a boolean or an enumeration, too), a double, a float, bytes. */
void at_field_integer(at_bytes *message, int field, uint64_t value);
void at_field_double(at_bytes *message, int field, double value);
void at_field_float(at_bytes *message, int field, float value);
void at_field_bytes(at_bytes *message, int field, const void *data, size_t count);

/* CRC-32C, with the mask of TFRecord. */
uint32_t at_maskedChecksum(const void *data, size_t count);

/* A record of TFRecord: length, checksum, data, checksum. */
void at_addRecord(at_bytes *file, const at_bytes *data);

/* A PNG of rows x columns pixels, of 1 or 3 bytes each. */
void at_addPng(at_bytes *file, const uint8_t *pixels, int64_t rows, int64_t columns, int channels);

#endif
