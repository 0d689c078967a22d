/* Files: numbers and strings, as text or as bytes, on a disk, through a pipe or in memory.
 *
 * THDiskFile.h and THMemoryFile.h open them; what is declared here works on every file.  A vector
 * of doubles is written as its length and its storage, and read again:
 *
 *     THFile *file = THDiskFile_new("weights", "w", 0);
 *     THFile_binary(file);
 *     THFile_writeLongScalar(file, storage->size);
 *     THFile_writeDouble(file, storage);
 *     THFile_close(file);                          says when something could not be written
 *     THFile_free(file);
 *
 *     file = THDiskFile_new("weights", "r", 0);
 *     THFile_binary(file);
 *     THDoubleStorage *again = THDoubleStorage_newWithSize(THFile_readLongScalar(file));
 *     THFile_readDouble(file, again);
 *     THFile_free(file);
 *
 * (A program that reads files of others compares such a length with what it can be before it makes
 * a storage of it.)
 *
 * Text (ascii, the default).  Numbers are decimal, those of Float and Half with 9 digits and
 * those of Double with 17, so that reading gives the same bits; the locale does not matter.  With
 * autoSpacing (the default) a write puts a space between its elements and a line end behind the
 * last; a read takes the line end behind its last element, if there is one.  Without it elements
 * are written one behind the other.  In both cases white space before a number is skipped.  A read
 * number ends where a further character cannot belong to it; it may be an infinity, a NaN or
 * hexadecimal for the floating-point types, and may have up to 2,047 characters.  What is too large
 * for Float, Double or Half becomes infinity; what does not fit the integer that is to be read is
 * an error.  Byte and Char are not numbers here: each is one raw byte of the file.
 *
 * Binary.  Elements one behind the other, in the byte order of the machine and 8 bytes for a
 * Long, unless THDiskFile_bigEndianEncoding, THDiskFile_longSize and the like say otherwise.
 *
 * Errors.  A pedantic file (the default) raises an error when less is read or written than was
 * asked for, when text is no number, or when the system refuses something.  A quiet file does not:
 * the function returns how many elements were read or written (a scalar is then 0), and hasError
 * tells of it until clearError.  Both set hasError.  What the program does wrong (a file that is
 * closed, reading what is open for writing only) is raised in either case.
 *
 * When a read raises an error, its destination and the position in the file are as they were before
 * the call, except on what cannot be sought (a pipe, a terminal) and when a device fails half-way.
 * A quiet read leaves what it could read in the destination, and the position behind it: in text
 * before the character that did not fit, or behind the integer that was too large; in binary behind
 * the last whole element.  After a write error the position is behind what was written.
 *
 * A file belongs to one thread at a time. */
#ifndef TH_FILE_H
#define TH_FILE_H

#include "THStorage.h"

typedef struct THFile__ THFile;

/* --- properties ------------------------------------------------------------------------------ */

TH_API int THFile_isOpened(THFile *self);
TH_API int THFile_isQuiet(THFile *self);
TH_API int THFile_isReadable(THFile *self);
TH_API int THFile_isWritable(THFile *self);
TH_API int THFile_isBinary(THFile *self);
TH_API int THFile_isAutoSpacing(THFile *self);

/* Whether an error occurred since the file was opened, or since the last clearError. */
TH_API int THFile_hasError(THFile *self);
TH_API void THFile_clearError(THFile *self);

TH_API void THFile_binary(THFile *self);
TH_API void THFile_ascii(THFile *self);
TH_API void THFile_autoSpacing(THFile *self);
TH_API void THFile_noAutoSpacing(THFile *self);
TH_API void THFile_quiet(THFile *self);
TH_API void THFile_pedantic(THFile *self);

/* --- one element ------------------------------------------------------------------------------ */

TH_API uint8_t THFile_readByteScalar(THFile *self);
TH_API TH_CHAR THFile_readCharScalar(THFile *self);
TH_API int16_t THFile_readShortScalar(THFile *self);
TH_API int32_t THFile_readIntScalar(THFile *self);
TH_API int64_t THFile_readLongScalar(THFile *self);
TH_API float THFile_readFloatScalar(THFile *self);
TH_API double THFile_readDoubleScalar(THFile *self);
TH_API THHalf THFile_readHalfScalar(THFile *self);

TH_API void THFile_writeByteScalar(THFile *self, uint8_t scalar);
TH_API void THFile_writeCharScalar(THFile *self, TH_CHAR scalar);
TH_API void THFile_writeShortScalar(THFile *self, int16_t scalar);
TH_API void THFile_writeIntScalar(THFile *self, int32_t scalar);
TH_API void THFile_writeLongScalar(THFile *self, int64_t scalar);
TH_API void THFile_writeFloatScalar(THFile *self, float scalar);
TH_API void THFile_writeDoubleScalar(THFile *self, double scalar);
TH_API void THFile_writeHalfScalar(THFile *self, THHalf scalar);

