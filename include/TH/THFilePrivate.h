/* The structure THFile: some fields, and the table of operations of its kind (a file on a disk, or
 * in memory).  Programs that read the fields include this header; TH.h does not.  The operations
 * move bytes; they return how many they moved and never raise for outside failures, but set
 * self->why. */
#ifndef TH_FILE_PRIVATE_H
#define TH_FILE_PRIVATE_H

#include "THFile.h"

typedef struct THFileVTable {
  const char *kind; /* "disk file" */
  int (*isOpened)(THFile *self);

  /* How many of the next wanted bytes exist; all of them if only reading can tell. */
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

#endif
