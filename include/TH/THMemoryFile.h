/* Files in memory: the bytes of a CharStorage that ends in a NUL, which is no part of the file.
 *
 *     THFile *file = THMemoryFile_new("rw");
 *     THFile_writeIntScalar(file, 42);
 *     puts((char *)THMemoryFile_storage(file)->data);         42 and a line end
 *     THFile_free(file);
 */
#ifndef TH_MEMORY_FILE_H
#define TH_MEMORY_FILE_H

#include "THFile.h"

/* A file over storage, which it retains, and whose last element must be 0.  mode is "r", "w" or
 * "rw"; in all three the file has the bytes of the storage, and starts at its first.  Writing
 * resizes the storage when it is too small; where that is not permitted, what does not fit is a
 * write error.  While the file is written to, the storage may be larger than the file: synchronize,
 * close and THMemoryFile_storage cut it.  storage NULL is an empty file. */
TH_API THFile *THMemoryFile_newWithStorage(THCharStorage *storage, const char *mode);

/* An empty file. */
TH_API THFile *THMemoryFile_new(const char *mode);

/* The storage, cut to the bytes of the file and the NUL.  It belongs to the file: whoever keeps it
 * longer retains it. */
TH_API THCharStorage *THMemoryFile_storage(THFile *self);

/* THDiskFile_longSize of a memory file. */
TH_API void THMemoryFile_longSize(THFile *self, int size);

#endif
