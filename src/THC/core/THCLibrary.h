/* Libraries of CUDA that are loaded when one of their functions is first needed. */
#ifndef THC_LIBRARY_H
#define THC_LIBRARY_H

#include <pthread.h>

#include "THCPrivate.h"

typedef struct THCLibraryName {
  const char *name, *soname;
  const char *variable; /* of the environment, which names another library */
  const char *probe;    /* a function: the process may have the library already */
} THCLibraryName;

/* The library; origin gets the words for it in messages.  An error where there is none. */
void *THCLibrary_open(const THCLibraryName *which, char *origin, size_t size);

/* A library without which there is another way. */
typedef struct THCOptionalLibrary {
  THCLibraryName which;
  int (*find)(void *library); /* finds its functions; 0: it does not have all */
  int known;                  /* 1: available; -1: not available; 0: not tried yet */
  pthread_mutex_t mutex;
} THCOptionalLibrary;

/* Whether the library is there, which is loaded by the first call.  No error where it is not. */
int THCLibrary_isThere(THCOptionalLibrary *library);

/* Whether the library is there already. */
int THCLibrary_isLoaded(const THCOptionalLibrary *library);

/* cuSPARSE's handles, of the current device. */
void *THCSparse_create(void);
void THCSparse_destroy(void *handle); /* NULL is ignored */

#endif
