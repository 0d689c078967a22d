/* Whole files. */
#ifndef DIGITS_FILE_H
#define DIGITS_FILE_H

#include <stddef.h>

/* Writes a file so that it is there as a whole or not at all: to a temporary file next to it, which
 * is synced and then renamed.  Raises an error, and leaves an older file of that name as it was, if
 * that is not possible, or if path is something else than a file. */
void file_replace(const char *path, const void *bytes, size_t size);

/* The contents of a file of at most limit bytes, in memory that THFree releases. */
unsigned char *file_read(const char *path, size_t limit, size_t *size);

#endif
