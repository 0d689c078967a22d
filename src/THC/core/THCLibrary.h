/* Libraries of CUDA that are loaded when one of their functions is first needed. */
#ifndef THC_LIBRARY_H
#define THC_LIBRARY_H

#include "THCPrivate.h"

typedef struct THCLibraryName {
  const char *name, *soname;
  const char *variable; /* of the environment, which names another library */
  const char *probe;    /* a function: the process may have the library already */
} THCLibraryName;

/* The library; origin gets the words for it in messages.  An error where there is none. */
void *THCLibrary_open(const THCLibraryName *which, char *origin, size_t size);

/* cuSPARSE's handles, of the current device. */
void *THCSparse_create(void);
void THCSparse_destroy(void *handle); /* NULL is ignored */

#endif
