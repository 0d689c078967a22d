/* Files on a disk, and pipes from and to commands.
 *
 *     THFile *file = THPipeFile_new("gunzip < numbers.gz", "r", 0);
 *     const double first = THFile_readDoubleScalar(file);
 *     THFile_free(file);
 */
#ifndef TH_DISK_FILE_H
#define TH_DISK_FILE_H

#include "THFile.h"

/* Opens a file in mode "r" (read), "w" (write: it is created, or emptied) or "rw" (read and write:
 * it is created if it is not there, and starts at its beginning).  The file is text, spaced, and
 * pedantic or, with isQuiet, quiet.  An error if it cannot be opened; with isQuiet, NULL is
 * returned instead.
 *
 * Bytes are buffered; a program that ends by exit writes what is left in the buffers of its files,
 * one that closes its files hears whether that was possible. */
TH_API THFile *THDiskFile_new(const char *name, const char *mode, int isQuiet);

/* Runs a command of the shell and reads what it writes (mode "r") or writes what it reads ("w").
 * Closing waits for the command; where it was written to, an exit status other than 0 is an error.
 */
TH_API THFile *THPipeFile_new(const char *name, const char *mode, int isQuiet);

/* All that follow want a file of one of these two kinds, and an error says so if it is another. */

/* The name of the file, or the command; valid until the file is freed. */
TH_API const char *THDiskFile_name(THFile *self);

TH_API int THDiskFile_isLittleEndianCPU(void);
TH_API int THDiskFile_isBigEndianCPU(void);

/* The byte order of the file, for what is read and written from now on in binary. */
TH_API void THDiskFile_nativeEndianEncoding(THFile *self);
TH_API void THDiskFile_littleEndianEncoding(THFile *self);
TH_API void THDiskFile_bigEndianEncoding(THFile *self);

/* How many bytes a Long takes in binary: 4, 8, or 0 for the usual 8.  Writing a value that does not
 * fit in 4 is an error, before anything is written. */
TH_API void THDiskFile_longSize(THFile *self, int size);

/* From now on every write reaches the system at once, and at most the byte behind a number is read
 * ahead of its use. */
TH_API void THDiskFile_noBuffer(THFile *self);

#endif
