/* Functions that the kinds of files share, besides THFilePrivate.h: opening, errors, arrays and
 * numbers as text.  THFile.c raises errors for failures that a kind reports, THFileArray.c converts
 * its bytes to elements. */
#ifndef TH_FILE_KINDS_H
#define TH_FILE_KINDS_H

#include "THFilePrivate.h"

/* A new file of any kind.  Sets *readable and *writable from "r", "w" or "rw", and returns 0 for
 * any other mode. */
THFile THFile_make(const THFileVTable *vtable, int readable, int writable, int isQuiet);
int THFile_parseMode(const char *mode, int *readable, int *writable);

/* Raises an error about argument 1 unless self is open. */
void THFile_checkOpened(THFile *self);

void THFile_setLongSize(THFile *self, int size);

/* Notes an error, and raises it unless the file is quiet. */
void THFile_fail(THFile *self, const char *fmt, ...) TH_PRINTF_LIKE(2, 3);

/* --- arrays (THFileArray.c) ------------------------------------------------------------------ */

size_t THFile_readArray(THFile *self, THScalarType type, void *data, size_t n);
size_t THFile_writeArray(THFile *self, THScalarType type, const void *data, size_t n);

/* The elements read so far.  As long as the guard is entered, an error restores the file's position
 * and frees these elements. */
typedef struct THFileAttempt {
  THGuard guard;
  THFile *file;
  int isSeekable;
  size_t start;
  char *block; /* of THAlloc, or NULL */
} THFileAttempt;

void THFileAttempt_enter(THFileAttempt *attempt, THFile *file);

/* --- numbers as text (THFileText.c) ----------------------------------------------------------- */

/* Reads the characters of a file one by one. */
typedef struct THFileText {
  THFile *file;
  const char *start, *at, *end; /* the characters available, and how many of them have been taken */
} THFileText;

void THFileText_begin(THFileText *text, THFile *file);
void THFileText_end(THFileText *text); /* the file continues after the last character taken */

/* The next character, or -1 at the end; it can be taken with text->at++. */
int THFileText_peek(THFileText *text);

enum { TH_FILE_NUMBER_LENGTH = 40 }; /* longer than any number that is written */

/* How a type is read and written as text: both NULL for raw bytes.  parse returns whether there was
 * a number, and sets file->why if not; format returns the number of characters. */
typedef struct THFileNumber {
  const char *name;
  size_t size;
  int (*parse)(THFileText *text, void *element);
  int (*format)(char *to, const void *element);
} THFileNumber;

extern const THFileNumber THFile_numbers[THScalarTypes];

#endif