/* --- a storage: as many elements as it has; how many of them were read or written ----------- */

TH_API size_t THFile_readByte(THFile *self, THByteStorage *storage);
TH_API size_t THFile_readChar(THFile *self, THCharStorage *storage);
TH_API size_t THFile_readShort(THFile *self, THShortStorage *storage);
TH_API size_t THFile_readInt(THFile *self, THIntStorage *storage);
TH_API size_t THFile_readLong(THFile *self, THLongStorage *storage);
TH_API size_t THFile_readFloat(THFile *self, THFloatStorage *storage);
TH_API size_t THFile_readDouble(THFile *self, THDoubleStorage *storage);
TH_API size_t THFile_readHalf(THFile *self, THHalfStorage *storage);

TH_API size_t THFile_writeByte(THFile *self, THByteStorage *storage);
TH_API size_t THFile_writeChar(THFile *self, THCharStorage *storage);
TH_API size_t THFile_writeShort(THFile *self, THShortStorage *storage);
TH_API size_t THFile_writeInt(THFile *self, THIntStorage *storage);
TH_API size_t THFile_writeLong(THFile *self, THLongStorage *storage);
TH_API size_t THFile_writeFloat(THFile *self, THFloatStorage *storage);
TH_API size_t THFile_writeDouble(THFile *self, THDoubleStorage *storage);
TH_API size_t THFile_writeHalf(THFile *self, THHalfStorage *storage);

/* --- an array of n elements; how many of them were read or written -------------------------- */

TH_API size_t THFile_readByteRaw(THFile *self, uint8_t *data, size_t n);
TH_API size_t THFile_readCharRaw(THFile *self, TH_CHAR *data, size_t n);
TH_API size_t THFile_readShortRaw(THFile *self, int16_t *data, size_t n);
TH_API size_t THFile_readIntRaw(THFile *self, int32_t *data, size_t n);
TH_API size_t THFile_readLongRaw(THFile *self, int64_t *data, size_t n);
TH_API size_t THFile_readFloatRaw(THFile *self, float *data, size_t n);
TH_API size_t THFile_readDoubleRaw(THFile *self, double *data, size_t n);
TH_API size_t THFile_readHalfRaw(THFile *self, THHalf *data, size_t size);

TH_API size_t THFile_writeByteRaw(THFile *self, uint8_t *data, size_t n);
TH_API size_t THFile_writeCharRaw(THFile *self, TH_CHAR *data, size_t n);
TH_API size_t THFile_writeShortRaw(THFile *self, int16_t *data, size_t n);
TH_API size_t THFile_writeIntRaw(THFile *self, int32_t *data, size_t n);
TH_API size_t THFile_writeLongRaw(THFile *self, int64_t *data, size_t n);
TH_API size_t THFile_writeFloatRaw(THFile *self, float *data, size_t n);
TH_API size_t THFile_writeDoubleRaw(THFile *self, double *data, size_t n);
TH_API size_t THFile_writeHalfRaw(THFile *self, THHalf *data, size_t size);

/* --- strings: bytes as they are, in text and in binary ---------------------------------------- */

/* Reads all that is left (format "*a...") or up to the end of the line, which is taken and left out
 * ("*l...").  *str_ becomes a block of THAlloc, which the caller frees; it ends in a NUL that is
 * not counted in the size returned.  Where nothing is left that is an error, and *str_ becomes
 * NULL; an empty line is not. */
TH_API size_t THFile_readStringRaw(THFile *self, const char *format, char **str_);

/* Writes size bytes, and nothing around them. */
TH_API size_t THFile_writeStringRaw(THFile *self, const char *str, size_t size);

/* --- positions, and the end ------------------------------------------------------------------ */

/* Hands what was written to the system (to the storage, for a memory file). */
TH_API void THFile_synchronize(THFile *self);

/* Positions are bytes from the beginning.  An error where files cannot be sought, as pipes; on a
 * memory file also beyond the end.  After an error the position is as it was. */
TH_API void THFile_seek(THFile *self, size_t position);
TH_API void THFile_seekEnd(THFile *self);
TH_API size_t THFile_position(THFile *self); /* 0 after an error */

/* Closes the file, which is then still to be freed; a second time is an error.  Raises an error (or
 * sets hasError), and has closed the file nevertheless, when something that was written could not
 * be stored. */
TH_API void THFile_close(THFile *self);

/* Closes the file if it is open, says nothing of errors, and releases it.  NULL is nothing to free.
 */
TH_API void THFile_free(THFile *self);

#endif
