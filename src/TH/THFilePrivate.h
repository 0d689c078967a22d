/* What all files share, and the table of what each kind does in its own way.
 *
 * The operations move bytes; they return what they managed and never raise for what the outside
 * world does, but set self->why.  THFile.c makes errors of that, THFileArray.c makes elements of
 * the bytes. */
#ifndef TH_FILE_PRIVATE_H
#define TH_FILE_PRIVATE_H

#include "THFile.h"

typedef struct THFileVTable {
  const char *kind; /* "disk file" */
  int (*isOpened)(THFile *self);

  /* How many of the next wanted bytes are there: all of them also where only reading can tell. */
  size_t (*left)(THFile *self, size_t wanted);

  /* The next bytes, at least one (*n is how many) unless the file ends, and going past some of
   * them. */
  const char *(*ahead)(THFile *self, size_t *n);
  void (*skip)(THFile *self, size_t n);

  /* Moves bytes and returns how many: fewer only where the file ends, or on a failure. */
  size_t (*read)(THFile *self, void *to, size_t n);
  size_t (*write)(THFile *self, const void *from, size_t n);

  /* These return 0, or -1 on a failure. */
  int (*synchronize)(THFile *self);
  int (*seek)(THFile *self, size_t position);
  int (*seekEnd)(THFile *self);
  int (*position)(THFile *self, size_t *position);
  int (*close)(THFile *self);

  void (*free)(THFile *self); /* of a closed file */
} THFileVTable;

struct THFile__ {
  const THFileVTable *vtable;
  int isQuiet;
  int isReadable;
  int isWritable;
  int isBinary;
  int isAutoSpacing;
  int hasError;
  int isNativeEncoding; /* 0: binary elements have their bytes in the other order */
  int longSize;         /* bytes of a Long in binary: 0 (the usual 8), 4 or 8 */
  const char *name;     /* for messages */
  const char *why;      /* the reason of the last failure; NULL: the file ended */
};

/* What a new file has in common with all others.  Sets *readable and *writable from "r", "w" or
 * "rw", and returns 0 for any other mode. */
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

/* What reading has gathered so far.  As long as the guard is there, an error puts the file back
 * where it was and frees what was gathered. */
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
  const char *start, *at, *end; /* what is at hand, and how much of it has been taken */
} THFileText;

void THFileText_begin(THFileText *text, THFile *file);
void THFileText_end(THFileText *text); /* leaves the file behind what was taken */

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
